//! No reader panics, whatever a real log turns into: keys dropped, doubled, retyped, cut, and bytes broken.

#![expect(clippy::unwrap_used, reason = "a sample that cannot be read fails the test")]

mod support;

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use humbly_readers::{Episodes, Input, formats, read_input, split_episodes};
use serde_json::Value;
use support::{Collected, trajectories_folder};

/// Long strings are cut to this before a log is mutated: its structure is what matters here.
const LONGEST_STRING: usize = 1500;
/// So many bytes are read for each file, all mutations together.
const BYTES_A_FILE: usize = 3 << 20;
const MOST_MUTATIONS: usize = 400;
const FEWEST_MUTATIONS: usize = 40;

/// `SplitMix64`, so that a failure is found again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit.max(1) as u64)).unwrap()
    }
}

#[derive(Clone, Debug)]
enum Key {
    Field(String),
    Item(usize),
}

fn paths(value: &Value, at: &mut Vec<Key>, found: &mut Vec<Vec<Key>>) {
    let mut visit = |key: Key, child: &Value| {
        at.push(key);
        found.push(at.clone());
        paths(child, at, found);
        at.pop();
    };
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, child)| visit(Key::Field(key.clone()), child));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, child)| visit(Key::Item(index), child));
        }
        _ => {}
    }
}

fn parent<'a>(value: &'a mut Value, path: &[Key]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, key| match key {
        Key::Field(name) => value.get_mut(name.as_str()),
        Key::Item(index) => value.get_mut(index),
    })
}

/// Changes the value at `path` in one of the ways that logs are found changed.
fn mutate(document: &mut Value, path: &[Key], random: &mut Random) -> Option<()> {
    let (last, above) = path.split_last()?;
    let parent = parent(document, above)?;
    let kind = random.below(8);
    if kind < 2 {
        match (parent, last) {
            (Value::Object(fields), Key::Field(name)) if kind == 0 => drop(fields.remove(name)),
            (Value::Array(items), Key::Item(index)) if kind == 0 => {
                drop((*index < items.len()).then(|| items.remove(*index)));
            }
            (Value::Array(items), Key::Item(index)) if *index < items.len() => {
                items.insert(*index, items[*index].clone());
            }
            (Value::Object(fields), Key::Field(name)) => {
                let copy = fields.get(name)?.clone();
                // The same value under a neighbour's name.
                let other = fields.keys().nth(random.below(fields.len()))?.clone();
                fields.insert(other, copy);
            }
            _ => {}
        }
        return Some(());
    }
    let value = match last {
        Key::Field(name) => parent.get_mut(name.as_str()),
        Key::Item(index) => parent.get_mut(index),
    }?;
    *value = if kind < 4 { cut(value) } else { retype(value, random) };
    Some(())
}

fn cut(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.chars().take(text.chars().count() / 2).collect()),
        Value::Array(items) => Value::Array(items[..items.len() / 2].to_vec()),
        Value::Object(fields) => Value::Object(
            fields.iter().take(fields.len() / 2).map(|(key, value)| (key.clone(), value.clone())).collect(),
        ),
        Value::Number(_) => serde_json::json!(-1),
        _ => Value::Null,
    }
}

fn retype(value: &Value, random: &mut Random) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => Value::Bool(true),
        2 => serde_json::json!(u64::MAX),
        3 => serde_json::json!(-1.5e300),
        4 => Value::String(String::new()),
        5 => Value::String("<think>\u{0}{\"a\":[".into()),
        6 => serde_json::json!([]),
        7 => serde_json::json!({}),
        8 => serde_json::json!([[null, "x"], {"type": "text", "text": 7}]),
        9 => Value::Array(vec![value.clone()]),
        10 => serde_json::json!({ "content": value }),
        _ => Value::String(value.to_string()),
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > LONGEST_STRING => {
            *text = text.chars().take(LONGEST_STRING).collect();
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

/// A log as its JSON documents: one, or one for each line.
fn documents(text: &str) -> Option<Vec<Value>> {
    if let Ok(document) = serde_json::from_str(text) {
        return Some(vec![document]);
    }
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    (!lines.is_empty()).then_some(lines)
}

fn written(documents: &[Value]) -> Vec<u8> {
    let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    lines.join("\n").into_bytes()
}

/// Reads bytes and asks everything that a scorer asks; a panic names the mutation.
fn survives(name: &str, bytes: Vec<u8>, forced: Option<&str>, what: &str) {
    let kept = bytes.clone();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut read = Collected::default();
        read_input(&Input::bytes(name, bytes), forced, &mut read);
        for trajectory in read.trajectories {
            for episode in split_episodes(trajectory, Episodes::Each) {
                let _ = (episode.outcome(), episode.unanswered_calls().len(), episode.final_step().is_some());
                assert!(episode.intermediate_turns().count() <= episode.turns().count());
            }
        }
    }));
    if outcome.is_err() {
        let path = std::env::temp_dir().join("humbly-mutation");
        std::fs::write(&path, kept).unwrap();
        panic!("{name} read as {forced:?} after {what}; the log is in {}", path.display());
    }
}

