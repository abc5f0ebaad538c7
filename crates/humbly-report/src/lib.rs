//! The one-file HTML report: plots, tables and every trajectory with the quotes that decided.
//!
//! A page is written as a stream: [`ReportWriter::new`] writes the summary, each call of
//! [`ReportWriter::trajectory`] one section, [`ReportWriter::finish`] the end. Everything that comes from a
//! log is escaped and, by default, redacted; the page loads nothing and runs one script, pinned by its hash.

mod cell;
mod error;
mod excerpt;
mod group;
mod measured;
mod number;
mod options;
mod page;
mod paper_page;
pub mod plots;
mod redact;
mod sections;
mod selection;
pub mod tables;
mod tables_page;
mod trajectory;
mod writer;

pub use error::{ReportError, Result};
pub use options::ReportOptions;
pub use paper_page::write_paper_page;
pub use redact::{Redactions, Redactor};
pub use tables_page::{PageFigure, PageTable, write_tables_page};
pub use writer::{ReportSummary, ReportWriter};
