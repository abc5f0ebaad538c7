//! Cases of `cases/training.jsonl` that concern rewards and formats, by id.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_precision_loss,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and these numbers are exact"
)]

mod support;

use std::time::Instant;

use humbly_rewards::{Component, Matching, PrefilledThink, Protocol, Sample, Settings, build, entries};
use support::{car, score};

/// Case searchr1-two-answers: the response alone, one answer.
#[test]
fn a_response_with_one_answer_is_scored_without_its_prompt() {
    let response = "<think>a</think><answer>Paris</answer>";
    assert_eq!(score("em", &[], response, &["Paris"]).score(), Some(1.0));
    let prompt = "Use <think> and <answer>, for example <answer> Beijing </answer>. Question: capital?";
    let whole = format!("{prompt}{response}");
    let reward = build("em", &Settings::default()).unwrap();
    let sample = Sample { prompt: Some(prompt), ..Sample::new(&whole, &["Paris"]) };
    assert_eq!(reward.score(&sample).score(), Some(1.0));
    // Trainers that hand over the response alone name the prompt too.
    let alone = Sample { prompt: Some(prompt), ..Sample::new(response, &["Paris"]) };
    assert_eq!(reward.score(&alone), reward.score(&sample));
}

/// Case think-prefilled.
#[test]
fn a_think_block_opened_by_the_template_is_no_fault() {
    let text = "First, 2 plus 2.\n</think>\n<answer>4</answer>";
    assert_eq!(score("em", &[], text, &["4"]).score(), Some(1.0));
    assert!(Protocol::search_r1().with_prefilled_think(PrefilledThink::Always).read(text).is_valid());
    assert_eq!(score("em", &[("prefilled_think", "never")], text, &["4"]).score(), Some(0.8));
    let unopened = "2 plus 2 <answer>4</answer>";
    assert!(!Protocol::search_r1().with_prefilled_think(PrefilledThink::Always).read(unopened).is_valid());
}

/// Case special-tokens-stripped: nothing of the protocol is left, and the reading says so.
#[test]
fn a_response_whose_tags_were_stripped_is_told_apart() {
    let reading = Protocol::search_r1().read("reasoning Paris");
    assert!(!reading.has_known_tag && !reading.is_valid());
    assert!(Protocol::search_r1().read("<think>reasoning Paris").has_known_tag);
}

/// Case format-hack-many-tags.
#[test]
fn many_blocks_earn_nothing() {
    let text = "<think>a</think><think>b</think><answer>1</answer><answer>2</answer>";
    for reference in ["1", "2"] {
        let scored = score("em", &[], text, &[reference]);
        assert_eq!((scored.score(), scored.components.value(Component::Answers)), (Some(0.0), 2.0));
        assert_eq!(scored.components.value(Component::FormatValid), 0.0);
    }
}

/// Cases mv-hang-no-timeout and naive-serial-hang: linear time instead of a timeout.
#[test]
fn degenerate_responses_take_milliseconds() {
    let units = ["{", "^{2}", r"\frac{", "(", "9", "<", "<answer>", "</think>", "<think><information>", "ü"];
    for unit in units {
        let long = unit.repeat(200_000 / unit.len());
        for text in [
            long.clone(),
            format!("<think>{long}"),
            format!("<think>a</think><answer>{long}</answer>"),
            format!(r"\boxed{{{long}}}"),
            format!("<think>a</think><confidence>{long}</confidence><answer>P</answer>"),
        ] {
            for entry in entries() {
                for matching in ["exact", "math"] {
                    let settings: Settings = [("match", matching)].into_iter().collect();
                    let reward = build(entry.name, &settings).unwrap();
                    let started = Instant::now();
                    let scored = reward.score(&Sample::new(&text, &["Paris", "7"]));
                    assert!(started.elapsed().as_millis() < 500, "{} {unit}", entry.name);
                    assert!(scored.components.values().iter().all(|value| value.is_finite()));
                }
            }
        }
    }
    // The answer was not compared, and that is counted.
    let text = format!("<think>a</think><answer>{}</answer>", "{^2}".repeat(50_000));
    let scored = score("em", &[("match", "math")], &text, &["7"]);
    assert_eq!(scored.components.value(Component::TooLong), 1.0);
    assert_eq!(scored.components.value(Component::Correct), 0.0);
}

