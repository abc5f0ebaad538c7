//! Contents of the Gemini API: a list of `role` (user, model) and `parts`.

use humbly_types::{Problem, ReasoningOrigin, StopKind, ToolResult, Trajectory};
use serde_json::Value;

use crate::builder::Builder;
use crate::chat::ChatMessages;
use crate::content::{raw_text, str_field};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, text_under, trajectory_id};
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "gemini-contents";

/// Reader of Gemini API contents.
pub(crate) struct GeminiContents;

impl Reader for GeminiContents {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Gemini API contents",
            recognised_by: "a list of `role` and `parts`, bare or under `contents` or `history`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines)
            && head.record().and_then(contents).is_some_and(|items| {
                items
                    .iter()
                    .take(8)
                    .all(|item| item.get("parts").is_some_and(Value::is_array) && item.get("role").is_some())
            })
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        for_each_value(input, sink, |line, value, sink| match contents(&value) {
            Some(items) => sink.trajectory(trajectory(input, line, &value, items)),
            None => sink.problem(
                Problem::new(&*input.path, "a record without contents, expected `role` and `parts`")
                    .line(line.unwrap_or(1)),
            ),
        })
    }
}

fn contents(record: &Value) -> Option<&[Value]> {
    let list = match record {
        Value::Array(_) => Some(record),
        _ => ["/contents", "/history", "/request/contents"].iter().find_map(|path| record.pointer(path)),
    };
    list?.as_array().map(Vec::as_slice).filter(|items| !items.is_empty())
}

fn trajectory(input: &Input, number: Option<u64>, record: &Value, items: &[Value]) -> Trajectory {
    let mut builder = Builder::new(NAME, &input.path, trajectory_id(input, number));
    builder.meta().model = text_under(record, &["model", "modelVersion"]);
    let mut chat = ChatMessages::default();
    let line_of = |index: usize| number.unwrap_or(index as u64 + 1);
    for (index, item) in items.iter().enumerate() {
        add_content(&mut builder, &mut chat, item, line_of(index));
    }
    let candidate = ["/candidates/0", "/response/candidates/0"].iter().find_map(|path| record.pointer(path));
    if let Some(candidate) = candidate {
        if let Some(content) = candidate.get("content") {
            add_content(&mut builder, &mut chat, content, line_of(items.len()));
        }
        if let Some(reason) = str_field(candidate, "finishReason") {
            let kind = match reason {
                "STOP" => StopKind::Completed,
                "MAX_TOKENS" => StopKind::Limit,
                "SAFETY" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "RECITATION" => StopKind::Refused,
                _ => StopKind::Unknown,
            };
            builder.stop(kind, Some(reason));
        }
    }
    builder.finish()
}

fn add_content(builder: &mut Builder, chat: &mut ChatMessages, item: &Value, line: u64) {
    let parts = item.get("parts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if str_field(item, "role") == Some("model") {
        let index = builder.assistant(None, line);
        for part in parts {
            let text = str_field(part, "text").unwrap_or_default();
            if part.get("thought") == Some(&Value::Bool(true)) {
                builder.reasoning(index, text, ReasoningOrigin::Summary);
            } else if let Some(call) = part.get("functionCall").or_else(|| part.get("function_call")) {
                let arguments = call.get("args").map_or_else(|| "{}".to_owned(), raw_text);
                let name = str_field(call, "name").unwrap_or_default();
                chat.add_call(builder, index, str_field(call, "id"), name, &arguments);
            } else {
                builder.text(index, text, "");
            }
        }
        return;
    }
    let mut prompt = String::new();
    for part in parts {
        if let Some(found) = part.get("functionResponse").or_else(|| part.get("function_response")) {
            let response = found.get("response").unwrap_or(&Value::Null);
            let text = ["output", "error", "content", "result"]
                .iter()
                .find_map(|key| response.get(*key))
                .map_or_else(|| raw_text(response), raw_text);
            let result = ToolResult {
                call_id: str_field(found, "id").map(str::to_owned),
                name: str_field(found, "name").map(str::to_owned),
                text,
                ..ToolResult::default()
            };
            chat.join_result(builder, result, line);
        } else {
            prompt.push_str(str_field(part, "text").unwrap_or_default());
        }
    }
    if !prompt.is_empty() {
        builder.user(prompt, line);
    }
}
