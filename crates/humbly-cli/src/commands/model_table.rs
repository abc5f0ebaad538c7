//! One row a model: conflict, calibration and attribution side by side, and whether the accurate model is the humble one.

use std::collections::BTreeMap;

use humbly_stats::intervals::BootstrapParams;
use humbly_stats::rank_correlation::{RankCorrelation, rank_correlation};
use humbly_types::Measured;
use serde::Serialize;

use crate::output::{Table, measured_cell};

/// Whose numbers stand in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Study {
    /// Identify, Solve, Escalate.
    Conflict,
    /// Calibration of tool use.
    Calibration,
    /// UA-Bench.
    Attribution,
}

impl Study {
    const ALL: [Self; 3] = [Self::Conflict, Self::Calibration, Self::Attribution];

    fn title(self) -> &'static str {
        match self {
            Self::Conflict => "Conflict: what is recognised, looked into, said",
            Self::Calibration => "Calibration: confidence against correctness",
            Self::Attribution => "Attribution of uncertainty (balanced F1)",
        }
    }
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Column {
    /// Name.
    pub(super) name: String,
    /// The column of accuracy on the same questions.
    pub(super) accuracy: String,
    /// The study that it belongs to.
    pub(super) study: Study,
}

/// Numbers of the models.
#[derive(Debug, Default, Serialize)]
pub(super) struct ModelTable {
    columns: Vec<Column>,
    models: BTreeMap<String, BTreeMap<String, Measured>>,
}

/// How a column goes with accuracy over the models that have both.
#[derive(Debug, Serialize)]
pub(super) struct Ranked {
    column: String,
    against: String,
    #[serde(flatten)]
    correlation: RankCorrelation,
}

impl ModelTable {
    /// Adds a number of a model.
    pub(super) fn add(&mut self, model: &str, column: Column, number: Measured) {
        self.models.entry(model.to_owned()).or_default().insert(column.name.clone(), number);
        if !self.columns.contains(&column) {
            self.columns.push(column);
        }
    }

    /// The columns.
    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The models with their number in a column; `None` where a model was not run.
    pub(super) fn numbers<'a>(
        &'a self,
        column: &'a Column,
    ) -> impl Iterator<Item = (&'a str, Option<&'a Measured>)> {
        self.models.iter().map(|(model, numbers)| (model.as_str(), numbers.get(&column.name)))
    }

    /// Rank correlation of every column with its accuracy.
    pub(super) fn ranked(&self, params: &BootstrapParams) -> humbly_stats::Result<Vec<Ranked>> {
        let with_accuracy = self.columns.iter().filter(|column| column.name != column.accuracy);
        with_accuracy
            .map(|column| {
                let value = |numbers: &BTreeMap<String, Measured>, name: &str| numbers.get(name)?.value();
                let (accuracy, other): (Vec<f64>, Vec<f64>) = self
                    .models
                    .values()
                    .filter_map(|numbers| {
                        Some((value(numbers, &column.accuracy)?, value(numbers, &column.name)?))
                    })
                    .unzip();
                Ok(Ranked {
                    column: column.name.clone(),
                    against: column.accuracy.clone(),
                    correlation: rank_correlation(&accuracy, &other, params)?,
                })
            })
            .collect()
    }

    /// The models, a column each number.
    pub(super) fn table(&self) -> Table {
        self.table_of(&self.columns.iter().collect::<Vec<_>>())
    }

    /// The same, a table each study, so that it fits a terminal.
    pub(super) fn parts(&self) -> Vec<(&'static str, Table)> {
        let of_study = |study| self.columns.iter().filter(move |column| column.study == study);
        Study::ALL
            .into_iter()
            .filter(|&study| of_study(study).next().is_some())
            .map(|study| (study.title(), self.table_of(&of_study(study).collect::<Vec<_>>())))
            .collect()
    }

    fn table_of(&self, columns: &[&Column]) -> Table {
        let mut header = vec!["model"];
        header.extend(columns.iter().map(|column| column.name.as_str()));
        let mut table = Table::new(&header);
        for (model, numbers) in &self.models {
            let cells = columns
                .iter()
                .map(|column| numbers.get(&column.name).map_or_else(|| "not run".to_owned(), measured_cell));
            table.row(std::iter::once(model.clone()).chain(cells));
        }
        table
    }
}

/// The correlations.
pub(super) fn ranked_table(ranked: &[Ranked]) -> Table {
    let mut table = Table::new(&["measure", "against", "Spearman rho", "Kendall tau-b"]);
    for line in ranked {
        table.row([
            line.column.clone(),
            line.against.clone(),
            measured_cell(&line.correlation.spearman),
            measured_cell(&line.correlation.kendall),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use humbly_types::Reason;

    fn column(name: &str) -> Column {
        Column { name: name.to_owned(), accuracy: "accuracy".to_owned(), study: Study::Conflict }
    }

    fn table(models: usize) -> ModelTable {
        let mut table = ModelTable::default();
        for place in 0..models {
            let name = format!("m{place}");
            table.add(&name, column("accuracy"), Measured::new(place as f64 / 10.0, 10));
            table.add(&name, column("Escalate"), Measured::new(1.0 - place as f64 / 10.0, 10));
        }
        table
    }

    #[test]
    fn four_models_have_no_correlation_and_six_opposed_ones_minus_one() {
        let params = BootstrapParams::new(100, 0.95, 1).unwrap();
        let few = table(4).ranked(&params).unwrap();
        assert_eq!(few[0].correlation.spearman.undefined_reason(), Some(Reason::TooFewSamples));
        let six = table(6).ranked(&params).unwrap();
        assert_eq!(six[0].correlation.kendall.value(), Some(-1.0));
        let mut partly = table(6);
        partly.add("m6", column("accuracy"), Measured::new(0.9, 10));
        assert_eq!(partly.ranked(&params).unwrap()[0].correlation.spearman.n, 6, "models that have both");
        assert!(partly.table().to_string().contains("not run"));
        let titles: Vec<&str> = partly.parts().iter().map(|(title, _)| *title).collect();
        assert_eq!(titles, [Study::Conflict.title()], "a study without a column has no part");
    }
}
