//! Rows of the paper's tables: an agent with its model, one cell for each data set.

use humbly_score::SummaryRow;

use super::material::Material;
use super::published::published;

/// Summary rows with or without a clause, by configuration and data set.
pub(super) struct Configurations<'a> {
    /// Names, in the order of the summary.
    pub(super) names: Vec<String>,
    /// Data sets.
    pub(super) datasets: Vec<String>,
    rows: Vec<(String, String, &'a SummaryRow)>,
}

impl<'a> Configurations<'a> {
    /// Data sets of the runs, then those that only published rows have.
    pub(super) fn datasets_with<'b>(&self, published: impl Iterator<Item = &'b String>) -> Vec<String> {
        let mut datasets = self.datasets.clone();
        for dataset in published {
            if !datasets.contains(dataset) {
                datasets.push(dataset.clone());
            }
        }
        datasets
    }

    /// Those whose condition has (or has not) a clause, and that have labelled tasks.
    pub(super) fn of(material: &'a Material, prompted: bool) -> Self {
        let chosen: Vec<&SummaryRow> = material
            .summary
            .iter()
            .filter(|row| row.counts.conflict + row.counts.control > 0)
            .filter(|row| material.is_prompted(row.condition.as_deref()) == prompted)
            .collect();
        let first = chosen.first().map(|row| &row.condition);
        let has_several = chosen.iter().any(|row| Some(&row.condition) != first);
        let mut found = Self { names: Vec::new(), datasets: Vec::new(), rows: Vec::new() };
        for &row in &chosen {
            let mut parts: Vec<&str> =
                [&row.agent, &row.model].into_iter().flatten().map(String::as_str).collect();
            if has_several || prompted {
                parts.extend(row.condition.as_deref());
            }
            let name = if parts.is_empty() { "agent not recorded".to_owned() } else { parts.join(" · ") };
            let dataset = column(row, &chosen);
            if !found.names.contains(&name) {
                found.names.push(name.clone());
            }
            if !found.datasets.contains(&dataset) {
                found.datasets.push(dataset.clone());
            }
            found.rows.push((name, dataset, row));
        }
        found
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn cell(&self, name: &str, dataset: &str) -> Option<&'a SummaryRow> {
        self.rows.iter().find(|(of, on, _)| of == name && on == dataset).map(|(_, _, row)| *row)
    }
}

/// The column of a row: its data set, and where two groups of one data set differ in something else, that too.
fn column(row: &SummaryRow, all: &[&SummaryRow]) -> String {
    let dataset = row.dataset.as_deref().map_or("data set not recorded", as_published).to_owned();
    let is_shared = all.iter().any(|other| other.dataset == row.dataset && beside(other) != beside(row));
    match beside(row) {
        more if is_shared && !more.is_empty() => format!("{dataset} · {more}"),
        _ => dataset,
    }
}

/// The paper's spelling of a data set, so that its numbers stand beneath ours.
fn as_published(dataset: &str) -> &str {
    let published = published().table_1_accuracy.iter().map(|row| row.dataset.as_str());
    published.into_iter().find(|name| name.eq_ignore_ascii_case(dataset)).unwrap_or(dataset)
}

/// What a row's title says between agent, model, data set and the condition at its end.
fn beside(row: &SummaryRow) -> String {
    const DOT: &str = " · ";
    let known = [&row.agent, &row.model, &row.dataset];
    let known: Vec<&str> = known.into_iter().flatten().map(String::as_str).collect();
    let title = row.title();
    let rest = title.strip_prefix(&known.join(DOT)).unwrap_or_default();
    let rest = row.condition.as_deref().and_then(|condition| rest.strip_suffix(condition)).unwrap_or(rest);
    let rest = rest.strip_suffix(DOT).unwrap_or(rest);
    rest.strip_prefix(DOT).unwrap_or(rest).to_owned()
}

/// Why there is no row with (or without) a clause.
pub(super) fn none(material: &Material, prompted: bool) -> String {
    let is_labelled = material.summary.iter().any(|row| row.counts.conflict + row.counts.control > 0);
    match (is_labelled, prompted) {
        (false, _) => {
            "no trajectory has a task with a split: give runs of a suite with conflicts and controls"
        }
        (true, true) => {
            "no condition of these runs has a clause in the prompt: run an experiment with clauses"
        }
        (true, false) => "every condition of these runs has a clause in the prompt: run one without",
    }
    .to_owned()
}
