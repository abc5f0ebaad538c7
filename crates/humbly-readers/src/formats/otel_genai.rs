//! OpenTelemetry `GenAI` spans: OTLP JSON, one span a line, a bare span, or a Langfuse export.
//!
//! Three generations of names are read: `gen_ai.input.messages` and `gen_ai.output.messages`; one event a
//! message (`gen_ai.user.message` … `gen_ai.choice`); and `gen_ai.prompt` with `gen_ai.completion`.

use humbly_types::{Problem, Role, Usage};
use serde_json::{Map, Value};

use crate::content::raw_text;
use crate::detect::{Head, Shape};
use crate::formats::message::{Message, Part, messages_of};
use crate::formats::spans::{
    Attributes, Parsed, Span, SpanKind, ToolRun, base_span, emit_traces, is_langfuse, is_span,
    langfuse_spans, parse_attribute, span_values, tool_output,
};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "otel-genai";

/// Reader of OpenTelemetry `GenAI` spans.
pub(crate) struct OtelGenAi;

impl Reader for OtelGenAi {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "OpenTelemetry GenAI spans",
            recognised_by: "spans (OTLP `resourceSpans`, JSONL, Langfuse `trace` + `observations`) with `gen_ai.*`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        let Some(record) = head.record().filter(|_| head.shape != Shape::Zip) else { return false };
        is_langfuse(record)
            || record.get("resourceSpans").is_some_and(Value::is_array)
            || is_span(record, |name| name.starts_with("gen_ai."))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        read_spans(NAME, input, sink, read_attributes)
    }
}

/// Reads every span of an input, whatever holds it, and emits its traces.
pub(crate) fn read_spans(
    format: &'static str,
    input: &Input,
    sink: &mut dyn Sink,
    read_attributes: fn(&mut Span, &Attributes<'_>, &mut Vec<Problem>),
) -> Result<(), Problem> {
    let mut spans = Vec::new();
    each_record(input, sink, &mut |line, record, sink| {
        let problems = std::cell::RefCell::new(Vec::new());
        let read = |span: &mut Span, attributes: &Attributes<'_>| {
            read_attributes(span, attributes, &mut problems.borrow_mut());
        };
        if is_langfuse(&record) {
            emit_traces(format, input, langfuse_spans(&record, &read), sink);
        } else {
            for (index, value) in span_values(&record).iter().enumerate() {
                let mut span = base_span(value, line.unwrap_or(index as u64 + 1));
                if let Some(Value::Object(fields)) = value.get("attributes") {
                    let mut fields = fields.clone();
                    add_events(&mut fields, value);
                    read(&mut span, &Attributes(&fields));
                }
                spans.push(span);
            }
        }
        for mut problem in problems.into_inner() {
            problem.path = input.path.to_string();
            sink.problem(problem);
        }
    })?;
    emit_traces(format, input, spans, sink);
    Ok(())
}

/// Gets a record with its line; a document has none.
pub(crate) type EachRecord<'a> = &'a mut dyn FnMut(Option<u64>, Value, &mut dyn Sink);

/// Calls `each` with the document, or with every record of JSONL and its line.
pub(crate) fn each_record(input: &Input, sink: &mut dyn Sink, each: EachRecord<'_>) -> Result<(), Problem> {
    let first =
        input.lines()?.next_line()?.map(|line| crate::lenient::parse_record::<Value>(line.bytes).is_ok());
    if first == Some(true) {
        return input
            .lines()?
            .for_each_record(sink, |line, record: Value, sink| each(Some(line), record, sink));
    }
    let document = input.document(sink)?;
    each(None, document, sink);
    Ok(())
}

/// Events hold messages in the second generation of names: each becomes an entry of one list.
fn add_events(fields: &mut Map<String, Value>, span: &Value) {
    let events = span.get("events").and_then(Value::as_array).cloned().unwrap_or_default();
    if events.is_empty() {
        return;
    }
    for event in &events {
        // Newer tracers put the whole exchange on one event; older ones prompt and completion on two.
        for (key, value) in event.get("attributes").and_then(Value::as_object).into_iter().flatten() {
            if key.starts_with("gen_ai.") && !fields.contains_key(key) {
                fields.insert(key.clone(), value.clone());
            }
        }
    }
    fields.insert("humbly.events".to_owned(), Value::Array(events));
}

