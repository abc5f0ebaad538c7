//! Actions and observations of V0 as calls of a builder.

use std::collections::HashMap;

use humbly_types::{AnswerOrigin, ErrorOrigin, FinalAnswer, ReasoningOrigin, ToolResult, Usage};
use serde_json::{Map, Value};

use super::failed;
use crate::builder::{Builder, CallDraft};
use crate::call_ids::CallIds;
use crate::content::{raw_text, str_field, text_of};

/// Actions and observations by which the harness keeps house.
const HOUSEKEEPING: &[&str] = &[
    "recall",
    "change_agent_state",
    "agent_state_changed",
    "null",
    "condensation_request",
    "condense",
    "start",
    "pause",
    "resume",
    "stop",
    "loop_recovery",
    "microagent",
];
/// Arguments that the harness adds to those of the model.
const ADDED_ARGUMENTS: &[&str] = &[
    "thought",
    "security_risk",
    "confirmation_state",
    "is_confirmed",
    "blocking",
    "hidden",
    "cwd",
    "impl_source",
    "translated_ipython_code",
    "keep_prompt",
    "view_range",
    "is_static",
];

/// How the events ended.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// A finish action was seen last.
    pub(super) is_finished: bool,
    /// The last action of the agent that asks for an observation, unless a message followed.
    pub(super) last_action: Option<usize>,
    /// The reason that a state change gives for an error.
    pub(super) error: Option<String>,
}

/// Adds events; `line` is that of their record, else they count from 1.
pub(super) fn add_events(builder: &mut Builder, events: &Value, line: Option<u64>) -> Ending {
    let mut stream =
        Stream { builder, ids: CallIds::default(), calls: HashMap::new(), ending: Ending::default() };
    let events = events.as_array().map(Vec::as_slice).unwrap_or_default();
    // Old records hold pairs of an action and its observation.
    let flat = events.iter().flat_map(|event| match event {
        Value::Array(pair) => pair.as_slice(),
        single => std::slice::from_ref(single),
    });
    for (number, event) in (1..).zip(flat) {
        stream.add(event, line.unwrap_or(number));
    }
    stream.ending
}

struct Stream<'b> {
    builder: &'b mut Builder,
    ids: CallIds,
    /// Logged call id by event id.
    calls: HashMap<u64, String>,
    ending: Ending,
}

