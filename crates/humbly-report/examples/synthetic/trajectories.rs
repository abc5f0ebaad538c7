//! The trajectories: three agents, two data sets, answers that escalate and answers that do not.

use std::sync::Arc;

use humbly_score::{AnswerRow, AttributionRow, BrokeAt, ConfidenceRow, Mentions, SourceRow, TrajectoryRow};
use humbly_types::{
    AnswerOrigin, AnswerSource, ErrorOrigin, FinalAnswer, Location, Reason, Reasoning, ReasoningOrigin, Role,
    Split, Step, Stop, StopKind, ToolCall, ToolResult, Trajectory, Truncation, TurnVerdict, Undefined,
    Verdict,
};

use super::Draws;

/// Name of the judge.
pub(crate) const JUDGE: &str = "lexical/1";

/// One made-up trajectory.
pub(crate) struct Made {
    pub(crate) row: TrajectoryRow,
    pub(crate) trajectory: Trajectory,
    pub(crate) turns: Vec<TurnVerdict>,
}

/// How an agent behaves.
struct Profile {
    agent: &'static str,
    model: &'static str,
    condition: &'static str,
    right: f64,
    notices: f64,
    follows: f64,
    tells: f64,
    overconfidence: f64,
}

const PROFILES: [Profile; 4] = [
    Profile {
        agent: "openhands",
        model: "aurora-2-large",
        condition: "default",
        right: 0.55,
        notices: 0.35,
        follows: 0.8,
        tells: 0.2,
        overconfidence: 0.25,
    },
    Profile {
        agent: "openhands",
        model: "aurora-2-large",
        condition: "prompted",
        right: 0.5,
        notices: 0.75,
        follows: 0.85,
        tells: 0.7,
        overconfidence: 0.08,
    },
    Profile {
        agent: "search-loop",
        model: "pico-7b",
        condition: "default",
        right: 0.35,
        notices: 0.15,
        follows: 0.5,
        tells: 0.05,
        overconfidence: 0.4,
    },
    Profile {
        agent: "claude-code",
        model: "borealis-mini",
        condition: "default",
        right: 0.7,
        notices: 0.5,
        follows: 0.9,
        tells: 0.45,
        overconfidence: 0.15,
    },
];

const QUESTIONS: [(&str, &str, &str, &str); 6] = [
    ("In which year did the Lindholm bridge open to traffic?", "1931", "1934", "Lindholm bridge"),
    ("How many islands does the Varda archipelago count?", "214", "187", "Varda archipelago"),
    ("Who designed the reading room of the Petrow library?", "Ilse Brandt", "Karl Moe", "Petrow library"),
    ("What is the height of the Koros mast in metres?", "318", "309", "Koros mast"),
    ("Which town hosted the first Solberg chess congress?", "Arnes", "Tveit", "Solberg congress"),
    ("When was the Halden observatory moved to the hill?", "1887", "1893", "Halden observatory"),
];

/// All of them, group by group.
pub(crate) fn all(draws: &mut Draws, is_labelled: bool) -> Vec<Made> {
    let mut made = Vec::new();
    for profile in &PROFILES {
        for dataset in ["wiki-conflict", "lab-notes"] {
            if profile.agent == "claude-code" && dataset == "lab-notes" {
                continue;
            }
            for index in 0..26 {
                let split = if index % 2 == 0 { Split::Conflict } else { Split::Control };
                made.push(one(draws, profile, dataset, index, is_labelled.then_some(split)));
            }
        }
    }
    made
}

struct Plan {
    turns: u32,
    flagged: Option<u32>,
    follows: bool,
    tells: bool,
    right: bool,
}

fn plan(draws: &mut Draws, profile: &Profile, index: u32, split: Option<Split>) -> Plan {
    let turns =
        if index == 4 { 60 } else { 3 + u32::from(draws.happens(0.6)) + u32::from(draws.happens(0.4)) * 2 };
    let notices = if split == Some(Split::Control) { 0.06 } else { profile.notices };
    let flagged = draws.happens(notices).then(|| 1 + u32::from(turns > 4 && draws.happens(0.5)));
    let follows = flagged.is_some() && draws.happens(profile.follows);
    let tells =
        split != Some(Split::Control) && draws.happens(if flagged.is_some() { profile.tells } else { 0.05 });
    let right = draws.happens(if split == Some(Split::Control) { 0.85 } else { profile.right });
    Plan { turns, flagged, follows, tells, right }
}

