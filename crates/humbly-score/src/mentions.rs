//! At which turns the gold and the parametric answer are named (EH Fig. 4).

use humbly_text::matching::word_bounded_contains;
use humbly_text::normalize::nfkc_dash;
use humbly_types::{Reason, Task, Trajectory, Undefined};

use crate::calls::as_count;
use crate::row::Mentions;

/// Looks for the answers in reasoning and visible text of every turn, the final one included.
pub(crate) fn mentions(trajectory: &Trajectory, task: Option<&Task>, gold: &[String]) -> Mentions {
    let parametric = task.and_then(|task| task.parametric_answer.clone());
    if gold.is_empty() && parametric.is_none() {
        let undefined = Some(Undefined::new(Reason::NoReference));
        return Mentions { undefined, ..Mentions::default() };
    }
    let gold: Vec<String> = gold.iter().map(|answer| fold(answer)).collect();
    let parametric = parametric.map(|answer| fold(&answer));
    let mut found = Mentions::default();
    for (position, step) in trajectory.turns().enumerate() {
        let text = fold(&step.reasoning_and_visible());
        if gold.iter().any(|answer| word_bounded_contains(&text, answer)) {
            found.gold.push(as_count(position));
        }
        if parametric.iter().any(|answer| word_bounded_contains(&text, answer)) {
            found.parametric.push(as_count(position));
        }
    }
    found
}

fn fold(text: &str) -> String {
    nfkc_dash(text).to_lowercase()
}
