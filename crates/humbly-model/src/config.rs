//! The numbers of a llama-family model, from the header of its file.

use crate::error::{ModelError, Result};
use crate::gguf::{Header, Value};

/// Sizes and constants of a llama-family model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// Number of layers.
    pub layers: usize,
    /// Width of the hidden state.
    pub hidden: usize,
    /// Width of the gated feed-forward part.
    pub feed_forward: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; a divisor of `heads`.
    pub key_heads: usize,
    /// Width of a head; even.
    pub head_width: usize,
    /// Number of tokens in the vocabulary.
    pub vocabulary: usize,
    /// Most tokens of a sequence.
    pub context: usize,
    /// Base of the rotary angles.
    pub rope_base: f32,
    /// Added to the mean square before its root.
    pub norm_epsilon: f32,
    /// Whether the output matrix is the embedding matrix.
    pub tied_embeddings: bool,
}

impl Config {
    pub(crate) fn from_header(header: &Header) -> Result<Self> {
        let architecture = header.text("general.architecture")?;
        if architecture != "llama" {
            return Err(ModelError::Architecture { found: architecture.to_owned() });
        }
        refuse_variants(header)?;
        let hidden = positive(header, "llama.embedding_length")?;
        let heads = positive(header, "llama.attention.head_count")?;
        let key_heads = match header.optional_size("llama.attention.head_count_kv")? {
            None => heads,
            Some(_) => positive(header, "llama.attention.head_count_kv")?,
        };
        let head_width = match header.optional_size("llama.attention.key_length")? {
            None => hidden / heads,
            Some(width) => width,
        };
        let consistent = heads % key_heads == 0
            && head_width > 0
            && head_width % 2 == 0
            && head_width <= 1 << 12
            && heads <= 1 << 12
            && header.optional_size("llama.attention.value_length")?.is_none_or(|width| width == head_width);
        if !consistent {
            return Err(ModelError::Malformed {
                what: format!(
                    "{heads} query heads, {key_heads} key heads and head width {head_width} do not fit"
                ),
            });
        }
        if header.optional_size("llama.rope.dimension_count")?.is_some_and(|width| width != head_width) {
            return Err(ModelError::Unsupported { what: "rotary angles on a part of each head".to_owned() });
        }
        let vocabulary = header.array("tokenizer.ggml.tokens")?.len();
        Ok(Self {
            layers: positive(header, "llama.block_count")?,
            hidden,
            feed_forward: positive(header, "llama.feed_forward_length")?,
            heads,
            key_heads,
            head_width,
            vocabulary,
            context: positive(header, "llama.context_length")?,
            rope_base: positive_float(header, "llama.rope.freq_base", Some(10_000.0))?,
            norm_epsilon: positive_float(header, "llama.attention.layer_norm_rms_epsilon", None)?,
            tied_embeddings: !header.tensors.contains_key("output.weight"),
        })
    }
}

fn refuse_variants(header: &Header) -> Result<()> {
    if let Some(value) = header.entries.get("llama.rope.scaling.type") {
        match value {
            Value::Text(kind) if kind == "none" => {}
            Value::Text(kind) => {
                return Err(ModelError::Unsupported { what: format!("rotary scaling `{kind}`") });
            }
            _ => {
                return Err(ModelError::Metadata {
                    key: "llama.rope.scaling.type".to_owned(),
                    expected: "a text",
                });
            }
        }
    }
    if header.optional_float("llama.rope.scale_linear")?.is_some_and(|scale| (scale - 1.0).abs() > 0.0) {
        return Err(ModelError::Unsupported { what: "linear rotary scaling".to_owned() });
    }
    if header.optional_size("llama.expert_count")?.is_some_and(|experts| experts > 0) {
        return Err(ModelError::Unsupported { what: "a mixture of experts".to_owned() });
    }
    if header.optional_size("llama.attention.sliding_window")?.is_some_and(|window| window > 0) {
        return Err(ModelError::Unsupported { what: "sliding-window attention".to_owned() });
    }
    Ok(())
}

fn positive(header: &Header, key: &str) -> Result<usize> {
    let value = header.size(key)?;
    if value == 0 || value > 1 << 30 {
        return Err(ModelError::Metadata { key: key.to_owned(), expected: "a whole number from 1 to 2^30" });
    }
    Ok(value)
}

#[expect(clippy::cast_possible_truncation, reason = "the file holds f32")]
fn positive_float(header: &Header, key: &str, default: Option<f32>) -> Result<f32> {
    match (header.optional_float(key)?, default) {
        (Some(value), _) if value > 0.0 => Ok(value as f32),
        (None, Some(default)) => Ok(default),
        _ => Err(ModelError::Metadata { key: key.to_owned(), expected: "a positive number" }),
    }
}
