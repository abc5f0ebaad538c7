//! What a set holds and how it came about.

use std::collections::BTreeMap;

use humbly_llm::ReplySource;
use humbly_rewards::ItemLabel;
use humbly_types::Measured;
use schemars::JsonSchema;
use serde::Serialize;

use crate::item::Call;
use crate::{Item, Kind, Original, Plan, Settings, Sitting, Stopped, SynthRow};

/// Statistics of a set.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Statistics {
    /// `humbly.synth/1`.
    pub schema: &'static str,
    /// What it was made with.
    pub settings: Settings,
    /// Whether every row that was asked for is there.
    pub is_complete: bool,
    /// Why calls ended early, where they did.
    pub stopped: Option<Stopped>,
    /// Problems that could be used.
    pub originals: usize,
    /// Problems that are rows as they are.
    pub kept: usize,
    /// Problems that were asked to be rewritten.
    pub rewritten: usize,
    /// Problems that were not drawn.
    pub unused: usize,
    /// Rows by split and label.
    pub splits: Vec<SplitStatistics>,
    /// Variants by kind.
    pub kinds: Vec<KindStatistics>,
    /// Calls of the rewriter.
    pub rewriter: Bill,
    /// Calls of the validator.
    pub validator: Bill,
}

/// Rows of one label in one split.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SplitStatistics {
    /// `train` or `validation`.
    pub split: &'static str,
    /// `answerable`, `data` or `model`.
    pub label: &'static str,
    /// Rows.
    pub rows: usize,
    /// Rows asked for.
    pub wanted: usize,
    /// Share of the split.
    pub share: Measured,
    /// Mean length of the problems in words.
    pub words: Measured,
}

/// Variants of one kind. Each item that was asked for is verified or discarded, and each verified one is a row or is
/// spare, repeated or surplus.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KindStatistics {
    /// The kind.
    pub kind: Kind,
    /// Items that were asked for and ended.
    pub asked: usize,
    /// Share of them that were verified.
    pub verified: Measured,
    /// Verified items by the attempt that gave the variant, from the first.
    pub verified_at: Vec<usize>,
    /// Items that needed more than one attempt, discarded ones included.
    pub retried: usize,
    /// Items whose every attempt failed.
    pub discarded: usize,
    /// Verified variants that are rows.
    pub used: usize,
    /// Verified, but the original gave another row.
    pub spare: usize,
    /// Verified, but the text was there already.
    pub repeated: usize,
    /// Verified, but enough of the kind were there.
    pub surplus: usize,
    /// Rows that are missing.
    pub missing: usize,
    /// Attempts by how they ended.
    pub outcomes: BTreeMap<&'static str, usize>,
}

/// Calls of one model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Bill {
    /// Calls that the provider answered.
    pub live: u64,
    /// Calls that the cache or a recording answered.
    pub cached: u64,
    /// Calls without a reply.
    pub failed: u64,
    /// Prompt tokens, as far as known.
    pub input_tokens: u64,
    /// Completion tokens, as far as known.
    pub output_tokens: u64,
    /// Replies whose tokens are not known.
    pub without_usage: u64,
    /// Cost in US dollars; `None` where the cost of a reply is not known.
    pub cost_usd: Option<f64>,
}

impl Statistics {
    /// Counts a sitting and the rows that came of it.
    pub fn new(
        plan: &Plan,
        originals: &[Original],
        settings: Settings,
        sitting: &Sitting,
        rows: &[SynthRow],
    ) -> Self {
        let selection = &sitting.selection;
        let drawn: std::collections::BTreeSet<usize> =
            sitting.items.keys().map(|(position, _)| *position).collect();
        let mut rewriter = Bill { cost_usd: Some(0.0), ..Bill::default() };
        let mut validator = rewriter.clone();
        for (is_rewriter, call) in sitting.items.values().flat_map(Item::calls) {
            if is_rewriter { rewriter.add(call) } else { validator.add(call) }
        }
        Self {
            schema: "humbly.synth/1",
            settings,
            is_complete: sitting.stopped.is_none() && selection.missing.is_empty(),
            stopped: sitting.stopped.clone(),
            originals: originals.len(),
            kept: selection.kept.len(),
            rewritten: drawn.len(),
            unused: originals.len().saturating_sub(selection.kept.len() + drawn.len()),
            splits: splits(plan, rows),
            kinds: Kind::ALL.into_iter().map(|kind| of_kind(plan, sitting, kind)).collect(),
            rewriter,
            validator,
        }
    }
}

