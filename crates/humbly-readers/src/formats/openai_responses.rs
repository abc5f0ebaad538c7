//! OpenAI Responses: response objects, requests with responses, or lists of items.
//!
//! 1. One response may hold a whole run. A reasoning or message item after a call begins a new turn, and so
//!    does anything of the agent after the result of a call.
//! 2. Reasoning that only exists encrypted, or without any text, is there and cannot be read.
//! 3. The provider's own tools may carry no result: they count as answered.
//! 4. Responses that name each other by `previous_response_id` are one trajectory.

use humbly_types::{Problem, StopKind, Trajectory};
use serde_json::Value;

use super::exchanges::{Exchange, Grammar, exchanges, unwrapped_ref};
use super::openai_items::{ItemKind, add_call, add_reasoning, add_said, kind, output, usage};
use crate::builder::Builder;
use crate::content::{str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "openai-responses";

const GRAMMAR: Grammar = Grammar { sent: "input", system: "instructions", is_response, is_item };

/// Reader of Responses objects and items.
pub(crate) struct OpenAiResponses;

impl Reader for OpenAiResponses {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "OpenAI Responses",
            recognised_by: "`object` response, or a list of items of type reasoning, function_call, \
                            function_call_output",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        if matches!(head.shape, Shape::Zip | Shape::Text) {
            return false;
        }
        match head.record() {
            Some(Value::Array(items)) => {
                items.iter().any(|item| is_own(&unwrapped_ref(item)))
                    && items.iter().all(|item| is_item(item) || is_own(&unwrapped_ref(item)))
            }
            Some(record) => is_own(&unwrapped_ref(record)),
            None => false,
        }
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let exchanges = exchanges(input, &GRAMMAR, sink)?;
        let is_single = exchanges.len() == 1;
        let mut run: Option<Run> = None;
        for (index, exchange) in exchanges.iter().enumerate() {
            let previous = exchange.response.as_ref().and_then(|it| str_field(it, "previous_response_id"));
            let goes_on = previous.is_some()
                && run.as_ref().is_some_and(|run| run.last_response.as_deref() == previous);
            if !goes_on {
                if let Some(run) = run.take() {
                    sink.trajectory(run.finish());
                }
                let id = match &exchange.id {
                    Some(id) => id.clone(),
                    None if is_single => input.stem().to_owned(),
                    None => format!("{}/{}", input.stem(), index + 1),
                };
                run = Some(Run::new(input, id));
            }
            if let Some(run) = &mut run {
                run.exchange(exchange);
            }
        }
        if let Some(run) = run {
            sink.trajectory(run.finish());
        }
        Ok(())
    }
}

fn is_response(value: &Value) -> bool {
    str_field(value, "object") == Some("response") && value.get("output").is_some_and(Value::is_array)
}

fn is_item(value: &Value) -> bool {
    kind(value) != ItemKind::Unknown
}

/// Items that no other format has.
fn is_own_item(value: &Value) -> bool {
    let has_id = value.get("call_id").is_some() || value.get("id").is_some();
    match kind(value) {
        ItemKind::Reasoning => value.get("summary").is_some_and(Value::is_array),
        ItemKind::Call | ItemKind::ServerCall | ItemKind::Output => has_id,
        ItemKind::Said => {
            str_field(value, "type") == Some("message")
                && value.pointer("/content/0/type").and_then(Value::as_str) == Some("output_text")
        }
        _ => false,
    }
}

fn is_own(record: &Value) -> bool {
    if is_response(record) || is_own_item(record) {
        return true;
    }
    if record.get("response").is_some_and(|response| is_response(&unwrapped_ref(response))) {
        return true;
    }
    let request = record.get("request").unwrap_or(record);
    matches!(request.get("input"), Some(Value::Array(items)) if items.iter().any(is_own_item))
}

/// A trajectory in the making.
struct Run {
    builder: Builder,
    turn: Option<usize>,
    turn_has_call: bool,
    last_response: Option<String>,
    is_refused: bool,
}

impl Run {
    fn new(input: &Input, id: String) -> Self {
        Self {
            builder: Builder::new(NAME, &input.path, id),
            turn: None,
            turn_has_call: false,
            last_response: None,
            is_refused: false,
        }
    }

