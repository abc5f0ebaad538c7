//! Codex rollouts and `codex exec --json`.

mod support;

use humbly_readers::{Episodes, group, read, split_episodes};
use humbly_types::{AnswerOrigin, ErrorOrigin, Outcome, ReasoningOrigin, StopKind, Trajectory};
use support::{Collected, read_sample, read_text};

const ROLLOUT: &str = "codex-rollout/rollout-2025-09-25T15-12-14-019982b8-3422-79e0-8b3b-05abaf4f3c3e.jsonl";

fn line(kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"{kind}","payload":{payload}}}"#)
}

fn item(payload: &str) -> String {
    line("response_item", payload)
}

fn event(payload: &str) -> String {
    line("event_msg", payload)
}

fn meta(id: &str) -> String {
    line("session_meta", &format!(r#"{{"id":"{id}","cli_version":"0.40.0","instructions":null}}"#))
}

fn user(text: &str) -> String {
    item(&format!(
        r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":{}}}]}}"#,
        serde_json::json!(text)
    ))
}

fn said(text: &str) -> String {
    item(&format!(
        r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}"#
    ))
}

fn thought(text: &str) -> String {
    item(&format!(
        r#"{{"type":"reasoning","summary":[{{"type":"summary_text","text":"{text}"}}],"encrypted_content":"x"}}"#
    ))
}

fn call(id: &str) -> String {
    item(&format!(r#"{{"type":"function_call","name":"shell","arguments":"{{}}","call_id":"{id}"}}"#))
}

fn output(id: &str, output: &str) -> String {
    item(&format!(
        r#"{{"type":"function_call_output","call_id":"{id}","output":{}}}"#,
        serde_json::json!(output)
    ))
}

const TOKENS: &str =
    r#"{"type":"token_count","info":{"total_token_usage":{"input_tokens":10,"output_tokens":2}}}"#;

fn one(lines: &[String]) -> Trajectory {
    let (outcome, mut read) = read_text("rollout-x.jsonl", &lines.join("\n"));
    assert_eq!(outcome.format, Some("codex-rollout"), "{:?}", read.problems);
    assert_eq!(read.trajectories.len(), 1, "{:?}", read.problems);
    read.trajectories.remove(0)
}

#[test]
fn a_real_rollout_has_the_expected_counts() {
    let Some((outcome, read)) = read_sample(ROLLOUT) else { return };
    assert_eq!(outcome.format, Some("codex-rollout"));
    let trajectory = &read.trajectories[0];
    // 34 turns that call and one that answers.
    assert_eq!(trajectory.turns().count(), 35);
    assert_eq!((trajectory.calls().count(), trajectory.results().count()), (34, 34));
    assert!(trajectory.turns().take(34).all(|turn| turn.calls.len() == 1));
    assert!(
        trajectory
            .results()
            .all(|result| result.is_error == Some(false) && result.error_origin == ErrorOrigin::Status)
    );
    // Every summary stands in two layers and is read once; one reasoning item has no summary.
    let reasoning: Vec<_> = trajectory.turns().flat_map(|turn| &turn.reasoning).collect();
    assert_eq!(reasoning.iter().filter(|it| it.origin == ReasoningOrigin::Summary).count(), 32);
    assert_eq!(reasoning.iter().filter(|it| it.origin == ReasoningOrigin::Encrypted).count(), 1);
    // The items of a call are written after its token count: turn 0 thinks and calls.
    let first = trajectory.turns().next().unwrap();
    assert_eq!(first.reasoning[0].text, "**Evaluating repo structure and planning**");
    assert!(first.calls[0].arguments.contains(r#""ls""#));
    let answer = trajectory.final_answer.as_ref().unwrap();
    assert!(answer.text.starts_with("**Findings**"));
    assert_eq!((answer.turn, answer.origin), (Some(34), AnswerOrigin::LastText));
    // The question is inside what the IDE sends; the environment is no prompt.
    assert!(trajectory.question.as_deref().unwrap().starts_with("Evaluate @packages/services"));
    assert_eq!(trajectory.model.as_deref(), Some("gpt-5-codex"));
    assert_eq!((trajectory.usage.input, trajectory.usage.output), (Some(536_834), Some(6_654)));
    assert_eq!(split_episodes(trajectory.clone(), Episodes::Each).len(), 1);
}

#[test]
fn fragments_of_rollouts_are_recognised_and_hold_no_turn() {
    for file in ["event-turn-aborted.jsonl", "function-output-error.jsonl"] {
        let Some((outcome, read)) = read_sample(&format!("codex-rollout/{file}")) else { return };
        assert_eq!((outcome.format, outcome.trajectories), (Some("codex-rollout"), 0));
        assert!(read.problems[0].message.contains("no assistant turn"), "{:?}", read.problems);
    }
}

#[test]
fn results_say_by_exit_code_whether_they_failed() {
    let log = [
        meta("s"),
        user("q"),
        call("a"),
        output("a", r#"{"output":"boom","metadata":{"exit_code":2}}"#),
        call("b"),
        output("b", "Exit code: 0\nWall time: 1 s\nOutput:\nfine"),
        call("c"),
        output("c", "plain text"),
        said("done"),
    ];
    let trajectory = one(&log);
    let results: Vec<_> = trajectory.results().collect();
    assert_eq!(results[0].text, "boom");
    assert_eq!(
        results.iter().map(|result| result.is_error).collect::<Vec<_>>(),
        [Some(true), Some(false), None]
    );
    // Without token counts each call after a result is a turn of its own.
    assert_eq!(trajectory.turns().count(), 4);
}

#[test]
fn a_token_count_before_its_items_shifts_nothing() {
    let log = [
        meta("s"),
        user("q"),
        event(r#"{"type":"agent_reasoning","text":"t1"}"#),
        event(TOKENS),
        thought("t1"),
        call("a"),
        output("a", "x"),
        event(r#"{"type":"agent_reasoning","text":"t2"}"#),
        event(TOKENS),
        thought("t2"),
        call("b"),
        output("b", "y"),
        // A second call of the same response follows the result of the first.
        call("c"),
        output("c", "z"),
        event(r#"{"type":"agent_message","message":"done"}"#),
        event(TOKENS),
        said("done"),
    ];
    let trajectory = one(&log);
    let turns: Vec<_> = trajectory
        .turns()
        .map(|turn| {
            (turn.reasoning.first().map(|it| it.text.as_str()), turn.calls.len(), turn.visible.as_str())
        })
        .collect();
    assert_eq!(turns, [(Some("t1"), 1, ""), (Some("t2"), 2, ""), (None, 0, "done")]);
}

#[test]
fn the_last_turn_of_an_interrupted_log_may_exist_as_events_only() {
    let log = [
        meta("s"),
        user("q"),
        event(r#"{"type":"agent_reasoning","text":"t1"}"#),
        thought("t1"),
        call("a"),
        output("a", "x"),
        event(r#"{"type":"agent_reasoning","text":"now I doubt it"}"#),
        event(r#"{"type":"turn_aborted","reason":"interrupted"}"#),
    ];
    let trajectory = one(&log);
    let last = trajectory.turns().last().unwrap();
    assert_eq!(trajectory.turns().count(), 2);
    assert_eq!(last.reasoning[0].text, "now I doubt it");
    assert!(last.flags.aborted && trajectory.final_answer.is_none());
    assert_eq!((trajectory.stop.kind, trajectory.outcome()), (StopKind::Interrupted, Outcome::Unfinished));
}

#[test]
fn wrappers_are_no_prompts_and_an_ide_prompt_is_found_inside() {
    let log = [
        meta("s"),
        user("<environment_context>\n<cwd>/x</cwd>"),
        user("<user_instructions>\nbe good"),
        user("<hook_prompt hook_run_id=\"stop:0\">go on</hook_prompt>"),
        user("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>"),
        item(r#"{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}"#),
        user("# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nwhy?"),
        said("because"),
    ];
    let trajectory = one(&log);
    assert_eq!(trajectory.question.as_deref(), Some("why?"));
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
}

#[test]
fn compacted_history_is_not_read_again() {
    let log = [
        meta("s"),
        user("q"),
        said("one"),
        line(
            "compacted",
            r#"{"message":"summary","replacement_history":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"one"}]}]}"#,
        ),
        said("two"),
    ];
    let trajectory = one(&log);
    assert!(trajectory.turns().all(|turn| !turn.visible.contains("summary")));
    assert_eq!(trajectory.steps().iter().filter(|step| step.visible.contains("one")).count(), 1);
}

#[test]
fn old_rollouts_hold_bare_items() {
    let log = [
        r#"{"id":"s","timestamp":"2025-06-01T00:00:00Z","instructions":"be good"}"#.to_owned(),
        r#"{"record_type":"state"}"#.to_owned(),
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]}"#.to_owned(),
        r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"a"}"#.to_owned(),
        r#"{"type":"function_call_output","call_id":"a","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"}"#.to_owned(),
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}"#.to_owned(),
    ];
    let trajectory = one(&log);
    assert_eq!((trajectory.turns().count(), trajectory.results().next().unwrap().is_error), (2, Some(true)));
    assert!(trajectory.warnings.is_empty());
}

#[test]
fn a_fork_names_its_origin() {
    let trajectory = one(&[meta("new"), meta("old"), user("q"), said("a")]);
    assert_eq!(trajectory.run_id.as_deref(), Some("new"));
    assert!(trajectory.warnings[0].message.contains("forked from old"));
}

#[test]
fn a_sub_agent_rollout_is_a_child() {
    let folder = tempfile::tempdir().unwrap();
    let child =
        line("session_meta", r#"{"id":"c","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}}}"#);
    let logs = [
        ("rollout-1.jsonl", vec![meta("p"), user("q"), said("a")]),
        ("rollout-2.jsonl", vec![child, user("sub"), said("b")]),
    ];
    let paths = logs.map(|(name, lines)| {
        let path = folder.path().join(name);
        std::fs::write(&path, lines.join("\n")).unwrap();
        path
    });
    let units = group(paths.to_vec());
    assert_eq!(units.len(), 1);
    let mut collected = Collected::default();
    read(&units[0], None, &mut collected);
    assert_eq!(collected.trajectories[0].children.len(), 1);
    assert_eq!(collected.trajectories[0].turns().count(), 1);
}

#[test]
fn a_ring_of_parents_is_no_loop() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|id| {
        let other = if id == "a" { "b" } else { "a" };
        let path = folder.path().join(format!("rollout-{id}.jsonl"));
        let head = line("session_meta", &format!(r#"{{"id":"{id}","source":{{"subagent":{{"thread_spawn":{{"parent_thread_id":"{other}"}}}}}}}}"#));
        std::fs::write(&path, head).unwrap();
        path
    });
    assert_eq!(group(paths.to_vec()).len(), 2);
}

#[test]
fn real_exec_output_has_its_turns() {
    let Some((outcome, read)) = read_sample("codex-exec-json/stream-output-4.jsonl") else { return };
    assert_eq!(outcome.format, Some("codex-exec"));
    let trajectory = &read.trajectories[0];
    assert_eq!(
        (trajectory.turns().count(), trajectory.calls().count(), trajectory.results().count()),
        (2, 1, 1)
    );
    let result = trajectory.results().next().unwrap();
    assert_eq!((result.is_error, result.text.as_str()), (Some(false), "console.log('Hello World');\n"));
    assert!(trajectory.final_answer.as_ref().unwrap().text.starts_with("`test.js` simply contains"));
    assert_eq!((trajectory.stop.kind, trajectory.usage.output), (StopKind::Completed, Some(204)));
}

#[test]
fn an_exec_run_that_stops_or_fails_has_no_answer() {
    let head = r#"{"type":"thread.started","thread_id":"t"}"#;
    let started = r#"{"type":"item.started","item":{"id":"i","type":"command_execution","command":"x","status":"in_progress"}}"#;
    let completed = r#"{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"x","aggregated_output":"no","exit_code":1,"status":"failed"}}"#;
    let failed = r#"{"type":"turn.failed","error":{"message":"limit"}}"#;
    let (_, read) = read_text("e.jsonl", &[head, started].join("\n"));
    assert_eq!(read.trajectories[0].outcome(), Outcome::Unfinished);
    let (_, read) = read_text("e.jsonl", &[head, started, completed, completed, failed].join("\n"));
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.calls().count(), trajectory.results().count()), (1, 1));
    assert_eq!(trajectory.results().next().unwrap().is_error, Some(true));
    assert_eq!(trajectory.outcome(), Outcome::NoFinalAnswer);
}
