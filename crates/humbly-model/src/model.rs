//! A loaded model and what can be asked of it directly.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use candle_core::Tensor;

use crate::cache::KeyValueCache;
use crate::config::Config;
use crate::error::{ModelError, Result};
use crate::generation::{Event, Generation, GenerationRequest, Prompt};
use crate::gguf::{Header, TensorEntry};
use crate::llama::Llama;
use crate::ops::{self, Ops};
use crate::packed::{self, Packed};
use crate::sampling;
use crate::scheduler::{BatchOptions, Scheduler, Sink};
use crate::template::{Chat, ChatTemplate};
use crate::tokenizer::Tokenizer;
use crate::weights;

/// Hidden states whose logits are held at once while continuations are scored.
const SCORED_TOGETHER: usize = 64;

/// What a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelInfo {
    /// Its name in the file.
    pub name: String,
    /// Its architecture.
    pub architecture: String,
    /// Number of weights.
    pub parameters: usize,
    /// Most tokens of a sequence.
    pub context: usize,
    /// The block format that holds the most weights.
    pub quantisation: String,
    /// Whether a chat template came with it.
    pub has_chat_template: bool,
    /// Whether that template mentions tools.
    pub knows_tools: bool,
}

/// A language model in memory. Clones share the weights.
///
/// # Examples
/// ```no_run
/// use humbly_model::{BatchOptions, GenerationRequest, Message, Model};
/// let model = Model::load("SmolLM2-135M-Instruct.Q4_1.gguf")?;
/// let request = GenerationRequest::chat(vec![Message::new("user", "Name a prime.")]).with_max_tokens(16);
/// let results = model.generate_batch(vec![request], BatchOptions::default(), &mut |_| ());
/// # Ok::<(), humbly_model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    parts: Arc<Parts>,
}

#[derive(Debug)]
struct Parts {
    llama: Llama,
    tokenizer: Tokenizer,
    template: Option<ChatTemplate>,
    info: ModelInfo,
}

