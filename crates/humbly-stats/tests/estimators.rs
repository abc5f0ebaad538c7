//! Estimators that `metric_truth.json` does not hold: by hand, against other libraries, and by their properties.

use humbly_stats::attribution::{AttributionCounts, AttributionRows, F1Rule, Form, attribution};
use humbly_stats::calibration::{
    Binning, EdgeRule, Setting, brier_decomposition, debiased_calibration_error,
    debiased_squared_calibration_error, expected_calibration_error, mcip_common,
};
use humbly_stats::discrimination::auroc;
use humbly_stats::hypothesis::holm_measured;
use humbly_stats::intervals::{BootstrapParams, Clusters, bootstrap_mean, bootstrap_statistic};
use humbly_stats::logistic::{Cell, LogisticCurveParams, logistic_curve};
use humbly_stats::recalibration::{Temperature, fit_isotonic, fit_platt, fit_temperature};
use humbly_stats::selective::{risk_coverage_curve, selective_accuracy};
use humbly_stats::{IntervalMethod, Measured, Reason, Result, StatsError, Undefined};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn close(ours: f64, expected: f64, tolerance: f64) {
    assert!((ours - expected).abs() <= tolerance, "{ours}, expected {expected}");
}

fn value(measured: &Measured) -> f64 {
    measured.value().unwrap_or(f64::NAN)
}

const BY_HAND: AttributionCounts = AttributionCounts {
    unanswerable: 4,
    missed: 6,
    data_on_unanswerable: 3,
    data_on_missed: 2,
    model_on_missed: 3,
    model_on_unanswerable: 1,
};

#[test]
fn attribution_by_hand_comes_out() -> Result<()> {
    let released = BY_HAND.scores(F1Rule::Released)?;
    close(value(&released.data), 0.750, 1e-12);
    close(value(&released.model), 0.500, 1e-12);
    close(value(&released.average), 0.625, 1e-12);
    let balanced = BY_HAND.scores(F1Rule::Balanced)?;
    close(value(&balanced.data), 0.720, 1e-12);
    close(value(&balanced.model), 4.0 / 7.0, 1e-12);
    close(value(&balanced.average), 0.646, 5e-4);
    Ok(())
}

#[test]
fn attribution_of_rows_is_that_of_their_counts() -> Result<()> {
    use Form::{Answer, DataUncertain as Data, ModelUncertain as Model, Unparsable};
    let forms =
        [Data, Data, Data, Model, Data, Data, Model, Model, Model, Unparsable, Answer, Answer, Answer];
    let answerable = [vec![false; 4], vec![true; 9]].concat();
    let correct = [vec![false; 10], vec![true; 3]].concat();
    let rows = AttributionRows { forms: &forms, answerable: &answerable, correct: &correct };
    let clusters = Clusters::independent(forms.len())?;
    let result = attribution(&rows, F1Rule::Released, &clusters, &BootstrapParams::seeded(3))?;
    assert_eq!(result.counts, BY_HAND);
    close(value(&result.scores.average), 0.625, 1e-12);
    assert!(result.scores.average.interval.is_some());
    assert_eq!((result.accuracy.numerator, result.accuracy.n), (Some(3), 9));
    let table: Vec<[u64; 3]> =
        result.confusion.iter().map(|row| [row.unanswerable, row.answered_correctly, row.missed]).collect();
    assert_eq!(table, [[0, 3, 0], [3, 0, 2], [1, 0, 3], [0, 0, 1]]);
    // Wilson's interval of 3 of 4, by hand.
    let share = &result.confusion[1].unanswerable_share;
    let interval = share.interval.as_ref().unwrap();
    close(value(share), 0.75, 1e-12);
    close(interval.low, 0.300_642, 1e-6);
    close(interval.high, 0.954_413, 1e-6);
    assert_eq!(
        (result.confusion[2].missed_share.numerator, result.confusion[2].missed_share.n),
        (Some(3), 9)
    );
    Ok(())
}

#[test]
fn attribution_without_a_set_is_undefined() -> Result<()> {
    let reasons = |counts: AttributionCounts| {
        let scores = counts.scores(F1Rule::Balanced)?;
        Ok::<_, StatsError>([scores.data, scores.model, scores.average].map(|s| s.undefined_reason()))
    };
    let no_missed = AttributionCounts { missed: 0, data_on_missed: 0, model_on_missed: 0, ..BY_HAND };
    assert_eq!(reasons(no_missed)?, [Some(Reason::NoWrongAnswers); 3]);
    let no_unanswerable =
        AttributionCounts { unanswerable: 0, data_on_unanswerable: 0, model_on_unanswerable: 0, ..BY_HAND };
    assert_eq!(reasons(no_unanswerable)?, [Some(Reason::NoUnanswerable); 3]);
    assert_eq!(reasons(AttributionCounts::default())?, [Some(Reason::NoSamples); 3]);
    let impossible = AttributionCounts { data_on_missed: 7, ..BY_HAND };
    assert!(matches!(impossible.scores(F1Rule::Released), Err(StatsError::MoreSuccessesThanTrials { .. })));
    Ok(())
}

