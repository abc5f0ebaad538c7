//! 10,000-resample percentile interval of the mean of 5,000 real-valued scores (`SciPy`: see `peers.py`).
#![expect(clippy::expect_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use humbly_stats::calibration::{SummaryParams, summarize_calibration};
use humbly_stats::intervals::{BootstrapParams, Clusters, bootstrap_mean};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn bootstrap(criterion: &mut Criterion) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let scores: Vec<f64> = (0..5_000).map(|_| random.random()).collect();
    let outcomes: Vec<bool> = scores.iter().map(|&score| random.random::<f64>() < score).collect();
    let independent = Clusters::independent(scores.len()).expect("few rows");
    let ids: Vec<usize> = (0..scores.len()).map(|row| row / 8).collect();
    let clustered = Clusters::by_id(&ids).expect("few rows");
    let params = BootstrapParams::seeded(1);
    criterion.bench_function("bootstrap_mean/5000x10000", |bencher| {
        bencher.iter(|| bootstrap_mean(black_box(&scores), &independent, &params));
    });
    criterion.bench_function("bootstrap_mean/625_clusters_of_8x10000", |bencher| {
        bencher.iter(|| bootstrap_mean(black_box(&scores), &clustered, &params));
    });
    let summary = SummaryParams { bootstrap: Some(params), ..SummaryParams::default() };
    criterion.bench_function("summarize_calibration/5000x10000", |bencher| {
        bencher.iter(|| summarize_calibration(black_box(&scores), &outcomes, &independent, &summary));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = bootstrap
}
criterion_main!(benches);
