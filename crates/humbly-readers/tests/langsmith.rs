//! LangSmith runs.

mod support;

use humbly_types::{Role, StopKind};
use serde_json::{Value, json};
use support::{read_sample, read_text};

#[test]
fn a_patch_completes_its_post() {
    let Some((outcome, read)) = read_sample("langsmith-langchain/langsmith_js_wrap_openai_reasoning.json")
    else {
        return;
    };
    assert_eq!((outcome.format, read.problems.len()), (Some("langsmith"), 0));
    let trajectory = &read.trajectories[0];
    assert_eq!(trajectory.turns().count(), 1);
    assert_eq!((trajectory.usage.output, trajectory.usage.reasoning), (Some(1901), Some(960)));
    assert_eq!(trajectory.stop.kind, StopKind::Completed);
    assert_eq!(trajectory.turns().next().unwrap().timestamp.as_deref(), Some("1728803138291"));
    assert!(trajectory.final_answer.as_ref().unwrap().text.starts_with("Certainly! Below is a Bash script"));
}

#[test]
fn a_langgraph_export_counts_each_message_once() {
    let Some((outcome, read)) = read_sample("langsmith-langchain/langgraph-python-2025-08-22.trace.json")
    else {
        return;
    };
    assert_eq!(outcome.format, Some("langsmith"));
    let trajectory = &read.trajectories[0];
    assert_eq!(
        (trajectory.turns().count(), trajectory.calls().count(), trajectory.results().count()),
        (2, 1, 1)
    );
    // The tool definition that the tracer lists as a tool message is no result.
    assert!(trajectory.results().next().unwrap().text.contains("Example Result"));
    // The instructions stand as a user's message before the prompt.
    assert_eq!(trajectory.question.as_deref(), Some("Search the web for 'example' and summarize."));
    assert!(trajectory.final_answer.as_ref().unwrap().text.starts_with("The search for \"example\""));
}

fn run(id: &str, parent: Option<&str>, order: &str, kind: &str, inputs: &Value, outputs: &Value) -> Value {
    json!({"id": id, "trace_id": "r", "parent_run_id": parent, "dotted_order": order, "run_type": kind,
           "name": if kind == "tool" { "search" } else { id }, "inputs": inputs, "outputs": outputs})
}

#[test]
fn runs_are_ordered_by_dotted_order_and_messages_repeat() {
    let human = json!({"type": "human", "content": "q"});
    let call = json!({"lc": 1, "type": "constructor", "id": ["AIMessage"], "kwargs": {"type": "ai", "content": "",
        "tool_calls": [{"name": "search", "args": {"q": 1}, "id": "c"}]}});
    let result = json!({"type": "tool", "content": "down", "tool_call_id": "c", "status": "error"});
    let done = json!({"type": "ai", "content": "four"});
    let first = "20250101T000000000000Zr";
    let runs = [
        run(
            "b",
            Some("r"),
            &format!("{first}.20250101T000003000000Zb"),
            "llm",
            &json!({"messages": [[human, call, result]]}),
            &json!({"generations": [[{"text": "four", "message": done}]]}),
        ),
        run(
            "a",
            Some("r"),
            &format!("{first}.20250101T000001000000Za"),
            "llm",
            &json!({"messages": [[human]]}),
            &json!({"generations": [[{"text": "", "message": call}]]}),
        ),
        run(
            "s",
            Some("r"),
            &format!("{first}.20250101T000002000000Zs"),
            "tool",
            &json!({"input": "{'q': 1}"}),
            &json!({"output": result}),
        ),
        run(
            "r",
            None,
            first,
            "chain",
            &json!({"messages": [human]}),
            &json!({"messages": [human, call, result, done]}),
        ),
    ];
    let text = runs.iter().fold(String::new(), |text, run| text + &run.to_string() + "\n");
    let (outcome, read) = read_text("runs.jsonl", &text);
    assert_eq!(outcome.format, Some("langsmith"));
    let trajectory = &read.trajectories[0];
    let roles: Vec<Role> = trajectory.steps().iter().map(|step| step.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
    assert_eq!(trajectory.results().next().unwrap().is_error, Some(true));
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "four");
}

#[test]
fn a_chain_without_its_children_is_read_from_its_state() {
    let state = json!({"messages": [{"type": "human", "content": "q"}, {"type": "ai", "content": "a"}]});
    let inputs = json!({"messages": [{"type": "human", "content": "q"}]});
    let text = run("r", None, "20250101T000000000000Zr", "chain", &inputs, &state).to_string();
    let (_, read) = read_text("run.json", &text);
    assert_eq!(read.trajectories[0].steps().len(), 2);
    assert_eq!(read.trajectories[0].final_answer.as_ref().unwrap().text, "a");
}

#[test]
fn a_failed_model_call_is_no_turn() {
    let human = json!({"messages": [{"type": "human", "content": "q"}]});
    let mut failed = run("a", None, "20250101T000000000000Za", "llm", &human, &Value::Null);
    failed["trace_id"] = json!("x");
    failed["error"] = json!("RateLimitError");
    let mut answered = run(
        "b",
        None,
        "20250101T000001000000Zb",
        "llm",
        &human,
        &json!({"generations": [[{"message": {"type": "ai", "content": "a"}}]]}),
    );
    answered["trace_id"] = json!("x");
    let (_, read) = read_text("runs.jsonl", &format!("{failed}\n{answered}\n"));
    assert_eq!(read.trajectories[0].turns().count(), 1);
    assert_eq!(read.trajectories[0].warnings[0].message, "a model call that failed");
}
