use std::sync::Arc;

use humbly_types::{AnswerOrigin, FinalAnswer, Location, Reason, Reasoning, ReasoningOrigin, Role, Step};

use super::*;
use crate::sections::test_row;

fn judge() -> Arc<str> {
    "lexical/1".into()
}

fn step(role: Role, turn: Option<u32>, visible: &str, line: u64) -> Step {
    Step {
        role,
        turn,
        visible: visible.into(),
        at: Location { file: "a.jsonl".into(), line },
        ..Step::default()
    }
}

fn trajectory(steps: Vec<Step>, answer: &str, turn: Option<u32>) -> Trajectory {
    let mut trajectory = Trajectory::new("humbly", &"a.jsonl".into(), "a");
    trajectory.final_answer = Some(FinalAnswer {
        text: answer.into(),
        origin: AnswerOrigin::LastText,
        turn,
        at: Location::default(),
    });
    trajectory.set_log(steps);
    trajectory
}

fn html(
    trajectory: &Trajectory,
    row: &TrajectoryRow,
    turns: &[TurnVerdict],
    options: &ReportOptions,
) -> String {
    section(0, trajectory, row, turns, options, &Redactor::new(true)).into_string()
}

fn thinking(mut step: Step, text: &str, origin: ReasoningOrigin) -> Step {
    step.reasoning.push(Reasoning { text: text.into(), origin });
    step
}

#[test]
fn the_deciding_quote_is_marked_in_the_reasoning_and_has_the_anchor() {
    let first = thinking(
        step(Role::Assistant, Some(0), "Let me look.", 3),
        "Hm, the sources disagree on it.",
        ReasoningOrigin::Field,
    );
    let at = first.at.clone();
    let steps = vec![first, step(Role::Assistant, Some(1), "It is 1931.", 4)];
    let identify = Verdict::yes(&judge(), "claims-differ", "the sources disagree").at(Some(0), &at);
    let mut row = test_row("a", &judge());
    row.identify = identify.clone();
    let turns = [TurnVerdict { turn: 0, identify }];
    let html = html(&trajectory(steps, "It is 1931.", Some(1)), &row, &turns, &ReportOptions::default());
    assert!(
        html.contains(
            r#"Hm, <mark id="trajectory-1-identify" title="Identify: claims-differ">the sources disagree</mark> on it."#
        ),
        "{html}"
    );
    assert_eq!(html.matches("<mark").count(), 1);
    assert!(html.contains(r#"id="trajectory-1-turn-0""#) && html.contains("a.jsonl:3"), "{html}");
}

#[test]
fn escalate_marks_the_answer_that_no_step_shows() {
    let steps = vec![step(Role::Assistant, Some(0), "calling finish", 1)];
    let mut row = test_row("a", &judge());
    row.escalate = Verdict::yes(&judge(), "sources-disagree", "my sources disagree");
    let trajectory = trajectory(steps, "1931, but my sources disagree.", Some(0));
    let html = html(&trajectory, &row, &[], &ReportOptions::default());
    assert!(html.contains(r#"<mark id="trajectory-1-escalate""#), "{html}");
    assert!(html.contains("Final answer"), "{html}");
}

#[test]
fn a_quote_in_other_words_is_shown_beside_and_keeps_its_anchor() {
    let steps = vec![step(Role::Assistant, Some(0), "nothing of the kind", 1)];
    let mut row = test_row("a", &judge());
    row.identify = Verdict::yes(&judge(), "r", "they differ").at(Some(0), &Location::default());
    let html = html(&trajectory(steps, "x", None), &row, &[], &ReportOptions::default());
    assert!(
        html.contains(r#"<mark id="trajectory-1-identify" title="Identify">they differ</mark>"#),
        "{html}"
    );
    assert!(html.contains("not found in these words"), "{html}");
}

#[test]
fn unreadable_reasoning_is_said_and_its_verdict_is_undefined() {
    let steps = vec![thinking(step(Role::Assistant, Some(0), "", 1), "", ReasoningOrigin::Encrypted)];
    let turns =
        [TurnVerdict { turn: 0, identify: Verdict::undefined(&judge(), Reason::ReasoningNotReadable) }];
    let html =
        html(&trajectory(steps, "x", None), &test_row("a", &judge()), &turns, &ReportOptions::default());
    assert!(html.contains("not readable") && html.contains("encrypted"), "{html}");
    assert!(html.contains(r#"<span class="why">reasoning_<wbr>not_<wbr>readable</span>"#), "{html}");
}

#[test]
fn a_long_trajectory_is_cut_and_keeps_its_deciding_turn() {
    let steps: Vec<Step> = (0..100)
        .map(|turn| step(Role::Assistant, Some(turn), &format!("turn {turn} says so."), u64::from(turn) + 1))
        .collect();
    let mut row = test_row("a", &judge());
    row.identify = Verdict::yes(&judge(), "r", "turn 50 says so").at(Some(50), &Location::default());
    let options = ReportOptions { max_steps: 10, ..Default::default() };
    let html = html(&trajectory(steps, "turn 99 says so.", Some(99)), &row, &[], &options);
    assert_eq!(html.matches("<li class=\"step").count(), 10 + 1 + LAST_STEPS);
    assert!(html.contains("40 steps left out here") && html.contains("37 steps left out here"), "{html}");
    assert!(html.contains(">turn 50 says so</mark>"), "{html}");
}
