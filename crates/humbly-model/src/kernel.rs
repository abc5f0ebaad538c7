//! Loops over plain slices, compiled for several sets of vector instructions.
//!
//! The set is chosen when the program runs (`pulp`), so the build needs no
//! `target-cpu` and no unsafe code. Each output of [`multiply`] is summed in one
//! order whatever the number of rows: a row alone and a row among eight agree to the bit.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::quantisation::Format;

/// Rows of the weights that are turned to f32 together.
const TILE: usize = 4;
/// Rows of activations that share one pass over a tile.
const ROWS: usize = 4;

/// A matrix of `columns` values a row in block format.
#[derive(Clone, Copy)]
pub(crate) struct Blocks<'a> {
    pub(crate) format: Format,
    pub(crate) bytes: &'a [u8],
    pub(crate) outputs: usize,
    pub(crate) columns: usize,
}

impl<'a> Blocks<'a> {
    fn row_bytes(self) -> usize {
        self.columns / self.format.block_values() * self.format.block_bytes()
    }

    pub(crate) fn row(self, index: usize) -> &'a [u8] {
        let length = self.row_bytes();
        self.bytes.get(index * length..(index + 1) * length).unwrap_or_default()
    }
}

/// `x · wᵀ` for each of several matrices that share the input; results are `[rows, outputs]`.
pub(crate) fn multiply(matrices: &[Blocks<'_>], x: &[f32], rows: usize) -> Vec<Vec<f32>> {
    let mut turned: Vec<Vec<f32>> = matrices.iter().map(|matrix| vec![0.0; matrix.outputs * rows]).collect();
    let share = 32;
    let mut pieces: Vec<(Blocks<'_>, usize, &mut [f32])> = Vec::new();
    for (matrix, output) in matrices.iter().zip(&mut turned) {
        for (piece, values) in output.chunks_mut(share * rows).enumerate() {
            pieces.push((*matrix, piece * share, values));
        }
    }
    pieces.into_par_iter().for_each(|(matrix, first, output)| {
        Arch::new().dispatch(Multiply { matrix, first, x, rows, output });
    });
    if rows == 1 {
        return turned;
    }
    matrices.iter().zip(turned).map(|(matrix, values)| transpose(&values, matrix.outputs, rows)).collect()
}

fn transpose(values: &[f32], outputs: usize, rows: usize) -> Vec<f32> {
    let mut result = vec![0.0; values.len()];
    for (row, line) in result.chunks_mut(outputs).enumerate() {
        for (value, column) in line.iter_mut().zip(values.chunks(rows)) {
            *value = column[row];
        }
    }
    result
}

struct Multiply<'a> {
    matrix: Blocks<'a>,
    first: usize,
    x: &'a [f32],
    rows: usize,
    /// `[outputs of this piece, rows]`.
    output: &'a mut [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
    fn with_simd<S: Simd>(self, simd: S) {
        let columns = self.matrix.columns;
        let mut tile = vec![0_f32; TILE * columns];
        for (group, output) in self.output.chunks_mut(TILE * self.rows).enumerate() {
            let outputs = output.len() / self.rows;
            let first = self.first + group * TILE;
            for (index, values) in tile.chunks_exact_mut(columns).take(outputs).enumerate() {
                self.matrix.format.row(self.matrix.row(first + index), values);
            }
            let mut row = 0;
            while row < self.rows {
                let x = self.x.get(row * columns..).unwrap_or_default();
                let left = self.rows - row;
                let output = &mut output[row..];
                row += if left >= ROWS {
                    dots::<S, ROWS>(simd, &tile, x, columns, output, self.rows);
                    ROWS
                } else if left >= 2 {
                    dots::<S, 2>(simd, &tile, x, columns, output, self.rows);
                    2
                } else {
                    dots::<S, 1>(simd, &tile, x, columns, output, self.rows);
                    1
                };
            }
        }
    }
}

/// All products of the tile's rows with `N` rows of `x`.
///
/// `output` is `[outputs, rows]` and begins at the first of the `N` rows. No closure is called: it need not
/// be compiled with the caller's instructions.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn dots<S: Simd, const N: usize>(
    simd: S,
    tile: &[f32],
    x: &[f32],
    columns: usize,
    output: &mut [f32],
    rows: usize,
) {
    let weights: [(&[S::f32s], &[f32]); TILE] =
        std::array::from_fn(|w| S::as_simd_f32s(&tile[w * columns..(w + 1) * columns]));
    let inputs: [(&[S::f32s], &[f32]); N] =
        std::array::from_fn(|r| S::as_simd_f32s(&x[r * columns..(r + 1) * columns]));
    let length = weights[0].0.len();
    let weight_lanes = weights.map(|(lanes, _)| &lanes[..length]);
    let input_lanes = inputs.map(|(lanes, _)| &lanes[..length]);
    let mut sums = [[simd.splat_f32s(0.0); N]; TILE];
    for i in 0..length {
        let mut x = [simd.splat_f32s(0.0); N];
        for r in 0..N {
            x[r] = input_lanes[r][i];
        }
        for w in 0..TILE {
            let weight = weight_lanes[w][i];
            for r in 0..N {
                sums[w][r] = simd.mul_add_e_f32s(weight, x[r], sums[w][r]);
            }
        }
    }
    for (w, output) in output.chunks_mut(rows).take(TILE).enumerate() {
        for r in 0..N {
            let tail: f32 = weights[w].1.iter().zip(inputs[r].1).map(|(weight, x)| weight * x).sum();
            output[r] = simd.reduce_sum_f32s(sums[w][r]) + tail;
        }
    }
}

