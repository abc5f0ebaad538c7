//! Completion logs: one file a model call, each with the whole history so far. Only the last one of a
//! conversation counts.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use humbly_types::{Problem, StopKind, Trajectory};
use serde_json::Value;

use crate::builder::Builder;
use crate::chat::ChatMessages;
use crate::chat_record::describe;
use crate::content::{str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};
use crate::tagged;
use crate::units::Unit;

const NAME: &str = "openhands-completions";
/// How results stand in user messages where the model has no calls of its own.
const RESULT: &str = "EXECUTION RESULT of [";
/// Between these lines the prompt of such a model holds the task, behind a worked example.
const TASK: &str = "NEW TASK DESCRIPTION ---------------------";
const TASK_END: &str = "--------------------- END OF NEW TASK DESCRIPTION";

/// Reader of completion logs.
pub(crate) struct OpenHandsCompletions;

impl Reader for OpenHandsCompletions {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "OpenHands completion logs",
            recognised_by: "`messages`, `response`, `timestamp` and `kwargs` or `latency_sec` in one document",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines)
            && head.has_keys(&["messages", "response", "timestamp"])
            && ["kwargs", "latency_sec", "context_window"].iter().any(|key| head.has_keys(&[key]))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let last = input.document(sink)?;
        // A condenser and sub-agents log into the same folder: a conversation is known by its first prompt.
        let mut conversations: BTreeMap<usize, (String, Input, Value)> = BTreeMap::new();
        let mut order: BTreeMap<String, usize> = BTreeMap::new();
        let mut add = |file: Input, log: Value, sink: &mut dyn Sink| {
            let key = first_prompt(&log);
            let place = *order.entry(key.clone()).or_insert(conversations.len());
            let shrank = conversations.get(&place).is_some_and(|(_, _, before)| count(before) > count(&log));
            if shrank {
                sink.problem(
                    Problem::new(&*file.path, "a history shorter than that of the call before it")
                        .hint("the harness condensed its context; turns before are not in the last log"),
                );
            }
            conversations.insert(place, (key, file, log));
        };
        for companion in &input.companions {
            let file = Input::file(companion, Vec::new());
            match file.document(sink) {
                Ok(log) => add(file, log, sink),
                Err(problem) => sink.problem(problem),
            }
        }
        add(Input::bytes(&input.path, Vec::new()), last, sink);
        for (_, (_, file, log)) in conversations {
            sink.trajectory(trajectory(&file, &log));
        }
        Ok(())
    }
}

fn count(log: &Value) -> usize {
    log.get("messages").and_then(Value::as_array).map_or(0, Vec::len)
}

fn first_prompt(log: &Value) -> String {
    let messages = log.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let first = messages.iter().find(|message| str_field(message, "role") == Some("user"));
    first
        .and_then(|message| message.get("content"))
        .map(|content| text_of(content, "\n").0)
        .unwrap_or_default()
}

fn trajectory(input: &Input, log: &Value) -> Trajectory {
    let mut builder = Builder::new(NAME, &input.path, input.stem());
    describe(&mut builder, log);
    let meta = builder.meta();
    // These describe the call, not the conversation.
    meta.sample_id = None;
    meta.agent = Some("openhands".into());
    meta.cost_usd = None;
    meta.question = task(&first_prompt(log)).map(str::to_owned);
    let mut chat = ChatMessages::default();
    let messages = log.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let response = log.pointer("/response/choices/0");
    let answer = response.and_then(|choice| choice.get("message"));
    for (line, message) in (1..).zip(messages.iter().chain(answer)) {
        add(&mut builder, &mut chat, message, line);
    }
    if let Some(reason @ ("length" | "max_tokens")) =
        response.and_then(|choice| str_field(choice, "finish_reason"))
    {
        builder.stop(StopKind::Limit, Some(reason));
    }
    builder.finish()
}

