//! The calibration study on trajectories made by hand: every number is worked out beside it.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use humbly_readers::{Builder, CallDraft};
use humbly_score::calibration_study::{
    CalibrationStudy, PathEvent, SourceCell, StudyCell, StudyParams, StudySample, ToolUse, calibration_study,
};
use humbly_score::{Digests, ToolType, TrajectoryRow, score_trajectory, summarise};
use humbly_types::{
    AnswerLogProbability, Judgement, Measured, Reason, Task, ToolResult, TurnVerdict, Undefined, Verdict,
};
use support::settings;

/// One trajectory: turns with the tool that they call, the last one answers.
struct Case<'a> {
    setting: &'a str,
    question: &'a str,
    reference: &'a str,
    turns: &'a [(&'a str, Option<&'a str>)],
    flagged: &'a [u32],
    refuses: bool,
    scenario: &'a str,
    log_probability: Option<AnswerLogProbability>,
}

impl Default for Case<'_> {
    fn default() -> Self {
        Self {
            setting: "direct",
            question: "q1",
            reference: "Lima",
            turns: &[],
            flagged: &[],
            refuses: false,
            scenario: "evidence",
            log_probability: None,
        }
    }
}

fn row_on(case: &Case<'_>, scale: &str) -> TrajectoryRow {
    let judge: Arc<str> = Arc::from("hand");
    let mut builder =
        Builder::new("test", &Arc::from("a.jsonl"), format!("{}|{}", case.question, case.setting));
    builder.user("Where?", 1);
    for (number, (text, tool)) in case.turns.iter().enumerate() {
        let line = number as u64 + 2;
        let turn = builder.assistant(None, line);
        builder.text(turn, text, "\n");
        if let Some(tool) = tool {
            let id = number.to_string();
            let draft = CallDraft { id: Some(&id), name: tool, arguments: "{}", ..CallDraft::default() };
            builder.call(turn, draft);
            builder.result(ToolResult { call_id: Some(id), text: "r".into(), ..ToolResult::default() }, line);
        }
    }
    let mut trajectory = builder.finish();
    trajectory.model = Some("m".into());
    trajectory.condition = Some(case.setting.into());
    trajectory.answer_log_probability = case.log_probability;
    let verdict = |turn: u32| {
        let identify = if case.flagged.contains(&turn) {
            Verdict::yes(&judge, "hand", "q")
        } else {
            Verdict::no(&judge)
        };
        TurnVerdict { turn, identify }
    };
    let judgement = Judgement {
        judge: Arc::clone(&judge),
        turns: trajectory.intermediate_turns().filter_map(|step| step.turn).map(verdict).collect(),
        escalate: Verdict::no(&judge),
        refusal: if case.refuses { Verdict::yes(&judge, "hand", "q") } else { Verdict::no(&judge) },
        final_reasoning: Verdict::no(&judge),
        self_inconsistent: Verdict::undefined(&judge, Reason::NeedsModelJudge),
        answer_source: Err(Undefined::new(Reason::NoCandidates)),
        correct: None,
    };
    let task = Task {
        id: case.question.into(),
        dataset: Some("nq-open".into()),
        scenario: Some(case.scenario.into()),
        references: vec![case.reference.into()],
        ..Task::default()
    };
    score_trajectory(&trajectory, Some(&task), &judgement, &settings(scale))
}

fn row(case: &Case<'_>) -> TrajectoryRow {
    row_on(case, "unit")
}

fn study_on(rows: &[TrajectoryRow], scale: &str) -> CalibrationStudy {
    let samples: Vec<StudySample<'_>> = rows
        .iter()
        .map(|row| StudySample {
            row,
            base_model: "m".into(),
            corpus: None,
            distribution: None,
            offered: Some(if row.condition.as_deref() == Some("direct") {
                Vec::new()
            } else {
                vec!["search".into()]
            }),
            scale: Some(scale.into()),
        })
        .collect();
    calibration_study(&samples, &StudyParams::of(&settings(scale))).unwrap()
}

fn study(rows: &[TrajectoryRow]) -> CalibrationStudy {
    study_on(rows, "unit")
}

fn cell<'a>(study: &'a CalibrationStudy, setting: &str) -> &'a StudyCell {
    study.cells.iter().find(|cell| cell.setting == setting).unwrap()
}

fn source<'a>(cell: &'a StudyCell, name: &str) -> &'a SourceCell {
    cell.sources.iter().find(|source| source.source == name).unwrap()
}

