//! Several answers in one string: `$69$,$84$`, `1,3,5`, `$(1,1), (3,2)$`.

/// Cuts a string of several answers at the commas that stand outside of brackets.
///
/// Dollar signs around answers go. A string with words between its formulas (`$f(x)=ax+b$, where …`) is one
/// answer: its commas belong to the sentence.
pub(crate) fn split_answers(text: &str) -> Vec<String> {
    let text = text.trim();
    if has_words_outside_of_math(text) {
        return vec![text.to_owned()];
    }
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (index, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text.get(start..index).unwrap_or_default());
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    let parts = parts.into_iter().map(|part| part.trim().trim_matches('$').trim());
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The one answer without dollar signs around it.
pub(crate) fn without_dollars(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix('$').and_then(|rest| rest.strip_suffix('$'));
    inner.filter(|inner| !inner.is_empty() && !inner.contains('$')).map_or(text, str::trim)
}

fn has_words_outside_of_math(text: &str) -> bool {
    let mut parts = text.split('$');
    let has_math = text.contains('$');
    // Without dollar signs the whole is a formula; with them every second part is.
    has_math && parts.by_ref().step_by(2).any(|part| part.chars().filter(|c| c.is_alphabetic()).count() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commas_outside_of_brackets_separate() {
        for (text, answers) in [
            ("$69$,$84$", &["69", "84"][..]),
            ("$221,$8$", &["221", "8"]),
            ("1, 3, 5, 15", &["1", "3", "5", "15"]),
            ("$(1,1), (3,2)$", &["(1,1)", "(3,2)"]),
            ("$-2,0,2$", &["-2", "0", "2"]),
            (r"$2^{-2 / 3}$, $8$", &[r"2^{-2 / 3}", "8"]),
            (r"$(-\frac{1}{2}, \frac{7}{2})$", &[r"(-\frac{1}{2}, \frac{7}{2})"]),
            (r"$90^{\circ}$,$60^{\circ}$", &[r"90^{\circ}", r"60^{\circ}"]),
            ("$f(x)=x,f(x)=-x$", &["f(x)=x", "f(x)=-x"]),
        ] {
            assert_eq!(split_answers(text), answers, "{text}");
        }
    }

    #[test]
    fn a_sentence_is_one_answer() {
        let text = r"$f(x)=a x+b$, where $b$ is an arbitrary integer, and $a$ is positive";
        assert_eq!(split_answers(text), [text]);
    }

    #[test]
    fn dollars_go_only_in_pairs() {
        assert_eq!(without_dollars(" $\\frac{1}{2}$ "), "\\frac{1}{2}");
        assert_eq!(without_dollars("$1$ or $2$"), "$1$ or $2$");
        assert_eq!(without_dollars("$"), "$");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            split_answers(&text);
            without_dollars(&text);
        }

        #[test]
        fn tuples_stay_whole(tuples in prop::collection::vec((any::<i8>(), any::<i8>()), 1..6)) {
            let tuples: Vec<String> = tuples.iter().map(|(a, b)| format!("({a},{b})")).collect();
            prop_assert_eq!(split_answers(&format!("${}$", tuples.join(", "))), tuples);
        }
    }
}
