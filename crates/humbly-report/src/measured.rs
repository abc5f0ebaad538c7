//! Every measured number of a summary row, by the name that JSON and gates use.

use humbly_score::{SummaryRow, Test};
use humbly_types::Measured;

/// All measured numbers of a row with their names; bins of reliability diagrams are left to the diagrams.
pub(crate) fn measured_numbers(row: &SummaryRow) -> Vec<(String, &Measured)> {
    let mut numbers: Vec<(String, &Measured)> = [
        ("accuracy.conflict", &row.accuracy.conflict),
        ("accuracy.control", &row.accuracy.control),
        ("accuracy.all", &row.accuracy.all),
        ("identify.precision", &row.identify.precision),
        ("identify.recall", &row.identify.recall),
        ("identify.f1", &row.identify.f1),
        ("solve", &row.solve),
        ("solve_bounds.low", &row.solve_bounds.low),
        ("solve_bounds.high", &row.solve_bounds.high),
        ("solve_successful", &row.solve_successful),
        ("escalate", &row.escalate),
        ("utility.k1", &row.utility.k1),
        ("utility.k2", &row.utility.k2),
        ("utility.k4", &row.utility.k4),
        ("unlabelled.flag_rate", &row.unlabelled.flag_rate),
        ("unlabelled.follow_up_rate", &row.unlabelled.follow_up_rate),
        ("unlabelled.acknowledged_rate", &row.unlabelled.acknowledged_rate),
        ("unlabelled.escalated_rate", &row.unlabelled.escalated_rate),
        ("unlabelled.flags_per_100_turns", &row.unlabelled.flags_per_100_turns),
        ("diagnostics.acknowledged", &row.diagnostics.acknowledged),
        ("diagnostics.final_reasoning_only", &row.diagnostics.final_reasoning_only),
        ("diagnostics.self_inconsistent", &row.diagnostics.self_inconsistent),
        ("diagnostics.refusal", &row.diagnostics.refusal),
        ("diagnostics.tool_calls_conflict", &row.diagnostics.tool_calls_conflict),
        ("diagnostics.tool_calls_control", &row.diagnostics.tool_calls_control),
        ("attribution.accuracy", &row.attribution.accuracy),
        ("attribution.du_f1", &row.attribution.du_f1),
        ("attribution.mu_f1", &row.attribution.mu_f1),
        ("attribution.avg_f1", &row.attribution.avg_f1),
    ]
    .into_iter()
    .map(|(name, number)| (name.to_owned(), number))
    .collect();
    let mut tests = vec![
        ("accuracy.test", &row.accuracy.test),
        ("diagnostics.tool_calls_test", &row.diagnostics.tool_calls_test),
    ];
    if let Some(similarity) = &row.similarity {
        numbers.extend([
            ("similarity.conflict".to_owned(), &similarity.conflict),
            ("similarity.control".to_owned(), &similarity.control),
            ("similarity.all".to_owned(), &similarity.all),
        ]);
        tests.push(("similarity.test", &similarity.test));
    }
    for (name, test) in tests {
        numbers.extend(test_numbers(name, test));
    }
    for row in &row.calibration {
        for (name, number) in [
            ("accuracy", &row.accuracy),
            ("ece", &row.ece),
            ("brier", &row.brier),
            ("auroc", &row.auroc),
            ("mcip", &row.mcip),
            ("aurc", &row.aurc),
        ] {
            numbers.push((format!("calibration.{}.{name}", row.source), number));
        }
    }
    numbers
}

fn test_numbers<'a>(name: &'a str, test: &'a Test) -> impl Iterator<Item = (String, &'a Measured)> {
    [("statistic", &test.statistic), ("p", &test.p), ("p_holm", &test.p_holm)]
        .into_iter()
        .map(move |(part, number)| (format!("{name}.{part}"), number))
}
