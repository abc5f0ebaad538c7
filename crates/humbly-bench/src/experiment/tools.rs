//! The tools of an experiment's agents.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use humbly_agent::index::{Document, SearchIndex};
use humbly_agent::tools::{Calculator, SearchTool};
use humbly_agent::{AgentError, Tool, ToolKind};

use super::{Condition, Experiment};
use crate::conflict::{Suite, SuiteTask};

/// The suite's own passages and its corpus, each once, in the order of the tasks.
pub fn corpus_of(suite: &Suite) -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for passage in suite.tasks.iter().flat_map(|task| &task.passages).chain(&suite.corpus) {
        if seen.insert(passage.text.as_str()) {
            let title = passage.title.as_deref().unwrap_or("Untitled");
            let contents = format!("\"{title}\"\n{}", passage.text);
            documents.push(Document { id: documents.len().to_string(), contents });
        }
    }
    documents
}

/// Makes the tools of each condition; an index over one corpus is made once.
pub(crate) struct ToolMaker<'a> {
    suite: &'a Suite,
    indexes: BTreeMap<Option<PathBuf>, Arc<SearchIndex>>,
}

impl<'a> ToolMaker<'a> {
    pub(crate) fn new(suite: &'a Suite) -> Self {
        Self { suite, indexes: BTreeMap::new() }
    }

    /// The tools of a condition; for tasks that ask for one kind of tool only those of that kind.
    ///
    /// # Errors
    /// [`AgentError`] where a corpus cannot be read, or there is nothing to search in.
    pub(crate) fn tools(
        &mut self,
        experiment: &Experiment,
        condition: &Condition,
        kind: Option<ToolKind>,
    ) -> Result<Vec<Arc<dyn Tool>>, AgentError> {
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for name in condition.tools(experiment) {
            let (of_kind, is_search) = match name.as_str() {
                "calculator" => (ToolKind::Verification, false),
                _ => (ToolKind::Evidence, true),
            };
            if kind.is_some_and(|kind| kind != of_kind) {
                continue;
            }
            if is_search {
                let corpus = condition.corpus.as_ref().or(experiment.corpus.as_ref());
                tools.push(Arc::new(SearchTool::new(self.index(corpus)?, 3)));
            } else {
                tools.push(Arc::new(Calculator));
            }
        }
        Ok(tools)
    }

    fn index(&mut self, corpus: Option<&PathBuf>) -> Result<Arc<SearchIndex>, AgentError> {
        if let Some(known) = self.indexes.get(&corpus.cloned()) {
            return Ok(Arc::clone(known));
        }
        let index = if let Some(path) = corpus {
            SearchIndex::from_corpus(path)?.0
        } else {
            let documents = corpus_of(self.suite);
            let is_calibration = self.suite.tasks.iter().any(|task| kind_of(task).is_some());
            if documents.is_empty() && is_calibration {
                return Err(AgentError::Setting {
                    setting: "corpus",
                    found: "absent, and the suite has no passages".to_owned(),
                    expected: "a file of documents for the search tool".to_owned(),
                });
            }
            SearchIndex::in_memory(documents)?
        };
        let index = Arc::new(index);
        self.indexes.insert(corpus.cloned(), Arc::clone(&index));
        Ok(index)
    }
}

/// The kind of tool that a task of a calibration suite asks for; `None` for tasks of other suites.
pub(crate) fn kind_of(task: &SuiteTask) -> Option<ToolKind> {
    [ToolKind::Evidence, ToolKind::Verification]
        .into_iter()
        .find(|kind| task.task.scenario.as_deref() == Some(kind.code()))
}
