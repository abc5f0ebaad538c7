//! Temperature, Platt's and the isotonic map on the half that they were not fitted to.

use humbly_score::calibration_study::CalibrationStudy;
use humbly_stats::recalibration::{HalfScores, Recalibrated, RecalibrationMethod};
use humbly_types::{Measured, Reason, Undefined};

use super::super::model::{ColumnGroup, Item, PaperTable, Source, TableCell, TableRow};
use super::names;

pub(super) fn table(item: Item, study: &CalibrationStudy) -> Result<PaperTable, String> {
    let columns = ["ECE", "Brier", "AUROC", "change of Brier", "answers"].map(str::to_owned).to_vec();
    let mut table = PaperTable {
        item,
        stub: "data set · model · setting · map".to_owned(),
        groups: vec![ColumnGroup { name: "judged half".to_owned(), columns }],
        rows: Vec::new(),
        notes: vec![
            "all answers to a question stand in one half; change of Brier: after minus before, below 0 the map helps; 0 and 1 are \
             fixed points of a temperature"
                .to_owned(),
        ],
    };
    for cell in &study.cells {
        for source in cell.sources.iter().filter(|source| source.source != "none") {
            let split = &source.held_out;
            let head =
                format!("{} · {} · {}", cell.dataset, names::setting(cell), names::source(&source.source));
            let nothing = Measured::undefined(Undefined::new(Reason::NotApplicable));
            let mut row = |name: &str, scores: &HalfScores, change: &Measured| {
                let cells = vec![
                    TableCell::coefficient(&scores.ece),
                    TableCell::coefficient(&scores.brier),
                    TableCell::coefficient(&scores.auroc),
                    TableCell::coefficient(change),
                    TableCell::Count { value: split.judged_on },
                ];
                table.rows.push(TableRow { name: format!("{head} · {name}"), source: Source::Runs, cells });
            };
            row("as stated", &split.before, &nothing);
            for one in &split.methods {
                row(&method(one), &one.after, &one.brier_change);
            }
        }
    }
    if table.rows.is_empty() {
        return Err("no answer states a confidence".to_owned());
    }
    Ok(table)
}

fn method(one: &Recalibrated) -> String {
    let value = |name: &str| one.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    let temperature = value("temperature").map(|value| format!(" {value:.2}")).unwrap_or_default();
    match one.method {
        RecalibrationMethod::FixedTemperature => format!("temperature{temperature}, given"),
        RecalibrationMethod::FittedTemperature => format!("temperature{temperature}, fitted"),
        RecalibrationMethod::Platt => match value("intercept").zip(value("slope")) {
            Some((intercept, slope)) => format!("Platt {intercept:+.2} {slope:+.2} logit"),
            None => "Platt".to_owned(),
        },
        RecalibrationMethod::Isotonic => "isotonic".to_owned(),
    }
}
