//! The intervals cover what they say, by simulation.

use humbly_stats::intervals::{BootstrapParams, Clusters, bootstrap_mean, wilson};
use humbly_stats::{Interval, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn covers(interval: &Interval, truth: f64) -> bool {
    interval.low <= truth && truth <= interval.high
}

#[test]
fn wilson_covers_94_to_97_percent() -> Result<()> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for n in [11, 30, 50, 100, 400] {
        let trials = 20_000;
        let mut covered = 0;
        for _ in 0..trials {
            let rate = random.random_range(0.05..0.95);
            let successes = (0..n).filter(|_| random.random::<f64>() < rate).count();
            covered += u32::from(wilson(successes, n, 0.95)?.is_ok_and(|interval| covers(&interval, rate)));
        }
        let coverage = f64::from(covered) / f64::from(trials);
        assert!((0.94..=0.97).contains(&coverage), "n {n}: {coverage}");
    }
    Ok(())
}

/// Coverage of the mean of scores drawn by `draw`, whose mean is `truth`.
fn bootstrap_coverage(n: usize, truth: f64, draw: impl Fn(&mut ChaCha8Rng) -> f64) -> Result<f64> {
    let trials = 2_500_u32;
    let clusters = Clusters::independent(n)?;
    let mut random = ChaCha8Rng::seed_from_u64(n as u64);
    let mut covered = 0;
    for trial in 0..trials {
        let scores: Vec<f64> = (0..n).map(|_| draw(&mut random)).collect();
        let params = BootstrapParams::new(1_000, 0.95, u64::from(trial))?;
        let resampled = bootstrap_mean(&scores, &clusters, &params)?;
        covered += u32::from(resampled.interval.is_ok_and(|interval| covers(&interval, truth)));
    }
    Ok(f64::from(covered) / f64::from(trials))
}

#[test]
fn bootstrap_of_means_covers_94_to_96_percent_from_100_observations() -> Result<()> {
    for n in [100, 200] {
        let uniform = bootstrap_coverage(n, 0.5, RngExt::random)?;
        assert!((0.94..=0.96).contains(&uniform), "uniform, n {n}: {uniform}");
        // Similarity scores: often 0 or 1, otherwise between.
        let similarity = bootstrap_coverage(n, 0.3 + 0.4 * 0.5, |random| match random.random::<f64>() {
            kind if kind < 0.3 => 0.0,
            kind if kind < 0.6 => 1.0,
            _ => random.random(),
        })?;
        assert!((0.94..=0.96).contains(&similarity), "similarity, n {n}: {similarity}");
    }
    Ok(())
}

#[test]
fn clustered_intervals_cover_where_independent_ones_do_not() -> Result<()> {
    let (questions, repeats, trials) = (100, 5, 1_000_u32);
    let ids: Vec<usize> = (0..questions * repeats).map(|row| row / repeats).collect();
    let (clustered, independent) = (Clusters::by_id(&ids)?, Clusters::independent(ids.len())?);
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut covered = [0_u32; 2];
    for trial in 0..trials {
        let difficulty: Vec<f64> = (0..questions).map(|_| random.random()).collect();
        let scores: Vec<f64> =
            ids.iter().map(|&question| difficulty[question] + 0.1 * random.random::<f64>()).collect();
        let params = BootstrapParams::new(1_000, 0.95, u64::from(trial))?;
        for (count, clusters) in covered.iter_mut().zip([&clustered, &independent]) {
            let resampled = bootstrap_mean(&scores, clusters, &params)?;
            *count += u32::from(resampled.interval.is_ok_and(|interval| covers(&interval, 0.55)));
        }
    }
    let [clustered, independent] = covered.map(|count| f64::from(count) / f64::from(trials));
    assert!((0.92..=0.97).contains(&clustered), "{clustered}");
    assert!(independent < 0.75, "{independent}");
    Ok(())
}
