//! Counts the made-up rows: enough estimators to fill every part of the page.

use humbly_score::{
    Accuracy, AttributionSummary, Bin, CalibrationRow, Counts, Diagnostics, FirstMention, Identify,
    MentionSeries, RiskPoint, SolveBounds, SummaryRow, Test, TrajectoryRow, Unlabelled, Utility,
};
use humbly_types::{Interval, IntervalMethod, Measured, Reason, Split, Undefined, Verdict};
use indexmap::IndexMap;

/// One row for each group, in the order of the rows.
pub(crate) fn of(rows: &[TrajectoryRow]) -> Vec<SummaryRow> {
    let mut groups: IndexMap<[Option<String>; 4], Vec<&TrajectoryRow>> = IndexMap::new();
    for row in rows {
        let key = [row.agent.clone(), row.model.clone(), row.dataset.clone(), row.condition.clone()];
        groups.entry(key).or_default().push(row);
    }
    groups
        .into_iter()
        .map(|([agent, model, dataset, condition], rows)| group(agent, model, dataset, condition, &rows))
        .collect()
}

fn undefined(reason: Reason) -> Measured {
    Measured::undefined(Undefined::new(reason))
}

/// A proportion with its Wilson interval; undefined with `reason` over nothing.
fn proportion(numerator: usize, n: usize, reason: Reason) -> Measured {
    if n == 0 {
        return undefined(reason);
    }
    let (share, count, z) = (numerator as f64 / n as f64, n as f64, 1.96);
    let centre = (share + z * z / (2.0 * count)) / (1.0 + z * z / count);
    let half =
        z / (1.0 + z * z / count) * (share * (1.0 - share) / count + z * z / (4.0 * count * count)).sqrt();
    Measured::proportion(numerator, n).with_interval(interval(
        centre - half,
        centre + half,
        IntervalMethod::Wilson,
    ))
}

fn interval(low: f64, high: f64, method: IntervalMethod) -> Interval {
    Interval { low, high, level: 0.95, method, resamples: None, seed: None, clusters: None }
}

/// A number with an interval as wide as that of a mean.
fn estimate(value: f64, n: usize) -> Measured {
    let half = 0.6 / (n.max(1) as f64).sqrt();
    let mut interval =
        interval((value - half).max(0.0), (value + half).min(1.0), IntervalMethod::PercentileBootstrap);
    interval.resamples = Some(10_000);
    interval.seed = Some(7);
    Measured::new(value, n).with_interval(interval)
}

/// Yes among the rows that have a verdict.
fn rate(rows: &[&TrajectoryRow], verdict: fn(&TrajectoryRow) -> &Verdict, reason: Reason) -> Measured {
    let defined: Vec<bool> = rows.iter().filter_map(|row| verdict(row).value).collect();
    proportion(defined.iter().filter(|&&yes| yes).count(), defined.len(), reason)
}

fn group(
    agent: Option<String>,
    model: Option<String>,
    dataset: Option<String>,
    condition: Option<String>,
    all: &[&TrajectoryRow],
) -> SummaryRow {
    let rows: Vec<&TrajectoryRow> = all.iter().copied().filter(|row| row.excluded.is_none()).collect();
    let of = |split: Split| -> Vec<&TrajectoryRow> {
        rows.iter().copied().filter(|row| row.split == Some(split)).collect()
    };
    let (conflict, control) = (of(Split::Conflict), of(Split::Control));
    let is_labelled = !conflict.is_empty();
    let wrong: Vec<&TrajectoryRow> =
        conflict.iter().copied().filter(|row| row.correct.value == Some(false)).collect();
    let identified: Vec<&TrajectoryRow> =
        conflict.iter().copied().filter(|row| row.identify.is_yes()).collect();
    let labels = |measured: Measured| if is_labelled { measured } else { undefined(Reason::NoLabels) };
    let solve = labels(rate(&identified, |row| &row.solve, Reason::NoneIdentified));
    let mut reasons = IndexMap::new();
    for row in all {
        if let Some(excluded) = &row.excluded {
            *reasons.entry(excluded.reason.code().to_owned()).or_default() += 1;
        }
        if row.identify.value.is_none() {
            *reasons.entry("reasoning_not_readable".to_owned()).or_default() += 1;
        }
    }
    SummaryRow {
        agent,
        model,
        dataset,
        scenario: None,
        condition,
        judge: super::trajectories::JUDGE.into(),
        counts: Counts {
            trajectories: all.len() as u64,
            conflict: conflict.len() as u64,
            control: control.len() as u64,
            unlabelled: all.iter().filter(|row| row.split.is_none()).count() as u64,
            reasons,
        },
        accuracy: accuracy(&conflict, &control, is_labelled),
        similarity: None,
        identify: identify(&conflict, &control, is_labelled),
        solve_bounds: SolveBounds {
            low: solve.clone(),
            high: solve.clone(),
            unknown: u64::from(is_labelled),
        },
        solve_successful: labels(rate(&identified, |row| &row.solve_successful, Reason::NoneIdentified)),
        solve,
        escalate: labels(rate(&wrong, |row| &row.escalate, Reason::NoWrongAnswers)),
        utility: utility(&rows, is_labelled),
        unlabelled: unlabelled(&rows),
        diagnostics: diagnostics(&rows, if is_labelled { &conflict } else { &rows }, &control, is_labelled),
        calibration: calibration(&rows),
        attribution: AttributionSummary {
            accuracy: undefined(Reason::NotApplicable),
            du_f1: undefined(Reason::NotApplicable),
            mu_f1: undefined(Reason::NotApplicable),
            avg_f1: undefined(Reason::NotApplicable),
            estimator: "released".into(),
            forms: IndexMap::new(),
        },
        first_mention: first_mention(&conflict),
    }
}