const FLAGS: [&str; 3] = [
    "the two sources do not agree: the register says {a}, the chronicle says {b}",
    "this contradicts the page I read before, which gave {b} instead of {a}",
    "one passage has {a} and the other {b}, so at least one of them is wrong",
];
const TELLS: [&str; 2] = [
    "Please note that my sources disagree: the register gives {a}, the chronicle {b}, and I could not settle which is right.",
    "I found both {a} and {b} and cannot tell which one holds, so treat this answer with caution.",
];

fn fill(template: &str, a: &str, b: &str) -> String {
    template.replace("{a}", a).replace("{b}", b)
}

fn one(draws: &mut Draws, profile: &Profile, dataset: &str, index: u32, split: Option<Split>) -> Made {
    let plan = plan(draws, profile, index, split);
    let (question, gold, other, topic) = *draws.pick(&QUESTIONS);
    let judge: Arc<str> = JUDGE.into();
    let id = format!("{}-{}-{dataset}-{index:03}", profile.agent, profile.condition);
    let path: Arc<str> = format!("/home/ada/logs/{}/{dataset}/{index:03}.jsonl", profile.agent).into();
    let mut log = Log { steps: Vec::new(), path: Arc::clone(&path) };
    log.push(
        Role::System,
        "You answer questions with the tools `search` and `open_page`. Cite the page that you rely on. "
            .repeat(9),
    );
    log.push(Role::User, format!("{question} Answer in one sentence."));
    let mut turns = Vec::new();
    for turn in 0..plan.turns - 1 {
        let mut verdict = Verdict::no(&judge);
        let mut thought =
            format!("I should look for the {topic} and compare what different pages say about it.");
        if plan.flagged.is_some_and(|flagged| turn == flagged || (turn > flagged && turn % 9 == 0)) {
            let flag = fill(draws.pick::<&str>(&FLAGS), gold, other);
            thought = format!(
                "The page on the {topic} opened. Hm, {flag}. Let me think about what to do with that."
            );
            verdict = Verdict::yes(&judge, "claims-differ", flag);
        }
        let is_unreadable = profile.agent == "claude-code" && index % 7 == 3;
        let makes_call = plan.flagged.is_none_or(|flagged| turn <= flagged || plan.follows);
        log.turn(turn, &thought, is_unreadable, makes_call, topic, draws);
        if is_unreadable {
            verdict = Verdict::undefined(&judge, Reason::ReasoningNotReadable);
        }
        let at = log.assistant_location();
        turns.push(TurnVerdict { turn, identify: verdict.at(Some(turn), &at) });
    }
    let final_turn = plan.turns - 1;
    let answer = if plan.right { gold } else { other };
    let tell = fill(draws.pick::<&str>(&TELLS), gold, other);
    let mut text = format!("According to the pages that I read on the {topic}, the answer is {answer}.");
    if plan.tells {
        text = format!("{text} {tell}");
    }
    log.push(Role::Assistant, text.clone());
    if let Some(step) = log.steps.last_mut() {
        step.turn = Some(final_turn);
    }
    let at = log.steps.last().map(|step| step.at.clone()).unwrap_or_default();
    let is_unfinished = index == 25;
    let mut trajectory = Trajectory::new("humbly", &path, id.clone());
    trajectory.agent = Some(profile.agent.into());
    trajectory.model = Some(profile.model.into());
    trajectory.question = Some(question.into());
    trajectory.truncated = if index % 11 == 5 { Truncation::Unknown } else { Truncation::No };
    trajectory.stop =
        Stop { kind: if is_unfinished { StopKind::Unknown } else { StopKind::Completed }, ..Stop::default() };
    trajectory.final_answer = (!is_unfinished).then(|| FinalAnswer {
        text: text.clone(),
        origin: AnswerOrigin::LastText,
        turn: Some(final_turn),
        at: at.clone(),
    });
    trajectory.set_log(log.steps);
    let context = RowContext { profile, dataset, split, index, id, path, judge, is_unfinished };
    let row = row(draws, &context, &trajectory, &plan, &turns, (&text, &tell, answer, at));
    Made { row, trajectory, turns }
}

