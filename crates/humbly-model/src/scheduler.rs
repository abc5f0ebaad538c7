//! Continuous batching: a finished row's place goes to the next request at once.
//!
//! Each step is one pass over the new tokens of all rows, one for a row that
//! decodes and a part of the prompt for a row that begins. A row that shares its
//! beginning with another takes over that part's keys and values.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use candle_core::{Device, Tensor};

use crate::cache::KeyValueCache;
use crate::error::{ModelError, Result};
use crate::generation::{FinishReason, Generation, GenerationRequest, TokenLogprob};
use crate::model::Model;
use crate::ops::{self, Ops};
use crate::packed::Packed;
use crate::sampling::{self, Sampler};
use crate::stops::StopFilter;
use crate::tokenizer::TextStream;

/// A shared beginning shorter than this is computed anew.
const LEAST_SHARED: usize = 8;
/// A request waits where a row is about to compute at least this much more of its beginning.
const LEAST_AWAITED: usize = 16;

/// How many rows run together and how much of prompts goes into a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchOptions {
    /// Most rows that decode together; at least 1.
    pub rows: usize,
    /// Most tokens of one step; at least 1.
    pub step_tokens: usize,
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self { rows: 8, step_tokens: 512 }
    }
}

impl BatchOptions {
    /// This many rows at once.
    #[must_use]
    pub fn with_rows(self, rows: usize) -> Self {
        Self { rows: rows.max(1), ..self }
    }

    /// This many tokens a step.
    #[must_use]
    pub fn with_step_tokens(self, step_tokens: usize) -> Self {
        Self { step_tokens: step_tokens.max(1), ..self }
    }
}

/// Who is told about a request.
pub(crate) trait Sink {
    /// New text; a break cancels the request.
    fn text(&mut self, text: &str) -> ControlFlow<()>;
    /// Asked before each step.
    fn is_cancelled(&self) -> bool {
        false
    }
    fn finished(&mut self, result: Result<Generation>);
}

/// The batch and its queue.
pub(crate) struct Scheduler<'m, S> {
    model: &'m Model,
    options: BatchOptions,
    cache: KeyValueCache,
    slots: Vec<Slot<S>>,
    waiting: VecDeque<Job<S>>,
}

/// A row of the cache: the tokens it holds and who uses it.
struct Slot<S> {
    held: Vec<u32>,
    /// How many of them have keys and values; the rest is in the pass that is being put together.
    computed: usize,
    running: Option<Running<S>>,
}

struct Job<S> {
    tokens: Vec<u32>,
    request: GenerationRequest,
    sink: S,
}

struct Running<S> {
    /// Prompt, then what was drawn.
    tokens: Vec<u32>,
    prompt: usize,
    reused: usize,
    sampler: Sampler,
    bytes: TextStream,
    stops: StopFilter,
    text: String,
    logprobs: Option<Vec<TokenLogprob>>,
    top: usize,
    limit: usize,
    penalised: bool,
    sink: S,
}

impl<'m, S: Sink> Scheduler<'m, S> {
    pub(crate) fn new(model: &'m Model, options: BatchOptions) -> Self {
        let rows = options.rows.max(1);
        Self {
            model,
            options,
            cache: KeyValueCache::new(model.llama().config(), rows),
            slots: (0..rows).map(|_| Slot { held: Vec::new(), computed: 0, running: None }).collect(),
            waiting: VecDeque::new(),
        }
    }

