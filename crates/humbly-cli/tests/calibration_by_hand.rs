//! Every number and interval of the calibration tables by another way: from the answers as a list, with the formulas
//! written out, and with every possible draw of the bootstrap.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use serde_json::Value;
use support::exact::{Exact, counts};
use support::study::Study;

/// Confidence and outcome; one entry a question, whose samples are alike.
type Answers = &'static [(f64, bool)];

/// A cell of the study.
struct Cell {
    /// As rows begin.
    tool: &'static str,
    dataset: &'static str,
    /// Model and setting.
    setting: &'static str,
    source: &'static str,
    is_unused: bool,
    answers: Answers,
    /// Samples a question.
    samples: u32,
    /// Samples without a prediction: abstentions.
    abstained: u32,
    calls: f64,
    /// Confidences in the questions that every compared setting got wrong.
    common: &'static [f64],
}

const NUMBER: &str = "confidence as a number";
const AGREEMENT: &str = "agreement of samples";
const NQ: Cell = Cell {
    tool: "search",
    dataset: "nq-open",
    setting: "scripted:model.toml · direct",
    source: NUMBER,
    is_unused: false,
    answers: &[(0.9, true), (0.6, false), (0.8, false), (0.5, false)],
    samples: 1,
    abstained: 0,
    calls: 0.0,
    common: &[0.6, 0.8],
};
const AIME: Cell = Cell {
    tool: "calculator",
    dataset: "aime-2024",
    // The hard problem, then the easy one.
    answers: &[(0.6, false), (0.9, true)],
    samples: 32,
    common: &[0.6],
    ..NQ
};
const TOOL: &str = "scripted:model.toml · prompted-tool";
const TRAINED: &str = "scripted:trained.toml · trained";

const CELLS: [Cell; 9] = [
    NQ,
    Cell {
        setting: TOOL,
        answers: &[(1.0, true), (0.9, false), (1.0, false), (0.7, true)],
        calls: 1.0,
        common: &[0.9, 1.0],
        ..NQ
    },
    // It abstains on the first question.
    Cell {
        setting: TRAINED,
        is_unused: true,
        answers: &[(0.2, false), (0.2, false), (0.2, false)],
        abstained: 1,
        common: &[],
        ..NQ
    },
    AIME,
    Cell { setting: TOOL, answers: &[(0.5, false), (0.95, true)], calls: 1.0, common: &[0.5], ..AIME },
    Cell { setting: TRAINED, is_unused: true, answers: &[(0.3, false), (0.3, true)], common: &[], ..AIME },
    // No two samples of the hard problem agree, all of the easy one do; the trained model says 5 to both.
    Cell { source: AGREEMENT, answers: &[(0.0, false), (1.0, true)], common: &[0.0], ..AIME },
    Cell {
        setting: TOOL,
        source: AGREEMENT,
        answers: &[(0.0, false), (1.0, true)],
        calls: 1.0,
        common: &[0.0],
        ..AIME
    },
    Cell {
        setting: TRAINED,
        source: AGREEMENT,
        is_unused: true,
        answers: &[(1.0, false), (1.0, true)],
        common: &[],
        ..AIME
    },
];

impl Cell {
    fn name(&self) -> String {
        format!("{} · {}", self.setting, self.source)
    }

