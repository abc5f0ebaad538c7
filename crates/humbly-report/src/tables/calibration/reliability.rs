//! The reliability diagrams as a table; the page draws them too.

use humbly_score::calibration_study::{CalibrationStudy, SourceCell, StudyCell};

use super::super::model::{ColumnGroup, Item, PaperTable, Source, TableCell, TableRow};
use super::names;

/// Each diagram with its name.
pub(crate) fn shown(study: &CalibrationStudy) -> impl Iterator<Item = (String, &StudyCell, &SourceCell)> {
    study.cells.iter().flat_map(|cell| {
        cell.sources.iter().filter(|source| source.summary.n > 0).map(move |source| {
            let name =
                format!("{} · {} · {}", cell.dataset, names::setting(cell), names::source(&source.source));
            (name, cell, source)
        })
    })
}

pub(super) fn table(item: Item, study: &CalibrationStudy) -> Result<PaperTable, String> {
    let columns = ["answers", "mean confidence", "accuracy"].map(str::to_owned).to_vec();
    let mut table = PaperTable {
        item,
        stub: "data set · model · setting · bin".to_owned(),
        groups: vec![ColumnGroup { name: study.binning.clone(), columns }],
        rows: Vec::new(),
        notes: vec![
            "empty bins are left out; intervals of the accuracy are Wilson's, where a bin holds several answers to one \
             question bootstrap intervals over questions"
                .to_owned(),
        ],
    };
    for (name, _, source) in shown(study) {
        for bin in source.summary.bins.iter().filter(|bin| bin.n > 0) {
            let edges = match (bin.low, bin.high) {
                (Some(low), Some(high)) => format!("{low:.1} to {high:.1}"),
                _ => "no edges".to_owned(),
            };
            let cells = vec![
                TableCell::Count { value: bin.n },
                TableCell::coefficient(&bin.confidence),
                TableCell::coefficient(&bin.accuracy),
            ];
            table.rows.push(TableRow { name: format!("{name} · {edges}"), source: Source::Runs, cells });
        }
    }
    if table.rows.is_empty() {
        return Err("no answer states a confidence".to_owned());
    }
    Ok(table)
}
