//! Anthropic messages: a response, a request with its response, a list of messages, or recordings of them.
//!
//! 1. One response is one turn, also where the API ran tools inside it.
//! 2. Text in several blocks around citations is one text.
//! 3. A response that was refused has no final answer, but a turn.

use humbly_types::Problem;
use serde_json::Value;

use super::claude::{Chain, LineMarks, Message};
use super::exchanges::{Exchange, Grammar, exchanges, unwrapped_ref};
use crate::content::{str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "anthropic-messages";

/// Block types that only this API has.
const OWN_BLOCKS: &[&str] = &[
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "mcp_tool_use",
    "mcp_tool_result",
    "web_search_tool_result",
    "web_fetch_tool_result",
];

const GRAMMAR: Grammar = Grammar { sent: "messages", system: "system", is_response, is_item };

/// Reader of Anthropic messages.
pub(crate) struct AnthropicMessages;

impl Reader for AnthropicMessages {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Anthropic messages",
            recognised_by: "a response (`type` message, `role` assistant, `content` list), or `messages` with \
                            blocks of type tool_use, tool_result or thinking",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        if matches!(head.shape, Shape::Zip | Shape::Text) {
            return false;
        }
        let Some(record) = head.record() else { return false };
        match record {
            Value::Array(items) => {
                items.iter().any(|item| is_own(&unwrapped_ref(item)))
                    && items.iter().all(|item| item.get("role").is_some() || is_own(&unwrapped_ref(item)))
            }
            _ => is_own(&unwrapped_ref(record)),
        }
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let exchanges = exchanges(input, &GRAMMAR, sink)?;
        let is_single = exchanges.len() == 1;
        for (index, exchange) in exchanges.iter().enumerate() {
            let id = match &exchange.id {
                Some(id) => id.clone(),
                None if is_single => input.stem().to_owned(),
                None => format!("{}/{}", input.stem(), index + 1),
            };
            read_exchange(exchange, input, id, sink);
        }
        Ok(())
    }
}

fn is_response(value: &Value) -> bool {
    str_field(value, "type") == Some("message")
        && str_field(value, "role") == Some("assistant")
        && value.get("content").is_some_and(Value::is_array)
}

fn is_item(value: &Value) -> bool {
    value.get("role").is_some() && value.get("content").is_some()
}

fn has_own_blocks(message: &Value) -> bool {
    let Some(Value::Array(blocks)) = message.get("content") else { return false };
    message.get("role").is_some()
        && blocks.iter().any(|block| {
            // Chat lists of other providers hold thinking as a list of parts.
            str_field(block, "type").is_some_and(|kind| OWN_BLOCKS.contains(&kind))
                && block.get("thinking").is_none_or(Value::is_string)
        })
}

fn is_own(record: &Value) -> bool {
    if is_response(record) || has_own_blocks(record) {
        return true;
    }
    let request = record.get("request").unwrap_or(record);
    let in_messages = match request.get("messages") {
        Some(Value::Array(messages)) => messages.iter().any(has_own_blocks),
        _ => false,
    };
    let in_response = ["response", "completion"]
        .iter()
        .any(|key| record.get(*key).is_some_and(|value| is_response(&unwrapped_ref(value))));
    in_messages || in_response
}

fn read_exchange(exchange: &Exchange, input: &Input, id: String, sink: &mut dyn Sink) {
    let mut chain = Chain::new(NAME, &input.path, id);
    chain.builder.meta().sample_id.clone_from(&exchange.id);
    let (system, _) = text_of(&exchange.system, "\n");
    if !system.is_empty() {
        chain.builder.system(system, exchange.line);
    }
    for (index, message) in exchange.sent.iter().enumerate() {
        add(&mut chain, message, index as u64 + 1);
    }
    if let Some(response) = &exchange.response {
        let line = exchange.sent.len() as u64 + exchange.line;
        add(&mut chain, response, line);
    }
    sink.trajectory(chain.finish());
}

fn add(chain: &mut Chain, value: &Value, line: u64) {
    let text = value.to_string();
    let marks = LineMarks { line, ..LineMarks::default() };
    let Ok(message) = serde_json::from_str::<Message<'_>>(&text) else {
        chain.builder.warn("an item that is no message", line);
        return;
    };
    match message.role.get() {
        Some("assistant") => chain.assistant(&message, &marks),
        Some("system") => {
            let (text, _) = text_of(value.get("content").unwrap_or(&Value::Null), "\n");
            chain.builder.system(text, line);
        }
        Some("user") => {
            chain.user(&message, &marks);
        }
        _ => chain.builder.warn("a message of an unknown role", line),
    }
}
