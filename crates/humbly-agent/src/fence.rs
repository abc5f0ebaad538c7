//! Untrusted text made harmless before a model or a parser sees it.
//!
//! Three things happen to it: control characters go, tags of our protocols and marks of chat templates lose
//! their opening bracket, and it is cut at a stated length. Nothing else changes, so that evidence stays
//! evidence.

use std::borrow::Cow;

/// Names that mean something inside angle brackets, to us or to a chat template.
const RESERVED: &[&str] = &[
    "think",
    "thinking",
    "search",
    "information",
    "answer",
    "confidence",
    "escalate",
    "calculate",
    "tool_call",
    "tool_response",
    "function",
    "parameter",
    "system",
    "user",
    "assistant",
];
/// What an opening bracket becomes.
const BRACKET: char = '\u{2039}';
/// White space looked over between a bracket and a name.
const LONGEST_GAP: usize = 8;

/// Makes tags inside untrusted text harmless.
///
/// # Examples
/// ```
/// use humbly_agent::Fence;
/// let fence = Fence::new(["lookup"]);
/// assert_eq!(fence.data("a <b>x</answer> < /LOOKUP>", 100), "a <b>x‹/answer> ‹ /LOOKUP>");
/// assert_eq!(fence.data("<|im_end|>\u{7} \"\"\"", 100), "‹|im_end|> '''");
/// assert_eq!(fence.data("Łódź", 2), "Łó\n[cut: 2 of 4 characters]");
/// ```
#[derive(Debug, Clone)]
pub struct Fence {
    names: Vec<String>,
}

impl Fence {
    /// A fence that also knows these tags.
    pub fn new<T: Into<String>>(tags: impl IntoIterator<Item = T>) -> Self {
        let mut names: Vec<String> = RESERVED.iter().map(|name| (*name).to_owned()).collect();
        names.extend(tags.into_iter().map(|tag| tag.into().to_ascii_lowercase()));
        Self { names }
    }

    /// Untrusted text as it may stand in a prompt: clean, harmless, at most `limit` characters and a note
    /// where it was cut.
    pub fn data(&self, text: &str, limit: usize) -> String {
        let cleaned = clean(text.trim());
        let (kept, total) = cut(&cleaned, limit);
        let mut data = self.neutralise(kept).into_owned();
        if let Some(total) = total {
            data.push_str(&format!("\n[cut: {limit} of {total} characters]"));
        }
        data
    }

    /// The same for a text that has to stand on one line (a title).
    pub fn line(&self, text: &str, limit: usize) -> String {
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let cleaned = clean(&folded);
        self.neutralise(cut(&cleaned, limit).0).into_owned()
    }

    /// Takes the opening bracket from every reserved tag, and breaks the quotation marks of our fences.
    pub fn neutralise<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if memchr::memchr(b'<', text.as_bytes()).is_none() && !text.contains("\"\"\"") {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len() + 16);
        let mut copied = 0;
        for at in memchr::memchr_iter(b'<', text.as_bytes()) {
            if self.is_reserved(&text[at + 1..]) {
                out.push_str(&text[copied..at]);
                out.push(BRACKET);
                copied = at + 1;
            }
        }
        out.push_str(&text[copied..]);
        if out.contains("\"\"\"") {
            out = out.replace("\"\"\"", "'''");
        }
        Cow::Owned(out)
    }

    /// Whether what follows an opening bracket is one of the names, or a mark such as `|im_end|>`.
    fn is_reserved(&self, rest: &str) -> bool {
        let rest = skip_gap(rest);
        if rest.starts_with('|') {
            return true;
        }
        let rest = rest.strip_prefix('/').map_or(rest, skip_gap);
        let bytes = rest.as_bytes();
        self.names.iter().any(|name| {
            bytes.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
                && bytes
                    .get(name.len())
                    .is_none_or(|next| !next.is_ascii_alphanumeric() && !matches!(next, b'_' | b'-' | 0x80..))
        })
    }
}

fn skip_gap(text: &str) -> &str {
    let gap = text.chars().take(LONGEST_GAP).take_while(|letter| letter.is_whitespace());
    text.get(gap.map(char::len_utf8).sum::<usize>()..).unwrap_or_default()
}

/// Text without control characters (line ends and tabs stay), direction overrides and invisible tag letters.
///
/// # Examples
/// ```
/// assert_eq!(humbly_agent::clean("a\r\nb\u{1b}[31m\u{202e}c"), "a\nb[31mc");
/// ```
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_stripped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\r' {
            if letters.peek() != Some(&'\n') {
                out.push('\n');
            }
        } else if !is_stripped(letter) {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

fn is_stripped(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        || matches!(letter, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The first `limit` characters, and how many there are where that cut something off.
fn cut(text: &str, limit: usize) -> (&str, Option<usize>) {
    match text.char_indices().nth(limit) {
        Some((end, _)) => (&text[..end], Some(text.chars().count())),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fence() -> Fence {
        Fence::new(["calculate"])
    }

    #[test]
    fn words_that_only_begin_like_a_tag_stay() {
        let text = "<searching> <answers/> <b> 1 < 2 <thinkpad> <answer-key> <answeré>";
        assert_eq!(fence().data(text, 1000), text);
    }

    #[test]
    fn tags_with_attributes_case_gaps_and_missing_ends_lose_their_bracket() {
        for tag in ["<answer", "<ANSWER x=1>", "< answer >", "<\n/ answer>", "</information>", "<|im_start|>"]
        {
            assert!(!fence().data(tag, 1000).contains('<'), "{tag}");
        }
    }

    #[test]
    fn a_title_stands_on_one_line() {
        assert_eq!(fence().line("a\n\n \"\"\"\nb\u{0}", 100), "a ''' b");
        assert_eq!(fence().line("abcdef", 3), "abc");
    }

    proptest! {
        #[test]
        fn nothing_reserved_and_no_control_character_survives(
            text in "(<|/|\\||answer|search|THINK|>| |\\n|\u{202e}|\u{0}|é|\"\"\"|\"|[a-z]){0,60}",
            limit in 0_usize..80,
        ) {
            let data = fence().data(&text, limit);
            prop_assert!(!data.chars().any(is_stripped));
            prop_assert!(!data.contains("\"\"\""));
            let again = fence().neutralise(&data).into_owned();
            prop_assert_eq!(again, data);
        }

        #[test]
        fn any_text_is_taken(text in any::<String>(), limit in 0_usize..200) {
            let data = fence().data(&text, limit);
            prop_assert!(data.chars().count() <= limit + 60);
        }
    }
}
