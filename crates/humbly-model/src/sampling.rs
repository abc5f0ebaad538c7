//! From logits to a token.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::error::{ModelError, Result};

/// How tokens are drawn.
///
/// In this order: repetition penalty, temperature, `top_k`, `top_p`. Greedy where the temperature is 0.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sampling {
    /// Divides the logits; 0 takes the most probable token.
    pub temperature: f64,
    /// Keeps the most probable tokens up to this mass, in `(0, 1]`.
    pub top_p: f64,
    /// Keeps this many of the most probable tokens; `None` keeps all.
    pub top_k: Option<usize>,
    /// Divides positive logits of tokens that were seen and multiplies negative ones; 1 is off.
    pub repetition_penalty: f64,
    /// Seed of the draws.
    pub seed: u64,
}

impl Sampling {
    /// The most probable token at each step.
    pub const fn greedy() -> Self {
        Self { temperature: 0.0, top_p: 1.0, top_k: None, repetition_penalty: 1.0, seed: 0 }
    }

    /// Draws at a temperature from a seed.
    pub const fn at(temperature: f64, seed: u64) -> Self {
        Self { temperature, seed, ..Self::greedy() }
    }

    /// The same with `top_p`.
    #[must_use]
    pub const fn with_top_p(self, top_p: f64) -> Self {
        Self { top_p, ..self }
    }

    /// The same with `top_k`.
    #[must_use]
    pub const fn with_top_k(self, top_k: usize) -> Self {
        Self { top_k: Some(top_k), ..self }
    }

    /// The same with a repetition penalty.
    #[must_use]
    pub const fn with_repetition_penalty(self, repetition_penalty: f64) -> Self {
        Self { repetition_penalty, ..self }
    }

    fn is_greedy(&self) -> bool {
        self.temperature <= 0.0
    }

    pub(crate) fn penalises(&self) -> bool {
        (self.repetition_penalty - 1.0).abs() > 0.0
    }

    pub(crate) fn check(&self) -> Result<()> {
        let setting = |name, found, expected| Err(ModelError::Setting { name, found, expected });
        if !(self.temperature >= 0.0 && self.temperature.is_finite()) {
            return setting("temperature", self.temperature, "a finite number from 0");
        }
        if !(self.top_p > 0.0 && self.top_p <= 1.0) {
            return setting("top_p", self.top_p, "a number above 0 and up to 1");
        }
        if self.top_k == Some(0) {
            return setting("top_k", 0.0, "a whole number from 1");
        }
        if !(self.repetition_penalty > 0.0 && self.repetition_penalty.is_finite()) {
            return setting("repetition_penalty", self.repetition_penalty, "a positive finite number");
        }
        Ok(())
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self::greedy()
    }
}

/// Draws tokens of one row.
#[derive(Debug)]
pub(crate) struct Sampler {
    settings: Sampling,
    random: ChaCha8Rng,
}

impl Sampler {
    pub(crate) fn new(settings: Sampling) -> Self {
        let random = ChaCha8Rng::seed_from_u64(settings.seed);
        Self { settings, random }
    }

    /// The next token; `seen` are the tokens that the repetition penalty counts.
    pub(crate) fn draw(&mut self, logits: &[f32], seen: &[u32]) -> u32 {
        let settings = &self.settings;
        if settings.is_greedy() && !settings.penalises() {
            return greatest(logits);
        }
        let mut scores: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
        if settings.penalises() {
            let mut seen = seen.to_vec();
            seen.sort_unstable();
            seen.dedup();
            for token in seen {
                if let Some(score) = scores.get_mut(token as usize) {
                    let penalty = settings.repetition_penalty;
                    *score = if *score > 0.0 { *score / penalty } else { *score * penalty };
                }
            }
        }
        if settings.is_greedy() {
            return greatest(&scores);
        }
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut candidates: Vec<(u32, f64)> = (0..)
            .zip(&scores)
            .map(|(token, score)| (token, ((score - top) / settings.temperature).exp()))
            .collect();
        let by_mass = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if let Some(count) = settings.top_k.filter(|count| *count < candidates.len()) {
            candidates.select_nth_unstable_by(count - 1, by_mass);
            candidates.truncate(count);
        }
        if settings.top_p < 1.0 {
            candidates.sort_unstable_by(by_mass);
            let limit = candidates.iter().map(|(_, mass)| mass).sum::<f64>() * settings.top_p;
            let mut mass = 0.0;
            let kept = candidates.iter().take_while(|(_, share)| {
                let takes = mass < limit;
                mass += share;
                takes
            });
            let count = kept.count().max(1);
            candidates.truncate(count);
        } else {
            candidates.sort_unstable_by_key(|(token, _)| *token);
        }
        let total: f64 = candidates.iter().map(|(_, mass)| mass).sum();
        let mut point = self.uniform() * total;
        for (token, mass) in &candidates {
            point -= mass;
            if point < 0.0 {
                return *token;
            }
        }
        candidates.last().map_or_else(|| greatest(logits), |(token, _)| *token)
    }

