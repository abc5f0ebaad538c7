//! An Anthropic message, borrowed from the line that holds it.

use std::borrow::Cow;
use std::fmt;

use humbly_types::Usage;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::fields::{Count, Flag, Object, PartsText, Text};

/// A message of a user or of the model.
#[derive(Default, Deserialize)]
pub(crate) struct Message<'a> {
    /// Id of the API response.
    #[serde(borrow, default)]
    pub(crate) id: Text<'a>,
    /// `user`, `assistant`, `system`.
    #[serde(borrow, default)]
    pub(crate) role: Text<'a>,
    /// Model that answered.
    #[serde(borrow, default)]
    pub(crate) model: Text<'a>,
    /// What it says.
    #[serde(borrow, default)]
    pub(crate) content: Content<'a>,
    /// Why the model stopped; null in most session files.
    #[serde(borrow, default)]
    pub(crate) stop_reason: Text<'a>,
    /// Token counts.
    #[serde(default)]
    usage: Object<UsageFields>,
}

impl Message<'_> {
    /// Token counts in the terms of a step; absent where the log has none.
    pub(crate) fn usage(&self) -> Option<Usage> {
        self.usage.0.as_ref().map(UsageFields::usage)
    }
}

impl UsageFields {
    /// Token counts in the terms of a step.
    pub(crate) fn usage(&self) -> Usage {
        let usage = self;
        let prompt = [usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens];
        let input = prompt
            .iter()
            .filter_map(|count| count.0)
            .fold(None, |sum: Option<u64>, count| Some(sum.unwrap_or_default().saturating_add(count)));
        let reasoning = usage.output_tokens_details.0.as_ref().and_then(|details| details.thinking_tokens.0);
        Usage { input, cached: usage.cache_read_input_tokens.0, output: usage.output_tokens.0, reasoning }
    }
}

/// Token counts as Anthropic writes them.
#[derive(Deserialize)]
pub(crate) struct UsageFields {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    cache_creation_input_tokens: Count,
    #[serde(default)]
    cache_read_input_tokens: Count,
    #[serde(default)]
    output_tokens: Count,
    #[serde(default)]
    output_tokens_details: Object<OutputDetails>,
}

#[derive(Deserialize)]
struct OutputDetails {
    #[serde(default)]
    thinking_tokens: Count,
}

/// Content of a message.
#[derive(Default)]
pub(crate) enum Content<'a> {
    /// Neither a string nor a list.
    #[default]
    Absent,
    /// A string.
    Text(Cow<'a, str>),
    /// Blocks; items that are no objects are left out.
    Blocks(Vec<Block<'a>>),
}

/// One content block, of any type.
#[derive(Deserialize)]
pub(crate) struct Block<'a> {
    /// Its type.
    #[serde(borrow, rename = "type", default)]
    pub(crate) kind: Text<'a>,
    /// Text of a `text` block.
    #[serde(borrow, default)]
    pub(crate) text: Text<'a>,
    /// Text of a `thinking` block.
    #[serde(borrow, default)]
    pub(crate) thinking: Text<'a>,
    /// Id of a call.
    #[serde(borrow, default)]
    pub(crate) id: Text<'a>,
    /// Name of a tool.
    #[serde(borrow, default)]
    pub(crate) name: Text<'a>,
    /// Arguments of a call.
    #[serde(borrow, default)]
    pub(crate) input: Option<&'a RawValue>,
    /// The call that a result answers.
    #[serde(borrow, default)]
    pub(crate) tool_use_id: Text<'a>,
    /// Content of a result.
    #[serde(borrow, default)]
    pub(crate) content: PartsText<'a>,
    /// Whether the call failed.
    #[serde(default)]
    pub(crate) is_error: Flag,
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string or a list of content blocks")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut blocks = Vec::with_capacity(1);
        while let Some(item) = items.next_element::<Object<Block<'de>>>()? {
            blocks.extend(item.0);
        }
        Ok(Content::Blocks(blocks))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Content::Absent)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Content::Absent)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Content::Absent)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Content::Absent)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Content::Absent)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Content::Absent)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}
