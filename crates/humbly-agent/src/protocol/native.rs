//! The loop over a provider's own tool calls.

use humbly_llm::{ChatMessage, ChatReply, Finish, RequestedCall};
use humbly_types::TurnRecord;
use minijinja::context;

use crate::conversation::{Conversation, call_record, part};
use crate::run::{Run, RunOutcome};
use crate::{Agent, AgentTask, Result};

/// Calls of one turn that are carried out; the rest get a notice.
const CALLS_PER_TURN: usize = 16;

pub(crate) async fn run(agent: &Agent, task: &AgentTask) -> Result<Run> {
    let mut conversation = agent.conversation(task, agent.task_prompt(task, true)?);
    conversation.offer_tools();
    let mut silent = 0;
    let outcome = loop {
        let Some(reply) = conversation.ask(&[]).await else { break RunOutcome::Failed };
        let (reasoning, text) = part(reply.reasoning.as_deref(), &reply.text);
        if reply.calls.is_empty() {
            let is_blank = text.is_empty();
            conversation.say(ChatMessage { reasoning: reply.reasoning, ..ChatMessage::assistant(&*text) });
            conversation.record(TurnRecord { reasoning, text, ..TurnRecord::default() });
            if !is_blank {
                break RunOutcome::Answered;
            }
            if reply.finish == Finish::Filtered {
                break RunOutcome::Refused;
            }
            silent += 1;
            if silent > agent.options.reminders {
                break RunOutcome::NoAction;
            }
            conversation.say(ChatMessage::user(agent.prompts.fill("reminder_native", context! {})?));
        } else {
            silent = 0;
            act(agent, &mut conversation, reply, reasoning, text).await?;
        }
        if conversation.is_at_limit() {
            break RunOutcome::TurnLimit;
        }
    };
    Ok(conversation.finish(outcome))
}

/// Carries out the calls of a turn, in their order.
async fn act(
    agent: &Agent,
    conversation: &mut Conversation<'_>,
    reply: ChatReply,
    reasoning: Option<String>,
    text: String,
) -> Result<()> {
    let mut turn = TurnRecord { reasoning, text: text.clone(), ..TurnRecord::default() };
    let mut requested = Vec::with_capacity(reply.calls.len());
    let mut results = Vec::with_capacity(reply.calls.len());
    for (position, call) in reply.calls.into_iter().enumerate() {
        let id = conversation.call_id(&call.id, position);
        let observation = if position < CALLS_PER_TURN {
            agent.call(&call.name, &call.arguments).await
        } else {
            crate::toolbox::Observation {
                text: format!("error: not carried out, expected at most {CALLS_PER_TURN} calls in a turn"),
                is_error: true,
                kind: None,
            }
        };
        results.push(ChatMessage::tool(id.clone(), agent.observation_prompt(&call.name, &observation)?));
        turn.calls.push(call_record(id.clone(), &call.name, &call.arguments, &observation));
        requested.push(RequestedCall { id, ..call });
    }
    conversation.record(turn);
    conversation.say(ChatMessage {
        reasoning: reply.reasoning,
        calls: requested,
        ..ChatMessage::assistant(text)
    });
    for result in results {
        conversation.say(result);
    }
    Ok(())
}
