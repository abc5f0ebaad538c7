//! EH Tables 1 and 8: accuracy by data set and split, without and with a clause in the prompt.
//!
//! For `MoNaCo` the mean similarity stands in place of the share of right answers, tested by Welch's t, as in the
//! paper. Difference from it: pairs that are complete are tested within pairs.

use humbly_score::SummaryRow;

use super::configurations::{Configurations, none};
use super::material::Material;
use super::model::{ColumnGroup, Item, PaperItem, PaperTable, Source, TableCell, TableRow, Unit};
use super::published::{PublishedAccuracy, published};

pub(super) fn table(item: Item, material: &Material, against: bool) -> PaperItem {
    let prompted = item == Item::Table(8);
    let configurations = Configurations::of(material, prompted);
    if configurations.is_empty() {
        return PaperItem::NotDetermined { item, reason: none(material, prompted) };
    }
    let rows: &[PublishedAccuracy] = match (against, prompted) {
        (false, _) => &[],
        (true, false) => &published().table_1_accuracy,
        (true, true) => &published().table_8_accuracy_humility_prompt,
    };
    let datasets = configurations.datasets_with(rows.iter().map(|row| &row.dataset));
    let groups = datasets
        .iter()
        .map(|dataset| ColumnGroup {
            name: dataset.clone(),
            columns: vec!["conflict".to_owned(), "control".to_owned()],
        })
        .collect();
    let mut table = PaperTable {
        item,
        stub: "agent · model".to_owned(),
        groups,
        rows: Vec::new(),
        notes: vec![
            "* conflict differs from control, p < 0.05: McNemar's exact test where all pairs are complete, else two \
             proportions; p and Holm-adjusted p in the JSON"
                .to_owned(),
        ],
    };
    let similar: Vec<&str> = datasets
        .iter()
        .filter(|dataset| {
            let mut rows = configurations.names.iter().filter_map(|name| configurations.cell(name, dataset));
            rows.any(|row| row.similarity.is_some())
        })
        .map(String::as_str)
        .collect();
    if !similar.is_empty() {
        table.notes.push(format!(
            "{}: mean similarity with the reference (1 − |r − p| / max(|r|, |p|) for one number, else 1 or 0), Welch's t \
             between the splits",
            similar.join(", ")
        ));
    }
    for name in &configurations.names {
        let cells = datasets.iter().flat_map(|dataset| measured(configurations.cell(name, dataset)));
        table.rows.push(TableRow { name: name.clone(), source: Source::Runs, cells: cells.collect() });
    }
    let mut agents: Vec<&str> = Vec::new();
    for row in rows {
        if !agents.contains(&row.agent.as_str()) {
            agents.push(&row.agent);
        }
    }
    for agent in agents {
        let cell = |dataset: &str, split: &str| {
            rows.iter()
                .find(|row| row.agent == agent && row.dataset == dataset && row.split == split)
                .map_or(TableCell::NotRun, PublishedAccuracy::cell)
        };
        let cells = datasets.iter().flat_map(|set| [cell(set, "conflict"), cell(set, "control")]);
        table.rows.push(TableRow { name: agent.to_owned(), source: Source::Paper, cells: cells.collect() });
    }
    if against {
        table.notes.push(
            "paper: percent of its own metrics (MoNaCo: mean similarity), ± half of a 95 % bootstrap interval; \
             – means that the model showed no strong belief or the cell was not run"
                .to_owned(),
        );
    }
    PaperItem::Determined(table)
}

fn measured(row: Option<&SummaryRow>) -> [TableCell; 2] {
    let Some(row) = row else { return [TableCell::NotRun, TableCell::NotRun] };
    let metric = row.similarity.as_ref().unwrap_or(&row.accuracy);
    let conflict = TableCell::Measured {
        unit: Unit::Percent,
        number: Box::new(metric.conflict.clone()),
        test: Some(Box::new(metric.test.clone())),
    };
    [conflict, TableCell::percent(&metric.control)]
}
