//! SWE-agent and mini-SWE-agent trajectories.

mod support;

use humbly_types::{AnswerOrigin, StopKind, Trajectory, Truncation};
use serde_json::{Value, json};
use support::{read_sample, read_text};

fn one(format: &str, name: &str, document: &Value) -> Trajectory {
    let (outcome, mut read) = read_text(name, &document.to_string());
    assert_eq!((outcome.format, outcome.trajectories), (Some(format), 1), "{:?}", read.problems);
    read.trajectories.remove(0)
}

fn names(trajectory: &Trajectory) -> Vec<&str> {
    trajectory.calls().map(|(_, call)| call.name.as_str()).collect()
}

#[test]
fn a_run_with_trajectory_and_history_is_read() {
    let Some((outcome, read)) = read_sample("swe-agent-traj/6e44b9__sweagenttestrepo-1c2844.traj") else {
        return;
    };
    assert_eq!((outcome.format, outcome.trajectories), (Some("swe-agent"), 1));
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().count(), 5);
    assert_eq!(names(trajectory), ["find_file", "open", "edit", "bash", "submit"]);
    // The last step stands only in `trajectory`, the ids only in `history`.
    assert_eq!(trajectory.results().count(), 5);
    assert!(trajectory.unanswered_calls().is_empty());
    let made: Vec<_> = trajectory.calls().map(|(_, call)| call.id_synthetic).collect();
    assert_eq!(made, [false, false, false, false, true]);
    assert!(trajectory.results().all(|result| result.is_error.is_none()));
    assert_eq!((trajectory.truncated, trajectory.stop.kind), (Truncation::No, StopKind::Completed));
    let answer = trajectory.final_answer.as_ref().unwrap();
    assert_eq!((answer.origin, answer.turn), (AnswerOrigin::SubmitTool, Some(4)));
    // The submission is a patch; what the agent says with it is the answer.
    assert!(answer.text.starts_with("The script `missing_colon.py` ran successfully"));
    assert!(trajectory.question.as_deref().unwrap().contains("SyntaxError: invalid syntax"));
    assert_eq!(trajectory.usage.input, Some(7141));
}

#[test]
fn a_file_with_only_a_history_is_read() {
    let Some((_, read)) = read_sample("swe-agent-traj/function_calling_simple.traj") else { return };
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (5, 5));
    assert_eq!(trajectory.results().count(), 5);
    assert!(trajectory.unanswered_calls().is_empty(), "`tool_call_ids` is the link");
    let answer = trajectory.final_answer.as_ref().unwrap();
    assert_eq!(answer.origin, AnswerOrigin::SubmitTool);
    assert!(answer.text.ends_with("let's submit our changes."));
    assert_eq!(trajectory.truncated, Truncation::No, "it submitted, though it names no exit status");
}

fn run(status: &Value, last: &Value) -> Trajectory {
    let first = json!({"action": "ls", "observation": "a.py", "thought": "Look.", "response": "Look."});
    let document = json!({"trajectory": [first, last], "info": {"exit_status": status, "submission": "diff"},
        "history": [{"role": "system", "content": "s", "agent": "main"}, {"role": "user", "content": "fix it"}]});
    one("swe-agent", "r.traj", &document)
}

#[test]
fn every_exit_but_a_plain_submission_and_a_forfeit_was_cut() {
    let last = json!({"action": "submit", "observation": "diff", "thought": "Done.", "response": "Done."});
    for (status, kind, truncated) in [
        ("submitted", StopKind::Completed, Truncation::No),
        ("exit_forfeit", StopKind::Completed, Truncation::No),
        ("submitted (exit_cost)", StopKind::Limit, Truncation::Yes),
        ("submitted (exit_format)", StopKind::Error, Truncation::Yes),
        ("exit_context", StopKind::Limit, Truncation::Yes),
        ("exit_total_execution_time", StopKind::Limit, Truncation::Yes),
        ("exit_api", StopKind::Error, Truncation::Yes),
        ("exit_command", StopKind::Interrupted, Truncation::Yes),
    ] {
        let trajectory = run(&json!(status), &last);
        assert_eq!((trajectory.stop.kind, trajectory.truncated), (kind, truncated), "{status}");
        assert_eq!(trajectory.final_answer.is_some(), truncated == Truncation::No, "{status}");
        assert_eq!(trajectory.stop.raw.as_deref(), Some(status));
    }
    assert_eq!(run(&Value::Null, &last).truncated, Truncation::No, "it submitted");
}

#[test]
fn the_closing_step_of_the_harness_is_no_turn() {
    let exit = json!({"action": "", "observation": "Exited", "thought": "Exit due to cost limit", "response": "Exit due to cost limit"});
    assert_eq!(run(&json!("submitted (exit_cost)"), &exit).turns().count(), 1);
}

