//! The summary for people: the papers' tables first, then where the chain broke and what was left out.

use humbly_pipeline::RunCounts;
use humbly_score::{CorrectnessBy, Settings, SummaryRow, Test};
use humbly_types::Measured;
use indexmap::IndexMap;

use super::{NOTE_MARK, Table, measured_cell, stdout};

/// Prints the summary of a run.
pub(crate) fn print_summary(
    rows: &[SummaryRow],
    settings: &Settings,
    counts: RunCounts,
) -> anyhow::Result<()> {
    let mut text = head(settings, counts);
    let labelled: Vec<&SummaryRow> =
        rows.iter().filter(|row| row.counts.conflict + row.counts.control > 0).collect();
    if !labelled.is_empty() {
        text.push_str(&format!("\nIdentify, Solve, Escalate\n{}", ise_table(&labelled)));
        text.push_str(&format!("\nAccuracy and utility\n{}", accuracy_table(&labelled)));
    }
    if rows.iter().any(|row| row.similarity.is_some()) {
        text.push_str(&format!("\nSimilarity with the reference (MoNaCo)\n{}", similarity_table(rows)));
    }
    if rows.iter().any(|row| row.counts.unlabelled > 0) || labelled.is_empty() {
        text.push_str(&format!("\nIdentify, Solve, Escalate without labels\n{}", unlabelled_table(rows)));
    }
    text.push_str(&format!("\nWhere the chain broke\n{}", chain_table(rows)));
    if rows.iter().any(|row| !row.calibration.is_empty()) {
        text.push_str(&format!("\nCalibration of stated confidences\n{}", calibration_table(rows)));
    }
    if rows.iter().any(|row| !row.attribution.forms.is_empty()) {
        text.push_str(&format!("\nAttribution of uncertainty\n{}", attribution_table(rows)));
    }
    if text.contains(NOTE_MARK) {
        text.push_str(&format!(
            "\n{NOTE_MARK} has a note (degenerate interval, constant confidence, …): see `--output json`\n"
        ));
    }
    text.push_str(&left_out(rows));
    stdout(text.as_bytes())
}

fn head(settings: &Settings, counts: RunCounts) -> String {
    let copies = match counts.copies {
        0 => String::new(),
        copies => format!(", {copies} of them copies"),
    };
    let correctness = match settings.correctness {
        CorrectnessBy::Rules => "",
        CorrectnessBy::Eh => " (correctness: eh)",
        CorrectnessBy::Ua => " (correctness: ua)",
    };
    format!(
        "{} trajectories from {} file{}{copies} · judge {}{correctness} · {} % intervals: {}, bootstrap {} × seed {}\n",
        counts.trajectories,
        counts.files,
        if counts.files == 1 { "" } else { "s" },
        settings.judge,
        settings.level * 100.0,
        if settings.paper { "percentile bootstrap" } else { "Wilson for proportions" },
        settings.resamples,
        settings.seed,
    )
}

fn ise_table(rows: &[&SummaryRow]) -> Table {
    let mut table = Table::new(&[
        "agent · model · data set · scenario · condition",
        "n conflict/control",
        "Identify F1",
        "precision",
        "recall",
        "Solve",
        "Escalate",
    ]);
    for row in rows {
        table.row([
            row.title(),
            format!("{}/{}", row.counts.conflict, row.counts.control),
            measured_cell(&row.identify.f1),
            measured_cell(&row.identify.precision),
            measured_cell(&row.identify.recall),
            solve_cell(row),
            measured_cell(&row.escalate),
        ]);
    }
    table
}

/// Solve, with its bounds where the truncation of some logs is unknown.
fn solve_cell(row: &SummaryRow) -> String {
    let cell = measured_cell(&row.solve);
    match (row.solve_bounds.unknown, row.solve_bounds.low.value(), row.solve_bounds.high.value()) {
        (unknown, Some(low), Some(high)) if unknown > 0 && low < high => {
            format!("{cell}\n{low:.2}–{high:.2} if {unknown} were cut")
        }
        _ => cell,
    }
}

