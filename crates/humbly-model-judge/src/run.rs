//! Judging many trajectories, some at a time.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt;
use futures::stream;
use humbly_llm::Outlook;
use humbly_types::{Task, Trajectory};

use crate::{Bill, JudgedByModel, ModelJudge, ModelJudgeError};

/// A trajectory to be judged, under a key of the caller's.
#[derive(Debug, Clone)]
pub struct RunItem {
    /// The key.
    pub key: String,
    /// The trajectory.
    pub trajectory: Trajectory,
    /// Its task.
    pub task: Option<Task>,
}

/// Judges every item, at most `concurrency` at a time, and hands on each as soon as it is done.
///
/// Order of `keep` is the order of completion. A judgement with failed requests is handed on too (see
/// [`JudgedByModel::failures`]): whoever stores it may leave it out, so that a resumed run asks again.
/// Where asking on is pointless ([`Outlook`]: a refused key, a cost limit, nobody who replies), nothing new is started,
/// what is in flight is finished and handed on, and the error says how many were judged.
///
/// # Errors
/// What `keep` returns, and [`ModelJudgeError::Stopped`].
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use humbly_llm::{ChatReply, ScriptedClient};
/// use humbly_model_judge::{JudgeSettings, ModelJudge, ModelJudgeError, Prompts, RunItem, judge_run};
/// use humbly_types::Trajectory;
/// let client = ScriptedClient::from_fn(|_| Ok(ChatReply { text: "NO".into(), ..ChatReply::default() }));
/// let judge = ModelJudge::new(Arc::new(client), JudgeSettings::new("m"), Prompts::built_in()?)?;
/// let items = ["a", "b"].map(|key| RunItem {
///     key: key.to_owned(),
///     trajectory: Trajectory::new("own", &"log.jsonl".into(), key),
///     task: None,
/// });
/// let mut keys = Vec::new();
/// let run = judge_run(&judge, items, 4, |key, _| {
///     keys.push(key);
///     Ok::<(), ModelJudgeError>(())
/// });
/// futures::executor::block_on(run)?;
/// keys.sort();
/// assert_eq!(keys, ["a", "b"]);
/// # Ok::<(), ModelJudgeError>(())
/// ```
pub async fn judge_run<E: From<ModelJudgeError>>(
    judge: &ModelJudge,
    items: impl IntoIterator<Item = RunItem>,
    concurrency: usize,
    mut keep: impl FnMut(String, JudgedByModel) -> Result<(), E>,
) -> Result<Bill, E> {
    let is_stopped = AtomicBool::new(false);
    let mut outlook = Outlook::default();
    let mut bill = Bill::default();
    let mut judged = 0;
    let started =
        items.into_iter().take_while(|_| !is_stopped.load(Ordering::Relaxed)).map(|item| async move {
            let outcome = judge.judge(&item.trajectory, item.task.as_ref()).await;
            (item.key, outcome)
        });
    let mut running = std::pin::pin!(stream::iter(started).buffer_unordered(concurrency.max(1)));
    while let Some((key, outcome)) = running.next().await {
        bill.add(&outcome.bill);
        if outcome.bill.asks > outcome.bill.failed {
            outlook.replied();
        }
        let fatal = outcome.failures.iter().find(|failure| failure.is_fatal());
        if let Some(failure) = fatal.or_else(|| outcome.failures.last())
            && (fatal.is_some() || outcome.bill.asks == outcome.bill.failed)
            && outlook.failed(&failure.code, &failure.detail)
        {
            is_stopped.store(true, Ordering::Relaxed);
            // Who is in flight with nobody to reply would wait for minutes.
            if outlook.given_up().is_some_and(|why| why.in_a_row.is_some()) {
                break;
            }
            continue;
        }
        judged += 1;
        keep(key, outcome)?;
    }
    match outlook.given_up() {
        Some(why) => {
            Err(ModelJudgeError::Stopped { code: why.code.clone(), detail: why.to_string(), judged }.into())
        }
        None => Ok(bill),
    }
}
