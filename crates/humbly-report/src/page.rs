//! The frame of the page: head, style, the one script and what allows no other.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::plots::hatch;

const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/script.js");

/// Everything up to the first section. `sections` are anchors and names of the navigation.
pub(crate) fn opening(title: &str, sections: &[(&str, &str)]) -> String {
    let head = html! {
        (DOCTYPE)
        (PreEscaped("<html lang=\"en\">"))
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy());
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
        (PreEscaped("<body>"))
        a.skip href="#main" { "Skip to the results" }
        (hatch())
        nav aria-label="Sections" {
            div.nav-links {
                @for (anchor, name) in sections { a href=(format!("#{anchor}")) { (name) } }
            }
            button #theme type="button" hidden { "Dark" }
        }
        (PreEscaped("<main id=\"main\">"))
    };
    head.into_string()
}

/// Everything after the last section.
pub(crate) fn closing(end: &Markup) -> String {
    html! {
        (PreEscaped("</main>"))
        footer { (end) }
        script { (PreEscaped(SCRIPT)) }
        (PreEscaped("</body></html>\n"))
    }
    .into_string()
}

/// Nothing is loaded, and only the script above may run.
fn policy() -> String {
    let hash = base64(&Sha256::digest(SCRIPT.as_bytes()));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    )
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3)
            .fold(0_usize, |word, index| word << 8 | usize::from(chunk.get(index).copied().unwrap_or(0)));
        for digit in 0..4 {
            if digit <= chunk.len() {
                out.push(char::from(ALPHABET[word >> (18 - 6 * digit) & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_matches_rfc_4648() {
        for (text, code) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(text.as_bytes()), code);
        }
    }

    #[test]
    fn the_page_names_no_other_host() {
        let page = opening("t", &[("a", "A")]) + &closing(&html! {});
        assert!(!page.contains("http://") && !page.contains("https://"), "{page}");
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style"));
    }
}
