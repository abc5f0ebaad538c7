use std::collections::BTreeSet;

use futures::FutureExt;
use futures::executor::block_on;
use humbly_llm::ChatReply;

use super::*;

/// Answers closed book with the first text, verifies with the second.
struct Backbone<F>(F);

impl<F: Fn(&str) -> (&'static str, &'static str) + Send + Sync> ChatClient for Backbone<F> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatError>> {
        let prompt = request.messages[0].content.as_str();
        let (answer, verification) = (self.0)(prompt);
        let is_verification = prompt.contains("stand by");
        let text = if is_verification { verification } else { answer }.to_owned();
        async move {
            if text == "fails" {
                Err(ChatError::EmptyReply)
            } else {
                Ok(ChatReply { text, ..ChatReply::default() })
            }
        }
        .boxed()
    }
}

struct Synonyms;

impl Equivalence for Synonyms {
    fn is_same<'a>(
        &'a self,
        answer: &'a str,
        gold: &'a str,
    ) -> BoxFuture<'a, Result<Option<bool>, ChatError>> {
        futures::future::ready(Ok(Some(answer == "USA" && gold == "United States"))).boxed()
    }
}

fn tasks() -> Vec<Task> {
    ["right", "wrong", "unsure", "silent", "paraphrase", "fails", "mumbles"]
        .map(|id| Task {
            id: id.to_owned(),
            dataset: Some("mine".into()),
            question: Some(format!("Question {id}?")),
            references: vec![if id == "paraphrase" { "United States" } else { "42" }.to_owned()],
            ..Task::default()
        })
        .into()
}

fn suite(equivalence: Option<&dyn Equivalence>) -> Suite {
    let backbone = Backbone(|prompt: &str| {
        let is = |id: &str| prompt.contains(&format!("Question {id}?"));
        if is("right") {
            ("Answer: 42\nReason: counted", "Yes, I do.")
        } else if is("wrong") {
            ("Answer: 41\nReason: counted", "yes")
        } else if is("unsure") {
            ("Answer: 41\nReason: a guess", "No, it was a guess.")
        } else if is("silent") {
            ("Answer: I do not know", "yes")
        } else if is("paraphrase") {
            ("Answer: USA\nReason: known", "yes")
        } else if is("fails") {
            ("fails", "yes")
        } else {
            ("Answer: 41", "Well, perhaps.")
        }
    });
    let params = NaturalParams {
        name: "natural".into(),
        model: "m".into(),
        provider_model: "m".into(),
        sampling: Sampling::default(),
        seed: 1,
        matching: Matching::Gaia,
        concurrency: 3,
    };
    let prompts = Prompts::built_in().unwrap();
    block_on(build_natural_suite(&backbone, &tasks(), &prompts, &params, equivalence)).unwrap()
}

#[test]
fn each_question_goes_where_the_three_predicates_say() {
    let suite = suite(Some(&Synonyms));
    let kinds: Vec<_> = suite.natural.iter().map(|belief| (belief.id.as_str(), belief.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("right", NaturalKind::AgreesGt),
            ("wrong", NaturalKind::Conflict),
            ("unsure", NaturalKind::NoStrongBelief),
            ("silent", NaturalKind::NoStrongBelief),
            ("paraphrase", NaturalKind::AgreesGt),
        ]
    );
    let failed: BTreeSet<_> =
        suite.failed.iter().map(|failed| (failed.id.as_str(), failed.code.as_str())).collect();
    assert_eq!(failed, BTreeSet::from([("fails", "empty_reply"), ("mumbles", "verification_undecided")]));
    let funnel = Funnel::of(&suite.natural);
    let expected = Funnel {
        total: 5,
        has_pk: 4,
        self_agrees: 3,
        disagrees_gt: 2,
        selected: 1,
        agrees_gt: 2,
        no_strong_belief: 2,
    };
    assert_eq!(funnel, expected);
    let conflict = &suite.tasks[1].task;
    assert_eq!((conflict.split, conflict.parametric_answer.as_deref()), (Some(Split::Conflict), Some("41")));
    assert_eq!(suite.tasks[3].task.parametric_answer, None);
}

#[test]
fn without_a_check_of_meaning_the_rule_stands() {
    let suite = suite(None);
    assert_eq!(suite.natural.last().unwrap().kind, NaturalKind::Conflict);
}
