//! `humbly score --report`: a second look at the logs, for the steps of the trajectories shown.

use std::fs::File;
use std::io::BufWriter;

use anyhow::Context;
use humbly_pipeline::{Observer, Request, Tasks, TrajectoryJudge, visit_logs};
use humbly_report::{ReportOptions, ReportWriter};
use humbly_score::{ScoreReport, TrajectoryRow};
use humbly_types::{Judgement, Problem, Trajectory};

use super::score::create;
use crate::args::ScoreArguments;
use crate::output;

/// Writes the page and says what was redacted.
pub(super) fn write(
    arguments: &ScoreArguments,
    report: &ScoreReport,
    request: &Request,
    tasks: Option<&Tasks>,
    judge: &dyn TrajectoryJudge,
) -> anyhow::Result<()> {
    let Some(path) = &arguments.report else { return Ok(()) };
    let options = ReportOptions { redact: !arguments.no_redact, ..ReportOptions::default() };
    let out = BufWriter::new(create(path)?);
    let writer = ReportWriter::new(out, report, &options).context("cannot write the report")?;
    let mut steps = Steps { writer, fault: None };
    visit_logs(request, tasks, judge, &report.settings, &mut steps);
    if let Some(fault) = steps.fault {
        return Err(fault).context("cannot write the report");
    }
    let summary = steps.writer.finish().context("cannot write the report")?;
    output::note(&format!(
        "report: {} ({} of {} trajectories with their steps, {} places redacted)",
        path.display(),
        summary.with_steps,
        summary.with_steps + summary.without_steps,
        summary.redactions.total(),
    ));
    Ok(())
}

struct Steps {
    writer: ReportWriter<BufWriter<File>>,
    fault: Option<humbly_report::ReportError>,
}

impl Observer for Steps {
    fn wants_steps(&self) -> bool {
        true
    }

    fn scored(&mut self, trajectory: Option<&Trajectory>, row: &TrajectoryRow, judgement: &Judgement) {
        if let Some(trajectory) = trajectory
            && self.fault.is_none()
            && self.writer.wants(&row.id)
            && let Err(fault) = self.writer.trajectory(trajectory, row, &judgement.turns)
        {
            self.fault = Some(fault);
        }
    }

    fn problem(&mut self, _problem: &Problem) {}
}
