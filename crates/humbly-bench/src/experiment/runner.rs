//! Runs the waiting samples of a run file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use futures::StreamExt;
use futures::stream;
use humbly_agent::{
    Agent, AgentError, AgentOptions, AgentTask, Clause, Prompts, Protocol, ReplyCounts, Scenario, ToolKind,
};
use humbly_llm::{ChatClient, ChatError};
use humbly_store::{Finished, RunFile, Shard, StoreError};

use super::estimate::{Estimate, Gauge, Group, MEASURED, estimate};
use super::line::{Ended, Lines};
use super::tools::{ToolMaker, kind_of};
use super::{Experiment, SamplePlan, StoppedModel};
use crate::conflict::{Suite, SuiteTask};

/// Asks a sitting to end: samples in flight are finished, no new ones begun.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a sitting is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RunProgress {
    /// Samples that this sitting has to run.
    pub samples: usize,
    /// Ended in this sitting, failed ones included.
    pub ended: usize,
    /// Failed in this sitting.
    pub failed: usize,
    /// Cost of this sitting where every sample has one.
    pub cost_usd: Option<f64>,
}

/// What one sitting did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sitting {
    /// Progress at its end.
    pub progress: RunProgress,
    /// Whether it was asked to end before all was run.
    pub cancelled: bool,
    /// Models that were given up.
    pub stopped: Vec<StoppedModel>,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// The agent cannot be set up.
    #[error("the agent cannot be set up")]
    Agent(#[from] AgentError),
    /// The run file cannot be used.
    #[error("the run file cannot be used")]
    Store(#[from] StoreError),
    /// A client cannot be made.
    #[error("the model `{model}` cannot be reached")]
    Client {
        /// Model.
        model: String,
        /// Why.
        #[source]
        source: ChatError,
    },
    /// The run's plan names what the suite or the experiment does not have.
    #[error("the plan of sample `{key}` does not fit the suite: {detail}")]
    Plan {
        /// Sample.
        key: String,
        /// What is missing.
        detail: String,
    },
}

/// Everything that stays the same over the samples of a run.
pub struct Runner {
    agents: BTreeMap<AgentKey, Arc<Agent>>,
    tasks: HashMap<String, SuiteTask>,
    gauges: Vec<Arc<Gauge>>,
    concurrency: usize,
}

/// Model, protocol, condition, seed and, for tasks that ask for one kind of tool, that kind.
type AgentKey = (String, &'static str, String, u64, Option<&'static str>);

fn agent_key(plan: &SamplePlan, task: &SuiteTask) -> AgentKey {
    let kind = kind_of(task).map(ToolKind::code);
    (plan.model.clone(), protocol_name(plan.protocol), plan.condition.clone(), plan.seed, kind)
}

/// A client for each model of the experiment, with the model's name as its provider knows it.
pub type ClientOf<'a> = dyn FnMut(&str) -> Result<(Arc<dyn ChatClient>, String), ChatError> + 'a;

impl Runner {
    /// Sets up an agent for each combination of model, protocol, condition and seed.
    ///
    /// # Errors
    /// [`RunnerError::Client`], [`RunnerError::Agent`]: before anything is run.
    pub fn new(
        experiment: &Experiment,
        suite: &Suite,
        prompts: &Prompts,
        client_of: &mut ClientOf<'_>,
    ) -> Result<Self, RunnerError> {
        let kinds: HashSet<Option<ToolKind>> = suite.tasks.iter().map(kind_of).collect();
        let kinds = [None, Some(ToolKind::Evidence), Some(ToolKind::Verification)]
            .into_iter()
            .filter(|kind| kinds.contains(kind));
        let mut maker = ToolMaker::new(suite);
        let mut clients: BTreeMap<String, (Arc<dyn ChatClient>, String)> = BTreeMap::new();
        let mut agents = BTreeMap::new();
        let mut gauges = Vec::new();
        for condition in &experiment.conditions {
            let clauses = condition
                .clauses
                .iter()
                .map(|clause| match clause.as_str() {
                    "humility" => prompts.humility(),
                    path => Clause::load(Path::new(path)),
                })
                .collect::<Result<Vec<_>, _>>()?;
            for model in experiment.models.iter().filter_map(|model| condition.model_for(model)) {
                if !clients.contains_key(model) {
                    let (client, provider_model) = client_of(model)
                        .map_err(|source| RunnerError::Client { model: model.to_owned(), source })?;
                    let gauge = Arc::new(Gauge::new(client));
                    gauges.push(Arc::clone(&gauge));
                    clients.insert(model.to_owned(), (gauge, provider_model));
                }
                let Some((client, provider_model)) = clients.get(model) else { continue };
                for kind in kinds.clone() {
                    let tools = maker.tools(experiment, condition, kind)?;
                    for protocol in &experiment.protocols {
                        for seed in &experiment.seeds {
                            let options = AgentOptions {
                                model: provider_model.clone(),
                                agent: format!("humbly-{}", protocol_name(*protocol)),
                                max_turns: experiment.max_turns,
                                protocol: *protocol,
                                prompt: condition.prompt.clone(),
                                sampling: condition.sampling.as_ref().unwrap_or(&experiment.sampling).clone(),
                                clauses: clauses.clone(),
                                seed: Some(*seed),
                                observation_limit: experiment.observation_limit,
                                ask_confidence: experiment.confidence,
                                confidence_form: experiment.confidence_form,
                                confidence_every_turn: experiment.confidence_every_turn,
                                ..AgentOptions::default()
                            };
                            let agent =
                                Agent::new(Arc::clone(client), tools.clone(), prompts.clone(), options)?;
                            let key = (
                                model.to_owned(),
                                protocol_name(*protocol),
                                condition.name.clone(),
                                *seed,
                                kind.map(ToolKind::code),
                            );
                            agents.insert(key, Arc::new(agent));
                        }
                    }
                }
            }
        }
        let tasks = suite.tasks.iter().map(|task| (task.task.id.clone(), task.clone())).collect();
        Ok(Self { agents, tasks, gauges, concurrency: experiment.concurrency })
    }

    /// Runs what waits in the run file; each sample is written down as soon as it has ended.
    ///
    /// A model is given up where asking it is pointless ([`humbly_llm::Outlook`]): its other samples
    /// stay waiting, those of other models go on.
    ///
    /// # Errors
    /// [`RunnerError`]; samples that ended before stay written.
    pub async fn run(
        &self,
        run: &RunFile,
        shard: Shard,
        retry_failed: bool,
        cancel: &Cancel,
        progress: &mut (dyn FnMut(RunProgress) + Send),
    ) -> Result<Sitting, RunnerError> {
        let mut lines = Lines::new(run);
        let mut work = Vec::new();
        for sample in run.waiting(shard, retry_failed)? {
            let sample = self.work(sample)?;
            let door = lines.door(&sample.plan.model);
            work.push((sample, door));
        }
        lines.progress.samples = work.len();
        progress(lines.progress);
        let begun = stream::iter(work).take_while(|_| futures::future::ready(!cancel.is_cancelled())).map(
            |(work, door)| async move {
                let outcome = door.run(work.run()).await;
                (work, outcome)
            },
        );
        let mut ended = begun.buffer_unordered(self.concurrency);
        while let Some((work, outcome)) = ended.next().await {
            match outcome {
                None => lines.left(&work.plan.model),
                Some(outcome) => lines.ended(&work.plan.model, &work.key, outcome?)?,
            }
            progress(lines.progress);
        }
        let progress = lines.progress;
        let cancelled = cancel.is_cancelled() && progress.ended < progress.samples;
        Ok(Sitting { progress, cancelled, stopped: lines.close()? })
    }

    /// What the waiting samples will ask for: the first prompts of some are made and measured, none is sent.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub async fn estimate(
        &self,
        run: &RunFile,
        shard: Shard,
        retry_failed: bool,
    ) -> Result<Estimate, RunnerError> {
        let mut by_model: BTreeMap<String, BTreeMap<AgentKey, Vec<Work>>> = BTreeMap::new();
        for sample in run.waiting(shard, retry_failed)? {
            let work = self.work(sample)?;
            let key = agent_key(&work.plan, &work.task);
            by_model.entry(work.plan.model.clone()).or_default().entry(key).or_default().push(work);
        }
        self.gauges.iter().for_each(|gauge| gauge.measure(true));
        let mut groups = BTreeMap::new();
        for (model, of_model) in by_model {
            let each = MEASURED.div_ceil(of_model.len().max(1));
            let mut found = Vec::new();
            for works in of_model.into_values() {
                let Some(first) = works.first() else { continue };
                let options = first.agent.options().clone();
                let can_search = first.agent.tools().next().is_some();
                let step = works.len().div_ceil(each).max(1);
                for work in works.iter().step_by(step) {
                    work.agent.run(&work.agent_task()).await?;
                }
                let (prompt_tokens, prompts) = self
                    .gauges
                    .iter()
                    .map(|gauge| gauge.take())
                    .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
                let group = Group { samples: works.len() as u64, prompt_tokens, prompts };
                found.push((options, can_search, group));
            }
            groups.insert(model, found);
        }
        self.gauges.iter().for_each(|gauge| gauge.measure(false));
        Ok(estimate(groups))
    }

    fn work(&self, sample: humbly_store::PlannedSample) -> Result<Work, RunnerError> {
        let key = sample.key;
        let unfit = |detail: String| RunnerError::Plan { key: key.clone(), detail };
        let plan: SamplePlan =
            serde_json::from_value(sample.plan).map_err(|error| unfit(error.to_string()))?;
        let task = self.tasks.get(&plan.task).ok_or_else(|| unfit(format!("no task `{}`", plan.task)))?;
        let agent = self.agents.get(&agent_key(&plan, task)).ok_or_else(|| {
            unfit(format!("no model `{}` under condition `{}`", plan.model, plan.condition))
        })?;
        Ok(Work { key: key.clone(), task: task.clone(), agent: Arc::clone(agent), plan })
    }
}

