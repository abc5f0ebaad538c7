//! Asking for variants, wave by wave, with every item kept as soon as it ends.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt;
use futures::stream;
use humbly_llm::{ChatClient, ChatMessage, ChatRequest, Outlook, Sampling};
use humbly_store::{Finished, PlannedSample, RunFile, SampleState};
use humbly_text::normalize::fold_whitespace;
use humbly_types::Usage;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::item::Call;
use crate::selection::{Items, Next, next};
use crate::{Item, Kind, Original, Plan, Prompts, Result, Selection, SynthError};

/// A model with how it is asked.
#[derive(Clone)]
pub struct Seat {
    /// The door to it.
    pub client: Arc<dyn ChatClient>,
    /// Its name as the user gave it.
    pub name: String,
    /// Its name as the provider knows it.
    pub model: String,
    /// Temperature; `None` leaves the provider's default.
    pub temperature: Option<f64>,
    /// Longest reply in tokens.
    pub max_tokens: Option<u32>,
}

impl Seat {
    pub(crate) fn request(&self, text: String, attempt: u32, seed: Option<u64>) -> ChatRequest {
        ChatRequest {
            model: self.model.clone(),
            messages: vec![ChatMessage::user(text)],
            sampling: Sampling {
                temperature: self.temperature,
                max_tokens: self.max_tokens,
                seed,
                ..Sampling::default()
            },
            sample_index: attempt,
            ..ChatRequest::default()
        }
    }

    fn settings(&self) -> Value {
        json!({"model": self.name, "temperature": self.temperature, "max_tokens": self.max_tokens})
    }
}

/// What a run file keeps of the settings; other ones are another set.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Settings {
    /// `synth`.
    pub kind: &'static str,
    /// Version that made it.
    pub humbly: &'static str,
    /// The plan.
    pub plan: Plan,
    /// Model, temperature and longest reply of the rewriter.
    pub rewriter: Value,
    /// The same of the validator.
    pub validator: Value,
    /// The prompts, whole.
    pub prompts: BTreeMap<String, String>,
    /// Hash of the prompts.
    pub prompts_hash: String,
    /// How many problems there are.
    pub originals: usize,
    /// Hash of their ids, texts and answers.
    pub originals_hash: String,
}

/// Everything that a set is made with.
pub struct Synth<'a> {
    /// What it should hold.
    pub plan: &'a Plan,
    /// The problems.
    pub originals: &'a [Original],
    /// The prompts.
    pub prompts: &'a Prompts,
    /// Who writes variants.
    pub rewriter: &'a Seat,
    /// Who examines them, without knowing what they should be.
    pub validator: &'a Seat,
    /// Items in flight at a time.
    pub concurrency: usize,
}

/// How far a sitting is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Items asked for so far.
    pub asked: usize,
    /// Items that ended.
    pub ended: usize,
    /// Verified ones among them.
    pub verified: usize,
}

/// Why a sitting ended early.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stopped {
    /// Code of the first failure.
    pub code: String,
    /// In words.
    pub detail: String,
    /// Items that failed, by code.
    pub failed: BTreeMap<String, u64>,
}

/// What a sitting left.
#[derive(Debug, Clone, Default)]
pub struct Sitting {
    /// What enters the set.
    pub selection: Selection,
    /// Every item that ended, by position of its original and its kind.
    pub items: BTreeMap<(usize, Kind), Item>,
    /// Why the set is not complete; `None` where nothing failed.
    pub stopped: Option<Stopped>,
}

