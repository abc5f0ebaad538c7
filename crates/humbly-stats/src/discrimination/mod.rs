//! Whether confidence tells right answers from wrong ones.

mod auroc;
mod average_precision;
mod concordance;

pub use auroc::auroc;
pub use average_precision::average_precision;