struct Work {
    key: String,
    task: SuiteTask,
    agent: Arc<Agent>,
    plan: SamplePlan,
}

impl Work {
    fn agent_task(&self) -> AgentTask {
        let task = &self.task.task;
        AgentTask {
            id: self.key.clone(),
            task_id: Some(task.id.clone()),
            question: task.question.clone().unwrap_or_default(),
            passages: self.task.passages.clone(),
            scenario: match task.scenario.as_deref() {
                Some("rag") => Scenario::Rag,
                Some("pck") => Scenario::Pck,
                _ => Scenario::ClosedBook,
            },
            candidates: Vec::new(),
            sample_index: self.plan.repeat,
        }
    }

    async fn run(&self) -> Result<Ended, RunnerError> {
        let begun = Instant::now();
        let task = &self.task.task;
        let outcome = self.agent.run(&self.agent_task()).await?;
        let has_reply = outcome.replies != ReplyCounts::default();
        let mut record = outcome.record;
        record.model = Some(self.plan.model.clone());
        record.dataset.clone_from(&task.dataset);
        record.condition = Some(self.plan.condition.clone());
        let record = serde_json::to_string(&record).ok();
        let finished = Finished {
            record,
            error: outcome.error.as_ref().map(|error| (error.code().to_owned(), error.to_string())),
            usage: outcome.usage,
            cost_usd: outcome.cost_usd,
            seconds: Some(begun.elapsed().as_secs_f64()),
        };
        Ok(Ended { finished, has_reply })
    }
}

fn protocol_name(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Native => "native",
        Protocol::Tagged => "tagged",
        Protocol::Plain => "plain",
        Protocol::Guided => "guided",
        Protocol::Direct => "direct",
    }
}
