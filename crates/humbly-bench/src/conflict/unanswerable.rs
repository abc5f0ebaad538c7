//! Questions without an answer, asked as beliefs are asked for: who says so, and who answers all the same.

use futures::StreamExt;
use futures::stream;
use humbly_judge::LexicalJudge;
use humbly_llm::{ChatClient, Outlook};
use humbly_stats::Measured;
use humbly_stats::abstention::{Abstention, abstention};
use humbly_stats::intervals::wilson_proportion;
use humbly_text::think::visible;
use serde::Serialize;
use serde_json::json;

use super::elicit::{ElicitError, ask};
use super::{Belief, ElicitParams, FailedQuestion, PromptError, Prompts, UnanswerableQuestion};

/// What a model said to one question without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unanswered {
    /// Id of the question.
    pub id: String,
    /// Why it has no answer: `missing_premise`, `ambiguous`, `subjective`.
    pub kind: String,
    /// Whether the reply declines to answer; `None` where the rules do not cover it.
    pub abstained: Option<bool>,
    /// The reply as it came.
    pub reply: String,
}

/// What a model said to questions without an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnansweredSet {
    /// One a question that had a reply, in their order.
    pub replies: Vec<Unanswered>,
    /// Questions whose call failed.
    pub failed: Vec<FailedQuestion>,
}

/// Asks each question as beliefs are asked for, and judges by rule whether the reply declines to answer.
///
/// The asking ends where it is pointless ([`Outlook`]).
///
/// # Errors
/// [`PromptError`] where a prompt of the user's cannot be used.
pub async fn ask_unanswerable(
    client: &dyn ChatClient,
    questions: &[UnanswerableQuestion],
    prompts: &Prompts,
    params: &ElicitParams,
    concurrency: usize,
) -> Result<UnansweredSet, PromptError> {
    let judge = LexicalJudge::new();
    let mut set = UnansweredSet::default();
    let mut outlook = Outlook::default();
    let asked = questions.iter().map(|question| async move {
        let outcome = match prompts.render("belief_free_form", json!({"question": question.question})) {
            Ok(prompt) => ask(client, prompt, params).await.map_err(ElicitError::from),
            Err(error) => Err(error.into()),
        };
        (question, outcome)
    });
    let mut replies = stream::iter(asked).buffered(concurrency.max(1));
    while let Some((question, outcome)) = replies.next().await {
        match outcome {
            Ok(reply) => {
                outlook.replied();
                let abstained = declines(&reply, &judge);
                let (id, kind) = (question.id.clone(), question.kind.clone());
                set.replies.push(Unanswered { id, kind, abstained, reply });
            }
            Err(ElicitError::Prompt(error)) => return Err(error),
            Err(ElicitError::Chat(error)) => {
                let (code, message) = (error.code().to_owned(), error.to_string());
                let is_hopeless = outlook.failed(&code, &message);
                set.failed.push(FailedQuestion { id: question.id.clone(), code, message });
                if is_hopeless {
                    break;
                }
            }
        }
    }
    Ok(set)
}

impl UnansweredSet {
    /// Share of the questions of a kind that were declined, among those that could be judged; all kinds where it is
    /// `None`. With Wilson's 95 % interval.
    ///
    /// # Errors
    /// None with counts as they come from replies.
    pub fn declined(&self, kind: Option<&str>) -> humbly_stats::Result<Measured> {
        let of_kind = self.replies.iter().filter(|reply| kind.is_none_or(|kind| reply.kind == kind));
        let judged: Vec<bool> = of_kind.filter_map(|reply| reply.abstained).collect();
        wilson_proportion(judged.iter().filter(|declined| **declined).count(), judged.len(), 0.95)
    }

    /// Replies that the rules do not cover.
    pub fn undecided(&self) -> usize {
        self.replies.iter().filter(|reply| reply.abstained.is_none()).count()
    }

    /// Abstention over these questions and the answerable ones of the beliefs: what declining everything would gain
    /// here shows there as its price.
    ///
    /// # Errors
    /// None with counts as they come from replies.
    pub fn beside(&self, beliefs: &[Belief]) -> humbly_stats::Result<Abstention> {
        let judge = LexicalJudge::new();
        let unanswerable = self.replies.iter().filter_map(|reply| Some((reply.abstained?, false)));
        let answerable = beliefs.iter().filter_map(|belief| {
            let [free_form, _] = &belief.replies;
            Some((declines(free_form, &judge)?, true))
        });
        let (abstained, answerable): (Vec<bool>, Vec<bool>) = unanswerable.chain(answerable).unzip();
        abstention(&abstained, &answerable)
    }
}

/// Nothing said is no statement that the question has no answer.
fn declines(reply: &str, judge: &LexicalJudge) -> Option<bool> {
    let said = visible(reply);
    let said = said.trim();
    if said.is_empty() { None } else { judge.refusal(said).value }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use humbly_llm::{ChatError, ChatReply, Sampling, ScriptedClient};

    use super::super::{ChoiceBy, unanswerable_questions};
    use super::*;

    fn asked(
        answer: impl Fn(&str) -> Result<&'static str, ChatError> + Send + Sync + 'static,
    ) -> UnansweredSet {
        let client = ScriptedClient::from_fn(move |request| {
            let prompt = &request.messages[0].content;
            answer(prompt).map(|text| ChatReply { text: text.to_owned(), ..ChatReply::default() })
        });
        let params = ElicitParams {
            model: "m".into(),
            sampling: Sampling::default(),
            seed: 1,
            choice_by: ChoiceBy::Reply,
        };
        let prompts = Prompts::built_in().unwrap();
        block_on(ask_unanswerable(&client, &unanswerable_questions(), &prompts, &params, 4)).unwrap()
    }

    fn belief(reply: &str) -> Belief {
        let value = json!({
            "id": "q", "free_form": "none", "choice": null, "offered": [0, 1], "level": "no_knowledge",
            "replies": [reply, ""],
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn who_declines_is_counted_by_kind_and_nothing_said_is_undecided() {
        let set = asked(|prompt| match prompt {
            prompt if prompt.contains("Tom has some apples") => Ok(""),
            prompt if prompt.contains("apples") || prompt.contains("train") => Ok("I do not know."),
            _ => Ok("42"),
        });
        assert_eq!((set.replies.len(), set.undecided(), set.failed.len()), (60, 1, 0));
        let declined = set.declined(Some("missing_premise")).unwrap();
        assert_eq!((declined.n, set.declined(None).unwrap().n), (19, 59));
        assert!(declined.value().unwrap() > 0.0 && declined.value().unwrap() < 0.5, "{declined:?}");
        assert_eq!(set.declined(Some("subjective")).unwrap().value(), Some(0.0));
    }

    #[test]
    fn declining_everything_shows_its_price() {
        let set = asked(|_| Ok("I do not know."));
        let rates = set.beside(&[belief("I do not know."), belief("I do not know.")]).unwrap();
        assert_eq!((rates.recall.value(), rates.false_abstention_rate.value()), (Some(1.0), Some(1.0)));
        assert_eq!(rates.coverage.value(), Some(0.0));
        let rates = set.beside(&[belief("Rome"), belief("Milan")]).unwrap();
        assert_eq!(rates.false_abstention_rate.value(), Some(0.0));
    }

    #[test]
    fn a_failed_call_is_no_reply_and_a_refused_key_ends_the_asking() {
        let set = asked(|_| Err(ChatError::Authentication { provider: "p".into(), status: 401 }));
        assert_eq!((set.replies.len(), set.failed.len()), (0, 1));
        assert_eq!(set.declined(None).unwrap().value(), None);
    }
}
