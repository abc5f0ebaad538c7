//! The one outcome type of every estimate: a number with its n, or undefined with a reason.
//!
//! An error is neither: callers' mistakes are `Err(StatsError)`. Nothing here turns an undefined
//! value into a number; there is no `Default` and no `unwrap_or_zero`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A measured number: its value where the data determine one, with n, interval and reason.
///
/// Serialised as DESIGN's contract: `value` is `null` exactly when `undefined` is not.
///
/// # Examples
/// ```
/// use humbly_stats::{Measured, Reason, Undefined};
/// let rate = Measured::proportion(3, 4);
/// assert_eq!(rate.value(), Some(0.75));
/// let unknown = Measured::undefined(Undefined::new(Reason::NoSamples));
/// assert_eq!(unknown.value(), None);
/// assert_eq!(unknown.undefined_reason(), Some(Reason::NoSamples));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The number, `null` when undefined.
    value: Option<f64>,
    /// How many observations it rests on.
    pub n: u64,
    /// Successes, for a proportion.
    pub numerator: Option<u64>,
    /// The confidence interval, where one was computed.
    pub interval: Option<Interval>,
    /// Something a reader must know about this number, e.g. `constant confidence`.
    pub note: Option<String>,
    /// Why there is no number.
    undefined: Option<Undefined>,
}

impl Measured {
    /// A number over `n` observations, without an interval yet.
    ///
    /// A value that is not finite is undefined ([`Reason::NotFinite`]): NaN never leaves the crate.
    pub fn new(value: f64, n: usize) -> Self {
        if value.is_finite() {
            Self {
                value: Some(value),
                n: n as u64,
                numerator: None,
                interval: None,
                note: None,
                undefined: None,
            }
        } else {
            Self::undefined(Undefined::new(Reason::NotFinite)).with_n(n)
        }
    }

    /// `numerator / n`, undefined ([`Reason::NoSamples`]) when `n` is 0. No interval yet.
    pub fn proportion(numerator: usize, n: usize) -> Self {
        if n == 0 {
            return Self::undefined(Undefined::new(Reason::NoSamples));
        }
        let mut measured = Self::new(numerator as f64 / n as f64, n);
        measured.numerator = Some(numerator as u64);
        measured
    }

    /// No number, with the reason.
    pub fn undefined(undefined: Undefined) -> Self {
        Self { value: None, n: 0, numerator: None, interval: None, note: None, undefined: Some(undefined) }
    }

    /// Sets n (an undefined value may still say how many observations it saw).
    #[must_use]
    pub fn with_n(mut self, n: usize) -> Self {
        self.n = n as u64;
        self
    }

    /// Adds the interval.
    #[must_use]
    pub fn with_interval(mut self, interval: Interval) -> Self {
        self.interval = Some(interval);
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Adds a note behind the ones that are there.
    #[must_use]
    pub(crate) fn with_added_note(mut self, note: &str) -> Self {
        self.note = Some(match self.note.take() {
            Some(before) => format!("{before}; {note}"),
            None => note.to_owned(),
        });
        self
    }

    /// The number, `None` when undefined.
    pub fn value(&self) -> Option<f64> {
        self.value
    }

    /// Why there is no number, `None` when there is one.
    pub fn undefined_because(&self) -> Option<&Undefined> {
        self.undefined.as_ref()
    }

    /// The reason alone.
    pub fn undefined_reason(&self) -> Option<Reason> {
        self.undefined.as_ref().map(|undefined| undefined.reason)
    }
}

/// Why a number or a verdict does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Undefined {
    /// The typed reason.
    pub reason: Reason,
    /// More for a person, e.g. which class was missing.
    pub detail: Option<String>,
}

impl Undefined {
    /// A reason without detail.
    pub fn new(reason: Reason) -> Self {
        Self { reason, detail: None }
    }

    /// A reason with a sentence for a person.
    pub fn with_detail(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: Some(detail.into()) }
    }
}

impl std::fmt::Display for Undefined {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.reason.code())?;
        match &self.detail {
            Some(detail) => write!(formatter, " ({detail})"),
            None => Ok(()),
        }
    }
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $code:literal => $text:literal),+ $(,)?) => {
        /// Every reason for which Humbly leaves a value undefined; the code is part of the JSON contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Reason { $($(#[$doc])* $name),+ }

        impl Reason {
            /// All reasons, in declaration order.
            pub const ALL: &'static [Reason] = &[$(Reason::$name),+];

            /// The stable machine code, as in JSON.
            pub fn code(self) -> &'static str {
                match self { $(Reason::$name => $code),+ }
            }

            /// A short text for a person.
            pub fn text(self) -> &'static str {
                match self { $(Reason::$name => $text),+ }
            }
        }
    };
}

