//! Fixed stages for models that can follow no protocol: read, look up, answer.
//!
//! The harness offers the search tool itself and takes the query from what the model writes, so that a very
//! small model leaves intermediate turns and calls too. The last stage is the answer; with few turns the
//! stages before it are left out, those in the middle first.

use humbly_llm::{ChatMessage, Finish};
use humbly_text::confidence::without_confidence;
use humbly_types::TurnRecord;
use minijinja::context;
use serde_json::json;

use crate::conversation::{Conversation, call_record, part};
use crate::run::{Run, RunOutcome};
use crate::{Agent, AgentTask, Result, ToolKind};

/// Longest query taken from a model's text, in characters.
const QUERY_LIMIT: usize = 200;
/// Replies to the offer of a search that decline it.
const NO_QUERY: &[&str] = &[
    "none",
    "no",
    "nothing",
    "n/a",
    "not needed",
    "no search",
    "no search needed",
    "no calculation",
    "no calculation needed",
];

pub(crate) async fn run(agent: &Agent, task: &AgentTask) -> Result<Run> {
    let max_turns = agent.options.max_turns;
    let reads = max_turns >= 2;
    let tool = agent.tools.first_offered();
    let searches =
        if tool.is_some() { agent.options.plain_searches.min(max_turns.saturating_sub(2)) } else { 0 };
    let first = if reads { read_prompt(agent, task)? } else { answer_prompt(agent, task, true, "")? };
    let mut conversation = agent.conversation(task, first);
    if !reads {
        return answer(agent, conversation).await;
    }
    let Some((reading, _)) = turn(&mut conversation).await else {
        return Ok(conversation.finish(RunOutcome::Failed));
    };
    conversation.record(reading);
    let mut observation = String::new();
    for _ in 0..searches {
        let Some(entry) = tool else { break };
        let (prompt, label) = offer_of(entry.kind);
        let offer = agent.prompts.fill(prompt, context! {})?;
        conversation.say(ChatMessage::user(join(&observation, &offer)));
        let Some((mut looking, _)) = turn(&mut conversation).await else {
            return Ok(conversation.finish(RunOutcome::Failed));
        };
        let query = query_in(&looking.text, label);
        let query = match entry.kind {
            ToolKind::Evidence => query,
            ToolKind::Verification => query.and_then(|query| expression_in(&query)),
        };
        let Some(query) = query else {
            conversation.record(looking);
            observation.clear();
            break;
        };
        let arguments = json!({ (entry.form.argument.as_str()): query }).to_string();
        let id = conversation.call_id("", 0);
        let observed = agent.call(&entry.spec.name, &arguments).await;
        observation = agent.observation_prompt(&entry.spec.name, &observed)?;
        looking.calls.push(call_record(id, &entry.spec.name, &arguments, &observed));
        conversation.record(looking);
    }
    conversation.say(ChatMessage::user(answer_prompt(agent, task, false, &observation)?));
    answer(agent, conversation).await
}

/// Prompt and label of the offer of a tool.
fn offer_of(kind: ToolKind) -> (&'static str, &'static str) {
    match kind {
        ToolKind::Evidence => ("plain_search", "search"),
        ToolKind::Verification => ("plain_calculate", "calculate"),
    }
}

/// The expression in what a small model writes: the first run of numbers and signs with a sign between numbers.
fn expression_in(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_digit() || " .,+-*/^()%!×÷−".contains(c);
    let mut runs = text.split(|c| !is_part(c)).map(|run| run.trim().trim_end_matches(['.', ',', ' ', '(']));
    let is_expression = |run: &&str| {
        let signs = run.trim_start_matches(['-', '+']);
        run.contains(|c: char| c.is_ascii_digit()) && signs.contains(|c| "+-*/^%!×÷−".contains(c))
    };
    runs.find(is_expression).map(str::to_owned)
}

/// One generation, parted into reasoning and text; what was said goes back into the conversation.
pub(super) async fn turn(conversation: &mut Conversation<'_>) -> Option<(TurnRecord, Finish)> {
    let reply = conversation.ask(&[]).await?;
    let (reasoning, text) = part(reply.reasoning.as_deref(), &reply.text);
    conversation.say(ChatMessage::assistant(&*text));
    Some((TurnRecord { reasoning, text, ..TurnRecord::default() }, reply.finish))
}

