//! What a reader of the page gets to see, and how much of it.

/// Options of a report.
///
/// # Examples
/// ```
/// let options = humbly_report::ReportOptions { max_trajectories: 20, ..Default::default() };
/// assert!(options.redact);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportOptions {
    /// Title of the page.
    pub title: String,
    /// Whether keys, mail addresses and home paths are replaced.
    pub redact: bool,
    /// Trajectories whose steps are shown; the page says how many were left out.
    pub max_trajectories: usize,
    /// Rows of the list of trajectories and of the list of problems.
    pub max_rows: usize,
    /// Steps shown of one trajectory; steps with a deciding quote are always shown.
    pub max_steps: usize,
    /// Characters shown of one text; deciding quotes are always shown.
    pub max_text: usize,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            title: "Humbly report".to_owned(),
            redact: true,
            max_trajectories: 200,
            max_rows: 5_000,
            max_steps: 400,
            max_text: 4_000,
        }
    }
}
