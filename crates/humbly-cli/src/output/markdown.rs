//! Summary and gates for continuous integration: Markdown and JUnit XML.

use humbly_score::{GateOutcome, SummaryRow};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Table, measured_cell};

/// The summary as Markdown.
pub(crate) fn summary_markdown(rows: &[SummaryRow]) -> String {
    let mut table = Table::new(&[
        "agent · model · data set · scenario · condition",
        "n",
        "accuracy conflict",
        "accuracy control",
        "Identify F1",
        "Solve",
        "Escalate",
        "acknowledged",
    ]);
    for row in rows {
        table.row([
            row.title(),
            row.counts.trajectories.to_string(),
            measured_cell(&row.accuracy.conflict),
            measured_cell(&row.accuracy.control),
            measured_cell(&row.identify.f1),
            measured_cell(&row.solve),
            measured_cell(&row.escalate),
            measured_cell(&row.unlabelled.acknowledged_rate),
        ]);
    }
    format!("## Humbly\n\n{}", table.markdown())
}

/// The gates as Markdown.
pub(crate) fn gates_markdown(outcomes: &[GateOutcome]) -> String {
    if outcomes.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["gate", "row", "result", "found"]);
    for outcome in outcomes {
        let result = if outcome.is_met { "met" } else { "**missed**" };
        table.row([
            format!("`{}`", outcome.gate),
            outcome.row.clone(),
            result.to_owned(),
            outcome.message.clone(),
        ]);
    }
    format!("\n### Gates\n\n{}", table.markdown())
}

/// The gates as JUnit XML, one test case a gate and row.
pub(crate) fn junit(outcomes: &[GateOutcome]) -> anyhow::Result<String> {
    let mut suite = TestSuite::new("gates");
    for outcome in outcomes {
        let mut status = TestCaseStatus::success();
        if !outcome.is_met {
            status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(outcome.message.clone());
        }
        let mut case = TestCase::new(format!("{} ({})", outcome.gate, outcome.row), status);
        case.set_classname("humbly.score");
        suite.add_test_case(case);
    }
    let mut report = Report::new("humbly");
    report.add_test_suite(suite);
    Ok(report.to_string()?)
}
