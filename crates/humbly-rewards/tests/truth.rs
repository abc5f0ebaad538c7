//! The tables of `truth/reward_truth.json`, to 1e-12.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_precision_loss,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and these numbers are exact"
)]

mod support;

use humbly_rewards::{
    ItemLabel, MashParams, MashPenalty, Sample, Settings, build, mscr, mscr_best_confidence, weighted_brier,
};
use serde_json::Value;
use support::{assert_close, car, score, truth};

const THIRD: f64 = 1.0 / 3.0;

/// Column of the table, reward, settings, and the bare formula.
type Column = (&'static str, &'static str, [(&'static str, &'static str); 2], fn(bool, f64) -> f64);

const COLUMNS: [Column; 5] = [
    ("wb_lambda=1", "brier", [("lambda", "1"), ("scale", "unit")], |c, q| weighted_brier(c, q, 1.0)),
    ("wb_lambda=1/3", "brier", [("lambda", "1/3"), ("scale", "unit")], |c, q| weighted_brier(c, q, THIRD)),
    ("mscr_b1=1,b2=1", "mscr", [("beta1", "1"), ("beta2", "1")], |c, q| mscr(c, q, 1.0, 1.0)),
    ("mscr_b1=0.5,b2=0.5", "mscr", [("beta1", "0.5"), ("beta2", "0.5")], |c, q| mscr(c, q, 0.5, 0.5)),
    ("mscr_b1=1,b2=2", "mscr", [("beta1", "1"), ("beta2", "2")], |c, q| mscr(c, q, 1.0, 2.0)),
];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn rewards_of_the_table() {
    let Some(truth) = truth("reward_truth.json") else { return };
    let rows = truth["rewards"].as_array().unwrap();
    assert!(rows.len() >= 16);
    for row in rows {
        let is_correct = row["correct"].as_bool().unwrap();
        let answer = if is_correct { "Paris" } else { "Lyon" };
        let stated = row["q"].as_f64().map(|q| q.to_string());
        let good = car(answer, stated.as_deref());
        let bad = format!("Well. {good}");
        for (name, reward, settings, formula) in COLUMNS {
            let what = format!("{name} {is_correct} {stated:?}");
            let of = |text: &str| score(reward, &settings, text, &["Paris"]).score().unwrap();
            if let Some(q) = row["q"].as_f64() {
                assert_close(formula(is_correct, q), number(&row[name]["format_ok"]), &what);
                assert_close(of(&good), number(&row[name]["format_ok"]), &what);
                assert_close(of(&bad), number(&row[name]["format_bad"]), &what);
            } else {
                // Ours of the four options is C: the worst confidence, and the penalty.
                let c = f64::from(u8::from(is_correct));
                let options = &row["options"];
                for (option, calibrated) in [
                    ("A_impute_q0.5", formula(is_correct, 0.5)),
                    ("B_impute_q0", formula(is_correct, 0.0)),
                    ("C_impute_worst_case_q=1-correct", formula(is_correct, 1.0 - c)),
                    ("D_no_calibration_term", c),
                ] {
                    let expected = &options[option][name];
                    assert_close(calibrated, number(&expected["cal"]), &what);
                    assert_close(calibrated - 0.2, number(&expected["with_format_penalty"]), &what);
                }
                let ours = &options["C_impute_worst_case_q=1-correct"][name];
                assert_close(of(&good), number(&ours["with_format_penalty"]), &what);
            }
        }
        let tag = stated.map(|q| format!("<confidence>{q}</confidence>")).unwrap_or_default();
        let text = format!("<think>a</think><answer>{answer}</answer>{tag}");
        let found = score("rlcr", &[("protocol", "rlcr-tac")], &text, &["Paris"]).score().unwrap();
        assert_close(found, number(&row["rlcr_code_weighted_sum"]), "rlcr");
    }
}

#[test]
fn ranges_of_the_table() {
    let Some(truth) = truth("reward_truth.json") else { return };
    let names = ["wb_lambda=1", "wb_lambda=1/3", "mscr_1_1", "mscr_.5_.5", "mscr_1_2"];
    for (name, (_, _, _, formula)) in names.into_iter().zip(COLUMNS) {
        let range = &truth["ranges"][name];
        let over = |is_correct| {
            let values = (0..=100).map(|percent| formula(is_correct, f64::from(percent) / 100.0));
            values.fold((f64::MAX, f64::MIN), |(low, high), value| (value.min(low), value.max(high)))
        };
        let (right, wrong) = (over(true), over(false));
        for (found, expected) in [
            (right.0, &range["correct"][0]),
            (right.1, &range["correct"][1]),
            (wrong.0, &range["incorrect"][0]),
            (wrong.1, &range["incorrect"][1]),
            (right.0 - wrong.1, &range["gap"]),
            (right.0 - 0.2 - wrong.1, &range["gap_correct_badformat_vs_wrong_okformat"]),
        ] {
            assert_close(found, number(expected), name);
        }
    }
}

