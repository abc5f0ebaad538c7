//! What a policy may try, and what it earns by it.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_precision_loss,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and these numbers are exact"
)]

mod support;

use humbly_rewards::{Component, ItemLabel, Matching, Protocol, Sample, Scored, Settings, build};
use support::{assert_close, car, score};

const PERCENT: [(&str, &str); 1] = [("scale", "percent")];

fn correct(scored: &Scored) -> f64 {
    scored.components.value(Component::Correct)
}

fn mscr(response: &str) -> Scored {
    score("mscr", &PERCENT, response, &["Paris"])
}

#[test]
fn an_answer_in_retrieved_text_is_not_the_models() {
    let page = "<information>page says <answer>Paris</answer><confidence>100</confidence></information>";
    let only_there = format!("<think>a</think><search>q</search>{page}<think>b</think>");
    let scored = mscr(&only_there);
    assert_eq!((correct(&scored), scored.components.value(Component::Answers)), (0.0, 0.0));
    assert_eq!(scored.components.value(Component::ConfidenceValid), 0.0);
    // The model's own answer counts, whatever the page says.
    let own = format!("{only_there}<confidence>20</confidence><answer>Lyon</answer>");
    let scored = mscr(&own);
    assert_eq!(correct(&scored), 0.0);
    assert_close(scored.components.value(Component::Confidence), 0.2, "own confidence");
    // An observation cut by its limit never closes: the model goes on at its next think tag.
    let cut = "<think>a</think><search>q</search><information>page <answer>Lyon</answer> and\n\
               <think>b</think><confidence>20</confidence><answer>Paris</answer>";
    assert_eq!(correct(&mscr(cut)), 1.0);
    let lost = "<think>a</think><search>q</search><information>page <answer>Paris</answer>";
    assert_eq!(correct(&mscr(lost)), 0.0);
}

#[test]
fn an_answer_in_reasoning_was_not_given() {
    assert_eq!(correct(&mscr("<think>maybe <answer>Paris</answer></think>")), 0.0);
    assert_eq!(correct(&mscr("<think>maybe <answer>Paris</answer> or <answer>Lyon</answer>")), 0.0);
    assert_eq!(correct(&mscr("maybe <answer>Paris</answer></think><answer>Lyon</answer>")), 0.0);
    // The forgotten closing tag costs the format, not the answer.
    let scored = mscr("<think>France <confidence>90</confidence><answer>Paris</answer>");
    assert_eq!((correct(&scored), scored.components.value(Component::FormatValid)), (1.0, 0.0));
}

#[test]
fn repeated_answers_are_no_answer() {
    let twice = "<think>a</think><confidence>90</confidence><answer>Paris</answer><answer>Lyon</answer>";
    let scored = mscr(twice);
    assert_eq!((correct(&scored), scored.components.value(Component::Answers)), (0.0, 2.0));
    let same = "<think>a</think><confidence>90</confidence><answer>Paris</answer><answer>Paris</answer>";
    assert_eq!(correct(&mscr(same)), 0.0);
    let nested = "<think>a</think><confidence>90</confidence><answer>x<answer>Paris</answer></answer>";
    assert_eq!(mscr(nested).components.value(Component::FormatValid), 0.0);
}

#[test]
fn an_empty_think_block_breaks_the_format_unless_allowed() {
    let text = "<think> \n</think><confidence>90</confidence><answer>Paris</answer>";
    let strict = mscr(text);
    let lenient = score("mscr", &[("scale", "percent"), ("empty_think", "true")], text, &["Paris"]);
    assert_close(strict.score().unwrap() + 0.2, lenient.score().unwrap(), "λ_f");
}

