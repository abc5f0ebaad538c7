//! Hashes, as names and results show them.

use sha2::{Digest, Sha256};

/// The first `digits` hexadecimal digits of the SHA-256 of `parts`, each with its length before it, so that no two lists
/// of parts run into the same bytes.
///
/// # Examples
/// ```
/// use humbly_prompts::digest;
/// assert_eq!(digest(["ab", "c"], 12).len(), 12);
/// assert_ne!(digest(["ab", "c"], 12), digest(["a", "bc"], 12));
/// ```
pub fn digest<S: AsRef<[u8]>>(parts: impl IntoIterator<Item = S>, digits: usize) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        let bytes = part.as_ref();
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hexadecimal(&hasher.finalize(), digits)
}

/// The first `digits` hexadecimal digits of bytes.
pub(crate) fn hexadecimal(bytes: &[u8], digits: usize) -> String {
    let mut text = bytes.iter().fold(String::with_capacity(64), |text, byte| text + &format!("{byte:02x}"));
    text.truncate(digits);
    text
}
