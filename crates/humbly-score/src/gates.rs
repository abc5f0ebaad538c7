//! Gates of a release: a stated threshold on a measured number, missed by every doubt.
//!
//! An undefined value, or an n below the minimum, misses the gate and says so.

use std::collections::HashMap;

use humbly_stats::intervals::{BootstrapParams, Clusters, mean};
use humbly_types::{Measured, Reason, Split, Undefined};
use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Digests, Tri};
use crate::summary::SummaryRow;

/// A threshold on one number of the summary, e.g. `escalate.low>=0.2` or `delta(escalate).high>=0`.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// The gate as the user wrote it.
    pub text: String,
    metric: Metric,
    is_delta: bool,
    part: Part,
    comparison: Comparison,
    threshold: f64,
}

/// What a gate found on one row of the summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateOutcome {
    /// The gate as the user wrote it.
    pub gate: String,
    /// The row it was put to.
    pub row: String,
    /// Whether it was met.
    pub is_met: bool,
    /// The number, with what was compared.
    pub measured: Measured,
    /// Why it was missed, or what was found.
    pub message: String,
}

/// Why a gate cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// No comparison sign.
    #[error("gate `{0}` has no comparison, expected e.g. `escalate.low>=0.2`")]
    NoComparison(String),
    /// An unknown number.
    #[error("gate `{gate}` names `{name}`, expected one of {}", Metric::names().join(", "))]
    UnknownMetric {
        /// The gate.
        gate: String,
        /// What it names.
        name: String,
    },
    /// A threshold that is no number.
    #[error("gate `{gate}` compares with `{threshold}`, expected a number")]
    NotANumber {
        /// The gate.
        gate: String,
        /// What stands there.
        threshold: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Value,
    Low,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    AtMost,
    AtLeast,
    Below,
    Above,
}

macro_rules! metrics {
    ($($name:ident = $code:literal => $get:expr),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Metric { $($name),+ }

        impl Metric {
            fn names() -> Vec<&'static str> {
                vec![$($code),+]
            }

            fn parse(name: &str) -> Option<Self> {
                match name { $($code => Some(Self::$name),)+ _ => None }
            }

            fn of(self, row: &SummaryRow) -> Measured {
                let get: fn(&SummaryRow) -> Option<&Measured> = match self { $(Self::$name => $get),+ };
                get(row).cloned().unwrap_or_else(|| Measured::undefined(Undefined::new(Reason::NoSamples)))
            }
        }
    };
}

metrics! {
    Accuracy = "accuracy" => |row| Some(&row.accuracy.all),
    Similarity = "similarity" => |row| row.similarity.as_ref().map(|similarity| &similarity.all),
    AccuracyConflict = "accuracy.conflict" => |row| Some(&row.accuracy.conflict),
    AccuracyControl = "accuracy.control" => |row| Some(&row.accuracy.control),
    Identify = "identify" => |row| Some(&row.identify.f1),
    IdentifyF1 = "identify.f1" => |row| Some(&row.identify.f1),
    IdentifyPrecision = "identify.precision" => |row| Some(&row.identify.precision),
    IdentifyRecall = "identify.recall" => |row| Some(&row.identify.recall),
    Solve = "solve" => |row| Some(&row.solve),
    SolveSuccessful = "solve_successful" => |row| Some(&row.solve_successful),
    Escalate = "escalate" => |row| Some(&row.escalate),
    UtilityK1 = "utility.k1" => |row| Some(&row.utility.k1),
    UtilityK2 = "utility.k2" => |row| Some(&row.utility.k2),
    UtilityK4 = "utility.k4" => |row| Some(&row.utility.k4),
    FlagRate = "flag_rate" => |row| Some(&row.unlabelled.flag_rate),
    FollowUpRate = "follow_up_rate" => |row| Some(&row.unlabelled.follow_up_rate),
    AcknowledgedRate = "acknowledged_rate" => |row| Some(&row.unlabelled.acknowledged_rate),
    EscalatedRate = "escalated_rate" => |row| Some(&row.unlabelled.escalated_rate),
    Ece = "ece" => |row| row.calibration.first().map(|calibration| &calibration.ece),
    Brier = "brier" => |row| row.calibration.first().map(|calibration| &calibration.brier),
    Auroc = "auroc" => |row| row.calibration.first().map(|calibration| &calibration.auroc),
    Mcip = "mcip" => |row| row.calibration.first().map(|calibration| &calibration.mcip),
    Aurc = "aurc" => |row| row.calibration.first().map(|calibration| &calibration.aurc),
    DuF1 = "du_f1" => |row| Some(&row.attribution.du_f1),
    MuF1 = "mu_f1" => |row| Some(&row.attribution.mu_f1),
    AvgF1 = "avg_f1" => |row| Some(&row.attribution.avg_f1),
}

