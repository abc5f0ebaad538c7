//! Every case of `metric_truth.json`, to 1e-9; the exceptions are those of its README.
//!
//! A result is compared with the library's number, or, where the library gave NaN or raised, must be undefined with
//! a reason. An unknown metric, or an unknown kind of result, fails.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

mod support;

use humbly_stats::agreement::{Ratings, cohen_kappa, fleiss_kappa, gwet_ac1, krippendorff_alpha};
use humbly_stats::calibration::{
    Binning, EdgeRule, brier_score, expected_calibration_error, expected_calibration_error_percent, log_loss,
    rms_calibration_error, rms_calibration_error_last_bin_dropped, smooth_calibration_error,
};
use humbly_stats::classification::classify;
use humbly_stats::discrimination::{auroc, average_precision};
use humbly_stats::hypothesis::{
    Counts, TestOutcome, benjamini_hochberg, fisher_exact, holm, mcnemar, paired_t, two_proportion_z, welch_t,
};
use humbly_stats::intervals::{BootstrapParams, Clusters, IntervalOutcome, bootstrap_mean, wilson};
use humbly_stats::logistic::{Cell, fit_logistic};
use humbly_stats::recalibration::Temperature;
use humbly_stats::{Measured, outcomes_from_numbers};
use serde_json::Value;

const EXACT: f64 = 1e-9;
/// irrCAC rounds to five digits.
const ROUNDED: f64 = 1e-5;

/// One case, and what went wrong in it.
struct Case<'a> {
    input: &'a Value,
    results: &'a serde_json::Map<String, Value>,
    name: String,
    faults: Vec<String>,
    checked: usize,
}

/// What the reference says.
#[derive(Debug)]
enum Expected<'a> {
    Value(&'a Value),
    Undefined,
}

fn expected(result: &Value) -> Expected<'_> {
    match result.get("value") {
        Some(value) if value != "NaN" => Expected::Value(value),
        _ => Expected::Undefined,
    }
}

impl Case<'_> {
    fn numbers(&self, key: &str) -> Vec<f64> {
        self.input[key].as_array().expect("a list").iter().map(|value| value.as_f64().unwrap()).collect()
    }

    fn outcomes(&self, key: &str) -> Vec<bool> {
        outcomes_from_numbers(&self.numbers(key)).expect("outcomes")
    }

    fn size(&self, key: &str) -> usize {
        usize::try_from(self.input[key].as_u64().expect("a count")).unwrap()
    }

    fn fault(&mut self, what: &str, ours: &dyn std::fmt::Debug, theirs: &dyn std::fmt::Debug) {
        self.faults.push(format!("{} {what}: ours {ours:?}, theirs {theirs:?}", self.name));
    }

    fn number(&mut self, what: &str, ours: Option<f64>, theirs: &Value, tolerance: f64) {
        self.checked += 1;
        let agrees = match (ours, theirs.as_f64()) {
            (Some(ours), Some(theirs)) => (ours - theirs).abs() <= tolerance,
            (None, None) => theirs == "NaN",
            _ => false,
        };
        if !agrees {
            self.fault(what, &ours, theirs);
        }
    }

    fn measured(&mut self, key: &str, ours: &Measured) {
        self.checked += 1;
        let agrees = match expected(&self.results[key]) {
            Expected::Value(value) => {
                value.as_f64().zip(ours.value()).is_some_and(|(theirs, ours)| (ours - theirs).abs() <= EXACT)
            }
            Expected::Undefined => ours.value().is_none() && ours.undefined_reason().is_some(),
        };
        if !agrees {
            let theirs = self.results[key].clone();
            self.fault(key, ours, &theirs);
        }
    }

    fn interval(&mut self, key: &str, ours: &IntervalOutcome, tolerance: f64) {
        let theirs = self.results[key]["value"].clone();
        let (low, high) = (ours.as_ref().ok().map(|i| i.low), ours.as_ref().ok().map(|i| i.high));
        self.number(&format!("{key} low"), low, &theirs[0], tolerance);
        self.number(&format!("{key} high"), high, &theirs[1], tolerance);
    }

    /// A t test: t, p and degrees of freedom. Where rounding errors are all the variance there is the library
    /// warns and gives t near 1e15: ours is undefined.
    fn student(&mut self, key: &str, ours: &TestOutcome) {
        let result = self.results[key].clone();
        let theirs = &result["value"];
        if theirs["t"].as_f64().is_none_or(|t| t.abs() > 1e12) {
            self.checked += 1;
            if ours.statistic.undefined_reason().is_none() || ours.p.undefined_reason().is_none() {
                self.fault(key, ours, theirs);
            }
            return;
        }
        self.number(&format!("{key} t"), ours.statistic.value(), &theirs["t"], EXACT);
        self.number(&format!("{key} p"), ours.p.value(), &theirs["p"], EXACT);
        self.number(&format!("{key} df"), ours.degrees_of_freedom, &theirs["df"], EXACT);
    }
}

