//! What a run will ask for, before it begins: the first prompts are measured, the rest is arithmetic.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use humbly_agent::{AgentOptions, Protocol};
use humbly_llm::{ChatClient, ChatError, ChatReply, ChatRequest, estimated_tokens};
use serde::Serialize;

/// Prompts that are measured for each model.
pub(super) const MEASURED: usize = 32;
/// Tokens of a reply whose length nothing limits.
const ASSUMED_OUTPUT: u64 = 512;
/// Characters of text to a token, as the estimate of prompts has it.
const CHARACTERS_PER_TOKEN: u64 = 3;

/// What is still to be asked for in a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Samples to be run.
    pub samples: u64,
    /// By model.
    pub models: Vec<ModelEstimate>,
}

/// The part of one model: each number from its least (every sample one call, or the stages that a protocol has) to
/// its most (every sample to its limit of turns).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ModelEstimate {
    /// Model, as the experiment names it.
    pub model: String,
    /// Samples to be run.
    pub samples: u64,
    /// Samples whose first prompt was measured.
    pub measured: u64,
    /// Calls.
    pub calls: Range,
    /// Prompt tokens.
    pub input: Range,
    /// Completion tokens, each reply at its limit.
    pub output: Range,
    /// The length assumed of a reply where the experiment sets no limit.
    pub assumed_output: Option<u64>,
}

/// From a least to a most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Range {
    /// The least.
    pub low: u64,
    /// The most.
    pub high: u64,
}

/// A client that can be told to measure prompts and answer nothing.
pub(super) struct Gauge {
    inner: Arc<dyn ChatClient>,
    is_measuring: AtomicBool,
    tokens: AtomicU64,
    prompts: AtomicU64,
}

impl Gauge {
    pub(super) fn new(inner: Arc<dyn ChatClient>) -> Self {
        Self {
            inner,
            is_measuring: AtomicBool::new(false),
            tokens: AtomicU64::new(0),
            prompts: AtomicU64::new(0),
        }
    }

    pub(super) fn measure(&self, is_on: bool) {
        self.is_measuring.store(is_on, Ordering::Relaxed);
    }

    /// Tokens and count of the prompts measured so far, which are then forgotten.
    pub(super) fn take(&self) -> (u64, u64) {
        (self.tokens.swap(0, Ordering::Relaxed), self.prompts.swap(0, Ordering::Relaxed))
    }
}

impl ChatClient for Gauge {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, humbly_llm::Result<ChatReply>> {
        if self.is_measuring.load(Ordering::Relaxed) {
            self.tokens.fetch_add(estimated_tokens(request), Ordering::Relaxed);
            self.prompts.fetch_add(1, Ordering::Relaxed);
            return futures::future::ready(Err(ChatError::EmptyReply)).boxed();
        }
        self.inner.chat(request)
    }
}

/// Samples of one model: how many under which options, and the tokens of the prompts measured.
#[derive(Default)]
pub(super) struct Group {
    pub(super) samples: u64,
    pub(super) prompt_tokens: u64,
    pub(super) prompts: u64,
}

/// The estimate of groups of samples, by model; each group runs under options of its own.
pub(super) fn estimate(groups: BTreeMap<String, Vec<(AgentOptions, bool, Group)>>) -> Estimate {
    let mut found = Estimate::default();
    for (model, groups) in groups {
        let mut of_model = ModelEstimate { model, ..ModelEstimate::default() };
        for (options, can_search, group) in groups {
            let Some(first) = group.prompt_tokens.checked_div(group.prompts) else { continue };
            let limit = options.sampling.max_tokens.map(u64::from);
            let output = limit.unwrap_or(ASSUMED_OUTPUT);
            if limit.is_none() {
                of_model.assumed_output = Some(ASSUMED_OUTPUT);
            }
            let observed = options.observation_limit as u64 / CHARACTERS_PER_TOKEN;
            let (low, high) = calls(&options, can_search);
            // What a turn said, and what came back, stands in every later prompt.
            let input = |calls: u64| calls * first + (output + observed) * (calls * (calls - 1) / 2);
            let add = |range: &mut Range, low: u64, high: u64| {
                range.low += group.samples * low;
                range.high += group.samples * high;
            };
            add(&mut of_model.calls, low, high);
            add(&mut of_model.input, input(low), input(high));
            add(&mut of_model.output, low * output, high * output);
            of_model.samples += group.samples;
            of_model.measured += group.prompts;
        }
        found.samples += of_model.samples;
        found.models.push(of_model);
    }
    found
}

/// Calls of the guided stages with four passages, the most that suites have.
const GUIDED_CALLS: u64 = 7;

/// Fewest and most calls of one sample.
fn calls(options: &AgentOptions, can_search: bool) -> (u64, u64) {
    let most = u64::from(options.max_turns.max(1));
    match options.protocol {
        Protocol::Plain => {
            let searches =
                if can_search { u64::from(options.plain_searches).min(most.saturating_sub(2)) } else { 0 };
            let stages = (2 + searches).min(most);
            (stages, stages)
        }
        // One turn a passage, the comparison, a search, the answer; the stages of `Plain` where there is no passage.
        Protocol::Guided => (2, most.min(GUIDED_CALLS)),
        Protocol::Direct => (1, 1),
        Protocol::Native | Protocol::Tagged => (1, most),
    }
}

#[cfg(test)]
mod tests {
    use humbly_llm::Sampling;

    use super::*;

    fn options(protocol: Protocol, max_tokens: Option<u32>) -> AgentOptions {
        AgentOptions {
            protocol,
            max_turns: 4,
            observation_limit: 300,
            sampling: Sampling { max_tokens, ..Sampling::default() },
            ..AgentOptions::default()
        }
    }

    fn of(options: AgentOptions) -> ModelEstimate {
        let group = Group { samples: 10, prompt_tokens: 400, prompts: 2 };
        estimate(BTreeMap::from([("m".to_owned(), vec![(options, true, group)])])).models.remove(0)
    }

    #[test]
    fn fixed_stages_have_one_number_and_a_loop_has_two() {
        let plain = of(options(Protocol::Plain, Some(50)));
        assert_eq!(plain.calls, Range { low: 30, high: 30 });
        // 3 calls: 3 × 200 for the task, and 150 tokens more in the second, 300 in the third.
        assert_eq!(plain.input, Range { low: 10 * 1050, high: 10 * 1050 });
        assert_eq!((plain.output, plain.assumed_output), (Range { low: 1500, high: 1500 }, None));
        let native = of(options(Protocol::Native, None));
        assert_eq!(native.calls, Range { low: 10, high: 40 });
        assert_eq!((native.input.low, native.assumed_output), (2000, Some(512)));
    }
}