#[test]
fn temperature_scaling_matches_numpy() -> Result<()> {
    // numpy: 1 / (1 + exp(-log(p / (1 - p)) / 1.5)), as in reward_truth.json
    let temperature = Temperature::new(1.5)?;
    let stated = [0.0, 0.01, 0.05, 0.25, 0.5, 0.8, 0.95, 1.0];
    let expected = [
        0.0,
        0.044_641_905_574_363_046,
        0.123_147_138_029_875_56,
        0.324_666_488_787_032_1,
        0.5,
        0.715_896_346_583_349_9,
        0.876_852_861_970_124_4,
        1.0,
    ];
    for (ours, expected) in temperature.apply(&stated)?.into_iter().zip(expected) {
        close(ours, expected, 1e-12);
    }
    close(temperature.apply_clipped(&[0.0], 1e-6)?[0], 9.999_006_765_329_086e-5, 1e-12);
    assert!(Temperature::new(0.0).is_err() && Temperature::new(f64::NAN).is_err());
    Ok(())
}

const STATED: [f64; 12] = [0.1, 0.2, 0.2, 0.4, 0.5, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.95];
const RIGHT: [bool; 12] = [false, true, false, false, true, false, true, false, true, true, false, true];

#[test]
fn recalibration_maps_match_scipy_and_sklearn() -> Result<()> {
    // scipy.optimize.minimize_scalar of the log loss in 1/T
    let temperature = fit_temperature(&STATED, &RIGHT)?.map_or(f64::NAN, Temperature::value);
    close(temperature, 2.761_736_27, 1e-6);
    // scipy.optimize.minimize (BFGS) with Platt's targets
    let platt = fit_platt(&STATED, &RIGHT)?.map_err(|_| StatsError::NoBins)?;
    close(platt.intercept(), -0.125_444_24, 1e-7);
    close(platt.slope(), 0.283_463_29, 1e-7);
    // sklearn.isotonic.IsotonicRegression(out_of_bounds="clip")
    let isotonic = fit_isotonic(&STATED, &RIGHT)?.map_err(|_| StatsError::NoBins)?;
    let at = [0.0, 0.1, 0.2, 0.3, 0.4, 0.55, 0.65, 0.75, 0.85, 0.92, 0.95, 1.0];
    let third = 1.0 / 3.0;
    let expected = [0.0, 0.0, third, third, third, 0.5, 0.5, 0.625, 0.75, 0.75, 0.75, 0.75];
    for (ours, expected) in isotonic.apply(&at)?.into_iter().zip(expected) {
        close(ours, expected, 1e-12);
    }
    Ok(())
}

#[test]
fn a_temperature_that_the_data_do_not_determine_is_undefined() -> Result<()> {
    let reason = |confidences: &[f64], outcomes: &[bool]| {
        Ok::<_, StatsError>(fit_temperature(confidences, outcomes)?.err().map(|undefined| undefined.reason))
    };
    assert_eq!(reason(&[], &[])?, Some(Reason::NoSamples));
    assert_eq!(reason(&[0.0, 1.0, 0.5], &[true; 3])?, Some(Reason::TooFewSamples));
    assert_eq!(reason(&[0.9, 0.2], &[true, false])?, Some(Reason::NoFit));
    assert_eq!(reason(&[0.9, 0.9], &[true, false])?, Some(Reason::NoFit));
    Ok(())
}

#[test]
fn debiasing_takes_off_what_noise_adds() -> Result<()> {
    // A calibrated agent: each confidence is exactly its chance, so the true error is 0.
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let (mut raw, mut debiased, mut squared) = (0.0, 0.0, 0.0);
    let binning = Binning::default();
    for _ in 0..400 {
        let confidences: Vec<f64> = (0..200).map(|_| random.random()).collect();
        let outcomes: Vec<bool> = confidences.iter().map(|&c| random.random::<f64>() < c).collect();
        raw += value(&expected_calibration_error(&confidences, &outcomes, &binning)?) / 400.0;
        debiased += value(&debiased_calibration_error(&confidences, &outcomes, &binning)?) / 400.0;
        squared += value(&debiased_squared_calibration_error(&confidences, &outcomes, &binning)?) / 400.0;
    }
    // The absolute error keeps a part of its bias, the squared one hardly any.
    assert!(raw > 0.05 && debiased.abs() < 0.65 * raw, "raw {raw}, debiased {debiased}");
    assert!(squared.abs() < 0.05 * raw * raw, "raw {raw}, squared {squared}");
    Ok(())
}

