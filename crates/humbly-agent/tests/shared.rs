//! Search-R1's own example corpus in the index, and the tool over it.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "a test fails by panicking and says why it is skipped"
)]

use std::path::PathBuf;
use std::sync::Arc;

use humbly_agent::Tool;
use humbly_agent::index::{Hit, SearchIndex};
use humbly_agent::tools::SearchTool;
use serde_json::json;

/// The corpus; `None` where the reference material is not there and need not be.
fn corpus() -> Option<PathBuf> {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/dpr-wikipedia/corpus.jsonl");
    if path.is_file() {
        return Some(path);
    }
    assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{} is missing", path.display());
    eprintln!("skipped: {} is missing", path.display());
    None
}

#[test]
fn the_example_corpus_is_read_whole_and_titles_find_their_documents() {
    let Some(path) = corpus() else { return };
    let (index, report) = SearchIndex::from_corpus(&path).unwrap();
    assert_eq!((report.unusable, index.len()), (0, report.documents));
    let text = std::fs::read_to_string(&path).unwrap();
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len() as u64, report.documents);
    let title = |contents: &str| contents.lines().next().unwrap_or_default().to_owned();
    let sample: Vec<String> = rows.iter().map(|row| title(row["contents"].as_str().unwrap())).collect();
    let found = sample
        .iter()
        .filter(|wanted| {
            let hits = index.search(wanted, 10).unwrap();
            let is_in_order = |pair: &[Hit]| {
                let by_score = pair[1].score.total_cmp(&pair[0].score);
                by_score.then_with(|| pair[0].document.id.cmp(&pair[1].document.id)).is_lt()
            };
            assert!(hits.windows(2).all(is_in_order));
            hits.iter().any(|hit| title(&hit.document.contents) == **wanted)
        })
        .count();
    assert!(found * 10 >= sample.len() * 9, "{found} of {} titles found", sample.len());
}

#[test]
fn the_tool_shows_documents_of_the_corpus() {
    let Some(path) = corpus() else { return };
    let (index, _) = SearchIndex::from_corpus(&path).unwrap();
    let tool = SearchTool::new(Arc::new(index), 3);
    let arguments = json!({"query": "lobbyist for Genentech and Roche"});
    let output = futures::executor::block_on(tool.call(arguments.as_object().unwrap())).unwrap();
    assert!(
        output.text.starts_with("Doc 1(Title: \"Evan Morris\") Evan Morris Evan L. Morris"),
        "{}",
        output.text
    );
}
