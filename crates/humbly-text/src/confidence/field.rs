//! Reading the value of a confidence field.

use std::sync::LazyLock;

use regex::Regex;

use super::words::{Wording, wording};
use super::{Confidence, ConfidenceFault, ConfidenceSource, Scale, undefined};
use crate::normalize::nfkc_dash;

/// How a value that stands for "not stated" is written.
const ABSENT: [&str; 14] = [
    "",
    "n/a",
    "na",
    "n.a.",
    "n.a",
    "none",
    "null",
    "nil",
    "-",
    "--",
    "?",
    "unknown",
    "not applicable",
    "missing",
];

const NOT_FINITE: [&str; 8] = ["nan", "inf", "-inf", "+inf", "infinity", "-infinity", "+infinity", "∞"];

/// Words in front of a number that leave its value.
const LEAD: [&str; 12] =
    ["about", "approximately", "approx.", "approx", "around", "roughly", "~", "≈", "=", ":", "circa", "is"];

const BOUND: [&str; 12] =
    [">", "<", "≥", "≤", ">=", "<=", "at least", "at most", "over", "under", "more than", "less than"];

/// The value of a field: a tag's content or what follows a label.
pub(super) fn parse(content: &str, scale: Scale, source: ConfidenceSource) -> Confidence {
    let plain = nfkc_dash(content);
    let text = unwrapped(&plain);
    let lower = text.to_lowercase();
    if ABSENT.contains(&lower.trim_end_matches('.')) {
        return undefined(ConfidenceFault::NoConfidence, content.trim(), None);
    }
    if NOT_FINITE.contains(&lower.as_str()) {
        return undefined(ConfidenceFault::ConfidenceNotFinite, text, None);
    }
    if BOUND.iter().any(|bound| lower.starts_with(bound)) && lower.contains(|c: char| c.is_ascii_digit()) {
        return undefined(
            ConfidenceFault::ConfidenceAmbiguous,
            text,
            Some("expected one value, not a bound"),
        );
    }
    let mut numbers = numbers(text);
    let Some(first) = numbers.next() else { return from_words(text) };
    if !is_lead(&text[..first.start]) && numbers.next().is_some() {
        return undefined(ConfidenceFault::ConfidenceAmbiguous, text, Some("expected one number"));
    }
    from_number(text, &first, scale, source)
}

/// A short text that may be a statement of confidence: a number must stand at its start.
pub(super) fn parse_statement(text: &str, scale: Scale) -> Confidence {
    let plain = nfkc_dash(text);
    let content = unwrapped(&plain);
    let leads = |before: &str| is_lead(before) || BOUND.contains(&before.trim().to_lowercase().as_str());
    match numbers(content).next() {
        Some(first) if leads(&content[..first.start]) => {}
        Some(_) if wording(content) == Wording::Silent => {
            return undefined(ConfidenceFault::NoConfidence, "", None);
        }
        Some(_) => return from_words(content),
        None if wording(content) == Wording::Silent && !stands_for_none(content) => {
            return undefined(ConfidenceFault::NoConfidence, "", None);
        }
        None => {}
    }
    parse(text, scale, ConfidenceSource::Number)
}

/// A value that is no number but is known: absent or not finite.
fn stands_for_none(text: &str) -> bool {
    let lower = text.to_lowercase();
    ABSENT.contains(&lower.as_str()) || NOT_FINITE.contains(&lower.as_str())
}

/// What follows the last label `confidence`.
pub(super) fn labelled(text: &str) -> Option<&str> {
    static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)(?-u:\b)confidence(?:[ _](?:score|level|rating|estimate))?(?:\s*\([^()\n]{0,40}\))?",
            r#"[*_`"'\]]*\s*(?:[:=：]|(?-u:\b)is(?-u:\b)|(?-u:\b)of(?-u:\b))[*_`"' ]*([^\n]*)"#,
        ))
        .ok()
    });
    // Most texts state none: a search for the plain word is far cheaper than the pattern.
    ["onfidence", "ONFIDENCE"].iter().find(|word| text.contains(**word))?;
    let found = LABEL.as_ref()?.captures_iter(text).last()?.get(1)?.as_str();
    // In JSON and in prose the next field or sentence is not part of the value.
    let end =
        found.find([',', ';', '}', '"', '<']).filter(|&at| !decimal_comma(found, at)).unwrap_or(found.len());
    let value = &found[..end];
    let sentence = value.find(". ").unwrap_or(value.len());
    Some(value[..sentence].trim())
}

fn decimal_comma(text: &str, at: usize) -> bool {
    text[at..].starts_with(',') && text[at + 1..].starts_with(|c: char| c.is_ascii_digit())
}

