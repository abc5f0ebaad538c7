//! Files that are compressed as a whole (zstd, gzip) are opened as what they hold.
//!
//! A file that unpacks to far more than logs do is refused while it is read, so that a small one cannot fill a machine.

use std::io::{self, BufRead, BufReader, Read};

const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
const GZIP: &[u8] = &[0x1F, 0x8B];
/// Endings of names that say nothing of what a file holds.
const ENDINGS: &[&str] = &[".zst", ".zstd", ".gz"];
/// Logs shrink to a tenth to a fiftieth.
const MOST_TIMES: u64 = 200;
/// So much is unpacked in any case.
const ALWAYS: u64 = 64 << 20;

/// A file name without the ending of its compression.
pub fn plain_name(name: &str) -> &str {
    ENDINGS
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .filter(|plain| !plain.is_empty())
        .unwrap_or(name)
}

/// What `reader`, of `size` bytes, holds.
pub(crate) fn open(
    mut reader: impl BufRead + Send + 'static,
    size: u64,
) -> io::Result<Box<dyn BufRead + Send>> {
    let start = reader.fill_buf()?;
    let inner: Box<dyn Read + Send> = if start.starts_with(ZSTD) {
        Box::new(zstd::stream::read::Decoder::with_buffer(reader)?)
    } else if start.starts_with(GZIP) {
        Box::new(flate2::bufread::MultiGzDecoder::new(reader))
    } else {
        return Ok(Box::new(reader));
    };
    let left = ALWAYS.saturating_add(size.saturating_mul(MOST_TIMES));
    Ok(Box::new(BufReader::with_capacity(256 << 10, Bounded { inner, left })))
}

struct Bounded {
    inner: Box<dyn Read + Send>,
    left: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let message = format!("it unpacks to more than {MOST_TIMES} times its size, which no log does");
            io::Error::new(io::ErrorKind::InvalidData, message)
        })?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn unpacked(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let size = bytes.len() as u64;
        let mut text = Vec::new();
        open(io::Cursor::new(bytes), size)?.read_to_end(&mut text)?;
        Ok(text)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_is_packed_comes_out_and_the_rest_as_it_is() {
        let text = b"{\"a\": 1}\n{\"a\": 2}\n";
        let frames =
            [zstd::encode_all(&text[..9], 3).unwrap(), zstd::encode_all(&text[9..], 3).unwrap()].concat();
        assert_eq!(unpacked(frames).unwrap(), text);
        assert_eq!(unpacked([gzip(&text[..9]), gzip(&text[9..])].concat()).unwrap(), text);
        assert_eq!(unpacked(text.to_vec()).unwrap(), text);
        assert!(unpacked(Vec::new()).unwrap().is_empty());
    }

    #[test]
    fn a_bomb_is_refused() {
        let bomb = zstd::encode_all(io::repeat(b' ').take(80 << 20), 3).unwrap();
        assert!(unpacked(bomb).unwrap_err().to_string().contains("200 times"));
    }

    #[test]
    fn names_lose_only_the_ending_of_the_compression() {
        assert_eq!(plain_name("a.jsonl.zst"), "a.jsonl");
        assert_eq!(plain_name("a.jsonl"), "a.jsonl");
        assert_eq!(plain_name(".gz"), ".gz");
    }
}
