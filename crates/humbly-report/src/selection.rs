//! Which trajectories get a section: the telling ones first, all groups in turn.

use std::collections::{BTreeMap, VecDeque};

use humbly_score::TrajectoryRow;
use humbly_types::Split;

/// Indices (into `rows`, ascending) of at most `most` rows whose steps are shown.
pub(crate) fn selected(rows: &[TrajectoryRow], most: usize) -> Vec<usize> {
    if rows.len() <= most {
        return (0..rows.len()).collect();
    }
    let mut groups: BTreeMap<[Option<&str>; 5], Vec<usize>> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        let group =
            [&row.agent, &row.model, &row.dataset, &row.scenario, &row.condition].map(Option::as_deref);
        groups.entry(group).or_default().push(index);
    }
    let mut queues: VecDeque<VecDeque<usize>> = groups
        .into_values()
        .map(|mut group| {
            group.sort_by_key(|&index| rows.get(index).map(tedium));
            group.into()
        })
        .collect();
    let mut chosen = Vec::with_capacity(most);
    while chosen.len() < most {
        let Some(mut queue) = queues.pop_front() else { break };
        if let Some(index) = queue.pop_front() {
            chosen.push(index);
            queues.push_back(queue);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// How little a row has to tell; the sort is stable, so equal rows keep the order of the input.
fn tedium(row: &TrajectoryRow) -> u8 {
    if row.excluded.is_some() {
        4
    } else if row.identify.is_yes() || row.escalate.is_yes() {
        0
    } else if row.split == Some(Split::Conflict) && row.correct.value == Some(false) {
        1
    } else if row.acknowledged.undefined.is_some() {
        2
    } else {
        3
    }
}

#[cfg(test)]
mod tests {
    use humbly_types::Verdict;

    use super::*;
    use crate::sections::test_row;

    #[test]
    fn all_groups_are_shown_and_the_telling_rows_first() {
        let judge = "j".into();
        let mut rows: Vec<TrajectoryRow> = (0..20).map(|n| test_row(&n.to_string(), &judge)).collect();
        for row in rows.iter_mut().skip(10) {
            row.agent = Some("other".into());
        }
        rows[7].identify = Verdict::yes(&judge, "r", "q");
        rows[18].escalate = Verdict::yes(&judge, "r", "q");
        assert_eq!(selected(&rows, 4), [0, 7, 10, 18]);
        assert_eq!(selected(&rows, 0), [] as [usize; 0]);
        assert_eq!(selected(&rows, 50).len(), 20);
    }
}
