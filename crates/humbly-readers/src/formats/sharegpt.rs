//! `ShareGPT` conversations: `conversations` of `from` and `value`, as training sets and their loaders write them.
//!
//! 1. A call is a message of its own (`function_call`, its value is JSON) or a tag in the agent's text; either way
//!    the agent's messages in a row are one turn.
//! 2. The prompt of the system may stand beside the list.
//! 3. A file is one document that lists records, or JSONL of them.

use humbly_types::{Problem, Trajectory};
use serde_json::{Value, json};

use crate::builder::Builder;
use crate::chat::{ChatMessages, Grouping};
use crate::chat_record::describe;
use crate::content::str_field;
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, trajectory_id};
use crate::registry::{FormatInfo, Reader, Sink};
use crate::tagged;

const NAME: &str = "sharegpt";

/// Reader of `ShareGPT` conversations.
pub(crate) struct ShareGpt;

impl Reader for ShareGpt {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "ShareGPT conversations",
            recognised_by: "`conversations`, a list of `from` and `value`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines)
            && (head.record().is_some_and(|record| turns_of(record).is_some())
                || head.items().iter().take(5).any(|item| turns_of(item).is_some()))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut foreign: Option<(u64, u64)> = None;
        for_each_value(input, sink, |line, value, sink| {
            let (first, records) = match (line, value) {
                (None, Value::Array(items)) if !is_turns(&items) => (1, items),
                (line, value) => (line.unwrap_or(0), vec![value]),
            };
            for (number, record) in (first..).zip(&records) {
                if let Some(turns) = turns_of(record) {
                    let number = (number > 0).then_some(number);
                    sink.trajectory(trajectory(input, number, line, record, turns));
                } else {
                    foreign.get_or_insert((number.max(1), 0)).1 += 1;
                }
            }
        })?;
        if let Some((line, count)) = foreign {
            let message = format!("{count} records without a conversation, the first here");
            sink.problem(
                Problem::new(&*input.path, message)
                    .line(line)
                    .hint("expected `conversations`, a list of `from` and `value`"),
            );
        }
        Ok(())
    }
}

/// The messages of a record, or of a bare list.
fn turns_of(record: &Value) -> Option<&[Value]> {
    let list = match record {
        Value::Array(items) => items,
        _ => ["conversations", "conversation"].iter().find_map(|key| record.get(*key)?.as_array())?,
    };
    is_turns(list).then_some(list)
}

fn is_turns(items: &[Value]) -> bool {
    let is_turn = |item: &Value| str_field(item, "from").is_some() && item.get("value").is_some();
    !items.is_empty() && items.iter().take(50).all(is_turn)
}

fn trajectory(
    input: &Input,
    number: Option<u64>,
    line: Option<u64>,
    record: &Value,
    turns: &[Value],
) -> Trajectory {
    let mut builder = Builder::new(NAME, &input.path, trajectory_id(input, number));
    describe(&mut builder, record);
    let mut chat = ChatMessages::new(Grouping::Consecutive);
    if let Some(system) = str_field(record, "system").filter(|text| !text.is_empty()) {
        chat.add(&mut builder, &json!({"role": "system", "content": system}), line.unwrap_or(1));
    }
    for (index, turn) in turns.iter().enumerate() {
        chat.add(&mut builder, &chat_message(turn), line.unwrap_or(index as u64 + 1));
    }
    builder.finish()
}

/// One message in the form of a chat list.
fn chat_message(turn: &Value) -> Value {
    let value = turn.get("value").unwrap_or(&Value::Null);
    match str_field(turn, "from").unwrap_or_default() {
        "human" | "user" => json!({"role": "user", "content": value}),
        "gpt" | "chatgpt" | "assistant" | "model" => json!({"role": "assistant", "content": value}),
        // What is no JSON stays visible text, so that nothing is lost.
        "function_call" | "tool_call" => match calls_in(value) {
            Some(calls) => json!({"role": "assistant", "content": "", "tool_calls": calls}),
            None => json!({"role": "assistant", "content": value}),
        },
        "observation" | "tool" | "function" | "function_response" | "tool_response" => {
            let is_tagged = value.as_str().is_some_and(|text| tagged::take_responses(text).is_some());
            json!({"role": if is_tagged { "user" } else { "tool" }, "content": value})
        }
        other => json!({"role": other, "content": value}),
    }
}

/// The calls of a message that holds nothing else, as a list.
fn calls_in(value: &Value) -> Option<Value> {
    let parsed = match value {
        Value::String(text) => serde_json::from_str(text).ok()?,
        other => other.clone(),
    };
    let has_name = |call: &Value| str_field(call, "name").is_some();
    match parsed {
        Value::Array(calls) if !calls.is_empty() && calls.iter().all(has_name) => Some(Value::Array(calls)),
        call @ Value::Object(_) if has_name(&call) => Some(Value::Array(vec![call])),
        _ => None,
    }
}
