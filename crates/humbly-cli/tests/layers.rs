//! Arrows point down: a crate depends only on crates of earlier layers.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use std::collections::HashMap;

use cargo_metadata::{DependencyKind, MetadataCommand};

/// From the bottom up.
const LAYERS: &[&[&str]] = &[
    &["humbly-stats", "humbly-text", "humbly-model", "humbly-prompts"],
    &["humbly-types", "humbly-rewards"],
    &["humbly-readers", "humbly-table", "humbly-llm", "humbly-store"],
    &["humbly-score", "humbly-judge", "humbly-agent", "humbly-data"],
    &[
        "humbly-bench",
        "humbly-serve",
        "humbly-model-judge",
        "humbly-pipeline",
        "humbly-report",
        "humbly-guard",
    ],
    &["humbly-synth"],
    &["humbly-cli"],
    // Brings the command, as an entry point into its library.
    &["humbly-py"],
];

#[test]
fn crates_depend_only_on_earlier_layers() {
    let metadata = MetadataCommand::new().no_deps().other_options(["--offline".to_owned()]).exec().unwrap();
    let layer: HashMap<&str, usize> = LAYERS
        .iter()
        .enumerate()
        .flat_map(|(layer, names)| names.iter().map(move |name| (*name, layer)))
        .collect();
    for package in &metadata.packages {
        let own = layer.get(package.name.as_str()).copied();
        let own = own.unwrap_or_else(|| panic!("`{}` stands in no layer", package.name));
        for dependency in package.dependencies.iter().filter(|dependency| {
            dependency.kind == DependencyKind::Normal && dependency.name.starts_with("humbly")
        }) {
            let below = layer[dependency.name.as_str()];
            assert!(
                below < own,
                "`{}` (layer {own}) uses `{}` (layer {below})",
                package.name,
                dependency.name
            );
        }
    }
}
