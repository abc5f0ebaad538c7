//! Calls and results that a log holds as tags in text: `<tool_call>`, `<tool_response>`.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::content::{raw_text, str_field};

const CALL: &str = "<tool_call>";
const CALL_END: &str = "</tool_call>";
const FUNCTION: &str = "<function=";
const FUNCTION_END: &str = "</function>";
const RESPONSE: &str = "<tool_response>";
const RESPONSE_END: &str = "</tool_response>";

/// A call found in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaggedCall {
    /// Tool name.
    pub name: String,
    /// Arguments, raw where they are not JSON.
    pub arguments: String,
}

/// Whether text may hold tagged calls.
pub(crate) fn may_hold_calls(text: &str) -> bool {
    text.contains(CALL) || text.contains("✿FUNCTION✿")
}

/// Takes the calls out of visible text. A block in which no tool name can be found stays text.
pub(crate) fn take_calls(text: &str) -> (String, Vec<TaggedCall>) {
    let mut calls = Vec::new();
    let mut visible = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(CALL) {
        let (before, body) = (&rest[..start], &rest[start + CALL.len()..]);
        visible.push_str(before);
        if let Some((call, after)) = read_call(body) {
            calls.push(call);
            rest = after;
        } else {
            visible.push_str(CALL);
            rest = body;
        }
    }
    visible.push_str(rest);
    (visible.trim().to_owned(), calls)
}

/// The call at the start of `body` and the text after its closing tag.
fn read_call(body: &str) -> Option<(TaggedCall, &str)> {
    let mut values = serde_json::Deserializer::from_str(body).into_iter::<Value>();
    if let Some(Ok(value)) = values.next() {
        let (block, after) = block_end(&body[values.byte_offset()..]);
        return Some((json_call(&value, block)?, after));
    }
    let (block, after) = block_end(body);
    let call = function_call(block).or_else(|| {
        let name = NAME.captures(block)?.get(1)?.as_str().to_owned();
        Some(TaggedCall { name, arguments: block.trim().to_owned() })
    })?;
    Some((call, after))
}

static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r#""name"\s*:\s*"([^"\\]+)""#));
static PARAMETER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s)<parameter=([^>\n]+)>\n?(.*?)\n?</parameter>"));

#[expect(clippy::expect_used, reason = "the patterns are constants and compiled by a test")]
fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("invariant: a constant pattern compiles")
}

/// Up to the closing tag, or where it is missing to the next call or the end.
fn block_end(text: &str) -> (&str, &str) {
    let next = text.find(CALL).unwrap_or(text.len());
    match text[..next].find(CALL_END) {
        Some(end) => (&text[..end], &text[end + CALL_END.len()..]),
        None => text.split_at(next),
    }
}

fn json_call(value: &Value, after: &str) -> Option<TaggedCall> {
    let name = str_field(value, "name").or_else(|| str_field(value, "function"))?.to_owned();
    let mut arguments = value
        .get("arguments")
        .or_else(|| value.get("parameters"))
        .cloned()
        .unwrap_or_else(|| Value::Object(Map::new()));
    // The code of an interpreter stands after the JSON, in a tag of its own.
    if let (Some(code), Value::Object(fields)) = (between(after, "<code>", "</code>"), &mut arguments) {
        fields.insert("code".into(), Value::String(code.trim_matches('\n').to_owned()));
    }
    Some(TaggedCall { name, arguments: raw_text(&arguments) })
}

/// `<function=NAME><parameter=KEY>…`.
fn function_call(block: &str) -> Option<TaggedCall> {
    let block = block.trim_start().strip_prefix("<function=")?;
    let (name, inner) = block.split_once('>')?;
    let fields: Map<String, Value> = PARAMETER
        .captures_iter(inner)
        .map(|found| (found[1].to_owned(), Value::String(found[2].to_owned())))
        .collect();
    Some(TaggedCall { name: name.trim().to_owned(), arguments: Value::Object(fields).to_string() })
}

/// Whether text may hold calls written as bare `<function=NAME>` blocks.
pub(crate) fn may_hold_functions(text: &str) -> bool {
    text.contains(FUNCTION)
}

/// Takes bare `<function=NAME>` blocks out of visible text. A block runs to its closing tag, which a stop
/// word may have cut, else to the next block.
pub(crate) fn take_functions(text: &str) -> (String, Vec<TaggedCall>) {
    let mut calls = Vec::new();
    let mut visible = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(FUNCTION) {
        let (before, body) = rest.split_at(start);
        visible.push_str(before);
        let next = body[FUNCTION.len()..].find(FUNCTION).map_or(body.len(), |at| at + FUNCTION.len());
        let (block, after) = match body[..next].find(FUNCTION_END) {
            Some(end) => (&body[..end], &body[end + FUNCTION_END.len()..]),
            None => body.split_at(next),
        };
        if let Some(call) = function_call(block) {
            calls.push(call);
        } else {
            visible.push_str(block);
        }
        rest = after;
    }
    visible.push_str(rest);
    (visible.trim().to_owned(), calls)
}