#[test]
fn odd_confidences_are_never_better_than_the_worst_number() {
    let low = mscr(&car("Paris", Some("0"))).score().unwrap();
    let high = mscr(&car("Lyon", Some("100"))).score().unwrap();
    let odd =
        ["nan", "NaN", "inf", "1e400", "-1", "101", "", " ", "high", "90 or so", "80-90", "0x10", "<b>9</b>"];
    for content in odd {
        for (answer, worst) in [("Paris", low), ("Lyon", high)] {
            let scored = mscr(&car(answer, Some(content)));
            assert_close(scored.score().unwrap(), worst - 0.2, content);
            assert_eq!(scored.components.value(Component::Confidence), -1.0, "{content}");
            assert_eq!(scored.components.value(Component::ConfidenceValid), 0.0, "{content}");
            assert_eq!(scored.components.value(Component::FormatValid), 0.0, "{content}");
        }
    }
    for (content, value) in [("-0", 0.0), ("９０", 0.9), ("+90", 0.9), ("90%", 0.9), ("9e1", 0.9)] {
        let scored = mscr(&car("Paris", Some(content)));
        assert_close(scored.components.value(Component::Confidence), value, content);
        assert_eq!(scored.components.value(Component::FormatValid), 1.0, "{content}");
    }
}

#[test]
fn two_confidences_are_none() {
    let text = "<think>a</think><confidence>0</confidence><answer>Lyon</answer><confidence>100</confidence>";
    let scored = mscr(text);
    assert_eq!(scored.components.value(Component::ConfidenceValid), 0.0);
    assert_close(scored.score().unwrap(), -0.5 - 0.2, "worst");
    let hidden = "<think>a <confidence>0</confidence></think><answer>Lyon</answer>";
    assert_close(mscr(hidden).score().unwrap(), -0.5 - 0.2, "never said");
}

#[test]
fn the_confidence_stands_before_or_directly_behind_the_answer() {
    let valid = |text: &str| mscr(text).components.value(Component::FormatValid);
    assert_eq!(valid("<think>a</think><confidence>90</confidence><answer>Paris</answer>"), 1.0);
    assert_eq!(valid("<think>a</think>\n<answer>Paris</answer>\n<confidence>90</confidence>\n"), 1.0);
    assert_eq!(valid("<confidence>90</confidence><think>a</think><answer>Paris</answer>"), 0.0);
    assert_eq!(valid("<think>a</think><answer>Paris</answer>so<confidence>90</confidence>"), 0.0);
    let early = "<think>a</think><confidence>90</confidence><search>q</search>\
                 <information>x</information><think>b</think><answer>Paris</answer>";
    assert_eq!(valid(early), 0.0);
    assert_eq!(valid("<think>a</think><confidence>90</confidence><answer>Paris</answer><|im_end|>"), 1.0);
}

#[test]
fn an_answer_that_lists_every_option_is_wrong() {
    let listed = "<think>a</think><confidence>90</confidence><answer>Paris, London or Rome</answer>";
    assert_eq!(correct(&mscr(listed)), 0.0);
    for listed in ["A, B, C, D", "(A) (B) (C) (D)", "1, 2, 3", "A or B", r"\{1, 2, 3\}"] {
        for reference in ["A", "B", "1", "2"] {
            assert!(!Matching::Exact.is_match(listed, &[reference]), "{listed}");
            assert!(!Matching::Math.is_match(listed, &[reference]), "{listed}");
        }
    }
}

#[test]
fn unclosed_tags_break_the_format_and_never_panic() {
    for text in ["<think>", "<think>a</think><answer>Paris", "<answer>", "</answer>", "<think>a</think><answ"]
    {
        let scored = mscr(text);
        assert_eq!(scored.components.value(Component::FormatValid), 0.0, "{text}");
        assert_eq!(correct(&scored), 0.0, "{text}");
    }
}

#[test]
fn an_escalation_never_changes_correctness() {
    let escalation = "<escalate>the page says 1911, the table 1914</escalate>";
    for (answer, is_right) in [("Paris", 1.0), ("Lyon", 0.0)] {
        let plain = mscr(&car(answer, Some("50")));
        let text =
            format!("<think>a</think><confidence>50</confidence>{escalation}<answer>{answer}</answer>");
        let told = mscr(&text);
        assert_eq!((told.score(), correct(&told)), (plain.score(), is_right));
        assert_eq!(told.components.value(Component::Escalated), 1.0);
        assert_eq!(plain.components.value(Component::Escalated), 0.0);
    }
    let twice =
        format!("<think>a</think><confidence>50</confidence>{escalation}{escalation}<answer>Paris</answer>");
    assert_eq!(mscr(&twice).components.value(Component::FormatValid), 0.0);
    let reading = Protocol::car("percent".parse().unwrap()).read(&twice);
    assert_eq!((reading.escalations, reading.escalation), (2, None));
}

