//! The two kinds of variant.

use std::fmt;

use humbly_rewards::ItemLabel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an original is rewritten into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Its data do not determine an answer: data uncertainty.
    Insufficient,
    /// One answer, but hardly within reach: model uncertainty.
    Hard,
}

impl Kind {
    /// Both, in the order of reports.
    pub const ALL: [Self; 2] = [Self::Insufficient, Self::Hard];

    /// Name in keys, files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insufficient => "insufficient",
            Self::Hard => "hard",
        }
    }

    /// The label that the RL-UA reward reads.
    pub fn label(self) -> ItemLabel {
        match self {
            Self::Insufficient => ItemLabel::Data,
            Self::Hard => ItemLabel::Model,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
