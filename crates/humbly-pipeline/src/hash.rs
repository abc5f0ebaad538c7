//! Content hashes of inputs.

use xxhash_rust::xxh3::xxh3_128;

/// XXH3 (128 bits) of some bytes as hexadecimal text: it identifies an input and protects nothing.
pub fn hex(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

/// [`hex`] of a stream.
///
/// # Errors
/// Where reading fails.
pub(crate) fn of_reader(mut reader: impl std::io::Read) -> std::io::Result<String> {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let count = reader.read(&mut buffer)?;
        match buffer.get(..count) {
            Some(bytes) if count > 0 => hasher.update(bytes),
            _ => return Ok(format!("{:032x}", hasher.digest128())),
        }
    }
}
