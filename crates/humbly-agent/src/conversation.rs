//! The state of one run: the request that grows, the record, the sums.

use std::collections::HashSet;

use humbly_llm::{ChatError, ChatMessage, ChatReply, ChatRequest, ChatRole, Finish, TokenLogprob};
use humbly_text::answer::extract_answer;
use humbly_text::confidence::{answer_tokens, without_confidence};
use humbly_text::think;
use humbly_types::{AnswerLogProbability, CallRecord, Record, TurnRecord, Usage};

use crate::run::{Run, RunOutcome, Tally};
use crate::toolbox::{Observation, recorded};
use crate::{Agent, AgentTask};

/// One run while it goes on.
pub(crate) struct Conversation<'a> {
    agent: &'a Agent,
    task: &'a AgentTask,
    request: ChatRequest,
    turns: Vec<TurnRecord>,
    finishes: Vec<Finish>,
    logprobs: Option<Vec<TokenLogprob>>,
    tally: Tally,
    call_ids: HashSet<String>,
    error: Option<ChatError>,
}

impl<'a> Conversation<'a> {
    /// A conversation that begins with these messages.
    pub(crate) fn new(agent: &'a Agent, task: &'a AgentTask, messages: Vec<ChatMessage>) -> Self {
        let request = ChatRequest {
            model: agent.options.model.clone(),
            messages,
            sample_index: task.sample_index,
            ..ChatRequest::default()
        };
        Self {
            agent,
            task,
            request,
            turns: Vec::new(),
            finishes: Vec::new(),
            logprobs: None,
            tally: Tally::default(),
            call_ids: HashSet::new(),
            error: None,
        }
    }

    /// Offers the tools to the model, as the provider knows them.
    pub(crate) fn offer_tools(&mut self) {
        self.request.tools = self.agent.tools.specs();
    }

    /// Asks for the next turn; `None` where the call failed, which ends the run.
    pub(crate) async fn ask(&mut self, stop: &[String]) -> Option<ChatReply> {
        let turn = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
        self.request.sampling = self.agent.options.sampling_for(&self.task.id, turn, stop);
        match self.agent.client.chat(&self.request).await {
            Ok(mut reply) => {
                self.tally.add(&reply);
                self.finishes.push(reply.finish.clone());
                self.logprobs = reply.logprobs.take();
                Some(reply)
            }
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }

    pub(crate) fn is_at_limit(&self) -> bool {
        self.turns.len() >= self.agent.options.max_turns as usize
    }

    /// Adds a message to the conversation.
    pub(crate) fn say(&mut self, message: ChatMessage) {
        self.request.messages.push(message);
    }

    /// Adds text to the assistant message that the conversation ends with.
    pub(crate) fn append(&mut self, text: &str) {
        match self.request.messages.last_mut() {
            Some(last) if last.role == ChatRole::Assistant => last.content.push_str(text),
            _ => self.say(ChatMessage::assistant(text)),
        }
    }

    pub(crate) fn record(&mut self, turn: TurnRecord) {
        self.turns.push(turn);
    }

    /// An id that no call of this run has: the provider's where it is one.
    pub(crate) fn call_id(&mut self, given: &str, position: usize) -> String {
        let made = || format!("call-{}-{position}", self.turns.len());
        let mut id = if given.trim().is_empty() { made() } else { given.to_owned() };
        while !self.call_ids.insert(id.clone()) {
            id.push('+');
        }
        id
    }

    /// The run as it stands, ended so.
    pub(crate) fn finish(self, outcome: RunOutcome) -> Run {
        let options = &self.agent.options;
        let usage = self.tally.usage();
        let why = match outcome {
            RunOutcome::Failed => self.error.as_ref().map(ToString::to_string),
            RunOutcome::TurnLimit => Some(format!("no answer within {} turns", self.turns.len())),
            RunOutcome::NoAction => Some(format!("no action in {} turns in a row", options.reminders + 1)),
            RunOutcome::NoAnswer => Some("the last turn has no text".to_owned()),
            RunOutcome::Refused => Some("the provider's filter held the reply back".to_owned()),
            RunOutcome::Answered => None,
        };
        let answer_log_probability = match (outcome, self.turns.last()) {
            (RunOutcome::Answered, Some(last)) => {
                self.logprobs.as_deref().and_then(|tokens| answer_log_probability(tokens, &last.text))
            }
            _ => None,
        };
        let record = Record {
            answer_log_probability,
            task_id: self.task.task_id.clone(),
            model: Some(options.model.clone()).filter(|model| !model.is_empty()),
            agent: Some(options.agent.clone()).filter(|agent| !agent.is_empty()),
            question: Some(self.task.question.clone()),
            turns: self.turns,
            stop: Some(outcome.stop().to_owned()),
            error: why,
            usage: (usage != Usage::default()).then_some(usage),
            cost_usd: self.tally.cost_usd(),
            ..Record::new(self.task.id.clone())
        };
        Run {
            record,
            outcome,
            messages: self.request.messages,
            finishes: self.finishes,
            logprobs: self.logprobs,
            usage,
            cost_usd: self.tally.cost_usd(),
            replies: self.tally.replies,
            error: self.error,
        }
    }
}

/// Log-probability of the tokens that are the answer: the marked one, else the text without its confidence.
fn answer_log_probability(tokens: &[TokenLogprob], text: &str) -> Option<AnswerLogProbability> {
    let text = without_confidence(text);
    let extracted = extract_answer(&text);
    let answer = extracted.answer().map_or(text.as_ref(), String::as_str);
    let span = answer_tokens(tokens.iter().map(|token| (token.token.as_str(), token.logprob)), answer)?;
    Some(AnswerLogProbability { sum: span.sum, tokens: u32::try_from(span.tokens).ok()? })
}

/// A reply's text parted into reasoning (the provider's field, then think blocks) and what a reader sees.
pub(crate) fn part(field: Option<&str>, text: &str) -> (Option<String>, String) {
    let split = think::split(text);
    let blocks = split.reasoning.iter().map(|block| block.trim());
    let parts: Vec<&str> = field.map(str::trim).into_iter().chain(blocks).filter(|t| !t.is_empty()).collect();
    let reasoning = (!parts.is_empty()).then(|| parts.join("\n\n"));
    (reasoning, split.visible.trim().to_owned())
}

/// A call with its result, as a record keeps it.
pub(crate) fn call_record(id: String, name: &str, arguments: &str, observation: &Observation) -> CallRecord {
    CallRecord {
        id: Some(id),
        name: name.to_owned(),
        arguments: recorded(arguments),
        result: Some(observation.text.clone()),
        is_error: Some(observation.is_error),
    }
}
