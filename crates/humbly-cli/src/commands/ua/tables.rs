//! The tables of a study of attribution: one row a model, prompt and set of questions.

use humbly_score::attribution_study::{
    AttributionCell, AttributionSample, FailureMode, Labels, attribution_cell, failures, labels,
};
use humbly_stats::attribution::Form;
use humbly_stats::intervals::BootstrapParams;
use serde::Serialize;

use crate::output::{Table, measured_cell};

/// Characters of a question or an output that an example shows.
const EXCERPT: usize = 160;
/// Examples of each failure mode.
const EXAMPLES: usize = 3;

/// The numbers of a model under a prompt on a set of questions.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) model: String,
    /// The prompt, else the condition.
    pub(super) prompt: String,
    pub(super) thinking: Option<bool>,
    /// `knowledge`, `reasoning`, `all`, or a source.
    pub(super) set: String,
    /// Whether the set is a source.
    pub(super) is_source: bool,
    #[serde(flatten)]
    pub(super) cell: AttributionCell,
    pub(super) labels: Labels,
    pub(super) failures: Vec<Failure>,
}

/// One failure mode in a row.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    pub(super) mode: FailureMode,
    pub(super) count: u64,
    pub(super) examples: Vec<Example>,
}

/// One output that shows it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Example {
    pub(super) key: String,
    pub(super) question: String,
    pub(super) output: String,
}

impl Row {
    /// Model, prompt and thinking, as tables name a row.
    pub(super) fn name(&self) -> String {
        let thinking = match self.thinking {
            Some(true) => " · thinking",
            Some(false) => " · no thinking",
            None => "",
        };
        format!("{} · {}{thinking}", self.model, self.prompt)
    }
}

/// All rows: models, prompts and sets in the order in which they were run.
pub(super) fn rows(
    samples: &[(String, AttributionSample)],
    params: &BootstrapParams,
) -> anyhow::Result<Vec<Row>> {
    let mut groups: Vec<(&str, &str)> = Vec::new();
    let (mut categories, mut sources): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (_, sample) in samples {
        let group = (sample.model.as_str(), sample.condition.as_str());
        if !groups.contains(&group) {
            groups.push(group);
        }
        if !categories.contains(&sample.category()) {
            categories.push(sample.category());
        }
        let source = sample.task.dataset.as_deref().unwrap_or("all");
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    let mut rows = Vec::new();
    for (model, condition) in groups {
        let of_group: Vec<&(String, AttributionSample)> = samples
            .iter()
            .filter(|(_, sample)| sample.model == model && sample.condition == condition)
            .collect();
        let sets = categories
            .iter()
            .map(|&category| (category, false))
            .chain(std::iter::once(("all", false)))
            .chain(sources.iter().map(|&source| (source, true)));
        for (set, is_source) in sets {
            let members: Vec<&(String, AttributionSample)> = of_group
                .iter()
                .copied()
                .filter(|(_, sample)| match (is_source, set) {
                    (true, set) => sample.task.dataset.as_deref().unwrap_or("all") == set,
                    (false, "all") => true,
                    (false, set) => sample.category() == set,
                })
                .collect();
            if !members.is_empty() {
                rows.push(row(&members, set, is_source, params)?);
            }
        }
    }
    Ok(rows)
}

fn row(
    members: &[&(String, AttributionSample)],
    set: &str,
    is_source: bool,
    params: &BootstrapParams,
) -> anyhow::Result<Row> {
    let samples: Vec<&AttributionSample> = members.iter().map(|(_, sample)| sample).collect();
    let failures = FailureMode::ALL.map(|mode| {
        let found = failures(&samples, mode);
        let examples = found.iter().take(EXAMPLES).map(|shown| Example {
            key: members
                .iter()
                .find(|(_, sample)| std::ptr::eq(sample, *shown))
                .map_or_else(String::new, |(key, _)| key.clone()),
            question: excerpt(shown.task.question.as_deref().unwrap_or_default(), false),
            output: excerpt(&shown.text, true),
        });
        Failure { mode, count: found.len() as u64, examples: examples.collect() }
    });
    let first = samples.first();
    Ok(Row {
        model: first.map_or_else(String::new, |sample| sample.model.clone()),
        prompt: first
            .map(|sample| sample.prompt.clone().unwrap_or_else(|| sample.condition.clone()))
            .unwrap_or_default(),
        thinking: first.and_then(|sample| sample.thinking),
        set: set.to_owned(),
        is_source,
        cell: attribution_cell(&samples, params)?,
        labels: labels(&samples),
        failures: failures.into(),
    })
}

/// The beginning or the end of a text, in one line.
fn excerpt(text: &str, from_end: bool) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = line.chars().count();
    if count <= EXCERPT {
        return line;
    }
    if from_end {
        format!("…{}", line.chars().skip(count - EXCERPT).collect::<String>())
    } else {
        format!("{}…", line.chars().take(EXCERPT).collect::<String>())
    }
}

/// Every table with its heading.
pub(super) fn all(rows: &[Row]) -> Vec<(&'static str, Table)> {
    vec![
        ("Accuracy and abstention", accuracy(rows)),
        ("Attribution of uncertainty (UA Table 1)", attribution(rows)),
        ("Prompts compared: accuracy by category, abstention by source (UA Figures 3 and 4)", prompts(rows)),
        ("Confusion: outputs by what the question was", confusion(rows)),
        ("What the labels are for", uses(rows)),
        ("Failure modes", failure_table(rows)),
    ]
}

