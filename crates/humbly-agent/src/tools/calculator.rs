//! Arithmetic on numbers.

use futures::future::BoxFuture;
use humbly_llm::ToolSpec;
use serde_json::{Map, Value, json};

use super::arithmetic::evaluate;
use crate::tool::text_argument;
use crate::{TextForm, Tool, ToolError, ToolKind, ToolOutput};

/// The `calculator` tool: verification by exact arithmetic.
///
/// Whole numbers and fractions are exact; a result that had to be rounded says so.
#[derive(Debug, Clone, Copy, Default)]
pub struct Calculator;

impl Tool for Calculator {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "calculator".into(),
            description:
                "computes an expression of numbers, + - * / ^ % ! ( ), mod, sqrt, cbrt, abs, floor, \
                          ceil, round, ln, log (base 10), log2, exp, sin, cos, tan (radians), pi and e"
                    .into(),
            parameters: json!({
                "type": "object",
                "properties": {"expression": {"type": "string", "description": "for example (1990 - 1950) / 4"}},
                "required": ["expression"],
                "additionalProperties": false,
            }),
        }
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Verification
    }

    fn text_form(&self) -> TextForm {
        TextForm { tag: "calculate".into(), argument: "expression".into() }
    }

    fn call<'a>(&'a self, arguments: &'a Map<String, Value>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let expression = text_argument(arguments, "expression")?;
            evaluate(expression).map(|text| ToolOutput { text }).map_err(ToolError::failed)
        })
    }
}