fn accuracy(conflict: &[&TrajectoryRow], control: &[&TrajectoryRow], is_labelled: bool) -> Accuracy {
    let reason = if is_labelled { Reason::NoSamples } else { Reason::NoLabels };
    let both: Vec<&TrajectoryRow> = conflict.iter().chain(control).copied().collect();
    let (first, second) =
        (rate(conflict, |row| &row.correct, reason), rate(control, |row| &row.correct, reason));
    let gap = second.value().unwrap_or(0.0) - first.value().unwrap_or(0.0);
    let p = |scale: f64| {
        if is_labelled {
            Measured::new((-gap.abs() * 12.0).exp().mul_add(scale, 0.0).min(1.0), both.len())
        } else {
            undefined(Reason::NoLabels)
        }
    };
    let statistic =
        if is_labelled { Measured::new(gap * 5.0, both.len()) } else { undefined(Reason::NoLabels) };
    Accuracy {
        all: rate(&both, |row| &row.correct, reason),
        conflict: first,
        control: second,
        test: Test { name: "two_proportion_z".into(), statistic, p: p(0.8), p_holm: p(3.0) },
    }
}

fn identify(conflict: &[&TrajectoryRow], control: &[&TrajectoryRow], is_labelled: bool) -> Identify {
    if !is_labelled {
        let none = || undefined(Reason::NoLabels);
        return Identify { precision: none(), recall: none(), f1: none() };
    }
    let hits = conflict.iter().filter(|row| row.identify.is_yes()).count();
    let false_flags = control.iter().filter(|row| row.identify.is_yes()).count();
    let n = conflict.len() + control.len();
    let f1 = if hits == 0 {
        undefined(Reason::NoPositives)
    } else {
        estimate(2.0 * hits as f64 / (hits + false_flags + conflict.len()) as f64, n)
    };
    Identify {
        precision: proportion(hits, hits + false_flags, Reason::NoPositives),
        recall: rate(conflict, |row| &row.identify, Reason::NoSamples),
        f1,
    }
}

fn utility(rows: &[&TrajectoryRow], is_labelled: bool) -> Utility {
    let mean = |k: f64| {
        if !is_labelled {
            return undefined(Reason::NoLabels);
        }
        let sum: f64 = rows
            .iter()
            .map(|row| {
                if row.correct.is_yes() {
                    1.0
                } else if row.escalate.is_yes() {
                    0.0
                } else {
                    -k
                }
            })
            .sum();
        Measured::new(sum / rows.len() as f64, rows.len())
    };
    Utility { k1: mean(1.0), k2: mean(2.0), k4: mean(4.0) }
}

fn unlabelled(rows: &[&TrajectoryRow]) -> Unlabelled {
    let flagged: Vec<&TrajectoryRow> = rows.iter().copied().filter(|row| row.identify.is_yes()).collect();
    let turns: u32 = rows.iter().map(|row| row.turns - 1).sum();
    Unlabelled {
        flag_rate: rate(rows, |row| &row.identify, Reason::NoSamples),
        follow_up_rate: rate(&flagged, |row| &row.solve, Reason::NoneIdentified),
        acknowledged_rate: rate(rows, |row| &row.acknowledged, Reason::NoSamples),
        escalated_rate: rate(rows, |row| &row.escalate, Reason::NoSamples),
        flags_per_100_turns: Measured::new(
            100.0 * flagged.len() as f64 / f64::from(turns.max(1)),
            turns as usize,
        ),
    }
}

