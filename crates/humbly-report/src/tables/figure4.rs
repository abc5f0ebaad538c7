//! EH Figure 4: where in a trajectory an answer is named that is not given in the end.

use humbly_score::MentionSeries;

use super::material::Material;
use super::model::{ColumnGroup, Item, PaperItem, PaperTable, Source, TableCell, TableRow};

/// Both series, pooled over the runs.
pub(crate) fn series(material: &Material) -> [MentionSeries; 2] {
    let mut pooled = [MentionSeries::default(), MentionSeries::default()];
    for row in &material.summary {
        let of = [&row.first_mention.gold_in_wrong, &row.first_mention.parametric_in_right];
        for (sum, series) in pooled.iter_mut().zip(of) {
            sum.trajectories += series.trajectories;
            let counts = sum.all.iter_mut().zip(series.all).chain(sum.first.iter_mut().zip(series.first));
            counts.for_each(|(sum, n)| *sum += n);
        }
    }
    pooled
}

pub(super) fn table(material: &Material) -> PaperItem {
    let item = Item::Figure(4);
    let [gold, parametric] = series(material);
    if gold.trajectories + parametric.trajectories == 0 {
        let reason =
            "no trajectory ended right or wrong with an answer that could be looked for: tasks with \
                      references and parametric answers are needed"
                .to_owned();
        return PaperItem::NotDetermined { item, reason };
    }
    let columns = ["all mentions", "first mentions"].map(str::to_owned).to_vec();
    let rows = (0..10)
        .map(|tenth| TableRow {
            name: format!("{} to {} %", 10 * tenth, 10 * (tenth + 1)),
            source: Source::Runs,
            cells: [&gold.all, &gold.first, &parametric.all, &parametric.first]
                .map(|counts| TableCell::Count { value: counts.get(tenth).copied().unwrap_or(0) })
                .to_vec(),
        })
        .collect();
    let named = |series: &MentionSeries| series.first.iter().sum::<u64>();
    PaperItem::Determined(PaperTable {
        item,
        stub: "position".to_owned(),
        groups: vec![
            ColumnGroup { name: "gold answer, answered wrong".to_owned(), columns: columns.clone() },
            ColumnGroup { name: "parametric answer, answered right".to_owned(), columns },
        ],
        rows,
        notes: vec![
            "counts of (trajectory, turn) pairs as in the paper, and of trajectories by their first mention"
                .to_owned(),
            format!(
                "gold answer named in {} of {} trajectories that ended wrong, parametric answer in {} of {} that \
                 ended right",
                named(&gold),
                gold.trajectories,
                named(&parametric),
                parametric.trajectories
            ),
        ],
    })
}
