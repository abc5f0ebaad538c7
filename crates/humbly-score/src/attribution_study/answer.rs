//! Is a boxed answer right, as far as rules can tell?

use humbly_text::matching::{exact_match, gaia_quasi_exact, latex_equivalent};
use humbly_text::normalize::Normalizer;
use humbly_types::{ReferenceMode, Task};

use crate::correctness::in_answer;

/// Right, wrong, or `None` where no rule decides and a judge has to be asked.
///
/// Right: equal to a reference after normalisation, by GAIA's quasi-exact match or as mathematics; where all references
/// are asked for, as a list in any order. A number is held against the acceptable range. Wrong: only where answer and
/// references are plain numbers; a text that differs may still mean the same.
///
/// # Examples
/// ```
/// use humbly_score::attribution_study::rule_decides;
/// use humbly_types::Task;
/// let task = Task { references: vec!["1931".into()], ..Task::default() };
/// assert_eq!(rule_decides("1931", &task), Some(true));
/// assert_eq!(rule_decides("1932", &task), Some(false));
/// assert_eq!(rule_decides("in the thirties", &task), None);
/// ```
pub fn rule_decides(answer: &str, task: &Task) -> Option<bool> {
    let answer = answer.trim();
    if answer.is_empty() || task.references.is_empty() {
        return None;
    }
    let is_right = match task.reference_mode {
        ReferenceMode::Any => task.references.iter().any(|reference| is_same(answer, reference)),
        ReferenceMode::All => is_same_list(answer, &task.references),
    };
    if is_right {
        return Some(true);
    }
    if let Some(range) = task.acceptable {
        return in_answer(answer).map(|number| range.low <= number && number <= range.high);
    }
    let are_numbers = parts(answer)
        .iter()
        .chain(&task.references.iter().flat_map(|one| parts(one)).collect::<Vec<_>>())
        .all(|part| number(part).is_some());
    are_numbers.then_some(false)
}

fn is_same(answer: &str, reference: &str) -> bool {
    exact_match(answer, reference, Normalizer::Quasi)
        || gaia_quasi_exact(answer, reference).is_match
        || latex_equivalent(answer, reference)
}

/// All references in any order, none twice.
fn is_same_list(answer: &str, references: &[String]) -> bool {
    if latex_equivalent(answer, &references.join(", ")) {
        return true;
    }
    let mut left: Vec<&String> = references.iter().collect();
    let found = parts(answer);
    found.len() == left.len()
        && found.iter().all(|part| {
            let place = left.iter().position(|reference| is_same(part, reference));
            place.map(|place| left.swap_remove(place)).is_some()
        })
}

/// Parts between commas or semicolons outside of brackets; commas between groups of digits are no such commas.
fn parts(text: &str) -> Vec<&str> {
    if number(text).is_some() {
        return vec![text];
    }
    let mut depth = 0_usize;
    let cut = text.split(move |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, ',' | ';')
    });
    cut.map(|part| part.trim().trim_matches('$').trim()).filter(|part| !part.is_empty()).collect()
}

/// A plain number; `1,234` is one, `1,2` is none.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_matches('$').replace('−', "-");
    let text = text.trim_end_matches('%').trim();
    let mut groups = text.trim_start_matches(['-', '+']).split('.').next().unwrap_or_default().split(',');
    let is_grouped = groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && {
        let rest: Vec<&str> = groups.collect();
        !rest.is_empty() && rest.iter().all(|group| group.len() == 3)
    };
    let digits = if is_grouped { text.replace(',', "") } else { text.to_owned() };
    digits.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use humbly_types::NumberRange;
    use proptest::prelude::*;

    fn any(references: &[&str]) -> Task {
        Task { references: references.iter().map(|&one| one.to_owned()).collect(), ..Task::default() }
    }

    fn all(references: &[&str]) -> Task {
        Task { reference_mode: ReferenceMode::All, ..any(references) }
    }

    #[test]
    fn one_of_several_references_suffices() {
        let task = any(&["New York", "NYC"]);
        assert_eq!(rule_decides("nyc.", &task), Some(true));
        assert_eq!(rule_decides("the city on the Hudson", &task), None, "a judge has to be asked");
    }

    #[test]
    fn a_list_in_one_string_is_compared_in_any_order() {
        for answer in ["69, 84", "84,69", "$84$, $69$", r"\{69, 84\}"] {
            assert_eq!(rule_decides(answer, &all(&["69", "84"])), Some(true), "{answer}");
        }
        assert_eq!(rule_decides("69", &all(&["69", "84"])), Some(false));
        assert_eq!(rule_decides("69, 69", &all(&["69", "84"])), Some(false));
        assert_eq!(
            rule_decides("69, 84", &any(&["69,84"])),
            Some(true),
            "upstream may leave it in one string"
        );
    }

    #[test]
    fn a_number_is_held_against_its_range() {
        let task = Task { acceptable: Some(NumberRange { low: 148.0, high: 152.0 }), ..any(&["150"]) };
        assert_eq!(rule_decides("151", &task), Some(true));
        assert_eq!(rule_decides("about 153 km", &task), Some(false));
        assert_eq!(rule_decides("many", &task), None);
    }

    #[test]
    fn mathematics_counts_by_value() {
        assert_eq!(rule_decides(r"\dfrac12", &any(&[r"\frac{1}{2}"])), Some(true));
        assert_eq!(rule_decides("0.7", &any(&[r"\frac{1}{2}"])), None);
        assert_eq!(rule_decides("1,234", &any(&["1234"])), Some(true));
        assert_eq!(rule_decides("1,235", &any(&["1234"])), Some(false));
    }

    #[test]
    fn without_a_reference_nothing_is_decided() {
        assert_eq!(rule_decides("5", &any(&[])), None);
        assert_eq!(rule_decides(" ", &any(&["5"])), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(answer in proptest::arbitrary::any::<String>(), reference in proptest::arbitrary::any::<String>()) {
            rule_decides(&answer, &Task { references: vec![reference.clone()], ..Task::default() });
            rule_decides(&answer, &all(&[&reference, "7"]));
        }
    }
}
