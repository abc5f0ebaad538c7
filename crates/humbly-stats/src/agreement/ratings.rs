//! How many raters gave each label to each item.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Measured, Reason, Result, StatsError, Undefined};

/// Counts of labels by item; raters are exchangeable, and items may lack ratings.
///
/// # Examples
/// ```
/// use humbly_stats::agreement::Ratings;
/// let ratings = Ratings::from_raters(&[&[Some("yes"), Some("no")], &[Some("yes"), None]])?;
/// assert_eq!((ratings.items(), ratings.labels()), (2, ["no", "yes"].as_slice()));
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ratings<Label> {
    labels: Vec<Label>,
    /// `[item][label]`
    counts: Vec<Vec<u64>>,
}

impl<Label: Ord + Clone> Ratings<Label> {
    /// One slice for each rater, `[items]`, `None` where the rater gave no label.
    ///
    /// # Errors
    /// [`StatsError::UnpairedLengths`] when raters saw different numbers of items.
    pub fn from_raters(raters: &[&[Option<Label>]]) -> Result<Self> {
        let items = raters.first().map_or(0, |rater| rater.len());
        for rater in raters {
            crate::input::paired(items, rater.len())?;
        }
        let rows = raters.iter().flat_map(|rater| {
            rater.iter().enumerate().filter_map(|(item, label)| label.as_ref().map(|label| (item, label)))
        });
        Ok(Self::collect(items, rows))
    }

    /// Rows of item and label, one a rating (the table of `humbly stats agreement`).
    ///
    /// # Errors
    /// [`StatsError::UnpairedLengths`].
    pub fn from_rows<Item: Ord>(items: &[Item], labels: &[Label]) -> Result<Self> {
        crate::input::paired(items.len(), labels.len())?;
        let distinct: BTreeSet<&Item> = items.iter().collect();
        let positions: BTreeMap<&Item, usize> =
            distinct.into_iter().enumerate().map(|(position, item)| (item, position)).collect();
        Ok(Self::collect(positions.len(), items.iter().map(|item| positions[item]).zip(labels)))
    }

    /// `counts[item][label]`: how many raters gave each label.
    ///
    /// # Errors
    /// [`StatsError::UnpairedLengths`] when a row does not have one count for each label.
    pub fn from_counts(labels: Vec<Label>, counts: Vec<Vec<u64>>) -> Result<Self> {
        match counts.iter().find(|row| row.len() != labels.len()) {
            Some(row) => Err(StatsError::UnpairedLengths { left: labels.len(), right: row.len() }),
            None => Ok(Self { labels, counts }),
        }
    }

    fn collect<'a>(items: usize, rows: impl Iterator<Item = (usize, &'a Label)> + Clone) -> Self
    where
        Label: 'a,
    {
        let distinct: BTreeSet<&Label> = rows.clone().map(|(_, label)| label).collect();
        let labels: Vec<Label> = distinct.iter().map(|&label| label.clone()).collect();
        let positions: BTreeMap<&Label, usize> =
            distinct.into_iter().enumerate().map(|(position, label)| (label, position)).collect();
        let mut counts = vec![vec![0; labels.len()]; items];
        for (item, label) in rows {
            counts[item][positions[label]] += 1;
        }
        Self { labels, counts }
    }

    /// The labels, ascending (as given to [`Ratings::from_counts`]).
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.counts.len()
    }

    /// Share of pairs of ratings of one item that agree, averaged over the items with at least two.
    ///
    /// # Shapes and units
    /// - returns: a rate in `[0, 1]`; `n` counts the items with two ratings or more.
    ///
    /// # Undefined
    /// Undefined: `no_samples` without ratings, `too_few_samples` when no item has two.
    ///
    /// # Source
    /// Fleiss (1971), the observed agreement.
    ///
    /// # Examples
    /// ```
    /// use humbly_stats::agreement::Ratings;
    /// let ratings = Ratings::from_counts(vec!["yes", "no"], vec![vec![7, 0], vec![7, 0]])?;
    /// assert_eq!(ratings.raw_agreement().value(), Some(1.0));
    /// # Ok::<(), humbly_stats::StatsError>(())
    /// ```
    pub fn raw_agreement(&self) -> Measured {
        let agreements: Vec<f64> = self.counts.iter().filter_map(|row| agreement(row)).collect();
        match agreements.len() {
            0 => Measured::undefined(self.absence()),
            n => Measured::new(agreements.iter().sum::<f64>() / n as f64, n),
        }
    }

    /// Why there is no pair of ratings.
    pub(super) fn absence(&self) -> Undefined {
        if self.counts.iter().flatten().sum::<u64>() == 0 {
            Undefined::new(Reason::NoSamples)
        } else {
            Undefined::with_detail(Reason::TooFewSamples, "no item has two ratings")
        }
    }

    pub(super) fn counts(&self) -> &[Vec<u64>] {
        &self.counts
    }

    /// The labels that were given at all.
    pub(super) fn used_labels(&self) -> usize {
        (0..self.labels.len()).filter(|&label| self.counts.iter().any(|row| row[label] > 0)).count()
    }
}

/// Share of agreeing pairs among the ratings of one item; `None` below two ratings.
pub(super) fn agreement(row: &[u64]) -> Option<f64> {
    let total = row.iter().sum::<u64>() as f64;
    (total >= 2.0).then(|| {
        row.iter().map(|&count| count as f64 * (count as f64 - 1.0)).sum::<f64>() / (total * (total - 1.0))
    })
}