#[test]
fn the_best_confidence_of_mscr() {
    let Some(truth) = truth("reward_truth.json") else { return };
    let table = truth["mscr_optimal_confidence"].as_object().unwrap();
    assert!(table.len() >= 20);
    for (key, row) in table {
        let mut parts = key.split(',').map(|part| part.split_once('=').unwrap().1.parse::<f64>().unwrap());
        let (beta1, beta2, p) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        let best = mscr_best_confidence(p, beta1, beta2).unwrap();
        assert_close(best, number(&row["q_star_closed_form"]), key);
        // The maximum that a search found stands there with five digits.
        assert_close((best * 1e5).round() / 1e5, number(&row["q_star_numeric"]), key);
        let expected = |q: f64| p * mscr(true, q, beta1, beta2) + (1.0 - p) * mscr(false, q, beta1, beta2);
        assert!((0..=1000).all(|step| expected(f64::from(step) / 1000.0) <= expected(best) + 1e-12), "{key}");
    }
}

#[test]
fn identities() {
    for percent in 0..=100 {
        let q = f64::from(percent) / 100.0;
        for is_correct in [true, false] {
            for b in [0.25, 0.5, 1.0, 3.0] {
                let brier = weighted_brier(is_correct, q, b / (1.0 + b));
                assert_close(mscr(is_correct, q, b, b), (1.0 + b) * brier, "MSCR(b, b)");
            }
            let c = f64::from(u8::from(is_correct));
            let mix = 0.5 + 0.5 * c + 0.5 * (1.0 - (c - q).powi(2));
            assert_close(mix, 0.5 * weighted_brier(is_correct, q, 1.0) + 1.0, "RLCR is affine in Brier");
        }
    }
    // MSCR is proper only if its weights are equal.
    for percent in 1..=99 {
        let p = f64::from(percent) / 100.0;
        assert_close(mscr_best_confidence(p, 0.7, 0.7).unwrap(), p, "proper");
        assert!((mscr_best_confidence(p, 1.0, 2.0).unwrap() - p).abs() > 1e-3, "not proper at {p}");
    }
}

/// Divided by the deviation of their group, MSCR(½, ½) and weighted Brier(⅓) are the same to a trainer.
#[test]
fn standardised_mscr_and_brier_are_the_same_while_the_format_is_good() {
    let group: Vec<String> =
        [("Paris", "0.99"), ("Paris", "0.5"), ("Lyon", "0.1"), ("Lyon", "0.9"), ("Rome", "0")]
            .into_iter()
            .map(|(answer, confidence)| car(answer, Some(confidence)))
            .collect();
    let standardised = |reward: &str, settings: &[(&str, &str)], texts: &[String]| -> Vec<f64> {
        let scores: Vec<f64> =
            texts.iter().map(|text| score(reward, settings, text, &["Paris"]).score().unwrap()).collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let variance =
            scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (scores.len() - 1) as f64;
        scores.iter().map(|score| (score - mean) / variance.sqrt()).collect()
    };
    let (half, third) = ([("beta1", "0.5"), ("beta2", "0.5")], [("lambda", "1/3")]);
    let pairs = |texts: &[String]| -> Vec<(f64, f64)> {
        standardised("mscr", &half, texts).into_iter().zip(standardised("brier", &third, texts)).collect()
    };
    for (ours, brier) in pairs(&group) {
        assert_close(ours, brier, "standardised");
    }
    // The same penalty weighs less beside rewards that are half as large again.
    let mut broken = group.clone();
    broken[1].insert_str(0, "Well. ");
    assert!(pairs(&broken).iter().any(|(ours, brier)| (ours - brier).abs() > 1e-3));
}

