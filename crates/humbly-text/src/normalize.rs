//! Normal forms of answers, each with a name for reports.
//!
//! Only what a reader cannot tell apart is made equal: composed and decomposed letters, ligatures,
//! full-width digits, kinds of dashes and quotation marks.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// A normal form that answers are compared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Normalizer {
    /// The text as it stands.
    #[serde(rename = "none")]
    None,
    /// [`nfkc_dash`].
    #[serde(rename = "nfkc+dash")]
    NfkcDash,
    /// [`quasi`].
    #[serde(rename = "quasi")]
    Quasi,
    /// [`squad`].
    #[serde(rename = "squad")]
    Squad,
    /// [`gaia_string`].
    #[serde(rename = "gaia")]
    Gaia,
}

impl Normalizer {
    /// Name in reports, the same as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NfkcDash => "nfkc+dash",
            Self::Quasi => "quasi",
            Self::Squad => "squad",
            Self::Gaia => "gaia",
        }
    }

    /// Normal form of `text`.
    ///
    /// # Examples
    /// ```
    /// # use humbly_text::normalize::Normalizer;
    /// assert_eq!(Normalizer::NfkcDash.apply("cafe\u{301} 1911–1914"), "café 1911-1914");
    /// ```
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::None => Cow::Borrowed(text),
            Self::NfkcDash => nfkc_dash(text),
            Self::Quasi => Cow::Owned(quasi(text)),
            Self::Squad => Cow::Owned(squad(text)),
            Self::Gaia => Cow::Owned(gaia_string(text)),
        }
    }
}

/// Unicode NFKC, one hyphen for every dash and minus, straight quotation marks, no invisible marks.
///
/// Borrowed where nothing changes. Case and white space stay. Two departures from NFKC, which would make
/// unequal numbers equal: `10²` becomes `10^2`, not `102`, and `3½` becomes `3 1/2`, not `31/2`.
///
/// # Examples
/// ```
/// # use humbly_text::normalize::nfkc_dash;
/// assert_eq!(nfkc_dash("−５ “ﬁre”"), "-5 \"fire\"");
/// ```
pub fn nfkc_dash(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let is_nfkc = is_nfkc_quick(text.chars()) == IsNormalized::Yes;
    if is_nfkc && text.chars().all(|c| plain(c) == Some(c)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(spelled_out(text).nfkc().filter_map(plain).collect())
}

/// Keeps exponents and fractions apart from the digits before them, and drops invisible marks, which
/// would keep a letter from its accent.
fn spelled_out(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    let mut previous = ' ';
    for c in text.chars() {
        if is_superscript(c) && !is_superscript(previous) && (previous.is_alphanumeric() || previous == ')') {
            spelled.push('^');
        } else if matches!(c, '\u{bc}'..='\u{be}' | '\u{2150}'..='\u{215f}') && previous.is_numeric() {
            spelled.push(' ');
        }
        if plain(c).is_some() {
            spelled.push(c);
            previous = c;
        }
    }
    spelled
}

fn is_superscript(c: char) -> bool {
    matches!(c, '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}' | '\u{2074}'..='\u{207b}')
}

/// The plain form of dashes and quotation marks; `None` for marks that nobody sees.
fn plain(c: char) -> Option<char> {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => Some('-'),
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' => Some('\''),
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2033}' => Some('"'),
        '\u{2044}' | '\u{2215}' => Some('/'),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => None,
        other => Some(other),
    }
}

/// Runs of white space become one space; none at the ends.
///
/// # Examples
/// ```
/// # use humbly_text::normalize::fold_whitespace;
/// assert_eq!(fold_whitespace(" a \n\t b "), "a b");
/// ```
pub fn fold_whitespace(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// [`nfkc_dash`], lower case, folded white space, without markup, quotation marks or a full stop around.
///
/// Signs and inner punctuation stay: `-5` is not `5`.
///
/// # Examples
/// ```
/// # use humbly_text::normalize::quasi;
/// assert_eq!(quasi("**Maybe.**"), "maybe");
/// assert_eq!(quasi(" −5"), "-5");
/// ```
pub fn quasi(text: &str) -> String {
    let folded = fold_whitespace(&nfkc_dash(text).to_lowercase());
    unwrapped(&folded).to_owned()
}

/// Drops Markdown emphasis, quotation marks and dollar signs around `text`, and punctuation that ends
/// a sentence behind it.
pub(crate) fn unwrapped(text: &str) -> &str {
    let wrapper =
        |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '"' | '\'' | '“' | '”' | '‘' | '’');
    let start = text.trim_start_matches(|c| wrapper(c) || c == '$' && text.ends_with('$'));
    start.trim_end_matches(|c| wrapper(c) || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '$' | '。'))
}

