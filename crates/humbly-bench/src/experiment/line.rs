//! One model of a run: whether it still answers, and what is held back until that is known.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::{Either, Shared, select};
use humbly_llm::{ChatError, GivenUp, Outlook};
use humbly_store::{Finished, RunFile, StoreError};

use super::RunProgress;

/// A model that was given up before its samples had ended; those stay waiting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedModel {
    /// The model, as the experiment names it.
    pub model: String,
    /// Why.
    pub why: GivenUp,
    /// Its samples of this sitting that are still to be run.
    pub left: usize,
}

/// What a sample is begun and run under.
#[derive(Clone)]
pub(super) struct Door {
    /// No new sample is begun.
    is_closed: Arc<AtomicBool>,
    /// Resolves when samples in flight are dropped too.
    drop: Shared<oneshot::Receiver<()>>,
}

impl Door {
    /// Runs a sample; `None` where it was not begun or was dropped in flight.
    pub(super) async fn run<T>(self, sample: impl Future<Output = T>) -> Option<T> {
        if self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        match select(self.drop, pin!(sample)).await {
            Either::Left(_) => None,
            Either::Right((outcome, _)) => Some(outcome),
        }
    }
}

/// How a sample ended.
pub(super) struct Ended {
    pub(super) finished: Finished,
    /// Whether the model replied at all.
    pub(super) has_reply: bool,
}

/// What is known of one model while a run goes on.
struct Line {
    outlook: Outlook,
    door: Door,
    drop: Option<oneshot::Sender<()>>,
    /// Failures of a row without a reply: written down once the model replies again, left waiting where it is given up.
    held: Vec<(String, Finished)>,
    left: usize,
}

impl Line {
    fn new() -> Self {
        let (sender, receiver) = oneshot::channel();
        Self {
            outlook: Outlook::default(),
            door: Door { is_closed: Arc::default(), drop: receiver.shared() },
            drop: Some(sender),
            held: Vec::new(),
            left: 0,
        }
    }
}

/// The models of a run.
pub(super) struct Lines<'a> {
    run: &'a RunFile,
    by_model: BTreeMap<String, Line>,
    pub(super) progress: RunProgress,
}

impl<'a> Lines<'a> {
    pub(super) fn new(run: &'a RunFile) -> Self {
        let progress = RunProgress { cost_usd: Some(0.0), ..RunProgress::default() };
        Self { run, by_model: BTreeMap::new(), progress }
    }

    /// The door that samples of this model go through.
    pub(super) fn door(&mut self, model: &str) -> Door {
        self.by_model.entry(model.to_owned()).or_insert_with(Line::new).door.clone()
    }

    /// A sample was not run, for its model was given up.
    pub(super) fn left(&mut self, model: &str) {
        if let Some(line) = self.by_model.get_mut(model) {
            line.left += 1;
        }
    }

    /// Writes down how a sample ended, or holds it back.
    pub(super) fn ended(&mut self, model: &str, key: &str, ended: Ended) -> Result<(), StoreError> {
        let Some(line) = self.by_model.get_mut(model) else { return Ok(()) };
        let Ended { finished, has_reply } = ended;
        let cost = finished.cost_usd;
        self.progress.cost_usd = self.progress.cost_usd.zip(cost).map(|(sum, cost)| sum + cost);
        let failure = finished.error.as_ref();
        if let Some((code, message)) = failure.filter(|(code, _)| ChatError::code_meets_every_call(code)) {
            line.outlook.failed(code, message);
            line.left += 1;
            if has_reply {
                self.run.put_back(key, finished.usage, cost)?;
            }
        } else if let Some((code, message)) = failure.filter(|(code, _)| !has_reply && Outlook::counts(code))
        {
            line.outlook.failed(code, message);
            self.progress.ended += 1;
            self.progress.failed += 1;
            line.held.push((key.to_owned(), finished));
        } else {
            if has_reply {
                line.outlook.replied();
            }
            self.progress.ended += 1;
            self.progress.failed += usize::from(failure.is_some());
            self.run.finish(key, &finished)?;
        }
        self.settle(model)
    }

    /// What is held back goes into the file where the model replied again, and stays waiting where it was given up.
    fn settle(&mut self, model: &str) -> Result<(), StoreError> {
        let Some(line) = self.by_model.get_mut(model) else { return Ok(()) };
        if let Some(why) = line.outlook.given_up() {
            line.door.is_closed.store(true, Ordering::Relaxed);
            // What is in flight waits for nobody; after a failure that meets every call it ends by itself, paid as it is.
            if why.in_a_row.is_some() {
                let _ = line.drop.take().map(|drop| drop.send(()));
            }
            let held = line.held.len();
            line.left += held;
            self.progress.ended -= held;
            self.progress.failed -= held;
            line.held.clear();
        } else if !line.outlook.is_silent() {
            for (key, finished) in line.held.drain(..) {
                self.run.finish(&key, &finished)?;
            }
        }
        Ok(())
    }

    /// The models that were given up; what is still held back has failed.
    pub(super) fn close(self) -> Result<Vec<StoppedModel>, StoreError> {
        let mut stopped = Vec::new();
        for (model, line) in self.by_model {
            for (key, finished) in &line.held {
                self.run.finish(key, finished)?;
            }
            if let Some(why) = line.outlook.given_up() {
                stopped.push(StoppedModel { model, why: why.clone(), left: line.left });
            }
        }
        Ok(stopped)
    }
}
