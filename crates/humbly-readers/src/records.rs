//! Records of an input that may be one JSON document or JSONL.

use humbly_types::Problem;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::input::{Input, Lines};
use crate::lenient::parse_record;
use crate::registry::Sink;

/// Calls `each` for every record: once without a line for a document, with its line for JSONL.
pub(crate) fn for_each_value(
    input: &Input,
    sink: &mut dyn Sink,
    mut each: impl FnMut(Option<u64>, Value, &mut dyn Sink),
) -> Result<(), Problem> {
    if is_jsonl(input)? {
        input.lines()?.for_each_record(sink, |line, value, sink| each(Some(line), value, sink))
    } else {
        let document = input.document(sink)?;
        each(None, document, sink);
        Ok(())
    }
}

/// Whether an input is JSONL of more than one line. A first line that is broken does not decide it; the
/// lone bracket of a printed document does.
fn is_jsonl(input: &Input) -> Result<bool, Problem> {
    let mut lines = input.lines()?;
    Ok(match next_line(&mut lines) {
        LineKind::Record => next_line(&mut lines) != LineKind::End,
        LineKind::Broken => next_line(&mut lines) == LineKind::Record,
        LineKind::Bracket | LineKind::End => false,
    })
}

#[derive(PartialEq, Eq)]
enum LineKind {
    Record,
    Bracket,
    Broken,
    End,
}

fn next_line(lines: &mut Lines) -> LineKind {
    match lines.next_line() {
        Ok(Some(line)) if line.bytes.len() <= 2 => LineKind::Bracket,
        Ok(Some(line)) if parse_record::<IgnoredAny>(line.bytes).is_ok() => LineKind::Record,
        Ok(Some(_)) | Err(_) => LineKind::Broken,
        Ok(None) => LineKind::End,
    }
}

/// Id of a trajectory: the file's stem, with the record's number where the file holds several.
pub(crate) fn trajectory_id(input: &Input, record: Option<u64>) -> String {
    match record {
        Some(number) => format!("{}:{number}", input.stem()),
        None => input.stem().to_owned(),
    }
}

/// The first of these keys that holds a text or a number, as text.
pub(crate) fn text_under(record: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| match record.get(*key) {
        Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    })
}

/// Reference answers of a record, in any of the forms that data sets use.
pub(crate) fn references_under(record: &Value, keys: &[&str]) -> Vec<String> {
    let mut answers = Vec::new();
    if let Some(value) = keys.iter().find_map(|key| record.get(*key).filter(|value| !value.is_null())) {
        collect_answers(value, &mut answers);
    }
    answers
}

fn collect_answers(value: &Value, answers: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.trim().is_empty() => answers.push(text.clone()),
        Value::Number(_) | Value::Bool(_) => answers.push(value.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect_answers(item, answers)),
        Value::Object(fields) => {
            for key in ["target", "value", "answer", "ground_truth", "outputs"] {
                if let Some(inner) = fields.get(key) {
                    collect_answers(inner, answers);
                    return;
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jsonl(text: &'static str) -> bool {
        is_jsonl(&Input::bytes("a", text.as_bytes())).unwrap()
    }

    #[test]
    fn one_line_is_a_document_and_two_are_jsonl() {
        assert!(!jsonl("{\"a\": 1}\n"));
        assert!(jsonl("{\"a\": 1}\n{\"a\""));
        assert!(jsonl("{broken\n{\"a\": 1}\n"));
        assert!(!jsonl("[\n{\"a\": 1}\n]"));
    }

    #[test]
    fn nested_references_become_a_flat_list() {
        let record = serde_json::json!({"answer": [["a"], {"target": "b"}, 3, null]});
        assert_eq!(references_under(&record, &["ground_truth", "answer"]), ["a", "b", "3"]);
    }
}
