//! Block formats of GGUF tensors and their way back to f32.
//!
//! Weights go back to f32 inside the product, activations stay f32 throughout.
//! llama.cpp and candle quantise the activations too; that is faster with
//! integer instructions, but then a row's logits would change with the path
//! that the size of its batch selects.

use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::{Device, Tensor};

use crate::error::{ModelError, Result};

/// Applies a function to each block. A macro, as a function that is handed over would be
/// compiled by itself, without the caller's vector instructions.
macro_rules! each {
    ($bytes:expr, $values:expr, $block_bytes:literal, $block_values:literal, $function:ident) => {{
        let (blocks, _) = $bytes.as_chunks::<$block_bytes>();
        let (chunks, _) = $values.as_chunks_mut::<$block_values>();
        for (block, values) in blocks.iter().zip(chunks) {
            // Keeps the compiler from taking sixteen blocks at once with scattered stores; one block is one vector.
            $function(std::hint::black_box(block), values);
        }
    }};
}

/// How the values of a tensor are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    F32,
    F16,
    Bf16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2K,
    Q3K,
    Q4K,
    Q5K,
    Q6K,
}

impl Format {
    pub(crate) const KNOWN: &'static str =
        "F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K";

    pub(crate) fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            0 => Self::F32,
            1 => Self::F16,
            2 => Self::Q4_0,
            3 => Self::Q4_1,
            6 => Self::Q5_0,
            7 => Self::Q5_1,
            8 => Self::Q8_0,
            10 => Self::Q2K,
            11 => Self::Q3K,
            12 => Self::Q4K,
            13 => Self::Q5K,
            14 => Self::Q6K,
            30 => Self::Bf16,
            _ => return None,
        })
    }

    /// Names of types that are in the format's list but not read here.
    pub(crate) fn name_of_code(code: u32) -> String {
        let name = match code {
            9 => "Q8_1",
            15 => "Q8_K",
            16 => "IQ2_XXS",
            17 => "IQ2_XS",
            18 => "IQ3_XXS",
            19 => "IQ1_S",
            20 => "IQ4_NL",
            21 => "IQ3_S",
            22 => "IQ2_S",
            23 => "IQ4_XS",
            29 => "IQ1_M",
            34 => "TQ1_0",
            35 => "TQ2_0",
            39 => "MXFP4",
            _ => return format!("number {code}"),
        };
        name.to_owned()
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::Bf16 => "BF16",
            Self::Q4_0 => "Q4_0",
            Self::Q4_1 => "Q4_1",
            Self::Q5_0 => "Q5_0",
            Self::Q5_1 => "Q5_1",
            Self::Q8_0 => "Q8_0",
            Self::Q2K => "Q2_K",
            Self::Q3K => "Q3_K",
            Self::Q4K => "Q4_K",
            Self::Q5K => "Q5_K",
            Self::Q6K => "Q6_K",
        }
    }

    pub(crate) fn block_values(self) -> usize {
        match self {
            Self::F32 | Self::F16 | Self::Bf16 => 1,
            Self::Q4_0 | Self::Q4_1 | Self::Q5_0 | Self::Q5_1 | Self::Q8_0 => 32,
            Self::Q2K | Self::Q3K | Self::Q4K | Self::Q5K | Self::Q6K => 256,
        }
    }

    pub(crate) fn block_bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::Q4_0 => 18,
            Self::Q4_1 => 20,
            Self::Q5_0 => 22,
            Self::Q5_1 => 24,
            Self::Q8_0 => 34,
            Self::Q2K => 84,
            Self::Q3K => 110,
            Self::Q4K => 144,
            Self::Q5K => 176,
            Self::Q6K => 210,
        }
    }

    /// Whether [`Format::row`] reads it; the others are turned into f32 matrices when loaded.
    pub(crate) fn has_rows(self) -> bool {
        !matches!(self, Self::Q2K | Self::Q3K)
    }

    /// One row back to f32. `bytes` holds whole blocks for `values`; formats without rows leave it as it is.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
    pub(crate) fn row(self, bytes: &[u8], values: &mut [f32]) {
        match self {
            Self::F32 => each!(bytes, values, 4, 1, f32_value),
            Self::F16 => each!(bytes, values, 2, 1, f16_value),
            Self::Bf16 => each!(bytes, values, 2, 1, bf16_value),
            Self::Q4_0 => each!(bytes, values, 18, 32, q4_0),
            Self::Q4_1 => each!(bytes, values, 20, 32, q4_1),
            Self::Q5_0 => each!(bytes, values, 22, 32, q5_0),
            Self::Q5_1 => each!(bytes, values, 24, 32, q5_1),
            Self::Q8_0 => each!(bytes, values, 34, 32, q8_0),
            Self::Q4K => each!(bytes, values, 144, 256, q4_k),
            Self::Q5K => each!(bytes, values, 176, 256, q5_k),
            Self::Q6K => each!(bytes, values, 210, 256, q6_k),
            Self::Q2K | Self::Q3K => {}
        }
    }

    /// A whole tensor as an f32 matrix.
    pub(crate) fn dense(self, bytes: &[u8], shape: &[usize]) -> Result<Tensor> {
        let library = match self {
            Self::Q2K => Some(GgmlDType::Q2K),
            Self::Q3K => Some(GgmlDType::Q3K),
            _ => None,
        };
        if let Some(kind) = library {
            let storage = QStorage::from_data(bytes.into(), &Device::Cpu, kind)?;
            return Ok(QTensor::new(storage, shape)?.dequantize(&Device::Cpu)?);
        }
        let count: usize = shape.iter().product();
        let mut values = vec![0_f32; count];
        let row = shape.last().copied().unwrap_or(0);
        let row_bytes = row / self.block_values() * self.block_bytes();
        if row == 0 || bytes.len() != count / row * row_bytes {
            return Err(ModelError::Malformed { what: "a tensor's bytes do not fit its shape".to_owned() });
        }
        crate::kernel::dequantise(self, bytes, row_bytes, row, &mut values);
        Ok(Tensor::from_vec(values, shape, &Device::Cpu)?)
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn f32_value(block: &[u8; 4], values: &mut [f32; 1]) {
    values[0] = f32::from_le_bytes(*block);
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn f16_value(block: &[u8; 2], values: &mut [f32; 1]) {
    values[0] = half(block[0], block[1]);
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn bf16_value(block: &[u8; 2], values: &mut [f32; 1]) {
    values[0] = f32::from_bits(u32::from(u16::from_le_bytes(*block)) << 16);
}

/// A 16-bit float without branches. Infinities and NaN, which no weight has, come out as large numbers.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn half(low: u8, high: u8) -> f32 {
    let bits = u32::from(u16::from_le_bytes([low, high]));
    let magnitude = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    f32::from_bits(magnitude.to_bits() | (bits & 0x8000) << 16)
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn q4_0(block: &[u8; 18], values: &mut [f32; 32]) {
    let scale = half(block[0], block[1]);
    for j in 0..16 {
        let byte = block[2 + j];
        values[j] = (f32::from(byte & 15) - 8.0) * scale;
        values[j + 16] = (f32::from(byte >> 4) - 8.0) * scale;
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn q4_1(block: &[u8; 20], values: &mut [f32; 32]) {
    let (scale, least) = (half(block[0], block[1]), half(block[2], block[3]));
    for j in 0..16 {
        let byte = block[4 + j];
        values[j] = f32::from(byte & 15) * scale + least;
        values[j + 16] = f32::from(byte >> 4) * scale + least;
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn q5_0(block: &[u8; 22], values: &mut [f32; 32]) {
    let scale = half(block[0], block[1]);
    let high = u32::from_le_bytes([block[2], block[3], block[4], block[5]]);
    for j in 0..16 {
        let byte = block[6 + j];
        let low_value = u32::from(byte & 15) | (high >> j & 1) << 4;
        let high_value = u32::from(byte >> 4) | (high >> (j + 16) & 1) << 4;
        values[j] = (small(low_value) - 16.0) * scale;
        values[j + 16] = (small(high_value) - 16.0) * scale;
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn q5_1(block: &[u8; 24], values: &mut [f32; 32]) {
    let (scale, least) = (half(block[0], block[1]), half(block[2], block[3]));
    let high = u32::from_le_bytes([block[4], block[5], block[6], block[7]]);
    for j in 0..16 {
        let byte = block[8 + j];
        let low_value = u32::from(byte & 15) | (high >> j & 1) << 4;
        let high_value = u32::from(byte >> 4) | (high >> (j + 16) & 1) << 4;
        values[j] = small(low_value) * scale + least;
        values[j + 16] = small(high_value) * scale + least;
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn q8_0(block: &[u8; 34], values: &mut [f32; 32]) {
    let scale = half(block[0], block[1]);
    for j in 0..32 {
        values[j] = f32::from(block[2 + j].cast_signed()) * scale;
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn q4_k(block: &[u8; 144], values: &mut [f32; 256]) {
    let (scale, least) = (half(block[0], block[1]), half(block[2], block[3]));
    for chunk in 0..4 {
        let (low, low_min) = sub_scales(block, 2 * chunk);
        let (high, high_min) = sub_scales(block, 2 * chunk + 1);
        for j in 0..32 {
            let byte = block[16 + chunk * 32 + j];
            values[chunk * 64 + j] = f32::from(byte & 15) * (scale * low) - least * low_min;
            values[chunk * 64 + 32 + j] = f32::from(byte >> 4) * (scale * high) - least * high_min;
        }
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn q5_k(block: &[u8; 176], values: &mut [f32; 256]) {
    let (scale, least) = (half(block[0], block[1]), half(block[2], block[3]));
    for chunk in 0..4 {
        let (low, low_min) = sub_scales(block, 2 * chunk);
        let (high, high_min) = sub_scales(block, 2 * chunk + 1);
        for j in 0..32 {
            let byte = block[48 + chunk * 32 + j];
            let top = block[16 + j];
            let low_value = (byte & 15) | (top >> (2 * chunk) & 1) << 4;
            let high_value = (byte >> 4) | (top >> (2 * chunk + 1) & 1) << 4;
            values[chunk * 64 + j] = f32::from(low_value) * (scale * low) - least * low_min;
            values[chunk * 64 + 32 + j] = f32::from(high_value) * (scale * high) - least * high_min;
        }
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn q6_k(block: &[u8; 210], values: &mut [f32; 256]) {
    let scale = half(block[208], block[209]);
    for part in 0..2 {
        for j in 0..32 {
            let first = block[part * 64 + j];
            let second = block[part * 64 + 32 + j];
            let top = block[128 + part * 32 + j];
            let quarter = [
                (first & 15) | (top & 3) << 4,
                (second & 15) | (top >> 2 & 3) << 4,
                (first >> 4) | (top >> 4 & 3) << 4,
                (second >> 4) | (top >> 6 & 3) << 4,
            ];
            for (index, value) in quarter.into_iter().enumerate() {
                let step = f32::from(block[192 + part * 8 + index * 2 + j / 16].cast_signed());
                values[part * 128 + index * 32 + j] = (f32::from(value) - 32.0) * (scale * step);
            }
        }
    }
}

/// Scale and minimum of one of the eight sub-blocks of a `Q4_K` or `Q5_K` block: six bits each.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
fn sub_scales(block: &[u8], index: usize) -> (f32, f32) {
    let at = |place: usize| block.get(4 + place).copied().unwrap_or(0);
    if index < 4 {
        (f32::from(at(index) & 63), f32::from(at(index + 4) & 63))
    } else {
        let (low, high) = (at(index - 4), at(index));
        let last = at(index + 4);
        (f32::from((last & 15) | (low >> 6) << 4), f32::from((last >> 4) | (high >> 6) << 4))
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once for each set of vector instructions")]
#[expect(clippy::cast_possible_truncation, reason = "at most five bits")]
fn small(value: u32) -> f32 {
    f32::from(value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(count: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 2_654_435_761 % 1000) as f32 - 500.0) / 700.0).collect()
    }

    #[test]
    fn every_format_agrees_with_the_tensor_library() {
        let formats = [
            (Format::F32, GgmlDType::F32),
            (Format::F16, GgmlDType::F16),
            (Format::Bf16, GgmlDType::BF16),
            (Format::Q4_0, GgmlDType::Q4_0),
            (Format::Q4_1, GgmlDType::Q4_1),
            (Format::Q5_0, GgmlDType::Q5_0),
            (Format::Q5_1, GgmlDType::Q5_1),
            (Format::Q8_0, GgmlDType::Q8_0),
            (Format::Q2K, GgmlDType::Q2K),
            (Format::Q3K, GgmlDType::Q3K),
            (Format::Q4K, GgmlDType::Q4K),
            (Format::Q5K, GgmlDType::Q5K),
            (Format::Q6K, GgmlDType::Q6K),
        ];
        let source = Tensor::from_vec(weights(3 * 512), (3, 512), &Device::Cpu).unwrap();
        for (format, kind) in formats {
            let quantised = QTensor::quantize(&source, kind).unwrap();
            let expected =
                quantised.dequantize(&Device::Cpu).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
            let bytes = quantised.data().unwrap();
            assert_eq!(
                bytes.len(),
                3 * 512 / format.block_values() * format.block_bytes(),
                "{}",
                format.name()
            );
            let found =
                format.dense(&bytes, &[3, 512]).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-5, "{}: {found} for {expected}", format.name());
            }
        }
    }

    #[test]
    fn small_halves_keep_their_value() {
        let exact = [
            (0_u16, 0.0_f32),
            (1, 1.0 / 16_777_216.0),
            (0x03ff, 1023.0 / 16_777_216.0),
            (0x0400, 1.0 / 16_384.0),
            (0x3c00, 1.0),
            (0xbc00, -1.0),
            (0x7bff, 65504.0),
            (0x8001, -1.0 / 16_777_216.0),
        ];
        for (bits, expected) in exact {
            let [low, high] = bits.to_le_bytes();
            assert_eq!(half(low, high).to_bits(), expected.to_bits(), "{bits:04x}");
        }
    }
}
