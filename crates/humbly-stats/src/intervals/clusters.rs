//! Which observations belong together.

use std::collections::BTreeMap;

use crate::{Result, StatsError};

/// A partition of `n` observations; resampling takes whole parts.
///
/// # Examples
/// ```
/// use humbly_stats::intervals::Clusters;
/// let clusters = Clusters::by_id(&["q1", "q2", "q1"])?;
/// assert_eq!((clusters.len(), clusters.observations()), (2, 3));
/// assert!(clusters.has_repeats() && !Clusters::independent(3)?.has_repeats());
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters {
    /// Members of cluster `c` are `rows[starts[c]..starts[c + 1]]`.
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Clusters {
    /// Each observation is a cluster of its own.
    ///
    /// # Errors
    /// [`StatsError::Parameter`] when there are 2³² observations or more.
    pub fn independent(observations: usize) -> Result<Self> {
        Ok(Self { starts: (0..=observations).collect(), rows: rows(observations)? })
    }

    /// Observations with equal ids belong together; clusters stand in the order of first appearance.
    ///
    /// # Errors
    /// [`StatsError::Parameter`] when there are 2³² observations or more.
    pub fn by_id<Id: Ord>(ids: &[Id]) -> Result<Self> {
        let mut positions: BTreeMap<&Id, usize> = BTreeMap::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        for (row, id) in rows(ids.len())?.into_iter().zip(ids) {
            let position = *positions.entry(id).or_insert(members.len());
            if position == members.len() {
                members.push(Vec::new());
            }
            members[position].push(row);
        }
        let mut starts = vec![0];
        starts.extend(members.iter().scan(0, |end, part| {
            *end += part.len();
            Some(*end)
        }));
        Ok(Self { starts, rows: members.concat() })
    }

    /// The number of clusters.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no clusters.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of observations.
    pub fn observations(&self) -> usize {
        self.rows.len()
    }

    /// Whether some cluster holds more than one observation.
    pub fn has_repeats(&self) -> bool {
        self.len() < self.observations()
    }

    /// Rows of the given cluster.
    pub(crate) fn members(&self, cluster: usize) -> &[u32] {
        &self.rows[self.starts[cluster]..self.starts[cluster + 1]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|cluster| self.members(cluster))
    }
}

fn rows(observations: usize) -> Result<Vec<u32>> {
    u32::try_from(observations).map(|end| (0..end).collect()).map_err(|_| StatsError::Parameter {
        name: "observations",
        value: observations as f64,
        expected: "fewer than 2^32",
    })
}
