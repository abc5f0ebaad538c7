//! Faults that users met in tools of this kind: one test for each, named by its id in the collection of cases.

use humbly_stats::abstention::abstention;
use humbly_stats::agreement::{Ratings, cohen_kappa, fleiss_kappa, gwet_ac1, raw_agreement};
use humbly_stats::calibration::{
    Binning, EdgeRule, SummaryParams, brier_score, calibration_by_source, expected_calibration_error,
    reliability_bins, rms_calibration_error, rms_calibration_error_last_bin_dropped,
    smooth_calibration_error, summarize_calibration,
};
use humbly_stats::comparison::{Design, Scores, compare};
use humbly_stats::discrimination::auroc;
use humbly_stats::hypothesis::{Counts, TestKind, two_proportion_z};
use humbly_stats::intervals::{BootstrapParams, Clusters, ProportionInterval, mean, proportion};
use humbly_stats::selective::area_under_risk_coverage;
use humbly_stats::{IntervalMethod, Measured, Reason, Result, StatsError, outcomes_from_numbers};

fn assert_close(ours: &Measured, expected: f64, tolerance: f64) {
    let value = ours.value();
    assert!(
        value.is_some_and(|value| (value - expected).abs() <= tolerance),
        "{ours:?}, expected {expected}"
    );
}

#[test]
fn abs_03_refusing_everything_shows_its_price() -> Result<()> {
    let answerable = [vec![true; 60], vec![false; 40]].concat();
    let rates = abstention(&[true; 100], &answerable)?;
    assert_close(&rates.recall, 1.0, 0.0);
    assert_close(&rates.false_abstention_rate, 1.0, 0.0);
    assert_close(&rates.coverage, 0.0, 0.0);
    assert_close(&rates.precision, 0.4, 1e-12);
    Ok(())
}

#[test]
fn abs_03_answering_everything_is_the_opposite() -> Result<()> {
    let answerable = [vec![true; 60], vec![false; 40]].concat();
    let rates = abstention(&[false; 100], &answerable)?;
    assert_close(&rates.recall, 0.0, 0.0);
    assert_close(&rates.false_abstention_rate, 0.0, 0.0);
    assert_close(&rates.coverage, 1.0, 0.0);
    assert_eq!(rates.precision.undefined_reason(), Some(Reason::NoPositives));
    Ok(())
}

#[test]
fn agr_01_two_raters_with_one_label_have_no_kappa() -> Result<()> {
    let rater = [0; 4];
    let kappa = cohen_kappa(&rater, &rater)?;
    assert_eq!(kappa.value(), None);
    assert_eq!(kappa.undefined_reason().map(Reason::text), Some("chance agreement is 1"));
    let labels = [Some(0); 4];
    let ac1 = gwet_ac1(&Ratings::from_raters(&[&labels, &labels])?);
    assert_close(&ac1.coefficient, 1.0, 0.0);
    assert_close(&raw_agreement(&rater, &rater)?, 1.0, 0.0);
    Ok(())
}

#[test]
fn agr_02_one_category_throughout_has_no_fleiss_kappa() -> Result<()> {
    let ratings = Ratings::from_counts(vec!["yes", "no"], vec![vec![7, 0], vec![7, 0]])?;
    assert_eq!(fleiss_kappa(&ratings).undefined_reason(), Some(Reason::ChanceAgreementIsOne));
    assert_close(&ratings.raw_agreement(), 1.0, 0.0);
    Ok(())
}

#[test]
fn auc_02_ties_take_the_middle_rank_in_any_order() -> Result<()> {
    assert_close(&auroc(&[0.6, 0.6, 0.3], &[true, false, false])?, 0.75, 0.0);
    assert_close(&auroc(&[0.6, 0.6, 0.3], &[false, true, false])?, 0.75, 0.0);
    Ok(())
}

#[test]
fn auc_04_all_right_and_all_wrong_differ() -> Result<()> {
    let confidences = [0.9, 0.8, 0.7];
    assert_close(&area_under_risk_coverage(&confidences, &[true; 3])?, 0.0, 0.0);
    assert_close(&area_under_risk_coverage(&confidences, &[false; 3])?, 1.0, 0.0);
    Ok(())
}

#[test]
fn sta_02_one_observation_has_no_interval() -> Result<()> {
    let one = mean(&[1.0], &Clusters::independent(1)?, &BootstrapParams::seeded(1))?;
    assert_eq!(one.interval, None);
    assert!(one.note.is_some_and(|note| note.contains("too_few_samples")));
    Ok(())
}

