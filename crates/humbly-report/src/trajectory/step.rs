//! One step: who speaks, reasoning apart from what is visible, calls, results, and the verdicts beside.

use humbly_types::{ReasoningOrigin, Role, Step, ToolCall, ToolResult};
use maud::{Markup, html};

use super::decisions::{Decision, Decisions};
use super::{place, turn_anchor};
use crate::cell;
use crate::excerpt::{Mark, excerpt, find_quote};
use crate::number::counted;
use crate::options::ReportOptions;
use crate::redact::Redactor;

/// A longer text of a tool, a system or a summary is folded up.
const FOLD_OVER: usize = 600;

/// How the steps of one trajectory are shown.
#[derive(Clone, Copy)]
pub(crate) struct StepView<'a> {
    /// Number of the row, `None` for a sub-agent.
    pub number: Option<usize>,
    /// Path of the row: a step that stands there names its line alone.
    pub path: &'a str,
    pub decisions: &'a Decisions<'a>,
    pub options: &'a ReportOptions,
    pub redactor: &'a Redactor,
}

/// A decision whose quote was, or was not yet, found in the texts of the step.
struct Open<'a> {
    decision: &'a Decision<'a>,
    is_marked: bool,
}

impl StepView<'_> {
    /// A text with marks.
    pub(crate) fn text(&self, text: &str, marks: Vec<Mark>) -> Markup {
        html! { div.text dir="auto" { (excerpt(text, self.options.max_text, marks, self.redactor)) } }
    }

    /// The final answer apart from the steps.
    pub(crate) fn answer(&self, text: &str) -> Markup {
        let mut open = self.open(None);
        let marks = marks(text, false, &mut open);
        html! {
            div.with-verdicts {
                (self.text(text, marks))
                (self.verdicts(&open))
            }
        }
    }

    /// One step.
    pub(crate) fn step(&self, step: &Step) -> Markup {
        let is_assistant = step.role == Role::Assistant;
        let turn = step.turn.filter(|_| is_assistant);
        let mut open = if turn.is_some() { self.open(turn) } else { Vec::new() };
        let reasoning: Vec<Markup> = step
            .reasoning
            .iter()
            .map(|reasoning| {
                if reasoning.origin.is_readable() {
                    let marks = marks(&reasoning.text, true, &mut open);
                    html! { div.reasoning { span.tag { "reasoning" (origin(reasoning.origin)) } (self.text(&reasoning.text, marks)) } }
                } else {
                    html! { div.reasoning { span.tag { "reasoning" } span.undef { "not readable" span.why { (origin(reasoning.origin)) } } } }
                }
            })
            .collect();
        let visible_marks = marks(&step.visible, false, &mut open);
        let anchor = self.number.zip(turn).map(|(number, turn)| turn_anchor(number, turn));
        html! {
            li class=(role_class(step.role)) id=[anchor] {
                (self.head(step))
                div.with-verdicts {
                    div.said {
                        @for part in reasoning { (part) }
                        @if !step.visible.trim().is_empty() { (self.visible(step, visible_marks)) }
                        @for call in &step.calls { (self.call(call)) }
                        @for result in &step.results { (self.result(result)) }
                    }
                    (self.verdicts(&open))
                }
            }
        }
    }

    fn open(&self, turn: Option<u32>) -> Vec<Open<'_>> {
        self.decisions.at(turn).map(|decision| Open { decision, is_marked: false }).collect()
    }

    fn head(&self, step: &Step) -> Markup {
        html! {
            div.who {
                b { (role(step.role)) }
                @if let Some(turn) = step.turn { " turn " (turn) }
                span.sub {
                    @if *step.at.file == *self.path || step.at.file.is_empty() {
                        @if step.at.line > 0 { "line " (step.at.line) }
                    } @else {
                        (self.redactor.text(&step.at.file)) ":" (step.at.line)
                    }
                    @if let Some(timestamp) = &step.timestamp { " · " (self.redactor.text(timestamp)) }
                    @if let Some(model) = &step.model { " · " (self.redactor.text(model)) }
                }
                @for (holds, name) in [
                    (step.flags.copied, "copy of an earlier turn"),
                    (step.flags.meta, "housekeeping"),
                    (step.flags.synthetic, "written by the harness"),
                    (step.flags.aborted, "broken off"),
                    (step.flags.compaction_summary, "summary of earlier context"),
                ] { @if holds { span.flag { (name) } } }
            }
        }
    }

    fn visible(&self, step: &Step, marks: Vec<Mark>) -> Markup {
        let is_folded = marks.is_empty()
            && step.visible.len() > FOLD_OVER
            && (step.role == Role::System
                || step.role == Role::Tool
                || step.flags.meta
                || step.flags.compaction_summary);
        html! {
            @if is_folded {
                details { summary { (characters(&step.visible)) } (self.text(&step.visible, marks)) }
            } @else { (self.text(&step.visible, marks)) }
        }
    }

    fn call(&self, call: &ToolCall) -> Markup {
        html! {
            div.call {
                span.tag { @if call.server_side { "call, run by the provider" } @else { "call" } }
                code { (self.redactor.text(&call.name)) }
                @if !call.arguments.trim().is_empty() { (self.text(&call.arguments, Vec::new())) }
            }
        }
    }

    fn result(&self, result: &ToolResult) -> Markup {
        html! {
            div.result {
                span.tag { "result" }
                @if let Some(name) = &result.name { code { (self.redactor.text(name)) } }
                @match result.is_error {
                    Some(true) => { span.flag.error { "error" } },
                    Some(false) => { span.flag { "no error" } },
                    None => { span.flag.missing { "error not recorded" } },
                }
                @if result.truncated { span.flag { "cut by the harness" } }
                @if result.images > 0 { span.flag { (counted(result.images.into(), "image", "images")) } }
                @if result.text.len() > FOLD_OVER {
                    details { summary { (characters(&result.text)) } (self.text(&result.text, Vec::new())) }
                } @else if result.text.trim().is_empty() {
                    @if result.images == 0 { span.missing { "empty" } }
                } @else { (self.text(&result.text, Vec::new())) }
            }
        }
    }

    fn verdicts(&self, open: &[Open<'_>]) -> Markup {
        html! {
            @if !open.is_empty() {
                aside.beside aria-label="Verdicts" {
                    @for Open { decision, is_marked } in open {
                        div.decision {
                            b { (decision.label) } " " (cell::verdict(decision.verdict, self.redactor))
                            @if let Some(rule) = &decision.verdict.rule { code { (self.redactor.text(rule)) } }
                            span.sub {
                                @if let Some(turn) = decision.verdict.turn { "turn " (turn) " · " }
                                @if let Some(place) = place(decision.verdict, self.redactor) { (place) }
                            }
                            @if !is_marked { (self.unmarked(decision)) }
                        }
                    }
                }
            }
        }
    }

    /// The quote itself, where the texts do not hold it literally.
    fn unmarked(&self, decision: &Decision<'_>) -> Markup {
        let quote = decision.verdict.quote.as_deref().unwrap_or_default();
        html! {
            @if decision.verdict.is_yes() {
                @if quote.is_empty() {
                    @for anchor in &decision.anchors { span id=(anchor) {} }
                } @else {
                    @let mark = Mark { range: 0..quote.len(), anchors: decision.anchors.clone(), label: decision.label.to_owned() };
                    (self.text(quote, vec![mark]))
                    span.sub { "not found in these words" }
                }
            }
        }
    }
}

