//! A row in a few bytes: what the summary needs of a trajectory, so that memory stays flat.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use humbly_types::{AnswerSource, Reason, Split, Trajectory, Truncation, Verdict};
use xxhash_rust::xxh3::xxh3_64;

use crate::row::{BrokeAt, TrajectoryRow};

/// The group that a summary row stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupKey {
    /// Agent or harness.
    pub agent: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Data set.
    pub dataset: Option<String>,
    /// Scenario, where the task states one.
    pub scenario: Option<String>,
    /// Condition.
    pub condition: Option<String>,
}

/// A verdict without its evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tri {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Neither, for this reason.
    Undefined(Reason),
}

impl Tri {
    /// The value, `None` when undefined.
    pub fn value(self) -> Option<bool> {
        match self {
            Self::Yes => Some(true),
            Self::No => Some(false),
            Self::Undefined(_) => None,
        }
    }
}

impl From<&Verdict> for Tri {
    fn from(verdict: &Verdict) -> Self {
        match (verdict.value, &verdict.undefined) {
            (Some(true), _) => Self::Yes,
            (Some(false), _) => Self::No,
            (None, Some(undefined)) => Self::Undefined(undefined.reason),
            (None, None) => Self::Undefined(Reason::NotRecorded),
        }
    }
}

/// What the summary needs of one trajectory.
#[derive(Debug, Clone)]
pub struct Digest {
    pub(crate) group: Arc<GroupKey>,
    pub(crate) id: u64,
    pub(crate) pair: Option<u64>,
    pub(crate) question: u64,
    pub(crate) split: Option<Split>,
    pub(crate) excluded: Option<Reason>,
    pub(crate) has_answer: bool,
    pub(crate) correct: Tri,
    pub(crate) similarity: Option<Result<f64, Reason>>,
    pub(crate) identify: Tri,
    pub(crate) solve: Tri,
    pub(crate) solve_successful: Tri,
    pub(crate) escalate: Tri,
    pub(crate) acknowledged: Tri,
    pub(crate) final_reasoning: Tri,
    pub(crate) refusal: Tri,
    pub(crate) truncation_unknown: bool,
    pub(crate) tool_calls: u32,
    pub(crate) flagged_turns: u32,
    pub(crate) intermediate_turns: u32,
    pub(crate) answer_source: Result<AnswerSource, Reason>,
    pub(crate) broke_at: Option<BrokeAt>,
    pub(crate) gold: Option<Box<Tenths>>,
    pub(crate) parametric: Option<Box<Tenths>>,
    pub(crate) confidence: Result<f64, Reason>,
    confidence_source: Option<u8>,
    attribution: Option<u8>,
    pub(crate) answerable: Option<bool>,
}

/// Mentions by tenth of the trajectory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tenths {
    pub(crate) all: [u16; 10],
    pub(crate) first: Option<u8>,
}

impl Tenths {
    fn new(turns: &[u32], total: u32) -> Self {
        let mut tenths = Self::default();
        for turn in turns {
            let tenth = tenth_of(*turn, total);
            if let Some(count) = tenths.all.get_mut(usize::from(tenth)) {
                *count = count.saturating_add(1);
            }
            tenths.first = tenths.first.or(Some(tenth));
        }
        tenths
    }
}

/// Tenth of `turn / total`, the last one closed (turns count from 0, so position 1 is never reached but by
/// rounding).
fn tenth_of(turn: u32, total: u32) -> u8 {
    let tenth = u64::from(turn) * 10 / u64::from(total.max(1));
    u8::try_from(tenth.min(9)).unwrap_or(9)
}

/// Makes digests that share their group keys.
#[derive(Debug, Default)]
pub struct Digests {
    groups: HashMap<GroupKey, Arc<GroupKey>>,
    digests: Vec<Digest>,
}

impl Digests {
    /// Adds a scored trajectory.
    pub fn add(&mut self, row: &TrajectoryRow, answerable: Option<bool>) {
        let key = GroupKey {
            agent: row.agent.clone(),
            model: row.model.clone(),
            dataset: row.dataset.clone(),
            scenario: row.scenario.clone(),
            condition: row.condition.clone(),
        };
        let group = self.groups.get(&key).cloned().unwrap_or_else(|| {
            let group = Arc::new(key.clone());
            self.groups.insert(key, Arc::clone(&group));
            group
        });
        self.digests.push(digest(row, group, answerable));
    }

    /// All digests, in the order of adding.
    pub fn all(&self) -> &[Digest] {
        &self.digests
    }

