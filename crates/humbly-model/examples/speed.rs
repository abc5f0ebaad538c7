//! Tokens a second: prompt, one stream, eight rows.
//!
//! `cargo run --release -p humbly-model --example speed -- [MODEL] [REPEATS] [paced]`; prints one JSON line a
//! repeat. With `paced` each repeat waits for a line on standard input, so that another program can take turns.

#![allow(clippy::print_stdout, clippy::allow_attributes, reason = "a measurement prints")]

use std::time::Instant;

use humbly_model::{BatchOptions, GenerationRequest, Model, Prompt, Sampling, fetch};

const PROMPT: usize = 512;
const DECODED: usize = 64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "smollm2-135m".to_owned());
    let repeats: usize = arguments.next().map_or(Ok(3), |repeats| repeats.parse())?;
    let paced = arguments.next().is_some_and(|argument| argument == "paced");
    let start = Instant::now();
    let model = Model::load(fetch::resolve(&name)?)?;
    println!("{{\"load_seconds\":{:.2}}}", start.elapsed().as_secs_f64());
    let start = Instant::now();
    model.warm_up()?;
    println!("{{\"warm_up_seconds\":{:.2}}}", start.elapsed().as_secs_f64());
    for _ in 0..repeats {
        if paced {
            std::io::stdin().read_line(&mut String::new())?;
        }
        let prompt = seconds(&model, 1, PROMPT, 1)?;
        let single = seconds(&model, 1, 16, DECODED)? - seconds(&model, 1, 16, 1)?;
        let eight = seconds(&model, 8, 16, DECODED)? - seconds(&model, 8, 16, 1)?;
        let decoded = (DECODED - 1) as f64;
        println!(
            "{{\"prompt_per_second\":{:.1},\"single_per_second\":{:.1},\"eight_per_second\":{:.1}}}",
            PROMPT as f64 / prompt,
            decoded / single,
            8.0 * decoded / eight,
        );
    }
    Ok(())
}

/// Wall time of a batch whose rows share nothing.
fn seconds(
    model: &Model,
    rows: usize,
    prompt: usize,
    decoded: usize,
) -> Result<f64, Box<dyn std::error::Error>> {
    let requests = (0..rows).map(|row| {
        let tokens = (0..prompt)
            .map(|index| u32::try_from(1_000 + (row * 977 + index * 131) % 40_000))
            .collect::<Result<_, _>>();
        Ok(GenerationRequest::new(Prompt::Tokens(tokens?))
            .with_sampling(Sampling::at(2.0, row as u64))
            .with_max_tokens(decoded))
    });
    let requests = requests.collect::<Result<Vec<_>, std::num::TryFromIntError>>()?;
    let start = Instant::now();
    for result in model.generate_batch(requests, BatchOptions::default(), &mut |_| ()) {
        if result?.tokens.len() != decoded {
            return Err("a row ended early, so that its speed means nothing".into());
        }
    }
    Ok(start.elapsed().as_secs_f64())
}
