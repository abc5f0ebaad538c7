//! Gemini CLI sessions and contents of the Gemini API.

mod support;

use humbly_readers::{group, read};
use humbly_types::{ErrorOrigin, StopKind, Trajectory, Truncation};
use serde_json::{Value, json};
use support::{Collected, read_sample, read_text};

fn session(lines: &[Value]) -> Trajectory {
    let header = json!({"sessionId": "s", "projectHash": "h", "kind": "main"});
    let text: Vec<String> = std::iter::once(&header).chain(lines).map(Value::to_string).collect();
    let (outcome, mut read) = read_text("session.jsonl", &text.join("\n"));
    assert_eq!((outcome.format, outcome.trajectories), (Some("gemini-cli"), 1), "{:?}", read.problems);
    read.trajectories.remove(0)
}

fn user(id: &str, text: &str) -> Value {
    json!({"id": id, "type": "user", "content": text})
}

fn gemini(id: &str, text: &str) -> Value {
    json!({"id": id, "type": "gemini", "content": text})
}

fn texts(trajectory: &Trajectory) -> Vec<&str> {
    trajectory.steps().iter().map(|step| step.visible.as_str()).collect()
}

#[test]
fn the_real_session_is_read() {
    let Some((outcome, read)) = read_sample("gemini-cli-session/session-2025-10-29T10-36-453aa339.json")
    else {
        return;
    };
    assert_eq!((outcome.format, outcome.trajectories), (Some("gemini-cli"), 1));
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().count(), 4);
    assert_eq!((trajectory.calls().count(), trajectory.results().count()), (3, 3));
    assert_eq!(trajectory.turns().map(|step| step.reasoning.len()).sum::<usize>(), 6);
    assert!(trajectory.results().all(|result| result.is_error == Some(false)));
    assert_eq!(trajectory.results().next().unwrap().text, "Hello from Gemini CLI");
    assert_eq!(trajectory.turns().filter(|step| step.visible.is_empty()).count(), 3);
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "Done.");
    assert_eq!(trajectory.model.as_deref(), Some("gemini-2.5-pro"));
    let usage = trajectory.turns().next().unwrap().usage.unwrap();
    assert_eq!((usage.input, usage.output, usage.reasoning), (Some(5367), Some(18 + 244), Some(244)));
}

#[test]
fn a_failed_and_a_cancelled_call_differ() {
    let Some((_, failed)) = read_sample("gemini-cli-session/tool-result-error.json") else { return };
    let result = failed.trajectories[0].results().next().unwrap();
    assert_eq!((result.is_error, result.error_origin), (Some(true), ErrorOrigin::Status));
    assert_eq!(result.text, "Path must be absolute: .");
    let Some((_, cancelled)) = read_sample("gemini-cli-session/tool-result-cancelled.json") else { return };
    let trajectory = &cancelled.trajectories[0];
    assert_eq!(trajectory.results().next().unwrap().is_error, None);
    assert!(trajectory.unanswered_calls().is_empty());
    assert_eq!(trajectory.stop.kind, StopKind::Interrupted);
}

#[test]
fn a_message_written_again_counts_once_with_its_last_form() {
    let trajectory = session(&[
        user("u", "q"),
        json!({"id": "a", "type": "gemini", "content": "", "toolCalls": [{"id": "t", "name": "ls", "args": {}, "status": "executing"}]}),
        json!({"id": "a", "type": "gemini", "content": "", "toolCalls": [{"id": "t", "name": "ls", "args": {}, "status": "success", "result": [{"functionResponse": {"response": {"output": "x"}}}]}]}),
        gemini("b", "partly"),
        gemini("b", "wholly"),
    ]);
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (2, 1));
    assert_eq!(trajectory.results().next().unwrap().text, "x");
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "wholly");
    assert_eq!(trajectory.turns().next_back().unwrap().at.line, 6);
}

#[test]
fn set_changes_the_session_and_its_messages_replace_all() {
    let trajectory = session(&[
        user("u", "q"),
        gemini("a", "one"),
        json!({"$set": {"lastUpdated": "2026-05-01T00:00:00Z"}}),
        json!({"$set": {"messages": [user("u", "q"), gemini("a", "uno")]}}),
        gemini("b", "two"),
    ]);
    assert_eq!(texts(&trajectory), ["q", "uno", "two"]);
    assert!(trajectory.warnings.is_empty());
}

#[test]
fn a_rewind_removes_its_target_and_what_follows() {
    let lines = [user("u", "q"), gemini("a", "one"), user("v", "no"), gemini("b", "two")];
    let rewound = |id: &str| {
        let mut lines = lines.to_vec();
        lines.extend([json!({ "$rewindTo": id }), user("w", "again"), gemini("c", "three")]);
        session(&lines)
    };
    assert_eq!(texts(&rewound("v")), ["q", "one", "again", "three"]);
    // The harness clears the session where it does not know the target.
    assert_eq!(texts(&rewound("unknown")), ["again", "three"]);
}

#[test]
fn session_context_and_notices_are_no_prompts() {
    let trajectory = session(&[
        user("c", "<session_context>\nToday is Monday.\n</session_context>"),
        json!({"id": "u", "type": "user", "content": [{"text": "which"}, {"text": "year"}]}),
        json!({"id": "i", "type": "info", "content": "Request cancelled."}),
        json!({"id": "e", "type": "error", "content": "[API Error]"}),
        gemini("a", "1931"),
        json!({"id": "x", "type": "quota", "content": ""}),
    ]);
    assert_eq!(trajectory.question.as_deref(), Some("which\nyear"));
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
    assert_eq!((trajectory.turns().count(), trajectory.stop.kind), (1, StopKind::Completed));
    assert_eq!(trajectory.warnings.len(), 3);
}

