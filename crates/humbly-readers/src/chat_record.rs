//! A record that wraps a chat message list: where its messages, ids, references and ending stand.

use humbly_types::{References, StopKind};
use serde_json::{Value, json};

use crate::builder::Builder;
use crate::chat::{is_assistant, is_chat_message, is_untyped_message, usage_of};
use crate::content::str_field;
use crate::records::{references_under, text_under};

/// Keys under which a record holds its message list.
const LISTS: &[&str] = &["messages", "traj", "conversation", "chat", "history"];
/// Keys of reference answers, best first.
const REFERENCES: &[&str] =
    &["ground_truth", "reference_answer", "golden_answers", "reference", "answer", "target"];

/// Whether a value is a list of chat messages: the first ones have roles, some of them known.
pub(crate) fn is_message_list(value: &Value) -> bool {
    let Some(items) = value.as_array() else { return false };
    let first = || items.iter().take(50);
    first().any(is_chat_message) && first().all(is_untyped_message)
}

/// Whether a value is a message list or a record that wraps one.
pub(crate) fn is_chat_record(value: &Value) -> bool {
    is_message_list(value)
        || LISTS.iter().any(|key| value.get(key).is_some_and(is_message_list))
        || value.pointer("/request/messages").is_some_and(is_message_list)
        || value.pointer("/request/body/messages").is_some_and(is_message_list)
        || response_message(value).is_some_and(is_chat_message)
        || (value.get("prompt").is_some_and(|prompt| prompt.is_string() || is_message_list(prompt))
            && value.get("completion").is_some_and(|completion| {
                completion.is_string() || is_message_list(completion) || is_chat_message(completion)
            }))
}

/// The messages of a record, taken out of it: what was asked, then what was answered.
pub(crate) fn take_messages(record: &mut Value) -> Vec<Value> {
    if is_message_list(record) {
        return as_messages(record.take(), "user");
    }
    let mut messages = Vec::new();
    let list = LISTS.iter().find(|key| record.get(key).is_some_and(is_message_list));
    if let Some(list) = list.and_then(|key| record.get_mut(*key)) {
        messages = as_messages(list.take(), "user");
    } else if let Some(list) = ["/request/messages", "/request/body/messages"]
        .iter()
        .find(|pointer| record.pointer(pointer).is_some_and(is_message_list))
        .and_then(|pointer| record.pointer_mut(pointer))
    {
        messages = as_messages(list.take(), "user");
    } else if let Some(prompt) = record.get_mut("prompt") {
        messages = as_messages(prompt.take(), "user");
    }
    if let Some(completion) = record.get_mut("completion") {
        messages.extend(as_messages(completion.take(), "assistant"));
    } else if let Some(reply) = response_message(record) {
        // Some loggers append the reply to the request as well.
        if messages.last() != Some(reply) {
            messages.push(reply.clone());
        }
    }
    messages
}

fn as_messages(value: Value, role: &str) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        Value::String(text) => vec![json!({"role": role, "content": text})],
        Value::Object(_) => vec![value],
        _ => Vec::new(),
    }
}

fn choice(record: &Value) -> Option<&Value> {
    ["/choices/0", "/response/choices/0", "/response/body/choices/0"]
        .iter()
        .find_map(|pointer| record.pointer(pointer))
}

fn response_message(record: &Value) -> Option<&Value> {
    choice(record).and_then(|choice| choice.get("message")).or_else(|| record.pointer("/response/message"))
}

/// Sets what a record says of itself: ids, model, references, usage.
pub(crate) fn describe(builder: &mut Builder, record: &Value) {
    let meta = builder.meta();
    meta.sample_id =
        text_under(record, &["task_id", "example_id", "instance_id", "question_id", "custom_id", "id"]);
    meta.run_id = text_under(record, &["run_id", "trial", "rollout_id"]);
    meta.dataset = text_under(record, &["dataset", "data_source"]);
    meta.agent = text_under(record, &["agent"]);
    meta.condition = text_under(record, &["condition"]);
    meta.question = text_under(record, &["question"]);
    let responses = [record.pointer("/response/body"), record.get("response"), record.get("request")];
    let parts = || std::iter::once(record).chain(responses.into_iter().flatten());
    meta.model = parts().find_map(|part| text_under(part, &["model", "model_name"]));
    if let Some(usage) = parts().find_map(|part| part.get("usage").and_then(usage_of)) {
        meta.usage = usage;
    }
    let mut references = references_under(record, REFERENCES);
    if references.is_empty() {
        let rules = record.pointer("/reward_model/ground_truth").or_else(|| record.pointer("/info/answer"));
        if let Some(rules) = rules {
            references = references_under(&json!({ "answer": rules }), REFERENCES);
        }
    }
    // The task of tau-bench: its actions are no answer, its outputs are texts that the answer must hold.
    if let Some(task) = record.pointer("/info/task") {
        references.extend(references_under(task, &["outputs"]));
    }
    meta.references = References::new(references);
}

/// Sets the ending that the record or its last assistant message names.
pub(crate) fn set_ending(builder: &mut Builder, record: &Value, messages: &[Value]) {
    let last = messages.iter().rev().find(|message| str_field(message, "role").is_some_and(is_assistant));
    let named = |value: &Value| {
        ["finish_reason", "stop_reason", "stop_condition"]
            .iter()
            .find_map(|key| str_field(value, key).map(str::to_owned))
    };
    let raw = choice(record)
        .and_then(named)
        .or_else(|| named(record))
        .or_else(|| record.get("info").and_then(named))
        .or_else(|| last.and_then(named));
    let is_cut = ["is_truncated", "truncated"].iter().any(|key| record.get(key) == Some(&Value::Bool(true)));
    let refused = last.is_some_and(|message| str_field(message, "refusal").is_some());
    let kind = if is_cut { StopKind::Limit } else { raw.as_deref().map_or(StopKind::Unknown, stop_kind) };
    match kind {
        StopKind::Limit => builder.stop(StopKind::Limit, raw.as_deref()),
        _ if refused => builder.stop(StopKind::Refused, raw.as_deref().or(Some("refusal"))),
        kind => builder.stop(kind, raw.as_deref()),
    }
}

fn stop_kind(raw: &str) -> StopKind {
    match raw {
        "stop" | "end_turn" | "eos" | "completed" => StopKind::Completed,
        "length" | "max_tokens" | "max_turns" | "max_turns_reached" | "max_steps" | "prompt_too_long" => {
            StopKind::Limit
        }
        "content_filter" => StopKind::Refused,
        "error" | "has_error" => StopKind::Error,
        "abort" | "cancelled" => StopKind::Interrupted,
        _ => StopKind::Unknown,
    }
}
