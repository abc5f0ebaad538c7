//! EH Table 7: people against each other, and judges against the people's majority.

use super::material::{Agreement, Material};
use super::model::{ColumnGroup, Item, PaperItem, PaperTable, Source, TableCell, TableRow};
use super::published::published;

pub(super) fn table(material: &Material, against: bool) -> PaperItem {
    let item = Item::Table(7);
    if material.people.is_empty() {
        let reason = "no filled annotation sheets were given: draw them with `humbly sheet make`, give key and sheets \
                      by --sheets KEY,FILLED,FILLED";
        return PaperItem::NotDetermined { item, reason: reason.to_owned() };
    }
    let group = |name: &str, kappa: &str| ColumnGroup {
        name: name.to_owned(),
        columns: vec!["raw".to_owned(), kappa.to_owned(), "AC1".to_owned()],
    };
    let mut table = PaperTable {
        item,
        stub: "question · judge".to_owned(),
        groups: vec![group("people", "κF"), group("judge and majority", "κ")],
        rows: Vec::new(),
        notes: vec![
            "raw agreement in percent, Fleiss' κ of the people, Cohen's κ of the judge, Gwet's AC1"
                .to_owned(),
        ],
    };
    for line in &material.people {
        table.notes.push(format!("{}: {} rows, {} people", line.question, line.items, line.annotators));
        let people = cells(&line.people);
        for (judge, with_majority, mean_raw) in &line.judges {
            let row = people.iter().cloned().chain(cells(with_majority)).collect();
            let name = format!("{} · {judge}", line.question);
            table.rows.push(TableRow { name, source: Source::Runs, cells: row });
            if let Some(mean) = mean_raw.value() {
                table.notes.push(format!(
                    "{} · {judge}: {:.1} % raw agreement with each person on average",
                    line.question,
                    100.0 * mean
                ));
            }
        }
        if line.judges.is_empty() {
            let none = [TableCell::NotRun, TableCell::NotRun, TableCell::NotRun];
            let row = people.into_iter().chain(none).collect();
            table.rows.push(TableRow { name: line.question.clone(), source: Source::Runs, cells: row });
        }
    }
    if against {
        for (question, row) in &published().table_7_human {
            table.rows.push(TableRow {
                name: format!("{question} · GPT-5"),
                source: Source::Paper,
                cells: row.cells().to_vec(),
            });
        }
    }
    PaperItem::Determined(table)
}

fn cells(agreement: &Agreement) -> [TableCell; 3] {
    [
        TableCell::percent(&agreement.raw),
        TableCell::coefficient(&agreement.kappa),
        TableCell::coefficient(&agreement.ac1),
    ]
}
