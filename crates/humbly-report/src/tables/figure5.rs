//! EH Figure 5: what a clause in the prompt changes in accuracy and in Escalate.

use humbly_score::ConditionChange;

use super::material::Material;
use super::model::{
    ColumnGroup, Item, PaperItem, PaperTable, PublishedNumber, Source, TableCell, TableRow, Unit,
};
use super::published::{PublishedAccuracy, PublishedIse, published};

/// A point as the paper's tables give it, in percentage points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PublishedChange {
    pub(crate) name: String,
    pub(crate) accuracy: f64,
    pub(crate) escalate: f64,
    /// Whether a zero beneath may be a cell without a case.
    pub(crate) may_be_no_case: bool,
}

/// The paper's points: Table 8 against Table 1, Table 9 against Table 5.
pub(crate) fn published_changes() -> Vec<PublishedChange> {
    let paper = published();
    let mut changes = Vec::new();
    for prompted in &paper.table_9_ise_humility_prompt {
        // Table 9 names one row by its backbone alone.
        let agent = if prompted.agent == "GPT-5" { "OpenHands (GPT-5)" } else { &prompted.agent };
        let accuracy = |rows: &[PublishedAccuracy], agent: &str| {
            rows.iter()
                .find(|row| row.agent == agent && row.dataset == prompted.dataset && row.split == "conflict")
                .and_then(PublishedAccuracy::percent)
        };
        let before = accuracy(&paper.table_1_accuracy, agent);
        let after = accuracy(&paper.table_8_accuracy_humility_prompt, &prompted.agent);
        let default = paper
            .table_5_ise_default
            .iter()
            .find(|row| row.agent == agent && row.dataset == prompted.dataset);
        let (Some(before), Some(after), Some(from), Some(to)) =
            (before, after, default.and_then(PublishedIse::escalate), prompted.escalate())
        else {
            continue;
        };
        changes.push(PublishedChange {
            name: format!("{agent} · {}", prompted.dataset),
            accuracy: after - before,
            escalate: to - from,
            may_be_no_case: from == 0.0 || to == 0.0,
        });
    }
    changes
}

pub(crate) fn name(material: &Material, change: &ConditionChange) -> String {
    if let Some(row) = material.summary.get(change.group) {
        return row.title();
    }
    let parts = [&change.agent, &change.model, &change.dataset, &change.to];
    parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
}

pub(super) fn table(material: &Material, against: bool) -> PaperItem {
    let item = Item::Figure(5);
    if material.changes.is_empty() {
        let reason =
            "no agent was run on one data set both with and without a clause in the prompt".to_owned();
        return PaperItem::NotDetermined { item, reason };
    }
    let points = |number: &humbly_types::Measured| TableCell::Measured {
        unit: Unit::Points,
        number: Box::new(number.clone()),
        test: None,
    };
    let mut rows: Vec<TableRow> = material
        .changes
        .iter()
        .map(|change| TableRow {
            name: name(material, change),
            source: Source::Runs,
            cells: vec![points(&change.accuracy), points(&change.escalate)],
        })
        .collect();
    let mut notes = vec![
        "prompted minus default, on the conflict split; accuracy over shared questions (paired bootstrap), Escalate as \
         a difference of two rates (questions resampled together)"
            .to_owned(),
    ];
    if against {
        let cell = |value, may_be_no_case| {
            TableCell::Published(PublishedNumber {
                value: Some(value),
                digits: 1,
                half_width: None,
                significant: None,
                may_be_no_case,
            })
        };
        rows.extend(published_changes().into_iter().map(|change| TableRow {
            name: change.name.clone(),
            source: Source::Paper,
            cells: vec![cell(change.accuracy, false), cell(change.escalate, change.may_be_no_case)],
        }));
        notes.push("paper: differences of its Tables 1, 8 and 5, 9".to_owned());
    }
    PaperItem::Determined(PaperTable {
        item,
        stub: "agent · model · data set · condition".to_owned(),
        groups: vec![ColumnGroup {
            name: "change".to_owned(),
            columns: vec!["accuracy".to_owned(), "Escalate".to_owned()],
        }],
        rows,
        notes,
    })
}
