//! The number in a `<confidence>` tag.
//!
//! A trained model must write a number and nothing else: words, ranges, bounds and sentences, which
//! `humbly_text` can read, are unusable here, so that nothing can be hidden in the tag.

use humbly_text::confidence::{Confidence, ConfidenceFault, ConfidenceSource, Scale, parse_confidence};
use humbly_text::normalize::nfkc_dash;

/// Longest content, in bytes, that is read as a number.
const LONGEST: usize = 64;

/// What a response says about its confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatedConfidence {
    /// A probability in `[0, 1]`.
    Stated(f64),
    /// None, or one that cannot be used.
    Unusable(ConfidenceFault),
    /// The protocol asks for none.
    NotAsked,
}

impl StatedConfidence {
    /// The probability, where there is one.
    pub fn probability(self) -> Option<f64> {
        match self {
            Self::Stated(probability) => Some(probability),
            Self::Unusable(_) | Self::NotAsked => None,
        }
    }

    /// The probability that is scored: where none is usable the worst one, 0 for a right answer and 1
    /// for a wrong one, so that leaving it out never pays.
    pub fn scored_as(self, is_correct: bool) -> f64 {
        self.probability().unwrap_or(if is_correct { 0.0 } else { 1.0 })
    }

    /// Reads the content of a tag: one plain number on `scale`, or one in percent where `%` follows.
    pub(crate) fn read(content: &str, scale: Scale) -> Self {
        let content = content.trim();
        if content.len() > LONGEST {
            return Self::Unusable(ConfidenceFault::ConfidenceUnreadable);
        }
        if content.is_ascii() {
            return Self::read_plain(content, scale);
        }
        Self::read_plain(nfkc_dash(content).trim(), scale)
    }

    fn read_plain(content: &str, scale: Scale) -> Self {
        let (number, scale) = match content.strip_suffix('%') {
            Some(number) => (number.trim_end(), Scale::Percent),
            None => (content, scale),
        };
        match plain_number(number) {
            Some(value) => Self::on_scale(value, scale),
            None => Self::Unusable(fault(content, scale)),
        }
    }

    fn on_scale(value: f64, scale: Scale) -> Self {
        let top = match scale {
            Scale::Unit => 1.0,
            Scale::Percent => 100.0,
            // A range has its own arithmetic; the text crate owns it.
            other => return Self::from_text(&other.probability(value, ConfidenceSource::Tag)),
        };
        if !value.is_finite() {
            Self::Unusable(ConfidenceFault::ConfidenceNotFinite)
        } else if (0.0..=top).contains(&value) {
            Self::Stated(value / top + 0.0)
        } else {
            Self::Unusable(ConfidenceFault::ConfidenceOutOfRange)
        }
    }

    fn from_text(confidence: &Confidence) -> Self {
        match confidence {
            Confidence::Stated { probability, .. } => Self::Stated(*probability),
            Confidence::Undefined(undefined) => Self::Unusable(undefined.reason),
        }
    }
}

/// Digits with at most one point, a sign and an exponent; nothing else, no `nan`, no `inf`.
fn plain_number(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let has_digit = bytes.first().is_some_and(|byte| byte.is_ascii_digit() || b"+-.".contains(byte));
    let is_plain =
        bytes.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    // The standard parser reads exactly the grammar of decimal floats; `1e400` becomes infinite.
    (has_digit && is_plain).then(|| text.parse().ok()).flatten()
}

/// Why a content that is no plain number cannot be used.
fn fault(content: &str, scale: Scale) -> ConfidenceFault {
    match parse_confidence(&format!("<confidence>{content}</confidence>"), scale) {
        Confidence::Stated { .. } => ConfidenceFault::ConfidenceUnreadable,
        Confidence::Undefined(undefined) => undefined.reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(content: &str) -> StatedConfidence {
        StatedConfidence::read(content, Scale::Percent)
    }

    #[test]
    fn a_plain_number_is_on_the_declared_scale() {
        assert_eq!(percent(" 90 "), StatedConfidence::Stated(0.9));
        assert_eq!(percent("1"), StatedConfidence::Stated(0.01));
        assert_eq!(StatedConfidence::read("1", Scale::Unit), StatedConfidence::Stated(1.0));
        assert_eq!(StatedConfidence::read("90%", Scale::Unit), StatedConfidence::Stated(0.9));
        assert_eq!(StatedConfidence::read("9e-1", Scale::Unit), StatedConfidence::Stated(0.9));
        let likert = Scale::range(1.0, 5.0).unwrap();
        assert_eq!(StatedConfidence::read("3", likert), StatedConfidence::Stated(0.5));
    }

    #[test]
    fn odd_numbers_are_read_or_refused_never_guessed() {
        use ConfidenceFault as Fault;
        for (content, expected) in [
            ("nan", StatedConfidence::Unusable(Fault::ConfidenceNotFinite)),
            ("inf", StatedConfidence::Unusable(Fault::ConfidenceNotFinite)),
            ("1e400", StatedConfidence::Unusable(Fault::ConfidenceNotFinite)),
            ("-0", StatedConfidence::Stated(0.0)),
            ("９０", StatedConfidence::Stated(0.9)),
            ("101", StatedConfidence::Unusable(Fault::ConfidenceOutOfRange)),
            ("-1", StatedConfidence::Unusable(Fault::ConfidenceOutOfRange)),
            ("", StatedConfidence::Unusable(Fault::NoConfidence)),
            ("n/a", StatedConfidence::Unusable(Fault::NoConfidence)),
            ("80-90", StatedConfidence::Unusable(Fault::ConfidenceAmbiguous)),
            ("80 90", StatedConfidence::Unusable(Fault::ConfidenceUnreadable)),
            ("very likely", StatedConfidence::Unusable(Fault::ConfidenceUnreadable)),
            ("about 90", StatedConfidence::Unusable(Fault::ConfidenceUnreadable)),
            ("0x5A", StatedConfidence::Unusable(Fault::ConfidenceUnreadable)),
        ] {
            assert_eq!(percent(content), expected, "{content}");
        }
        assert_eq!(percent("-0").probability().map(f64::is_sign_negative), Some(false));
        assert_eq!(percent(&"9".repeat(1_000)), StatedConfidence::Unusable(Fault::ConfidenceUnreadable));
    }

    #[test]
    fn what_is_unusable_is_scored_at_its_worst() {
        let absent = StatedConfidence::Unusable(ConfidenceFault::NoConfidence);
        assert_eq!((absent.scored_as(true), absent.scored_as(false)), (0.0, 1.0));
    }
}
