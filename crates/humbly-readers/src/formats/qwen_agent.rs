//! Message lists of Qwen-Agent.
//!
//! One generation is several messages here (reasoning, text, one for each call), so assistant messages in
//! a row are one turn. Function ids start again in every generation. A run that the call limit ends, ends
//! with a function message.

use humbly_types::{ErrorOrigin, Problem, StopKind, ToolResult, Trajectory};
use serde_json::Value;

use crate::builder::Builder;
use crate::chat::{ChatMessages, Grouping, is_assistant, result_of};
use crate::chat_record::{describe, is_message_list, take_messages};
use crate::content::str_field;
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, trajectory_id};
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "qwen-agent";

/// Reader of Qwen-Agent message lists.
pub(crate) struct QwenAgent;

impl Reader for QwenAgent {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Qwen-Agent messages",
            recognised_by: "a list of messages with `function_call` and `extra.function_id`, or a \
                            generation split over several assistant messages",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines)
            && head.record().and_then(message_list).is_some_and(is_qwen)
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut snapshot: Option<Record> = None;
        for_each_value(input, sink, |line, mut value, sink| {
            let is_single = value.is_object() && message_list(&value).is_none();
            if is_single || !(value.is_object() || value.is_array()) {
                let problem =
                    Problem::new(&*input.path, "a record without messages, expected a message list");
                sink.problem(problem.line(line.unwrap_or(1)));
                return;
            }
            let messages = take_messages(&mut value);
            let record = Record { line, messages, fields: value };
            // A stream yields the list again and again as it grows: the last of a run is the whole.
            match snapshot.take() {
                Some(before) if !record.continues(&before) => before.give(input, sink),
                _ => {}
            }
            snapshot = Some(record);
        })?;
        if let Some(record) = snapshot {
            record.give(input, sink);
        }
        Ok(())
    }
}

/// The messages of a bare list or of a record.
fn message_list(record: &Value) -> Option<&[Value]> {
    let list = match record {
        Value::Array(_) => record,
        _ => ["messages", "history", "conversation"].iter().find_map(|key| record.get(*key))?,
    };
    is_message_list(list).then(|| list.as_array().map(Vec::as_slice)).flatten()
}

fn is_qwen(messages: &[Value]) -> bool {
    let is_split = messages.windows(2).any(|pair| {
        pair.iter().all(|message| str_field(message, "role").is_some_and(is_assistant))
            && pair[1].get("function_call").is_some()
    });
    is_split
        || messages.iter().any(|message| {
            let extra = message.get("extra").and_then(Value::as_object);
            extra.is_some_and(|extra| extra.is_empty() || extra.contains_key("function_id"))
                || (str_field(message, "role") == Some("function") && is_failure(message))
        })
}

fn is_failure(message: &Value) -> bool {
    failure_text(&crate::content::text_of(message.get("content").unwrap_or(&Value::Null), "\n").0)
}

/// The fixed texts by which Qwen-Agent reports that a tool failed.
fn failure_text(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("An error occurred when calling tool `")
        || (text.starts_with("Tool ")
            && text.lines().next().is_some_and(|line| line.trim_end().ends_with(" does not exists.")))
}

struct Record {
    line: Option<u64>,
    messages: Vec<Value>,
    fields: Value,
}

impl Record {
    /// Whether this list is `before`, grown: equal up to its last generation, which may have grown itself.
    fn continues(&self, before: &Record) -> bool {
        let is_agent = |message: &Value| str_field(message, "role").is_some_and(is_assistant);
        let settled =
            before.messages.iter().rposition(|message| !is_agent(message)).map_or(0, |last| last + 1);
        let (rest, growing) = before.messages.split_at(settled);
        self.messages.starts_with(rest)
            && self.messages.len() >= before.messages.len()
            && growing.iter().zip(&self.messages[settled..]).all(|(before, after)| has_grown(before, after))
    }

    fn give(&self, input: &Input, sink: &mut dyn Sink) {
        sink.trajectory(trajectory(input, self));
    }
}

/// Whether every text of a message begins that of a later one.
fn has_grown(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::String(before), Value::String(after)) => after.starts_with(before.trim_end()),
        (Value::Object(before), Value::Object(after)) => before.iter().all(|(key, value)| {
            key == "extra" || after.get(key).is_some_and(|later| has_grown(value, later))
        }),
        (before, after) => before == after,
    }
}

fn trajectory(input: &Input, record: &Record) -> Trajectory {
    let mut builder = Builder::new(NAME, &input.path, trajectory_id(input, record.line));
    describe(&mut builder, &record.fields);
    let mut chat = ChatMessages::new(Grouping::Consecutive);
    let mut last_role = "";
    for (index, message) in record.messages.iter().enumerate() {
        let line = record.line.unwrap_or(index as u64 + 1);
        let role = str_field(message, "role").unwrap_or_default();
        if role == "function" {
            chat.join_result(&mut builder, marked(result_of(message)), line);
        } else {
            chat.add(&mut builder, message, line);
        }
        last_role = role;
    }
    if last_role == "function" {
        builder.stop(StopKind::Limit, Some("the list ends with a function message"));
    }
    builder.finish()
}

fn marked(result: ToolResult) -> ToolResult {
    if result.is_error.is_none() && failure_text(&result.text) {
        return ToolResult { is_error: Some(true), error_origin: ErrorOrigin::TextHeuristic, ..result };
    }
    result
}
