//! The numbers that the CAR paper prints, as a data file.

use std::sync::OnceLock;

use serde::Deserialize;

use super::super::model::{PublishedNumber, TableCell};

/// Tables 1 to 4 of the paper.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Published {
    #[serde(rename = "table_1_pilot")]
    pub(super) pilot: Vec<PublishedPilot>,
    #[serde(rename = "table_2_main")]
    pub(super) main: Vec<PublishedScores>,
    #[serde(rename = "table_3_serper")]
    pub(super) serper: Vec<PublishedScores>,
    #[serde(rename = "table_4_tir")]
    pub(super) tir: Vec<PublishedScores>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedPilot {
    pub(super) tool: String,
    pub(super) dataset: String,
    pub(super) setting: String,
    accuracy_pct: f64,
    mcip: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedScores {
    pub(super) model: String,
    pub(super) strategy: String,
    pub(super) dataset: String,
    accuracy_pct: f64,
    ece: f64,
    brier: f64,
    auroc: f64,
}

impl PublishedPilot {
    pub(super) fn cells(&self) -> [TableCell; 2] {
        [number(self.accuracy_pct, 1), number(self.mcip, 3)]
    }
}

impl PublishedScores {
    pub(super) fn cells(&self) -> [TableCell; 4] {
        [number(self.accuracy_pct, 1), number(self.ece, 3), number(self.brier, 3), number(self.auroc, 3)]
    }
}

fn number(value: f64, digits: usize) -> TableCell {
    TableCell::Published(PublishedNumber {
        value: Some(value),
        digits,
        half_width: None,
        significant: None,
        may_be_no_case: false,
    })
}

/// Our name of a data set of the paper.
pub(super) fn our_name(dataset: &str) -> String {
    match dataset {
        "NQ" => "nq-open",
        "HotpotQA" => "hotpotqa",
        "SimpleQA-verified" | "SimpleQA-verified (Serper API)" => "simpleqa-verified",
        "AIME2024" => "aime-2024",
        "AIME2025" => "aime-2025",
        "MATH-500" => "math-500",
        other => other,
    }
    .to_owned()
}

/// The published numbers.
pub(super) fn published() -> &'static Published {
    static PUBLISHED: OnceLock<Published> = OnceLock::new();
    // A test holds that the file can be read.
    PUBLISHED.get_or_init(|| read().unwrap_or_default())
}

fn read() -> serde_json::Result<Published> {
    serde_json::from_str(include_str!("../../assets/car_paper.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        let paper = read().unwrap();
        assert_eq!(
            (paper.pilot.len(), paper.main.len(), paper.serper.len(), paper.tir.len()),
            (15, 54, 6, 6)
        );
        let known = ["nq-open", "hotpotqa", "simpleqa-verified", "aime-2024", "aime-2025", "math-500"];
        for dataset in
            paper.pilot.iter().map(|row| &row.dataset).chain(paper.tir.iter().map(|row| &row.dataset))
        {
            assert!(known.contains(&our_name(dataset).as_str()), "{dataset}");
        }
    }
}
