//! The forward pass of the llama family, one for inference and training.

use candle_core::{D, Device, Tensor};

use crate::cache::KeyValueCache;
use crate::config::Config;
use crate::error::Result;
use crate::linear::Linear;
use crate::ops::{self, Ops};
use crate::packed::{Packed, Rectangle};

/// Weights of one layer.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names are those of the architecture")]
pub struct Layer {
    pub attention_norm: Tensor,
    pub query: Linear,
    pub key: Linear,
    pub value: Linear,
    pub attention_output: Linear,
    pub feed_forward_norm: Tensor,
    pub gate: Linear,
    pub up: Linear,
    pub down: Linear,
}

/// All weights of a model, in block format, as f32 tensors or as candle `Var`s.
#[derive(Debug, Clone)]
pub struct Weights {
    /// Embeddings `[vocabulary, hidden]`; the output matrix too where embeddings are tied.
    pub embedding: Linear,
    /// The layers from the bottom up.
    pub layers: Vec<Layer>,
    /// Weight of the last normalisation.
    pub output_norm: Tensor,
    /// Output matrix, where it is not the embedding matrix.
    pub output: Option<Linear>,
    /// Divisors of the rotary frequencies, `head_width / 2` of them, where the file has them.
    pub rope_factors: Option<Vec<f32>>,
}

/// What a pass looks back at.
enum Past<'a> {
    /// The cache, to which the new tokens are added.
    Cache(&'a mut KeyValueCache),
    /// Nothing: every row starts at its first token.
    None(Rectangle),
}

/// A llama-family network: sizes and weights.
#[derive(Debug, Clone)]
pub struct Llama {
    config: Config,
    weights: Weights,
    frequencies: Vec<f32>,
}

impl Llama {
    /// A network from its sizes and weights.
    pub fn new(config: Config, weights: Weights) -> Self {
        let pairs = config.head_width / 2;
        let frequencies = (0..pairs)
            .map(|pair| {
                let exponent = -2.0 * pair as f32 / config.head_width as f32;
                let factor = weights
                    .rope_factors
                    .as_ref()
                    .and_then(|factors| factors.get(pair))
                    .copied()
                    .unwrap_or(1.0);
                config.rope_base.powf(exponent) / factor
            })
            .collect();
        Self { config, weights, frequencies }
    }

    /// Its sizes.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Its weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Logits of every position of every sequence, with gradients to weights that are `Var`s.
    ///
    /// # Shapes and units
    /// Returns one tensor `[length, vocabulary]` a sequence, natural-log units before normalisation.
    ///
    /// # Errors
    /// [`ModelError::EmptyPrompt`](crate::ModelError::EmptyPrompt),
    /// [`ModelError::PromptTooLong`](crate::ModelError::PromptTooLong),
    /// [`ModelError::UnknownToken`](crate::ModelError::UnknownToken) for a sequence that does not fit.
    pub fn logits(&self, sequences: &[impl AsRef<[u32]>], ops: Ops) -> Result<Vec<Tensor>> {
        let packed = Packed::sequences(sequences, self.config.vocabulary, self.config.context)?;
        let hidden = match ops {
            Ops::Differentiable => self.pass(&packed, ops, Past::None(Rectangle::around(&packed)?))?,
            Ops::Fused => {
                self.hidden(&packed, &mut KeyValueCache::new(&self.config, packed.segments.len()))?
            }
        };
        let logits = self.head(ops, &hidden)?;
        packed.segments.iter().map(|segment| Ok(logits.narrow(0, segment.start, segment.length)?)).collect()
    }

    /// Hidden states `[tokens, hidden]` after the last normalisation; the cache grows by the new tokens.
    pub(crate) fn hidden(&self, packed: &Packed, cache: &mut KeyValueCache) -> Result<Tensor> {
        self.pass(packed, Ops::Fused, Past::Cache(cache))
    }

    /// Logits `[rows, vocabulary]` of hidden states.
    pub(crate) fn head(&self, ops: Ops, hidden: &Tensor) -> Result<Tensor> {
        self.weights.output.as_ref().unwrap_or(&self.weights.embedding).forward(ops, hidden)
    }

