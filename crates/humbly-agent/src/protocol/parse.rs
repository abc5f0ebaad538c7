//! Which action a turn of tagged text takes.

use humbly_text::think;

/// Longest confidence that is kept behind an answer, in bytes.
const CONFIDENCE_LENGTH: usize = 200;
/// White space looked over before that confidence.
const CONFIDENCE_GAP: usize = 64;

/// A turn of tagged text, cut after its action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedTurn {
    /// The text up to the end of the action; with the closing tag, also where a stop text took it.
    pub kept: String,
    /// What was only thought.
    pub reasoning: Vec<String>,
    /// What a reader sees: the call itself is left out, an answer keeps its tags.
    pub said: String,
    /// The action.
    pub action: TaggedAction,
}

/// What a turn does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaggedAction {
    /// It answers.
    Answer(String),
    /// It calls a tool.
    Tool {
        /// Tag of the tool.
        tag: String,
        /// What stands between the tags, trimmed.
        body: String,
    },
    /// Neither.
    None,
}

/// How the text of a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnEnd {
    /// By itself.
    Whole,
    /// Perhaps at a closing tag, which is then not part of the text.
    AtStop,
    /// In the middle.
    Cut,
}

/// Finds the action of a whole turn: the first tag of a tool or an answer that closes.
///
/// - A closing tag ends the nearest opening tag of its name before it; without one it is text.
/// - Tags in a think block that closes are thoughts. In one that never closes they act, since the turn is cut
///   at the action.
/// - An action without content is none. Text after the action is dropped, but for a confidence right behind
///   an answer.
///
/// Names are compared without case; time is linear.
///
/// # Examples
/// ```
/// use humbly_agent::{TaggedAction, parse_tagged};
/// let turn = parse_tagged("<think>hm</think> I look. <search>Ada</search> <answer>no</answer>", &["search"]);
/// assert_eq!(turn.action, TaggedAction::Tool { tag: "search".into(), body: "Ada".into() });
/// assert_eq!((turn.reasoning[0].as_str(), turn.said.as_str()), ("hm", "I look."));
/// ```
pub fn parse_tagged(text: &str, tools: &[&str]) -> TaggedTurn {
    parse(text, tools, TurnEnd::Whole)
}

pub(crate) fn parse(text: &str, tools: &[&str], end: TurnEnd) -> TaggedTurn {
    let marks = marks(text, tools);
    let thoughts = thoughts(&marks);
    let outside: Vec<Mark> = marks
        .into_iter()
        .filter(|mark| mark.name != Name::Think)
        .filter(|mark| {
            let next = thoughts.partition_point(|thought| thought.1 <= mark.start);
            thoughts.get(next).is_none_or(|thought| mark.start < thought.0)
        })
        .collect();
    let found = closed(text, &outside, tools.len()).or_else(|| match end {
        TurnEnd::AtStop => open_at_end(text, &outside),
        TurnEnd::Whole | TurnEnd::Cut => None,
    });
    let Some(found) = found else {
        let split = think::split(text);
        return TaggedTurn {
            kept: text.to_owned(),
            reasoning: owned(&split.reasoning),
            said: split.visible.trim().to_owned(),
            action: TaggedAction::None,
        };
    };
    let split = think::split(&text[..found.start]);
    let body = text[found.body.clone()].trim().to_owned();
    let tag = match found.name {
        Name::Tool(index) => tools.get(index).copied().unwrap_or_default(),
        _ => "answer",
    };
    let mut kept = text[..found.end].to_owned();
    if !found.is_closed {
        kept.push_str(&format!("</{tag}>"));
    }
    let mut said = split.visible.trim().to_owned();
    let action = if let Name::Tool(_) = found.name {
        TaggedAction::Tool { tag: tag.to_owned(), body }
    } else {
        let behind = confidence_behind(&text[found.end..]);
        kept.push_str(behind);
        if !said.is_empty() {
            said.push('\n');
        }
        said.push_str(&kept[found.start..]);
        TaggedAction::Answer(body)
    };
    TaggedTurn { kept, reasoning: owned(&split.reasoning), said, action }
}

