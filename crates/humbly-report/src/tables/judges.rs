//! EH Table 6: agreement of judges, two at a time, over all and by setting.

use super::material::{AgreementLine, Material};
use super::model::{ColumnGroup, Item, PaperItem, PaperTable, Source, TableCell, TableRow};
use super::published::{PublishedAgreement, published};

const QUESTIONS: [&str; 3] = ["correctness", "identify", "escalate"];

pub(super) fn table(material: &Material, against: bool) -> PaperItem {
    let item = Item::Table(6);
    if material.agreement.is_empty() {
        let reason = match material.raters.as_slice() {
            [] => "no judge has judged these inputs".to_owned(),
            [one] => format!(
                "one judge ({one}) has judged these runs and agreement needs two: judge again with `humbly judge RUN \
                 --judge MODEL`"
            ),
            several => format!("no trajectory was judged by two of {}", several.join(", ")),
        };
        return PaperItem::NotDetermined { item, reason };
    }
    let mut rows: Vec<(&str, &str, &str)> = Vec::new();
    for line in &material.agreement {
        let row = (line.setting.as_str(), line.first.as_str(), line.second.as_str());
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let is_asked = |question: &str| material.agreement.iter().any(|line| line.question == question);
    let questions: Vec<&str> = QUESTIONS.into_iter().filter(|question| is_asked(question)).collect();
    let columns = ["raw", "κ", "AC1"].map(str::to_owned).to_vec();
    let mut table = PaperTable {
        item,
        stub: "setting · judges".to_owned(),
        groups: questions
            .iter()
            .map(|question| ColumnGroup { name: (*question).to_owned(), columns: columns.clone() })
            .collect(),
        rows: Vec::new(),
        notes: vec!["raw agreement in percent, Cohen's κ, Gwet's AC1".to_owned()],
    };
    if !is_asked("correctness") {
        table.notes.push("correctness has no two raters: it was decided by rules alone".to_owned());
    }
    for (setting, first, second) in rows {
        let of = |question: &str| {
            material.agreement.iter().find(|line| {
                line.question == question
                    && (line.setting.as_str(), line.first.as_str(), line.second.as_str())
                        == (setting, first, second)
            })
        };
        let cells = questions.iter().flat_map(|question| cells(of(question)));
        table.rows.push(TableRow {
            name: format!("{setting} · {first} and {second}"),
            source: Source::Runs,
            cells: cells.collect(),
        });
        for question in &questions {
            if let Some((line, share)) = of(question).and_then(|line| {
                Some((line, line.agreement.prevalence.value()?)).filter(|_| line.setting == "all")
            }) {
                table.notes.push(format!(
                    "{question}, {} and {}: {:.1} % of the labels are yes",
                    line.first,
                    line.second,
                    100.0 * share
                ));
            }
        }
    }
    if against {
        let mut names: Vec<(&str, &str)> = Vec::new();
        for row in &published().table_6_judge_agreement {
            if !names.contains(&(row.split.as_str(), row.pair.as_str())) {
                names.push((&row.split, &row.pair));
            }
        }
        for (split, pair) in names {
            let cells = questions.iter().flat_map(|question| {
                published()
                    .table_6_judge_agreement
                    .iter()
                    .find(|row| row.split == split && row.pair == pair && row.label == *question)
                    .map_or(
                        [TableCell::NotRun, TableCell::NotRun, TableCell::NotRun],
                        PublishedAgreement::cells,
                    )
            });
            table.rows.push(TableRow {
                name: format!("{split} · {}", pair.replace(" vs ", " and ")),
                source: Source::Paper,
                cells: cells.collect(),
            });
        }
    }
    PaperItem::Determined(table)
}

fn cells(line: Option<&AgreementLine>) -> [TableCell; 3] {
    let Some(AgreementLine { agreement, .. }) = line else {
        return [TableCell::NotRun, TableCell::NotRun, TableCell::NotRun];
    };
    [
        TableCell::percent(&agreement.raw),
        TableCell::coefficient(&agreement.kappa),
        TableCell::coefficient(&agreement.ac1),
    ]
}
