//! The three prompts that are compared (UA §4.3): answer only, generic abstention, attribution.

use crate::experiment::Condition;

/// What a prompt allows beside an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UaPrompt {
    /// An answer in any case.
    Answer,
    /// "I don't know" too.
    Abstain,
    /// The two labels.
    Attribute,
}

/// All three, in the paper's order.
pub const UA_PROMPTS: [UaPrompt; 3] = [UaPrompt::Answer, UaPrompt::Abstain, UaPrompt::Attribute];

impl UaPrompt {
    /// Name of the template in the agent's prompts.
    pub fn template(self) -> &'static str {
        match self {
            Self::Answer => "direct_answer",
            Self::Abstain => "direct_abstain",
            Self::Attribute => "direct_attribute",
        }
    }

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer only",
            Self::Abstain => "abstention",
            Self::Attribute => "attribution",
        }
    }

    /// The prompt with this template.
    ///
    /// # Examples
    /// ```
    /// use humbly_bench::ua_bench::UaPrompt;
    /// assert_eq!(UaPrompt::of_template("direct_abstain"), Some(UaPrompt::Abstain));
    /// assert_eq!(UaPrompt::of_template("plain_read"), None);
    /// ```
    pub fn of_template(template: &str) -> Option<Self> {
        UA_PROMPTS.into_iter().find(|prompt| prompt.template() == template)
    }
}

/// One condition a prompt, for a run without an experiment file.
pub fn ua_conditions() -> Vec<Condition> {
    UA_PROMPTS.map(|prompt| Condition::asked_with(prompt.name(), prompt.template())).to_vec()
}
