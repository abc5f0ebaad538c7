//! `humbly stats`: tables in, statistics out.

mod compare_runs;
mod models;

pub(crate) use compare_runs::scored;

use std::io::Read;
use std::path::Path;

use anyhow::Context;
use humbly_pipeline::tables::{
    AgreementColumns, AttributionColumns, AttributionGroup, CalibrationColumns, CalibrationGroup,
    CalibrationOptions, CompareColumns, ConfidenceScale, agreement, attribution, calibration, compare,
};
use humbly_stats::attribution::{F1Rule, Form};
use humbly_stats::calibration::{Binning, EdgeRule};
use humbly_stats::intervals::BootstrapParams;
use humbly_table::Table as Columns;

use crate::args::{
    AgreementArguments, AttributionArguments, CalibrationArguments, CompareArguments, EdgesArgument,
    F1Argument, OutputFormat, ScaleArgument, StatsCommand,
};
use crate::exit::Status;
use crate::output::{self, Table, measured_cell, number, problem_error};

pub(crate) fn run(command: StatsCommand) -> anyhow::Result<Status> {
    match command {
        StatsCommand::Calibration(arguments) => run_calibration(arguments),
        StatsCommand::Attribution(arguments) => run_attribution(arguments),
        StatsCommand::Agreement(arguments) => run_agreement(arguments),
        StatsCommand::Compare(arguments) => run_compare(arguments),
        StatsCommand::Models(arguments) => models::run(&arguments),
    }
}

fn read(path: &Path, columns: &[&str]) -> anyhow::Result<Columns> {
    let table = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        humbly_table::read_bytes("standard input", bytes, columns)
    } else {
        humbly_table::read(path, columns)
    };
    table.map_err(problem_error)
}

fn scale_of(argument: ScaleArgument) -> ConfidenceScale {
    match argument {
        ScaleArgument::Unit => ConfidenceScale::Unit,
        ScaleArgument::Percent => ConfidenceScale::Percent,
    }
}

fn run_calibration(arguments: CalibrationArguments) -> anyhow::Result<Status> {
    let columns = CalibrationColumns {
        confidence: arguments.confidence,
        correct: arguments.correct,
        by: arguments.by,
        id: arguments.id,
        setting: arguments.setting,
    };
    let edges = match arguments.edges {
        EdgesArgument::RightClosed => EdgeRule::RightClosed,
        EdgesArgument::LeftClosed => EdgeRule::LeftClosed,
        EdgesArgument::Guo2017 => EdgeRule::Guo2017,
        EdgesArgument::EqualMass => EdgeRule::EqualMass,
    };
    let options = CalibrationOptions {
        binning: Binning::new(arguments.bins as usize, edges)?,
        scale: scale_of(arguments.scale),
        bootstrap: BootstrapParams::seeded(arguments.seed),
    };
    let table = read(&arguments.file, &columns.names())?;
    let result = calibration(&table, &columns, &options).map_err(problem_error)?;
    match arguments.output {
        OutputFormat::Json => output::json(&result.groups)?,
        format => {
            output::table(&calibration_table(&result.groups), format)?;
            if format == OutputFormat::Table {
                print_details(&result.groups)?;
            }
        }
    }
    output::problems(&result.problems);
    Ok(Status::Done)
}

fn calibration_table(groups: &[CalibrationGroup]) -> Table {
    let mut table = Table::new(&["group", "n", "accuracy", "ECE", "Brier", "AUROC", "MCIP", "AURC"]);
    for group in groups {
        let summary = &group.summary;
        table.row([
            group.title(),
            summary.n.to_string(),
            measured_cell(&summary.accuracy),
            measured_cell(&summary.ece),
            measured_cell(&summary.brier),
            measured_cell(&summary.auroc),
            measured_cell(&summary.mcip),
            measured_cell(&summary.aurc),
        ]);
    }
    table
}

/// Reliability table, settings compared, and what was left out.
fn print_details(groups: &[CalibrationGroup]) -> anyhow::Result<()> {
    let mut text = String::new();
    if let [group] = groups {
        let mut bins = Table::new(&["bin", "n", "mean confidence", "accuracy"]);
        for bin in group.bins() {
            let edge = |edge: Option<f64>| edge.map_or_else(|| "?".to_owned(), |edge| format!("{edge:.2}"));
            bins.row([
                format!("{}–{}", edge(bin.low), edge(bin.high)),
                bin.n.to_string(),
                measured_cell(&bin.confidence),
                measured_cell(&bin.accuracy),
            ]);
        }
        text.push_str(&format!("\nReliability ({})\n{bins}", group.binning));
    }
    let mut last = None;
    for group in groups {
        if let Some(comparison) = &group.comparison
            && last != Some(&group.group)
        {
            last = Some(&group.group);
            let mut table =
                Table::new(&["settings", "difference of MCIP-common", "paired p (Holm)", "Welch p (Holm)"]);
            for pair in &comparison.pairs {
                table.row([
                    format!("{} against {}", pair.first, pair.second),
                    measured_cell(&pair.difference),
                    measured_cell(&pair.paired_p_holm),
                    measured_cell(&pair.welch_p_holm),
                ]);
            }
            text.push_str(&format!(
                "\n{} questions that every setting got wrong, of {} shared\n{table}",
                comparison.common_wrong_questions, comparison.shared_questions
            ));
        }
        let collapse = &group.summary.collapse;
        if let (Some(share), Some(commonest)) = (collapse.share.value(), collapse.commonest) {
            text.push_str(&format!(
                "{}: commonest confidence {} in {} % of rows\n",
                group.title(),
                number(commonest),
                number(share * 100.0)
            ));
        }
        if !group.left_out.is_empty() {
            let counts: Vec<String> =
                group.left_out.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
            text.push_str(&format!("{}: left out {}\n", group.title(), counts.join(", ")));
        }
    }
    output::stdout(text.as_bytes())
}

