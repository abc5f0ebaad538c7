//! "150 (acceptable range: anything between 148 and 152)".

use serde::{Deserialize, Serialize};

/// Numbers that count as right, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AcceptableRange {
    /// Least.
    pub low: f64,
    /// Greatest.
    pub high: f64,
}

impl AcceptableRange {
    /// Whether a number is inside.
    ///
    /// # Examples
    /// ```
    /// let range = humbly_data::AcceptableRange { low: 148.0, high: 152.0 };
    /// assert!(range.contains(152.0) && !range.contains(152.5));
    /// ```
    pub fn contains(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
    }
}

/// An answer apart from the range behind it.
///
/// `Ok((answer, None))` where no range stands there; the error is the text of a range that is none.
pub(crate) fn split_range(answer: &str) -> Result<(&str, Option<AcceptableRange>), &str> {
    let answer = answer.trim();
    // The last bracket: an answer may hold brackets of its own.
    let Some(start) = answer.rfind('(') else { return Ok((answer, None)) };
    let (value, range) = answer.split_at(start);
    let inner = range.trim_start_matches('(');
    let Some(prefix) = inner.get(.."acceptable range".len()) else { return Ok((answer, None)) };
    if !prefix.eq_ignore_ascii_case("acceptable range") {
        return Ok((answer, None));
    }
    let inner = inner.strip_suffix(')').ok_or(range)?;
    let words = inner.get(prefix.len()..).unwrap_or_default().trim_start_matches(':').trim();
    let words = words.strip_prefix("anything").map_or(words, str::trim_start);
    let words = words.strip_prefix("between").map_or(words, str::trim_start);
    let (low, high) = words.split_once(" and ").or_else(|| words.split_once(" to ")).ok_or(range)?;
    let (low, high) = (number(low).ok_or(range)?, number(high).ok_or(range)?);
    // Upstream writes some ranges of negative numbers from the greater end.
    let (low, high) = if low <= high { (low, high) } else { (high, low) };
    Ok((value.trim_end(), Some(AcceptableRange { low, high })))
}

/// A number as people write it: `10,440,976`, `$1.5`, `-3 °C`, `12%`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().replace('−', "-");
    let start = text.find(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))?;
    let rest = text.get(start..)?;
    let end = rest
        .char_indices()
        .find(|(index, c)| {
            !(c.is_ascii_digit() || matches!(c, ',' | '.') || *index == 0 && matches!(c, '-' | '+'))
        })
        .map_or(rest.len(), |(index, _)| index);
    let digits = rest.get(..end)?.replace(',', "");
    digits.trim_end_matches('.').parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(low: f64, high: f64) -> AcceptableRange {
        AcceptableRange { low, high }
    }

    #[test]
    fn a_range_is_split_from_the_answer() {
        let text = "10,990,502 (acceptable range: anything between 10,440,976 and 11,540,028)";
        assert_eq!(split_range(text), Ok(("10,990,502", Some(range(10_440_976.0, 11_540_028.0)))));
        let text = "-3.5 °C (Acceptable range: between −4 °C and −3 °C)";
        assert_eq!(split_range(text), Ok(("-3.5 °C", Some(range(-4.0, -3.0)))));
        assert_eq!(
            split_range("(a) 5 (acceptable range: 4.5 to 5.5.)"),
            Ok(("(a) 5", Some(range(4.5, 5.5))))
        );
        assert_eq!(split_range("tramp steamer (or collier)"), Ok(("tramp steamer (or collier)", None)));
        assert_eq!(split_range(" 2023 "), Ok(("2023", None)));
    }

    #[test]
    fn a_range_without_numbers_is_refused() {
        for text in
            ["5 (acceptable range: a few)", "5 (acceptable range: between 4 and 6", "5 (acceptable range)"]
        {
            assert!(split_range(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_read(text in any::<String>(), tail in any::<String>()) {
            let _ = split_range(&text);
            let _ = split_range(&format!("5 (acceptable range: {tail}"));
        }

        #[test]
        fn written_ranges_come_back(low in -1000_i32..1000, width in 0_i32..1000) {
            let text = format!("7 (acceptable range: anything between {low} and {})", low + width);
            prop_assert_eq!(split_range(&text), Ok(("7", Some(range(f64::from(low), f64::from(low + width))))));
        }
    }
}
