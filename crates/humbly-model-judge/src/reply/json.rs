//! One JSON object, alone.
//!
//! Passed over around it: white space, a code fence, a heading with or without an empty list (`Reasoning: []`).
//! Passed over in it: comments, a comma before a closing bracket, raw line breaks in strings. Two values under
//! one name leave open which counts, and prose around the object may quote the judged text: both are unusable.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::{Fields, Labels, Unusable, inside_fence, without_heading};

pub(super) fn label(text: &str, labels: Labels) -> Result<usize, Unusable> {
    let fields = object(text)?;
    let value = fields.get(labels.key).or_else(|| fields.get("label"));
    match value {
        Some(Value::String(word)) => labels.position_or_truth(word.trim()),
        Some(Value::Bool(flag)) => labels.position_or_truth(if *flag { "1" } else { "0" }),
        Some(Value::Number(number)) => labels.position_or_truth(&number.to_string()),
        _ => None,
    }
    .ok_or_else(|| {
        let expected = format!("`{}` or `label` with one of {}", labels.key, labels.words.join(", "));
        Unusable::form(text, expected)
    })
}

/// The fields of the one object that `text` is.
pub(super) fn object(text: &str) -> Result<Fields, Unusable> {
    let unusable = || Unusable::form(text, "one JSON object and nothing else");
    let bare = inside_fence(text);
    let headed = without_heading(bare);
    let body = if headed.len() < bare.len() {
        let rest = headed.trim_start();
        inside_fence(rest.strip_prefix("[]").unwrap_or(rest))
    } else {
        bare
    };
    let plain = plain_json(body);
    let mut reader = serde_json::Deserializer::from_str(&plain);
    let fields = reader.deserialize_map(UniqueFields).map_err(|_| unusable())?;
    reader.end().map_err(|_| unusable())?;
    Ok(fields)
}

struct UniqueFields;

impl<'de> Visitor<'de> for UniqueFields {
    type Value = Fields;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object with each field once")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Fields, A::Error> {
        let mut fields = Fields::new();
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            if fields.insert(name, value).is_some() {
                return Err(serde::de::Error::custom("a field stands twice"));
            }
        }
        Ok(fields)
    }
}

/// `text` without comments and hanging commas, line breaks in strings escaped. One pass.
fn plain_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let (mut in_string, mut escaped) = (false, false);
    while let Some(character) = characters.next() {
        if in_string {
            match character {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                other => out.push(other),
            }
            in_string = character != '"' || escaped;
            escaped = character == '\\' && !escaped;
            continue;
        }
        match (character, characters.peek()) {
            ('/', Some('/')) => while characters.next_if(|next| *next != '\n').is_some() {},
            ('/', Some('*')) => {
                characters.next();
                let mut last = ' ';
                for next in characters.by_ref() {
                    if last == '*' && next == '/' {
                        break;
                    }
                    last = next;
                }
            }
            ('}' | ']', _) => {
                let end = out.trim_end().len();
                if out[..end].ends_with(',') {
                    out.truncate(end - 1);
                }
                out.push(character);
            }
            _ => {
                in_string = character == '"';
                out.push(character);
            }
        }
    }
    out
}
