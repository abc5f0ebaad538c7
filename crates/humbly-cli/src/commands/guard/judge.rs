//! The judge of the guard: the lexical rules, or a model behind them.

use std::cell::OnceCell;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use anyhow::Context;
use humbly_guard::{GapJudge, GuardError};
use humbly_judge::{Knowledge, LexicalJudge};
use humbly_llm::providers::ModelSpec;
use humbly_model_judge::{JudgeSettings, ModelJudge, Prompts, Rubric};
use humbly_types::{Reason, Role, Step, Trajectory, Verdict};
use tokio::runtime::Runtime;

use crate::args::ModelArguments;
use crate::args::guard::GuardJudgeArguments;
use crate::clients::Clients;

/// Longest time of one call where a person waits.
pub(super) const BY_HAND: Duration = Duration::from_mins(10);

/// The judge that was asked for.
pub(super) fn of(arguments: &GuardJudgeArguments, longest: Duration) -> Box<dyn GapJudge> {
    match &arguments.judge {
        None => Box::new(Rules::set_up()),
        Some(model) => Box::new(ModelGapJudge {
            model: model.clone(),
            base_url: arguments.base_url.clone(),
            longest,
            rules: LexicalJudge::new(),
            connected: OnceCell::new(),
        }),
    }
}

static RULES: LazyLock<LexicalJudge> = LazyLock::new(LexicalJudge::new);

/// The lexical rules, set up while the transcript is read: a stop that reads nothing does not wait for them.
struct Rules;

impl Rules {
    fn set_up() -> Self {
        std::thread::spawn(|| LazyLock::force(&RULES));
        Self
    }
}

impl GapJudge for Rules {
    fn identify(&self, turns: &[&str]) -> Result<Vec<Verdict>, GuardError> {
        RULES.identify(turns)
    }

    fn escalate(&self, answer: &str) -> Result<Verdict, GuardError> {
        GapJudge::escalate(&*RULES, answer)
    }

    fn refuses(&self, answer: &str) -> bool {
        RULES.refuses(answer)
    }

    fn is_final(&self) -> bool {
        RULES.is_final()
    }
}

/// Whether the model's name can be read.
pub(super) fn check(arguments: &GuardJudgeArguments) -> anyhow::Result<()> {
    if let Some(model) = &arguments.judge {
        ModelSpec::parse(model, arguments.base_url.as_deref())
            .with_context(|| format!("cannot use {model} as a judge"))?;
    }
    Ok(())
}

/// A model that decides Identify and Escalate. It is connected only when something is to be judged: most stops
/// need no model.
struct ModelGapJudge {
    model: String,
    base_url: Option<String>,
    longest: Duration,
    /// They quote what the model found, where they found it too, and know refusals.
    rules: LexicalJudge,
    connected: OnceCell<Connected>,
}

struct Connected {
    runtime: Runtime,
    judge: ModelJudge,
}

impl ModelGapJudge {
    fn connected(&self) -> Result<&Connected, GuardError> {
        if let Some(connected) = self.connected.get() {
            return Ok(connected);
        }
        let connected = self.connect().map_err(|error| GuardError::judge(format!("{error:#}")))?;
        Ok(self.connected.get_or_init(|| connected))
    }

    fn connect(&self) -> anyhow::Result<Connected> {
        let arguments = ModelArguments {
            base_url: self.base_url.clone(),
            cache: None,
            prices: None,
            max_cost: None,
            // Somebody waits, and the next stop asks anew.
            attempts: 1,
            request_timeout: self.longest.as_secs(),
            deadline: None,
        };
        let (client, model) = Clients::new(&arguments)?.client(&self.model)?;
        let mut settings = JudgeSettings::new(model);
        let asked = [Rubric::Identify, Rubric::Escalate];
        settings.left_out = Rubric::ALL.iter().copied().filter(|rubric| !asked.contains(rubric)).collect();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .context("cannot start the runtime")?;
        Ok(Connected { runtime, judge: ModelJudge::new(client, settings, Prompts::built_in()?)? })
    }
}

impl GapJudge for ModelGapJudge {
    fn identify(&self, turns: &[&str]) -> Result<Vec<Verdict>, GuardError> {
        let Connected { runtime, judge } = self.connected()?;
        let steps = (0..)
            .zip(turns)
            .map(|(turn, text)| Step {
                role: Role::Assistant,
                turn: Some(turn),
                visible: (*text).to_owned(),
                ..Step::default()
            })
            .collect();
        // Without a final answer every turn is an intermediate one.
        let mut episode = Trajectory::new("guard", &Arc::from("transcript"), "episode");
        episode.set_log(steps);
        let judged = runtime.block_on(judge.judge(&episode, None)).judgement.turns;
        let mut verdicts = Vec::with_capacity(turns.len());
        for (text, turn) in turns.iter().zip(judged) {
            let mut verdict = decided(turn.identify)?;
            if verdict.is_yes() {
                verdict.quote = self.rules.identify_turn(text, &Knowledge::default()).quote;
            }
            verdicts.push(verdict);
        }
        Ok(verdicts)
    }

    fn escalate(&self, answer: &str) -> Result<Verdict, GuardError> {
        let Connected { runtime, judge } = self.connected()?;
        match runtime.block_on(judge.escalate(answer)).reading {
            Ok(verdict) => Ok(verdict),
            Err(undefined) => Err(GuardError::judge(reason(undefined.detail, undefined.reason))),
        }
    }

    fn refuses(&self, answer: &str) -> bool {
        self.rules.refusal(answer).is_yes()
    }

    fn is_final(&self) -> bool {
        true
    }
}

/// A verdict that the model gave, or was not asked for after its first yes.
fn decided(verdict: Verdict) -> Result<Verdict, GuardError> {
    match &verdict.undefined {
        Some(undefined) if undefined.reason != Reason::NotApplicable => {
            Err(GuardError::judge(reason(undefined.detail.clone(), undefined.reason)))
        }
        _ => Ok(verdict),
    }
}

fn reason(detail: Option<String>, reason: Reason) -> String {
    detail.unwrap_or_else(|| reason.code().to_owned())
}
