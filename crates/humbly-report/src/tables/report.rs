//! All tables and figures that were asked for.

use serde::Serialize;

use super::figure3::{self, FittedCurve};
use super::material::Material;
use super::model::{Item, PaperItem};
use super::{accuracy, calibration, controlled, figure4, figure5, ise, judges, natural, people};

/// The paper's tables and figures, as far as the runs determine them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperReport {
    /// Tables and figures in the paper's order; those that are not determined say why.
    pub items: Vec<PaperItem>,
    /// Curves of Figure 3, where it was asked for.
    pub curves: Vec<FittedCurve>,
}

/// Builds the items; `against` puts the paper's numbers beneath ours.
///
/// # Errors and undefined
/// No error. An item that the material does not determine is [`PaperItem::NotDetermined`], never an empty table.
///
/// # Source
/// EH Tables 1 and 3 to 9, Figures 3 to 5.
///
/// # Examples
/// ```
/// use humbly_report::tables::{Item, Material, PaperItem, paper_report};
/// let report = paper_report(&Material::default(), &[Item::Table(4)], true);
/// assert!(matches!(&report.items[0], PaperItem::NotDetermined { item: Item::Table(4), .. }));
/// ```
pub fn paper_report(material: &Material, items: &[Item], against: bool) -> PaperReport {
    let curves = if items.contains(&Item::Figure(3)) { figure3::curves(material) } else { Vec::new() };
    let build = |item: &Item| match item {
        Item::Table(3) => controlled::table(material, against),
        Item::Table(4) => natural::table(material, against),
        Item::Table(5 | 9) => ise::table(*item, material, against),
        Item::Table(6) => judges::table(material, against),
        Item::Table(7) => people::table(material, against),
        Item::Table(_) => accuracy::table(*item, material, against),
        Item::Figure(3) => figure3::table(material, &curves),
        Item::Figure(4) => figure4::table(material),
        Item::Figure(_) => figure5::table(material, against),
        Item::Calibration(number) => calibration::table(*number, material, against),
    };
    let items = items.iter().map(build).collect();
    PaperReport { items, curves }
}
