//! Asking once, and again where the reply cannot be read.

use std::collections::BTreeMap;

use humbly_llm::{ChatClient, ChatError, ChatMessage, ChatRequest, ReplySource, Sampling};
use humbly_types::{Reason, Undefined, Usage};
use serde::{Deserialize, Serialize};

use crate::reply::{Unusable, visible};
use crate::{Bill, Failure, Fence, JudgeSettings, Prompt, Rubric};

/// Characters of an unusable reply that the judge is shown again.
const SHOWN_AGAIN: usize = 2_000;

/// What one question gave: a reading or the reason why there is none, and all that was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked<T> {
    /// The reading.
    pub reading: Result<T, Undefined>,
    /// Every reply in order, unusable ones too. Empty where nothing had to be asked.
    pub raw: Vec<RawReply>,
}

impl<T> Asked<T> {
    /// A reading that needed no model.
    pub(crate) fn settled(reading: Result<T, Undefined>) -> Self {
        Self { reading, raw: Vec::new() }
    }

    /// The same replies with another reading.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Asked<U> {
        Asked { reading: self.reading.map(change), raw: self.raw }
    }

    /// What it cost.
    pub fn bill(&self) -> Bill {
        Bill::of(&self.raw)
    }
}

/// One reply as it came, or the failure in its place: every verdict can be read again from these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawReply {
    /// What was asked.
    pub rubric: Rubric,
    /// Hash of the prompt file.
    pub prompt: String,
    /// What it was asked about: `final_reasoning` where Identify is asked about the final turn, or the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Turns that were shown with their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_turns: Vec<u32>,
    /// Which ask of this question, from 0.
    pub ask: u32,
    /// Visible text as it came.
    pub text: String,
    /// Reasoning of the judge, where the provider gives it apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Confidence that the judge stated in its reply, where its form has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
    /// Why there is no reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failure>,
    /// Model that answered, as the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where it came from.
    #[serde(default)]
    pub source: ReplySource,
    /// Tokens.
    #[serde(default)]
    pub usage: Usage,
    /// Cost in US dollars; `None` where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// One question, ready to be asked.
pub(crate) struct Question<'a> {
    pub(crate) prompt: &'a Prompt,
    pub(crate) fence: Fence,
    pub(crate) values: BTreeMap<&'static str, String>,
    pub(crate) about: Option<String>,
    pub(crate) shown_turns: Vec<u32>,
}

/// Asks until a reply can be read, at most `1 + more_asks` times.
pub(crate) async fn ask<T>(
    client: &dyn ChatClient,
    settings: &JudgeSettings,
    question: &Question<'_>,
    read: impl Fn(&str) -> Result<(T, Option<f64>), Unusable> + Send,
) -> Asked<T> {
    let prompt = question.prompt;
    let (system, user) = match prompt.render(&question.fence, &question.values) {
        Ok(messages) => messages,
        // A prompt is tried when it is read; what is left are templates that fail on some texts only.
        Err(error) => {
            let undefined = Undefined::with_detail(Reason::JudgeCallFailed, error.to_string());
            return Asked::settled(Err(undefined));
        }
    };
    let first = vec![ChatMessage::system(system), ChatMessage::user(user)];
    let mut request = request(settings, prompt.rubric(), first.clone());
    let mut raw = Vec::new();
    let mut last = String::new();
    for ask in 0..=settings.more_asks {
        request.sample_index = settings.draw.saturating_mul(settings.more_asks + 1).saturating_add(ask);
        let mut kept = RawReply {
            rubric: prompt.rubric(),
            prompt: prompt.hash().to_owned(),
            about: question.about.clone(),
            shown_turns: question.shown_turns.clone(),
            ask,
            text: String::new(),
            reasoning: None,
            confidence: None,
            unusable: None,
            failed: None,
            model: None,
            source: ReplySource::Live,
            usage: Usage::default(),
            cost_usd: None,
        };
        let unusable = match client.chat(&request).await {
            Ok(reply) => {
                let reading = visible(&reply).and_then(|text| read(&text));
                kept.text = reply.text;
                kept.reasoning = reply.reasoning;
                kept.model = reply.model;
                kept.source = reply.source;
                kept.usage = reply.usage;
                kept.cost_usd = reply.cost_usd;
                match reading {
                    Ok((reading, confidence)) => {
                        kept.confidence = confidence;
                        raw.push(kept);
                        return Asked { reading: Ok(reading), raw };
                    }
                    Err(unusable) => unusable,
                }
            }
            Err(ChatError::EmptyReply) => Unusable::Empty,
            Err(error) => {
                let (reason, code) = match &error {
                    ChatError::ContextTooLong { .. } => (Reason::ContextTooLong, error.code()),
                    _ => (Reason::JudgeCallFailed, error.code()),
                };
                let detail = error.to_string();
                let undefined = Undefined::with_detail(reason, format!("{}: {detail}", prompt.rubric()));
                kept.failed = Some(Failure { rubric: prompt.rubric(), code: code.to_owned(), detail });
                raw.push(kept);
                return Asked { reading: Err(undefined), raw };
            }
        };
        last = unusable.to_string();
        request.messages = first.clone();
        request.messages.extend(reminder(&kept.text, &last));
        kept.unusable = Some(last.clone());
        raw.push(kept);
    }
    let asks = settings.more_asks + 1;
    let detail =
        format!("{}: {last} (asked {asks} {})", prompt.rubric(), if asks == 1 { "time" } else { "times" });
    Asked { reading: Err(Undefined::with_detail(Reason::JudgeReplyUnusable, detail)), raw }
}

fn request(settings: &JudgeSettings, rubric: Rubric, messages: Vec<ChatMessage>) -> ChatRequest {
    let own = settings.of(rubric);
    ChatRequest {
        model: settings.model.clone(),
        messages,
        sampling: Sampling {
            temperature: own.temperature,
            max_tokens: own.max_tokens,
            seed: settings.seed,
            ..Sampling::default()
        },
        ..ChatRequest::default()
    }
}

/// The unusable reply and what was wrong with its form. Nothing is said about which label to give.
fn reminder(reply: &str, unusable: &str) -> Vec<ChatMessage> {
    let shown: String = reply.chars().take(SHOWN_AGAIN).collect();
    if shown.trim().is_empty() {
        // Some providers refuse an empty message; the question alone is asked again.
        return Vec::new();
    }
    let text = format!(
        "This reply cannot be used: {unusable}. Reply again, in exactly the form that was asked for, and with nothing else."
    );
    vec![ChatMessage::assistant(shown), ChatMessage::user(text)]
}
