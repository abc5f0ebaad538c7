//! LangSmith runs: `post` / `patch` batches, exported runs (JSONL or a list), and Langfuse's `LangGraph` export.
//!
//! Runs are spans: `llm` runs are turns, `tool` runs supply results, and each run repeats the conversation.

use std::collections::HashMap;

use humbly_types::{Problem, Role};
use serde_json::{Map, Value};

use crate::content::{raw_text, str_field};
use crate::detect::{Head, Shape};
use crate::formats::message::{Message, Part, messages_of};
use crate::formats::otel_genai::each_record;
use crate::formats::spans::{
    Attributes, Span, SpanKind, ToolRun, emit_traces, is_langfuse, langfuse_spans, metadata_mentions,
    tool_output,
};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "langsmith";

/// Reader of LangSmith runs.
pub(crate) struct LangSmith;

impl Reader for LangSmith {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "LangSmith runs",
            recognised_by: "`post` / `patch` batches or runs with `run_type` and `dotted_order`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        let Some(record) = head.record().filter(|_| head.shape != Shape::Zip) else { return false };
        if is_langfuse(record) {
            return metadata_mentions(record, &["\"langgraph_step\"", "\"ls_model_type\""])
                && !metadata_mentions(record, &["gen_ai.operation.name", "openinference.span.kind"]);
        }
        batch_runs(record).iter().any(|run| is_run(run))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut runs = Runs::default();
        each_record(input, sink, &mut |line, record, sink| {
            if is_langfuse(&record) {
                let spans = langfuse_spans(&record, &|span: &mut Span, metadata: &Attributes<'_>| {
                    span.model = metadata.text("ls_model_name").map(str::to_owned);
                });
                emit_traces(NAME, input, spans, sink);
                return;
            }
            for (index, run) in batch_runs(&record).into_iter().enumerate() {
                runs.add(run, line.unwrap_or(index as u64 + 1));
            }
        })?;
        let spans = runs.order.iter().filter_map(|id| runs.by_id.get(id)).map(span_of).collect();
        emit_traces(NAME, input, spans, sink);
        Ok(())
    }
}

/// Runs by id: a patch adds to the post of the same run.
#[derive(Default)]
struct Runs {
    order: Vec<String>,
    by_id: HashMap<String, (Map<String, Value>, u64)>,
}

impl Runs {
    fn add(&mut self, run: &Value, line: u64) {
        let Some(fields) = run.as_object() else { return };
        let Some(id) = run_id(run) else { return };
        if let Some((known, _)) = self.by_id.get_mut(&id) {
            for (key, value) in fields {
                if !value.is_null() {
                    known.insert(key.clone(), value.clone());
                }
            }
        } else {
            self.order.push(id.clone());
            self.by_id.insert(id, (fields.clone(), line));
        }
        for child in run.get("child_runs").and_then(Value::as_array).into_iter().flatten() {
            self.add_child(child, line, 0);
        }
    }

    fn add_child(&mut self, run: &Value, line: u64, depth: usize) {
        let mut flat = run.clone();
        let children = flat.as_object_mut().and_then(|fields| fields.remove("child_runs"));
        self.add(&flat, line);
        if depth < 64 {
            for child in children.as_ref().and_then(Value::as_array).into_iter().flatten() {
                self.add_child(child, line, depth + 1);
            }
        }
    }
}

/// The run's id; a patch without one is named by the end of its `dotted_order`.
fn run_id(run: &Value) -> Option<String> {
    if let Some(id) = str_field(run, "id") {
        return Some(id.to_owned());
    }
    let last = str_field(run, "dotted_order")?.rsplit('.').next()?;
    last.split_once('Z').map(|(_, id)| id.to_owned())
}

fn batch_runs(record: &Value) -> Vec<&Value> {
    match record {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => {
            let batch: Vec<&Value> = ["post", "patch", "runs"]
                .iter()
                .filter_map(|key| fields.get(*key)?.as_array())
                .flatten()
                .collect();
            if batch.is_empty() { vec![record] } else { batch }
        }
        _ => Vec::new(),
    }
}