/// Work on whole rows of a matrix, compiled for each set of vector instructions.
///
/// A trait and not a closure: a closure need not be compiled with its caller's instructions.
trait RowWork: Copy + Sync {
    /// `rows` begins at row `first`.
    fn run(self, first: usize, rows: &mut [f32]);
}

struct Vectorised<'a, W> {
    work: W,
    first: usize,
    rows: &'a mut [f32],
}

impl<W: RowWork> WithSimd for Vectorised<'_, W> {
    type Output = ();

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
    fn with_simd<S: Simd>(self, _: S) {
        self.work.run(self.first, self.rows);
    }
}

/// Runs work on rows of `width` values, on several threads where there are enough.
fn in_rows(work: impl RowWork, width: usize, values: &mut [f32]) {
    const SMALL: usize = 16 * 1024;
    if values.len() <= SMALL {
        Arch::new().dispatch(Vectorised { work, first: 0, rows: values });
        return;
    }
    let count = (SMALL / 2).div_ceil(width);
    values.par_chunks_mut(count * width).enumerate().for_each(|(index, rows)| {
        Arch::new().dispatch(Vectorised { work, first: index * count, rows });
    });
}

/// A whole matrix back to f32, rows in parallel.
pub(crate) fn dequantise(format: Format, bytes: &[u8], row_bytes: usize, columns: usize, values: &mut [f32]) {
    in_rows(Dequantise { format, bytes, row_bytes, columns }, columns, values);
}

#[derive(Clone, Copy)]
struct Dequantise<'a> {
    format: Format,
    bytes: &'a [u8],
    row_bytes: usize,
    columns: usize,
}

impl RowWork for Dequantise<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
    fn run(self, first: usize, rows: &mut [f32]) {
        let bytes = &self.bytes[first * self.row_bytes..];
        for (values, bytes) in rows.chunks_exact_mut(self.columns).zip(bytes.chunks_exact(self.row_bytes)) {
            self.format.row(bytes, values);
        }
    }
}

/// Root-mean-square normalisation of each row of `x`, times `weight`.
pub(crate) fn rms_norm(x: &[f32], weight: &[f32], epsilon: f32) -> Vec<f32> {
    let mut result = vec![0.0; x.len()];
    in_rows(RmsNorm { x, weight, epsilon }, weight.len(), &mut result);
    result
}

#[derive(Clone, Copy)]
struct RmsNorm<'a> {
    x: &'a [f32],
    weight: &'a [f32],
    epsilon: f32,
}

