//! Prose of a text as sentences of classified tokens; code, quoted prompts and data are left out.

use std::ops::Range;

use humbly_text::markdown::{CodeRegion, code_regions};

use super::lexicon::{Class, Entry, Lexicon};

/// A longer sentence is cut here, so that hostile text stays linear.
const LONGEST_SENTENCE: usize = 900;
/// A longer quotation is no citation inside a sentence, or its mark is a stray one.
const LONGEST_QUOTATION: usize = 400;
/// Sentences on each side of a hint that the learned rule reads with it.
const AROUND_HINT: usize = 2;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word.
    Word,
    /// A token that begins with a digit.
    Number,
    /// Punctuation.
    Mark(u8),
    /// Inline code.
    Code,
}

/// A token of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// Bytes in [`Sentence::lower`].
    lower: Range<usize>,
    /// What it is.
    pub(super) kind: Kind,
    /// Its classes; none inside quotation marks.
    pub(super) class: Class,
    /// Its groups, as in the lexicon; none inside quotation marks.
    pub(super) groups: u16,
    /// Whether it begins with a capital letter.
    pub(super) capital: bool,
    /// Whether it stands in quotation marks.
    pub(super) quoted: bool,
}

/// A sentence.
#[derive(Debug)]
pub(super) struct Sentence {
    /// Bytes in the text.
    pub(super) range: Range<usize>,
    /// Its tokens.
    pub(super) tokens: Vec<Token>,
    /// Number of the paragraph.
    pub(super) paragraph: usize,
    /// Its number among all sentences of the text.
    pub(super) number: usize,
    /// Whether the written rules read it; the others only the learned rule.
    pub(super) ruled: bool,
    /// Whether it ends with a question mark.
    pub(super) asks: bool,
    lower: String,
    /// Classes of all tokens together.
    classes: Class,
}

impl Sentence {
    /// The lower-case word at `index`, empty beyond the end.
    pub(super) fn word(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| self.lower.get(token.lower.clone()).unwrap_or_default())
    }

    /// The classes at `index`, none beyond the end.
    pub(super) fn class(&self, index: usize) -> Class {
        self.tokens.get(index).map_or(Class::NONE, |token| token.class)
    }

    /// Whether the words from `index` on are `words`.
    pub(super) fn reads(&self, index: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(offset, word)| self.word(index + offset) == *word)
    }

    /// Whether `words` stand in order anywhere within `range`.
    pub(super) fn has_phrase(&self, range: Range<usize>, words: &[&str]) -> bool {
        self.find_phrase(range, words).is_some()
    }

    /// Where `words` stand within `range`.
    pub(super) fn find_phrase(&self, range: Range<usize>, words: &[&str]) -> Option<usize> {
        range.clone().find(|&index| {
            index + words.len() <= range.end && !self.is_quoted(index) && self.reads(index, words)
        })
    }

    /// Whether any token within `range` is of `class`.
    pub(super) fn any(&self, range: Range<usize>, class: Class) -> bool {
        self.position(range, class).is_some()
    }

    /// The first token of `class` within `range`.
    pub(super) fn position(&self, range: Range<usize>, class: Class) -> Option<usize> {
        self.classes
            .is(class)
            .then_some(range)
            .and_then(|mut range| range.find(|&index| self.class(index).is(class)))
    }

    /// Unquoted tokens of `class`, in order.
    pub(super) fn tokens_of(&self, class: Class) -> impl Iterator<Item = usize> + '_ {
        let found = self.classes.is(class).then_some(self.tokens.iter().enumerate());
        found.into_iter().flatten().filter(move |(_, token)| token.class.is(class)).map(|(index, _)| index)
    }

    /// Number of tokens.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// All indices.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.tokens.len()
    }

    /// Whether the token is a mark, and which.
    pub(super) fn is_mark(&self, index: usize, marks: &[u8]) -> bool {
        matches!(self.tokens.get(index), Some(Token { kind: Kind::Mark(mark), .. }) if marks.contains(mark))
    }

    /// Whether the token stands in quotation marks.
    pub(super) fn is_quoted(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.quoted)
    }

    /// Whether the token is a number, in digits or as a word.
    pub(super) fn is_number(&self, index: usize) -> bool {
        self.tokens
            .get(index)
            .is_some_and(|token| token.kind == Kind::Number || token.class.is(Class::NUMBER_WORD))
    }

    /// Whether the token is a capitalised word that does not begin the sentence.
    pub(super) fn is_name(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.capital && token.kind == Kind::Word)
            && self.first_word() != Some(index)
            && !matches!(self.word(index), "i" | "i'm" | "i'll" | "i've" | "i'd")
    }

    /// Index of the first word.
    pub(super) fn first_word(&self) -> Option<usize> {
        self.tokens.iter().position(|token| matches!(token.kind, Kind::Word | Kind::Number))
    }
}

