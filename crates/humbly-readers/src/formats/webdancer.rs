//! `WebDancer` and Tongyi trajectories: chat lists whose calls, results and answers are tags in text.
//!
//! The answer is what stands in `<answer>`; a run without one was cut.

use humbly_types::{AnswerOrigin, FinalAnswer, Problem, StopKind, Trajectory};
use serde_json::Value;

use crate::builder::Builder;
use crate::chat::{add_chat_messages, is_assistant};
use crate::chat_record::{describe, is_message_list, take_messages};
use crate::content::{str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, trajectory_id};
use crate::registry::{FormatInfo, Reader, Sink};
use crate::tagged::last_answer;

const NAME: &str = "webdancer";

/// Reader of `WebDancer` chat lists.
pub(crate) struct WebDancer;

impl Reader for WebDancer {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "WebDancer tagged chat",
            recognised_by: "chat lists with `<tool_call>` in the agent's text and `<answer>` as its ending",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines)
            && head
                .record()
                .is_some_and(|record| is_tagged(record) || head.items().iter().take(5).any(is_tagged))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        for_each_value(input, sink, |line, value, sink| {
            let records = match value {
                Value::Array(items) if !items.iter().take(5).any(|item| item.get("role").is_some()) => {
                    (1..).map(Some).zip(items).collect()
                }
                single => vec![(line, single)],
            };
            for (number, mut record) in records {
                let messages = take_messages(&mut record);
                if messages.is_empty() {
                    let problem =
                        Problem::new(&*input.path, "a record without messages, expected `messages`");
                    sink.problem(problem.line(number.unwrap_or(1)));
                } else {
                    sink.trajectory(trajectory(input, number, line.is_some(), &record, &messages));
                }
            }
        })
    }
}

fn is_tagged(record: &Value) -> bool {
    let list = if record.is_array() { Some(record) } else { record.get("messages") };
    let Some(messages) = list.filter(|list| is_message_list(list)).and_then(Value::as_array) else {
        return false;
    };
    let says = |message: &Value, tag: &str| {
        message.get("content").is_some_and(|content| text_of(content, "\n").0.contains(tag))
    };
    let agent = |message: &&Value| str_field(message, "role").is_some_and(is_assistant);
    messages.iter().filter(agent).any(|message| says(message, "<tool_call>"))
        && messages.iter().any(|message| says(message, "<answer>"))
}

fn trajectory(
    input: &Input,
    number: Option<u64>,
    is_line: bool,
    record: &Value,
    messages: &[Value],
) -> Trajectory {
    let mut builder = Builder::new(NAME, &input.path, trajectory_id(input, number));
    describe(&mut builder, record);
    let line_of = |index: usize| if is_line { number.unwrap_or_default() } else { index as u64 + 1 };
    add_chat_messages(&mut builder, messages, line_of);
    if builder.meta().question.is_none() {
        let prompt = builder.steps().iter().find(|step| step.is_prompt());
        let question = prompt.and_then(|step| question_in(&step.visible)).map(str::to_owned);
        builder.meta().question = question;
    }
    set_ending(&mut builder, str_field(record, "termination"));
    builder.finish()
}

/// The question behind the description of the tools.
fn question_in(prompt: &str) -> Option<&str> {
    if !prompt.contains("<tools>") {
        return None;
    }
    prompt.rfind("\nUser:").map(|at| prompt[at + "\nUser:".len()..].trim())
}

fn set_ending(builder: &mut Builder, termination: Option<&str>) {
    let last = builder.steps().iter().rfind(|step| step.role == humbly_types::Role::Assistant);
    let answer = last.and_then(|step| Some((last_answer(&step.visible)?.to_owned(), step.at.clone())));
    match answer.filter(|(text, _)| !text.is_empty()) {
        Some((text, at)) => {
            builder.stop(StopKind::Completed, termination);
            builder.final_answer(FinalAnswer { text, origin: AnswerOrigin::LastText, turn: None, at });
        }
        None => builder.stop(StopKind::Limit, termination.or(Some("no <answer>"))),
    }
}
