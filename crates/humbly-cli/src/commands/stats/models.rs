//! `humbly stats models`: calibration of each model beside its accuracy, and how their orders agree.

use humbly_pipeline::tables::{CalibrationColumns, CalibrationOptions, calibration};
use humbly_stats::calibration::{Binning, EdgeRule};
use humbly_stats::intervals::BootstrapParams;
use serde_json::json;

use super::super::model_table::{Column, ModelTable, Study, ranked_table};
use super::{read, scale_of};
use crate::args::{ModelsArguments, OutputFormat};
use crate::exit::Status;
use crate::output::{self, problem_error};

fn column(name: &str) -> Column {
    Column { name: name.to_owned(), accuracy: "accuracy".to_owned(), study: Study::Calibration }
}

pub(super) fn run(arguments: &ModelsArguments) -> anyhow::Result<Status> {
    let columns = CalibrationColumns {
        confidence: arguments.confidence.clone(),
        correct: arguments.correct.clone(),
        by: Some(arguments.by.clone()),
        id: None,
        setting: None,
    };
    let bootstrap = BootstrapParams::new(arguments.resamples, 0.95, arguments.seed)?;
    let options = CalibrationOptions {
        binning: Binning::new(10, EdgeRule::RightClosed)?,
        scale: scale_of(arguments.scale),
        bootstrap,
    };
    let table = read(&arguments.file, &columns.names())?;
    let result = calibration(&table, &columns, &options).map_err(problem_error)?;
    let mut models = ModelTable::default();
    for group in &result.groups {
        let (name, summary) = (group.title(), &group.summary);
        for (column_name, number) in [
            ("accuracy", &summary.accuracy),
            ("ECE", &summary.ece),
            ("Brier", &summary.brier),
            ("AUROC", &summary.auroc),
            ("MCIP", &summary.mcip),
        ] {
            models.add(&name, column(column_name), number.clone());
        }
    }
    let ranked = models.ranked(&options.bootstrap)?;
    if arguments.output == OutputFormat::Json {
        output::json(&json!({"schema": "humbly.models/1", "table": models, "ranked": ranked}))?;
    } else {
        output::table(&models.table(), arguments.output)?;
        output::table(&ranked_table(&ranked), arguments.output)?;
        output::note(
            "of ECE, Brier and MCIP less is better: a negative correlation means that accurate models are calibrated",
        );
    }
    output::problems(&result.problems);
    Ok(Status::Done)
}