    fn exchange(&mut self, exchange: &Exchange) {
        self.builder.meta().sample_id.clone_from(&exchange.id);
        let system = exchange.response.as_ref().and_then(|response| response.get("instructions"));
        let (system, _) = text_of(system.unwrap_or(&exchange.system), "\n");
        if !system.is_empty() && self.builder.is_empty() {
            self.builder.system(system, exchange.line);
        }
        // A response repeats what was sent to it where it was asked to.
        let sent = match exchange.response.as_ref().and_then(|response| response.get("input")) {
            Some(Value::Array(items)) if exchange.sent.is_empty() => items,
            _ => &exchange.sent,
        };
        for (index, item) in sent.iter().enumerate() {
            self.item(item, index as u64 + 1);
        }
        let Some(response) = &exchange.response else { return };
        self.turn = None;
        let offset = sent.len() as u64 + exchange.line;
        if let Some(Value::Array(items)) = response.get("output") {
            for (index, item) in items.iter().enumerate() {
                self.item(item, offset + index as u64);
            }
        }
        self.response(response);
    }

    fn item(&mut self, item: &Value, line: u64) {
        match kind(item) {
            ItemKind::Told => {
                self.turn = None;
                let (text, _) = text_of(item.get("content").unwrap_or(&Value::Null), "\n");
                if str_field(item, "role") == Some("user") {
                    self.builder.user(text, line);
                } else {
                    self.builder.system(text, line);
                }
            }
            ItemKind::Said => {
                let turn = self.begin(line, true);
                self.is_refused = add_said(&mut self.builder, turn, item);
            }
            ItemKind::Reasoning => {
                let turn = self.begin(line, true);
                add_reasoning(&mut self.builder, turn, item);
            }
            ItemKind::Call | ItemKind::ServerCall => {
                let turn = self.begin(line, false);
                self.turn_has_call = true;
                add_call(&mut self.builder, turn, item, line);
            }
            ItemKind::Output => {
                self.turn = None;
                self.builder.result(output(item), line);
            }
            ItemKind::Passive => {}
            ItemKind::Unknown => {
                let name = str_field(item, "type").unwrap_or("none");
                self.builder.warn(format!("unknown item type `{name}`"), line);
            }
        }
    }

    /// The open turn; a new one where none is open, or where speech follows a call.
    fn begin(&mut self, line: u64, is_speech: bool) -> usize {
        match self.turn {
            Some(turn) if !(is_speech && self.turn_has_call) => turn,
            _ => {
                let turn = self.builder.assistant(None, line);
                self.turn = Some(turn);
                self.turn_has_call = false;
                turn
            }
        }
    }

    fn response(&mut self, response: &Value) {
        self.last_response = str_field(response, "id").map(str::to_owned);
        let model = str_field(response, "model").map(str::to_owned);
        let counts = response.get("usage").and_then(usage);
        if let Some(step) = self.turn.and_then(|turn| self.builder.step(turn)) {
            step.usage = counts;
            step.model.clone_from(&model);
            step.generation_id.clone_from(&self.last_response);
        }
        let meta = self.builder.meta();
        meta.model = model.or(meta.model.take());
        if let Some(counts) = counts {
            meta.usage = super::claude::add_usage(meta.usage, counts);
        }
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let has_open_call = self.turn.is_some_and(|turn| {
            self.builder.steps().get(turn).is_some_and(|step| step.calls.iter().any(|call| !call.server_side))
        });
        match (str_field(response, "status"), reason) {
            _ if self.is_refused => self.builder.stop(StopKind::Refused, Some("refusal")),
            (Some("completed"), _) if !has_open_call => {
                self.builder.stop(StopKind::Completed, Some("completed"));
            }
            (Some("incomplete"), Some("content_filter")) => {
                self.builder.stop(StopKind::Refused, Some("content_filter"));
            }
            (Some("incomplete"), reason) => {
                self.builder.stop(StopKind::Limit, reason.or(Some("incomplete")));
            }
            (Some("failed"), _) => self.builder.stop(StopKind::Error, Some("failed")),
            (Some("cancelled"), _) => self.builder.stop(StopKind::Interrupted, Some("cancelled")),
            (status, _) => self.builder.stop(StopKind::Unknown, status),
        }
    }

    fn finish(self) -> Trajectory {
        self.builder.finish()
    }
}