fn is_run(run: &Value) -> bool {
    (run.get("dotted_order").is_some() || run.get("trace_id").is_some())
        && (run.get("run_type").is_some() || run.get("outputs").is_some())
}

fn span_of((run, line): &(Map<String, Value>, u64)) -> Span {
    let text = |key: &str| run.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let id = run_id(&Value::Object(run.clone())).unwrap_or_default();
    let order = text("dotted_order").unwrap_or_default();
    let parent = text("parent_run_id").map(str::to_owned).or_else(|| {
        let (above, _) = order.rsplit_once('.')?;
        Some(above.rsplit('.').next()?.split_once('Z')?.1.to_owned())
    });
    // The last part of the order starts with the start time, so that it sorts over the whole tree.
    let start = order
        .rsplit('.')
        .next()
        .filter(|last| !last.is_empty())
        .map_or_else(|| run.get("start_time").map(raw_text).unwrap_or_default(), str::to_owned);
    let name = text("name").unwrap_or_default().to_owned();
    let null = Value::Null;
    let (inputs, outputs) = (run.get("inputs").unwrap_or(&null), run.get("outputs").unwrap_or(&null));
    let metadata = run.get("extra").and_then(|extra| extra.get("metadata")).unwrap_or(&null);
    let mut span = Span {
        trace: text("trace_id").unwrap_or(&id).to_owned(),
        conversation: ["session_id", "thread_id", "conversation_id"]
            .iter()
            .find_map(|key| str_field(metadata, key))
            .map(str::to_owned),
        parent,
        start,
        timestamp: run.get("start_time").map(raw_text),
        line: *line,
        error: text("error").map(str::to_owned),
        id,
        name,
        ..Span::default()
    };
    match text("run_type") {
        Some("llm") => {
            span.kind = SpanKind::Model;
            span.input = messages_or_prompt(inputs);
            span.output = output_messages(outputs);
            span.model = str_field(metadata, "ls_model_name").map(str::to_owned);
            span.finish = span.output.last().and_then(|message| message.finish.clone());
        }
        Some("tool") => {
            span.kind = SpanKind::Tool;
            let argument =
                inputs.get("input").filter(|_| inputs.as_object().is_some_and(|map| map.len() == 1));
            span.tool = Some(ToolRun {
                call_id: None,
                name: span.name.clone(),
                arguments: (!inputs.is_null()).then(|| raw_text(argument.unwrap_or(inputs))),
                result: (!outputs.is_null()).then(|| tool_run_output(&span.name, outputs)),
            });
            if let Some(run) = &mut span.tool {
                run.call_id = run.result.as_ref().and_then(|result| result.call_id.clone());
            }
        }
        _ => {
            span.input = messages_of(inputs);
            span.output = messages_of(outputs);
        }
    }
    span
}

fn messages_or_prompt(inputs: &Value) -> Vec<Message> {
    let messages = messages_of(inputs);
    if !messages.is_empty() {
        return messages;
    }
    let prompts = inputs.get("prompts").and_then(Value::as_array);
    let prompt =
        prompts.and_then(|prompts| prompts.first()?.as_str()).or_else(|| str_field(inputs, "prompt"));
    text_message(prompt, Role::User)
}

fn output_messages(outputs: &Value) -> Vec<Message> {
    let messages = messages_of(outputs);
    if !messages.is_empty() {
        return messages;
    }
    let generation = outputs.get("generations").and_then(|generations| {
        let first = generations.get(0)?;
        str_field(first, "text").or_else(|| str_field(first.get(0)?, "text"))
    });
    text_message(generation.or_else(|| str_field(outputs, "output")), Role::Assistant)
}

fn text_message(text: Option<&str>, role: Role) -> Vec<Message> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Vec::new() };
    let mut message = Message::new(role);
    message.parts.push(Part::Text(text.to_owned()));
    vec![message]
}

/// The output of a tool run: a tool message, or whatever stands under `output`.
fn tool_run_output(name: &str, outputs: &Value) -> humbly_types::ToolResult {
    let messages = messages_of(outputs);
    if let Some(result) = messages.iter().find_map(|message| message.results().next()) {
        return result.clone();
    }
    tool_output(name, outputs.get("output").unwrap_or(outputs))
}
