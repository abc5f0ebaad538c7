//! CPU time of the lexical judge per megabyte of assistant text.
//!
//! ```text
//! cargo bench -p humbly-judge -- LOGS_OR_LABELS...
//! ```
//! A `.jsonl` file whose lines have a `text` gives those texts; anything else is read as agent logs.

#![expect(clippy::print_stdout, reason = "it prints its figures")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use humbly_judge::{Knowledge, LexicalJudge};
use humbly_readers::{Input, Sink, read_input};
use humbly_types::{Problem, Role, Trajectory};
use serde_json::Value;

/// Bytes judged for one figure.
const ENOUGH: usize = 8_000_000;

#[derive(Default)]
struct Texts(Vec<String>);

impl Sink for Texts {
    fn trajectory(&mut self, trajectory: Trajectory) {
        let steps = trajectory.steps().iter().filter(|step| step.role == Role::Assistant);
        self.0.extend(steps.map(humbly_types::Step::reasoning_and_visible));
    }
    fn problem(&mut self, _: Problem) {}
}

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            files(&entry, found);
        }
    } else {
        found.push(path.to_owned());
    }
}

fn labelled(path: &Path) -> Vec<String> {
    let content = std::fs::read_to_string(path).unwrap_or_default();
    let rows = content.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.filter_map(|row| row.get("text")?.as_str().map(str::to_owned)).collect()
}

fn main() {
    let started = Instant::now();
    let judge = LexicalJudge::new();
    println!("{} built in {:.2} ms", judge.name(), 1e3 * started.elapsed().as_secs_f64());
    for argument in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let mut paths = Vec::new();
        files(Path::new(&argument), &mut paths);
        let mut texts = Texts::default();
        for path in paths {
            let rows = labelled(&path);
            if rows.is_empty() {
                read_input(&Input::file(&path, Vec::new()), None, &mut texts);
            }
            texts.0.extend(rows);
        }
        texts.0.retain(|text| !text.trim().is_empty());
        let bytes: usize = texts.0.iter().map(String::len).sum();
        if bytes == 0 {
            println!("{argument}: no text");
            continue;
        }
        let rounds = ENOUGH.div_ceil(bytes);
        let knowledge = Knowledge::default();
        let time = |judge: &dyn Fn(&str)| {
            let started = Instant::now();
            for _ in 0..rounds {
                texts.0.iter().for_each(|text| judge(text));
            }
            1e9 * started.elapsed().as_secs_f64() / (rounds * bytes) as f64
        };
        let identify = time(&|text| {
            black_box(judge.identify_turn(text, &knowledge));
        });
        let escalate = time(&|text| {
            black_box(judge.escalate(text, &knowledge));
        });
        println!(
            "{argument}: {} texts, {bytes} bytes; Identify {identify:.0} ms per MB, Escalate {escalate:.0} ms per MB",
            texts.0.len()
        );
    }
}
