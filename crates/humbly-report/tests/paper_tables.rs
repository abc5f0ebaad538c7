//! The paper's tables from counts of suites and agreement of judges; tables of runs are tested through the command.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use humbly_report::tables::{
    Agreement, AgreementLine, FunnelCounts, Item, Material, PaperItem, PaperTable, Source, SuiteCounts,
    TableCell, latex, paper_report,
};
use humbly_report::{ReportOptions, write_paper_page};
use humbly_types::{Measured, Reason, Undefined};

/// A model whose name tries to be markup, LaTeX and a formula of a spreadsheet.
const HOSTILE: &str = "=cmd|<script>alert(1)</script> \\input{x} & 50 %";

fn material() -> Material {
    let controlled = SuiteCounts {
        model: HOSTILE.to_owned(),
        levels: Some([1, 2, 3, 4]),
        failed: 5,
        tasks: BTreeMap::from([
            (("rag".to_owned(), "conflict".to_owned()), 4),
            (("rag".to_owned(), "control".to_owned()), 4),
        ]),
        funnels: Vec::new(),
    };
    let natural = SuiteCounts {
        model: "m".to_owned(),
        funnels: vec![FunnelCounts {
            dataset: "GAIA".to_owned(),
            total: 10,
            has_pk: 8,
            self_agrees: 6,
            disagrees_gt: 5,
            selected: 4,
            agrees_gt: 2,
            no_strong_belief: 4,
        }],
        ..SuiteCounts::default()
    };
    let line = |question: &str, kappa: Measured| AgreementLine {
        setting: "all".to_owned(),
        question: question.to_owned(),
        first: "a".to_owned(),
        second: "b".to_owned(),
        agreement: Agreement {
            raw: Measured::proportion(9, 10),
            kappa,
            ac1: Measured::new(0.8, 10),
            prevalence: Measured::proportion(1, 20),
        },
    };
    Material {
        suites: vec![controlled, natural],
        raters: vec!["a".to_owned(), "b".to_owned()],
        agreement: vec![
            line("identify", Measured::new(0.5, 10)),
            line("escalate", Measured::undefined(Undefined::new(Reason::ChanceAgreementIsOne)).with_n(10)),
        ],
        ..Material::default()
    }
}

fn table(item: Item, against: bool) -> PaperTable {
    match paper_report(&material(), &[item], against).items.remove(0) {
        PaperItem::Determined(table) => table,
        PaperItem::NotDetermined { reason, .. } => panic!("{item}: {reason}"),
    }
}

fn counts(table: &PaperTable, row: usize) -> Vec<u64> {
    table.rows[row]
        .cells
        .iter()
        .map(|cell| match cell {
            TableCell::Count { value } => *value,
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn counts_of_suites_stand_beside_the_papers() {
    let controlled = table(Item::Table(3), true);
    assert_eq!(counts(&controlled, 0), [1, 2, 3, 4, 0, 4, 4, 0, 0]);
    assert_eq!((controlled.rows.len(), controlled.rows[1].source), (6, Source::Paper));
    assert_eq!(counts(&controlled, 1), [107, 12_412, 339, 809, 13_667, 13_010, 13_010, 12_029, 12_029]);
    assert!(controlled.notes.iter().any(|note| note.starts_with("5 questions have no level")));
    let natural = table(Item::Table(4), true);
    assert_eq!(counts(&natural, 0), [10, 8, 6, 5, 4, 4, 2, 4]);
    assert_eq!(natural.rows.len(), 16);
    assert_eq!(table(Item::Table(4), false).rows.len(), 1);
}

#[test]
fn a_coefficient_without_a_value_says_why() {
    let agreement = table(Item::Table(6), true);
    let names: Vec<&str> = agreement.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["identify", "escalate"]);
    assert_eq!(agreement.rows[0].cells[4].text(), "undefined:\nchance agreement is 1");
    assert_eq!(agreement.rows[0].cells[1].text(), "0.500\nn=10");
    assert_eq!((agreement.rows.len(), agreement.rows[1].cells[1].text().as_str()), (10, "0.405"));
    assert!(agreement.notes.iter().any(|note| note == "identify, a and b: 5.0 % of the labels are yes"));
}

#[test]
fn wide_tables_are_cut_between_groups_and_lose_nothing() {
    let whole = table(Item::Table(3), true);
    let parts = whole.parts(5);
    let widths: Vec<usize> = parts.iter().map(PaperTable::width).collect();
    assert_eq!(widths, [5, 4]);
    let cells: usize = parts.iter().flat_map(|part| &part.rows).map(|row| row.cells.len()).sum();
    assert_eq!(cells, whole.rows.len() * whole.width());
    assert!(parts[0].notes.is_empty() && parts[1].notes == whole.notes);
    assert_eq!(whole.parts(1).len(), 4, "a group wider than the page stays whole");
}

#[test]
fn a_hostile_name_stays_a_name_everywhere() {
    let report = paper_report(&material(), &Item::ALL, true);
    let text = latex(&report);
    assert!(
        text.contains("\\textbackslash{}input\\{x\\} \\& 50 \\%") && !text.contains("\\input{x}"),
        "{text}"
    );
    let mut page = Vec::new();
    write_paper_page(&mut page, &report, &material(), &[], true, &ReportOptions::default()).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>alert(1)"));
    for (item, reason) in
        [("Table 1", "no trajectory has a task"), ("Table 7", "no filled annotation sheets")]
    {
        assert!(page.contains(&format!("<dt>{item}: ")) && page.contains(reason), "{item}");
    }
}

#[test]
fn nothing_at_hand_determines_nothing() {
    let report = paper_report(&Material::default(), &Item::ALL, true);
    assert!(report.items.iter().all(|item| matches!(item, PaperItem::NotDetermined { .. })));
    assert_eq!(latex(&report).matches("is not determined").count(), Item::ALL.len());
}