impl Metric {
    /// The trajectory's own value, for paired comparisons; `None` where it does not enter the number.
    fn of_trajectory(self, digest: &Digest) -> Option<f64> {
        if self == Self::Similarity && digest.excluded.is_none() {
            return digest.similarity?.ok();
        }
        let is_conflict = digest.split == Some(Split::Conflict);
        let verdict: Tri = match self {
            _ if digest.excluded.is_some() => return None,
            Self::Accuracy => digest.correct,
            Self::AccuracyConflict if is_conflict => digest.correct,
            Self::AccuracyControl if digest.split == Some(Split::Control) => digest.correct,
            Self::IdentifyRecall if is_conflict => digest.identify,
            Self::Solve if is_conflict => digest.solve,
            Self::SolveSuccessful if is_conflict => digest.solve_successful,
            Self::Escalate if is_conflict && digest.correct == Tri::No => digest.escalate,
            Self::FlagRate => digest.identify,
            Self::FollowUpRate => digest.solve,
            Self::AcknowledgedRate => digest.acknowledged,
            Self::EscalatedRate => digest.escalate,
            _ => return None,
        };
        verdict.value().map(f64::from)
    }
}

impl Gate {
    /// Reads `NUMBER[.low|.high]{<=|>=|<|>}THRESHOLD`, where NUMBER may be `delta(NUMBER)`.
    ///
    /// # Errors
    /// [`GateError`], naming what was found and what was expected.
    pub fn parse(text: &str) -> Result<Self, GateError> {
        let signs = [
            ("<=", Comparison::AtMost),
            (">=", Comparison::AtLeast),
            ("<", Comparison::Below),
            (">", Comparison::Above),
        ];
        let (sign, comparison) = signs
            .into_iter()
            .find(|(sign, _)| text.contains(sign))
            .ok_or_else(|| GateError::NoComparison(text.to_owned()))?;
        let (left, right) = text.split_once(sign).ok_or_else(|| GateError::NoComparison(text.to_owned()))?;
        let threshold =
            right.trim().parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
                GateError::NotANumber { gate: text.to_owned(), threshold: right.trim().to_owned() }
            })?;
        let (name, part) = match left.trim().rsplit_once('.') {
            Some((name, "low")) => (name, Part::Low),
            Some((name, "high")) => (name, Part::High),
            Some((name, "value")) => (name, Part::Value),
            _ => (left.trim(), Part::Value),
        };
        let inner = name.strip_prefix("delta(").and_then(|rest| rest.strip_suffix(')'));
        let metric = Metric::parse(inner.unwrap_or(name).trim()).ok_or_else(|| GateError::UnknownMetric {
            gate: text.to_owned(),
            name: inner.unwrap_or(name).trim().to_owned(),
        })?;
        Ok(Self { text: text.to_owned(), metric, is_delta: inner.is_some(), part, comparison, threshold })
    }

    /// Whether the gate compares with a baseline.
    pub fn needs_baseline(&self) -> bool {
        self.is_delta
    }

    /// Puts the gate to every row of a summary.
    pub fn check(&self, rows: &[SummaryRow], minimum: u64) -> Vec<GateOutcome> {
        if rows.is_empty() {
            let nothing = Measured::undefined(Undefined::new(Reason::NoSamples));
            return vec![self.outcome("no trajectories", nothing, minimum)];
        }
        rows.iter().map(|row| self.outcome(&row.title(), self.metric.of(row), minimum)).collect()
    }

    /// Puts the gate to the paired difference of this run from a baseline, by trajectory id.
    pub fn check_delta(
        &self,
        now: &Digests,
        baseline: &Digests,
        minimum: u64,
        bootstrap: &BootstrapParams,
    ) -> GateOutcome {
        let before: HashMap<u64, &Digest> = baseline.all().iter().map(|digest| (digest.id, digest)).collect();
        let (differences, questions): (Vec<f64>, Vec<u64>) = now
            .all()
            .iter()
            .filter_map(|digest| {
                let old = before.get(&digest.id)?;
                let difference = self.metric.of_trajectory(digest)? - self.metric.of_trajectory(old)?;
                Some((difference, digest.question))
            })
            .unzip();
        let measured = if differences.is_empty() {
            Measured::undefined(Undefined::new(Reason::NoCommonItems))
        } else {
            Clusters::by_id(&questions)
                .and_then(|clusters| mean(&differences, &clusters, bootstrap))
                .unwrap_or_else(|error| {
                    Measured::undefined(Undefined::with_detail(Reason::NotFinite, error.to_string()))
                })
        };
        self.outcome("against the baseline", measured, minimum)
    }

    fn outcome(&self, row: &str, measured: Measured, minimum: u64) -> GateOutcome {
        let found = match self.part {
            Part::Value => measured.value(),
            Part::Low => measured.interval.as_ref().map(|interval| interval.low),
            Part::High => measured.interval.as_ref().map(|interval| interval.high),
        };
        let (is_met, message) = match (found, measured.undefined_because()) {
            (_, Some(undefined)) => (false, format!("undefined: {undefined}")),
            (None, None) => (false, "it has no interval".to_owned()),
            (Some(_), None) if measured.n < minimum => {
                (false, format!("n = {} is below the minimum of {minimum}", measured.n))
            }
            (Some(value), None) => {
                let is_met = match self.comparison {
                    Comparison::AtMost => value <= self.threshold,
                    Comparison::AtLeast => value >= self.threshold,
                    Comparison::Below => value < self.threshold,
                    Comparison::Above => value > self.threshold,
                };
                (is_met, format!("found {value:.4} (n = {})", measured.n))
            }
        };
        GateOutcome { gate: self.text.clone(), row: row.to_owned(), is_met, measured, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read_in_parts() {
        let gate = Gate::parse("delta(escalate).high >= 0").unwrap();
        assert!(gate.needs_baseline());
        assert_eq!((gate.part, gate.comparison, gate.threshold), (Part::High, Comparison::AtLeast, 0.0));
        assert_eq!(Gate::parse("identify.f1<0.5").unwrap().metric, Metric::IdentifyF1);
    }

    #[test]
    fn faults_say_what_was_expected() {
        assert!(Gate::parse("ece").unwrap_err().to_string().contains("expected e.g."));
        assert!(Gate::parse("humility>=1").unwrap_err().to_string().contains("escalate"));
        assert!(Gate::parse("ece<=low").unwrap_err().to_string().contains("expected a number"));
    }

    #[test]
    fn undefined_and_small_n_miss_the_gate() {
        let gate = Gate::parse("ece<=1").unwrap();
        let undefined = Measured::undefined(Undefined::new(Reason::NoSamples));
        assert!(!gate.outcome("row", undefined, 20).is_met);
        let few = gate.outcome("row", Measured::new(0.1, 3), 20);
        assert!(!few.is_met && few.message.contains("below the minimum"), "{}", few.message);
        assert!(gate.outcome("row", Measured::new(0.1, 20), 20).is_met);
    }
}
