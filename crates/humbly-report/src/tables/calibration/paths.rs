//! Confidence before and after the first tool call and each contradiction.

use humbly_score::calibration_study::{CalibrationStudy, PathEvent};

use super::super::model::{ColumnGroup, Item, PaperTable, Source, TableCell, TableRow};
use super::names;

pub(super) fn table(item: Item, study: &CalibrationStudy) -> Result<PaperTable, String> {
    if study.paths.is_empty() {
        return Err(
            "no trajectory states a confidence before and after a tool call: `confidence_every_turn = true` asks for one at each turn"
                .to_owned(),
        );
    }
    let columns = ["events", "before", "after", "change", "p"].map(str::to_owned).to_vec();
    let mut table = PaperTable {
        item,
        stub: "event · type of tool · model · setting".to_owned(),
        groups: vec![ColumnGroup { name: "mean confidence".to_owned(), columns }],
        rows: Vec::new(),
        notes: vec![
            "means over questions; p: paired t test by question, Welch's t test between types of tool; the confidence after a call is \
             the first one that a later turn states"
                .to_owned(),
        ],
    };
    for path in &study.paths {
        let name = format!(
            "{} · {} · {} · {} · {}",
            event(path.event),
            path.tool_type.code(),
            path.base_model,
            path.setting,
            names::source(&path.source)
        );
        if path.without_confidence > 0 {
            table.notes.push(format!(
                "{name}: {} events without a confidence on one side are in no number",
                path.without_confidence
            ));
        }
        let cells = vec![
            TableCell::Count { value: path.events },
            TableCell::coefficient(&path.before),
            TableCell::coefficient(&path.after),
            TableCell::coefficient(&path.change),
            TableCell::coefficient(&path.test.p),
        ];
        table.rows.push(TableRow { name, source: Source::Runs, cells });
    }
    for contrast in &study.contrasts {
        let name = format!(
            "{} · evidence − verification · {} · {} · {}",
            event(contrast.event),
            contrast.base_model,
            contrast.setting,
            names::source(&contrast.source)
        );
        let cells = vec![
            TableCell::NotRun,
            TableCell::NotRun,
            TableCell::NotRun,
            TableCell::coefficient(&contrast.test.difference),
            TableCell::coefficient(&contrast.test.p),
        ];
        table.rows.push(TableRow { name, source: Source::Runs, cells });
    }
    Ok(table)
}

fn event(event: PathEvent) -> &'static str {
    match event {
        PathEvent::FirstCall => "first call",
        PathEvent::Contradiction => "contradiction",
    }
}
