//! One setting on one data set.

use std::collections::{BTreeMap, BTreeSet};

use humbly_stats::calibration::{SummaryParams, summarize_calibration};
use humbly_stats::intervals::{Clusters, mean, proportion};
use humbly_stats::recalibration::{HeldOutParams, Temperature, recalibrate_held_out};
use humbly_stats::selective::selective_accuracy_by_question;
use humbly_types::Reason;
use indexmap::IndexMap;

use super::agreement::{agreement_confidences, answer_key};
use super::build::CellKey;
use super::{SourceCell, StudyCell, StudyParams, StudySample, ToolUse};
use crate::digest::is_abstaining_form;
use crate::row::{ToolType, TrajectoryRow};

/// Name of the source where there is none.
pub(super) const NO_SOURCE: &str = "none";

/// Samples of one cell with their confidences by source.
pub(super) struct Answers<'a> {
    pub(super) key: CellKey,
    pub(super) samples: Vec<&'a StudySample<'a>>,
    pub(super) sources: IndexMap<String, Stated>,
    abstained: u64,
    abstained_with_confidence: u64,
    without_label: BTreeMap<String, u64>,
}

/// Confidences of one source.
#[derive(Default)]
pub(super) struct Stated {
    pub(super) questions: Vec<String>,
    pub(super) confidences: Vec<f64>,
    pub(super) outcomes: Vec<bool>,
    left_out: BTreeMap<String, u64>,
}

fn count(counts: &mut BTreeMap<String, u64>, reason: &str) {
    *counts.entry(reason.to_owned()).or_default() += 1;
}

/// The question of a row: its task, else its own id.
pub(super) fn question(row: &TrajectoryRow) -> String {
    row.task.clone().unwrap_or_else(|| row.id.clone())
}

fn abstains(row: &TrajectoryRow) -> bool {
    row.refusal.is_yes() || row.attribution.form.as_deref().is_some_and(is_abstaining_form)
}

impl<'a> Answers<'a> {
    pub(super) fn of(key: CellKey, samples: Vec<&'a StudySample<'a>>) -> Self {
        let mut answers = Self {
            key,
            sources: IndexMap::new(),
            abstained: 0,
            abstained_with_confidence: 0,
            without_label: BTreeMap::new(),
            samples,
        };
        let agreement = agreement(&answers.samples);
        let mut labelled: Vec<(usize, &TrajectoryRow, bool)> = Vec::new();
        for (place, sample) in answers.samples.iter().enumerate() {
            let row = sample.row;
            let Some(correct) = row.correct.value.filter(|_| row.excluded.is_none()) else {
                let reason = row.excluded.as_ref().or(row.correct.undefined.as_ref());
                count(&mut answers.without_label, reason.map_or("not_recorded", |why| why.reason.code()));
                continue;
            };
            if abstains(row) {
                answers.abstained += 1;
                answers.abstained_with_confidence += u64::from(row.confidence.value.is_some());
                continue;
            }
            labelled.push((place, row, correct));
        }
        let of_row = |place: usize, row: &TrajectoryRow| -> Vec<(String, f64)> {
            let stated = row.confidence.source.clone().zip(row.confidence.value);
            let tokens = row.confidence_path.as_ref().and_then(|path| path.answer_probability);
            let agreed = agreement.get(place).copied().flatten();
            stated
                .into_iter()
                .chain(tokens.map(|value| ("log_probability".to_owned(), value)))
                .chain(agreed.map(|value| ("agreement".to_owned(), value)))
                .collect()
        };
        for (place, row, _) in &labelled {
            for (source, _) in of_row(*place, row) {
                answers.sources.entry(source).or_default();
            }
        }
        if answers.sources.is_empty() {
            answers.sources.insert(NO_SOURCE.to_owned(), Stated::default());
        }
        answers.sources.sort_keys();
        for (place, row, correct) in labelled {
            let found = of_row(place, row);
            for (source, stated) in &mut answers.sources {
                match found.iter().find(|(name, _)| name == source) {
                    Some((_, value)) => {
                        stated.questions.push(question(row));
                        stated.confidences.push(*value);
                        stated.outcomes.push(correct);
                    }
                    None => count(&mut stated.left_out, missing(source, row)),
                }
            }
        }
        answers
    }

