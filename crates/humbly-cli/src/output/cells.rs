//! How a measured number looks in a cell.

use humbly_types::Measured;

/// A number to three digits, without trailing noise.
pub(crate) fn number(value: f64) -> String {
    format!("{value:.3}")
}

/// Marks a number whose note stands in the JSON output (degenerate interval, constant confidence, …).
pub(crate) const NOTE_MARK: &str = "*";

/// Value, interval and n, one a line; or why there is none. Never an empty cell, never 0 for unknown.
pub(crate) fn measured_cell(measured: &Measured) -> String {
    let Some(value) = measured.value() else {
        let reason = measured.undefined_because().map_or("unknown", |undefined| undefined.reason.text());
        return format!("undefined:\n{reason}");
    };
    let mark = if measured.note.is_some() { NOTE_MARK } else { "" };
    let interval = measured
        .interval
        .as_ref()
        .map(|interval| format!("\n[{}, {}]", number(interval.low), number(interval.high)))
        .unwrap_or_default();
    let n = match measured.numerator {
        Some(numerator) => format!("{numerator}/{}", measured.n),
        None => format!("n={}", measured.n),
    };
    format!("{}{mark}{interval}\n{n}", number(value))
}