#[track_caller]
fn is(measured: &Measured, value: f64) {
    let found = measured.value().unwrap_or_else(|| panic!("undefined: {measured:?}"));
    assert!((found - value).abs() < 1e-12, "{found} is not {value}");
}

/// Four questions: direct answers the first alone, with search the first and the last.
fn two_settings() -> Vec<TrajectoryRow> {
    let direct = [
        ("q1", "Lima\nConfidence: 0.9"),
        ("q2", "Quito\nConfidence: 0.6"),
        ("q3", "Quito\nConfidence: 0.8"),
        ("q4", "Quito\nConfidence: 0.5"),
    ];
    let search = [
        ("q1", "Lima\nConfidence: 1.0"),
        ("q2", "Quito\nConfidence: 0.9"),
        ("q3", "Quito\nConfidence: 1.0"),
        ("q4", "Lima\nConfidence: 0.7"),
    ];
    let mut rows: Vec<TrajectoryRow> = direct
        .iter()
        .map(|(question, answer)| row(&Case { question, turns: &[(answer, None)], ..Case::default() }))
        .collect();
    rows.extend(search.iter().map(|(question, answer)| {
        let turns = [("I look.\nConfidence: 0.4", Some("search")), (*answer, None)];
        row(&Case { question, setting: "prompted-tool", turns: &turns, ..Case::default() })
    }));
    rows
}

#[test]
fn every_number_of_two_settings_by_hand() {
    let study = study(&two_settings());
    assert_eq!(study.binning, "10 bins, right-closed");
    let direct = cell(&study, "direct");
    assert_eq!((direct.samples, direct.questions, direct.tool_use), (4, 4, ToolUse::NoneOffered));
    is(&direct.accuracy, 0.25);
    is(&direct.calls_per_sample, 0.0);
    let numbers = &source(direct, "number").summary;
    is(&numbers.mcip, (0.6 + 0.8 + 0.5) / 3.0);
    is(&numbers.ece, (0.1 + 0.6 + 0.8 + 0.5) / 4.0);
    is(&numbers.brier, (0.01 + 0.36 + 0.64 + 0.25) / 4.0);
    is(&numbers.auroc, 1.0);
    // Every confidence is a group of its own: reliability is Brier, resolution is uncertainty.
    is(&numbers.brier_parts.reliability, 0.315);
    is(&numbers.brier_parts.resolution, 0.1875);
    is(&numbers.brier_parts.uncertainty, 0.1875);
    // Error rates of the first 1, 2, 3 and 4 answers: 0, 1/2, 2/3, 3/4.
    is(&numbers.aurc, (0.0 + 0.5 + 2.0 / 3.0 + 0.75) / 4.0);
    is(&numbers.collapse.share, 0.25);
    is(&numbers.collapse.entropy, 2.0);
    is(&source(direct, "number").selective[0].accuracy, 0.5);
    let search = cell(&study, "prompted-tool");
    assert_eq!((search.tool_use, search.tools.as_slice()), (ToolUse::Used, &["search".to_owned()][..]));
    is(&search.accuracy, 0.5);
    is(&search.calls_per_sample, 1.0);
    let numbers = &source(search, "number").summary;
    is(&numbers.mcip, 0.95);
    is(&numbers.auroc, 1.5 / 4.0);
    is(&numbers.brier, (0.0 + 0.81 + 1.0 + 0.09) / 4.0);
    // Bins: 0.9 wrong, 0.7 right, and 1.0 twice, once right.
    is(&numbers.ece, (0.9 + 0.3 + 1.0) / 4.0);
    let comparison = &study.comparisons[0];
    assert_eq!((comparison.source.as_str(), comparison.not_used.len()), ("number", 0));
    assert_eq!((comparison.common.shared_questions, comparison.common.common_wrong_questions), (4, 2));
    is(&comparison.common.settings[0].mcip_common, 0.7);
    is(&comparison.common.settings[1].mcip_common, 0.95);
    let pair = &comparison.common.pairs[0];
    is(&pair.difference, -0.25);
    // Differences −0.3 and −0.2: t = −0.25 / (0.0707 / √2) = −5 with one degree of freedom.
    assert!((pair.paired.statistic.value().unwrap() + 5.0).abs() < 1e-9);
    assert!((pair.paired.p.value().unwrap() - 0.125_665_916_378).abs() < 1e-9);
}