fn accuracy_table(rows: &[&SummaryRow]) -> Table {
    let mut table = Table::new(&[
        "agent · model · data set · scenario · condition",
        "accuracy conflict",
        "accuracy control",
        "test",
        "utility k=1",
        "k=2",
        "k=4",
    ]);
    for row in rows {
        table.row([
            row.title(),
            measured_cell(&row.accuracy.conflict),
            measured_cell(&row.accuracy.control),
            test_cell(&row.accuracy.test),
            measured_cell(&row.utility.k1),
            measured_cell(&row.utility.k2),
            measured_cell(&row.utility.k4),
        ]);
    }
    table
}

fn similarity_table(rows: &[SummaryRow]) -> Table {
    let mut table = Table::new(&[
        "agent · model · data set · scenario · condition",
        "conflict",
        "control",
        "all",
        "test",
    ]);
    for row in rows {
        if let Some(similarity) = &row.similarity {
            table.row([
                row.title(),
                measured_cell(&similarity.conflict),
                measured_cell(&similarity.control),
                measured_cell(&similarity.all),
                test_cell(&similarity.test),
            ]);
        }
    }
    table
}

fn test_cell(test: &Test) -> String {
    match (test.p.value(), test.p_holm.value()) {
        (Some(p), Some(holm)) => format!("{}\np {}\nHolm {}", test.name, p_value(p), p_value(holm)),
        (Some(p), None) => format!("{}\np {}", test.name, p_value(p)),
        (None, _) => format!("{}\n{}", test.name, measured_cell(&test.p)),
    }
}

/// A p that rounds to nothing is small, not 0.
fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

fn unlabelled_table(rows: &[SummaryRow]) -> Table {
    let mut table = Table::new(&[
        "agent · model · data set · scenario · condition",
        "n",
        "Identify: flagged",
        "Solve: followed up",
        "Escalate: in the answer",
        "acknowledged anywhere",
        "flags per 100 turns",
    ]);
    for row in rows {
        table.row([
            row.title(),
            row.counts.trajectories.to_string(),
            measured_cell(&row.unlabelled.flag_rate),
            measured_cell(&row.unlabelled.follow_up_rate),
            measured_cell(&row.unlabelled.escalated_rate),
            measured_cell(&row.unlabelled.acknowledged_rate),
            measured_cell(&row.unlabelled.flags_per_100_turns),
        ]);
    }
    table
}

fn chain_table(rows: &[SummaryRow]) -> Table {
    let stages =
        ["not_identified", "identified_no_follow_up", "followed_up_not_escalated", "escalated", "undefined"];
    let mut table = Table::new(&[
        "agent · model · data set · scenario · condition",
        "not identified",
        "identified, no follow-up",
        "followed up, not escalated",
        "escalated",
        "undefined",
    ]);
    for row in rows {
        let count = |stage: &str| row.diagnostics.broke_at.get(stage).copied().unwrap_or(0).to_string();
        table.row(std::iter::once(row.title()).chain(stages.iter().map(|stage| count(stage))));
    }
    table
}

fn calibration_table(rows: &[SummaryRow]) -> Table {
    let mut table = Table::new(&[
        "agent · model · data set · scenario · condition",
        "source",
        "accuracy",
        "ECE",
        "Brier",
        "AUROC",
        "MCIP",
        "AURC",
    ]);
    for row in rows {
        for source in &row.calibration {
            table.row([
                row.title(),
                source.source.clone(),
                measured_cell(&source.accuracy),
                measured_cell(&source.ece),
                measured_cell(&source.brier),
                measured_cell(&source.auroc),
                measured_cell(&source.mcip),
                measured_cell(&source.aurc),
            ]);
        }
    }
    table
}

fn attribution_table(rows: &[SummaryRow]) -> Table {
    let mut table = Table::new(&[
        "agent · model · data set · scenario · condition",
        "estimator",
        "accuracy",
        "DU-F1",
        "MU-F1",
        "AVG-F1",
    ]);
    for row in rows.iter().filter(|row| !row.attribution.forms.is_empty()) {
        table.row([
            row.title(),
            row.attribution.estimator.clone(),
            measured_cell(&row.attribution.accuracy),
            measured_cell(&row.attribution.du_f1),
            measured_cell(&row.attribution.mu_f1),
            measured_cell(&row.attribution.avg_f1),
        ]);
    }
    table
}

