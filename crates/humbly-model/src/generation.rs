//! What is asked of a model and what it answers.

use crate::sampling::Sampling;
use crate::template::{Chat, Message};

/// Where a generation begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Prompt {
    /// Messages, through the model's chat template.
    Chat(Chat),
    /// Text as it stands; names of control tokens in it become those tokens.
    Text(String),
    /// Tokens.
    Tokens(Vec<u32>),
}

/// One generation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GenerationRequest {
    /// Where it begins.
    pub prompt: Prompt,
    /// How tokens are drawn, with the seed.
    pub sampling: Sampling,
    /// The text ends before the first of these.
    pub stop: Vec<String>,
    /// Most tokens to generate; `None` goes on to the end of the context.
    pub max_tokens: Option<usize>,
    /// Log-probabilities of the chosen tokens, and of this many of the most probable ones beside each; `None` for none at all.
    pub top_logprobs: Option<usize>,
}

impl GenerationRequest {
    /// Greedy decoding of a prompt to its natural end.
    pub fn new(prompt: Prompt) -> Self {
        Self { prompt, sampling: Sampling::greedy(), stop: Vec::new(), max_tokens: None, top_logprobs: None }
    }

    /// Greedy decoding of the answer to messages.
    pub fn chat(messages: Vec<Message>) -> Self {
        Self::new(Prompt::Chat(messages.into()))
    }

    /// Greedy decoding of a plain text's continuation.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Prompt::Text(text.into()))
    }

    /// The same with other sampling.
    #[must_use]
    pub fn with_sampling(self, sampling: Sampling) -> Self {
        Self { sampling, ..self }
    }

    /// The same with stop strings.
    #[must_use]
    pub fn with_stop(self, stop: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { stop: stop.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same with a limit.
    #[must_use]
    pub fn with_max_tokens(self, max_tokens: usize) -> Self {
        Self { max_tokens: Some(max_tokens), ..self }
    }

    /// The same with log-probabilities.
    #[must_use]
    pub fn with_top_logprobs(self, top_logprobs: usize) -> Self {
        Self { top_logprobs: Some(top_logprobs), ..self }
    }
}

/// Why a generation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model ended its turn.
    End,
    /// One of the stop strings came.
    Stop {
        /// Which.
        text: String,
    },
    /// `max_tokens` was reached.
    Length,
    /// The context is full.
    Context,
}

/// Log-probability of a token, natural logarithm, of the model's own distribution:
/// before temperature, cuts and penalty.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenLogprob {
    /// The token.
    pub token: u32,
    /// Its text; U+FFFD for a part of a character.
    pub text: String,
    /// Its log-probability.
    pub logprob: f64,
    /// The most probable tokens with theirs, best first.
    pub top: Vec<(u32, String, f64)>,
}

/// A finished generation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Generation {
    /// The text without control tokens, cut before a stop string.
    pub text: String,
    /// All tokens that were drawn, with the ending one and those of the stop string.
    pub tokens: Vec<u32>,
    /// One for each token, where they were asked for.
    pub logprobs: Option<Vec<TokenLogprob>>,
    /// Why it ended.
    pub finish: FinishReason,
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Tokens of the prompt whose keys and values were taken from another row with the same beginning.
    pub reused_tokens: usize,
}

/// What happens while generations run. `row` counts requests in the order they were given.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Text that is sure to stay.
    Text {
        /// Which request.
        row: usize,
        /// The new text.
        text: &'a str,
    },
    /// A request is done, with a result or its own error.
    Finished {
        /// Which request.
        row: usize,
        /// What came of it.
        result: &'a crate::Result<Generation>,
    },
}
