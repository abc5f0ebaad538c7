//! Which session files belong together: sub-agents, resumed copies, a plan and what carries it out.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::fields::Text;
use crate::units::Unit;

/// So much of a file is read to know it; real first lines are a few hundred bytes, prompts some thousand.
const HEAD: usize = 16 << 10;

/// What the first lines of a session file say.
struct SessionHead {
    session: Option<String>,
    slug: Option<String>,
    uuid: Option<String>,
    timestamp: Option<String>,
    is_plan_prompt: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadRecord<'a> {
    #[serde(borrow, default)]
    session_id: Text<'a>,
    #[serde(borrow, default)]
    slug: Text<'a>,
    #[serde(borrow, default)]
    uuid: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(default)]
    is_sidechain: Option<serde::de::IgnoredAny>,
}

/// Takes session files that belong together out of the list.
///
/// Each file is looked up by name, session, slug and first line in maps: linear in the number of files.
pub(crate) fn group_sessions(files: &mut Vec<PathBuf>) -> Vec<Unit> {
    let is_candidate = |path: &Path| path.extension().is_some_and(|extension| extension == "jsonl");
    let (agents, sessions): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().filter(|path| is_candidate(path)).cloned().partition(|path| is_agent(path));
    let heads: Vec<Option<SessionHead>> = sessions.iter().map(|path| head(path)).collect();
    let mut order: Vec<usize> = (0..sessions.len()).filter(|index| heads[*index].is_some()).collect();
    order.sort_by(|a, b| {
        let time = |index: usize| heads[index].as_ref().and_then(|head| head.timestamp.as_deref());
        (time(*a), &sessions[*a]).cmp(&(time(*b), &sessions[*b]))
    });
    let mut unit_of: HashMap<usize, usize> = HashMap::new();
    let mut units: Vec<Unit> = Vec::new();
    let mut by_uuid: HashMap<&str, usize> = HashMap::new();
    let mut by_slug: HashMap<(&Path, &str), usize> = HashMap::new();
    let mut by_session: HashMap<(&Path, &str), usize> = HashMap::new();
    let mut by_path: HashMap<&Path, usize> = HashMap::new();
    for index in order {
        let (Some(head), path) = (heads[index].as_ref(), sessions[index].as_path()) else { continue };
        let folder = path.parent().unwrap_or(Path::new(""));
        let copied_from = head.uuid.as_deref().and_then(|uuid| by_uuid.get(uuid).copied());
        let plan_of = || {
            let slug = head.slug.as_deref()?;
            head.is_plan_prompt.then(|| by_slug.get(&(folder, slug)).copied()).flatten()
        };
        let unit = copied_from.or_else(plan_of).unwrap_or(units.len());
        if unit == units.len() {
            units.push(Unit { main: path.to_owned(), companions: Vec::new() });
        } else {
            units[unit].companions.push(path.to_owned());
        }
        unit_of.insert(index, unit);
        if let Some(uuid) = &head.uuid {
            by_uuid.entry(uuid).or_insert(unit);
        }
        if let Some(slug) = &head.slug {
            by_slug.entry((folder, slug)).or_insert(unit);
        }
        if let Some(session) = &head.session {
            by_session.entry((folder, session)).or_insert(unit);
        }
        by_path.insert(path, unit);
    }
    for agent in &agents {
        if let Some(unit) = parent_by_name(agent).and_then(|parent| by_path.get(parent.as_path())).copied() {
            units[unit].companions.push(agent.clone());
        } else if let Some(session) = head(agent).and_then(|head| head.session) {
            let folder = agent.parent().unwrap_or(Path::new(""));
            let named = by_path.get(folder.join(format!("{session}.jsonl")).as_path());
            if let Some(unit) = named.or_else(|| by_session.get(&(folder, session.as_str()))).copied() {
                units[unit].companions.push(agent.clone());
            }
        }
    }
    units.retain(|unit| !unit.companions.is_empty());
    let taken: std::collections::HashSet<&PathBuf> =
        units.iter().flat_map(|unit| std::iter::once(&unit.main).chain(&unit.companions)).collect();
    files.retain(|path| !taken.contains(path));
    units
}

fn is_agent(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-"))
}

/// `<folder>/<session>/subagents/agent-x.jsonl` belongs to `<folder>/<session>.jsonl`.
fn parent_by_name(agent: &Path) -> Option<PathBuf> {
    let folder = agent.parent()?;
    if folder.file_name()? != "subagents" {
        return None;
    }
    let session = folder.parent()?;
    let name = format!("{}.jsonl", session.file_name()?.to_string_lossy());
    Some(session.with_file_name(name))
}

/// The head of a file that is a session, read from its first bytes.
fn head(path: &Path) -> Option<SessionHead> {
    let mut file = File::open(path).ok()?;
    let mut bytes = vec![0; HEAD];
    let mut length = 0;
    // A first line longer than the head is read on while it looks like a session.
    while length < bytes.len() {
        match file.read(bytes.get_mut(length..)?) {
            Ok(0) | Err(_) => break,
            Ok(count) => length += count,
        }
        let is_session = memchr::memmem::find(bytes.get(..length)?, b"\"parentUuid\"").is_some();
        if length == bytes.len()
            && length < HEAD << 6
            && is_session
            && parse_head(bytes.get(..length)?).is_none()
        {
            bytes.resize(length * 4, 0);
        }
    }
    bytes.truncate(length);
    parse_head(&bytes)
}

fn parse_head(bytes: &[u8]) -> Option<SessionHead> {
    for line in bytes.split(|byte| *byte == b'\n').take(50) {
        let Ok(record) = serde_json::from_slice::<HeadRecord<'_>>(line) else { continue };
        if record.is_sidechain.is_some() && record.uuid.get().is_some() {
            return Some(SessionHead {
                session: record.session_id.owned(),
                slug: record.slug.owned(),
                uuid: record.uuid.owned(),
                timestamp: record.timestamp.owned(),
                is_plan_prompt: memchr::memmem::find(line, b"Implement the following plan").is_some(),
            });
        }
    }
    None
}
