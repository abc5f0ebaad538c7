//! Logistic curve through rates of cells, with a resampling band.

mod curve;
mod fit;

pub use curve::{CurvePoint, LogisticCurve, LogisticCurveParams, logistic_curve};
pub(crate) use fit::sigmoid;
pub use fit::{Cell, LogisticFit, LogisticOutcome, fit_logistic};
