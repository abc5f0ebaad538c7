//! Whether an answer is right.

mod squad;

use std::str::FromStr;

use humbly_text::matching::latex_equivalent;

use crate::error::RewardError;

/// How an answer is compared with the references; any one of them is enough.
///
/// There is no rule by substring: an answer that lists every option would be right under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Matching {
    /// Exact match in SQuAD normal form, as Search-R1 has it.
    #[default]
    Exact,
    /// Equivalence of mathematical answers.
    Math,
}

impl Matching {
    /// Name in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Math => "math",
        }
    }

    /// Whether `answer` is one of `references`.
    ///
    /// # Examples
    /// ```
    /// # use humbly_rewards::Matching;
    /// assert!(Matching::Exact.is_match("The Beatles!", &["beatles"]));
    /// assert!(!Matching::Exact.is_match("Beatles, Stones or Who", &["Beatles"]));
    /// assert!(Matching::Math.is_match(r"\frac{1}{2}", &["0.5"]));
    /// ```
    pub fn is_match(self, answer: &str, references: &[&str]) -> bool {
        match self {
            Self::Exact => squad::is_any(answer, references),
            Self::Math => references.iter().any(|reference| latex_equivalent(answer, reference)),
        }
    }
}

impl FromStr for Matching {
    type Err = RewardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Exact, Self::Math].into_iter().find(|matching| matching.name() == text).ok_or_else(|| {
            RewardError::Setting {
                name: "match".to_owned(),
                found: text.to_owned(),
                expected: "exact or math".to_owned(),
            }
        })
    }
}
