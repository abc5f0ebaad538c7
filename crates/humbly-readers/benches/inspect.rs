//! Reading an `.eval` archive of 2,000 samples, zstd and deflate.

#![expect(clippy::expect_used, reason = "a benchmark that cannot build its input is no benchmark")]

use std::hint::black_box;
use std::io::{Cursor, Write};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use humbly_readers::{Input, Sink, read_input};
use humbly_types::{Problem, Trajectory};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const SAMPLES: usize = 2_000;

struct Drain(usize);

impl Sink for Drain {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.0 += trajectory.steps().len();
    }

    fn problem(&mut self, problem: Problem) {
        panic!("{problem:?}");
    }
}

/// Words that differ from sample to sample, so that compression has work to do.
fn words(seed: usize, count: usize) -> String {
    let mut state = seed as u64 + 1;
    let mut text = String::new();
    for _ in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.extend(["w".to_owned(), (state >> 44).to_string(), " ".to_owned()]);
    }
    text
}

/// A sample like those of Inspect's react agent: four turns, three lookups, events that repeat the calls.
fn sample(number: usize) -> Value {
    let mut messages = vec![
        json!({"id": format!("s{number}"), "role": "system", "content": "You are a helpful assistant."}),
        json!({"id": format!("u{number}"), "role": "user", "source": "input", "content": words(number, 20)}),
    ];
    let mut events = Vec::new();
    for turn in 0..3 {
        let (call, said) = (format!("call_{turn}"), words(number * 7 + turn, 30));
        let arguments = json!({"query": words(number * 11 + turn, 5)});
        let found = words(number * 13 + turn, 40);
        messages.push(json!({"id": format!("a{number}-{turn}"), "role": "assistant", "source": "generate",
            "content": [{"type": "reasoning", "reasoning": words(number * 5 + turn, 30)}, {"type": "text", "text": said}],
            "tool_calls": [{"id": call, "function": "lookup", "arguments": arguments, "type": "function"}]}));
        messages.push(json!({"id": format!("t{number}-{turn}"), "role": "tool", "tool_call_id": call,
            "function": "lookup", "content": found}));
        events.push(json!({"event": "model", "input": [], "input_refs": [[0, 2 + 2 * turn]], "tools":
            [{"name": "lookup", "description": "Look up a fact.", "parameters": {"type": "object"}}],
            "output": {"choices": [{"message": messages[messages.len() - 2], "stop_reason": "tool_calls"}]}}));
        events.push(json!({"event": "tool", "id": call, "function": "lookup", "arguments": arguments, "result": found}));
    }
    let answer = json!({"id": format!("f{number}"), "role": "assistant", "source": "generate", "content": words(number, 25)});
    messages.push(answer.clone());
    json!({"id": format!("q{number}"), "epoch": 1, "input": messages[1]["content"], "target": "1931",
        "messages": messages, "events": events, "events_data": {"messages": messages, "calls": []},
        "attachments": {}, "scores": {"match": {"value": "C"}},
        "output": {"choices": [{"message": answer, "stop_reason": "stop"}]}})
}

fn archive(method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for number in 0..SAMPLES {
        writer.start_file(format!("samples/q{number}_epoch_1.json"), options).expect("a new entry");
        writer.write_all(sample(number).to_string().as_bytes()).expect("memory");
    }
    writer.finish().expect("memory").into_inner()
}

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("inspect_eval");
    group.sample_size(10);
    for (name, method) in [("zstd", CompressionMethod::Zstd), ("deflate", CompressionMethod::Deflated)] {
        let bytes = archive(method);
        group.throughput(Throughput::Elements(SAMPLES as u64));
        let input = Input::bytes("run.eval", bytes);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut drain = Drain(0);
                let outcome = read_input(&input, Some("inspect"), &mut drain);
                assert_eq!(outcome.trajectories, SAMPLES);
                black_box(drain.0)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
