//! From scored runs to the calibration study: what each run says of its settings.

use std::collections::BTreeMap;

use anyhow::Context;
use humbly_bench::experiment::Condition;
use humbly_pipeline::ScoredRun;
use humbly_score::calibration_study::{
    CalibrationStudy, Distribution, StudyParams, StudySample, calibration_study,
};
use humbly_score::{Settings, ToolType, TrajectoryRow};
use serde_json::Value;

/// Whether a run is one of a calibration suite.
pub(super) fn is_study(run: &ScoredRun) -> bool {
    let name = run.settings.as_ref().and_then(|settings| settings.pointer("/suite/name")?.as_str());
    match name {
        Some(name) => name == "calibration",
        None => !run.rows.is_empty() && run.rows.iter().all(|row| tool_type(row).is_some()),
    }
}

fn tool_type(row: &TrajectoryRow) -> Option<ToolType> {
    row.scenario.as_deref().and_then(ToolType::from_code)
}

pub(super) fn study(runs: &[ScoredRun], settings: &Settings) -> anyhow::Result<CalibrationStudy> {
    let samples: Vec<StudySample<'_>> = runs
        .iter()
        .flat_map(|run| {
            let says = Says::of(run);
            run.rows.iter().map(move |row| says.sample(row))
        })
        .collect();
    calibration_study(&samples, &StudyParams::of(settings)).context("cannot measure the calibration")
}

/// One cell a model, over all that it was run on and all its settings.
pub(super) fn by_model(runs: &[&ScoredRun], settings: &Settings) -> anyhow::Result<CalibrationStudy> {
    let mut rows: Vec<(Option<String>, TrajectoryRow)> = Vec::new();
    for run in runs {
        let scale = Says::of(run).scale;
        rows.extend(run.rows.iter().map(|row| {
            let row = TrajectoryRow { dataset: None, condition: None, ..row.clone() };
            (scale.clone(), row)
        }));
    }
    let samples: Vec<StudySample<'_>> = rows
        .iter()
        .map(|(scale, row)| StudySample {
            row,
            base_model: row.model.clone().unwrap_or_default(),
            corpus: None,
            distribution: None,
            offered: None,
            scale: scale.clone(),
        })
        .collect();
    calibration_study(&samples, &StudyParams::of(settings)).context("cannot measure the calibration")
}

/// What a run's experiment says.
#[derive(Default)]
struct Says {
    conditions: BTreeMap<String, Condition>,
    tools: Option<Vec<String>>,
    in_distribution: Vec<String>,
    out_of_distribution: Vec<String>,
    scale: Option<String>,
}

impl Says {
    fn of(run: &ScoredRun) -> Self {
        let Some(experiment) = run.settings.as_ref().and_then(|settings| settings.get("experiment")) else {
            return Self::default();
        };
        let texts = |name: &str| -> Option<Vec<String>> {
            let list = experiment.get(name)?.as_array()?;
            Some(list.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect())
        };
        let conditions: Vec<Condition> = experiment
            .get("conditions")
            .and_then(|value| serde_json::from_value(value.clone()).ok())
            .unwrap_or_default();
        Self {
            conditions: conditions.into_iter().map(|one| (one.name.clone(), one)).collect(),
            tools: texts("tools"),
            in_distribution: texts("in_distribution").unwrap_or_default(),
            out_of_distribution: texts("out_of_distribution").unwrap_or_default(),
            scale: experiment.get("confidence").and_then(Value::as_str).map(str::to_owned),
        }
    }

    fn sample<'a>(&self, row: &'a TrajectoryRow) -> StudySample<'a> {
        let condition = row.condition.as_ref().and_then(|name| self.conditions.get(name));
        let model = row.model.clone().unwrap_or_else(|| "(no model)".to_owned());
        let base = condition.and_then(|one| one.models.iter().find(|(_, stand_in)| **stand_in == model));
        let tools = condition.and_then(|one| one.tools.as_ref()).or(self.tools.as_ref());
        let wanted = tool_type(row);
        let is_offered = |tool: &&String| wanted.is_none() || ToolType::of_tool(tool) == wanted;
        let is_in = |list: &[String]| row.dataset.as_ref().is_some_and(|dataset| list.contains(dataset));
        StudySample {
            base_model: base.map_or(model, |(base, _)| base.clone()),
            corpus: condition.and_then(|one| one.corpus.as_ref()).map(|path| {
                path.file_stem()
                    .map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned())
            }),
            distribution: match (is_in(&self.in_distribution), is_in(&self.out_of_distribution)) {
                (true, _) => Some(Distribution::In),
                (_, true) => Some(Distribution::Out),
                _ => None,
            },
            offered: tools.map(|tools| tools.iter().filter(is_offered).cloned().collect()),
            scale: self.scale.clone(),
            row,
        }
    }
}
