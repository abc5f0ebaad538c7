//! Right and wrong answers by rank of their score, ties together.

/// The rank group of each row, ascending by score; equal scores share a group.
#[derive(Debug, Clone)]
pub(crate) struct Ranking {
    group: Vec<usize>,
    groups: usize,
}

/// Wrong and right answers of each group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankCounts(Vec<[u32; 2]>);

impl Ranking {
    pub(crate) fn of(scores: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_unstable_by(|&one, &two| (scores[one] + 0.0).total_cmp(&(scores[two] + 0.0)));
        let mut group = vec![0; scores.len()];
        let mut groups = 0;
        #[expect(clippy::float_cmp, reason = "ties are exact")]
        for ties in order.chunk_by(|&one, &two| scores[one] == scores[two]) {
            for &row in ties {
                group[row] = groups;
            }
            groups += 1;
        }
        Self { group, groups }
    }

    /// Empty counts, to be filled by [`Ranking::count`].
    pub(crate) fn counts(&self) -> RankCounts {
        RankCounts(vec![[0, 0]; self.groups])
    }

    /// Counts the given rows, with repeats.
    pub(crate) fn count<'a>(
        &self,
        counts: &'a mut RankCounts,
        rows: &[u32],
        outcomes: &[bool],
    ) -> &'a RankCounts {
        counts.0.fill([0, 0]);
        for &row in rows {
            let row = row as usize;
            counts.0[self.group[row]][usize::from(outcomes[row])] += 1;
        }
        counts
    }

    /// Counts every row once.
    pub(crate) fn count_all(&self, outcomes: &[bool]) -> RankCounts {
        let mut counts = self.counts();
        for (&group, &outcome) in self.group.iter().zip(outcomes) {
            counts.0[group][usize::from(outcome)] += 1;
        }
        counts
    }
}

impl RankCounts {
    /// `[wrong, right]` of each group, ascending by score.
    pub(crate) fn groups(&self) -> &[[u32; 2]] {
        &self.0
    }

    /// Share of (wrong, right) pairs in which the right one scores higher, ties counting one half.
    pub(crate) fn auroc(&self) -> Option<f64> {
        let (mut twice, mut below, mut right_total) = (0_u128, 0_u64, 0_u64);
        for &[wrong, right] in &self.0 {
            let (wrong, right) = (u64::from(wrong), u64::from(right));
            twice += u128::from(right) * u128::from(2 * below + wrong);
            below += wrong;
            right_total += right;
        }
        let pairs = u128::from(below) * u128::from(right_total);
        (pairs > 0).then(|| twice as f64 / (2.0 * pairs as f64))
    }

    /// Mean, over answers, of the error rate among the answers with at least their score.
    pub(crate) fn area_under_risk_coverage(&self) -> Option<f64> {
        let (mut accepted, mut errors, mut area) = (0_u64, 0_u64, 0.0);
        for &[wrong, right] in self.0.iter().rev() {
            let size = u64::from(wrong) + u64::from(right);
            accepted += size;
            errors += u64::from(wrong);
            if size > 0 {
                area += size as f64 * errors as f64 / accepted as f64;
            }
        }
        (accepted > 0).then(|| area / accepted as f64)
    }
}
