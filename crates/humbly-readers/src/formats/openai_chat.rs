//! Chat message lists of the `OpenAI` form, bare or in the wrappers that harnesses put around them.
//!
//! Bare list, `{messages}`, `{prompt, completion}` (verifiers), `{traj}` (tau-bench), `{request, response}`,
//! a chat completion, a document that lists such records, JSONL of them, JSONL of single messages.
//! References stay in `references`; nothing says whether a call failed.

use humbly_types::{Problem, Trajectory};
use serde_json::Value;

use crate::builder::Builder;
use crate::chat::{add_chat_messages, is_chat_message};
use crate::chat_record::{describe, is_chat_record, set_ending, take_messages};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, trajectory_id};
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "openai-chat";
/// Keys under which a document lists its records.
const RECORDS: &[&str] =
    &["results", "data", "rollouts", "trajectories", "samples", "simulations", "conversations"];

/// Reader of chat message lists.
pub(crate) struct OpenAiChat;

impl Reader for OpenAiChat {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "OpenAI chat messages",
            recognised_by: "lists of `role` and `content`, bare or under `messages`, `traj`, `prompt` and \
                            `completion`, `request` and `response`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        match head.shape {
            Shape::Document | Shape::Lines => head.record().is_some_and(|record| {
                is_chat_record(record)
                    || (head.shape == Shape::Lines && is_chat_message(record))
                    || records_in(record).is_some()
            }),
            Shape::Zip | Shape::Text => false,
        }
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut state = State::default();
        for_each_value(input, sink, |line, value, sink| match line {
            Some(line) => state.add_line(input, line, value, sink),
            None => state.add_document(input, value, sink),
        })?;
        state.finish(input, sink);
        Ok(())
    }
}

/// The records that a document lists.
fn records_in(document: &Value) -> Option<&Vec<Value>> {
    let items = match document {
        Value::Array(items) => items,
        Value::Object(_) => RECORDS.iter().find_map(|key| document.get(*key)?.as_array())?,
        _ => return None,
    };
    items.iter().take(5).any(is_chat_record).then_some(items)
}

#[derive(Default)]
struct State {
    /// JSONL of single messages.
    loose: Vec<(u64, Value)>,
    /// A request with its response, held back while later lines may repeat it.
    pending: Option<Exchange>,
    /// Records without messages: the first and how many.
    foreign: Option<(u64, u64)>,
}

struct Exchange {
    line: u64,
    messages: Vec<Value>,
    record: Value,
}

impl State {
    fn add_document(&mut self, input: &Input, mut document: Value, sink: &mut dyn Sink) {
        if is_chat_record(&document) {
            let messages = take_messages(&mut document);
            sink.trajectory(trajectory(input, None, &document, &messages, |index| index as u64 + 1));
            return;
        }
        let records = match document {
            Value::Array(items) => items,
            Value::Object(mut fields) => RECORDS
                .iter()
                .find_map(|key| match fields.remove(*key) {
                    Some(Value::Array(items)) => Some(items),
                    _ => None,
                })
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        for (number, mut record) in (1..).zip(records) {
            if is_chat_record(&record) {
                let messages = take_messages(&mut record);
                let id = Some(number);
                sink.trajectory(trajectory(input, id, &record, &messages, |index| index as u64 + 1));
            } else {
                self.count_foreign(number);
            }
        }
    }

    fn add_line(&mut self, input: &Input, line: u64, mut record: Value, sink: &mut dyn Sink) {
        if is_chat_record(&record) {
            let is_exchange = record.get("request").is_some() || record.get("choices").is_some();
            let messages = take_messages(&mut record);
            let exchange = Exchange { line, messages, record };
            if !is_exchange {
                exchange.give(input, sink);
                return;
            }
            // A proxy logs each request with all that was said before: the last one holds the whole.
            if let Some(before) = self.pending.take()
                && !exchange.messages.starts_with(&before.messages)
            {
                before.give(input, sink);
            }
            self.pending = Some(exchange);
        } else if is_chat_message(&record) {
            self.loose.push((line, record));
        } else {
            self.count_foreign(line);
        }
    }

    fn count_foreign(&mut self, line: u64) {
        let (_, count) = self.foreign.get_or_insert((line, 0));
        *count += 1;
    }

    fn finish(self, input: &Input, sink: &mut dyn Sink) {
        if let Some(exchange) = self.pending {
            exchange.give(input, sink);
        }
        if !self.loose.is_empty() {
            let (lines, messages): (Vec<u64>, Vec<Value>) = self.loose.into_iter().unzip();
            let line_of = |index: usize| lines.get(index).copied().unwrap_or_default();
            sink.trajectory(trajectory(input, None, &Value::Null, &messages, line_of));
        }
        if let Some((line, count)) = self.foreign {
            sink.problem(
                Problem::new(&*input.path, format!("{count} records without chat messages, the first here"))
                    .line(line)
                    .hint(
                        "expected `messages`, `traj`, `prompt` and `completion`, or `request` and `response`",
                    ),
            );
        }
    }
}

impl Exchange {
    fn give(self, input: &Input, sink: &mut dyn Sink) {
        let line = self.line;
        sink.trajectory(trajectory(input, Some(line), &self.record, &self.messages, |_| line));
    }
}

fn trajectory(
    input: &Input,
    number: Option<u64>,
    record: &Value,
    messages: &[Value],
    line_of: impl Fn(usize) -> u64,
) -> Trajectory {
    let mut builder = Builder::new(NAME, &input.path, trajectory_id(input, number));
    describe(&mut builder, record);
    add_chat_messages(&mut builder, messages, line_of);
    set_ending(&mut builder, record, messages);
    builder.finish()
}
