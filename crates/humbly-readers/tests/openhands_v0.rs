//! `OpenHands` V0: a real record of `output.jsonl`, real event lists, and the traps.

mod support;

use humbly_types::{AnswerOrigin, Outcome, ReasoningOrigin, StopKind, Trajectory, Truncation};
use serde_json::{Value, json};
use support::{read_sample, read_text};

fn read_one(events: &Value) -> Trajectory {
    let (outcome, mut read) = read_text("run.json", &events.to_string());
    assert_eq!(outcome.format, Some("openhands-v0"), "{:?}", read.problems);
    assert_eq!(read.problems, []);
    read.trajectories.remove(0)
}

fn prompt() -> Value {
    json!({"id": 0, "source": "user", "action": "message", "message": "q", "args": {"content": "q"}})
}

/// An action of a generation, with its call.
fn run(id: u64, generation: &str, call: &str, command: &str) -> Value {
    json!({"id": id, "source": "agent", "message": "Running command: x", "action": "run",
        "args": {"command": command, "thought": "I look."},
        "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": call, "total_calls_in_response": 1,
            "model_response": {"id": generation, "model": "m", "choices": [{"message": {"content": "I look.",
                "tool_calls": [{"id": call, "function": {"name": "execute_bash",
                    "arguments": json!({"command": command}).to_string()}}]}}]}}})
}

fn output(cause: u64, exit_code: i64) -> Value {
    json!({"id": cause + 100, "source": "agent", "message": "done", "cause": cause, "observation": "run",
        "content": "out", "extras": {"metadata": {"exit_code": exit_code}}})
}

fn finish(args: &Value) -> Value {
    json!({"id": 50, "source": "agent", "message": "All done! What's next?", "action": "finish", "args": args})
}

/// EXPECTED: 49 events, 23 generations (each carried by action and observation), 13 + 6 + 2 tool actions, one
/// think, one finish. A think is reasoning, so 22 calls remain; the finish has no observation.
#[test]
fn a_real_record_has_the_expected_counts() {
    let Some((outcome, read)) = read_sample("openhands-v0-output-jsonl/output_line1.jsonl") else { return };
    assert_eq!(outcome.format, Some("openhands-v0"));
    assert_eq!(read.problems, []);
    let [only] = read.trajectories.as_slice() else { panic!("{}", read.trajectories.len()) };
    assert_eq!(only.turns().count(), 23);
    assert_eq!(only.calls().count(), 22);
    assert_eq!(only.results().count(), 21);
    let names = |name: &str| only.calls().filter(|(_, call)| call.name == name).count();
    assert_eq!((names("execute_bash"), names("str_replace_editor"), names("finish")), (13, 8, 1));
    let thoughts = only.turns().flat_map(|turn| &turn.reasoning);
    assert_eq!(thoughts.filter(|part| part.origin == ReasoningOrigin::ThinkTool).count(), 1);
    assert_eq!(only.sample_id.as_deref(), Some("ponylang__ponyc-4595"));
    assert_eq!(only.agent.as_deref(), Some("CodeActAgent"));
    assert_eq!((only.stop.kind, only.outcome()), (StopKind::Completed, Outcome::Answered));
    let answer = only.final_answer.as_ref().unwrap();
    assert_eq!((answer.origin, answer.turn), (AnswerOrigin::FinishTool, Some(22)));
    assert!(answer.text.starts_with("The issue with the `ponyc` compiler segfaulting"), "{}", answer.text);
    assert!(answer.text.ends_with("so the fix could not be verified."), "{}", answer.text);
    // The text beside the finish call is another and stays readable.
    assert!(only.final_step().unwrap().visible.starts_with("The task involves verifying"));
    assert_eq!(only.usage.input, Some(565_158));
    assert_eq!(only.steps().iter().filter(|step| step.is_prompt()).count(), 1, "recall is no prompt");
    assert!(only.results().any(|result| result.is_error == Some(true)));
}

