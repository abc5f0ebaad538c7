//! The questions that a model is asked, one prompt file each.

use serde::{Deserialize, Serialize};

use crate::reply::{Labels, ReplyForm};

/// One question with its criteria.
///
/// # Source
/// EH App. A.3 and D.3 (criteria; the wording is ours), UA App. B.3 for [`Rubric::CorrectnessUa`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rubric {
    /// Does the prediction state all references? The question is not shown.
    CorrectnessEh,
    /// Does the prediction match any reference of the question?
    CorrectnessUa,
    /// Does an intermediate turn recognise a gap, and which is the first?
    Identify,
    /// Does the final answer pass a specific uncertainty on?
    Escalate,
    /// The laxer list of EH A.3.
    EscalateLax,
    /// Does an answer refuse?
    Refusal,
    /// Do two answers mean the same?
    Equivalence,
    /// Does the agent contradict itself?
    SelfInconsistency,
    /// Which candidate does the final answer follow (controlled conflict)?
    SourceControlled,
    /// Truth or belief: which does the final answer follow (natural conflict)?
    SourceNatural,
}

impl Rubric {
    /// All rubrics.
    pub const ALL: &'static [Rubric] = &[
        Self::CorrectnessEh,
        Self::CorrectnessUa,
        Self::Identify,
        Self::Escalate,
        Self::EscalateLax,
        Self::Refusal,
        Self::Equivalence,
        Self::SelfInconsistency,
        Self::SourceControlled,
        Self::SourceNatural,
    ];

    /// The name: in verdicts, in raw replies, and of the prompt file (`NAME.txt`).
    pub fn code(self) -> &'static str {
        match self {
            Self::CorrectnessEh => "correctness-eh",
            Self::CorrectnessUa => "correctness-ua",
            Self::Identify => "identify",
            Self::Escalate => "escalate",
            Self::EscalateLax => "escalate-lax",
            Self::Refusal => "refusal",
            Self::Equivalence => "equivalence",
            Self::SelfInconsistency => "self-inconsistency",
            Self::SourceControlled => "source-controlled",
            Self::SourceNatural => "source-natural",
        }
    }

    pub(crate) fn built_in(self) -> &'static str {
        match self {
            Self::CorrectnessEh => include_str!("../prompts/correctness-eh.txt"),
            Self::CorrectnessUa => include_str!("../prompts/correctness-ua.txt"),
            Self::Identify => include_str!("../prompts/identify.txt"),
            Self::Escalate => include_str!("../prompts/escalate.txt"),
            Self::EscalateLax => include_str!("../prompts/escalate-lax.txt"),
            Self::Refusal => include_str!("../prompts/refusal.txt"),
            Self::Equivalence => include_str!("../prompts/equivalence.txt"),
            Self::SelfInconsistency => include_str!("../prompts/self-inconsistency.txt"),
            Self::SourceControlled => include_str!("../prompts/source-controlled.txt"),
            Self::SourceNatural => include_str!("../prompts/source-natural.txt"),
        }
    }

    /// The texts that its prompt shows; a prompt file must show all of them and knows no other.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Self::CorrectnessEh => &["references", "prediction"],
            Self::CorrectnessUa => &["question", "references", "prediction"],
            Self::Identify | Self::SelfInconsistency => &["turns"],
            Self::Escalate | Self::EscalateLax | Self::Refusal => &["answer"],
            Self::Equivalence => &["first", "second"],
            Self::SourceControlled => &["parametric", "candidates", "answer"],
            Self::SourceNatural => &["parametric", "references", "answer"],
        }
    }

    /// The labels among which a reply chooses; the first is yes. `None` where the reply is a flag with a
    /// turn.
    pub fn labels(self) -> Option<Labels> {
        let (key, words): (_, &[&str]) = match self {
            Self::CorrectnessEh => ("correct", &["CORRECT", "INCORRECT"]),
            Self::CorrectnessUa => ("correct", &["YES", "NO"]),
            Self::Identify | Self::SelfInconsistency => return None,
            Self::Escalate | Self::EscalateLax => ("escalate", &["YES", "NO"]),
            Self::Refusal => ("refusal", &["REFUSAL", "CLAIM"]),
            Self::Equivalence => ("same", &["SAME", "DIFFERENT"]),
            Self::SourceControlled => ("source", &["PK", "CONTEXT", "BOTH", "EXTERNAL", "NO_ANSWER"]),
            Self::SourceNatural => {
                ("source", &["GROUND_TRUTH", "FOLLOWS_PK", "FOLLOWS_BOTH", "FOLLOWS_NEITHER", "NO_ANSWER"])
            }
        };
        Some(Labels { key, words })
    }

    /// Name of the turn's field in a reply that is a flag with a turn.
    pub(crate) fn turn_field(self) -> Option<&'static str> {
        match self {
            Self::Identify => Some("first_recognition_turn"),
            Self::SelfInconsistency => Some("contradicting_turn"),
            _ => None,
        }
    }

    /// The form of its replies, where the prompt file names no other.
    pub(crate) fn default_form(self) -> ReplyForm {
        match self {
            Self::CorrectnessUa => ReplyForm::Exact,
            Self::Identify | Self::SelfInconsistency => ReplyForm::Json,
            _ => ReplyForm::Word,
        }
    }
}

impl std::fmt::Display for Rubric {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.code())
    }
}
