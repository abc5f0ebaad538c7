//! Texts that a log holds once and names as `attachment://…` elsewhere.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

const PROTOCOL: &str = "attachment://";

/// The attachments of one sample; parsed on the first reference.
#[derive(Default)]
pub(super) struct Attachments<'a> {
    by_hash: Option<&'a RawValue>,
    by_index: Vec<String>,
    parsed: OnceCell<HashMap<String, String>>,
}

impl<'a> Attachments<'a> {
    /// The map of a sample entry.
    pub(super) fn by_hash(raw: Option<&'a RawValue>) -> Self {
        Self { by_hash: raw, ..Self::default() }
    }

    /// The sequence of a chunked sample.
    pub(super) fn by_index(texts: Vec<String>) -> Self {
        Self { by_index: texts, ..Self::default() }
    }

    /// The text that a reference names; any other text (and a dangling reference) is itself.
    pub(super) fn resolve<'t>(&'t self, text: &'t str) -> &'t str {
        let Some(key) = text.strip_prefix(PROTOCOL) else { return text };
        let by_index = key.parse().ok().and_then(|index: usize| self.by_index.get(index));
        by_index.or_else(|| self.map().get(key)).map_or(text, String::as_str)
    }

    /// The JSON with the references inside resolved.
    pub(super) fn resolve_json<'t>(&self, json: &'t str) -> Cow<'t, str> {
        if !json.contains(PROTOCOL) {
            return Cow::Borrowed(json);
        }
        match serde_json::from_str::<Value>(json) {
            Ok(mut value) => {
                self.resolve_value(&mut value);
                Cow::Owned(value.to_string())
            }
            Err(_) => Cow::Borrowed(json),
        }
    }

    fn resolve_value(&self, value: &mut Value) {
        match value {
            Value::String(text) if text.starts_with(PROTOCOL) => *text = self.resolve(text).to_owned(),
            Value::Array(items) => items.iter_mut().for_each(|item| self.resolve_value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.resolve_value(field)),
            _ => {}
        }
    }

    fn map(&self) -> &HashMap<String, String> {
        self.parsed.get_or_init(|| {
            self.by_hash
                .and_then(|raw| serde_json::from_str::<HashMap<String, Value>>(raw.get()).ok())
                .unwrap_or_default()
                .into_iter()
                .filter_map(|(key, value)| match value {
                    Value::String(text) => Some((key, text)),
                    _ => None,
                })
                .collect()
        })
    }
}
