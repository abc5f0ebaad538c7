//! Drawing a sheet.

use std::collections::BTreeSet;

use humbly_judge::VerdictKind;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{KeyItem, KeyRow, Kind, SheetItem, SheetRow};
use crate::{ModelJudgeError, Result};

/// How a sheet is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetParams {
    /// What is asked.
    pub question: VerdictKind,
    /// Judge whose verdicts decide what is positive.
    pub judge: String,
    /// Rows.
    pub rows: usize,
    /// Share of positives, in `[0, 1]`.
    pub positives: f64,
    /// Share of hard ones among the negatives, in `[0, 1]`.
    pub hard_negatives: f64,
    /// Seed.
    pub seed: u64,
}

impl SheetParams {
    /// As in the EH paper: 50 rows, half of them positive, all negatives hard where there are enough.
    pub fn new(question: VerdictKind, judge: impl Into<String>, seed: u64) -> Self {
        Self { question, judge: judge.into(), rows: 50, positives: 0.5, hard_negatives: 1.0, seed }
    }

    fn check(&self) -> Result<()> {
        for (name, share) in [("positives", self.positives), ("hard_negatives", self.hard_negatives)] {
            if !(0.0..=1.0).contains(&share) {
                let found = share.to_string();
                return Err(ModelJudgeError::Setting { name, found, expected: "a share from 0 to 1" });
            }
        }
        if self.rows == 0 {
            let found = "0".to_owned();
            return Err(ModelJudgeError::Setting { name: "rows", found, expected: "at least 1" });
        }
        Ok(())
    }
}

/// A drawn sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The sheet.
    pub sheet: Vec<SheetRow>,
    /// Its key, in the same order.
    pub key: Vec<KeyRow>,
    /// Items without a verdict of the judge, which were left out.
    pub without_verdict: usize,
    /// What could not be had, in words.
    pub shortfalls: Vec<String>,
}

/// Draws a sheet: positives first, then hard negatives, then other negatives, at most one text a trajectory,
/// all shuffled and numbered anew.
///
/// Among hard negatives, those that another judge calls yes come before those that only have words of doubt.
/// The same items and seed give the same sheet.
///
/// # Errors
/// [`ModelJudgeError::Setting`].
///
/// # Source
/// EH App. D.2.
///
/// # Examples
/// ```
/// use std::collections::BTreeMap;
/// use humbly_judge::VerdictKind;
/// use humbly_model_judge::{SheetItem, SheetParams, draw_sheet};
/// let item = |trajectory: &str, value| SheetItem {
///     trajectory: trajectory.into(), turn: Some(0), text: "It was 1912.".into(),
///     verdicts: BTreeMap::from([("m".to_owned(), Some(value))]),
///     agent: None, model: None, dataset: None, condition: None, split: None,
/// };
/// let params = SheetParams { rows: 2, ..SheetParams::new(VerdictKind::Identify, "m", 1) };
/// let drawn = draw_sheet(&[item("a", true), item("b", false), item("c", false)], &params)?;
/// assert_eq!(drawn.sheet.len(), 2);
/// assert!(drawn.sheet.iter().all(|row| row.label.is_empty()));
/// # Ok::<(), humbly_model_judge::ModelJudgeError>(())
/// ```
pub fn draw_sheet(items: &[SheetItem], params: &SheetParams) -> Result<Drawn> {
    params.check()?;
    let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
    let mut pools: [Vec<&SheetItem>; 4] = Default::default();
    let mut without_verdict = 0;
    for item in items {
        match item.verdicts.get(&params.judge).copied().flatten() {
            None => without_verdict += 1,
            Some(true) => pools[0].push(item),
            Some(false) if is_contested(item, &params.judge) => pools[1].push(item),
            Some(false) if has_uncertainty_cue(&item.text) => pools[2].push(item),
            Some(false) => pools[3].push(item),
        }
    }
    for pool in &mut pools {
        pool.shuffle(&mut rng);
    }
    let [positive, contested, cued, plain] = pools;
    let hard: Vec<&SheetItem> = contested.into_iter().chain(cued).collect();

    let wanted_positive = share_of(params.rows, params.positives);
    let wanted_hard = share_of(params.rows - wanted_positive, params.hard_negatives);
    let mut draw = Draw { used: BTreeSet::new(), drawn: Vec::new() };
    let positives = draw.take(&positive, Kind::Positive, wanted_positive);
    let hard_negatives = draw.take(&hard, Kind::HardNegative, wanted_hard);
    let plain_negatives = draw.take(&plain, Kind::Negative, params.rows - positives - hard_negatives);
    // Where plain ones run out, more hard ones fill the sheet.
    draw.take(&hard, Kind::HardNegative, params.rows - positives - hard_negatives - plain_negatives);

    let mut shortfalls = Vec::new();
    let mut compare = |what: &str, wanted: usize, got: usize| {
        if got < wanted {
            shortfalls.push(format!("{got} of {wanted} {what}"));
        }
    };
    compare("positives", wanted_positive, positives);
    compare("hard negatives", wanted_hard, hard_negatives);
    compare("rows", params.rows, draw.drawn.len());

    draw.drawn.shuffle(&mut rng);
    let width = draw.drawn.len().to_string().len();
    let (sheet, key) = draw
        .drawn
        .into_iter()
        .enumerate()
        .map(|(index, (kind, item))| {
            let id = format!("{:0width$}", index + 1);
            let row = SheetRow {
                id: id.clone(),
                question: params.question,
                text: item.text.clone(),
                label: String::new(),
                comment: String::new(),
            };
            let key = KeyRow {
                id,
                question: params.question,
                kind,
                judge: params.judge.clone(),
                seed: params.seed,
                item: KeyItem::from(item),
            };
            (row, key)
        })
        .unzip();
    Ok(Drawn { sheet, key, without_verdict, shortfalls })
}

