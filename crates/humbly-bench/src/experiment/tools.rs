//! The tools of an experiment's agents.

use std::sync::Arc;

use humbly_agent::index::{Document, SearchIndex};
use humbly_agent::tools::{Calculator, SearchTool};
use humbly_agent::{AgentError, Tool};

use super::Experiment;
use crate::conflict::Suite;

/// The suite's own passages as a corpus, each once, in the order of the tasks.
pub fn corpus_of(suite: &Suite) -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for passage in suite.tasks.iter().flat_map(|task| &task.passages) {
        if seen.insert(passage.text.as_str()) {
            let title = passage.title.as_deref().unwrap_or("Untitled");
            let contents = format!("\"{title}\"\n{}", passage.text);
            documents.push(Document { id: documents.len().to_string(), contents });
        }
    }
    documents
}

/// The tools that the experiment names.
pub(crate) fn tools(experiment: &Experiment, suite: &Suite) -> Result<Vec<Arc<dyn Tool>>, AgentError> {
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    for name in &experiment.tools {
        if name == "calculator" {
            tools.push(Arc::new(Calculator));
            continue;
        }
        let index = match &experiment.corpus {
            Some(path) => SearchIndex::from_corpus(path)?.0,
            None => SearchIndex::in_memory(corpus_of(suite))?,
        };
        tools.push(Arc::new(SearchTool::new(Arc::new(index), 3)));
    }
    Ok(tools)
}
