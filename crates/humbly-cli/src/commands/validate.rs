//! `humbly validate`: agreement of a judge with labels.

use anyhow::{Context, bail};
use humbly_judge::{LexicalJudge, VerdictKind, agreement_report, read_rows};

use crate::args::{OutputFormat, ValidateArguments, VerdictArgument};
use crate::exit::Status;
use crate::output::{self, Table, measured_cell};

pub(crate) fn run(arguments: &ValidateArguments) -> anyhow::Result<Status> {
    if arguments.judge != "lexical" {
        bail!("judge `{}` is not available, expected `lexical`", arguments.judge);
    }
    let judge = LexicalJudge::new();
    let kind = match arguments.verdict {
        VerdictArgument::Identify => VerdictKind::Identify,
        VerdictArgument::Escalate => VerdictKind::Escalate,
        VerdictArgument::Refusal => VerdictKind::Refusal,
    };
    let path = &arguments.labels;
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let rows =
        read_rows(&text, kind).with_context(|| format!("cannot validate against `{}`", path.display()))?;
    let report = agreement_report(&judge, &rows, kind)?;
    if arguments.output == OutputFormat::Json {
        output::json(&report)?;
        return Ok(Status::Done);
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
                judge.name()
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
    Ok(Status::Done)
}
