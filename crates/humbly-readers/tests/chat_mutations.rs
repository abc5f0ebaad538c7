//! Chat lists, tagged text and agent sessions damaged at every key path: never a panic, turns consistent.

#![expect(clippy::unwrap_used, reason = "the samples are whole")]

mod support;

use proptest::prelude::*;
use serde_json::Value;
use support::{Collected, read_text, trajectories_folder};

const SAMPLES: &[&str] = &[
    "openai-chat-messages/tau_bench_gpt4o_airline_first2.json",
    "openai-chat-messages/verifiers_mcp_env_results.jsonl",
    "qwen-agent/generated_fncallagent_run.json",
    "qwen-agent/generated_stream_snapshots.jsonl",
    "toolorchestra/generated_run_single_ex-0001.json",
    "webdancer-tagged/sample_traj_first2.jsonl",
    "gemini-cli-session/session-2025-10-29T10-36-453aa339.json",
    "swe-agent-traj/6e44b9__sweagenttestrepo-1c2844.traj",
    "swe-agent-traj/function_calling_simple.traj",
    "mini-swe-agent-traj/local.traj.json",
];
/// So many paths of a sample are damaged, evenly spread.
const MOST_PATHS: usize = 150;

/// Pointers to every value below `value`.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below = |key: &str, inner: &Value| {
        let pointer = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        pointers(inner, &pointer, found);
        found.push(pointer);
    };
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| below(&index.to_string(), item));
        }
        Value::Object(fields) => fields.iter().for_each(|(key, inner)| below(key, inner)),
        _ => {}
    }
}

fn damaged(value: &Value, pointer: &str, how: usize) -> Value {
    let mut value = value.clone();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    if how == 0 {
        match value.pointer_mut(parent) {
            Some(Value::Array(items)) => drop(items.remove(key.parse().unwrap())),
            Some(Value::Object(fields)) => drop(fields.remove(&key.replace("~1", "/").replace("~0", "~"))),
            _ => {}
        }
        return value;
    }
    let target = value.pointer_mut(pointer).unwrap();
    *target = match (how, target.take()) {
        (1, inner) => Value::Array(vec![inner.clone(), inner]),
        (2, Value::String(_)) => Value::from(7),
        (2, _) => Value::String("\"{".to_owned()),
        (3, Value::String(text)) => Value::String(text.chars().take(text.chars().count() / 2).collect()),
        _ => Value::Null,
    };
    value
}

fn check(read: &Collected) {
    for trajectory in &read.trajectories {
        let turns: Vec<_> = trajectory.turns().filter_map(|step| step.turn).collect();
        assert!(turns.iter().copied().eq(0..u32::try_from(turns.len()).unwrap()));
        if let Some(last) = trajectory.final_turn() {
            assert!(turns.contains(&last));
        }
        trajectory.unanswered_calls();
        trajectory.outcome();
    }
    assert!(!read.trajectories.is_empty() || !read.problems.is_empty());
}

#[test]
fn a_sample_damaged_at_any_path_is_read_or_refused() {
    let Some(folder) = trajectories_folder() else { return };
    for sample in SAMPLES {
        let text = std::fs::read_to_string(folder.join(sample)).unwrap();
        let is_jsonl = sample.rsplit_once('.').is_some_and(|(_, kind)| kind == "jsonl");
        let document: Value = if is_jsonl {
            text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
        } else {
            serde_json::from_str(&text).unwrap()
        };
        let mut paths = Vec::new();
        pointers(&document, "", &mut paths);
        let stride = paths.len().div_ceil(MOST_PATHS).max(1);
        for (number, pointer) in paths.iter().step_by(stride).enumerate() {
            let value = damaged(&document, pointer, number % 5);
            let text = match &value {
                Value::Array(records) if is_jsonl => {
                    records.iter().fold(String::new(), |text, record| text + &record.to_string() + "\n")
                }
                whole => whole.to_string(),
            };
            let (_, read) = read_text(sample, &text);
            if !text.trim().is_empty() {
                check(&read);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_sample_cut_anywhere_is_read_or_refused(sample in 0..SAMPLES.len(), part in 0.0_f64..1.0) {
        let Some(folder) = trajectories_folder() else { return Ok(()) };
        let text = std::fs::read_to_string(folder.join(SAMPLES[sample])).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share of a length")]
        let mut end = (text.len() as f64 * part) as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let (_, read) = read_text(SAMPLES[sample], &text[..end]);
        check(&read);
    }
}

#[test]
fn hostile_text_takes_linear_time() {
    let started = std::time::Instant::now();
    let many = |piece: &str| piece.repeat(200_000 / piece.len());
    for text in [
        many("<tool_call>"),
        many("<tool_call>{\"name\":\""),
        many("<tool_response>"),
        many("</tool_response>"),
        many("✿FUNCTION✿: a\n✿ARGS✿: "),
        many("<answer>"),
    ] {
        let list = serde_json::json!([{"role": "user", "content": "q <answer>"}, {"role": "assistant", "content": text}, {"role": "user", "content": format!("<tool_response>{text}")}]);
        check(&read_text("h.json", &list.to_string()).1);
    }
    for piece in
        ["<search>", "<information>", "My previous action is invalid.", "<search>a</search><information>"]
    {
        check(&read_text("h.txt", &format!("<search>a</search><answer>{}", many(piece))).1);
    }
    let calls: Vec<_> = (0..20_000)
        .map(|_| serde_json::json!({"id": "x", "function": {"name": "f", "arguments": "{}"}}))
        .collect();
    let mut messages = vec![serde_json::json!({"role": "assistant", "content": null, "tool_calls": calls})];
    messages.extend(
        (0..20_000).map(|_| serde_json::json!({"role": "tool", "tool_call_id": "x", "content": "r"})),
    );
    check(&read_text("i.json", &serde_json::json!(messages).to_string()).1);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