    fn mark(&self) -> &'static str {
        if self.is_unused { " · tool not used" } else { "" }
    }

    /// Each question once.
    fn once(&self) -> Vec<u32> {
        vec![1; self.answers.len()]
    }

    /// A statistic with the interval that resampling questions gives.
    #[track_caller]
    fn is(&self, found: &Value, of: fn(Answers, &[u32]) -> Option<f64>) {
        self.is_on(found, self.answers, of);
    }

    #[track_caller]
    fn is_on(
        &self,
        found: &Value,
        answers: &[(f64, bool)],
        of: impl Fn(&'static [(f64, bool)], &[u32]) -> Option<f64>,
    ) {
        // A statistic sees answers for as long as the test runs.
        let answers: Answers = answers.to_vec().leak();
        let found = &found["number"];
        match of(answers, &self.once()) {
            None => assert!(found["value"].is_null(), "{}: {found}", self.name()),
            Some(value) => {
                let given = found["value"].as_f64().unwrap_or_else(|| panic!("{}: {found}", self.name()));
                assert!((given - value).abs() < 1e-9, "{}: {given} is not {value}", self.name());
                Exact::of(&self.once(), |drawn| of(answers, drawn)).is_interval_of(found);
            }
        }
    }

    /// A share of the samples: Wilson's interval, or that of whole questions where they repeat.
    #[track_caller]
    fn is_share(&self, found: &Value, of_questions: &[bool], others: u32) {
        let right = size(of_questions.iter().filter(|&&is_right| is_right).count()) * self.samples;
        let all = size(of_questions.len()) * self.samples + others;
        let number = &found["number"];
        if self.samples == 1 {
            return counts(number, right.into(), all.into());
        }
        assert_eq!((&number["numerator"], &number["n"]), (&right.into(), &all.into()), "{}", self.name());
        if of_questions.len() == 1 {
            assert!(number["interval"].is_null(), "one question says nothing about others: {found}");
            return;
        }
        let share = |drawn: &[u32]| {
            let right: u32 =
                drawn.iter().zip(of_questions).filter(|(_, right)| **right).map(|(n, _)| n).sum();
            Some(f64::from(right) / f64::from(drawn.iter().sum::<u32>()))
        };
        Exact::of(&vec![1; of_questions.len()], share).is_interval_of(number);
    }
}

/// Weighted sum over the answers, divided by the weights.
fn mean(answers: Answers, drawn: &[u32], of: impl Fn(f64, bool) -> Option<f64>) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0.0);
    for ((confidence, is_right), count) in answers.iter().zip(drawn) {
        if let Some(value) = of(*confidence, *is_right) {
            sum += value * f64::from(*count);
            n += f64::from(*count);
        }
    }
    (n > 0.0).then(|| sum / n)
}

fn size(count: usize) -> u32 {
    u32::try_from(count).unwrap()
}

fn outcome(is_right: bool) -> f64 {
    f64::from(u8::from(is_right))
}

fn mean_confidence(answers: Answers, drawn: &[u32]) -> Option<f64> {
    mean(answers, drawn, |confidence, _| Some(confidence))
}

fn mcip(answers: Answers, drawn: &[u32]) -> Option<f64> {
    mean(answers, drawn, |confidence, is_right| (!is_right).then_some(confidence))
}

fn brier(answers: Answers, drawn: &[u32]) -> Option<f64> {
    mean(answers, drawn, |confidence, is_right| Some((confidence - outcome(is_right)).powi(2)))
}

/// Ten bins, the right edge inside.
fn bin(confidence: f64) -> usize {
    let found = (0..10_u8).find(|bin| confidence <= f64::from(bin + 1) / 10.0 + 1e-12);
    usize::from(found.unwrap())
}

fn ece(answers: Answers, drawn: &[u32]) -> Option<f64> {
    let mut gaps = [0.0; 10];
    for ((confidence, is_right), count) in answers.iter().zip(drawn) {
        gaps[bin(*confidence)] += (confidence - outcome(*is_right)) * f64::from(*count);
    }
    let n: u32 = drawn.iter().sum();
    (n > 0).then(|| gaps.iter().map(|gap| f64::abs(*gap)).sum::<f64>() / f64::from(n))
}

fn auroc(answers: Answers, drawn: &[u32]) -> Option<f64> {
    let (mut won, mut pairs) = (0.0, 0.0);
    for ((right, is_right), count) in answers.iter().zip(drawn) {
        for ((wrong, other_is_right), other_count) in answers.iter().zip(drawn) {
            if *is_right && !other_is_right {
                let weight = f64::from(count * other_count);
                pairs += weight;
                won += weight
                    * if right > wrong {
                        1.0
                    } else if right < wrong {
                        0.0
                    } else {
                        0.5
                    };
            }
        }
    }
    (pairs > 0.0).then(|| won / pairs)
}

