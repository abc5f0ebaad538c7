//! `OpenHands` completion logs: the real ones, a folder of them, and calls in text.

mod support;

use std::fs;

use humbly_readers::{group, read};
use humbly_types::{AnswerOrigin, Outcome, Truncation};
use serde_json::{Value, json};
use support::{Collected, read_sample, read_text};

fn log(messages: &Value, answer: &Value) -> Value {
    json!({"messages": messages, "tools": [], "kwargs": {}, "timestamp": 1_757_015_025.5, "latency_sec": 1.0,
        "response": {"id": "r", "model": "m", "choices": [{"finish_reason": "stop", "message": answer}]}})
}

#[test]
fn real_logs_are_read() {
    let name =
        "openhands-llm-completions/litellm_proxy__anthropic__claude-sonnet-4-20250514-1757015025.972.json";
    let Some((outcome, read)) = read_sample(name) else { return };
    assert_eq!(outcome.format, Some("openhands-completions"));
    assert_eq!(read.problems, []);
    let one = &read.trajectories[0];
    assert_eq!((one.turns().count(), one.calls().count(), one.results().count()), (1, 1, 0));
    assert_eq!(one.outcome(), Outcome::Unfinished, "its call is not answered yet");
    assert_eq!(one.model.as_deref(), Some("litellm_proxy/claude-sonnet-4-20250514"));

    let name = "openhands-llm-completions/litellm_proxy__deepseek__deepseek-chat-1757015054.055.json";
    let (_, read) = read_sample(name).unwrap();
    let one = &read.trajectories[0];
    // The worked example in the prompt makes no turns.
    assert_eq!((one.turns().count(), one.calls().count()), (1, 1));
    assert_eq!(one.calls().next().unwrap().1.name, "terminal");
}

#[test]
fn calls_and_results_in_text_are_found() {
    let messages = json!([
        {"role": "user", "content": "EXAMPLE <function=x></function>\n--------------------- NEW TASK DESCRIPTION ---------------------\nWhen?\n--------------------- END OF NEW TASK DESCRIPTION ---------------------"},
        {"role": "assistant", "content": "I search.\n<function=search>\n<parameter=q>\nbridge\n</parameter>\n</function>"},
        {"role": "user", "content": "EXECUTION RESULT of [search]:\n1931"}]);
    // A stop word cuts the closing tag of the last call.
    let answer = json!({"role": "assistant", "content": "<function=finish>\n<parameter=message>It was 1931.</parameter>\n"});
    let (_, read) = read_text("a.json", &log(&messages, &answer).to_string());
    let one = &read.trajectories[0];
    assert_eq!(one.question.as_deref(), Some("When?"));
    assert_eq!((one.turns().count(), one.calls().count(), one.results().count()), (2, 2, 1));
    assert_eq!(one.turns().next().unwrap().visible, "I search.");
    assert_eq!(one.calls().next().unwrap().1.arguments, r#"{"q":"bridge"}"#);
    assert_eq!(one.results().next().unwrap().text, "1931");
    let answer = one.final_answer.as_ref().unwrap();
    assert_eq!((answer.text.as_str(), answer.origin), ("It was 1931.", AnswerOrigin::FinishTool));
}

#[test]
fn a_cut_generation_is_truncated() {
    let mut log =
        log(&json!([{"role": "user", "content": "q"}]), &json!({"role": "assistant", "content": "It"}));
    log["response"]["choices"][0]["finish_reason"] = json!("length");
    let (_, read) = read_text("a.json", &log.to_string());
    assert_eq!(read.trajectories[0].truncated, Truncation::Yes);
}

#[test]
fn of_a_folder_only_the_last_log_of_a_conversation_counts() {
    let folder = tempfile::tempdir().unwrap();
    let first = json!([{"role": "user", "content": "q"}]);
    let second = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "Let me think."},
        {"role": "user", "content": "go on"}]);
    let other = json!([{"role": "user", "content": "Summarise."}]);
    let say = |text: &str| json!({"role": "assistant", "content": text});
    for (time, log) in [
        ("1757015025.972", log(&first, &say("Let me think."))),
        ("1757015030.1", log(&other, &say("A summary."))),
        ("1757015100.5", log(&second, &say("Four."))),
    ] {
        fs::write(folder.path().join(format!("proxy__m-{time}.json")), log.to_string()).unwrap();
    }
    let units = group(fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect());
    assert_eq!(units.len(), 1);
    let mut collected = Collected::default();
    read(&units[0], None, &mut collected);
    let answers: Vec<_> =
        collected.trajectories.iter().map(|one| one.final_answer.as_ref().unwrap().text.as_str()).collect();
    assert_eq!(answers, ["Four.", "A summary."]);
    assert_eq!(collected.trajectories[0].turns().count(), 2);
    assert!(collected.trajectories[0].path.ends_with("1757015100.5.json"));
}
