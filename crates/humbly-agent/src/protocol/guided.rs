//! Guided stages with worked examples: for models so small that they lose the task in a free conversation.
//!
//! Each passage is read in a turn of its own, then the harness **asks** whether the passages say the same, offers
//! a search, and asks for the answer. A flag of Identify under this protocol therefore says that the model saw a
//! difference when it was asked, not that it looked for one; runs of other protocols are not comparable.

use humbly_llm::{ChatMessage, Finish};
use minijinja::context;
use serde_json::json;

use super::plain;
use crate::conversation::{Conversation, call_record};
use crate::run::{Run, RunOutcome};
use crate::{Agent, AgentError, AgentTask, Result};

/// Passages, comparison, answer: with fewer turns than these the task is run by the plain stages.
const STAGES_BESIDE_PASSAGES: usize = 2;

pub(crate) async fn run(agent: &Agent, task: &AgentTask) -> Result<Run> {
    let most = agent.options.max_turns as usize;
    let needed = task.passages.len() + STAGES_BESIDE_PASSAGES;
    let [first, rest @ ..] = task.passages.as_slice() else { return plain::run(agent, task).await };
    if most < needed {
        return plain::run(agent, task).await;
    }
    let examples = examples(&agent.prompts.fill("guided_examples", context! {})?)?;
    let mut conversation = agent.conversation_after(task, examples, passage(agent, task, 1, first)?);
    let mut stages = Vec::with_capacity(rest.len() + 1);
    for (number, next) in (2..).zip(rest) {
        stages.push(passage(agent, task, number, next)?);
    }
    stages.push(agent.prompts.fill("guided_compare", context! {})?);
    for stage in stages {
        if !read(&mut conversation).await {
            return Ok(conversation.finish(RunOutcome::Failed));
        }
        conversation.say(ChatMessage::user(stage));
    }
    if !read(&mut conversation).await {
        return Ok(conversation.finish(RunOutcome::Failed));
    }
    let observation =
        if most > needed { look_up(agent, &mut conversation).await? } else { Some(String::new()) };
    let Some(observation) = observation else { return Ok(conversation.finish(RunOutcome::Failed)) };
    conversation.say(ChatMessage::user(answer_prompt(agent, task, &observation)?));
    plain::answer(agent, conversation).await
}

/// One intermediate turn; `false` where the call failed.
async fn read(conversation: &mut Conversation<'_>) -> bool {
    let Some((turn, _)) = plain::turn(conversation).await else { return false };
    conversation.record(turn);
    true
}

/// What the search found, empty where nothing was asked for; `None` where the call of the model failed.
async fn look_up(agent: &Agent, conversation: &mut Conversation<'_>) -> Result<Option<String>> {
    let Some(tool) = agent.tools.first_evidence() else { return Ok(Some(String::new())) };
    conversation.say(ChatMessage::user(agent.prompts.fill("guided_search", context! {})?));
    let Some((mut looking, _)): Option<(_, Finish)> = plain::turn(conversation).await else {
        return Ok(None);
    };
    let mut observation = String::new();
    if let Some(query) = plain::query_in(&looking.text, "search") {
        let arguments = json!({ (tool.form.argument.as_str()): query }).to_string();
        let id = conversation.call_id("", 0);
        let observed = agent.call(&tool.spec.name, &arguments).await;
        observation = agent.observation_prompt(&tool.spec.name, &observed)?;
        looking.calls.push(call_record(id, &tool.spec.name, &arguments, &observed));
    }
    conversation.record(looking);
    Ok(Some(observation))
}

fn passage(agent: &Agent, task: &AgentTask, number: usize, passage: &crate::Passage) -> Result<String> {
    let question = agent.fence.line(&task.question, usize::MAX);
    agent.prompts.fill("guided_passage", context! { number, passage => agent.passage(passage), question })
}

fn answer_prompt(agent: &Agent, task: &AgentTask, observation: &str) -> Result<String> {
    agent.prompts.fill(
        "guided_answer",
        context! {
            question => agent.fence.line(&task.question, usize::MAX),
            scenario => task.scenario.code(),
            observation,
            confidence => agent.confidence.as_str(),
        },
    )
}

/// Fills in every template of these stages.
pub(crate) fn try_prompts(agent: &Agent, task: &AgentTask) -> Result<()> {
    plain::try_prompts(agent, task)?;
    examples(&agent.prompts.fill("guided_examples", context! {})?)?;
    for part in &task.passages {
        passage(agent, task, 1, part)?;
    }
    agent.prompts.fill("guided_compare", context! {})?;
    agent.prompts.fill("guided_search", context! {})?;
    answer_prompt(agent, task, "x").map(|_| ())
}

/// Messages written as blocks under lines `[user]` and `[assistant]`, in turn; an empty text has none.
fn examples(text: &str) -> Result<Vec<ChatMessage>> {
    let wrong = |found: String| AgentError::Setting {
        setting: "prompt `guided_examples`",
        found,
        expected: "blocks under lines `[user]` and `[assistant]`, in turn, the last one of the assistant"
            .into(),
    };
    let mut blocks: Vec<(bool, String)> = Vec::new();
    for line in text.lines() {
        match (line.trim(), blocks.last_mut()) {
            ("[user]", _) => blocks.push((true, String::new())),
            ("[assistant]", _) => blocks.push((false, String::new())),
            ("", None) => {}
            (_, Some((_, block))) => {
                block.push_str(line);
                block.push('\n');
            }
            (other, None) => return Err(wrong(format!("text before the first block: `{other}`"))),
        }
    }
    if let Some(place) =
        (0..).zip(&blocks).find_map(|(place, block)| (block.0 != (place % 2 == 0)).then_some(place))
    {
        return Err(wrong(format!("block {} of the other role", place + 1)));
    }
    if blocks.len() % 2 == 1 {
        return Err(wrong("a last block of the user".into()));
    }
    let message = |(is_user, text): (bool, String)| {
        let text = text.trim();
        if is_user { ChatMessage::user(text) } else { ChatMessage::assistant(text) }
    };
    Ok(blocks.into_iter().map(message).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_messages_in_turn() {
        let messages = examples("\n[user]\na\n\nb\n[assistant]\nc\n").unwrap();
        assert_eq!(messages, [ChatMessage::user("a\n\nb"), ChatMessage::assistant("c")]);
        assert_eq!(examples(" \n").unwrap(), []);
    }

    #[test]
    fn examples_out_of_turn_are_refused() {
        for (text, found) in [
            ("a\n[user]\nb", "text before"),
            ("[assistant]\na\n[user]\nb", "block 1 "),
            ("[user]\na\n[user]\nb", "block 2 "),
            ("[user]\na", "a last block"),
        ] {
            let error = examples(text).unwrap_err();
            assert!(
                matches!(&error, AgentError::Setting { found: said, .. } if said.starts_with(found)),
                "{error}"
            );
        }
    }
}
