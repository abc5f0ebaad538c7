//! Where a sentence names a source: a document, a file, an institution that speaks, one of two.

use std::ops::Range;

use super::nouns::{is_determiner, is_label, is_loose, is_ordinal, is_verb, is_year, numeral};
use crate::lexical::lexicon::Class;
use crate::lexical::sentence::{Kind, Sentence};

/// More mentions in one sentence are not looked at.
const MOST_MENTIONS: usize = 10;

/// Words of a noun phrase before its head.
const LONGEST_PHRASE: usize = 6;

/// A source that is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// Tokens of the noun phrase, its number included.
    pub(super) range: Range<usize>,
    /// What tells it from others: modifiers, head, number.
    key: String,
    /// The head noun.
    head: String,
    /// The number, letter or ordinal that tells it from its like.
    label: Option<String>,
    /// `another`, `the other`, `elsewhere`.
    pub(super) is_other: bool,
}

impl Mention {
    /// Whether it has a number or an ordinal.
    pub(super) fn is_labelled(&self) -> bool {
        self.label.is_some()
    }

    /// Whether they are two of a series, by year: `the 2019 report … the 2020 report`.
    pub(super) fn is_later_issue(&self, other: &Self) -> bool {
        let year = |key: &str| {
            key.split(' ')
                .find(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
                .map(str::to_owned)
        };
        self.head == other.head && year(&self.key).zip(year(&other.key)).is_some_and(|(one, two)| one != two)
    }

    /// Whether the two are different sources, as far as their names tell.
    pub(super) fn differs(&self, other: &Self) -> bool {
        match (&self.label, &other.label) {
            (Some(one), Some(two)) => one != two || self.head != other.head,
            // `the 2018 survey … the survey` is one source again.
            _ if self.head == other.head => {
                self.is_other != other.is_other
                    || self.key != other.key
                        && self.key.len() > self.head.len()
                        && other.key.len() > other.head.len()
            }
            _ => true,
        }
    }
}

/// The sources that a sentence names, in order.
pub(super) fn mentions(here: &Sentence) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let introduces = here.any(here.all(), Class::INTRODUCER);
    let mut index = 0;
    while index < here.len() && found.len() < MOST_MENTIONS {
        let from = found.last().map_or(0, |last| last.range.end);
        match mention_at(here, index, from, introduces) {
            Some(mention) => {
                index = mention.range.end.max(index + 1);
                found.push(mention);
            }
            None => index += 1,
        }
    }
    found
}

fn mention_at(here: &Sentence, index: usize, from: usize, introduces: bool) -> Option<Mention> {
    let token = here.tokens.get(index)?;
    if token.quoted {
        return None;
    }
    match token.kind {
        Kind::Code => file_in_code(here, index),
        Kind::Word if is_file(here, index) => Some(Mention {
            range: index..index + 3,
            key: format!("{}.{}", here.word(index), here.word(index + 2)),
            head: here.word(index).to_owned(),
            label: None,
            is_other: false,
        }),
        Kind::Word => {
            let class = token.class;
            if class.is(Class::SOURCE.or(Class::DOCUMENT)) {
                return document(here, index, from);
            }
            if class.is(Class::INSTITUTION) && speaks(here, index) || introduces && introduced(here, index) {
                return Some(phrase(here, index, from));
            }
            pronoun(here, index).or_else(|| named_speaker(here, index))
        }
        Kind::Mark(b'(') => bracketed(here, index),
        _ => None,
    }
}

/// `settings.py`.
fn is_file(here: &Sentence, index: usize) -> bool {
    here.is_mark(index + 1, b".") && here.class(index + 2).is(Class::EXTENSION)
}

/// A file, a command or a name of the program in code marks.
fn file_in_code(here: &Sentence, index: usize) -> Option<Mention> {
    let code = here.word(index).trim_matches('`');
    let name = code.rsplit('/').next().unwrap_or(code);
    let is_file = here.class(index + 1).is(Class::STRONG_CLAIM) || code.contains('/') && !code.contains(' ')
        || name.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty() && (1..=5).contains(&extension.len()) && !name.contains(['(', ' ', '='])
                && extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
                && !extension.bytes().all(|byte| byte.is_ascii_digit())
        })
        || here.tokens.get(index).is_some_and(|token| token.capital) && !code.contains(['=', ' ', '(']) && code.len() > 3
        // `man tar`, `git log`: a command that answers.
        || here.is_mark(index + 1, b":") && code.contains(' ');
    is_file.then(|| Mention {
        range: index..index + 1,
        key: code.to_owned(),
        head: code.to_owned(),
        label: None,
        is_other: false,
    })
}

