//! Probability words and how people read them.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// A probability word with the median of its readings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbabilityWord {
    /// The phrase in lower case, as the readers were shown it.
    pub phrase: &'static str,
    /// Median of the readings, as a probability.
    pub median: f64,
}

/// The phrases and medians of `data/probability_words.csv`.
///
/// # Source
/// zonination/perceptions, `probly.csv`: 46 people, 17 phrases, percent.
///
/// # Examples
/// ```
/// # use humbly_text::confidence::probability_words;
/// let unlikely = probability_words().iter().find(|word| word.phrase == "unlikely").unwrap();
/// assert_eq!(unlikely.median, 0.2);
/// ```
pub fn probability_words() -> &'static [ProbabilityWord] {
    &WORDS
}

static WORDS: LazyLock<Vec<ProbabilityWord>> = LazyLock::new(|| {
    include_str!("../../data/probability_words.csv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(','))
        .filter_map(|(phrase, percent)| {
            let median = percent.trim().parse::<f64>().ok()? / 100.0;
            Some(ProbabilityWord { phrase, median })
        })
        .collect()
});

/// Other grammatical forms of the phrases; nothing that a reader would weigh differently.
const FORMS: [(&str, &str); 10] = [
    ("almost certain", "almost certainly"),
    ("a very good chance", "very good chance"),
    ("i believe", "we believe"),
    ("i doubt", "we doubt"),
    ("chance is slight", "chances are slight"),
    ("slight chance", "chances are slight"),
    ("little to no chance", "almost no chance"),
    ("better than even chance", "better than even"),
    ("improbably", "improbable"),
    ("fifty-fifty", "about even"),
];

/// Words that people use as a confidence but that no reading was measured for.
const UNMEASURED: [&str; 16] = [
    "certain",
    "certainly",
    "sure",
    "confident",
    "high",
    "medium",
    "moderate",
    "low",
    "possible",
    "possibly",
    "perhaps",
    "maybe",
    "impossible",
    "uncertain",
    "unsure",
    "likelihood",
];

/// Words that change the phrase behind them into one that was not measured.
const MODIFIERS: [&str; 22] = [
    "not",
    "very",
    "quite",
    "more",
    "less",
    "most",
    "least",
    "fairly",
    "rather",
    "extremely",
    "somewhat",
    "as",
    "how",
    "equally",
    "never",
    "hardly",
    "too",
    "so",
    "pretty",
    "also",
    "n't",
    "no",
];

/// What words say about a confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wording<'a> {
    /// No word about probability.
    Silent,
    /// One measured phrase, perhaps repeated.
    Measured(ProbabilityWord, &'a str),
    /// Several phrases with different medians.
    Several(&'a str),
    /// A phrase that was not measured.
    Unmeasured(&'a str),
}

struct Phrases {
    automaton: AhoCorasick,
    words: Vec<Option<ProbabilityWord>>,
}

static PHRASES: LazyLock<Option<Phrases>> = LazyLock::new(|| {
    let measured = |phrase: &str| WORDS.iter().find(|word| word.phrase == phrase).copied();
    let mut patterns: Vec<(&str, Option<ProbabilityWord>)> =
        WORDS.iter().map(|word| (word.phrase, Some(*word))).collect();
    patterns.extend(FORMS.iter().map(|(form, phrase)| (*form, measured(phrase))));
    patterns.extend(UNMEASURED.iter().map(|word| (*word, None)));
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(patterns.iter().map(|(pattern, _)| pattern))
        .ok()?;
    Some(Phrases { automaton, words: patterns.into_iter().map(|(_, word)| word).collect() })
});

/// The last measured probability phrase of `text` and where it stands.
///
/// A phrase behind `not`, `very` and the like was not measured and does not count.
///
/// # Examples
/// ```
/// # use humbly_text::confidence::last_probability_words;
/// let (word, range) = last_probability_words("It is highly unlikely.").unwrap();
/// assert_eq!((word.median, range), (0.05, 6..21));
/// assert!(last_probability_words("It is not likely.").is_none());
/// ```
pub fn last_probability_words(text: &str) -> Option<(ProbabilityWord, Range<usize>)> {
    found(text).filter_map(|(word, range)| word.map(|word| (word, range))).last()
}

pub(super) fn wording(text: &str) -> Wording<'_> {
    let mut wording = Wording::Silent;
    for (word, range) in found(text) {
        let span = &text[range];
        wording = match (word, wording) {
            (None, _) => return Wording::Unmeasured(span),
            (Some(word), Wording::Silent) => Wording::Measured(word, span),
            (Some(word), Wording::Measured(earlier, first)) => {
                if (word.median - earlier.median).abs() > f64::EPSILON {
                    return Wording::Several(text);
                }
                Wording::Measured(earlier, first)
            }
            (Some(_), other) => other,
        };
    }
    wording
}

/// Phrases in order; `None` for one without a measured reading.
fn found(text: &str) -> impl Iterator<Item = (Option<ProbabilityWord>, Range<usize>)> {
    let matches = PHRASES.as_ref().map(|phrases| {
        phrases.automaton.find_iter(text).filter_map(move |hit| {
            let bounded =
                !text[..hit.start()].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '-')
                    && !text[hit.end()..].chars().next().is_some_and(char::is_alphanumeric);
            if !bounded {
                return None;
            }
            let word = phrases.words.get(hit.pattern().as_usize()).copied().flatten();
            let changed = is_modified(&text[..hit.start()]);
            Some((word.filter(|_| !changed), hit.range()))
        })
    });
    matches.into_iter().flatten()
}

fn is_modified(before: &str) -> bool {
    let before = before.trim_end_matches(' ');
    let tail = &before[before.floor_char_boundary(before.len().saturating_sub(12))..];
    let word = tail.rsplit(|c: char| !c.is_ascii_alphabetic() && c != '\'').next().unwrap_or(tail);
    MODIFIERS.iter().any(|modifier| word.eq_ignore_ascii_case(modifier))
        || word.len() > 3 && word.to_ascii_lowercase().ends_with("n't")
}