fn run_attribution(arguments: AttributionArguments) -> anyhow::Result<Status> {
    let columns = AttributionColumns {
        form: arguments.form,
        answerable: arguments.answerable,
        correct: arguments.correct,
        by: arguments.by,
    };
    let rule = match arguments.f1 {
        F1Argument::Released => F1Rule::Released,
        F1Argument::Balanced => F1Rule::Balanced,
    };
    let table = read(&arguments.file, &columns.names())?;
    let (groups, problems) = attribution(&table, &columns, rule, &BootstrapParams::seeded(arguments.seed))
        .map_err(problem_error)?;
    if arguments.output == OutputFormat::Json {
        output::json(&groups)?;
    } else {
        let estimator = match rule {
            F1Rule::Released => "released",
            F1Rule::Balanced => "balanced",
        };
        let mut table = Table::new(&["group", "n", "accuracy", "DU-F1", "MU-F1", "AVG-F1", "estimator"]);
        for group in &groups {
            let scores = &group.attribution.scores;
            table.row([
                group.group.clone().unwrap_or_else(|| "all".to_owned()),
                group.n.to_string(),
                measured_cell(&group.attribution.accuracy),
                measured_cell(&scores.data),
                measured_cell(&scores.model),
                measured_cell(&scores.average),
                estimator.to_owned(),
            ]);
        }
        output::table(&table, arguments.output)?;
        if arguments.output == OutputFormat::Table {
            output::table(&forms(&groups), arguments.output)?;
        }
    }
    output::problems(&problems);
    Ok(Status::Done)
}

/// Outputs by form and by what the question was.
fn forms(groups: &[AttributionGroup]) -> Table {
    let mut table = Table::new(&[
        "group",
        "form",
        "unanswerable",
        "answerable, right",
        "answerable, not right",
        "left out",
    ]);
    for group in groups {
        let left_out: u64 = group.left_out.values().sum();
        for row in &group.attribution.confusion {
            table.row([
                group.group.clone().unwrap_or_else(|| "all".to_owned()),
                match row.form {
                    Form::Answer => "answer",
                    Form::DataUncertain => "DATA",
                    Form::ModelUncertain => "MODEL or \"I don't know\"",
                    Form::Unparsable => "unparsable",
                }
                .to_owned(),
                measured_cell(&row.unanswerable_share),
                measured_cell(&row.answered_correctly_share),
                measured_cell(&row.missed_share),
                left_out.to_string(),
            ]);
        }
    }
    table
}

fn run_agreement(arguments: AgreementArguments) -> anyhow::Result<Status> {
    let columns = AgreementColumns { item: arguments.item, rater: arguments.rater, label: arguments.label };
    let table = read(&arguments.file, &[&columns.item, &columns.rater, &columns.label])?;
    let (result, problems) = agreement(&table, &columns).map_err(problem_error)?;
    if arguments.output == OutputFormat::Json {
        output::json(&result)?;
    } else {
        let mut table = Table::new(&["measure", "value"]);
        for (name, measured) in [
            ("raw agreement", &result.raw),
            ("Cohen kappa", &result.cohen_kappa),
            ("Fleiss kappa", &result.fleiss_kappa),
            ("Gwet AC1", &result.gwet_ac1.coefficient),
            ("Krippendorff alpha", &result.krippendorff_alpha),
        ] {
            table.row([name.to_owned(), measured_cell(measured)]);
        }
        for (label, share) in &result.prevalence {
            table.row([format!("share of `{label}`"), measured_cell(share)]);
        }
        output::note(&format!("{} items, {} raters", result.items, result.raters));
        output::table(&table, arguments.output)?;
    }
    output::problems(&problems);
    Ok(Status::Done)
}

fn run_compare(arguments: CompareArguments) -> anyhow::Result<Status> {
    if compare_runs::takes(&arguments)? {
        return compare_runs::run(&arguments);
    }
    let (Some(id), Some(score)) = (arguments.id, arguments.score) else {
        anyhow::bail!(
            "tables need --id and --score; hint: give two run files, or two files of `humbly score --output json`, to \
             compare runs"
        );
    };
    let columns = CompareColumns { id, score, by: arguments.by };
    let mut names = vec![columns.id.as_str(), columns.score.as_str()];
    if arguments.second.is_none() {
        names.extend(columns.by.as_deref());
    }
    let first = read(&arguments.first, &names)?;
    let second = arguments.second.as_deref().map(|path| read(path, &names)).transpose()?;
    let bootstrap = BootstrapParams::seeded(arguments.seed);
    let (comparison, problems) =
        compare(&first, second.as_ref(), &columns, &bootstrap).map_err(problem_error)?;
    if arguments.output == OutputFormat::Json {
        output::json(&comparison)?;
    } else {
        let measures = &comparison.measures;
        let mut table = Table::new(&["measure", "value"]);
        table.row([format!("mean of {}", comparison.first_name), measured_cell(&measures.first)]);
        table.row([format!("mean of {}", comparison.second_name), measured_cell(&measures.second)]);
        table.row(["difference (second − first)".to_owned(), measured_cell(&measures.difference)]);
        table.row([format!("p of {:?}", measures.test.test), measured_cell(&measures.test.p)]);
        if let Some(flips) = &measures.flips {
            table.row(["flips".to_owned(), format!("{} gained, {} lost", flips.gained, flips.lost)]);
        }
        output::note(&format!(
            "{} shared ids, {} only in the first, {} only in the second",
            measures.shared, measures.only_first, measures.only_second
        ));
        output::table(&table, arguments.output)?;
    }
    output::problems(&problems);
    Ok(Status::Done)
}
