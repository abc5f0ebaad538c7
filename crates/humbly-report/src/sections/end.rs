//! The end of the page: what was redacted and left out.

use maud::{Markup, html};

use crate::number::{count, counted};
use crate::redact::Redactor;
use crate::writer::ReportSummary;

pub(crate) fn end(summary: &ReportSummary, redactor: &Redactor) -> Markup {
    let redactions = summary.redactions;
    html! {
        p #redactions {
            @if redactor.is_enabled() {
                b { (counted(redactions.total(), "place was redacted", "places were redacted")) }
                ": " (counted(redactions.keys, "key", "keys")) ", "
                (counted(redactions.mails, "mail address", "mail addresses")) ", "
                (counted(redactions.home_paths, "name in a home path", "names in home paths"))
                ". Patterns find what looks like a secret; read the page before you pass it on."
            } @else {
                b { "Nothing was redacted." } " Keys, mail addresses and home paths stand on this page as they do in the logs."
            }
        }
        p { (count(summary.with_steps as u64)) " trajectories with their steps, " (count(summary.without_steps as u64)) " only listed. The page loads nothing from anywhere." }
    }
}
