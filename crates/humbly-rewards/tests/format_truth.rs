//! `truth/searchr1_format_truth.json`: what Search-R1's own validator and score say.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_precision_loss,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and these numbers are exact"
)]

mod support;

use humbly_rewards::{Matching, Protocol, Rule};
use support::{assert_close, score, truth};

#[test]
fn validity_and_score_are_those_of_the_reference() {
    let Some(truth) = truth("searchr1_format_truth.json") else { return };
    let cases = truth["format_cases"].as_array().unwrap();
    assert_eq!(cases.len(), 24);
    let protocol = Protocol::search_r1();
    for case in cases {
        let (name, response) = (case["case"].as_str().unwrap(), case["response"].as_str().unwrap());
        let reading = protocol.read(response);
        assert_eq!(reading.is_valid(), case["valid_full_prompt"].as_bool().unwrap(), "{name}: {reading:?}");
        let scored = score("em", &[], response, &["Paris"]).score().unwrap();
        assert_close(scored, case["score_full_prompt"].as_f64().unwrap(), name);
    }
}

#[test]
fn normal_forms_are_those_of_the_reference() {
    let Some(truth) = truth("searchr1_format_truth.json") else { return };
    for case in truth["normalize"].as_array().unwrap() {
        let (input, output) = (case["input"].as_str().unwrap(), case["output"].as_str().unwrap());
        assert_eq!(humbly_text::normalize::squad(input), output);
        if !output.is_empty() {
            assert!(Matching::Exact.is_match(input, &[output]), "{input}");
        }
        assert!(!Matching::Exact.is_match(&format!("{input} x"), &[output]), "{input}");
    }
}

/// Rule and byte of each fault, by hand.
#[test]
fn faults_have_a_rule_and_a_place() {
    let protocol = Protocol::search_r1();
    for (text, rule, offset) in [
        ("Sure. <think>a</think><answer>P</answer>", Rule::UnexpectedText, 0),
        ("<think>a</think> é <answer>P</answer>", Rule::UnexpectedText, 17),
        ("<think>a</think><think>b</think><answer>P</answer>", Rule::UnexpectedTag, 16),
        ("<think>a</think><answer>P", Rule::Unclosed, 24),
        ("<think>a</think><answer>P</answer><|im_end|>", Rule::UnexpectedText, 34),
        ("<think>a</think>", Rule::Incomplete, 16),
        ("", Rule::Incomplete, 0),
        ("<think>a <search>q</search></think><answer>P</answer>", Rule::UnexpectedTag, 9),
    ] {
        let fault = protocol.read(text).fault.unwrap();
        assert_eq!((fault.rule, fault.offset), (rule, offset), "{text}: {fault}");
        assert!(text.ends_with(fault.excerpt(text).after) || fault.excerpt(text).after.len() <= 40);
    }
    let car = Protocol::car("percent".parse().unwrap());
    for (text, rule, offset) in [
        ("<think>a</think><answer>P</answer>", Rule::MissingConfidence, 34),
        ("<think>a</think><confidence>x</confidence><answer>P</answer>", Rule::UnusableConfidence, 28),
        ("<think> </think><confidence>5</confidence><answer>P</answer>", Rule::EmptyThink, 7),
        ("<think>a</think><escalate> </escalate><answer>P</answer>", Rule::EmptyEscalate, 26),
        (
            "<think>a</think><confidence>5</confidence><answer>P</answer><confidence>5</confidence>",
            Rule::Repeated,
            60,
        ),
        ("<think>a</think><answer>P</answer><escalate>x</escalate>", Rule::UnexpectedTag, 34),
    ] {
        let fault = car.read(text).fault.unwrap();
        assert_eq!((fault.rule, fault.offset), (rule, offset), "{text}: {fault}");
    }
}
