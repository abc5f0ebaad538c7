//! The numbers of one model under one prompt on one set of questions.

use humbly_stats::attribution::{
    AttributionRows, AttributionScores, ConfusionRow, F1Rule, Form, attribution,
};
use humbly_stats::intervals::{BootstrapParams, Clusters, ProportionInterval, proportion};
use humbly_types::{Measured, Reason};
use serde::Serialize;

use super::AttributionSample;
use super::sample::undefined;

/// One row of the tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttributionCell {
    /// Outputs.
    pub n: u64,
    /// Of those, on questions with an answer.
    pub answerable: u64,
    /// Outputs without a box.
    pub unparsable: u64,
    /// Answers that no rule decides and no judge was asked about.
    pub undecided: u64,
    /// Answers whose correctness is unknown for another reason (an unusable reply of the judge, no reference): left out.
    pub left_out: u64,
    /// ACC: share of right answers among the answerable.
    pub accuracy: Measured,
    /// Share of outputs that abstain, by label or in words.
    pub abstention: Measured,
    /// F1 as the released evaluation divides.
    pub released: AttributionScores,
    /// F1 with misses divided by their own set.
    pub balanced: AttributionScores,
    /// Forms against what the questions were.
    pub confusion: Vec<ConfusionRow>,
}

/// ACC, DU-F1, MU-F1, AVG-F1, abstention and the confusion table of these outputs, clustered by question.
///
/// # Undefined
/// `needs_model_judge` for ACC and all F1 where an answer is undecided: the detail gives the bounds of ACC. F1 as in
/// [`humbly_stats::attribution::AttributionCounts::scores`] (N = 0 or M = 0), ACC without answerable questions.
///
/// # Errors
/// None on data; [`humbly_stats::StatsError`] where a count is too large for the resampling.
///
/// # Source
/// UA §3.3.
///
/// # Examples
/// ```
/// use humbly_score::attribution_study::{AttributionSample, Extraction, attribution_cell};
/// use humbly_stats::intervals::BootstrapParams;
/// use humbly_types::Task;
/// let task = Task { id: "1".into(), answerable: Some(false), ..Task::default() };
/// let sample = AttributionSample::new(task, r"\boxed{<DATA_UNCERTAIN>}", None, Extraction::Strict);
/// let cell = attribution_cell(&[&sample], &BootstrapParams::seeded(1))?;
/// assert_eq!(cell.abstention.value(), Some(1.0));
/// assert_eq!(cell.released.data.value(), None, "nothing answerable was missed: M = 0");
/// # Ok::<(), humbly_stats::StatsError>(())
/// ```
pub fn attribution_cell(
    samples: &[&AttributionSample],
    params: &BootstrapParams,
) -> humbly_stats::Result<AttributionCell> {
    let is_undecided = |sample: &AttributionSample| sample.undecided().is_some();
    let undecided = samples.iter().filter(|sample| is_undecided(sample)).count();
    let known: Vec<&&AttributionSample> =
        samples.iter().filter(|sample| sample.correct.is_ok() || is_undecided(sample)).collect();
    let forms: Vec<Form> = known.iter().map(|sample| sample.stats_form()).collect();
    let answerable: Vec<bool> = known.iter().map(|sample| sample.is_answerable()).collect();
    let correct: Vec<bool> = known.iter().map(|sample| sample.correct == Ok(true)).collect();
    let ids: Vec<&str> = known.iter().map(|sample| sample.task.id.as_str()).collect();
    let clusters = Clusters::by_id(&ids)?;
    let rows = AttributionRows { forms: &forms, answerable: &answerable, correct: &correct };
    let mut found = attribution(&rows, F1Rule::Released, &clusters, params)?;
    let mut balanced = attribution(&rows, F1Rule::Balanced, &clusters, params)?.scores;
    if undecided > 0 {
        let asked = answerable.iter().filter(|&&has_answer| has_answer).count();
        let right = correct.iter().filter(|&&is_right| is_right).count();
        let share = |count: usize| count as f64 / asked.max(1) as f64;
        let detail = format!(
            "no rule decides {undecided} answers; ACC lies between {:.3} and {:.3}",
            share(right),
            share(right + undecided)
        );
        let unknown = |n| undefined(Reason::NeedsModelJudge, detail.clone(), n);
        found.accuracy = unknown(asked);
        // In which of the two an undecided answer belongs nobody knows.
        for row in found.confusion.iter_mut().filter(|row| row.form == Form::Answer) {
            row.answered_correctly_share = unknown(asked);
            row.missed_share = unknown(asked);
        }
        for scores in [&mut found.scores, &mut balanced] {
            for score in [&mut scores.data, &mut scores.model, &mut scores.average] {
                if score.value().is_some() {
                    *score = unknown(forms.len());
                }
            }
        }
    }
    let abstains: Vec<bool> = samples.iter().map(|sample| sample.abstains()).collect();
    let all_ids: Vec<&str> = samples.iter().map(|sample| sample.task.id.as_str()).collect();
    let count = |is: &dyn Fn(&&&AttributionSample) -> bool| samples.iter().filter(is).count() as u64;
    Ok(AttributionCell {
        n: samples.len() as u64,
        answerable: count(&|sample| sample.is_answerable()),
        unparsable: count(&|sample| sample.stats_form() == Form::Unparsable),
        undecided: undecided as u64,
        left_out: (samples.len() - known.len()) as u64,
        accuracy: found.accuracy,
        abstention: proportion(&abstains, &Clusters::by_id(&all_ids)?, ProportionInterval::Wilson, params)?,
        released: found.scores,
        balanced,
        confusion: found.confusion,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Extraction;
    use super::*;
    use humbly_types::Task;

    fn sample(id: &str, answerable: bool, decision: &str) -> AttributionSample {
        let references = if answerable { vec!["7".to_owned()] } else { Vec::new() };
        let task = Task { id: id.into(), answerable: Some(answerable), references, ..Task::default() };
        AttributionSample::new(task, &format!(r"so \boxed{{{decision}}}"), None, Extraction::Strict)
    }

    fn cell(samples: &[AttributionSample]) -> AttributionCell {
        let samples: Vec<&AttributionSample> = samples.iter().collect();
        attribution_cell(&samples, &BootstrapParams::new(200, 0.95, 1).unwrap()).unwrap()
    }

    const DATA: &str = "<DATA_UNCERTAIN>";
    const MODEL: &str = "<MODEL_UNCERTAIN>";

    /// N = 4, M = 6; DATA right 3 times and wrong twice, MODEL right 3 times and wrong once; four right answers.
    fn worked() -> Vec<AttributionSample> {
        let unanswerable = [DATA, DATA, DATA, MODEL];
        let answerable = [DATA, DATA, MODEL, MODEL, "I don't know", "8", "7", "7", "7", "7"];
        let one = |(place, (has_answer, decision)): (usize, (bool, &&str))| {
            sample(&place.to_string(), has_answer, decision)
        };
        let all =
            unanswerable.iter().map(|text| (false, text)).chain(answerable.iter().map(|text| (true, text)));
        all.enumerate().map(one).collect()
    }

    #[test]
    fn the_worked_example_of_the_design_comes_out() {
        let cell = cell(&worked());
        let value = |number: &Measured| format!("{:.3}", number.value().unwrap());
        assert_eq!(value(&cell.accuracy), "0.400");
        let all = |scores: &AttributionScores| [&scores.data, &scores.model, &scores.average].map(value);
        assert_eq!(all(&cell.released), ["0.750", "0.500", "0.625"]);
        assert_eq!(all(&cell.balanced), ["0.720", "0.571", "0.646"]);
        assert_eq!(value(&cell.abstention), "0.643", "9 of 14");
        assert_eq!((cell.n, cell.answerable, cell.unparsable, cell.undecided), (14, 10, 0, 0));
        assert!(cell.released.average.interval.is_some());
    }

    #[test]
    fn one_undecided_answer_makes_what_needs_it_undefined_and_bounds_it() {
        let mut samples = worked();
        samples.push(sample("x", true, "seven"));
        let cell = cell(&samples);
        assert_eq!(cell.undecided, 1);
        let why = cell.accuracy.undefined_because().unwrap();
        assert_eq!(why.reason, Reason::NeedsModelJudge);
        assert!(why.to_string().contains("between 0.364 and 0.455"), "{why}");
        assert_eq!(cell.released.average.undefined_reason(), Some(Reason::NeedsModelJudge));
        assert!(cell.abstention.value().is_some());
    }

    #[test]
    fn an_unusable_reply_of_the_judge_is_left_out_and_counted() {
        let mut samples = worked();
        let mut unusable = sample("x", true, "seven");
        unusable.correct = Err(humbly_types::Undefined::new(Reason::JudgeReplyUnusable));
        samples.push(unusable);
        let cell = cell(&samples);
        assert_eq!((cell.left_out, cell.undecided), (1, 0));
        assert_eq!(cell.accuracy.value(), Some(0.4));
    }

    #[test]
    fn without_one_of_the_sets_f1_is_undefined() {
        let no_missed = cell(&[sample("1", false, DATA), sample("2", true, "7")]);
        assert_eq!(no_missed.released.average.undefined_reason(), Some(Reason::NoWrongAnswers));
        let no_unanswerable = cell(&[sample("1", true, MODEL)]);
        assert_eq!(no_unanswerable.balanced.data.undefined_reason(), Some(Reason::NoUnanswerable));
        assert_eq!(no_unanswerable.accuracy.value(), Some(0.0));
        let no_answerable = cell(&[sample("1", false, DATA)]);
        assert_eq!(no_answerable.accuracy.undefined_reason(), Some(Reason::NoSamples));
    }
}
