//! Rows that are encrypted so that they do not end up in training data.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Decrypts a field of `BrowseComp`: base64 of the text, combined by exclusive or with the SHA-256 of the
/// canary, repeated.
///
/// `None` where `encrypted` is no base64, or where the canary is another one (the bytes are no UTF-8 then; a
/// short text may be UTF-8 by chance).
///
/// # Examples
/// ```
/// use humbly_data::{decrypt, encrypt};
/// let secret = encrypt("Lake Titicaca", "canary");
/// assert_eq!(decrypt(&secret, "canary").as_deref(), Some("Lake Titicaca"));
/// assert_eq!(decrypt("not base64!", "canary"), None);
/// ```
pub fn decrypt(encrypted: &str, canary: &str) -> Option<String> {
    let bytes = STANDARD.decode(encrypted.trim()).ok()?;
    String::from_utf8(with_key(&bytes, canary)).ok()
}

/// Encrypts a text as [`decrypt`] reads it.
pub fn encrypt(text: &str, canary: &str) -> String {
    STANDARD.encode(with_key(text.as_bytes(), canary))
}

fn with_key(bytes: &[u8], canary: &str) -> Vec<u8> {
    let key = Sha256::digest(canary.as_bytes());
    bytes.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Made with Python's hashlib and base64.
    #[test]
    fn the_scheme_is_the_released_one() {
        assert_eq!(encrypt("Peru", "k"), PERU);
        assert_eq!(decrypt(PERU, "k").as_deref(), Some("Peru"));
    }
    const PERU: &str = "0jGxXA==";

    proptest! {
        #[test]
        fn what_was_encrypted_comes_back(text in any::<String>(), canary in any::<String>()) {
            prop_assert_eq!(decrypt(&encrypt(&text, &canary), &canary), Some(text));
        }

        #[test]
        fn any_field_is_read(text in any::<String>(), canary in any::<String>()) {
            decrypt(&text, &canary);
        }
    }
}