fn samples(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.is_file() && path.file_name().unwrap() != "SOURCE.txt")
        .collect();
    files.sort();
    files
}

fn mutate_file(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut read = Collected::default();
    let format = read_input(&Input::bytes(&name, bytes.clone()), None, &mut read).format;
    let mut random = Random(0xC0FF_EE00 ^ name.len() as u64);
    let rounds = |length: usize| (BYTES_A_FILE / length.max(1)).clamp(FEWEST_MUTATIONS, MOST_MUTATIONS);
    for round in 0..rounds(bytes.len()) / 4 {
        let mut broken = bytes.clone();
        if round % 2 == 0 {
            broken.truncate(random.below(bytes.len()));
        } else {
            for _ in 0..=random.below(8) {
                let at = random.below(broken.len());
                broken[at] ^= 1 << random.below(8);
            }
        }
        survives(&name, broken, format, "broken bytes");
    }
    let Some(mut originals) = String::from_utf8(bytes).ok().and_then(|text| documents(&text)) else { return };
    originals.iter_mut().for_each(shorten);
    let mut places = Vec::new();
    for (index, document) in originals.iter().enumerate() {
        let mut found = Vec::new();
        paths(document, &mut Vec::new(), &mut found);
        places.extend(found.into_iter().map(|path| (index, path)));
    }
    for round in 0..rounds(written(&originals).len()) {
        let mut documents = originals.clone();
        let mut what = String::new();
        for _ in 0..=random.below(2) {
            let Some((index, path)) = places.get(random.below(places.len())) else { return };
            let _ = write!(what, "{index} {path:?} ");
            let _ = mutate(&mut documents[*index], path, &mut random);
        }
        let forced = if round % 3 == 0 { None } else { format };
        survives(&name, written(&documents), forced, &what);
    }
}

#[test]
fn no_mutation_of_a_real_log_makes_a_reader_panic() {
    let Some(folder) = trajectories_folder() else { return };
    let files = samples(&folder);
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    mutate_file(file);
                }
            });
        }
    });
    assert!(files.len() > 20);
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_any_reader_panic(bytes: Vec<u8>, text in "[\\[{\"a-z:,}\\]\\\\\n ]{0,200}") {
        survives("log.jsonl", bytes.clone(), None, "arbitrary bytes");
        survives("log.jsonl", text.clone().into_bytes(), None, "arbitrary text");
        for reader in formats() {
            survives("log.jsonl", bytes.clone(), Some(reader.info().name), "arbitrary bytes");
            survives("log.jsonl", text.clone().into_bytes(), Some(reader.info().name), "arbitrary text");
        }
    }

    #[test]
    fn no_json_makes_any_reader_panic(json in json()) {
        for reader in formats() {
            survives("log.json", json.to_string().into_bytes(), Some(reader.info().name), "arbitrary JSON");
        }
    }
}

/// JSON of the keys and values that formats look for.
fn json() -> impl proptest::strategy::Strategy<Value = Value> {
    use proptest::prelude::*;
    let words = [
        "type",
        "role",
        "content",
        "text",
        "message",
        "messages",
        "assistant",
        "user",
        "tool",
        "tool_calls",
        "id",
        "uuid",
        "steps",
        "history",
        "payload",
        "response_item",
        "parts",
        "output",
        "input",
        "name",
        "arguments",
        "function",
        "sessionId",
        "event",
        "action",
        "observation",
        "tool_use",
        "tool_result",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Into::into),
        proptest::sample::select(words.to_vec()).prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 8, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            proptest::collection::vec((proptest::sample::select(words.to_vec()), inner), 0..8).prop_map(
                |fields| Value::Object(
                    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
                )
            ),
        ]
    })
}
