//! What the verdicts depend on, as one hash: it stands in every result.

use xxhash_rust::xxh3::Xxh3;

use crate::LexicalJudge;

/// The words and the rules; a change in any of them may change a verdict.
const SOURCES: &[&str] = &[
    include_str!("answer_source.rs"),
    include_str!("language.rs"),
    include_str!("lexical.rs"),
    include_str!("lexical/cues.rs"),
    include_str!("lexical/cues.txt"),
    include_str!("lexical/learned.rs"),
    include_str!("lexical/learned/features.rs"),
    include_str!("lexical/learned/groups.txt"),
    include_str!("lexical/learned/weights.txt"),
    include_str!("lexical/lexicon.rs"),
    include_str!("lexical/lexicon.txt"),
    include_str!("lexical/refusal.rs"),
    include_str!("lexical/phrases.txt"),
    include_str!("lexical/rules.rs"),
    include_str!("lexical/rules/asserted.rs"),
    include_str!("lexical/rules/attribution.rs"),
    include_str!("lexical/rules/belief.rs"),
    include_str!("lexical/rules/candidates.rs"),
    include_str!("lexical/rules/disagreement.rs"),
    include_str!("lexical/rules/dissent.rs"),
    include_str!("lexical/rules/mentions.rs"),
    include_str!("lexical/rules/missing.rs"),
    include_str!("lexical/rules/nouns.rs"),
    include_str!("lexical/rules/opposition.rs"),
    include_str!("lexical/rules/retraction.rs"),
    include_str!("lexical/rules/searched.rs"),
    include_str!("lexical/rules/slots.rs"),
    include_str!("lexical/rules/statements.rs"),
    include_str!("lexical/rules/values.rs"),
    include_str!("lexical/rules/weighing.rs"),
    include_str!("lexical/sentence.rs"),
    include_str!("trajectory.rs"),
];

impl LexicalJudge {
    /// Hash (XXH3, 128 bits, hexadecimal) of the word lists and rules.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(humbly_judge::LexicalJudge::new().rules_hash().len(), 32);
    /// ```
    pub fn rules_hash(&self) -> String {
        let mut hasher = Xxh3::new();
        for source in SOURCES {
            hasher.update(source.as_bytes());
        }
        format!("{:032x}", hasher.digest128())
    }
}