impl Synth<'_> {
    /// What the run file keeps.
    pub fn settings(&self) -> Settings {
        let mut hasher = Sha256::new();
        for original in self.originals {
            for part in [&original.id, &original.problem, &original.answer] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        let digest = hasher.finalize();
        Settings {
            kind: "synth",
            humbly: env!("CARGO_PKG_VERSION"),
            plan: self.plan.clone(),
            rewriter: self.rewriter.settings(),
            validator: self.validator.settings(),
            prompts: self.prompts.sources().clone(),
            prompts_hash: self.prompts.hash(),
            originals: self.originals.len(),
            originals_hash: digest
                .iter()
                .take(6)
                .fold(String::new(), |text, byte| text + &format!("{byte:02x}")),
        }
    }

    /// Makes what is missing, keeping every item in `run` as it ends.
    ///
    /// Where a call fails for a reason that the next one would meet too, or a wave ends with failed items, nothing new
    /// is started: [`Sitting::stopped`] says why, the selection holds what is there, and the same call goes on.
    ///
    /// # Errors
    /// [`SynthError`]; failed calls are none.
    pub async fn sit(&self, run: &RunFile, show: &mut (dyn FnMut(Progress) + Send)) -> Result<Sitting> {
        self.plan.check(self.originals.len())?;
        let mut items = self.known(run)?;
        let texts: HashMap<String, usize> = self
            .originals
            .iter()
            .enumerate()
            .map(|(position, original)| (fold_whitespace(&original.problem), position))
            .collect();
        let mut stopped = None;
        while stopped.is_none() {
            let asked = match next(self.plan, self.originals, &items, false) {
                Next::Done(selection) => return Ok(Sitting { selection, items, stopped: None }),
                Next::Ask(asked) => asked,
            };
            stopped = self.wave(run, &asked, &texts, &mut items, show).await?;
        }
        let selection = match next(self.plan, self.originals, &items, true) {
            Next::Done(selection) => selection,
            Next::Ask(_) => Selection::default(),
        };
        Ok(Sitting { selection, items, stopped })
    }

    /// The items that ended in earlier sittings.
    fn known(&self, run: &RunFile) -> Result<Items> {
        let positions: HashMap<&str, usize> = self
            .originals
            .iter()
            .enumerate()
            .map(|(position, original)| (original.id.as_str(), position))
            .collect();
        let mut items = Items::new();
        let mut fault = None;
        run.for_each_sample(|sample| {
            let (SampleState::Done, Some(record)) = (sample.state, &sample.record) else { return };
            match serde_json::from_str::<Item>(record) {
                Ok(item) => {
                    if let Some(position) = positions.get(item.original.as_str()) {
                        items.insert((*position, item.kind), item);
                    }
                }
                Err(source) => fault = Some(SynthError::Item { key: sample.key, source }),
            }
        })?;
        fault.map_or(Ok(items), Err)
    }

    async fn wave(
        &self,
        run: &RunFile,
        asked: &[(usize, Kind)],
        texts: &HashMap<String, usize>,
        items: &mut Items,
        show: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Option<Stopped>> {
        let work: Vec<(usize, Kind, &Original)> = asked
            .iter()
            .filter_map(|(position, kind)| Some((*position, *kind, self.originals.get(*position)?)))
            .collect();
        let planned: Vec<PlannedSample> = work
            .iter()
            .map(|(_, kind, original)| PlannedSample {
                key: key(*kind, &original.id),
                plan: json!({"original": original.id, "kind": kind}),
            })
            .collect();
        run.plan(&planned)?;
        let mut progress = Progress {
            asked: items.len() + work.len(),
            ended: items.len(),
            verified: items.values().filter(|item| item.verified().is_some()).count(),
        };
        show(progress);
        let is_stopped = AtomicBool::new(false);
        let mut stopped: Option<Stopped> = None;
        let mut outlook = Outlook::default();
        let started = work.into_iter().take_while(|_| !is_stopped.load(Ordering::Relaxed)).map(
            |(position, kind, original)| async move {
                (position, kind, original, self.item(original, position, kind, texts).await)
            },
        );
        let mut running = std::pin::pin!(stream::iter(started).buffer_unordered(self.concurrency.max(1)));
        while let Some((position, kind, original, outcome)) = running.next().await {
            let key = key(kind, &original.id);
            match outcome? {
                Ok(item) => {
                    outlook.replied();
                    let record = serde_json::to_string(&item)
                        .map_err(|source| SynthError::Item { key: key.clone(), source })?;
                    let (usage, cost_usd) = sums(&item);
                    run.finish(
                        &key,
                        &Finished { record: Some(record), usage, cost_usd, ..Finished::default() },
                    )?;
                    progress.ended += 1;
                    progress.verified += usize::from(item.verified().is_some());
                    show(progress);
                    items.insert((position, kind), item);
                }
                Err(error) => {
                    let code = error.code().to_owned();
                    let detail = error.to_string();
                    if outlook.failed(&code, &detail) || !error.is_transient() {
                        is_stopped.store(true, Ordering::Relaxed);
                    }
                    run.finish(
                        &key,
                        &Finished { error: Some((code.clone(), detail.clone())), ..Finished::default() },
                    )?;
                    let stopped = stopped.get_or_insert_with(|| Stopped {
                        code: code.clone(),
                        detail,
                        failed: BTreeMap::new(),
                    });
                    *stopped.failed.entry(code).or_default() += 1;
                    // Who is in flight with nobody to reply would wait for minutes.
                    if outlook.given_up().is_some_and(|why| why.in_a_row.is_some()) {
                        break;
                    }
                }
            }
        }
        Ok(stopped)
    }
}

fn key(kind: Kind, original: &str) -> String {
    format!("{kind}:{original}")
}

/// Tokens and cost of an item; unknown where one of its calls does not say.
fn sums(item: &Item) -> (Usage, Option<f64>) {
    let calls: Vec<&Call> = item.calls().map(|(_, call)| call).filter(|call| call.failed.is_none()).collect();
    let sum = |of: fn(&Usage) -> Option<u64>| calls.iter().map(|call| of(&call.usage)).sum::<Option<u64>>();
    let usage = Usage {
        input: sum(|usage| usage.input),
        cached: sum(|usage| usage.cached),
        output: sum(|usage| usage.output),
        reasoning: sum(|usage| usage.reasoning),
    };
    (usage, calls.iter().map(|call| call.cost_usd).sum())
}
