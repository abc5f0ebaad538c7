//! Times MSCR with format and exact match over responses from standard input.
//!
//! One JSON object a line, `response` and `references`; prints the seconds of each pass and a check sum. Scores one
//! by one, or with `batch` behind the number of passes all in one call. `benches/compare_rewards.py` runs it beside
//! verl's function, `benches/python_batch.py` beside the same from Python.
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::io::BufRead;
use std::time::Instant;

use humbly_rewards::{Component, Mscr, MscrParams, Reward, Sample, TextScoring};
use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let passes: usize = std::env::args().nth(1).unwrap_or_else(|| "5".to_owned()).parse()?;
    let reward = Mscr::new(MscrParams::default(), TextScoring::car("percent".parse()?))?;
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let references = row["references"].as_array().ok_or("no references")?;
        let references = references.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        rows.push((row["response"].as_str().ok_or("no response")?.to_owned(), references));
    }
    let references: Vec<Vec<&str>> =
        rows.iter().map(|(_, references)| references.iter().map(String::as_str).collect()).collect();
    let samples: Vec<Sample<'_>> = rows
        .iter()
        .zip(&references)
        .map(|((response, _), references)| Sample::new(response, references))
        .collect();
    let is_batch = std::env::args().nth(2).is_some_and(|how| how == "batch");
    for _ in 0..passes {
        let started = Instant::now();
        if is_batch {
            let scored = reward.score_batch(&samples);
            let seconds = started.elapsed().as_secs_f64();
            let total = |component| scored.iter().map(|one| one.components.value(component)).sum::<f64>();
            let (score, right, valid) =
                (total(Component::Score), total(Component::Correct), total(Component::FormatValid));
            println!("{seconds:.6} {score:.6} {right} {valid}");
            continue;
        }
        let (mut total, mut right, mut valid) = (0.0, 0.0, 0.0);
        for sample in &samples {
            let components = reward.score(sample).components;
            total += components.value(Component::Score);
            right += components.value(Component::Correct);
            valid += components.value(Component::FormatValid);
        }
        println!("{:.6} {total:.6} {right} {valid}", started.elapsed().as_secs_f64());
    }
    Ok(())
}
