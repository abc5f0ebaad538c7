//! What holds for every text and every setting.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_precision_loss,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and these numbers are exact"
)]

mod support;

use humbly_rewards::{
    BrierParams, Component, FormatPenalty, ItemLabel, MashParams, MashPenalty, MscrParams, Protocol,
    RewardError, RlUaParams, Sample, Scored, SearchR1Params, Settings, UtilityParams, build, entries,
};
use proptest::prelude::*;
use support::{car, score};

/// DESIGN §3.6: leaving the confidence out never pays, over rewards, settings, right and wrong, good and bad
/// formats, and every percent.
#[test]
fn an_absent_confidence_is_never_cheaper_than_a_stated_one() {
    let weights = ["0", "0.25", "0.5", "1", "2", "10"];
    let penalties = ["0", "0.2", "1"];
    let mut settings: Vec<(&str, Vec<(&str, &str)>)> = vec![("rlcr", vec![("protocol", "rlcr-tac")])];
    for lambda_f in penalties {
        for first in weights {
            settings.push(("brier", vec![("lambda", first), ("lambda_f", lambda_f)]));
            for second in weights {
                settings.push(("mscr", vec![("beta1", first), ("beta2", second), ("lambda_f", lambda_f)]));
            }
        }
    }
    let unusable = [None, Some("nan"), Some(""), Some("2"), Some("likely"), Some("0.1 0.9")];
    for (reward, settings) in &settings {
        let built = build(reward, &settings.iter().copied().collect()).unwrap();
        for answer in ["Paris", "Lyon"] {
            for frame in ["", "Well. "] {
                let write = |confidence: Option<&str>| {
                    let text = match (*reward, confidence) {
                        ("rlcr", Some(q)) => {
                            format!("<think>a</think><answer>{answer}</answer><confidence>{q}</confidence>")
                        }
                        ("rlcr", None) => format!("<think>a</think><answer>{answer}</answer>"),
                        _ => car(answer, confidence),
                    };
                    format!("{frame}{text}")
                };
                let of = |confidence: Option<&str>| {
                    built.score(&Sample::new(&write(confidence), &["Paris"])).score().unwrap()
                };
                let absent: Vec<f64> = unusable.into_iter().map(of).collect();
                for percent in 0..=100 {
                    let stated = of(Some(&(f64::from(percent) / 100.0).to_string()));
                    assert!(
                        absent.iter().all(|absent| *absent <= stated),
                        "{reward} {settings:?} {answer} {frame:?} {percent}: {absent:?} > {stated}"
                    );
                }
            }
        }
    }
}

#[test]
fn parameters_are_checked_once() {
    let format = FormatPenalty::default();
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(BrierParams::new(bad, format).is_err());
        assert!(MscrParams::new(bad, 0.5, format).is_err() && MscrParams::new(0.5, bad, format).is_err());
        assert!(FormatPenalty::new(bad).is_err() && UtilityParams::new(bad, format).is_err());
        assert!(SearchR1Params::new(bad, 0.1, 0.0).is_err());
        assert!(MashParams::new(MashPenalty::Exponential, bad, 5).is_err());
        assert!(RlUaParams::new(bad, 1.0).is_err());
    }
    assert!(MashParams::new(MashPenalty::Exponential, 0.5, 0).is_err());
    assert!(RlUaParams::new(-1.0, 0.0).is_err());
    let error = build("mscr", &[("protocol", "search-r1")].into_iter().collect()).err().unwrap();
    assert!(matches!(error, RewardError::NoConfidenceAsked { instead: "car", .. }));
    assert!(matches!(build("x", &Settings::default()).err(), Some(RewardError::UnknownReward { .. })));
    let error = build("em", &[("lambda_f", "1")].into_iter().collect()).err().unwrap();
    assert!(error.to_string().contains("expected one of structure"), "{error}");
    assert!(build("brier", &[("lambda", "a third")].into_iter().collect()).is_err());
}

#[test]
fn defaults_as_they_are_written_are_the_defaults() {
    let texts =
        ["", "x", r"\boxed{<MODEL_UNCERTAIN>}", r"\boxed{7}", "<think>a</think><answer>Lyon</answer>"];
    let mut texts: Vec<String> = texts.map(str::to_owned).to_vec();
    let search = "<search>q</search><information>Paris</information><think>b</think>";
    for answer in ["Paris", "Lyon", "unknown"] {
        for confidence in [None, Some("0.3"), Some("nan")] {
            let text = car(answer, confidence);
            texts.push(text.replace("</think><", &format!("</think>{search}<")));
            texts.push(format!("Well. {text}"));
            texts.push(text);
        }
        texts.push(format!(
            "<think>a</think><answer>{answer}</answer><analysis>b</analysis><confidence>1</confidence>"
        ));
    }
    for entry in entries() {
        let written = entry.settings.iter().map(|setting| (setting.name, setting.default)).collect();
        let (bare, written) =
            (build(entry.name, &Settings::default()).unwrap(), build(entry.name, &written).unwrap());
        let mut seen = Vec::new();
        for text in &texts {
            for label in [ItemLabel::Answerable, ItemLabel::Data, ItemLabel::Model] {
                let sample =
                    Sample { question: Some(text), label: Some(label), ..Sample::new(text, &["Paris", "7"]) };
                assert_eq!(bare.score(&sample), written.score(&sample), "{} {text}", entry.name);
                seen.push(bare.score(&sample).score().unwrap());
            }
        }
        assert!(seen.iter().any(|score| *score != seen[0]), "{}: these texts tell nothing apart", entry.name);
    }
}

