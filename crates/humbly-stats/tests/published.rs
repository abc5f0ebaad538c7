//! Published numbers come out again from the data they rest on.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

mod support;

use std::collections::BTreeMap;

use humbly_stats::calibration::{Binning, EdgeRule, brier_score, expected_calibration_error};
use humbly_stats::discrimination::auroc;
use humbly_stats::hypothesis::{Counts, two_proportion_z};
use humbly_stats::intervals::{BootstrapParams, Clusters, bootstrap_mean, wilson_proportion};
use serde_json::Value;

/// Confidence and correctness of one method, in the order of the file.
type Columns = (Vec<f64>, Vec<bool>);

fn columns_by_method(csv: &str) -> BTreeMap<String, Columns> {
    let mut methods: BTreeMap<String, Columns> = BTreeMap::new();
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().starts_with("row,id,method,correct,confidence,"));
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let columns = methods.entry(fields[2].to_owned()).or_default();
        columns.0.push(fields[4].parse().unwrap());
        columns.1.push(fields[3] == "1");
    }
    methods
}

#[test]
fn rlcr_metrics_come_out_of_its_outputs() {
    let mut cells = 0;
    for dataset in ["math-500", "commonsenseqa", "gpqa"] {
        let csv = support::shared(&format!("data/rlcr-outputs/derived/{dataset}.confidence_correct.csv"));
        let metrics =
            support::json(&format!("data/rlcr-outputs/metrics/Hotpot-models/{dataset}/metrics.json"));
        let (Some(csv), Some(metrics)) = (csv, metrics) else { return };
        let binning = Binning::new(10, EdgeRule::LeftClosed).unwrap();
        for (method, (confidences, outcomes)) in columns_by_method(&csv) {
            let right = outcomes.iter().filter(|&&outcome| outcome).count();
            let ours = [
                ("accuracy", wilson_proportion(right, outcomes.len(), 0.95)),
                ("brier_score", brier_score(&confidences, &outcomes)),
                ("ece", expected_calibration_error(&confidences, &outcomes, &binning)),
                ("auroc", auroc(&confidences, &outcomes)),
            ];
            for (name, ours) in ours {
                let theirs = metrics[&method][name].as_f64().unwrap();
                let ours = ours.unwrap().value().unwrap();
                assert!(
                    (ours - theirs).abs() < 1e-9,
                    "{dataset} {method} {name}: {ours}, published {theirs}"
                );
            }
            cells += 1;
        }
    }
    assert_eq!(cells, 15);
}

/// Tables 1, 3 and 4 of the EH paper.
struct Paper(Value);

/// One printed cell of Table 1 and the successes behind it.
struct Cell {
    accuracy: f64,
    half_width: f64,
    significant: Option<bool>,
    counts: (usize, usize),
}

const AGENTS: [&str; 5] = [
    "Nemotron-Orch-8B",
    "Claude Code (Sonnet 4.6)",
    "OpenHands (GPT-5)",
    "Qwen-Agent (Qwen3.5-9B)",
    "Qwen-Agent (Qwen3.5-27B)",
];

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rounded count")]
fn successes(accuracy: f64, n: usize) -> usize {
    (accuracy / 100.0 * n as f64).round() as usize
}

impl Paper {
    fn cell(&self, agent: &str, dataset: &str, split: &str, n: usize) -> Cell {
        let rows = self.0["table_1_accuracy"].as_array().unwrap();
        let row = rows
            .iter()
            .find(|row| row["agent"] == agent && row["dataset"] == dataset && row["split"] == split)
            .expect("a cell of Table 1");
        let accuracy = row["accuracy_pct"].as_f64().unwrap();
        Cell {
            accuracy,
            half_width: row["half_width_pct"].as_f64().unwrap(),
            significant: row["significant_vs_control"].as_bool(),
            counts: (successes(accuracy, n), n),
        }
    }