reasons! {
    /// There was nothing to measure.
    NoSamples = "no_samples" => "no scored samples",
    /// Only one class is present.
    OneClass = "one_class" => "only one class is present",
    /// All values are equal.
    ZeroVariance = "zero_variance" => "no variance",
    /// Chance agreement is 1, kappa has no value.
    ChanceAgreementIsOne = "chance_agreement_is_one" => "chance agreement is 1",
    /// Fewer observations than the estimator needs.
    TooFewSamples = "too_few_samples" => "too few samples",
    /// No answer was wrong, so nothing had to be escalated.
    NoWrongAnswers = "no_wrong_answers" => "no wrong answers",
    /// No trajectory identified a gap, so there is nothing to follow up.
    NoneIdentified = "none_identified" => "no trajectory identified a conflict",
    /// No trajectory was flagged although some are in the conflict split: precision has no denominator.
    NoPositives = "no_positives" => "no positive predictions or labels",
    /// Logs without tasks: nothing says which were conflicts.
    NoLabels = "no_labels" => "no labels: give --tasks",
    /// The task has no reference answer.
    NoReference = "no_reference" => "the task has no reference answer",
    /// No candidate answers known for this task.
    NoCandidates = "no_candidates" => "the task names no candidate answers",
    /// The log has no turns (a submission file).
    NoTurns = "no_turns" => "the format records no turns",
    /// No final answer (cut by a limit).
    NoFinalAnswer = "no_final_answer" => "no final answer",
    /// Every intermediate reasoning was encrypted or redacted.
    ReasoningNotReadable = "reasoning_not_readable" => "the reasoning is encrypted or redacted",
    /// The log stops while the agent was still running.
    Unfinished = "unfinished" => "the log stops while the agent is running",
    /// The lexical rules do not cover the language of the text.
    LanguageNotCovered = "language_not_covered" => "the lexical rules do not cover this language",
    /// A lexical judge cannot answer this.
    NeedsModelJudge = "needs_model_judge" => "needs a model judge",
    /// A judge's reply could not be read.
    JudgeReplyUnusable = "judge_reply_unusable" => "the judge's reply is unusable",
    /// The call of a judge failed.
    JudgeCallFailed = "judge_call_failed" => "the call of the judge failed",
    /// As many judges say yes as say no.
    JudgesTied = "judges_tied" => "the judges are tied",
    /// The text does not fit what the judge can read at once.
    ContextTooLong = "context_too_long" => "the text is too long for the judge",
    /// The confidence is absent.
    ConfidenceAbsent = "confidence_absent" => "no confidence stated",
    /// The confidence is outside its scale.
    ConfidenceOutOfRange = "confidence_out_of_range" => "confidence outside its scale",
    /// The confidence is not a number.
    ConfidenceNotANumber = "confidence_not_a_number" => "confidence is not a number",
    /// Neither label nor answer could be extracted.
    Unparsable = "unparsable" => "no answer could be extracted",
    /// An arithmetic result was not finite.
    NotFinite = "not_finite" => "the result is not finite",
    /// The fit did not converge or is separated.
    NoFit = "no_fit" => "the fit does not exist",
    /// No question of the set is unanswerable, so data uncertainty has no positives.
    NoUnanswerable = "no_unanswerable" => "no unanswerable questions",
    /// The items were rated by different numbers of raters.
    UnequalRaters = "unequal_raters" => "items have different numbers of ratings",
    /// Settings share no common questions.
    NoCommonItems = "no_common_items" => "no common questions",
    /// The log does not say (e.g. truncation unknown).
    NotRecorded = "not_recorded" => "not recorded in the log",
    /// Not applicable to this split or condition.
    NotApplicable = "not_applicable" => "not applicable here",
}

/// A confidence interval and how it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Nominal level, 0.95 unless said otherwise.
    pub level: f64,
    /// Estimator.
    pub method: IntervalMethod,
    /// Bootstrap resamples that were drawn.
    pub resamples: Option<u32>,
    /// Seed of the resampling.
    pub seed: Option<u64>,
    /// Number of clusters resampled, where observations are clustered.
    pub clusters: Option<u64>,
}

/// How an [`Interval`] was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IntervalMethod {
    /// Wilson score interval of a proportion.
    Wilson,
    /// Percentile bootstrap of observations.
    PercentileBootstrap,
    /// Percentile bootstrap of whole clusters.
    ClusterBootstrap,
    /// Normal or Student's t approximation.
    Analytic,
    /// Newcombe's hybrid of two Wilson intervals, for a difference of proportions.
    Newcombe,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_is_null_in_json_and_never_zero() {
        let json = serde_json::to_value(Measured::undefined(Undefined::new(Reason::OneClass))).unwrap();
        assert!(json["value"].is_null());
        assert_eq!(json["undefined"]["reason"], "one_class");
    }

    #[test]
    fn not_a_number_becomes_undefined() {
        assert_eq!(Measured::new(f64::NAN, 3).undefined_reason(), Some(Reason::NotFinite));
    }

    #[test]
    fn codes_are_the_serialised_names() {
        for reason in Reason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.code());
        }
    }
}
