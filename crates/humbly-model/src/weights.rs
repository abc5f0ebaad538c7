//! Weights from the tensors of a GGUF file.

use std::collections::BTreeSet;
use std::io::{Read, Seek};

use candle_core::{Device, Tensor};

use crate::config::Config;
use crate::error::{ModelError, Result};
use crate::gguf::{self, Header, TensorEntry};
use crate::linear::Linear;
use crate::llama::{Layer, Weights};

/// Reads every tensor that the architecture has, and refuses a file with others.
pub(crate) fn read<R: Read + Seek>(source: &mut R, header: &Header, config: &Config) -> Result<Weights> {
    let mut loader = Loader { source, header, used: BTreeSet::new() };
    let Config { hidden, feed_forward, heads, key_heads, head_width, vocabulary, .. } = *config;
    let embedding = loader.linear("token_embd.weight", vocabulary, hidden)?;
    let mut layers = Vec::new();
    for index in 0..config.layers {
        let name = |part: &str| format!("blk.{index}.{part}.weight");
        layers.push(Layer {
            attention_norm: loader.vector(&name("attn_norm"), hidden)?,
            query: loader.linear(&name("attn_q"), heads * head_width, hidden)?,
            key: loader.linear(&name("attn_k"), key_heads * head_width, hidden)?,
            value: loader.linear(&name("attn_v"), key_heads * head_width, hidden)?,
            attention_output: loader.linear(&name("attn_output"), hidden, heads * head_width)?,
            feed_forward_norm: loader.vector(&name("ffn_norm"), hidden)?,
            gate: loader.linear(&name("ffn_gate"), feed_forward, hidden)?,
            up: loader.linear(&name("ffn_up"), feed_forward, hidden)?,
            down: loader.linear(&name("ffn_down"), hidden, feed_forward)?,
        });
    }
    let output_norm = loader.vector("output_norm.weight", hidden)?;
    let output = if config.tied_embeddings {
        None
    } else {
        Some(loader.linear("output.weight", vocabulary, hidden)?)
    };
    let rope_factors = if header.tensors.contains_key("rope_freqs.weight") {
        Some(loader.vector("rope_freqs.weight", head_width / 2)?.to_vec1::<f32>()?)
    } else {
        None
    };
    loader.refuse_others()?;
    Ok(Weights { embedding, layers, output_norm, output, rope_factors })
}

struct Loader<'a, R> {
    source: &'a mut R,
    header: &'a Header,
    used: BTreeSet<String>,
}

impl<'a, R: Read + Seek> Loader<'a, R> {
    fn entry(&mut self, name: &str, expected: &[usize]) -> Result<&'a TensorEntry> {
        let entry = self.header.tensors.get(name);
        let entry = entry.ok_or_else(|| ModelError::MissingTensor { tensor: name.to_owned() })?;
        if entry.shape != expected {
            return Err(ModelError::Shape {
                tensor: name.to_owned(),
                found: entry.shape.clone(),
                expected: expected.to_vec(),
            });
        }
        self.used.insert(name.to_owned());
        Ok(entry)
    }

    fn linear(&mut self, name: &str, outputs: usize, inputs: usize) -> Result<Linear> {
        let entry = self.entry(name, &[outputs, inputs])?;
        let bytes = gguf::read_tensor(self.source, name, entry)?;
        Linear::from_blocks(entry.format, bytes, outputs, inputs)
    }

    fn vector(&mut self, name: &str, length: usize) -> Result<Tensor> {
        let entry = self.entry(name, &[length])?;
        let bytes = gguf::read_tensor(self.source, name, entry)?;
        let mut values = vec![0.0; length];
        if !entry.format.has_rows() {
            return entry.format.dense(&bytes, &[length]);
        }
        entry.format.row(&bytes, &mut values);
        Ok(Tensor::from_vec(values, length, &Device::Cpu)?)
    }

    fn refuse_others(&self) -> Result<()> {
        match self.header.tensors.keys().find(|name| !self.used.contains(*name)) {
            Some(name) => Err(ModelError::Unsupported { what: format!("tensor `{name}`") }),
            None => Ok(()),
        }
    }
}
