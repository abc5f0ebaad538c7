//! EH Figure 3: accuracy on conflict tasks against each dimension, with a weighted logistic curve.

use humbly_score::AccuracyPoint;
use humbly_stats::logistic::{Cell, LogisticCurve, LogisticCurveParams, logistic_curve};
use humbly_types::Measured;
use serde::Serialize;

use super::material::Material;
use super::model::{ColumnGroup, Item, PaperItem, PaperTable, Source, TableCell, TableRow};

/// Places at which a curve is drawn.
const PLACES: u32 = 40;

/// The curve through the cells of one dimension.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FittedCurve {
    /// `Identify`, `Solve` or `Escalate`.
    pub dimension: &'static str,
    /// Cells that both numbers are defined for.
    pub cells: usize,
    /// The fit, its points and band; `None` where the cells are no input for it.
    pub curve: Option<LogisticCurve>,
}

type Dimension = (&'static str, fn(&AccuracyPoint) -> &Measured);

pub(crate) const DIMENSIONS: [Dimension; 3] = [
    ("Identify", |point| &point.identify),
    ("Solve", |point| &point.solve),
    ("Escalate", |point| &point.escalate),
];

/// The curves of Figure 3: each cell weighs as its rate's own n; the band is that of cells drawn again.
pub(super) fn curves(material: &Material) -> Vec<FittedCurve> {
    let fitted = |(dimension, of): Dimension| {
        let cells: Vec<Cell> = shown(material)
            .filter_map(|(_, point)| {
                let rate = of(point);
                Some(Cell { x: point.accuracy.value()?, rate: rate.value()?, weight: rate.n as f64 })
            })
            .collect();
        let places: Vec<f64> = (0..=PLACES).map(|place| f64::from(place) / f64::from(PLACES)).collect();
        let curve = logistic_curve(&cells, &places, &LogisticCurveParams::seeded(material.seed)).ok();
        FittedCurve { dimension, cells: cells.len(), curve }
    };
    DIMENSIONS.into_iter().map(fitted).collect()
}

/// As the paper: runs without a clause, those with labels only; each with its name.
pub(crate) fn shown(material: &Material) -> impl Iterator<Item = (String, &AccuracyPoint)> {
    let named =
        material.points.iter().enumerate().map(|(place, point)| (name(material, place, point), point));
    named.filter(|(_, point)| {
        !material.is_prompted(point.condition.as_deref())
            && (point.accuracy.value().is_some()
                || point.accuracy.undefined_reason() != Some(humbly_types::Reason::NoLabels))
    })
}

/// Points stand in the order of the summary, which knows all that tells groups apart.
fn name(material: &Material, place: usize, point: &AccuracyPoint) -> String {
    if let Some(row) = material.summary.get(place) {
        return row.title();
    }
    let parts = [&point.agent, &point.model, &point.dataset, &point.condition];
    parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
}

pub(super) fn table(material: &Material, curves: &[FittedCurve]) -> PaperItem {
    let item = Item::Figure(3);
    let rows: Vec<TableRow> = shown(material)
        .map(|(name, point)| TableRow {
            name,
            source: Source::Runs,
            cells: [&point.accuracy, &point.identify, &point.solve, &point.escalate]
                .map(TableCell::percent)
                .to_vec(),
        })
        .collect();
    if rows.is_empty() {
        let reason = "no run without a clause in the prompt has conflict tasks".to_owned();
        return PaperItem::NotDetermined { item, reason };
    }
    let mut notes = vec![
        "Identify (recall) and Solve over conflict trajectories with a wrong answer; Escalate as in Table 5"
            .to_owned(),
    ];
    for curve in curves {
        notes.push(match curve.curve.as_ref().map(|found| &found.fit) {
            Some(Ok(fit)) => format!(
                "{}: log-odds change by {:.2} (standard error {:.2}) for 10 points of accuracy, {} cells",
                curve.dimension,
                fit.slope / 10.0,
                fit.slope_error / 10.0,
                curve.cells
            ),
            Some(Err(why)) => {
                format!("{}: no curve, {} ({} cells)", curve.dimension, why.reason.text(), curve.cells)
            }
            None => format!("{}: no curve", curve.dimension),
        });
    }
    PaperItem::Determined(PaperTable {
        item,
        stub: "agent · model · data set".to_owned(),
        groups: vec![
            ColumnGroup { name: "conflict tasks".to_owned(), columns: vec!["accuracy".to_owned()] },
            ColumnGroup {
                name: "where the answer is wrong".to_owned(),
                columns: DIMENSIONS.map(|(name, _)| name.to_owned()).to_vec(),
            },
        ],
        rows,
        notes,
    })
}
