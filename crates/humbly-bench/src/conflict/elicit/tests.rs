use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use humbly_llm::ChatReply;

use super::*;
use crate::conflict::Passage;

struct Answers<F>(F);

impl<F: Fn(&str) -> Result<String, ChatError> + Send + Sync> ChatClient for Answers<F> {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatError>> {
        let reply = (self.0)(&request.messages[0].content);
        async move { reply.map(|text| ChatReply { text, ..ChatReply::default() }) }.boxed()
    }
}

fn question() -> ConflictQuestion {
    let side = |answer: &str, alias: &str| Side {
        answer: answer.into(),
        aliases: vec![alias.into()],
        passages: vec![Passage::default()],
        whole: None,
    };
    ConflictQuestion {
        id: "q".into(),
        dataset: "mine".into(),
        group: String::new(),
        question: "What is the capital of Italy?".into(),
        gold: side("Rome", "Roma"),
        rival: side("Milan", "Milano"),
    }
}

fn belief(free_form: &str, choose: impl Fn(&str) -> String + Send + Sync) -> Belief {
    let client = Answers(|prompt: &str| {
        Ok(if prompt.contains("A. ") { choose(prompt) } else { free_form.to_owned() })
    });
    let params = ElicitParams { model: "m".into(), sampling: Sampling::default(), seed: 3 };
    let prompts = Prompts::built_in().unwrap();
    block_on(elicit_belief(&client, &question(), &prompts, &params, &LexicalJudge::new())).unwrap()
}

/// The letter under which an answer is offered.
fn letter_of(prompt: &str, answer: &str) -> String {
    let line = prompt.lines().find(|line| line.ends_with(answer)).unwrap();
    line[..1].to_owned()
}

#[test]
fn both_ways_agree() {
    let belief = belief("Roma, of course.", |prompt| letter_of(prompt, "Rome"));
    assert_eq!(
        (belief.level, belief.free_form, belief.choice),
        (Level::Agreed, FreeForm::Candidate(0), Some(0))
    );
}

#[test]
fn a_wrong_belief_is_a_belief() {
    let belief = belief("Milan", |prompt| letter_of(prompt, "Milan"));
    assert_eq!((belief.level, belief.choice), (Level::Agreed, Some(1)));
}

#[test]
fn the_two_ways_may_disagree() {
    assert_eq!(belief("Rome", |prompt| letter_of(prompt, "Milan")).level, Level::Inconsistent);
    assert_eq!(belief("Turin", |prompt| letter_of(prompt, "Milan")).level, Level::Inconsistent);
}

#[test]
fn no_choice_and_no_answer_are_none() {
    assert_eq!(belief("I do not know.", |_| "none".into()).level, Level::NoKnowledge);
    assert_eq!(belief("", |_| String::new()).level, Level::NoKnowledge);
    assert_eq!(belief("Turin", |_| "none".into()).level, Level::FreeFormOnly);
}

#[test]
fn what_is_only_thought_is_no_answer() {
    assert_eq!(belief("<think>Rome?</think>", |_| "<think>A</think>".into()).level, Level::NoKnowledge);
}

#[test]
fn the_text_of_a_choice_counts_as_its_letter() {
    assert_eq!(belief("Rome", |_| "It is Rome.".into()).level, Level::Agreed);
}

#[test]
fn a_failed_call_is_no_level() {
    let client = Answers(|_: &str| Err(ChatError::EmptyReply));
    let params = ElicitParams { model: "m".into(), sampling: Sampling::default(), seed: 3 };
    let prompts = Prompts::built_in().unwrap();
    let outcome = block_on(elicit_belief(&client, &question(), &prompts, &params, &LexicalJudge::new()));
    assert!(matches!(outcome, Err(ElicitError::Chat(ChatError::EmptyReply))));
}
