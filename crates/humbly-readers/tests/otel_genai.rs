//! OpenTelemetry GenAI spans.

mod support;

use humbly_types::{ErrorOrigin, Outcome, Role, StopKind, Truncation};
use serde_json::{Value, json};
use support::{read_sample, read_text};

fn chat(id: &str, start: u64, fields: &Value) -> Value {
    let mut attributes = json!({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"});
    for (key, value) in fields.as_object().into_iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        attributes[key] = Value::String(text);
    }
    json!({"name": "chat m", "trace_id": "t", "span_id": id, "start_time": start, "attributes": attributes})
}

fn jsonl(spans: &[Value]) -> String {
    spans.iter().fold(String::new(), |text, span| text + &span.to_string() + "\n")
}

#[test]
fn one_span_holds_the_whole_conversation() {
    let Some((outcome, read)) = read_sample("otel-genai/otel_genai_client_span_tool_calls.json") else {
        return;
    };
    assert_eq!((outcome.format, read.problems.len()), (Some("otel-genai"), 0));
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (2, 1));
    assert_eq!(trajectory.results().next().unwrap().text, "rainy, 57°F");
    assert!(trajectory.unanswered_calls().is_empty());
    assert_eq!(trajectory.question.as_deref(), Some("Weather in Paris?"));
    assert_eq!(trajectory.truncated, Truncation::No);
    assert_eq!((trajectory.usage.input, trajectory.usage.output), (Some(97), Some(52)));
    assert!(
        trajectory.final_answer.as_ref().unwrap().text.starts_with("The weather in Paris is currently rainy")
    );
}

#[test]
fn a_langfuse_export_takes_messages_from_its_columns() {
    let Some((outcome, read)) = read_sample("otel-genai/pydantic-ai-with-gemini-2025-12-24.trace.json")
    else {
        return;
    };
    assert_eq!(outcome.format, Some("otel-genai"));
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().count(), 1);
    assert_eq!(trajectory.usage.reasoning, Some(121));
    assert_eq!(trajectory.stop.raw.as_deref(), Some("stop"));
}

#[test]
fn spans_that_repeat_nothing_are_chained_and_tool_spans_supply_results() {
    let Some((outcome, read)) = read_sample("claude-agent-sdk-trace/claude-agent-2025-12-22.trace.json")
    else {
        return;
    };
    assert_eq!(outcome.format, Some("otel-genai"));
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (4, 2));
    let results: Vec<_> = trajectory.results().collect();
    assert_eq!(results.len(), 2);
    assert!(trajectory.unanswered_calls().is_empty());
    // An MCP result without `isError` is no error.
    assert!(results.iter().all(|result| result.is_error == Some(false)));
    assert_eq!(results[1].text, "Weather in New York: Sunny, 75°F");
    assert_eq!(trajectory.question.as_deref(), Some("What's the weather like in Berlin and New York?"));
}

