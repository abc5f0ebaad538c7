//! Claude Code's streamed output.

mod support;

use humbly_types::{AnswerOrigin, Outcome, StopKind, Trajectory, Truncation};
use support::{read_sample, read_text};

const INIT: &str =
    r#"{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.0"}"#;

fn said(id: &str, text: &str) -> String {
    format!(
        r#"{{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{{"id":"{id}","role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

fn called(id: &str, call: &str) -> String {
    format!(
        r#"{{"type":"assistant","session_id":"s","parent_tool_use_id":null,"message":{{"id":"{id}","role":"assistant","content":[{{"type":"text","text":"let me look"}},{{"type":"tool_use","id":"{call}","name":"Task","input":{{}}}}]}}}}"#
    )
}

fn answered(call: &str) -> String {
    format!(
        r#"{{"type":"user","session_id":"s","message":{{"content":[{{"type":"tool_result","tool_use_id":"{call}","content":"r"}}]}},"tool_use_result":{{"detachedToolCall":true}}}}"#
    )
}

fn result(rest: &str) -> String {
    format!(r#"{{"type":"result","session_id":"s","num_turns":9,{rest}}}"#)
}

fn one(lines: &[String]) -> Trajectory {
    let (outcome, mut read) = read_text("run.jsonl", &lines.join("\n"));
    assert_eq!(outcome.format, Some("claude-stream-json"), "{:?}", read.problems);
    assert_eq!(read.trajectories.len(), 1, "{:?}", read.problems);
    read.trajectories.remove(0)
}

#[test]
fn the_saved_array_has_the_expected_counts() {
    let Some((outcome, read)) = read_sample("claude-code-stream-json/sample-turns.json") else { return };
    assert_eq!(outcome.format, Some("claude-stream-json"));
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().count(), 4);
    assert_eq!((trajectory.calls().count(), trajectory.results().count()), (3, 3));
    assert!(trajectory.results().all(|result| result.is_error == Some(false)));
    assert_eq!(trajectory.usage.output, Some(265));
    assert_eq!(trajectory.cost_usd, Some(0.0347));
    assert_eq!(trajectory.model.as_deref(), Some("claude-test-model"));
    // EXPECTED's final text is the last message; the answer is what the result event says.
    let answer = trajectory.final_answer.as_ref().unwrap();
    assert!(answer.text.starts_with("Successfully removed debug print"));
    assert_eq!((answer.origin, answer.turn), (AnswerOrigin::ResultEvent, Some(3)));
    assert!(trajectory.turns().last().unwrap().visible.starts_with("Great!"));
    // (a) the prompt is not in the stream
    assert_eq!(trajectory.question, None);
}

#[test]
fn a_missing_result_event_leaves_the_run_unfinished() {
    let cut = one(&[INIT.into(), called("m1", "c")]);
    assert_eq!((cut.final_answer.is_some(), cut.outcome()), (false, Outcome::Unfinished));
    let cut = one(&[INIT.into(), called("m1", "c"), answered("c")]);
    assert_eq!((cut.final_answer.is_some(), cut.outcome()), (false, Outcome::Unfinished));
    assert_eq!(cut.stop.raw.as_deref(), Some("no result event"));
}

#[test]
fn a_result_without_text_after_an_interruption_is_no_answer() {
    let run = one(&[
        INIT.into(),
        called("m1", "c"),
        answered("c"),
        result(r#""subtype":"success","terminal_reason":"aborted_streaming""#),
    ]);
    assert_eq!((run.stop.kind, run.final_answer.is_some()), (StopKind::Interrupted, false));
}

#[test]
fn limits_are_read_from_subtype_and_terminal_reason() {
    for rest in [
        r#""subtype":"error_max_turns""#,
        r#""subtype":"success","terminal_reason":"max_turns","result":"x""#,
        r#""subtype":"error_max_budget_usd""#,
    ] {
        let run = one(&[INIT.into(), said("m1", "a"), result(rest)]);
        assert_eq!((run.truncated, run.final_answer.is_some()), (Truncation::Yes, false), "{rest}");
    }
    let failed = one(&[
        INIT.into(),
        called("m1", "c"),
        answered("c"),
        result(r#""subtype":"error_during_execution","is_error":true"#),
    ]);
    assert_eq!((failed.stop.kind, failed.outcome()), (StopKind::Error, Outcome::NoFinalAnswer));
}

#[test]
fn partial_events_count_only_where_no_whole_message_came() {
    let partial = |id: &str, text: &str| {
        vec![
            format!(r#"{{"type":"stream_event","session_id":"s","event":{{"type":"message_start","message":{{"id":"{id}"}}}}}}"#),
            r#"{"type":"stream_event","session_id":"s","event":{"type":"content_block_start","content_block":{"type":"text","text":""}}}"#.to_owned(),
            format!(r#"{{"type":"stream_event","session_id":"s","event":{{"type":"content_block_delta","delta":{{"type":"text_delta","text":"{text}"}}}}}}"#),
        ]
    };
    let mut lines = vec![INIT.to_owned()];
    lines.extend(partial("m1", "whole"));
    lines.push(said("m1", "whole"));
    lines.extend(partial("m2", "cut of"));
    let run = one(&lines);
    let texts: Vec<&str> = run.turns().map(|turn| turn.visible.as_str()).collect();
    assert_eq!(texts, ["whole", "cut of"]);
    assert!(run.turns().last().unwrap().flags.aborted && run.final_answer.is_none());
}

#[test]
fn the_last_of_several_results_counts() {
    let run = one(&[
        INIT.into(),
        said("m1", "a"),
        result(r#""subtype":"success","result":"first","total_cost_usd":0.1"#),
        said("m2", "b"),
        result(r#""subtype":"success","result":"second","total_cost_usd":0.3"#),
    ]);
    assert_eq!(run.final_answer.unwrap().text, "second");
    assert_eq!((run.cost_usd, run.agent_version.as_deref()), (Some(0.3), Some("2.1.0")));
}

#[test]
fn num_turns_is_not_the_number_of_turns() {
    let run = one(&[INIT.into(), said("m1", "a"), result(r#""subtype":"success","result":"a""#)]);
    assert_eq!(run.turns().count(), 1);
}

#[test]
fn one_pretty_object_is_an_answer_without_turns() {
    let text = "{\n  \"type\": \"result\",\n  \"subtype\": \"success\",\n  \"num_turns\": 3,\n  \"result\": \"forty\",\n  \"session_id\": \"s\"\n}\n";
    let (outcome, read) = read_text("out.json", text);
    assert_eq!(outcome.format, Some("claude-stream-json"));
    let run = &read.trajectories[0];
    assert!(!run.has_turns);
    assert_eq!(run.final_answer.as_ref().unwrap().text, "forty");
}

#[test]
fn messages_of_a_sub_agent_are_a_child() {
    let sub = said("x1", "found").replace(r#""parent_tool_use_id":null"#, r#""parent_tool_use_id":"c""#);
    let run = one(&[
        INIT.into(),
        called("m1", "c"),
        sub,
        answered("c"),
        said("m2", "done"),
        result(r#""subtype":"success","result":"done""#),
    ]);
    assert_eq!((run.turns().count(), run.children.len()), (2, 1));
    assert_eq!(run.children[0].turns().count(), 1);
}

#[test]
fn a_synthetic_user_text_is_no_prompt() {
    let skill = r#"{"type":"user","isSynthetic":true,"session_id":"s","message":{"content":[{"type":"text","text":"how to"}]}}"#;
    let run = one(&[INIT.into(), said("m1", "a"), skill.into(), said("m2", "b"), result(r#""result":"b""#)]);
    assert_eq!(run.question, None);
}
