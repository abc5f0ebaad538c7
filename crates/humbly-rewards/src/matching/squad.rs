//! SQuAD exact match without allocation for short ASCII answers; all others go to the text crate.

use humbly_text::matching::exact_match;
use humbly_text::normalize::Normalizer;

const LONGEST: usize = 128;
/// Bytes of the longest article.
const ARTICLE: usize = 3;

/// Whether `answer` equals any of `references` in SQuAD normal form.
pub(super) fn is_any(answer: &str, references: &[&str]) -> bool {
    let answer_form = Form::of(answer);
    references.iter().any(|reference| match (&answer_form, Form::of(reference)) {
        (Form::Short(left), Form::Short(right)) => left.as_bytes() == right.as_bytes(),
        // No form that was cut can shrink below the reference again.
        (Form::Cut, Form::Short(right)) if right.length + ARTICLE < LONGEST => false,
        _ => exact_match(answer, reference, Normalizer::Squad),
    })
}

enum Form {
    /// All of it, not empty.
    Short(Buffer),
    /// Longer than the buffer.
    Cut,
    /// Empty, or with characters that need Unicode tables.
    Other,
}

struct Buffer {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Buffer {
    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) -> bool {
        let Some(slot) = self.bytes.get_mut(self.length) else { return false };
        *slot = byte;
        self.length += 1;
        true
    }

    /// Takes the word that starts at `start` back if it is an article.
    fn end_word(&mut self, start: usize) {
        let word = self.bytes.get(start..self.length).unwrap_or_default();
        let word = word.strip_prefix(b" ").unwrap_or(word);
        if matches!(word, b"a" | b"an" | b"the") {
            self.length = start;
        }
    }
}

impl Form {
    fn of(text: &str) -> Self {
        let mut buffer = Buffer { bytes: [0; LONGEST], length: 0 };
        let mut word_start = 0;
        let mut in_word = false;
        for &byte in text.as_bytes() {
            if byte.is_ascii_alphanumeric() {
                if !in_word {
                    in_word = true;
                    word_start = buffer.length;
                    if word_start > 0 && !buffer.push(b' ') {
                        return Self::Cut;
                    }
                }
                if !buffer.push(byte.to_ascii_lowercase()) {
                    return Self::Cut;
                }
            } else if byte.is_ascii_whitespace() {
                if in_word {
                    buffer.end_word(word_start);
                }
                in_word = false;
            } else if !byte.is_ascii_punctuation() {
                return Self::Other;
            }
        }
        if in_word {
            buffer.end_word(word_start);
        }
        if buffer.length == 0 { Self::Other } else { Self::Short(buffer) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use humbly_text::normalize::squad;
    use proptest::prelude::*;

    #[test]
    fn articles_fall_and_punctuation_joins() {
        assert!(is_any("I'm the one", &["im one"]));
        assert!(is_any("T.h.e New-York", &["newyork"]));
        assert!(!is_any("A", &["The"]));
        assert!(is_any("A", &["a"]));
        assert!(!is_any("", &["the"]));
    }

    #[test]
    fn a_cut_form_is_longer_than_any_short_one() {
        let reference = "x".repeat(LONGEST - ARTICLE - 1);
        assert!(!is_any(&format!("{reference} yyyyyyyy"), &[&reference]));
        assert!(is_any(&format!("{} the", "x".repeat(LONGEST)), &[&"x".repeat(LONGEST)]));
        assert!(is_any(&format!("{} the", "x".repeat(LONGEST - 2)), &[&"x".repeat(LONGEST - 2)]));
    }

    proptest! {
        #[test]
        fn the_fast_form_is_the_form_of_the_text_crate(text in "[ -~\t\n]{0,160}|(the|a|an| |,|b|\\.){0,60}") {
            if let Form::Short(buffer) = Form::of(&text) {
                prop_assert_eq!(std::str::from_utf8(buffer.as_bytes()).unwrap(), squad(&text));
            }
        }

        #[test]
        fn both_ways_agree(
            left in "(the|a|an| |,|b|é|\\.|B){0,8}",
            right in "(the|a|an| |,|b|é|\\.){0,8}",
        ) {
            prop_assert_eq!(is_any(&left, &[&right]), exact_match(&left, &right, Normalizer::Squad));
        }
    }
}