/// Sentences of a text that were worth reading.
#[derive(Debug)]
pub(super) struct Prose {
    /// Those that were read, in order.
    pub(super) sentences: Vec<Sentence>,
    /// How many the text has.
    pub(super) total: usize,
}

/// The sentences of the prose of `text` that hold a byte of `wanted`, with one more on each side, for the
/// rules, and those around a byte of `hints` for the learned rule; both sorted.
pub(super) fn prose(text: &str, wanted: &[usize], hints: &[usize], lexicon: &Lexicon) -> Prose {
    read(text, &[(hints, AROUND_HINT, HINTED), (wanted, 1, HINTED | RULED)], lexicon)
}

/// The sentences of the prose of `text` that hold a byte of `wanted` (sorted).
pub(super) fn sentences(text: &str, wanted: &[usize], lexicon: &Lexicon) -> Vec<Sentence> {
    read(text, &[(wanted, 0, HINTED | RULED)], lexicon).sentences
}

const HINTED: u8 = 1;
const RULED: u8 = 2;

fn read(text: &str, wanted: &[(&[usize], usize, u8)], lexicon: &Lexicon) -> Prose {
    let inline = code_regions(text);
    let masked = masked_regions(text, &inline);
    let mut bounds = Vec::new();
    let mut paragraph = 0;
    for (piece, starts_paragraph) in lines(text, &masked) {
        paragraph += usize::from(starts_paragraph);
        split_sentences(text, piece, |range| bounds.push((range, paragraph)));
    }
    let mut keep = vec![0_u8; bounds.len()];
    for &(positions, around, bits) in wanted {
        let mut last = None;
        for &position in positions {
            let found = bounds.partition_point(|(range, _)| range.end <= position);
            if last == Some(found) || bounds.get(found).is_none_or(|(range, _)| range.start > position) {
                continue;
            }
            last = Some(found);
            let from = found.saturating_sub(around);
            let to = (found + around + 1).min(keep.len());
            for kept in keep.get_mut(from..to).into_iter().flatten() {
                *kept |= bits;
            }
        }
    }
    let total = bounds.len();
    let sentences = bounds
        .into_iter()
        .zip(keep)
        .enumerate()
        .filter(|(_, (_, keep))| *keep != 0)
        .map(|(number, ((range, paragraph), keep))| {
            let first = inline.partition_point(|region| region.range.end <= range.start);
            let code = inline
                .get(first..)
                .unwrap_or_default()
                .iter()
                .map(|region| region.range.clone())
                .take_while(|region| region.start < range.end);
            Sentence {
                number,
                ruled: keep & RULED != 0,
                ..tokenise(text, range.clone(), paragraph, code, lexicon)
            }
        })
        .collect();
    Prose { sentences, total }
}

/// Fenced code and tagged tool output.
fn masked_regions(text: &str, code: &[CodeRegion]) -> Vec<Range<usize>> {
    const PASTED: &[(&str, &str)] = &[
        ("<information>", "</information>"),
        ("<tool_response>", "</tool_response>"),
        ("<observation>", "</observation>"),
        ("<result>", "</result>"),
        ("<function_results>", "</function_results>"),
    ];
    let mut regions: Vec<Range<usize>> = code
        .iter()
        .filter(|region| region.kind == humbly_text::markdown::CodeKind::Fenced)
        .map(|region| region.range.clone())
        .collect();
    if memchr::memchr(b'<', text.as_bytes()).is_some() {
        for (open, close) in PASTED {
            let mut from = 0;
            while let Some(start) = text.get(from..).and_then(|rest| rest.find(open)).map(|at| at + from) {
                let end = text
                    .get(start..)
                    .and_then(|rest| rest.find(close))
                    .map_or(text.len(), |at| start + at + close.len());
                regions.push(start..end);
                from = end;
            }
        }
        regions.sort_by_key(|region| region.start);
    }
    regions
}

