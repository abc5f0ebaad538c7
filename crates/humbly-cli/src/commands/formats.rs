//! `humbly formats`: what can be read, and how it is recognised.

use serde_json::json;

use crate::args::{FormatsArguments, OutputFormat};
use crate::exit::Status;
use crate::output::{self, Table};

pub(crate) fn run(arguments: &FormatsArguments) -> anyhow::Result<Status> {
    let formats: Vec<_> = humbly_readers::formats().iter().map(|reader| reader.info()).collect();
    match arguments.output {
        OutputFormat::Json => {
            let rows: Vec<_> = formats
                .iter()
                .map(|info| json!({"name": info.name, "title": info.title, "recognised_by": info.recognised_by}))
                .collect();
            output::json(&rows)?;
        }
        OutputFormat::Table | OutputFormat::Csv => {
            let mut table = Table::new(&["name", "format", "recognised by"]);
            for info in formats {
                table.row([info.name.to_owned(), info.title.to_owned(), info.recognised_by.to_owned()]);
            }
            output::table(&table, arguments.output)?;
        }
    }
    Ok(Status::Done)
}