impl Stream<'_> {
    fn add(&mut self, event: &Value, line: u64) {
        // Source is `agent` on observations and the system message too: only the kind tells them apart.
        if let Some(action) = str_field(event, "action") {
            self.action(action, event, line);
        } else if let Some(observation) = str_field(event, "observation") {
            self.observation(observation, event, line);
        } else {
            self.builder.warn("an event that is neither action nor observation", line);
        }
    }

    fn action(&mut self, action: &str, event: &Value, line: u64) {
        let args = event.get("args").unwrap_or(&Value::Null);
        let is_user = str_field(event, "source") == Some("user");
        match action {
            "system" => {
                self.builder.system(str_field(args, "content").unwrap_or_default(), line);
            }
            "message" if is_user => {
                let index = self.builder.user(str_field(args, "content").unwrap_or_default(), line);
                self.stamp(index, event);
                self.ending = Ending::default();
            }
            "message" => {
                let index = self.turn(event, line);
                let text = str_field(args, "content").unwrap_or_default();
                if self.builder.steps().get(index).is_some_and(|step| step.visible.is_empty()) {
                    self.builder.text(index, text, "\n");
                }
                self.ending = Ending::default();
            }
            "condensation" => self.builder.warn("the harness condensed its context here", line),
            _ if HOUSEKEEPING.contains(&action) => {}
            _ if is_user => self.builder.warn(format!("an action of the user: {action}"), line),
            _ => self.tool_action(action, args, event, line),
        }
    }

    fn tool_action(&mut self, action: &str, args: &Value, event: &Value, line: u64) {
        let index = self.turn(event, line);
        if self.builder.steps().get(index).is_some_and(|step| step.visible.is_empty()) && action != "think" {
            self.builder.text(index, str_field(args, "thought").unwrap_or_default(), "\n");
        }
        let metadata = event.get("tool_call_metadata");
        let name = metadata.and_then(|metadata| str_field(metadata, "function_name")).unwrap_or(action);
        let logged = metadata.and_then(|metadata| str_field(metadata, "tool_call_id"));
        let arguments = metadata
            .and_then(|metadata| model_arguments(metadata, logged))
            .unwrap_or_else(|| own_arguments(action, args));
        let unique = logged.map(|id| self.ids.unique(id));
        let draft = CallDraft { id: unique.as_deref(), name, arguments: &arguments, server_side: false };
        let id = self.builder.call_with_id(index, draft);
        self.ids.open(index, logged, &id, name);
        if let Some(event_id) = event.get("id").and_then(Value::as_u64) {
            self.calls.insert(event_id, id);
        }
        if action == "finish" {
            self.ending = Ending { is_finished: true, ..Ending::default() };
            self.finish(args, line);
        } else {
            self.ending = Ending { last_action: Some(index), ..Ending::default() };
        }
    }

    /// The thought that a finish action ends with; without one the turn's own text stands.
    fn finish(&mut self, args: &Value, line: u64) {
        let outputs = args.get("outputs").and_then(|outputs| str_field(outputs, "content"));
        let text = ["final_thought", "message"].iter().find_map(|key| str_field(args, key)).or(outputs);
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            let at = self.builder.at(line);
            self.builder.final_answer(FinalAnswer {
                text: text.trim().to_owned(),
                origin: AnswerOrigin::FinishTool,
                turn: None,
                at,
            });
        }
    }

    /// The turn of an action: that of its generation. Without a generation each action is a turn.
    fn turn(&mut self, event: &Value, line: u64) -> usize {
        let response = event.pointer("/tool_call_metadata/model_response");
        let generation = response.and_then(|response| str_field(response, "id")).filter(|id| !id.is_empty());
        if let Some(known) = generation.and_then(|id| self.builder.generation(id)) {
            return known;
        }
        let index = self.builder.assistant(generation, line);
        self.stamp(index, event);
        let Some(response) = response else { return index };
        if let Some(message) = response.pointer("/choices/0/message") {
            if let Some(reasoning) = str_field(message, "reasoning_content") {
                self.builder.reasoning(index, reasoning, ReasoningOrigin::Field);
            }
            let (text, _) = text_of(message.get("content").unwrap_or(&Value::Null), "\n");
            self.builder.text(index, &text, "\n");
        }
        if let Some(step) = self.builder.step(index) {
            step.model = str_field(response, "model").map(str::to_owned);
            step.usage = response.get("usage").map(usage);
        }
        index
    }

    fn stamp(&mut self, index: usize, event: &Value) {
        if let Some(step) = self.builder.step(index) {
            step.timestamp = str_field(event, "timestamp").map(str::to_owned);
        }
    }

    fn observation(&mut self, observation: &str, event: &Value, line: u64) {
        let extras = event.get("extras").unwrap_or(&Value::Null);
        if observation == "agent_state_changed" && str_field(extras, "agent_state") == Some("error") {
            self.ending.error = Some(str_field(extras, "reason").unwrap_or("error").to_owned());
        }
        let cause = event.get("cause").and_then(Value::as_u64);
        let call_id = cause.and_then(|cause| self.calls.get(&cause)).cloned();
        let is_answer = call_id.is_some() || matches!(observation, "error" | "user_rejected");
        if !is_answer {
            if !HOUSEKEEPING.contains(&observation) {
                self.builder.warn(format!("an observation without its action: {observation}"), line);
            }
            return;
        }
        let text = event.get("content").map(raw_text).unwrap_or_default();
        let exit_code = extras.pointer("/metadata/exit_code").or_else(|| extras.get("exit_code"));
        let (is_error, error_origin) = if matches!(observation, "error" | "user_rejected") {
            (Some(true), ErrorOrigin::Status)
        } else if let Some(is_error) = failed(exit_code) {
            (Some(is_error), ErrorOrigin::Status)
        } else if let Some(success) = event.get("success").and_then(Value::as_bool) {
            (Some(!success), ErrorOrigin::Flag)
        } else {
            (None, ErrorOrigin::None)
        };
        self.builder.result(
            ToolResult {
                call_id,
                truncated: text.contains("Observation truncated due to length"),
                text,
                is_error,
                error_origin,
                ..ToolResult::default()
            },
            line,
        );
    }
}

/// The arguments as the model wrote them.
fn model_arguments(metadata: &Value, id: Option<&str>) -> Option<String> {
    let calls = metadata.pointer("/model_response/choices/0/message/tool_calls")?.as_array()?;
    let call = calls.iter().find(|call| id.is_some() && str_field(call, "id") == id)?;
    call.pointer("/function/arguments").map(raw_text)
}

/// The arguments of the action without those that the harness adds.
fn own_arguments(action: &str, args: &Value) -> String {
    let is_own = |key: &str| !ADDED_ARGUMENTS.contains(&key) || (action == "think" && key == "thought");
    let own: Map<String, Value> = args
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| is_own(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Value::Object(own).to_string()
}

fn usage(usage: &Value) -> Usage {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    Usage {
        input: count("/prompt_tokens"),
        cached: count("/prompt_tokens_details/cached_tokens"),
        output: count("/completion_tokens"),
        reasoning: count("/completion_tokens_details/reasoning_tokens"),
    }
}