#[test]
fn a_confidence_on_an_abstention_is_in_no_calibration_number() {
    let mut rows = two_settings();
    let turns = [("I do not know.\nConfidence: 0.95", None)];
    rows.push(row(&Case { question: "q5", turns: &turns, refuses: true, ..Case::default() }));
    let study = study(&rows);
    let direct = cell(&study, "direct");
    assert_eq!((direct.samples, direct.abstained, direct.abstained_with_confidence), (5, 1, 1));
    is(&direct.accuracy, 0.2);
    is(&source(direct, "number").summary.mcip, (0.6 + 0.8 + 0.5) / 3.0);
    assert_eq!(source(direct, "number").summary.n, 4);
    // The summary of any log does the same.
    let mut digests = Digests::default();
    for row in rows.iter().filter(|row| row.condition.as_deref() == Some("direct")) {
        digests.add(row, None);
    }
    let summary = summarise(&digests, &settings("unit"));
    let numbers = &summary[0].calibration[0];
    assert_eq!((numbers.source.as_str(), numbers.n), ("number", 4));
    is(&numbers.mcip, (0.6 + 0.8 + 0.5) / 3.0);
}

#[test]
fn sources_are_never_mixed() {
    let answers = [
        "Quito\nConfidence: 0.6",
        "<answer>Quito</answer><confidence>0.2</confidence>",
        "Quito\nConfidence: likely",
        "Quito",
    ];
    let rows: Vec<TrajectoryRow> = ["q1", "q2", "q3", "q4"]
        .iter()
        .zip(answers)
        .map(|(question, answer)| {
            let log_probability = (*question == "q4").then_some(AnswerLogProbability { sum: 0.0, tokens: 1 });
            row(&Case { question, turns: &[(answer, None)], log_probability, ..Case::default() })
        })
        .collect();
    let study = study(&rows);
    let direct = cell(&study, "direct");
    let names: Vec<&str> = direct.sources.iter().map(|source| source.source.as_str()).collect();
    assert_eq!(names, ["log_probability", "number", "tag", "words"]);
    assert!(direct.sources.iter().all(|source| source.summary.n == 1));
    is(&source(direct, "tag").summary.mcip, 0.2);
    is(&source(direct, "log_probability").summary.mcip, 1.0);
    assert_eq!(source(direct, "tag").left_out["other_source"], 2);
    assert_eq!(source(direct, "tag").left_out["confidence_absent"], 1);
}

#[test]
fn mixed_scales_are_said_and_never_mended() {
    let on = |question: &str, answer: &str, scale: &str| {
        row_on(&Case { question, turns: &[(answer, None)], ..Case::default() }, scale)
    };
    let percent = [
        on("q1", "Quito\nConfidence: 85", "percent"),
        on("q2", "Quito\nConfidence: 0.85", "percent"),
        on("q3", "Quito\nConfidence: 185", "percent"),
    ];
    let study = study_on(&percent, "percent");
    let direct = cell(&study, "direct");
    is(&source(direct, "number").summary.mcip, f64::midpoint(0.85, 0.0085));
    assert_eq!(source(direct, "number").left_out["confidence_out_of_range"], 1);
    assert!(
        direct.notes[0].starts_with("1 confidences of at most 1 on the percent scale"),
        "{:?}",
        direct.notes
    );
    assert!(direct.notes[1].starts_with("1 confidences outside the percent scale"), "{:?}", direct.notes);
    let unit = study_on(
        &[on("q1", "Quito\nConfidence: 85", "unit"), on("q2", "Quito\nConfidence: 0.5", "unit")],
        "unit",
    );
    assert_eq!(source(cell(&unit, "direct"), "number").summary.n, 1);
}

#[test]
fn one_class_leaves_auroc_undefined_and_no_wrong_answer_mcip() {
    let right = row(&Case { turns: &[("Lima\nConfidence: 0.9", None)], ..Case::default() });
    let study = study(&[right.clone(), TrajectoryRow { task: Some("q2".into()), ..right }]);
    let numbers = &source(cell(&study, "direct"), "number").summary;
    assert_eq!(numbers.auroc.undefined_reason(), Some(Reason::OneClass));
    assert_eq!(numbers.mcip.undefined_reason(), Some(Reason::NoWrongAnswers));
    is(&numbers.ece, 0.1);
}

#[test]
fn without_a_confidence_there_are_reasons_and_no_numbers() {
    let study = study(&[row(&Case { turns: &[("Quito", None)], ..Case::default() })]);
    let cell = cell(&study, "direct");
    assert_eq!(cell.sources[0].source, "none");
    assert_eq!(cell.sources[0].left_out["confidence_absent"], 1);
    assert_eq!(cell.sources[0].summary.ece.undefined_reason(), Some(Reason::NoSamples));
    is(&cell.accuracy, 0.0);
    assert!(study.comparisons.is_empty());
}

