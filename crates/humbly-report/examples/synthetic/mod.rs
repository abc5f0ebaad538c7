//! Synthetic trajectories with verdicts, and the report that counting them gives.
//!
//! Everything is drawn from a small generator with a fixed seed: the same bytes on every run.

mod summary;
mod trajectories;

use humbly_score::{CorrectnessBy, Matching, SCHEMA, ScoreReport, Settings, SolveOver};
use humbly_types::{Problem, Trajectory, TurnVerdict};

/// A report and what it was counted from, row by row.
pub(crate) struct Demo {
    /// The report.
    pub(crate) report: ScoreReport,
    /// Trajectories with the verdicts of their turns, in the order of the report's rows.
    pub(crate) trajectories: Vec<(Trajectory, Vec<TurnVerdict>)>,
}

/// Linear congruential generator: enough for made-up data.
pub(crate) struct Draws(u64);

impl Draws {
    /// The next number in `[0, 1)`.
    pub(crate) fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 32).unwrap_or(0)) / 4_294_967_296.0
    }

    /// Whether something of this probability happens.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    /// One of the items.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let place = self.share() * items.len() as f64;
        items
            .iter()
            .enumerate()
            .take_while(|(index, _)| *index as f64 <= place)
            .last()
            .map_or(&items[0], |(_, item)| item)
    }
}

/// The demo; without labels there are no tasks, no splits and no references.
pub(crate) fn demo(is_labelled: bool) -> Demo {
    let mut draws = Draws(20_260);
    let made = trajectories::all(&mut draws, is_labelled);
    let (rows, trajectories): (Vec<_>, Vec<_>) =
        made.into_iter().map(|made| (made.row, (made.trajectory, made.turns))).unzip();
    let summary = summary::of(&rows);
    let report = ScoreReport {
        schema: SCHEMA.to_owned(),
        settings: Settings {
            humbly: "0.1.0".into(),
            judge: trajectories::JUDGE.into(),
            judge_hash: "5d41402abc4b2a76b9719d911017c592".into(),
            matching: Matching::Auto,
            seed: 7,
            resamples: 10_000,
            level: 0.95,
            episodes: "each".into(),
            solve_over: SolveOver::Conflict,
            solve_same_turn: false,
            paper: false,
            bins: 10,
            confidence_scale: "unit".into(),
            attribution_f1: "released".into(),
            correctness: CorrectnessBy::Rules,
            tasks_hash: is_labelled.then(|| "900150983cd24fb0d6963f7d28e17f72".into()),
        },
        summary,
        trajectories: rows,
        problems: vec![
            Problem::new(
                "/home/ada/logs/run-7/session-0031.jsonl",
                "the last line ends in the middle of a record",
            )
            .line(412)
            .hint("copy the log again when the agent has stopped"),
            Problem::new(
                "logs/notes.txt",
                "found plain text, expected one of the formats of `humbly formats`",
            ),
            Problem::new("logs/batch.eval", "sample stands twice; the later one was scored")
                .record("samples/q-19_epoch_1.json")
                .hint("nothing to do if it was retried"),
        ],
    };
    Demo { report, trajectories }
}
