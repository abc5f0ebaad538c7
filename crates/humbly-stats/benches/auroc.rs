//! AUROC of a million rows, continuous and with ties (scikit-learn: see `peers.py`).

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use humbly_stats::discrimination::auroc;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn area(criterion: &mut Criterion) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let continuous: Vec<f64> = (0..1_000_000).map(|_| random.random()).collect();
    let outcomes: Vec<bool> = continuous.iter().map(|&score| random.random::<f64>() < score).collect();
    let percents: Vec<f64> = continuous.iter().map(|score| (score * 100.0).round() / 100.0).collect();
    let high: Vec<f64> = continuous.iter().map(|score| 0.99 + score / 100.0).collect();
    let log_odds: Vec<f64> = continuous.iter().map(|score| (score / (1.0 - score)).ln()).collect();
    for (name, scores) in [
        ("continuous", continuous),
        ("percents", percents),
        ("within_0.99_to_1", high),
        ("log_odds", log_odds),
    ] {
        criterion.bench_function(&format!("auroc/1000000_{name}"), |bencher| {
            bencher.iter(|| auroc(black_box(&scores), &outcomes));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = area
}
criterion_main!(benches);
