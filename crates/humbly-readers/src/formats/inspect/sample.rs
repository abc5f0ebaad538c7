//! One sample into one trajectory.

use std::sync::Arc;

use humbly_types::{FinalAnswer, References, StopKind, ToolCall, Trajectory, Truncation, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::attachments::Attachments;
use super::events::Events;
use super::log::Header;
use super::messages::{Conversation, Message, plain};
use super::text::Content;
use crate::builder::Builder;
use crate::content::raw_text;
use crate::fields::Text;
use crate::final_answer::{finish_origin, finish_text};

/// A sample as the log writes it; everything large stays raw until it is needed.
#[derive(Debug, Deserialize)]
pub(super) struct Sample<'a> {
    pub(super) id: Value,
    #[serde(default)]
    pub(super) epoch: Option<u64>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    target: Value,
    #[serde(borrow, default)]
    pub(super) messages: Option<Vec<&'a RawValue>>,
    /// Chunked samples name ranges of their message sequence instead.
    #[serde(default)]
    pub(super) message_refs: Option<Vec<(usize, usize)>>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) events: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) attachments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) events_data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) message_pool: Option<&'a RawValue>,
    #[serde(borrow, default)]
    limit: Option<Limit<'a>>,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    model_usage: Value,
}

impl Sample<'_> {
    /// Whether results may stand in events only.
    pub(super) fn may_have_late_results(&self) -> bool {
        self.limit.is_some() || !self.error.is_null()
    }
}

#[derive(Debug, Deserialize)]
struct Limit<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Output<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Vec<Choice<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    pub(super) message: &'a RawValue,
    #[serde(borrow, default)]
    stop_reason: Text<'a>,
}

/// What a sample needs beside itself.
pub(super) struct Surroundings<'a> {
    pub(super) format: &'static str,
    pub(super) header: &'a Header,
    /// The file as the user named it.
    pub(super) path: &'a Arc<str>,
    /// The archive member, where there is one.
    pub(super) place: Arc<str>,
    /// Name of the log, which makes ids unique.
    pub(super) stem: &'a str,
}

/// Builds the trajectory of a sample from its messages, and from its events where those are needed.
pub(super) fn trajectory<'a>(
    sample: &Sample<'a>,
    messages: &[&'a RawValue],
    events: Option<&Events<'a>>,
    attachments: &Attachments<'a>,
    around: &Surroundings<'_>,
) -> Trajectory {
    let id = raw_text(&sample.id);
    let epoch = sample.epoch.unwrap_or(1);
    let name = format!("{}/{id}_epoch_{epoch}", around.stem);
    let mut builder = Builder::new(around.format, around.path, name.as_str());
    builder.set_file(&around.place);
    describe(&mut builder, sample, id, around.header);
    if let Some(question) = question(sample.input, attachments) {
        builder.meta().question = Some(question);
    }
    let output: Output<'a> =
        sample.output.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let mut line = 0;
    let mut conversation = Conversation::new(&mut builder, attachments);
    for message in messages {
        line += 1;
        conversation.add(message, line);
    }
    if conversation.last_assistant.is_none() {
        // A solver may set the output without a message.
        if let Some(choice) = output.choices.first().filter(|_| sample.error.is_null()) {
            line += 1;
            conversation.add(choice.message, line);
        }
    }
    if let Some(events) = events {
        let open = conversation.unanswered();
        events.add_late_results(&mut conversation, &open, line + 1);
    }
    let last_assistant = conversation.last_assistant;
    end(&mut builder, sample, &output, last_assistant);
    submitted_answer(&mut builder, &output, attachments, last_assistant);
    if let Some(events) = events {
        let children = events.sub_agents(messages, &name, attachments, around);
        builder.meta().children = children;
    }
    builder.finish()
}

