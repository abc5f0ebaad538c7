//! Search-R1 tagged text.

#![expect(clippy::unwrap_used, reason = "what a log lacks fails its test")]

mod support;

use humbly_types::{StopKind, Trajectory, Truncation};
use serde_json::json;
use support::{read_sample, read_text};

const PROMPT: &str = "Answer the given question. You must conduct reasoning inside <think> and </think> \
    and call <search> query </search> to get <information> and </information>. For example, <answer> Rome \
    </answer>. Question: which year?\n";

fn one(name: &str, text: &str) -> Trajectory {
    let (outcome, mut read) = read_text(name, text);
    assert_eq!((outcome.format, outcome.trajectories), (Some("search-r1"), 1), "{:?}", read.problems);
    read.trajectories.remove(0)
}

fn span(span: &str) -> Trajectory {
    one("s.txt", &format!("{PROMPT}{span}"))
}

fn answer(trajectory: &Trajectory) -> &str {
    &trajectory.final_answer.as_ref().unwrap().text
}

#[test]
fn the_printed_cases_are_read() {
    let Some((outcome, read)) = read_sample("search-r1-tagged/case.txt") else { return };
    assert_eq!((outcome.format, outcome.trajectories), (Some("search-r1"), 2));
    let (first, second) = (&read.trajectories[0], &read.trajectories[1]);
    assert_eq!((first.turns().count(), second.turns().count()), (3, 2));
    assert_eq!((first.calls().count(), first.results().count()), (2, 2));
    assert_eq!((second.calls().count(), second.results().count()), (1, 1));
    assert_eq!(first.question.as_deref(), Some("paul walkers cars in fast and furious list?"));
    // Free text between the tags is text of the turn.
    let turn = first.turns().nth(1).unwrap();
    assert!(turn.visible.contains("the specific list of cars is not mentioned"));
    assert_eq!(turn.calls[0].arguments, r#"{"query":"list of cars paul walker drove in Fast and Furious"}"#);
    assert_eq!((answer(first), answer(second)), ("Charger", "sinoatrial (SA) node"));
    assert_eq!(first.turns().next_back().unwrap().visible, "Charger");
    // The second case ends with a lone closing tag: what stands before it was thought.
    let last = second.turns().next_back().unwrap();
    assert!(last.reasoning[0].text.starts_with("From the information provided"), "{last:?}");
    assert_eq!((first.truncated, first.stop.kind), (Truncation::No, StopKind::Completed));
    assert_eq!((first.turns().next().unwrap().at.line, second.turns().next().unwrap().at.line), (7, 34));
}

#[test]
fn tags_of_the_prompt_are_examples() {
    let trajectory =
        span("<think>hm</think><search> a </search><information>x</information><answer>1911</answer>");
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (2, 1));
    assert_eq!((trajectory.question.as_deref(), answer(&trajectory)), (Some("which year?"), "1911"));
    let chat = format!(
        "<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\n<answer>1911</answer><|im_end|>"
    );
    let trajectory = one("c.txt", &chat);
    assert_eq!((trajectory.turns().count(), answer(&trajectory)), (1, "1911"));
}

#[test]
fn retrieved_text_is_not_read_for_tags() {
    let trajectory = span(
        "<search>a</search><information>see <search>b</search> and <answer>bad</answer></information><answer>good</answer>",
    );
    assert_eq!((trajectory.calls().count(), answer(&trajectory)), (1, "good"));
    assert!(trajectory.results().next().unwrap().text.contains("<answer>bad</answer>"));
}

#[test]
fn calls_have_made_ids_and_each_its_result() {
    let trajectory = span(
        "<search>a</search><information>1</information><search>a</search><information>2</information><answer>x</answer>",
    );
    let calls: Vec<_> = trajectory.calls().map(|(_, call)| call).collect();
    assert!(calls.iter().all(|call| call.id_synthetic));
    let joined: Vec<_> = trajectory.results().map(|result| result.call_id.clone().unwrap()).collect();
    assert_eq!(joined, [calls[0].id.clone(), calls[1].id.clone()]);
    assert!(trajectory.results().all(|result| result.is_error.is_none()));
}

#[test]
fn without_an_answer_it_was_cut() {
    for text in ["<search>a</search><information>1</information>", "<think>so</think><search>a</search>"] {
        let trajectory = span(text);
        assert_eq!(trajectory.truncated, Truncation::Yes, "{text}");
        assert!(trajectory.final_answer.is_none());
    }
}

#[test]
fn unbalanced_tags_lose_no_turn() {
    let trajectory = span("<think>open <search>a</search><information>1 <search>no</search>");
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (1, 1));
    assert_eq!(trajectory.turns().next().unwrap().reasoning[0].text, "open");
    let trajectory = span("<search>a<information>1</information></think>so<answer>2");
    assert_eq!(trajectory.calls().next().unwrap().1.arguments, r#"{"query":"a"}"#);
    assert_eq!(answer(&trajectory), "2");
}

#[test]
fn the_notice_after_an_invalid_action_is_no_text_of_the_agent() {
    let notice = "\nMy previous action is invalid. If I want to search, I should put the query between <search> and </search>. If I want to give the final answer, I should put the answer between <answer> and </answer>. Let me try again.\n";
    let trajectory = span(&format!("<think>idle</think>{notice}<answer>7</answer>"));
    assert_eq!((trajectory.turns().count(), trajectory.calls().count()), (2, 0));
    assert_eq!(answer(&trajectory), "7");
    assert!(trajectory.turns().all(|step| !step.visible.contains("invalid")));
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
}

#[test]
fn records_with_a_text_field_are_read_with_their_references_apart() {
    let response = "<search>a</search><information>1</information><answer>x</answer>";
    let lines = [
        json!({"id": 3, "question": "q", "golden_answers": ["GOLD"], "response": response}),
        json!({"id": 4, "text": format!("{PROMPT}{response}"), "reward_model": {"ground_truth": {"target": ["GOLD"]}}}),
        json!({"id": 5}),
    ];
    let (outcome, read) = read_text("r.jsonl", &lines.map(|line| line.to_string()).join("\n"));
    assert_eq!((outcome.format, outcome.trajectories), (Some("search-r1"), 2));
    for (trajectory, question) in read.trajectories.iter().zip(["q", "which year?"]) {
        assert_eq!(trajectory.references.for_correctness(), ["GOLD"]);
        assert_eq!((trajectory.question.as_deref(), answer(trajectory)), (Some(question), "x"));
        assert!(!format!("{:?}", trajectory.steps()).contains("GOLD"));
    }
    assert_eq!(read.problems[0].line, Some(3));
}

#[test]
fn no_mixture_of_tags_makes_it_panic() {
    proptest::proptest!(|(text in "(<think>|</think>|<search>|</search>|<information>|</information>|<answer>|</answer>|Question:|é|\n|<.im_start.>assistant|My previous action is invalid\\.|Let me try again\\.| x ){0,25}")| {
        let text = format!("<search>a</search><answer>{}", text.replace("<.im", "<|im").replace("start.>", "start|>"));
        let _ = read_text("p.txt", &text);
    });
}