#[test]
fn each_span_repeats_its_input_and_it_counts_once() {
    let user = json!({"role": "user", "parts": [{"type": "text", "content": "q"}]});
    let called = json!({"role": "assistant", "parts": [
        {"type": "reasoning", "content": "hm"}, {"type": "tool_call", "id": "c", "name": "search", "arguments": {"q": 1}}]});
    // The history loses the reasoning, as providers' histories do.
    let history = json!({"role": "assistant", "parts": [
        {"type": "tool_call", "id": "c", "name": "search", "arguments": {"q": 1}}]});
    let answered =
        json!({"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "r"}]});
    let done = json!({"role": "assistant", "parts": [{"type": "text", "content": "four"}]});
    let spans = [
        // Written in the order in which they ended.
        chat(
            "b",
            2,
            &json!({"gen_ai.input.messages": [user, history, answered], "gen_ai.output.messages": [done]}),
        ),
        chat("a", 1, &json!({"gen_ai.input.messages": [user], "gen_ai.output.messages": [called]})),
    ];
    let (_, read) = read_text("spans.jsonl", &jsonl(&spans));
    let trajectory = &read.trajectories[0];
    assert_eq!(
        (trajectory.turns().count(), trajectory.calls().count(), trajectory.results().count()),
        (2, 1, 1)
    );
    assert_eq!(trajectory.turns().next().unwrap().reasoning[0].text, "hm");
    assert_eq!(trajectory.turns().next().unwrap().at.line, 2);
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "four");
}

#[test]
fn a_trace_without_content_is_refused_with_what_to_do() {
    let (outcome, read) =
        read_text("spans.jsonl", &jsonl(&[chat("a", 1, &json!({})), chat("b", 2, &json!({}))]));
    assert_eq!((outcome.format, outcome.trajectories), (Some("otel-genai"), 0));
    assert!(read.problems[0].message.contains("2 model spans"), "{:?}", read.problems);
    assert!(read.problems[0].hint.as_ref().unwrap().contains("CAPTURE_MESSAGE_CONTENT"));
}

#[test]
fn a_cut_answer_is_no_final_answer() {
    let span = chat(
        "a",
        1,
        &json!({
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "q"}]}],
        "gen_ai.output.messages": "[{\"role\": \"assistant\", \"parts\": [{\"type\": \"text\", \"content\": \"Sources dis"}),
    );
    let (_, read) = read_text("spans.jsonl", &jsonl(&[span]));
    assert!(read.problems[0].message.contains("cut"), "{:?}", read.problems);
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().next().unwrap().visible, "Sources dis");
    assert!(trajectory.final_answer.is_none());
    assert_eq!(trajectory.outcome(), Outcome::Unfinished);
}

#[test]
fn a_cut_input_leaves_the_answer_whole() {
    let span = chat(
        "a",
        1,
        &json!({
        "gen_ai.input.messages": "[{\"role\": \"user\", \"parts\": [{\"type\": \"text\", \"content\": \"a long",
        "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "yes"}]}]}),
    );
    let (_, read) = read_text("spans.jsonl", &jsonl(&[span]));
    assert_eq!(read.problems.len(), 1);
    assert_eq!(read.trajectories[0].question.as_deref(), Some("a long"));
    assert_eq!(read.trajectories[0].final_answer.as_ref().unwrap().text, "yes");
}

#[test]
fn three_generations_of_names_are_one_conversation() {
    let newest = chat(
        "a",
        1,
        &json!({
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "q"}]}],
        "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "four"}]}]}),
    );
    let mut events = chat("a", 1, &json!({}));
    events["events"] = json!([
        {"name": "gen_ai.user.message", "attributes": {"content": "q"}},
        {"name": "gen_ai.choice", "attributes": {"index": 0, "finish_reason": "stop", "message": "{\"content\": \"four\"}"}}]);
    let oldest = chat(
        "a",
        1,
        &json!({
        "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "q",
        "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "four"}),
    );
    for span in [newest, events, oldest] {
        let (_, read) = read_text("spans.jsonl", &jsonl(std::slice::from_ref(&span)));
        assert_eq!(read.trajectories.len(), 1, "{span} {:?}", read.problems);
        assert_eq!(read.trajectories[0].question.as_deref(), Some("q"), "{span}");
        assert_eq!(read.trajectories[0].final_answer.as_ref().unwrap().text, "four", "{span}");
    }
}

#[test]
fn otlp_json_is_read_with_sub_agents_and_tool_failures_apart() {
    let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let span = |id: &str, parent: &str, start: &str, status: u64, attributes: &[Value]| {
        json!({"traceId": "t", "spanId": id, "parentSpanId": parent, "startTimeUnixNano": start,
               "name": id, "status": {"code": status, "message": "boom"}, "attributes": attributes})
    };
    let operation = |name: &str| text("gen_ai.operation.name", name);
    let output = |parts: &Value| {
        text("gen_ai.output.messages", &json!([{"role": "assistant", "parts": parts}]).to_string())
    };
    let call = json!([{"type": "tool_call", "id": "c", "name": "ask", "arguments": "{}"}]);
    let spans = json!([
        span("agent", "", "1", 0, &[operation("invoke_agent"), text("gen_ai.agent.name", "boss")]),
        span("m1", "agent", "2", 0, &[operation("chat"), output(&call)]),
        span(
            "tool",
            "agent",
            "3",
            2,
            &[operation("execute_tool"), text("gen_ai.tool.name", "ask"), text("gen_ai.tool.call.id", "c")]
        ),
        span("sub", "tool", "4", 0, &[operation("invoke_agent")]),
        span(
            "m2",
            "sub",
            "5",
            0,
            &[operation("chat"), output(&json!([{"type": "text", "content": "below"}]))]
        ),
        span(
            "m3",
            "agent",
            "10",
            0,
            &[
                operation("chat"),
                output(&json!([{"type": "text", "content": "top"}])),
                json!({"key": "gen_ai.response.finish_reasons",
                   "value": {"arrayValue": {"values": [{"stringValue": "stop"}]}}}),
                json!({"key": "gen_ai.usage.output_tokens", "value": {"intValue": "7"}})
            ]
        ),
        // The same generation, recorded by a second instrumentation inside the first.
        span("m4", "m3", "11", 0, &[operation("chat"), output(&json!([{"type": "text", "content": "top"}]))]),
    ]);
    let document = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]});
    let (outcome, read) = read_text("trace.json", &serde_json::to_string_pretty(&document).unwrap());
    assert_eq!(outcome.format, Some("otel-genai"));
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (2, 1));
    assert_eq!(trajectory.agent.as_deref(), Some("boss"));
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "top");
    assert_eq!(trajectory.stop.kind, StopKind::Completed);
    assert_eq!(trajectory.usage.output, Some(7));
    let result = trajectory.results().next().unwrap();
    assert_eq!(
        (result.is_error, result.error_origin, result.text.as_str()),
        (Some(true), ErrorOrigin::Status, "boom")
    );
    assert_eq!(trajectory.children.len(), 1);
    assert_eq!(trajectory.children[0].final_answer.as_ref().unwrap().text, "below");
}