    /// The digests of each group, groups in the order of their names.
    pub fn by_group(&self) -> BTreeMap<&GroupKey, Vec<&Digest>> {
        let mut groups: BTreeMap<&GroupKey, Vec<&Digest>> = BTreeMap::new();
        for digest in &self.digests {
            groups.entry(&digest.group).or_default().push(digest);
        }
        groups
    }
}

impl Digest {
    /// Source of the stated confidence.
    pub(crate) fn confidence_source(&self) -> Option<&'static str> {
        SOURCES.get(usize::from(self.confidence_source?)).copied()
    }

    /// Form of the answer, for attribution tasks.
    pub(crate) fn attribution(&self) -> Option<&'static str> {
        FORMS.get(usize::from(self.attribution?)).copied()
    }

    /// Whether the answer gives none, in words or by a label.
    pub(crate) fn abstains(&self) -> bool {
        self.refusal == Tri::Yes || self.attribution().is_some_and(is_abstaining_form)
    }

    /// Hash of the trajectory's id, for comparisons with a baseline.
    pub fn id_hash(id: &str) -> u64 {
        xxh3_64(id.as_bytes())
    }
}

fn digest(row: &TrajectoryRow, group: Arc<GroupKey>, answerable: Option<bool>) -> Digest {
    let id = Digest::id_hash(&row.id);
    // Only where an answer was known does not finding it mean something.
    let is_known = row.mentions.undefined.is_none();
    Digest {
        group,
        id,
        pair: row.pair.as_deref().map(Digest::id_hash),
        question: row.task.as_deref().map_or(id, Digest::id_hash),
        split: row.split,
        excluded: row.excluded.as_ref().map(|undefined| undefined.reason),
        has_answer: row.final_answer.is_some(),
        correct: (&row.correct).into(),
        similarity: row.similarity.as_ref().map(|row| {
            let why = row.undefined.as_ref().map_or(Reason::NotRecorded, |undefined| undefined.reason);
            row.value.ok_or(why)
        }),
        identify: (&row.identify).into(),
        solve: (&row.solve).into(),
        solve_successful: (&row.solve_successful).into(),
        escalate: (&row.escalate).into(),
        acknowledged: (&row.acknowledged).into(),
        final_reasoning: (&row.final_reasoning).into(),
        refusal: (&row.refusal).into(),
        truncation_unknown: row.truncated == Truncation::Unknown.code(),
        tool_calls: row.tool_calls,
        flagged_turns: row.flagged_turns,
        intermediate_turns: row.intermediate_turns,
        answer_source: match (&row.answer_source.value, &row.answer_source.undefined) {
            (Some(source), _) => Ok(*source),
            (None, Some(undefined)) => Err(undefined.reason),
            (None, None) => Err(Reason::NotRecorded),
        },
        broke_at: row.broke_at,
        gold: is_known.then(|| Box::new(Tenths::new(&row.mentions.gold, row.turns))),
        parametric: is_known.then(|| Box::new(Tenths::new(&row.mentions.parametric, row.turns))),
        confidence: match (row.confidence.value, &row.confidence.undefined) {
            (Some(value), _) => Ok(value),
            (None, Some(undefined)) => Err(undefined.reason),
            (None, None) => Err(Reason::ConfidenceAbsent),
        },
        confidence_source: row.confidence.source.as_deref().and_then(|source| place(source, SOURCES)),
        attribution: row.attribution.form.as_deref().and_then(|form| place(form, FORMS)),
        answerable,
    }
}

/// Sources of confidence, as rows name them.
const SOURCES: &[&str] = &["tag", "number", "words", "log_probability", "agreement"];
/// Forms of answers, as rows name them.
const FORMS: &[&str] = &["answer", "data_uncertain", "model_uncertain", "dont_know", "unparsable"];

/// Whether a form of an answer gives none.
pub(crate) fn is_abstaining_form(form: &str) -> bool {
    matches!(form, "data_uncertain" | "model_uncertain" | "dont_know")
}

/// A digest keeps the place of a name, not the name: there are as many digests as trajectories.
fn place(name: &str, names: &[&str]) -> Option<u8> {
    names.iter().position(|known| *known == name).and_then(|place| u8::try_from(place).ok())
}

/// Turns of a trajectory that a judge was asked about.
pub(crate) fn intermediate_turns(trajectory: &Trajectory) -> u32 {
    crate::calls::as_count(trajectory.intermediate_turns().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tenth_is_closed() {
        assert_eq!((tenth_of(0, 10), tenth_of(9, 10), tenth_of(10, 10), tenth_of(0, 0)), (0, 9, 9, 0));
    }
}
