//! `docs/formats.md` says for every real sample what its reader finds; the page is generated here.
//!
//! The counts agree with those of an independent counter; where they differ, the format's own test says why.
//! Write the page anew with `HUMBLY_BLESS=1`, after a look at the raw file.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

#[path = "support/mod.rs"]
mod support;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use humbly_readers::{Episodes, Unit, formats, group, read, split_episodes};
use humbly_types::Trajectory;
use support::{Collected, trajectories_folder};

const PAGE: &str = "../../docs/formats.md";

#[test]
fn the_page_of_formats_is_what_the_readers_find() {
    let Some(folder) = trajectories_folder() else { return };
    let page = page(&folder);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    if std::env::var_os("HUMBLY_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == written,
        "docs/formats.md is not what the readers find; look at the difference, then run with HUMBLY_BLESS=1\n{}",
        first_difference(&page, &written)
    );
}

fn first_difference(found: &str, written: &str) -> String {
    found.lines().zip(written.lines()).find(|(found, written)| found != written).map_or_else(
        || "one is longer".to_owned(),
        |(found, written)| format!("found:   {found}\nwritten: {written}"),
    )
}

fn page(folder: &Path) -> String {
    let mut page = String::from(HEAD);
    page.push_str("| name | format | recognised by |\n| --- | --- | --- |\n");
    for reader in formats() {
        let info = reader.info();
        writeln!(page, "| `{}` | {} | {} |", info.name, info.title, cell(info.recognised_by)).unwrap();
    }
    page.push_str(SAMPLES);
    for unit in group(samples(folder)) {
        rows(&unit, folder, &mut page);
    }
    page
}

fn samples(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                open.push(path);
            } else if !matches!(name, "SOURCE.txt" | "FORMATS.md" | "EXPECTED.json") {
                files.push(path);
            }
        }
    }
    files
}

fn rows(unit: &Unit, folder: &Path, page: &mut String) {
    let mut collected = Collected::default();
    let outcome = read(unit, None, &mut collected);
    let shown = unit.main.strip_prefix(folder).unwrap().to_str().unwrap();
    let companions = match unit.companions.len() {
        0 => String::new(),
        count => format!(" (+{count})"),
    };
    if collected.trajectories.is_empty() {
        let reason = collected.problems.first().map(|problem| cell(&problem.message)).unwrap_or_default();
        let reason = reason.replace(folder.to_str().unwrap(), "…");
        writeln!(
            page,
            "| {shown}{companions} | {} | – | – | – | – | – | – | {reason} |",
            outcome.format.unwrap_or("–")
        )
        .unwrap();
    }
    for trajectory in &collected.trajectories {
        row(&format!("{shown}{companions}"), trajectory, page);
    }
}

fn row(shown: &str, trajectory: &Trajectory, page: &mut String) {
    let results: Vec<_> = trajectory.results().collect();
    let calls: Vec<_> = trajectory.calls().map(|(_, call)| call.id.clone()).collect();
    let joined =
        results.iter().filter(|result| result.call_id.as_ref().is_some_and(|id| calls.contains(id))).count();
    let count = |state| results.iter().filter(|result| result.is_error == state).count();
    let (origin, text) = match &trajectory.final_answer {
        Some(answer) => (answer.origin.code(), first_characters(&answer.text, 60)),
        None => ("–", String::new()),
    };
    let episodes = split_episodes(trajectory.clone(), Episodes::Each).len();
    writeln!(
        page,
        "| {shown} | {} | {} ({episodes}) | {} | {joined}/{} | {}/{}/{} | {} ({}) | {origin} | {} |",
        trajectory.format,
        trajectory.turns().count(),
        calls.len(),
        results.len(),
        count(Some(true)),
        count(Some(false)),
        count(None),
        trajectory.stop.kind.code(),
        trajectory.truncated.code(),
        cell(&text),
    )
    .unwrap();
}

fn first_characters(text: &str, count: usize) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(count).collect()
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").replace('<', "&lt;")
}

const HEAD: &str = "# Log formats

`humbly score` recognises a format from content, past leading housekeeping records; `--format NAME` forces one. A folder
may mix formats, and a log may be packed as a whole (`.jsonl.zst`, `.json.gz`; lines are those of what is packed). This
page is generated by a test of `humbly-readers` from real samples; do not edit it by hand.

Rules for all formats: one generation of the agent is one turn, whatever its lines; reasoning stands apart from visible
text; a result is an error, none, or the log does not say; the final answer has an origin; a limit cut the trajectory, did
not, or the log does not say. References found in a log reach no judge.

## Humbly's own JSONL

For a harness without a log format of its own, one trajectory a line:

```json
{\"humbly\": 1, \"id\": \"run-7\", \"task_id\": \"q-12\", \"agent\": \"my-agent\", \"model\": \"my-model\", \"question\": \"When …?\",
 \"turns\": [{\"reasoning\": \"…\", \"text\": \"…\", \"calls\": [{\"name\": \"search\", \"arguments\": {\"query\": \"…\"},
                                                       \"result\": \"…\", \"is_error\": false}]},
           {\"text\": \"It was 1874.\"}],
 \"stop\": \"completed\"}
```

`stop` is `completed`, `limit`, `error`, `interrupted` or `refused`; `final_answer` may hold the answer where it is no
turn's text; `user` in a turn is a further prompt before it.

## What can be read

";

const SAMPLES: &str = "
## What the readers find in real samples

Turns (episodes in brackets), calls, results joined to a call of all results, errors true/false/unknown, stop (truncated),
origin of the final answer and its first 60 characters; `(+n)` counts the files joined to this one.

| sample | format | turns | calls | joined | errors | stop | answer from | answer, or why there is none |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
";
