//! Chat message lists in their wrappers.

#![expect(clippy::unwrap_used, reason = "what a log lacks fails its test")]

mod support;

use humbly_readers::{Episodes, split_episodes};
use humbly_types::{
    AnswerOrigin, Outcome, ReasoningOrigin, Role, Step, StopKind, ToolCall, Trajectory, Truncation,
};
use serde_json::{Value, json};
use support::{read_sample, read_text};

fn one(name: &str, value: &Value) -> Trajectory {
    let (outcome, mut read) = read_text(name, &value.to_string());
    assert_eq!(outcome.format, Some("openai-chat"));
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    assert_eq!(read.trajectories.len(), 1);
    read.trajectories.remove(0)
}

fn list(messages: &Value) -> Trajectory {
    one("a.json", messages)
}

fn calls(trajectory: &Trajectory) -> Vec<&ToolCall> {
    trajectory.calls().map(|(_, call)| call).collect()
}

fn answer(trajectory: &Trajectory) -> &str {
    &trajectory.final_answer.as_ref().unwrap().text
}

fn last_turn(trajectory: &Trajectory) -> &Step {
    trajectory.turns().next_back().unwrap()
}

#[test]
fn tau_bench_is_read_with_its_counts() {
    let Some((outcome, read)) = read_sample("openai-chat-messages/tau_bench_gpt4o_airline_first2.json")
    else {
        return;
    };
    assert_eq!((outcome.format, outcome.trajectories), (Some("openai-chat"), 2));
    let (first, second) = (&read.trajectories[0], &read.trajectories[1]);
    assert_eq!((first.turns().count(), second.turns().count()), (15, 5));
    // EXPECTED counts 8 calls; the `think` call of turn 10 is reasoning and no call.
    assert_eq!(first.calls().count() + second.calls().count(), 7);
    assert_eq!(first.results().count() + second.results().count(), 7);
    let thinking = first.turns().nth(10).unwrap();
    assert_eq!(thinking.reasoning[0].origin, ReasoningOrigin::ThinkTool);
    assert!(thinking.reasoning_and_visible().contains("the system indicates the total price is $305"));
    assert!(first.unanswered_calls().is_empty());
    assert!(first.results().all(|result| result.is_error.is_none()));
    // Both lists end with a message of the user; the answer is the turn before it.
    assert_eq!(first.steps().last().unwrap().role, Role::User);
    assert_eq!(first.final_turn(), Some(14));
    assert!(answer(first).starts_with("Your flight from New York"));
    assert_eq!(first.truncated, Truncation::No, "it answered, so no limit cut it");
    assert_eq!(first.sample_id.as_deref(), Some("0"));
}

#[test]
fn tau_bench_splits_into_episodes_and_leaks_no_task() {
    let Some((_, read)) = read_sample("openai-chat-messages/tau_bench_gpt4o_airline_first2.json") else {
        return;
    };
    for trajectory in read.trajectories {
        assert!(
            trajectory.steps().iter().all(|step| !step.visible.contains("You do not want to fly before"))
        );
        let prompts = trajectory.steps().iter().filter(|step| step.role == Role::User).count();
        let episodes = split_episodes(trajectory, Episodes::Each);
        assert_eq!(episodes.len(), prompts - 1, "the last message of the user starts nothing");
    }
}

#[test]
fn verifiers_results_hold_calls_as_json_texts() {
    let Some((outcome, read)) = read_sample("openai-chat-messages/verifiers_mcp_env_results.jsonl") else {
        return;
    };
    assert_eq!(outcome.trajectories, 3);
    let turns: usize = read.trajectories.iter().map(|trajectory| trajectory.turns().count()).sum();
    let results: usize = read.trajectories.iter().map(|trajectory| trajectory.results().count()).sum();
    assert_eq!((turns, results), (6, 3));
    for trajectory in &read.trajectories {
        let calls = calls(trajectory);
        assert_eq!(calls.len(), 1);
        assert!(calls[0].arguments.contains("primeintellect.ai"));
        assert!(trajectory.unanswered_calls().is_empty(), "the result without id answers the open call");
        assert_eq!(trajectory.references.for_correctness(), ["ENVIRONMENTS HUB"]);
        assert!(trajectory.steps().iter().all(|step| !step.visible.contains("ENVIRONMENTS HUB")));
        assert!(answer(trajectory).contains("Environments Hub"));
    }
    let mut ids: Vec<_> = read.trajectories.iter().map(|trajectory| trajectory.id.as_str()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 3, "all three records carry the id 0");
}