    fn pass(&self, packed: &Packed, ops: Ops, mut past: Past<'_>) -> Result<Tensor> {
        let epsilon = self.config.norm_epsilon;
        let (cosines, sines) = self.angles(packed)?;
        let mut x = self.weights.embedding.rows(ops, &packed.tokens)?;
        for (index, layer) in self.weights.layers.iter().enumerate() {
            let normed = ops::rms_norm(ops, &x, &layer.attention_norm, epsilon)?;
            let [queries, keys, values] =
                Linear::forward_all(ops, [&layer.query, &layer.key, &layer.value], &normed)?;
            let queries = ops::rotate(ops, &queries, &cosines, &sines, self.config.heads)?;
            let keys = ops::rotate(ops, &keys, &cosines, &sines, self.config.key_heads)?;
            let mixed = match &mut past {
                Past::Cache(cache) => cached(cache, index, packed, &queries, &keys, &values)?,
                Past::None(rectangle) => self.padded(rectangle, &queries, &keys, &values)?,
            };
            x = (x + layer.attention_output.forward(ops, &mixed)?)?;
            let normed = ops::rms_norm(ops, &x, &layer.feed_forward_norm, epsilon)?;
            let [gate, up] = Linear::forward_all(ops, [&layer.gate, &layer.up], &normed)?;
            let inner = ops::swiglu(ops, &gate, &up)?;
            x = (x + layer.down.forward(ops, &inner)?)?;
        }
        ops::rms_norm(ops, &x, &self.weights.output_norm, epsilon)
    }

    /// Cosines and sines `[tokens, head_width / 2]` of the tokens' positions.
    fn angles(&self, packed: &Packed) -> Result<(Tensor, Tensor)> {
        let shape = (packed.tokens.len(), self.frequencies.len());
        let (cosines, sines): (Vec<f32>, Vec<f32>) = packed
            .positions()
            .flat_map(|position| self.frequencies.iter().map(move |frequency| position as f32 * frequency))
            .map(|angle| (angle.cos(), angle.sin()))
            .unzip();
        Ok((Tensor::from_vec(cosines, shape, &Device::Cpu)?, Tensor::from_vec(sines, shape, &Device::Cpu)?))
    }

    /// Attention over rows that are padded on the right, made of operations with gradients.
    fn padded(
        &self,
        rectangle: &Rectangle,
        queries: &Tensor,
        keys: &Tensor,
        values: &Tensor,
    ) -> Result<Tensor> {
        let Config { heads, key_heads, head_width, .. } = self.config;
        let (rows, length) = (rectangle.rows, rectangle.length);
        let spread = |x: &Tensor, heads: usize| -> Result<Tensor> {
            let padded = x.index_select(&rectangle.sources, 0)?;
            Ok(padded.reshape((rows, length, heads, head_width))?.transpose(1, 2)?.contiguous()?)
        };
        let repeat = |x: Tensor| -> Result<Tensor> {
            let shape = (rows, key_heads, heads / key_heads, length, head_width);
            Ok(x.unsqueeze(2)?
                .broadcast_as(shape)?
                .contiguous()?
                .reshape((rows, heads, length, head_width))?)
        };
        let queries = spread(queries, heads)?;
        let keys = repeat(spread(keys, key_heads)?)?;
        let values = repeat(spread(values, key_heads)?)?;
        let scale = (head_width as f64).sqrt().recip();
        let scores = (queries.matmul(&keys.transpose(D::Minus2, D::Minus1)?.contiguous()?)? * scale)?;
        let shares = ops::softmax(&scores.broadcast_add(&rectangle.mask)?)?;
        let mixed = shares.matmul(&values)?.transpose(1, 2)?.contiguous()?;
        Ok(mixed.reshape((rows * length, heads * head_width))?.index_select(&rectangle.cells, 0)?)
    }
}

fn cached(
    cache: &mut KeyValueCache,
    layer: usize,
    packed: &Packed,
    queries: &Tensor,
    keys: &Tensor,
    values: &Tensor,
) -> Result<Tensor> {
    let mixed = ops::slice_of(queries, |queries| {
        ops::slice_of(keys, |keys| {
            ops::slice_of(values, |values| cache.attend(layer, packed, queries, keys, values))
        })
    })???;
    Ok(Tensor::from_vec(mixed, queries.shape(), &Device::Cpu)?)
}
