//! ToolOrchestra question files.

mod support;

use humbly_types::{AnswerOrigin, Outcome, StopKind, Trajectory, Truncation};
use serde_json::{Value, json};
use support::{read_sample, read_text};

fn one(record: &Value) -> Trajectory {
    let (outcome, mut read) = read_text("q.json", &record.to_string());
    assert_eq!((outcome.format, outcome.trajectories), (Some("toolorchestra"), 1), "{:?}", read.problems);
    read.trajectories.remove(0)
}

#[test]
fn the_answered_sample_is_read() {
    let Some((_, read)) = read_sample("toolorchestra/generated_run_single_ex-0001.json") else { return };
    let trajectory = &read.trajectories[0];
    // Four rounds are recorded; round 2 held an invalid call and left only a string.
    assert_eq!(trajectory.turns().count(), 4);
    let ids: Vec<_> = trajectory.turns().filter_map(|step| step.generation_id.as_deref()).collect();
    assert_eq!(ids, ["turn_0", "turn_1", "turn_3", "turn_4"]);
    // EXPECTED counts five entries in `all_tool_calls`: one is that string, four calls ran. The message of
    // round 1 lists a second call that never ran: a warning, no call.
    assert_eq!((trajectory.calls().count(), trajectory.results().count()), (4, 4));
    assert_eq!(trajectory.warnings.iter().map(|warning| warning.count).sum::<u64>(), 2);
    assert!(trajectory.unanswered_calls().is_empty());
    let answer = trajectory.final_answer.as_ref().unwrap();
    assert_eq!(answer.text, "<answer>\n1931\n</answer>");
    assert_eq!((answer.origin, answer.turn), (AnswerOrigin::FinishTool, Some(3)));
    assert_eq!(trajectory.references.for_correctness(), ["1931"]);
    assert_eq!(trajectory.question.as_deref(), Some("In what year did the bridge open?"));
    let turn = trajectory.turns().nth(1).unwrap();
    assert!(turn.reasoning[0].text.starts_with("Documents disagree"));
}

#[test]
fn the_query_and_the_code_are_the_effective_arguments() {
    let Some((_, read)) = read_sample("toolorchestra/generated_run_single_ex-0001.json") else { return };
    let calls: Vec<_> = read.trajectories[0].calls().map(|(_, call)| call).collect();
    assert_eq!(calls[0].arguments, r#"{"model":"search-1"}"#);
    let effective: Vec<_> = calls.iter().map(|call| call.effective_arguments.as_deref()).collect();
    assert_eq!(effective[..2], [Some("bridge opening year archive"); 2]);
    assert_eq!(effective[2..], [Some("\nprint(1931, 1932)\n"), None]);
}

#[test]
fn the_sample_without_an_answer_was_cut() {
    let Some((_, read)) = read_sample("toolorchestra/generated_run_single_ex-0002_truncated.json") else {
        return;
    };
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (2, 2));
    assert_eq!((trajectory.truncated, trajectory.stop.kind), (Truncation::Yes, StopKind::Limit));
    assert_eq!(trajectory.outcome(), Outcome::CutByLimit);
    assert_eq!(trajectory.references.for_correctness(), ["1931"], "the reference is no prediction");
}

fn record(turns: &[(u64, &str, Value)]) -> Value {
    let mut messages = serde_json::Map::new();
    let mut responses = serde_json::Map::new();
    for (number, tool, response) in turns {
        let call = json!({"tool_name": tool, "tool_arguments": {"model": "m"}});
        messages.insert(format!("turn_{number}_message"), json!({"content": "", "tool_calls": [call]}));
        let mut response = response.clone();
        response["tool"] = json!(tool);
        responses.insert(format!("turn_{number}_response"), json!([response]));
    }
    json!({"id": 7, "problem": "q", "answer": "GOLD", "correct": true, "all_tool_calls": [],
        "all_message_responses": messages, "all_tool_responses": responses})
}

#[test]
fn the_reference_never_enters_a_step() {
    let leaks = json!({"answer": "GOLD", "correctness": true, "query": "x", "search_results_data": ["found"], "vllm_model_configs": {"ip": "10.0.0.1"}, "context_str": "GOLD"});
    let last = json!({"answer": "GOLD", "pred": "silver", "response": "<think>a</think>", "correctness": false, "messages": "GOLD"});
    let trajectory = one(&record(&[(0, "search", leaks), (1, "answer", last)]));
    let steps = format!("{:?}", trajectory.steps());
    assert!(!steps.contains("GOLD") && !steps.contains("correctness") && !steps.contains("10.0.0.1"));
    // A response that only thinks leaves the extracted prediction.
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "silver");
    assert_eq!(trajectory.references.for_correctness(), ["GOLD"]);
}

#[test]
fn rounds_are_sorted_by_number() {
    let search = |query: &str| json!({"query": query, "search_results_data": []});
    let turns = [(10, "search", search("c")), (9, "search", search("b")), (2, "search", search("a"))];
    let trajectory = one(&record(&turns));
    let order: Vec<_> =
        trajectory.calls().map(|(_, call)| call.effective_arguments.clone().unwrap()).collect();
    assert_eq!(order, ["a", "b", "c"]);
    assert!(trajectory.results().all(|result| result.is_error.is_none()), "an empty result does not say why");
}
