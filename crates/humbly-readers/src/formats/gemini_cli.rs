//! Sessions of Gemini CLI: one `.json` document, or `.jsonl` that is replayed.
//!
//! In JSONL a message is written again whenever it changes (the last version counts), `$set` changes the
//! session (its `messages` replace all), and `$rewindTo` removes a message and all after it. Calls hold
//! their results. A cancelled call neither failed nor succeeded.

mod replay;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use humbly_types::{ErrorOrigin, Problem, ReasoningOrigin, Role, StopKind, ToolResult, Trajectory, Usage};
use serde_json::Value;

use crate::builder::{Builder, CallDraft};
use crate::content::{raw_text, str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::text_under;
use crate::registry::{FormatInfo, Reader, Sink};
use crate::units::Unit;
use replay::Session;

const NAME: &str = "gemini-cli";

/// Reader of Gemini CLI sessions.
pub(crate) struct GeminiCli;

impl Reader for GeminiCli {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Gemini CLI session",
            recognised_by: "`sessionId` and `projectHash`, in one document or as the first line of JSONL",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines)
            && (head.has_keys(&["sessionId", "projectHash"]) || head.record().is_some_and(is_lone_message))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let session = Session::read(input, sink)?;
        let mut trajectory = trajectory(input, &session);
        for companion in &input.companions {
            let child = Input::file(companion, Vec::new());
            match Session::read(&child, sink) {
                Ok(session) => trajectory.children.push(self::trajectory(&child, &session)),
                Err(problem) => sink.problem(problem),
            }
        }
        sink.trajectory(trajectory);
        Ok(())
    }
}

/// One message of the agent saved by itself.
fn is_lone_message(record: &Value) -> bool {
    str_field(record, "type") == Some("gemini")
        && record.get("id").is_some()
        && record.get("content").is_some()
}

/// Sub-agent files (`chats/SESSION/ID.jsonl`) belong to the session whose name ends with the first eight
/// characters of the folder's name.
pub(crate) fn group_subagents(files: &mut Vec<PathBuf>) -> Vec<Unit> {
    let mut mains = std::collections::BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        if let Some(key) = main_key(file) {
            mains.insert(key, index);
        }
    }
    let mut companions: std::collections::BTreeMap<usize, Vec<PathBuf>> = std::collections::BTreeMap::new();
    for file in files.iter() {
        if let Some(main) = parent_key(file).and_then(|key| mains.get(&key)) {
            companions.entry(*main).or_default().push(file.clone());
        }
    }
    let units: Vec<Unit> = companions
        .into_iter()
        .filter_map(|(main, companions)| Some(Unit { main: files.get(main)?.clone(), companions }))
        .collect();
    let taken: std::collections::HashSet<PathBuf> =
        units.iter().flat_map(|unit| unit.companions.iter().chain([&unit.main])).cloned().collect();
    files.retain(|file| !taken.contains(file));
    units
}

fn main_key(file: &Path) -> Option<(PathBuf, String)> {
    let folder = file.parent().filter(|folder| folder.ends_with("chats"))?;
    let stem = file.file_stem()?.to_str()?;
    let (_, id) = stem.strip_prefix("session-")?.rsplit_once('-')?;
    Some((folder.to_owned(), id.to_owned()))
}

fn parent_key(file: &Path) -> Option<(PathBuf, String)> {
    let session = file.parent()?;
    let folder = session.parent().filter(|folder| folder.ends_with("chats"))?;
    let id = session.file_name()?.to_str()?.get(..8)?;
    Some((folder.to_owned(), id.to_owned()))
}

fn trajectory(input: &Input, session: &Session) -> Trajectory {
    let id = text_under(&session.header, &["sessionId"]).unwrap_or_else(|| input.stem().to_owned());
    let path: &Arc<str> = &input.path;
    let mut builder = Builder::new(NAME, path, id.clone());
    let meta = builder.meta();
    meta.run_id = Some(id);
    meta.agent = Some("gemini-cli".to_owned());
    for (line, message) in &session.messages {
        add_message(&mut builder, message, *line);
    }
    for kind in &session.foreign {
        builder.warn(kind.0.as_str(), kind.1);
    }
    builder.finish()
}

fn add_message(builder: &mut Builder, message: &Value, line: u64) {
    let content = message.get("content").unwrap_or(&Value::Null);
    let text = text_of(content, "\n").0;
    let kind = str_field(message, "type").unwrap_or_default();
    if matches!(kind, "user" | "gemini") {
        // What the session got over was no ending.
        builder.stop(StopKind::Unknown, None);
    }
    match kind {
        "user" => {
            let is_context = text.trim_start().starts_with("<session_context>");
            let is_result = text.trim().is_empty() && hands_back_results(content, builder);
            let index = builder.user(text, line);
            if let Some(step) = builder.step(index) {
                step.flags.meta = is_context || is_result;
                step.timestamp = str_field(message, "timestamp").map(str::to_owned);
            }
        }
        "gemini" => add_turn(builder, message, line),
        "info" | "error" | "warning" => {
            let index = builder.user(text, line);
            if let Some(step) = builder.step(index) {
                step.flags.synthetic = true;
            }
            builder.warn(format!("a message of type {kind}, written by the harness"), line);
            if kind == "error" {
                builder.stop(StopKind::Error, Some("error message"));
            }
        }
        other => {
            let other: String = other.chars().take(40).collect();
            builder.warn(format!("unknown message type {other}"), line);
        }
    }
}

