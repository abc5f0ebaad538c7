//! CAR Tables 2 to 4: accuracy, ECE, Brier score and AUROC by data set; 2 with evidence tools, 3 with another corpus
//! behind the search tool, 4 with verification tools.
//!
//! Differences from the paper: intervals, one row a source of confidence, and the fixed temperature beneath each row.

use humbly_score::ToolType;
use humbly_score::calibration_study::{CalibrationStudy, StudyCell};
use humbly_stats::calibration::CalibrationSummary;
use indexmap::{IndexMap, IndexSet};

use super::super::model::{ColumnGroup, Item, PaperTable, Source, TableCell, TableRow};
use super::names;
use super::published::{PublishedScores, our_name, published};

const COLUMNS: [&str; 4] = ["Acc.", "ECE", "Brier", "AUROC"];

pub(super) fn table(item: Item, study: &CalibrationStudy, against: bool) -> Result<PaperTable, String> {
    let (shown, missing): (fn(&StudyCell) -> bool, &str) = match item {
        Item::Calibration(2) => (
            |cell| cell.corpus.is_none() && cell.tool_type != Some(ToolType::Verification),
            "no data set for evidence tools was run",
        ),
        Item::Calibration(3) => (
            |cell| cell.corpus.is_some(),
            "no condition has a corpus of its own (`corpus = …` in a condition puts another one behind the search tool)",
        ),
        _ => (
            |cell| cell.corpus.is_none() && cell.tool_type == Some(ToolType::Verification),
            "no data set for verification tools was run",
        ),
    };
    let cells: Vec<&StudyCell> = study.cells.iter().filter(|cell| shown(cell)).collect();
    if cells.is_empty() {
        return Err(missing.to_owned());
    }
    let paper: &[PublishedScores] = match (against, item) {
        (false, _) => &[],
        (true, Item::Calibration(2)) => &published().main,
        (true, Item::Calibration(3)) => &published().serper,
        (true, _) => &published().tir,
    };
    let mut headings: IndexMap<String, String> =
        cells.iter().map(|cell| (cell.dataset.clone(), names::dataset(cell))).collect();
    for row in paper {
        let name = our_name(&row.dataset);
        headings.entry(name.clone()).or_insert(name);
    }
    let mut table = PaperTable {
        item,
        stub: "model · setting".to_owned(),
        groups: headings
            .values()
            .map(|name| ColumnGroup { name: name.clone(), columns: COLUMNS.map(str::to_owned).to_vec() })
            .collect(),
        rows: Vec::new(),
        notes: vec![
            "Acc. is over all samples, the other columns over answers with a confidence; T = 1.5: the stated confidences after a \
             fixed temperature, which leaves 0 and 1 where they are"
                .to_owned(),
        ],
    };
    // One row a setting and source, over all data sets.
    let rows: IndexSet<(String, String)> = cells
        .iter()
        .flat_map(|cell| cell.sources.iter().map(|source| (names::setting(cell), source.source.clone())))
        .collect();
    for (setting, source) in rows {
        let found = |dataset: &str| {
            cells.iter().find(|cell| cell.dataset == dataset && names::setting(cell) == setting).and_then(
                |cell| {
                    let of = cell.sources.iter().find(|one| one.source == source)?;
                    Some((cell, of))
                },
            )
        };
        let row = |pick: fn(&humbly_score::calibration_study::SourceCell) -> &CalibrationSummary| -> Vec<TableCell> {
            headings
                .keys()
                .flat_map(|dataset| match found(dataset) {
                    Some((cell, of)) => measured(cell, pick(of)),
                    None => [TableCell::NotRun, TableCell::NotRun, TableCell::NotRun, TableCell::NotRun],
                })
                .collect()
        };
        let unused =
            headings.keys().filter_map(|dataset| found(dataset)).map(|(cell, _)| names::use_mark(cell));
        let mark = unused.max().unwrap_or_default();
        let name = format!("{setting} · {}{mark}", names::source(&source));
        let (stated, scaled) = (row(|of| &of.summary), row(|of| &of.scaled));
        table.rows.push(TableRow { name: name.clone(), source: Source::Runs, cells: stated });
        if source != "none" {
            table.rows.push(TableRow {
                name: format!("{name} · T = 1.5"),
                source: Source::Runs,
                cells: scaled,
            });
        }
    }
    table.rows.extend(paper_rows(paper, &headings.keys().collect::<Vec<_>>()));
    table.notes.extend(names::counted(study));
    Ok(table)
}

/// The paper's rows, one a model and strategy, under our headings.
fn paper_rows(paper: &[PublishedScores], datasets: &[&String]) -> Vec<TableRow> {
    let methods: IndexSet<(&str, &str)> =
        paper.iter().map(|row| (row.model.as_str(), row.strategy.as_str())).collect();
    let rows = methods.into_iter().map(|(model, strategy)| {
        let of = |dataset: &String| {
            paper
                .iter()
                .find(|row| {
                    row.model == model && row.strategy == strategy && our_name(&row.dataset) == *dataset
                })
                .map_or(
                    [TableCell::NotRun, TableCell::NotRun, TableCell::NotRun, TableCell::NotRun],
                    PublishedScores::cells,
                )
        };
        let cells = datasets.iter().flat_map(|dataset| of(dataset)).collect();
        TableRow { name: format!("{model} · {strategy}"), source: Source::Paper, cells }
    });
    rows.collect()
}

fn measured(cell: &StudyCell, summary: &CalibrationSummary) -> [TableCell; 4] {
    [
        TableCell::percent(&cell.accuracy),
        TableCell::coefficient(&summary.ece),
        TableCell::coefficient(&summary.brier),
        TableCell::coefficient(&summary.auroc),
    ]
}
