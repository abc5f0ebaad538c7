//! The letter of a multiple-choice answer.

use super::{AnswerSource, Extraction, MissingAnswer, last_line, last_sentence};
use crate::boxed::last_boxed;
use crate::tags::last_tag;
use crate::think;

/// The option that `response` names as its answer, outside think blocks.
///
/// Looked for in `<answer>` alone where it stands, else in the last answer line, the last box, a sentence
/// "the answer is …" and the whole text; the first of these that names an option decides. An explicit line comes
/// before a box, and a capital letter inside boxed mathematics is no option. Naming several is
/// [`MissingAnswer::SeveralAnswers`].
///
/// # Shapes and units
/// `options`: capital letters; the answer is one of them.
///
/// # Examples
/// ```
/// # use humbly_text::answer::choice_letter;
/// let options = ['A', 'B', 'C', 'D', 'E'];
/// assert_eq!(choice_letter("ANSWER: **B**", &options).answer(), Some(&'B'));
/// assert_eq!(choice_letter("\\boxed{E \\gg kT}\n**Answer: B**", &options).answer(), Some(&'B'));
/// assert_eq!(choice_letter("<think> maybe B", &options).answer(), None);
/// ```
pub fn choice_letter(response: &str, options: &[char]) -> Extraction<char> {
    let parts = think::split(response);
    let visible = parts.visible.as_ref();
    // A tag decides alone, also where it holds a sentence or the text of an option.
    let tag = last_tag(visible, "answer").map(|tag| tag.content).filter(|content| !content.is_empty());
    let places = match tag {
        Some(tag) => vec![(Some(tag), AnswerSource::Tag), (last_sentence(tag), AnswerSource::Tag)],
        None => vec![
            (last_line(visible), AnswerSource::Line),
            (last_boxed(visible), AnswerSource::Boxed),
            (last_sentence(visible), AnswerSource::Sentence),
            (Some(visible), AnswerSource::Whole),
        ],
    };
    for (content, source) in places {
        match content.map(|content| named(content, options, source)) {
            Some(Named::One(answer)) => return Extraction::Found { answer, source },
            Some(Named::Several) => return Extraction::Missing(MissingAnswer::SeveralAnswers),
            _ => {}
        }
    }
    let reason = if parts.is_truncated_reasoning() {
        MissingAnswer::TruncatedReasoning
    } else {
        MissingAnswer::NoAnswer
    };
    Extraction::Missing(reason)
}

enum Named {
    None,
    One(char),
    Several,
}

fn named(content: &str, options: &[char], source: AnswerSource) -> Named {
    let content = match last_boxed(content) {
        Some(inner) => inner,
        None => content,
    };
    let content = without_wrappers(content);
    let mut chars = content.chars();
    let Some(first) = chars.next() else { return Named::None };
    let Some(letter) = options.iter().copied().find(|option| option.eq_ignore_ascii_case(&first)) else {
        return Named::None;
    };
    let rest = chars.as_str();
    if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '^' || c == '\'' || c == '’') {
        return Named::None;
    }
    let is_alone = rest.trim_matches(is_wrapper).is_empty();
    if is_alone {
        return Named::One(letter);
    }
    // `b) bank` may be lower case, a word of a sentence may not.
    let is_labelled =
        rest.starts_with([')', ']', '.', ':', ',', '*', '}', '\n', '-', '–']) || rest.starts_with(" )");
    if !is_labelled && (first != letter || rest.starts_with(|c: char| !c.is_whitespace() && c != '(')) {
        return Named::None;
    }
    if joins_another(rest, options) {
        return Named::Several;
    }
    // `A bank` starts a sentence, `E \gg kT` is mathematics; a box or a whole text must be clearer.
    let is_clear = is_labelled
        || !matches!(letter, 'A' | 'I')
            && matches!(source, AnswerSource::Tag | AnswerSource::Line | AnswerSource::Sentence);
    let is_mathematics = !is_labelled && rest.contains(['\\', '=', '+', '^', '<', '>']);
    if is_clear && !is_mathematics { Named::One(letter) } else { Named::None }
}

/// `B or C`, `A, C`, `A) bank and B) mall`.
fn joins_another(rest: &str, options: &[char]) -> bool {
    let mut previous = "";
    for word in rest.split_whitespace() {
        let mut chars = word.trim_start_matches('(').chars();
        let is_labelled = chars.next().is_some_and(|c| options.contains(&c)) && chars.next() == Some(')');
        if is_labelled && (matches!(previous, "and" | "or" | "&") || previous.ends_with(',')) {
            return true;
        }
        previous = word;
    }
    let rest = rest.trim_start_matches(|c: char| is_wrapper(c) && c != ',');
    let joined = ["and", "or", ",", "/", "&"].iter().find_map(|join| rest.strip_prefix(join));
    joined.is_some_and(|other| {
        let mut chars = other.trim_start_matches(is_wrapper).chars();
        chars.next().is_some_and(|c| options.contains(&c)) && !chars.next().is_some_and(char::is_alphanumeric)
    })
}

fn is_wrapper(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '*' | '_' | '`' | '$' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '.' | ',')
}

fn without_wrappers(content: &str) -> &str {
    let mut content = content.trim_start_matches(is_wrapper);
    for prefix in ["\\text", "\\mathrm", "\\mathbf", "\\textbf", "option", "choice", "answer", "letter"] {
        let start = content.get(..prefix.len()).filter(|start| start.eq_ignore_ascii_case(prefix));
        if let Some(start) = start
            && content[start.len()..].starts_with([' ', '{', ':', '('])
        {
            content = content[start.len()..].trim_start_matches(|c| is_wrapper(c) || c == ':');
        }
    }
    content
}