    /// In `[0, 1)`, 53 bits.
    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The first of the greatest.
fn greatest<T: PartialOrd + Copy>(values: &[T]) -> u32 {
    let mut best: Option<(u32, T)> = None;
    for (index, value) in (0..).zip(values) {
        if best.is_none_or(|(_, greatest)| *value > greatest) {
            best = Some((index, *value));
        }
    }
    best.map_or(0, |(index, _)| index)
}

/// Natural logarithm of the sum of exponentials, in f64.
pub(crate) fn log_sum_exp(logits: &[f32]) -> f64 {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|logit| (f64::from(*logit) - f64::from(top)).exp()).sum();
    f64::from(top) + sum.ln()
}

/// The `count` most probable tokens with their log-probabilities, best first.
pub(crate) fn most_probable(logits: &[f32], total: f64, count: usize) -> Vec<(u32, f64)> {
    let mut order: Vec<(u32, f32)> = (0..).zip(logits.iter().copied()).collect();
    let by_score = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if count == 0 {
        return Vec::new();
    }
    if count < order.len() {
        order.select_nth_unstable_by(count - 1, by_score);
        order.truncate(count);
    }
    order.sort_unstable_by(by_score);
    order.into_iter().map(|(token, score)| (token, f64::from(score) - total)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(settings: &Sampling, logits: &[f32]) -> Vec<usize> {
        let mut counts = vec![0; logits.len()];
        let mut sampler = Sampler::new(settings.clone());
        for _ in 0..20_000 {
            counts[sampler.draw(logits, &[]) as usize] += 1;
        }
        counts
    }

    #[test]
    fn draws_follow_the_softmax() {
        let logits = [0.0, 1.0_f32, 2.0, -1.0];
        for temperature in [0.5, 1.0, 2.0] {
            let total: f64 = logits.iter().map(|l| (f64::from(*l) / temperature).exp()).sum();
            for (count, logit) in counts(&Sampling::at(temperature, 7), &logits).iter().zip(logits) {
                let expected = (f64::from(logit) / temperature).exp() / total;
                assert!(
                    (*count as f64 / 20_000.0 - expected).abs() < 0.012,
                    "{temperature}: {count} for {expected}"
                );
            }
        }
    }

    #[test]
    fn top_k_and_top_p_cut_the_tail() {
        let logits = [1.0_f32, 3.0, 2.0, 0.0];
        assert_eq!(counts(&Sampling::at(1.0, 1).with_top_k(2), &logits)[0], 0);
        assert_eq!(counts(&Sampling::at(1.0, 1).with_top_k(1), &logits)[1], 20_000);
        // The masses are 0.087, 0.644, 0.237, 0.032.
        let cut = counts(&Sampling::at(1.0, 1).with_top_p(0.7), &logits);
        assert_eq!((cut[0], cut[3]), (0, 0));
        assert!(cut[2] > 4_000);
        assert_eq!(counts(&Sampling::at(1.0, 1).with_top_p(1e-9), &logits)[1], 20_000);
    }

    #[test]
    fn a_penalty_turns_greedy_away_from_what_was_seen() {
        let mut sampler = Sampler::new(Sampling::greedy().with_repetition_penalty(2.0));
        assert_eq!(sampler.draw(&[1.0, 3.0, 2.0], &[1]), 2);
        assert_eq!(sampler.draw(&[-1.0, -0.9, -9.0], &[1, 1]), 0);
    }

    #[test]
    fn the_same_seed_draws_the_same() {
        let logits: Vec<f32> = (0..50).map(|i| (i % 7) as f32).collect();
        let draw = |seed| {
            let mut sampler = Sampler::new(Sampling::at(1.0, seed).with_top_p(0.9));
            (0..30).map(|_| sampler.draw(&logits, &[])).collect::<Vec<_>>()
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        assert!(Sampling::at(-1.0, 0).check().is_err());
        assert!(Sampling::at(f64::NAN, 0).check().is_err());
        assert!(Sampling::at(1.0, 0).with_top_p(0.0).check().is_err());
        assert!(Sampling::at(1.0, 0).with_top_p(1.1).check().is_err());
        assert!(Sampling::at(1.0, 0).with_top_k(0).check().is_err());
        assert!(Sampling::greedy().with_repetition_penalty(0.0).check().is_err());
        assert!(Sampling::at(0.7, 0).with_top_p(0.9).with_top_k(40).check().is_ok());
    }

    proptest! {
        #[test]
        fn a_draw_is_always_in_the_vocabulary(
            logits in proptest::collection::vec(-50_f32..50.0, 1..40), temperature in 0.0..3.0_f64, seed: u64, top_p in 0.01..=1.0_f64,
        ) {
            let mut sampler = Sampler::new(Sampling::at(temperature, seed).with_top_p(top_p));
            prop_assert!((sampler.draw(&logits, &[0]) as usize) < logits.len());
        }

        #[test]
        fn log_probabilities_sum_to_one(logits in proptest::collection::vec(-50_f32..50.0, 1..40)) {
            let top = most_probable(&logits, log_sum_exp(&logits), logits.len());
            prop_assert!((top.iter().map(|(_, log)| log.exp()).sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(top.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        }
    }
}
