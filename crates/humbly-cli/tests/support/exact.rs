//! Intervals by another way: Wilson's formula written out, and the bootstrap by every possible draw.

use serde_json::Value;

/// The quantile of the normal distribution behind 95 %.
const Z: f64 = 1.959_963_984_540_054;
/// How far the tail of some thousand draws may lie from 2.5 %: five standard deviations of 4,000 draws.
const SLACK: f64 = 0.0125;
const TAIL: f64 = 0.025;
const EQUAL: f64 = 1e-9;

/// Wilson's 95 % interval of `successes` in `n`.
pub(crate) fn wilson(successes: f64, n: f64) -> [f64; 2] {
    let share = successes / n;
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    [-1.0, 1.0].map(|side| ((middle + side * half) / (1.0 + Z * Z / n)).clamp(0.0, 1.0))
}

/// Checks a number that counts `successes` in `n` with Wilson's interval.
#[track_caller]
pub(crate) fn counts(found: &Value, successes: u64, n: u64) {
    assert_eq!((&found["numerator"], &found["n"]), (&successes.into(), &n.into()), "{found}");
    let ends = wilson(successes as f64, n as f64);
    for (name, end) in ["low", "high"].into_iter().zip(ends) {
        let given = found["interval"][name].as_f64().unwrap_or_else(|| panic!("no interval: {found}"));
        assert!((given - end).abs() < 1e-9, "{name}: {given} is not {end}");
    }
    assert_eq!(found["interval"]["method"], "wilson", "{found}");
}

/// The bootstrap's distribution of a statistic, from all draws instead of some.
pub(crate) struct Exact {
    draws: Vec<(f64, f64)>,
    /// Share of the draws on which the statistic has a value.
    defined: f64,
}

impl Exact {
    /// `kinds` counts the rows (or questions) of each kind; `statistic` sees how many of each a draw holds, and draws on
    /// which it has no value are left out.
    pub(crate) fn of(kinds: &[u32], statistic: impl Fn(&[u32]) -> Option<f64>) -> Self {
        let n: u32 = kinds.iter().sum();
        let mut found = Vec::new();
        let mut drawn = vec![0; kinds.len()];
        walk(kinds, n, n, 0, 1.0, &mut drawn, &mut |drawn, chance| {
            if let Some(value) = statistic(drawn) {
                found.push((value, chance));
            }
        });
        let total: f64 = found.iter().map(|(_, chance)| chance).sum();
        Self {
            draws: found.into_iter().map(|(value, chance)| (value, chance / total)).collect(),
            defined: total,
        }
    }

    fn chance(&self, is: impl Fn(f64) -> bool) -> f64 {
        self.draws.iter().filter(|(value, _)| is(*value)).map(|(_, chance)| chance).sum()
    }

    /// Checks that the ends of a number's interval cut off 2.5 % on each side.
    #[track_caller]
    pub(crate) fn is_interval_of(&self, found: &Value) {
        if found["interval"].is_null() && self.defined < 0.55 {
            // Without a value on half of the draws there is no interval, and this is said.
            assert!(found["note"].as_str().unwrap().contains("too_few_samples"), "{found}");
            return;
        }
        let end =
            |name: &str| found["interval"][name].as_f64().unwrap_or_else(|| panic!("no interval: {found}"));
        let (low, high) = (end("low"), end("high"));
        let below = (self.chance(|value| value < low - EQUAL), self.chance(|value| value <= low + EQUAL));
        assert!(below.0 <= TAIL + SLACK && below.1 >= TAIL - SLACK, "{low} cuts off {below:?}: {found}");
        let above = (self.chance(|value| value > high + EQUAL), self.chance(|value| value >= high - EQUAL));
        assert!(above.0 <= TAIL + SLACK && above.1 >= TAIL - SLACK, "{high} cuts off {above:?}: {found}");
    }
}

/// Every way to draw `left` rows of the kinds from `place` on, with its chance.
fn walk(
    kinds: &[u32],
    n: u32,
    left: u32,
    place: usize,
    chance: f64,
    drawn: &mut Vec<u32>,
    each: &mut dyn FnMut(&[u32], f64),
) {
    let Some(&kind) = kinds.get(place) else {
        if left == 0 {
            each(drawn, chance);
        }
        return;
    };
    let share = f64::from(kind) / f64::from(n);
    let mut here = 1.0;
    for count in 0..=left {
        drawn[place] = count;
        // left! / (count! (left − count)!) share^count: the multinomial chance, a kind at a time.
        walk(kinds, n, left - count, place + 1, chance * here, drawn, each);
        here *= share * f64::from(left - count) / f64::from(count + 1);
    }
    drawn[place] = 0;
}
