//! Traces, messages and submissions that are damaged at one place: never a panic, and turns stay consistent.

mod support;

use proptest::prelude::*;
use serde_json::Value;
use support::{read_text, trajectories_folder};

const SAMPLES: &[&str] = &[
    "otel-genai/openai-agents-2025-09-30.trace.json",
    "otel-genai/otel_genai_client_span_tool_calls.json",
    "claude-agent-sdk-trace/claude-agent-2025-12-22.trace.json",
    "langsmith-langchain/langgraph-python-2025-08-22.trace.json",
    "langsmith-langchain/langsmith_js_wrap_openai_reasoning.json",
    "langchain-messages/generated_langchain_dumpd_state.json",
    "langchain-messages/generated_langchain_model_dump.json",
    "mcp-tool-calls/anthropic_managed_mcp_tools.jsonl",
    "gaia-submission/format_example.jsonl",
];

/// Walks down by the numbers and damages what it reaches.
fn damage(value: &mut Value, path: &[usize], how: u8) {
    let Some((first, rest)) = path.split_first() else {
        match how {
            0 => *value = Value::Null,
            1 => *value = Value::from(7),
            2 => *value = Value::Array(vec![value.clone(), value.clone()]),
            3 => *value = Value::String(value.to_string().chars().take(40).collect()),
            _ => *value = serde_json::json!({"role": {"x": []}}),
        }
        return;
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            let index = first % items.len();
            if rest.is_empty() && how == 4 {
                items.remove(index);
            } else {
                damage(&mut items[index], rest, how);
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            let key = fields.keys().nth(first % fields.len()).cloned().unwrap_or_default();
            if rest.is_empty() && how == 4 {
                fields.remove(&key);
            } else {
                damage(&mut fields[&key], rest, how);
            }
        }
        Value::String(text) => {
            // Attributes hold JSON in strings.
            if let Ok(mut inner @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(text) {
                damage(&mut inner, rest, how);
                *text = inner.to_string();
            } else {
                let end = text.char_indices().nth(first % 50).map_or(text.len(), |(at, _)| at);
                text.truncate(end);
            }
        }
        other => *other = Value::Bool(true),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_damaged_trace_is_read_or_refused(
        sample in 0..SAMPLES.len(),
        path in proptest::collection::vec(0_usize..40, 1..9),
        how in 0_u8..6,
    ) {
        let Some(folder) = trajectories_folder() else { return Ok(()) };
        let text = std::fs::read_to_string(folder.join(SAMPLES[sample])).unwrap();
        let damaged = if SAMPLES[sample].ends_with("jsonl") {
            let mut records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let index = path[0] % records.len();
            damage(&mut records[index], &path[1..], how);
            records.iter().fold(String::new(), |text, record| text + &record.to_string() + "\n")
        } else {
            let mut document: Value = serde_json::from_str(&text).unwrap();
            damage(&mut document, &path, how);
            serde_json::to_string_pretty(&document).unwrap()
        };
        let (outcome, read) = read_text("damaged.json", &damaged);
        prop_assert!(outcome.format.is_none() || outcome.trajectories > 0 || !read.problems.is_empty());
        for trajectory in &read.trajectories {
            let turns: Vec<u32> = trajectory.turns().filter_map(|step| step.turn).collect();
            prop_assert!(turns.iter().copied().eq(0..u32::try_from(turns.len()).unwrap_or(u32::MAX)), "{turns:?}");
        }
    }

    #[test]
    fn a_cut_trace_is_read_or_refused(sample in 0..SAMPLES.len(), share in 0.0_f64..1.0) {
        let Some(folder) = trajectories_folder() else { return Ok(()) };
        let bytes = std::fs::read(folder.join(SAMPLES[sample])).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let end = (bytes.len() as f64 * share) as usize;
        let (outcome, read) = read_text("cut.json", &String::from_utf8_lossy(&bytes[..end]));
        prop_assert!(outcome.trajectories > 0 || !read.problems.is_empty());
    }
}
