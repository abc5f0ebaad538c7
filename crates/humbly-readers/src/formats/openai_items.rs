//! Items of OpenAI's Responses API, which Codex rollouts hold as well.

use humbly_types::{ErrorOrigin, ReasoningOrigin, ToolResult, Usage};
use serde::Deserialize;
use serde_json::Value;

use crate::builder::{Builder, CallDraft};
use crate::content::{raw_text, str_field, text_of};

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Text of the agent.
    Said,
    /// A message of somebody else.
    Told,
    /// Reasoning.
    Reasoning,
    /// A call that the client answers.
    Call,
    /// A call that the provider ran.
    ServerCall,
    /// The result of a client's call.
    Output,
    /// Something that is neither said nor done (tool lists, compaction).
    Passive,
    /// No item of this API.
    Unknown,
}

/// Tells what an item is.
pub(crate) fn kind(item: &Value) -> ItemKind {
    let role = str_field(item, "role");
    match str_field(item, "type") {
        Some("message") if role == Some("assistant") => ItemKind::Said,
        Some("message") => ItemKind::Told,
        Some("reasoning") => ItemKind::Reasoning,
        Some(
            "function_call" | "custom_tool_call" | "local_shell_call" | "shell_call" | "apply_patch_call"
            | "computer_call" | "tool_search_call",
        ) => ItemKind::Call,
        Some(
            "web_search_call"
            | "file_search_call"
            | "code_interpreter_call"
            | "mcp_call"
            | "image_generation_call",
        ) => ItemKind::ServerCall,
        Some(kind) if kind.ends_with("_call_output") || kind == "tool_search_output" => ItemKind::Output,
        Some(
            "compaction"
            | "compaction_summary"
            | "context_compaction"
            | "mcp_list_tools"
            | "mcp_approval_request"
            | "mcp_approval_response"
            | "item_reference"
            | "ghost_snapshot"
            | "other",
        ) => ItemKind::Passive,
        Some(_) => ItemKind::Unknown,
        None => match role {
            Some("assistant") if item.get("content").is_some() => ItemKind::Said,
            Some(_) if item.get("content").is_some() => ItemKind::Told,
            _ => ItemKind::Unknown,
        },
    }
}

/// Adds the text of a message of the agent; `true` where it is a refusal.
pub(crate) fn add_said(builder: &mut Builder, index: usize, item: &Value) -> bool {
    let content = item.get("content").unwrap_or(&Value::Null);
    let (text, _) = text_of(content, "");
    builder.text(index, &text, "\n");
    let mut is_refusal = false;
    if let Value::Array(parts) = content {
        for refusal in parts.iter().filter_map(|part| str_field(part, "refusal")) {
            builder.text(index, refusal, "\n");
            is_refusal = true;
        }
    }
    is_refusal
}

/// The summaries of a reasoning item, in order.
pub(crate) fn summaries(item: &Value) -> impl Iterator<Item = &str> {
    let parts = match item.get("summary") {
        Some(Value::Array(parts)) => parts.as_slice(),
        _ => &[],
    };
    parts.iter().filter_map(|part| part.as_str().or_else(|| str_field(part, "text")))
}

/// Adds a reasoning item: its text, its summary, or the mark that it cannot be read.
pub(crate) fn add_reasoning(builder: &mut Builder, index: usize, item: &Value) {
    let mut is_readable = false;
    if let Some(Value::Array(parts)) = item.get("content") {
        for text in
            parts.iter().filter_map(|part| str_field(part, "text")).filter(|text| !text.trim().is_empty())
        {
            builder.reasoning(index, text, ReasoningOrigin::Field);
            is_readable = true;
        }
    }
    for text in summaries(item).filter(|text| !text.trim().is_empty()) {
        builder.reasoning(index, text, ReasoningOrigin::Summary);
        is_readable = true;
    }
    if !is_readable {
        builder.reasoning(index, "", ReasoningOrigin::Encrypted);
    }
}

