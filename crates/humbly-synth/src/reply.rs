//! Reading replies: strictly, and nothing but the visible reply.

use humbly_llm::{ChatReply, Finish};
use humbly_text::think;
use serde_json::{Map, Value};

const OPEN: &str = "<problem>";
const CLOSE: &str = "</problem>";

/// Visible text; `None` where the reply was cut or held back, so that what it would have said is unknown.
fn visible(reply: &ChatReply) -> Option<&str> {
    if matches!(reply.finish, Finish::Length | Finish::Filtered) {
        return None;
    }
    let parts = think::split(&reply.text);
    if parts.is_truncated_reasoning() {
        return None;
    }
    // What is thought stands in front; a reply with thoughts in its middle is taken from its start.
    let text = reply.text.trim();
    let text = text.rsplit_once("</think>").map_or(text, |(_, rest)| rest.trim());
    (!text.is_empty()).then_some(text)
}

/// The one problem between the tags.
pub(crate) fn problem(reply: &ChatReply) -> Option<String> {
    let text = visible(reply)?;
    let (_, rest) = text.split_once(OPEN)?;
    let (inside, after) = rest.split_once(CLOSE)?;
    let inside = inside.trim();
    let is_one = !inside.is_empty() && !inside.contains(OPEN) && !after.contains(OPEN);
    is_one.then(|| inside.to_owned())
}

/// The truth values under `names`, of a reply that is one JSON object, code fence or not.
pub(crate) fn flags<const N: usize>(reply: &ChatReply, names: [&str; N]) -> Option<[bool; N]> {
    let text = inside_fence(visible(reply)?);
    let fields: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut flags = [false; N];
    for (flag, name) in flags.iter_mut().zip(names) {
        *flag = fields.get(name)?.as_bool()?;
    }
    Some(flags)
}

fn inside_fence(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else { return text };
    rest.strip_prefix("json").unwrap_or(rest).trim()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn says(text: &str) -> ChatReply {
        ChatReply { text: text.to_owned(), ..ChatReply::default() }
    }

    #[test]
    fn one_problem_between_tags_is_read_and_nothing_else() {
        assert_eq!(problem(&says("Sure!\n<problem>\nFind $x$.\n</problem>")).as_deref(), Some("Find $x$."));
        assert_eq!(
            problem(&says("<think><problem>no</problem></think><problem>a</problem>")).as_deref(),
            Some("a")
        );
        for bad in [
            "",
            "Find $x$.",
            "<problem> </problem>",
            "<problem>a",
            "</problem>a<problem>",
            "<problem>a</problem><problem>b</problem>",
            "<problem>a<problem>b</problem>",
            "<think><problem>a</problem>",
        ] {
            assert_eq!(problem(&says(bad)), None, "{bad}");
        }
        let cut = ChatReply { finish: Finish::Length, ..says("<problem>a</problem>") };
        assert_eq!(problem(&cut), None);
    }

    #[test]
    fn flags_are_read_from_json_alone() {
        let names = ["a", "b"];
        assert_eq!(flags(&says(r#"{"a": true, "b": false, "why": "x"}"#), names), Some([true, false]));
        assert_eq!(flags(&says("```json\n{\"a\": true, \"b\": true}\n```"), names), Some([true, true]));
        for bad in [
            "Yes, it has one answer.",
            r#"{"a": true}"#,
            r#"{"a": "true", "b": true}"#,
            r#"{"a": 1, "b": 0}"#,
            r#"The verdict: {"a": true, "b": true}"#,
            "[true, true]",
        ] {
            assert_eq!(flags(&says(bad), names), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(<problem>|</problem>|<think>|</think>|```|json|\\{|\"a\":|true|[a-z ü]){0,20}") {
            let reply = says(&text);
            if let Some(found) = problem(&reply) {
                prop_assert!(text.contains(&found) && !found.contains("problem>"));
            }
            let _ = flags(&reply, ["a"]);
        }
    }
}