#[test]
fn null_content_parts_and_object_arguments_are_read() {
    let trajectory = list(&json!([
        {"role": "developer", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "how"}, {"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "far"}]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "map", "arguments": {"to": "B"}}},
            {"id": "b", "type": "function", "function": {"name": "map", "arguments": "{\"to\": \"C\""}}]},
        {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "no road"}]},
        {"role": "tool", "tool_call_id": "a", "content": "5 km"},
        {"role": "assistant", "content": [{"type": "text", "text": "5 km"}]},
    ]));
    assert_eq!(trajectory.question.as_deref(), Some("how\nfar"));
    let calls = calls(&trajectory);
    assert_eq!(calls[0].canonical_arguments().as_deref(), Some(r#"{"to":"B"}"#));
    assert_eq!((calls[1].arguments.as_str(), calls[1].canonical_arguments()), ("{\"to\": \"C\"", None));
    assert!(trajectory.unanswered_calls().is_empty());
    assert_eq!(answer(&trajectory), "5 km");
    assert_eq!(trajectory.stop.kind, StopKind::Completed);
}

#[test]
fn the_older_function_call_is_read() {
    let trajectory = list(&json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "42"},
        {"role": "assistant", "content": "42"},
    ]));
    assert_eq!(calls(&trajectory).len(), 1);
    assert!(calls(&trajectory)[0].id_synthetic);
    assert!(trajectory.unanswered_calls().is_empty());
}

#[test]
fn reasoning_is_read_once_from_any_field() {
    let trajectory = list(&json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "reasoning_content": "hm", "content": "<think>hm</think>one"},
        {"role": "assistant", "reasoning": "aha", "content": "two"},
        {"role": "assistant", "content": "let me see\n</think>three"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "deep"}]}, {"type": "text", "text": "four"}]},
        {"role": "assistant", "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}], "content": "five"},
    ]));
    let turns: Vec<_> = trajectory.turns().collect();
    let read: Vec<_> =
        turns.iter().map(|step| (step.reasoning[0].text.as_str(), step.visible.as_str())).collect();
    assert_eq!(
        read,
        [("hm", "one"), ("aha", "two"), ("let me see", "three"), ("deep", "four"), ("", "five")]
    );
    assert_eq!(turns[0].reasoning.len(), 1);
    assert!(turns[4].reasoning_is_unreadable());
}

#[test]
fn a_refusal_is_the_answer_and_the_ending() {
    let trajectory = list(&json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "refusal": "I cannot help with that."},
    ]));
    assert_eq!(answer(&trajectory), "I cannot help with that.");
    assert_eq!(trajectory.stop.kind, StopKind::Refused);
}

#[test]
fn ids_that_repeat_over_turns_join_their_own_results() {
    let turn = |text: &str| {
        [
            json!({"role": "assistant", "content": "", "tool_calls": [{"id": "call_0", "function": {"name": "s", "arguments": {"q": text}}}]}),
            json!({"role": "tool", "tool_call_id": "call_0", "content": text}),
        ]
    };
    let mut messages = vec![json!({"role": "user", "content": "q"})];
    messages.extend(turn("one"));
    messages.extend(turn("two"));
    let open = json!({"role": "assistant", "content": "and", "tool_calls": [{"id": "call_0", "function": {"name": "s", "arguments": "{}"}}]});
    messages.push(open);
    let trajectory = list(&Value::Array(messages));
    let calls = calls(&trajectory);
    for result in trajectory.results() {
        let call = calls.iter().find(|call| Some(&call.id) == result.call_id.as_ref()).unwrap();
        assert!(call.arguments.contains(&result.text));
    }
    assert_eq!(trajectory.unanswered_calls().len(), 1);
    assert_eq!(trajectory.outcome(), Outcome::Unfinished);
}

#[test]
fn a_finish_reason_of_the_wrapper_tells_the_ending() {
    let record = |reason: &str| {
        json!({"request": {"model": "m", "messages": [{"role": "user", "content": "q"}]},
            "response": {"usage": {"prompt_tokens": 3, "completion_tokens": 2},
                "choices": [{"finish_reason": reason, "message": {"role": "assistant", "content": "It is"}}]}})
    };
    let cut = one("a.json", &record("length"));
    assert_eq!((cut.truncated, cut.final_answer.is_none()), (Truncation::Yes, true));
    assert_eq!(cut.stop.raw.as_deref(), Some("length"));
    let whole = one("a.json", &record("stop"));
    assert_eq!((whole.truncated, answer(&whole)), (Truncation::No, "It is"));
    assert_eq!((whole.model.as_deref(), whole.usage.output), (Some("m"), Some(2)));
    let verifiers = one(
        "a.json",
        &json!({"prompt": "q", "completion": [{"role": "assistant", "content": "It is"}], "is_truncated": true}),
    );
    assert_eq!(verifiers.truncated, Truncation::Yes);
}

