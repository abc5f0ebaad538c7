//! JSONL: one object a line.

use std::io::{BufRead, Read};

use super::each::{Found, LONGEST_ROW, Place, object};
use crate::row::Fault;

pub(super) fn each(mut reader: impl BufRead, sink: &mut dyn FnMut(Found)) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    let mut number = 0;
    loop {
        buffer.clear();
        let count = (&mut reader).take(LONGEST_ROW + 1).read_until(b'\n', &mut buffer)? as u64;
        if count == 0 {
            return Ok(());
        }
        number += 1;
        if count > LONGEST_ROW && buffer.last() != Some(&b'\n') {
            sink((Place::Line(number), Err(Fault::new("a line of more than 256 MiB, expected an object"))));
            skip_line(&mut reader)?;
            continue;
        }
        let line = buffer.trim_ascii();
        if !line.is_empty() {
            sink((Place::Line(number), object(line)));
        }
    }
}

fn skip_line(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let bytes = reader.fill_buf()?;
        let (count, is_end) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(position) => (position + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        reader.consume(count);
        if is_end {
            return Ok(());
        }
    }
}
