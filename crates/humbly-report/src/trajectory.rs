//! The section of one trajectory: facts, verdicts, then the steps with the deciding quotes marked.

mod decisions;
mod step;

use humbly_score::TrajectoryRow;
use humbly_types::{Trajectory, TurnVerdict, Verdict};
use maud::{Markup, html};

use crate::cell;
use crate::number::{count, counted, rate};
use crate::options::ReportOptions;
use crate::redact::Redactor;
use crate::sections::{broke_at, fact, scrolling, short, split};
use decisions::Decisions;
use step::StepView;

/// Sub-agents of sub-agents are shown so deep.
const MOST_DEPTH: usize = 4;
/// The last steps are shown even where a long trajectory is cut.
const LAST_STEPS: usize = 12;

/// Anchor of a section: made from the row's number, never from a text of the log.
pub(crate) fn anchor(number: usize) -> String {
    format!("trajectory-{}", number + 1)
}

/// Anchor of the quote that decided `kind`.
pub(crate) fn quote_anchor(number: usize, kind: &str) -> String {
    format!("{}-{kind}", anchor(number))
}

/// Anchor of a turn.
pub(crate) fn turn_anchor(number: usize, turn: u32) -> String {
    format!("{}-turn-{turn}", anchor(number))
}

/// The section, closed until a link or a reader opens it.
pub(crate) fn section(
    number: usize,
    trajectory: &Trajectory,
    row: &TrajectoryRow,
    turns: &[TurnVerdict],
    options: &ReportOptions,
    redactor: &Redactor,
) -> Markup {
    let decisions = Decisions::of(number, trajectory, row, turns);
    let view = StepView { number: Some(number), path: &row.path, decisions: &decisions, options, redactor };
    let body = html! {
        (steps(trajectory, view))
        (final_answer(trajectory, view))
    };
    let anchors = Anchors { number, body: &body.0 };
    html! {
        details.trajectory {
            summary {
                span.name id=(anchor(number)) { bdi { (redactor.text(&row.id)) } }
                span.badges {
                    (badge("correct", &row.correct, redactor))
                    (badge("Identify", &row.identify, redactor))
                    (badge("Solve", &row.solve, redactor))
                    (badge("Escalate", &row.escalate, redactor))
                }
            }
            div.inside {
                (facts(row, redactor))
                (scrolling(&verdicts(&anchors, row, redactor)))
                @if let Some(question) = trajectory.question.as_deref().filter(|_| !trajectory.has_turns) {
                    h4 { "Question" }
                    (view.text(question, Vec::new()))
                }
                (body)
                p.back { a href="#trajectories" { "Back to the list" } }
            }
        }
    }
}

/// The anchors that a body holds: a turn that is not shown, or a quote without a place, gets no link.
struct Anchors<'a> {
    number: usize,
    body: &'a str,
}

impl Anchors<'_> {
    fn turn(&self, turn: u32) -> Option<String> {
        self.known(turn_anchor(self.number, turn))
    }

    fn quote(&self, kind: &str) -> Option<String> {
        self.known(quote_anchor(self.number, kind))
    }

    fn known(&self, anchor: String) -> Option<String> {
        self.body.contains(&format!("id=\"{anchor}\"")).then_some(anchor)
    }
}

/// Says of each row that its steps were to be shown and never came.
pub(crate) fn missing(numbers: &[usize]) -> Markup {
    html! {
        @for &number in numbers {
            details.trajectory {
                summary { span.name id=(anchor(number)) { "Trajectory " (count(number as u64 + 1)) } }
                // The list may lead to quotes, too.
                div.inside {
                    span id=(quote_anchor(number, "identify")) {}
                    span id=(quote_anchor(number, "escalate")) {}
                    p.empty { "Its log could not be read again, so the steps are not shown." }
                }
            }
        }
    }
}

fn badge(name: &str, verdict: &Verdict, redactor: &Redactor) -> Markup {
    html! { span.badge { (name) " " (cell::verdict(verdict, redactor)) } }
}

