//! Agreement of judges with each other: the table of the EH paper's App. D.1.

use std::collections::{BTreeMap, BTreeSet};

use humbly_stats::agreement::{Ratings, cohen_kappa, gwet_ac1};
use humbly_stats::intervals::{
    BootstrapParams, Clusters, ProportionInterval, bootstrap_statistic, proportion,
};
use humbly_stats::{Measured, Reason, Undefined};
use humbly_types::{Judgement, Verdict};
use serde::{Deserialize, Serialize};

use crate::panel::flag_of;
use crate::{ModelJudgeError, Result};

/// One label of one rater.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// What was rated, e.g. the trajectory.
    pub item: String,
    /// Its setting, e.g. `controlled` or `natural`.
    #[serde(default)]
    pub setting: Option<String>,
    /// What was asked: `correctness`, `identify`, `escalate`.
    pub question: String,
    /// Who rated.
    pub rater: String,
    /// The label; `None` where the rater gave none.
    pub value: Option<bool>,
}

/// Agreement of two raters on the same items.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coefficients {
    /// Items that both labelled.
    pub n: u64,
    /// Share of yes among all labels of both: what explains a κ far below AC1.
    pub prevalence: Measured,
    /// Share of items with the same label.
    pub raw: Measured,
    /// Cohen's κ.
    pub kappa: Measured,
    /// Gwet's AC1.
    pub ac1: Measured,
}

/// One line of the agreement table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgreementRow {
    /// The setting; `all` for all of them together.
    pub setting: String,
    /// What was asked.
    pub question: String,
    /// One rater.
    pub first: String,
    /// The other.
    pub second: String,
    /// Items that at least one of them was asked about and not both labelled.
    pub left_out: u64,
    /// The numbers.
    #[serde(flatten)]
    pub coefficients: Coefficients,
}

