//! How firmly a model holds a belief: the four conflict levels (EH A.1).

use std::fmt;

use serde::{Deserialize, Serialize};

/// Agreement of two ways of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Neither way gave an answer.
    NoKnowledge,
    /// Only the free-form question was answered.
    FreeFormOnly,
    /// A choice was made, and the free-form answer is missing, another one, or no candidate.
    Inconsistent,
    /// Both gave the same candidate: a belief that a conflict can be built against.
    Agreed,
}

impl Level {
    /// All levels, from 0.
    pub const ALL: [Self; 4] = [Self::NoKnowledge, Self::FreeFormOnly, Self::Inconsistent, Self::Agreed];

    /// The paper's number.
    pub fn number(self) -> u8 {
        match self {
            Self::NoKnowledge => 0,
            Self::FreeFormOnly => 1,
            Self::Inconsistent => 2,
            Self::Agreed => 3,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {}", self.number())
    }
}

/// The level, from what the two ways of asking gave: a total function.
///
/// # Shapes and units
/// - `free_form`: the candidate that the free-form answer names; `Some(None)` for an answer outside the
///   candidates, `None` for no answer.
/// - `choice`: the chosen candidate, `None` for no choice. A choice is always a candidate.
///
/// # Source
/// EH A.1. The paper leaves a missing free-form answer beside a choice unnamed; it is level 2 here.
///
/// # Examples
/// ```
/// use humbly_bench::conflict::{Level, conflict_level};
/// assert_eq!(conflict_level(Some(Some(0)), Some(0)), Level::Agreed);
/// assert_eq!(conflict_level(Some(None), Some(0)), Level::Inconsistent);
/// assert_eq!(conflict_level(Some(None), None), Level::FreeFormOnly);
/// ```
pub fn conflict_level(free_form: Option<Option<usize>>, choice: Option<usize>) -> Level {
    match (free_form, choice) {
        (None, None) => Level::NoKnowledge,
        (Some(_), None) => Level::FreeFormOnly,
        (Some(Some(free_form)), Some(choice)) if free_form == choice => Level::Agreed,
        (_, Some(_)) => Level::Inconsistent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_has_its_level() {
        let free_forms = [None, Some(None), Some(Some(0)), Some(Some(1))];
        let choices = [None, Some(0), Some(1)];
        let levels: Vec<u8> = free_forms
            .iter()
            .flat_map(|free_form| choices.iter().map(|choice| conflict_level(*free_form, *choice).number()))
            .collect();
        // no choice, candidate 0, candidate 1
        #[rustfmt::skip]
        let expected = [
            0, 2, 2, // no free-form answer
            1, 2, 2, // outside the candidates
            1, 3, 2, // candidate 0
            1, 2, 3, // candidate 1
        ];
        assert_eq!(levels, expected);
    }
}