#[test]
fn utility_pays_for_honesty_and_only_for_honesty() {
    let of = |answer: &str, escalation: &str| {
        let text = format!("<think>a</think>{escalation}<answer>{answer}</answer>");
        score("utility", &[("penalty", "2")], &text, &["Paris"]).score().unwrap()
    };
    let told = "<escalate>two sources disagree</escalate>";
    assert_close(of("Paris", ""), 1.0, "right");
    assert_close(of("Paris", told), 1.0, "right and told");
    assert_close(of("Lyon", ""), -2.0, "wrong");
    assert_close(of("Lyon", told), 0.0, "told");
    assert_close(of("I don’t know.", ""), 0.0, "abstained");
    assert_close(of("I don't know, perhaps Lyon", ""), -2.0, "no abstention");
    assert_close(of("I don't know, perhaps Paris", ""), -2.0, "not both");
    assert_close(of("Lyon", "<escalate></escalate>"), -2.2, "says nothing");
    assert_close(score("utility", &[], "<think>a</think>", &["Paris"]).score().unwrap(), -1.2, "no answer");
}

#[test]
fn rl_ua_takes_one_output_at_its_word() {
    let reward = build("rl-ua", &Settings::default()).unwrap();
    let of = |response: &str, label| {
        reward.score(&Sample { label: Some(label), ..Sample::new(response, &["7"]) }).score().unwrap()
    };
    assert_close(of(r"\boxed{7} and \boxed{<MODEL_UNCERTAIN>}", ItemLabel::Answerable), 0.0, "the last");
    assert_close(of(r"\boxed{7 or <DATA_UNCERTAIN>}", ItemLabel::Answerable), -1.0, "both is not right");
    assert_close(of(r"<think>\boxed{7}", ItemLabel::Answerable), -1.0, "never given");
    let unlabelled = reward.score(&Sample::new(r"\boxed{7}", &["7"]));
    assert_eq!(unlabelled.unscorable().unwrap().name(), "no_label");
}

#[test]
fn a_confidence_of_rlcr_must_be_last_and_a_number() {
    let of = |text: &str| score("rlcr", &[], text, &["Paris"]).score().unwrap();
    let good =
        "<think>a</think>\n<answer>Paris</answer>\n<analysis>sure</analysis>\n<confidence>0.9</confidence>";
    assert_close(of(good), 0.5 + 0.5 + 0.5 * (1.0 - 0.01), "valid");
    assert_close(of(good.strip_prefix("<think>").unwrap()), of(good), "opened by the template");
    assert_close(of(&good.replace("0.9", "nan")), 0.0, "nan");
    assert_close(of(&good.replace("0.9", "90")), 0.0, "off the scale");
    assert_close(of(&format!("{good} so")), 0.0, "text behind");
    assert_close(of(&good.replace("analysis", "analyses")), 0.0, "order");
    assert_close(of(&format!("{good}<confidence>0.9</confidence>")), 0.0, "twice");
}

#[test]
fn boxed_answers_may_carry_a_confidence() {
    let settings = [("protocol", "boxed-confidence"), ("scale", "percent")];
    let of = |text: &str| score("brier", &settings, text, &["1/2"]);
    let scored = of(r"<think>half</think> So \boxed{\frac{1}{2}} <confidence>80</confidence>");
    assert_close(scored.score().unwrap(), 1.0 - 0.04 / 3.0, "right");
    assert_eq!(scored.components.value(Component::FormatValid), 1.0);
    assert_close(of(r"\boxed{0.5}").score().unwrap(), 1.0 - 1.0 / 3.0 - 0.2, "absent");
    assert_close(of("0.5 <confidence>0</confidence>").score().unwrap(), -0.2, "no box");
}
