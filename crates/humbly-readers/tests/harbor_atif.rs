//! Harbor ATIF: the golden files, and the traps.

mod support;

use std::fs;

use humbly_readers::{group, read};
use humbly_types::{AnswerOrigin, ErrorOrigin, Outcome, StopKind, Trajectory};
use serde_json::{Value, json};
use support::{Collected, read_sample, read_text, trajectories_folder};

const TERMINUS: &str = "terminus_2_hello-world-context-summarization-linear-history.trajectory";

fn document(steps: &Value) -> Value {
    json!({"schema_version": "ATIF-v1.8", "session_id": "s", "agent": {"name": "a", "version": "1"}, "steps": steps,
        "unknown_field": {"x": 1}})
}

fn read_one(document: &Value) -> Trajectory {
    let (outcome, mut read) = read_text("trajectory.json", &document.to_string());
    assert_eq!(outcome.format, Some("harbor-atif"), "{:?}", read.problems);
    assert_eq!(read.problems, []);
    read.trajectories.remove(0)
}

fn counts(one: &Trajectory) -> [usize; 3] {
    [one.turns().count(), one.calls().count(), one.results().count()]
}

/// EXPECTED: 6 steps, 2 of the agent, 2 calls.
#[test]
fn openhands_with_function_calling() {
    let Some((outcome, read)) = read_sample("harbor-atif/openhands_hello-world.trajectory.json") else {
        return;
    };
    assert_eq!(outcome.format, Some("harbor-atif"));
    let one = &read.trajectories[0];
    assert_eq!(counts(one), [2, 2, 1]);
    assert_eq!(one.steps().iter().filter(|step| step.role == humbly_types::Role::System).count(), 3);
    let answer = one.final_answer.as_ref().unwrap();
    assert_eq!(answer.origin, AnswerOrigin::FinishTool);
    assert_eq!(answer.text, "Task complete. Created /app/hello.txt with 'Hello, world!'");
    assert_eq!((one.cost_usd, one.usage.input), (Some(0.00135), Some(220)));
    assert_eq!(one.format_version.as_deref(), Some("ATIF-v1.5"));
}

/// EXPECTED says 0 calls: it counts the field `tool_calls`. Here the calls stand in the text as
/// `<function=…>`, and a reader that left them there would see no follow-up and no finish.
#[test]
fn openhands_without_function_calling() {
    let name = "harbor-atif/openhands_hello-world.trajectory.no_function_calling.json";
    let Some((_, read)) = read_sample(name) else { return };
    let one = &read.trajectories[0];
    assert_eq!(counts(one), [2, 2, 1]);
    let result = one.results().next().unwrap();
    assert_eq!(
        result.call_id.as_deref(),
        Some(one.calls().next().unwrap().1.id.as_str()),
        "no source_call_id"
    );
    assert_eq!(one.final_answer.as_ref().unwrap().origin, AnswerOrigin::FinishTool);
    assert!(one.question.as_ref().unwrap().contains("hello.txt"));
    assert!(!one.question.as_ref().unwrap().contains("port 5000"), "the worked example is not the task");
}

/// EXPECTED: 3 agent steps, 4 observations without call id (one of them names sub-agents only), 0 structured
/// calls. The commands of terminus-2 stand in JSON text; each step's are read as one call.
#[test]
fn terminus_commands_are_calls_and_a_continuation_is_open() {
    let Some((_, read)) = read_sample(&format!("harbor-atif/{TERMINUS}.json")) else { return };
    let one = &read.trajectories[0];
    assert_eq!(counts(one), [3, 3, 3]);
    assert!(one.unanswered_calls().is_empty());
    assert!(one.turns().next().unwrap().visible.starts_with("Terminal is ready."));
    assert_eq!((one.stop.kind, one.outcome()), (StopKind::Interrupted, Outcome::Unfinished));
    assert_eq!(one.stop.raw.as_deref(), Some("continued in trajectory.cont-1.json"));
}

/// EXPECTED: 5 agent steps, 4 copied steps of which one is the agent's: 4 turns of its own.
#[test]
fn copied_context_makes_no_turns() {
    let Some((_, read)) = read_sample(&format!("harbor-atif/{TERMINUS}.cont-1.json")) else { return };
    let one = &read.trajectories[0];
    assert_eq!(counts(one), [4, 2, 4]);
    assert_eq!(
        one.final_answer.as_ref().unwrap().text,
        "Yes, confirming task completion.\n\nFinal confirmation."
    );
}

