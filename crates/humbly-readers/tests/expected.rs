//! What an independent counter found in the real samples, against what the readers find.
//!
//! `EXPECTED.json` lies beside the samples. Every number of it that the readers have too is compared; where ours is
//! another, [`DEPARTURES`] says why, and a departure that no longer holds fails.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeMap;

use humbly_types::{ReasoningOrigin, Trajectory};
use serde_json::Value;
use support::{read_sample, trajectories_folder};

/// Sample, what is counted, theirs, ours, and why.
const DEPARTURES: &[(&str, &str, &str, &str, &str)] = &[
    (
        "claude-code-session/compaction_session.jsonl",
        "user_texts",
        "3",
        "2",
        "one is the summary of a compaction",
    ),
    (
        "claude-code-session/edge_cases.jsonl",
        "user_texts",
        "6",
        "3",
        "a caveat, a command and its output are no prompts",
    ),
    (
        "claude-code-session/full-session-askuserquestion.jsonl",
        "user_texts",
        "4",
        "1",
        "a caveat, `/clear` and its empty output are no prompts",
    ),
    (
        "claude-code-session/full-session-askuserquestion.jsonl",
        "final_text",
        "Perfect! You want to use the AI Elements",
        "",
        "text of a turn whose call nothing answers: the agent was still at work",
    ),
    (
        "claude-code-stream-json/sample-turns.json",
        "final_text",
        "Great! I've successfully completed the r",
        "Successfully removed debug print stateme",
        "the result event stands above the last text",
    ),
    ("openai-chat-messages/tau", "tool", "8", "7", "one call only thinks, and is reasoning"),
    (
        "harbor-atif/openhands_hello-world.trajectory.no_function_calling.json",
        "tool_calls",
        "0",
        "2",
        "without function calling the calls stand in the text, and their results are in the log",
    ),
    (
        "harbor-atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.json",
        "tool_calls",
        "0",
        "3",
        "terminus-2 writes its commands as JSON text: they are its calls",
    ),
    (
        "harbor-atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.cont-1.json",
        "tool_calls",
        "0",
        "2",
        "terminus-2 writes its commands as JSON text: they are its calls",
    ),
    (
        "harbor-atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.cont-1.json",
        "assistant_turns",
        "5",
        "4",
        "one is a copy of a turn of the file that this one continues",
    ),
];

type Counts = BTreeMap<&'static str, String>;

fn start(text: &str) -> String {
    text.chars().take(40).collect::<String>().trim_end().to_owned()
}

fn number(value: &Value) -> Option<String> {
    value.as_u64().map(|count| count.to_string())
}

fn sum<'t>(all: &'t [Trajectory], count: impl Fn(&'t Trajectory) -> usize) -> String {
    all.iter().map(count).sum::<usize>().to_string()
}

/// Numbers of the counter under the names by which ours are kept.
fn theirs(sample: &str, expected: &Value) -> Counts {
    let mut counts = Counts::new();
    let mut keep = |name, value: Option<String>| counts.extend(value.map(|value| (name, value)));
    let length = |key: &str| expected[key].as_array().map(|list| list.len().to_string());
    let text = |key: &str| expected[key].as_str().map(start);
    keep("models", expected["models"].as_object().and_then(|models| models.keys().next().cloned()));
    keep("parallel_turns", number(&expected["parallel_turns"]));
    keep("user_texts", number(&expected["user_texts"]).filter(|_| sample.starts_with("claude-code-session")));
    keep("unanswered", length("unanswered"));
    keep("final_text", text("final_text").or_else(|| text("final_pred")));
    keep("tool_calls", number(&expected["tool_calls"]));
    keep("output_tokens", number(&expected["sum_last_output_tokens"]));
    keep("errors", number(&expected["errors"]));
    keep("tool_results", number(&expected["tool_results"]).or_else(|| number(&expected["tool_outputs"])));
    keep("reasoning", number(&expected["reasoning_items"]));
    keep("tool", number(&expected["roles"]["tool"]));
    keep("tool_calls", length("function_ids"));
    let turns = ["assistant_turns", "llm_calls", "llm_response_ids", "rounds_recorded", "llm_generations"];
    for turns in turns
        .iter()
        .map(|key| &expected[*key])
        .chain([&expected["roles"]["assistant"], &expected["types"]["gemini"]])
    {
        keep("assistant_turns", number(turns));
    }
    keep("assistant_turns", number(&expected["sources"]["agent"]));
    if let Some(ran) = expected["all_tool_calls"].as_u64() {
        // A round with an invalid call leaves a string in the place of a call.
        keep("tool_calls", Some((ran - expected["string_entries"].as_u64().unwrap_or_default()).to_string()));
    }
    if sample.starts_with("openhands-sdk") {
        keep("tool_calls", number(&expected["kinds"]["ActionEvent"]));
        keep("tool_results", number(&expected["kinds"]["ObservationEvent"]));
    }
    counts
}