    /// Queues a request; one that cannot run is answered at once.
    pub(crate) fn add(&mut self, request: GenerationRequest, mut sink: S) {
        match request.sampling.check().and_then(|()| self.model.prompt_tokens(&request.prompt)) {
            Ok(tokens) => self.waiting.push_back(Job { tokens, request, sink }),
            Err(error) => sink.finished(Err(error)),
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.slots.iter().all(|slot| slot.running.is_none())
    }

    /// One pass; does nothing where nothing waits. An error of the pass itself ends the rows that were in it.
    pub(crate) fn step(&mut self) {
        self.drop_cancelled();
        let packed = self.pack();
        if packed.tokens.is_empty() {
            return;
        }
        match self.compute(&packed) {
            Ok((rows, logits)) => {
                let vocabulary = self.model.llama().config().vocabulary;
                for (row, logits) in rows.into_iter().zip(logits.chunks_exact(vocabulary)) {
                    self.advance(row, logits);
                }
            }
            Err(error) => {
                let said = error.to_string();
                for segment in &packed.segments {
                    let failure = ModelError::Tensor(candle_core::Error::Msg(said.clone()));
                    self.end(segment.row, |_| Err(failure));
                    self.forget(segment.row);
                }
            }
        }
    }

    fn drop_cancelled(&mut self) {
        for row in 0..self.slots.len() {
            if self.slots[row].running.as_ref().is_some_and(|running| running.sink.is_cancelled()) {
                self.end(row, |_| Err(ModelError::Cancelled));
            }
        }
        for mut job in std::mem::take(&mut self.waiting) {
            if job.sink.is_cancelled() {
                job.sink.finished(Err(ModelError::Cancelled));
            } else {
                self.waiting.push_back(job);
            }
        }
    }

    /// The new tokens of this step: running rows first, then as many beginnings as there is room for.
    fn pack(&mut self) -> Packed {
        let mut packed = Packed::default();
        // Rows that decode come first, so that a long prompt never holds them up for more than one step.
        let mut order: Vec<usize> = (0..self.slots.len()).collect();
        order.sort_by_key(|row| self.pending(*row));
        for row in order {
            self.pack_row(&mut packed, row);
        }
        while packed.tokens.len() < self.options.step_tokens {
            let Some(row) = self.admit() else { break };
            self.pack_row(&mut packed, row);
        }
        packed
    }

    fn pending(&self, row: usize) -> usize {
        let slot = &self.slots[row];
        slot.running.as_ref().map_or(0, |running| running.tokens.len() - slot.held.len())
    }

    fn pack_row(&mut self, packed: &mut Packed, row: usize) {
        let room = self.options.step_tokens.saturating_sub(packed.tokens.len());
        let slot = &mut self.slots[row];
        let Some(running) = &slot.running else { return };
        let start = slot.held.len();
        let pending = running.tokens.len() - start;
        let taken = if pending == 1 { 1 } else { pending.min(room) };
        packed.push(row, start, &running.tokens[start..start + taken]);
        slot.held.extend_from_slice(&running.tokens[start..start + taken]);
    }

    /// Gives the next request a free row.
    fn admit(&mut self) -> Option<usize> {
        let free: Vec<usize> =
            (0..self.slots.len()).filter(|row| self.slots[*row].running.is_none()).collect();
        if free.is_empty() {
            return None;
        }
        let job = self.waiting.pop_front()?;
        // At least one token must be computed: its logits begin the answer.
        let wanted = &job.tokens[..job.tokens.len() - 1];
        let common = |tokens: &[u32]| tokens.iter().zip(wanted).take_while(|(a, b)| a == b).count();
        let shared = |row: usize| common(&self.slots[row].held[..self.slots[row].computed]);
        let awaited =
            self.slots.iter().filter_map(|slot| slot.running.as_ref()).map(|row| common(&row.tokens)).max();
        let (source, length) = (0..self.slots.len())
            .map(|row| (row, shared(row)))
            .max_by_key(|(row, length)| (*length, self.is_free(*row)))?;
        if awaited.is_some_and(|awaited| awaited >= length + LEAST_AWAITED) {
            self.waiting.push_front(job);
            return None;
        }
        let (row, reused) = if length < LEAST_SHARED {
            (free.into_iter().min_by_key(|row| self.slots[*row].held.len())?, 0)
        } else if self.is_free(source) {
            (source, length)
        } else {
            (free.into_iter().min_by_key(|row| self.slots[*row].held.len())?, length)
        };
        if reused > 0 {
            self.cache.copy(source, row, reused);
        } else {
            self.cache.truncate(row, 0);
        }
        let context = self.model.info().context;
        let request = job.request;
        let slot = &mut self.slots[row];
        slot.held.clear();
        slot.held.extend_from_slice(&job.tokens[..reused]);
        slot.computed = reused;
        slot.running = Some(Running {
            prompt: job.tokens.len(),
            reused,
            limit: context
                .min(request.max_tokens.map_or(context, |most| job.tokens.len().saturating_add(most))),
            penalised: request.sampling.penalises(),
            sampler: Sampler::new(request.sampling),
            bytes: TextStream::default(),
            stops: StopFilter::new(&request.stop),
            text: String::new(),
            logprobs: request.top_logprobs.map(|_| Vec::new()),
            top: request.top_logprobs.unwrap_or(0),
            tokens: job.tokens,
            sink: job.sink,
        });
        Some(row)
    }

    fn is_free(&self, row: usize) -> bool {
        self.slots[row].running.is_none()
    }

    /// Logits of the rows whose last known token was in the pass.
    fn compute(&mut self, packed: &Packed) -> Result<(Vec<usize>, Vec<f32>)> {
        let (llama, cache) = (self.model.llama(), &mut self.cache);
        // In a thread of the pool, parallel loops start without a hand-over.
        let hidden = rayon::scope(|_| llama.hidden(packed, cache))?;
        for segment in &packed.segments {
            self.slots[segment.row].computed = segment.position + segment.length;
        }
        let (rows, places): (Vec<usize>, Vec<u32>) = packed
            .segments
            .iter()
            .zip(packed.last())
            .filter(|(segment, _)| self.pending(segment.row) == 0)
            .map(|(segment, place)| (segment.row, place))
            .unzip();
        if rows.is_empty() {
            return Ok((rows, Vec::new()));
        }
        let index = Tensor::new(places, &Device::Cpu)?;
        let logits = llama.head(Ops::Fused, &hidden.index_select(&index, 0)?)?;
        Ok((rows, ops::slice_of(&logits, <[f32]>::to_vec)?))
    }

    /// Draws the next token of a row and ends the row where that is due.
    fn advance(&mut self, row: usize, logits: &[f32]) {
        let tokenizer = self.model.tokenizer();
        let Some(running) = &mut self.slots[row].running else { return };
        if running.tokens.len() >= running.limit {
            // Nothing may be drawn: `max_tokens` was 0.
            self.end(row, |_| Ok(FinishReason::Length));
            return;
        }
        let seen: &[u32] = if running.penalised { &running.tokens } else { &[] };
        let token = running.sampler.draw(logits, seen);
        if let Some(logprobs) = &mut running.logprobs {
            let total = sampling::log_sum_exp(logits);
            let own = logits.get(token as usize).map_or(f64::NEG_INFINITY, |logit| f64::from(*logit) - total);
            let top = sampling::most_probable(logits, total, running.top);
            let top = top
                .into_iter()
                .map(|(token, logprob)| (token, tokenizer.token_text(token), logprob))
                .collect();
            logprobs.push(TokenLogprob { token, text: tokenizer.token_text(token), logprob: own, top });
        }
        running.tokens.push(token);
        if tokenizer.is_end(token) {
            self.end(row, |_| Ok(FinishReason::End));
            return;
        }
        let text = running.bytes.push(tokenizer.text_bytes(token));
        let (sure, stop) = running.stops.push(&text);
        running.text.push_str(&sure);
        let cancelled = !sure.is_empty() && running.sink.text(&sure).is_break();
        if cancelled {
            self.end(row, |_| Err(ModelError::Cancelled));
        } else if let Some(text) = stop {
            self.end(row, |_| Ok(FinishReason::Stop { text }));
        } else if running.tokens.len() >= running.limit {
            let context = self.model.info().context;
            self.end(row, |length| {
                Ok(if length >= context { FinishReason::Context } else { FinishReason::Length })
            });
        }
    }

    /// Ends a row; its keys and values stay for a successor that begins alike.
    fn end(&mut self, row: usize, finish: impl FnOnce(usize) -> Result<FinishReason>) {
        let Some(mut running) = self.slots[row].running.take() else { return };
        let result = finish(running.tokens.len()).map(|finish| {
            if !matches!(finish, FinishReason::Stop { .. }) {
                let rest = running.bytes.finish();
                let (mut tail, stop) = running.stops.push(&rest);
                if stop.is_none() {
                    tail.push_str(&running.stops.finish());
                }
                if !tail.is_empty() {
                    running.text.push_str(&tail);
                    // The request is done: whether the listener wants more is no longer of use.
                    let _ = running.sink.text(&tail);
                }
            }
            Generation {
                text: running.text,
                tokens: running.tokens.split_off(running.prompt),
                logprobs: running.logprobs,
                finish,
                prompt_tokens: running.prompt,
                reused_tokens: running.reused,
            }
        });
        running.sink.finished(result);
    }

    fn forget(&mut self, row: usize) {
        self.slots[row].held.clear();
        self.slots[row].computed = 0;
        self.cache.truncate(row, 0);
    }
}
