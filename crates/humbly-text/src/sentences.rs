//! Sentences and list items of a text, with their bytes.
//!
//! Made for judging what is claimed: every line end closes a sentence, list marks are left out, and
//! full stops of abbreviations, initials, numbers and file names do not cut.

use std::ops::Range;

/// Sentences of `text`, in order: their bytes and the text itself, without surrounding white space and
/// list marks.
///
/// Ranges do not overlap and lie on character boundaries. Time is linear.
///
/// # Examples
/// ```
/// # use humbly_text::sentences;
/// let text = "Dr. Smith (d. 1911) wrote 3.5 books. Why?\n- One: see Fig. 2.\n";
/// let found: Vec<&str> = sentences::split(text).map(|(_, sentence)| sentence).collect();
/// assert_eq!(found, ["Dr. Smith (d. 1911) wrote 3.5 books.", "Why?", "One: see Fig. 2."]);
/// ```
pub fn split(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    Sentences { text, at: 0 }.filter_map(move |range| {
        let range = trimmed(text, range);
        (!range.is_empty()).then(|| (range.clone(), &text[range]))
    })
}

struct Sentences<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Sentences<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut at = start;
        while let Some(step) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| is_stop(*byte))) {
            at += step;
            let end = match bytes[at] {
                b'\n' => Some(at + 1),
                b'.' | b'!' | b'?' => sentence_end(self.text, start, at),
                // The first bytes of `。`, `！` and `？`.
                0xe3 | 0xef => wide_stop(&bytes[at..]).map(|length| at + length),
                _ => None,
            };
            at += 1;
            if let Some(end) = end {
                self.at = end;
                return Some(start..end);
            }
        }
        self.at = bytes.len();
        (start < bytes.len()).then_some(start..bytes.len())
    }
}

/// Bytes that may end a sentence.
fn is_stop(byte: u8) -> bool {
    matches!(byte, b'\n' | b'.' | b'!' | b'?' | 0xe3 | 0xef)
}

fn wide_stop(bytes: &[u8]) -> Option<usize> {
    ["。", "！", "？"].iter().any(|stop| bytes.starts_with(stop.as_bytes())).then_some(3)
}

/// Most marks looked at behind a stop, as in `...").`; more are decoration.
const MOST_CLOSERS: usize = 16;

/// End of the sentence whose stop stands at `stop`, if it ends there.
fn sentence_end(text: &str, start: usize, stop: usize) -> Option<usize> {
    let closers = text[stop..].char_indices().take(MOST_CLOSERS).find(|(_, c)| {
        !matches!(c, '.' | '!' | '?' | '"' | '\'' | ')' | ']' | '}' | '*' | '_' | '”' | '’' | '»' | '`')
    });
    let Some((length, next)) = closers else {
        return text[stop..].chars().nth(MOST_CLOSERS).is_none().then_some(text.len());
    };
    let end = stop + length;
    if next == '[' {
        return None;
    }
    if !next.is_whitespace() {
        return None;
    }
    if text.as_bytes()[stop] != b'.' || next == '\n' {
        return Some(end);
    }
    let following = text[end..].trim_start_matches([' ', '\t']);
    let first = following.chars().next();
    if first.is_some_and(char::is_lowercase) && length == 1 {
        return None;
    }
    (!is_abbreviation(&text[start..stop], following, length)).then_some(end)
}

/// Followed by a name or a number, never the end of a sentence.
const TITLES: [&str; 26] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "mt", "gen", "col", "sen", "rep", "gov", "rev", "hon", "capt",
    "lt", "sgt", "vs", "fig", "figs", "eq", "eqs", "e.g", "i.e", "cf", "approx",
];

/// May end a sentence: then a word follows that starts one.
const ENDINGS: [&str; 22] = [
    "etc", "inc", "ltd", "co", "corp", "jr", "sr", "no", "vol", "pp", "p", "ca", "c", "b", "d", "al", "a.m",
    "p.m", "jan", "feb", "dec", "sec",
];

/// Words that start a sentence far more often than they follow an abbreviation.
const STARTERS: [&str; 24] = [
    "the",
    "this",
    "that",
    "these",
    "those",
    "it",
    "its",
    "in",
    "i",
    "he",
    "she",
    "they",
    "we",
    "you",
    "but",
    "however",
    "however,",
    "and",
    "so",
    "there",
    "if",
    "when",
    "therefore,",
    "according",
];

fn is_abbreviation(before: &str, following: &str, stop_length: usize) -> bool {
    if stop_length > 1 && !following.starts_with(|c: char| c.is_ascii_digit()) && before.ends_with(')') {
        return false;
    }
    let tail = &before[before.floor_char_boundary(before.len().saturating_sub(16))..];
    let word_start = tail
        .rfind(|c: char| !c.is_alphanumeric() && c != '.')
        .map_or(0, |at| at + tail[at..].chars().next().map_or(1, char::len_utf8));
    let word = &tail[word_start..];
    let lower = word.to_lowercase();
    // `1.` at the start of a line numbers an item.
    if !word.is_empty() && word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit()) {
        return before.trim_start().len() == word.len();
    }
    if TITLES.contains(&lower.as_str()) {
        return true;
    }
    let starts_sentence = || {
        let next = following.split_whitespace().next().unwrap_or("").to_lowercase();
        STARTERS.contains(&next.as_str())
    };
    let is_initialism =
        word.len() > 1 && word.contains('.') && word.split('.').all(|part| part.chars().count() == 1);
    if ENDINGS.contains(&lower.as_str()) || is_initialism {
        let has_digit = following.starts_with(|c: char| c.is_ascii_digit());
        return has_digit
            || !starts_sentence() && !matches!(lower.as_str(), "no" | "c" | "b" | "d" | "p" | "etc")
            || is_single_initial(word, &tail[..word_start]) && !starts_sentence();
    }
    is_single_initial(word, &tail[..word_start]) && !starts_sentence()
}

/// `J` of `J. Smith` and `John F. Kennedy`; not the letter of `option B.`.
fn is_single_initial(word: &str, before: &str) -> bool {
    let is_capital = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let previous = before.split_whitespace().next_back().unwrap_or("");
    is_capital
        && (previous.is_empty()
            || previous.ends_with('.')
            || previous.starts_with(char::is_uppercase) && !previous.ends_with(':')
            || matches!(previous, "by" | "and" | "with" | "of" | "from"))
}

/// `range` without white space, list marks, quotation and heading marks at its start.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let raw = &text[range.clone()];
    let mut rest = raw.trim_start();
    if range.start == 0 || text[..range.start].ends_with('\n') {
        rest = without_list_mark(rest);
    }
    let start = range.end - rest.len();
    start..start + rest.trim_end().len()
}

fn without_list_mark(line: &str) -> &str {
    let line = line.trim_start_matches(['#', '>', ' ', '\t']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).take(4).count();
    let marked = match digits {
        1..=3 => line[digits..].strip_prefix(['.', ')']),
        _ => line.strip_prefix(['-', '*', '+', '•', '–']),
    };
    // A mark stands apart: `*word*` is emphasis and `-5` a number.
    marked
        .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']))
        .unwrap_or(line)
        .trim_start()
}

#[cfg(test)]
mod tests;
