//! The imports: one file each, one line here.

mod llm_calibration_mmlu_pro;
mod mip_overthinking;
mod registry;
mod rlcr_outputs;
mod wikicontradict_humaneval;

pub use registry::{IMPORTS, Import, import};