fn facts(row: &TrajectoryRow, redactor: &Redactor) -> Markup {
    let text = |value: &str| redactor.text(value).into_owned();
    let or_not = |value: Option<&str>| value.map_or_else(|| "not recorded".to_owned(), text);
    let errors = if row.tool_errors_unknown > 0 {
        format!("{}, unknown for {}", count(row.tool_errors.into()), count(row.tool_errors_unknown.into()))
    } else {
        count(row.tool_errors.into())
    };
    html! {
        dl.facts {
            (fact("Agent", &or_not(row.agent.as_deref())))
            (fact("Model", &or_not(row.model.as_deref())))
            (fact("Data set", &or_not(row.dataset.as_deref())))
            (fact("Condition", &or_not(row.condition.as_deref())))
            div { dt { "Split" } dd { (split(row.split)) } }
            (fact("Task", &row.task.as_deref().map_or_else(|| "none joined".to_owned(), text)))
            (fact("Log", &text(&row.path)))
            (fact("Format", &text(&row.format)))
            (fact("Hash", &row.hash.as_deref().map_or_else(|| "not read from a file".to_owned(), |hash| short(hash, redactor))))
            (fact("Ended", &format!("{}; cut by a limit: {}", text(&row.stop), text(&row.truncated))))
            (fact("Turns", &format!("{} ({} of {} intermediate ones flagged)", count(row.turns.into()), count(row.flagged_turns.into()), count(row.intermediate_turns.into()))))
            (fact("Calls", &format!(
                "{} ({} repeated, {} unanswered, {} by sub-agents)",
                count(row.tool_calls.into()), count(row.duplicate_calls.into()),
                count(row.unanswered_calls.into()), count(row.sub_agent_calls.into())
            )))
            (fact("Results that are errors", &errors))
            div { dt { "Answer comes from" } dd {
                @match (&row.answer_source.value, &row.answer_source.undefined) {
                    (Some(source), _) => { (answer_source(*source)) },
                    (None, Some(undefined)) => { (cell::undefined(undefined, redactor)) },
                    (None, None) => { (cell::not_recorded()) },
                }
            } }
            div { dt { "Confidence" } dd {
                @match (row.confidence.value, &row.confidence.undefined) {
                    (Some(value), _) => { (rate(value)) },
                    (None, Some(undefined)) => { (cell::undefined(undefined, redactor)) },
                    (None, None) => { (cell::not_recorded()) },
                }
            } }
            div { dt { "The chain" } dd { (broke_at(row.broke_at)) } }
            @if let Some(excluded) = &row.excluded {
                div { dt { "Left out of every rate" } dd { (cell::undefined(excluded, redactor)) } }
            }
        }
    }
}

fn answer_source(source: humbly_types::AnswerSource) -> &'static str {
    use humbly_types::AnswerSource as Source;
    match source {
        Source::Pk => "the parametric answer",
        Source::Context => "the context",
        Source::Both => "parametric answer and context",
        Source::External => "neither parametric answer nor context",
        Source::GroundTruth => "the ground truth",
        Source::FollowsPk => "the parametric answer, not the truth",
        Source::FollowsBoth => "truth and parametric answer",
        Source::FollowsNeither => "neither truth nor parametric answer",
        Source::NoAnswer => "there is no answer",
        Source::NoCandidates => "the task names no candidates",
    }
}

