//! Rates and means with the interval that the settings ask for.

use humbly_stats::intervals::{BootstrapParams, Clusters, ProportionInterval, mean, proportion};
use humbly_types::{Measured, Reason, Undefined};

use crate::digest::{Digest, Tri};
use crate::report::Settings;

/// Makes estimates with one seed, level and kind of interval.
pub(super) struct Estimator {
    pub(super) bootstrap: BootstrapParams,
    pub(super) interval: ProportionInterval,
}

impl Estimator {
    pub(super) fn new(settings: &Settings) -> Self {
        let bootstrap = BootstrapParams::new(settings.resamples.max(1), settings.level, settings.seed)
            .unwrap_or_else(|_| BootstrapParams::seeded(settings.seed));
        let interval =
            if settings.paper { ProportionInterval::Bootstrap } else { ProportionInterval::Wilson };
        Self { bootstrap, interval }
    }

    /// Share of yes among the members whose value is defined; `empty` where there are none.
    pub(super) fn rate<'a>(
        &self,
        members: impl IntoIterator<Item = &'a Digest>,
        value: impl Fn(&Digest) -> Tri,
        empty: Reason,
    ) -> Measured {
        let mut first_undefined = None;
        let (mut outcomes, mut questions) = (Vec::new(), Vec::new());
        for digest in members {
            match value(digest) {
                Tri::Undefined(reason) => first_undefined = first_undefined.or(Some(reason)),
                defined => {
                    outcomes.push(defined == Tri::Yes);
                    questions.push(digest.question);
                }
            }
        }
        if outcomes.is_empty() {
            return Measured::undefined(Undefined::new(first_undefined.unwrap_or(empty)));
        }
        self.share(&outcomes, &questions)
    }

    /// Share of true outcomes, clustered by question.
    pub(super) fn share(&self, outcomes: &[bool], questions: &[u64]) -> Measured {
        Clusters::by_id(questions)
            .and_then(|clusters| proportion(outcomes, &clusters, self.interval, &self.bootstrap))
            .unwrap_or_else(|error| not_computed(&error))
    }

    /// Mean of values, clustered by question.
    pub(super) fn mean(&self, values: &[f64], questions: &[u64]) -> Measured {
        Clusters::by_id(questions)
            .and_then(|clusters| mean(values, &clusters, &self.bootstrap))
            .unwrap_or_else(|error| not_computed(&error))
    }
}

/// Lengths and ranges are ours, so an error here says that a value was not finite.
pub(super) fn not_computed(error: &humbly_stats::StatsError) -> Measured {
    Measured::undefined(Undefined::with_detail(Reason::NotFinite, error.to_string()))
}

/// Undefined with a reason and an n of 0.
pub(super) fn undefined(reason: Reason) -> Measured {
    Measured::undefined(Undefined::new(reason))
}
