//! Settings as most tests want them.

use humbly_score::{CorrectnessBy, Matching, Settings, SolveOver};

pub(crate) fn settings(scale: &str) -> Settings {
    Settings {
        humbly: "test".into(),
        judge: "hand".into(),
        judge_hash: String::new(),
        matching: Matching::Auto,
        seed: 1,
        resamples: 200,
        level: 0.95,
        episodes: "each".into(),
        solve_over: SolveOver::Conflict,
        solve_same_turn: false,
        paper: false,
        bins: 10,
        confidence_scale: scale.into(),
        attribution_f1: "released".into(),
        correctness: CorrectnessBy::Rules,
        tasks_hash: None,
    }
}
