//! EH Table 3: questions by level of belief and tasks by scenario, one row a suite.

use super::material::Material;
use super::model::{ColumnGroup, Item, PaperItem, PaperTable, Source, TableCell, TableRow};
use super::published::published;

const SCENARIOS: [(&str, &str, &[&str]); 3] = [
    ("closed_book", "closed book", &[]),
    ("rag", "RAG", &["conflict", "control"]),
    ("pck", "PCK", &["conflict", "control"]),
];

pub(super) fn table(material: &Material, against: bool) -> PaperItem {
    let item = Item::Table(3);
    let suites: Vec<_> = material.suites.iter().filter_map(|suite| Some((suite, suite.levels?))).collect();
    if suites.is_empty() {
        let reason = if material.suites.is_empty() {
            "no input holds a suite: run files of `humbly run` do"
        } else {
            "the suites of these runs hold no levels of belief: they are of naturally occurring conflict (Table 4)"
        };
        return PaperItem::NotDetermined { item, reason: reason.to_owned() };
    }
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let mut groups =
        vec![ColumnGroup { name: "level of belief".to_owned(), columns: names(&["0", "1", "2", "3"]) }];
    for (_, name, splits) in SCENARIOS {
        let columns = if splits.is_empty() { names(&["tasks"]) } else { names(splits) };
        groups.push(ColumnGroup { name: name.to_owned(), columns });
    }
    let mut table = PaperTable {
        item,
        stub: "model".to_owned(),
        groups,
        rows: Vec::new(),
        notes: vec!["counts; only questions of level 3 become tasks".to_owned()],
    };
    for (suite, levels) in suites {
        let tasks = |scenario: &str, split: Option<&str>| {
            let value = suite
                .tasks
                .iter()
                .filter(|((of, on), _)| of == scenario && split.is_none_or(|split| on == split))
                .map(|(_, count)| count)
                .sum();
            TableCell::Count { value }
        };
        let mut cells: Vec<TableCell> = levels.iter().map(|&value| TableCell::Count { value }).collect();
        for (scenario, _, splits) in SCENARIOS {
            if splits.is_empty() {
                cells.push(tasks(scenario, None));
            }
            cells.extend(splits.iter().map(|split| tasks(scenario, Some(split))));
        }
        if suite.failed > 0 {
            table.notes.push(format!(
                "{} questions have no level for `{}`: their call failed",
                suite.failed, suite.model
            ));
        }
        table.rows.push(TableRow { name: suite.model.clone(), source: Source::Runs, cells });
    }
    if against {
        for row in &published().table_3_controlled_counts {
            let cells = row.counts().iter().map(|&value| TableCell::Count { value }).collect();
            table.rows.push(TableRow { name: row.agent.clone(), source: Source::Paper, cells });
        }
    }
    PaperItem::Determined(table)
}
