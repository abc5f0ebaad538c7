//! Naturally occurring conflict: questions on which a model is confidently wrong, and their controls (EH A.2).

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream;
use humbly_judge::LexicalJudge;
use humbly_llm::{ChatClient, ChatError, ChatMessage, ChatRequest, Outlook, Sampling};
use humbly_score::{Matching, answer_is_right};
use humbly_text::think::visible;
use humbly_types::{Split, Task};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::elicit::ElicitError;
use super::{FailedQuestion, PromptError, Prompts, Suite, SuiteTask};

/// How the beliefs are asked for.
#[derive(Debug, Clone)]
pub struct NaturalParams {
    /// Name of the suite.
    pub name: String,
    /// Model as the user named it, for the suite file.
    pub model: String,
    /// Model as the provider names it.
    pub provider_model: String,
    /// How replies are drawn.
    pub sampling: Sampling,
    /// Seed, kept in the suite.
    pub seed: u64,
    /// The rule by which an answer and the references are compared.
    pub matching: Matching,
    /// Questions asked at a time.
    pub concurrency: usize,
}

/// Decides whether two answers mean the same where the rule says that they differ.
pub trait Equivalence: Send + Sync {
    /// `None` where no decision came back.
    ///
    /// # Errors
    /// A failed call.
    fn is_same<'a>(
        &'a self,
        answer: &'a str,
        gold: &'a str,
    ) -> BoxFuture<'a, Result<Option<bool>, ChatError>>;
}

/// What a model holds of one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NaturalBelief {
    /// Id of the task.
    pub id: String,
    /// Data set.
    pub dataset: String,
    /// Closed-book answer.
    pub answer: Option<String>,
    /// The model gave an answer that is no refusal.
    pub has_pk: bool,
    /// It stood by it when asked again; never without an answer.
    pub self_agrees: bool,
    /// The answer disagrees with the references; never without an answer.
    pub disagrees_gt: bool,
    /// The set that the question goes to.
    pub kind: NaturalKind,
    /// Raw replies: closed book, and self-verification where it was asked.
    pub replies: Vec<String>,
}

/// Where a question goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NaturalKind {
    /// Confidently wrong: the conflict split.
    Conflict,
    /// Confidently right: a control.
    AgreesGt,
    /// No answer, or one that the model does not stand by: a control.
    NoStrongBelief,
}

impl NaturalKind {
    /// The kind, from the three predicates: a total function.
    ///
    /// # Examples
    /// ```
    /// use humbly_bench::conflict::NaturalKind;
    /// assert_eq!(NaturalKind::of(true, true, true), NaturalKind::Conflict);
    /// assert_eq!(NaturalKind::of(true, false, true), NaturalKind::NoStrongBelief);
    /// ```
    pub fn of(has_pk: bool, self_agrees: bool, disagrees_gt: bool) -> Self {
        match (has_pk && self_agrees, disagrees_gt) {
            (true, true) => Self::Conflict,
            (true, false) => Self::AgreesGt,
            (false, _) => Self::NoStrongBelief,
        }
    }
}

/// One row of EH Table 4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Funnel {
    /// Questions with a determined belief.
    pub total: u64,
    /// With an answer.
    pub has_pk: u64,
    /// Of those, stood by.
    pub self_agrees: u64,
    /// Of those with an answer, disagreeing with the references.
    pub disagrees_gt: u64,
    /// Both: the conflict split.
    pub selected: u64,
    /// Control: confidently right.
    pub agrees_gt: u64,
    /// Control: no strong belief.
    pub no_strong_belief: u64,
}

impl Funnel {
    /// Counts of the beliefs. `self_agrees` and `disagrees_gt` are each counted among `has_pk`, as the paper does;
    /// `selected + agrees_gt + no_strong_belief` is `total`.
    pub fn of<'a>(beliefs: impl IntoIterator<Item = &'a NaturalBelief>) -> Self {
        let mut funnel = Self::default();
        for belief in beliefs {
            funnel.total += 1;
            funnel.has_pk += u64::from(belief.has_pk);
            funnel.self_agrees += u64::from(belief.has_pk && belief.self_agrees);
            funnel.disagrees_gt += u64::from(belief.has_pk && belief.disagrees_gt);
            match belief.kind {
                NaturalKind::Conflict => funnel.selected += 1,
                NaturalKind::AgreesGt => funnel.agrees_gt += 1,
                NaturalKind::NoStrongBelief => funnel.no_strong_belief += 1,
            }
        }
        debug_assert_eq!(funnel.selected + funnel.agrees_gt + funnel.no_strong_belief, funnel.total);
        funnel
    }
}

