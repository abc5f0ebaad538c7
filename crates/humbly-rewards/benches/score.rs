//! Format, exact match and MSCR with all components on Search-R1-style responses of 2 kB
//! (verl's function on the same strings: `benches/compare_rewards.py`).
#![expect(clippy::expect_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use humbly_rewards::{Mscr, MscrParams, Reward, Sample, TextScoring};

fn response(round: usize) -> String {
    let prose = "The question asks for the city, so I look for the page that names it and check the year. ";
    let page = "Doc 1(Title: \"Paris\") Paris is the capital and largest city of France, on the Seine. ";
    format!(
        "<think>{}</think><search>capital of France {round}</search>\n\n<information>{}</information>\n\n\
         <think>{}</think><confidence>{}</confidence><answer>The city of Paris</answer>",
        prose.repeat(4),
        page.repeat(12),
        prose.repeat(6),
        round % 101,
    )
}

fn scores(criterion: &mut Criterion) {
    let scoring = TextScoring::car("percent".parse().expect("a scale"));
    let reward = Mscr::new(MscrParams::default(), scoring).expect("a protocol with confidence");
    let texts: Vec<String> = (0..64).map(response).collect();
    let mut group = criterion.benchmark_group("mscr");
    group.throughput(Throughput::Elements(texts.len() as u64));
    group.bench_function("2kB", |bencher| {
        bencher.iter(|| {
            for text in &texts {
                black_box(reward.score(&Sample::new(black_box(text), &["Paris", "City of Paris"])));
            }
        });
    });
    group.finish();
    let degenerate = format!("<think>a</think><answer>{}", "{<answer>".repeat(22_000));
    criterion.bench_function("mscr/200kB_degenerate", |bencher| {
        bencher.iter(|| reward.score(&Sample::new(black_box(&degenerate), &["Paris"])));
    });
}

criterion_group! { name = benches; config = Criterion::default(); targets = scores }
criterion_main!(benches);
