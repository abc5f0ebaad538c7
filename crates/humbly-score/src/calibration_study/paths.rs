//! Confidence before and after the first tool call and each contradiction, by type of tool.

use std::collections::BTreeMap;

use humbly_stats::hypothesis::{paired_t, welch_t};
use humbly_stats::intervals::{Clusters, mean};
use indexmap::IndexMap;

use super::cells::{Answers, question};
use super::{PathCell, PathContrast, PathEvent, StudyParams};
use crate::row::{ConfidencePath, ToolType};

/// Event, base model, setting and source.
type PathKey = (PathEvent, String, String, String);

/// Changes by question, for the contrast of tool types.
pub(super) type Changes = IndexMap<PathKey, BTreeMap<ToolType, Vec<f64>>>;

/// Sums of one question.
#[derive(Default)]
struct Sums {
    before: f64,
    after: f64,
    n: u32,
}

#[derive(Default)]
struct Group {
    questions: BTreeMap<(String, String), Sums>,
    events: u64,
    without: u64,
}

pub(super) fn paths(
    answers: &[Answers<'_>],
    params: &StudyParams,
) -> humbly_stats::Result<(Vec<PathCell>, Changes)> {
    let mut groups: IndexMap<(ToolType, PathKey), Group> = IndexMap::new();
    for of in answers {
        let (dataset, _, base_model, _, setting) = &of.key;
        for row in of.samples.iter().map(|sample| sample.row).filter(|row| row.excluded.is_none()) {
            let Some(path) = &row.confidence_path else { continue };
            let Some((first_call, tool_type)) = first_call(path) else { continue };
            let contradictions = path.contradictions.iter().map(|&turn| (PathEvent::Contradiction, turn));
            for (event, turn) in std::iter::once((PathEvent::FirstCall, first_call)).chain(contradictions) {
                for source in sources(path) {
                    let key = (event, base_model.clone(), setting.clone(), source.to_owned());
                    let group = groups.entry((tool_type, key)).or_default();
                    let Some((before, after)) = around(path, source, event, turn) else {
                        group.without += 1;
                        continue;
                    };
                    group.events += 1;
                    let sums = group.questions.entry((dataset.clone(), question(row))).or_default();
                    sums.before += before;
                    sums.after += after;
                    sums.n += 1;
                }
            }
        }
    }
    let mut changes = Changes::new();
    let mut cells = Vec::new();
    for ((tool_type, key), group) in groups {
        let means = |of: fn(&Sums) -> f64| -> Vec<f64> {
            group.questions.values().map(|sums| of(sums) / f64::from(sums.n)).collect()
        };
        let (before, after) = (means(|sums| sums.before), means(|sums| sums.after));
        let change: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
        let clusters = Clusters::independent(change.len())?;
        let (event, base_model, setting, source) = key.clone();
        cells.push(PathCell {
            event,
            tool_type,
            base_model,
            setting,
            source,
            events: group.events,
            without_confidence: group.without,
            before: mean(&before, &clusters, &params.bootstrap)?,
            after: mean(&after, &clusters, &params.bootstrap)?,
            change: mean(&change, &clusters, &params.bootstrap)?,
            test: paired_t(&after, &before)?,
        });
        changes.entry(key).or_default().insert(tool_type, change);
    }
    Ok((cells, changes))
}

/// Evidence against verification, where both are there.
pub(super) fn contrasts(changes: &Changes) -> humbly_stats::Result<Vec<PathContrast>> {
    let mut found = Vec::new();
    for ((event, base_model, setting, source), by_type) in changes {
        let of = |tool: ToolType| by_type.get(&tool).filter(|changes| !changes.is_empty());
        let (Some(evidence), Some(verification)) = (of(ToolType::Evidence), of(ToolType::Verification))
        else {
            continue;
        };
        found.push(PathContrast {
            event: *event,
            base_model: base_model.clone(),
            setting: setting.clone(),
            source: source.clone(),
            test: welch_t(evidence, verification)?,
        });
    }
    Ok(found)
}

/// Turn and type of the first call whose tool has a known type.
fn first_call(path: &ConfidencePath) -> Option<(u32, ToolType)> {
    path.calls.iter().find_map(|call| Some((call.turn, call.tool_type?)))
}

fn sources(path: &ConfidencePath) -> Vec<&str> {
    let mut sources: Vec<&str> = path.stated.iter().map(|stated| stated.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

/// The last confidence before an event and the first one after it.
///
/// A turn that calls states its confidence without the result; a turn that recognises a contradiction states it with it.
fn around(path: &ConfidencePath, source: &str, event: PathEvent, turn: u32) -> Option<(f64, f64)> {
    let stated = || path.stated.iter().filter(|stated| stated.source == source);
    let is_before = |at: u32| match event {
        PathEvent::FirstCall => at <= turn,
        PathEvent::Contradiction => at < turn,
    };
    let before = stated().rfind(|stated| is_before(stated.turn))?.value;
    let after = stated().find(|stated| !is_before(stated.turn))?.value;
    Some((before, after))
}
