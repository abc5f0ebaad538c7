//! Responses objects and items.

mod support;

use humbly_types::{Outcome, ReasoningOrigin, StopKind, Truncation};
use support::{read_sample, read_text};

#[test]
fn a_run_inside_one_response_is_several_turns() {
    let Some((outcome, read)) = read_sample("openai-responses/openai-mcp-tool.1.json") else { return };
    assert_eq!(outcome.format, Some("openai-responses"));
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().count(), 2);
    assert_eq!((trajectory.calls().count(), trajectory.results().count()), (1, 1));
    assert!(trajectory.calls().all(|(_, call)| call.server_side && call.name == "dmcp.web_search_exa"));
    assert_eq!(trajectory.results().next().unwrap().is_error, Some(false));
    // Reasoning without a summary is there and cannot be read.
    assert!(trajectory.turns().all(humbly_types::Step::reasoning_is_unreadable));
    assert!(trajectory.final_answer.as_ref().unwrap().text.starts_with("Yes — the latest results"));
    assert_eq!(trajectory.usage.reasoning, Some(704));
}

#[test]
fn a_summary_beside_encrypted_reasoning_is_read() {
    let Some((_, read)) = read_sample("openai-responses/openai-reasoning-encrypted-content.1.json") else {
        return;
    };
    let turn = read.trajectories[0].turns().next().unwrap();
    assert_eq!(turn.reasoning[0].origin, ReasoningOrigin::Summary);
    assert!(turn.reasoning[0].text.starts_with("**Reporting final result**"));
    assert!(read.trajectories[0].final_answer.as_ref().unwrap().text.ends_with("Final result: 570"));
}

#[test]
fn a_response_that_ends_with_a_call_is_unfinished() {
    let Some((_, read)) = read_sample("openai-responses/openai-custom-tool.1.json") else { return };
    let trajectory = &read.trajectories[0];
    let (_, call) = trajectory.calls().next().unwrap();
    assert_eq!(
        (call.id.as_str(), call.name.as_str(), call.arguments.as_str()),
        ("call_custom_sql_001", "write_sql", "SELECT * FROM users WHERE age > 25")
    );
    assert_eq!(trajectory.outcome(), Outcome::Unfinished);
}

#[test]
fn a_compaction_item_is_neither_said_nor_done() {
    let Some((_, read)) = read_sample("openai-responses/openai-compaction.1.json") else { return };
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().count(), 1);
    assert!(trajectory.warnings.is_empty());
    assert!(trajectory.final_answer.as_ref().unwrap().text.starts_with("### Testing strategies"));
}

#[test]
fn encrypted_reasoning_is_marked() {
    let log = r#"{"object":"response","id":"r","status":"completed","output":[{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"x"},{"type":"web_search_call","id":"ws","action":{"type":"search","query":"q"}},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}"#;
    let (_, read) = read_text("r.json", log);
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().next().unwrap().reasoning[0].origin, ReasoningOrigin::Encrypted);
    // A server tool carries no result and leaves nothing open.
    assert_eq!((trajectory.turns().count(), trajectory.results().count()), (2, 0));
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "a");
}

#[test]
fn items_join_results_by_call_id_and_not_by_id() {
    let log = r#"[{"role":"user","content":"q"},{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{\"a\":1}"},{"type":"function_call","id":"fc_2","call_id":"call_2","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":"one"},{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"two"}]},{"type":"function_call","call_id":"call_3","name":"g","arguments":"{}"},{"type":"function_call_output","call_id":"call_3","output":"three"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]"#;
    let (outcome, read) = read_text("items.json", log);
    assert_eq!(outcome.format, Some("openai-responses"));
    let trajectory = &read.trajectories[0];
    assert_eq!(
        (trajectory.turns().count(), trajectory.calls().count(), trajectory.results().count()),
        (3, 3, 3)
    );
    assert!(trajectory.unanswered_calls().is_empty());
    assert_eq!(trajectory.question.as_deref(), Some("q"));
    assert_eq!(trajectory.results().nth(1).unwrap().text, "two");
}

#[test]
fn a_limit_a_filter_and_a_refusal_are_told_apart() {
    let response = |rest: &str, content: &str| {
        format!(
            r#"{{"object":"response","id":"r",{rest},"output":[{{"type":"message","role":"assistant","content":[{content}]}}]}}"#
        )
    };
    let text = r#"{"type":"output_text","text":"a"}"#;
    let read = |log: String| read_text("r.json", &log).1.trajectories.remove(0);
    let cut =
        read(response(r#""status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}"#, text));
    assert_eq!(cut.truncated, Truncation::Yes);
    let filtered =
        read(response(r#""status":"incomplete","incomplete_details":{"reason":"content_filter"}"#, text));
    assert_eq!(filtered.stop.kind, StopKind::Refused);
    let refused = read(response(r#""status":"completed""#, r#"{"type":"refusal","refusal":"I cannot"}"#));
    assert_eq!(refused.stop.kind, StopKind::Refused);
    assert_eq!(refused.final_answer.unwrap().text, "I cannot");
}

#[test]
fn responses_that_name_each_other_are_one_run() {
    let line = |id: &str, previous: &str, input: &str, output: &str| {
        format!(
            r#"{{"request":{{"input":{input}}},"response":{{"object":"response","id":"{id}","previous_response_id":{previous},"status":"completed","output":[{output}]}}}}"#
        )
    };
    let call = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#;
    let answer = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}"#;
    let result = r#"[{"type":"function_call_output","call_id":"c","output":"r"}]"#;
    let log = [
        line("r1", "null", r#""q""#, call),
        line("r2", r#""r1""#, result, answer),
        line("r3", "null", r#""q2""#, answer),
    ]
    .join("\n");
    let (_, read) = read_text("log.jsonl", &log);
    assert_eq!(read.trajectories.iter().map(|it| it.turns().count()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(read.trajectories[0].question.as_deref(), Some("q"));
}
