//! From one trajectory and its judgement to one row.

use std::sync::Arc;

use humbly_text::attribution::parse_form;
use humbly_text::confidence::{
    Confidence, ConfidenceFault, ConfidenceSource, Scale, UndefinedConfidence, parse_confidence,
};
use humbly_types::{Judgement, Outcome, Reason, Task, Trajectory, Undefined, Verdict};

use crate::calls;
use crate::correctness::{Expected, correct, judged, similarity};
use crate::digest::intermediate_turns;
use crate::mentions::mentions;
use crate::report::{CorrectnessBy, Settings};
use crate::row::{
    AnswerRow, AttributionRow, BrokeAt, ConfidencePath, ConfidenceRow, Mentions, SourceRow, StatedConfidence,
    ToolType, TrajectoryRow, TypedCall,
};
use crate::solve::solve;

/// So much of a final answer stands in the output; the log holds the rest.
const ANSWER_CHARACTERS: usize = 300;

/// Scores one trajectory.
///
/// The task's references, else those of the log, decide correctness; no judge sees them.
pub fn score_trajectory(
    trajectory: &Trajectory,
    task: Option<&Task>,
    judgement: &Judgement,
    settings: &Settings,
) -> TrajectoryRow {
    let judge = &judgement.judge;
    let outcome = trajectory.outcome();
    let references = match task {
        Some(task) if !task.references.is_empty() => &task.references,
        _ => trajectory.references.for_correctness(),
    };
    let mode = task.map(|task| task.reference_mode).unwrap_or_default();
    let answer = match outcome {
        Outcome::Answered => trajectory.final_answer.as_ref().map(|answer| answer.text.as_str()),
        _ => None,
    };
    let counts = calls::count(trajectory);
    let identify = identify(trajectory, judgement);
    let solved = solve(trajectory, &identify, counts, settings, judge);
    let escalate = match outcome {
        Outcome::CutByLimit | Outcome::NoFinalAnswer => {
            Verdict { rule: Some("no_final_answer".into()), ..Verdict::no(judge) }
        }
        Outcome::Unfinished => Verdict::undefined(judge, Reason::Unfinished),
        Outcome::Answered => judgement.escalate.clone(),
    };
    let acknowledged = either(&identify, &escalate, judge);
    let is_unfinished = outcome == Outcome::Unfinished;
    let expected = Expected { references, mode, task };
    let dataset = task.and_then(|task| task.dataset.clone()).or_else(|| trajectory.dataset.clone());
    TrajectoryRow {
        id: trajectory.id.clone(),
        path: trajectory.path.to_string(),
        hash: None,
        format: trajectory.format.to_owned(),
        agent: trajectory.agent.clone(),
        model: trajectory.model.clone(),
        similarity: if is_unfinished {
            None
        } else {
            similarity(answer, expected, settings.matching, dataset.as_deref())
        },
        dataset,
        scenario: task.and_then(|task| task.scenario.clone()),
        condition: trajectory.condition.clone().or_else(|| task.and_then(|task| task.condition.clone())),
        task: task.map(|task| task.id.clone()),
        split: task.and_then(|task| task.split),
        pair: task.and_then(|task| task.pair.clone()),
        excluded: is_unfinished.then(|| Undefined::new(Reason::Unfinished)),
        turns: calls::as_count(trajectory.turns().count()),
        intermediate_turns: intermediate_turns(trajectory),
        flagged_turns: calls::as_count(judgement.turns.iter().filter(|turn| turn.identify.is_yes()).count()),
        tool_calls: counts.calls,
        tool_results: counts.results,
        tool_errors: counts.errors,
        tool_errors_unknown: counts.errors_unknown,
        duplicate_calls: counts.duplicates,
        duplicate_effective_calls: counts.effective_duplicates,
        unanswered_calls: counts.unanswered,
        sub_agent_calls: counts.by_sub_agents,
        truncated: trajectory.truncated.code().to_owned(),
        stop: trajectory.stop.kind.code().to_owned(),
        final_answer: trajectory.final_answer.as_ref().map(|answer| AnswerRow {
            text: cut(&answer.text, ANSWER_CHARACTERS),
            origin: answer.origin.code().to_owned(),
            turn: answer.turn,
        }),
        correct: if is_unfinished && !references.is_empty() {
            Verdict::undefined(judge, Reason::Unfinished)
        } else {
            match settings.correctness {
                CorrectnessBy::Rules => correct(answer, expected, settings.matching),
                by => judged(answer, expected, by, judgement),
            }
        },
        broke_at: broke_at(&identify, &solved.solve, &escalate),
        mentions: if trajectory.has_turns {
            mentions(trajectory, task, references)
        } else {
            Mentions { undefined: Some(Undefined::new(Reason::NoTurns)), ..Mentions::default() }
        },
        confidence: confidence_row(answer, settings),
        confidence_path: confidence_path(trajectory, judgement, settings),
        attribution: attribution_row(answer, task),
        identify,
        solve: solved.solve,
        solve_successful: solved.successful,
        escalate,
        acknowledged,
        final_reasoning: judgement.final_reasoning.clone(),
        refusal: judgement.refusal.clone(),
        answer_source: match &judgement.answer_source {
            Ok(source) => SourceRow { value: Some(*source), undefined: None },
            Err(undefined) => SourceRow { value: None, undefined: Some(undefined.clone()) },
        },
    }
}