fn owned(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Think,
    Answer,
    Tool(usize),
}

/// A tag in the text.
#[derive(Debug, Clone, Copy)]
struct Mark {
    start: usize,
    end: usize,
    name: Name,
    is_close: bool,
}

/// An action in the text.
struct Found {
    name: Name,
    start: usize,
    body: std::ops::Range<usize>,
    end: usize,
    is_closed: bool,
}

/// All tags that count, in order.
fn marks(text: &str, tools: &[&str]) -> Vec<Mark> {
    let bytes = text.as_bytes();
    let names = [("think", Name::Think), ("answer", Name::Answer)];
    let tools = tools.iter().enumerate().map(|(index, tool)| (*tool, Name::Tool(index)));
    let names: Vec<(&str, Name)> = names.into_iter().chain(tools).collect();
    memchr::memchr_iter(b'<', bytes)
        .filter_map(|start| {
            let is_close = bytes.get(start + 1) == Some(&b'/');
            let from = start + 1 + usize::from(is_close);
            names.iter().find_map(|(word, name)| {
                let end = from + word.len();
                let is_word = bytes.get(from..end)?.eq_ignore_ascii_case(word.as_bytes());
                (is_word && bytes.get(end) == Some(&b'>')).then_some(Mark {
                    start,
                    end: end + 1,
                    name: *name,
                    is_close,
                })
            })
        })
        .collect()
}

/// Think blocks that close. The first closing tag without an opening one ends a block that the chat template
/// opened.
fn thoughts(marks: &[Mark]) -> Vec<(usize, usize)> {
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    let mut open = None;
    for mark in marks.iter().filter(|mark| mark.name == Name::Think) {
        if !mark.is_close {
            open = open.or(Some(mark.start));
        } else if let Some(start) = open.take() {
            blocks.push((start, mark.end));
        } else if blocks.is_empty() {
            blocks.push((0, mark.end));
        }
    }
    blocks
}

/// The first action that closes and has content.
fn closed(text: &str, marks: &[Mark], tools: usize) -> Option<Found> {
    let mut open: Vec<Option<Mark>> = vec![None; tools + 1];
    for mark in marks {
        let slot = match mark.name {
            Name::Tool(index) => index + 1,
            Name::Answer | Name::Think => 0,
        };
        let place = open.get_mut(slot)?;
        if !mark.is_close {
            *place = Some(*mark);
        } else if let Some(opening) = place.take()
            && !text[opening.end..mark.start].trim().is_empty()
        {
            return Some(Found {
                name: mark.name,
                start: opening.start,
                body: opening.end..mark.start,
                end: mark.end,
                is_closed: true,
            });
        }
    }
    None
}

/// The action that a stop text closed.
fn open_at_end(text: &str, marks: &[Mark]) -> Option<Found> {
    let opening = marks.last().filter(|mark| !mark.is_close)?;
    let body = opening.end..text.len();
    (!text[body.clone()].trim().is_empty()).then_some(Found {
        name: opening.name,
        start: opening.start,
        body,
        end: text.len(),
        is_closed: false,
    })
}

