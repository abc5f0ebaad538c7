//! `humbly report --models`: three papers in one table.

use humbly_judge::LexicalJudge;
use humbly_pipeline::RowJudge;
use humbly_score::{Digests, SummaryRow, summarise};
use humbly_stats::intervals::BootstrapParams;
use humbly_types::{Measured, Reason, Undefined};
use serde_json::json;

use super::super::model_table::{Column, ModelTable, ranked_table};
use super::super::ua;
use crate::args::{ReportArguments, ReportOutput};
use crate::exit::Status;
use crate::output;

/// Accuracy of the runs with tools, and of UA-Bench: each measure is held against that on its own questions.
const ACCURACY: &str = "accuracy";
const ACC: &str = "ACC";

pub(super) fn run(arguments: &ReportArguments) -> anyhow::Result<Status> {
    let (of_ua, others): (Vec<_>, Vec<_>) =
        arguments.runs.iter().cloned().partition(|path| ua::is_of_ua(path));
    let params = BootstrapParams::new(arguments.resamples, 0.95, arguments.seed)?;
    let lexical = LexicalJudge::new();
    let judge = if arguments.judge == "lexical" {
        RowJudge::Lexical
    } else {
        RowJudge::Stored(arguments.judge.clone())
    };
    let settings = super::settings(arguments, &lexical);
    let mut models = ModelTable::default();
    let mut problems = Vec::new();
    if !others.is_empty() {
        let (mut runs, found) = super::read(&others, &lexical, &judge, &settings)?;
        problems = found;
        let mut digests = Digests::default();
        for run in &mut runs {
            for row in &mut run.rows {
                // One group a model, whatever it was run on and with.
                row.agent = None;
                row.dataset = None;
                row.condition = None;
                row.scenario = None;
            }
            run.digest_into(&mut digests);
        }
        for row in summarise(&digests, &settings) {
            add(&mut models, &row);
        }
    }
    let stored = Some(arguments.judge.as_str()).filter(|name| *name != "lexical");
    for (model, cell) in ua::attribution_of_models(&of_ua, stored, &params)? {
        let mut add =
            |name, number: &Measured| models.add(&model, Column { name, accuracy: ACC }, number.clone());
        add(ACC, &cell.accuracy);
        add("DU-F1", &cell.balanced.data);
        add("MU-F1", &cell.balanced.model);
        add("AVG-F1", &cell.balanced.average);
    }
    let ranked = models.ranked(&params)?;
    let table = models.table();
    match arguments.output {
        ReportOutput::Json => {
            output::json(&json!({"schema": "humbly.models/1", "table": models, "ranked": ranked}))?;
        }
        ReportOutput::Csv => {
            output::stdout(format!("{}\n{}", table.csv()?, ranked_table(&ranked).csv()?).as_bytes())?;
        }
        ReportOutput::Table => {
            let text = format!(
                "One row a model: conflict (Identify, Solve, Escalate), calibration, attribution (balanced F1)\n{table}\n\
                 Is the accurate model the humble one? Rank correlation over the models\n{}",
                ranked_table(&ranked)
            );
            output::stdout(text.as_bytes())?;
        }
        ReportOutput::Latex => anyhow::bail!("the table of models is printed as table, csv or json"),
    }
    output::problems(&problems);
    Ok(Status::Done)
}

fn add(models: &mut ModelTable, row: &SummaryRow) {
    let model = row.model.as_deref().unwrap_or("not said");
    let mut add = |name, number: Measured| models.add(model, Column { name, accuracy: ACCURACY }, number);
    add(ACCURACY, row.accuracy.all.clone());
    add("Identify F1", row.identify.f1.clone());
    add("Solve", row.solve.clone());
    add("Escalate", row.escalate.clone());
    match row.calibration.as_slice() {
        [one] => {
            add("ECE", one.ece.clone());
            add("AUROC", one.auroc.clone());
        }
        [] => {
            for name in ["ECE", "AUROC"] {
                add(name, Measured::undefined(Undefined::new(Reason::ConfidenceAbsent)));
            }
        }
        several => {
            let detail = format!("{} sources of confidence, which are never mixed", several.len());
            for name in ["ECE", "AUROC"] {
                add(name, Measured::undefined(Undefined::with_detail(Reason::NotApplicable, detail.clone())));
            }
        }
    }
}
