//! The EH paper's Tables 1 and 3 to 9 and Figures 3 to 5, and the calibration study's tables, one builder a file.
//!
//! A builder turns [`Material`] into a [`PaperTable`] or says why the material does not determine it. Terminal,
//! LaTeX, CSV, JSON and HTML are written from that one form, so that they cannot disagree.

mod accuracy;
pub(crate) mod calibration;
mod configurations;
mod controlled;
pub(crate) mod figure3;
pub(crate) mod figure4;
pub(crate) mod figure5;
mod ise;
mod judges;
mod latex;
mod material;
mod model;
mod natural;
mod people;
mod published;
mod report;
mod text;

pub use figure3::FittedCurve;
pub use latex::{latex, latex_of_text};
pub use material::{Agreement, AgreementLine, FunnelCounts, Material, PeopleLine, SuiteCounts};
pub use model::{
    ColumnGroup, Item, PaperItem, PaperTable, PublishedNumber, Source, TableCell, TableRow, Unit, UnknownItem,
};
pub use report::{PaperReport, paper_report};
pub(crate) use text::{in_unit, is_significant};
