//! GAIA submissions.

mod support;

use humbly_types::{AnswerOrigin, Outcome, Truncation};
use support::{read_sample, read_text};

#[test]
fn a_submission_has_an_answer_and_no_turns() {
    let Some((outcome, read)) = read_sample("gaia-submission/format_example.jsonl") else { return };
    assert_eq!((outcome.format, outcome.trajectories, read.problems.len()), (Some("gaia"), 2, 0));
    for (index, trajectory) in read.trajectories.iter().enumerate() {
        assert!(!trajectory.has_turns);
        assert_eq!(trajectory.id, format!("task_id_{}", index + 1));
        assert_eq!(trajectory.sample_id.as_deref(), Some(trajectory.id.as_str()));
        let answer = trajectory.final_answer.as_ref().unwrap();
        assert_eq!((answer.origin, answer.turn), (AnswerOrigin::Field, None));
        assert_eq!(answer.at.line, index as u64 + 1);
        assert!(trajectory.steps().is_empty());
    }
}

#[test]
fn a_run_of_smolagents_has_the_turns_of_its_memory() {
    let text = concat!(
        r#"{"agent_name":"m","question":"q","prediction":"17","true_answer":"18","task_id":"t1","parsing_error":false,"iteration_limit_exceeded":false,"agent_error":null,"intermediate_steps":[{"role":"system","content":[{"type":"text","text":"s"}]},{"role":"user","content":[{"type":"text","text":"New task: q"}]},{"role":"assistant","content":[{"type":"text","text":"Thought: look"}]},{"role":"tool-call","content":[{"type":"text","text":"Calling tools:\n[{'id': 'call_1', 'type': 'function', 'function': {'name': 'web_search', 'arguments': {'query': 'x'}}}]"}]},{"role":"tool-response","content":[{"type":"text","text":"Observation: found"}]},{"role":"assistant","content":"Thought: done"}]}"#,
        "\n"
    );
    let (outcome, read) = read_text("run.jsonl", text);
    assert_eq!(outcome.format, Some("gaia"));
    let trajectory = &read.trajectories[0];
    assert!(trajectory.has_turns);
    assert_eq!(
        (trajectory.turns().count(), trajectory.calls().count(), trajectory.results().count()),
        (2, 1, 1)
    );
    assert_eq!(trajectory.calls().next().unwrap().1.name, "web_search");
    assert_eq!(trajectory.calls().next().unwrap().1.arguments, "{'query': 'x'}");
    assert!(trajectory.unanswered_calls().is_empty());
    assert_eq!(trajectory.references.for_correctness(), ["18"]);
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "17");
}

#[test]
fn limit_error_and_empty_answer_are_told_apart() {
    let line = |limit: bool, error: &str, prediction: &str| {
        format!(
            r#"{{"task_id":"t","prediction":{prediction},"intermediate_steps":[],"iteration_limit_exceeded":{limit},"agent_error":{error}}}"#
        )
    };
    let text = [line(true, "null", "\"x\""), line(false, "\"boom\"", "null"), line(false, "null", "\" \"")]
        .join("\n");
    let read = read_text("run.jsonl", &text).1;
    let outcomes: Vec<_> = read.trajectories.iter().map(humbly_types::Trajectory::outcome).collect();
    assert_eq!(outcomes, [Outcome::CutByLimit, Outcome::NoFinalAnswer, Outcome::NoFinalAnswer]);
    assert_eq!(read.trajectories[0].truncated, Truncation::Yes);
}

#[test]
fn a_line_without_an_answer_is_a_problem_with_its_line() {
    let read = read_text("s.jsonl", "{\"task_id\":\"a\",\"model_answer\":1931}\n{\"task_id\":\"b\"}\n").1;
    assert_eq!(read.trajectories[0].final_answer.as_ref().unwrap().text, "1931");
    assert_eq!(read.problems[0].line, Some(2));
}
