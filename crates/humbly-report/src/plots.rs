//! Small SVG plots: plain data in, markup out.
//!
//! Each is drawn at most 360 units wide, so that its text stays readable on a phone, and takes its colours
//! from the page's style sheet. Undefined numbers are hatched or named beneath the plot, never drawn as 0.

mod chain;
mod change;
mod frame;
mod funnel;
mod histogram;
mod intervals;
mod reliability;
mod risk_coverage;
mod scatter;

pub use chain::{ChainRow, chain};
pub use change::{ChangePoint, Changes, PublishedPoint, changes};
pub use frame::hatch;
pub use funnel::{Stage, funnel};
pub use histogram::{Histogram, histogram};
pub use intervals::{IntervalPlot, IntervalRow, intervals};
pub use reliability::{ReliabilityBin, reliability};
pub use risk_coverage::{CoveragePoint, risk_coverage};
pub use scatter::{Scatter, ScatterPoint, scatter};
