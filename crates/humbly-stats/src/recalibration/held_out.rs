//! Maps fitted on one half of the questions and judged on the other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Temperature, fit_isotonic, fit_platt, fit_temperature};
use crate::{
    Measured, Reason, Result, Undefined,
    calibration::{Binning, brier_score, expected_calibration_error},
    discrimination::auroc,
    input,
    intervals::{BootstrapParams, Clusters, plain_mean},
    random::Stream,
};

/// How to split and what to judge by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldOutParams {
    /// Seed of the split into halves.
    pub split_seed: u64,
    /// The fixed temperature; CAR §4.1.2 uses 1.5.
    pub temperature: f64,
    /// Bins of ECE.
    pub binning: Binning,
    /// Resampling of questions for the interval of the change.
    pub bootstrap: BootstrapParams,
}

impl HeldOutParams {
    /// CAR's temperature of 1.5 and ten bins; split and resampling by one seed.
    pub fn seeded(seed: u64) -> Self {
        Self {
            split_seed: seed,
            temperature: 1.5,
            binning: Binning::default(),
            bootstrap: BootstrapParams::seeded(seed),
        }
    }
}

/// The maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecalibrationMethod {
    /// A temperature that was given.
    FixedTemperature,
    /// The temperature with the lowest log loss on the first half.
    FittedTemperature,
    /// Platt's map.
    Platt,
    /// Isotonic regression.
    Isotonic,
}

impl RecalibrationMethod {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::FixedTemperature, Self::FittedTemperature, Self::Platt, Self::Isotonic];
}

/// Scores of confidences on the half that nothing was fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HalfScores {
    /// Expected calibration error.
    pub ece: Measured,
    /// Brier score.
    pub brier: Measured,
    /// Area under the ROC curve.
    pub auroc: Measured,
}

/// One map on the half that it was not fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recalibrated {
    /// Which map.
    pub method: RecalibrationMethod,
    /// Its parameters by name; none for the isotonic map or where there is no map.
    pub parameters: Vec<(String, f64)>,
    /// Scores after the map; each undefined with the reason why there is no map.
    pub after: HalfScores,
    /// Brier score after minus before, with its interval by question: below 0 the map helps.
    pub brier_change: Measured,
}

/// All maps on one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeldOut {
    /// Seed of the split.
    pub split_seed: u64,
    /// Answers that maps were fitted to.
    pub fitted_on: u64,
    /// Answers that they are judged on.
    pub judged_on: u64,
    /// Scores of the stated confidences on the judged half.
    pub before: HalfScores,
    /// The maps.
    pub methods: Vec<Recalibrated>,
}

/// Fits temperature, Platt's and the isotonic map on one half of the questions and judges them on the other.
///
/// All answers to a question stand in one half. Of an odd number of questions the judged half has one more.
///
/// # Shapes and units
/// - `confidences`: `[n]`, probabilities in `[0, 1]`; `outcomes`: `[n]`; `clusters`: the questions of the `n` answers.
/// - returns: scores of the judged half alone.
///
/// # Errors
/// [`StatsError::UnpairedLengths`](crate::StatsError), [`StatsError::NotAProbability`](crate::StatsError),
/// [`StatsError::Parameter`](crate::StatsError) (`temperature`). Undefined: `too_few_samples` with fewer than two
/// questions; the scores of a map as its fit says.
///
/// # Source
/// Guo et al. (2017), arXiv:1706.04599, §4; CAR §4.1.2 for the fixed temperature. CAR judges it on all answers.
///
/// # Examples
/// ```
/// use humbly_stats::intervals::Clusters;
/// use humbly_stats::recalibration::{HeldOutParams, RecalibrationMethod, recalibrate_held_out};
/// let confidences = [0.9; 8];
/// let outcomes = [true, false, true, false, false, true, false, true];
/// let split =
///     recalibrate_held_out(&confidences, &outcomes, &Clusters::independent(8)?, &HeldOutParams::seeded(1))?;
/// assert_eq!((split.fitted_on, split.judged_on), (4, 4));
/// assert_eq!(split.methods[0].method, RecalibrationMethod::FixedTemperature);
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn recalibrate_held_out(
    confidences: &[f64],
    outcomes: &[bool],
    clusters: &Clusters,
    params: &HeldOutParams,
) -> Result<HeldOut> {
    input::forecasts(confidences, outcomes)?;
    input::paired(confidences.len(), clusters.observations())?;
    let temperature = Temperature::new(params.temperature)?;
    let split = Halves::of(confidences, outcomes, clusters, params.split_seed);
    let (fit, judged) = (&split.fit, &split.judged);
    let before = judged.scores(&judged.confidences, &params.binning)?;
    let mut methods = Vec::with_capacity(RecalibrationMethod::ALL.len());
    for method in RecalibrationMethod::ALL {
        let named = |name: &str, value| (name.to_owned(), value);
        let mapped = if clusters.len() < 2 {
            Err(Undefined::with_detail(Reason::TooFewSamples, "one question cannot be halved"))
        } else {
            match method {
                RecalibrationMethod::FixedTemperature => Ok((
                    vec![named("temperature", params.temperature)],
                    temperature.apply(&judged.confidences)?,
                )),
                RecalibrationMethod::FittedTemperature => {
                    match fit_temperature(&fit.confidences, &fit.outcomes)? {
                        Ok(fitted) => Ok((
                            vec![named("temperature", fitted.value())],
                            fitted.apply(&judged.confidences)?,
                        )),
                        Err(undefined) => Err(undefined),
                    }
                }
                RecalibrationMethod::Platt => match fit_platt(&fit.confidences, &fit.outcomes)? {
                    Ok(map) => Ok((
                        vec![named("intercept", map.intercept()), named("slope", map.slope())],
                        map.apply(&judged.confidences)?,
                    )),
                    Err(undefined) => Err(undefined),
                },
                RecalibrationMethod::Isotonic => match fit_isotonic(&fit.confidences, &fit.outcomes)? {
                    Ok(map) => Ok((Vec::new(), map.apply(&judged.confidences)?)),
                    Err(undefined) => Err(undefined),
                },
            }
        };
        methods.push(match mapped {
            Ok((parameters, mapped)) => Recalibrated {
                method,
                parameters,
                after: judged.scores(&mapped, &params.binning)?,
                brier_change: judged.brier_change(&mapped, &params.bootstrap)?,
            },
            Err(undefined) => {
                let nothing = Measured::undefined(undefined);
                Recalibrated {
                    method,
                    parameters: Vec::new(),
                    after: HalfScores {
                        ece: nothing.clone(),
                        brier: nothing.clone(),
                        auroc: nothing.clone(),
                    },
                    brier_change: nothing,
                }
            }
        });
    }
    Ok(HeldOut {
        split_seed: params.split_seed,
        fitted_on: fit.outcomes.len() as u64,
        judged_on: judged.outcomes.len() as u64,
        before,
        methods,
    })
}

