//! The sections of the summary, in the order of the page.

mod accuracy;
mod calibration;
mod chain;
mod end;
mod exclusions;
mod ise;
mod mentions;
mod overview;
mod problems;
mod trajectories;
mod undefined;
mod unlabelled;

use std::collections::HashSet;
use std::io::Write;

use humbly_score::{ScoreReport, TrajectoryRow};
use humbly_types::Verdict;
use maud::{Markup, html};

pub(crate) use end::end;
pub(crate) use overview::{fact, short};
pub(crate) use trajectories::{broke_at, split};

use crate::error::Result;
use crate::group::{Group, groups};
use crate::number::count;
use crate::options::ReportOptions;
use crate::page;
use crate::redact::Redactor;

/// Plots show so many groups; tables show all.
const MOST_PLOTTED: usize = 40;

/// One verdict of a row.
pub(crate) type VerdictOf = fn(&TrajectoryRow) -> &Verdict;

/// What every section needs.
pub(crate) struct Context<'a> {
    pub report: &'a ScoreReport,
    pub options: &'a ReportOptions,
    pub redactor: &'a Redactor,
    pub groups: Vec<Group>,
    /// Rows that get a section.
    pub with_steps: HashSet<usize>,
    /// Whether any trajectory has a conflict or control task.
    pub is_labelled: bool,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        report: &'a ScoreReport,
        options: &'a ReportOptions,
        redactor: &'a Redactor,
        with_steps: &[usize],
    ) -> Self {
        Self {
            report,
            options,
            redactor,
            groups: groups(&report.summary, redactor),
            with_steps: with_steps.iter().copied().collect(),
            is_labelled: report.summary.iter().any(|row| row.counts.conflict + row.counts.control > 0),
        }
    }

    /// The name of a group, by its place in the summary.
    pub(crate) fn group(&self, index: usize) -> (&str, &str) {
        self.groups.get(index).map_or(("?", "?"), |group| (&group.key, &group.label))
    }

    /// The cell that names a group in a table.
    pub(crate) fn group_cell(&self, index: usize) -> Markup {
        let (key, label) = self.group(index);
        html! { th.group scope="row" { span.key { (key) } " " bdi { (label) } } }
    }
}

/// Writes the page up to the trajectories' steps.
pub(crate) fn write(out: &mut impl Write, context: &Context<'_>) -> Result<()> {
    let mut parts: Vec<(&str, &str, Markup)> = vec![("overview", "Overview", overview::section(context))];
    let unlabelled = ("unlabelled", "No labels", unlabelled::section(context));
    let labelled =
        [("ise", "ISE", ise::section(context)), ("accuracy", "Accuracy", accuracy::section(context))];
    parts.push(("chain", "Chain", chain::section(context)));
    if context.is_labelled {
        parts.extend(labelled);
        parts.push(unlabelled);
    } else {
        parts.push(unlabelled);
        parts.extend(labelled);
    }
    parts.push(("calibration", "Calibration", calibration::section(context)));
    parts.push(("mentions", "Mentions", mentions::section(context)));
    parts.push(("undefined", "Undefined", undefined::section(context)));
    parts.push(("exclusions", "Exclusions", exclusions::section(context)));
    parts.push(("problems", "Problems", problems::section(context)));
    let mut links: Vec<(&str, &str)> = parts.iter().map(|(anchor, name, _)| (*anchor, *name)).collect();
    links.push(("trajectories", "Trajectories"));
    out.write_all(page::opening(&context.redactor.text(&context.options.title), &links).as_bytes())?;
    for (anchor, _, body) in parts {
        let section = html! { section id=(anchor) { (body) } };
        out.write_all(section.into_string().as_bytes())?;
    }
    trajectories::write(out, context)
}

/// Says that the plots end before the groups do.
pub(crate) fn more_groups(context: &Context<'_>) -> Markup {
    let groups = context.groups.len();
    html! {
        @if groups > MOST_PLOTTED {
            p.left-out { "The first " (MOST_PLOTTED) " of " (count(groups as u64)) " groups; the tables have all." }
        }
    }
}

/// A box that scrolls sideways by itself, so that the page does not.
pub(crate) fn scrolling(table: &Markup) -> Markup {
    html! { div.scroll role="region" aria-label="Table, scrolls sideways" tabindex="0" { (table) } }
}

/// A row without anything in it.
#[cfg(test)]
pub(crate) fn test_row(id: &str, judge: &std::sync::Arc<str>) -> TrajectoryRow {
    let no = || Verdict::no(judge);
    TrajectoryRow {
        id: id.to_owned(),
        path: "a.jsonl".into(),
        hash: None,
        format: "humbly".into(),
        agent: None,
        model: None,
        dataset: None,
        scenario: None,
        condition: None,
        task: None,
        split: None,
        pair: None,
        excluded: None,
        turns: 0,
        intermediate_turns: 0,
        flagged_turns: 0,
        tool_calls: 0,
        tool_results: 0,
        tool_errors: 0,
        tool_errors_unknown: 0,
        duplicate_calls: 0,
        duplicate_effective_calls: 0,
        unanswered_calls: 0,
        sub_agent_calls: 0,
        truncated: "unknown".into(),
        stop: "unknown".into(),
        final_answer: None,
        correct: no(),
        similarity: None,
        identify: no(),
        solve: no(),
        solve_successful: no(),
        escalate: no(),
        acknowledged: no(),
        final_reasoning: no(),
        refusal: no(),
        answer_source: humbly_score::SourceRow { value: None, undefined: None },
        broke_at: None,
        mentions: humbly_score::Mentions::default(),
        confidence: humbly_score::ConfidenceRow { value: None, source: None, undefined: None },
        confidence_path: None,
        attribution: humbly_score::AttributionRow { form: None, undefined: None },
    }
}
