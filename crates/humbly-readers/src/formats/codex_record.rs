//! A record of a Codex rollout, read in one pass without what nobody asks for.
//!
//! Half of a rollout repeats the other half (events with whole outputs, encrypted reasoning, rate limits, the
//! history that a compaction kept). It is passed over while it is scanned and never becomes a tree.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::fields::Text;

/// Events that are read; the others repeat items.
const EVENTS: &[&str] = &[
    "token_count",
    "agent_reasoning",
    "agent_message",
    "turn_aborted",
    "error",
    "stream_error",
    "task_complete",
    "turn_complete",
];

/// Fields of payloads that are long and never read.
const UNREAD: &[&str] = &["encrypted_content", "rate_limits", "replacement_history", "sandbox_policy"];

/// One line of a rollout.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Record<'a> {
    pub(super) kind: Option<Cow<'a, str>>,
    pub(super) timestamp: Option<Cow<'a, str>>,
    pub(super) payload: Payload,
}

/// What a record carries.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Payload {
    /// Nothing, as in old rollouts, whose records are the items themselves.
    #[default]
    None,
    /// Something that repeats what stands elsewhere.
    PassedOver,
    /// An item, an event, a head.
    Read(Value),
}

impl<'de: 'a, 'a> Deserialize<'de> for Record<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RecordVisitor)
    }
}

struct RecordVisitor;

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Record<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a record of a rollout, an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut record = Record::default();
        while let Some(Key(key)) = fields.next_key()? {
            match &*key {
                "type" => record.kind = fields.next_value::<Text<'de>>()?.0,
                "timestamp" => record.timestamp = fields.next_value::<Text<'de>>()?.0,
                "payload" => record.payload = fields.next_value()?,
                _ => drop(fields.next_value::<IgnoredAny>()?),
            }
        }
        Ok(record)
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PayloadVisitor)
    }
}

struct PayloadVisitor;

/// A payload of another type than an object is one that says nothing.
macro_rules! odd_payload {
    ($($method:ident($kind:ty)),*) => {
        $(fn $method<E>(self, _: $kind) -> Result<Self::Value, E> { Ok(Payload::PassedOver) })*
    };
}

impl<'de> Visitor<'de> for PayloadVisitor {
    type Value = Payload;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a payload, an object")
    }

    odd_payload!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str));

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Payload::None)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Payload::PassedOver)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut read = Map::new();
        while let Some(Key(key)) = fields.next_key()? {
            if UNREAD.contains(&&*key) {
                fields.next_value::<IgnoredAny>()?;
                continue;
            }
            let value: Value = fields.next_value()?;
            // The kind comes first in what Codex writes.
            if read.is_empty() && key == "type" && value.as_str().is_some_and(is_repeating_event) {
                while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return Ok(Payload::PassedOver);
            }
            read.insert(key.into_owned(), value);
        }
        Ok(Payload::Read(Value::Object(read)))
    }
}

/// Whether this is an event whose outputs stand in an item as well.
fn is_repeating_event(kind: &str) -> bool {
    !EVENTS.contains(&kind)
        && ["_begin", "_end", "_delta", "_diff"].iter().any(|ending| kind.ends_with(ending))
}

/// A key, borrowed where nothing in it is escaped.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(line: &str) -> Record<'_> {
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn long_fields_and_repeating_events_stay_unread() {
        let reasoning = read(
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"reasoning","summary":[],"encrypted_content":"x"}}"#,
        );
        assert_eq!(reasoning.kind.as_deref(), Some("response_item"));
        assert_eq!(reasoning.payload, Payload::Read(json!({"type": "reasoning", "summary": []})));
        let end = read(
            r#"{"type":"event_msg","payload":{"type":"exec_command_end","stdout":"long"},"timestamp":"t"}"#,
        );
        assert_eq!(end.payload, Payload::PassedOver);
        assert_eq!(end.timestamp.as_deref(), Some("t"));
    }

    #[test]
    fn a_record_without_a_payload_is_an_old_one_and_odd_payloads_say_nothing() {
        assert_eq!(read(r#"{"type":"message","role":"user"}"#).payload, Payload::None);
        assert_eq!(read(r#"{"type":7,"payload":null}"#), Record::default());
        for odd in ["7", "[1, 2]", "\"text\"", "true", "-1.5"] {
            assert_eq!(read(&format!(r#"{{"payload":{odd}}}"#)).payload, Payload::PassedOver);
        }
        assert!(serde_json::from_str::<Record<'_>>("[1]").is_err());
    }
}