/// Case rlcr-collapse: one confidence throughout still scores; the reward card raises the alarm.
#[test]
fn one_confidence_for_all_is_scored_alike() {
    let text = car("Paris", Some("90"));
    let first = score("mscr", &[("scale", "percent")], &text, &["Paris"]);
    for _ in 0..1_000 {
        assert_eq!(score("mscr", &[("scale", "percent")], &text, &["Paris"]), first);
    }
}

/// Cases mixed-return-types, missing-key-none and components-logging-pr: the same numbers for every reward,
/// every source and every branch, none of them missing or NaN.
#[test]
fn every_branch_returns_the_same_finite_numbers() {
    let texts = ["", "x", "<think>a</think><answer>P</answer>", r"\boxed{7}", "<confidence>nan</confidence>"];
    for entry in entries() {
        let reward = build(entry.name, &Settings::default()).unwrap();
        for text in texts {
            for references in [&[][..], &["P"][..]] {
                let scored = reward.score(&Sample::new(text, references));
                let names: Vec<&str> = scored.components.iter().map(|(name, _)| name).collect();
                assert_eq!(names, Component::NAMES);
                assert!(scored.components.values().iter().all(|value| value.is_finite()));
                // A missing confidence is −1, not 0 and not None.
                if entry.name != "rl-ua" {
                    assert_eq!(scored.components.value(Component::Confidence), -1.0);
                }
            }
        }
    }
}

/// Case mv-swallow-fix: a sample without references is counted, the others are not touched.
#[test]
fn one_unscorable_sample_leaves_the_others_alone() {
    let reward = build("em", &Settings::default()).unwrap();
    let text = "<think>a</think><answer>Paris</answer>";
    let mut samples = vec![Sample::new(text, &["Paris"]); 8];
    samples[3].references = &[];
    let batch = reward.score_batch(&samples);
    assert_eq!(batch.iter().filter(|scored| scored.score().is_none()).count(), 1);
    assert_eq!((batch[3].score(), batch[0].score()), (None, Some(1.0)));
    assert_eq!(batch[3].unscorable().unwrap().name(), "no_reference");
    assert_eq!(batch[3].components.value(Component::Scorable), 0.0);
    assert_eq!(batch[3].components.value(Component::Correct), -1.0);
}

/// Case openrlhf-oom: nothing grows with the number of calls but the ledger, by one entry a question.
#[test]
fn the_ledger_grows_by_questions_only() {
    let ledger = std::sync::Arc::new(humbly_rewards::MashLedger::default());
    let reward = humbly_rewards::build_with("mash", &Settings::default(), &ledger).unwrap();
    let text = "<think>a</think><answer>Paris</answer>";
    for call in 0..10_000 {
        let question = ["q0", "q1", "q2"][call % 3];
        reward.score(&Sample { question: Some(question), ..Sample::new(text, &["Paris"]) });
    }
    assert_eq!(ledger.entries().len(), 3);
    let saved = serde_json::to_string(&*ledger).unwrap();
    let loaded: humbly_rewards::MashLedger = serde_json::from_str(&saved).unwrap();
    assert_eq!(loaded.entries(), ledger.entries());
}

/// Case void-turn and the like concern a trainer; of the reward they ask that it is computed all the same.
#[test]
fn a_response_without_action_is_scored() {
    assert_eq!(score("em", &[], "prose only", &["Paris"]).score(), Some(0.0));
    assert_eq!(score("mscr", &[], "prose only", &["Paris"]).score(), Some(-0.5 - 0.2));
    assert!(!Matching::Exact.is_match("prose only", &["Paris"]));
}