/// Setting and label by question, rater and item.
type Values<'a> = BTreeMap<(&'a str, &'a str, &'a str), (Option<&'a str>, Option<bool>)>;

/// The name under which all settings stand together.
const ALL: &str = "all";

/// Agreement of every pair of raters on every question, over all items and by setting.
///
/// Raters stand in the order of their first rating, so that a lexical judge or a person is a rater like
/// any other. Raw agreement has Wilson's interval, κ a bootstrap of the items, AC1 its analytic interval.
///
/// # Errors
/// [`ModelJudgeError::Setting`] where a rater labels an item twice; [`ModelJudgeError::Statistics`].
///
/// # Source
/// EH Table 6; Cohen (1960); Gwet (2008).
///
/// # Examples
/// ```
/// use humbly_model_judge::{Rating, agreement_table};
/// use humbly_stats::intervals::BootstrapParams;
/// let rating = |item: &str, rater: &str, value| Rating {
///     item: item.into(), setting: None, question: "identify".into(), rater: rater.into(), value: Some(value),
/// };
/// let ratings = [
///     rating("1", "a", true), rating("1", "b", true), rating("2", "a", false), rating("2", "b", false),
///     rating("3", "a", true), rating("3", "b", false), rating("4", "a", false), rating("4", "b", false),
/// ];
/// let table = agreement_table(&ratings, &BootstrapParams::seeded(1))?;
/// assert_eq!(table[0].coefficients.raw.value(), Some(0.75));
/// assert_eq!(table[0].coefficients.kappa.value(), Some(0.5));
/// # Ok::<(), humbly_model_judge::ModelJudgeError>(())
/// ```
pub fn agreement_table(ratings: &[Rating], params: &BootstrapParams) -> Result<Vec<AgreementRow>> {
    let mut questions: Vec<&str> = Vec::new();
    let mut raters: Vec<&str> = Vec::new();
    let mut settings: BTreeSet<&str> = BTreeSet::new();
    let mut values: Values<'_> = BTreeMap::new();
    for rating in ratings {
        for (list, name) in [(&mut questions, &rating.question), (&mut raters, &rating.rater)] {
            if !list.contains(&name.as_str()) {
                list.push(name);
            }
        }
        settings.extend(rating.setting.as_deref());
        let key = (rating.question.as_str(), rating.rater.as_str(), rating.item.as_str());
        if values.insert(key, (rating.setting.as_deref(), rating.value)).is_some() {
            return Err(ModelJudgeError::Setting {
                name: "ratings",
                found: format!("two by `{}` of `{}` on {}", rating.rater, rating.item, rating.question),
                expected: "one by each rater of an item",
            });
        }
    }
    let mut rows = Vec::new();
    for question in questions {
        for setting in std::iter::once(None).chain(settings.iter().copied().map(Some)) {
            for (index, &first) in raters.iter().enumerate() {
                for &second in raters.iter().skip(index + 1) {
                    let of = |rater: &str| -> BTreeMap<&str, Option<bool>> {
                        values
                            .range((question, rater, "")..)
                            .take_while(|((asked, by, _), _)| *asked == question && *by == rater)
                            .filter(|(_, (of, _))| setting.is_none() || *of == setting)
                            .map(|((_, _, item), (_, value))| (*item, *value))
                            .collect()
                    };
                    let (one, two) = (of(first), of(second));
                    if one.is_empty() || two.is_empty() {
                        continue;
                    }
                    let pairs: Vec<(bool, bool)> = one
                        .iter()
                        .filter_map(|(item, value)| Some(((*value)?, (*two.get(item)?)?)))
                        .collect();
                    let asked: BTreeSet<&str> = one.keys().chain(two.keys()).copied().collect();
                    rows.push(AgreementRow {
                        setting: setting.unwrap_or(ALL).to_owned(),
                        question: question.to_owned(),
                        first: first.to_owned(),
                        second: second.to_owned(),
                        left_out: (asked.len() - pairs.len()) as u64,
                        coefficients: Coefficients::of(&pairs, params)?,
                    });
                }
            }
        }
    }
    Ok(rows)
}

/// The ratings of one judgement: `identify` over the trajectory, `escalate`, and `correctness` where there is one.
pub fn ratings_of(
    item: &str,
    setting: Option<&str>,
    judgement: &Judgement,
    correct: Option<&Verdict>,
) -> Vec<Rating> {
    let rating = |question: &str, value| Rating {
        item: item.to_owned(),
        setting: setting.map(str::to_owned),
        question: question.to_owned(),
        rater: judgement.judge.to_string(),
        value,
    };
    let correct = correct.map(|verdict| rating("correctness", verdict.value));
    correct
        .into_iter()
        .chain([rating("identify", flag_of(judgement).value), rating("escalate", judgement.escalate.value)])
        .collect()
}

impl Coefficients {
    /// The numbers of pairs of labels.
    ///
    /// # Errors
    /// [`ModelJudgeError::Statistics`] for 2³² pairs or more.
    ///
    /// # Undefined
    /// All with `no_samples` without pairs; κ with `chance_agreement_is_one` where both gave one label throughout.
    pub fn of(pairs: &[(bool, bool)], params: &BootstrapParams) -> Result<Self> {
        let (first, second): (Vec<bool>, Vec<bool>) = pairs.iter().copied().unzip();
        let n = pairs.len();
        if n == 0 {
            let nothing = || Measured::undefined(Undefined::new(Reason::NoSamples));
            return Ok(Self {
                n: 0,
                prevalence: nothing(),
                raw: nothing(),
                kappa: nothing(),
                ac1: nothing(),
            });
        }
        let clusters = Clusters::independent(n)?;
        let agreeing: Vec<bool> = pairs.iter().map(|(one, two)| one == two).collect();
        let kappa = bootstrap_statistic(
            &clusters,
            params,
            || (),
            |(), drawn| kappa(drawn.iter().filter_map(|&row| pairs.get(row as usize).copied())),
        );
        let labels = |labels: &[bool]| labels.iter().copied().map(Some).collect::<Vec<_>>();
        let ratings = Ratings::from_raters(&[&labels(&first)[..], &labels(&second)[..]])?;
        let yes = first.iter().chain(&second).filter(|label| **label).count();
        Ok(Self {
            n: n as u64,
            prevalence: Measured::proportion(yes, 2 * n),
            raw: proportion(&agreeing, &clusters, ProportionInterval::Wilson, params)?,
            kappa: kappa.attach(cohen_kappa(&first, &second)?),
            ac1: gwet_ac1(&ratings).coefficient,
        })
    }
}

/// Cohen's κ of one resample; `None` where chance agreement is 1.
fn kappa(pairs: impl Iterator<Item = (bool, bool)>) -> Option<f64> {
    let (mut n, mut agreeing, mut first, mut second) = (0.0, 0.0, 0.0, 0.0);
    for (one, two) in pairs {
        n += 1.0;
        agreeing += f64::from(u8::from(one == two));
        first += f64::from(u8::from(one));
        second += f64::from(u8::from(two));
    }
    let (first, second) = (first / n, second / n);
    let chance = first * second + (1.0 - first) * (1.0 - second);
    (n > 0.0 && chance < 1.0).then(|| (agreeing / n - chance) / (1.0 - chance))
}
