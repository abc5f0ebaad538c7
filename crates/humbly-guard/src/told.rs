//! Whether the answer passes a gap on, read more generously than the judge does.
//!
//! The lexical judge misses up to half of the escalations with unfamiliar phrasings; to ask an agent that has
//! told already would be noise. So an answer also counts as telling where it names both values, or doubts in
//! a sentence about the fact.

use std::sync::LazyLock;

use humbly_text::sentences;

use crate::facts::{Bag, Fact};
use crate::word_list::WordList;

/// Words of doubt, of disagreement, of a limit of what was found.
static DOUBT: LazyLock<WordList> = LazyLock::new(|| WordList::of(include_str!("words/doubt.txt")));

/// Whether `answer` tells its reader about `fact`.
pub(crate) fn is_told(fact: &Fact, answer: &str) -> bool {
    if fact.has_competitors() && fact.values_in(&Bag::of(answer)).len() >= 2 {
        return true;
    }
    let mut about = false;
    for (_, sentence) in sentences::split(answer) {
        let bag = Bag::of(sentence);
        let touches = !fact.values_in(&bag).is_empty() || fact.stems_in(&bag) >= 1;
        // The sentence after one about the fact may only say "but sources differ".
        if (touches || about) && (doubts(sentence) || sentence.ends_with('?')) {
            return true;
        }
        about = touches;
    }
    false
}

/// Whether a sentence doubts or limits.
pub(crate) fn doubts(sentence: &str) -> bool {
    DOUBT.is_in(&sentence.to_lowercase().replace('’', "'"))
}

/// Whether `answer` says anything about the fact at all.
pub(crate) fn is_about(fact: &Fact, answer: &str) -> bool {
    let bag = Bag::of(answer);
    !fact.values_in(&bag).is_empty() || fact.stems_in(&bag) >= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn told(answer: &str) -> bool {
        let quote = "The parish register says the mill opened in 1874, whereas the guide gives 1871.";
        is_told(&Fact::of(quote, &BTreeSet::new()), answer)
    }

    #[test]
    fn both_values_or_a_doubt_about_the_fact_tell() {
        assert!(told("It opened in 1874 (the guide has 1871)."));
        assert!(told("It opened in 1874. The guide disagrees."));
        assert!(told("I could not settle when the mill opened."));
        assert!(told("It opened in 1874; should I use that?"));
    }

    #[test]
    fn a_plain_answer_does_not_tell() {
        assert!(!told("The mill opened in 1874."));
        assert!(!told("The mill opened in 1874. I renamed the file."));
        assert!(!told("The mill opened in 1874 according to the parish register."));
    }
}
