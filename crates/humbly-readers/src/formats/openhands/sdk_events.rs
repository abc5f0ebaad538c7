//! Events of the SDK as calls of a builder.

use std::collections::HashSet;

use humbly_types::{ErrorOrigin, ReasoningOrigin, StopKind, ToolResult, Usage};
use serde_json::Value;

use super::{error_kind, failed};
use crate::builder::{Builder, CallDraft};
use crate::call_ids::CallIds;
use crate::content::{raw_text, str_field, text_of};

/// Events that say nothing of the agent's turns.
const HOUSEKEEPING: &[&str] = &[
    "TokenEvent",
    "LLMCompletionLogEvent",
    "CondensationRequest",
    "CondensationSummaryEvent",
    "ResumeEvent",
];

/// Adds events to a builder.
pub(super) struct Conversation<'b> {
    pub(super) builder: &'b mut Builder,
    ids: CallIds,
    seen: HashSet<String>,
    known_calls: HashSet<String>,
    error: Option<String>,
    status: Option<String>,
}

impl<'b> Conversation<'b> {
    pub(super) fn new(builder: &'b mut Builder) -> Self {
        Self {
            builder,
            ids: CallIds::default(),
            seen: HashSet::new(),
            known_calls: HashSet::new(),
            error: None,
            status: None,
        }
    }

    /// Adds one event.
    pub(super) fn add(&mut self, event: &Value, line: u64) {
        if str_field(event, "id").is_some_and(|id| !self.seen.insert(id.to_owned())) {
            self.builder.warn("an event that the log repeats", line);
            return;
        }
        match str_field(event, "kind").unwrap_or("(none)") {
            "SystemPromptEvent" => {
                let (text, _) = text_of(event.get("system_prompt").unwrap_or(&Value::Null), "\n");
                self.builder.system(text, line);
            }
            "MessageEvent" => self.message(event, line),
            "ActionEvent" => self.action(event, line),
            "ObservationEvent" => self.observation(event, line),
            "AgentErrorEvent" => self.failure(event, "error", line),
            "UserRejectObservation" => self.failure(event, "rejection_reason", line),
            "ConversationErrorEvent" => {
                let code = str_field(event, "code").or_else(|| str_field(event, "detail"));
                self.error = Some(code.unwrap_or("error").to_owned());
            }
            "ConversationStateUpdateEvent" => {
                let value = event.get("value").unwrap_or(&Value::Null);
                match str_field(event, "key") {
                    Some("stats") => self.stats(value),
                    Some("execution_status" | "agent_status") => {
                        self.status = value.as_str().map(str::to_owned);
                    }
                    Some("full_state") => self.set_state(value),
                    _ => {}
                }
            }
            "PauseEvent" | "InterruptEvent" => self.status = Some("paused".into()),
            "Condensation" => self.builder.warn("the harness condensed its context here", line),
            kind if HOUSEKEEPING.contains(&kind) => {}
            other => self.builder.warn(format!("unknown event {other}"), line),
        }
    }

    /// Takes status and counts of a conversation's state.
    pub(super) fn set_state(&mut self, state: &Value) {
        if let Some(status) =
            ["execution_status", "agent_status"].iter().find_map(|key| str_field(state, key))
        {
            self.status = Some(status.to_owned());
        }
        if let Some(stats) = state.get("stats") {
            self.stats(stats);
        }
    }

    /// Sets how the conversation ended.
    pub(super) fn end(&mut self) {
        if let Some(error) = &self.error {
            self.builder.stop(error_kind(error), Some(error));
            return;
        }
        match self.status.as_deref() {
            Some(status @ "finished") => self.builder.stop(StopKind::Completed, Some(status)),
            Some(status @ ("error" | "stuck")) => self.builder.stop(StopKind::Error, Some(status)),
            Some(status @ ("paused" | "deleting")) => self.builder.stop(StopKind::Interrupted, Some(status)),
            _ => {}
        }
    }

    fn message(&mut self, event: &Value, line: u64) {
        let message = event.get("llm_message").unwrap_or(&Value::Null);
        let role = str_field(message, "role").or_else(|| str_field(event, "source")).unwrap_or_default();
        let (text, _) = text_of(message.get("content").unwrap_or(&Value::Null), "\n");
        let index = match role {
            "assistant" | "agent" => {
                let index = self.builder.assistant(str_field(event, "llm_response_id"), line);
                self.reasoning(index, message);
                self.builder.text(index, &text, "\n");
                index
            }
            "system" => self.builder.system(text, line),
            _ => {
                let index = self.builder.user(text, line);
                if let Some(step) = self.builder.step(index) {
                    // The harness speaks under role user too (skills, hints).
                    step.flags.meta =
                        str_field(event, "source").is_some_and(|source| source == "environment");
                }
                index
            }
        };
        self.stamp(index, event);
    }

