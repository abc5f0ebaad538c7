//! Names of the summary's groups: a letter for plots, and a label without the parts that all groups share.

use humbly_score::SummaryRow;

use crate::redact::Redactor;

/// A group as the page names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// `A`, `B`, …, `Z`, `AA`, …
    pub key: String,
    /// The parts in which groups differ.
    pub label: String,
}

/// Names all groups of a report, in its order.
pub(crate) fn groups(rows: &[SummaryRow], redactor: &Redactor) -> Vec<Group> {
    let parts: Vec<[Option<&str>; 5]> = rows.iter().map(parts).collect();
    let varies = |column: usize| {
        parts.len() == 1 || parts.iter().any(|row| row.get(column) != parts[0].get(column))
    };
    let varying: Vec<usize> = (0..4).chain((parts.len() > 1).then_some(4)).filter(|&column| varies(column)).collect();
    parts
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let mut names: Vec<String> = varying
                .iter()
                .filter_map(|&column| row.get(column).copied().flatten())
                .map(|name| redactor.text(name).into_owned())
                .collect();
            if names.is_empty() {
                names.push("agent not recorded".to_owned());
            }
            Group { key: letters(index), label: names.join(" · ") }
        })
        .collect()
}

fn parts(row: &SummaryRow) -> [Option<&str>; 5] {
    [
        row.agent.as_deref(),
        row.model.as_deref(),
        row.dataset.as_deref(),
        row.condition.as_deref(),
        Some(&row.judge),
    ]
}

fn letters(mut index: usize) -> String {
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
    fn keys_go_on_after_z() {
        assert_eq!(letters(0), "A");
        assert_eq!(letters(25), "Z");
        assert_eq!(letters(26), "AA");
        assert_eq!(letters(701), "ZZ");
        assert_eq!(letters(702), "AAA");
    }
}