/// The error rate among answers at least as confident, averaged over the answers.
fn aurc(answers: Answers, drawn: &[u32]) -> Option<f64> {
    let risk = |threshold: f64| {
        mean(answers, drawn, |confidence, is_right| {
            (confidence >= threshold).then(|| 1.0 - outcome(is_right))
        })
    };
    mean(answers, drawn, |confidence, _| risk(confidence))
}

/// Answers among the most confident, ties together.
fn accepted(answers: Answers, coverage: f64) -> Vec<bool> {
    let mut thresholds: Vec<f64> = answers.iter().map(|(confidence, _)| *confidence).collect();
    thresholds.sort_by(|one, other| other.total_cmp(one));
    let share = |count: usize| count as f64 / answers.len() as f64;
    let needed = (1..=answers.len()).find(|&count| share(count) >= coverage - 1e-12).unwrap();
    let threshold = thresholds[needed - 1];
    answers.iter().filter(|(confidence, _)| *confidence >= threshold).map(|(_, is_right)| *is_right).collect()
}

/// Distinct confidences with their share and accuracy.
fn groups(answers: Answers) -> Vec<(f64, f64, f64)> {
    let mut confidences: Vec<f64> = answers.iter().map(|(confidence, _)| *confidence).collect();
    confidences.sort_by(f64::total_cmp);
    confidences.dedup();
    let of = |confidence: f64| {
        let right: Vec<f64> = answers
            .iter()
            .filter(|(other, _)| (other - confidence).abs() < 1e-12)
            .map(|(_, right)| outcome(*right))
            .collect();
        (
            confidence,
            right.len() as f64 / answers.len() as f64,
            right.iter().sum::<f64>() / right.len() as f64,
        )
    };
    confidences.into_iter().map(of).collect()
}

fn logit(confidence: f64) -> f64 {
    (confidence / (1.0 - confidence)).ln()
}

fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

fn scaled(answers: &[(f64, bool)], temperature: f64) -> Vec<(f64, bool)> {
    let fixed = |confidence: f64| confidence <= 0.0 || confidence >= 1.0;
    let one = |confidence: f64| {
        if fixed(confidence) { confidence } else { sigmoid(logit(confidence) / temperature) }
    };
    answers.iter().map(|(confidence, is_right)| (one(*confidence), *is_right)).collect()
}

/// The cells of the row with this name.
#[track_caller]
fn named(report: &Value, item: &str, name: &str) -> Vec<Value> {
    let items = report["items"].as_array().unwrap();
    let table = items.iter().find(|one| one["determined"]["item"] == item).unwrap();
    let rows = table["determined"]["rows"].as_array().unwrap();
    let names = || rows.iter().map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>();
    let row =
        rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name} in {:#?}", names()));
    row["cells"].as_array().unwrap().clone()
}

#[track_caller]
fn value(found: &Value, expected: f64) {
    let given = found["number"]["value"].as_f64().unwrap_or_else(|| panic!("undefined: {found}"));
    assert!((given - expected).abs() < 1e-9, "{given} is not {expected}");
}

