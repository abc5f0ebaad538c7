//! The tables of a study of attribution: one row a model, prompt and set of questions.

use std::collections::BTreeMap;

use humbly_bench::ua_bench::UaPrompt;
use humbly_score::attribution_study::{
    AttributionCell, AttributionSample, Extraction, FailureMode, Labels, ThinkingCell, attribution_cell,
    failures, labels, thinking_cell,
};
use humbly_stats::attribution::Form;
use humbly_stats::intervals::BootstrapParams;
use humbly_types::{Measured, Problem};
use serde::Serialize;

use crate::output::{Table, measured_cell};

/// Characters of a question or an output that an example shows.
const EXCERPT: usize = 160;
/// Examples of each failure mode.
const EXAMPLES: usize = 3;

/// The numbers of a model under a prompt on a set of questions.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// As tables name it.
    pub(super) name: String,
    pub(super) model: String,
    pub(super) condition: String,
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

/// What the tables of a report are made from.
#[derive(Debug, Serialize)]
pub(super) struct Study {
    pub(super) rows: Vec<Row>,
    pub(super) thinking: Vec<ThinkingRow>,
}

/// A model under a prompt with thinking against the same without.
#[derive(Debug, Serialize)]
pub(super) struct ThinkingRow {
    pub(super) model: String,
    pub(super) prompt: String,
    pub(super) set: String,
    #[serde(flatten)]
    pub(super) cell: ThinkingCell,
}

type Member = (String, AttributionSample);

/// Samples of a model in a condition.
struct Group<'a> {
    model: &'a str,
    /// The model that it stands in for, else itself.
    base: &'a str,
    condition: &'a str,
    prompt: &'a str,
    thinking: Option<bool>,
    members: Vec<&'a Member>,
}

impl Group<'_> {
    fn asks_like(&self, other: &Self) -> bool {
        self.model == other.model && self.prompt == other.prompt && self.thinking == other.thinking
    }

    /// Model, prompt and thinking; the condition where these do not tell groups apart.
    fn name(&self, all: &[Self]) -> String {
        if all.iter().filter(|other| self.asks_like(other)).count() > 1 {
            return format!("{} · {}", self.model, self.condition);
        }
        let thinking = match self.thinking {
            Some(true) => " · thinking",
            Some(false) => " · no thinking",
            None => "",
        };
        format!("{} · {}{thinking}", self.model, self.prompt)
    }
}

/// Models, prompts and sets in the order in which they were run.
pub(super) fn study(samples: &[Member], params: &BootstrapParams) -> anyhow::Result<Study> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let (mut categories, mut sources): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for member in samples {
        let sample = &member.1;
        match groups.iter_mut().find(|group| {
            group.model == sample.model
                && group.condition == sample.condition
                && group.thinking == sample.thinking
        }) {
            Some(group) => group.members.push(member),
            None => groups.push(Group {
                model: &sample.model,
                base: sample.base_model.as_ref().unwrap_or(&sample.model),
                condition: &sample.condition,
                prompt: sample.prompt.as_deref().unwrap_or(&sample.condition),
                thinking: sample.thinking,
                members: vec![member],
            }),
        }
        if !categories.contains(&sample.category()) {
            categories.push(sample.category());
        }
        let source = sample.source();
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    categories.retain(|category| *category != ALL);
    let mut rows = Vec::new();
    for group in &groups {
        let name = group.name(&groups);
        let sets = categories
            .iter()
            .map(|&category| (category, false))
            .chain(std::iter::once((ALL, false)))
            .chain(sources.iter().map(|&source| (source, true)));
        for (set, is_source) in sets {
            let members: Vec<&Member> = group
                .members
                .iter()
                .copied()
                .filter(|(_, sample)| if is_source { sample.source() == set } else { is_of(sample, set) })
                .collect();
            if !members.is_empty() {
                rows.push(row(group, name.clone(), &members, (set, is_source), params)?);
            }
        }
    }
    Ok(Study { rows, thinking: thinking(&groups, &categories, params)? })
}

/// Name of the set of all questions.
const ALL: &str = "all";

fn is_of(sample: &AttributionSample, category: &str) -> bool {
    category == ALL || sample.category() == category
}

fn thinking(
    groups: &[Group<'_>],
    categories: &[&str],
    params: &BootstrapParams,
) -> anyhow::Result<Vec<ThinkingRow>> {
    let mut rows = Vec::new();
    for with in groups.iter().filter(|group| group.thinking == Some(true)) {
        let is_pair = |other: &&Group<'_>| {
            other.thinking == Some(false) && other.base == with.base && other.prompt == with.prompt
        };
        let Some(without) = groups.iter().find(is_pair) else { continue };
        for &set in categories.iter().chain([&ALL]) {
            let of = |group: &'_ Group<'_>| -> Vec<AttributionSample> {
                let samples = group.members.iter().map(|(_, sample)| sample);
                samples.filter(|sample| is_of(sample, set)).cloned().collect()
            };
            rows.push(ThinkingRow {
                model: with.base.to_owned(),
                prompt: with.prompt.to_owned(),
                set: set.to_owned(),
                cell: thinking_cell(&of(without), &of(with), params)?,
            });
        }
    }
    Ok(rows)
}