/// The text between two marks.
pub(crate) fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let start = text.find(open)? + open.len();
    let inner = text.get(start..)?;
    inner.get(..inner.find(close).unwrap_or(inner.len()))
}

/// The text of the last `<answer>` block; one that does not close runs to the end.
pub(crate) fn last_answer(text: &str) -> Option<&str> {
    let start = text.rfind("<answer>")? + "<answer>".len();
    let inner = text.get(start..)?;
    inner.get(..inner.find("</answer>").unwrap_or(inner.len())).map(str::trim)
}

/// Results in a message that starts with one, and the text after the last.
///
/// A closing tag inside retrieved text does not end a result: only one that another result or the end of
/// the results follows.
pub(crate) fn take_responses(text: &str) -> Option<(Vec<&str>, &str)> {
    let body = text.trim_start().strip_prefix(RESPONSE)?;
    let (body, after) = match body.rfind(RESPONSE_END) {
        Some(end) => (&body[..end], body[end + RESPONSE_END.len()..].trim()),
        None => (body, ""),
    };
    let mut results = Vec::new();
    let (mut start, mut search) = (0, 0);
    while let Some(found) = body[search..].find(RESPONSE) {
        let at = search + found;
        if let Some(result) = body[start..at].trim_end().strip_suffix(RESPONSE_END) {
            results.push(result.trim());
            start = at + RESPONSE.len();
        }
        search = at + RESPONSE.len();
    }
    results.push(body[start..].trim());
    Some((results, after))
}

/// What stands between the flower marks of the older Qwen prompt, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marked<'a> {
    /// Text of the agent.
    Text(&'a str),
    /// A call: name and arguments.
    Call(&'a str, &'a str),
    /// A result of the call before.
    Result(&'a str),
}

/// Parts text at `✿FUNCTION✿`, `✿ARGS✿`, `✿RESULT✿` and `✿RETURN✿`; `None` where it holds no call.
pub(crate) fn marked_parts(text: &str) -> Option<Vec<Marked<'_>>> {
    let (before, _) = text.split_once("✿FUNCTION✿")?;
    let mut parts = vec![Marked::Text(before.trim())];
    let mut pieces = text[before.len()..].split('✿').skip(1);
    while let (Some(mark), Some(body)) = (pieces.next(), pieces.next()) {
        let body = body.trim_start_matches([':', '：']).trim();
        match mark {
            "FUNCTION" => parts.push(Marked::Call(body, "{}")),
            "ARGS" => match parts.last_mut() {
                Some(Marked::Call(_, arguments)) => *arguments = body,
                _ => parts.push(Marked::Text(body)),
            },
            "RESULT" if !body.is_empty() => parts.push(Marked::Result(body)),
            "RETURN" => parts.push(Marked::Text(body)),
            _ => {}
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_leave_the_text() {
        let (visible, calls) = take_calls(
            "Look.\n<tool_call>\n{\"name\": \"search\", \"arguments\": {\"q\": [\"a </tool_call>\"]}}\n</tool_call>",
        );
        assert_eq!(visible, "Look.");
        assert_eq!(calls[0].arguments, r#"{"q":["a </tool_call>"]}"#);
    }

    #[test]
    fn code_after_the_json_is_an_argument() {
        let (_, calls) = take_calls(
            "<tool_call>{\"name\":\"python\",\"arguments\":{}}\n<code>\nprint(1)\n</code></tool_call>",
        );
        assert_eq!(calls[0].arguments, r#"{"code":"print(1)"}"#);
    }

    #[test]
    fn broken_and_unclosed_calls_keep_their_name() {
        let (_, calls) = take_calls(
            "<tool_call>{\"name\": \"search\", \"arguments\": {\"q\": \"a\n<tool_call><function=run><parameter=c>\nls\n</parameter></function>",
        );
        assert_eq!(calls.len(), 2);
        assert_eq!((calls[0].name.as_str(), calls[1].name.as_str()), ("search", "run"));
        assert_eq!(calls[1].arguments, r#"{"c":"ls"}"#);
    }

    #[test]
    fn a_mention_stays_text() {
        let (visible, calls) = take_calls("use the <tool_call> tag");
        assert_eq!((visible.as_str(), calls.len()), ("use the <tool_call> tag", 0));
    }

    #[test]
    fn several_results_in_one_message() {
        let (results, after) = take_responses(
            "<tool_response>\na </tool_response> b\n</tool_response>\n<tool_response>c</tool_response>\nGo on.",
        )
        .unwrap();
        assert_eq!(results, ["a </tool_response> b", "c"]);
        assert_eq!(after, "Go on.");
        assert!(take_responses("see <tool_response>").is_none());
    }

    #[test]
    fn no_text_makes_it_panic() {
        proptest::proptest!(|(text in "(<tool_call>|</tool_call>|<tool_response>|</tool_response>|<function=|>|\\{|\"name\": ?\"|é|\"|\n){0,20}")| {
            let _ = take_calls(&text);
            let _ = take_responses(&text);
            let _ = last_answer(&text);
        });
    }
}