#[test]
fn tables_one_two_four_five_and_nine() {
    let study = Study::new();
    study.run();
    let report = study.report_of(4000, &[]);
    for cell in &CELLS {
        let (name, mark) = (cell.name(), cell.mark());
        let outcomes: Vec<bool> = cell.answers.iter().map(|(_, is_right)| *is_right).collect();

        let one = named(&report, "car1", &format!("{} · {} · {name}{mark}", cell.tool, cell.dataset));
        cell.is_share(&one[0], &outcomes, cell.abstained);
        cell.is(&one[1], mcip);
        if cell.is_unused {
            assert_eq!(one[2]["kind"], "tool_not_used");
        } else {
            let common: Vec<(f64, bool)> = cell.common.iter().map(|one| (*one, false)).collect();
            value(&one[2], common.iter().map(|(one, _)| one).sum::<f64>() / common.len() as f64);
            if let [first, second] = *cell.common {
                let mean = |drawn: &[u32]| {
                    Some(f64::midpoint(first * f64::from(drawn[0]), second * f64::from(drawn[1])))
                };
                Exact::of(&[1, 1], mean).is_interval_of(&one[2]["number"]);
            }
        }
        value(&one[3], cell.calls);
        let samples = size(cell.answers.len()) * cell.samples + cell.abstained;
        assert_eq!(one[4]["value"], samples);

        let item = if cell.samples == 1 { "car2" } else { "car4" };
        let stated = named(&report, item, &format!("{name}{mark}"));
        let after = named(&report, item, &format!("{name}{mark} · T = 1.5"));
        for (row, answers) in [(stated, cell.answers.to_vec()), (after, scaled(cell.answers, 1.5))] {
            cell.is_share(&row[0], &outcomes, cell.abstained);
            cell.is_on(&row[1], &answers, ece);
            cell.is_on(&row[2], &answers, brier);
            cell.is_on(&row[3], &answers, auroc);
            if outcomes.iter().all(|right| !right) {
                assert_eq!(row[3]["number"]["undefined"]["reason"], "one_class", "{name}");
            }
        }

        let five = named(&report, "car5", &format!("{} · {name}", cell.dataset));
        debiased(cell, &five[0]);
        cell.is(&five[1], mean_confidence);
        let groups = groups(cell.answers);
        let base = outcomes.iter().filter(|right| **right).count() as f64 / outcomes.len() as f64;
        value(&five[2], groups.iter().map(|(said, share, right)| share * (said - right).powi(2)).sum());
        value(&five[3], groups.iter().map(|(_, share, right)| share * (right - base).powi(2)).sum());
        value(&five[4], base * (1.0 - base));
        for (place, coverage) in [0.5, 0.8, 0.9].into_iter().enumerate() {
            cell.is_share(&five[5 + place], &accepted(cell.answers, coverage), 0);
        }
        cell.is(&five[8], aurc);
        value(&five[9], groups.iter().map(|(_, share, _)| *share).fold(0.0, f64::max));
        value(&five[10], -groups.iter().map(|(_, share, _)| share * share.log2()).sum::<f64>());

        reliability(cell, &report);
    }
}

/// `2 |gap| − E |N(gap, a (1 − a) / n)|` in each bin: only bins with right and wrong answers differ from ECE.
fn debiased(cell: &Cell, found: &Value) {
    let of_bins: f64 = match (cell.setting, cell.source) {
        // Two answers at 1.0, one of them right: gap 0.5, variance 0.125; the normal mean is 0.525_127_…
        (TOOL, NUMBER) if cell.samples == 1 => (0.3 + 0.9 + 2.0 * (2.0 * 0.5 - folded(0.5, 0.125))) / 4.0,
        // 64 answers in one bin, half of them right.
        (TRAINED, NUMBER) if cell.samples > 1 => 2.0 * 0.2 - folded(0.2, 0.25 / 64.0),
        (TRAINED, AGREEMENT) => 2.0 * 0.5 - folded(0.5, 0.25 / 64.0),
        _ => ece(cell.answers, &cell.once()).unwrap(),
    };
    let given = found["number"]["value"].as_f64().unwrap();
    assert!((given - of_bins).abs() < 1e-6, "{}: {given} is not {of_bins}", cell.name());
}

/// Mean of |N(mean, variance)|, by the trapezoidal rule.
fn folded(mean: f64, variance: f64) -> f64 {
    let (deviation, steps) = (variance.sqrt(), 200_000);
    let width = 20.0 / f64::from(steps);
    let weight = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (0..=steps)
        .map(|step| -10.0 + width * f64::from(step))
        .map(|z| (mean + deviation * z).abs() * weight(z) * width)
        .sum()
}

fn reliability(cell: &Cell, report: &Value) {
    for place in 0..10_u8 {
        let of_bin: Vec<(f64, bool)> =
            cell.answers.iter().copied().filter(|(one, _)| bin(*one) == usize::from(place)).collect();
        if of_bin.is_empty() {
            continue;
        }
        let edges = format!("{:.1} to {:.1}", f64::from(place) / 10.0, f64::from(place + 1) / 10.0);
        let row = named(report, "car9", &format!("{} · {} · {edges}", cell.dataset, cell.name()));
        assert_eq!(row[0]["value"], size(of_bin.len()) * cell.samples);
        value(&row[1], of_bin.iter().map(|(one, _)| one).sum::<f64>() / of_bin.len() as f64);
        let outcomes: Vec<bool> = of_bin.iter().map(|(_, is_right)| *is_right).collect();
        cell.is_share(&row[2], &outcomes, 0);
    }
}

