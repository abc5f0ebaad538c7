//! Qwen-Agent message lists.

#![expect(clippy::unwrap_used, reason = "what a log lacks fails its test")]

mod support;

use humbly_types::{ErrorOrigin, StopKind, Trajectory, Truncation};
use serde_json::{Value, json};
use support::{read_sample, read_text};

fn read(name: &str, text: &str) -> Vec<Trajectory> {
    let (outcome, read) = read_text(name, text);
    assert_eq!(outcome.format, Some("qwen-agent"));
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    read.trajectories
}

fn call(id: &str, query: &str) -> Value {
    json!({"role": "assistant", "content": "", "function_call": {"name": "s", "arguments": json!({"q": query}).to_string()}, "extra": {"function_id": id}})
}

fn result(id: &str, text: &str) -> Value {
    json!({"role": "function", "name": "s", "content": text, "extra": {"function_id": id}})
}

fn check_generated_run(trajectory: &Trajectory) {
    // Six assistant messages are three generations.
    assert_eq!(trajectory.turns().count(), 3);
    let turns: Vec<_> = trajectory.turns().collect();
    assert_eq!(turns[0].reasoning[0].text, "I recall 1930, but I should verify it.");
    assert_eq!((turns[0].visible.as_str(), turns[0].calls.len()), ("I will check two sources.", 2));
    // `function_id` starts again at 1: the failed call is the third one.
    let calls: Vec<_> = trajectory.calls().map(|(_, call)| call).collect();
    let results: Vec<_> = trajectory.results().collect();
    assert_eq!((calls.len(), results.len()), (3, 3));
    assert!(trajectory.unanswered_calls().is_empty());
    assert_eq!(results[2].call_id.as_ref(), Some(&calls[2].id));
    assert_ne!(calls[0].id, calls[2].id);
    // Arguments cut by one character survive as logged.
    assert_eq!(calls[2].arguments, r#"{"query": "bridge opening year archive"#);
    assert_eq!(calls[2].canonical_arguments(), None);
    let errors: Vec<_> = results.iter().map(|result| (result.is_error, result.error_origin)).collect();
    assert_eq!(
        errors,
        [(None, ErrorOrigin::None), (None, ErrorOrigin::None), (Some(true), ErrorOrigin::TextHeuristic)]
    );
    assert_eq!(turns[2].reasoning[0].text, "A says 1931, B says 1932. The archive call failed.");
    let answer = trajectory.final_answer.as_ref().unwrap();
    assert!(answer.text.starts_with("The sources disagree: Source A says 1931"));
}

#[test]
fn a_generation_split_over_messages_is_one_turn() {
    let Some((outcome, read)) = read_sample("qwen-agent/generated_fncallagent_run.json") else { return };
    assert_eq!((outcome.format, outcome.trajectories), (Some("qwen-agent"), 1));
    check_generated_run(&read.trajectories[0]);
    assert_eq!(read.trajectories[0].question.as_deref(), Some("In what year did the bridge open?"));
}

#[test]
fn of_growing_snapshots_the_last_is_read() {
    let Some((outcome, read)) = read_sample("qwen-agent/generated_stream_snapshots.jsonl") else { return };
    assert_eq!((outcome.format, outcome.trajectories), (Some("qwen-agent"), 1));
    assert!(read.problems.is_empty());
    check_generated_run(&read.trajectories[0]);
}

#[test]
fn two_streams_in_one_file_are_two_trajectories() {
    let first = [call("1", "a"), result("1", "x")];
    let second = [call("1", "b"), result("1", "y")];
    let lines = [json!([first[0]]), json!(first), json!([second[0]]), json!(second)];
    let text = lines.map(|line| line.to_string()).join("\n");
    let trajectories = read("s.jsonl", &text);
    assert_eq!(trajectories.len(), 2);
    assert!(trajectories.iter().all(|trajectory| trajectory.calls().count() == 1));
}

#[test]
fn a_list_that_ends_with_a_function_message_was_cut() {
    let list = json!([{"role": "user", "content": "q"}, call("1", "a"), result("1", "x")]);
    let trajectory = &read("q.json", &list.to_string())[0];
    assert_eq!((trajectory.truncated, trajectory.stop.kind), (Truncation::Yes, StopKind::Limit));
    assert!(trajectory.final_answer.is_none());
    assert!(trajectory.unanswered_calls().is_empty());
}

#[test]
fn an_unknown_tool_is_an_error_by_its_text() {
    let list = json!([
        call("1", "a"),
        result("1", "Tool s does not exists."),
        call("1", "b"),
        result("1", "Tool use in London")
    ]);
    let trajectory = &read("q.json", &list.to_string())[0];
    let errors: Vec<_> = trajectory.results().map(|result| result.is_error).collect();
    assert_eq!(errors, [Some(true), None]);
}

#[test]
fn content_may_be_null_or_a_list_of_items() {
    let list = json!([
        {"role": "user", "content": [{"text": "what is this"}, {"image": "file:///a.png"}]},
        {"role": "assistant", "content": null, "function_call": {"name": "s", "arguments": "{}"}, "extra": {"function_id": "1"}},
        {"role": "function", "name": "s", "content": [{"text": "a cat"}, {"image": "b.png"}], "extra": {"function_id": "1"}},
        {"role": "assistant", "content": [{"text": "A cat."}], "reasoning_content": [{"text": "seen"}]},
    ]);
    let trajectory = &read("q.json", &list.to_string())[0];
    assert_eq!(trajectory.question.as_deref(), Some("what is this"));
    let found = trajectory.results().next().unwrap();
    assert_eq!((found.text.as_str(), found.images), ("a cat", 1));
    let turn = trajectory.turns().next_back().unwrap();
    assert_eq!((turn.visible.as_str(), turn.reasoning[0].text.as_str()), ("A cat.", "seen"));
}

#[test]
fn the_wire_form_puts_results_into_user_messages() {
    let list = json!([
        {"role": "user", "content": "q", "extra": {}},
        {"role": "assistant", "content": "<think>a <tool_call>{\"name\": \"no\"}</tool_call></think><tool_call>\n{\"name\": \"s\", \"arguments\": {\"q\": 1}}\n</tool_call>\n<tool_call>\n{\"name\": \"t\", \"arguments\": {}}\n</tool_call>"},
        {"role": "user", "content": "<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>"},
        {"role": "assistant", "content": "done"},
    ]);
    let trajectory = &read("q.json", &list.to_string())[0];
    let names: Vec<_> = trajectory.calls().map(|(_, call)| call.name.as_str()).collect();
    assert_eq!(names, ["s", "t"]);
    let texts: Vec<_> = trajectory.results().map(|result| result.text.as_str()).collect();
    assert_eq!(texts, ["one", "two"]);
    assert!(trajectory.unanswered_calls().is_empty());
}

#[test]
fn the_older_prompt_form_holds_calls_between_marks() {
    let list = json!([
        {"role": "user", "content": "q", "extra": {}},
        {"role": "assistant", "content": "Look.\n✿FUNCTION✿: s\n✿ARGS✿: {\"q\": 1}\n✿RESULT✿: found\n✿RETURN✿: It is."},
    ]);
    let trajectory = &read("q.json", &list.to_string())[0];
    assert_eq!(trajectory.turns().count(), 2);
    let (_, call) = trajectory.calls().next().unwrap();
    assert_eq!((call.name.as_str(), call.arguments.as_str()), ("s", r#"{"q": 1}"#));
    assert_eq!(trajectory.results().next().unwrap().text, "found");
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "It is.");
}