fn ece(case: &mut Case<'_>) {
    let (confidences, outcomes) = (case.numbers("confidence"), case.outcomes("correct"));
    let bins = case.size("n_bins");
    for key in case.results.keys() {
        let edges = match key.as_str() {
            "ours_right_closed_first_bin_closed" | "sklearn_calibration_curve_uniform_weighted" => {
                EdgeRule::RightClosed
            }
            "ours_right_closed_zero_dropped_guo2017" => EdgeRule::Guo2017,
            "ours_left_closed_last_bin_closed_numpy_histogram" => EdgeRule::LeftClosed,
            _ => panic!("unknown result {key}"),
        };
        let binning = Binning::new(bins, edges).unwrap();
        let ours = expected_calibration_error(&confidences, &outcomes, &binning).unwrap();
        case.measured(key, &ours);
    }
}

fn ece_percent(case: &mut Case<'_>) {
    let outcomes = case.outcomes("correct");
    let percents: Vec<u8> = case.input["confidence_percent"]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| u8::try_from(value.as_u64().unwrap()).unwrap())
        .collect();
    let fractions: Vec<f64> = percents.iter().map(|&percent| f64::from(percent) / 100.0).collect();
    let binning = Binning::new(case.size("n_bins"), EdgeRule::RightClosed).unwrap();
    for key in case.results.keys() {
        let ours = match key.as_str() {
            "ours_integer_right_closed_first_bin_closed" => {
                expected_calibration_error_percent(&percents, &outcomes, &binning)
            }
            "ours_float_right_closed_first_bin_closed" => {
                expected_calibration_error(&fractions, &outcomes, &binning)
            }
            _ => panic!("unknown result {key}"),
        };
        case.measured(key, &ours.unwrap());
    }
}

fn rms(case: &mut Case<'_>) {
    let (confidences, outcomes) = (case.numbers("confidence"), case.outcomes("correct"));
    let size = case.size("beta");
    for key in case.results.keys() {
        let ours = match key.as_str() {
            "ours_all_bins_inspect_evals_convention" => rms_calibration_error(&confidences, &outcomes, size),
            "ours_last_bin_dropped_cais_hle_convention" => {
                rms_calibration_error_last_bin_dropped(&confidences, &outcomes, size)
            }
            "note" => continue,
            _ => panic!("unknown result {key}"),
        };
        case.measured(key, &ours.unwrap());
    }
}

/// A metric of confidences and outcomes with one value under every result.
fn of_forecasts(
    case: &mut Case<'_>,
    inputs: (&str, &str),
    results: &[&str],
    metric: fn(&[f64], &[bool]) -> humbly_stats::Result<Measured>,
) {
    let ours = metric(&case.numbers(inputs.0), &case.outcomes(inputs.1)).unwrap();
    for key in case.results.keys() {
        assert!(results.contains(&key.as_str()), "unknown result {key}");
        case.measured(key, &ours);
    }
}

fn ranked(case: &mut Case<'_>) {
    let (scores, labels) = (case.numbers("score"), case.outcomes("label"));
    for key in case.results.keys() {
        let ours = match key.as_str() {
            "sklearn_roc_auc_score" | "mannwhitney_U_over_n1n0" => auroc(&scores, &labels),
            "sklearn_average_precision" => average_precision(&scores, &labels),
            _ => panic!("unknown result {key}"),
        };
        case.measured(key, &ours.unwrap());
    }
}

fn welch(case: &mut Case<'_>) {
    let ours = welch_t(&case.numbers("a"), &case.numbers("b")).unwrap();
    for key in case.results.keys() {
        match key.as_str() {
            "scipy_ttest_ind_equal_var_False" | "statsmodels_ttest_ind_unequal" => case.student(key, &ours),
            "ci95_diff_scipy" => {
                // SciPy's interval of a difference without variance is rounding error: ours does not exist.
                if ours.p.value().is_none() {
                    case.checked += 1;
                    assert!(ours.difference.interval.is_none());
                    continue;
                }
                let interval = ours.difference.interval.clone().expect("an interval beside a p");
                case.interval(key, &Ok(interval), EXACT);
            }
            _ => panic!("unknown result {key}"),
        }
    }
}

