//! A worker thread that batches whatever requests wait.
//!
//! No async runtime is needed: [`Pending`] can be waited for or awaited.

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;

use crate::error::{ModelError, Result};
use crate::generation::{Generation, GenerationRequest};
use crate::model::Model;
use crate::scheduler::{BatchOptions, Scheduler, Sink};

type Listener = Box<dyn FnMut(&str) -> ControlFlow<()> + Send>;

/// A model at work in its own thread. Clones share it; it ends after the last clone and the last request.
///
/// # Examples
/// ```no_run
/// use humbly_model::{BatchOptions, Engine, GenerationRequest, Message, Model};
/// let engine = Engine::start(Model::load("model.gguf")?, BatchOptions::default())?;
/// let pending = engine.submit(GenerationRequest::chat(vec![Message::new("user", "Name a prime.")]));
/// println!("{}", pending.wait()?.text); // or `pending.await`
/// # Ok::<(), humbly_model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Engine {
    model: Model,
    worker: Arc<Worker>,
}

#[derive(Debug)]
struct Worker {
    /// Taken away first when the engine goes, so that the thread sees the end of the channel.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

struct Job {
    request: GenerationRequest,
    ticket: Ticket,
}

impl Engine {
    /// Starts the thread.
    ///
    /// # Errors
    /// [`ModelError::Io`] where the system gives no thread.
    pub fn start(model: Model, options: BatchOptions) -> Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let own = model.clone();
        let thread = std::thread::Builder::new()
            .name("humbly-model".to_owned())
            .spawn(move || work(&own, options, &queue))
            .map_err(|error| ModelError::io("starting the model's thread", error))?;
        Ok(Self { model, worker: Arc::new(Worker { jobs: Some(jobs), thread: Some(thread) }) })
    }

    /// The model at work.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Queues a request.
    pub fn submit(&self, request: GenerationRequest) -> Pending {
        self.queue(request, None)
    }

    /// Queues a request; `listener` gets its text as it comes, in the engine's thread, and a break cancels it.
    pub fn submit_streaming(
        &self,
        request: GenerationRequest,
        listener: impl FnMut(&str) -> ControlFlow<()> + Send + 'static,
    ) -> Pending {
        self.queue(request, Some(Box::new(listener)))
    }

    fn queue(&self, request: GenerationRequest, listener: Option<Listener>) -> Pending {
        let shared = Arc::new(Shared::default());
        let ticket = Ticket { shared: Arc::clone(&shared), listener };
        if let Some(jobs) = &self.worker.jobs {
            // Where the thread is gone the job comes back and its ticket says so when it is dropped.
            drop(jobs.send(Job { request, ticket }));
        }
        Pending { shared }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // A thread cannot wait for itself, and a panic there was told to every request.
            if thread.thread().id() != std::thread::current().id() {
                drop(thread.join());
            }
        }
    }
}

fn work(model: &Model, options: BatchOptions, queue: &Receiver<Job>) {
    let mut scheduler = Scheduler::new(model, options);
    loop {
        if scheduler.is_idle() {
            match queue.recv() {
                Ok(job) => scheduler.add(job.request, job.ticket),
                Err(_) => return,
            }
        }
        while let Ok(job) = queue.try_recv() {
            scheduler.add(job.request, job.ticket);
        }
        scheduler.step();
    }
}

/// The place of one result.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    ready: Condvar,
}

#[derive(Debug, Default)]
struct State {
    result: Option<Result<Generation>>,
    waker: Option<Waker>,
    abandoned: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The worker's side of a request.
struct Ticket {
    shared: Arc<Shared>,
    listener: Option<Listener>,
}

impl Ticket {
    fn settle(&self, result: Result<Generation>) {
        let mut state = self.shared.lock();
        if state.result.is_none() {
            state.result = Some(result);
        }
        let waker = state.waker.take();
        drop(state);
        self.shared.ready.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Sink for Ticket {
    fn text(&mut self, text: &str) -> ControlFlow<()> {
        self.listener.as_mut().map_or(ControlFlow::Continue(()), |listener| listener(text))
    }

    fn is_cancelled(&self) -> bool {
        self.shared.lock().abandoned
    }

    fn finished(&mut self, result: Result<Generation>) {
        self.settle(result);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.settle(Err(ModelError::EngineStopped));
    }
}

/// A result that will come; dropping it cancels the request.
#[derive(Debug)]
#[must_use = "dropping it cancels the request"]
pub struct Pending {
    shared: Arc<Shared>,
}

impl Pending {
    /// Blocks until the result is there.
    ///
    /// # Errors
    /// The request's own error, or [`ModelError::EngineStopped`].
    pub fn wait(self) -> Result<Generation> {
        let mut state = self.shared.lock();
        loop {
            if let Some(result) = state.result.take() {
                return result;
            }
            state = self.shared.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Future for Pending {
    type Output = Result<Generation>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.shared.lock();
        if let Some(result) = state.result.take() {
            return Poll::Ready(result);
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.shared.lock().abandoned = true;
    }
}