#[test]
fn sta_02_equal_values_have_a_flagged_interval_and_wilsons_beside() -> Result<()> {
    let (clusters, params) = (Clusters::independent(20)?, BootstrapParams::seeded(1));
    let ones = mean(&[1.0; 20], &clusters, &params)?;
    assert!(ones.interval.is_some_and(|interval| (interval.low, interval.high) == (1.0, 1.0)));
    let note = ones.note.unwrap_or_default();
    assert!(note.contains("degenerate") && note.contains("[0.839, 1.000]"), "{note}");
    let wilson = proportion(&[true; 20], &clusters, ProportionInterval::Wilson, &params)?;
    assert!(wilson.interval.is_some_and(|interval| (interval.low - 0.839).abs() < 5e-4));
    Ok(())
}

#[test]
fn sta_03_no_successes_in_one_arm_is_a_number_and_in_both_is_not() -> Result<()> {
    let test = two_proportion_z(Counts::new(0, 50)?, Counts::new(7, 50)?)?;
    assert_close(&test.statistic, -2.7435, 5e-5);
    assert_close(&test.p, 0.00608, 5e-6);
    let nothing = two_proportion_z(Counts::new(0, 50)?, Counts::new(0, 50)?)?;
    assert_eq!(nothing.p.value(), None);
    assert_eq!(nothing.p.undefined_reason().map(Reason::text), Some("no variance"));
    Ok(())
}

#[test]
fn sta_05_repeats_of_a_question_are_one_cluster() -> Result<()> {
    let questions: Vec<usize> = (0..40).map(|row| row / 8).collect();
    let outcomes: Vec<bool> = questions.iter().map(|question| question % 2 == 0).collect();
    let params = BootstrapParams::seeded(1);
    let clustered =
        proportion(&outcomes, &Clusters::by_id(&questions)?, ProportionInterval::Wilson, &params)?;
    let independent =
        proportion(&outcomes, &Clusters::independent(40)?, ProportionInterval::Wilson, &params)?;
    let (Some(clustered), Some(independent)) = (clustered.interval, independent.interval) else {
        panic!("both have an interval");
    };
    assert_eq!((clustered.method, clustered.clusters), (IntervalMethod::ClusterBootstrap, Some(5)));
    assert!(clustered.high - clustered.low > 2.0 * (independent.high - independent.low));
    Ok(())
}

#[test]
fn sta_06_matching_ids_are_compared_in_pairs() -> Result<()> {
    let ids: Vec<usize> = (0..100).collect();
    let before: Vec<f64> = ids.iter().map(|&id| f64::from(u8::from(id < 39))).collect();
    let after: Vec<f64> = ids.iter().map(|&id| f64::from(u8::from(id < 58))).collect();
    let comparison = compare(
        &Scores { ids: &ids, values: &before },
        &Scores { ids: &ids, values: &after },
        &BootstrapParams::seeded(1),
    )?;
    assert_eq!((comparison.design, comparison.test.test), (Design::Paired, TestKind::McNemarExact));
    assert_close(&comparison.difference, 0.19, 1e-12);
    assert!(comparison.difference.interval.is_some_and(|interval| interval.low > 0.0));
    assert!(comparison.flips.is_some_and(|flips| (flips.gained, flips.lost) == (19, 0)));
    assert_eq!(comparison.test.is_significant(0.001), Some(true));
    Ok(())
}

#[test]
fn sta_06_other_ids_are_compared_as_independent() -> Result<()> {
    let (first, second): (Vec<usize>, Vec<usize>) = ((0..50).collect(), (50..100).collect());
    let (zeros, values) = (vec![0.0; 50], [vec![1.0; 7], vec![0.0; 43]].concat());
    let comparison = compare(
        &Scores { ids: &first, values: &zeros },
        &Scores { ids: &second, values: &values },
        &BootstrapParams::seeded(1),
    )?;
    assert_eq!((comparison.design, comparison.flips), (Design::Independent, None));
    assert_close(&comparison.test.p, 0.00608, 5e-6);
    assert_close(&comparison.difference, 0.14, 1e-12);
    Ok(())
}

#[test]
fn cal_01_certainty_falls_into_the_last_bin() -> Result<()> {
    for edges in [EdgeRule::RightClosed, EdgeRule::LeftClosed, EdgeRule::Guo2017] {
        let binning = Binning::new(10, edges)?;
        let error = expected_calibration_error(&[0.93, 1.0], &[true, false], &binning)?;
        assert_close(&error, 0.465, 1e-12);
        assert_eq!(reliability_bins(&[0.93, 1.0], &[true, false], &binning)?.len(), 10);
    }
    Ok(())
}

