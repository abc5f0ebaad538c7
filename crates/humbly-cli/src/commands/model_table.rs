//! One row a model: conflict, calibration and attribution side by side, and whether the accurate model is the humble one.

use std::collections::BTreeMap;

use humbly_stats::intervals::BootstrapParams;
use humbly_stats::rank_correlation::{RankCorrelation, rank_correlation};
use humbly_types::Measured;
use serde::Serialize;

use crate::output::{Table, measured_cell};

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Column {
    /// Name.
    pub(super) name: &'static str,
    /// The column of accuracy on the same questions.
    pub(super) accuracy: &'static str,
}

/// Numbers of the models.
#[derive(Debug, Default, Serialize)]
pub(super) struct ModelTable {
    columns: Vec<Column>,
    models: BTreeMap<String, BTreeMap<&'static str, Measured>>,
}

/// How a column goes with accuracy over the models that have both.
#[derive(Debug, Serialize)]
pub(super) struct Ranked {
    column: &'static str,
    against: &'static str,
    #[serde(flatten)]
    correlation: RankCorrelation,
}

impl ModelTable {
    /// Adds a number of a model.
    pub(super) fn add(&mut self, model: &str, column: Column, number: Measured) {
        if !self.columns.contains(&column) {
            self.columns.push(column);
        }
        self.models.entry(model.to_owned()).or_default().insert(column.name, number);
    }

    /// Rank correlation of every column with its accuracy.
    pub(super) fn ranked(&self, params: &BootstrapParams) -> humbly_stats::Result<Vec<Ranked>> {
        let with_accuracy = self.columns.iter().filter(|column| column.name != column.accuracy);
        with_accuracy
            .map(|column| {
                let value = |numbers: &BTreeMap<&str, Measured>, name| numbers.get(name)?.value();
                let (accuracy, other): (Vec<f64>, Vec<f64>) = self
                    .models
                    .values()
                    .filter_map(|numbers| {
                        Some((value(numbers, column.accuracy)?, value(numbers, column.name)?))
                    })
                    .unzip();
                Ok(Ranked {
                    column: column.name,
                    against: column.accuracy,
                    correlation: rank_correlation(&accuracy, &other, params)?,
                })
            })
            .collect()
    }

    /// The models, a column each number.
    pub(super) fn table(&self) -> Table {
        let mut header = vec!["model"];
        header.extend(self.columns.iter().map(|column| column.name));
        let mut table = Table::new(&header);
        for (model, numbers) in &self.models {
            let cells = self
                .columns
                .iter()
                .map(|column| numbers.get(column.name).map_or_else(|| "not run".to_owned(), measured_cell));
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
            line.column.to_owned(),
            line.against.to_owned(),
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

    const ACCURACY: Column = Column { name: "accuracy", accuracy: "accuracy" };
    const ESCALATE: Column = Column { name: "Escalate", accuracy: "accuracy" };

    fn table(models: usize) -> ModelTable {
        let mut table = ModelTable::default();
        for place in 0..models {
            let name = format!("m{place}");
            table.add(&name, ACCURACY, Measured::new(place as f64 / 10.0, 10));
            table.add(&name, ESCALATE, Measured::new(1.0 - place as f64 / 10.0, 10));
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
        partly.add("m6", ACCURACY, Measured::new(0.9, 10));
        assert_eq!(partly.ranked(&params).unwrap()[0].correlation.spearman.n, 6, "models that have both");
        assert!(partly.table().to_string().contains("not run"));
    }
}
