//! `humbly data show`: the questions of a data set.

use std::io::Write;

use humbly_data::{Cache, Question, data_set, load, load_local};

use super::data_error;
use super::pull::report;
use crate::args::{OutputFormat, ShowArguments};
use crate::exit::Status;
use crate::output::{self, Table, problem_error};

/// So many questions stand in a table where no limit is given.
const TABLE_LIMIT: usize = 10;

pub(crate) fn run(arguments: &ShowArguments) -> anyhow::Result<Status> {
    let set = data_set(&arguments.name).map_err(data_error)?;
    if let Some(warning) = set.warning {
        output::note(&format!("note: {warning}"));
    }
    let limit = match (arguments.limit, arguments.output) {
        (Some(limit), _) => limit,
        (None, OutputFormat::Table) => TABLE_LIMIT,
        (None, OutputFormat::Json | OutputFormat::Csv) => usize::MAX,
    };
    let mut table = Table::new(&["id", "question", "references", "answerable", "sides", "passages"]);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut written = Ok(());
    let mut count = 0;
    let mut each = |question: Question| {
        if count >= limit || written.is_err() {
            return;
        }
        count += 1;
        if arguments.output == OutputFormat::Json {
            written = line(&mut out, &question);
        } else {
            table.row(cells(&question));
        }
    };
    let found = if let Some(path) = &arguments.path {
        load(set, path, &mut each).map_err(problem_error)?
    } else {
        let cache = Cache::from_variables(|name| std::env::var_os(name)).map_err(data_error)?;
        load_local(&cache, set, &mut each).map_err(data_error)?
    };
    written?;
    out.flush()?;
    drop(out);
    if arguments.output != OutputFormat::Json {
        output::table(&table, arguments.output)?;
    }
    report(&found);
    if found.questions == 0 {
        anyhow::bail!("no row is one of `{}`, expected {}", set.name, set.expects);
    }
    Ok(Status::Done)
}

fn line(out: &mut impl Write, question: &Question) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, question)?;
    out.write_all(b"\n")
}

fn cells(question: &Question) -> [String; 6] {
    let sides: Vec<&str> = question.sides.iter().map(|side| side.answer.as_str()).collect();
    let passages =
        question.passages.len() + question.sides.iter().map(|side| side.passages.len()).sum::<usize>();
    [
        question.id.clone(),
        question.question.clone(),
        question.references.join(" | "),
        question.answerable.map_or_else(|| "not said".to_owned(), |answerable| answerable.to_string()),
        sides.join(" | "),
        passages.to_string(),
    ]
}