fn add(builder: &mut Builder, chat: &mut ChatMessages, message: &Value, line: u64) {
    let (text, images) = text_of(message.get("content").unwrap_or(&Value::Null), "\n");
    let has_calls =
        message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
    match str_field(message, "role") {
        Some("assistant") if !has_calls && tagged::may_hold_functions(&text) => {
            let index = builder.assistant(None, line);
            if let Some(reasoning) = str_field(message, "reasoning_content") {
                builder.reasoning(index, reasoning, humbly_types::ReasoningOrigin::Field);
            }
            add_function_text(builder, index, &text, |builder, call| {
                chat.add_call(builder, index, None, &call.name, &call.arguments);
            });
        }
        Some("user") if text.starts_with(RESULT) => {
            let (name, body) = text[RESULT.len()..].split_once(']').unwrap_or_default();
            let result = humbly_types::ToolResult {
                name: Some(name.to_owned()),
                text: body.trim_start_matches(':').trim_start_matches('\n').to_owned(),
                images,
                ..humbly_types::ToolResult::default()
            };
            chat.join_result(builder, result, line);
        }
        _ => chat.add(builder, message, line),
    }
}

/// Adds text whose calls are bare function blocks; blocks inside a think block are none.
pub(crate) fn add_function_text(
    builder: &mut Builder,
    index: usize,
    text: &str,
    mut each: impl FnMut(&mut Builder, &tagged::TaggedCall),
) {
    let split = humbly_text::think::split(text);
    for reasoning in &split.reasoning {
        builder.reasoning(index, reasoning, humbly_types::ReasoningOrigin::Inline);
    }
    let (visible, calls) = tagged::take_functions(&split.visible);
    builder.text(index, &visible, "\n");
    for call in &calls {
        each(builder, call);
    }
}

/// The task in a prompt that holds a worked example before it.
pub(crate) fn task(prompt: &str) -> Option<&str> {
    let start = prompt.find(TASK)? + TASK.len();
    let task = prompt.get(start..)?;
    Some(task.get(..task.find(TASK_END).unwrap_or(task.len()))?.trim()).filter(|task| !task.is_empty())
}

/// Takes folders of completion logs out of the list: `MODEL-TIME.json`, with `/` in the model as `__`.
pub(crate) fn group_completions(files: &mut Vec<PathBuf>) -> Vec<Unit> {
    let mut logs: BTreeMap<(PathBuf, String), Vec<(u64, PathBuf)>> = BTreeMap::new();
    for path in files.iter() {
        if let Some((folder, model, time)) = log_file(path) {
            logs.entry((folder.to_owned(), model.to_owned())).or_default().push((time, path.clone()));
        }
    }
    let mut units = Vec::new();
    for mut timed in logs.into_values() {
        timed.sort();
        if let Some((_, main)) = timed.pop().filter(|_| !timed.is_empty()) {
            units.push(Unit { main, companions: timed.into_iter().map(|(_, path)| path).collect() });
        }
    }
    let taken: HashSet<&PathBuf> =
        units.iter().flat_map(|unit| std::iter::once(&unit.main).chain(&unit.companions)).collect();
    files.retain(|path| !taken.contains(path));
    units
}

/// Folder, model and time in milliseconds of `MODEL-SECONDS.FRACTION.json` (an id may follow).
fn log_file(path: &Path) -> Option<(&Path, &str, u64)> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".json").filter(|stem| stem.contains("__"))?;
    let is_time = |part: &str| {
        part.split_once('.').is_some_and(|(seconds, fraction)| {
            seconds.len() == 10
                && [seconds, fraction].iter().all(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    let mut end = stem.len();
    // The time is the last part, or the one before an id.
    for _ in 0..2 {
        let (model, part) = stem.get(..end)?.rsplit_once('-')?;
        if is_time(part) {
            let milliseconds = part.parse::<f64>().ok()? * 1000.0;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "ten digits of seconds"
            )]
            return Some((path.parent()?, model, milliseconds as u64));
        }
        end = model.len();
    }
    None
}
