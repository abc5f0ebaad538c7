//! OpenInference spans (Phoenix, Arize): JSONL, OTLP JSON or a Langfuse export.

use humbly_types::{Problem, Role, Usage};
use serde_json::Value;

use crate::content::raw_text;
use crate::detect::{Head, Shape};
use crate::formats::message::{Message, Part, messages_of};
use crate::formats::otel_genai::read_spans;
use crate::formats::spans::{
    Attributes, Parsed, Span, SpanKind, ToolRun, is_langfuse, is_span, metadata_mentions, parse_attribute,
    tool_output,
};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "openinference";

/// Reader of OpenInference spans.
pub(crate) struct OpenInference;

impl Reader for OpenInference {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "OpenInference spans",
            recognised_by: "spans with `openinference.span.kind` or `llm.input_messages`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        let Some(record) = head.record().filter(|_| head.shape != Shape::Zip) else { return false };
        if is_langfuse(record) {
            return metadata_mentions(record, &["openinference.span.kind", "llm.input_messages"]);
        }
        is_span(record, |name| {
            name.starts_with("openinference.")
                || name == "openinference"
                || name.starts_with("llm.input_messages")
        })
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        read_spans(NAME, input, sink, read_attributes)
    }
}

fn read_attributes(span: &mut Span, attributes: &Attributes<'_>, problems: &mut Vec<Problem>) {
    span.kind = match attributes.text("openinference.span.kind") {
        Some("LLM") => SpanKind::Model,
        Some("TOOL") => SpanKind::Tool,
        Some("AGENT") => SpanKind::Agent,
        None if attributes.text("llm.model_name").is_some() => SpanKind::Model,
        _ => SpanKind::Other,
    };
    span.conversation = attributes.text("session.id").map(str::to_owned).or(span.conversation.take());
    match span.kind {
        SpanKind::Tool => span.tool = Some(tool_run(span, attributes)),
        SpanKind::Agent => {
            span.agent = attributes
                .first_text(&["agent.name", "graph.node.id"])
                .map(str::to_owned)
                .or_else(|| Some(span.name.clone()));
        }
        SpanKind::Model => read_model(span, attributes, problems),
        SpanKind::Other => {}
    }
}

fn read_model(span: &mut Span, attributes: &Attributes<'_>, problems: &mut Vec<Problem>) {
    span.model = attributes.text("llm.model_name").map(str::to_owned);
    span.usage = usage(attributes);
    span.input = messages_of(&Value::Array(attributes.list("llm.input_messages")));
    span.output = messages_of(&Value::Array(attributes.list("llm.output_messages")));
    if span.input.is_empty() {
        span.input = value_messages(span, attributes, "input.value", Role::User, problems);
    }
    let whole = value_messages(span, attributes, "output.value", Role::Assistant, problems);
    if span.output.is_empty() {
        span.output = whole;
    } else if let Some(finish) = whole.last().and_then(|message| message.finish.clone()) {
        span.finish = Some(finish);
    }
    span.finish = span.finish.take().or_else(|| attributes.text("llm.finish_reason").map(str::to_owned));
}

/// Messages of `input.value` or `output.value`, which hold the request and reply as a JSON string or a text.
fn value_messages(
    span: &mut Span,
    attributes: &Attributes<'_>,
    name: &str,
    role: Role,
    problems: &mut Vec<Problem>,
) -> Vec<Message> {
    let Some(value) = attributes.value(name) else { return Vec::new() };
    let value = match parse_attribute(value) {
        Parsed::Whole(Value::String(text)) if !text.is_empty() => {
            let mut message = Message::new(role);
            message.parts.push(Part::Text(text));
            return vec![message];
        }
        Parsed::Whole(value) => return messages_of(&value),
        Parsed::Cut(value) => value,
        Parsed::Lost => Value::Null,
    };
    if role == Role::Assistant && span.output.is_empty() {
        span.is_output_cut = true;
    }
    problems.push(
        Problem::new("", format!("attribute `{name}` is cut to invalid JSON, expected whole messages"))
            .line(span.line)
            .record(span.id.clone())
            .hint("raise OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT; what stands before the cut is read"),
    );
    messages_of(&value)
}

fn tool_run(span: &Span, attributes: &Attributes<'_>) -> ToolRun {
    let name = attributes.text("tool.name").unwrap_or(&span.name).to_owned();
    ToolRun {
        call_id: attributes.first_text(&["tool_call.id", "tool.id"]).map(str::to_owned),
        arguments: ["input.value", "tool.parameters", "tool_call.function.arguments"]
            .iter()
            .find_map(|key| attributes.value(key))
            .map(raw_text),
        result: attributes.value("output.value").map(|value| match parse_attribute(value) {
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

fn usage(attributes: &Attributes<'_>) -> Option<Usage> {
    let usage = Usage {
        input: attributes.count(&["llm.token_count.prompt"]),
        cached: attributes.count(&["llm.token_count.prompt_details.cache_read"]),
        output: attributes.count(&["llm.token_count.completion"]),
        reasoning: attributes.count(&["llm.token_count.completion_details.reasoning"]),
    };
    (usage != Usage::default()).then_some(usage)
}
