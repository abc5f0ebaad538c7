//! Names of the summary's groups: a letter for plots, and a label without the parts that all groups share.

use std::collections::BTreeSet;

use humbly_score::SummaryRow;

use crate::redact::Redactor;

/// A group as the page names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// `A`, `B`, …, `Z`, `AA`, …
    pub key: String,
    /// The parts in which groups differ.
    pub label: String,
    /// As few parts as tell the groups apart, for plots.
    pub short: String,
}

/// Names all groups of a report, in its order.
pub(crate) fn groups(rows: &[SummaryRow], redactor: &Redactor) -> Vec<Group> {
    let parts: Vec<Parts<'_>> = rows.iter().map(parts).collect();
    let varies = |column: usize| {
        parts.len() == 1 && column < 5 || parts.iter().any(|row| row.get(column) != parts[0].get(column))
    };
    let varying: Vec<usize> = (0..6).filter(|&column| varies(column)).collect();
    let telling = telling(&parts, &varying);
    let named = |row: &Parts<'_>, columns: &[usize]| {
        let names: Vec<String> = columns
            .iter()
            .filter_map(|&column| row.get(column).copied().flatten())
            .map(|name| redactor.text(name).into_owned())
            .collect();
        if names.is_empty() { "agent not recorded".to_owned() } else { names.join(" · ") }
    };
    parts
        .iter()
        .enumerate()
        .map(|(index, row)| Group {
            key: letters(index),
            label: named(row, &varying),
            short: named(row, &telling),
        })
        .collect()
}

type Parts<'a> = [Option<&'a str>; 6];

/// Drops columns, least telling first, while as many groups keep a name of their own.
fn telling(parts: &[Parts<'_>], varying: &[usize]) -> Vec<usize> {
    let names = |columns: &[usize]| {
        let name = |row: &Parts<'_>| -> Vec<Option<String>> {
            columns.iter().map(|&column| row.get(column).copied().flatten().map(str::to_owned)).collect()
        };
        parts.iter().map(name).collect::<BTreeSet<_>>().len()
    };
    let mut kept = varying.to_vec();
    if parts.len() < 2 {
        return kept;
    }
    for dropped in [5, 1, 0, 4, 3, 2] {
        let fewer: Vec<usize> = kept.iter().copied().filter(|&column| column != dropped).collect();
        if !fewer.is_empty() && names(&fewer) == names(&kept) {
            kept = fewer;
        }
    }
    kept
}

fn parts(row: &SummaryRow) -> Parts<'_> {
    [
        row.agent.as_deref(),
        row.model.as_deref(),
        row.dataset.as_deref(),
        row.scenario.as_deref(),
        row.condition.as_deref(),
        Some(&row.judge),
    ]
}

pub(crate) fn letters(mut index: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + u8::try_from(index % 26).unwrap_or(0)));
        if index < 26 {
            break;
        }
        index = index / 26 - 1;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_another_determines_is_dropped() {
        let row = |agent, model, dataset| [Some(agent), Some(model), Some(dataset), None, None, Some("j")];
        let parts = [row("a", "m", "x"), row("a", "m", "y"), row("b", "n", "x")];
        assert_eq!(telling(&parts, &[0, 1, 2]), [0, 2]);
        assert_eq!(telling(&parts[..1], &[0, 1, 2]), [0, 1, 2]);
    }

    #[test]
    fn keys_go_on_after_z() {
        assert_eq!(letters(0), "A");
        assert_eq!(letters(25), "Z");
        assert_eq!(letters(26), "AA");
        assert_eq!(letters(701), "ZZ");
        assert_eq!(letters(702), "AAA");
    }
}
