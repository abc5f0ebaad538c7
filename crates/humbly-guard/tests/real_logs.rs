//! The false-alarm rule: on real logs the guard is silent, except where a reader flagged a turn.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "a test fails by panicking"
)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use humbly_guard::{Mode, Outcome, Places, audit, run_hook};
use humbly_judge::LexicalJudge;
use humbly_readers::{Sink, group, read};
use humbly_types::{Problem, Trajectory};
use serde_json::{Value, json};

#[derive(Default)]
struct Collected(Vec<Trajectory>);

impl Sink for Collected {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.0.push(trajectory);
    }

    fn problem(&mut self, _: Problem) {}
}

fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if folder.join("trajectories").is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{} is missing", folder.display());
    eprintln!("skipped: {} is not here", folder.display());
    None
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if !path.file_name().unwrap().to_string_lossy().starts_with("SOURCE") {
            found.push(path);
        }
    }
}

/// Flagged turns of each labelled file, by trajectory.
fn labels(shared: &Path) -> HashMap<String, Vec<u64>> {
    let mut labels: HashMap<String, Vec<u64>> = HashMap::new();
    let text = std::fs::read_to_string(shared.join("truth/labels/long_logs.jsonl")).unwrap();
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let turns = row["flagged_turns"].as_array().unwrap().iter().filter_map(Value::as_u64);
        labels.entry(row["file"].as_str().unwrap().to_owned()).or_default().extend(turns);
    }
    labels
}

fn assert_labelled(labels: &HashMap<String, Vec<u64>>, relative: &str, flags: &[(Option<u32>, String)]) {
    for (turn, quote) in flags {
        let is_labelled = labels
            .get(relative)
            .is_some_and(|turns| turn.is_some_and(|turn| turns.contains(&u64::from(turn))));
        assert!(is_labelled, "{relative}, turn {turn:?}: {quote}");
    }
}

/// The hook itself, at the end of each log of a harness.
#[test]
fn the_hook_is_silent_on_real_logs_but_where_a_reader_flagged() {
    let Some(shared) = shared() else { return };
    let labels = labels(&shared);
    let root = shared.join("trajectories").canonicalize().unwrap();
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let judge = LexicalJudge::new();
    let mut calls = 0;
    for unit in group(paths) {
        let mut collected = Collected::default();
        read(&unit, None, &mut collected);
        let harness = match collected.0.first().map(|trajectory| trajectory.format) {
            Some("claude-code") => "claude-code",
            Some("codex-rollout") => "codex",
            Some("openhands-sdk") => "openhands",
            Some("gemini-cli") => "gemini-cli",
            _ => continue,
        };
        let is_folder = unit.main.parent().is_some_and(|folder| folder.ends_with("events"));
        if is_folder || !unit.main.extension().is_some_and(|ending| ending == "jsonl" || ending == "json") {
            continue;
        }
        let home = tempfile::tempdir().unwrap();
        let mut places = Places::from_environment(|_| None, Some(home.path().to_owned()), root.clone());
        places.extra = vec![root.clone()];
        let payload = json!({"session_id": "s", "transcript_path": unit.main, "cwd": root,
            "hook_event_name": "Stop", "stop_hook_active": false});
        let named = humbly_guard::harness(harness).unwrap();
        let answered = run_hook(payload.to_string().as_bytes(), Some(named), Mode::Ask, &places, &judge);
        calls += 1;
        let relative = unit.main.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let Some(entry) = answered.entry else { continue };
        assert_ne!(entry.did, "failed", "{relative}: {:?}", entry.why);
        if entry.did == "asked" {
            let flags: Vec<_> = entry
                .quotes
                .iter()
                .map(|quote| (quote.turn, quote.quote.clone().unwrap_or_default()))
                .collect();
            assert_labelled(&labels, &relative, &flags);
        }
    }
    eprintln!("{calls} calls of the hook");
    assert!(calls >= 10, "{calls}");
}

#[test]
fn the_guard_is_silent_on_real_logs_but_where_a_reader_flagged() {
    let Some(shared) = shared() else { return };
    let labels = labels(&shared);
    let root = shared.join("trajectories");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let judge = LexicalJudge::new();
    let (mut episodes, mut asked) = (0, 0);
    for unit in group(paths) {
        let mut collected = Collected::default();
        read(&unit, None, &mut collected);
        let relative = unit.main.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        for trajectory in collected.0.iter().flat_map(|one| std::iter::once(one).chain(&one.children)) {
            for finding in audit(trajectory, &judge).unwrap() {
                episodes += 1;
                let Outcome::Ask(flags) = &finding.outcome else { continue };
                asked += 1;
                let flags: Vec<_> =
                    flags.iter().map(|flag| (flag.turn, flag.quote.clone().unwrap_or_default())).collect();
                assert_labelled(&labels, &relative, &flags);
            }
        }
    }
    eprintln!("{episodes} episodes, {asked} asked about");
    assert!(episodes > 50, "{episodes}");
}