fn read_attributes(span: &mut Span, attributes: &Attributes<'_>, problems: &mut Vec<Problem>) {
    span.kind = kind(span, attributes);
    span.conversation =
        attributes.text("gen_ai.conversation.id").map(str::to_owned).or(span.conversation.take());
    span.agent = attributes.text("gen_ai.agent.name").map(str::to_owned);
    if span.kind == SpanKind::Tool {
        span.tool = Some(tool_run(span, attributes));
        return;
    }
    span.response_id = attributes.text("gen_ai.response.id").map(str::to_owned);
    span.model = attributes.first_text(&["gen_ai.response.model", "gen_ai.request.model"]).map(str::to_owned);
    span.finish = finish(attributes);
    span.usage = usage(attributes);
    span.error = span.error.take().or_else(|| attributes.text("error.type").map(str::to_owned));
    if span.kind != SpanKind::Other {
        read_messages(span, attributes, problems);
    }
}

fn kind(span: &Span, attributes: &Attributes<'_>) -> SpanKind {
    match attributes.text("gen_ai.operation.name") {
        Some("chat" | "text_completion" | "generate_content") => SpanKind::Model,
        Some("execute_tool") => SpanKind::Tool,
        Some("invoke_agent" | "create_agent") => SpanKind::Agent,
        None if attributes.text("gen_ai.tool.call.id").is_some() => SpanKind::Tool,
        None if attributes.value("gen_ai.agent.name").is_some() => SpanKind::Agent,
        None if attributes.first_text(&["gen_ai.request.model", "gen_ai.response.model"]).is_some()
            && !span.name.starts_with("embeddings") =>
        {
            SpanKind::Model
        }
        _ => SpanKind::Other,
    }
}

fn read_messages(span: &mut Span, attributes: &Attributes<'_>, problems: &mut Vec<Problem>) {
    let mut input = Vec::new();
    if let Some((value, _)) = attribute(span, attributes, "gen_ai.system_instructions", problems) {
        let mut system = Message::new(Role::System);
        system.parts.push(Part::Text(crate::content::text_of(&value, "\n").0));
        if !system.text().is_empty() {
            input.push(system);
        }
    }
    for name in ["gen_ai.input.messages", "gen_ai.prompt"] {
        if let Some((value, _)) = attribute(span, attributes, name, problems) {
            input.extend(messages_or_text(&value, Role::User));
            break;
        }
    }
    if input.iter().all(|message| message.role == Role::System) {
        input.extend(messages_of(&Value::Array(attributes.list("gen_ai.prompt"))));
    }
    for name in ["gen_ai.output.messages", "gen_ai.completion"] {
        if let Some((value, is_cut)) = attribute(span, attributes, name, problems) {
            span.output = messages_or_text(&value, Role::Assistant);
            span.is_output_cut = is_cut;
            break;
        }
    }
    if span.output.is_empty() {
        span.output = messages_of(&Value::Array(attributes.list("gen_ai.completion")));
    }
    let from_events = event_messages(attributes);
    if input.iter().all(|message| message.role == Role::System) {
        input.extend(from_events.0);
    }
    if span.output.is_empty() {
        span.output = from_events.1;
    }
    span.input = input;
}

/// A JSON attribute and whether it was cut; a cut one is also a problem.
fn attribute(
    span: &Span,
    attributes: &Attributes<'_>,
    name: &str,
    problems: &mut Vec<Problem>,
) -> Option<(Value, bool)> {
    let value = attributes.0.get(name)?;
    let (value, is_cut) = match parse_attribute(value) {
        Parsed::Whole(value) => (value, false),
        Parsed::Cut(value) => (value, true),
        Parsed::Lost => (Value::Null, true),
    };
    if is_cut {
        problems.push(
            Problem::new("", format!("attribute `{name}` is cut to invalid JSON, expected whole messages"))
                .line(span.line)
                .record(span.id.clone())
                .hint("raise OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT; what stands before the cut is read"),
        );
    }
    Some((value, is_cut))
}