    pub(super) fn tool_type(&self) -> Option<ToolType> {
        let of_row = |sample: &&StudySample<'_>| sample.row.scenario.as_deref().and_then(ToolType::from_code);
        self.samples.iter().find_map(of_row).or_else(|| {
            let tools = self.tools();
            let types: BTreeSet<ToolType> = tools.iter().filter_map(|tool| ToolType::of_tool(tool)).collect();
            types.first().copied().filter(|_| types.len() == 1)
        })
    }

    /// Tools that were offered, else those that were called.
    pub(super) fn tools(&self) -> Vec<String> {
        let offered: BTreeSet<&String> =
            self.samples.iter().filter_map(|one| one.offered.as_ref()).flatten().collect();
        if !offered.is_empty() {
            return offered.into_iter().cloned().collect();
        }
        let called: BTreeSet<&String> = self
            .samples
            .iter()
            .filter_map(|one| one.row.confidence_path.as_ref())
            .flat_map(|path| path.calls.iter().map(|call| &call.tool))
            .collect();
        called.into_iter().cloned().collect()
    }
}

/// Why a labelled answer has no confidence of a source.
fn missing(source: &str, row: &TrajectoryRow) -> &'static str {
    match source {
        "log_probability" => "not_recorded",
        "agreement" => "no_other_sample",
        _ if row.confidence.value.is_some() => "other_source",
        _ => row.confidence.undefined.as_ref().map_or("confidence_absent", |why| why.reason.code()),
    }
}

