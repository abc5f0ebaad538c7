//! A session file replayed to the messages that stand at its end.

use std::collections::HashMap;

use humbly_types::Problem;
use serde_json::{Map, Value};

use crate::content::str_field;
use crate::input::Input;
use crate::records::for_each_value;
use crate::registry::Sink;

/// A session: its header and its messages, each with line (JSONL) or index (document).
#[derive(Debug, Default)]
pub(super) struct Session {
    /// `sessionId`, `projectHash`, times.
    pub(super) header: Value,
    /// The messages that were not rewound.
    pub(super) messages: Vec<(u64, Value)>,
    /// Records that are neither header, message nor change, with their lines.
    pub(super) foreign: Vec<(String, u64)>,
}

impl Session {
    /// Reads a session.
    ///
    /// # Errors
    /// A [`Problem`] where the file cannot be read.
    pub(super) fn read(input: &Input, sink: &mut dyn Sink) -> Result<Self, Problem> {
        let mut replay = Replay::default();
        for_each_value(input, sink, |line, value, _| replay.record(line, value))?;
        let Replay { header, messages, foreign, .. } = replay;
        Ok(Self { header: Value::Object(header), messages, foreign })
    }
}

#[derive(Default)]
struct Replay {
    header: Map<String, Value>,
    /// In order of first appearance; a rewritten message keeps its place.
    messages: Vec<(u64, Value)>,
    places: HashMap<String, usize>,
    foreign: Vec<(String, u64)>,
}

impl Replay {
    fn record(&mut self, line: Option<u64>, mut record: Value) {
        let number = line.unwrap_or(1);
        if let Some(id) = str_field(&record, "$rewindTo") {
            let keep = self.places.get(id).copied().unwrap_or(0);
            self.messages.truncate(keep);
            self.places.retain(|_, place| *place < keep);
        } else if let Some(set) = record.get_mut("$set") {
            let set = set.take();
            self.change(set, line);
        } else if record.get("sessionId").is_some() {
            self.change(record, line);
        } else if record.get("id").is_some() && record.get("type").is_some() {
            self.put(number, record);
        } else {
            self.foreign.push(("a record that is neither header, message nor change".to_owned(), number));
        }
    }

    /// Takes over the fields of the session; its messages replace all.
    fn change(&mut self, fields: Value, line: Option<u64>) {
        let Value::Object(mut fields) = fields else { return };
        if let Some(Value::Array(messages)) = fields.remove("messages") {
            self.messages.clear();
            self.places.clear();
            for (index, message) in (1..).zip(messages) {
                self.put(line.unwrap_or(index), message);
            }
        }
        self.header.extend(fields);
    }

    fn put(&mut self, line: u64, message: Value) {
        let known = str_field(&message, "id").and_then(|id| self.places.get(id)).copied();
        if let Some(place) = known.and_then(|place| self.messages.get_mut(place)) {
            *place = (line, message);
            return;
        }
        if let Some(id) = str_field(&message, "id") {
            self.places.insert(id.to_owned(), self.messages.len());
        }
        self.messages.push((line, message));
    }
}
