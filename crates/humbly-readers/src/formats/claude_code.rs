//! Claude Code session files: `~/.claude/projects/<folder>/<session>.jsonl` with its sub-agents.
//!
//! The format has no public schema; one file may mix versions. One content block stands on a line, and all
//! lines of one `message.id` are one turn. Numbered readings that a user of the numbers should know:
//! 1. `/clear` ends a trajectory; the next one in the file has the id `SESSION~2`.
//! 2. A line whose `uuid` (or API response) an earlier file of the same unit holds is a copy of a resumed or
//!    forked session and counts there only.
//! 3. A session that carries out the plan of another one of the same `slug` goes on with that trajectory; the
//!    prompt that holds the plan is the harness's.
//! 4. Calls without results at the end mean that the log stops, not that a limit cut it.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use humbly_types::{Problem, StepFlags, Trajectory};
use serde::Deserialize;
use serde::de::IgnoredAny;
use xxhash_rust::xxh3::xxh3_128;

use super::claude::{Chain, Content, LineMarks, Message, UserEffect};
use crate::detect::{Head, Shape};
use crate::fields::{Flag, Object, PartsText, Text};
use crate::input::{Input, Line, unreadable_record};
use crate::lenient::parse_borrowed;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "claude-code";

/// Record types that hold nothing of the conversation.
const HOUSEKEEPING: &[&str] = &[
    "summary",
    "file-history-snapshot",
    "file-history-delta",
    "queue-operation",
    "mode",
    "permission-mode",
    "ai-title",
    "custom-title",
    "agent-name",
    "agent-color",
    "agent-setting",
    "last-prompt",
    "progress",
    "tag",
    "task-summary",
    "pr-link",
    "worktree-state",
    "content-replacement",
    "attribution-snapshot",
    "speculation-accept",
    "started",
    "result",
];

/// Reader of Claude Code session files.
pub(crate) struct ClaudeCode;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    subtype: Text<'a>,
    #[serde(borrow, default)]
    uuid: Text<'a>,
    #[serde(borrow, default)]
    parent_uuid: Text<'a>,
    #[serde(default)]
    is_sidechain: Flag,
    #[serde(borrow, default)]
    agent_id: Text<'a>,
    #[serde(default)]
    is_meta: Flag,
    #[serde(default)]
    is_compact_summary: Flag,
    #[serde(default)]
    is_visible_in_transcript_only: Flag,
    #[serde(default)]
    is_api_error_message: Flag,
    #[serde(default)]
    aborted: Flag,
    #[serde(borrow, default)]
    supersedes: PartsText<'a>,
    #[serde(borrow, default)]
    session_id: Text<'a>,
    #[serde(borrow, default)]
    version: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default)]
    message: Object<Message<'a>>,
    #[serde(borrow, default)]
    attachment: Object<Attachment<'a>>,
}

#[derive(Deserialize)]
struct Attachment<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
}

/// What tells a session line from every other record.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Marks<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(default, deserialize_with = "is_there")]
    parent_uuid: bool,
    #[serde(default, deserialize_with = "is_there")]
    is_sidechain: bool,
    #[serde(default, deserialize_with = "is_there")]
    session_id: bool,
}

fn is_there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}

