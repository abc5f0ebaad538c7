//! Column names: which exist, which was probably meant.

use humbly_types::Problem;

/// More names than this are not listed in a message.
const MOST_NAMES: usize = 24;

/// The problem of a column that does not exist.
pub(crate) fn unknown_column(path: &str, wanted: &str, names: &[String]) -> Problem {
    let mut listed: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST_NAMES {
        listed.push(format!("and {} more", names.len() - MOST_NAMES));
    }
    let message = format!("no column `{wanted}`, expected one of {}", listed.join(", "));
    let problem = Problem::new(path, message);
    match nearest(wanted, names) {
        Some(name) => problem.hint(format!("did you mean `{name}`?")),
        None => problem.hint("name one of the columns that exist"),
    }
}

/// The name that differs least, where it differs by at most a third of its letters or holds the wanted one.
fn nearest<'a>(wanted: &str, names: &'a [String]) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().take(100).collect();
    let holds = |name: &str| {
        let text: String = wanted.iter().collect();
        text.len() >= 3 && name.to_lowercase().contains(&text)
    };
    names
        .iter()
        .take(10_000)
        .map(|name| {
            let letters: Vec<char> = name.to_lowercase().chars().take(100).collect();
            (edit_distance(&wanted, &letters), letters.len(), name)
        })
        .filter(|(distance, length, name)| distance * 3 <= (*length).max(wanted.len()) || holds(name))
        .min_by_key(|(distance, _, _)| *distance)
        .map(|(_, _, name)| name.as_str())
}

fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut previous = i + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(b) {
            let changed = diagonal + usize::from(left != right);
            diagonal = *cell;
            *cell = changed.min(diagonal + 1).min(previous + 1);
            previous = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name() {
        let names: Vec<String> = ["correct", "confidence", "method"].map(String::from).to_vec();
        assert_eq!(nearest("confidance", &names), Some("confidence"));
        assert_eq!(nearest("Correct ", &names), Some("correct"));
        assert_eq!(nearest("conf", &names), Some("confidence"));
        assert_eq!(nearest("accuracy", &names), None);
        let text: Vec<char> = "kitten".chars().collect();
        let other: Vec<char> = "sitting".chars().collect();
        assert_eq!(edit_distance(&text, &other), 3);
    }
}