fn splits(plan: &Plan, rows: &[SynthRow]) -> Vec<SplitStatistics> {
    let targets = plan.targets();
    let validation = plan.validation_of(targets);
    let labels = [ItemLabel::Answerable, ItemLabel::Data, ItemLabel::Model];
    let mut found = Vec::new();
    for (split, is_validation) in [("train", false), ("validation", true)] {
        let total = rows.iter().filter(|row| row.is_validation == is_validation).count();
        for (label, (target, held_out)) in labels.into_iter().zip(targets.into_iter().zip(validation)) {
            let words: Vec<usize> = rows
                .iter()
                .filter(|row| row.is_validation == is_validation && row.label == label)
                .map(|row| row.row.extra_info.question.split_whitespace().count())
                .collect();
            let sum: usize = words.iter().sum();
            found.push(SplitStatistics {
                split,
                label: label.name(),
                rows: words.len(),
                wanted: if is_validation { held_out } else { target - held_out },
                share: Measured::proportion(words.len(), total),
                words: if words.is_empty() {
                    Measured::undefined(humbly_types::Undefined::new(humbly_types::Reason::NoSamples))
                } else {
                    Measured::new(sum as f64 / words.len() as f64, words.len())
                },
            });
        }
    }
    found
}

fn of_kind(plan: &Plan, sitting: &Sitting, kind: Kind) -> KindStatistics {
    let selection = &sitting.selection;
    let items: Vec<&Item> = sitting.items.values().filter(|item| item.kind == kind).collect();
    let mut verified_at = vec![0; plan.tries as usize];
    let mut outcomes = BTreeMap::new();
    for item in &items {
        if let Some((_, attempt)) = item.verified()
            && let Some(count) = verified_at.get_mut(attempt - 1)
        {
            *count += 1;
        }
        for attempt in &item.attempts {
            *outcomes.entry(attempt.outcome.code()).or_default() += 1;
        }
    }
    let verified: usize = verified_at.iter().sum();
    let count = |keys: &[(usize, Kind)]| keys.iter().filter(|(_, of)| *of == kind).count();
    KindStatistics {
        kind,
        asked: items.len(),
        verified: Measured::proportion(verified, items.len()),
        verified_at,
        retried: items.iter().filter(|item| item.attempts.len() > 1).count(),
        discarded: items.len() - verified,
        used: selection.variants.iter().filter(|choice| choice.kind == kind).count(),
        spare: count(&selection.spare),
        repeated: count(&selection.repeated),
        surplus: count(&selection.surplus),
        missing: selection.missing.get(&kind).copied().unwrap_or(0),
        outcomes,
    }
}

impl Bill {
    fn add(&mut self, call: &Call) {
        if call.failed.is_some() {
            self.failed += 1;
            return;
        }
        match call.source {
            ReplySource::Live => self.live += 1,
            ReplySource::Cache | ReplySource::Replay => self.cached += 1,
        }
        match (call.usage.input, call.usage.output) {
            (Some(input), Some(output)) => {
                self.input_tokens += input;
                self.output_tokens += output;
            }
            _ => self.without_usage += 1,
        }
        self.cost_usd = self.cost_usd.zip(call.cost_usd).map(|(sum, cost)| sum + cost);
    }
}