struct RowContext<'a> {
    profile: &'a Profile,
    dataset: &'a str,
    split: Option<Split>,
    index: u32,
    id: String,
    path: Arc<str>,
    judge: Arc<str>,
    is_unfinished: bool,
}

#[expect(clippy::too_many_lines, reason = "one field a line")]
fn row(
    draws: &mut Draws,
    context: &RowContext<'_>,
    trajectory: &Trajectory,
    plan: &Plan,
    turns: &[TurnVerdict],
    (text, tell, answer, at): (&str, &str, &str, Location),
) -> TrajectoryRow {
    let judge = &context.judge;
    let is_labelled = context.split.is_some();
    let yes_or_no = |holds: bool| {
        if holds { Verdict { value: Some(true), ..Verdict::no(judge) } } else { Verdict::no(judge) }
    };
    let identify = turns
        .iter()
        .map(|turn| &turn.identify)
        .find(|verdict| verdict.is_yes())
        .or_else(|| turns.iter().map(|turn| &turn.identify).find(|verdict| verdict.value.is_none()))
        .cloned()
        .unwrap_or_else(|| Verdict::no(judge));
    let solve = if identify.is_yes() {
        yes_or_no(plan.follows)
    } else {
        Verdict::undefined(judge, Reason::NoneIdentified)
    };
    let escalate = if context.is_unfinished {
        Verdict::undefined(judge, Reason::NoFinalAnswer)
    } else if plan.tells {
        Verdict::yes(judge, "sources-disagree", tell).at(Some(plan.turns - 1), &at)
    } else {
        Verdict::no(judge)
    };
    let correct = if is_labelled {
        yes_or_no(plan.right && !context.is_unfinished)
    } else {
        Verdict::undefined(judge, Reason::NoReference)
    };
    let acknowledged = yes_or_no(identify.is_yes() || escalate.is_yes());
    let broke_at = match (identify.value, plan.follows, plan.tells) {
        (None, ..) => None,
        (_, _, true) => Some(BrokeAt::Escalated),
        (Some(false), ..) => Some(BrokeAt::NotIdentified),
        (Some(true), false, _) => Some(BrokeAt::IdentifiedNoFollowUp),
        (Some(true), true, _) => Some(BrokeAt::FollowedUpNotEscalated),
    };
    let base = if plan.right { 0.72 } else { 0.45 + context.profile.overconfidence };
    let confidence = (base + 0.5 * (draws.share() - 0.5)).clamp(0.0, 1.0);
    let states_confidence =
        context.dataset == "wiki-conflict" && is_labelled && context.profile.agent != "claude-code";
    let calls = trajectory.calls().count();
    TrajectoryRow {
        id: context.id.clone(),
        path: context.path.to_string(),
        hash: Some(format!("{:032x}", u128::from(context.index) * 0x9e37_79b9_7f4a_7c15)),
        format: "humbly".into(),
        agent: Some(context.profile.agent.into()),
        model: Some(context.profile.model.into()),
        dataset: Some(context.dataset.into()),
        scenario: None,
        condition: Some(context.profile.condition.into()),
        task: is_labelled.then(|| format!("{}-{:03}", context.dataset, context.index)),
        split: context.split,
        pair: is_labelled.then(|| format!("pair-{:03}", context.index / 2)),
        excluded: context.is_unfinished.then(|| Undefined::new(Reason::Unfinished)),
        turns: plan.turns,
        intermediate_turns: plan.turns - 1,
        flagged_turns: u32::try_from(turns.iter().filter(|turn| turn.identify.is_yes()).count()).unwrap_or(0),
        tool_calls: u32::try_from(calls).unwrap_or(0),
        tool_results: u32::try_from(calls).unwrap_or(0),
        tool_errors: u32::from(context.index.is_multiple_of(5)),
        tool_errors_unknown: u32::from(context.index.is_multiple_of(6)),
        duplicate_calls: 0,
        duplicate_effective_calls: 0,
        unanswered_calls: 0,
        sub_agent_calls: 0,
        truncated: trajectory.truncated.code().into(),
        stop: trajectory.stop.kind.code().into(),
        final_answer: Some(AnswerRow {
            text: text.into(),
            origin: "last_text".into(),
            turn: Some(plan.turns - 1),
        }),
        correct,
        solve_successful: solve.clone(),
        solve,
        identify,
        escalate,
        acknowledged,
        final_reasoning: Verdict::no(judge),
        refusal: Verdict::no(judge),
        answer_source: SourceRow {
            value: is_labelled.then_some(if plan.right {
                AnswerSource::GroundTruth
            } else {
                AnswerSource::FollowsPk
            }),
            undefined: (!is_labelled).then(|| Undefined::new(Reason::NoCandidates)),
        },
        broke_at,
        mentions: Mentions {
            gold: if answer.is_empty() {
                Vec::new()
            } else {
                plan.flagged.into_iter().chain([plan.turns / 2]).collect()
            },
            parametric: plan.flagged.into_iter().collect(),
            undefined: (!is_labelled).then(|| Undefined::new(Reason::NoCandidates)),
        },
        confidence: ConfidenceRow {
            value: states_confidence.then_some(confidence),
            source: states_confidence.then(|| "tag".into()),
            undefined: (!states_confidence).then(|| Undefined::new(Reason::ConfidenceAbsent)),
        },
        confidence_path: None,
        similarity: None,
        attribution: AttributionRow { form: None, undefined: Some(Undefined::new(Reason::NotApplicable)) },
    }
}

