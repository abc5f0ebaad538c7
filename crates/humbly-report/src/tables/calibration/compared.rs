//! MCIP on the common wrong questions, two settings at a time.

use humbly_score::calibration_study::CalibrationStudy;

use super::super::model::{ColumnGroup, Item, PaperTable, Source, TableCell, TableRow};
use super::names;

pub(super) fn table(item: Item, study: &CalibrationStudy) -> Result<PaperTable, String> {
    let columns = ["questions", "difference", "p paired t", "p (Holm)", "p Student", "p Welch"]
        .map(str::to_owned)
        .to_vec();
    let mut table = PaperTable {
        item,
        stub: "data set · model · settings".to_owned(),
        groups: vec![ColumnGroup { name: "MCIP common, first minus second".to_owned(), columns }],
        rows: Vec::new(),
        notes: vec![
            "the paired test by question fits the design; Student's and Welch's take the settings as independent samples, as the \
             paper does; Holm over the pairs of one data set"
                .to_owned(),
        ],
    };
    for one in &study.comparisons {
        let corpus = one.corpus.as_ref().map(|corpus| format!(" · {corpus}")).unwrap_or_default();
        let head = format!("{}{corpus} · {} · {}", one.dataset, one.base_model, names::source(&one.source));
        for setting in &one.not_used {
            table.notes.push(format!("{head}: {setting} is not compared, its tool was not used"));
        }
        for pair in &one.common.pairs {
            let cells = vec![
                TableCell::Count { value: one.common.common_wrong_questions },
                TableCell::coefficient(&pair.difference),
                TableCell::coefficient(&pair.paired.p),
                TableCell::coefficient(&pair.paired_p_holm),
                TableCell::coefficient(&pair.student.p),
                TableCell::coefficient(&pair.welch.p),
            ];
            let name = format!("{head} · {} against {}", pair.first, pair.second);
            table.rows.push(TableRow { name, source: Source::Runs, cells });
        }
    }
    if table.rows.is_empty() {
        let why = if table.notes.len() > 1 {
            table.notes.split_off(1).join("; ")
        } else {
            "no two settings with confidences of one source were run on one data set".to_owned()
        };
        return Err(why);
    }
    Ok(table)
}