/// Answers of one half.
#[derive(Default)]
struct Half {
    confidences: Vec<f64>,
    outcomes: Vec<bool>,
    questions: Vec<usize>,
}

impl Half {
    fn scores(&self, confidences: &[f64], binning: &Binning) -> Result<HalfScores> {
        Ok(HalfScores {
            ece: expected_calibration_error(confidences, &self.outcomes, binning)?,
            brier: brier_score(confidences, &self.outcomes)?,
            auroc: auroc(confidences, &self.outcomes)?,
        })
    }

    fn brier_change(&self, mapped: &[f64], bootstrap: &BootstrapParams) -> Result<Measured> {
        let square = |confidence: f64, outcome: bool| (confidence - f64::from(u8::from(outcome))).powi(2);
        let changes: Vec<f64> = self
            .confidences
            .iter()
            .zip(mapped)
            .zip(&self.outcomes)
            .map(|((&before, &after), &outcome)| square(after, outcome) - square(before, outcome))
            .collect();
        plain_mean(&changes, &Clusters::by_id(&self.questions)?, bootstrap)
    }
}

struct Halves {
    fit: Half,
    judged: Half,
}

impl Halves {
    /// Questions in a drawn order; the first half is fitted to.
    fn of(confidences: &[f64], outcomes: &[bool], clusters: &Clusters, seed: u64) -> Self {
        let mut order: Vec<usize> = (0..clusters.len()).collect();
        let mut stream = Stream::new(seed, 0);
        let keys: Vec<u64> = order.iter().map(|_| stream.next_u64()).collect();
        order.sort_by_key(|&cluster| keys[cluster]);
        let mut halves = Self { fit: Half::default(), judged: Half::default() };
        let middle = order.len() / 2;
        for (place, cluster) in order.into_iter().enumerate() {
            let half = if place < middle { &mut halves.fit } else { &mut halves.judged };
            for &row in clusters.members(cluster) {
                half.confidences.push(confidences[row as usize]);
                half.outcomes.push(outcomes[row as usize]);
                half.questions.push(cluster);
            }
        }
        halves
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn params(seed: u64) -> HeldOutParams {
        HeldOutParams {
            bootstrap: BootstrapParams::new(50, 0.95, seed).unwrap(),
            ..HeldOutParams::seeded(seed)
        }
    }

    fn split(confidences: &[f64], outcomes: &[bool], seed: u64) -> HeldOut {
        let clusters = Clusters::independent(confidences.len()).unwrap();
        recalibrate_held_out(confidences, outcomes, &clusters, &params(seed)).unwrap()
    }

    fn change(split: &HeldOut, method: RecalibrationMethod) -> Option<f64> {
        split.methods.iter().find(|one| one.method == method)?.brier_change.value()
    }

    /// Mean change of the Brier score on the other half over trials, where it is defined.
    fn mean_change(method: RecalibrationMethod, draw: impl Fn(&mut ChaCha8Rng) -> (f64, bool)) -> f64 {
        let mut random = ChaCha8Rng::seed_from_u64(9);
        let changes: Vec<f64> = (0..200)
            .filter_map(|trial| {
                let rows: Vec<(f64, bool)> = (0..120).map(|_| draw(&mut random)).collect();
                let (confidences, outcomes): (Vec<f64>, Vec<bool>) = rows.into_iter().unzip();
                change(&split(&confidences, &outcomes, trial), method)
            })
            .collect();
        assert!(changes.len() > 50, "{method:?}: {}", changes.len());
        changes.iter().sum::<f64>() / changes.len() as f64
    }

    #[test]
    fn where_only_noise_is_left_no_map_improves_the_other_half() {
        for method in RecalibrationMethod::ALL {
            // Right already: an outcome is drawn with the stated probability.
            let gain = mean_change(method, |random| {
                let confidence = random.random_range(0.05..0.95);
                (confidence, random.random::<f64>() < confidence)
            });
            assert!(gain > 0.0, "{method:?}: {gain}");
            // Coin flips under two confidences that average to a half: nothing to find but the mean.
            let noise = mean_change(method, |random| {
                (if random.random::<bool>() { 0.5 - 1e-3 } else { 0.5 + 1e-3 }, random.random::<bool>())
            });
            assert!(noise > -1e-5, "{method:?}: {noise}");
        }
    }

    #[test]
    fn the_half_that_was_fitted_to_always_improves() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let confidences: Vec<f64> = (0..60).map(|_| random.random_range(0.0..1.0)).collect();
        let outcomes: Vec<bool> = confidences.iter().map(|&c| random.random::<f64>() < c).collect();
        let map = fit_isotonic(&confidences, &outcomes).unwrap().unwrap();
        let fitted = brier_score(&map.apply(&confidences).unwrap(), &outcomes).unwrap().value().unwrap();
        assert!(fitted < brier_score(&confidences, &outcomes).unwrap().value().unwrap());
    }