impl RowWork for RmsNorm<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
    fn run(self, first: usize, rows: &mut [f32]) {
        let width = self.weight.len();
        let x = &self.x[first * width..];
        for (line, source) in rows.chunks_exact_mut(width).zip(x.chunks_exact(width)) {
            let mean = sum_of_products(source, source) / width as f32;
            let scale = (mean + self.epsilon).sqrt().recip();
            for ((value, source), weight) in line.iter_mut().zip(source).zip(self.weight) {
                *value = source * scale * weight;
            }
        }
    }
}

/// `gate · sigmoid(gate) · up`.
pub(crate) fn swiglu(gate: &[f32], up: &[f32]) -> Vec<f32> {
    let mut result = gate.to_vec();
    in_rows(Swiglu { up }, SWIGLU_WIDTH, &mut result);
    result
}

/// Any width would do: the values stand alone.
const SWIGLU_WIDTH: usize = 512;

#[derive(Clone, Copy)]
struct Swiglu<'a> {
    up: &'a [f32],
}

impl RowWork for Swiglu<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
    fn run(self, first: usize, rows: &mut [f32]) {
        for (value, up) in rows.iter_mut().zip(&self.up[first * SWIGLU_WIDTH..]) {
            *value = *value / (1.0 + exponential(-*value)) * up;
        }
    }
}

/// Turns neighbouring pairs of each head by the angle of its position, in place.
///
/// `x` is `[tokens, heads · 2 · pairs]`; `cosines` and `sines` are `[tokens, pairs]`.
pub(crate) fn rotate(x: &mut [f32], cosines: &[f32], sines: &[f32], pairs: usize, heads: usize) {
    in_rows(Rotate { cosines, sines, pairs, heads }, heads * pairs * 2, x);
}

#[derive(Clone, Copy)]
struct Rotate<'a> {
    cosines: &'a [f32],
    sines: &'a [f32],
    pairs: usize,
    heads: usize,
}

impl RowWork for Rotate<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
    fn run(self, first: usize, rows: &mut [f32]) {
        let pairs = self.pairs;
        for (row, line) in rows.chunks_exact_mut(self.heads * pairs * 2).enumerate() {
            let at = (first + row) * pairs;
            let (cosines, sines) = (&self.cosines[at..at + pairs], &self.sines[at..at + pairs]);
            for head in line.chunks_exact_mut(2 * pairs) {
                let (points, _) = head.as_chunks_mut::<2>();
                for ((point, cosine), sine) in points.iter_mut().zip(cosines).zip(sines) {
                    let [a, b] = *point;
                    *point = [a * cosine - b * sine, a * sine + b * cosine];
                }
            }
        }
    }
}

/// Attention of one token's query heads over the keys and values of one key head.
///
/// `queries` and `output` are `[group, width]`; `keys` and `values` hold `[positions, stride]` of
/// which the columns from `offset` on belong to this head.
pub(crate) struct Attend<'a> {
    pub(crate) queries: &'a [f32],
    pub(crate) keys: &'a [f32],
    pub(crate) values: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) offset: usize,
    pub(crate) width: usize,
    pub(crate) scale: f32,
    pub(crate) output: &'a mut [f32],
}

impl Attend<'_> {
    pub(crate) fn run(self) {
        Arch::new().dispatch(self);
    }
}

impl WithSimd for Attend<'_> {
    type Output = ();

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.width;
        let group = self.output.len() / width;
        let positions = self.keys.len() / self.stride;
        let mut scores = vec![0_f32; group * positions];
        for (position, keys) in self.keys.chunks_exact(self.stride).enumerate() {
            let key = &keys[self.offset..self.offset + width];
            let (key_lanes, key_tail) = S::as_simd_f32s(key);
            for (head, query) in self.queries.chunks_exact(width).enumerate() {
                let (query_lanes, query_tail) = S::as_simd_f32s(query);
                let mut sum = simd.splat_f32s(0.0);
                for (key, query) in key_lanes.iter().zip(query_lanes) {
                    sum = simd.mul_add_e_f32s(*key, *query, sum);
                }
                let tail: f32 = key_tail.iter().zip(query_tail).map(|(key, query)| key * query).sum();
                scores[head * positions + position] = (simd.reduce_sum_f32s(sum) + tail) * self.scale;
            }
        }
        for scores in scores.chunks_exact_mut(positions) {
            let greatest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            for score in scores.iter_mut() {
                *score = exponential(*score - greatest);
            }
            let total: f32 = sum(scores);
            for score in scores.iter_mut() {
                *score /= total;
            }
        }
        self.output.fill(0.0);
        for (position, values) in self.values.chunks_exact(self.stride).enumerate() {
            let value = &values[self.offset..self.offset + width];
            let (value_lanes, value_tail) = S::as_simd_f32s(value);
            for (head, output) in self.output.chunks_exact_mut(width).enumerate() {
                let share = scores[head * positions + position];
                let splat = simd.splat_f32s(share);
                let (output_lanes, output_tail) = S::as_mut_simd_f32s(output);
                for (output, value) in output_lanes.iter_mut().zip(value_lanes) {
                    *output = simd.mul_add_e_f32s(splat, *value, *output);
                }
                for (output, value) in output_tail.iter_mut().zip(value_tail) {
                    *output += share * value;
                }
            }
        }
    }
}