/// `85%` of the last `85% confident`, `85 percent sure`.
pub(super) fn last_sure_percent(text: &str) -> Option<&str> {
    static SURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(\d+(?:\.\d+)?\s*(?:%|percent))\s+(?:confident|sure|certain|confidence|certainty)\b")
            .ok()
    });
    Some(SURE.as_ref()?.captures_iter(text).last()?.get(1)?.as_str())
}

fn unwrapped(text: &str) -> &str {
    let text = text.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '_' | '`' | '"' | '\'' | '$' | '[' | ']')
    });
    text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(text).trim()
}

fn is_lead(before: &str) -> bool {
    let before = before.trim().to_lowercase();
    before.is_empty() || LEAD.contains(&before.as_str())
}

struct Number {
    start: usize,
    end: usize,
    value: f64,
}

/// Numbers that are no part of a word, as in `GPT-4`.
fn numbers(text: &str) -> impl Iterator<Item = Number> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+[.,]?\d*|\.\d+)(?:[eE][+-]?\d+)?").ok()
    });
    NUMBER.as_ref().into_iter().flat_map(move |number| {
        number.find_iter(text).filter_map(move |found| {
            let before = text[..found.start()].chars().next_back();
            let digits_from = found.start() + usize::from(found.as_str().starts_with(['+', '-']));
            let is_sign =
                digits_from > found.start() && before.is_none_or(|c| !c.is_alphanumeric() && c != '%');
            let start = if is_sign { found.start() } else { digits_from };
            if digits_from == found.start() && before.is_some_and(|c| c.is_alphabetic() || c == '_')
                || digits_from > found.start() && before.is_some_and(char::is_alphabetic)
            {
                return None;
            }
            let value = number_value(&text[start..found.end()])?;
            Some(Number { start, end: found.end(), value })
        })
    })
}

/// A comma before exactly three digits groups thousands, any other is a decimal comma.
fn number_value(text: &str) -> Option<f64> {
    let groups = text.split_once(',').is_some_and(|(_, rest)| {
        rest.bytes().take_while(u8::is_ascii_digit).count() == 3 && !text.starts_with("0,")
    });
    let plain = if groups { text.replace(',', "") } else { text.replace(',', ".") };
    plain.trim_end_matches('.').parse().ok()
}

fn from_number(text: &str, first: &Number, scale: Scale, source: ConfidenceSource) -> Confidence {
    let rest = text[first.end..].trim_start_matches([' ', '*', '\\', '$']);
    let found = &text[first.start..first.end];
    let second = numbers(rest).next();
    let joined = |joint: &str| {
        let next = second.as_ref()?;
        let gap = rest.get(..next.start)?;
        let behind = gap.get(joint.len()..).filter(|behind| behind.trim().is_empty());
        behind.filter(|_| starts_with_word(gap, joint)).map(|_| next)
    };
    if let Some(whole) = joined("/").or_else(|| joined("out of")) {
        let stated = format!("{found}/{}", rest[whole.start..whole.end].trim_end_matches('.'));
        if whole.value <= 0.0 {
            return undefined(ConfidenceFault::ConfidenceUnreadable, &stated, None);
        }
        return Scale::Unit.named_probability(first.value / whole.value, source, &stated);
    }
    let is_range = ["-", "to ", "or ", "and ", "..", "%-", "% -", "% to ", "% or "]
        .iter()
        .any(|joint| joined(joint).is_some())
        // `60-80` is read as 60 and -80.
        || second.as_ref().is_some_and(|next| next.value < 0.0 && rest[..next.start].trim_matches(['%', ' ']).is_empty());
    if is_range {
        return undefined(
            ConfidenceFault::ConfidenceAmbiguous,
            text,
            Some("expected one value, not a range"),
        );
    }
    if rest.starts_with('%') || starts_with_word(rest, "percent") || starts_with_word(rest, "per cent") {
        return Scale::Percent.named_probability(first.value, source, &format!("{found}%"));
    }
    scale.named_probability(first.value, source, found)
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn from_words(text: &str) -> Confidence {
    match wording(text) {
        Wording::Measured(word, found) => Confidence::Stated {
            probability: word.median,
            source: ConfidenceSource::Words,
            found: found.to_owned(),
        },
        Wording::Several(found) => undefined(ConfidenceFault::ConfidenceAmbiguous, found, None),
        Wording::Unmeasured(found) => undefined(
            ConfidenceFault::ConfidenceUnreadable,
            found,
            Some("no reading of this word by people is known; ask for a number"),
        ),
        Wording::Silent => undefined(ConfidenceFault::ConfidenceUnreadable, text, None),
    }
}