#[test]
fn a_message_that_hands_results_back_is_no_prompt() {
    let call = json!({"id": "t", "name": "ls", "args": {}, "status": "success", "result": [{"functionResponse": {"response": {"output": "x"}}}]});
    let response = json!([{"functionResponse": {"id": "t", "name": "ls", "response": {"output": "x"}}}]);
    for blank in [response, json!([]), json!(""), json!(" ")] {
        let trajectory = session(&[
            user("u1", "What is in the folder?"),
            json!({"id": "g1", "type": "gemini", "content": "", "toolCalls": [call]}),
            json!({"id": "u2", "type": "user", "content": blank}),
            gemini("g2", "A file x."),
        ]);
        let prompts = trajectory.steps().iter().filter(|step| step.is_prompt()).count();
        assert_eq!(prompts, 1, "{blank}");
    }
    let picture = session(&[
        user("u1", "Look."),
        gemini("g1", "At what?"),
        json!({"id": "u2", "type": "user", "content": [{"inlineData": {"mimeType": "image/png"}}]}),
    ]);
    assert_eq!(picture.steps().iter().filter(|step| step.is_prompt()).count(), 2);
}

#[test]
fn an_error_at_the_end_is_the_ending() {
    let trajectory = session(&[
        user("u", "q"),
        json!({"id": "a", "type": "gemini", "content": "", "toolCalls": [{"id": "t", "name": "ls", "args": {}, "status": "executing"}]}),
        json!({"id": "e", "type": "error", "content": "[API Error]"}),
    ]);
    assert_eq!((trajectory.stop.kind, trajectory.truncated), (StopKind::Error, Truncation::Unknown));
    assert_eq!(trajectory.unanswered_calls().len(), 1);
    assert!(trajectory.final_answer.is_none());
}

#[test]
fn a_user_turn_after_a_cancelled_call_goes_on() {
    let call = json!([{"id": "t", "name": "ls", "args": {}, "status": "cancelled", "result": []}]);
    let trajectory = session(&[
        user("u", "q"),
        json!({"id": "a", "type": "gemini", "content": "", "toolCalls": call}),
        user("v", "then without"),
        gemini("b", "done"),
    ]);
    assert_eq!(trajectory.results().next().unwrap().is_error, None);
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "done");
    assert_eq!(trajectory.stop.kind, StopKind::Completed);
}

#[test]
fn masked_output_and_thought_parts_are_marked() {
    let output = "head <tool_output_masked> tail";
    let result = json!([{"functionResponse": {"response": {"output": output}}}, {"inlineData": {}}]);
    let trajectory = session(&[
        user("u", "q"),
        json!({"id": "a", "type": "gemini", "content": [{"text": "hm", "thought": true}, {"text": "A"}, {"text": "B"}], "toolCalls": [{"id": "t", "name": "ls", "args": {}, "status": "success", "result": result}]}),
    ]);
    let found = trajectory.results().next().unwrap();
    assert_eq!((found.truncated, found.images), (true, 1));
    let turn = trajectory.turns().next().unwrap();
    assert_eq!((turn.visible.as_str(), turn.reasoning[0].text.as_str()), ("AB", "hm"));
}

#[test]
fn files_of_subagents_are_children() {
    let folder = tempfile::tempdir().unwrap();
    let chats = folder.path().join("chats");
    let inner = chats.join("453aa339-7d2b");
    std::fs::create_dir_all(&inner).unwrap();
    let write = |path: &std::path::Path, id: &str, text: &str| {
        let lines = [json!({"sessionId": id, "projectHash": "h"}), user("u", "q"), gemini("a", text)];
        std::fs::write(path, lines.map(|line| line.to_string()).join("\n")).unwrap();
    };
    let main = chats.join("session-2026-05-01T10-00-453aa339.jsonl");
    write(&main, "453aa339-7d2b", "main");
    write(&inner.join("sub1.jsonl"), "sub1", "child");
    let units = group(vec![inner.join("sub1.jsonl"), main.clone()]);
    assert_eq!((units.len(), units[0].main.clone()), (1, main));
    let mut collected = Collected::default();
    read(&units[0], None, &mut collected);
    let trajectory = &collected.trajectories[0];
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "main");
    assert_eq!(trajectory.children[0].final_answer.as_ref().unwrap().text, "child");
}

#[test]
fn contents_of_the_api_are_read() {
    let record = json!({"contents": [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [{"text": "hm", "thought": true}, {"functionCall": {"name": "s", "args": {"q": 1}}}, {"functionCall": {"name": "t", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "t", "response": {"output": "two"}}}, {"functionResponse": {"name": "s", "response": {"output": "one"}}}]}],
        "candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]}, "finishReason": "STOP"}]});
    let (outcome, read) = read_text("c.json", &record.to_string());
    assert_eq!((outcome.format, outcome.trajectories), (Some("gemini-contents"), 1));
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (2, 2));
    assert!(trajectory.unanswered_calls().is_empty());
    for (result, (_, call)) in trajectory.results().zip([1, 0].map(|at| trajectory.calls().nth(at).unwrap()))
    {
        assert_eq!(result.call_id.as_ref(), Some(&call.id));
    }
    assert_eq!((trajectory.truncated, trajectory.stop.raw.as_deref()), (Truncation::No, Some("STOP")));
}