#[test]
fn rl_ua_of_the_table() {
    let Some(truth) = truth("reward_truth.json") else { return };
    let outputs = [
        ("correct", r"\boxed{7}"),
        ("incorrect", r"\boxed{8}"),
        ("DATA", r"\boxed{<DATA_UNCERTAIN>}"),
        ("MODEL", r"\boxed{<MODEL_UNCERTAIN>}"),
        ("MODEL", r"\boxed{I don't know}"),
        ("unparseable", "seven"),
    ];
    let strict = build("rl-ua", &Settings::default()).unwrap();
    let lenient: Settings = [("model_on_data", "0"), ("answer_on_model", "-1")].into_iter().collect();
    let lenient = build("rl-ua", &lenient).unwrap();
    for label in [ItemLabel::Answerable, ItemLabel::Data, ItemLabel::Model] {
        let references: &[&str] = if label == ItemLabel::Data { &[] } else { &["7"] };
        for (output, response) in outputs {
            let cell = &truth["rl_ua"]["table"][label.name()][output];
            let Some(expected) = cell["r"].as_f64() else { continue };
            let sample = Sample { label: Some(label), ..Sample::new(response, references) };
            let what = format!("{} {output}", label.name());
            assert_close(strict.score(&sample).score().unwrap(), expected, &what);
            let other = if label == ItemLabel::Answerable { None } else { cell["alt"].as_f64() };
            assert_close(lenient.score(&sample).score().unwrap(), other.unwrap_or(expected), &what);
        }
    }
    // Answering pays where it is right with more than even chance: 2p − 1 against 0.
    let answers = |response: &str| {
        let sample = Sample { label: Some(ItemLabel::Answerable), ..Sample::new(response, &["7"]) };
        strict.score(&sample).score().unwrap()
    };
    let (right, wrong, unsure) =
        (answers(r"\boxed{7}"), answers(r"\boxed{8}"), answers(r"\boxed{<MODEL_UNCERTAIN>}"));
    assert_close(f64::midpoint(right, wrong), unsure, "break-even at p = 0.5");
    // Nobody can check an answer without a reference.
    let sample = Sample { label: Some(ItemLabel::Model), ..Sample::new(r"\boxed{7}", &[]) };
    assert_close(strict.score(&sample).score().unwrap(), -1.0, "unchecked");
}

#[test]
fn mash_of_the_table() {
    let Some(truth) = truth("reward_truth.json") else { return };
    let parse = |key: &str| -> Vec<f64> {
        key.split(',').map(|part| part.split_once('=').unwrap().1.parse().unwrap()).collect()
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small whole numbers")]
    let whole = |value: f64| value as u32;
    for (key, value) in truth["mash"]["exp"].as_object().unwrap() {
        let [lambda, searches, fewest] = parse(key).try_into().unwrap();
        let params = MashParams::new(MashPenalty::Exponential, lambda, 5).unwrap();
        assert_close(params.efficiency(whole(searches), whole(fewest)), number(value), key);
    }
    for (key, value) in truth["mash"]["otc"]["values"].as_object().unwrap() {
        let [searches, fewest, most] = parse(key).try_into().unwrap();
        let params = MashParams::new(MashPenalty::Otc, 0.5, whole(most)).unwrap();
        assert_close(params.efficiency(whole(searches), whole(fewest)), number(value), key);
        let strict = MashParams::new(MashPenalty::OtcStrict, 0.5, whole(most)).unwrap();
        let expected = if fewest == 0.0 && searches > 0.0 { 0.0 } else { number(value) };
        assert_close(strict.efficiency(whole(searches), whole(fewest)), expected, key);
    }
}

fn searching(searches: usize, answer: &str) -> String {
    let round = "<search>q</search><information>x</information><think>b</think>";
    format!("<think>a</think>{}<answer>{answer}</answer>", round.repeat(searches))
}

#[test]
fn mash_remembers_the_fewest_across_batches_and_ignores_order_within_one() {
    let reward = build("mash", &[("lambda", "0.5")].into_iter().collect()).unwrap();
    let (two, one, wrong) = (searching(2, "Paris"), searching(1, "Paris"), searching(0, "Lyon"));
    let scores = |texts: &[&String]| -> Vec<f64> {
        let samples: Vec<Sample<'_>> = texts
            .iter()
            .map(|text| Sample { question: Some("q"), ..Sample::new(text, &["Paris"]) })
            .collect();
        reward.score_batch(&samples).iter().map(|scored| scored.score().unwrap()).collect()
    };
    assert_eq!(scores(&[&two, &wrong, &one]), [0.5, 0.0, 1.0]);
    assert_eq!(scores(&[&two]), [0.5]);
    let none = searching(0, "Paris");
    assert_eq!(scores(&[&two, &none]), [0.25, 1.0]);
    assert_eq!(reward.score(&Sample::new(&none, &["Paris"])).unscorable().unwrap().name(), "no_question");
}
