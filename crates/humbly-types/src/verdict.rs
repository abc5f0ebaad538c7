//! The answer of a judge to one question about one text.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Location, Reason, Undefined};

/// Yes, no, or undefined with a reason; with the span that decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// `null` when undefined.
    pub value: Option<bool>,
    /// The assistant turn that decided.
    pub turn: Option<u32>,
    /// The span that decided.
    pub quote: Option<String>,
    /// The rule or rubric that decided.
    pub rule: Option<String>,
    /// File of the turn.
    pub file: Option<Arc<str>>,
    /// Line (or index) of the turn in that file.
    pub line: Option<u64>,
    /// Name and version of the judge.
    pub judge: Arc<str>,
    /// Why there is no verdict.
    pub undefined: Option<Undefined>,
}

impl Verdict {
    /// Yes, decided by `rule` on `quote`.
    pub fn yes(judge: &Arc<str>, rule: impl Into<String>, quote: impl Into<String>) -> Self {
        Self { value: Some(true), quote: Some(quote.into()), rule: Some(rule.into()), ..Self::no(judge) }
    }

    /// No.
    pub fn no(judge: &Arc<str>) -> Self {
        Self {
            value: Some(false),
            turn: None,
            quote: None,
            rule: None,
            file: None,
            line: None,
            judge: Arc::clone(judge),
            undefined: None,
        }
    }

    /// Neither, with the reason.
    pub fn undefined(judge: &Arc<str>, reason: Reason) -> Self {
        Self { value: None, undefined: Some(Undefined::new(reason)), ..Self::no(judge) }
    }

    /// Says which turn and where.
    #[must_use]
    pub fn at(mut self, turn: Option<u32>, location: &Location) -> Self {
        self.turn = turn;
        self.file = Some(Arc::clone(&location.file));
        self.line = Some(location.line);
        self
    }

    /// Whether the verdict is yes.
    pub fn is_yes(&self) -> bool {
        self.value == Some(true)
    }
}