    #[test]
    fn an_overconfident_agent_is_mended_on_the_other_half() {
        for method in RecalibrationMethod::ALL {
            let gain = mean_change(method, |random| {
                let confidence: f64 = random.random_range(0.6..0.99);
                (confidence, random.random::<f64>() < 0.5 + (confidence - 0.5) / 3.0)
            });
            assert!(gain < -0.005, "{method:?}: {gain}");
        }
    }

    #[test]
    fn by_hand_with_a_fixed_temperature() {
        // Equal rows in both halves: logit(0.9) / 1.5 gives 0.812268.
        let split = split(&[0.9; 6], &[true; 6], 4);
        let fixed = &split.methods[0];
        let expected = (1.0_f64 - 0.812_268_223_2).powi(2);
        assert!((fixed.after.brier.value().unwrap() - expected).abs() < 1e-9);
        assert!((fixed.brier_change.value().unwrap() - (expected - 0.01)).abs() < 1e-9);
        assert_eq!(fixed.after.auroc.undefined_reason(), Some(Reason::OneClass));
    }

    #[test]
    fn what_cannot_be_fitted_says_why() {
        let constant = split(&[0.8; 10], &[true; 10], 1);
        let of = |method| constant.methods.iter().find(|one| one.method == method).unwrap();
        let reason = |method| of(method).after.ece.undefined_reason();
        assert_eq!(reason(RecalibrationMethod::FittedTemperature), Some(Reason::NoFit));
        assert_eq!(reason(RecalibrationMethod::Platt), Some(Reason::ZeroVariance));
        assert_eq!(reason(RecalibrationMethod::Isotonic), None);
        let one = split(&[0.8], &[true], 1);
        assert!(
            one.methods.iter().all(|one| one.after.ece.undefined_reason() == Some(Reason::TooFewSamples))
        );
        let none = split(&[], &[], 1);
        assert_eq!(none.before.brier.undefined_reason(), Some(Reason::NoSamples));
    }

    proptest! {
        #[test]
        fn answers_to_a_question_stay_in_one_half(questions in prop::collection::vec(0..6_u8, 0..40), seed in any::<u64>()) {
            let clusters = Clusters::by_id(&questions).unwrap();
            let confidences = vec![0.5; questions.len()];
            let outcomes = vec![true; questions.len()];
            let halves = Halves::of(&confidences, &outcomes, &clusters, seed);
            prop_assert!(halves.fit.questions.iter().all(|question| !halves.judged.questions.contains(question)));
            prop_assert_eq!(halves.fit.questions.len() + halves.judged.questions.len(), questions.len());
        }
    }
}
