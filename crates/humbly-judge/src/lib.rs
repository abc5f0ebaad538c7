//! Rubrics to verdicts: the lexical judge and its agreement with people.
//!
//! The lexical judge reads sentences: who claims what, what is set against it, what was looked for and
//! not found. It needs no model and no network; every yes names the span that decided, and the text
//! without that span is no yes. What the rules cannot decide is undefined with a reason, never "no".

mod answer_source;
mod error;
mod knowledge;
mod language;
mod lexical;
mod rules_hash;
mod trajectory;
mod validate;

pub use error::{JudgeError, Result};
pub use knowledge::Knowledge;
pub use lexical::LexicalJudge;
pub use validate::{
    Disagreement, LabelledRow, ValidateReport, VerdictKind, agreement_of_verdicts, agreement_report,
    agreement_report_with, read_rows,
};
