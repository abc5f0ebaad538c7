//! `humbly validate`: agreement of a judge with labels.

use anyhow::Context;
use humbly_judge::{VerdictKind, agreement_report_with, read_rows};
use humbly_model_judge::{Bill, judge_labelled_rows};
use humbly_stats::intervals::BootstrapParams;

use super::judging::{Judge, connect};
use crate::args::{CorrectnessArgument, OutputFormat, ValidateArguments, VerdictArgument};
use crate::clients::wait;
use crate::exit::Status;
use crate::output::{self, Table, measured_cell};

pub(crate) fn run(arguments: &ValidateArguments) -> anyhow::Result<Status> {
    let kind = match arguments.verdict {
        VerdictArgument::Identify => VerdictKind::Identify,
        VerdictArgument::Escalate => VerdictKind::Escalate,
        VerdictArgument::Refusal => VerdictKind::Refusal,
    };
    let path = &arguments.labels;
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let rows =
        read_rows(&text, kind).with_context(|| format!("cannot validate against `{}`", path.display()))?;
    let judges = connect(&[arguments.judge.trim()], &arguments.ask, CorrectnessArgument::Rules)?;
    let params = BootstrapParams::seeded(arguments.seed);
    let mut status = Status::Done;
    let report = match judges.first() {
        Some(Judge::Model(judge)) => {
            let judging = judge_labelled_rows(judge, &rows, kind, arguments.ask.concurrency, &params);
            let (report, raw) = wait(judging)?.context("cannot validate the judge")?;
            let bill = Bill::of(&raw);
            output::note(&format!("{}: {}", judge.name(), bill.line()));
            if bill.failed > 0 {
                output::note(
                    "rows with a failed call are undefined; hint: with --cache the same command asks for them alone",
                );
                status = Status::FailedSamples;
            }
            report
        }
        Some(Judge::Lexical(judge)) => agreement_report_with(judge, &rows, kind, &params)?,
        None => anyhow::bail!("invariant: one name is one judge"),
    };
    if arguments.output == OutputFormat::Json {
        output::json(&report)?;
        return Ok(status);
    }
    let mut table = Table::new(&["measure", "value"]);
    for (name, measured) in [
        ("raw agreement", &report.raw),
        ("Cohen kappa", &report.kappa),
        ("Gwet AC1", &report.ac1),
        ("precision", &report.precision),
        ("recall", &report.recall),
        ("balanced accuracy", &report.balanced_accuracy),
    ] {
        table.row([name.to_owned(), measured_cell(measured)]);
    }
    if arguments.output == OutputFormat::Table {
        output::stdout(
            format!(
                "{} rows, {} positive, {} without a verdict · judge {}\n",
                report.n,
                report.positives,
                report.undefined.iter().map(|(_, count)| count).sum::<u64>(),
                report.judge
            )
            .as_bytes(),
        )?;
    }
    output::table(&table, arguments.output)?;
    if arguments.disagreements {
        for row in &report.disagreements {
            let label = if row.label { "yes" } else { "no" };
            let rule = row.verdict.rule.as_deref().unwrap_or("no rule");
            let quote = row.verdict.quote.as_deref().unwrap_or_default();
            output::note(&format!("{}: labelled {label}, judged otherwise ({rule}) {quote}", row.id));
        }
    }
    Ok(status)
}