#[test]
fn a_command_without_a_tool_call_is_a_call_of_bash() {
    let last = json!({"action": "submit", "observation": "diff", "thought": "", "response": ""});
    let trajectory = run(&json!("submitted"), &last);
    assert_eq!(names(&trajectory), ["bash", "submit"]);
    assert_eq!(trajectory.calls().next().unwrap().1.arguments, r#"{"command":"ls"}"#);
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "diff", "a silent turn leaves the patch");
}

#[test]
fn demonstrations_in_the_history_are_no_turns() {
    let document = json!({"history": [
        {"role": "system", "content": "s", "agent": "main"},
        {"role": "user", "content": "demo", "agent": "main", "is_demo": true},
        {"role": "assistant", "content": "demo", "agent": "main", "is_demo": true, "action": "ls", "thought": "demo"},
        {"role": "user", "content": "fix it", "agent": "main"},
        {"role": "assistant", "content": "t ```\nls\n```", "thought": "t", "action": "ls\n", "agent": "main"},
        {"role": "user", "content": "a.py", "agent": "main"},
        {"role": "assistant", "content": "", "thought": "over", "action": "submit", "agent": "main"}]});
    let trajectory = one("swe-agent", "d.traj", &document);
    assert_eq!((trajectory.turns().count(), names(&trajectory)), (2, vec!["bash", "submit"]));
    assert_eq!(trajectory.question.as_deref(), Some("fix it"));
    assert_eq!(trajectory.results().next().unwrap().text, "a.py");
}

#[test]
fn a_cut_file_is_named_with_its_line() {
    let (outcome, read) = read_text("c.traj", "{\n\"trajectory\": [], \"history\": [\n{\"role\": \"us");
    assert_eq!(outcome.trajectories, 0);
    assert_eq!((read.problems.len(), read.problems[0].line), (1, Some(3)));
}

#[test]
fn mini_runs_are_read_with_commands_in_fenced_blocks() {
    let Some((outcome, read)) = read_sample("mini-swe-agent-traj/local.traj.json") else { return };
    assert_eq!((outcome.format, outcome.trajectories), (Some("mini-swe-agent"), 1));
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.turns().count(), names(trajectory)), (2, vec!["bash", "bash"]));
    assert_eq!(trajectory.calls().next().unwrap().1.arguments, r#"{"command":"echo 'hello world'"}"#);
    let errors: Vec<_> = trajectory.results().map(|result| result.is_error).collect();
    assert_eq!(errors, [Some(false), None]);
    let answer = trajectory.final_answer.as_ref().unwrap();
    assert_eq!((answer.text.as_str(), answer.turn), ("OK, now let me end this run.", Some(1)));
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
}

fn mini(status: &str, messages: &Value) -> Trajectory {
    let info = json!({"exit_status": status, "submission": "", "mini_version": "2.0.0"});
    let document = json!({"trajectory_format": "mini-swe-agent-1.1", "info": info, "messages": messages});
    one("mini-swe-agent", "m.traj.json", &document)
}

#[test]
fn mini_says_how_it_ended() {
    let messages = json!([
        {"role": "system", "content": "s"}, {"role": "user", "content": "q"},
        {"role": "assistant", "content": "I think so."},
        {"role": "user", "content": "Please give exactly one command."},
        {"role": "assistant", "content": "Go:\n```mswea_bash_command\nfalse\n```"},
        {"role": "user", "content": "<returncode>1</returncode>\n<output></output>"},
        {"role": "exit", "content": "", "extra": {"exit_status": "LimitsExceeded"}}]);
    let trajectory = mini("LimitsExceeded", &messages);
    assert_eq!((trajectory.truncated, trajectory.final_answer.is_none()), (Truncation::Yes, true));
    assert_eq!(trajectory.results().next().unwrap().is_error, Some(true));
    // The complaint about a turn without a command is neither prompt nor result.
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
    assert_eq!((trajectory.turns().count(), trajectory.results().count()), (2, 1));
    assert_eq!(mini("RuntimeError", &messages).stop.kind, StopKind::Error);
}

#[test]
fn mini_with_tool_calls_is_read() {
    let call = |id: &str, command: &str| json!([{"id": id, "function": {"name": "bash", "arguments": json!({"command": command}).to_string()}}]);
    let messages = json!([
        {"role": "system", "content": "s"}, {"role": "user", "content": "q"},
        {"role": "assistant", "content": "Look.", "tool_calls": call("a", "ls")},
        {"role": "tool", "tool_call_id": "a", "content": "<output>x</output>", "extra": {"returncode": 2}},
        {"role": "assistant", "content": "It is fixed.", "tool_calls": call("b", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")},
        {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}}]);
    let trajectory = mini("Submitted", &messages);
    assert_eq!(trajectory.results().next().unwrap().is_error, Some(true));
    let answer = trajectory.final_answer.as_ref().unwrap();
    assert_eq!((answer.text.as_str(), answer.origin), ("It is fixed.", AnswerOrigin::SubmitTool));
}