fn messages_or_text(value: &Value, role: Role) -> Vec<Message> {
    match value {
        Value::String(text) if !text.is_empty() => {
            let mut message = Message::new(role);
            message.parts.push(Part::Text(text.clone()));
            vec![message]
        }
        other => messages_of(other),
    }
}

/// Input and output messages of the events (of the span, or in an `events` attribute).
fn event_messages(attributes: &Attributes<'_>) -> (Vec<Message>, Vec<Message>) {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let listed = attributes.value("events").map(parse_attribute);
    let events = match (attributes.value("humbly.events"), listed) {
        (Some(Value::Array(events)), _) => events.clone(),
        (_, Some(Parsed::Whole(Value::Array(events)) | Parsed::Cut(Value::Array(events)))) => events,
        _ => return (input, output),
    };
    for event in &events {
        let name =
            ["event.name", "name"].iter().find_map(|key| event.get(*key)?.as_str()).unwrap_or_default();
        let fields = event.get("attributes").filter(|fields| fields.is_object()).unwrap_or(event);
        let body = fields.get("body").or_else(|| event.get("body")).unwrap_or(fields);
        let role = match name {
            "gen_ai.system.message" => "system",
            "gen_ai.user.message" => "user",
            "gen_ai.assistant.message" | "gen_ai.choice" => "assistant",
            "gen_ai.tool.message" => "tool",
            _ => continue,
        };
        let mut message = body.get("message").unwrap_or(body).clone();
        if let Value::String(text) = &message {
            // Attributes hold no objects: the message of a choice is a JSON string there.
            message = serde_json::from_str(text).unwrap_or_else(|_| serde_json::json!({ "content": text }));
        }
        if let Some(fields) = message.as_object_mut() {
            fields.insert("role".to_owned(), Value::String(role.to_owned()));
            fields.entry("content").or_insert(Value::Null);
            for key in ["tool_calls", "content"] {
                if let Some(Parsed::Whole(parsed @ Value::Array(_))) = fields.get(key).map(parse_attribute) {
                    fields.insert(key.to_owned(), parsed);
                }
            }
        }
        let target = if name == "gen_ai.choice" { &mut output } else { &mut input };
        target.extend(messages_of(&message));
    }
    (input, output)
}

fn tool_run(span: &Span, attributes: &Attributes<'_>) -> ToolRun {
    let name = attributes.text("gen_ai.tool.name").map_or_else(
        || span.name.trim_start_matches("execute_tool ").trim_start_matches("running tool: ").to_owned(),
        str::to_owned,
    );
    let argument =
        attributes.value("gen_ai.tool.call.arguments").or_else(|| attributes.value("tool_arguments"));
    let result = attributes.value("gen_ai.tool.call.result").or_else(|| attributes.value("tool_response"));
    ToolRun {
        call_id: attributes.text("gen_ai.tool.call.id").map(str::to_owned),
        arguments: argument.map(raw_text),
        result: result.map(|value| match parse_attribute(value) {
            Parsed::Whole(value) => tool_output(&name, &value),
            Parsed::Cut(_) | Parsed::Lost => {
                let mut result = tool_output(&name, &Value::String(raw_text(value)));
                result.truncated = true;
                result
            }
        }),
        name,
    }
}

fn finish(attributes: &Attributes<'_>) -> Option<String> {
    let value = attributes.value("gen_ai.response.finish_reasons").map(parse_attribute);
    match value {
        Some(Parsed::Whole(Value::Array(reasons))) => reasons.first()?.as_str().map(str::to_owned),
        Some(Parsed::Whole(Value::String(reason))) => Some(reason),
        _ => attributes.text("gen_ai.completion.0.finish_reason").map(str::to_owned),
    }
}

fn usage(attributes: &Attributes<'_>) -> Option<Usage> {
    let usage = Usage {
        input: attributes.count(&["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"]),
        cached: attributes
            .count(&["gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.details.cache_read_tokens"]),
        output: attributes.count(&["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"]),
        reasoning: attributes
            .count(&["gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.details.thoughts_tokens"]),
    };
    (usage != Usage::default()).then_some(usage)
}