#[test]
fn rewards_are_safe_in_threads() {
    let reward = build("mscr", &Settings::default()).unwrap();
    let texts: Vec<String> = (0..=100)
        .map(|percent| car(if percent % 3 == 0 { "Paris" } else { "Lyon" }, Some(&format!("0.{percent:02}"))))
        .collect();
    let of =
        || -> Vec<Scored> { texts.iter().map(|text| reward.score(&Sample::new(text, &["Paris"]))).collect() };
    let alone = of();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(of)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

fn pieces() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<think>",
        "</think>",
        "<search>",
        "</search>",
        "<information>",
        "</information>",
        "<answer>",
        "</answer>",
        "<confidence>",
        "</confidence>",
        "<escalate>",
        "</escalate>",
        "<analysis>",
        "</analysis>",
        "Paris",
        "0.5",
        "90",
        "nan",
        " ",
        "\n",
        "é",
        "<",
        ">",
        r"\boxed{",
        "}",
        "{",
        "<DATA_UNCERTAIN>",
        "<|im_end|>",
        " and ",
        "between ",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

fn check(text: &str) -> Result<(), TestCaseError> {
    for entry in entries() {
        let reward = build(entry.name, &Settings::default()).unwrap();
        for label in [ItemLabel::Answerable, ItemLabel::Data, ItemLabel::Model] {
            let sample =
                Sample { question: Some("q"), label: Some(label), ..Sample::new(text, &["Paris", "0.5"]) };
            let scored = reward.score(&sample);
            let value = |component| scored.components.value(component);
            prop_assert!(scored.components.values().iter().all(|value| value.is_finite()));
            let parts = value(Component::Outcome) + value(Component::Calibration) + value(Component::Format);
            prop_assert_eq!(value(Component::Score), parts);
            prop_assert_eq!(scored.score(), Some(parts));
            prop_assert!(value(Component::Correct) == 0.0 || value(Component::Answers) == 1.0);
        }
    }
    for name in Protocol::NAMES {
        let protocol = Protocol::named(name, "unit".parse().unwrap()).unwrap();
        prop_assert_eq!(protocol.name(), name);
        let reading = protocol.read(text);
        prop_assert_eq!(reading.answer.is_some(), reading.answers == 1);
        if let Some(fault) = reading.fault {
            prop_assert!(fault.offset <= text.len());
            fault.excerpt(text);
        } else {
            prop_assert_eq!(reading.answers, 1);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_text_is_scored(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn any_order_of_tags_is_scored(text in pieces()) {
        check(&text)?;
    }

    #[test]
    fn what_is_written_by_the_rules_is_valid(
        rounds in 0_usize..4,
        thought in "[a-z é]{1,12}x",
        answer in "[a-z]{1,8}",
        percent in 0_u32..=100,
        is_behind in any::<bool>(),
    ) {
        let round = "<search>q</search>\n\n<information>page</information>\n\n<think>b</think>".repeat(rounds);
        let confidence = format!("<confidence>{percent}</confidence>");
        let (before, behind) = if is_behind { ("", &*confidence) } else { (&*confidence, "") };
        let text = format!("<think>{thought}</think>{round}{before}<answer>{answer}</answer>{behind}");
        let scored = score("mscr", &[("scale", "percent")], &text, &[&answer]);
        prop_assert_eq!(scored.components.value(Component::FormatValid), 1.0);
        prop_assert_eq!(scored.components.value(Component::Searches), rounds as f64);
        prop_assert_eq!(scored.components.value(Component::Confidence), f64::from(percent) / 100.0);
        // Any text between the tags breaks it, and the fault points there.
        let broken = text.replacen("</think>", "</think>?", 1);
        let fault = Protocol::car("percent".parse().unwrap()).read(&broken).fault.unwrap();
        prop_assert_eq!(broken.get(fault.offset..=fault.offset), Some("?"));
    }

    #[test]
    fn more_confidence_pays_if_right_and_costs_if_wrong(low in 0_u32..100, step in 1_u32..=100) {
        let high = (low + step).min(100);
        for reward in ["brier", "mscr"] {
            let of = |answer, percent: u32| {
                let text = car(answer, Some(&percent.to_string()));
                score(reward, &[("scale", "percent")], &text, &["Paris"]).score().unwrap()
            };
            prop_assert!(of("Paris", low) < of("Paris", high));
            prop_assert!(of("Lyon", low) > of("Lyon", high));
            prop_assert!(of("Paris", 0) > of("Lyon", 0));
        }
    }
}