/// A document noun with what specifies it.
fn document(here: &Sentence, index: usize, from: usize) -> Option<Mention> {
    if matches!(
        here.word(index),
        "tool" | "tools" | "media" | "evidence" | "sentence" | "sentences" | "calculator" | "magazine"
    ) {
        return None;
    }
    // A testament, not the auxiliary.
    if here.word(index) == "will"
        && !is_determiner(here.word(index.wrapping_sub(1)))
        && !here.word(index.wrapping_sub(1)).ends_with("'s")
    {
        return None;
    }
    // The head of `press release` comes last.
    let next = here.class(index + 1);
    let continues = next.is(Class::SOURCE.or(Class::DOCUMENT)) && !is_verb(here, index + 1);
    if continues || is_verb(here, index) {
        return None;
    }
    let mention = phrase(here, index, from);
    // A count, a part, what the answer itself is: only with a name or a number.
    let head = here.word(index);
    let named = mention.label.is_some()
        || (mention.range.start..index).any(|at| here.word(at).ends_with("'s") || is_year(here.word(at)));
    let own = matches!(here.word(mention.range.start), "this" | "my" | "our")
        && matches!(head, "report" | "summary" | "answer" | "reply" | "table" | "notes");
    let counted = mention.range.start > 0 && here.is_number(mention.range.start - 1);
    if own || counted || !named && is_loose(head, mention.range.len() > 2) && !here.is_mark(index + 1, b":") {
        return None;
    }
    let specified = mention.label.is_some()
        || mention.range.start < index
        || here.first_word() == Some(index)
        || here.is_mark(index + 1, b":")
        || here.is_mark(index.wrapping_sub(1), b"(,")
        || index > 0 && here.class(index - 1).is(Class::FUNCTION);
    (specified && !is_collective(here, &mention, index)).then_some(mention)
}

/// The noun phrase that ends with the head at `index`.
fn phrase(here: &Sentence, index: usize, from: usize) -> Mention {
    let lowest = index.saturating_sub(LONGEST_PHRASE).max(from);
    let mut start = index;
    while start > lowest {
        let before = start - 1;
        let class = here.class(before);
        let is_possessive_mark = here.is_mark(before, b"-'");
        let is_word =
            here.tokens.get(before).is_some_and(|token| matches!(token.kind, Kind::Word | Kind::Number));
        let is_count = here.is_number(before) && !is_year(here.word(before));
        if !(is_word || is_possessive_mark) || is_count || class.is(Class::CONTRAST) || here.is_quoted(before)
        {
            break;
        }
        if is_determiner(here.word(before)) {
            start = before;
            break;
        }
        if class.is(Class::FUNCTION.or(Class::STRONG_CLAIM).or(Class::FACT_VERB).or(Class::MODAL)) {
            break;
        }
        start = before;
    }
    let mut end = index + 1;
    let mut label = None;
    let ordinal = (start..index).find(|&at| is_ordinal(here.word(at)));
    if let Some(at) = ordinal {
        label = Some(here.word(at).to_owned());
    }
    if is_label(here, end) {
        label = Some(numeral(here.word(end)).to_owned());
        end += 1;
    }
    let is_other =
        (start..index).any(|at| matches!(here.word(at), "other" | "another" | "second" | "different"));
    let mut key = String::new();
    for at in start..index {
        if !is_determiner(here.word(at)) && !here.word(at).is_empty() {
            key.push_str(here.word(at));
            key.push(' ');
        }
    }
    let head = here.word(index).trim_end_matches('s').to_owned();
    key.push_str(&head);
    if let Some(label) = &label {
        key.push_str(label);
    }
    Mention { range: start..end, key, head, label, is_other }
}

/// `the sources`, `both passages`: all together, no side.
fn is_collective(here: &Sentence, mention: &Mention, index: usize) -> bool {
    let word = here.word(index);
    if !word.ends_with('s')
        || here.is_mark(index + 1, b":")
        || mention.label.is_some() && mention.range.end > index + 1
    {
        return false;
    }
    let generic = here.class(index).is(Class::COLLECTIVE);
    let bare = (mention.range.start..index).all(|at| {
        is_determiner(here.word(at))
            || here.class(at).is(Class::NUMBER_WORD)
            || matches!(
                here.word(at),
                "provided"
                    | "given"
                    | "supplied"
                    | "retrieved"
                    | "available"
                    | "search"
                    | "different"
                    | "several"
                    | "many"
                    | "most"
                    | "other"
                    | "various"
            )
    });
    generic && bare
}

/// An institution claims: `the tourist board has`, `says the ministry`, `4,000 (police)`, `the union: 4,000`.
fn speaks(here: &Sentence, index: usize) -> bool {
    let claims = |at: usize| here.class(at).is(Class::STRONG_CLAIM.or(Class::WEAK_CLAIM));
    let before = (index.saturating_sub(3)..index).any(|at| {
        matches!(here.word(at), "says" | "say" | "per" | "said")
            || here.is_mark(at, b"(")
            || here.reads(at, &["according", "to"])
    });
    // `Reuters, 3 Feb 2016:`
    let dated = here.is_mark(index + 1, b",") && (index + 2..index + 6).any(|at| here.is_mark(at, b":"));
    claims(index + 1) || here.is_mark(index + 1, b":") || dated || before
}