/// Agreement of each sample with the others of its question.
fn agreement(samples: &[&StudySample<'_>]) -> Vec<Option<f64>> {
    let mut by_question: IndexMap<String, Vec<usize>> = IndexMap::new();
    for (place, sample) in samples.iter().enumerate() {
        if sample.row.excluded.is_none() {
            by_question.entry(question(sample.row)).or_default().push(place);
        }
    }
    let mut found = vec![None; samples.len()];
    for places in by_question.values().filter(|places| places.len() > 1) {
        let key = |place: &usize| {
            let answer = samples.get(*place)?.row.final_answer.as_ref()?;
            answer_key(&answer.text)
        };
        let keys: Vec<Option<String>> = places.iter().map(key).collect();
        for (place, share) in places.iter().zip(agreement_confidences(&keys)) {
            if let Some(slot) = found.get_mut(*place) {
                *slot = share;
            }
        }
    }
    found
}

/// All numbers of a cell.
pub(super) fn cell(answers: &Answers<'_>, params: &StudyParams) -> humbly_stats::Result<StudyCell> {
    let (dataset, corpus, base_model, model, setting) = answers.key.clone();
    let ended: Vec<&TrajectoryRow> =
        answers.samples.iter().map(|sample| sample.row).filter(|row| row.excluded.is_none()).collect();
    let questions: BTreeSet<String> = ended.iter().map(|row| question(row)).collect();
    let (mut outcomes, mut of) = (Vec::new(), Vec::new());
    for row in &ended {
        if let Some(correct) = row.correct.value {
            outcomes.push(correct && !abstains(row));
            of.push(question(row));
        }
    }
    let accuracy =
        proportion(&outcomes, &Clusters::by_id(&of)?, params.accuracy_interval, &params.bootstrap)?;
    let calls: Vec<f64> = ended.iter().map(|row| f64::from(row.tool_calls)).collect();
    let of: Vec<String> = ended.iter().map(|row| question(row)).collect();
    let calls_per_sample = mean(&calls, &Clusters::by_id(&of)?, &params.bootstrap)?;
    let tool_use = tool_use(answers, calls_per_sample.value(), params);
    let sources = answers
        .sources
        .iter()
        .map(|(source, stated)| source_cell(source, stated, params))
        .collect::<humbly_stats::Result<_>>()?;
    Ok(StudyCell {
        dataset,
        corpus,
        distribution: answers.samples.iter().find_map(|sample| sample.distribution),
        tool_type: answers.tool_type(),
        base_model,
        model,
        setting,
        tools: answers.tools(),
        samples: ended.len() as u64,
        questions: questions.len() as u64,
        without_label: answers.without_label.clone(),
        abstained: answers.abstained,
        abstained_with_confidence: answers.abstained_with_confidence,
        accuracy,
        calls_per_sample,
        tool_use,
        sources,
        notes: notes(answers),
    })
}

fn tool_use(answers: &Answers<'_>, calls: Option<f64>, params: &StudyParams) -> ToolUse {
    let says = answers.samples.iter().any(|sample| sample.offered.is_some());
    let offers =
        answers.samples.iter().filter_map(|sample| sample.offered.as_ref()).any(|tools| !tools.is_empty());
    let calls = calls.unwrap_or(0.0);
    match (says, offers) {
        (true, false) => ToolUse::NoneOffered,
        _ if calls >= params.least_calls => ToolUse::Used,
        (true, true) => ToolUse::NotUsed,
        (false, _) if calls > 0.0 => ToolUse::NotUsed,
        (false, _) => ToolUse::Unknown,
    }
}

fn source_cell(source: &str, stated: &Stated, params: &StudyParams) -> humbly_stats::Result<SourceCell> {
    let clusters = Clusters::by_id(&stated.questions)?;
    let summary_params = SummaryParams {
        binning: params.binning,
        bootstrap: Some(params.bootstrap),
        accuracy_interval: params.accuracy_interval,
        ..SummaryParams::default()
    };
    let held_out = HeldOutParams {
        split_seed: params.bootstrap.seed(),
        temperature: params.temperature,
        binning: params.binning,
        bootstrap: params.bootstrap,
    };
    let (confidences, outcomes) = (&stated.confidences, &stated.outcomes);
    let scaled = Temperature::new(params.temperature)?.apply(confidences)?;
    Ok(SourceCell {
        source: source.to_owned(),
        left_out: stated.left_out.clone(),
        summary: summarize_calibration(confidences, outcomes, &clusters, &summary_params)?,
        scaled: summarize_calibration(&scaled, outcomes, &clusters, &summary_params)?,
        selective: params
            .coverages
            .iter()
            .map(|&coverage| {
                let interval = params.accuracy_interval;
                selective_accuracy_by_question(
                    confidences,
                    outcomes,
                    coverage,
                    &clusters,
                    interval,
                    &params.bootstrap,
                )
            })
            .collect::<humbly_stats::Result<_>>()?,
        held_out: recalibrate_held_out(confidences, outcomes, &clusters, &held_out)?,
    })
}

/// Confidences that look like those of another scale, and scales that differ.
fn notes(answers: &Answers<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let scales: BTreeSet<&str> =
        answers.samples.iter().filter_map(|sample| sample.scale.as_deref()).collect();
    if scales.len() > 1 {
        let scales: Vec<&str> = scales.into_iter().collect();
        notes.push(format!("asked for on different scales ({}), each read on its own", scales.join(", ")));
    }
    let rows = || answers.samples.iter().filter(|sample| sample.row.excluded.is_none());
    // A stated 0.85 on a scale of 100 is 0.0085: said, never mended.
    let small = rows().filter(|sample| {
        sample.scale.as_deref() == Some("percent")
            && sample.row.confidence.value.is_some_and(|value| value > 0.0 && value <= 0.01)
    });
    let small = small.count();
    if small > 0 {
        notes.push(format!(
            "{small} confidences of at most 1 on the percent scale: read as at most 1 %, perhaps meant from 0 to 1"
        ));
    }
    let off = rows()
        .filter(|sample| {
            let undefined = sample.row.confidence.undefined.as_ref();
            undefined.is_some_and(|why| why.reason == Reason::ConfidenceOutOfRange)
        })
        .count();
    if off > 0 {
        let scale = rows().find_map(|sample| sample.scale.as_deref()).unwrap_or("unit");
        notes.push(format!("{off} confidences outside the {scale} scale are undefined, not clamped"));
    }
    notes
}
