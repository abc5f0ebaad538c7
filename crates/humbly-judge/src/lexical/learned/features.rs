//! What the learned rule sees: cue words, pairs of them, who claims what, values side by side; never a topic.
//!
//! Every feature has a spelled name, by which `weights.txt` lists it. A word that is neither in the lexicon
//! nor in `groups.txt` is only `@word`, so that no weight can depend on what a text is about.

use crate::lexical::lexicon::{Class, GROUP_NAMES};
use crate::lexical::sentence::{Kind, Sentence, Token};

const START: &str = "^";
const NAME: &str = "@name";
const NUMBER: &str = "@number";
const YEAR: &str = "@year";
const CODE: &str = "@code";
const MONTH: &str = "@month";
const SOURCE: &str = "@source";
const QUOTED: &str = "@quoted";
const FACT: &str = "@fact";
/// `the harbour master's`: whose something is.
const OWNER: &str = "@owner";
/// A word that is in no list: what a text is about.
const WORD: &str = "@word";

/// Anything that may name where a value comes from.
const ANY_SOURCE: Class = Class::SOURCE.or(Class::DOCUMENT).or(Class::INSTITUTION);

/// Word classes that are paired with each other and with the groups.
const CLASSES: &[(&str, Class)] = &[
    ("source", ANY_SOURCE),
    ("not", Class::NEGATION),
    ("but", Class::CONTRAST),
    ("other", Class::OTHER),
    ("i", Class::HOLDER),
    ("modal", Class::MODAL),
    ("if", Class::HYPOTHETICAL),
    ("fact", Class::FACT),
    ("exact", Class::EXACT.or(Class::EXPLICIT)),
    ("wrong", Class::WRONG),
    ("own", Class::OWN_MIND),
    ("progress", Class::PROGRESS),
    ("collective", Class::COLLECTIVE),
];
/// Bits after those of the classes.
const VALUES: [&str; 3] = ["number", "name", "code"];
/// Where the bits of the groups begin.
const FIRST_GROUP: usize = CLASSES.len() + VALUES.len();
/// Bits in all.
pub(super) const BITS: usize = FIRST_GROUP + GROUP_NAMES.len();

/// Receives the features of a sentence or of a few in a row.
pub(super) trait Features {
    /// A word, or what stands for it.
    type Symbol: Copy;

    /// Reads a symbol.
    fn symbol(&mut self, symbol: &str) -> Self::Symbol;
    /// A symbol stands in the sentence.
    fn word(&mut self, symbol: Self::Symbol);
    /// One symbol follows another, directly or with one between them.
    fn follows(&mut self, directly: bool, one: Self::Symbol, other: Self::Symbol);
    /// Two bits are set, in one sentence or in several.
    fn pair(&mut self, together: bool, one: usize, other: usize);
    /// The note at this place of [`NOTES`] holds.
    fn note(&mut self, which: usize);
}

/// What is noted of a sentence (the first) and of a window.
pub(super) const NOTES: [&str; 18] = [
    "asks",
    "a source",
    "two sources",
    "three sources",
    "a source again",
    "values of one unit",
    "two years",
    "values alike",
    "a value again",
    "two values",
    "two sources with values",
    "two sources with values that compete",
    "a word again",
    "two words again",
    "three words again",
    "a name again",
    "one sentence",
    "two sentences",
];

/// How a pair of bits is spelled.
pub(super) fn pair_name(together: bool, one: usize, other: usize) -> String {
    let kind = if together { "g" } else { "G" };
    if one == other {
        format!("{kind} {}", bit_name(one))
    } else {
        format!("{kind} {}+{}", bit_name(one), bit_name(other))
    }
}

fn bit_name(bit: usize) -> &'static str {
    let classes = CLASSES.iter().map(|(name, _)| *name);
    classes.chain(VALUES).chain(GROUP_NAMES.iter().copied()).nth(bit).unwrap_or_default()
}

