//! The boundary around judged text: one that does not occur in it.

use humbly_prompts::digest;

/// Hexadecimal digits of a boundary: few enough to read, too many to meet by chance.
const DIGITS: usize = 12;

/// A boundary for the texts of one request.
///
/// It is derived from the texts (same input, same request), and drawn anew until none of them holds it,
/// so that no text can close its own fence.
///
/// # Examples
/// ```
/// use humbly_model_judge::Fence;
/// let fence = Fence::around(&["It was 1912."]);
/// let shown = fence.wrap("answer", "It was 1912.");
/// assert_eq!(shown, format!("<<<{0} answer\nIt was 1912.\n{0}>>>", fence.boundary()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    boundary: String,
}

impl Fence {
    /// The boundary for `texts`.
    pub fn around<S: AsRef<str>>(texts: &[S]) -> Self {
        let mut boundary = digest(texts.iter().map(AsRef::as_ref), DIGITS);
        while texts.iter().any(|text| text.as_ref().contains(&boundary)) {
            boundary = digest([&boundary], DIGITS);
        }
        Self { boundary }
    }

    /// The boundary itself.
    pub fn boundary(&self) -> &str {
        &self.boundary
    }

    /// `text` between the boundaries; `name` says what it is.
    pub fn wrap(&self, name: &str, text: &str) -> String {
        format!("<<<{0} {name}\n{text}\n{0}>>>", self.boundary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_that_holds_the_boundary_gets_another() {
        let first = Fence::around(&["x"]);
        // The boundary depends on the text, so one that holds its own is out of reach; two texts do.
        let second = Fence::around(&["x", first.boundary()]);
        assert!(!first.boundary().contains(second.boundary()));
        assert_eq!(Fence::around(&["x"]), first);
        assert_ne!(Fence::around(&["ab", "c"]), Fence::around(&["a", "bc"]));
    }

    proptest! {
        #[test]
        fn no_text_holds_its_boundary(texts in proptest::collection::vec(".{0,60}", 0..4)) {
            let fence = Fence::around(&texts);
            prop_assert!(texts.iter().all(|text| !text.contains(fence.boundary())));
        }
    }
}