/// Whether a message without words of a person's hands back results: they stand in it, or it is all there is
/// after calls, whose own record holds them.
fn hands_back_results(content: &Value, builder: &Builder) -> bool {
    match content.as_array().map(Vec::as_slice) {
        Some([_, ..]) => content
            .as_array()
            .is_some_and(|parts| parts.iter().all(|part| part.get("functionResponse").is_some())),
        // Nothing, or a blank text.
        _ => builder.steps().last().is_some_and(|step| step.role == Role::Tool),
    }
}

fn add_turn(builder: &mut Builder, message: &Value, line: u64) {
    let index = builder.assistant(str_field(message, "id"), line);
    for thought in message.get("thoughts").and_then(Value::as_array).into_iter().flatten() {
        let pieces = [str_field(thought, "subject"), str_field(thought, "description")];
        let text = pieces.into_iter().flatten().collect::<Vec<_>>().join("\n");
        builder.reasoning(index, &text, ReasoningOrigin::Summary);
    }
    for part in message.get("content").and_then(Value::as_array).into_iter().flatten() {
        if part.get("thought") == Some(&Value::Bool(true)) {
            builder.reasoning(index, str_field(part, "text").unwrap_or_default(), ReasoningOrigin::Summary);
        }
    }
    builder.text(index, &visible_text(message.get("content").unwrap_or(&Value::Null)), "\n");
    if let Some(step) = builder.step(index) {
        step.timestamp = str_field(message, "timestamp").map(str::to_owned);
        step.model = str_field(message, "model").map(str::to_owned);
        step.usage = message.get("tokens").and_then(usage_of);
    }
    let mut results = Vec::new();
    for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
        let arguments = call.get("args").map_or_else(|| "{}".to_owned(), raw_text);
        let name = str_field(call, "name").unwrap_or_default();
        let draft = CallDraft { id: str_field(call, "id"), name, arguments: &arguments, server_side: false };
        let id = builder.call_with_id(index, draft);
        results.extend(result_of(call, id));
        if str_field(call, "status") == Some("cancelled") {
            builder.stop(StopKind::Interrupted, Some("cancelled"));
        }
    }
    for result in results {
        builder.result(result, line);
    }
}

fn visible_text(content: &Value) -> String {
    match content {
        Value::Array(parts) => {
            let shown: Vec<Value> = parts
                .iter()
                .filter(|part| part.get("thought") != Some(&Value::Bool(true)))
                .cloned()
                .collect();
            text_of(&Value::Array(shown), "").0
        }
        other => text_of(other, "").0,
    }
}

/// The result inside of a call; `None` where the call is not finished.
fn result_of(call: &Value, id: String) -> Option<ToolResult> {
    let status = str_field(call, "status").unwrap_or_default();
    let (is_error, error_origin) = match status {
        "error" => (Some(true), ErrorOrigin::Status),
        "success" => (Some(false), ErrorOrigin::Status),
        _ => (None, ErrorOrigin::None),
    };
    let result = call.get("result").filter(|result| !result.is_null());
    if result.is_none() && is_error.is_none() && status != "cancelled" {
        return None;
    }
    let mut text = String::new();
    let mut images = 0;
    let parts = match result {
        Some(Value::Array(parts)) => parts.iter().collect(),
        Some(single) => vec![single],
        None => Vec::new(),
    };
    for part in parts {
        let piece = match part.pointer("/functionResponse/response") {
            Some(response) => response_text(response),
            None if part.get("inlineData").is_some() || part.get("fileData").is_some() => {
                images += 1;
                continue;
            }
            None => text_of(part, "\n").0,
        };
        if !text.is_empty() && !piece.is_empty() {
            text.push('\n');
        }
        text.push_str(&piece);
    }
    let truncated = text.contains("<tool_output_masked>")
        || text.contains("[Output truncated")
        || text.contains("Output too large. Showing first");
    let name = str_field(call, "name").map(str::to_owned);
    Some(ToolResult { call_id: Some(id), name, text, images, is_error, error_origin, truncated })
}

fn response_text(response: &Value) -> String {
    ["output", "error", "content", "result"]
        .iter()
        .find_map(|key| response.get(*key))
        .map_or_else(|| raw_text(response), raw_text)
}

/// Token counts: thoughts are part of the output, as elsewhere.
fn usage_of(tokens: &Value) -> Option<Usage> {
    let count = |key: &str| tokens.get(key).and_then(Value::as_u64);
    let thoughts = count("thoughts");
    let output = count("output").map(|output| output.saturating_add(thoughts.unwrap_or(0)));
    let usage = Usage { input: count("input"), cached: count("cached"), output, reasoning: thoughts };
    (usage != Usage::default()).then_some(usage)
}
