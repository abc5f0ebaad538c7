//! Prose that names one option by its number. A bare number is no choice: it may count something.

use super::{Labels, Unusable};

pub(super) fn read(text: &str, labels: Labels) -> Result<usize, Unusable> {
    let lower = text.to_ascii_lowercase();
    let mut named = None;
    for (start, word) in lower.match_indices("option") {
        let is_word = !lower[..start].ends_with(|before: char| before.is_alphanumeric());
        let rest = lower[start + word.len()..].trim_start_matches([' ', '#', '*', ':', '(']);
        let digits = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let Some(number) = rest[..digits].parse::<usize>().ok().filter(|_| is_word) else { continue };
        if named.is_some_and(|known| known != number) {
            named = None;
            break;
        }
        named = Some(number);
    }
    named
        .and_then(|number| number.checked_sub(1))
        .filter(|position| *position < labels.words.len())
        .ok_or_else(|| Unusable::form(text, format!("one option of 1 to {}", labels.words.len())))
}