struct Draw<'a> {
    used: BTreeSet<&'a str>,
    drawn: Vec<(Kind, &'a SheetItem)>,
}

impl<'a> Draw<'a> {
    /// Takes up to `wanted` items of trajectories that are not used yet; returns how many it got.
    fn take(&mut self, pool: &[&'a SheetItem], kind: Kind, wanted: usize) -> usize {
        let before = self.drawn.len();
        for item in pool {
            if self.drawn.len() - before == wanted {
                break;
            }
            if self.used.insert(&item.trajectory) {
                self.drawn.push((kind, item));
            }
        }
        self.drawn.len() - before
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count, rounded")]
fn share_of(rows: usize, share: f64) -> usize {
    ((rows as f64 * share).round() as usize).min(rows)
}

fn is_contested(item: &SheetItem, judge: &str) -> bool {
    item.verdicts.iter().any(|(name, value)| name != judge && *value == Some(true))
}

/// Words of doubt: they make a negative hard to tell from a positive.
const CUES: &[&str] = &[
    "actually",
    "ambig",
    "cannot",
    "conflict",
    "contradict",
    "could not",
    "couldn't",
    "didn't find",
    "differ",
    "disagree",
    "discrepan",
    "however",
    "inconsisten",
    "mismatch",
    "missing",
    "no result",
    "not clear",
    "not found",
    "not sure",
    "nothing about",
    "perhaps",
    "uncertain",
    "unclear",
    "unknown",
    "unsure",
    "verify",
    "wait",
    "whereas",
];

/// Whether a text has words of doubt or contrast, whatever they mean in it.
///
/// # Examples
/// ```
/// use humbly_model_judge::has_uncertainty_cue;
/// assert!(has_uncertainty_cue("I could not open the page."));
/// assert!(!has_uncertainty_cue("It opened in 1912."));
/// ```
pub fn has_uncertainty_cue(text: &str) -> bool {
    let lower = text.to_lowercase();
    CUES.iter().any(|cue| lower.contains(cue))
}
