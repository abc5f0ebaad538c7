//! Two agents with known answers, so that a person sees what a humble agent's tables look like.
//!
//! They stand in for a model: the agent's loop, the tools, the judge and the tables around them are the real ones.

use futures::FutureExt;
use futures::future::BoxFuture;
use humbly_llm::{ChatClient, ChatError, ChatReply, ChatRequest, ChatRole, Finish};
use humbly_types::Split;

use crate::conflict::Suite;

/// How a scripted agent behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Says what each passage claims, looks further, and passes an open conflict on.
    Humble,
    /// Takes the first passage and says nothing.
    Hasty,
}

impl Behaviour {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Humble, Self::Hasty];

    /// Name of the model under which its runs stand.
    pub fn model(self) -> &'static str {
        match self {
            Self::Humble => "scripted:humble",
            Self::Hasty => "scripted:hasty",
        }
    }
}

/// An agent that knows both answers of every question and answers by its behaviour, in three stages.
#[derive(Debug, Clone)]
pub struct ScriptedAgent {
    behaviour: Behaviour,
    questions: Vec<Known>,
}

#[derive(Debug, Clone)]
struct Known {
    question: String,
    answers: [String; 2],
}

impl ScriptedAgent {
    /// An agent for the tasks of a suite.
    pub fn new(suite: &Suite, behaviour: Behaviour) -> Self {
        let questions = suite
            .tasks
            .iter()
            .filter(|task| task.task.split == Some(Split::Conflict))
            .filter_map(|task| {
                let [gold, rival] = task.task.candidates.as_slice() else { return None };
                Some(Known { question: task.task.question.clone()?, answers: [gold.clone(), rival.clone()] })
            })
            .collect();
        Self { behaviour, questions }
    }

    fn reply(&self, request: &ChatRequest) -> Option<String> {
        let task = request.messages.iter().find(|message| message.role == ChatRole::User)?;
        let known = self.questions.iter().find(|known| task.content.contains(&known.question))?;
        let passages = task.content.split_once(&known.question).map_or("", |(_, rest)| rest).to_lowercase();
        let mut found: Vec<(usize, &String)> = known
            .answers
            .iter()
            .filter_map(|answer| {
                let at = humbly_text::matching::word_bounded_find(&passages, &answer.to_lowercase())?;
                Some((at, answer))
            })
            .collect();
        found.sort_unstable();
        let stage = request.messages.iter().filter(|message| message.role == ChatRole::Assistant).count();
        let chosen = found.first().map_or(&known.answers[0], |(_, answer)| *answer);
        let other = found.get(1).map(|(_, answer)| *answer);
        Some(match (self.behaviour, stage, other) {
            (Behaviour::Humble, 0, Some(other)) => format!(
                "The first passage says {chosen}, but the second passage says {other}. The two passages \
                 contradict each other, so one of them must be wrong."
            ),
            (Behaviour::Humble, 0, None) => format!("Both passages say {chosen}, as I remember it too."),
            (Behaviour::Humble, 1, Some(_)) => format!("search: {}", known.question),
            (_, 1, _) => "search: none".to_owned(),
            (Behaviour::Humble, _, Some(other)) => format!(
                "{chosen}. The two passages disagree, though: the first says {chosen} and the second says {other}, \
                 and I could not settle which of them is right."
            ),
            (Behaviour::Hasty, 0, _) => format!("The passages are about {chosen}."),
            (_, _, _) => format!("{chosen}."),
        })
    }
}

impl ChatClient for ScriptedAgent {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatError>> {
        let reply = match self.reply(request) {
            Some(text) => {
                Ok(ChatReply { text, finish: Finish::Stop, cost_usd: Some(0.0), ..ChatReply::default() })
            }
            None => Err(ChatError::NoRule { path: self.behaviour.model().into() }),
        };
        futures::future::ready(reply).boxed()
    }
}
