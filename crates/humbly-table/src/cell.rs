//! One cell.

/// What a cell holds, before anybody asks for a type.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Cell {
    /// Nothing: an empty field, `null`, or one of the words for it.
    #[default]
    Missing,
    /// A whole number.
    Integer(i64),
    /// A number; NaN and infinities are kept until a number is asked for and refused then.
    Number(f64),
    /// A truth value.
    Flag(bool),
    /// Text, also numbers of CSV as they are written.
    Text(Box<str>),
}

/// Words that mean "missing" in the files that data-frame libraries write.
const MISSING: &[&str] = &["", "null", "NULL", "None", "NA", "N/A", "<NA>"];

impl Cell {
    /// A field of a text format.
    pub(crate) fn of_text(text: &str) -> Self {
        if MISSING.contains(&text.trim()) { Self::Missing } else { Self::Text(text.into()) }
    }

    /// The text of the cell, `None` where it is missing.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Missing => None,
            Self::Integer(value) => Some(value.to_string()),
            Self::Number(value) => Some(value.to_string()),
            Self::Flag(value) => Some(value.to_string()),
            Self::Text(text) => Some(text.to_string()),
        }
    }

    /// A finite number, `Ok(None)` where it is missing.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn number(&self) -> Result<Option<f64>, NoNumber> {
        let value = match self {
            Self::Missing => return Ok(None),
            #[expect(clippy::cast_precision_loss, reason = "whole numbers of data files stay below 2^53")]
            Self::Integer(value) => *value as f64,
            Self::Number(value) => *value,
            Self::Flag(flag) => return Err(NoNumber::Text(flag.to_string())),
            Self::Text(text) => match text.trim().parse::<f64>() {
                Ok(value) => value,
                Err(_) => return Err(NoNumber::Text(shortened(text))),
            },
        };
        if value.is_finite() { Ok(Some(value)) } else { Err(NoNumber::NotFinite(value)) }
    }

    /// A truth value: 0, 1, true, false, or the score letters C and I (correct, incorrect) of Inspect;
    /// `Ok(None)` where it is missing.
    ///
    /// # Errors
    /// What stands there instead.
    pub fn flag(&self) -> Result<Option<bool>, NoNumber> {
        if let Self::Flag(flag) = self {
            return Ok(Some(*flag));
        }
        if let Self::Text(text) = self {
            let word = text.trim();
            if word.eq_ignore_ascii_case("true") || word == "C" {
                return Ok(Some(true));
            }
            if word.eq_ignore_ascii_case("false") || word == "I" {
                return Ok(Some(false));
            }
        }
        match self.number()? {
            None => Ok(None),
            Some(value) if value.abs() < f64::EPSILON => Ok(Some(false)),
            Some(value) if (value - 1.0).abs() < f64::EPSILON => Ok(Some(true)),
            Some(value) => Err(NoNumber::Other(value)),
        }
    }
}

/// Why a cell is no number or truth value.
#[derive(Debug, Clone, PartialEq)]
pub enum NoNumber {
    /// NaN or an infinite number.
    NotFinite(f64),
    /// A number that is no truth value.
    Other(f64),
    /// Something else, shortened for display.
    Text(String),
}

impl std::fmt::Display for NoNumber {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFinite(value) => write!(formatter, "{value}"),
            Self::Other(value) => write!(formatter, "`{value}`"),
            Self::Text(text) => write!(formatter, "`{text}`"),
        }
    }
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let head: String = characters.by_ref().take(40).collect();
    if characters.next().is_some() { head + "…" } else { head }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_words_are_missing_and_zero_is_not() {
        assert_eq!(Cell::of_text(" None "), Cell::Missing);
        assert_eq!(Cell::of_text("0").number().unwrap(), Some(0.0));
        assert_eq!(Cell::of_text("nan").number().unwrap_err().to_string(), "NaN");
        assert_eq!(Cell::of_text("90%").number().unwrap_err().to_string(), "`90%`");
    }

    #[test]
    fn only_zero_and_one_are_truth_values() {
        for (text, flag) in [("1", true), ("0.0", false), ("True", true), ("FALSE", false)] {
            assert_eq!(Cell::of_text(text).flag().unwrap(), Some(flag));
        }
        assert!(Cell::of_text("0.95").flag().is_err());
        assert!(Cell::of_text("yes").flag().is_err());
    }
}