pub(super) async fn answer(_: &Agent, mut conversation: Conversation<'_>) -> Result<Run> {
    let Some((last, finish)) = turn(&mut conversation).await else {
        return Ok(conversation.finish(RunOutcome::Failed));
    };
    let outcome = match (last.text.is_empty(), finish) {
        (false, _) => RunOutcome::Answered,
        (true, Finish::Filtered) => RunOutcome::Refused,
        (true, _) => RunOutcome::NoAnswer,
    };
    conversation.record(last);
    Ok(conversation.finish(outcome))
}

fn read_prompt(agent: &Agent, task: &AgentTask) -> Result<String> {
    let name = if task.passages.is_empty() { "plain_recall" } else { "plain_read" };
    let confidence = if agent.options.confidence_every_turn { agent.confidence.as_str() } else { "" };
    agent.prompts.fill(name, context! { task => agent.task_prompt(task, false)?, confidence })
}

fn answer_prompt(agent: &Agent, task: &AgentTask, with_task: bool, observation: &str) -> Result<String> {
    agent.prompts.fill(
        "plain_answer",
        context! {
            task => if with_task { agent.task_prompt(task, false)? } else { String::new() },
            question => agent.fence.line(&task.question, usize::MAX),
            scenario => task.scenario.code(),
            observation,
            confidence => agent.confidence.as_str(),
        },
    )
}

pub(crate) fn try_prompts(agent: &Agent, task: &AgentTask) -> Result<()> {
    read_prompt(agent, task)?;
    for kind in [ToolKind::Evidence, ToolKind::Verification] {
        agent.prompts.fill(offer_of(kind).0, context! {})?;
    }
    answer_prompt(agent, task, true, "x")?;
    answer_prompt(agent, task, false, "").map(|_| ())
}

fn join(first: &str, second: &str) -> String {
    if first.is_empty() { second.to_owned() } else { format!("{first}\n\n{second}") }
}

/// The query in a model's reply: behind its label (`search:`, `calculate:`), else its first line; `None` where it declines.
pub(super) fn query_in(text: &str, label: &str) -> Option<String> {
    let text = text.replace(&format!("<{label}>"), &format!("{label}: ")).replace(&format!("</{label}>"), "");
    let text = without_confidence(&text);
    let lines = || text.lines().map(|line| line.trim_matches(is_wrapping)).filter(|line| !line.is_empty());
    let marked = lines().find_map(|line| {
        let at = line.to_ascii_lowercase().find(label)?;
        line.get(at + label.len()..)?.trim_start().strip_prefix(':')
    });
    let query = marked.or_else(|| lines().next())?.trim_matches(is_wrapping);
    let query: String = query.chars().take(QUERY_LIMIT).collect();
    let bare = query.trim_end_matches(['.', '!']).to_lowercase();
    (!bare.is_empty() && !NO_QUERY.contains(&bare.as_str())).then_some(query)
}

fn is_wrapping(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '*' | '-' | '“' | '”' | '<' | '>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_found_in_what_small_models_write() {
        let query = |text| query_in(text, "search");
        assert_eq!(query("search: tower height").as_deref(), Some("tower height"));
        assert_eq!(query("Sure! Search: tower height").as_deref(), Some("tower height"));
        assert_eq!(query("Sure!\n- **Search:** \"tower height\"").as_deref(), Some("tower height"));
        assert_eq!(query("\n\nheight of the tower\nmore").as_deref(), Some("height of the tower"));
        assert_eq!(query("I need <search>tower height</search>").as_deref(), Some("tower height"));
        assert_eq!(query("search: none."), None);
        assert_eq!(query("Search : None"), None);
        assert_eq!(query(" \n "), None);
        assert_eq!(query("Confidence: 70\nsearch: tower height").as_deref(), Some("tower height"));
        assert_eq!(
            query_in("Let me see.\ncalculate: 3 * (4 + 5)", "calculate").as_deref(),
            Some("3 * (4 + 5)")
        );
        assert_eq!(query_in("calculate: none", "calculate"), None);
        let expression = |text| expression_in(text);
        assert_eq!(expression("23 * 17 = 381.").as_deref(), Some("23 * 17"));
        assert_eq!(expression("The total is 37 + 58, I think").as_deref(), Some("37 + 58"));
        assert_eq!(expression("7! (seven factorial)").as_deref(), Some("7!"));
        assert_eq!(expression("381"), None);
        assert_eq!(expression("-5"), None);
        assert_eq!(expression("nothing"), None);
        assert_eq!(query(&"é".repeat(900)).unwrap().chars().count(), QUERY_LIMIT);
    }
}