/// SQuAD normal form: lower case, no ASCII punctuation, no English articles, folded white space.
///
/// # Source
/// Rajpurkar et al. (2016), arXiv:1606.05250, evaluation; the same as in Search-R1. Other Unicode
/// punctuation stays, as there.
///
/// # Examples
/// ```
/// # use humbly_text::normalize::squad;
/// assert_eq!(squad("The Beatles!"), "beatles");
/// ```
pub fn squad(text: &str) -> String {
    let lower: String = text.to_lowercase().chars().filter(|c| !c.is_ascii_punctuation()).collect();
    let mut kept = String::with_capacity(lower.len());
    let mut rest = lower.as_str();
    while let Some(c) = rest.chars().next() {
        let length = if is_word(c) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
        let piece = &rest[..length];
        kept.push_str(if matches!(piece, "a" | "an" | "the") { " " } else { piece });
        rest = &rest[length..];
    }
    fold_whitespace(&kept)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// GAIA normal form of a string: no white space, no ASCII punctuation, lower case, after [`nfkc_dash`].
///
/// # Source
/// GAIA's released scorer, but for the Unicode step, which is ours.
///
/// # Examples
/// ```
/// # use humbly_text::normalize::gaia_string;
/// assert_eq!(gaia_string("Sea-Gull Street."), "seagullstreet");
/// ```
pub fn gaia_string(text: &str) -> String {
    nfkc_dash(text)
        .to_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_ascii_punctuation())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_reader_cannot_tell_apart_is_equal() {
        // Case nrm-04.
        let gold = "café 1911–1914";
        for answer in [
            "café 1911-1914",
            "cafe\u{301} 1911\u{2011}1914",
            "café １９１１—１９１４",
            "ca\u{ad}fé 1911−1914",
        ] {
            assert_eq!(nfkc_dash(gold), nfkc_dash(answer), "{answer}");
        }
        assert_eq!(nfkc_dash("ﬁne"), "fine");
        assert_eq!(nfkc_dash("e\u{ad}\u{301}"), "é");
        assert_eq!(nfkc_dash("a\u{a0}b"), "a b");
    }

    #[test]
    fn unequal_numbers_stay_unequal() {
        assert_eq!(nfkc_dash("10²"), "10^2");
        assert_eq!(nfkc_dash("10⁻¹²"), "10^-12");
        assert_eq!(nfkc_dash("3½"), "3 1/2");
        assert_eq!(nfkc_dash("½"), "1/2");
    }

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(nfkc_dash("abc"), Cow::Borrowed(_)));
        assert!(matches!(nfkc_dash("naïve 東京"), Cow::Borrowed(_)));
    }

    #[test]
    fn quasi_keeps_what_changes_a_value() {
        assert_eq!(quasi("$5"), "$5");
        assert_eq!(quasi("$5$"), "5");
        assert_eq!(quasi("3.5."), "3.5");
        assert_eq!(quasi("C++"), "c++");
        assert_eq!(quasi("“Paris”"), "paris");
        assert_eq!(quasi("***"), "");
    }

    #[test]
    fn names_are_those_of_json() {
        for normalizer in
            [Normalizer::None, Normalizer::NfkcDash, Normalizer::Quasi, Normalizer::Squad, Normalizer::Gaia]
        {
            assert_eq!(serde_json::to_value(normalizer).unwrap(), normalizer.name());
        }
    }

    proptest! {
        #[test]
        fn normal_forms_are_fixed_points(text in any::<String>()) {
            for normalizer in [Normalizer::NfkcDash, Normalizer::Squad] {
                let once = normalizer.apply(&text).into_owned();
                prop_assert_eq!(normalizer.apply(&once).into_owned(), once.clone());
            }
            quasi(&text);
            gaia_string(&text);
        }
    }
}
