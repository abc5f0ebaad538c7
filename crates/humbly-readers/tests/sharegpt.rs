//! `ShareGPT` conversations.

#![expect(clippy::unwrap_used, reason = "what a log lacks fails its test")]

mod support;

use humbly_types::Trajectory;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::read_text;

fn read(name: &str, text: &str) -> Vec<Trajectory> {
    let (outcome, read) = read_text(name, text);
    assert_eq!(outcome.format, Some("sharegpt"));
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    read.trajectories
}

fn bridge() -> Value {
    json!({
        "id": "bridge-1",
        "system": "Answer with sources.",
        "tools": "[{\"name\": \"search\"}]",
        "conversations": [
            {"from": "human", "value": "In what year did the bridge open?"},
            {"from": "gpt", "value": "<think>I recall 1930.</think>I will check."},
            {"from": "function_call", "value": "{\"name\": \"search\", \"arguments\": {\"query\": \"bridge\"}}"},
            {"from": "observation", "value": "Source A: 1931. Source B: 1932."},
            {"from": "gpt", "value": "The sources disagree: A says 1931, B says 1932."},
        ],
    })
}

fn check_bridge(trajectory: &Trajectory) {
    let turns: Vec<_> = trajectory.turns().collect();
    assert_eq!(turns.len(), 2);
    assert_eq!((turns[0].visible.as_str(), turns[0].calls.len()), ("I will check.", 1));
    assert_eq!(turns[0].reasoning[0].text, "I recall 1930.");
    let (_, call) = trajectory.calls().next().unwrap();
    assert_eq!((call.name.as_str(), call.arguments.as_str()), ("search", "{\"query\":\"bridge\"}"));
    let result = trajectory.results().next().unwrap();
    assert_eq!((result.text.as_str(), result.is_error), ("Source A: 1931. Source B: 1932.", None));
    assert!(trajectory.unanswered_calls().is_empty());
    assert_eq!(trajectory.sample_id.as_deref(), Some("bridge-1"));
    assert_eq!(
        trajectory.final_answer.as_ref().unwrap().text,
        "The sources disagree: A says 1931, B says 1932."
    );
}

#[test]
fn a_call_of_its_own_belongs_to_the_turn_before() {
    let read = read("a.json", &json!([bridge()]).to_string());
    assert_eq!(read.len(), 1);
    check_bridge(&read[0]);
}

#[test]
fn a_record_a_line_cites_its_line() {
    let read = read("a.jsonl", &format!("{}\n{}\n", bridge(), bridge()));
    assert_eq!(read.len(), 2);
    read.iter().for_each(check_bridge);
    assert_eq!(read[1].turns().next().unwrap().at.line, 2);
    assert_ne!(read[0].id, read[1].id);
}

#[test]
fn several_calls_at_once_are_one_turn() {
    let record = json!({"conversations": [
        {"from": "human", "value": "q"},
        {"from": "function_call", "value": "[{\"name\": \"a\", \"arguments\": {}}, {\"name\": \"b\", \"arguments\": {}}]"},
        {"from": "observation", "value": "1"},
        {"from": "observation", "value": "2"},
        {"from": "gpt", "value": "3"},
    ]});
    let read = read("a.json", &record.to_string());
    assert_eq!((read[0].turns().count(), read[0].calls().count()), (2, 2));
    assert!(read[0].unanswered_calls().is_empty());
}

#[test]
fn calls_and_results_between_tags_are_calls_and_results() {
    let record = json!({"conversations": [
        {"from": "system", "value": "You call functions."},
        {"from": "human", "value": "q"},
        {"from": "gpt", "value": "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": 1}}\n</tool_call>"},
        {"from": "tool", "value": "<tool_response>\n7\n</tool_response>"},
        {"from": "gpt", "value": "It is 7."},
    ]});
    let read = read("a.json", &record.to_string());
    assert_eq!((read[0].calls().count(), read[0].turns().count()), (1, 2));
    assert_eq!(read[0].results().next().unwrap().text, "7");
}

#[test]
fn a_call_that_is_no_json_stays_text() {
    let record = json!({"conversations": [
        {"from": "human", "value": "q"},
        {"from": "function_call", "value": "search(bridge)"},
    ]});
    let read = read("a.json", &record.to_string());
    assert_eq!(
        (read[0].calls().count(), read[0].final_answer.as_ref().unwrap().text.as_str()),
        (0, "search(bridge)")
    );
}

#[test]
fn a_record_without_a_conversation_is_a_problem() {
    let text = format!("{}\n{{\"id\": 2}}\n", bridge());
    let (outcome, read) = read_text("a.jsonl", &text);
    assert_eq!((outcome.format, read.trajectories.len()), (Some("sharegpt"), 1));
    assert_eq!(read.problems[0].line, Some(2));
}

proptest! {
    #[test]
    fn any_conversation_is_read_without_a_panic(
        turns in proptest::collection::vec(
            ("human|gpt|function_call|observation|tool|system|x", r#"\{"name": "f"\}|\[\]|<tool_call>|<tool_response>a|.{0,8}"#), 1..8)
    ) {
        let turns: Vec<_> = turns.iter().map(|(from, value)| json!({"from": from, "value": value})).collect();
        let (_, read) = read_text("a.json", &json!({"conversations": turns}).to_string());
        for trajectory in read.trajectories {
            trajectory.unanswered_calls();
            trajectory.outcome();
        }
    }
}