/// What is compared between sentences.
#[derive(Debug, Default)]
pub(super) struct Seen<'s> {
    sources: Vec<&'s str>,
    /// Values, each with the word that follows it.
    values: Vec<(&'s str, &'s str)>,
    names: Vec<&'s str>,
    content: Vec<&'s str>,
    bits: u64,
}

/// Reads one sentence.
pub(super) fn sentence<'s, F: Features>(here: &'s Sentence, features: &mut F) -> Seen<'s> {
    let mut seen = Seen::default();
    let mut last = START;
    let mut last_symbol = features.symbol(START);
    let mut last_but_one: Option<F::Symbol> = None;
    features.word(last_symbol);
    let first_word = here.first_word();
    for (index, token) in here.tokens.iter().enumerate() {
        let symbol = symbol(here, index, token, first_word);
        if symbol.is_empty() || symbol == QUOTED && last == QUOTED {
            continue;
        }
        let word = here.word(index);
        match symbol {
            NAME => seen.names.push(word),
            SOURCE => seen.sources.push(stem(word)),
            NUMBER | YEAR => seen.values.push((word, unit(here, index))),
            _ if symbol.len() > 2
                && !token.class.is(Class::FUNCTION)
                && (!symbol.starts_with('@') || matches!(symbol, WORD | FACT)) =>
            {
                seen.content.push(stem(word));
            }
            _ => {}
        }
        if symbol == NAME && last == NAME {
            continue;
        }
        for (bit, (_, class)) in CLASSES.iter().enumerate() {
            seen.bits |= u64::from(token.class.is(*class)) << bit;
        }
        seen.bits |= u64::from(token.groups) << FIRST_GROUP;
        let value = match symbol {
            NUMBER | YEAR | MONTH => Some(0),
            NAME => Some(1),
            CODE => Some(2),
            _ => None,
        };
        if let Some(value) = value {
            seen.bits |= 1 << (CLASSES.len() + value);
        }
        let read = features.symbol(symbol);
        features.word(read);
        features.follows(true, last_symbol, read);
        if let Some(last_but_one) = last_but_one {
            features.follows(false, last_but_one, read);
        }
        last_but_one = Some(last_symbol);
        (last_symbol, last) = (read, symbol);
    }
    if here.asks {
        features.note(0);
    }
    pairs(seen.bits, true, features);
    seen
}