impl Reader for ClaudeCode {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Claude Code session",
            recognised_by: "JSONL records with `parentUuid` or `isSidechain`, after any housekeeping records",
        }
    }

    fn sniff_start(&self, start: &[u8]) -> bool {
        // Escaped inside another format's string the name has a backslash before its quote.
        if memchr::memmem::find(start, b"\"parentUuid\"").is_none()
            && memchr::memmem::find(start, b"\"isSidechain\"").is_none()
        {
            return false;
        }
        start.split(|byte| *byte == b'\n').take(50).any(|line| {
            serde_json::from_slice::<Marks<'_>>(line).is_ok_and(|marks| {
                marks.kind.get().is_some() && (marks.parent_uuid || marks.is_sidechain) && marks.session_id
            })
        })
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Lines)
            && head.has_keys(&["type"])
            && (head.has_keys(&["parentUuid", "uuid"]) || head.has_keys(&["isSidechain", "uuid"]))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut unit = UnitReader::default();
        let mut session = Session::new(&input.path, input.stem(), is_agent_file(&input.path));
        unit.file(input, &mut session, sink)?;
        for companion in &input.companions {
            let file = Input::file(companion, Vec::new());
            if is_agent_file(&file.path) {
                let mut agent = Session::new(&file.path, file.stem(), true);
                agent.main.builder.meta().id = format!("{}/{}", input.stem(), file.stem());
                if let Err(problem) = unit.file(&file, &mut agent, sink) {
                    sink.problem(problem);
                    continue;
                }
                session.adopt(agent);
            } else if unit.is_copy(&file) {
                session.emit(sink);
                session = Session::new(&file.path, file.stem(), false);
                unit.file(&file, &mut session, sink)?;
            } else {
                session.continues_in(&file.path);
                unit.file(&file, &mut session, sink)?;
            }
        }
        session.emit(sink);
        Ok(())
    }
}

fn is_agent_file(path: &str) -> bool {
    Path::new(path).file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-"))
}

/// What the files of one unit share: the lines that were read.
#[derive(Default)]
struct UnitReader {
    /// Lines of earlier files, by uuid or API response.
    known: HashSet<u128>,
    /// Lines of the file being read, with the message of each.
    here: HashMap<u128, Option<String>>,
    messages: HashSet<u128>,
}

impl UnitReader {
    fn file(&mut self, input: &Input, session: &mut Session, sink: &mut dyn Sink) -> Result<(), Problem> {
        self.known.extend(self.here.drain().map(|(key, _)| key));
        self.known.extend(self.messages.drain());
        let keep_messages = !input.companions.is_empty() || !self.known.is_empty();
        let path = Arc::clone(&input.path);
        let mut store = Vec::new();
        input.lines()?.for_each_line(sink, |line, sink| {
            if !line.bytes.starts_with(b"{") {
                session.odd_line(&path, line, sink);
                return;
            }
            match parse_borrowed::<Record<'_>>(line.bytes, &mut store) {
                Ok((record, repairs)) => {
                    for repair in repairs {
                        sink.problem(Problem::new(&*path, repair.message()).line(line.number));
                    }
                    self.record(&record, line.number, session, keep_messages);
                }
                Err(error) => sink.problem(unreadable_record(&path, line, &error)),
            }
        })
    }

    /// Whether a file begins with lines that are known.
    fn is_copy(&self, file: &Input) -> bool {
        let Ok(mut lines) = file.lines() else { return false };
        for _ in 0..50 {
            let Ok(Some(line)) = lines.next_line() else { return false };
            let Ok(record) = serde_json::from_slice::<Record<'_>>(line.bytes) else { continue };
            if let Some(uuid) = record.uuid.get() {
                let key = xxh3_128(uuid.as_bytes());
                return self.known.contains(&key) || self.here.contains_key(&key);
            }
        }
        false
    }

    fn record(&mut self, record: &Record<'_>, line: u64, session: &mut Session, keep_messages: bool) {
        let kind = record.kind.get().unwrap_or_default();
        let key = record.uuid.get().map(|uuid| xxh3_128(uuid.as_bytes()));
        if key.is_some_and(|key| self.here.contains_key(&key)) {
            return;
        }
        let mut is_copied = key.is_some_and(|key| self.known.contains(&key));
        let message_id = record.message.0.as_ref().and_then(|message| message.id.get());
        if keep_messages
            && kind == "assistant"
            && let Some(id) = message_id
        {
            let key = xxh3_128(id.as_bytes());
            is_copied |= self.known.contains(&key);
            self.messages.insert(key);
        }
        if kind == "assistant"
            && let Some(taken_back) = &record.supersedes.text
        {
            for id in taken_back.lines() {
                let by_uuid = self.here.get(&xxh3_128(id.as_bytes())).cloned().flatten();
                session.main.supersede(by_uuid.as_deref().unwrap_or(id));
            }
        }
        if session.record(record, kind, line, is_copied)
            && let Some(key) = key
        {
            let generation = (kind == "assistant").then(|| message_id.map(str::to_owned)).flatten();
            self.here.insert(key, generation);
        }
    }
}

