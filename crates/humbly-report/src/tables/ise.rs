//! EH Tables 5 and 9: Identify, Solve and Escalate, without and with a clause in the prompt.

use humbly_score::SummaryRow;

use super::configurations::{Configurations, none};
use super::material::Material;
use super::model::{ColumnGroup, Item, PaperItem, PaperTable, Source, TableCell, TableRow};
use super::published::{PublishedIse, published};

pub(super) fn table(item: Item, material: &Material, against: bool) -> PaperItem {
    let prompted = item == Item::Table(9);
    let configurations = Configurations::of(material, prompted);
    if configurations.is_empty() {
        return PaperItem::NotDetermined { item, reason: none(material, prompted) };
    }
    let rows: &[PublishedIse] = match (against, prompted) {
        (false, _) => &[],
        (true, false) => &published().table_5_ise_default,
        (true, true) => &published().table_9_ise_humility_prompt,
    };
    let datasets = configurations.datasets_with(rows.iter().map(|row| &row.dataset));
    let columns = ["Identify", "Solve", "Escalate"].map(str::to_owned).to_vec();
    let groups =
        datasets.iter().map(|set| ColumnGroup { name: set.clone(), columns: columns.clone() }).collect();
    let mut table = PaperTable {
        item,
        stub: "agent · model".to_owned(),
        groups,
        rows: Vec::new(),
        notes: vec![
            "Identify is the F1 over both splits; Solve is taken over conflict trajectories that identified the gap, \
             Escalate over wrong answers on conflict tasks"
                .to_owned(),
        ],
    };
    for name in &configurations.names {
        let cells = datasets.iter().flat_map(|dataset| measured(configurations.cell(name, dataset)));
        table.rows.push(TableRow { name: name.clone(), source: Source::Runs, cells: cells.collect() });
    }
    let mut agents: Vec<&str> = Vec::new();
    for row in rows {
        if !agents.contains(&row.agent.as_str()) {
            agents.push(&row.agent);
        }
    }
    for agent in agents {
        let cells = datasets.iter().flat_map(|dataset| {
            rows.iter()
                .find(|row| row.agent == agent && row.dataset == *dataset)
                .map_or([TableCell::NotRun, TableCell::NotRun, TableCell::NotRun], PublishedIse::cells)
        });
        table.rows.push(TableRow { name: agent.to_owned(), source: Source::Paper, cells: cells.collect() });
    }
    if against {
        table.notes.push(
            "paper: a Solve or Escalate of 0.0 stands there also where no trajectory was in the denominator, so it is \
             shown as `0.0 (or no case)`; – means that a run or its evaluation gave no predictions"
                .to_owned(),
        );
    }
    PaperItem::Determined(table)
}

fn measured(row: Option<&SummaryRow>) -> [TableCell; 3] {
    let Some(row) = row else { return [TableCell::NotRun, TableCell::NotRun, TableCell::NotRun] };
    [&row.identify.f1, &row.solve, &row.escalate].map(TableCell::percent)
}
