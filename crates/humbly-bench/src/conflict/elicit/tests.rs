use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use humbly_llm::ChatReply;

use super::*;
use crate::conflict::{Passage, Side};

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
    let params = ElicitParams {
        model: "m".into(),
        sampling: Sampling::default(),
        seed: 3,
        choice_by: ChoiceBy::Reply,
    };
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
fn choices_said_again_are_no_choice() {
    let echo =
        |prompt: &str| prompt.lines().filter(|line| line.contains(". ")).collect::<Vec<_>>().join("\n");
    assert_eq!(belief("Rome", |_| "A. Rome\nB. Milan".into()).choice, None);
    assert_eq!(belief("Rome", echo).choice, None);
    assert_eq!(belief("Rome", |_| "Rome or Milan".into()).choice, None);
    let explained = |prompt: &str| {
        format!("The answer is {}. It is Rome (A and B: Rome, Milan).", letter_of(prompt, "Rome"))
    };
    assert_eq!(belief("Rome", explained).choice, Some(0));
    assert_eq!(
        belief("Rome", |prompt| format!("{}, since Milan is not.", letter_of(prompt, "Rome"))).choice,
        Some(0)
    );
}

/// Says Rome, and finds these candidates so likely.
struct Likely(Vec<f64>);

impl ChatClient for Likely {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatError>> {
        let is_scored = request.continuations == ["Rome", "Milan"];
        let likelihoods = if is_scored { self.0.clone() } else { Vec::new() };
        async move { Ok(ChatReply { text: "Rome".into(), likelihoods, ..ChatReply::default() }) }.boxed()
    }
}

#[test]
fn the_likelier_candidate_is_the_choice() {
    let params = ElicitParams {
        model: "m".into(),
        sampling: Sampling::default(),
        seed: 3,
        choice_by: ChoiceBy::Likelihood,
    };
    let prompts = Prompts::built_in().unwrap();
    let ask = |likelihoods: &[f64]| {
        let client = Likely(likelihoods.to_vec());
        block_on(elicit_belief(&client, &question(), &prompts, &params, &LexicalJudge::new()))
    };
    for (likelihoods, choice, level) in [
        ([-1.0, -2.0], Some(0), Level::Agreed),
        ([-3.0, -2.0], Some(1), Level::Inconsistent),
        ([-2.0, -2.0], None, Level::FreeFormOnly),
        ([f64::NAN, -2.0], None, Level::FreeFormOnly),
    ] {
        let belief = ask(&likelihoods).unwrap();
        assert_eq!((belief.choice, belief.level, belief.replies[1].as_str()), (choice, level, ""));
    }
    for unusable in [&[][..], &[-1.0]] {
        assert!(matches!(ask(unusable), Err(ElicitError::Chat(ChatError::NotAReply { .. }))));
    }
}

#[test]
fn a_failed_call_is_no_level() {
    let client = Answers(|_: &str| Err(ChatError::EmptyReply));
    let params = ElicitParams {
        model: "m".into(),
        sampling: Sampling::default(),
        seed: 3,
        choice_by: ChoiceBy::Reply,
    };
    let prompts = Prompts::built_in().unwrap();
    let outcome = block_on(elicit_belief(&client, &question(), &prompts, &params, &LexicalJudge::new()));
    assert!(matches!(outcome, Err(ElicitError::Chat(ChatError::EmptyReply))));
}