fn paired(case: &mut Case<'_>) {
    let ours = paired_t(&case.numbers("a"), &case.numbers("b")).unwrap();
    for key in case.results.keys() {
        assert_eq!(key, "scipy_ttest_rel");
        case.student(key, &ours);
    }
}

fn two_proportions(case: &mut Case<'_>) {
    let counts = |index: usize| {
        let value = |key: &str| usize::try_from(case.input[key][index].as_u64().unwrap()).unwrap();
        (value("count"), value("nobs"))
    };
    let (one, two) = (counts(0), counts(1));
    let (first, second) = (Counts::new(one.0, one.1).unwrap(), Counts::new(two.0, two.1).unwrap());
    let ours = two_proportion_z(first, second).unwrap();
    for key in case.results.keys() {
        let result = case.results[key].clone();
        match key.as_str() {
            "statsmodels_proportions_ztest" => {
                case.number("z", ours.statistic.value(), &result["value"]["z"], EXACT);
                case.number("p", ours.p.value(), &result["value"]["p"], EXACT);
            }
            // χ² without continuity correction is the square of z.
            "chi2_no_yates_p" => case.measured(key, &ours.p),
            "fisher_exact_p" => case.measured(key, &fisher_exact(first, second)),
            "wilson95_first" => case.interval(key, &wilson(one.0, one.1, 0.95).unwrap(), EXACT),
            _ => panic!("unknown result {key}"),
        }
    }
}

/// Labels of all raters as text.
fn raters(case: &Case<'_>) -> Vec<Vec<Option<String>>> {
    ["r1", "r2", "r3"]
        .iter()
        .filter_map(|key| case.input.get(key))
        .map(|labels| labels.as_array().unwrap().iter().map(|label| Some(label.to_string())).collect())
        .collect()
}

fn ratings(case: &Case<'_>) -> Ratings<String> {
    let raters = raters(case);
    let slices: Vec<&[Option<String>]> = raters.iter().map(Vec::as_slice).collect();
    Ratings::from_raters(&slices).unwrap()
}

fn cohen(case: &mut Case<'_>) {
    let raters = raters(case);
    let ours = cohen_kappa(&raters[0], &raters[1]).unwrap();
    for key in case.results.keys() {
        assert!(key.starts_with("sklearn_") || key.starts_with("statsmodels_"), "unknown result {key}");
        case.measured(key, &ours);
    }
}

fn gwet(case: &mut Case<'_>) {
    let ours = gwet_ac1(&ratings(case));
    let result = case.results["irrCAC_gwet"].clone();
    let Expected::Value(theirs) = expected(&result) else {
        case.measured("irrCAC_gwet", &ours.coefficient);
        return;
    };
    case.number("coefficient", ours.coefficient.value(), &theirs["coef"], ROUNDED);
    case.number("observed", ours.observed_agreement.value(), &theirs["pa"], ROUNDED);
    case.number("standard error", ours.standard_error, &theirs["se"], ROUNDED);
    let interval = ours.coefficient.interval.as_ref();
    case.number("low", interval.map(|interval| interval.low), &theirs["ci"][0], ROUNDED);
    if theirs["se"].as_f64().is_none() {
        // irrCAC writes a chance agreement of 1 and half an interval where neither exists.
        assert!(ours.chance_agreement.value().is_none() && ours.p.is_none());
        return;
    }
    case.number("chance", ours.chance_agreement.value(), &theirs["pe"], ROUNDED);
    case.number("high", interval.map(|interval| interval.high), &theirs["ci"][1], ROUNDED);
    if theirs["se"].as_f64() == Some(0.0) {
        assert!(ours.p.is_none(), "no p without a standard error");
    } else {
        case.number("p", ours.p, &theirs["p"], ROUNDED);
    }
}

