//! LangChain message lists: `messages_to_dict`, `dumpd` and `model_dump`.
//!
//! A document is a list of messages or a state with `messages`; JSONL holds one state or one message a line.

use std::sync::Arc;

use humbly_types::{Problem, Role, StopKind, Trajectory, Usage};
use serde_json::Value;

use crate::builder::Builder;
use crate::content::str_field;
use crate::detect::{Head, Shape};
use crate::formats::message::{Message, messages_of, unwrapped};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "langchain";

/// Reader of LangChain messages.
pub(crate) struct LangChain;

impl Reader for LangChain {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "LangChain messages",
            recognised_by: "messages with `lc` and `kwargs`, `type` and `data`, or `type` human / ai",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        let Some(record) = head.record() else { return false };
        match head.shape {
            Shape::Document | Shape::Lines => {
                is_message(record)
                    || list_of(record).is_some_and(|items| items.iter().take(20).any(is_conversational))
            }
            Shape::Zip | Shape::Text => false,
        }
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let lines = input.first_bytes(64 << 10)?;
        let first = lines.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if serde_json::from_slice::<Value>(first).is_ok_and(|record| record.is_object() || record.is_array())
        {
            return read_lines(input, sink);
        }
        let document = input.document(sink)?;
        emit(&document, input, input.stem(), 1, sink);
        Ok(())
    }
}

fn read_lines(input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
    let mut single = Vec::new();
    let mut states = 0_usize;
    input.lines()?.for_each_record(sink, |line, record: Value, sink| {
        if is_message(&record) {
            single.push((line, record));
            return;
        }
        states += 1;
        let id = if line == 1 { input.stem().to_owned() } else { format!("{}:{line}", input.stem()) };
        emit(&record, input, &id, line, sink);
    })?;
    if !single.is_empty() {
        let (lines, records): (Vec<u64>, Vec<Value>) = single.into_iter().unzip();
        let id = if states == 0 { input.stem().to_owned() } else { format!("{}:messages", input.stem()) };
        if let Some(trajectory) = trajectory(&records, &lines, &input.path, &id) {
            sink.trajectory(trajectory);
        }
    }
    Ok(())
}

fn emit(record: &Value, input: &Input, id: &str, line: u64, sink: &mut dyn Sink) {
    let Some(items) = list_of(record) else {
        sink.problem(
            Problem::new(&*input.path, "no list of messages, expected LangChain messages or a state")
                .line(line)
                .hint("dump the messages with `messages_to_dict`, `dumpd` or `model_dump`"),
        );
        return;
    };
    let lines: Vec<u64> = (1..=items.len() as u64).collect();
    match trajectory(items, &lines, &input.path, id) {
        Some(mut trajectory) => {
            if trajectory.run_id.is_none() {
                trajectory.run_id = str_field(record, "thread_id").map(str::to_owned);
            }
            sink.trajectory(trajectory);
        }
        None => sink.problem(Problem::new(&*input.path, "no message could be read").line(line)),
    }
}

fn trajectory(items: &[Value], lines: &[u64], path: &Arc<str>, id: &str) -> Option<Trajectory> {
    let mut builder = Builder::new(NAME, path, id);
    let mut usage = Usage::default();
    let mut last: Option<Message> = None;
    for (message, line) in merged(items, lines, &mut builder) {
        message.add_to(&mut builder, line);
        if message.role == Role::Assistant {
            add_usage(&mut usage, message.usage);
            last = Some(message);
        } else if message.role == Role::User {
            last = None;
        }
    }
    if builder.is_empty() {
        return None;
    }
    if let Some((kind, raw)) = last.as_ref().and_then(|message| stop_of(message.finish.as_deref()?)) {
        builder.stop(kind, Some(raw));
    }
    builder.meta().usage = usage;
    Some(builder.finish())
}

/// The messages with their places; streamed pieces become one message.
fn merged(items: &[Value], lines: &[u64], builder: &mut Builder) -> Vec<(Message, u64)> {
    let mut messages: Vec<(Message, u64)> = Vec::new();
    for (item, line) in items.iter().zip(lines) {
        let parsed = messages_of(std::slice::from_ref(item).first().unwrap_or(&Value::Null));
        if parsed.is_empty() {
            let kind = str_field(unwrapped(item), "type").unwrap_or("none");
            builder.warn(format!("unknown message type {kind}"), *line);
        }
        for message in parsed {
            match messages.last_mut() {
                Some((known, _)) if known.is_chunk && same_message(known, &message) => {
                    if message.is_chunk {
                        known.absorb(message);
                    } else {
                        *known = message;
                    }
                }
                _ => messages.push((message, *line)),
            }
        }
    }
    messages
}

fn same_message(known: &Message, message: &Message) -> bool {
    message.role == Role::Assistant && (known.id == message.id || message.is_chunk && message.id.is_none())
}

/// The kind of end that a finish reason names, where it names one.
pub(crate) fn stop_of(finish: &str) -> Option<(StopKind, &str)> {
    let kind = match finish.to_ascii_lowercase().as_str() {
        "length" | "max_tokens" | "max_output_tokens" | "model_context_window_exceeded" => StopKind::Limit,
        "content_filter" | "refusal" | "safety" => StopKind::Refused,
        "stop" | "end_turn" | "stop_sequence" | "completed" => StopKind::Completed,
        "error" => StopKind::Error,
        _ => return None,
    };
    Some((kind, finish))
}

/// Adds counts to a sum; what no message states stays unknown.
pub(crate) fn add_usage(sum: &mut Usage, usage: Option<Usage>) {
    let Some(usage) = usage else { return };
    for (total, part) in [
        (&mut sum.input, usage.input),
        (&mut sum.cached, usage.cached),
        (&mut sum.output, usage.output),
        (&mut sum.reasoning, usage.reasoning),
    ] {
        if let Some(part) = part {
            *total = Some(total.unwrap_or(0).saturating_add(part));
        }
    }
}

fn list_of(record: &Value) -> Option<&[Value]> {
    let list = match record {
        Value::Array(items) => items,
        Value::Object(_) => {
            let holder = record.get("values").filter(|values| values.is_object()).unwrap_or(record);
            holder.get("messages")?.as_array()?
        }
        _ => return None,
    };
    Some(list)
}

/// Whether this is a message in one of the three encodings.
pub(crate) fn is_message(value: &Value) -> bool {
    if value.get("lc").is_some() && value.get("kwargs").is_some() {
        return str_field(&value["kwargs"], "type").is_some();
    }
    let known =
        matches!(str_field(value, "type"), Some("human" | "ai" | "system" | "tool" | "AIMessageChunk"));
    known && value.get("role").is_none() && (has_content(value) || value.get("data").is_some_and(has_content))
}

fn has_content(value: &Value) -> bool {
    value.get("content").is_some()
}

/// A message that tells LangChain from other lists: of a person or a model.
fn is_conversational(value: &Value) -> bool {
    is_message(value)
        && matches!(str_field(unwrapped(value), "type"), Some("human" | "ai" | "AIMessageChunk"))
}
