//! How an attempt ended.

use serde::{Deserialize, Serialize};

/// How one attempt at a variant ended; all but the first lead to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It is what it should be.
    Verified,
    /// The rewriter's reply holds no problem, or more than one.
    RewriterUnreadable,
    /// The rewriter gave the original back.
    Unchanged,
    /// The variant is another original.
    OtherOriginal,
    /// The text names a label, which would give it away.
    NamesLabel,
    /// The validator's reply is not of the form asked for: no verdict.
    ValidatorUnreadable,
    /// The variant contradicts itself.
    Contradictory,
    /// It still has one answer, and should not.
    StillDetermined,
    /// It does not have one answer, and should.
    NotDetermined,
    /// It needs something that it does not contain.
    NotSelfContained,
    /// The reply to the comparison is not of the form asked for: no verdict.
    ComparisonUnreadable,
    /// It belongs to another field of mathematics.
    OtherDomain,
    /// Its style gives it away.
    OtherStyle,
    /// A model refused the request or gave nothing.
    NoReply,
}

impl Outcome {
    /// All, in the order of reports.
    pub const ALL: [Self; 14] = [
        Self::Verified,
        Self::RewriterUnreadable,
        Self::Unchanged,
        Self::OtherOriginal,
        Self::NamesLabel,
        Self::ValidatorUnreadable,
        Self::Contradictory,
        Self::StillDetermined,
        Self::NotDetermined,
        Self::NotSelfContained,
        Self::ComparisonUnreadable,
        Self::OtherDomain,
        Self::OtherStyle,
        Self::NoReply,
    ];

    /// Name in files.
    pub fn code(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::RewriterUnreadable => "rewriter_unreadable",
            Self::Unchanged => "unchanged",
            Self::OtherOriginal => "other_original",
            Self::NamesLabel => "names_label",
            Self::ValidatorUnreadable => "validator_unreadable",
            Self::Contradictory => "contradictory",
            Self::StillDetermined => "still_determined",
            Self::NotDetermined => "not_determined",
            Self::NotSelfContained => "not_self_contained",
            Self::ComparisonUnreadable => "comparison_unreadable",
            Self::OtherDomain => "other_domain",
            Self::OtherStyle => "other_style",
            Self::NoReply => "no_reply",
        }
    }

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::RewriterUnreadable => "the rewriter's reply holds no problem between its tags, or several",
            Self::Unchanged => "the rewriter gave the original back",
            Self::OtherOriginal => "the variant is another original",
            Self::NamesLabel => "the variant names a label",
            Self::ValidatorUnreadable => "the validator's reply is not the JSON object asked for",
            Self::Contradictory => "the variant contradicts itself",
            Self::StillDetermined => "the variant still has one answer",
            Self::NotDetermined => "the variant does not have one answer",
            Self::NotSelfContained => "the variant needs what it does not contain",
            Self::ComparisonUnreadable => "the reply to the comparison is not the JSON object asked for",
            Self::OtherDomain => "the variant belongs to another field",
            Self::OtherStyle => "the variant's style differs",
            Self::NoReply => "a model refused or gave nothing",
        }
    }

    /// What may help where this is how most attempts end.
    pub fn hint(self) -> Option<&'static str> {
        Some(match self {
            Self::RewriterUnreadable => {
                "ask a stronger rewriter, allow longer replies by --max-tokens, or give prompts of your own by --prompts"
            }
            Self::Unchanged => "ask a stronger rewriter or raise --rewriter-temperature",
            Self::ValidatorUnreadable | Self::ComparisonUnreadable => {
                "the validator must answer with a JSON object and no prose: ask a stronger one, or give prompts of your \
                 own by --prompts"
            }
            _ => return None,
        })
    }
}
