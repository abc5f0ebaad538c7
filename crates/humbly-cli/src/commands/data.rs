//! `humbly data`: released outputs of real models as tasks, trajectories and tables.

use anyhow::Context;
use humbly_bench::{IMPORTS, import};

use crate::args::{DataCommand, ImportArguments};
use crate::exit::Status;
use crate::output::{self, Table, problem_error};

pub(crate) fn run(command: DataCommand) -> anyhow::Result<Status> {
    match command {
        DataCommand::List => list(),
        DataCommand::Import(arguments) => import_outputs(&arguments),
    }
}

fn list() -> anyhow::Result<Status> {
    let mut table = Table::new(&["name", "what it is", "reads", "writes"]);
    for source in IMPORTS {
        table.row([source.name, source.title, source.reads, source.writes].map(str::to_owned));
    }
    output::table(&table, crate::args::OutputFormat::Table)?;
    Ok(Status::Done)
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