#[test]
fn event_lists_are_read() {
    let Some((outcome, read)) = read_sample("openhands-v0-trajectory/wrong_initial_state.json") else {
        return;
    };
    assert_eq!(outcome.format, Some("openhands-v0"));
    let one = &read.trajectories[0];
    assert_eq!((one.turns().count(), one.calls().count(), one.results().count()), (4, 4, 3));
    // The finish call has no argument: the turn's own text is the answer.
    let answer = one.final_answer.as_ref().unwrap();
    assert!(answer.text.starts_with("The file has been successfully renamed"), "{}", answer.text);
    assert_eq!(answer.origin, AnswerOrigin::FinishTool);

    // Message turns without a generation are turns; the finish says nothing but a line of the harness.
    let (_, read) = read_sample("openhands-v0-trajectory/basic_interactions.json").unwrap();
    let one = &read.trajectories[0];
    assert_eq!(one.turns().count(), 3);
    assert_eq!(one.steps().iter().filter(|step| step.is_prompt()).count(), 3);
    assert_eq!(one.final_answer, None);
    assert_eq!(one.outcome(), Outcome::NoFinalAnswer);
    assert!(!serde_json::to_string(one.steps()).unwrap().contains("All done!"));
}

#[test]
fn calls_of_one_generation_are_one_turn() {
    let one = read_one(&json!([
        prompt(),
        run(1, "g1", "c1", "ls"),
        output(1, 0),
        run(2, "g1", "c2", "pwd"),
        output(2, 1),
        finish(&json!({"final_thought": "Two folders."}))
    ]));
    assert_eq!((one.turns().count(), one.calls().count()), (2, 3));
    assert_eq!(one.turns().next().unwrap().visible, "I look.");
    let errors: Vec<_> = one.results().map(|result| result.is_error).collect();
    assert_eq!(errors, [Some(false), Some(true)]);
    assert_eq!(one.final_answer.unwrap().text, "Two folders.");
}

#[test]
fn arguments_are_those_of_the_model() {
    let mut bare = run(1, "g1", "c1", "ls");
    bare.as_object_mut().unwrap().remove("tool_call_metadata");
    let one = read_one(&json!([prompt(), run(2, "g2", "c2", "ls"), output(2, 0), bare, output(1, -1)]));
    let arguments: Vec<_> = one.calls().map(|(_, call)| call.canonical_arguments().unwrap()).collect();
    assert_eq!(arguments, [r#"{"command":"ls"}"#, r#"{"command":"ls"}"#]);
    // Without a generation the action is a turn of its own; exit code -1 says nothing.
    assert_eq!(one.turns().count(), 2);
    assert_eq!(one.results().nth(1).unwrap().is_error, None);
}

#[test]
fn old_records_hold_pairs() {
    let record =
        json!({"instance_id": "i1", "history": [[prompt(), run(1, "g", "c", "ls")], [output(1, 0)]]});
    let (_, read) = read_text("output.jsonl", &format!("{record}\n{record}"));
    assert_eq!(read.trajectories.len(), 2);
    assert_eq!(read.trajectories[0].results().count(), 1);
}

#[test]
fn an_iteration_limit_is_truncated_and_another_error_is_not() {
    let mut record = json!({"instance_id": "i1", "history": [prompt(), run(1, "g", "c", "ls"), output(1, 0)],
        "error": "RuntimeError: Agent reached maximum iteration in headless mode."});
    let read = |record: &Value| read_text("output.jsonl", &record.to_string()).1.trajectories.remove(0);
    let one = read(&record);
    assert_eq!((one.truncated, one.outcome()), (Truncation::Yes, Outcome::CutByLimit));
    record["error"] = json!("AgentStuckInLoopError");
    assert_eq!((read(&record).stop.kind, read(&record).outcome()), (StopKind::Error, Outcome::NoFinalAnswer));
    record["error"] = json!(null);
    // It merely stops: what stands beside the action is no answer.
    assert_eq!(read(&record).outcome(), Outcome::Unfinished);
}

#[test]
fn a_reference_in_the_instance_reaches_no_step() {
    let record = json!({"instance_id": "i1", "instance": {"Final answer": "Paris"}, "history": [prompt(),
        {"id": 9, "source": "agent", "action": "message", "args": {"content": "It is Rome."}}]});
    let one = read_text("output.jsonl", &record.to_string()).1.trajectories.remove(0);
    assert_eq!(one.references.for_correctness(), ["Paris"]);
    assert!(!serde_json::to_string(one.steps()).unwrap().contains("Paris"));
}