fn bootstrap(case: &mut Case<'_>) {
    let values = case.numbers("x");
    let resamples = u32::try_from(case.size("n_resamples")).unwrap();
    let level = case.input["confidence_level"].as_f64().unwrap();
    let clusters = Clusters::independent(values.len()).unwrap();
    let params = BootstrapParams::new(resamples, level, 20).unwrap();
    let ours = bootstrap_mean(&values, &clusters, &params).unwrap();
    let scipy = case.results["scipy_bootstrap_percentile_seed0"].clone();
    let Expected::Value(theirs) = expected(&scipy) else {
        case.checked += 1;
        if ours.interval.is_ok() {
            case.fault("interval", &ours, &scipy);
        }
        return;
    };
    let interval = ours.interval.clone().expect("an interval where SciPy has one");
    // Three standard deviations of SciPy's own ends over 40 seeds; their range is narrower.
    let spread = case.results.get("spread_over_40_seeds").map(|spread| spread["value"].clone());
    for (end, value) in [("low", interval.low), ("high", interval.high)] {
        let deviation = spread.as_ref().map_or(0.0, |spread| spread[format!("{end}_sd")].as_f64().unwrap());
        case.number(end, Some(value), &theirs[end], EXACT + 3.0 * deviation);
        if let Some(spread) = &spread {
            let side = |side: &str| spread[format!("{end}_{side}")].as_f64().unwrap();
            assert!(value >= side("min") - 1e-9 - deviation && value <= side("max") + 1e-9 + deviation);
        }
    }
    let error = theirs["se"].as_f64().unwrap();
    case.number("standard error", ours.standard_error, &theirs["se"], EXACT + 0.03 * error);
    for key in case.results.keys() {
        // Bias-corrected intervals are not offered.
        let known = ["scipy_bootstrap_percentile_seed0", "spread_over_40_seeds", "scipy_BCa_seed0"];
        assert!(known.contains(&key.as_str()), "unknown result {key}");
    }
}

fn logistic(case: &mut Case<'_>) {
    let (x, rate, weight) = (case.numbers("x"), case.numbers("rate"), case.numbers("weight"));
    let cells: Vec<Cell> = x
        .iter()
        .zip(rate.iter().zip(&weight))
        .map(|(&x, (&rate, &weight))| Cell { x, rate, weight })
        .collect();
    let ours = fit_logistic(&cells).unwrap();
    // Separated or collinear data have no estimate: statsmodels stops somewhere and warns.
    let has_fit = !["rates_0_1", "constant_x", "empty"].iter().any(|name| case.name.ends_with(name));
    assert_eq!(ours.is_ok(), has_fit, "{}", case.name);
    let Ok(ours) = ours else {
        case.checked += 1;
        return;
    };
    for key in case.results.keys() {
        assert!(key.starts_with("statsmodels_glm_binomial_"), "unknown result {key}");
        let theirs = case.results[key]["value"].clone();
        case.number("intercept", Some(ours.intercept), &theirs["intercept"], EXACT);
        case.number("slope", Some(ours.slope), &theirs["slope"], EXACT);
        // statsmodels takes the information one step before its last: ours is that at the maximum.
        let step = |index: usize| 1e-6 * theirs["se"][index].as_f64().unwrap();
        case.number("intercept error", Some(ours.intercept_error), &theirs["se"][0], step(0));
        case.number("slope error", Some(ours.slope_error), &theirs["se"][1], step(1));
        case.number("log-likelihood", Some(ours.log_likelihood), &theirs["loglik_llf"], EXACT);
        case.number("deviance", Some(ours.deviance), &theirs["deviance"], EXACT);
        case.number("rate at 0.5", Some(ours.rate(0.5)), &theirs["pred_at_0.5"], EXACT);
    }
}

fn classification(case: &mut Case<'_>) {
    let (labels, predictions) = (case.outcomes("y_true"), case.outcomes("y_pred"));
    let clusters = Clusters::independent(labels.len()).unwrap();
    let ours = classify(&labels, &predictions, &clusters, &BootstrapParams::seeded(1)).unwrap();
    let result = case.results["sklearn_zero_division_nan"].clone();
    let parts = [("precision", &ours.precision), ("recall", &ours.recall), ("f1", &ours.f1)];
    for (name, ours) in parts {
        match expected(&result) {
            Expected::Value(theirs) => case.number(name, ours.value(), &theirs[name], EXACT),
            Expected::Undefined => case.measured("sklearn_zero_division_nan", ours),
        }
    }
    for key in case.results.keys() {
        // The other ways to fill in a division by zero are those that we refuse.
        assert!(key.starts_with("sklearn_"), "unknown result {key}");
    }
}

fn discordant(case: &mut Case<'_>) {
    let cell = |row: usize, column: usize| case.input["table"][row][column].as_u64().unwrap();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for _ in 0..cell(row, column) {
            first.push(row == 0);
            second.push(column == 0);
        }
    }
    let ours = mcnemar(&first, &second).unwrap();
    for key in case.results.keys() {
        let theirs = case.results[key]["value"].clone();
        let test = match key.as_str() {
            "statsmodels_exact" => &ours.exact,
            "statsmodels_chi2_cc" => &ours.chi_square,
            _ => panic!("unknown result {key}"),
        };
        match &theirs {
            Value::Object(fields) => {
                case.number("statistic", test.statistic.value(), &fields["stat"], EXACT);
                case.number("p", test.p.value(), &fields["p"], EXACT);
            }
            // Without discordant pairs: the exact p is 1, χ² divides by zero.
            _ if key == "statsmodels_exact" => case.number("p", test.p.value(), &theirs, EXACT),
            _ => case.number("p", test.p.value(), &Value::from("NaN"), EXACT),
        }
    }
}