#[test]
fn common_questions_are_those_that_all_settings_got_wrong() -> Result<()> {
    let ids = ["a", "b", "c", "d", "e"];
    let direct = Setting {
        name: "direct",
        ids: &ids,
        confidences: &[0.5, 0.6, 0.7, 0.2, 0.9],
        outcomes: &[false, false, false, false, true],
    };
    let search = Setting { name: "search", confidences: &[0.9, 0.8, 0.9, 0.7, 0.9], ..direct };
    let trained = Setting {
        name: "trained",
        // "d" is answered twice and right once: not common.
        ids: &["d", "d", "a", "b", "c"],
        confidences: &[0.1, 0.2, 0.6, 0.65, 0.6],
        outcomes: &[true, false, false, false, false],
    };
    let common = mcip_common(&[direct, search, trained], &BootstrapParams::seeded(5))?;
    assert_eq!((common.shared_questions, common.common_wrong_questions), (4, 3));
    close(value(&common.settings[0].mcip_common), 0.6, 1e-12);
    close(value(&common.settings[1].mcip_common), 2.6 / 3.0, 1e-12);
    assert_eq!(common.pairs.len(), 3);
    let first = &common.pairs[0];
    // scipy.stats.ttest_rel([.5, .6, .7], [.9, .8, .9]): t = -4
    close(value(&first.paired.statistic), -4.0, 1e-9);
    close(value(&first.difference), -0.8 / 3.0, 1e-12);
    let holm: Vec<f64> = common.pairs.iter().map(|pair| value(&pair.paired_p_holm)).collect();
    let raw: Vec<f64> = common.pairs.iter().map(|pair| value(&pair.paired.p)).collect();
    assert!(holm.iter().zip(&raw).all(|(holm, raw)| holm >= raw));
    Ok(())
}

#[test]
fn settings_without_common_wrong_questions_are_undefined() -> Result<()> {
    let one = Setting { name: "one", ids: &["a"], confidences: &[0.5], outcomes: &[false] };
    let other = Setting { name: "other", ids: &["b"], ..one };
    let right = Setting { name: "right", outcomes: &[true], ..one };
    let reason = |settings: &[Setting<'_, &str>]| {
        let common = mcip_common(settings, &BootstrapParams::seeded(1))?;
        Ok::<_, StatsError>(common.settings[0].mcip_common.undefined_reason())
    };
    assert_eq!(reason(&[one, other])?, Some(Reason::NoCommonItems));
    assert_eq!(reason(&[one, right])?, Some(Reason::NoWrongAnswers));
    Ok(())
}

#[test]
fn an_undefined_p_is_no_member_of_the_family() -> Result<()> {
    let undefined = Measured::undefined(Undefined::new(Reason::ZeroVariance));
    let adjusted = holm_measured(&[Measured::new(0.01, 5), undefined, Measured::new(0.03, 5)])?;
    close(value(&adjusted[0]), 0.02, 1e-12);
    assert_eq!(adjusted[1].undefined_reason(), Some(Reason::ZeroVariance));
    close(value(&adjusted[2]), 0.03, 1e-12);
    Ok(())
}

#[test]
fn the_curve_has_a_band_and_counts_resamples_without_a_fit() -> Result<()> {
    let accuracy = [0.03, 0.16, 0.3, 0.08, 0.56, 0.65, 0.14, 0.34];
    let rates = [0.42, 0.38, 0.3, 0.47, 0.21, 0.12, 0.4, 0.28];
    let cells: Vec<Cell> =
        accuracy.into_iter().zip(rates).map(|(x, rate)| Cell { x, rate, weight: 50.0 }).collect();
    let curve = logistic_curve(&cells, &[0.0, 0.5, 1.0], &LogisticCurveParams::seeded(4))?;
    assert_eq!((curve.resamples, curve.seed), (500, 4));
    for point in &curve.points {
        assert!(point.low.is_some_and(|low| low <= point.rate));
        assert!(point.high.is_some_and(|high| high >= point.rate));
    }
    let two = logistic_curve(&cells[..2], &[0.5], &LogisticCurveParams::seeded(4))?;
    // Half of the resamples draw one cell twice.
    assert!((150..350).contains(&two.resamples_without_fit));
    Ok(())
}

#[test]
fn coverage_beyond_a_tie_takes_the_whole_tie() -> Result<()> {
    let (confidences, outcomes) = ([0.9, 0.8, 0.8, 0.8], [true, false, true, true]);
    assert_eq!(risk_coverage_curve(&confidences, &outcomes)?.len(), 2);
    let half = selective_accuracy(&confidences, &outcomes, 0.5)?;
    assert_eq!((half.coverage.numerator, half.accuracy.numerator), (Some(4), Some(3)));
    assert!(selective_accuracy(&confidences, &outcomes, 0.0).is_err());
    assert_eq!(selective_accuracy(&[], &[], 1.0)?.accuracy.undefined_reason(), Some(Reason::NoSamples));
    Ok(())
}

