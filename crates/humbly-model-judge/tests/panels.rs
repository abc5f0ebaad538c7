//! Panels and agreement tables, against numbers worked out by hand.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use std::sync::Arc;

use approx::assert_abs_diff_eq;
use humbly_judge::LexicalJudge;
use humbly_model_judge::{Rating, agreement_table, majority, panel_judgement, ratings_of};
use humbly_stats::intervals::BootstrapParams;
use humbly_types::{AnswerSource, Judgement, Reason, TurnVerdict, Undefined, Verdict};

fn params() -> BootstrapParams {
    BootstrapParams::new(200, 0.95, 1).unwrap()
}

fn verdict(judge: &str, value: Option<bool>) -> Verdict {
    let judge = Arc::from(judge);
    match value {
        Some(value) => Verdict { value: Some(value), ..Verdict::no(&judge) },
        None => Verdict::undefined(&judge, Reason::JudgeReplyUnusable),
    }
}

/// A judgement whose first flagged turn is `first`, of four turns.
fn judgement(judge: &str, first: Option<u32>, escalate: Option<bool>, source: AnswerSource) -> Judgement {
    let turns = (0..4)
        .map(|turn| TurnVerdict {
            turn,
            identify: Verdict {
                turn: Some(turn),
                line: Some(u64::from(turn)),
                ..verdict(judge, Some(first == Some(turn)))
            },
        })
        .collect();
    let no = || verdict(judge, Some(false));
    Judgement {
        judge: Arc::from(judge),
        turns,
        escalate: verdict(judge, escalate),
        refusal: no(),
        final_reasoning: no(),
        self_inconsistent: Verdict::undefined(&Arc::from(judge), Reason::NeedsModelJudge),
        answer_source: Ok(source),
        correct: None,
    }
}

#[test]
fn a_majority_needs_more_votes_than_the_other_side_and_half_of_the_judges() {
    let panel: Arc<str> = Arc::from("panel");
    let of = |values: &[Option<bool>]| {
        let verdicts: Vec<Verdict> = values.iter().map(|value| verdict("m", *value)).collect();
        let majority = majority(&panel, &verdicts.iter().collect::<Vec<_>>());
        (majority.value, majority.undefined.map(|undefined| undefined.reason))
    };
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(of(&[yes, yes, no]), (yes, None));
    assert_eq!(of(&[no, no, yes]), (no, None));
    assert_eq!(of(&[yes, yes, None]), (yes, None));
    assert_eq!(of(&[yes, no]), (None, Some(Reason::JudgesTied)));
    assert_eq!(of(&[yes, no, None]), (None, Some(Reason::JudgesTied)));
    assert_eq!(of(&[yes, None, None]), (None, Some(Reason::TooFewSamples)));
    assert_eq!(of(&[yes, None]), (None, Some(Reason::TooFewSamples)));
    assert_eq!(of(&[None, None]), (None, Some(Reason::JudgeReplyUnusable)));
    assert_eq!(of(&[]), (None, Some(Reason::TooFewSamples)));
}

#[test]
fn a_panel_flags_by_majority_at_the_lower_median_turn() {
    let panel: Arc<str> = Arc::from("panel");
    let judge = |first, escalate, source| judgement("m", first, escalate, source);
    let members = [
        judge(Some(2), Some(true), AnswerSource::Pk),
        judge(Some(1), Some(false), AnswerSource::Pk),
        judge(None, Some(false), AnswerSource::Context),
    ];
    let joined = panel_judgement(&panel, &members.iter().collect::<Vec<_>>()).unwrap();
    let values: Vec<Option<bool>> = joined.turns.iter().map(|turn| turn.identify.value).collect();
    assert_eq!(values, [Some(false), Some(true), None, None]);
    assert_eq!(joined.turns[1].identify.line, Some(1));
    assert_eq!(joined.turns[1].identify.rule.as_deref(), Some("majority: 2 yes, 1 no, 0 undefined"));
    assert_eq!(joined.escalate.value, Some(false));
    assert_eq!(joined.answer_source, Ok(AnswerSource::Pk));
    assert_eq!(joined.self_inconsistent.undefined.unwrap().reason, Reason::NeedsModelJudge);

    let tied = panel_judgement(&panel, &[&members[0], &members[2]]).unwrap();
    assert!(tied.turns.iter().all(|turn| turn.identify.value.is_none()));
    let reason = |source: Result<AnswerSource, Undefined>| source.unwrap_err().reason;
    assert_eq!(reason(tied.answer_source), Reason::JudgesTied);
    let none = panel_judgement(&panel, &[&members[2], &members[2]]).unwrap();
    assert!(none.turns.iter().all(|turn| turn.identify.value == Some(false)));
    assert!(panel_judgement(&panel, &[]).is_none());
}