#[test]
fn a_limit_of_the_framework_cuts_the_trajectory() {
    let mut root = json!({"name": "agent", "trace_id": "t", "span_id": "r", "start_time": 0,
        "attributes": {"gen_ai.operation.name": "invoke_agent"},
        "status": {"status_code": "ERROR", "description": "MaxTurnsExceeded: 5"}});
    root["parent_id"] = Value::Null;
    let turn = chat("a", 1, &json!({"gen_ai.completion": "partial answer"}));
    let (_, read) = read_text("spans.jsonl", &jsonl(&[root, turn]));
    assert_eq!(read.trajectories[0].truncated, Truncation::Yes);
    assert_eq!(read.trajectories[0].outcome(), Outcome::CutByLimit);
}

#[test]
fn traces_of_a_file_are_apart_and_a_conversation_is_one() {
    let say = |id: &str, trace: &str, start: u64, conversation: Option<&str>, text: &str| {
        let mut span =
            chat(id, start, &json!({"gen_ai.completion": text, "gen_ai.prompt": format!("q {id}")}));
        span["trace_id"] = Value::String(trace.into());
        if let Some(conversation) = conversation {
            span["attributes"]["gen_ai.conversation.id"] = Value::String(conversation.into());
        }
        span
    };
    let (_, apart) =
        read_text("s.jsonl", &jsonl(&[say("a", "t1", 1, None, "x"), say("b", "t2", 2, None, "y")]));
    assert_eq!(apart.trajectories.len(), 2);
    let (_, one) =
        read_text("s.jsonl", &jsonl(&[say("a", "t1", 1, Some("k"), "x"), say("b", "t2", 2, Some("k"), "y")]));
    assert_eq!(one.trajectories.len(), 1);
    let prompts = one.trajectories[0].steps().iter().filter(|step| step.role == Role::User).count();
    assert_eq!((prompts, one.trajectories[0].turns().count()), (2, 2));
}
