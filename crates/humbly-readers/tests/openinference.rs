//! OpenInference spans.

mod support;

use serde_json::json;
use support::{read_sample, read_text};

#[test]
fn responses_items_in_an_export_are_turns() {
    let Some((outcome, read)) = read_sample("otel-genai/openai-agents-2025-09-30.trace.json") else { return };
    assert_eq!(outcome.format, Some("openinference"));
    let trajectory = &read.trajectories[0];
    assert_eq!(
        (trajectory.turns().count(), trajectory.calls().count(), trajectory.results().count()),
        (2, 1, 1)
    );
    assert_eq!(trajectory.calls().next().unwrap().1.arguments, r#"{"city":"Tokyo"}"#);
    assert_eq!(trajectory.results().next().unwrap().is_error, None);
    assert_eq!(trajectory.question.as_deref(), Some("What's the weather in Tokyo?"));
    assert_eq!((trajectory.usage.input, trajectory.usage.output), (Some(140), Some(44)));
    assert!(trajectory.children.is_empty());
}

#[test]
fn spans_of_a_crew_that_are_no_model_calls_are_no_turns() {
    let Some((outcome, read)) = read_sample("otel-openinference/crewai-2025-07-11.trace.json") else {
        return;
    };
    assert_eq!(outcome.format, Some("openinference"));
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().count(), 1);
    assert_eq!(trajectory.model.as_deref(), Some("gpt-4o-mini"));
    assert!(trajectory.final_answer.as_ref().unwrap().text.starts_with("I now can give a great answer"));
}

#[test]
fn nested_and_dotted_attributes_mean_the_same() {
    let dotted = json!({"openinference.span.kind": "LLM", "llm.model_name": "m",
        "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "q",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "search",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{\"q\": 1}"});
    let nested = json!({"openinference": {"span": {"kind": "LLM"}}, "llm": {"model_name": "m",
        "input_messages": [{"message": {"role": "user", "content": "q"}}],
        "output_messages": [{"message": {"role": "assistant", "tool_calls": [
            {"tool_call": {"id": "c", "function": {"name": "search", "arguments": "{\"q\": 1}"}}}]}}]}});
    for attributes in [dotted, nested] {
        let span =
            json!({"name": "llm", "context": {"trace_id": "t", "span_id": "a"}, "attributes": attributes});
        let tool = json!({"name": "search", "context": {"trace_id": "t", "span_id": "b"}, "start_time": "2",
            "attributes": {"openinference.span.kind": "TOOL", "input.value": "{\"q\":1.0}", "output.value": "found"}});
        let (outcome, read) = read_text("spans.jsonl", &format!("{span}\n{tool}\n"));
        assert_eq!(outcome.format, Some("openinference"));
        let trajectory = &read.trajectories[0];
        assert_eq!(trajectory.question.as_deref(), Some("q"));
        assert_eq!(trajectory.calls().next().unwrap().1.name, "search");
        // The tool span names no call; it answers the one with its name and arguments.
        assert_eq!(trajectory.results().next().unwrap().call_id.as_deref(), Some("c"));
    }
}

#[test]
fn a_trace_of_chains_alone_is_refused() {
    let span = json!({"name": "chain", "trace_id": "t", "span_id": "a",
        "attributes": {"openinference.span.kind": "CHAIN", "input.value": "x"}});
    let (outcome, read) = read_text("spans.jsonl", &format!("{span}\n"));
    assert_eq!((outcome.format, outcome.trajectories), (Some("openinference"), 0));
    assert!(read.problems[0].message.contains("none is a call of a model"), "{:?}", read.problems);
}
