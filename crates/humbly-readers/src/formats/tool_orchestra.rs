//! `ToolOrchestra` question files: one JSON object a question.
//!
//! Only fields known to be free of the reference enter steps: the file repeats the gold answer in its tool
//! responses. Only the first valid call of a round runs; the others are counted in the warnings. A call's
//! arguments name only the expert model, so the query or code stands in `effective_arguments`.

use std::collections::BTreeMap;

use humbly_text::think;
use humbly_types::{AnswerOrigin, FinalAnswer, Problem, References, StopKind, ToolResult, Trajectory};
use serde_json::Value;

use crate::builder::{Builder, CallDraft};
use crate::content::{raw_text, str_field};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, references_under, text_under, trajectory_id};
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "toolorchestra";

/// Reader of `ToolOrchestra` question files.
pub(crate) struct ToolOrchestra;

impl Reader for ToolOrchestra {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "ToolOrchestra",
            recognised_by: "`all_tool_calls` and `all_message_responses` in one object",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines)
            && (is_record(head.record().unwrap_or(&Value::Null)) || head.items().iter().any(is_record))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        for_each_value(input, sink, |line, value, sink| {
            let records = match value {
                Value::Array(items) => (1..).map(Some).zip(items).collect(),
                single => vec![(line, single)],
            };
            for (number, record) in records {
                if is_record(&record) {
                    sink.trajectory(trajectory(input, number, &record));
                } else {
                    let message = "no ToolOrchestra record, expected `all_message_responses`";
                    sink.problem(Problem::new(&*input.path, message).line(number.unwrap_or(1)));
                }
            }
        })
    }
}

fn is_record(record: &Value) -> bool {
    ["all_tool_calls", "all_message_responses"].iter().all(|key| record.get(key).is_some())
}

/// What one round recorded.
#[derive(Default)]
struct Round<'a> {
    message: Option<&'a Value>,
    responses: &'a [Value],
}

/// Rounds by the number in their keys: rounds without a call are missing from both maps.
fn rounds(record: &Value) -> BTreeMap<u64, Round<'_>> {
    let mut rounds: BTreeMap<u64, Round<'_>> = BTreeMap::new();
    for (key, message) in record.get("all_message_responses").and_then(Value::as_object).into_iter().flatten()
    {
        if let Some(number) = round_number(key) {
            rounds.entry(number).or_default().message = Some(message);
        }
    }
    for (key, list) in record.get("all_tool_responses").and_then(Value::as_object).into_iter().flatten() {
        if let Some(number) = round_number(key) {
            rounds.entry(number).or_default().responses = list.as_array().map_or(&[], Vec::as_slice);
        }
    }
    rounds
}

fn round_number(key: &str) -> Option<u64> {
    key.strip_prefix("turn_")?.split('_').next()?.parse().ok()
}

fn trajectory(input: &Input, number: Option<u64>, record: &Value) -> Trajectory {
    let mut builder = Builder::new(NAME, &input.path, trajectory_id(input, number));
    let meta = builder.meta();
    meta.sample_id = text_under(record, &["id"]);
    meta.references = References::new(references_under(record, &["answer"]));
    if let Some(problem) = str_field(record, "problem") {
        builder.user(problem, number.unwrap_or(0));
    }
    for (position, entry) in
        (1..).zip(record.get("all_tool_calls").and_then(Value::as_array).into_iter().flatten())
    {
        if entry.is_string() {
            builder.warn("a round that is not recorded: invalid tool calls", position);
        }
    }
    for (round, recorded) in rounds(record) {
        add_round(&mut builder, round, &recorded);
    }
    if builder.steps().iter().flat_map(|step| &step.calls).all(|call| call.name != "answer") {
        builder.stop(StopKind::Limit, Some("no answer tool was called"));
    }
    builder.finish()
}

fn add_round(builder: &mut Builder, round: u64, recorded: &Round<'_>) {
    let line = round + 1;
    let index = builder.assistant(Some(&format!("turn_{round}")), line);
    let message = recorded.message.unwrap_or(&Value::Null);
    builder.text(index, str_field(message, "content").unwrap_or_default(), "\n");
    let listed = message.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let ran = recorded.responses.first();
    let tool = ran.and_then(|ran| str_field(ran, "tool"));
    let first = listed.iter().find(|call| tool.is_none_or(|tool| call_name(call) == Some(tool)));
    for _ in listed.iter().skip(1) {
        builder.warn("a listed call that the harness did not run", line);
    }
    let Some(name) = tool.or_else(|| first.and_then(call_name)) else { return };
    let arguments = first
        .and_then(|call| call.get("tool_arguments").or_else(|| call.get("arguments")))
        .map_or_else(|| "{}".to_owned(), raw_text);
    let id = builder.call_with_id(index, CallDraft { name, arguments: &arguments, ..CallDraft::default() });
    let Some(ran) = ran else { return };
    let effective = ["query", "generated_code", "code"].iter().find_map(|key| str_field(ran, key));
    if let Some(call) = builder.step(index).and_then(|step| step.calls.last_mut()) {
        call.effective_arguments = effective.map(str::to_owned);
    }
    let text = result_text(ran);
    if name == "answer" {
        add_answer(builder, ran, line);
    }
    let result = ToolResult { call_id: Some(id), name: Some(name.to_owned()), text, ..ToolResult::default() };
    builder.result(result, line);
}

fn call_name(call: &Value) -> Option<&str> {
    ["tool_name", "name"].iter().find_map(|key| str_field(call, key))
}

/// The result without the fields that hold the reference (`answer`, `correctness`) or the whole context.
fn result_text(ran: &Value) -> String {
    if let Some(found) = ran.get("search_results_data") {
        return match found {
            Value::Array(items) => items.iter().map(raw_text).collect::<Vec<_>>().join("\n\n"),
            Value::Null => String::new(),
            other => raw_text(other),
        };
    }
    ["exec_result", "response", "pred"]
        .iter()
        .find_map(|key| str_field(ran, key))
        .map(|text| think::visible(text).trim().to_owned())
        .unwrap_or_default()
}

fn add_answer(builder: &mut Builder, ran: &Value, line: u64) {
    let response = str_field(ran, "response").map(|text| think::visible(text).trim().to_owned());
    let text = response
        .filter(|text| !text.is_empty())
        .or_else(|| str_field(ran, "pred").map(str::to_owned))
        .filter(|text| !text.is_empty());
    if let Some(text) = text {
        let at = builder.at(line);
        builder.final_answer(FinalAnswer { text, origin: AnswerOrigin::FinishTool, turn: None, at });
        builder.stop(StopKind::Completed, Some("answer"));
    }
}