/// Exclusions and gaps, by reason.
fn left_out(rows: &[SummaryRow]) -> String {
    let mut reasons: IndexMap<&str, u64> = IndexMap::new();
    for row in rows {
        for (reason, count) in &row.counts.reasons {
            *reasons.entry(reason).or_default() += count;
        }
    }
    if reasons.is_empty() {
        return String::new();
    }
    let text: Vec<String> = reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    format!("\nLeft out or without a verdict: {}\n", text.join(", "))
}

/// One line a number, for CSV: group, metric, value, n, interval, reason.
pub(crate) fn long_rows(rows: &[SummaryRow]) -> Table {
    let mut table = Table::new(&[
        "agent",
        "model",
        "dataset",
        "condition",
        "judge",
        "metric",
        "value",
        "n",
        "numerator",
        "low",
        "high",
        "undefined",
    ]);
    for row in rows {
        for (metric, measured) in numbers(row) {
            let text = |part: &Option<String>| part.clone().unwrap_or_default();
            let float = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            table.row([
                text(&row.agent),
                text(&row.model),
                text(&row.dataset),
                text(&row.condition),
                row.judge.clone(),
                metric,
                float(measured.value()),
                measured.n.to_string(),
                measured.numerator.map(|numerator| numerator.to_string()).unwrap_or_default(),
                float(measured.interval.as_ref().map(|interval| interval.low)),
                float(measured.interval.as_ref().map(|interval| interval.high)),
                measured.undefined_because().map(|why| why.reason.code().to_owned()).unwrap_or_default(),
            ]);
        }
    }
    table
}

fn numbers(row: &SummaryRow) -> Vec<(String, &Measured)> {
    let mut numbers = vec![
        ("accuracy.conflict".to_owned(), &row.accuracy.conflict),
        ("accuracy.control".to_owned(), &row.accuracy.control),
        ("accuracy".to_owned(), &row.accuracy.all),
        ("accuracy.test.p".to_owned(), &row.accuracy.test.p),
        ("identify.precision".to_owned(), &row.identify.precision),
        ("identify.recall".to_owned(), &row.identify.recall),
        ("identify.f1".to_owned(), &row.identify.f1),
        ("solve".to_owned(), &row.solve),
        ("solve_bounds.low".to_owned(), &row.solve_bounds.low),
        ("solve_bounds.high".to_owned(), &row.solve_bounds.high),
        ("solve_successful".to_owned(), &row.solve_successful),
        ("escalate".to_owned(), &row.escalate),
        ("utility.k1".to_owned(), &row.utility.k1),
        ("utility.k2".to_owned(), &row.utility.k2),
        ("utility.k4".to_owned(), &row.utility.k4),
        ("flag_rate".to_owned(), &row.unlabelled.flag_rate),
        ("follow_up_rate".to_owned(), &row.unlabelled.follow_up_rate),
        ("acknowledged_rate".to_owned(), &row.unlabelled.acknowledged_rate),
        ("escalated_rate".to_owned(), &row.unlabelled.escalated_rate),
        ("flags_per_100_turns".to_owned(), &row.unlabelled.flags_per_100_turns),
        ("du_f1".to_owned(), &row.attribution.du_f1),
        ("mu_f1".to_owned(), &row.attribution.mu_f1),
        ("avg_f1".to_owned(), &row.attribution.avg_f1),
    ];
    if let Some(similarity) = &row.similarity {
        numbers.extend([
            ("similarity.conflict".to_owned(), &similarity.conflict),
            ("similarity.control".to_owned(), &similarity.control),
            ("similarity".to_owned(), &similarity.all),
            ("similarity.test.p".to_owned(), &similarity.test.p),
        ]);
    }
    for source in &row.calibration {
        for (name, measured) in [
            ("ece", &source.ece),
            ("brier", &source.brier),
            ("auroc", &source.auroc),
            ("mcip", &source.mcip),
            ("aurc", &source.aurc),
        ] {
            numbers.push((format!("{name}[{}]", source.source), measured));
        }
    }
    numbers
}
