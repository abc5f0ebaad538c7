//! The numbers that the EH paper prints, as a data file.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::model::{PublishedNumber, TableCell};

/// Tables 1 and 3 to 9 of the paper.
#[derive(Debug, Default, Deserialize)]
#[expect(clippy::struct_field_names, reason = "names of the data file")]
pub(super) struct Published {
    pub(super) table_1_accuracy: Vec<PublishedAccuracy>,
    pub(super) table_3_controlled_counts: Vec<PublishedControlled>,
    pub(super) table_4_natural_counts: Vec<PublishedNatural>,
    pub(super) table_5_ise_default: Vec<PublishedIse>,
    pub(super) table_6_judge_agreement: Vec<PublishedAgreement>,
    pub(super) table_7_human: BTreeMap<String, PublishedPeople>,
    pub(super) table_8_accuracy_humility_prompt: Vec<PublishedAccuracy>,
    pub(super) table_9_ise_humility_prompt: Vec<PublishedIse>,
}

/// The published numbers.
pub(super) fn published() -> &'static Published {
    static PUBLISHED: OnceLock<Published> = OnceLock::new();
    // A test holds that the file can be read; without it the paper's rows would be missing, not wrong.
    PUBLISHED.get_or_init(|| read().unwrap_or_default())
}

fn read() -> serde_json::Result<Published> {
    serde_json::from_str(include_str!("../assets/eh_paper.json"))
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedAccuracy {
    pub(super) agent: String,
    pub(super) dataset: String,
    pub(super) split: String,
    accuracy_pct: Option<f64>,
    half_width_pct: Option<f64>,
    significant_vs_control: Option<bool>,
}

impl PublishedAccuracy {
    pub(super) fn cell(&self) -> TableCell {
        TableCell::Published(PublishedNumber {
            value: self.accuracy_pct,
            digits: 1,
            half_width: self.half_width_pct,
            significant: self.significant_vs_control,
            may_be_no_case: false,
        })
    }

    pub(super) fn percent(&self) -> Option<f64> {
        self.accuracy_pct
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedIse {
    pub(super) agent: String,
    pub(super) dataset: String,
    identify_f1_pct: Option<f64>,
    solve_pct: Option<f64>,
    escalate_pct: Option<f64>,
}

impl PublishedIse {
    pub(super) fn cells(&self) -> [TableCell; 3] {
        [
            TableCell::published(self.identify_f1_pct, 1),
            rate_or_no_case(self.solve_pct),
            rate_or_no_case(self.escalate_pct),
        ]
    }

    /// The Escalate rate, where the paper prints one that had cases for sure.
    pub(super) fn escalate(&self) -> Option<f64> {
        self.escalate_pct
    }
}

/// The paper prints 0.0 for a rate of zero and for a rate without a case.
fn rate_or_no_case(value: Option<f64>) -> TableCell {
    TableCell::Published(PublishedNumber {
        value,
        digits: 1,
        half_width: None,
        significant: None,
        may_be_no_case: value == Some(0.0),
    })
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedControlled {
    pub(super) agent: String,
    level_0: u64,
    level_1: u64,
    level_2: u64,
    level_3: u64,
    closed_book: u64,
    rag_conflict: u64,
    rag_control: u64,
    pck_conflict: u64,
    pck_control: u64,
}

impl PublishedControlled {
    pub(super) fn counts(&self) -> [u64; 9] {
        [
            self.level_0,
            self.level_1,
            self.level_2,
            self.level_3,
            self.closed_book,
            self.rag_conflict,
            self.rag_control,
            self.pck_conflict,
            self.pck_control,
        ]
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedNatural {
    pub(super) dataset: String,
    pub(super) agent: String,
    original: u64,
    has_pk: u64,
    self_agrees: u64,
    disagrees_gt: u64,
    selected: u64,
    conflict_total: u64,
    control_agrees_gt: u64,
    control_no_belief: u64,
}

impl PublishedNatural {
    pub(super) fn counts(&self) -> [u64; 8] {
        [
            self.original,
            self.has_pk,
            self.self_agrees,
            self.disagrees_gt,
            self.selected,
            self.conflict_total,
            self.control_agrees_gt,
            self.control_no_belief,
        ]
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedAgreement {
    pub(super) split: String,
    pub(super) pair: String,
    pub(super) label: String,
    raw_pct: f64,
    cohen_kappa: f64,
    gwet_ac1: f64,
}

impl PublishedAgreement {
    pub(super) fn cells(&self) -> [TableCell; 3] {
        [
            TableCell::published(Some(self.raw_pct), 1),
            TableCell::published(Some(self.cohen_kappa), 3),
            TableCell::published(Some(self.gwet_ac1), 3),
        ]
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedPeople {
    human_raw_pct: f64,
    fleiss_kappa: f64,
    human_ac1: f64,
    judge_raw_pct: f64,
    judge_kappa: f64,
    judge_ac1: f64,
}

impl PublishedPeople {
    pub(super) fn cells(&self) -> [TableCell; 6] {
        [
            TableCell::published(Some(self.human_raw_pct), 1),
            TableCell::published(Some(self.fleiss_kappa), 2),
            TableCell::published(Some(self.human_ac1), 2),
            TableCell::published(Some(self.judge_raw_pct), 1),
            TableCell::published(Some(self.judge_kappa), 2),
            TableCell::published(Some(self.judge_ac1), 2),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        let paper = read().unwrap();
        assert_eq!((paper.table_1_accuracy.len(), paper.table_8_accuracy_humility_prompt.len()), (40, 30));
        assert_eq!((paper.table_5_ise_default.len(), paper.table_9_ise_humility_prompt.len()), (20, 15));
        assert_eq!((paper.table_3_controlled_counts.len(), paper.table_4_natural_counts.len()), (5, 15));
        assert_eq!((paper.table_6_judge_agreement.len(), paper.table_7_human.len()), (27, 2));
    }

    #[test]
    fn the_papers_funnels_add_up() {
        for row in &published().table_4_natural_counts {
            let [total, .., selected, agrees, no_belief] = row.counts();
            assert_eq!(selected + agrees + no_belief, total, "{} {}", row.dataset, row.agent);
        }
    }
}
