//! LangChain messages.

mod support;

use humbly_types::{ErrorOrigin, Truncation};
use support::{read_sample, read_text};

#[test]
fn three_encodings_read_alike() {
    let names = ["dumpd_state", "messages_to_dict", "model_dump"];
    for name in names {
        let Some((outcome, read)) =
            read_sample(&format!("langchain-messages/generated_langchain_{name}.json"))
        else {
            return;
        };
        assert_eq!((outcome.format, read.problems.len()), (Some("langchain"), 0), "{name}");
        let trajectory = &read.trajectories[0];
        assert_eq!(trajectory.turns().count(), 2, "{name}");
        // `toolu_1` stands in `content` and in `tool_calls`; `toolu_3` is invalid and was never run.
        let calls: Vec<_> = trajectory.calls().map(|(_, call)| call).collect();
        assert_eq!(calls.len(), 3, "{name}");
        assert_eq!(calls[2].arguments, "{\"query\": \"unterminated");
        assert_eq!(calls[2].canonical_arguments(), None);
        assert_eq!(trajectory.unanswered_calls().len(), 1);
        let flags: Vec<_> =
            trajectory.results().map(|result| (result.is_error, result.error_origin)).collect();
        assert_eq!(flags, [(Some(false), ErrorOrigin::Status), (Some(true), ErrorOrigin::Status)]);
        assert_eq!(trajectory.turns().next().unwrap().reasoning[0].text, "I recall 1930; verify.");
        assert_eq!(trajectory.turns().next().unwrap().visible, "Checking.");
        let answer = trajectory.final_answer.as_ref().unwrap();
        assert_eq!(answer.text, "Sources disagree (1931 vs 1932); best answer 1931.");
        assert_eq!((trajectory.usage.input, trajectory.usage.reasoning), (Some(250), Some(8)));
    }
}

#[test]
fn a_call_in_three_places_is_one_call() {
    let text = r#"[{"type":"human","content":"q"},{"type":"ai","id":"1","content":[{"type":"tool_use","id":"c","name":"f","input":{"a":1}}],"tool_calls":[{"name":"f","args":{"a":1},"id":"c","type":"tool_call"}],"additional_kwargs":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\": 1}"},"type":"function"}]}},{"type":"tool","content":"r","tool_call_id":"c","id":"9"},{"type":"ai","id":"2","content":"done"}]"#;
    let (_, read) = read_text("m.json", text);
    assert_eq!(read.trajectories[0].calls().count(), 1);
    assert!(read.trajectories[0].unanswered_calls().is_empty());
}

#[test]
fn calls_only_in_additional_kwargs_are_read() {
    let text = r#"[{"type":"human","content":"q"},{"type":"ai","content":"","additional_kwargs":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"},"type":"function"}]}}]"#;
    assert_eq!(read_text("m.json", text).1.trajectories[0].calls().count(), 1);
}

#[test]
fn streamed_pieces_are_one_turn() {
    let text = concat!(
        r#"{"type":"human","content":"q"}"#,
        "\n",
        r#"{"type":"AIMessageChunk","id":"1","content":"The bridge","tool_call_chunks":[]}"#,
        "\n",
        r#"{"type":"AIMessageChunk","id":"1","content":" ","tool_call_chunks":[]}"#,
        "\n",
        r#"{"type":"AIMessageChunk","id":"1","content":"opened","tool_call_chunks":[{"name":"f","args":"{\"a\"","id":"c","index":0}]}"#,
        "\n",
        r#"{"type":"AIMessageChunk","id":"1","content":"","tool_call_chunks":[{"name":null,"args":": 1}","id":null,"index":0}]}"#,
        "\n"
    );
    let (outcome, read) = read_text("m.jsonl", text);
    assert_eq!(outcome.format, Some("langchain"));
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().count(), 1);
    assert_eq!(trajectory.turns().next().unwrap().visible, "The bridge opened");
    assert_eq!(trajectory.calls().next().unwrap().1.arguments, r#"{"a": 1}"#);
}

#[test]
fn a_length_stop_is_a_cut() {
    let text = r#"[{"type":"human","content":"q"},{"type":"ai","content":"half","response_metadata":{"finish_reason":"length"}}]"#;
    assert_eq!(read_text("m.json", text).1.trajectories[0].truncated, Truncation::Yes);
}

#[test]
fn each_line_may_be_a_state() {
    let state = r#"{"messages":[{"type":"human","content":"q"},{"type":"ai","content":"a"}]}"#;
    let (_, read) = read_text("m.jsonl", &format!("{state}\n{state}\n"));
    let ids: Vec<_> = read.trajectories.iter().map(|trajectory| trajectory.id.as_str()).collect();
    assert_eq!(ids, ["m", "m:2"]);
}

#[test]
fn an_unknown_message_type_is_counted() {
    let text =
        r#"[{"type":"human","content":"q"},{"type":"remove","content":""},{"type":"ai","content":"a"}]"#;
    let warning = &read_text("m.json", text).1.trajectories[0].warnings[0];
    assert_eq!((warning.message.as_str(), warning.line), ("unknown message type remove", 2));
}