/// The trajectories of one session file (and of files that go on with it).
struct Session {
    path: Arc<str>,
    stem: String,
    main: Chain,
    finished: Vec<Trajectory>,
    agents: Vec<Trajectory>,
    /// Chains of sub-agents inside the file, and the chain of each of their lines.
    sidechains: Vec<Chain>,
    by_agent: HashMap<String, usize>,
    by_line: HashMap<u128, usize>,
    sidechain_is_main: bool,
    carries_out_plan: bool,
    has_version: bool,
}

impl Session {
    fn new(path: &Arc<str>, stem: &str, sidechain_is_main: bool) -> Self {
        Self {
            path: Arc::clone(path),
            stem: stem.to_owned(),
            main: new_chain(path, stem.to_owned()),
            finished: Vec::new(),
            agents: Vec::new(),
            sidechains: Vec::new(),
            by_agent: HashMap::new(),
            by_line: HashMap::new(),
            sidechain_is_main,
            carries_out_plan: false,
            has_version: false,
        }
    }

    fn continues_in(&mut self, path: &Arc<str>) {
        self.main.builder.set_file(path);
        self.carries_out_plan = true;
    }

    fn adopt(&mut self, agent: Session) {
        let id = agent.main.builder.steps().is_empty();
        let (main, children) = agent.into_trajectories();
        if !id {
            self.agents.extend(main);
        }
        self.agents.extend(children);
    }

    fn odd_line(&mut self, path: &str, line: Line<'_>, sink: &mut dyn Sink) {
        match serde_json::from_slice::<IgnoredAny>(line.bytes) {
            Ok(_) => self.main.builder.warn("a record that is no object", line.number),
            Err(error) => sink.problem(unreadable_record(path, line, &error)),
        }
    }

    /// Adds a record; `false` where it held nothing that could be used.
    fn record(&mut self, record: &Record<'_>, kind: &str, line: u64, is_copied: bool) -> bool {
        if !self.has_version && record.version.get().is_some() {
            self.has_version = true;
            let meta = self.main.builder.meta();
            meta.agent_version = record.version.owned();
            meta.run_id = record.session_id.owned();
        }
        match kind {
            "user" | "assistant" => {}
            "system" => {
                let subtype = record.subtype.get().unwrap_or_default();
                if subtype.contains("max_turns") {
                    self.main.limit(subtype);
                }
                return true;
            }
            "attachment" => {
                let kind = record.attachment.0.as_ref().and_then(|attachment| attachment.kind.get());
                if let Some(kind) = kind.filter(|kind| kind.contains("max_turns")) {
                    self.main.limit(kind);
                }
                return true;
            }
            _ if HOUSEKEEPING.contains(&kind) => return true,
            "" => {
                self.main.builder.warn("a record without type", line);
                return false;
            }
            other => {
                self.main.builder.warn(format!("unknown record type `{other}`"), line);
                return false;
            }
        }
        let Some(message) = &record.message.0 else {
            self.main.builder.warn("a record without message", line);
            return false;
        };
        let is_sidechain = record.is_sidechain.is_set() && !self.sidechain_is_main;
        let is_user = kind == "user";
        let carries_out_plan = is_user && !is_sidechain && std::mem::take(&mut self.carries_out_plan);
        let marks = LineMarks {
            line,
            fallback_generation: record.uuid.get(),
            timestamp: record.timestamp.get(),
            flags: StepFlags {
                copied: is_copied,
                meta: carries_out_plan
                    || record.is_meta.is_set()
                    || record.is_visible_in_transcript_only.is_set(),
                synthetic: record.is_api_error_message.is_set(),
                aborted: record.aborted.is_set(),
                compaction_summary: record.is_compact_summary.is_set(),
            },
        };
        let chain = if is_sidechain { self.sidechain(record, kind) } else { &mut self.main };
        if !is_user {
            chain.assistant(message, &marks);
        } else if chain.user(message, &marks) == UserEffect::Clear && !is_sidechain {
            self.clear();
        }
        !matches!(message.content, Content::Absent)
    }