impl Model {
    /// Loads a GGUF file of the llama family.
    ///
    /// # Errors
    /// [`ModelError::Load`], whose cause tells a file that is cut short, not GGUF, of another
    /// architecture, in an unknown block format or without a tensor that is needed.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let open = || File::open(path).map_err(|error| ModelError::io("opening the file", error));
        open()
            .and_then(|file| Self::from_reader(&mut BufReader::new(file)))
            .map_err(|error| ModelError::Load { path: path.to_owned(), source: Box::new(error) })
    }

    /// Loads the bytes of a GGUF file.
    ///
    /// # Errors
    /// The causes of [`Self::load`]'s.
    pub fn from_reader<R: Read + Seek>(source: &mut R) -> Result<Self> {
        let header = Header::read(source)?;
        let config = Config::from_header(&header)?;
        let tokenizer = Tokenizer::from_header(&header)?;
        let template = if header.entries.contains_key("tokenizer.chat_template") {
            Some(ChatTemplate::parse(header.text("tokenizer.chat_template")?)?)
        } else {
            None
        };
        let weights = weights::read(source, &header, &config)?;
        let info = ModelInfo {
            name: header.text("general.name").unwrap_or("unnamed").to_owned(),
            architecture: header.text("general.architecture")?.to_owned(),
            parameters: header.tensors.values().map(TensorEntry::values).sum(),
            context: config.context,
            quantisation: main_format(&header),
            has_chat_template: template.is_some(),
            knows_tools: template.as_ref().is_some_and(|template| template.knows_tools),
        };
        let llama = Llama::new(config, weights);
        Ok(Self { parts: Arc::new(Parts { llama, tokenizer, template, info }) })
    }

    /// What it is.
    pub fn info(&self) -> &ModelInfo {
        &self.parts.info
    }

    /// Its tokeniser.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.parts.tokenizer
    }

    /// Its network, for training and for tests.
    pub fn llama(&self) -> &Llama {
        &self.parts.llama
    }

    /// Tokens of a prompt.
    ///
    /// # Errors
    /// [`ModelError::NoChatTemplate`], [`ModelError::ChatTemplate`], [`ModelError::Tokenizing`],
    /// [`ModelError::EmptyPrompt`], [`ModelError::UnknownToken`]; [`ModelError::PromptTooLong`] where
    /// the context leaves no room for a token more.
    pub fn prompt_tokens(&self, prompt: &Prompt) -> Result<Vec<u32>> {
        let tokens = match prompt {
            Prompt::Tokens(tokens) => tokens.clone(),
            Prompt::Text(text) => {
                let begin = self.tokenizer().begin_token();
                begin.into_iter().chain(self.tokenizer().encode(text)?).collect()
            }
            Prompt::Chat(chat) => self.chat_tokens(chat)?,
        };
        if tokens.is_empty() {
            return Err(ModelError::EmptyPrompt);
        }
        packed::known(&tokens, self.llama().config().vocabulary)?;
        let context = self.info().context;
        if tokens.len() >= context {
            return Err(ModelError::PromptTooLong { tokens: tokens.len(), context });
        }
        Ok(tokens)
    }

    fn chat_tokens(&self, chat: &Chat) -> Result<Vec<u32>> {
        let template = self.parts.template.as_ref().ok_or(ModelError::NoChatTemplate)?;
        template.tokens(chat, self.tokenizer())
    }

    /// Runs requests together; results stand in the order of the requests, each with its own error.
    ///
    /// A row's result does not depend on the other rows: its logits agree to about `1e-4` whatever runs
    /// beside it, and the draws come from its own seed.
    pub fn generate_batch(
        &self,
        requests: Vec<GenerationRequest>,
        options: BatchOptions,
        listener: &mut dyn FnMut(Event<'_>),
    ) -> Vec<Result<Generation>> {
        let shared = RefCell::new(Collected { listener, results: requests.iter().map(|_| None).collect() });
        let shared = Rc::new(shared);
        let mut scheduler = Scheduler::new(self, options);
        for (row, request) in requests.into_iter().enumerate() {
            scheduler.add(request, Row { row, shared: Rc::clone(&shared) });
        }
        while !scheduler.is_idle() {
            scheduler.step();
        }
        drop(scheduler);
        let results = std::mem::take(&mut shared.borrow_mut().results);
        results.into_iter().map(|result| result.unwrap_or(Err(ModelError::EngineStopped))).collect()
    }

    /// Logits of every position of several sequences in one batch: `[length · vocabulary]` values a sequence.
    ///
    /// # Errors
    /// As [`Llama::logits`].
    pub fn logits(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let logits = self.llama().logits(sequences, Ops::Fused)?;
        logits.iter().map(|logits| ops::slice_of(logits, <[f32]>::to_vec)).collect()
    }

    /// Log-probability of each continuation after a prompt: the sum over its tokens, natural logarithm.
    ///
    /// Prompt and continuation are tokenised apart, so that all continuations follow the same tokens.
    /// The prompt is computed once. Sums of continuations of different length are no fair comparison;
    /// divide by [`Tokenizer::encode`]'s length where that is wanted.
    ///
    /// # Errors
    /// As [`Self::prompt_tokens`]; [`ModelError::EmptyPrompt`] also for a continuation without tokens.
    pub fn score_continuations(&self, prompt: &Prompt, continuations: &[String]) -> Result<Vec<f64>> {
        let prompt = self.prompt_tokens(prompt)?;
        let llama = self.llama();
        let context = self.info().context;
        let mut cache = KeyValueCache::new(llama.config(), 2);
        let mut packed = Packed::default();
        packed.push(0, 0, &prompt);
        let hidden = llama.hidden(&packed, &mut cache)?;
        let last = hidden.narrow(0, prompt.len() - 1, 1)?;
        let mut scores = Vec::with_capacity(continuations.len());
        for continuation in continuations {
            let tokens = self.tokenizer().encode(continuation)?;
            let (Some(length), false) = (tokens.len().checked_sub(1), tokens.is_empty()) else {
                return Err(ModelError::EmptyPrompt);
            };
            if prompt.len() + tokens.len() > context {
                return Err(ModelError::PromptTooLong { tokens: prompt.len() + tokens.len(), context });
            }
            cache.copy(0, 1, prompt.len());
            let mut packed = Packed::default();
            packed.push(1, prompt.len(), &tokens[..length]);
            let hidden = if length == 0 {
                last.clone()
            } else {
                Tensor::cat(&[&last, &llama.hidden(&packed, &mut cache)?], 0)?
            };
            scores.push(self.score(&hidden, &tokens)?);
        }
        Ok(scores)
    }

    /// Sum of the log-probabilities of `tokens`, each under the hidden state in its place.
    fn score(&self, hidden: &Tensor, tokens: &[u32]) -> Result<f64> {
        let vocabulary = self.llama().config().vocabulary;
        let mut score = 0.0;
        for (index, tokens) in tokens.chunks(SCORED_TOGETHER).enumerate() {
            let part = hidden.narrow(0, index * SCORED_TOGETHER, tokens.len())?;
            let logits = self.llama().head(Ops::Fused, &part)?;
            score += ops::slice_of(&logits, |logits| {
                logits
                    .chunks_exact(vocabulary)
                    .zip(tokens)
                    .map(|(logits, token)| f64::from(logits[*token as usize]) - sampling::log_sum_exp(logits))
                    .sum::<f64>()
            })?;
        }
        Ok(score)
    }

    /// Makes the f32 copies of all matrices now, so that the first prompt does not wait for them.
    ///
    /// # Errors
    /// [`ModelError::Tensor`] where there is no memory for them.
    pub fn warm_up(&self) -> Result<()> {
        let tokens = vec![0; crate::linear::FEW_ROWS + 1];
        self.llama().logits(&[tokens], Ops::Fused)?;
        Ok(())
    }
}

/// Name of the format that holds the most values.
fn main_format(header: &Header) -> String {
    let mut totals: Vec<(&'static str, usize)> = Vec::new();
    for entry in header.tensors.values() {
        let name = entry.format.name();
        match totals.iter_mut().find(|(known, _)| *known == name) {
            Some((_, total)) => *total += entry.values(),
            None => totals.push((name, entry.values())),
        }
    }
    totals.into_iter().max_by_key(|(_, total)| *total).map_or_else(String::new, |(name, _)| name.to_owned())
}

struct Collected<'a> {
    listener: &'a mut dyn FnMut(Event<'_>),
    results: Vec<Option<Result<Generation>>>,
}

struct Row<'a> {
    row: usize,
    shared: Rc<RefCell<Collected<'a>>>,
}

impl Sink for Row<'_> {
    fn text(&mut self, text: &str) -> ControlFlow<()> {
        (self.shared.borrow_mut().listener)(Event::Text { row: self.row, text });
        ControlFlow::Continue(())
    }

    fn finished(&mut self, result: Result<Generation>) {
        let mut shared = self.shared.borrow_mut();
        (shared.listener)(Event::Finished { row: self.row, result: &result });
        if let Some(place) = shared.results.get_mut(self.row) {
            *place = Some(result);
        }
    }
}