/// Pieces of prose, with whether each begins a paragraph: a line, or several where one goes on in lower case.
fn lines(text: &str, masked: &[Range<usize>]) -> Vec<(Range<usize>, bool)> {
    let mut pieces: Vec<(Range<usize>, bool)> = Vec::new();
    let mut start = 0;
    let mut begins = true;
    let mut region = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        while masked.get(region).is_some_and(|masked| masked.end <= range.start) {
            region += 1;
        }
        let is_masked = masked.get(region).is_some_and(|masked| masked.start < range.end);
        let content = line.trim();
        if is_masked || content.is_empty() || !is_prose(content) {
            begins = true;
            continue;
        }
        let goes_on = content.starts_with(char::is_lowercase);
        match pieces.last_mut() {
            Some((last, _)) if goes_on && !begins => last.end = range.end,
            _ => pieces.push((range, begins)),
        }
        begins = false;
    }
    pieces
}

/// Whether a line is prose: not a quoted line, not JSON, not a log line.
fn is_prose(line: &str) -> bool {
    let bytes = line.as_bytes();
    match bytes.first() {
        Some(b'>' | b'{' | b'}' | b'|' | b']' | b'$') => return false,
        Some(b'[') if line.ends_with(']') || line.ends_with("],") => return false,
        Some(b'"') if line.contains("\": ") || line.contains("\":\"") => return false,
        _ => {}
    }
    let sample = bytes.get(..200).unwrap_or(bytes);
    let spoken =
        sample.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte == b' ' || **byte >= 128).count();
    spoken * 10 >= sample.len() * 6
}

/// Cuts a line at the ends of its sentences.
fn split_sentences(text: &str, line: Range<usize>, mut found: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut start = line.start;
    let mut position = line.start;
    while position < line.end {
        let byte = bytes.get(position).copied().unwrap_or(b' ');
        let mut cut = None;
        if matches!(byte, b'.' | b'!' | b'?') {
            let mut end = position + 1;
            while end < line.end
                && matches!(
                    bytes.get(end),
                    Some(b'"' | b'\'' | b')' | b'*' | b'.' | b'!' | b'?' | b']' | b'_')
                )
            {
                end += 1;
            }
            if bytes.get(end..end + 3) == Some("”".as_bytes()) {
                end += 3;
            }
            let spaced = bytes.get(end).is_none_or(u8::is_ascii_whitespace);
            if spaced && (byte != b'.' || ends_sentence(text, start, position, end, line.end)) {
                cut = Some(end);
            }
            position = end;
        } else {
            position += 1;
        }
        let length = position - start;
        let too_long = length > LONGEST_SENTENCE && byte == b' '
            || length > 2 * LONGEST_SENTENCE && text.is_char_boundary(position);
        if cut.is_none() && too_long {
            cut = Some(position);
        }
        if let Some(end) = cut {
            found(start..end);
            start = end;
        }
    }
    if start < line.end && text.get(start..line.end).is_some_and(|rest| !rest.trim().is_empty()) {
        found(start..line.end);
    }
}

/// Whether the full stop at `stop` ends a sentence: not after an abbreviation or an initial.
fn ends_sentence(text: &str, start: usize, stop: usize, after: usize, line_end: usize) -> bool {
    const ABBREVIATIONS: &[&str] = &[
        "dr", "mr", "mrs", "ms", "st", "prof", "vs", "c", "ca", "no", "fig", "e.g", "i.e", "etc", "al",
        "approx", "jr", "sr", "vol", "op", "cf", "gen", "col", "lt", "u.s", "inc", "ltd", "co", "b", "d",
        "eq", "sec", "ch", "rev", "p", "pp",
    ];
    let next = text.get(after..line_end).unwrap_or_default().trim_start();
    if next.is_empty() {
        return true;
    }
    if next.chars().next().is_some_and(char::is_lowercase) {
        return false;
    }
    let before = text.get(start..stop).unwrap_or_default();
    let last = before.rsplit([' ', '(', '"', '*']).next().unwrap_or_default();
    let is_initial = last.len() == 1 && last.bytes().all(|byte| byte.is_ascii_uppercase()) && last != "I";
    let is_list_number = before.trim().bytes().all(|byte| byte.is_ascii_digit());
    let lower = last.to_ascii_lowercase();
    let is_abbreviation = last.len() <= 6 && ABBREVIATIONS.contains(&lower.as_str());
    // `no.` is an abbreviation only before a number.
    let is_number_sign = lower == "no" && !next.starts_with(|first: char| first.is_ascii_digit());
    !is_initial && !is_list_number && (!is_abbreviation || is_number_sign)
}