/// Reads a few sentences in a row, beyond what each of them shows alone.
pub(super) fn window(parts: &[Seen<'_>], features: &mut impl Features) {
    let mut sources: Vec<&str> = parts.iter().flat_map(|part| part.sources.iter().copied()).collect();
    let mentions = sources.len();
    sources.sort_unstable();
    sources.dedup();
    let values: Vec<(&str, &str)> =
        parts.iter().flat_map(|part| part.values.iter().copied()).take(MOST).collect();
    let (mut one_unit, mut two_years, mut alike, mut repeated) = (false, false, false, false);
    for (at, (value, unit)) in values.iter().enumerate() {
        for (other, other_unit) in values.iter().skip(at + 1) {
            let differ = value != other;
            repeated |= !differ;
            one_unit |= differ && !unit.is_empty() && unit == other_unit;
            two_years |= differ && is_year(value) && is_year(other);
            alike |=
                differ && value.len() == other.len() && value.as_bytes().first() == other.as_bytes().first();
        }
    }
    let (mut shared, mut name_again) = (0, false);
    for (at, one) in parts.iter().enumerate() {
        for other in parts.iter().skip(at + 1) {
            let common = |ours: &[&str], theirs: &[&str]| {
                ours.iter()
                    .take(MOST)
                    .filter(|word| theirs.iter().take(MOST).any(|other| other == *word))
                    .count()
            };
            shared = shared.max(common(&one.content, &other.content));
            name_again |= common(&one.names, &other.names) > 0;
        }
    }
    let holds = [
        !sources.is_empty(),
        sources.len() >= 2,
        sources.len() >= 3,
        mentions > sources.len(),
        one_unit,
        two_years,
        alike,
        repeated,
        values.len() >= 2,
        sources.len() >= 2 && values.len() >= 2,
        sources.len() >= 2 && (one_unit || two_years || alike),
        shared >= 1,
        shared >= 2,
        shared >= 3,
        name_again,
        parts.len() == 1,
        parts.len() == 2,
    ];
    for (at, _) in holds.iter().enumerate().filter(|(_, holds)| **holds) {
        features.note(at + 1);
    }
    pairs(parts.iter().fold(0, |bits, part| bits | part.bits), false, features);
}

/// Words and values compared between sentences, so that hostile text stays linear.
const MOST: usize = 24;

fn pairs(bits: u64, together: bool, features: &mut impl Features) {
    let mut left = bits;
    while left != 0 {
        let one = left.trailing_zeros() as usize;
        let mut others = left;
        while others != 0 {
            features.pair(together, one, others.trailing_zeros() as usize);
            others &= others - 1;
        }
        left &= left - 1;
    }
}

fn symbol<'s>(here: &'s Sentence, index: usize, token: &Token, first_word: Option<usize>) -> &'s str {
    if token.quoted {
        return QUOTED;
    }
    let word = here.word(index);
    match token.kind {
        Kind::Mark(mark) => match mark {
            b';' => ";",
            b':' => ":",
            b'(' => "(",
            b')' => ")",
            b'?' => "?",
            b'-' => "-",
            b',' => ",",
            b'=' => "=",
            b'%' => "%",
            b'/' => "/",
            _ => "",
        },
        Kind::Code => CODE,
        Kind::Number if is_year(word) => YEAR,
        Kind::Number => NUMBER,
        Kind::Word if token.class.is(Class::MONTH) && token.capital => MONTH,
        Kind::Word if token.class.is(Class::NUMBER_WORD) && !matches!(word, "one" | "two") => NUMBER,
        Kind::Word if token.class.is(ANY_SOURCE) && !token.class.is(Class::CLAIM) => SOURCE,
        Kind::Word if is_owner(word) => OWNER,
        Kind::Word if token.capital && first_word != Some(index) && !is_first_person(word) => NAME,
        Kind::Word if token.groups != 0 => stem(word),
        Kind::Word if token.class.is(Class::FACT) => FACT,
        Kind::Word if token.class == Class::NONE || token.class == Class::OTHER_OBJECT => WORD,
        Kind::Word => stem(word),
    }
}

fn is_first_person(word: &str) -> bool {
    matches!(word, "i" | "i'm" | "i'll" | "i've" | "i'd")
}

fn is_owner(word: &str) -> bool {
    let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("s'"));
    owner.is_some_and(|owner| {
        !matches!(
            owner,
            "it" | "that"
                | "there"
                | "what"
                | "he"
                | "she"
                | "let"
                | "who"
                | "here"
                | "where"
                | "how"
                | "one"
        )
    })
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with('1') || word.starts_with("20"))
        && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn unit(here: &Sentence, index: usize) -> &str {
    if here.is_mark(index + 1, b"%") {
        return "%";
    }
    match here.tokens.get(index + 1) {
        Some(token) if token.kind == Kind::Word => stem(here.word(index + 1)),
        _ => "",
    }
}

/// A word without its ending: `passages` and `passage` are one.
fn stem(word: &str) -> &str {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if word.len() < 5 || word.contains('\'') {
        return word;
    }
    for (ending, least) in [("ies", 3), ("ing", 4), ("ed", 4), ("es", 4), ("s", 3), ("y", 4), ("e", 4)] {
        if let Some(root) = word.strip_suffix(ending)
            && root.len() >= least
            && !(ending == "s" && root.ends_with(['s', 'u', 'i']))
        {
            return root;
        }
    }
    word
}
