//! A matrix of weights, with the product chosen for each call.

use std::sync::{Arc, OnceLock};

use candle_core::{Device, Tensor};

use crate::error::Result;
use crate::kernel::{self, Blocks};
use crate::ops::{self, Ops};
use crate::quantisation::Format;

/// Up to this many rows the block format is read, beyond it the f32 copy.
///
/// Measured on two cores with 512-bit vectors (`examples/speed.rs`).
pub(crate) const FEW_ROWS: usize = 16;

/// Weights `[outputs, inputs]` of `x · wᵀ`.
///
/// Loaded weights stay in the block format of the file, which is what decoding a
/// few rows is bound by. The first prompt or large batch makes an f32 copy and
/// keeps it: for a model of 135 million parameters both together are 0.6 GB.
/// Weights for training are one f32 tensor, which may be a candle `Var`.
#[derive(Debug, Clone)]
pub struct Linear {
    outputs: usize,
    inputs: usize,
    store: Store,
}

#[derive(Debug, Clone)]
enum Store {
    Blocks(Arc<Stored>),
    Dense(Tensor),
}

#[derive(Debug)]
struct Stored {
    format: Format,
    bytes: Vec<u8>,
    dense: OnceLock<Tensor>,
}

impl Linear {
    /// Weights from an f32 tensor `[outputs, inputs]`.
    ///
    /// # Errors
    /// [`ModelError::Tensor`](crate::ModelError::Tensor) where `weights` is not a matrix.
    pub fn dense(weights: Tensor) -> Result<Self> {
        let (outputs, inputs) = weights.dims2()?;
        Ok(Self { outputs, inputs, store: Store::Dense(weights) })
    }

    pub(crate) fn from_blocks(format: Format, bytes: Vec<u8>, outputs: usize, inputs: usize) -> Result<Self> {
        if !format.has_rows() {
            return Self::dense(format.dense(&bytes, &[outputs, inputs])?);
        }
        let stored = Stored { format, bytes, dense: OnceLock::new() };
        Ok(Self { outputs, inputs, store: Store::Blocks(Arc::new(stored)) })
    }

    /// The weights as an f32 tensor `[outputs, inputs]`; made on the first call and kept.
    ///
    /// # Errors
    /// [`ModelError::Tensor`](crate::ModelError::Tensor) where there is no memory for it.
    pub fn to_dense(&self) -> Result<Tensor> {
        match &self.store {
            Store::Dense(weights) => Ok(weights.clone()),
            Store::Blocks(stored) => {
                if let Some(weights) = stored.dense.get() {
                    return Ok(weights.clone());
                }
                let weights = stored.format.dense(&stored.bytes, &[self.outputs, self.inputs])?;
                Ok(stored.dense.get_or_init(|| weights).clone())
            }
        }
    }

    /// Number of weights.
    pub fn parameters(&self) -> usize {
        self.outputs * self.inputs
    }

    pub(crate) fn blocks(&self) -> Option<Blocks<'_>> {
        match &self.store {
            Store::Dense(_) => None,
            Store::Blocks(stored) => Some(Blocks {
                format: stored.format,
                bytes: &stored.bytes,
                outputs: self.outputs,
                columns: self.inputs,
            }),
        }
    }

    /// `x · wᵀ` of several matrices with one input `[rows, inputs]`.
    pub(crate) fn forward_all<const N: usize>(
        ops: Ops,
        layers: [&Self; N],
        x: &Tensor,
    ) -> Result<[Tensor; N]> {
        let rows = x.dim(0)?;
        let blocks: Vec<Blocks<'_>> = layers.iter().filter_map(|layer| layer.blocks()).collect();
        let mut results = Vec::with_capacity(N);
        if ops == Ops::Fused && rows <= few_rows() && blocks.len() == N {
            let products = ops::slice_of(x, |x| kernel::multiply(&blocks, x, rows))?;
            for (values, layer) in products.into_iter().zip(layers) {
                results.push(Tensor::from_vec(values, (rows, layer.outputs), &Device::Cpu)?);
            }
        } else {
            for layer in layers {
                results.push(x.matmul(&layer.to_dense()?.t()?)?);
            }
        }
        let length = results.len();
        results.try_into().map_err(|_| ops::broken(format!("{length} products of {N} matrices")))
    }

    pub(crate) fn forward(&self, ops: Ops, x: &Tensor) -> Result<Tensor> {
        let [result] = Self::forward_all(ops, [self], x)?;
        Ok(result)
    }

    /// Rows of the matrix, for embeddings; the result is `[tokens, inputs]`.
    pub(crate) fn rows(&self, ops: Ops, tokens: &[u32]) -> Result<Tensor> {
        if let (Ops::Fused, Some(blocks)) = (ops, self.blocks()) {
            let mut values = vec![0.0; tokens.len() * self.inputs];
            for (token, values) in tokens.iter().zip(values.chunks_exact_mut(self.inputs)) {
                let row = blocks.row(*token as usize);
                blocks.format.row(row, values);
            }
            return Ok(Tensor::from_vec(values, (tokens.len(), self.inputs), &Device::Cpu)?);
        }
        let index = Tensor::new(tokens, &Device::Cpu)?;
        Ok(self.to_dense()?.index_select(&index, 0)?)
    }
}

/// [`FEW_ROWS`], or what a measurement asks for in the environment.
fn few_rows() -> usize {
    static ROWS: OnceLock<usize> = OnceLock::new();
    *ROWS.get_or_init(|| {
        std::env::var("HUMBLY_MODEL_FEW_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(FEW_ROWS)
    })
}