#[test]
fn cal_03_the_most_confident_bin_counts() -> Result<()> {
    let confidences = [vec![0.20; 100], vec![0.95; 150]].concat();
    let outcomes = [false; 250];
    assert_close(&rms_calibration_error(&confidences, &outcomes, 100)?, 0.746_66, 5e-6);
    let dropped = rms_calibration_error_last_bin_dropped(&confidences, &outcomes, 100)?;
    assert_close(&dropped, 0.126_49, 5e-6);
    Ok(())
}

#[test]
fn cal_03_fewer_answers_than_a_bin_holds_make_one_bin() -> Result<()> {
    assert_close(&rms_calibration_error(&[0.8; 7], &[true; 7], 100)?, 0.2, 1e-12);
    let dropped = rms_calibration_error_last_bin_dropped(&[0.8; 7], &[true; 7], 100)?;
    assert_eq!(dropped.undefined_reason(), Some(Reason::TooFewSamples));
    Ok(())
}

#[test]
fn cal_05_the_mean_confidence_of_a_bin_counts_and_not_its_middle() -> Result<()> {
    let error = expected_calibration_error(&[0.91; 4], &[true; 4], &Binning::default())?;
    assert_close(&error, 0.09, 1e-12);
    Ok(())
}

#[test]
fn cal_06_no_data_is_not_perfect_calibration() -> Result<()> {
    let summary = summarize_calibration(&[], &[], &Clusters::independent(0)?, &SummaryParams::default())?;
    let numbers = [
        &summary.accuracy,
        &summary.mean_confidence,
        &summary.ece,
        &summary.ece_debiased,
        &summary.smooth_ece,
        &summary.rms_calibration_error,
        &summary.brier,
        &summary.log_loss,
        &summary.auroc,
        &summary.mcip,
        &summary.aurc,
        &summary.collapse.share,
    ];
    for number in numbers {
        assert_eq!((number.value(), number.n), (None, 0));
        assert_eq!(number.undefined_reason().map(Reason::text), Some("no scored samples"));
    }
    Ok(())
}

#[test]
fn cal_08_swapped_labels_and_confidences_are_refused() {
    let refused = outcomes_from_numbers(&[0.82, 0.4, 0.77]);
    assert_eq!(refused, Err(StatsError::NotAnOutcome { index: 0, value: 0.82 }));
    assert!(refused.is_err_and(|error| error.to_string().contains("neither 0 nor 1")));
}

#[test]
fn cal_09_a_negated_uncertainty_is_refused_and_named() {
    let confidences = [0.1, 0.1, -0.1, 0.1];
    let outcomes = [false; 4];
    let refused = StatsError::NotAProbability { index: 2, value: -0.1 };
    let binning = Binning::default();
    assert_eq!(expected_calibration_error(&confidences, &outcomes, &binning), Err(refused.clone()));
    assert_eq!(brier_score(&confidences, &outcomes), Err(refused.clone()));
    assert_eq!(smooth_calibration_error(&confidences, &outcomes), Err(refused));
    let percents = expected_calibration_error(&[0.9, 85.0], &[true, true], &binning);
    assert_eq!(percents, Err(StatsError::NotAProbability { index: 1, value: 85.0 }));
}

#[test]
fn cal_09_confidences_are_not_rescaled() -> Result<()> {
    let error = expected_calibration_error(&[0.90, 0.91], &[true, true], &Binning::default())?;
    assert_close(&error, 0.095, 1e-12);
    Ok(())
}

#[test]
fn cal_11_sources_of_confidence_do_not_share_a_number() -> Result<()> {
    let sources = [Some("tag"), None, Some("words")];
    let outcomes = [true, false, true];
    let split = calibration_by_source(&[0.95, 1.0, 0.7], &outcomes, &sources, &SummaryParams::default())?;
    assert_eq!(split.excluded_defaults, 1);
    assert_eq!(split.sources.keys().copied().collect::<Vec<_>>(), ["tag", "words"]);
    assert_close(&split.sources["tag"].mean_confidence, 0.95, 1e-12);
    assert_close(&split.sources["words"].mean_confidence, 0.7, 1e-12);
    Ok(())
}

#[test]
fn cnf_05_one_confidence_throughout_is_noted() -> Result<()> {
    let summary = summarize_calibration(
        &[0.9; 3],
        &[true, false, true],
        &Clusters::independent(3)?,
        &SummaryParams { bootstrap: Some(BootstrapParams::seeded(1)), ..SummaryParams::default() },
    )?;
    assert_close(&summary.auroc, 0.5, 0.0);
    assert!(summary.auroc.note.is_some_and(|note| note.starts_with("constant confidence")));
    assert_close(&summary.ece, 0.9 - 2.0 / 3.0, 1e-12);
    assert_close(&summary.collapse.share, 1.0, 0.0);
    Ok(())
}