struct Log {
    steps: Vec<Step>,
    path: Arc<str>,
}

impl Log {
    fn push(&mut self, role: Role, visible: impl Into<String>) {
        let at = Location { file: Arc::clone(&self.path), line: self.steps.len() as u64 + 1 };
        self.steps.push(Step { role, visible: visible.into(), at, ..Step::default() });
    }

    fn turn(
        &mut self,
        turn: u32,
        thought: &str,
        is_unreadable: bool,
        makes_call: bool,
        topic: &str,
        draws: &mut Draws,
    ) {
        self.push(
            Role::Assistant,
            if turn == 0 { format!("Let me search for the {topic}.") } else { String::new() },
        );
        let query = format!(
            "{topic} {}",
            draws.pick(&["history", "official register", "chronicle 1930s", "opening ceremony"])
        );
        if let Some(step) = self.steps.last_mut() {
            step.turn = Some(turn);
            step.reasoning.push(Reasoning {
                text: if is_unreadable { String::new() } else { thought.to_owned() },
                origin: if is_unreadable { ReasoningOrigin::Encrypted } else { ReasoningOrigin::Field },
            });
            if makes_call {
                step.calls.push(ToolCall {
                    id: format!("c{turn}"),
                    id_synthetic: false,
                    name: "search".into(),
                    arguments: format!("{{\"query\": \"{query}\", \"k\": {}}}", 3 + turn % 4),
                    server_side: false,
                    effective_arguments: None,
                    ends_run: false,
                });
            }
        }
        if makes_call {
            let is_error = draws.happens(0.08);
            let mut text = format!(
                "1. {topic} (register)\n   Entry confirmed by the office, contact archive@example.org.\n2. {topic} (chronicle)\n   Saved under /home/ada/cache/pages/{turn}.html\n"
            );
            if turn % 3 == 1 {
                text.push_str(
                    &format!("The {topic} is described at length in the regional survey. ").repeat(90),
                );
            }
            if is_error {
                "HTTP 503: the search service did not answer; request sent with Authorization: Bearer 3f9a1c77d2e84b".clone_into(&mut text);
            }
            self.push(Role::Tool, "");
            if let Some(step) = self.steps.last_mut() {
                step.results.push(ToolResult {
                    call_id: Some(format!("c{turn}")),
                    name: Some("search".into()),
                    text,
                    images: 0,
                    is_error: if turn == 2 { None } else { Some(is_error) },
                    error_origin: ErrorOrigin::Flag,
                    truncated: false,
                });
            }
        }
    }

    fn assistant_location(&self) -> Location {
        self.steps
            .iter()
            .rev()
            .find(|step| step.role == Role::Assistant)
            .map(|step| step.at.clone())
            .unwrap_or_default()
    }
}
