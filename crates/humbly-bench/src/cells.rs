//! Whether a table has enough in it to be shown.

use humbly_score::SummaryRow;
use humbly_types::Measured;

/// What a table is asked to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needed {
    /// Pairs of conflict and control.
    pub pairs: usize,
    /// Defined cells of each rate.
    pub cells: usize,
}

/// Picks a rate of a row.
type Rate = fn(&SummaryRow) -> &Measured;

/// What is missing, one sentence each; empty where nothing is.
///
/// # Examples
/// ```
/// use humbly_bench::{Needed, missing_cells};
/// let missing = missing_cells(&[], 12, Needed { pairs: 30, cells: 5 });
/// assert_eq!(missing[0], "12 pairs of level 3, 30 needed");
/// ```
pub fn missing_cells(rows: &[SummaryRow], pairs: usize, needed: Needed) -> Vec<String> {
    let mut missing = Vec::new();
    if pairs < needed.pairs {
        missing.push(format!("{pairs} pairs of level 3, {} needed", needed.pairs));
    }
    let rates: [(&str, Rate); 3] = [
        ("Identify", |row| &row.identify.f1),
        ("Solve", |row| &row.solve),
        ("Escalate", |row| &row.escalate),
    ];
    for (name, rate) in rates {
        let defined = rows.iter().filter(|row| rate(row).value().is_some()).count();
        if defined < needed.cells {
            let reason = rows
                .iter()
                .find_map(|row| rate(row).undefined_because())
                .map_or_else(String::new, |undefined| format!("; elsewhere undefined: {undefined}"));
            missing.push(format!(
                "{name} is defined in {defined} of {} cells, {} needed{reason}",
                rows.len(),
                needed.cells
            ));
        }
    }
    missing
}
