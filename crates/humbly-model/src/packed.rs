//! Rows of different length as one list of tokens.
//!
//! No padding is computed: the matrix products see the tokens of all rows one after
//! another, only attention looks at rows. Where attention needs a rectangle (the
//! form with gradients) rows are padded on the right there and masked.

use candle_core::{Device, Tensor};

use crate::error::{ModelError, Result};

/// New tokens of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Row of the cache.
    pub(crate) row: usize,
    /// Position of the first new token in its sequence.
    pub(crate) position: usize,
    /// Place of the first new token in the list.
    pub(crate) start: usize,
    /// Number of new tokens; at least one.
    pub(crate) length: usize,
}

/// A batch for one forward pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) tokens: Vec<u32>,
    pub(crate) segments: Vec<Segment>,
}

impl Packed {
    pub(crate) fn push(&mut self, row: usize, position: usize, tokens: &[u32]) {
        if tokens.is_empty() {
            return;
        }
        self.segments.push(Segment { row, position, start: self.tokens.len(), length: tokens.len() });
        self.tokens.extend_from_slice(tokens);
    }

    /// Whole sequences, one a row.
    pub(crate) fn sequences(
        sequences: &[impl AsRef<[u32]>],
        vocabulary: usize,
        context: usize,
    ) -> Result<Self> {
        let mut packed = Self::default();
        for (row, sequence) in sequences.iter().enumerate() {
            let tokens = sequence.as_ref();
            if tokens.is_empty() {
                return Err(ModelError::EmptyPrompt);
            }
            if tokens.len() > context {
                return Err(ModelError::PromptTooLong { tokens: tokens.len(), context });
            }
            known(tokens, vocabulary)?;
            packed.push(row, 0, tokens);
        }
        Ok(packed)
    }

    pub(crate) fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.segments.iter().flat_map(|segment| segment.position..segment.position + segment.length)
    }

    /// Place of the last token of each segment.
    pub(crate) fn last(&self) -> Vec<u32> {
        self.segments.iter().map(|segment| place(segment.start + segment.length - 1)).collect()
    }
}

pub(crate) fn known(tokens: &[u32], vocabulary: usize) -> Result<()> {
    match tokens.iter().find(|token| **token as usize >= vocabulary) {
        Some(token) => Err(ModelError::UnknownToken { token: *token, vocabulary }),
        None => Ok(()),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a batch holds far fewer than 2^32 tokens")]
fn place(index: usize) -> u32 {
    index as u32
}

/// The rectangle around packed rows: where each cell comes from, where each token goes, what is hidden.
pub(crate) struct Rectangle {
    pub(crate) rows: usize,
    pub(crate) length: usize,
    /// For each cell of `[rows, length]` the token that fills it; padding takes token 0.
    pub(crate) sources: Tensor,
    /// For each token its cell.
    pub(crate) cells: Tensor,
    /// `[rows, 1, length, length]`: 0 where a query may look, a large negative number elsewhere.
    pub(crate) mask: Tensor,
}

impl Rectangle {
    pub(crate) fn around(packed: &Packed) -> Result<Self> {
        const HIDDEN: f32 = -1e30;
        let rows = packed.segments.len();
        let length = packed.segments.iter().map(|segment| segment.length).max().unwrap_or(0);
        let mut sources = vec![0; rows * length];
        let mut cells = vec![0; packed.tokens.len()];
        let mut mask = vec![HIDDEN; rows * length * length];
        for (row, segment) in packed.segments.iter().enumerate() {
            for index in 0..segment.length {
                sources[row * length + index] = place(segment.start + index);
                cells[segment.start + index] = place(row * length + index);
            }
            for query in 0..length {
                let line = (row * length + query) * length;
                // A padding query looks at the real keys, so that no line is hidden as a whole.
                let seen = (query + 1).min(segment.length);
                mask[line..line + seen].fill(0.0);
            }
        }
        let device = &Device::Cpu;
        Ok(Self {
            rows,
            length,
            sources: Tensor::from_vec(sources, rows * length, device)?,
            cells: Tensor::from_vec(cells, packed.tokens.len(), device)?,
            mask: Tensor::from_vec(mask, (rows, 1, length, length), device)?,
        })
    }
}
