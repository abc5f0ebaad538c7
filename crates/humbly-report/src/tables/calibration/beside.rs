//! Numbers that the paper does not print: what ECE hides.

use humbly_score::calibration_study::CalibrationStudy;

use super::super::model::{ColumnGroup, Item, PaperTable, Source, TableCell, TableRow};
use super::names;

pub(super) fn table(item: Item, study: &CalibrationStudy) -> Result<PaperTable, String> {
    let group = |name: &str, columns: &[&str]| ColumnGroup {
        name: name.to_owned(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
    };
    let coverages: Vec<f64> = study
        .cells
        .iter()
        .flat_map(|cell| &cell.sources)
        .map(|source| source.selective.iter().map(|one| one.requested_coverage).collect())
        .next()
        .unwrap_or_default();
    let at: Vec<String> = coverages.iter().map(|coverage| format!("at {:.0} %", coverage * 100.0)).collect();
    let at: Vec<&str> = at.iter().map(String::as_str).collect();
    let mut table = PaperTable {
        item,
        stub: "data set · model · setting".to_owned(),
        groups: vec![
            group("calibration", &["debiased ECE", "mean confidence"]),
            group("Brier score", &["reliability", "resolution", "uncertainty"]),
            group("selective accuracy (%)", &at),
            group("ranking", &["AURC"]),
            group("collapse", &["commonest (%)", "entropy (bits)"]),
        ],
        rows: Vec::new(),
        notes: vec![
            "Brier = reliability − resolution + uncertainty; selective accuracy: over the most confident answers, ties come in \
             together; collapse: share and entropy of the stated values"
                .to_owned(),
        ],
    };
    for cell in &study.cells {
        for source in cell.sources.iter().filter(|source| source.source != "none") {
            let summary = &source.summary;
            let mut cells = vec![
                TableCell::coefficient(&summary.ece_debiased),
                TableCell::coefficient(&summary.mean_confidence),
                TableCell::coefficient(&summary.brier_parts.reliability),
                TableCell::coefficient(&summary.brier_parts.resolution),
                TableCell::coefficient(&summary.brier_parts.uncertainty),
            ];
            cells.extend(source.selective.iter().map(|one| TableCell::percent(&one.accuracy)));
            cells.push(TableCell::coefficient(&summary.aurc));
            cells.push(TableCell::percent(&summary.collapse.share));
            cells.push(TableCell::coefficient(&summary.collapse.entropy));
            let name =
                format!("{} · {} · {}", cell.dataset, names::setting(cell), names::source(&source.source));
            if let Some(commonest) = summary.collapse.commonest {
                table.notes.push(format!(
                    "{name}: commonest confidence {commonest:.3} of {} values",
                    summary.collapse.distinct
                ));
            }
            table.rows.push(TableRow { name, source: Source::Runs, cells });
        }
    }
    if table.rows.is_empty() {
        return Err("no answer states a confidence".to_owned());
    }
    Ok(table)
}