fn ours(all: &[Trajectory]) -> Counts {
    let answer = all.last().and_then(|last| last.final_answer.as_ref());
    let visible = answer.map_or("", |answer| answer.text.trim());
    let visible = visible.strip_prefix("<answer>").map_or(visible, str::trim_start);
    let visible = visible.strip_suffix("</answer>").map_or(visible, str::trim_end);
    Counts::from([
        ("models", all.first().and_then(|first| first.model.clone()).unwrap_or_default()),
        ("parallel_turns", sum(all, |one| one.turns().filter(|turn| turn.calls.len() > 1).count())),
        ("user_texts", sum(all, |one| one.steps().iter().filter(|step| step.is_prompt()).count())),
        ("unanswered", sum(all, |one| one.unanswered_calls().len())),
        ("final_text", start(visible)),
        ("tool_calls", sum(all, |one| one.calls().count())),
        ("output_tokens", all.iter().filter_map(|one| one.usage.output).sum::<u64>().to_string()),
        ("errors", sum(all, |one| one.results().filter(|result| result.is_error == Some(true)).count())),
        ("tool_results", sum(all, |one| one.results().count())),
        ("tool", sum(all, |one| one.results().count())),
        (
            "reasoning",
            sum(all, |one| {
                let origins = [ReasoningOrigin::Summary, ReasoningOrigin::Encrypted];
                one.turns()
                    .flat_map(|turn| &turn.reasoning)
                    .filter(|part| origins.contains(&part.origin))
                    .count()
            }),
        ),
        ("assistant_turns", sum(all, |one| one.turns().count())),
    ])
}

#[test]
fn every_sample_has_the_counts_of_the_independent_counter() {
    let Some(folder) = trajectories_folder() else { return };
    let expected = std::fs::read_to_string(folder.join("EXPECTED.json")).unwrap();
    let expected: BTreeMap<String, Value> = serde_json::from_str(&expected).unwrap();
    assert!(expected.len() >= 20, "{}", expected.len());
    let (mut compared, mut departed, mut differences) = (0, 0, Vec::new());
    for (sample, expected) in &expected {
        let file = match sample.as_str() {
            "openai-chat-messages/tau" => "openai-chat-messages/tau_bench_gpt4o_airline_first2.json",
            file => file,
        };
        let (_, read) = read_sample(file).unwrap();
        let ours = ours(&read.trajectories);
        let theirs = theirs(sample, expected);
        assert!(!theirs.is_empty(), "{sample}: nothing of {expected} is compared");
        for (name, theirs) in theirs {
            let known = DEPARTURES.iter().find(|(file, what, ..)| *file == sample && *what == name);
            let agreed = known.map_or((theirs.as_str(), theirs.as_str()), |known| (known.2, known.3));
            if agreed != (theirs.as_str(), ours[name].as_str()) {
                differences.push(format!("{sample}, {name}: theirs {theirs}, ours {}", ours[name]));
            }
            departed += usize::from(known.is_some());
            compared += 1;
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(departed, DEPARTURES.len(), "a departure that names no sample");
    assert!(compared >= 90, "{compared}");
}
