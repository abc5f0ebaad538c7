//! Sheets for human annotators: drawn, filled in by people, read back, compared.
//!
//! A sheet shows the text and nothing else: agent, split and verdicts stand in the key, another file. It is
//! drawn where it is hard (many positives, and negatives that look like positives), so its numbers are a
//! lower bound of the agreement on all turns and no estimate of it.

mod draw;
mod read;
mod report;
mod write;

use std::collections::BTreeMap;

use humbly_judge::VerdictKind;
use humbly_types::Split;
use serde::{Deserialize, Serialize};

pub use draw::{Drawn, SheetParams, draw_sheet, has_uncertainty_cue};
pub use read::{Annotations, FilledRow, read_filled, read_key};
pub use report::{HumanAgreement, JudgeAgainstPeople, PairOfPeople, SheetReport, sheet_report};
pub use write::{write_csv, write_jsonl, write_key};

/// A text that could stand on a sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SheetItem {
    /// The trajectory; at most one of its texts is drawn.
    pub trajectory: String,
    /// The turn, where the text is one.
    #[serde(default)]
    pub turn: Option<u32>,
    /// What the judge read.
    pub text: String,
    /// What judges said of it, by judge; `None` where undefined.
    pub verdicts: BTreeMap<String, Option<bool>>,
    /// Agent or harness.
    #[serde(default)]
    pub agent: Option<String>,
    /// Model of the agent.
    #[serde(default)]
    pub model: Option<String>,
    /// Data set.
    #[serde(default)]
    pub dataset: Option<String>,
    /// Condition.
    #[serde(default)]
    pub condition: Option<String>,
    /// Split.
    #[serde(default)]
    pub split: Option<Split>,
}

/// Why a text was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The judge says yes.
    Positive,
    /// The judge says no, and another judge says yes or the text has words of doubt.
    HardNegative,
    /// The judge says no, and nothing speaks against it.
    Negative,
}

/// A row of the sheet: all that an annotator sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetRow {
    /// Number on the sheet.
    pub id: String,
    /// What is asked.
    pub question: VerdictKind,
    /// The text.
    pub text: String,
    /// To be filled in: yes or no.
    pub label: String,
    /// Room for a remark.
    pub comment: String,
}

/// A row of the key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyRow {
    /// Number on the sheet.
    pub id: String,
    /// What is asked.
    pub question: VerdictKind,
    /// Why it was drawn.
    pub kind: Kind,
    /// The judge whose verdict decided that.
    pub judge: String,
    /// Seed of the draw.
    pub seed: u64,
    /// The item, its text left out.
    #[serde(flatten)]
    pub item: KeyItem,
}

/// What the key knows of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyItem {
    /// The trajectory.
    pub trajectory: String,
    /// The turn.
    pub turn: Option<u32>,
    /// What judges said.
    pub verdicts: BTreeMap<String, Option<bool>>,
    /// Agent or harness.
    pub agent: Option<String>,
    /// Model of the agent.
    pub model: Option<String>,
    /// Data set.
    pub dataset: Option<String>,
    /// Condition.
    pub condition: Option<String>,
    /// Split.
    pub split: Option<Split>,
}

impl From<&SheetItem> for KeyItem {
    fn from(item: &SheetItem) -> Self {
        Self {
            trajectory: item.trajectory.clone(),
            turn: item.turn,
            verdicts: item.verdicts.clone(),
            agent: item.agent.clone(),
            model: item.model.clone(),
            dataset: item.dataset.clone(),
            condition: item.condition.clone(),
            split: item.split,
        }
    }
}