fn family(case: &mut Case<'_>) {
    let p = case.numbers("p");
    for key in case.results.keys() {
        let ours = match key.as_str() {
            "holm" => holm(&p),
            "fdr_bh" => benjamini_hochberg(&p),
            _ => panic!("unknown result {key}"),
        };
        let theirs = case.results[key]["value"].as_array().unwrap().clone();
        for (ours, theirs) in ours.unwrap().into_iter().zip(&theirs) {
            case.number(key, Some(ours), theirs, EXACT);
        }
    }
}

fn wilson_interval(case: &mut Case<'_>) {
    let ours = wilson(case.size("count"), case.size("nobs"), 0.95).unwrap();
    case.interval("statsmodels", &ours, EXACT);
}

fn check(metric: &str, case: &mut Case<'_>) {
    match metric {
        "ece10_equal_width" => ece(case),
        "ece10_equal_width_integer_percent" => ece_percent(case),
        "rms_calibration_error_equal_mass_beta100" => rms(case),
        "brier" => {
            let results = ["sklearn_brier_score_loss", "sklearn_brier_pos_label1", "numpy_mean_sq"];
            of_forecasts(case, ("confidence", "correct"), &results, brier_score);
        }
        "auroc" => ranked(case),
        "log_loss" => of_forecasts(case, ("p", "y"), &["sklearn_log_loss"], log_loss),
        "smooth_ece" => {
            of_forecasts(case, ("confidence", "correct"), &["relplot_smECE"], smooth_calibration_error);
        }
        "welch_t" => welch(case),
        "paired_t" => paired(case),
        "two_proportion_z_pooled_two_sided" => two_proportions(case),
        "cohen_kappa" => cohen(case),
        "fleiss_kappa" => {
            let ours = fleiss_kappa(&ratings(case));
            case.measured("statsmodels_fleiss_kappa", &ours);
        }
        "krippendorff_alpha_nominal" => {
            let ours = krippendorff_alpha(&ratings(case));
            case.measured("krippendorff_alpha", &ours);
        }
        "gwet_ac1" => gwet(case),
        "bootstrap_percentile_mean_10000" => bootstrap(case),
        "weighted_logistic" => logistic(case),
        "precision_recall_f1" => classification(case),
        "mcnemar" => discordant(case),
        "multiple_testing" => family(case),
        "wilson95" => wilson_interval(case),
        _ => panic!("unknown metric {metric}"),
    }
}

#[test]
fn every_reference_value_comes_out() {
    let Some(truth) = support::json("truth/metric_truth.json") else { return };
    let cases = truth["cases"].as_array().expect("a list of cases");
    let mut faults = Vec::new();
    let mut checked = 0;
    for entry in cases {
        let metric = entry["metric"].as_str().expect("a metric");
        let name = format!("{metric}/{}", entry["case"].as_str().expect("a case"));
        let results = entry["results"].as_object().expect("results");
        let mut case = Case { input: &entry["input"], results, name, faults: Vec::new(), checked: 0 };
        check(metric, &mut case);
        assert!(case.checked > 0, "{} was not compared with anything", case.name);
        checked += case.checked;
        faults.append(&mut case.faults);
    }
    assert!(faults.is_empty(), "{} of {checked} numbers differ:\n{}", faults.len(), faults.join("\n"));
    assert!(cases.len() >= 130 && checked > 300, "{} cases, {checked} numbers", cases.len());
}

/// Every row of `temperature_scaling` in `reward_truth.json`, to 1e-12.
#[test]
fn temperature_scaling_of_the_table() {
    let Some(truth) = support::json("truth/reward_truth.json") else { return };
    let rows = truth["temperature_scaling"].as_array().unwrap();
    assert!(rows.len() >= 12);
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap();
        let (temperature, stated) = (Temperature::new(number("T")).unwrap(), [number("p")]);
        let clipped = |margin: f64| temperature.apply_clipped(&stated, margin).unwrap();
        for (key, found) in [
            ("no_clip", temperature.apply(&stated).unwrap()),
            ("clip_1e6", clipped(1e-6)),
            ("clip_1e2", clipped(1e-2)),
        ] {
            assert!((found[0] - number(key)).abs() < 1e-12, "{key} {row}: {found:?}");
        }
    }
}
