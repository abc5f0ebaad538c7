//! GAIA's quasi-exact match: numbers, lists and strings.

use crate::normalize::{gaia_string, nfkc_dash};

/// What the reference was compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GaiaRule {
    /// One number.
    Number,
    /// Elements parted by commas or semicolons.
    List,
    /// Text.
    String,
}

/// Outcome of a GAIA match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaiaMatch {
    /// Whether the answer is right.
    pub is_match: bool,
    /// What the reference was compared as.
    pub rule: GaiaRule,
    /// A number was due and the answer is none: the rows to list beside a result.
    pub is_unreadable_number: bool,
}

/// GAIA's quasi-exact match of `prediction` with `reference`.
///
/// A reference that is a finite number asks for a number (`$`, `%`, thousands separators and a final
/// full stop are dropped from the answer); one with commas or semicolons asks for a list of the same
/// length in the same order; any other is compared as a string without case, white space and punctuation.
///
/// Departures from the released scorer, kept in [`gaia_upstream`]:
/// 1. an unreadable number is wrong; there it is infinity, which equals the reference `inf`;
/// 2. dashes, minus signs, full-width digits and the like are made equal first;
/// 3. a reference such as `1,234` is a number if the answer is one, else a list.
///
/// # Source
/// Mialon et al. (2023), arXiv:2311.12983, and the scorer released with it.
///
/// # Examples
/// ```
/// # use humbly_text::matching::gaia_quasi_exact;
/// assert!(gaia_quasi_exact("$1,500.0", "1500").is_match);
/// assert!(gaia_quasi_exact("egg; Milk", "egg, milk").is_match);
/// assert!(!gaia_quasi_exact("no idea", "inf").is_match);
/// let wrong = gaia_quasi_exact("no idea", "5");
/// assert!(!wrong.is_match && wrong.is_unreadable_number);
/// ```
pub fn gaia_quasi_exact(prediction: &str, reference: &str) -> GaiaMatch {
    let (prediction, reference) = (nfkc_dash(prediction), nfkc_dash(reference));
    if let Some(expected) = plain_number(&reference) {
        let found = stated_number(&prediction);
        let is_match = found.is_some_and(|found| is_same(found, expected));
        return GaiaMatch { is_match, rule: GaiaRule::Number, is_unreadable_number: found.is_none() };
    }
    if !reference.contains([',', ';']) {
        let is_match = is_same_text(&prediction, &reference, gaia_string);
        return GaiaMatch { is_match, rule: GaiaRule::String, is_unreadable_number: false };
    }
    if let (true, Some(expected), Some(found)) =
        (is_grouped(&reference), stated_number(&reference), stated_number(&prediction))
    {
        let is_match = is_same(found, expected);
        return GaiaMatch { is_match, rule: GaiaRule::Number, is_unreadable_number: false };
    }
    let (expected, found) = (elements(&reference), elements(&prediction));
    let mut is_unreadable_number = false;
    let is_match = expected.len() == found.len()
        && expected.iter().zip(&found).all(|(expected, found)| match plain_number(expected) {
            Some(expected) => {
                let found = stated_number(found);
                is_unreadable_number |= found.is_none();
                found.is_some_and(|found| is_same(found, expected))
            }
            None => is_same_text(found, expected, folded),
        });
    GaiaMatch { is_match, rule: GaiaRule::List, is_unreadable_number }
}

/// The released GAIA scorer's verdict, faults included, for comparison with published numbers.
///
/// # Examples
/// ```
/// # use humbly_text::matching::gaia_upstream;
/// assert!(gaia_upstream("no idea", "inf"));
/// ```
pub fn gaia_upstream(prediction: &str, reference: &str) -> bool {
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    let number =
        |text: &str| text.replace(['$', '%', ','], "").trim().parse::<f64>().unwrap_or(f64::INFINITY);
    #[expect(clippy::float_cmp, reason = "the released scorer compares exactly")]
    let is_same_number = |found: &str, expected: &str| {
        expected.trim().parse().is_ok_and(|expected: f64| number(found) == expected)
    };
    let string = |text: &str, keep_punctuation: bool| -> String {
        let kept = |c: &char| !c.is_whitespace() && (keep_punctuation || !c.is_ascii_punctuation());
        text.chars().filter(kept).collect::<String>().to_lowercase()
    };
    if is_number(reference) {
        return is_same_number(prediction, reference);
    }
    if !reference.contains([',', ';']) {
        return string(prediction, false) == string(reference, false);
    }
    let (expected, found) = (elements(reference), elements(prediction));
    expected.len() == found.len()
        && expected.iter().zip(&found).all(|(expected, found)| {
            if is_number(expected) {
                is_same_number(found, expected)
            } else {
                string(found, true) == string(expected, true)
            }
        })
}

fn elements(text: &str) -> Vec<&str> {
    text.split([',', ';']).collect()
}

/// A finite decimal number, spelled with digits.
fn plain_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let has_digits_only =
        text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-' | b'e' | b'E'));
    let value = has_digits_only.then(|| text.parse::<f64>().ok()).flatten()?;
    value.is_finite().then_some(value)
}

/// The number that an answer states: units of money and percent, thousands separators and a full stop
/// around it do not count.
fn stated_number(text: &str) -> Option<f64> {
    let text = text
        .trim()
        .trim_end_matches('.')
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"'));
    let bare: String =
        text.chars().filter(|c| !matches!(c, '$' | '€' | '£' | '%' | ',') && !c.is_whitespace()).collect();
    // `1 2` is two numbers unless the space parts thousands.
    let parts_are_thousands = text.split_whitespace().skip(1).all(|part| {
        let digits = part.trim_end_matches(['%', '€', '$', '£', '.']);
        digits.is_empty()
            || digits.len() >= 3 && digits.as_bytes().iter().take(3).all(u8::is_ascii_digit)
            || !text.starts_with(|c: char| c.is_ascii_digit())
    });
    if parts_are_thousands { plain_number(&bare) } else { None }
}

/// `1,234` or `12,345,678.9`.
fn is_grouped(text: &str) -> bool {
    let text = text.trim().trim_start_matches(['-', '+', '$']);
    let whole = text.split('.').next().unwrap_or(text);
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or("");
    let all_digits = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    (1..=3).contains(&first.len())
        && all_digits(first)
        && groups.all(|group| group.len() == 3 && all_digits(group))
}

fn folded(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase()
}

/// Texts that vanish in the normal form are compared without it: `+` is not `-`.
fn is_same_text(found: &str, expected: &str, normal: fn(&str) -> String) -> bool {
    let (found_form, expected_form) = (normal(found), normal(expected));
    if found_form.is_empty() || expected_form.is_empty() {
        return folded(found) == folded(expected);
    }
    found_form == expected_form
}

#[expect(clippy::float_cmp, reason = "both come from decimal text; GAIA asks for the same number")]
fn is_same(left: f64, right: f64) -> bool {
    left == right
}
