//! The loop over tags in text, in Search-R1's manner.
//!
//! Differences from Search-R1's loop: tags inside retrieved text lose their bracket, an action inside a closed
//! think block is a thought, the notice after a turn without action holds no tags, a confidence may stand
//! before or right after the answer, and there is no extra turn at the limit.

use humbly_llm::{ChatMessage, Finish};
use humbly_types::TurnRecord;
use minijinja::context;
use serde_json::json;

use super::parse::parse;
use super::{TaggedAction, TurnEnd};
use crate::conversation::{Conversation, call_record, part};
use crate::run::{Run, RunOutcome};
use crate::{Agent, AgentTask, ObservationStyle, Result};

pub(crate) async fn run(agent: &Agent, task: &AgentTask) -> Result<Run> {
    let mut conversation = agent.conversation(task, agent.task_prompt(task, true)?);
    let tags: Vec<&str> = agent.tools.tags().collect();
    let stop: Vec<String> = if agent.options.stop_at_tags {
        tags.iter().chain(&["answer"]).map(|tag| format!("</{tag}>")).collect()
    } else {
        Vec::new()
    };
    let mut silent = 0;
    let outcome = loop {
        let Some(reply) = conversation.ask(&stop).await else { break RunOutcome::Failed };
        let turn = parse(&reply.text, &tags, end_of(&reply.finish, agent.options.stop_at_tags));
        let thoughts = turn.reasoning.join("\n\n");
        let (reasoning, _) = part(reply.reasoning.as_deref(), "");
        let reasoning = [reasoning.unwrap_or_default(), thoughts].into_iter().filter(|t| !t.is_empty());
        let reasoning = reasoning.reduce(|first, second| format!("{first}\n\n{second}"));
        let mut record = TurnRecord { reasoning, text: turn.said, ..TurnRecord::default() };
        said(agent, &mut conversation, &turn.kept);
        match turn.action {
            TaggedAction::Answer(_) => {
                conversation.record(record);
                break RunOutcome::Answered;
            }
            TaggedAction::Tool { tag, body } => {
                silent = 0;
                let Some(entry) = agent.tools.by_tag(&tag) else { break RunOutcome::NoAction };
                let arguments = json!({ (entry.form.argument.as_str()): body }).to_string();
                let id = conversation.call_id("", 0);
                let observation = agent.call(&entry.spec.name, &arguments).await;
                record.calls.push(call_record(id, &entry.spec.name, &arguments, &observation));
                conversation.record(record);
                observed(agent, &mut conversation, &information(&observation.text));
            }
            TaggedAction::None => {
                let is_blank = record.text.is_empty();
                conversation.record(record);
                if is_blank && reply.finish == Finish::Filtered {
                    break RunOutcome::Refused;
                }
                silent += 1;
                if silent > agent.options.reminders {
                    break RunOutcome::NoAction;
                }
                let reminder = agent.prompts.fill("reminder", context! {})?;
                observed(agent, &mut conversation, &reminder);
            }
        }
        if conversation.is_at_limit() {
            break RunOutcome::TurnLimit;
        }
    };
    Ok(conversation.finish(outcome))
}

fn end_of(finish: &Finish, stops_at_tags: bool) -> TurnEnd {
    match finish {
        Finish::Length | Finish::Filtered => TurnEnd::Cut,
        _ if stops_at_tags => TurnEnd::AtStop,
        _ => TurnEnd::Whole,
    }
}

fn information(text: &str) -> String {
    format!("<information>{}</information>", text.trim())
}

/// What the model said goes back to it, cut after its action.
fn said(agent: &Agent, conversation: &mut Conversation<'_>, kept: &str) {
    match agent.options.observations {
        ObservationStyle::Message => conversation.say(ChatMessage::assistant(kept)),
        ObservationStyle::Appended => conversation.append(kept),
    }
}

/// What the environment says to it.
fn observed(agent: &Agent, conversation: &mut Conversation<'_>, text: &str) {
    match agent.options.observations {
        ObservationStyle::Message => conversation.say(ChatMessage::user(text)),
        ObservationStyle::Appended => conversation.append(&format!("\n\n{text}\n\n")),
    }
}
