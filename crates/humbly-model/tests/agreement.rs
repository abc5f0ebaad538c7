//! `SmolLM2` against reference values from transformers in f32 (`golden/reference.py`).
//!
//! The model's file is looked for in the user's cache; without it the tests say so and pass,
//! unless `HUMBLY_REQUIRE=all`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "a test fails by panicking"
)]

use std::sync::OnceLock;

use humbly_model::{BatchOptions, FinishReason, GenerationRequest, Message, Model, Prompt, fetch};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    texts: Vec<Text>,
    prompts: Vec<Reference>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
    tokens: Vec<u32>,
}

#[derive(Deserialize)]
struct Reference {
    prompt: String,
    tokens: Vec<u32>,
    top: Vec<(u32, f32)>,
    sum: f64,
    sum_of_squares: f64,
    log_sum_exp: f64,
    greedy: Option<Vec<u32>>,
    greedy_gaps: Option<Vec<f32>>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("golden/smollm2.json")).unwrap()
}

fn model() -> Option<&'static Model> {
    static MODEL: OnceLock<Option<Model>> = OnceLock::new();
    MODEL
        .get_or_init(|| match fetch::resolve("smollm2-135m") {
            Ok(path) => Some(Model::load(path).unwrap()),
            Err(error) if std::env::var_os("HUMBLY_REQUIRE").is_some_and(|value| value == "all") => {
                panic!("{error}")
            }
            Err(error) => {
                eprintln!("skipped: {error}");
                None
            }
        })
        .as_ref()
}

/// Logits of the last position.
fn last(logits: &[f32]) -> &[f32] {
    &logits[logits.len() - 49_152..]
}

#[test]
fn tokens_are_those_of_the_reference() {
    let Some(model) = model() else { return };
    for Text { text, tokens } in golden().texts {
        assert_eq!(model.tokenizer().encode(&text).unwrap(), tokens, "{text:?}");
    }
    // Every numeric sign stands alone, not only digits.
    let apart = [" ", "½", "Ⅷ"].map(|piece| model.tokenizer().encode(piece).unwrap()).concat();
    assert_eq!(model.tokenizer().encode(" ½Ⅷ").unwrap(), apart);
}

#[test]
fn logits_of_twenty_prompts_in_one_batch_are_those_of_the_reference() {
    let Some(model) = model() else { return };
    let references = golden().prompts;
    assert_eq!(references.len(), 20);
    let sequences: Vec<Vec<u32>> = references.iter().map(|reference| reference.tokens.clone()).collect();
    let together = model.logits(&sequences).unwrap();
    let mut furthest = 0_f32;
    let mut furthest_alone = 0_f32;
    for (reference, together) in references.iter().zip(&together) {
        let logits = last(together);
        for (token, expected) in &reference.top {
            furthest = furthest.max((logits[*token as usize] - expected).abs());
        }
        let sum: f64 = logits.iter().map(|logit| f64::from(*logit)).sum();
        let squares: f64 = logits.iter().map(|logit| f64::from(*logit).powi(2)).sum();
        let total = logits.iter().map(|logit| f64::from(*logit).exp()).sum::<f64>().ln();
        // Of all 49,152 logits: the mean within 2e-3, the root of the mean square within 2e-3.
        assert!((sum - reference.sum).abs() / 49_152.0 < 2e-3, "{:?}", reference.prompt);
        let root = |squares: f64| (squares / 49_152.0).sqrt();
        assert!((root(squares) - root(reference.sum_of_squares)).abs() < 2e-3, "{:?}", reference.prompt);
        assert!((total - reference.log_sum_exp).abs() < 2e-2, "{:?}", reference.prompt);
        let alone = model.logits(std::slice::from_ref(&reference.tokens)).unwrap();
        for (alone, together) in alone[0].iter().zip(together) {
            furthest_alone = furthest_alone.max((alone - together).abs());
        }
    }
    eprintln!(
        "furthest from the reference {furthest:.2e}, furthest alone from together {furthest_alone:.2e}"
    );
    assert!(furthest < 2e-2, "{furthest}");
    assert!(furthest_alone < 5e-3, "{furthest_alone}");
}

#[test]
fn greedy_text_is_that_of_the_reference_alone_and_in_a_batch() {
    let Some(model) = model() else { return };
    let references: Vec<Reference> =
        golden().prompts.into_iter().filter(|reference| reference.greedy.is_some()).collect();
    assert_eq!(references.len(), 4);
    let request = |reference: &Reference| {
        GenerationRequest::new(Prompt::Tokens(reference.tokens.clone())).with_max_tokens(64)
    };
    let together =
        model.generate_batch(references.iter().map(request).collect(), BatchOptions::default(), &mut |_| ());
    for (reference, together) in references.iter().zip(together) {
        let together = together.unwrap();
        let alone = model.generate_batch(vec![request(reference)], BatchOptions::default(), &mut |_| ());
        assert_eq!(alone.into_iter().next().unwrap().unwrap().tokens, together.tokens);
        let expected = reference.greedy.as_ref().unwrap();
        let gaps = reference.greedy_gaps.as_ref().unwrap();
        for (index, (found, expected)) in together.tokens.iter().zip(expected).enumerate() {
            if found != expected {
                // Two tokens as good as equal: the rest of the text has no reference.
                assert!(
                    gaps[index] < 1e-2,
                    "{:?}: token {index} is {found}, expected {expected}",
                    reference.prompt
                );
                eprintln!("{:?}: a tie of {} at token {index}", reference.prompt, gaps[index]);
                break;
            }
        }
        // The model's own end comes earlier than the reference's 64 tokens, which go on behind it.
        assert!(together.tokens.len() == 64 || together.finish == FinishReason::End);
    }
}

#[test]
fn a_chat_is_answered() {
    let Some(model) = model() else { return };
    let request = GenerationRequest::chat(vec![Message::new("user", "What is the capital of France?")])
        .with_max_tokens(24);
    let generation =
        model.generate_batch(vec![request], BatchOptions::default(), &mut |_| ()).remove(0).unwrap();
    assert!(generation.text.contains("Paris"), "{}", generation.text);
}

#[test]
fn the_true_answer_scores_higher() {
    let Some(model) = model() else { return };
    let continuations = [" Paris", " London", " purple"].map(str::to_owned);
    let scores =
        model.score_continuations(&Prompt::Text("The capital of France is".into()), &continuations).unwrap();
    assert!(scores[0] > scores[1] && scores[1] > scores[2], "{scores:?}");
}
