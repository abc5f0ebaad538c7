//! WebDancer tagged chat lists.

mod support;

use humbly_types::{StopKind, Trajectory, Truncation};
use serde_json::{Value, json};
use support::{read_sample, read_text};

const CALL: &str = "<think>look</think>\n<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": [\"a\", \"b\"]}}\n</tool_call>";

fn one(record: &Value) -> Trajectory {
    let (outcome, mut read) = read_text("w.json", &record.to_string());
    assert_eq!((outcome.format, outcome.trajectories), (Some("webdancer"), 1), "{:?}", read.problems);
    read.trajectories.remove(0)
}

fn prompt() -> Value {
    json!({"role": "user", "content": "Tools:\n<tools>\n{}\n</tools>\n<tool_call>\n{\"name\": \"x\"}\n</tool_call>\n<tool_response>\nr\n</tool_response>\n<answer> here </answer>\n\nUser: which horse?"})
}

#[test]
fn the_samples_are_read() {
    let Some((outcome, read)) = read_sample("webdancer-tagged/sample_traj_first2.jsonl") else { return };
    assert_eq!((outcome.format, outcome.trajectories), (Some("webdancer"), 2));
    for trajectory in &read.trajectories {
        assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (2, 1));
        assert_eq!(trajectory.results().count(), 1);
        assert!(trajectory.unanswered_calls().is_empty());
        assert_eq!((trajectory.truncated, trajectory.stop.kind), (Truncation::No, StopKind::Completed));
        let (_, call) = trajectory.calls().next().unwrap();
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        assert!(arguments["query"].as_array().unwrap().len() >= 3, "arguments hold a list");
        assert!(
            trajectory.turns().all(|step| !step.reasoning.is_empty() && !step.visible.contains("<think>"))
        );
        assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
    }
    let (first, second) = (&read.trajectories[0], &read.trajectories[1]);
    assert!(first.question.as_deref().unwrap().starts_with("In a prestigious British equestrian event"));
    let answer = &first.final_answer.as_ref().unwrap().text;
    assert!(answer.starts_with("The notable race") && answer.ends_with("Christmas gift-giving."));
    assert!(second.final_answer.as_ref().unwrap().text.contains("**The Archers**"));
    assert_eq!(first.references.for_correctness(), ["English horse race Derby"]);
    assert_eq!(second.references.for_correctness(), ["The Archers - Radio Soap"]);
}

#[test]
fn tags_of_the_prompt_are_no_results() {
    let record = json!({"messages": [prompt(), {"role": "assistant", "content": CALL}, {"role": "user", "content": "<tool_response>\nfound </tool_response> inside\n</tool_response>"}, {"role": "assistant", "content": "<answer>Arkle</answer>"}]});
    let trajectory = one(&record);
    assert_eq!(trajectory.question.as_deref(), Some("which horse?"));
    assert_eq!(trajectory.results().next().unwrap().text, "found </tool_response> inside");
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "Arkle");
}

#[test]
fn a_run_without_an_answer_was_cut() {
    let messages = json!([prompt(), {"role": "assistant", "content": CALL}, {"role": "user", "content": "<tool_response>\nx\n</tool_response>"}]);
    let trajectory = one(&json!({ "messages": messages, "termination": "exceed available llm calls" }));
    assert_eq!((trajectory.truncated, trajectory.stop.kind), (Truncation::Yes, StopKind::Limit));
    assert_eq!(trajectory.stop.raw.as_deref(), Some("exceed available llm calls"));
    assert!(trajectory.final_answer.is_none());
    assert_eq!(one(&messages).truncated, Truncation::Yes);
}