    /// The chain of a sub-agent's line: by agent id, else by the line before it.
    fn sidechain(&mut self, record: &Record<'_>, kind: &str) -> &mut Chain {
        let known = record.agent_id.get().and_then(|id| self.by_agent.get(id).copied()).or_else(|| {
            record.parent_uuid.get().and_then(|uuid| self.by_line.get(&xxh3_128(uuid.as_bytes())).copied())
        });
        let own = record.uuid.get().map(|uuid| xxh3_128(uuid.as_bytes()));
        let known = known.or_else(|| own.and_then(|key| self.by_line.get(&key).copied()));
        let index = match known {
            Some(index) => index,
            // An answer whose line before is not in the file goes on with the newest chain.
            None if kind == "assistant" && !self.sidechains.is_empty() => self.sidechains.len() - 1,
            None => {
                let name = record.agent_id.owned().unwrap_or_else(|| (self.sidechains.len() + 1).to_string());
                self.sidechains.push(new_chain(&self.path, format!("{}/agent-{name}", self.stem)));
                self.sidechains.len() - 1
            }
        };
        if let Some(id) = record.agent_id.get().filter(|id| !self.by_agent.contains_key(*id)) {
            self.by_agent.insert(id.to_owned(), index);
        }
        if let Some(key) = own {
            self.by_line.insert(key, index);
        }
        &mut self.sidechains[index]
    }

    fn clear(&mut self) {
        if !self.main.has_turn() {
            return;
        }
        let id = format!("{}~{}", self.stem, self.finished.len() + 2);
        let mut next = new_chain(&self.path, id);
        next.builder.meta().agent_version.clone_from(&self.main.builder.meta().agent_version);
        next.builder.meta().run_id.clone_from(&self.main.builder.meta().run_id);
        let mut ended = std::mem::replace(&mut self.main, next).finish();
        ended.children = self.take_children();
        self.finished.push(ended);
    }

    fn take_children(&mut self) -> Vec<Trajectory> {
        self.by_agent.clear();
        self.by_line.clear();
        let inside = self.sidechains.drain(..).filter(Chain::has_turn).map(Chain::finish);
        let mut children: Vec<Trajectory> = inside.collect();
        children.append(&mut self.agents);
        children
    }

    /// The trajectories, and sub-agents that belong to none of them.
    fn into_trajectories(mut self) -> (Vec<Trajectory>, Vec<Trajectory>) {
        let mut children = self.take_children();
        let is_empty = !self.main.has_turn();
        let mut trajectories = self.finished;
        let stands_alone = trajectories.is_empty() && !children.is_empty();
        if is_empty && (!trajectories.is_empty() || stands_alone) {
            if let Some(last) = trajectories.last_mut() {
                last.children.append(&mut children);
            }
            return (trajectories, children);
        }
        let mut last = self.main.finish();
        last.children = children;
        trajectories.push(last);
        (trajectories, Vec::new())
    }

    fn emit(self, sink: &mut dyn Sink) {
        let (trajectories, alone) = self.into_trajectories();
        for trajectory in trajectories.into_iter().chain(alone) {
            // A copy that adds no turn counts in the file that it was copied from.
            let is_mere_copy = trajectory.turns().next().is_none()
                && trajectory.steps().iter().any(|step| step.flags.copied);
            if !is_mere_copy {
                sink.trajectory(trajectory);
            }
        }
    }
}

fn new_chain(path: &Arc<str>, id: String) -> Chain {
    let mut chain = Chain::new(NAME, path, id);
    chain.builder.meta().agent = Some("claude-code".to_owned());
    chain
}
