//! How a measured number looks in a cell.

use humbly_types::Measured;

/// A number to three digits, without trailing noise.
pub(crate) fn number(value: f64) -> String {
    format!("{value:.3}")
}

/// Value, interval and n; or why there is none. Never an empty cell, never 0 for unknown.
pub(crate) fn measured_cell(measured: &Measured) -> String {
    let Some(value) = measured.value() else {
        let reason = measured.undefined_because().map_or("unknown", |undefined| undefined.reason.text());
        return format!("undefined:\n{reason}");
    };
    let n = match measured.numerator {
        Some(numerator) => format!("{numerator}/{}", measured.n),
        None => format!("n={}", measured.n),
    };
    let interval = measured
        .interval
        .as_ref()
        .map(|interval| format!(" [{}, {}]", number(interval.low), number(interval.high)))
        .unwrap_or_default();
    let note = measured.note.as_ref().map(|note| format!("\n{note}")).unwrap_or_default();
    format!("{}{interval}\n{n}{note}", number(value))
}
