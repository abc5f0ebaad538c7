//! A request of the protocol as one of ours.

use humbly_llm::{ChatMessage, ChatRequest, ChatRole, ReasoningEffort, RequestedCall, ToolSpec};
use serde::Deserialize;
use serde_json::Value;

use crate::{Result, ServeError};

/// Most answers to one request.
const MOST_CHOICES: u32 = 16;

/// What is read of a request; unknown fields are passed over, as OpenAI adds some with each year.
#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    model: String,
    #[serde(default)]
    messages: Vec<Message>,
    temperature: Option<f64>,
    top_p: Option<f64>,
    max_tokens: Option<u32>,
    max_completion_tokens: Option<u32>,
    seed: Option<u64>,
    stop: Option<Stop>,
    #[serde(default)]
    logprobs: Option<bool>,
    n: Option<u32>,
    #[serde(default)]
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    tools: Option<Vec<Tool>>,
    tool_choice: Option<Value>,
    response_format: Option<Value>,
    reasoning_effort: Option<ReasoningEffort>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    content: Option<Value>,
    tool_calls: Option<Vec<ToolCall>>,
    tool_call_id: Option<String>,
}

#[derive(Deserialize)]
struct ToolCall {
    #[serde(default)]
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: String,
}

#[derive(Deserialize)]
struct Tool {
    function: ToolFunction,
}

