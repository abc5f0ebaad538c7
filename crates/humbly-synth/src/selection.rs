//! Which originals are asked for what, and which rows come of it: a function of plan, problems and replies alone.
//!
//! Originals are drawn in waves. A wave asks for as many variants of each kind as are still missing, so that the
//! target is met and never passed; what fails in it is made up for by the next wave's originals.

use std::collections::{BTreeMap, HashSet};

use humbly_text::normalize::fold_whitespace;
use serde::Serialize;

use crate::{Item, Kind, KindsAsked, Original, Plan};

/// Items by position of the original and kind.
pub(crate) type Items = BTreeMap<(usize, Kind), Item>;

/// What enters a set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Positions of the originals that stay as they are.
    pub kept: Vec<usize>,
    /// Variants, each of another original.
    pub variants: Vec<Choice>,
    /// Verified variants that did not enter, since their original gave another one.
    pub spare: Vec<(usize, Kind)>,
    /// Verified variants that did not enter, since their text was there already.
    pub repeated: Vec<(usize, Kind)>,
    /// Verified variants that did not enter, since enough of their kind were there (both kinds asked for).
    pub surplus: Vec<(usize, Kind)>,
    /// Originals that were not drawn.
    pub unused: usize,
    /// Rows that are missing, by kind.
    pub missing: BTreeMap<Kind, usize>,
}

/// A variant that enters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// Position of its original.
    pub original: usize,
    /// Its kind.
    pub kind: Kind,
    /// Its text.
    pub problem: String,
}

/// What comes next.
pub(crate) enum Next {
    /// These items are missing.
    Ask(Vec<(usize, Kind)>),
    /// Nothing: the targets are met, or the originals have run out.
    Done(Selection),
}

/// Goes through the waves as far as the items reach. With `is_final`, a missing item counts as one that failed and
/// nothing more is asked for.
pub(crate) fn next(plan: &Plan, originals: &[Original], items: &Items, is_final: bool) -> Next {
    let order = plan.order(originals.len());
    let [kept, ..] = plan.targets();
    let (kept, pool) = order.split_at_checked(kept).unwrap_or((&order, &[]));
    let mut selection = Selection { kept: kept.to_vec(), ..Selection::default() };
    let mut met: HashSet<String> =
        originals.iter().map(|original| fold_whitespace(&original.problem)).collect();
    let mut missing: BTreeMap<Kind, usize> =
        Kind::ALL.into_iter().map(|kind| (kind, plan.wanted(kind))).collect();
    let mut pool = pool.iter().copied();
    loop {
        let wave = wave(plan.kinds, &missing, &mut pool);
        if wave.is_empty() {
            break;
        }
        let asked: Vec<(usize, Kind)> =
            wave.iter().flat_map(|(original, kinds)| kinds.iter().map(|kind| (*original, *kind))).collect();
        let unknown: Vec<(usize, Kind)> = asked.into_iter().filter(|key| !items.contains_key(key)).collect();
        if !unknown.is_empty() && !is_final {
            return Next::Ask(unknown);
        }
        for (original, kinds) in wave {
            choose(original, &kinds, items, &mut missing, &mut met, &mut selection);
        }
        if is_final && !unknown.is_empty() {
            break;
        }
    }
    selection.unused = pool.count();
    selection.missing = missing.into_iter().filter(|(_, count)| *count > 0).collect();
    Next::Done(selection)
}

/// The next originals with what is asked of them, until all that is missing is asked for or the pool is empty.
fn wave(
    kinds: KindsAsked,
    missing: &BTreeMap<Kind, usize>,
    pool: &mut impl Iterator<Item = usize>,
) -> Vec<(usize, Vec<Kind>)> {
    let mut left = missing.clone();
    let mut wave = Vec::new();
    loop {
        let before = wave.len();
        for kind in Kind::ALL {
            let Some(count) = left.get_mut(&kind).filter(|count| **count > 0) else { continue };
            let Some(original) = pool.next() else { return wave };
            *count -= 1;
            let asked = match kinds {
                KindsAsked::One => vec![kind],
                KindsAsked::Both => Kind::ALL.to_vec(),
            };
            wave.push((original, asked));
        }
        if wave.len() == before {
            return wave;
        }
    }
}

/// Takes at most one variant of an original: of several the kind of which more are missing.
fn choose(
    original: usize,
    kinds: &[Kind],
    items: &Items,
    missing: &mut BTreeMap<Kind, usize>,
    met: &mut HashSet<String>,
    selection: &mut Selection,
) {
    let mut verified: Vec<(Kind, &str)> = Vec::new();
    for kind in kinds {
        let Some((problem, _)) = items.get(&(original, *kind)).and_then(Item::verified) else { continue };
        if met.contains(&fold_whitespace(problem)) {
            selection.repeated.push((original, *kind));
        } else {
            verified.push((*kind, problem));
        }
    }
    let of = |kind: &Kind| missing.get(kind).copied().unwrap_or(0);
    // Of equal ones the first.
    verified.sort_by_key(|(kind, _)| std::cmp::Reverse(of(kind)));
    let mut is_taken = false;
    for (kind, problem) in verified {
        match missing.get_mut(&kind) {
            _ if is_taken => selection.spare.push((original, kind)),
            Some(count) if *count > 0 => {
                *count -= 1;
                met.insert(fold_whitespace(problem));
                selection.variants.push(Choice { original, kind, problem: problem.to_owned() });
                is_taken = true;
            }
            _ => selection.surplus.push((original, kind)),
        }
    }
}
