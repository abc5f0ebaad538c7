//! Managed agent events with MCP calls.

mod support;

use humbly_types::{ErrorOrigin, Outcome, ReasoningOrigin, StopKind};
use support::{read_sample, read_text};

#[test]
fn events_of_one_request_are_one_turn() {
    let Some((outcome, read)) = read_sample("mcp-tool-calls/anthropic_managed_mcp_tools.jsonl") else {
        return;
    };
    assert_eq!((outcome.format, read.problems.len()), (Some("mcp"), 0));
    let trajectory = &read.trajectories[0];
    assert_eq!(
        (trajectory.turns().count(), trajectory.calls().count(), trajectory.results().count()),
        (2, 1, 1)
    );
    // The prompt is sent and comes back in the stream: it counts once.
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
    assert_eq!(trajectory.calls().next().unwrap().1.name, "mcp__exa__web_search_exa");
    let first = trajectory.turns().next().unwrap();
    // The model thought, and the stream does not say what.
    assert_eq!(first.reasoning[0].origin, ReasoningOrigin::Redacted);
    assert!(first.reasoning_is_unreadable());
    assert_eq!(trajectory.stop.raw.as_deref(), Some("end_turn"));
    assert_eq!(trajectory.model.as_deref(), Some("claude-opus-4-8"));
    assert_eq!((trajectory.usage.input, trajectory.usage.output), (Some(18028), Some(435)));
    assert!(trajectory.final_answer.as_ref().unwrap().text.contains("936 stars"));
    assert!(trajectory.warnings.is_empty(), "{:?}", trajectory.warnings);
}

fn events(result: &str) -> String {
    format!(
        "{}\n{}\n{}\n{}\n",
        r#"{"type":"user.message","content":[{"type":"text","text":"q"}]}"#,
        r#"{"type":"agent.mcp_tool_use","id":"c","name":"search","mcp_server_name":"exa","input":{"q":1}}"#,
        result,
        r#"{"type":"agent.message","content":[{"type":"text","text":"a"}]}"#
    )
}

#[test]
fn an_absent_flag_is_no_error_and_structured_content_is_no_second_text() {
    let read = read_text(
        "e.jsonl",
        &events(r#"{"type":"agent.mcp_tool_result","mcp_tool_use_id":"c","content":[{"type":"text","text":"x"}],"structuredContent":{"v":"x"}}"#),
    )
    .1;
    let result = read.trajectories[0].results().next().unwrap().clone();
    assert_eq!((result.is_error, result.error_origin), (Some(false), ErrorOrigin::Flag));
    assert_eq!(result.text, "x");
}

#[test]
fn structured_content_alone_is_the_text() {
    let read = read_text(
        "e.jsonl",
        &events(r#"{"type":"agent.mcp_tool_result","mcp_tool_use_id":"c","isError":true,"structuredContent":{"v":"x"}}"#),
    )
    .1;
    let result = read.trajectories[0].results().next().unwrap().clone();
    assert_eq!((result.text.as_str(), result.is_error), (r#"{"v":"x"}"#, Some(true)));
}

#[test]
fn a_session_that_waits_for_a_permission_is_unfinished() {
    let text = concat!(
        r#"{"type":"user.message","content":[{"type":"text","text":"q"}]}"#,
        "\n",
        r#"{"type":"agent.mcp_tool_use","id":"c","name":"search","mcp_server_name":"exa","input":{}}"#,
        "\n",
        r#"{"type":"session.status_idle","stop_reason":{"type":"requires_action"}}"#,
        "\n"
    );
    let trajectory = &read_text("e.jsonl", text).1.trajectories[0];
    assert_eq!(trajectory.stop.kind, StopKind::Interrupted);
    assert_eq!(trajectory.outcome(), Outcome::Unfinished);
}

#[test]
fn unknown_events_are_counted() {
    let text = events(r#"{"type":"agent.novelty"}"#) + r#"{"type":"agent.novelty"}"# + "\n[1, 2]\n";
    let warnings = &read_text("e.jsonl", &text).1.trajectories[0].warnings;
    assert_eq!((warnings[0].message.as_str(), warnings[0].count), ("unknown event type agent.novelty", 2));
    assert_eq!(warnings[1].line, 6);
}