#[derive(Deserialize)]
struct ToolFunction {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Value,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Stop {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

/// A request, and how its answer is wanted.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) request: ChatRequest,
    /// Model in the request's words.
    pub(crate) model: String,
    pub(crate) choices: u32,
    pub(crate) streams: bool,
    pub(crate) with_usage: bool,
}

pub(crate) fn read(body: Value) -> Result<Question> {
    let body: Body = serde_json::from_value(body).map_err(|error| ServeError::BadRequest {
        parameter: None,
        detail: format!("the request is not of the expected form: {error}"),
    })?;
    if body.messages.is_empty() {
        return Err(ServeError::bad("messages", "there are no messages: expected at least one"));
    }
    let choices = body.n.unwrap_or(1);
    if !(1..=MOST_CHOICES).contains(&choices) {
        return Err(ServeError::bad("n", format!("n is {choices}: expected 1 to {MOST_CHOICES}")));
    }
    if body.response_format.as_ref().is_some_and(|format| format["type"] != "text") {
        return Err(ServeError::bad("response_format", "only the format `text` can be promised here"));
    }
    let mut tools = body.tools.unwrap_or_default();
    match body.tool_choice.as_ref().map(Value::as_str) {
        None | Some(Some("auto")) => {}
        Some(Some("none")) => tools.clear(),
        Some(_) => {
            return Err(ServeError::bad("tool_choice", "only `auto` and `none` can be promised here"));
        }
    }
    let mut request = ChatRequest {
        messages: body
            .messages
            .into_iter()
            .enumerate()
            .map(|(index, message)| read_message(index, message))
            .collect::<Result<_>>()?,
        tools: tools.into_iter().map(|tool| spec(tool.function)).collect(),
        ..ChatRequest::default()
    };
    let sampling = &mut request.sampling;
    sampling.temperature = within("temperature", body.temperature, 0.0..=2.0)?;
    sampling.top_p = within("top_p", body.top_p, 0.0..=1.0)?;
    sampling.max_tokens = body.max_completion_tokens.or(body.max_tokens);
    sampling.seed = body.seed;
    sampling.stop = match body.stop {
        None => Vec::new(),
        Some(Stop::One(text)) => vec![text],
        Some(Stop::Many(texts)) => texts,
    };
    sampling.logprobs = body.logprobs.unwrap_or(false);
    sampling.reasoning_effort = body.reasoning_effort;
    Ok(Question {
        request,
        model: body.model,
        choices,
        streams: body.stream.unwrap_or(false),
        with_usage: body.stream_options.is_some_and(|options| options.include_usage),
    })
}

fn within(name: &str, value: Option<f64>, range: std::ops::RangeInclusive<f64>) -> Result<Option<f64>> {
    match value {
        Some(value) if !range.contains(&value) => Err(ServeError::bad(
            name,
            format!("{name} is {value}: expected {} to {}", range.start(), range.end()),
        )),
        _ => Ok(value),
    }
}

fn spec(function: ToolFunction) -> ToolSpec {
    let parameters = if function.parameters.is_null() {
        serde_json::json!({"type": "object", "properties": {}})
    } else {
        function.parameters
    };
    ToolSpec { name: function.name, description: function.description, parameters }
}

fn read_message(index: usize, message: Message) -> Result<ChatMessage> {
    let role = match message.role.as_str() {
        "system" | "developer" => ChatRole::System,
        "user" => ChatRole::User,
        "assistant" => ChatRole::Assistant,
        "tool" => ChatRole::Tool,
        other => {
            return Err(ServeError::bad(
                &format!("messages[{index}].role"),
                format!("`{other}` is no role: expected system, developer, user, assistant or tool"),
            ));
        }
    };
    let calls = message.tool_calls.unwrap_or_default().into_iter().map(|call| RequestedCall {
        id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
    });
    Ok(ChatMessage {
        role,
        content: text(index, message.content)?,
        reasoning: None,
        calls: calls.collect(),
        call_id: message.tool_call_id,
    })
}

/// A text, nothing, or a list of text parts.
fn text(index: usize, content: Option<Value>) -> Result<String> {
    let parameter = format!("messages[{index}].content");
    match content {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text),
        Some(Value::Array(parts)) => parts
            .iter()
            .map(|part| part.get("text").and_then(Value::as_str))
            .collect::<Option<String>>()
            .ok_or_else(|| ServeError::bad(&parameter, "only parts of text can be read here")),
        Some(_) => Err(ServeError::bad(&parameter, "expected a text or a list of parts")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_whole_request_is_read() {
        let question = read(json!({
            "model": "m", "n": 2, "stream": true, "stream_options": {"include_usage": true},
            "messages": [
                {"role": "developer", "content": "s"},
                {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
                ]},
                {"role": "tool", "tool_call_id": "c", "content": "r"},
            ],
            "tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "auto",
            "temperature": 0.5, "max_completion_tokens": 7, "stop": "END", "logprobs": true, "seed": 4,
        }))
        .unwrap();
        assert_eq!((question.choices, question.streams, question.with_usage), (2, true, true));
        let request = question.request;
        assert_eq!(request.messages[0].role, ChatRole::System);
        assert_eq!(request.messages[1].content, "ab");
        assert_eq!(request.messages[2].calls[0].id, "c");
        assert_eq!(request.messages[3].call_id.as_deref(), Some("c"));
        assert_eq!(request.tools[0].parameters["type"], "object");
        assert_eq!(
            (request.sampling.max_tokens, request.sampling.stop.as_slice()),
            (Some(7), &["END".to_owned()][..])
        );
    }

    #[test]
    fn what_cannot_be_honoured_is_refused() {
        let with = |name: &str, value: Value| {
            let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "x"}]});
            body[name] = value;
            read(body).unwrap_err().to_string()
        };
        assert!(with("messages", json!([])).contains("at least one"));
        assert!(with("messages", json!([{"role": "judge"}])).contains("`judge` is no role"));
        assert!(
            with("messages", json!([{"role": "user", "content": [{"type": "image_url"}]}])).contains("text")
        );
        assert!(with("n", json!(0)).contains("1 to 16"));
        assert!(with("temperature", json!(3)).contains("0 to 2"));
        assert!(with("tool_choice", json!("required")).contains("auto"));
        assert!(with("response_format", json!({"type": "json_object"})).contains("text"));
        assert!(with("stop", json!(4)).contains("expected form"));
    }

    proptest! {
        #[test]
        fn any_json_is_read_or_refused(text in "[\\[\\]{}\",:a-z0-9 ]{0,60}") {
            let body = format!("{{\"messages\": [{{\"role\": \"user\", \"content\": {text}}}]}}");
            if let Ok(value) = serde_json::from_str(&body) {
                let _ = read(value);
            }
        }
    }
}
