//! Agreement of raters (people, judges) beyond chance.
//!
//! Read several together: κ is low or has no value where one label dominates, although raters agree; AC1 and
//! raw agreement stand beside it, with the prevalence of each label.

mod cohen;
mod fleiss;
mod gwet;
mod krippendorff;
mod ratings;

pub use cohen::{cohen_kappa, raw_agreement};
pub use fleiss::fleiss_kappa;
pub use gwet::{GwetAc1, Prevalence, gwet_ac1};
pub use krippendorff::krippendorff_alpha;
pub use ratings::Ratings;
