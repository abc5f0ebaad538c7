//! Cells as plain text: for the terminal and, one number a line, for CSV.

use humbly_types::Measured;

use super::model::{PaperTable, PublishedNumber, Source, TableCell, Unit};

/// Below this a test marks its cell.
const SIGNIFICANT: f64 = 0.05;

/// A number in its unit, one decimal for percent and points, three for coefficients.
pub(crate) fn in_unit(value: f64, unit: Unit) -> String {
    let text = match unit {
        Unit::Percent => format!("{:.1}", 100.0 * value),
        Unit::Points => format!("{:+.1}", 100.0 * value),
        Unit::Coefficient => format!("{value:.3}"),
    };
    match text.as_str() {
        "-0.0" | "+0.0" => "0.0".to_owned(),
        _ => text.replace('-', "−"),
    }
}

/// Whether the test of a cell marks it.
pub(crate) fn is_significant(cell: &TableCell) -> bool {
    match cell {
        TableCell::Measured { test: Some(test), .. } => test.p.value().is_some_and(|p| p < SIGNIFICANT),
        TableCell::Published(PublishedNumber { significant, .. }) => *significant == Some(true),
        _ => false,
    }
}

/// What a number rests on.
pub(super) fn basis(number: &Measured) -> String {
    match number.numerator {
        Some(numerator) => format!("{numerator}/{}", number.n),
        None => format!("n={}", number.n),
    }
}

/// A published number as the paper prints it.
pub(super) fn published(number: &PublishedNumber) -> String {
    let Some(value) = number.value else { return "–".to_owned() };
    let mut text = format!("{value:.*}", number.digits).replace('-', "−");
    if number.may_be_no_case {
        text.push_str(" (or no case)");
    }
    if let Some(half) = number.half_width {
        text.push_str(&format!(" ± {half:.1}"));
    }
    text
}

impl TableCell {
    /// Value, interval and n, one a line; or why there is none.
    pub fn text(&self) -> String {
        let mark = if is_significant(self) { "*" } else { "" };
        match self {
            Self::Count { value } => crate::number::count(*value),
            Self::NotRun => "not run".to_owned(),
            Self::ToolNotUsed => "tool not used".to_owned(),
            Self::Published(number) => format!("{}{mark}", published(number)),
            Self::Measured { unit, number, .. } => {
                let Some(value) = number.value() else {
                    let reason = number.undefined_because().map_or("unknown", |why| why.reason.text());
                    return format!("undefined:\n{reason}");
                };
                let interval = number.interval.as_ref().map(|interval| {
                    format!("\n[{}, {}]", in_unit(interval.low, *unit), in_unit(interval.high, *unit))
                });
                format!("{}{mark}{}\n{}", in_unit(value, *unit), interval.unwrap_or_default(), basis(number))
            }
        }
    }
}

impl PaperTable {
    /// The headings: the rows' names, then each column under its group.
    pub fn header(&self) -> Vec<String> {
        let columns = self.columns().map(|(group, column)| format!("{group}\n{column}"));
        std::iter::once(self.stub.clone()).chain(columns).collect()
    }

    /// The rows as text; those of the paper say so.
    pub fn text_rows(&self) -> Vec<Vec<String>> {
        self.rows
            .iter()
            .map(|row| {
                let name = match row.source {
                    Source::Runs => row.name.clone(),
                    Source::Paper => format!("paper: {}", row.name),
                };
                std::iter::once(name).chain(row.cells.iter().map(TableCell::text)).collect()
            })
            .collect()
    }

    /// Names of the fields of [`PaperTable::long_rows`].
    pub const LONG_HEADER: [&'static str; 14] = [
        "item",
        "source",
        "row",
        "group",
        "column",
        "kind",
        "value",
        "n",
        "numerator",
        "low",
        "high",
        "p",
        "undefined",
        "note",
    ];

    /// One line a cell, for CSV: rates as rates, the paper's numbers as it prints them.
    pub fn long_rows(&self) -> Vec<[String; 14]> {
        let mut lines = Vec::new();
        for row in &self.rows {
            for ((group, column), cell) in self.columns().zip(&row.cells) {
                let mut line: [String; 14] = Default::default();
                let source = if row.source == Source::Runs { "runs" } else { "paper" };
                let fields = long_cell(cell);
                let head = [
                    self.item.code(),
                    source.to_owned(),
                    row.name.clone(),
                    group.to_owned(),
                    column.to_owned(),
                ];
                for (to, from) in line.iter_mut().zip(head.into_iter().chain(fields)) {
                    *to = from;
                }
                lines.push(line);
            }
        }
        lines
    }
}

fn long_cell(cell: &TableCell) -> [String; 9] {
    let mut fields: [String; 9] = Default::default();
    let [kind, value, n, numerator, low, high, p, undefined, note] = &mut fields;
    match cell {
        TableCell::Count { value: count } => {
            "count".clone_into(kind);
            *value = count.to_string();
        }
        TableCell::NotRun => "not_run".clone_into(kind),
        TableCell::ToolNotUsed => "tool_not_used".clone_into(kind),
        TableCell::Published(number) => {
            "published".clone_into(kind);
            *value = number.value.map(|value| value.to_string()).unwrap_or_default();
            if number.may_be_no_case {
                "or no case".clone_into(note);
            }
            if number.value.is_none() {
                "not_reported".clone_into(undefined);
            }
        }
        TableCell::Measured { number, test, .. } => {
            "measured".clone_into(kind);
            let text = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            *value = text(number.value());
            *n = number.n.to_string();
            *numerator = number.numerator.map(|numerator| numerator.to_string()).unwrap_or_default();
            *low = text(number.interval.as_ref().map(|interval| interval.low));
            *high = text(number.interval.as_ref().map(|interval| interval.high));
            *p = text(test.as_ref().and_then(|test| test.p.value()));
            *undefined =
                number.undefined_because().map(|why| why.reason.code().to_owned()).unwrap_or_default();
            *note = number.note.clone().unwrap_or_default();
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use humbly_types::{Reason, Undefined};

    use super::*;

    #[test]
    fn percent_points_and_coefficients() {
        assert_eq!(in_unit(0.161, Unit::Percent), "16.1");
        assert_eq!(in_unit(-0.06, Unit::Points), "−6.0");
        assert_eq!(in_unit(0.0, Unit::Points), "0.0");
        assert_eq!(in_unit(0.405, Unit::Coefficient), "0.405");
    }

    #[test]
    fn a_published_zero_says_what_it_may_be_and_a_dash_stays_one() {
        let zero = PublishedNumber {
            value: Some(0.0),
            digits: 1,
            half_width: None,
            significant: None,
            may_be_no_case: true,
        };
        assert_eq!(published(&zero), "0.0 (or no case)");
        assert_eq!(TableCell::published(None, 1).text(), "–");
    }

    #[test]
    fn undefined_has_its_reason_and_no_number() {
        let number = Measured::undefined(Undefined::new(Reason::NoWrongAnswers));
        let cell = TableCell::percent(&number);
        assert_eq!(cell.text(), "undefined:\nno wrong answers");
        let [_, value, n, .., undefined, _] = long_cell(&cell);
        assert_eq!((value.as_str(), n.as_str(), undefined.as_str()), ("", "0", "no_wrong_answers"));
    }
}
