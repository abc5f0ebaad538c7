//! Writes the page: summary first, then one section a trajectory, then the count of redactions.

use std::collections::HashMap;
use std::io::Write;

use humbly_score::{ScoreReport, TrajectoryRow};
use humbly_types::{Trajectory, TurnVerdict};

use crate::error::{ReportError, Result};
use crate::options::ReportOptions;
use crate::page;
use crate::redact::{Redactions, Redactor};
use crate::sections::{self, Context};
use crate::selection::selected;
use crate::trajectory;

/// Writes one page; memory holds the score report and one trajectory at a time.
///
/// Only the trajectories that [`wants`](Self::wants) names get a section: the caller need not read the
/// others again.
///
/// # Examples
/// ```
/// # use humbly_report::{ReportOptions, ReportWriter};
/// # fn page(report: &humbly_score::ScoreReport) -> humbly_report::Result<()> {
/// let mut page = Vec::new();
/// let writer = ReportWriter::new(&mut page, report, &ReportOptions::default())?;
/// let summary = writer.finish()?;
/// assert_eq!(summary.with_steps, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ReportWriter<W: Write> {
    out: W,
    options: ReportOptions,
    redactor: Redactor,
    /// Rows that get a section, by id; the value is the row's number.
    wanted: HashMap<String, Wanted>,
    /// Ids of all rows.
    known: std::collections::HashSet<String>,
    trajectories: usize,
    with_steps: usize,
}

#[derive(Debug)]
struct Wanted {
    number: usize,
    is_written: bool,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportSummary {
    /// Places that were redacted.
    pub redactions: Redactions,
    /// Trajectories whose steps are on the page.
    pub with_steps: usize,
    /// Trajectories that are only listed.
    pub without_steps: usize,
}

impl<W: Write> ReportWriter<W> {
    /// Opens the page and writes everything but the trajectories' steps.
    ///
    /// # Errors
    /// [`ReportError::Write`].
    pub fn new(mut out: W, report: &ScoreReport, options: &ReportOptions) -> Result<Self> {
        let redactor = Redactor::new(options.redact);
        let mut wanted = HashMap::new();
        let mut chosen = selected(&report.trajectories, options.max_trajectories);
        // Ids are unique; should one stand twice, the first has the section and the others no link.
        chosen.retain(|&number| {
            let Some(row) = report.trajectories.get(number) else { return false };
            let is_first = !wanted.contains_key(&row.id);
            if is_first {
                wanted.insert(row.id.clone(), Wanted { number, is_written: false });
            }
            is_first
        });
        let context = Context::new(report, options, &redactor, &chosen);
        sections::write(&mut out, &context)?;
        Ok(Self {
            out,
            options: options.clone(),
            wanted,
            known: report.trajectories.iter().map(|row| row.id.clone()).collect(),
            trajectories: report.trajectories.len(),
            with_steps: 0,
            redactor,
        })
    }

    /// Whether the steps of this trajectory will be shown.
    pub fn wants(&self, id: &str) -> bool {
        self.wanted.get(id).is_some_and(|wanted| !wanted.is_written)
    }

    /// Writes the section of one trajectory; one that is not wanted is passed over.
    ///
    /// # Errors
    /// [`ReportError::Write`]; [`ReportError::UnknownTrajectory`] where the score report has no such row.
    pub fn trajectory(
        &mut self,
        trajectory: &Trajectory,
        row: &TrajectoryRow,
        turns: &[TurnVerdict],
    ) -> Result<()> {
        let Some(wanted) = self.wanted.get_mut(&row.id) else {
            return if self.known.contains(&row.id) {
                Ok(())
            } else {
                Err(ReportError::UnknownTrajectory { id: row.id.clone() })
            };
        };
        if wanted.is_written {
            return Ok(());
        }
        wanted.is_written = true;
        let section =
            trajectory::section(wanted.number, trajectory, row, turns, &self.options, &self.redactor);
        self.out.write_all(section.into_string().as_bytes())?;
        self.with_steps += 1;
        Ok(())
    }

    /// Ends the page: says what was left out and how many places were redacted.
    ///
    /// # Errors
    /// [`ReportError::Write`].
    pub fn finish(mut self) -> Result<ReportSummary> {
        let mut missing: Vec<usize> =
            self.wanted.values().filter(|wanted| !wanted.is_written).map(|wanted| wanted.number).collect();
        missing.sort_unstable();
        let summary = ReportSummary {
            redactions: self.redactor.counts(),
            with_steps: self.with_steps,
            without_steps: self.trajectories - self.with_steps.min(self.trajectories),
        };
        self.out.write_all(trajectory::missing(&missing).into_string().as_bytes())?;
        let end = sections::end(&summary, &self.redactor);
        self.out.write_all(page::closing(&end).as_bytes())?;
        self.out.flush()?;
        Ok(summary)
    }
}