#[test]
fn a_tool_that_is_hardly_called_is_in_no_comparison() {
    let mut rows = two_settings();
    // One call in six samples.
    for (number, row_) in rows.iter_mut().filter(|row| row.condition.as_deref() != Some("direct")).enumerate()
    {
        row_.tool_calls = u32::from(number == 0);
    }
    for question in ["q5", "q6"] {
        let turns = [("Quito\nConfidence: 0.9", None)];
        rows.push(row(&Case { question, setting: "prompted-tool", turns: &turns, ..Case::default() }));
    }
    let study = study(&rows);
    let search = cell(&study, "prompted-tool");
    assert_eq!(search.tool_use, ToolUse::NotUsed);
    is(&search.calls_per_sample, 1.0 / 6.0);
    assert_eq!(study.comparisons[0].not_used, ["prompted-tool"]);
    assert!(study.comparisons[0].common.pairs.is_empty());
}

#[test]
fn samples_of_one_question_are_a_cluster_and_give_agreement() {
    let answers = [
        "Lima\nConfidence: 0.9",
        "Lima\nConfidence: 0.7",
        "Quito\nConfidence: 0.5",
        "Cusco\nConfidence: 0.3",
    ];
    let rows: Vec<TrajectoryRow> = ["q1", "q2"]
        .iter()
        .flat_map(|question| {
            answers.map(|answer| row(&Case { question, turns: &[(answer, None)], ..Case::default() }))
        })
        .collect();
    let study = study(&rows);
    let direct = cell(&study, "direct");
    assert_eq!((direct.samples, direct.questions), (8, 2));
    assert_eq!(direct.accuracy.interval.as_ref().unwrap().clusters, Some(2));
    let agreement = &source(direct, "agreement").summary;
    // Each Lima agrees with one of three others, the rest with none.
    is(&agreement.mean_confidence, 2.0 / 4.0 / 3.0);
    is(&agreement.mcip, 0.0);
    is(&agreement.auroc, 1.0);
    assert_eq!(source(direct, "number").summary.n, 8);
}

#[test]
fn confidence_is_followed_over_calls_and_contradictions_by_type_of_tool() {
    let path = |question, setting, scenario, tool, turns: [f64; 3], flagged| {
        let texts = turns.map(|value| format!("Lima\nConfidence: {value}"));
        let turns = [(texts[0].as_str(), Some(tool)), (texts[1].as_str(), None), (texts[2].as_str(), None)];
        row(&Case { question, setting, scenario, turns: &turns, flagged, ..Case::default() })
    };
    let rows = [
        path("q1", "prompted-tool", "evidence", "search", [0.5, 0.9, 0.9], &[][..]),
        path("q2", "prompted-tool", "evidence", "search", [0.4, 0.6, 0.3], &[1]),
        path("q3", "prompted-tool", "verification", "calculator", [0.8, 0.7, 0.7], &[]),
        path("q4", "prompted-tool", "verification", "calculator", [0.9, 0.5, 0.7], &[]),
    ];
    let study = study(&rows);
    let of = |event, tool_type| {
        study.paths.iter().find(|path| path.event == event && path.tool_type == tool_type).unwrap()
    };
    let evidence = of(PathEvent::FirstCall, ToolType::Evidence);
    assert_eq!((evidence.events, evidence.without_confidence), (2, 0));
    is(&evidence.before, 0.45);
    is(&evidence.after, 0.75);
    is(&evidence.change, 0.3);
    // Changes 0.4 and 0.2: t = 0.3 / (0.1414 / √2) = 3.
    assert!((evidence.test.statistic.value().unwrap() - 3.0).abs() < 1e-9);
    is(&of(PathEvent::FirstCall, ToolType::Verification).change, -0.25);
    let contradiction = of(PathEvent::Contradiction, ToolType::Evidence);
    is(&contradiction.before, 0.4);
    is(&contradiction.after, 0.6);
    assert_eq!(contradiction.events, 1);
    let contrast = study.contrasts.iter().find(|one| one.event == PathEvent::FirstCall).unwrap();
    is(&contrast.test.difference, 0.55);
}

#[test]
fn a_call_without_confidence_before_it_is_counted() {
    let turns = [("I look.", Some("search")), ("Lima\nConfidence: 0.9", None)];
    let study = study(&[row(&Case { setting: "prompted-tool", turns: &turns, ..Case::default() })]);
    let path = &study.paths[0];
    assert_eq!((path.events, path.without_confidence), (0, 1));
    assert_eq!(path.change.undefined_reason(), Some(Reason::NoSamples));
}
