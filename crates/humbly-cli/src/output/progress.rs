//! A line of progress on standard error, where somebody looks at it.

use humbly_store::Totals;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Progress over a known number of steps; silent where standard error is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(what: &str, length: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length as u64), ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {per_sec} left {eta} {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        Self { bar }
    }

    pub(crate) fn length(&mut self, length: usize) {
        self.bar.set_length(length as u64);
    }

    pub(crate) fn set(&mut self, position: usize, message: &str) {
        self.bar.set_message(message.to_owned());
        self.bar.set_position(position as u64);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Totals of a run in one line; what is unknown is said so.
pub(crate) fn totals_line(totals: &Totals) -> String {
    let mut parts = vec![format!("{} of {} samples done", totals.done, totals.planned)];
    for (code, count) in &totals.failed {
        parts.push(format!("{count} failed ({code})"));
    }
    if totals.waiting() > 0 {
        parts.push(format!("{} still to be run", totals.waiting()));
    }
    if let (Some(input), Some(output)) = (totals.usage.input, totals.usage.output) {
        parts.push(format!("{input} + {output} tokens"));
    }
    let has_begun = totals.planned > totals.waiting();
    match totals.cost_usd {
        Some(0.0) if totals.without_cost == 0 => parts.push("no cost".to_owned()),
        Some(cost) if totals.without_cost == 0 => parts.push(format!("{cost:.4} USD")),
        Some(cost) => {
            parts.push(format!("{cost:.4} USD and {} samples of unknown cost", totals.without_cost));
        }
        None if has_begun => parts.push("cost unknown".to_owned()),
        None => {}
    }
    parts.join(", ")
}
