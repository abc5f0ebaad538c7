//! `humbly data`: data sets, and released outputs of real models as tasks, trajectories and tables.

mod export;
mod export_verl;
mod list;
pub(super) mod pull;
mod show;

use anyhow::Context;
use humbly_bench::import;
use humbly_data::DataError;

use crate::args::{DataCommand, ImportArguments};
use crate::exit::Status;
use crate::output::{self, Table, problem_error};

pub(crate) fn run(command: DataCommand) -> anyhow::Result<Status> {
    match command {
        DataCommand::List(arguments) => list::run(&arguments),
        DataCommand::Pull(arguments) => pull::run(&arguments),
        DataCommand::Show(arguments) => show::run(&arguments),
        DataCommand::Import(arguments) => import_outputs(&arguments),
        DataCommand::Export(arguments) => export::run(&arguments),
    }
}

/// An error of the data sets as the error that ends a command.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(super) fn data_error(error: DataError) -> anyhow::Error {
    let cause = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
    let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    anyhow::anyhow!("{error}{cause}{hint}")
}

fn import_outputs(arguments: &ImportArguments) -> anyhow::Result<Status> {
    std::fs::create_dir_all(&arguments.to)
        .with_context(|| format!("cannot make the folder `{}`", arguments.to.display()))?;
    let summary = import(&arguments.name, &arguments.path, &arguments.to).map_err(problem_error)?;
    let mut table = Table::new(&["group", "rows"]);
    for count in &summary.counts {
        table.row([count.group.join(" · "), count.rows.to_string()]);
    }
    output::table(&table, crate::args::OutputFormat::Table)?;
    for file in &summary.files {
        output::note(&format!("wrote {} ({} records)", file.path.display(), file.rows));
    }
    output::note(&format!("next: {}", summary.next.replace("{to}", &arguments.to.display().to_string())));
    output::problems(&summary.problems);
    Ok(Status::Done)
}
