//! An answer apart from the confidence that stands with it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// `text` without its confidence: the tag with its content, and `Confidence: 85%` up to the end of its line.
///
/// What is matched with references must not hold the number that says how sure the answer is: `17. Confidence: 90`
/// does not answer 90. A label whose line goes on in prose stays.
///
/// # Examples
/// ```
/// use humbly_text::confidence::without_confidence;
/// assert_eq!(without_confidence("17.\nConfidence: 90"), "17.");
/// assert_eq!(without_confidence("<answer>17</answer><confidence>90</confidence>"), "<answer>17</answer>");
/// assert_eq!(without_confidence("Confidence in the bank fell in 1931."), "Confidence in the bank fell in 1931.");
/// ```
pub fn without_confidence(text: &str) -> Cow<'_, str> {
    static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)<confidence>[^<]{0,80}(?:</confidence>|$)",
            r#"|[ \t>#*_\-•`"'({]*(?-u:\b)(?:my[ \t]+)?confidence(?:[ _](?:score|level|rating|estimate))?(?:[ \t]*\([^()\n]{0,40}\))?"#,
            r#"[*_`"'\]]*[ \t]*(?:[:=：]|(?-u:\b)is(?-u:\b))[ \t*_`"']*[^ \t\n][^\n]{0,40}(?m:$)"#,
            r"|[ \t(]*(?-u:\b)(?:i[ \t]+am[ \t]+)?\d{1,3}[ \t]*%[ \t]*(?:confident|sure|certain)[).]*",
        ))
        .ok()
    });
    let lower_is_there = ["onfiden", "ONFIDEN", "sure", "certain"].iter().any(|word| text.contains(word));
    let (true, Some(pattern)) = (lower_is_there, STATEMENT.as_ref()) else { return Cow::Borrowed(text) };
    match pattern.replace_all(text, "") {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(rest) => Cow::Owned(rest.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_and_tags_are_taken_out_wherever_they_stand() {
        for text in [
            "Lima\nConfidence: 85%",
            "Lima\n**Confidence:** 0.85",
            "Confidence score (0-100): 85\nLima",
            "Lima\n\nconfidence = highly likely",
            "Lima<confidence>0.85</confidence>",
            "<confidence>0.85</confidence>\nLima",
            "Lima (85% confident)",
            "Lima\nMy confidence is 85.",
        ] {
            assert_eq!(without_confidence(text), "Lima", "{text}");
        }
    }

    #[test]
    fn prose_about_confidence_stays() {
        for text in [
            "The vote of confidence: a long story that ended when the government of that time fell in 1979.",
            "Confidence intervals overlap.",
            "Self-confidence",
            "",
        ] {
            assert_eq!(without_confidence(text), text);
        }
    }

    proptest! {
        #[test]
        fn nothing_is_added_and_any_text_is_read(text in any::<String>(), tail in "[a-z<>/:= 0-9%\n]{0,80}") {
            let text = format!("{text}confidence{tail}");
            prop_assert!(without_confidence(&text).len() <= text.len());
        }
    }
}