#[test]
fn a_result_does_not_depend_on_the_number_of_threads() -> Result<()> {
    let values: Vec<f64> = (0..301).map(|row| f64::from(row * 37 % 101) / 101.0).collect();
    let outcomes: Vec<bool> = values.iter().map(|&value| value > 0.4).collect();
    let clusters = Clusters::independent(values.len())?;
    let params = BootstrapParams::new(500, 0.9, 8)?;
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(|pool| {
            pool.install(|| {
                let mean = bootstrap_mean(&values, &clusters, &params);
                let median =
                    bootstrap_statistic(&clusters, &params, Vec::new, |drawn: &mut Vec<f64>, rows| {
                        drawn.clear();
                        drawn.extend(rows.iter().map(|&row| values[row as usize]));
                        drawn.sort_by(f64::total_cmp);
                        drawn.get(drawn.len() / 2).copied()
                    });
                (mean, median, auroc(&values, &outcomes))
            })
        })
        .ok()
    };
    let (one, three) = (run(1), run(3));
    assert!(one.is_some());
    assert_eq!(one, three);
    let other = bootstrap_mean(&values, &clusters, &BootstrapParams::new(500, 0.9, 9)?)?;
    assert_ne!(one.and_then(|run| run.0.ok()), Some(other));
    Ok(())
}

#[test]
fn an_interval_records_how_it_was_made() -> Result<()> {
    let clusters = Clusters::by_id(&[1, 1, 2, 2, 3])?;
    let params = BootstrapParams::new(200, 0.9, 17)?;
    let resampled = bootstrap_mean(&[0.1, 0.2, 0.5, 0.6, 0.9], &clusters, &params)?;
    let recorded = resampled.interval.map(|interval| {
        assert!((interval.level - 0.9).abs() < 1e-12);
        (interval.method, interval.resamples, interval.seed, interval.clusters)
    });
    assert_eq!(recorded, Ok((IntervalMethod::ClusterBootstrap, Some(200), Some(17), Some(3))));
    Ok(())
}

proptest! {
    #[test]
    fn errors_of_calibration_stay_in_range_and_ignore_order(
        rows in prop::collection::vec((0..=20_u8, any::<bool>()), 1..60),
        bins in 1..15_usize,
    ) {
        let confidences: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 20.0).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let backwards: (Vec<f64>, Vec<bool>) =
            confidences.iter().copied().zip(outcomes.iter().copied()).rev().unzip();
        for edges in [EdgeRule::RightClosed, EdgeRule::LeftClosed, EdgeRule::Guo2017, EdgeRule::EqualMass] {
            let binning = Binning::new(bins, edges).unwrap();
            let error = value(&expected_calibration_error(&confidences, &outcomes, &binning).unwrap());
            prop_assert!((0.0..=1.0).contains(&error));
            let reversed = expected_calibration_error(&backwards.0, &backwards.1, &binning).unwrap();
            prop_assert!((error - value(&reversed)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_parts_of_a_brier_score_add_up(
        rows in prop::collection::vec((0..=20_u8, any::<bool>()), 1..60)
    ) {
        let confidences: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 20.0).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let exact = brier_decomposition(&confidences, &outcomes, None).unwrap();
        prop_assert!(value(&exact.within_groups).abs() < 1e-12);
        let binned = brier_decomposition(&confidences, &outcomes, Some(&Binning::default())).unwrap();
        let sum = value(&binned.reliability) - value(&binned.resolution)
            + value(&binned.uncertainty) + value(&binned.within_groups);
        prop_assert!((value(&binned.brier) - sum).abs() < 1e-12);
    }

    #[test]
    fn auroc_of_the_opposite_is_the_complement(
        rows in prop::collection::vec((0..=9_u8, any::<bool>()), 2..50)
    ) {
        let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let negated: Vec<f64> = scores.iter().map(|score| -score).collect();
        let (area, opposite) = (auroc(&scores, &outcomes).unwrap(), auroc(&negated, &outcomes).unwrap());
        if let (Some(area), Some(opposite)) = (area.value(), opposite.value()) {
            prop_assert!((area + opposite - 1.0).abs() < 1e-12);
        } else {
            prop_assert_eq!(area.undefined_reason(), Some(Reason::OneClass));
        }
    }

    #[test]
    fn isotonic_maps_rise(rows in prop::collection::vec((0..=20_u8, any::<bool>()), 1..40)) {
        let confidences: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 20.0).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let map = fit_isotonic(&confidences, &outcomes).unwrap().unwrap();
        let grid: Vec<f64> = (0..=100).map(|step| f64::from(step) / 100.0).collect();
        let fitted = map.apply(&grid).unwrap();
        prop_assert!(fitted.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
    }
}
