//! The data sets: one file each, one line in the registry.

pub(crate) mod aime;
pub(crate) mod browsecomp;
pub(crate) mod conflictqa;
pub(crate) mod dapo_math;
pub(crate) mod gaia;
pub(crate) mod gsm8k;
pub(crate) mod hotpotqa;
pub(crate) mod math_500;
pub(crate) mod maths;
pub(crate) mod mip_overthinking;
pub(crate) mod monaco;
pub(crate) mod musique;
pub(crate) mod nq_open;
pub(crate) mod olympiadbench;
pub(crate) mod selfaware;
pub(crate) mod simpleqa;
pub(crate) mod simpleqa_verified;
mod verl;
pub(crate) mod wikicontradict;