#[test]
fn a_continuation_is_joined_from_the_file_beside() {
    let Some(folder) = trajectories_folder() else { return };
    let files = ["", ".cont-1"].map(|part| folder.join(format!("harbor-atif/{TERMINUS}{part}.json")));
    let units = group(files.to_vec());
    assert_eq!(units.len(), 1);
    let mut collected = Collected::default();
    read(&units[0], None, &mut collected);
    let one = &collected.trajectories[0];
    assert_eq!(counts(one), [7, 5, 7]);
    assert_eq!(one.final_turn(), Some(6));
    assert!(one.final_step().unwrap().at.file.ends_with(".cont-1.json"));
    assert_eq!(one.usage.input, Some(7802), "totals of the last part");
    assert_eq!(one.steps().iter().filter(|step| step.is_prompt()).count(), 1, "one task, one episode");
}

#[test]
fn a_step_without_a_model_call_is_no_turn() {
    let one = read_one(&document(&json!([
        {"step_id": 1, "source": "user", "message": "q"},
        {"step_id": 2, "source": "agent", "message": "", "llm_call_count": 0,
         "tool_calls": [{"tool_call_id": "d", "function_name": "boot", "arguments": {}}],
         "observation": {"results": [{"source_call_id": "d", "content": "up"}]}},
        {"step_id": 3, "source": "agent", "message": [{"type": "text", "text": "Four."}], "llm_call_count": 1}])));
    assert_eq!((one.turns().count(), one.calls().count()), (1, 0));
    assert_eq!(one.final_answer.unwrap().text, "Four.");
}

#[test]
fn errors_stand_in_extra_or_in_the_text() {
    let one = read_one(&document(&json!([
        {"step_id": 1, "source": "agent", "message": "", "reasoning_content": "hm", "tool_calls": [
            {"tool_call_id": "a", "function_name": "f", "arguments": {}},
            {"tool_call_id": "b", "function_name": "f", "arguments": {"x": 1}},
            {"tool_call_id": "c", "function_name": "f", "arguments": {"x": 2}}],
         "observation": {"results": [
            {"source_call_id": "a", "content": "x", "extra": {"tool_result_is_error": false}},
            {"source_call_id": "b", "content": "x", "extra": {"tool_result_is_error": true}},
            {"source_call_id": "c", "content": "[error] tool reported failure\n[stdout] x"}]}}])));
    let errors: Vec<_> = one.results().map(|result| (result.is_error, result.error_origin)).collect();
    assert_eq!(
        errors,
        [
            (Some(false), ErrorOrigin::Flag),
            (Some(true), ErrorOrigin::Flag),
            (Some(true), ErrorOrigin::TextHeuristic)
        ]
    );
}

#[test]
fn sub_agents_are_children() {
    let mut outer = document(&json!([{"step_id": 1, "source": "agent", "message": "Done."}]));
    let mut inner = document(&json!([{"step_id": 1, "source": "agent", "message": "Inner."}]));
    inner["trajectory_id"] = json!("t1");
    outer["subagent_trajectories"] = json!([inner]);
    let one = read_one(&outer);
    assert_eq!(one.children[0].final_answer.as_ref().unwrap().text, "Inner.");
    assert_eq!(one.children[0].id, "trajectory/t1");

    let folder = tempfile::tempdir().unwrap();
    let inner = document(&json!([{"step_id": 1, "source": "agent", "message": "Summary."}]));
    fs::write(folder.path().join("trajectory.json"), outer.to_string()).unwrap();
    fs::write(folder.path().join("trajectory.summarization-1-summary.json"), inner.to_string()).unwrap();
    let units = group(fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect());
    let mut collected = Collected::default();
    read(&units[0], None, &mut collected);
    assert_eq!(collected.trajectories.len(), 1);
    assert_eq!(collected.trajectories[0].children.len(), 2);
}

#[test]
fn a_redacted_source_is_told_by_what_the_step_holds() {
    let one = read_one(&document(&json!([
        {"step_id": 1, "source": "<redacted>", "message": "<redacted>"},
        {"step_id": 2, "source": "<redacted>", "message": "<redacted>", "metrics": {"prompt_tokens": 3}}])));
    assert_eq!(one.turns().count(), 1);
    assert_eq!(one.warnings[0].message, "a step of an unknown source");
}
