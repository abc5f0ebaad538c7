//! `OpenHands` SDK events: the real excerpt, a conversation folder, and the traps.

mod support;

use std::fs;

use humbly_readers::{group, read};
use humbly_types::{AnswerOrigin, Outcome, ReasoningOrigin, StopKind, Trajectory, Truncation};
use serde_json::{Value, json};
use support::{Collected, read_sample, read_text};

fn lines(events: &[Value]) -> String {
    events.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

fn read_one(events: &[Value]) -> Trajectory {
    let (outcome, mut read) = read_text("events.jsonl", &lines(events));
    assert_eq!(outcome.format, Some("openhands-sdk"), "{:?}", read.problems);
    assert_eq!(read.problems, []);
    read.trajectories.remove(0)
}

fn prompt() -> Value {
    json!({"id": "u", "kind": "MessageEvent", "source": "user",
        "llm_message": {"role": "user", "content": [{"type": "text", "text": "q"}]}})
}

fn action(id: &str, generation: &str, name: &str, arguments: &Value) -> Value {
    json!({"id": id, "kind": "ActionEvent", "source": "agent", "llm_response_id": generation,
        "thought": [{"type": "text", "text": "<think>Two sources.</think>I look."}],
        "reasoning_content": "Two sources.", "tool_name": name, "tool_call_id": format!("call-{id}"),
        "tool_call": {"id": format!("call-{id}"), "name": name, "arguments": arguments.to_string()}, "action": {}})
}

fn observation(id: &str, body: &Value) -> Value {
    json!({"id": format!("o{id}"), "kind": "ObservationEvent", "tool_call_id": format!("call-{id}"),
        "tool_name": "terminal", "observation": body})
}

/// EXPECTED: 2 actions of 2 generations, 3 observations, think text twice. One observation answers an action
/// that is not in the file.
#[test]
fn the_real_excerpt_has_the_expected_counts() {
    let Some((outcome, read)) = read_sample("openhands-sdk-events/events.jsonl") else { return };
    assert_eq!(outcome.format, Some("openhands-sdk"));
    let one = &read.trajectories[0];
    assert_eq!((one.turns().count(), one.calls().count(), one.results().count()), (2, 2, 3));
    let first = one.turns().next().unwrap();
    assert_eq!(first.reasoning.len(), 1, "the think block and the field hold the same text");
    assert!(first.visible.starts_with("I'll help you review PR #3745"));
    let errors: Vec<_> = one.results().map(|result| result.is_error).collect();
    // The last tool call ran; its command ended with exit code 1.
    assert_eq!(errors, [Some(true), Some(true), Some(true)]);
    assert_eq!(one.model.as_deref(), Some("litellm_proxy/minimax-m2.7"));
    assert_eq!(one.usage.output, Some(1347), "counts are cumulative");
    assert_eq!(one.outcome(), Outcome::Unfinished);
    assert_eq!(one.warnings[0].message, "a result of a call that the log does not hold");
}

#[test]
fn a_base_state_alone_is_a_problem() {
    let Some((_, read)) = read_sample("openhands-sdk-events/base_state.json") else { return };
    assert!(read.trajectories.is_empty());
    assert!(read.problems[0].message.contains("without its events"), "{:?}", read.problems);
}

#[test]
fn parallel_calls_share_a_turn_and_finish_gives_the_answer() {
    let one = read_one(&[
        prompt(),
        action("a", "g1", "terminal", &json!({"command": "ls"})),
        action("b", "g1", "terminal", &json!({"command": "pwd"})),
        observation("a", &json!({"content": [{"type": "text", "text": "x"}], "is_error": false})),
        json!({"id": "e", "kind": "AgentErrorEvent", "tool_call_id": "call-b", "tool_name": "terminal", "error": "bad"}),
        action("f", "g2", "finish", &json!({"message": "They disagree."})),
        json!({"id": "s", "kind": "ConversationStateUpdateEvent", "key": "execution_status", "value": "finished"}),
    ]);
    assert_eq!((one.turns().count(), one.calls().count()), (2, 3));
    let errors: Vec<_> = one.results().map(|result| result.is_error).collect();
    assert_eq!(errors, [Some(false), Some(true)]);
    let answer = one.final_answer.as_ref().unwrap();
    assert_eq!((answer.text.as_str(), answer.origin), ("They disagree.", AnswerOrigin::FinishTool));
    assert_eq!((one.stop.kind, one.truncated), (StopKind::Completed, Truncation::No));
}

#[test]
fn an_unexecutable_call_is_a_call() {
    let mut broken = action("a", "g1", "nonsense", &json!({}));
    broken["action"] = json!(null);
    broken["tool_call"]["arguments"] = json!("{\"cut\": ");
    let one = read_one(&[prompt(), broken]);
    let call = one.calls().next().unwrap().1;
    assert_eq!((call.arguments.as_str(), call.canonical_arguments()), ("{\"cut\": ", None));
}

#[test]
fn an_iteration_limit_is_truncated() {
    let one = read_one(&[
        prompt(),
        action("a", "g1", "terminal", &json!({})),
        json!({"id": "c", "kind": "ConversationErrorEvent", "code": "MaxIterationsReached", "detail": "500"}),
        json!({"id": "d", "kind": "Condensation", "forgotten_event_ids": ["a"], "summary": "so far"}),
    ]);
    assert_eq!(one.outcome(), Outcome::CutByLimit);
    assert_eq!(one.turns().count(), 1, "condensed events stay in the store");
    assert!(!serde_json::to_string(one.steps()).unwrap().contains("so far"));
}

#[test]
fn a_branch_that_was_left_is_no_part_of_the_trajectory() {
    let placed = |mut event: Value, parent: &str| {
        event["parent_id"] = json!(parent);
        event
    };
    let one = read_one(&[
        placed(prompt(), "__root__"),
        placed(action("a", "g1", "terminal", &json!({"command": "ls"})), "u"),
        placed(action("b", "g2", "finish", &json!({"message": "Left."})), "a"),
        placed(action("c", "g3", "finish", &json!({"message": "Kept."})), "u"),
    ]);
    assert_eq!((one.turns().count(), one.calls().count()), (1, 1));
    assert_eq!(one.final_answer.as_ref().unwrap().text, "Kept.");
    assert_eq!(one.warnings[0].count, 2, "{:?}", one.warnings);
}

#[test]
fn a_rejected_call_failed() {
    let one = read_one(&[
        prompt(),
        action("a", "g1", "terminal", &json!({"command": "rm"})),
        json!({"id": "r", "kind": "UserRejectObservation", "tool_call_id": "call-a", "tool_name": "terminal",
               "rejection_reason": "not here"}),
    ]);
    let result = one.results().next().unwrap();
    assert_eq!((result.text.as_str(), result.is_error), ("not here", Some(true)));
}

#[test]
fn encrypted_reasoning_is_marked() {
    let mut event = action("a", "g1", "terminal", &json!({}));
    event["thought"] = json!([]);
    event["reasoning_content"] = json!(null);
    event["responses_reasoning_item"] = json!({"summary": [], "encrypted_content": "gAAAA"});
    event["thinking_blocks"] = json!([{"type": "redacted_thinking", "data": "xx"}]);
    let one = read_one(&[prompt(), event]);
    let origins: Vec<_> = one.turns().next().unwrap().reasoning.iter().map(|part| part.origin).collect();
    assert_eq!(origins, [ReasoningOrigin::Redacted, ReasoningOrigin::Encrypted]);
}

#[test]
fn a_conversation_folder_is_one_unit_in_the_order_of_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("talk/events");
    fs::create_dir_all(&events).unwrap();
    let state = json!({"id": "conv", "agent": {"llm": {"model": "m"}}, "execution_status": "finished"});
    fs::write(folder.path().join("talk/base_state.json"), state.to_string()).unwrap();
    for (number, event) in [
        ("00002", prompt()),
        ("99999", action("a", "g1", "terminal", &json!({}))),
        ("100000", observation("a", &json!({"content": "x"}))),
        ("100001", action("f", "g2", "finish", &json!({"message": "Done."}))),
    ] {
        fs::write(events.join(format!("event-{number}-ab-cd.json")), event.to_string()).unwrap();
    }
    let mut files: Vec<_> = fs::read_dir(&events).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.push(folder.path().join("talk/base_state.json"));
    let units = group(files);
    assert_eq!(units.len(), 1);
    assert_eq!(units[0].companions.len(), 4);
    let mut collected = Collected::default();
    assert_eq!(read(&units[0], None, &mut collected).format, Some("openhands-sdk"));
    let one = &collected.trajectories[0];
    assert_eq!(one.id, "talk/base_state");
    assert_eq!(one.final_answer.as_ref().unwrap().text, "Done.");
    assert!(one.unanswered_calls().iter().all(|call| call.name == "finish"));
    assert!(one.turns().next().unwrap().at.file.ends_with("event-99999-ab-cd.json"));
}