fn of_categories(rows: &[Row]) -> impl Iterator<Item = &Row> {
    rows.iter().filter(|row| !row.is_source)
}

fn accuracy(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "model · prompt",
        "questions",
        "outputs",
        "ACC",
        "abstains",
        "unparsable",
        "undecided",
        "left out",
    ]);
    for row in of_categories(rows) {
        table.row([
            row.name(),
            row.set.clone(),
            row.cell.n.to_string(),
            measured_cell(&row.cell.accuracy),
            measured_cell(&row.cell.abstention),
            row.cell.unparsable.to_string(),
            row.cell.undecided.to_string(),
            row.cell.left_out.to_string(),
        ]);
    }
    table
}

fn attribution(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "model · prompt",
        "questions",
        "DU-F1 released",
        "MU-F1 released",
        "AVG-F1 released",
        "DU-F1 balanced",
        "MU-F1 balanced",
        "AVG-F1 balanced",
    ]);
    for row in of_categories(rows) {
        let scores = [&row.cell.released, &row.cell.balanced];
        let cells = scores
            .into_iter()
            .flat_map(|scores| [&scores.data, &scores.model, &scores.average].map(measured_cell));
        table.row([row.name(), row.set.clone()].into_iter().chain(cells));
    }
    table
}

fn prompts(rows: &[Row]) -> Table {
    let mut table =
        Table::new(&["model · prompt", "questions", "ACC", "abstains", "DATA", "MODEL or \"I don't know\""]);
    for row in rows.iter().filter(|row| row.set != "all") {
        let of = |form: Form| {
            let found = row.cell.confusion.iter().find(|line| line.form == form);
            found.map_or(0, |line| line.unanswerable + line.answered_correctly + line.missed)
        };
        table.row([
            row.name(),
            row.set.clone(),
            measured_cell(&row.cell.accuracy),
            measured_cell(&row.cell.abstention),
            of(Form::DataUncertain).to_string(),
            of(Form::ModelUncertain).to_string(),
        ]);
    }
    table
}

fn confusion(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "model · prompt",
        "questions",
        "form",
        "no answer exists",
        "answerable, right",
        "answerable, not right",
    ]);
    for row in of_categories(rows) {
        for line in &row.cell.confusion {
            let form = match line.form {
                Form::Answer => "answer",
                Form::DataUncertain => "DATA",
                Form::ModelUncertain => "MODEL or \"I don't know\"",
                Form::Unparsable => "unparsable",
            };
            // Nobody knows yet in which of the last two columns an undecided answer belongs.
            let undecided = if line.form == Form::Answer { row.cell.undecided } else { 0 };
            let missed = line.missed.saturating_sub(undecided);
            let missed =
                if undecided > 0 { format!("{missed} + {undecided} undecided") } else { missed.to_string() };
            table.row([
                row.name(),
                row.set.clone(),
                form.to_owned(),
                line.unanswerable.to_string(),
                line.answered_correctly.to_string(),
                missed,
            ]);
        }
    }
    table
}

fn uses(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "model · prompt",
        "questions",
        "DATA: ask the user",
        "of which no answer exists",
        "MODEL: use a tool",
        "of which answerable",
    ]);
    for row in of_categories(rows) {
        let Labels { asks_user, asks_user_rightly, uses_tool, uses_tool_rightly } = row.labels;
        table.row([row.name(), row.set.clone()].into_iter().chain(
            [asks_user, asks_user_rightly, uses_tool, uses_tool_rightly].map(|count| count.to_string()),
        ));
    }
    table
}

fn failure_table(rows: &[Row]) -> Table {
    let mut table = Table::new(&["model · prompt", "failure", "outputs", "question", "end of the output"]);
    for row in rows.iter().filter(|row| row.set == "all" && !row.is_source) {
        for failure in &row.failures {
            let name = || [row.name(), failure.mode.name().to_owned(), failure.count.to_string()];
            if failure.examples.is_empty() {
                table.row(name().into_iter().chain(["-".to_owned(), "-".to_owned()]));
            }
            for example in &failure.examples {
                table.row(name().into_iter().chain([example.question.clone(), example.output.clone()]));
            }
        }
    }
    table
}

/// The numbers of each model under the prompt of attribution; of all its outputs where no run says which prompt that is.
pub(in super::super) fn attribution_of_models(
    paths: &[std::path::PathBuf],
    judge: Option<&str>,
    params: &BootstrapParams,
) -> anyhow::Result<Vec<(String, AttributionCell)>> {
    use humbly_bench::ua_bench::UaPrompt;
    use humbly_score::attribution_study::Extraction;
    let mut samples: Vec<AttributionSample> = Vec::new();
    for path in paths {
        let found = super::outputs::read(path, Extraction::Strict, judge)?;
        samples.extend(found.samples.into_iter().map(|(_, sample)| sample));
    }
    let asks = |sample: &&AttributionSample| {
        sample.prompt.as_deref().is_none_or(|prompt| prompt == UaPrompt::Attribute.name())
    };
    let mut models: Vec<&str> = samples.iter().map(|sample| sample.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    models
        .into_iter()
        .map(|model| {
            let of_model: Vec<&AttributionSample> =
                samples.iter().filter(|sample| sample.model == model).filter(asks).collect();
            Ok((model.to_owned(), attribution_cell(&of_model, params)?))
        })
        .collect()
}
