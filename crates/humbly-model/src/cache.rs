//! Keys and values of the tokens that rows have seen.

use rayon::prelude::*;

use crate::config::Config;
use crate::kernel::Attend;
use crate::packed::Packed;

/// Keys and values, for each layer and row a growing list `[positions, key heads · width]`.
#[derive(Debug, Clone)]
pub(crate) struct KeyValueCache {
    layers: Vec<Vec<Row>>,
    heads: usize,
    key_heads: usize,
    width: usize,
}

#[derive(Debug, Clone, Default)]
struct Row {
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl KeyValueCache {
    pub(crate) fn new(config: &Config, rows: usize) -> Self {
        Self {
            layers: vec![vec![Row::default(); rows]; config.layers],
            heads: config.heads,
            key_heads: config.key_heads,
            width: config.head_width,
        }
    }

    fn stride(&self) -> usize {
        self.key_heads * self.width
    }

    /// Forgets what a row saw after its first `positions` tokens.
    pub(crate) fn truncate(&mut self, row: usize, positions: usize) {
        let length = positions * self.stride();
        for row in self.layers.iter_mut().filter_map(|layer| layer.get_mut(row)) {
            row.keys.truncate(length);
            row.values.truncate(length);
        }
    }

    /// Gives a row the first `positions` tokens of another.
    pub(crate) fn copy(&mut self, from: usize, to: usize, positions: usize) {
        let length = positions * self.stride();
        if from == to {
            self.truncate(to, positions);
            return;
        }
        for layer in &mut self.layers {
            let Some(source) = layer.get_mut(from).map(std::mem::take) else { continue };
            if let Some(target) = layer.get_mut(to) {
                target.keys.clear();
                target.values.clear();
                target.keys.extend_from_slice(&source.keys[..length.min(source.keys.len())]);
                target.values.extend_from_slice(&source.values[..length.min(source.values.len())]);
            }
            layer[from] = source;
        }
    }

    /// Adds the new keys and values of a layer, then attends from every new token to all before it.
    ///
    /// `queries` is `[tokens, heads · width]`, `keys` and `values` `[tokens, key heads · width]`;
    /// so is the result, with the width of the queries.
    pub(crate) fn attend(
        &mut self,
        layer: usize,
        packed: &Packed,
        queries: &[f32],
        keys: &[f32],
        values: &[f32],
    ) -> Vec<f32> {
        let stride = self.stride();
        let group = self.heads / self.key_heads * self.width;
        let rows = &mut self.layers[layer];
        let mut tokens = Vec::with_capacity(packed.tokens.len());
        for segment in &packed.segments {
            let new = segment.start * stride..(segment.start + segment.length) * stride;
            let row = &mut rows[segment.row];
            row.keys.truncate(segment.position * stride);
            row.values.truncate(segment.position * stride);
            row.keys.extend_from_slice(&keys[new.clone()]);
            row.values.extend_from_slice(&values[new]);
            tokens.extend((0..segment.length).map(|index| (segment.row, segment.position + index + 1)));
        }
        let rows = &*rows;
        let (width, key_heads) = (self.width, self.key_heads);
        let scale = (width as f32).sqrt().recip();
        let mut output = vec![0.0; queries.len()];
        output.par_chunks_mut(group).zip(queries.par_chunks(group)).enumerate().with_min_len(2).for_each(
            |(index, (output, queries))| {
                let (row, seen) = tokens[index / key_heads];
                let row = &rows[row];
                Attend {
                    queries,
                    keys: &row.keys[..seen * stride],
                    values: &row.values[..seen * stride],
                    stride,
                    offset: index % key_heads * width,
                    width,
                    scale,
                    output,
                }
                .run();
            },
        );
        output
    }
}
