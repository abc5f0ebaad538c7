//! `humbly data list`: data sets and imports.

use humbly_bench::IMPORTS;
use humbly_data::{Cache, DATA_SETS};
use serde_json::json;

use crate::args::{DataListArguments, OutputFormat};
use crate::exit::Status;
use crate::output::{self, Table};

pub(crate) fn run(arguments: &DataListArguments) -> anyhow::Result<Status> {
    // Without a folder for the cache nothing is local; the list is still of use.
    let cache = Cache::from_variables(|name| std::env::var_os(name)).ok();
    let is_local = |name: &str| {
        cache.as_ref().is_some_and(|cache| cache.receipt(name).is_ok_and(|receipt| receipt.is_some()))
    };
    if arguments.output == OutputFormat::Json {
        let sets: Vec<_> = DATA_SETS
            .iter()
            .map(|set| {
                json!({
                    "name": set.name, "title": set.title, "purpose": set.purpose, "rows": set.rows,
                    "licence": set.licence, "gated": set.is_gated, "home": set.home, "local": is_local(set.name),
                })
            })
            .collect();
        let imports: Vec<_> = IMPORTS
            .iter()
            .map(|import| {
                json!({"name": import.name, "title": import.title, "reads": import.reads, "writes": import.writes})
            })
            .collect();
        output::json(&json!({"data_sets": sets, "imports": imports}))?;
        return Ok(Status::Done);
    }
    let mut table = Table::new(&["name", "what it is", "for", "rows", "licence", "gated", "local"]);
    let yes_no = |value: bool| if value { "yes" } else { "no" }.to_owned();
    for set in DATA_SETS {
        table.row([
            set.name.to_owned(),
            set.title.to_owned(),
            set.purpose.to_owned(),
            set.rows.map_or_else(|| "not counted".to_owned(), |rows| rows.to_string()),
            set.licence.to_owned(),
            yes_no(set.is_gated),
            yes_no(is_local(set.name)),
        ]);
    }
    output::table(&table, arguments.output)?;
    if arguments.output == OutputFormat::Table {
        let mut table = Table::new(&["import", "what it is", "reads", "writes"]);
        for import in IMPORTS {
            table.row([import.name, import.title, import.reads, import.writes].map(str::to_owned));
        }
        output::table(&table, arguments.output)?;
    }
    Ok(Status::Done)
}
