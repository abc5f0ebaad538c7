//! `humbly suite build ua-bench`: questions of six sources, no model asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::bail;
use humbly_bench::conflict::Suite;
use humbly_bench::ua_bench::{Coverage, UA_SOURCES, UaParams, UaRows, build_ua_bench};
use humbly_data::{Cache, data_set};

use super::data::data_error;
use super::suite_rows::rows_at;
use crate::args::SuiteBuildArguments;
use crate::output::Table;

pub(super) fn build(arguments: &SuiteBuildArguments) -> anyhow::Result<Suite> {
    if arguments.model.is_some() {
        bail!("UA-Bench is built for no model; hint: leave --model out here and give it to `humbly run`");
    }
    let given = given(&arguments.set)?;
    let cache = Cache::from_variables(|name| std::env::var_os(name)).map_err(data_error)?;
    let mut rows = UaRows::new();
    for source in UA_SOURCES {
        let name = source.dataset;
        if rows.contains_key(name) {
            continue;
        }
        let path = given.get(name);
        let is_there = path.is_some() || cache.receipt(name).map_err(data_error)?.is_some();
        let found = if is_there {
            Ok(rows_at(name, path.and_then(|path| path.as_deref()))?.1)
        } else if data_set(name).map_err(data_error)?.is_gated {
            Err("not pulled: accept its terms, set HF_TOKEN".to_owned())
        } else {
            Err("not pulled".to_owned())
        };
        rows.insert(name, found);
    }
    let suite = build_ua_bench(&rows, UaParams { limit: arguments.limit, seed: arguments.seed });
    if suite.tasks.is_empty() {
        let coverage = suite.coverage.unwrap_or_default();
        bail!(
            "{coverage}\nhint: `humbly data pull NAME` fetches a source, --set NAME=PATH reads your copy of it"
        );
    }
    Ok(suite)
}

/// `NAME` or `NAME=PATH` of each `--set`.
fn given(sets: &[String]) -> anyhow::Result<BTreeMap<String, Option<PathBuf>>> {
    let mut given = BTreeMap::new();
    for set in sets {
        let (name, path) = match set.split_once('=') {
            Some((name, path)) => (name.trim(), Some(Path::new(path.trim()).to_owned())),
            None => (set.trim(), None),
        };
        if !UA_SOURCES.iter().any(|source| source.dataset == name) {
            let mut known: Vec<&str> = UA_SOURCES.iter().map(|source| source.dataset).collect();
            known.dedup();
            bail!("`{name}` is no source of UA-Bench, expected {}", known.join(", "));
        }
        if given.insert(name.to_owned(), path).is_some() {
            bail!("--set names `{name}` twice; hint: put the files into one folder");
        }
    }
    Ok(given)
}

/// One row a source.
pub(super) fn table(coverage: &Coverage) -> Table {
    let mut table = Table::new(&["source", "category", "answerable", "built", "UA-Bench", "note"]);
    for count in &coverage.sources {
        let source = UA_SOURCES.iter().find(|source| source.name == count.name);
        table.row([
            count.name.clone(),
            source.map_or("", |source| source.category.code()).to_owned(),
            source.map_or("", |source| if source.answerable { "yes" } else { "no" }).to_owned(),
            count.built.to_string(),
            count.expected.to_string(),
            count.note.clone().unwrap_or_default(),
        ]);
    }
    table
}
