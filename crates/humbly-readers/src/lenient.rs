//! JSON as logs really hold it: NaN, lone surrogates and broken UTF-8 are repaired and named, not refused.

use std::borrow::Cow;

use serde::Deserialize;

/// What had to be repaired before a record could be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Bytes that are no UTF-8 became U+FFFD.
    InvalidUtf8,
    /// `NaN`, `Infinity` or `-Infinity` became `null`.
    NotANumber,
    /// A lone surrogate escape became U+FFFD.
    LoneSurrogate,
}

impl Repair {
    /// A sentence for the user.
    pub fn message(self) -> &'static str {
        match self {
            Self::InvalidUtf8 => "bytes that are not UTF-8, expected UTF-8 text; read as U+FFFD",
            Self::NotANumber => "NaN or Infinity, which JSON does not know; read as null",
            Self::LoneSurrogate => "a lone surrogate escape, which is no character; read as U+FFFD",
        }
    }

    /// What the user can do about it.
    pub fn hint(self) -> &'static str {
        match self {
            Self::InvalidUtf8 => "the record is used; where those characters matter, write the log as UTF-8",
            Self::NotANumber => "the record is used; write null where a number is unknown",
            Self::LoneSurrogate => {
                "the record is used; a text was cut inside a character, cut it between characters"
            }
        }
    }
}

/// What a parser's error says to a user.
pub(crate) fn described(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.strip_prefix("recursion limit exceeded") {
        Some(place) => format!("nested deeper than 127 levels, which no log is{place}"),
        None => text,
    }
}

/// Parses one JSON record into owned data, repairing what can be repaired.
///
/// # Errors
/// The parser's error, with line and column inside the record, when repair does not help.
pub fn parse_record<T: for<'de> Deserialize<'de>>(
    bytes: &[u8],
) -> Result<(T, Vec<Repair>), serde_json::Error> {
    match serde_json::from_slice(bytes) {
        Ok(value) => Ok((value, Vec::new())),
        Err(error) => match repair(bytes) {
            Some((repaired, repairs)) => {
                serde_json::from_slice(&repaired).map(|value| (value, repairs)).map_err(|_| error)
            }
            None => Err(error),
        },
    }
}

/// [`parse_record`] that borrows: from `bytes`, or from `store` where the record had to be repaired (which
/// also settles keys that stand twice: the last one counts).
///
/// # Errors
/// The parser's error when repair does not help.
pub(crate) fn parse_borrowed<'a, T: Deserialize<'a>>(
    bytes: &'a [u8],
    store: &'a mut Vec<u8>,
) -> Result<(T, Vec<Repair>), serde_json::Error> {
    let error = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok((value, Vec::new())),
        Err(error) => error,
    };
    let Ok((value, repairs)) = parse_record::<serde_json::Value>(bytes) else { return Err(error) };
    *store = serde_json::to_vec(&value)?;
    serde_json::from_slice(store).map(|value| (value, repairs))
}

/// The repaired bytes and what was repaired, `None` where nothing needed it.
pub(crate) fn repair(bytes: &[u8]) -> Option<(Vec<u8>, Vec<Repair>)> {
    let mut repairs = Vec::new();
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, Cow::Owned(_)) {
        repairs.push(Repair::InvalidUtf8);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut out = Vec::with_capacity(text.len());
    let source = text.as_bytes();
    let mut index = 0;
    let mut in_string = false;
    while let Some(&byte) = source.get(index) {
        if in_string {
            match byte {
                b'\\' => {
                    let (length, lone) = escape_at(source, index);
                    if lone {
                        push_once(&mut repairs, Repair::LoneSurrogate);
                        out.extend_from_slice(b"\\ufffd");
                    } else {
                        out.extend_from_slice(source.get(index..index + length).unwrap_or_default());
                    }
                    index += length;
                    continue;
                }
                b'"' => in_string = false,
                _ => {}
            }
        } else {
            if byte == b'"' {
                in_string = true;
            }
            let rest = source.get(index..).unwrap_or_default();
            if let Some(word) =
                [&b"NaN"[..], b"-Infinity", b"Infinity"].into_iter().find(|word| rest.starts_with(word))
            {
                push_once(&mut repairs, Repair::NotANumber);
                out.extend_from_slice(b"null");
                index += word.len();
                continue;
            }
        }
        out.push(byte);
        index += 1;
    }
    (!repairs.is_empty() || text.len() != bytes.len()).then_some((out, repairs))
}

fn push_once(repairs: &mut Vec<Repair>, repair: Repair) {
    if !repairs.contains(&repair) {
        repairs.push(repair);
    }
}

/// Length of the escape sequence (a surrogate pair counts as one) and whether it is a lone surrogate.
fn escape_at(source: &[u8], index: usize) -> (usize, bool) {
    let Some(unit) = unicode_escape(source, index) else {
        return (2, false);
    };
    match unit {
        0xD800..=0xDBFF => match unicode_escape(source, index + 6) {
            Some(0xDC00..=0xDFFF) => (12, false),
            _ => (6, true),
        },
        0xDC00..=0xDFFF => (6, true),
        _ => (6, false),
    }
}

fn unicode_escape(source: &[u8], index: usize) -> Option<u16> {
    let digits = source.get(index..index + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn not_a_number_is_read_as_null_and_named() {
        let (value, repairs) = parse_record::<Value>(br#"{"a": [NaN, -Infinity, 1], "b": "NaN"}"#).unwrap();
        assert_eq!(value, serde_json::json!({"a": [null, null, 1], "b": "NaN"}));
        assert_eq!(repairs, [Repair::NotANumber]);
    }

    #[test]
    fn a_lone_surrogate_is_replaced_and_a_pair_is_kept() {
        let (value, repairs) = parse_record::<Value>(br#"["\ud83d\ude00", "\ud83d x"]"#).unwrap();
        assert_eq!(value, serde_json::json!(["😀", "\u{fffd} x"]));
        assert_eq!(repairs, [Repair::LoneSurrogate]);
    }

    #[test]
    fn broken_utf8_is_replaced() {
        let (value, repairs) = parse_record::<Value>(b"[\"a\xff\"]").unwrap();
        assert_eq!(value, serde_json::json!(["a\u{fffd}"]));
        assert_eq!(repairs, [Repair::InvalidUtf8]);
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let deep = vec![b'['; 100_000];
        assert!(parse_record::<Value>(&deep).is_err());
    }

    #[test]
    fn no_bytes_make_it_panic() {
        proptest::proptest!(|(bytes: Vec<u8>)| { let _ = parse_record::<Value>(&bytes); });
    }
}
