//! A judge with a scripted model, and trajectories of a few lines.

#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::unwrap_used,
    reason = "each test binary uses its own part, and a test fails by panicking"
)]

use std::sync::{Arc, Mutex};

use humbly_llm::{ChatError, ChatReply, ChatRequest, ScriptedClient};
use humbly_model_judge::{JudgeSettings, ModelJudge, Prompts, Rubric};
use humbly_types::{
    AnswerOrigin, FinalAnswer, Location, Reasoning, ReasoningOrigin, Role, Step, Trajectory, Usage,
};

pub(crate) const NO_FLAG: &str = r#"{"flag": 0, "first_recognition_turn": -1}"#;
pub(crate) const CONSISTENT: &str = r#"{"flag": 0, "contradicting_turn": -1}"#;

pub(crate) type Requests = Arc<Mutex<Vec<ChatRequest>>>;

/// Which rubric a request asks, told by words of its system prompt.
pub(crate) fn rubric_of(request: &ChatRequest) -> Rubric {
    let system = &request.messages[0].content;
    for (words, rubric) in [
        ("first_recognition_turn", Rubric::Identify),
        ("contradicting_turn", Rubric::SelfInconsistency),
        ("REFUSAL or CLAIM", Rubric::Refusal),
        ("CORRECT or INCORRECT", Rubric::CorrectnessEh),
        ("Reply with Yes", Rubric::CorrectnessUa),
        ("SAME or DIFFERENT", Rubric::Equivalence),
        ("PK, CONTEXT", Rubric::SourceControlled),
        ("GROUND_TRUTH, FOLLOWS_PK", Rubric::SourceNatural),
        ("any doubt", Rubric::EscalateLax),
        ("YES or NO", Rubric::Escalate),
    ] {
        if system.contains(words) {
            return rubric;
        }
    }
    panic!("no rubric in {system}")
}

/// A judge whose model answers by `answer`, and the requests it got.
pub(crate) fn judge(
    settings: JudgeSettings,
    answer: impl Fn(Rubric, &ChatRequest) -> Result<String, ChatError> + Send + Sync + 'static,
) -> (ModelJudge, Requests) {
    let requests = Requests::default();
    let kept = Arc::clone(&requests);
    let client = ScriptedClient::from_fn(move |request| {
        kept.lock().unwrap().push(request.clone());
        Ok(ChatReply {
            text: answer(rubric_of(request), request)?,
            usage: Usage { input: Some(100), output: Some(2), ..Usage::default() },
            cost_usd: Some(0.01),
            ..ChatReply::default()
        })
    });
    (ModelJudge::new(Arc::new(client), settings, Prompts::built_in().unwrap()).unwrap(), requests)
}

/// Replies that find nothing.
pub(crate) fn plain(rubric: Rubric) -> String {
    match rubric {
        Rubric::Identify => NO_FLAG,
        Rubric::SelfInconsistency => CONSISTENT,
        Rubric::Escalate | Rubric::EscalateLax | Rubric::CorrectnessUa => "NO",
        Rubric::Refusal => "CLAIM",
        Rubric::CorrectnessEh => "INCORRECT",
        Rubric::Equivalence => "DIFFERENT",
        Rubric::SourceControlled => "EXTERNAL",
        Rubric::SourceNatural => "FOLLOWS_NEITHER",
    }
    .to_owned()
}

pub(crate) fn step(turn: u32, visible: &str, reasoning: &str) -> Step {
    Step {
        role: Role::Assistant,
        turn: Some(turn),
        visible: visible.to_owned(),
        reasoning: if reasoning.is_empty() {
            Vec::new()
        } else {
            vec![Reasoning { text: reasoning.to_owned(), origin: ReasoningOrigin::Field }]
        },
        at: Location { file: Arc::from("log.jsonl"), line: u64::from(turn) + 10 },
        ..Step::default()
    }
}

/// The last step answers with its visible text.
pub(crate) fn trajectory(steps: Vec<Step>) -> Trajectory {
    let mut trajectory = Trajectory::new("own", &Arc::from("log.jsonl"), "t");
    trajectory.final_answer = steps.last().map(|last| FinalAnswer {
        text: last.visible.clone(),
        origin: AnswerOrigin::LastText,
        turn: last.turn,
        at: last.at.clone(),
    });
    trajectory.set_log(steps);
    trajectory
}
