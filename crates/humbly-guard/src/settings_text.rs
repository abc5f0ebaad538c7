//! Editing a JSON file as text, so that everything else in it keeps its bytes.
//!
//! The text was parsed before: here only brackets, strings and commas are looked at.

use std::ops::Range;

use serde_json::Value;

/// One member of an object or element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// The key of a member.
    pub(crate) key: Option<String>,
    /// Where it begins, the key included.
    start: usize,
    /// Its value.
    pub(crate) value: Range<usize>,
}

/// The items of the object or array at `container`.
pub(crate) fn items(text: &str, container: &Range<usize>) -> Vec<Item> {
    let bytes = text.as_bytes();
    let is_object = bytes.get(container.start) == Some(&b'{');
    let mut found = Vec::new();
    let mut at = skip_blank(bytes, container.start + 1);
    while at + 1 < container.end {
        let start = at;
        let mut key = None;
        if is_object {
            let end = value_end(bytes, at);
            key = text.get(at..end).and_then(|key| serde_json::from_str(key).ok());
            at = skip_blank(bytes, skip_blank(bytes, end) + 1);
        }
        let end = value_end(bytes, at);
        found.push(Item { key, start, value: at..end });
        at = skip_blank(bytes, end);
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at = skip_blank(bytes, at + 1);
    }
    found
}

/// The outermost value.
pub(crate) fn root(text: &str) -> Range<usize> {
    let start = skip_blank(text.as_bytes(), 0);
    start..value_end(text.as_bytes(), start)
}

/// The value of a member.
pub(crate) fn member(text: &str, object: &Range<usize>, key: &str) -> Option<Range<usize>> {
    items(text, object).into_iter().find(|item| item.key.as_deref() == Some(key)).map(|item| item.value)
}

/// The text with `value` added at the end of the container, under `key` where it is an object.
pub(crate) fn with_added(text: &str, container: &Range<usize>, key: Option<&str>, value: &Value) -> String {
    let existing = items(text, container);
    let unit = indent_unit(text);
    let own_indent = line_indent(text, container.start);
    let render = |indent: &str| {
        let mut rendered = key.map(|key| format!("{}: ", Value::from(key))).unwrap_or_default();
        rendered.push_str(&pretty(value, &unit, indent));
        rendered
    };
    let (at, end, added) = match existing.last() {
        None => {
            let indent = format!("{own_indent}{unit}");
            let inside = format!("\n{indent}{}\n{own_indent}", render(&indent));
            (container.start + 1, container.end.saturating_sub(1), inside)
        }
        Some(last) => {
            let is_on_own_line = text.get(..last.start).is_some_and(|before| {
                before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty()) && before.contains('\n')
            });
            let separator = if is_on_own_line {
                format!(",\n{}", line_indent(text, last.start))
            } else {
                ", ".to_owned()
            };
            let indent = line_indent(text, last.start);
            (last.value.end, last.value.end, format!("{separator}{}", render(&indent)))
        }
    };
    spliced(text, at..end, &added)
}

/// The text without the item at `index` of the container.
pub(crate) fn without(text: &str, container: &Range<usize>, index: usize) -> String {
    let items = items(text, container);
    let Some(item) = items.get(index) else { return text.to_owned() };
    let before = index.checked_sub(1).and_then(|before| items.get(before));
    let range = match (before, items.get(index + 1)) {
        (Some(before), None) => before.value.end..item.value.end,
        (_, Some(after)) => item.start..after.start,
        (None, None) => container.start + 1..container.end.saturating_sub(1),
    };
    spliced(text, range, "")
}

fn spliced(text: &str, range: Range<usize>, with: &str) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    format!("{before}{with}{after}")
}

/// Printed over several lines, the lines after the first indented.
pub(crate) fn pretty(value: &Value, unit: &str, indent: &str) -> String {
    let plain = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut lines = plain.lines().map(|line| {
        let depth = (line.len() - line.trim_start().len()) / 2;
        format!("{}{}", unit.repeat(depth), line.trim_start())
    });
    let mut text = lines.next().unwrap_or_default();
    for line in lines {
        text.push('\n');
        text.push_str(indent);
        text.push_str(&line);
    }
    text
}

/// One step of indentation: that of the first member of the outermost object.
fn indent_unit(text: &str) -> String {
    let first = items(text, &root(text)).into_iter().next();
    let indent = first.map(|first| line_indent(text, first.start)).unwrap_or_default();
    if indent.is_empty() { "  ".to_owned() } else { indent }
}

/// White space at the start of the line of `at`.
fn line_indent(text: &str, at: usize) -> String {
    let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect()
}

fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Where the value that begins at `at` ends.
fn value_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0usize;
    let mut index = at;
    while let Some(byte) = bytes.get(index) {
        match byte {
            b'"' => {
                index = string_end(bytes, index);
                if depth == 0 {
                    return index;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                // The end of the container that holds a bare value.
                let Some(less) = depth.checked_sub(1) else { return index };
                depth = less;
                if depth == 0 {
                    return index + 1;
                }
            }
            b',' | b':' if depth == 0 => return index,
            byte if depth == 0 && byte.is_ascii_whitespace() => return index,
            _ => {}
        }
        index += 1;
    }
    index
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut index = start + 1;
    while let Some(byte) = bytes.get(index) {
        match byte {
            b'\\' => index += 2,
            b'"' => return index + 1,
            _ => index += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_member_is_added_and_taken_back_byte_for_byte() {
        let text = "{\n    \"a\" : [1, 2],\n    \"b\": {\"c\": \"}\\\"\"}\n}\n";
        let added = with_added(text, &root(text), Some("hooks"), &json!({"x": [1]}));
        assert_eq!(serde_json::from_str::<Value>(&added).unwrap()["hooks"], json!({"x": [1]}));
        assert!(
            added.starts_with("{\n    \"a\" : [1, 2],\n    \"b\": {\"c\": \"}\\\"\"},\n    \"hooks\": {")
        );
        assert_eq!(without(&added, &root(&added), 2), text);
    }

    #[test]
    fn an_empty_object_is_filled() {
        let added = with_added("{}", &(0..2), Some("a"), &json!([{"b": 1}]));
        assert_eq!(added, "{\n  \"a\": [\n    {\n      \"b\": 1\n    }\n  ]\n}");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[\\PC\"\\\\{}\\[\\],:]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[\\PC\"\\\\:,]{0,6}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_added_can_be_read_and_taken_back(
            value in prop::collection::btree_map("[a-g]{1,3}", any_json(), 0..5),
            is_pretty: bool,
        ) {
            let value = Value::Object(value.into_iter().collect());
            let text = if is_pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let added = with_added(&text, &root(&text), Some("hooks"), &json!([{"k": "v"}]));
            let mut expected = value.clone();
            expected["hooks"] = json!([{"k": "v"}]);
            prop_assert_eq!(serde_json::from_str::<Value>(&added).unwrap(), expected);
            let index = items(&added, &root(&added)).len() - 1;
            let back = without(&added, &root(&added), index);
            prop_assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), value);
            if text.len() > 2 {
                prop_assert_eq!(back, text);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC*|[\\[\\]{}\",:\\\\a ]*") {
            let root = root(&text);
            let found = items(&text, &root);
            let _ = with_added(&text, &root, Some("a"), &json!(1));
            for index in 0..found.len() {
                let _ = without(&text, &root, index);
            }
        }
    }
}
