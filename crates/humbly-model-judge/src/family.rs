//! Families of models: a judge that is kin to the agent tends to favour it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// A family of models: those that one maker trains in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// GPT and the o series.
    OpenAi,
    /// Claude.
    Anthropic,
    /// Gemini and Gemma.
    Google,
    /// Llama.
    Llama,
    /// Qwen and its reasoning models.
    Qwen,
    /// `DeepSeek`.
    DeepSeek,
    /// GLM.
    Glm,
    /// Mistral and its kin.
    Mistral,
    /// Kimi.
    Kimi,
    /// Grok.
    Grok,
    /// Command and Aya.
    Cohere,
    /// Phi.
    Phi,
    /// Nemotron.
    Nemotron,
    /// `SmolLM`.
    SmolLm,
    /// Falcon.
    Falcon,
    /// `OLMo`.
    Olmo,
    /// Granite.
    Granite,
    /// Yi.
    Yi,
    /// `MiniMax`.
    MiniMax,
    /// Nova.
    Nova,
}

/// Beginnings of the words in a model's name.
const WORDS: &[(&str, Family)] = &[
    ("gpt", Family::OpenAi),
    ("chatgpt", Family::OpenAi),
    ("davinci", Family::OpenAi),
    ("codex", Family::OpenAi),
    ("claude", Family::Anthropic),
    ("sonnet", Family::Anthropic),
    ("opus", Family::Anthropic),
    ("haiku", Family::Anthropic),
    ("gemini", Family::Google),
    ("gemma", Family::Google),
    ("llama", Family::Llama),
    ("qwen", Family::Qwen),
    ("qwq", Family::Qwen),
    ("qvq", Family::Qwen),
    ("deepseek", Family::DeepSeek),
    ("glm", Family::Glm),
    ("chatglm", Family::Glm),
    ("mistral", Family::Mistral),
    ("mixtral", Family::Mistral),
    ("ministral", Family::Mistral),
    ("magistral", Family::Mistral),
    ("codestral", Family::Mistral),
    ("devstral", Family::Mistral),
    ("kimi", Family::Kimi),
    ("moonshot", Family::Kimi),
    ("grok", Family::Grok),
    ("command", Family::Cohere),
    ("aya", Family::Cohere),
    ("phi", Family::Phi),
    ("nemotron", Family::Nemotron),
    ("smollm", Family::SmolLm),
    ("falcon", Family::Falcon),
    ("olmo", Family::Olmo),
    ("granite", Family::Granite),
    ("yi", Family::Yi),
    ("minimax", Family::MiniMax),
    ("nova", Family::Nova),
];

/// The families that a model's name tells of; several for a model distilled from another.
///
/// # Examples
/// ```
/// use humbly_model_judge::{Family, families};
/// assert!(families("openai:gpt-5-mini").contains(&Family::OpenAi));
/// assert_eq!(families("DeepSeek-R1-Distill-Qwen-32B").len(), 2);
/// assert!(families("my-finetune").is_empty());
/// ```
pub fn families(model: &str) -> BTreeSet<Family> {
    let mut found = BTreeSet::new();
    // `provider:model` and `owner/model`: the host says nothing of the family.
    let name = model.rsplit(['/', ':']).next().unwrap_or(model);
    // Names of local servers carry a tag: `llama3.2:3b`.
    let head = model.split(':').next().unwrap_or_default();
    for part in [name, head.rsplit('/').next().unwrap_or_default()] {
        for word in part.split(|character: char| !character.is_ascii_alphanumeric()) {
            let lower = word.to_ascii_lowercase();
            let letters = lower.trim_end_matches(|character: char| character.is_ascii_digit());
            let beginning: String = lower.chars().take_while(char::is_ascii_alphabetic).collect();
            if matches!(lower.as_str(), "o1" | "o3" | "o4") {
                found.insert(Family::OpenAi);
            }
            let family = WORDS.iter().find(|(word, _)| *word == beginning || *word == letters);
            found.extend(family.map(|(_, family)| *family));
        }
    }
    found
}

/// Whether judge and backbone are kin, as far as their names tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FamilyMatch {
    /// They share these families.
    Same(BTreeSet<Family>),
    /// Both are known and share none.
    Different,
    /// A name tells of no family.
    Unknown,
}

/// Compares the names of judge and backbone.
///
/// # Examples
/// ```
/// use humbly_model_judge::{FamilyMatch, family_match};
/// assert!(matches!(family_match("gpt-5", "openai/gpt-5.2"), FamilyMatch::Same(_)));
/// assert_eq!(family_match("gpt-5", "claude-sonnet-4-6"), FamilyMatch::Different);
/// assert_eq!(family_match("gpt-5", "house-model"), FamilyMatch::Unknown);
/// ```
pub fn family_match(judge: &str, backbone: &str) -> FamilyMatch {
    let (judge, backbone) = (families(judge), families(backbone));
    if judge.is_empty() || backbone.is_empty() {
        return FamilyMatch::Unknown;
    }
    let shared: BTreeSet<Family> = judge.intersection(&backbone).copied().collect();
    if shared.is_empty() { FamilyMatch::Different } else { FamilyMatch::Same(shared) }
}

impl FamilyMatch {
    /// The warning for a person, where there is one.
    pub fn warning(&self, judge: &str, backbone: &str) -> Option<String> {
        match self {
            Self::Same(_) => Some(format!(
                "judge `{judge}` and backbone `{backbone}` are of one family: judges favour their kin; \
                 take a judge of another family, or a panel"
            )),
            Self::Different | Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_providers_write_them_are_known() {
        for (name, family) in [
            ("gpt-5", Family::OpenAi),
            ("gpt4o", Family::OpenAi),
            ("o3-mini", Family::OpenAi),
            ("openai:gpt-4o-mini-2024-07-18", Family::OpenAi),
            ("anthropic/claude-sonnet-4-6", Family::Anthropic),
            ("Qwen3.5-27B", Family::Qwen),
            ("Qwen/QwQ-32B", Family::Qwen),
            ("llama3.2:3b", Family::Llama),
            ("meta-llama/Llama-3.1-8B-Instruct", Family::Llama),
            ("smollm2-135m", Family::SmolLm),
            ("GLM-5.2", Family::Glm),
            ("Nemotron-Orchestrator-8B", Family::Nemotron),
            ("google/gemma-3-27b-it", Family::Google),
        ] {
            assert_eq!(families(name), BTreeSet::from([family]), "{name}");
        }
        for name in ["", "judge", "philosopher", "octopus", "commander-x"] {
            assert!(families(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn only_kin_are_warned_of() {
        assert!(family_match("gpt-5", "o3").warning("gpt-5", "o3").unwrap().contains("one family"));
        assert_eq!(family_match("gpt-5", "claude").warning("gpt-5", "claude"), None);
    }
}
