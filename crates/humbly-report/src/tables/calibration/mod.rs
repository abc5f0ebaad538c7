//! The tables of the calibration study: CAR Tables 1 to 4, and what stands beside them.

mod beside;
mod compared;
mod held_out;
mod names;
mod paths;
mod pilot;
mod published;
pub(crate) mod reliability;
mod scores;

use super::material::Material;
use super::model::{Item, PaperItem};

/// One table of the study.
pub(super) fn table(number: u8, material: &Material, against: bool) -> PaperItem {
    let item = Item::Calibration(number);
    let Some(study) = material.calibration.as_ref().filter(|study| !study.cells.is_empty()) else {
        return PaperItem::NotDetermined {
            item,
            reason: "no samples of a calibration study: run a suite of `humbly suite build calibration`"
                .to_owned(),
        };
    };
    let built = match number {
        1 => Ok(pilot::table(item, study, against)),
        2..=4 => scores::table(item, study, against),
        5 => beside::table(item, study),
        6 => compared::table(item, study),
        7 => held_out::table(item, study),
        8 => paths::table(item, study),
        _ => reliability::table(item, study),
    };
    built.map_or_else(|reason| PaperItem::NotDetermined { item, reason }, PaperItem::Determined)
}