/// The head of what `according to`, `going by`, `per` introduce.
fn introduced(here: &Sentence, index: usize) -> bool {
    if here.class(index).is(Class::FUNCTION) || is_determiner(here.word(index)) || here.is_number(index) {
        return false;
    }
    let is_head = {
        let next = here.tokens.get(index + 1);
        next.is_none_or(|token| !matches!(token.kind, Kind::Word))
            || here
                .class(index + 1)
                .is(Class::FUNCTION.or(Class::FACT_VERB).or(Class::CONTRAST).or(Class::STRONG_CLAIM))
    };
    is_head
        && (index.saturating_sub(4)..index).any(|at| {
            let length = match here.word(at) {
                "per" => 1,
                "according" if here.word(at + 1) == "to" => 2,
                "going" | "judging" if here.word(at + 1) == "by" => 2,
                _ => return false,
            };
            (at + length..index).all(|between| {
                here.tokens.get(between).is_some_and(|token| token.kind != Kind::Mark(b','))
                    && (is_determiner(here.word(between)) || !here.class(between).is(Class::FUNCTION))
            })
        })
}

/// `Dana Whitlock (SEC filing of 11 March)`, `30 m (Harlow 1987)`: the origin of a value in brackets.
fn bracketed(here: &Sentence, index: usize) -> Option<Mention> {
    let after_value =
        index > 0 && (here.is_number(index - 1) || here.is_name(index - 1) || here.is_mark(index - 1, b"%"));
    let end = (index + 1..(index + 9).min(here.len())).find(|&at| here.is_mark(at, b")"))?;
    let capital = here.tokens.get(index + 1).is_some_and(|token| token.capital && token.kind == Kind::Word);
    let names_document = here.any(index + 1..end, Class::SOURCE.or(Class::DOCUMENT));
    let equates = (index + 1..end).any(|at| here.is_mark(at, b"=%"));
    (after_value && !names_document && capital && end > index + 2 && !equates).then(|| Mention {
        range: index + 1..end,
        key: here.word(index + 1).to_owned(),
        head: here.word(index + 1).to_owned(),
        label: None,
        is_other: false,
    })
}

/// `one says 12, the other 14`.
fn pronoun(here: &Sentence, index: usize) -> Option<Mention> {
    let word = here.word(index);
    let pronoun = matches!(
        word,
        "one"
            | "another"
            | "other"
            | "others"
            | "first"
            | "second"
            | "former"
            | "latter"
            | "some"
            | "elsewhere"
    );
    if !pronoun {
        return None;
    }
    let next = here.class(index + 1);
    let claims =
        next.is(Class::STRONG_CLAIM.or(Class::WEAK_CLAIM)) && !matches!(here.word(index + 1), "had" | "have");
    let definite = here.word(index.wrapping_sub(1)) == "the";
    let gapped = definite
        && (here.is_mark(index + 1, b",:") || here.is_number(index + 1) || here.word(index + 1) == "at")
        && word != "one";
    let from = matches!(here.word(index.wrapping_sub(2)), "in" | "from" | "per" | "to" | "by")
        && definite
        && (here.is_mark(index + 1, b",.;") || next.is(Class::FUNCTION.or(Class::CONTRAST)));
    (claims || gapped || from).then(|| Mention {
        range: if definite { index - 1..index + 1 } else { index..index + 1 },
        key: word.to_owned(),
        head: "one".to_owned(),
        label: Some(numeral(word).to_owned()),
        is_other: here.class(index).is(Class::OTHER),
    })
}

/// `Reuters has`, `Astronomische Blätter gives`, `Getty's`: a name that lists.
fn named_speaker(here: &Sentence, index: usize) -> Option<Mention> {
    let is_capital =
        |at: usize| here.tokens.get(at).is_some_and(|token| token.capital && token.kind == Kind::Word);
    if !is_capital(index) || here.word(index) == "i" || here.class(index).is(Class::FUNCTION) {
        return None;
    }
    let lists = matches!(
        here.word(index + 1),
        "lists"
            | "puts"
            | "dates"
            | "reports"
            | "records"
            | "counts"
            | "credits"
            | "names"
            | "states"
            | "says"
            | "estimates"
            | "advertises"
            | "prints"
    );
    let is_verb = here.tokens.get(index + 1).is_some_and(|token| !token.capital);
    (lists && is_verb).then(|| {
        let mut start = index;
        while start > 0 && is_capital(start - 1) && !here.class(start - 1).is(Class::FUNCTION) {
            start -= 1;
        }
        Mention {
            range: start..index + 1,
            key: here.word(index).to_owned(),
            head: here.word(index).to_owned(),
            label: None,
            is_other: false,
        }
    })
}
