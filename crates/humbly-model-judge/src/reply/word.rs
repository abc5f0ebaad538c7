//! One label, alone.

use super::{Labels, Unusable, inside_fence, without_heading};

pub(super) fn read(text: &str, labels: Labels) -> Result<usize, Unusable> {
    let bare = without_heading(inside_fence(text)).trim();
    let bare = bare.trim_matches(['*', '_', '`', '"', '\'', '.', ' ']);
    labels
        .position(bare)
        .ok_or_else(|| Unusable::form(text, format!("one word of {}", labels.words.join(", "))))
}