/// Marks of all open decisions whose quote this text holds; each is marked once.
fn marks(text: &str, is_reasoning: bool, open: &mut [Open<'_>]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for open in open.iter_mut().filter(|open| !open.is_marked) {
        let decision = open.decision;
        let may_hold = if is_reasoning { decision.in_reasoning } else { decision.in_visible };
        let quote = decision.verdict.quote.as_deref().filter(|_| may_hold && decision.verdict.is_yes());
        if let Some(range) = quote.and_then(|quote| find_quote(text, quote)) {
            open.is_marked = true;
            let label = match &decision.verdict.rule {
                Some(rule) => format!("{}: {rule}", decision.label),
                None => decision.label.to_owned(),
            };
            marks.push(Mark { range, anchors: decision.anchors.clone(), label });
        }
    }
    marks
}

fn characters(text: &str) -> String {
    counted(text.chars().count() as u64, "character", "characters")
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "System",
        Role::User => "User",
        Role::Assistant => "Agent",
        Role::Tool => "Tools",
    }
}

fn role_class(role: Role) -> &'static str {
    match role {
        Role::System => "step system",
        Role::User => "step user",
        Role::Assistant => "step agent",
        Role::Tool => "step tool",
    }
}

fn origin(origin: ReasoningOrigin) -> &'static str {
    match origin {
        ReasoningOrigin::Field => "",
        ReasoningOrigin::Inline => ", inline",
        ReasoningOrigin::ThinkTool => ", think tool",
        ReasoningOrigin::Summary => ", provider’s summary",
        ReasoningOrigin::Encrypted => "encrypted",
        ReasoningOrigin::Redacted => "redacted by the provider",
    }
}