fn diagnostics(
    all: &[&TrajectoryRow],
    chain: &[&TrajectoryRow],
    control: &[&TrajectoryRow],
    is_labelled: bool,
) -> Diagnostics {
    let mut broke_at: IndexMap<String, u64> = IndexMap::new();
    for row in chain {
        let code = row.broke_at.and_then(|broke_at| serde_json::to_value(broke_at).ok());
        let code = code.as_ref().and_then(|code| code.as_str()).unwrap_or("undefined").to_owned();
        *broke_at.entry(code).or_default() += 1;
    }
    let calls = |rows: &[&TrajectoryRow]| {
        if rows.is_empty() || !is_labelled {
            return undefined(Reason::NoLabels);
        }
        Measured::new(
            rows.iter().map(|row| f64::from(row.tool_calls)).sum::<f64>() / rows.len() as f64,
            rows.len(),
        )
    };
    let none = || undefined(if is_labelled { Reason::ZeroVariance } else { Reason::NoLabels });
    Diagnostics {
        acknowledged: rate(chain, |row| &row.acknowledged, Reason::NoSamples),
        final_reasoning_only: rate(chain, |row| &row.final_reasoning, Reason::NoSamples),
        self_inconsistent: undefined(Reason::NeedsModelJudge),
        refusal: rate(all, |row| &row.refusal, Reason::NoSamples),
        answer_source: IndexMap::new(),
        broke_at,
        tool_calls_conflict: calls(chain),
        tool_calls_control: calls(control),
        tool_calls_test: Test { name: "paired_t".into(), statistic: none(), p: none(), p_holm: none() },
        truncation_unknown: all.iter().filter(|row| row.truncated == "unknown").count() as u64,
    }
}

fn calibration(rows: &[&TrajectoryRow]) -> Vec<CalibrationRow> {
    let mut stated: Vec<(f64, bool)> =
        rows.iter().filter_map(|row| Some((row.confidence.value?, row.correct.value?))).collect();
    if stated.is_empty() {
        return Vec::new();
    }
    let n = stated.len();
    let bins: Vec<Bin> = (0..10)
        .map(|index| {
            let (low, high) = (f64::from(index) / 10.0, f64::from(index + 1) / 10.0);
            let inside: Vec<&(f64, bool)> = stated.iter().filter(|(q, _)| *q > low && *q <= high).collect();
            let right = inside.iter().filter(|(_, right)| *right).count();
            let mean = inside.iter().map(|(q, _)| q).sum::<f64>() / inside.len().max(1) as f64;
            Bin {
                low,
                high,
                n: inside.len() as u64,
                confidence: (!inside.is_empty()).then_some(mean),
                accuracy: proportion(right, inside.len(), Reason::NoSamples),
            }
        })
        .collect();
    let gap = bins
        .iter()
        .filter_map(|bin| Some(bin.n as f64 * (bin.confidence? - bin.accuracy.value()?).abs()))
        .sum::<f64>()
        / n as f64;
    let brier =
        stated.iter().map(|(q, right)| (q - f64::from(u8::from(*right))).powi(2)).sum::<f64>() / n as f64;
    let wrong: Vec<f64> = stated.iter().filter(|(_, right)| !right).map(|(q, _)| *q).collect();
    let right = n - wrong.len();
    stated.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut errors = 0.0;
    let risk_coverage: Vec<RiskPoint> = stated
        .iter()
        .enumerate()
        .map(|(index, (_, right))| {
            errors += f64::from(u8::from(!right));
            RiskPoint { coverage: (index + 1) as f64 / n as f64, risk: errors / (index + 1) as f64 }
        })
        .collect();
    let aurc = risk_coverage.iter().map(|point| point.risk).sum::<f64>() / n as f64;
    vec![CalibrationRow {
        source: "tag".into(),
        n: n as u64,
        accuracy: proportion(right, n, Reason::NoSamples),
        ece: estimate(gap, n),
        brier: estimate(brier, n),
        auroc: if wrong.is_empty() { undefined(Reason::OneClass) } else { estimate(0.68, n) },
        mcip: if wrong.is_empty() {
            undefined(Reason::NoWrongAnswers)
        } else {
            estimate(wrong.iter().sum::<f64>() / wrong.len() as f64, wrong.len())
        },
        aurc: estimate(aurc, n),
        edges: "right-closed".into(),
        bins,
        risk_coverage,
    }]
}

fn first_mention(conflict: &[&TrajectoryRow]) -> FirstMention {
    let series = |is_right: bool, mentions: fn(&TrajectoryRow) -> &Vec<u32>| {
        let mut series = MentionSeries::default();
        for row in conflict.iter().filter(|row| row.correct.value == Some(is_right)) {
            series.trajectories += 1;
            for (index, turn) in mentions(row).iter().enumerate() {
                let tenth = usize::try_from((turn * 10 / row.turns.max(1)).min(9)).unwrap_or(9);
                series.all[tenth] += 1;
                series.first[tenth] += u64::from(index == 0);
            }
        }
        series
    };
    FirstMention {
        gold_in_wrong: series(false, |row| &row.mentions.gold),
        parametric_in_right: series(true, |row| &row.mentions.parametric),
    }
}
