//! Humbly's own JSONL.

mod support;

use humbly_types::{Outcome, Truncation};
use support::read_text;

#[test]
fn a_record_is_a_trajectory() {
    let (outcome, read) = read_text(
        "own.jsonl",
        concat!(
            r#"{"humbly":1,"id":"a","question":"q","turns":[{"reasoning":"r","calls":[{"name":"search","arguments":{"q":1},"result":"x"}]},{"text":"four"}]}"#,
            "\n",
            r#"{"humbly":1,"id":"b","question":"q","turns":[{"text":"looking","calls":[{"name":"search"}]}],"stop":"limit"}"#,
            "\n{\"humbly\":1,\"id\":"
        ),
    );
    assert_eq!(outcome.format, Some("humbly"));
    assert_eq!(read.trajectories[0].final_answer.as_ref().unwrap().text, "four");
    assert_eq!(read.trajectories[0].intermediate_turns().count(), 1);
    assert_eq!(read.trajectories[1].truncated, Truncation::Yes);
    assert_eq!(read.trajectories[1].outcome(), Outcome::CutByLimit);
    assert_eq!(read.problems[0].line, Some(3));
    assert!(read.problems[0].message.contains("cut off"), "{:?}", read.problems);
}

#[test]
fn an_unknown_text_is_not_recognised() {
    let (outcome, read) = read_text("notes.txt", "shopping list: milk");
    assert_eq!(outcome.format, None);
    assert!(read.problems[0].hint.as_ref().unwrap().contains("humbly formats"));
}
