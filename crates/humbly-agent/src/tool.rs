//! What a tool is.

use futures::future::BoxFuture;
use humbly_llm::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Something that an agent may call.
///
/// A tool never panics on arguments and bounds its own time. Its output is treated as data: cleaned, cut and
/// fenced before a model sees it.
pub trait Tool: Send + Sync {
    /// Name, description and arguments, for the model.
    fn spec(&self) -> ToolSpec;

    /// Whether it brings evidence or verifies (CAR §1).
    fn kind(&self) -> ToolKind;

    /// How the tagged and the plain protocol write a call.
    ///
    /// The default is the tool's name as tag and the first required argument of its schema.
    fn text_form(&self) -> TextForm {
        let spec = self.spec();
        let argument = spec.parameters.pointer("/required/0").and_then(Value::as_str).unwrap_or("input");
        TextForm { argument: argument.to_owned(), tag: spec.name }
    }

    /// Calls it.
    ///
    /// # Errors
    /// [`ToolError`], whose text the model reads as the observation.
    fn call<'a>(&'a self, arguments: &'a Map<String, Value>) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;
}

/// Kinds of tools (CAR §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Brings text from outside, which may be wrong or contradict other text.
    Evidence,
    /// Computes or checks by fixed rules.
    Verification,
}

impl ToolKind {
    /// The name in JSON and in prompt templates.
    pub fn code(self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::Verification => "verification",
        }
    }
}

/// How a call is written in text: `<tag>value of the argument</tag>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextForm {
    /// Name of the tag: ASCII letters, digits, `_` and `-`.
    pub tag: String,
    /// The argument that the tag's content becomes.
    pub argument: String,
}

/// What a call gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// Text for the model.
    pub text: String,
}

/// Why a call gave nothing. The text goes to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The arguments do not fit.
    #[error("wrong arguments: {detail}")]
    Arguments {
        /// What was found and what was expected.
        detail: String,
    },
    /// The tool could not do it.
    #[error("{detail}")]
    Failed {
        /// Why.
        detail: String,
    },
}

impl ToolError {
    /// The arguments do not fit.
    pub fn arguments(detail: impl Into<String>) -> Self {
        Self::Arguments { detail: detail.into() }
    }

    /// The tool could not do it.
    pub fn failed(detail: impl Into<String>) -> Self {
        Self::Failed { detail: detail.into() }
    }
}

/// The text argument `name`, not blank.
pub(crate) fn text_argument<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<&'a str, ToolError> {
    match arguments.get(name) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.trim()),
        Some(Value::String(_)) => Err(ToolError::arguments(format!("`{name}` is empty"))),
        Some(other) => Err(ToolError::arguments(format!(
            "`{name}` is {}, expected a text",
            crate::toolbox::kind_of(other)
        ))),
        None => {
            let found: Vec<&str> = arguments.keys().map(String::as_str).take(8).collect();
            let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
            Err(ToolError::arguments(format!("`{name}` is missing (found {found})")))
        }
    }
}
