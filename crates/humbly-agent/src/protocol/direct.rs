//! One question, one reply, no tools: what a model answers from what it knows (UA §4.1).

use minijinja::{Value, context};

use super::plain;
use crate::run::Run;
use crate::{Agent, AgentError, AgentTask, Result};

/// The template where none is named.
const DEFAULT: &str = "direct_answer";

pub(crate) async fn run(agent: &Agent, task: &AgentTask) -> Result<Run> {
    plain::answer(agent, agent.conversation(task, prompt(agent, task)?)).await
}

/// The whole prompt: nothing but the question comes from the task.
fn prompt(agent: &Agent, task: &AgentTask) -> Result<String> {
    let name = agent.options.prompt.as_deref().unwrap_or(DEFAULT);
    let clauses: Vec<Value> =
        agent.options.clauses.iter().map(|clause| Value::from(clause.text.as_str())).collect();
    agent.prompts.fill(
        name,
        context! { question => task.question.trim(), confidence => agent.confidence.as_str(), clauses },
    )
}

pub(crate) fn try_prompts(agent: &Agent, task: &AgentTask) -> Result<()> {
    let known: Vec<&str> = agent
        .prompts
        .sources()
        .keys()
        .map(String::as_str)
        .filter(|name| name.starts_with("direct_"))
        .collect();
    if let Some(name) = agent.options.prompt.as_deref()
        && !known.contains(&name)
    {
        return Err(AgentError::Setting {
            setting: "prompt",
            found: format!("`{name}`"),
            expected: known.join(", "),
        });
    }
    prompt(agent, task).map(|_| ())
}
