//! The last `[[label]]`: earlier ones may be quotations.

use super::{Labels, Unusable};

pub(super) fn read(text: &str, labels: Labels) -> Result<usize, Unusable> {
    let last = text.rfind("[[").and_then(|start| text.get(start + 2..)?.split_once("]]"));
    last.and_then(|(label, _)| labels.position_or_truth(label.trim())).ok_or_else(|| {
        Unusable::form(text, format!("a last `[[…]]` with one of {}", labels.words.join(", ")))
    })
}
