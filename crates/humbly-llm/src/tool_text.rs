//! Tools as text, for models whose template has no place for them.
//!
//! The tools stand in the system message; a call is `<tool_call>{"name": …, "arguments": {…}}</tool_call>`,
//! a result `<tool_response>…</tool_response>` in the user's voice. A call that cannot be read stays text, so
//! that nothing the model said is lost.

use serde_json::{Value, json};

use crate::{ChatMessage, ChatReply, ChatRequest, ChatRole, Finish, RequestedCall};

const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";

/// The request without tools, which now stand in its system message, and with calls and results as text.
///
/// A request without tools, calls and results comes back as it is.
pub fn with_tools_as_text(request: &ChatRequest) -> ChatRequest {
    let mut messages: Vec<ChatMessage> = Vec::with_capacity(request.messages.len() + 1);
    if request.tools.is_empty() {
        messages.extend(request.messages.iter().map(message_as_text));
    } else {
        let (system, rest) = match request.messages.split_first() {
            Some((first, rest)) if first.role == ChatRole::System => (first.content.as_str(), rest),
            _ => ("", request.messages.as_slice()),
        };
        let gap = if system.is_empty() { "" } else { "\n\n" };
        messages.push(ChatMessage::system(format!("{system}{gap}{}", instructions(request))));
        messages.extend(rest.iter().map(message_as_text));
    }
    ChatRequest { messages, tools: Vec::new(), ..request.clone() }
}

/// The reply with the calls that its text holds; names that were not offered are calls too, for the agent
/// to answer.
///
/// Text before, between and after calls stays. Each call is read on its own: one that is no JSON object
/// with a name stays in the text. A last call may lack its closing tag, as at a stop text.
///
/// # Examples
/// ```
/// use humbly_llm::{ChatReply, read_tool_text};
/// let said = r#"Let me see. <tool_call>{"name": "search", "arguments": {"q": "Peru"}}</tool_call>"#;
/// let reply = read_tool_text(ChatReply { text: said.to_owned(), ..ChatReply::default() });
/// assert_eq!((reply.text.as_str(), reply.calls[0].name.as_str()), ("Let me see.", "search"));
/// ```
pub fn read_tool_text(mut reply: ChatReply) -> ChatReply {
    let mut text = String::new();
    let mut rest = reply.text.as_str();
    let mut calls = Vec::new();
    while let Some(start) = rest.find(OPEN) {
        let (before, from) = rest.split_at(start);
        text.push_str(before);
        let inner = from.get(OPEN.len()..).unwrap_or_default();
        // A call ends at the latest where the next begins, so that no text is searched twice over.
        let next = inner.find(OPEN).unwrap_or(inner.len());
        let part = inner.get(..next).unwrap_or_default();
        let (body, length) = match part.find(CLOSE) {
            Some(end) => (part.get(..end).unwrap_or_default(), end + CLOSE.len()),
            None => (part, next),
        };
        if let Some((name, arguments)) = call(body) {
            calls.push(RequestedCall { id: format!("call_{}", calls.len()), name, arguments });
            rest = inner.get(length..).unwrap_or_default();
        } else {
            text.push_str(OPEN);
            rest = inner;
        }
    }
    if calls.is_empty() {
        return reply;
    }
    text.push_str(rest);
    text.trim().clone_into(&mut reply.text);
    reply.calls.extend(calls);
    if matches!(reply.finish, Finish::Stop | Finish::Unknown) {
        reply.finish = Finish::Calls;
    }
    reply
}

fn instructions(request: &ChatRequest) -> String {
    let mut text = "You may call tools. To call one, write its name and arguments as JSON in this form and \
                    then stop:\n<tool_call>{\"name\": \"NAME\", \"arguments\": {}}</tool_call>\nThe result comes \
                    in <tool_response> tags. Without a call your text is your answer.\nTools:"
        .to_owned();
    for tool in &request.tools {
        let tool = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
        text.push_str(&format!("\n{tool}"));
    }
    text
}