/// Adds a call, and the result that an item of the provider's own call carries.
pub(crate) fn add_call(builder: &mut Builder, index: usize, item: &Value, line: u64) {
    let kind_name = str_field(item, "type").unwrap_or_default();
    let is_server = kind(item) == ItemKind::ServerCall;
    let id = str_field(item, "call_id").or_else(|| str_field(item, "id"));
    let name = match (str_field(item, "server_label"), str_field(item, "name")) {
        (Some(server), Some(name)) => format!("{server}.{name}"),
        (None, Some(name)) => name.to_owned(),
        _ => kind_name.strip_suffix("_call").unwrap_or(kind_name).to_owned(),
    };
    let arguments = ["arguments", "input", "action", "operation", "code", "queries"]
        .iter()
        .find_map(|key| item.get(*key))
        .map(raw_text)
        .unwrap_or_default();
    builder.call(index, CallDraft { id, name: &name, arguments: &arguments, server_side: is_server });
    if is_server && let Some(result) = server_result(item, id, name) {
        builder.result(result, line);
    }
}

fn server_result(item: &Value, id: Option<&str>, name: String) -> Option<ToolResult> {
    let error = item.get("error").filter(|error| !error.is_null());
    let output = ["output", "outputs", "results"]
        .iter()
        .find_map(|key| item.get(*key))
        .filter(|value| !value.is_null());
    if error.is_none() && output.is_none() {
        return None;
    }
    let (mut text, images) = match (output, error) {
        (Some(output), _) => text_of(output, "\n"),
        (None, Some(error)) => (raw_text(error), 0),
        (None, None) => (String::new(), 0),
    };
    if text.is_empty()
        && let Some(output @ Value::Array(_)) = output
    {
        text = output.to_string();
    }
    let has_status = item.get("error").is_some();
    Some(ToolResult {
        call_id: id.map(str::to_owned),
        name: Some(name),
        text,
        images,
        is_error: has_status.then_some(error.is_some()),
        error_origin: if has_status { ErrorOrigin::Status } else { ErrorOrigin::None },
        truncated: false,
    })
}

/// The result in an output item.
///
/// Shells answer with a JSON string `{"output", "metadata": {"exit_code"}}`, with a head of plain lines, or
/// with plain text; other tools with text or parts.
pub(crate) fn output(item: &Value) -> ToolResult {
    let mut result = ToolResult {
        call_id: str_field(item, "call_id").map(str::to_owned),
        name: str_field(item, "name").map(str::to_owned),
        ..ToolResult::default()
    };
    let output = item.get("output").or_else(|| item.get("tools")).unwrap_or(&Value::Null);
    let (content, success) = match output {
        Value::Object(fields) if fields.contains_key("content") => {
            (fields.get("content").unwrap_or(output), fields.get("success").and_then(Value::as_bool))
        }
        _ => (output, None),
    };
    if let Some(success) = success {
        result.is_error = Some(!success);
        result.error_origin = ErrorOrigin::Flag;
    }
    (result.text, result.images) = text_of(content, "\n");
    if let Some((text, exit_code)) = shell_json(&result.text) {
        result.text = text;
        set_exit_code(&mut result, exit_code);
    } else {
        let exit_code = exit_code_line(&result.text);
        set_exit_code(&mut result, exit_code);
    }
    result
}

/// Says that the call failed where its exit code is not 0.
pub(crate) fn set_exit_code(result: &mut ToolResult, exit_code: Option<i64>) {
    if let Some(code) = exit_code {
        result.is_error = Some(code != 0);
        result.error_origin = ErrorOrigin::Status;
    }
}

fn shell_json(text: &str) -> Option<(String, Option<i64>)> {
    if !text.starts_with('{') {
        return None;
    }
    let answer: ShellAnswer = serde_json::from_str(text).ok()?;
    Some((answer.output, answer.metadata.get("exit_code").and_then(Value::as_i64)))
}

/// What a shell answers with.
#[derive(Deserialize)]
struct ShellAnswer {
    output: String,
    metadata: Value,
}

/// The exit code in the head lines of a shell's plain answer.
fn exit_code_line(text: &str) -> Option<i64> {
    text.lines().take(6).take_while(|line| !line.starts_with("Output:")).find_map(|line| {
        let code =
            line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))?;
        code.trim().parse().ok()
    })
}

/// Token counts as OpenAI writes them.
pub(crate) fn usage(value: &Value) -> Option<Usage> {
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
    let usage = Usage {
        input: count("/input_tokens"),
        cached: count("/cached_input_tokens").or_else(|| count("/input_tokens_details/cached_tokens")),
        output: count("/output_tokens"),
        reasoning: count("/reasoning_output_tokens")
            .or_else(|| count("/output_tokens_details/reasoning_tokens")),
    };
    (usage != Usage::default()).then_some(usage)
}
