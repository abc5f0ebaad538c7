//! Anthropic messages: recorded responses and the wrappers around them.

mod support;

use humbly_types::{Outcome, ReasoningOrigin, StopKind};
use support::{read_sample, read_text};

/// (file, calls, results, readable reasoning, beginning of the final answer)
const SAMPLES: &[(&str, usize, usize, usize, Option<&str>)] = &[
    ("anthropic-compaction.1.json", 0, 0, 0, Some("Based on our conversation history")),
    ("anthropic-mcp.1.json", 1, 1, 0, Some("The echo tool responded")),
    ("anthropic-refusal.json", 0, 0, 0, None),
    ("anthropic-web-fetch-tool.error.json", 1, 1, 0, Some("I'll fetch the PDF")),
    ("reasoning-tool-use-non-streaming.json", 1, 0, 1, None),
    ("redacted-thinking-non-streaming.json", 0, 0, 0, Some("42")),
    ("thinking-multi-turn-0.json", 0, 0, 1, Some("")),
    ("thinking-multi-turn-1.json", 0, 0, 1, Some("## Dividing 12,231 by 9")),
];

#[test]
fn recorded_responses_are_one_turn_each() {
    for (file, calls, results, reasoning, answer) in SAMPLES {
        let Some((outcome, read)) = read_sample(&format!("anthropic-messages/{file}")) else { return };
        assert_eq!(outcome.format, Some("anthropic-messages"), "{file}: {:?}", read.problems);
        let trajectory = &read.trajectories[0];
        let turn = trajectory.turns().next().unwrap();
        assert_eq!(trajectory.turns().count(), 1, "{file}");
        assert_eq!(
            (trajectory.calls().count(), trajectory.results().count(), turn.readable_reasoning().count()),
            (*calls, *results, *reasoning),
            "{file}"
        );
        assert_eq!(trajectory.final_answer.is_some(), answer.is_some(), "{file}");
        if let (Some(found), Some(start)) = (&trajectory.final_answer, answer) {
            assert!(found.text.starts_with(start), "{file}: {}", found.text);
        }
    }
}

#[test]
fn text_around_citations_is_one_text() {
    let Some((_, read)) = read_sample("anthropic-messages/anthropic-web-search-tool.1.json") else { return };
    let trajectory = &read.trajectories[0];
    let text = &trajectory.final_answer.as_ref().unwrap().text;
    assert!(text.contains("Let me search for more specific tech news"));
    let searches = trajectory.calls().count();
    assert_eq!(trajectory.results().count(), searches);
    assert!(trajectory.calls().all(|(_, call)| call.server_side));
    // Encrypted page content is not text.
    assert!(trajectory.results().all(|result| !result.text.contains("EuAdCioICBgC")));
    assert!(trajectory.results().next().unwrap().text.starts_with("Latest News - Apple Developer"));
    let log = r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"It rose to "},{"type":"text","text":"5 %","citations":[]},{"type":"text","text":".\n\nSo yes."}],"stop_reason":"end_turn"}"#;
    let (_, read) = read_text("a.json", log);
    assert_eq!(read.trajectories[0].final_answer.as_ref().unwrap().text, "It rose to 5 %.\n\nSo yes.");
}

#[test]
fn a_refusal_has_a_turn_and_no_answer() {
    let Some((_, read)) = read_sample("anthropic-messages/anthropic-refusal.json") else { return };
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.stop.kind, trajectory.outcome()), (StopKind::Refused, Outcome::NoFinalAnswer));
}

#[test]
fn an_error_object_in_place_of_content_is_an_error() {
    let Some((_, read)) = read_sample("anthropic-messages/anthropic-web-fetch-tool.error.json") else {
        return;
    };
    let result = read.trajectories[0].results().next().unwrap();
    assert_eq!((result.is_error, result.text.as_str()), (Some(true), "unavailable"));
}

#[test]
fn redacted_thinking_cannot_be_read() {
    let Some((_, read)) = read_sample("anthropic-messages/redacted-thinking-non-streaming.json") else {
        return;
    };
    let turn = read.trajectories[0].turns().next().unwrap();
    assert!(turn.reasoning_is_unreadable());
    assert_eq!(turn.reasoning[0].origin, ReasoningOrigin::Redacted);
}

#[test]
fn a_paused_turn_is_no_answer() {
    let log = r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"searching"},{"type":"server_tool_use","id":"s","name":"web_search","input":{}}],"stop_reason":"pause_turn"}"#;
    let (_, read) = read_text("a.json", log);
    assert!(read.trajectories[0].final_answer.is_none());
}

const RUN: &str = r#"[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"tool_use","id":"c","name":"search","input":{"q":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r","is_error":true}]},{"role":"assistant","content":"four"}]"#;

#[test]
fn a_list_a_request_and_an_exchange_are_read_alike() {
    let request =
        format!(r#"{{"model":"m","system":[{{"type":"text","text":"be brief"}}],"messages":{RUN}}}"#);
    let response = r#"{"type":"message","role":"assistant","id":"m2","model":"m","content":[{"type":"text","text":"five"}],"stop_reason":"end_turn"}"#;
    let exchange = format!(r#"{{"request":{request},"response":{response}}}"#);
    for (text, turns, answer) in [(RUN, 2, "four"), (&request, 2, "four"), (&exchange, 3, "five")] {
        let (outcome, read) = read_text("a.json", text);
        assert_eq!(outcome.format, Some("anthropic-messages"), "{text}");
        let trajectory = &read.trajectories[0];
        assert_eq!(trajectory.turns().count(), turns);
        assert_eq!(trajectory.question.as_deref(), Some("q"));
        assert_eq!(trajectory.results().next().unwrap().is_error, Some(true));
        assert_eq!(trajectory.final_answer.as_ref().unwrap().text, answer);
    }
}

#[test]
fn requests_that_repeat_the_history_are_one_run() {
    let first = r#"{"request":{"messages":[{"role":"user","content":"q"}]},"response":{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}],"stop_reason":"tool_use"}}"#;
    let second = r#"{"request":{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"}]}]},"response":{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}}"#;
    let (_, read) = read_text("a.jsonl", &format!("{first}\n{second}\n"));
    assert_eq!(read.trajectories.len(), 1);
    assert_eq!(read.trajectories[0].turns().count(), 2);
    assert!(read.trajectories[0].unanswered_calls().is_empty());
}

#[test]
fn batch_results_are_trajectories_with_their_own_ids() {
    let line = |id: &str| {
        format!(
            r#"{{"custom_id":"{id}","result":{{"type":"succeeded","message":{{"type":"message","role":"assistant","content":[{{"type":"text","text":"a"}}],"stop_reason":"end_turn"}}}}}}"#
        )
    };
    let (outcome, read) = read_text("b.jsonl", &[line("x"), line("y")].join("\n"));
    assert_eq!(outcome.format, Some("anthropic-messages"));
    assert_eq!(
        read.trajectories.iter().map(|it| it.sample_id.as_deref()).collect::<Vec<_>>(),
        [Some("x"), Some("y")]
    );
}
