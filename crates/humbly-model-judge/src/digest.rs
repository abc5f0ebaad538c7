//! Short hashes, as names show them.

use sha2::{Digest, Sha256};

/// The first `digits` hexadecimal digits of the SHA-256 of `parts`, each with its length.
pub(crate) fn digest<S: AsRef<[u8]>>(parts: impl IntoIterator<Item = S>, digits: usize) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        let bytes = part.as_ref();
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    let mut text = String::with_capacity(64);
    for byte in hasher.finalize() {
        text.push_str(&format!("{byte:02x}"));
    }
    text.truncate(digits);
    text
}
