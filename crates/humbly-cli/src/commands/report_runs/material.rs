//! From scored runs, their suites and filled sheets to what tables are built from.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use humbly_bench::conflict::{Funnel, Suite};
use humbly_model_judge::{Coefficients, Rating, agreement_table, read_filled, read_key, sheet_report};
use humbly_pipeline::ScoredRun;
use humbly_report::tables::{Agreement, AgreementLine, FunnelCounts, Material, PeopleLine, SuiteCounts};
use humbly_score::{Digests, Settings, accuracy_points, condition_changes, summarise};
use humbly_stats::intervals::BootstrapParams;
use humbly_types::Split;

/// Conditions without a clause, where an input does not say which have one.
const PLAIN: [&str; 3] = ["default", "baseline", "none"];

pub(super) fn of(
    runs: &[ScoredRun],
    settings: &Settings,
    people: Vec<PeopleLine>,
) -> anyhow::Result<Material> {
    let mut digests = Digests::default();
    for run in runs {
        run.digest_into(&mut digests);
    }
    let prompted = prompted(runs);
    let is_prompted = |condition: Option<&str>| condition.is_some_and(|name| prompted.contains(name));
    let bootstrap = BootstrapParams::new(settings.resamples, settings.level, settings.seed)?;
    let mut raters: Vec<String> = Vec::new();
    let mut ratings: Vec<Rating> = Vec::new();
    for run in runs {
        if !raters.contains(&run.judge) {
            raters.push(run.judge.clone());
        }
        for label in &run.labels {
            if !raters.contains(&label.judge) {
                raters.push(label.judge.clone());
            }
            let rating = |question: &str, value| Rating {
                // Two runs may have samples of one key.
                item: format!("{}\u{1f}{}", run.path, label.item),
                setting: label.setting.clone(),
                question: question.to_owned(),
                rater: label.judge.clone(),
                value,
            };
            ratings.extend([rating("identify", label.identify), rating("escalate", label.escalate)]);
            // A judge that was not asked is no rater of correctness.
            ratings.extend(label.correct.map(|correct| rating("correctness", Some(correct))));
        }
    }
    let agreement = agreement_table(&ratings, &bootstrap).context("cannot compare the judges")?;
    Ok(Material {
        summary: summarise(&digests, settings),
        points: accuracy_points(&digests, settings),
        changes: condition_changes(&digests, settings, &is_prompted),
        suites: suites(runs)?,
        raters,
        agreement: agreement
            .into_iter()
            .map(|row| AgreementLine {
                setting: row.setting,
                question: row.question,
                first: row.first,
                second: row.second,
                agreement: coefficients(&row.coefficients),
            })
            .collect(),
        people,
        calibration: None,
        seed: settings.seed,
        prompted,
    })
}

fn coefficients(found: &Coefficients) -> Agreement {
    Agreement {
        raw: found.raw.clone(),
        kappa: found.kappa.clone(),
        ac1: found.ac1.clone(),
        prevalence: found.prevalence.clone(),
    }
}

/// Conditions with a clause: as the experiments say, else every one that is not called plain.
fn prompted(runs: &[ScoredRun]) -> BTreeSet<String> {
    let mut prompted = BTreeSet::new();
    for run in runs {
        match run.prompted() {
            Some(names) => prompted.extend(names),
            None => prompted.extend(
                run.rows
                    .iter()
                    .filter_map(|row| row.condition.clone())
                    .filter(|name| !PLAIN.contains(&name.as_str())),
            ),
        }
    }
    prompted
}

/// The suites of the runs; one that several runs share counts once.
fn suites(runs: &[ScoredRun]) -> anyhow::Result<Vec<SuiteCounts>> {
    let mut counts: Vec<SuiteCounts> = Vec::new();
    for run in runs {
        let Some(value) = run.settings.as_ref().and_then(|settings| settings.get("suite")) else { continue };
        let suite: Suite = serde_json::from_value(value.clone())
            .with_context(|| format!("the suite in `{}` cannot be read", run.path))?;
        let counted = suite_counts(&suite);
        if !counts.contains(&counted) {
            counts.push(counted);
        }
    }
    Ok(counts)
}

fn suite_counts(suite: &Suite) -> SuiteCounts {
    let mut datasets: Vec<&str> = suite.natural.iter().map(|belief| belief.dataset.as_str()).collect();
    datasets.sort_unstable();
    datasets.dedup();
    let funnels = datasets.into_iter().map(|dataset| {
        let funnel = Funnel::of(suite.natural.iter().filter(|belief| belief.dataset == dataset));
        FunnelCounts {
            dataset: dataset.to_owned(),
            total: funnel.total,
            has_pk: funnel.has_pk,
            self_agrees: funnel.self_agrees,
            disagrees_gt: funnel.disagrees_gt,
            selected: funnel.selected,
            agrees_gt: funnel.agrees_gt,
            no_strong_belief: funnel.no_strong_belief,
        }
    });
    let tasks = suite.task_counts().into_iter().map(|((scenario, split), count)| {
        let split = if split == Split::Conflict { "conflict" } else { "control" };
        ((scenario, split.to_owned()), count)
    });
    SuiteCounts {
        model: suite.model.clone(),
        levels: (!suite.beliefs.is_empty()).then(|| suite.levels()),
        failed: suite.failed.len() as u64,
        tasks: tasks.collect(),
        funnels: funnels.collect(),
    }
}

/// Filled sheets: each list is a key and the sheets of its people.
pub(super) fn people(lists: &[String], seed: u64) -> anyhow::Result<Vec<PeopleLine>> {
    lists.iter().map(|list| people_of(list, seed)).collect()
}

fn people_of(list: &str, seed: u64) -> anyhow::Result<PeopleLine> {
    let mut paths = list.split(',').map(str::trim).map(Path::new);
    let (Some(key), filled) = (paths.next(), paths.collect::<Vec<_>>()) else { bail!("--sheets is empty") };
    if filled.is_empty() {
        bail!("--sheets `{list}` names no filled sheet, expected KEY,FILLED,FILLED");
    }
    let content = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
    };
    let wrong = |path: &Path| format!("`{}` cannot be used", path.display());
    let rows = read_key(&content(key)?).with_context(|| wrong(key))?;
    let mut sheets = Vec::new();
    for path in filled {
        let annotator = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        sheets.push(read_filled(&content(path)?, annotator).with_context(|| wrong(path))?);
    }
    let found = sheet_report(&rows, &sheets, &BootstrapParams::seeded(seed))
        .with_context(|| format!("the sheets do not fit the key `{}`", key.display()))?;
    Ok(PeopleLine {
        question: found.question.map_or_else(|| "not said".to_owned(), |question| question.code().to_owned()),
        items: found.items,
        annotators: found.annotators.len() as u64,
        people: Agreement {
            raw: found.people.raw.clone(),
            kappa: found.people.fleiss_kappa.clone(),
            ac1: found.people.ac1.clone(),
            prevalence: found.people.prevalence.clone(),
        },
        judges: found
            .judges
            .into_iter()
            .map(|judge| (judge.judge, coefficients(&judge.majority), judge.mean_raw))
            .collect(),
    })
}
