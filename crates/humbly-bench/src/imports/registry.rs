//! The list of imports.

use std::path::Path;

use humbly_types::Problem;

use super::{llm_calibration_mmlu_pro, mip_overthinking, rlcr_outputs, wikicontradict_humaneval};
use crate::summary::ImportSummary;

/// A released output that can be imported.
#[derive(Debug, Clone, Copy)]
pub struct Import {
    /// Name on the command line.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What file it reads.
    pub reads: &'static str,
    /// What it writes.
    pub writes: &'static str,
    run: fn(&Path, &Path) -> Result<ImportSummary, Problem>,
}

/// All imports, by name.
pub const IMPORTS: &[Import] = &[
    Import {
        name: llm_calibration_mmlu_pro::NAME,
        title: "LLM-Calibration-Study on MMLU-Pro: three kinds of confidence",
        reads: "mmlu_pro_*.csv, or a folder of them",
        writes: "rows.jsonl: one column for each kind of confidence",
        run: llm_calibration_mmlu_pro::run,
    },
    Import {
        name: mip_overthinking::NAME,
        title: "MiP-Overthinking: answers to questions with a missing premise",
        reads: "response.json, or a folder of them",
        writes: "responses.jsonl: text, whether the question can be answered, and the released label",
        run: mip_overthinking::run,
    },
    Import {
        name: rlcr_outputs::NAME,
        title: "RLCR evaluation outputs: five methods with stated confidences",
        reads: "data-*.arrow (Arrow stream), JSONL or Parquet of the same columns",
        writes: "rows.jsonl: one row for each question and method",
        run: rlcr_outputs::run,
    },
    Import {
        name: wikicontradict_humaneval::NAME,
        title: "WikiContradict human evaluation: answers without, with one and with both contexts",
        reads: "WikiContradict_HumanEval*.json or wiki_contradict_*humaneval.jsonl",
        writes: "tasks.jsonl, trajectories/*.jsonl, closed-book.jsonl, labels.jsonl",
        run: wikicontradict_humaneval::run,
    },
];

/// Runs an import: reads `file`, writes into the folder `to`.
///
/// # Errors
/// A [`Problem`] where the name is unknown, the file cannot be read as what the import reads, or the folder
/// cannot be written. Single bad records are listed in the summary.
///
/// # Examples
/// ```
/// let problem = humbly_bench::import("rlcr", "a".as_ref(), "b".as_ref()).unwrap_err();
/// assert!(problem.message.contains("rlcr-outputs"));
/// ```
pub fn import(name: &str, file: &Path, to: &Path) -> Result<ImportSummary, Problem> {
    let Some(import) = IMPORTS.iter().find(|import| import.name == name) else {
        let names: Vec<String> = IMPORTS.iter().map(|import| format!("`{}`", import.name)).collect();
        return Err(Problem::new(
            file.to_string_lossy(),
            format!("no import `{name}`, expected one of {}", names.join(", ")),
        )
        .hint("list them with `humbly data list`"));
    };
    (import.run)(file, to)
}
