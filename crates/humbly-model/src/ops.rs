//! The operations of the forward pass, each in two forms that agree.
//!
//! candle's fast operations have no backward pass and say nothing when a gradient
//! is asked for. So the form is a value: [`Ops::Differentiable`] is made of
//! operations that all have gradients, [`Ops::Fused`] of our own loops.

use candle_core::{D, Device, Storage, Tensor};

use crate::error::{ModelError, Result};
use crate::kernel;

/// Which form of the operations a forward pass uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ops {
    /// Every operation has a gradient; no cache.
    Differentiable,
    /// Fast loops without gradients.
    Fused,
}

/// Runs `work` on the values of a contiguous f32 tensor.
pub(crate) fn slice_of<R>(x: &Tensor, work: impl FnOnce(&[f32]) -> R) -> Result<R> {
    let x = x.contiguous()?;
    let (storage, layout) = x.storage_and_layout();
    let Storage::Cpu(values) = &*storage else {
        return Err(broken("a tensor is not in main memory"));
    };
    let start = layout.start_offset();
    let values = values.as_slice::<f32>()?;
    let values = values
        .get(start..start + layout.shape().elem_count())
        .ok_or_else(|| broken("a tensor ends early"))?;
    Ok(work(values))
}

pub(crate) fn broken(what: impl Into<String>) -> ModelError {
    ModelError::Tensor(candle_core::Error::Msg(what.into()))
}

pub(crate) fn rms_norm(ops: Ops, x: &Tensor, weight: &Tensor, epsilon: f32) -> Result<Tensor> {
    match ops {
        Ops::Fused => {
            let values = slice_of(x, |x| slice_of(weight, |weight| kernel::rms_norm(x, weight, epsilon)))??;
            Ok(Tensor::from_vec(values, x.shape(), &Device::Cpu)?)
        }
        Ops::Differentiable => {
            let mean = x.sqr()?.mean_keepdim(D::Minus1)?;
            let scale = (mean + f64::from(epsilon))?.sqrt()?;
            Ok(x.broadcast_div(&scale)?.broadcast_mul(weight)?)
        }
    }
}

pub(crate) fn swiglu(ops: Ops, gate: &Tensor, up: &Tensor) -> Result<Tensor> {
    match ops {
        Ops::Fused => {
            let values = slice_of(gate, |gate| slice_of(up, |up| kernel::swiglu(gate, up)))??;
            Ok(Tensor::from_vec(values, gate.shape(), &Device::Cpu)?)
        }
        Ops::Differentiable => Ok((gate.silu()? * up)?),
    }
}

/// Turns pairs by their angles; `x` is `[tokens, heads · width]`, `cosines` and `sines` `[tokens, width / 2]`.
pub(crate) fn rotate(ops: Ops, x: &Tensor, cosines: &Tensor, sines: &Tensor, heads: usize) -> Result<Tensor> {
    let (tokens, wide) = x.dims2()?;
    let pairs = wide / heads / 2;
    match ops {
        Ops::Fused => {
            let mut values = slice_of(x, <[f32]>::to_vec)?;
            slice_of(cosines, |cosines| {
                slice_of(sines, |sines| kernel::rotate(&mut values, cosines, sines, pairs, heads))
            })??;
            Ok(Tensor::from_vec(values, x.shape(), &Device::Cpu)?)
        }
        Ops::Differentiable => {
            let points = x.reshape((tokens, heads, pairs, 2))?;
            let a = points.narrow(3, 0, 1)?.squeeze(3)?;
            let b = points.narrow(3, 1, 1)?.squeeze(3)?;
            let cosines = cosines.unsqueeze(1)?;
            let sines = sines.unsqueeze(1)?;
            let first = (a.broadcast_mul(&cosines)? - b.broadcast_mul(&sines)?)?;
            let second = (a.broadcast_mul(&sines)? + b.broadcast_mul(&cosines)?)?;
            Ok(Tensor::stack(&[first, second], 3)?.reshape((tokens, wide))?)
        }
    }
}

/// Softmax over the last axis, with a gradient.
pub(crate) fn softmax(x: &Tensor) -> Result<Tensor> {
    let greatest = x.max_keepdim(D::Minus1)?.detach();
    let powers = x.broadcast_sub(&greatest)?.exp()?;
    Ok(powers.broadcast_div(&powers.sum_keepdim(D::Minus1)?)?)
}
