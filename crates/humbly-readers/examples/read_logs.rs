//! Makes a set of logs out of real ones, and times how long reading takes.
//!
//! ```text
//! read_logs make FOLDER COUNT SAMPLE…   copies the samples in turn, with new ids, numbers and words
//! read_logs read PATH…                  reads every file below, prints counts and seconds of CPU and wall
//! ```

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for measuring, run by hand")]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use humbly_readers::{Sink, group, read};
use humbly_types::{Problem, Trajectory};
use xxhash_rust::xxh3::xxh3_64_with_seed;

#[derive(Default)]
struct Counts {
    trajectories: usize,
    turns: usize,
    bytes: usize,
    problems: usize,
}

impl Sink for Counts {
    fn trajectory(&mut self, trajectory: Trajectory) {
        self.trajectories += 1;
        self.turns += trajectory.turns().count();
        self.bytes += trajectory.steps().iter().map(|step| step.visible.len()).sum::<usize>();
    }

    fn problem(&mut self, _: Problem) {
        self.problems += 1;
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((verb, rest)) if verb == "make" && rest.len() > 2 => make(rest),
        Some((verb, rest)) if verb == "read" && !rest.is_empty() => read_all(rest),
        _ => println!("read_logs make FOLDER COUNT SAMPLE… | read_logs read PATH…"),
    }
}

fn read_all(paths: &[String]) {
    let mut files = Vec::new();
    for path in paths {
        collect(Path::new(path), &mut files);
    }
    let bytes: u64 = files.iter().map(|file| std::fs::metadata(file).unwrap().len()).sum();
    let count = files.len();
    for _ in 0..3 {
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let units = group(files.clone());
        let grouped = start.elapsed();
        let mut counts = Counts::default();
        for unit in &units {
            read(unit, None, &mut counts);
        }
        println!(
            "{count} files, {:.1} MB: {} trajectories, {} turns, {} bytes of text, {} problems; \
             grouping {:.3} s, all {:.3} s wall, {:.3} s CPU",
            bytes as f64 / 1e6,
            counts.trajectories,
            counts.turns,
            counts.bytes,
            counts.problems,
            grouped.as_secs_f64(),
            start.elapsed().as_secs_f64(),
            cpu_seconds() - cpu,
        );
    }
}

/// User and system time of this process, from the kernel (Linux; 0 elsewhere).
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), files);
        }
    } else {
        files.push(path.to_owned());
    }
}

fn make(arguments: &[String]) {
    let folder = Path::new(&arguments[0]);
    let count: u64 = arguments[1].parse().unwrap();
    std::fs::create_dir_all(folder).unwrap();
    let samples: Vec<(String, String, HashSet<String>)> = arguments[2..]
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let extension = path.rsplit('.').next().unwrap().to_owned();
            let kept = structure(&text);
            (extension, text, kept)
        })
        .collect();
    for number in 0..count {
        let (extension, text, kept) = &samples[usize::try_from(number).unwrap() % samples.len()];
        let copy = renewed(text, kept, number + 1);
        std::fs::write(folder.join(format!("log-{number:06}.{extension}")), copy).unwrap();
    }
}

/// Words that carry structure: keys, and values of keys that a reader looks at.
fn structure(text: &str) -> HashSet<String> {
    fn visit(value: &serde_json::Value, kept: &mut HashSet<String>) {
        match value {
            serde_json::Value::Object(fields) => {
                for (key, value) in fields {
                    kept.extend(words(key));
                    if matches!(
                        key.as_str(),
                        "type" | "role" | "subtype" | "name" | "stop_reason" | "version"
                    ) {
                        kept.extend(value.as_str().into_iter().flat_map(words));
                    }
                    visit(value, kept);
                }
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| visit(item, kept)),
            _ => {}
        }
    }
    let mut kept: HashSet<String> = ["true", "false", "null"].map(str::to_owned).into();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).for_each(|line| visit(&line, &mut kept));
    kept
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).map(str::to_owned)
}

/// The text with most words and all ids replaced, the same word by the same word within a copy.
fn renewed(text: &str, kept: &HashSet<String>, number: u64) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_alphanumeric()) {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let length = from.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(from.len());
        let (word, after) = from.split_at(length);
        rest = after;
        // The letters of an escape stay.
        let escape = match (before.ends_with('\\'), word.starts_with('u')) {
            (true, true) => 5.min(word.len()),
            (true, false) => 1,
            _ => 0,
        };
        let (head, tail) = word.split_at(escape);
        out.push_str(head);
        let hash = xxh3_64_with_seed(tail.as_bytes(), number);
        let is_id = tail.len() > 5 && tail.bytes().any(|byte| byte.is_ascii_digit());
        if kept.contains(tail) || tail.len() < 3 || !(is_id || hash % 10 < 7) {
            out.push_str(tail);
            continue;
        }
        let mut bits = hash;
        for (index, byte) in tail.bytes().enumerate() {
            bits = bits.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let draw = u8::try_from(bits >> 40 & 0xFF).unwrap();
            out.push(char::from(match byte {
                b'0'..=b'9' if index == 0 => byte,
                b'0'..=b'9' => b'0' + draw % 10,
                b'a'..=b'z' => b'a' + draw % 26,
                _ => b'A' + draw % 26,
            }));
        }
    }
    out.push_str(rest);
    out
}
