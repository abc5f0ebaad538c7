//! What the study is made from.

use humbly_stats::calibration::Binning;
use humbly_stats::intervals::{BootstrapParams, ProportionInterval};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::Settings;
use crate::row::TrajectoryRow;

/// A scored row with what its run says of it.
#[derive(Debug, Clone)]
pub struct StudySample<'a> {
    /// The row; its condition is the setting.
    pub row: &'a TrajectoryRow,
    /// The model that it is compared under: for a trained model the one that it was trained from.
    pub base_model: String,
    /// The corpus of the search tool, where the setting has one of its own.
    pub corpus: Option<String>,
    /// Whether the trained model was trained on this data set; `None` where nobody says.
    pub distribution: Option<Distribution>,
    /// Tools that were offered; `None` where the input does not say.
    pub offered: Option<Vec<String>>,
    /// The scale on which a confidence was asked for, as the run states it.
    pub scale: Option<String>,
}

/// Whether a trained model saw data of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// It was trained on it.
    In,
    /// It was not.
    Out,
}

/// How to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyParams {
    /// Bins and edge rule.
    pub binning: Binning,
    /// Resampling.
    pub bootstrap: BootstrapParams,
    /// Interval of the accuracy.
    pub accuracy_interval: ProportionInterval,
    /// Coverages of selective accuracy.
    pub coverages: Vec<f64>,
    /// The fixed temperature.
    pub temperature: f64,
    /// Calls a sample below which a tool counts as not used.
    pub least_calls: f64,
}

impl StudyParams {
    /// Ten right-closed bins, coverages 50, 80 and 90 %, T = 1.5, 0.2 calls a sample; intervals as the settings say.
    pub fn of(settings: &Settings) -> Self {
        Self {
            binning: Binning::default(),
            bootstrap: BootstrapParams::new(settings.resamples.max(1), settings.level, settings.seed)
                .unwrap_or_else(|_| BootstrapParams::seeded(settings.seed)),
            accuracy_interval: if settings.paper {
                ProportionInterval::Bootstrap
            } else {
                ProportionInterval::Wilson
            },
            coverages: vec![0.5, 0.8, 0.9],
            temperature: 1.5,
            least_calls: 0.2,
        }
    }
}