fn rating(item: usize, setting: &str, rater: &str, value: Option<bool>) -> Rating {
    Rating {
        item: item.to_string(),
        setting: Some(setting.to_owned()),
        question: "identify".to_owned(),
        rater: rater.to_owned(),
        value,
    }
}

#[test]
fn the_table_has_the_numbers_of_ten_items_worked_out_by_hand() {
    // Both yes 2, both no 6, one each 1: raw 0.8; both say yes to 0.3.
    // Chance of kappa 0.09 + 0.49 = 0.58, of AC1 2 * 0.3 * 0.7 = 0.42.
    let pairs = [(true, true), (true, true), (true, false), (false, true)];
    let pairs: Vec<(bool, bool)> = pairs.into_iter().chain([(false, false); 6]).collect();
    let mut ratings = Vec::new();
    for (item, (first, second)) in pairs.iter().enumerate() {
        let setting = if item < 4 { "controlled" } else { "natural" };
        ratings.push(rating(item, setting, "a", Some(*first)));
        ratings.push(rating(item, setting, "b", Some(*second)));
    }
    ratings.push(rating(10, "natural", "a", Some(true)));
    ratings.push(rating(10, "natural", "b", None));
    let table = agreement_table(&ratings, &params()).unwrap();
    let settings: Vec<&str> = table.iter().map(|row| row.setting.as_str()).collect();
    assert_eq!(settings, ["all", "controlled", "natural"]);
    let all = &table[0];
    assert_eq!((all.first.as_str(), all.second.as_str(), all.left_out), ("a", "b", 1));
    let numbers = &all.coefficients;
    assert_eq!((numbers.n, numbers.raw.numerator), (10, Some(8)));
    assert_abs_diff_eq!(numbers.prevalence.value().unwrap(), 0.3, epsilon = 1e-12);
    assert_abs_diff_eq!(numbers.kappa.value().unwrap(), 0.22 / 0.42, epsilon = 1e-12);
    assert_abs_diff_eq!(numbers.ac1.value().unwrap(), 0.38 / 0.58, epsilon = 1e-12);
    assert!(numbers.kappa.interval.is_some() && numbers.ac1.interval.is_some());
    let natural = &table[2].coefficients;
    assert_eq!(natural.kappa.undefined_reason(), Some(Reason::ChanceAgreementIsOne));
    assert_eq!(natural.ac1.value(), Some(1.0));
}

#[test]
fn two_labels_of_one_rater_on_one_item_are_refused() {
    let twice = [rating(1, "s", "a", Some(true)), rating(1, "s", "a", Some(false))];
    let error = agreement_table(&twice, &params()).unwrap_err().to_string();
    assert!(error.contains("two by `a`"), "{error}");
}

#[test]
fn raters_without_common_items_have_undefined_numbers() {
    let apart = [rating(1, "s", "a", Some(true)), rating(2, "s", "b", Some(true))];
    let table = agreement_table(&apart, &params()).unwrap();
    assert_eq!(table[0].coefficients.kappa.undefined_reason(), Some(Reason::NoSamples));
    assert_eq!((table[0].left_out, table[0].coefficients.n), (2, 0));
}

#[test]
fn the_lexical_judge_is_a_rater_like_any_other() {
    let lexical = LexicalJudge::new();
    let judged =
        Judgement { judge: lexical.name().clone(), ..judgement("x", Some(1), Some(true), AnswerSource::Pk) };
    let model = judgement("m@1", Some(2), None, AnswerSource::Pk);
    let mut ratings = ratings_of("t", Some("natural"), &judged, None);
    ratings.extend(ratings_of("t", Some("natural"), &model, Some(&verdict("m@1", Some(true)))));
    let table = agreement_table(&ratings, &params()).unwrap();
    let identify = table.iter().find(|row| row.question == "identify").unwrap();
    assert_eq!((identify.first.as_str(), identify.second.as_str()), ("lexical/4", "m@1"));
    assert_eq!(identify.coefficients.raw.value(), Some(1.0));
    let escalate = table.iter().find(|row| row.question == "escalate").unwrap();
    assert_eq!((escalate.coefficients.n, escalate.left_out), (0, 1));
}