impl Funnel {
    /// The second view: each step counted among those of the step before it. Its last number is `selected`, as in the
    /// first view; what differs is that `disagrees_gt` is counted there among all with an answer.
    ///
    /// # Examples
    /// ```
    /// use humbly_bench::conflict::Funnel;
    /// let funnel = Funnel { total: 9, has_pk: 8, self_agrees: 5, disagrees_gt: 6, selected: 3, ..Funnel::default() };
    /// assert_eq!(funnel.nested(), [("total", 9), ("has_pk", 8), ("self_agrees", 5), ("disagrees_gt", 3)]);
    /// ```
    pub fn nested(&self) -> [(&'static str, u64); 4] {
        [
            ("total", self.total),
            ("has_pk", self.has_pk),
            ("self_agrees", self.self_agrees),
            ("disagrees_gt", self.selected),
        ]
    }
}

/// Asks each question closed book and again for its own answer, and sorts it into conflict and controls.
///
/// The refusal rules decide `has_pk`, the matching rule and then `equivalence` (where there is one)
/// `disagrees_gt`. A failed call, and a reply that cannot be decided, is listed as failed: such a question goes
/// to no split. The asking ends where it is pointless ([`Outlook`]).
///
/// # Errors
/// [`PromptError`] where a prompt of the user's cannot be used.
pub async fn build_natural_suite(
    client: &dyn ChatClient,
    tasks: &[Task],
    prompts: &Prompts,
    params: &NaturalParams,
    equivalence: Option<&dyn Equivalence>,
) -> Result<Suite, PromptError> {
    let judge = LexicalJudge::new();
    let asker = Asker { client, prompts, params, equivalence, judge: &judge };
    let mut suite =
        Suite { prompts: prompts.hashes().clone(), ..Suite::new(&params.name, &params.model, params.seed) };
    let asker = &asker;
    let mut outcomes = stream::iter(tasks)
        .map(|task| async move { (task, asker.belief(task).await) })
        .buffered(params.concurrency.max(1));
    let mut outlook = Outlook::default();
    while let Some((task, outcome)) = outcomes.next().await {
        suite.asked += 1;
        if !matches!(outcome, Err(ElicitError::Chat(_))) {
            outlook.replied();
        }
        let failed = |code: &str, message: String| FailedQuestion {
            id: task.id.clone(),
            code: code.to_owned(),
            message,
        };
        match outcome {
            Ok(Ok(belief)) => {
                suite.tasks.push(SuiteTask::new(natural_task(task, &belief)));
                suite.natural.push(belief);
            }
            Ok(Err(undecided)) => suite.failed.push(failed(undecided.0, undecided.1)),
            Err(ElicitError::Prompt(error)) => return Err(error),
            Err(ElicitError::Chat(error)) => {
                let failed = failed(error.code(), error.to_string());
                let is_hopeless = outlook.failed(&failed.code, &failed.message);
                suite.failed.push(failed);
                if is_hopeless {
                    suite.given_up = outlook.given_up().map(ToString::to_string);
                    break;
                }
            }
        }
    }
    Ok(suite)
}

/// Code and text of what left a question undecided.
struct Undecided(&'static str, String);

struct Asker<'a> {
    client: &'a dyn ChatClient,
    prompts: &'a Prompts,
    params: &'a NaturalParams,
    equivalence: Option<&'a dyn Equivalence>,
    judge: &'a LexicalJudge,
}

impl Asker<'_> {
    async fn belief(&self, task: &Task) -> Result<Result<NaturalBelief, Undecided>, ElicitError> {
        let question = task.question.clone().unwrap_or_default();
        let reply = self.ask("closed_book", json!({"question": question})).await?;
        let said = visible(&reply).trim().to_owned();
        let (answer, reason) = answer_and_reason(&said);
        let refusal = self.judge.refusal(&said);
        if refusal.value.is_none() && answer.is_some() {
            return Ok(Err(Undecided(
                "refusal_undecided",
                "the refusal rules do not cover this text".into(),
            )));
        }
        let has_pk = answer.is_some() && !refusal.is_yes();
        let mut belief = NaturalBelief {
            id: task.id.clone(),
            dataset: task.dataset.clone().unwrap_or_default(),
            answer: answer.clone().filter(|_| has_pk),
            has_pk,
            self_agrees: false,
            disagrees_gt: false,
            kind: NaturalKind::NoStrongBelief,
            replies: vec![reply],
        };
        let Some(answer) = belief.answer.clone() else { return Ok(Ok(belief)) };
        let values = json!({"question": question, "answer": answer, "reason": reason});
        let verification = self.ask("self_verify", values).await?;
        let Some(self_agrees) = yes_or_no(&verification) else {
            return Ok(Err(Undecided("verification_undecided", "neither yes nor no at its start".into())));
        };
        belief.replies.push(verification);
        belief.self_agrees = self_agrees;
        let Some(disagrees) = self.disagrees(&answer, task).await? else {
            return Ok(Err(Undecided("no_reference", "the task has no reference answer".into())));
        };
        belief.disagrees_gt = disagrees;
        belief.kind = NaturalKind::of(has_pk, self_agrees, disagrees);
        Ok(Ok(belief))
    }