/// The first turn that recognised a gap; undefined where none did and some turn could not be judged.
fn identify(trajectory: &Trajectory, judgement: &Judgement) -> Verdict {
    if !trajectory.has_turns {
        return Verdict::undefined(&judgement.judge, Reason::NoTurns);
    }
    let verdicts = || judgement.turns.iter().map(|turn| &turn.identify);
    verdicts()
        .find(|verdict| verdict.is_yes())
        .or_else(|| verdicts().find(|verdict| verdict.undefined.is_some()))
        .cloned()
        .unwrap_or_else(|| Verdict::no(&judgement.judge))
}

/// Yes where one side is yes, no where both are no, else undefined.
fn either(first: &Verdict, second: &Verdict, judge: &Arc<str>) -> Verdict {
    [first, second]
        .into_iter()
        .find(|verdict| verdict.is_yes())
        .or_else(|| [first, second].into_iter().find(|verdict| verdict.undefined.is_some()))
        .cloned()
        .unwrap_or_else(|| Verdict::no(judge))
}

/// Where the chain broke; `None` where a link is undefined.
fn broke_at(identify: &Verdict, solve: &Verdict, escalate: &Verdict) -> Option<BrokeAt> {
    match (identify.value, escalate.value?) {
        (_, true) => Some(BrokeAt::Escalated),
        (Some(false), false) => Some(BrokeAt::NotIdentified),
        (Some(true), false) => Some(match solve.rule.as_deref() {
            Some("no_call_after_recognition") => BrokeAt::IdentifiedNoFollowUp,
            _ => BrokeAt::FollowedUpNotEscalated,
        }),
        (None, false) => None,
    }
}

/// Only a marked confidence counts here (`<confidence>` or a label): a bare number or a "probably" in an
/// agent's answer is no statement of confidence.
fn confidence_row(answer: Option<&str>, settings: &Settings) -> ConfidenceRow {
    let undefined = |reason, detail: Option<String>| ConfidenceRow {
        value: None,
        source: None,
        undefined: Some(Undefined { reason, detail }),
    };
    let Some(text) = answer else {
        return undefined(Reason::NoFinalAnswer, None);
    };
    match marked_confidence(text, settings) {
        Confidence::Stated { probability, source, .. } => ConfidenceRow {
            value: Some(probability),
            source: Some(source_code(source).to_owned()),
            undefined: None,
        },
        Confidence::Undefined(why) => {
            let reason = match why.reason {
                ConfidenceFault::ConfidenceOutOfRange => Reason::ConfidenceOutOfRange,
                ConfidenceFault::NoConfidence | ConfidenceFault::TruncatedReasoning => {
                    Reason::ConfidenceAbsent
                }
                _ => Reason::ConfidenceNotANumber,
            };
            let hint = why.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let detail = (!why.found.is_empty()).then(|| format!("found `{}`{hint}", why.found));
            undefined(reason, detail)
        }
    }
}

/// What a text states behind a mark.
fn marked_confidence(text: &str, settings: &Settings) -> Confidence {
    let scale = match settings.confidence_scale.as_str() {
        "percent" => Scale::Percent,
        _ => Scale::Unit,
    };
    if text.to_ascii_lowercase().contains("confiden") {
        parse_confidence(text, scale)
    } else {
        Confidence::Undefined(UndefinedConfidence {
            reason: ConfidenceFault::NoConfidence,
            found: String::new(),
            hint: None,
        })
    }
}

/// Confidences, calls and contradictions by turn; `None` where no confidence of any kind is there.
fn confidence_path(
    trajectory: &Trajectory,
    judgement: &Judgement,
    settings: &Settings,
) -> Option<ConfidencePath> {
    let stated: Vec<StatedConfidence> = trajectory
        .turns()
        .filter_map(|step| match marked_confidence(&step.visible, settings) {
            Confidence::Stated { probability, source, .. } => Some(StatedConfidence {
                turn: step.turn?,
                value: probability,
                source: source_code(source).to_owned(),
            }),
            Confidence::Undefined(_) => None,
        })
        .collect();
    let answer_probability = trajectory.answer_log_probability.and_then(|answer| answer.per_token());
    if stated.is_empty() && answer_probability.is_none() {
        return None;
    }
    let calls = trajectory.calls().map(|(turn, call)| TypedCall {
        turn,
        tool: call.name.clone(),
        tool_type: ToolType::of_tool(&call.name),
    });
    Some(ConfidencePath {
        stated,
        calls: calls.collect(),
        contradictions: judgement
            .turns
            .iter()
            .filter(|turn| turn.identify.is_yes())
            .map(|turn| turn.turn)
            .collect(),
        answer_probability,
    })
}

fn source_code(source: ConfidenceSource) -> &'static str {
    match source {
        ConfidenceSource::Tag => "tag",
        ConfidenceSource::Number => "number",
        ConfidenceSource::Words => "words",
        ConfidenceSource::LogProbability => "log_probability",
        ConfidenceSource::Agreement => "agreement",
    }
}

/// Only tasks that say whether they are answerable have an attribution.
fn attribution_row(answer: Option<&str>, task: Option<&Task>) -> AttributionRow {
    let undefined = |reason| AttributionRow { form: None, undefined: Some(Undefined::new(reason)) };
    if task.and_then(|task| task.answerable).is_none() {
        return undefined(Reason::NoLabels);
    }
    match answer {
        None => undefined(Reason::NoFinalAnswer),
        Some(text) => AttributionRow { form: Some(parse_form(text).name().to_owned()), undefined: None },
    }
}

/// The first characters of a text, with an ellipsis where it goes on.
fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