fn tokenise(
    text: &str,
    range: Range<usize>,
    paragraph: usize,
    code: impl Iterator<Item = Range<usize>>,
    lexicon: &Lexicon,
) -> Sentence {
    let content = text.get(range.clone()).unwrap_or_default();
    let mut code = code.peekable();
    let mut sentence = Sentence {
        range: range.clone(),
        tokens: Vec::with_capacity(content.len() / 5),
        paragraph,
        number: 0,
        ruled: true,
        asks: content.trim_end().ends_with('?'),
        lower: String::with_capacity(content.len()),
        classes: Class::NONE,
    };
    let quotations = quotations(content);
    let mut characters = content.char_indices().peekable();
    while let Some((at, first)) = characters.next() {
        let start = range.start + at;
        while code.peek().is_some_and(|region| region.end <= start) {
            code.next();
        }
        if let Some(region) = code.peek().filter(|region| region.start <= start).cloned() {
            while characters.next_if(|(at, _)| range.start + at < region.end).is_some() {}
            let code = text.get(region).unwrap_or_default();
            let capital = code.trim_start_matches('`').starts_with(char::is_uppercase);
            push(&mut sentence, Kind::Code, capital, false, lexicon, code);
            continue;
        }
        if first.is_whitespace() || first == '*' || first == '_' {
            continue;
        }
        let quoted = quotations.iter().any(|quotation| quotation.contains(&at));
        if first.is_alphanumeric() {
            let mut end = at + first.len_utf8();
            while let Some(&(next_at, next)) = characters.peek() {
                let rest = content.get(next_at + next.len_utf8()..).unwrap_or_default();
                let goes_on = rest.chars().next().is_some_and(char::is_alphanumeric);
                let joins = matches!(next, '\'' | '’' | '-' | '.' | ',' | ':' | '/') && goes_on;
                let is_numeric = first.is_ascii_digit();
                let joined = match next {
                    '.' | ',' | ':' | '/' => {
                        joins && is_numeric && rest.starts_with(|next: char| next.is_ascii_digit())
                    }
                    '\'' | '’' | '-' => joins,
                    _ => next.is_alphanumeric(),
                };
                if !joined {
                    break;
                }
                end = next_at + next.len_utf8();
                characters.next();
            }
            let word = content.get(at..end).unwrap_or_default();
            let kind = if first.is_ascii_digit() { Kind::Number } else { Kind::Word };
            push(&mut sentence, kind, first.is_uppercase(), quoted, lexicon, word);
        } else if first.is_ascii() {
            let mark = u8::try_from(first).unwrap_or(b' ');
            push(&mut sentence, Kind::Mark(mark), false, quoted, lexicon, "");
        } else if matches!(first, '—' | '–') {
            push(&mut sentence, Kind::Mark(b'-'), false, quoted, lexicon, "");
        }
    }
    sentence
}

fn push(sentence: &mut Sentence, kind: Kind, capital: bool, quoted: bool, lexicon: &Lexicon, word: &str) {
    let start = sentence.lower.len();
    for character in word.chars() {
        match character {
            '’' => sentence.lower.push('\''),
            _ => sentence.lower.extend(character.to_lowercase()),
        }
    }
    let lower = start..sentence.lower.len();
    let Entry { class, groups } = if quoted || lower.is_empty() || kind == Kind::Code {
        Entry::default()
    } else {
        let spelled = sentence.lower.get(lower.clone()).unwrap_or_default();
        lexicon.entry(spelled)
    };
    sentence.classes = sentence.classes.or(class);
    sentence.tokens.push(Token { lower, kind, class, groups, capital, quoted });
}

/// Bytes between paired double quotation marks.
fn quotations(content: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (at, character) in
        content.char_indices().filter(|(_, character)| matches!(character, '"' | '“' | '”'))
    {
        match open {
            Some(start) if character != '“' => {
                if at - start <= LONGEST_QUOTATION {
                    found.push(start..at);
                    open = None;
                } else {
                    open = (character == '"').then_some(at);
                }
            }
            None | Some(_) if character != '”' => open = Some(at),
            _ => {}
        }
    }
    found
}