fn verdicts(anchors: &Anchors<'_>, row: &TrajectoryRow, redactor: &Redactor) -> Markup {
    let rows: [(&str, &str, &Verdict); 8] = [
        ("Correct", "", &row.correct),
        ("Identify", "identify", &row.identify),
        ("Solve", "", &row.solve),
        ("Solve, with a result that is no error", "", &row.solve_successful),
        ("Escalate", "escalate", &row.escalate),
        ("Acknowledged", "", &row.acknowledged),
        ("Only in the final reasoning", "final-reasoning", &row.final_reasoning),
        ("Refusal", "refusal", &row.refusal),
    ];
    html! {
        table.verdicts {
            thead { tr {
                th scope="col" { "Verdict" } th scope="col" { "" } th scope="col" { "Where" } th scope="col" { "Rule" } th scope="col" { "Quote" }
            } }
            tbody {
                @for (name, kind, verdict) in rows {
                    tr {
                        th scope="row" { (name) }
                        td { (cell::verdict(verdict, redactor)) }
                        td {
                            @if let Some(turn) = verdict.turn {
                                @match anchors.turn(turn) {
                                    Some(anchor) => { a href=(format!("#{anchor}")) { "turn " (turn) } },
                                    None => { "turn " (turn) },
                                }
                            }
                            @if let Some(place) = place(verdict, redactor) { span.sub { (place) } }
                        }
                        td { @if let Some(rule) = &verdict.rule { code { (redactor.text(rule)) } } }
                        td.quote {
                            @if let Some(quote) = &verdict.quote {
                                @if kind.is_empty() || !verdict.is_yes() {
                                    (quoted(quote, redactor))
                                } @else if let Some(anchor) = anchors.quote(kind) {
                                    a href=(format!("#{anchor}")) { (quoted(quote, redactor)) }
                                } @else {
                                    span id=(quote_anchor(anchors.number, kind)) { (quoted(quote, redactor)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The head of a quote between quotation marks.
fn quoted(quote: &str, redactor: &Redactor) -> Markup {
    html! { q { (crate::excerpt::excerpt(quote, 160, Vec::new(), redactor)) } }
}

/// `file:line` of a verdict.
fn place(verdict: &Verdict, redactor: &Redactor) -> Option<String> {
    let file = redactor.text(verdict.file.as_deref()?);
    Some(verdict.line.map_or_else(|| file.to_string(), |line| format!("{file}:{line}")))
}

fn steps(trajectory: &Trajectory, view: StepView<'_>) -> Markup {
    let steps = trajectory.steps();
    let most = view.options.max_steps;
    let is_shown = |index: usize| {
        steps.len() <= most
            || index < most
            || index + LAST_STEPS >= steps.len()
            || steps.get(index).is_some_and(|step| step.turn.is_some_and(|turn| view.decisions.has(turn)))
    };
    let mut left_out = 0;
    html! {
        @if !trajectory.context().is_empty() {
            p.sub { (counted(trajectory.context().len() as u64, "earlier step is", "earlier steps are")) " context: never judged, not shown." }
        }
        @if steps.is_empty() { p.empty { "The log holds no steps." } }
        ol.steps {
            @for (index, step) in steps.iter().enumerate() {
                @if is_shown(index) {
                    (gap(std::mem::take(&mut left_out)))
                    (view.step(step))
                } @else {
                    @let () = left_out += 1;
                }
            }
            (gap(left_out))
        }
        @for child in &trajectory.children { (sub_agent(child, view, 1)) }
    }
}

fn gap(left_out: u64) -> Markup {
    html! { @if left_out > 0 { li.left-out { (counted(left_out, "step", "steps")) " left out here" } } }
}

fn sub_agent(child: &Trajectory, view: StepView<'_>, depth: usize) -> Markup {
    let steps = child.steps();
    let none = Decisions::default();
    let view = StepView { number: None, decisions: &none, ..view };
    let shown = steps.len().min(view.options.max_steps);
    html! {
        details.sub-agent {
            summary {
                "Sub-agent " bdi { (view.redactor.text(child.agent.as_deref().unwrap_or(&child.id))) }
                ", " (counted(steps.len() as u64, "step", "steps"))
            }
            ol.steps {
                @for step in steps.iter().take(shown) { (view.step(step)) }
                (gap((steps.len() - shown) as u64))
            }
            @if depth < MOST_DEPTH {
                @for child in &child.children { (sub_agent(child, view, depth + 1)) }
            } @else if !child.children.is_empty() {
                p.left-out { (counted(child.children.len() as u64, "sub-agent", "sub-agents")) " of this one left out" }
            }
        }
    }
}

/// The final answer, where no step shows it in so many words.
fn final_answer(trajectory: &Trajectory, view: StepView<'_>) -> Markup {
    html! {
        @match &trajectory.final_answer {
            Some(answer) if !decisions::answer_is_in_step(trajectory) => {
                div.final-answer {
                    h4 { "Final answer" span.sub { (answer.origin.code().replace('_', " ")) } }
                    (view.answer(&answer.text))
                }
            },
            Some(_) => {},
            None => { p.empty { "There is no final answer." } },
        }
    }
}

#[cfg(test)]
mod tests;
