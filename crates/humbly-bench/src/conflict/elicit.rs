//! What a model believes, asked in two ways (EH §2.1, A.1).

use std::cmp::Ordering;

use humbly_judge::LexicalJudge;
use humbly_llm::{ChatClient, ChatError, ChatMessage, ChatRequest, Sampling};
use humbly_text::answer::{AnswerSource, Extraction, choice_letter, extract_answer};
use humbly_text::matching::word_bounded_find;
use humbly_text::think::visible;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::choice::order;
use super::prompts::PromptError;
use super::{ConflictQuestion, Level, Prompts, conflict_level};

const LETTERS: [char; 2] = ['A', 'B'];

/// How a choice between the two candidates is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceBy {
    /// From the reply to a multiple-choice question, the order of choices drawn from the seed (the paper's way).
    #[default]
    Reply,
    /// The candidate whose text the model would more likely say as its reply to the question alone: the higher
    /// sum of log-probabilities. There is no order to favour, and always a choice unless both are the same.
    /// For models that give likelihoods, and that are too small to answer with a letter.
    Likelihood,
}

/// How beliefs are asked for.
#[derive(Debug, Clone)]
pub struct ElicitParams {
    /// Model, as the provider names it.
    pub model: String,
    /// How replies are drawn; the seed of the request is taken from here.
    pub sampling: Sampling,
    /// Seed of the order of choices.
    pub seed: u64,
    /// How the choice is read.
    pub choice_by: ChoiceBy,
}

/// What the free-form question gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FreeForm {
    /// No answer: empty, or a refusal.
    None,
    /// The candidate that is named first.
    Candidate(usize),
    /// Something else.
    Other(String),
}

/// One question's belief with the raw replies from which it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    /// Id of the question.
    pub id: String,
    /// Free-form answer; candidate 0 is the gold answer, 1 the rival.
    pub free_form: FreeForm,
    /// Chosen candidate.
    pub choice: Option<usize>,
    /// Order in which the candidates were offered.
    pub offered: Vec<usize>,
    /// The level.
    pub level: Level,
    /// Raw replies: free-form, choice (empty where the choice was read from likelihoods).
    pub replies: [String; 2],
    /// Log-likelihood of each candidate, where the choice was read from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likelihoods: Option<[f64; 2]>,
}

/// A question without a belief since a call failed: neither level 0 nor anything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedQuestion {
    /// Id of the question.
    pub id: String,
    /// Code of the failure.
    pub code: String,
    /// What went wrong.
    pub message: String,
}