#[test]
fn settings_compared_and_confidence_over_calls() {
    let study = Study::new();
    study.run();
    let report = study.report_of(4000, &[]);
    let six = |name: &str| named(&report, "car6", &format!("{name} · direct against prompted-tool"));
    let nq = six("nq-open · scripted:model.toml · confidence as a number");
    assert_eq!(nq[0]["value"], 2);
    // 0.6 and 0.8 against 0.9 and 1.0.
    value(&nq[1], -0.25);
    Exact::of(&[1, 1], |drawn| Some(f64::midpoint(-0.3 * f64::from(drawn[0]), -0.2 * f64::from(drawn[1]))))
        .is_interval_of(&nq[1]["number"]);
    // t = −5 with one degree of freedom; a lone comparison is not adjusted.
    let paired = 1.0 - 2.0 / std::f64::consts::PI * f64::atan(5.0);
    value(&nq[2], paired);
    value(&nq[3], paired);
    // Variances 0.02 and 0.005: t = −0.25 / √0.0125 = −√5; with two degrees of freedom p = 1 − t / √(t² + 2).
    value(&nq[4], 1.0 - f64::sqrt(5.0 / 7.0));
    // Welch: 0.0125² / (0.01² + 0.0025²) = 1.470_588… degrees of freedom, the t distribution integrated.
    value(&nq[5], 0.198_727_388_9);
    // One common wrong question has a difference and no test.
    for (source, difference) in [(NUMBER, 0.1), (AGREEMENT, 0.0)] {
        let row = six(&format!("aime-2024 · scripted:model.toml · {source}"));
        assert_eq!(row[0]["value"], 1);
        value(&row[1], difference);
        for cell in &row[2..] {
            assert_eq!(cell["number"]["undefined"]["reason"], "too_few_samples", "{cell}");
        }
    }

    // Calibration 8: 40 before each search; 80 before each calculation.
    let setting = "scripted:model.toml · prompted-tool";
    let eight = |name: &str| named(&report, "car8", &format!("first call · {name}"));
    let evidence = eight(&format!("evidence · {setting} · {NUMBER}"));
    let after: Answers = &[(1.0, true), (0.9, true), (1.0, true), (0.7, true)];
    assert_eq!(evidence[0]["value"], 4);
    value(&evidence[1], 0.4);
    value(&evidence[2], 0.9);
    Exact::of(&[1; 4], |drawn| mean_confidence(after, drawn)).is_interval_of(&evidence[2]["number"]);
    value(&evidence[3], 0.5);
    Exact::of(&[1; 4], |drawn| Some(mean_confidence(after, drawn)? - 0.4))
        .is_interval_of(&evidence[3]["number"]);
    // Changes 0.6, 0.5, 0.6, 0.3: t = 0.5 / √(0.02 / 4) = √50; with three degrees of freedom the tail is elementary.
    let angle = f64::atan(f64::sqrt(50.0 / 3.0));
    let tail = 1.0 - 2.0 / std::f64::consts::PI * (angle + f64::sqrt(150.0) / 53.0);
    value(&evidence[4], tail);
    let verification = eight(&format!("verification · {setting} · {NUMBER}"));
    assert_eq!(verification[0]["value"], 64);
    value(&verification[1], 0.8);
    value(&verification[2], 0.725);
    let after: Answers = &[(0.5, false), (0.95, true)];
    Exact::of(&[1, 1], |drawn| mean_confidence(after, drawn)).is_interval_of(&verification[2]["number"]);
    value(&verification[3], -0.075);
    // Changes −0.3 and 0.15: t = −1/3 with one degree of freedom.
    value(&verification[4], 1.0 - 2.0 / std::f64::consts::PI * f64::atan(1.0 / 3.0));
    let contrast = eight(&format!("evidence − verification · {setting} · {NUMBER}"));
    value(&contrast[3], 0.575);
    // Welch: t = 2.437_995…, 1.203_372… degrees of freedom, the t distribution integrated.
    value(&contrast[4], 0.212_514_898_0);
}