    /// By rule first; where the rule says that they differ, by meaning.
    async fn disagrees(&self, answer: &str, task: &Task) -> Result<Option<bool>, ChatError> {
        let Some(is_right) = answer_is_right(answer, task, self.params.matching).value else {
            return Ok(None);
        };
        let (false, Some(equivalence)) = (is_right, self.equivalence) else { return Ok(Some(!is_right)) };
        for gold in &task.references {
            if equivalence.is_same(answer, gold).await? == Some(true) {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }

    async fn ask(&self, prompt: &str, values: serde_json::Value) -> Result<String, ElicitError> {
        let request = ChatRequest {
            model: self.params.provider_model.clone(),
            messages: vec![ChatMessage::user(self.prompts.render(prompt, &values)?)],
            sampling: self.params.sampling.clone(),
            ..ChatRequest::default()
        };
        Ok(self.client.chat(&request).await?.text)
    }
}

/// The marked answer and reason; a reply without the mark is its answer whole.
fn answer_and_reason(said: &str) -> (Option<String>, Option<String>) {
    let after = |line: &str, mark: &str| {
        let (head, rest) = line.trim().split_at_checked(mark.len())?;
        head.eq_ignore_ascii_case(mark).then(|| rest.trim().to_owned())
    };
    let find = |mark: &str| said.lines().find_map(|line| after(line, mark)).filter(|text| !text.is_empty());
    let answer = match find("answer:") {
        Some(answer) => Some(answer),
        None => said.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned),
    };
    (answer, find("reason:"))
}

fn yes_or_no(reply: &str) -> Option<bool> {
    let said = visible(reply);
    let word: String = said
        .trim_start()
        .trim_start_matches(['*', '"', '\''])
        .chars()
        .take_while(|c| c.is_alphabetic())
        .collect();
    match word.to_ascii_lowercase().as_str() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

fn natural_task(task: &Task, belief: &NaturalBelief) -> Task {
    let (split, kind) = match belief.kind {
        NaturalKind::Conflict => (Split::Conflict, None),
        NaturalKind::AgreesGt => (Split::Control, Some("agrees_gt")),
        NaturalKind::NoStrongBelief => (Split::Control, Some("no_strong_belief")),
    };
    Task {
        split: Some(split),
        scenario: Some("natural".to_owned()),
        control_kind: kind.map(str::to_owned),
        parametric_answer: belief.answer.clone(),
        ..task.clone()
    }
}

#[cfg(test)]
mod tests;