/// Sixteen running sums, so that the loop has vector form.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn sum_of_products(a: &[f32], b: &[f32]) -> f32 {
    let (a_chunks, a_tail) = a.as_chunks::<16>();
    let (b_chunks, b_tail) = b.as_chunks::<16>();
    let mut sums = [0_f32; 16];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..16 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let tail: f32 = a_tail.iter().zip(b_tail).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + tail
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn sum(values: &[f32]) -> f32 {
    let (chunks, tail) = values.as_chunks::<16>();
    let mut sums = [0_f32; 16];
    for chunk in chunks {
        for lane in 0..16 {
            sums[lane] += chunk[lane];
        }
    }
    sums.iter().sum::<f32>() + tail.iter().sum::<f32>()
}

/// `eˣ` to about two units in the last place, in a form that compiles to vector instructions.
///
/// # Source
/// Argument reduction by ln 2 in two parts and the Taylor polynomial of degree 7 on `[-ln2/2, ln2/2]`.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let r = x - whole * LN2_HIGH - whole * LN2_LOW;
    let mut series = 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * r + coefficient;
    }
    let exponent = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    series * f32::from_bits(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_close_over_its_range() {
        let mut x = -87.0_f32;
        while x < 88.0 {
            let exact = f64::from(x).exp();
            assert!((f64::from(exponential(x)) / exact - 1.0).abs() < 4e-7, "e^{x}");
            x += 0.0371;
        }
        assert_eq!(exponential(0.0).to_bits(), 1.0_f32.to_bits());
        assert!(exponential(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn a_row_alone_and_a_row_among_many_agree_to_the_bit() {
        let (outputs, columns) = (37, 96);
        let weights: Vec<u8> = (0..outputs * columns / 32 * 20)
            .map(|i| if i % 20 < 4 { 0x2c } else { u8::try_from(i * 37 % 256).unwrap() })
            .collect();
        let matrix = Blocks { format: Format::Q4_1, bytes: &weights, outputs, columns };
        for rows in 1..=11 {
            let x: Vec<f32> = (0..rows * columns).map(|i| (i * 31 % 17) as f32 / 9.0 - 1.0).collect();
            let together = multiply(&[matrix, matrix], &x, rows);
            assert_eq!(together[0], together[1]);
            for (row, x) in x.chunks(columns).enumerate() {
                let alone = multiply(&[matrix], x, 1);
                assert_eq!(alone[0], together[0][row * outputs..(row + 1) * outputs]);
            }
        }
    }

    #[test]
    fn a_product_is_the_sum_of_products() {
        let (outputs, columns) = (6, 40);
        let values: Vec<f32> = (0..outputs * columns).map(|i| (i % 13) as f32 - 6.0).collect();
        let weights: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let x: Vec<f32> = (0..3 * columns).map(|i| (i % 7) as f32 / 3.0).collect();
        let matrix = Blocks { format: Format::F32, bytes: &weights, outputs, columns };
        let found = &multiply(&[matrix], &x, 3)[0];
        for row in 0..3 {
            for output in 0..outputs {
                let expected: f32 =
                    (0..columns).map(|i| values[output * columns + i] * x[row * columns + i]).sum();
                assert!((found[row * outputs + output] - expected).abs() < 1e-3);
            }
        }
    }
}