/// A confidence that stands right behind an answer, with the white space before it.
fn confidence_behind(text: &str) -> &str {
    const OPEN: &str = "<confidence>";
    const CLOSE: &str = "</confidence>";
    let gap = text.len() - text.trim_start().len();
    if gap > CONFIDENCE_GAP || !text[gap..].starts_with(OPEN) {
        return "";
    }
    match text[gap..].find(CLOSE) {
        Some(end) if end <= CONFIDENCE_LENGTH => &text[..gap + end + CLOSE.len()],
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOOLS: &[&str] = &["search", "calculate"];

    fn tool(tag: &str, body: &str) -> TaggedAction {
        TaggedAction::Tool { tag: tag.into(), body: body.into() }
    }

    #[test]
    fn the_first_action_that_closes_wins() {
        let action = |text| parse_tagged(text, TOOLS).action;
        assert_eq!(action("<answer>A</answer><search>b</search>"), TaggedAction::Answer("A".into()));
        assert_eq!(action("<search>a <answer>b</answer></search>"), TaggedAction::Answer("b".into()));
        assert_eq!(action("</search><calculate> 1+1 </calculate>"), tool("calculate", "1+1"));
        assert_eq!(action("<answer> </answer> <search>x</search>"), tool("search", "x"));
        assert_eq!(action("<SEARCH>x</Search>"), tool("search", "x"));
        assert_eq!(action("<search>x"), TaggedAction::None);
        assert_eq!(action("no tags at all"), TaggedAction::None);
    }

    #[test]
    fn an_action_in_a_closed_thought_is_a_thought() {
        let text = "<think>I could <search>x</search> or <answer>y</answer></think><search>z</search>";
        assert_eq!(parse_tagged(text, TOOLS).action, tool("search", "z"));
        let opened_by_template = "maybe <answer>y</answer>\n</think>\n<search>z</search>";
        assert_eq!(parse_tagged(opened_by_template, TOOLS).action, tool("search", "z"));
        let never_closed = parse_tagged("<think>I need <search>x</search> tail", TOOLS);
        assert_eq!(never_closed.action, tool("search", "x"));
        assert_eq!(
            (never_closed.reasoning.as_slice(), never_closed.said.as_str()),
            (&["I need".into()][..], "")
        );
    }

    #[test]
    fn a_stop_text_gives_its_closing_tag_back() {
        let turn = parse("<think>a</think><search> x y", TOOLS, TurnEnd::AtStop);
        assert_eq!(
            (turn.action, turn.kept.as_str()),
            (tool("search", "x y"), "<think>a</think><search> x y</search>")
        );
        assert_eq!(parse("<search>x y", TOOLS, TurnEnd::Cut).action, TaggedAction::None);
        let answer = parse("<think>a</think><confidence>0.4</confidence><answer>B", TOOLS, TurnEnd::AtStop);
        assert_eq!(answer.said, "<confidence>0.4</confidence>\n<answer>B</answer>");
    }

    #[test]
    fn a_confidence_behind_the_answer_is_kept_and_nothing_else() {
        let turn = parse_tagged("So: <answer>B</answer>\n<confidence>70</confidence> bye", TOOLS);
        assert_eq!(turn.said, "So:\n<answer>B</answer>\n<confidence>70</confidence>");
        assert_eq!(turn.kept, "So: <answer>B</answer>\n<confidence>70</confidence>");
        assert_eq!(parse_tagged("<answer>B</answer> bye", TOOLS).kept, "<answer>B</answer>");
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_and_an_action_ends_what_is_kept(
            text in "(</?(think|search|answer|calculate|confidence|information)>|[a-z é\n<]){0,40}",
            end in prop_oneof![Just(TurnEnd::Whole), Just(TurnEnd::AtStop), Just(TurnEnd::Cut)],
        ) {
            let turn = parse(&text, TOOLS, end);
            match turn.action {
                TaggedAction::Tool { tag, body } => {
                    prop_assert!(!body.is_empty());
                    let closing = format!("</{tag}>");
                    prop_assert!(turn.kept.to_ascii_lowercase().ends_with(&closing));
                }
                TaggedAction::Answer(body) => {
                    prop_assert!(!body.is_empty());
                    prop_assert!(turn.said.contains(body.as_str()));
                }
                TaggedAction::None => prop_assert_eq!(turn.kept, text),
            }
        }
    }

    #[test]
    fn hostile_text_takes_linear_time() {
        for piece in
            ["<search>", "</search>", "<think>", "</think>", "<think></think>", "<", "<answer></answer>"]
        {
            parse_tagged(&piece.repeat(100_000), TOOLS);
        }
    }
}
