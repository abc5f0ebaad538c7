//! CAR Table 1: accuracy and MCIP of each setting, by tool and data set.
//!
//! Differences from the paper: MCIP over the common wrong questions stands beside MCIP, and so do calls a sample; where
//! a setting hardly called its tools, it is in no comparison.

use humbly_score::calibration_study::{CalibrationStudy, ToolUse};

use super::super::model::{ColumnGroup, Item, PaperTable, Source, TableCell, TableRow};
use super::names;
use super::published::{our_name, published};

pub(super) fn table(item: Item, study: &CalibrationStudy, against: bool) -> PaperTable {
    let columns = ["Acc.", "MCIP", "MCIP common", "calls a sample", "samples"].map(str::to_owned).to_vec();
    let mut table = PaperTable {
        item,
        stub: "tool · data set · model · setting".to_owned(),
        groups: vec![ColumnGroup { name: "answers".to_owned(), columns }],
        rows: Vec::new(),
        notes: vec![format!(
            "MCIP common: over the questions that every setting got wrong, compared in {}; a setting with fewer than {} calls a \
             sample is `tool not used` and in no comparison",
            Item::Calibration(6),
            study.least_calls
        )],
    };
    for cell in study.cells.iter().filter(|cell| cell.corpus.is_none()) {
        for source in &cell.sources {
            let common = study
                .comparisons
                .iter()
                .filter(|one| one.corpus.is_none())
                .find(|one| {
                    one.dataset == cell.dataset
                        && one.base_model == cell.base_model
                        && one.source == source.source
                })
                .and_then(|one| one.common.settings.iter().find(|setting| setting.name == cell.setting));
            let common = match (cell.tool_use, common) {
                (ToolUse::NotUsed, _) => TableCell::ToolNotUsed,
                (_, Some(common)) => TableCell::coefficient(&common.mcip_common),
                (_, None) => TableCell::NotRun,
            };
            let name = format!(
                "{} · {} · {} · {}{}",
                names::tool(study, cell),
                cell.dataset,
                names::setting(cell),
                names::source(&source.source),
                names::use_mark(cell)
            );
            let cells = vec![
                TableCell::percent(&cell.accuracy),
                TableCell::coefficient(&source.summary.mcip),
                common,
                TableCell::coefficient(&cell.calls_per_sample),
                TableCell::Count { value: cell.samples },
            ];
            table.rows.push(TableRow { name, source: Source::Runs, cells });
        }
    }
    if against {
        for row in &published().pilot {
            let [accuracy, mcip] = row.cells();
            let name =
                format!("{} · {} · {}", row.tool, our_name(&row.dataset), row.setting.replace('_', "-"));
            let cells = vec![accuracy, mcip, TableCell::NotRun, TableCell::NotRun, TableCell::NotRun];
            table.rows.push(TableRow { name, source: Source::Paper, cells });
        }
        table.notes.push(
            "paper: Qwen2.5-3B-Instruct; its MCIP is over the questions that all three settings got wrong, its \
             verification tool is a Python interpreter"
                .to_owned(),
        );
    }
    table.notes.extend(names::counted(study));
    table
}