/// Why a belief could not be asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ElicitError {
    /// A call failed.
    #[error("the model could not be asked")]
    Chat(#[from] ChatError),
    /// A prompt cannot be used.
    #[error("a prompt cannot be used")]
    Prompt(#[from] PromptError),
}

/// Asks for the belief on one question: free-form, then as a choice between the two candidates.
///
/// The free-form answer counts as the candidate that it names first (whole words, any case, aliases
/// included); a reply that names none is an answer outside the candidates.
///
/// # Errors
/// [`ElicitError`]: a failed call is no answer and no level.
pub async fn elicit_belief(
    client: &dyn ChatClient,
    question: &ConflictQuestion,
    prompts: &Prompts,
    params: &ElicitParams,
    judge: &LexicalJudge,
) -> Result<Belief, ElicitError> {
    let values = json!({"question": question.question});
    let free_form = ask(client, prompts.render("belief_free_form", &values)?, params).await?;
    let parsed = parse_free_form(&free_form, question, judge);
    let choice = match params.choice_by {
        ChoiceBy::Reply => choose_by_reply(client, question, prompts, params).await?,
        ChoiceBy::Likelihood => choose_by_likelihood(client, question, prompts, params).await?,
    };
    let level = conflict_level(
        match &parsed {
            FreeForm::None => None,
            FreeForm::Candidate(index) => Some(Some(*index)),
            FreeForm::Other(_) => Some(None),
        },
        choice.chosen,
    );
    Ok(Belief {
        id: question.id.clone(),
        free_form: parsed,
        choice: choice.chosen,
        offered: choice.offered,
        level,
        replies: [free_form, choice.reply],
        likelihoods: choice.likelihoods,
    })
}

struct Choice {
    chosen: Option<usize>,
    offered: Vec<usize>,
    reply: String,
    likelihoods: Option<[f64; 2]>,
}

async fn choose_by_reply(
    client: &dyn ChatClient,
    question: &ConflictQuestion,
    prompts: &Prompts,
    params: &ElicitParams,
) -> Result<Choice, ElicitError> {
    let offered = order(2, params.seed, &question.id, "choices");
    let answers = [&question.gold.answer, &question.rival.answer];
    let choices: Vec<_> = offered
        .iter()
        .zip(LETTERS)
        .filter_map(|(index, letter)| Some(json!({"letter": letter, "text": answers.get(*index)?})))
        .collect();
    let values = json!({"question": question.question, "choices": choices});
    let reply = ask(client, prompts.render("belief_choice", &values)?, params).await?;
    Ok(Choice { chosen: parse_choice(&reply, &offered, question), offered, reply, likelihoods: None })
}

async fn choose_by_likelihood(
    client: &dyn ChatClient,
    question: &ConflictQuestion,
    prompts: &Prompts,
    params: &ElicitParams,
) -> Result<Choice, ElicitError> {
    let values = json!({"question": question.question});
    let request = ChatRequest {
        model: params.model.clone(),
        messages: vec![ChatMessage::user(prompts.render("belief_likelihood", &values)?)],
        continuations: vec![question.gold.answer.clone(), question.rival.answer.clone()],
        ..ChatRequest::default()
    };
    let likelihoods = client.chat(&request).await?.likelihoods;
    let [gold, rival] = likelihoods[..] else {
        let found = format!("{} likelihoods where two were asked for", likelihoods.len());
        return Err(ChatError::NotAReply { found }.into());
    };
    let chosen = match gold.partial_cmp(&rival) {
        Some(Ordering::Greater) => Some(0),
        Some(Ordering::Less) => Some(1),
        Some(Ordering::Equal) | None => None,
    };
    Ok(Choice { chosen, offered: vec![0, 1], reply: String::new(), likelihoods: Some([gold, rival]) })
}

pub(super) async fn ask(
    client: &dyn ChatClient,
    prompt: String,
    params: &ElicitParams,
) -> Result<String, ChatError> {
    let request = ChatRequest {
        model: params.model.clone(),
        messages: vec![ChatMessage::user(prompt)],
        sampling: params.sampling.clone(),
        ..ChatRequest::default()
    };
    Ok(client.chat(&request).await?.text)
}

fn parse_free_form(reply: &str, question: &ConflictQuestion, judge: &LexicalJudge) -> FreeForm {
    let said = visible(reply);
    let said = said.trim();
    if said.is_empty() {
        return FreeForm::None;
    }
    let text = extract_answer(said).answer().cloned().unwrap_or_else(|| said.to_owned());
    match first_named(&text, question) {
        Some(candidate) => FreeForm::Candidate(candidate),
        None if judge.refusal(said).is_yes() => FreeForm::None,
        None => FreeForm::Other(text),
    }
}

/// The candidate that a text names first.
fn first_named(text: &str, question: &ConflictQuestion) -> Option<usize> {
    match places(text, question) {
        [Some(gold), Some(rival)] => Some(usize::from(rival < gold)),
        [Some(_), None] => Some(0),
        [None, Some(_)] => Some(1),
        [None, None] => None,
    }
}

/// Where a text names each candidate first.
fn places(text: &str, question: &ConflictQuestion) -> [Option<usize>; 2] {
    let lower = text.to_lowercase();
    [&question.gold, &question.rival]
        .map(|side| side.names().filter_map(|name| word_bounded_find(&lower, &name.to_lowercase())).min())
}

/// The chosen candidate: by its letter, else by the text of one choice alone. A reply that says all choices
/// again, each with its letter, chooses none.
fn parse_choice(reply: &str, offered: &[usize], question: &ConflictQuestion) -> Option<usize> {
    let said = visible(reply);
    let names_both = places(&said, question).iter().all(Option::is_some);
    let has_label = |letter: char| word_bounded_find(&said, &letter.to_string()).is_some();
    let extraction = choice_letter(reply, &LETTERS);
    let is_explicit = matches!(
        extraction,
        Extraction::Found { source: AnswerSource::Tag | AnswerSource::Boxed | AnswerSource::Sentence, .. }
    );
    if names_both && !is_explicit && LETTERS.into_iter().all(has_label) {
        return None;
    }
    if let Some(letter) = extraction.answer() {
        let place = LETTERS.iter().position(|known| known == letter)?;
        return offered.get(place).copied();
    }
    first_named(&said, question).filter(|_| !names_both)
}

#[cfg(test)]
mod tests;
