//! Message content as text: a string, or a list of parts.

use serde_json::Value;

/// Text of a message content and how many images (or other binary parts) it holds.
///
/// Strings stand for themselves; parts of type `text`, `input_text`, `output_text` and bare strings are
/// joined by `separator`; null is empty.
pub(crate) fn text_of(content: &Value, separator: &str) -> (String, u32) {
    match content {
        Value::Null => (String::new(), 0),
        Value::String(text) => (text.clone(), 0),
        Value::Array(parts) => {
            let mut text = String::new();
            let mut images = 0;
            for part in parts {
                match part_text(part) {
                    Some(piece) => {
                        if !text.is_empty() && !piece.is_empty() {
                            text.push_str(separator);
                        }
                        text.push_str(piece);
                    }
                    None if is_binary(part) => images += 1,
                    None => {}
                }
            }
            (text, images)
        }
        Value::Object(_) => {
            part_text(content).map_or_else(|| (content.to_string(), 0), |piece| (piece.to_owned(), 0))
        }
        other => (other.to_string(), 0),
    }
}

fn part_text(part: &Value) -> Option<&str> {
    match part {
        Value::String(text) => Some(text),
        Value::Object(fields) => match fields.get("text") {
            Some(Value::String(text)) => Some(text),
            Some(Value::Object(inner)) => inner.get("value").and_then(Value::as_str),
            _ => None,
        },
        _ => None,
    }
}

fn is_binary(part: &Value) -> bool {
    ["image", "image_url", "input_image", "audio", "video", "file", "document", "input_audio", "data"]
        .iter()
        .any(|kind| part.get("type").and_then(Value::as_str) == Some(kind) || part.get(kind).is_some())
}

/// A JSON value as the raw text that a log would show: strings bare, all else as JSON.
pub(crate) fn raw_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A string field.
pub(crate) fn str_field<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