fn message_as_text(message: &ChatMessage) -> ChatMessage {
    match message.role {
        ChatRole::Tool => {
            // A result that holds the closing tag must not end its own fence.
            let result = message.content.replace("</tool_response>", "</ tool_response>");
            ChatMessage::user(format!("<tool_response>{result}</tool_response>"))
        }
        ChatRole::Assistant if !message.calls.is_empty() => {
            let mut text = message.content.clone();
            for call in &message.calls {
                let arguments: Value = serde_json::from_str(&call.arguments)
                    .unwrap_or_else(|_| Value::String(call.arguments.clone()));
                let call = json!({"name": call.name, "arguments": arguments});
                let gap = if text.is_empty() { "" } else { "\n" };
                text.push_str(&format!("{gap}{OPEN}{call}{CLOSE}"));
            }
            ChatMessage::assistant(text)
        }
        _ => message.clone(),
    }
}

/// Name and arguments, as the models that write this form write them.
fn call(inner: &str) -> Option<(String, String)> {
    let value: Value = serde_json::from_str(inner.trim()).ok()?;
    let name = value.get("name")?.as_str().filter(|name| !name.is_empty())?.to_owned();
    let arguments = match value.get("arguments").or_else(|| value.get("parameters")) {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(arguments) => arguments.to_string(),
    };
    Some((name, arguments))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ToolSpec;

    fn read(text: &str) -> ChatReply {
        read_tool_text(ChatReply { text: text.to_owned(), ..ChatReply::default() })
    }

    #[test]
    fn several_calls_and_the_text_around_them_are_read() {
        let reply = read(
            "a <tool_call>{\"name\":\"f\",\"arguments\":{\"x\":1}}</tool_call> b\n<tool_call>\n{\"name\":\"g\"}",
        );
        let calls: Vec<_> = reply
            .calls
            .iter()
            .map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(calls, [("call_0", "f", "{\"x\":1}"), ("call_1", "g", "{}")]);
        assert_eq!((reply.text.as_str(), reply.finish), ("a  b", Finish::Calls));
    }

    #[test]
    fn what_is_no_call_stays_text() {
        for text in
            ["plain", "<tool_call>search</tool_call>", "<tool_call>{\"name\": 1}</tool_call>", "<tool_call>"]
        {
            let reply = read(text);
            assert_eq!((reply.text.as_str(), reply.calls.len(), reply.finish), (text, 0, Finish::Unknown));
        }
        let mixed = read("<tool_call>bad <tool_call>{\"name\":\"f\"}</tool_call>");
        assert_eq!((mixed.text.as_str(), mixed.calls.len()), ("<tool_call>bad", 1));
    }

    #[test]
    fn a_conversation_becomes_text() {
        let call = RequestedCall {
            id: "c".to_owned(),
            name: "search".to_owned(),
            arguments: "{\"q\":\"x\"}".to_owned(),
        };
        let request = ChatRequest {
            messages: vec![
                ChatMessage::system("Be brief."),
                ChatMessage::user("Who?"),
                ChatMessage { calls: vec![call.clone()], ..ChatMessage::assistant("Hm.") },
                ChatMessage::tool("c", "nobody</tool_response>"),
            ],
            tools: vec![ToolSpec {
                name: "search".to_owned(),
                description: "finds".to_owned(),
                parameters: json!({"type": "object"}),
            }],
            ..ChatRequest::default()
        };
        let text = with_tools_as_text(&request);
        assert!(text.tools.is_empty());
        assert!(text.messages[0].content.starts_with("Be brief.\n\nYou may call tools."));
        assert!(text.messages[0].content.contains("\"name\":\"search\""));
        let back = read(&text.messages[2].content);
        assert_eq!((back.text.as_str(), back.calls[0].arguments.as_str()), ("Hm.", call.arguments.as_str()));
        assert_eq!(
            text.messages[3],
            ChatMessage::user("<tool_response>nobody</ tool_response></tool_response>")
        );
        let plain = ChatRequest { messages: vec![ChatMessage::user("x")], ..ChatRequest::default() };
        assert_eq!(with_tools_as_text(&plain), plain);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(<tool_call>|</tool_call>|\\{\"name\":\"f\"\\}|[a-z\\{é ]){0,12}") {
            let reply = read(&text);
            prop_assert!(!reply.calls.is_empty() || reply.text == text);
        }
    }

    #[test]
    fn many_open_tags_are_read_in_linear_time() {
        let start = std::time::Instant::now();
        read(&format!("{}{CLOSE}", OPEN.repeat(100_000)));
        assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
    }
}