/// The seed puts the first and the third question of the search into the half that maps are fitted on.
#[test]
fn maps_fitted_on_one_half_and_judged_on_the_other() {
    let study = Study::new();
    study.run();
    let report = study.report_of(500, &[]);
    let seven = |map: &str| {
        named(&report, "car7", &format!("nq-open · scripted:model.toml · direct · {NUMBER} · {map}"))
    };
    let (fitted, judged): (Answers, Answers) = (&[(0.9, true), (0.8, false)], &[(0.6, false), (0.5, false)]);
    let check = |row: &[Value], after: &[(f64, bool)]| {
        let after: Answers = after.to_vec().leak();
        value(&row[0], ece(after, &[1, 1]).unwrap());
        value(&row[1], brier(after, &[1, 1]).unwrap());
        assert_eq!(row[2]["number"]["undefined"]["reason"], "one_class");
        assert_eq!(row[4]["value"], 2);
        brier(after, &[1, 1]).unwrap() - brier(judged, &[1, 1]).unwrap()
    };
    let stated = seven("as stated");
    check(&stated, judged);
    assert_eq!(stated[3]["number"]["undefined"]["reason"], "not_applicable");
    let given = seven("temperature 1.50, given");
    value(&given[3], check(&given, &scaled(judged, 1.5)));
    // Fitted: the likelihood of the other half is steepest where logit(0.9) σ(−logit(0.9) / T) = logit(0.8) σ(logit(0.8) / T).
    let (right, wrong) = (logit(fitted[0].0), logit(fitted[1].0));
    let slope = |t: f64| right * sigmoid(-right / t) - wrong * sigmoid(wrong / t);
    let (mut low, mut high) = (1.0, 20.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        // Below the best temperature wrong answers cost more.
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    let fitted = seven(&format!("temperature {low:.2}, fitted"));
    let after: Answers = scaled(judged, low).leak();
    let brier_after = brier(after, &[1, 1]).unwrap();
    let found = fitted[1]["number"]["value"].as_f64().unwrap();
    assert!((found - brier_after).abs() < 1e-6, "{found} is not {brier_after} at T = {low}");
    // Platt's targets for one right and one wrong answer are 2/3 and 1/3: the line through both.
    let slope = 2.0 * f64::ln(2.0) / (right - wrong);
    let start = f64::ln(2.0) - slope * right;
    let platt = seven(&format!("Platt {start:.2} +{slope:.2} logit"));
    let after: Vec<(f64, bool)> =
        judged.iter().map(|(one, is_right)| (sigmoid(start + slope * logit(*one)), *is_right)).collect();
    let after: Answers = after.leak();
    for (cell, expected) in platt.iter().zip([ece(after, &[1, 1]), brier(after, &[1, 1])]) {
        let found = cell["number"]["value"].as_f64().unwrap();
        assert!((found - expected.unwrap()).abs() < 1e-6, "{found} is not {expected:?}");
    }
    // Isotonic: below 0.8, which was wrong, everything is 0.
    let isotonic = seven("isotonic");
    value(&isotonic[3], check(&isotonic, &[(0.0, false), (0.0, false)]));

    // With a tool the half is one right and one wrong answer at 1.0: no temperature, no line, and a share of one half.
    let seven = |map: &str| {
        named(&report, "car7", &format!("nq-open · scripted:model.toml · prompted-tool · {NUMBER} · {map}"))
    };
    for (map, reason) in [("temperature, fitted", "too_few_samples"), ("Platt", "zero_variance")] {
        for cell in &seven(map)[..4] {
            assert_eq!(cell["number"]["undefined"]["reason"], reason, "{map}");
        }
    }
    let isotonic = seven("isotonic");
    value(&isotonic[0], 0.0);
    value(&isotonic[1], 0.25);
    value(&isotonic[2], 0.5);
    value(&isotonic[3], 0.25 - f64::midpoint(0.81, 0.09));
}