    /// Conflict and control questions of an agent on a data set of naturally occurring conflict.
    fn sizes(&self, agent: &str, dataset: &str) -> (usize, usize) {
        let rows = self.0["table_4_natural_counts"].as_array().unwrap();
        let row = rows.iter().find(|row| row["agent"] == agent && row["dataset"] == dataset).unwrap();
        let count = |key: &str| usize::try_from(row[key].as_u64().unwrap()).unwrap();
        (count("conflict_total"), count("control_agrees_gt") + count("control_no_belief"))
    }
}

impl Cell {
    /// The printed accuracy and half-width, from the successes alone.
    fn check(&self, name: &str) {
        let (successes, n) = self.counts;
        let accuracy = 100.0 * successes as f64 / n as f64;
        assert!((accuracy - self.accuracy).abs() <= 0.0501, "{name}: {accuracy}, printed {}", self.accuracy);
        let scores: Vec<f64> = (0..n).map(|row| f64::from(u8::from(row < successes))).collect();
        let clusters = Clusters::independent(n).unwrap();
        // An end of the interval may lie where its neighbours are about equally likely (65 of 116: the lower end is 54
        // or 55 by the seed). The printed value must then be one of them, and no seed further off than one answer at each end.
        let half_width = |seed| {
            let resampled = bootstrap_mean(&scores, &clusters, &BootstrapParams::seeded(seed)).unwrap();
            let interval = resampled.interval.unwrap();
            50.0 * (interval.high - interval.low)
        };
        let gaps: Vec<f64> = (0..20).map(|seed| (half_width(seed) - self.half_width).abs()).collect();
        let same = gaps.iter().filter(|&&gap| gap <= 0.0501).count();
        assert!(same >= 5, "{name}: {same} of 20 seeds print {}", self.half_width);
        assert!(gaps.iter().all(|&gap| gap <= 100.0 / n as f64 + 0.0501), "{name}: {gaps:?}");
    }

    fn check_mark(&self, control: &Self, name: &str) {
        let counts = |cell: &Self| Counts::new(cell.counts.0, cell.counts.1).unwrap();
        let test = two_proportion_z(counts(self), counts(control)).unwrap();
        assert_eq!(test.is_significant(0.05), self.significant, "{name}: {test:?}");
    }
}

fn paper() -> Option<Paper> {
    support::json("truth/paper_accurate_but_not_humble.json").map(Paper)
}

#[test]
fn half_widths_and_marks_of_gaia_come_out_again() {
    let Some(paper) = paper() else { return };
    for agent in AGENTS {
        let (conflict, control) = paper.sizes(agent, "GAIA");
        let (conflict, control) =
            (paper.cell(agent, "GAIA", "conflict", conflict), paper.cell(agent, "GAIA", "control", control));
        conflict.check(&format!("{agent} conflict"));
        control.check(&format!("{agent} control"));
        conflict.check_mark(&control, agent);
    }
}

#[test]
fn half_widths_and_marks_of_browsecomp_come_out_again() {
    let Some(paper) = paper() else { return };
    let mut cells = 0;
    for agent in AGENTS {
        let (n, _) = paper.sizes(agent, "BrowseComp");
        if !(43..=116).contains(&n) {
            continue;
        }
        let conflict = paper.cell(agent, "BrowseComp", "conflict", n);
        conflict.check(agent);
        // The control cells were run on samples whose size is not printed: their half-width says how large.
        let printed = paper.cell(agent, "BrowseComp", "control", 1);
        let rate = printed.accuracy / 100.0;
        let size = rate * (1.0 - rate) * (196.0 / printed.half_width).powi(2);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rounded count")]
        let control = paper.cell(agent, "BrowseComp", "control", size.round() as usize);
        conflict.check_mark(&control, agent);
        cells += 1;
    }
    assert_eq!(cells, 4);
}

#[test]
fn half_widths_and_mark_of_openhands_on_controlled_conflict_come_out_again() {
    let Some(paper) = paper() else { return };
    let agent = "OpenHands (GPT-5)";
    let conflict = paper.cell(agent, "TMD", "conflict", 125);
    let control = paper.cell(agent, "TMD", "control", 125);
    conflict.check("conflict");
    control.check("control");
    conflict.check_mark(&control, agent);
}
