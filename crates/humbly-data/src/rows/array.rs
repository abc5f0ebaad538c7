//! A JSON array, item by item.
//!
//! The array is cut into items by brackets and strings alone, and each item is parsed by itself: an item that
//! is no JSON costs itself and not the file, and memory holds one item.

use std::io::BufRead;

use super::each::{Found, LONGEST_ROW, Place, object};
use crate::row::Fault;

/// Reads an array that starts the input.
pub(super) fn each(reader: impl BufRead, sink: &mut dyn FnMut(Found)) -> std::io::Result<()> {
    let mut items = Items { reader, line: 1 };
    items.skip_space()?;
    items.next_byte()?;
    items.each(sink)
}

/// Finds the array under `key` of the object that starts the input.
pub(super) fn inside<R: BufRead>(reader: R, key: &str) -> std::io::Result<Option<Items<R>>> {
    let mut items = Items { reader, line: 1 };
    let mut depth = 0_usize;
    let mut last = Vec::new();
    let mut is_key = false;
    while let Some(byte) = items.next_byte()? {
        match byte {
            b'"' => {
                items.string(&mut last)?;
                is_key = depth == 1 && last == key.as_bytes();
                continue;
            }
            b':' | b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'[' if is_key => return Ok(Some(items)),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_key = false;
        if depth == 0 {
            // The object ends: JSONL, or something else.
            return Ok(None);
        }
    }
    Ok(None)
}

/// The items of an array whose bracket was read.
pub(super) struct Items<R> {
    reader: R,
    line: u64,
}

impl<R: BufRead> Items<R> {
    pub(super) fn each(mut self, sink: &mut dyn FnMut(Found)) -> std::io::Result<()> {
        let mut item = Vec::new();
        loop {
            self.skip_space()?;
            let line = self.line;
            match self.peek()? {
                None => {
                    sink((Place::Line(line), Err(Fault::new("the array is cut off, expected `]`"))));
                    return Ok(());
                }
                Some(b']') => return Ok(()),
                Some(b',') => {
                    self.next_byte()?;
                }
                Some(_) => match self.item(&mut item)? {
                    End::Whole => sink((Place::Line(line), object(item.trim_ascii()))),
                    End::TooLong => {
                        let fault = Fault::new("an item of more than 256 MiB, expected an object");
                        sink((Place::Line(line), Err(fault)));
                    }
                    End::Cut => {
                        let fault = Fault::new("the item is cut off, expected `}` and `]`");
                        sink((Place::Line(line), Err(fault)));
                        return Ok(());
                    }
                },
            }
        }
    }

    /// Reads one item; a bracket or comma of the array stays.
    fn item(&mut self, item: &mut Vec<u8>) -> std::io::Result<End> {
        item.clear();
        let mut depth = 0_usize;
        let mut in_string = false;
        let mut is_escaped = false;
        let mut is_long = false;
        loop {
            let bytes = self.reader.fill_buf()?;
            if bytes.is_empty() {
                return Ok(if depth == 0 && !in_string { End::Whole } else { End::Cut });
            }
            let mut taken = bytes.len();
            let mut is_end = false;
            for (index, byte) in bytes.iter().enumerate() {
                if *byte == b'\n' {
                    self.line += 1;
                }
                if in_string {
                    in_string = is_escaped || *byte != b'"';
                    is_escaped = *byte == b'\\' && !is_escaped;
                    continue;
                }
                match byte {
                    b'"' => in_string = true,
                    b'{' | b'[' => depth += 1,
                    b']' | b',' if depth == 0 => {
                        (taken, is_end) = (index, true);
                        break;
                    }
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            is_long |= item.len() as u64 + taken as u64 > LONGEST_ROW;
            if is_long {
                item.clear();
            } else {
                item.extend_from_slice(bytes.get(..taken).unwrap_or_default());
            }
            self.reader.consume(taken);
            if is_end {
                return Ok(if is_long { End::TooLong } else { End::Whole });
            }
        }
    }

    fn peek(&mut self) -> std::io::Result<Option<u8>> {
        Ok(self.reader.fill_buf()?.first().copied())
    }

    fn next_byte(&mut self) -> std::io::Result<Option<u8>> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.reader.consume(1);
            self.line += u64::from(byte == b'\n');
        }
        Ok(byte)
    }

    fn skip_space(&mut self) -> std::io::Result<()> {
        while self.peek()?.is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.next_byte()?;
        }
        Ok(())
    }

    /// Reads a string whose first quote was read; keeps no more than a name needs.
    fn string(&mut self, content: &mut Vec<u8>) -> std::io::Result<()> {
        content.clear();
        let mut is_escaped = false;
        while let Some(byte) = self.next_byte()? {
            if byte == b'"' && !is_escaped {
                break;
            }
            is_escaped = byte == b'\\' && !is_escaped;
            if content.len() < 256 {
                content.push(byte);
            }
        }
        Ok(())
    }
}

enum End {
    Whole,
    TooLong,
    Cut,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, capacity: usize) -> Vec<(Place, Option<String>)> {
        let mut found = Vec::new();
        let reader = std::io::BufReader::with_capacity(capacity, text.as_bytes());
        each(reader, &mut |(place, row)| {
            found.push((place, row.ok().map(|row| serde_json::Value::Object(row).to_string())));
        })
        .unwrap();
        found
    }

    #[test]
    fn a_broken_item_costs_itself() {
        let text = "[\n{\"a\": \"x],}\\\"\"},\n{\"a\": NaN},\n 3,\n{\"b\": [1, {}]}\n]";
        for capacity in [1, 3, 4096] {
            let found = read(text, capacity);
            let lines: Vec<_> = found.iter().map(|(place, _)| *place).collect();
            assert_eq!(lines, [2, 3, 4, 5].map(Place::Line));
            assert_eq!(found[0].1.as_deref(), Some(r#"{"a":"x],}\""}"#));
            assert_eq!((&found[1].1, &found[2].1), (&None, &None));
            assert_eq!(found[3].1.as_deref(), Some(r#"{"b":[1,{}]}"#));
        }
    }

    #[test]
    fn a_cut_array_keeps_what_came_before() {
        let found = read("[{\"a\": 1}, {\"a\"", 4096);
        assert_eq!(found.len(), 2);
        assert!(found[0].1.is_some() && found[1].1.is_none());
        assert_eq!(read("[{\"a\": 1}", 4096).len(), 2);
        assert!(read("[]", 4096).is_empty());
    }

    #[test]
    fn an_array_is_found_inside_an_object() {
        let text = "{\"rows\": \"rows\", \"x\": {\"rows\": [1]}, \"rows\" : [ {\"a\": 1} ], \"y\": 2}";
        let items = inside(text.as_bytes(), "rows").unwrap().unwrap();
        let mut count = 0;
        items.each(&mut |(_, row)| count += usize::from(row.is_ok())).unwrap();
        assert_eq!(count, 1);
        assert!(inside("{\"a\": 1}\n{\"rows\": []}".as_bytes(), "rows").unwrap().is_none());
    }
}