#[test]
fn a_proxy_log_repeats_what_was_said_and_is_one_trajectory() {
    let user = json!({"role": "user", "content": "q"});
    let first = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "a", "function": {"name": "s", "arguments": "{}"}}]});
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "r"});
    let last = json!({"role": "assistant", "content": "done"});
    let line = |messages: &Value, reply: &Value| {
        json!({"request": {"messages": messages}, "response": {"choices": [{"message": reply}]}}).to_string()
    };
    let text = [
        line(&json!([user]), &first),
        line(&json!([user, first, result]), &last),
        line(&json!([{"role": "user", "content": "other"}]), &last),
    ]
    .join("\n");
    let (outcome, read) = read_text("proxy.jsonl", &text);
    assert_eq!(outcome.trajectories, 2);
    assert_eq!(read.trajectories[0].turns().count(), 2);
    assert_eq!(read.trajectories[0].turns().next().unwrap().at.line, 2);
}

#[test]
fn wrappers_are_read() {
    let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    let wrapped = [
        json!({ "messages": messages }),
        json!({"prompt": "q", "completion": "a"}),
        json!({"prompt": [messages[0]], "completion": messages[1]}),
        json!({"task_id": 1, "traj": messages}),
        json!({"object": "chat.completion", "choices": [{"message": messages[1]}]}),
        json!([{ "messages": messages }]),
        json!([messages]),
        json!({"results": [{ "messages": messages }]}),
    ];
    for value in &wrapped {
        assert_eq!(answer(&one("w.json", value)), "a", "{value}");
    }
    let (outcome, read) = read_text("m.jsonl", &format!("{}\n{}\n", messages[0], messages[1]));
    assert_eq!((outcome.format, answer(&read.trajectories[0])), (Some("openai-chat"), "a"));
    assert_eq!(read.trajectories[0].turns().next().unwrap().at.line, 2);
}

#[test]
fn references_of_every_wrapper_stay_apart() {
    let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    for (key, value) in [
        ("answer", json!("gold")),
        ("ground_truth", json!(["gold"])),
        ("golden_answers", json!(["gold"])),
        ("reward_model", json!({"ground_truth": {"target": ["gold"]}})),
    ] {
        let trajectory = one("r.json", &json!({"messages": messages, key: value}));
        assert_eq!(trajectory.references.for_correctness(), ["gold"], "{key}");
        assert!(trajectory.steps().iter().all(|step| !step.visible.contains("gold")));
    }
    let task = json!({"actions": [{"name": "book"}], "outputs": ["327"], "instruction": "secret"});
    let trajectory = one("r.json", &json!({"traj": messages, "info": {"task": task}}));
    assert_eq!(trajectory.references.for_correctness(), ["327"]);
}

#[test]
fn empty_content_and_unknown_roles_are_no_failure() {
    let trajectory = list(&json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": ""},
        {"role": "critic", "content": "bad"},
        {"role": "assistant", "content": "a"},
        {"role": "critic", "content": "bad"},
    ]));
    assert_eq!(trajectory.turns().count(), 2);
    assert_eq!((trajectory.warnings.len(), trajectory.warnings[0].count), (1, 2));
    assert_eq!(answer(&trajectory), "a");
    assert_eq!(trajectory.final_answer.as_ref().unwrap().origin, AnswerOrigin::LastText);
}

#[test]
fn tool_call_tags_in_text_are_calls_outside_of_reasoning() {
    let trajectory = list(&json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "<think>maybe <tool_call>{\"name\":\"no\",\"arguments\":{}}</tool_call></think>Look:\n<tool_call>\n{\"name\": \"s\", \"arguments\": {\"q\": 1}}\n</tool_call>"},
        {"role": "user", "content": "<tool_response>\nfound\n</tool_response>"},
        {"role": "assistant", "content": "a"},
    ]));
    assert_eq!(calls(&trajectory).len(), 1);
    assert_eq!(trajectory.turns().next().unwrap().visible, "Look:");
    assert!(trajectory.unanswered_calls().is_empty());
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
    assert_eq!(last_turn(&trajectory).visible, "a");
}

#[test]
fn a_cut_line_and_foreign_records_are_named_and_the_rest_is_read() {
    let text = "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":\"a\"}]}\n{\"x\":1}\n{\"messages\":[{\"ro";
    let (outcome, read) = read_text("c.jsonl", text);
    assert_eq!(outcome.trajectories, 1);
    let messages: Vec<_> =
        read.problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect();
    assert_eq!(messages.len(), 2);
    assert!(messages[0].1.contains("cut off") && messages[0].0 == Some(3));
    assert!(messages[1].1.contains("1 records without chat messages") && messages[1].0 == Some(2));
}
