//! Attributes that hold JSON as a string, possibly cut by a length limit.

use serde_json::Value;

/// What an attribute holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Parsed {
    /// Complete JSON, or a plain text.
    Whole(Value),
    /// JSON that was cut: what stands before the cut.
    Cut(Value),
    /// JSON that was cut so early that nothing can be read.
    Lost,
}

/// Reads an attribute: a JSON text, a text that is no JSON (kept as a string), or a value as it is.
pub(crate) fn parse_attribute(value: &Value) -> Parsed {
    let Value::String(text) = value else { return Parsed::Whole(value.clone()) };
    let trimmed = text.trim_start();
    if !trimmed.starts_with(['{', '[', '"']) {
        return Parsed::Whole(value.clone());
    }
    match serde_json::from_str::<Value>(trimmed) {
        // Some exporters encode twice.
        Ok(Value::String(inner)) if inner.trim_start().starts_with(['{', '[']) => {
            parse_attribute(&Value::String(inner))
        }
        Ok(parsed) => Parsed::Whole(parsed),
        Err(error) if error.is_eof() || is_cut_mark(trimmed) => {
            closed(trimmed).map_or(Parsed::Lost, Parsed::Cut)
        }
        Err(_) => Parsed::Whole(value.clone()),
    }
}

/// Some tracers end a cut value with a mark of their own.
fn is_cut_mark(text: &str) -> bool {
    let end = text.trim_end();
    end.ends_with("...") || end.ends_with('…') || end.ends_with("[truncated]") || end.ends_with("<truncated>")
}

/// Closes what is open at the end of a cut JSON text and parses it; `None` where that does not help.
fn closed(text: &str) -> Option<Value> {
    let mut open = Vec::new();
    let mut in_string = false;
    let mut is_escaped = false;
    // Where the text could end after a whole element, with the brackets open there.
    let mut safe: Option<(usize, Vec<u8>)> = None;
    for (index, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => open.push(byte),
            b'}' | b']' => {
                open.pop();
                if open.len() <= 4 {
                    safe = Some((index + 1, open.clone()));
                }
            }
            _ => {}
        }
        if open.len() > 64 {
            return None;
        }
    }
    let mut attempts = vec![(text.len(), open)];
    attempts.extend(safe);
    attempts.into_iter().enumerate().find_map(|(attempt, (end, brackets))| {
        let head = text.get(..end)?;
        let mut repaired = head.to_owned();
        if attempt == 0 {
            if in_string {
                if is_escaped {
                    repaired.pop();
                }
                drop_partial_unicode(&mut repaired);
                repaired.push('"');
            }
            let kept = repaired.trim_end().trim_end_matches(',').len();
            repaired.truncate(kept);
        }
        repaired.extend(brackets.iter().rev().map(|bracket| if *bracket == b'{' { '}' } else { ']' }));
        serde_json::from_str(&repaired).ok()
    })
}

/// Drops a `\u` escape that lost digits.
fn drop_partial_unicode(text: &mut String) {
    let tail = text.len().saturating_sub(6);
    let start =
        (tail..text.len()).rev().find(|index| text.as_bytes().get(*index..*index + 2) == Some(b"\\u"));
    if let Some(start) = start.filter(|start| text.len() - start < 6) {
        text.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Parsed {
        parse_attribute(&Value::String(text.into()))
    }

    #[test]
    fn a_cut_value_is_read_up_to_the_cut() {
        let cut = r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"the bri"#;
        assert_eq!(
            read(cut),
            Parsed::Cut(json!([{"role":"user","content":"hi"},{"role":"assistant","content":"the bri"}]))
        );
        assert_eq!(
            read(r#"[{"role":"user","content":"hi"},{"role":"#),
            Parsed::Cut(json!([{"role":"user","content":"hi"}]))
        );
        assert_eq!(read(r#"{"a":"x\u00"#), Parsed::Cut(json!({"a":"x"})));
        assert_eq!(read("{\"role"), Parsed::Lost);
    }

    #[test]
    fn text_stays_text_and_double_encoding_is_undone() {
        assert_eq!(read("[note] all good"), Parsed::Whole(json!("[note] all good")));
        assert_eq!(read(r#""[{\"a\":1}]""#), Parsed::Whole(json!([{"a":1}])));
    }

    #[test]
    fn no_text_makes_it_panic() {
        proptest::proptest!(|(text in "[\\[\\]{}\",:\\\\u0-9a é]{0,60}")| { let _ = read(&text); });
    }
}