    fn action(&mut self, event: &Value, line: u64) {
        let generation = str_field(event, "llm_response_id").filter(|id| !id.is_empty());
        let index = self.builder.assistant(generation, line);
        self.stamp(index, event);
        // Before the text: a think block in it that says the same is then known.
        self.reasoning(index, event);
        let (thought, _) = text_of(event.get("thought").unwrap_or(&Value::Null), "\n");
        self.builder.text(index, &thought, "\n");
        let call = event.get("tool_call").filter(|call| call.is_object());
        let function =
            call.map(|call| call.get("function").filter(|function| function.is_object()).unwrap_or(call));
        let name = function
            .and_then(|function| str_field(function, "name"))
            .or_else(|| str_field(event, "tool_name"))
            .unwrap_or("unknown");
        let arguments = function
            .and_then(|function| function.get("arguments"))
            .or_else(|| event.get("action"))
            .map_or_else(|| "{}".to_owned(), raw_text);
        let logged = str_field(event, "tool_call_id").or_else(|| call.and_then(|call| str_field(call, "id")));
        let unique = logged.map(|id| self.ids.unique(id));
        let draft = CallDraft { id: unique.as_deref(), name, arguments: &arguments, server_side: false };
        let id = self.builder.call_with_id(index, draft);
        self.ids.open(index, logged, &id, name);
        self.known_calls.insert(id);
    }

    fn reasoning(&mut self, index: usize, holder: &Value) {
        if let Some(text) = str_field(holder, "reasoning_content") {
            self.builder.reasoning(index, text, ReasoningOrigin::Field);
        }
        for block in holder.get("thinking_blocks").and_then(Value::as_array).into_iter().flatten() {
            match (str_field(block, "type"), str_field(block, "thinking")) {
                (Some("redacted_thinking"), _) => {
                    self.builder.reasoning(index, "", ReasoningOrigin::Redacted);
                }
                (_, Some(text)) if !text.trim().is_empty() => {
                    self.builder.reasoning(index, text, ReasoningOrigin::Field);
                }
                (Some("thinking"), _) => self.builder.reasoning(index, "", ReasoningOrigin::Encrypted),
                _ => {}
            }
        }
        let Some(item) = holder.get("responses_reasoning_item").filter(|item| item.is_object()) else {
            return;
        };
        let (summary, _) = text_of(item.get("summary").unwrap_or(&Value::Null), "\n\n");
        self.builder.reasoning(index, &summary, ReasoningOrigin::Summary);
        let (content, _) = text_of(item.get("content").unwrap_or(&Value::Null), "\n\n");
        self.builder.reasoning(index, &content, ReasoningOrigin::Field);
        if content.is_empty() && item.get("encrypted_content").is_some_and(|content| !content.is_null()) {
            self.builder.reasoning(index, "", ReasoningOrigin::Encrypted);
        }
    }

    fn observation(&mut self, event: &Value, line: u64) {
        let observation = event.get("observation").unwrap_or(&Value::Null);
        let content =
            ["content", "output"].iter().find_map(|key| observation.get(*key)).unwrap_or(&Value::Null);
        let (text, images) = text_of(content, "\n");
        let flag = observation.get("is_error").and_then(Value::as_bool);
        let code = observation.get("exit_code").filter(|code| !code.is_null());
        let code = failed(code.or_else(|| observation.pointer("/metadata/exit_code")));
        // The flag says that the tool failed, the code that the command did.
        let (is_error, error_origin) = match (flag, code) {
            (Some(true), _) => (Some(true), ErrorOrigin::Flag),
            (_, Some(failed)) => (Some(failed), ErrorOrigin::Status),
            (Some(false), None) => (Some(false), ErrorOrigin::Flag),
            (None, None) => (None, ErrorOrigin::None),
        };
        self.result(
            event,
            ToolResult { text, images, is_error, error_origin, ..ToolResult::default() },
            line,
        );
    }

    fn failure(&mut self, event: &Value, key: &str, line: u64) {
        let text = str_field(event, key).unwrap_or_default().to_owned();
        let result = ToolResult {
            text,
            is_error: Some(true),
            error_origin: ErrorOrigin::Status,
            ..ToolResult::default()
        };
        self.result(event, result, line);
    }

    fn result(&mut self, event: &Value, mut result: ToolResult, line: u64) {
        let name = str_field(event, "tool_name");
        result.call_id = self.ids.answer(str_field(event, "tool_call_id"), name);
        result.name = name.map(str::to_owned);
        if result.call_id.as_ref().is_some_and(|id| !self.known_calls.contains(id)) {
            self.builder.warn("a result of a call that the log does not hold", line);
        }
        self.builder.result(result, line);
    }

    /// Counts are cumulative: the last ones stand. Those of the agent, not of the condenser.
    fn stats(&mut self, stats: &Value) {
        let Some(metrics) = stats.get("usage_to_metrics").and_then(Value::as_object) else { return };
        let agent = ["agent", "default"]
            .iter()
            .find_map(|key| metrics.get(*key))
            .or_else(|| metrics.iter().find(|(key, _)| *key != "condenser").map(|(_, value)| value));
        let Some(agent) = agent else { return };
        let count =
            |key: &str| agent.pointer(&format!("/accumulated_token_usage/{key}")).and_then(Value::as_u64);
        let meta = self.builder.meta();
        meta.usage = Usage {
            input: count("prompt_tokens"),
            cached: count("cache_read_tokens"),
            output: count("completion_tokens"),
            reasoning: count("reasoning_tokens"),
        };
        meta.cost_usd = agent.get("accumulated_cost").and_then(Value::as_f64);
        if let Some(model) = str_field(agent, "model_name") {
            meta.model = Some(model.to_owned());
        }
    }

    fn stamp(&mut self, index: usize, event: &Value) {
        if let Some(step) = self.builder.step(index) {
            step.timestamp =
                step.timestamp.take().or_else(|| str_field(event, "timestamp").map(str::to_owned));
        }
    }
}
