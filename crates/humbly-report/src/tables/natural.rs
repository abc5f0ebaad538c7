//! EH Table 4: from questions to the conflict and control splits of naturally occurring conflict.

use super::material::Material;
use super::model::{ColumnGroup, Item, PaperItem, PaperTable, Source, TableCell, TableRow};
use super::published::published;

pub(super) fn table(material: &Material, against: bool) -> PaperItem {
    let item = Item::Table(4);
    let funnels: Vec<_> = material
        .suites
        .iter()
        .flat_map(|suite| suite.funnels.iter().map(move |funnel| (suite, funnel)))
        .collect();
    if funnels.is_empty() {
        let reason = if material.suites.is_empty() {
            "no input holds a suite: run files of `humbly run` do"
        } else {
            "the suites of these runs hold no closed-book answers with self-verification: they are of controlled \
             conflict (Table 3)"
        };
        return PaperItem::NotDetermined { item, reason: reason.to_owned() };
    }
    let group = |name: &str, columns: &[&str]| ColumnGroup {
        name: name.to_owned(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
    };
    let mut table = PaperTable {
        item,
        stub: "data set · model".to_owned(),
        groups: vec![
            group("questions", &["total"]),
            group("funnel", &["has PK", "self agrees", "disagrees GT", "selected"]),
            group("conflict", &["total"]),
            group("control", &["agrees GT", "no belief"]),
        ],
        rows: Vec::new(),
        notes: vec![
            "counts; self agrees and disagrees GT are each counted among has PK; selected + agrees GT + no belief = \
             total"
                .to_owned(),
        ],
    };
    for (suite, funnel) in funnels {
        let cells = [
            funnel.total,
            funnel.has_pk,
            funnel.self_agrees,
            funnel.disagrees_gt,
            funnel.selected,
            funnel.selected,
            funnel.agrees_gt,
            funnel.no_strong_belief,
        ];
        table.rows.push(TableRow {
            name: format!("{} · {}", funnel.dataset, suite.model),
            source: Source::Runs,
            cells: cells.map(|value| TableCell::Count { value }).to_vec(),
        });
    }
    if against {
        for row in &published().table_4_natural_counts {
            let cells = row.counts().iter().map(|&value| TableCell::Count { value }).collect();
            let name = format!("{} · {}", row.dataset, row.agent);
            table.rows.push(TableRow { name, source: Source::Paper, cells });
        }
    }
    PaperItem::Determined(table)
}