fn row(
    group: &Group<'_>,
    name: String,
    members: &[&Member],
    (set, is_source): (&str, bool),
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
    Ok(Row {
        name,
        model: group.model.to_owned(),
        condition: group.condition.to_owned(),
        prompt: group.prompt.to_owned(),
        thinking: group.thinking,
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
pub(super) fn all(study: &Study) -> Vec<(&'static str, Table)> {
    let rows = study.rows.as_slice();
    let mut tables = vec![
        ("Accuracy and abstention", accuracy(rows)),
        ("Attribution of uncertainty (UA Table 1)", attribution(rows)),
        ("Prompts compared: accuracy by category, abstention by source (UA Figures 3 and 4)", prompts(rows)),
        ("Confusion: outputs by what the question was", confusion(rows)),
        ("What the labels are for", uses(rows)),
        ("Failure modes", failure_table(rows)),
    ];
    if !study.thinking.is_empty() {
        tables.push(("Thinking: with it against without, by question", thinking_table(&study.thinking)));
    }
    tables
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
            row.name.clone(),
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
        table.row([row.name.clone(), row.set.clone()].into_iter().chain(cells));
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
            row.name.clone(),
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
            let counted = |share: &Measured, count: u64| match undecided {
                0 => measured_cell(share),
                _ => format!("{count}, {undecided} undecided\n{}", measured_cell(share)),
            };
            table.row([
                row.name.clone(),
                row.set.clone(),
                form.to_owned(),
                measured_cell(&line.unanswerable_share),
                counted(&line.answered_correctly_share, line.answered_correctly),
                counted(&line.missed_share, missed),
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
        table.row([row.name.clone(), row.set.clone()].into_iter().chain(
            [asks_user, asks_user_rightly, uses_tool, uses_tool_rightly].map(|count| count.to_string()),
        ));
    }
    table
}

fn failure_table(rows: &[Row]) -> Table {
    let mut table = Table::new(&["model · prompt", "failure", "outputs", "question", "end of the output"]);
    for row in rows.iter().filter(|row| row.set == "all" && !row.is_source) {
        for failure in &row.failures {
            let name = || [row.name.clone(), failure.mode.name().to_owned(), failure.count.to_string()];
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

fn thinking_table(rows: &[ThinkingRow]) -> Table {
    let mut table = Table::new(&[
        "model · prompt",
        "questions",
        "ACC without",
        "ACC with",
        "ACC: with minus without",
        "p (McNemar)",
        "abstains: with minus without",
        "p (McNemar)",
    ]);
    for row in rows {
        let ThinkingCell { accuracy, abstention } = &row.cell;
        let numbers = [
            &accuracy.without,
            &accuracy.with,
            &accuracy.difference,
            &accuracy.p,
            &abstention.difference,
            &abstention.p,
        ];
        let name = format!("{} · {}", row.model, row.prompt);
        table.row([name, row.set.clone()].into_iter().chain(numbers.map(measured_cell)));
    }
    table
}

/// UA-Bench by model.
#[derive(Default)]
pub(in super::super) struct OfModels {
    /// What of the benchmark the suites have.
    pub(in super::super) coverage: Vec<String>,
    /// Outputs that were read.
    pub(in super::super) outputs: usize,
    /// Judges of the answers that no rule decides.
    pub(in super::super) judges: String,
    /// What was left out.
    pub(in super::super) problems: Vec<Problem>,
    /// The numbers of each model.
    pub(in super::super) models: Vec<(String, AttributionCell)>,
}

/// The numbers of each model under the prompt of attribution; of all its outputs where no run says which prompt that is.
pub(in super::super) fn attribution_of_models(
    paths: &[std::path::PathBuf],
    judge: Option<&str>,
    params: &BootstrapParams,
) -> anyhow::Result<OfModels> {
    let read = super::outputs::read_all(paths, Extraction::Strict, judge)?;
    let judges = read.judge();
    let asks = |sample: &&AttributionSample| {
        sample.prompt.as_deref().is_none_or(|prompt| prompt == UaPrompt::Attribute.name())
    };
    let asked: Vec<&AttributionSample> = read.samples.iter().map(|(_, sample)| sample).filter(asks).collect();
    let mut of_model: BTreeMap<&str, Vec<&AttributionSample>> = BTreeMap::new();
    for sample in &asked {
        of_model.entry(&sample.model).or_default().push(sample);
    }
    let models = of_model
        .into_iter()
        .map(|(model, samples)| Ok((model.to_owned(), attribution_cell(&samples, params)?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    Ok(OfModels { outputs: asked.len(), coverage: read.coverage, problems: read.problems, judges, models })
}
