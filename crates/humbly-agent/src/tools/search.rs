//! Search over a local index.

use std::sync::Arc;

use futures::future::BoxFuture;
use humbly_llm::ToolSpec;
use serde_json::{Map, Value, json};

use crate::index::{Hit, SearchIndex};
use crate::tool::text_argument;
use crate::{Tool, ToolError, ToolKind, ToolOutput};

/// Longest query, in characters.
const QUERY_LIMIT: usize = 1_000;

/// The `search` tool: evidence from a [`SearchIndex`].
pub struct SearchTool {
    index: Arc<SearchIndex>,
    hits: usize,
}

impl SearchTool {
    /// A tool that gives the best `hits` documents (Search-R1 shows 3).
    pub fn new(index: Arc<SearchIndex>, hits: usize) -> Self {
        Self { index, hits: hits.max(1) }
    }

    fn search(&self, arguments: &Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let query = text_argument(arguments, "query")?;
        let length = query.chars().count();
        if length > QUERY_LIMIT {
            let detail = format!("`query` has {length} characters, expected at most {QUERY_LIMIT}");
            return Err(ToolError::arguments(detail));
        }
        let hits =
            self.index.search(query, self.hits).map_err(|error| ToolError::failed(error.to_string()))?;
        if hits.is_empty() {
            return Ok(ToolOutput { text: "No document matches.".into() });
        }
        Ok(ToolOutput { text: shown(&hits) })
    }
}

/// Documents as Search-R1 shows them: `Doc 1(Title: "T") text`.
fn shown(hits: &[Hit]) -> String {
    let mut text = String::new();
    for (number, hit) in (1..).zip(hits) {
        let (title, rest) = hit.document.title_and_text();
        text.push_str(&format!("Doc {number}(Title: {title}) {rest}\n"));
    }
    text
}

impl Tool for SearchTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "search".into(),
            description: "looks up texts by key words and gives back the ones that fit best".into(),
            parameters: json!({
                "type": "object",
                "properties": {"query": {"type": "string", "description": "words to look for"}},
                "required": ["query"],
                "additionalProperties": false,
            }),
        }
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Evidence
    }

    fn call<'a>(&'a self, arguments: &'a Map<String, Value>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move { self.search(arguments) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Document;

    #[test]
    fn documents_are_shown_in_search_r1s_form() {
        let row = |id: &str, contents: &str| Document { id: id.into(), contents: contents.into() };
        let index =
            SearchIndex::in_memory([row("0", "\"Ada\"\nA mathematician.\nBorn 1815."), row("1", "x")]);
        let tool = SearchTool::new(Arc::new(index.unwrap()), 3);
        let call = |arguments: Value| tool.search(arguments.as_object().unwrap());
        assert_eq!(
            call(json!({"query": "ada"})).unwrap().text,
            "Doc 1(Title: \"Ada\") A mathematician.\nBorn 1815.\n"
        );
        assert_eq!(call(json!({"query": "zebra"})).unwrap().text, "No document matches.");
        let error = call(json!({"q": "ada"})).unwrap_err();
        assert_eq!(error.to_string(), "wrong arguments: `query` is missing (found q)");
        assert_eq!(
            call(json!({"query": 3})).unwrap_err().to_string(),
            "wrong arguments: `query` is a number, expected a text"
        );
        assert!(call(json!({"query": "é".repeat(1001)})).is_err());
    }
}