fn describe(builder: &mut Builder, sample: &Sample<'_>, id: String, header: &Header) {
    let meta = builder.meta();
    meta.sample_id = Some(id);
    meta.run_id = header.run().map(str::to_owned);
    meta.dataset = header.task().map(str::to_owned);
    meta.model = header.model().map(str::to_owned);
    meta.agent = header.agent().map(str::to_owned);
    meta.agent_version = header.version().map(str::to_owned);
    meta.references = References::new(match &sample.target {
        Value::String(text) if !text.is_empty() => vec![text.clone()],
        Value::Array(texts) => texts
            .iter()
            .filter_map(Value::as_str)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    });
    let usages = sample.model_usage.as_object();
    let usage = usages.and_then(|usages| {
        header.model().and_then(|model| usages.get(model)).or_else(|| {
            let mut all = usages.values();
            all.next().filter(|_| all.next().is_none())
        })
    });
    if let Some(usage) = usage {
        let count = |key: &str| usage.get(key).and_then(Value::as_u64);
        let cached = count("input_tokens_cache_read");
        meta.usage = Usage {
            input: count("input_tokens"),
            cached,
            output: count("output_tokens"),
            reasoning: count("reasoning_tokens"),
        };
        meta.cost_usd = usage.get("total_cost").and_then(Value::as_f64);
    }
}

/// The question of the data set: the input, or its last user message.
fn question(input: Option<&RawValue>, attachments: &Attachments<'_>) -> Option<String> {
    let raw = input?.get();
    if raw.starts_with('[') {
        let messages: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
        return messages.iter().rev().find_map(|raw| {
            let message: Message<'_> = serde_json::from_str(raw.get()).ok()?;
            (message.role.get() == Some("user")).then(|| plain(&message.content, attachments).0)
        });
    }
    let content: Content<'_> = serde_json::from_str(raw).ok()?;
    Some(plain(&content, attachments).0).filter(|text| !text.is_empty())
}

fn end(builder: &mut Builder, sample: &Sample<'_>, output: &Output<'_>, last_assistant: Option<usize>) {
    let reason = output.choices.first().and_then(|choice| choice.stop_reason.get());
    if let Some(limit) = &sample.limit {
        builder.stop(StopKind::Limit, Some(limit.kind.get().unwrap_or("limit")));
    } else if !sample.error.is_null() {
        let message = sample.error.get("message").and_then(Value::as_str);
        builder.stop(StopKind::Error, Some(message.unwrap_or("error")));
        builder.meta().truncated = Truncation::No;
        // A turn with calls was to be followed by another: its text is no final answer.
        if let Some(step) = last_assistant.and_then(|last| builder.step(last)) {
            step.flags.aborted = !step.calls.is_empty();
        }
    } else {
        match reason {
            Some("max_tokens" | "model_length") => builder.stop(StopKind::Limit, reason),
            Some("content_filter") => builder.stop(StopKind::Refused, reason),
            Some(_) => builder.stop(StopKind::Completed, reason),
            None => {}
        }
    }
}

/// `react()` takes its submit call out of the conversation and appends the answer to the text; the output
/// still has the call.
fn submitted_answer(
    builder: &mut Builder,
    output: &Output<'_>,
    attachments: &Attachments<'_>,
    last_assistant: Option<usize>,
) {
    let Some(index) = last_assistant else { return };
    let Some(step) = builder.steps().get(index) else { return };
    let message: Option<Message<'_>> =
        output.choices.first().and_then(|choice| serde_json::from_str(choice.message.get()).ok());
    let Some(message) = message else { return };
    if message.id.get() != step.generation_id.as_deref() {
        return;
    }
    let at = step.at.clone();
    for call in message.tool_calls.iter().flatten() {
        let name = call.function.get().unwrap_or_default();
        if step.calls.iter().any(|known| known.name == name) {
            continue;
        }
        let Some(origin) = finish_origin(name) else { continue };
        let arguments = call.arguments.map(RawValue::get).unwrap_or_default();
        let call = ToolCall {
            id: String::new(),
            id_synthetic: true,
            name: name.to_owned(),
            arguments: attachments.resolve_json(arguments).into_owned(),
            server_side: false,
            ends_run: true,
            effective_arguments: None,
        };
        if let Some(text) = finish_text(&call).filter(|text| !text.trim().is_empty()) {
            builder.final_answer(FinalAnswer { text, origin, turn: None, at });
            return;
        }
    }
}
