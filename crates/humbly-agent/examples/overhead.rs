//! CPU of the agent loop alone: 5,000 scripted samples of three turns in each protocol.
//!
//! `cargo run --release -p humbly-agent --example overhead [SAMPLES]`

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::allow_attributes, reason = "an example prints")]

use std::sync::Arc;
use std::time::Instant;

use futures::executor::block_on;
use futures::future::BoxFuture;
use humbly_agent::index::{Document, SearchIndex};
use humbly_agent::tools::SearchTool;
use humbly_agent::{Agent, AgentOptions, AgentTask, Passage, Prompts, Protocol, RunOutcome, Scenario, Tool};
use humbly_llm::{ChatClient, ChatReply, ChatRequest, RequestedCall};

struct Model(Protocol);

impl ChatClient for Model {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, humbly_llm::Result<ChatReply>> {
        let is_last =
            request.messages.iter().filter(|message| message.content.contains("Doc 1(")).count() >= 2;
        let mut reply = ChatReply::default();
        match (self.0, is_last) {
            (Protocol::Native, false) => reply.calls.push(RequestedCall {
                id: String::new(),
                name: "search".into(),
                arguments: r#"{"query": "tower"}"#.into(),
            }),
            (Protocol::Tagged, false) => reply.text = "<think>look</think><search>tower".into(),
            (Protocol::Tagged, true) => reply.text = "<think>well</think><answer>90 m".into(),
            _ => reply.text = "Sources disagree: 90 m or 80 m.".into(),
        }
        Box::pin(async { Ok(reply) })
    }
}

fn main() {
    let samples: usize = std::env::args().nth(1).map_or(5_000, |count| count.parse().unwrap());
    let row = |id: usize| Document { id: id.to_string(), contents: format!("\"T{id}\"\ntower number {id}") };
    let index = Arc::new(SearchIndex::in_memory((0..100).map(row)).unwrap());
    for protocol in [Protocol::Native, Protocol::Tagged, Protocol::Plain] {
        let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(SearchTool::new(Arc::clone(&index), 2))];
        let options = AgentOptions { protocol, seed: Some(1), ..AgentOptions::default() };
        let agent =
            Agent::new(Arc::new(Model(protocol)), tools, Prompts::built_in().unwrap(), options).unwrap();
        let passage = |text: &str| Passage { text: text.into(), ..Passage::default() };
        let tasks: Vec<AgentTask> = (0..samples)
            .map(|id| AgentTask {
                id: id.to_string(),
                question: "How high is the tower?".into(),
                passages: vec![passage("It is 90 metres high."), passage("It is 80 metres high.")],
                scenario: Scenario::Rag,
                ..AgentTask::default()
            })
            .collect();
        let start = Instant::now();
        let mut turns = 0;
        for task in &tasks {
            let run = block_on(agent.run(task)).unwrap();
            assert_eq!(run.outcome, RunOutcome::Answered);
            turns += run.record.turns.len();
        }
        println!("{protocol:?}: {samples} samples, {turns} turns in {:.3} s", start.elapsed().as_secs_f64());
    }
}
