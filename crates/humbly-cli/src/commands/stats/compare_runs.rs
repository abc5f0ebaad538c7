//! `humbly stats compare RUN_A RUN_B`: two runs, sample by sample.

use std::path::Path;

use anyhow::bail;
use humbly_judge::LexicalJudge;
use humbly_pipeline::{
    MeasureComparison, RowJudge, RunComparison, ScoredRun, compare_runs, is_run_or_scores, scored_run,
};
use humbly_score::{CorrectnessBy, Matching, Settings, SolveOver};
use humbly_stats::hypothesis::TestKind;
use humbly_stats::intervals::BootstrapParams;

use crate::args::{CompareArguments, OutputFormat};
use crate::exit::Status;
use crate::output::{self, Table, measured_cell, problem_error};

/// So many samples are listed for people; the JSON lists all.
const MOST_LISTED: usize = 20;

/// Whether the inputs are runs; a run beside a table is an error.
pub(super) fn takes(arguments: &CompareArguments) -> anyhow::Result<bool> {
    let Some(second) = &arguments.second else {
        if is_run_or_scores(&arguments.first) {
            bail!("`{}` is one run; hint: give a second run to compare it with", arguments.first.display());
        }
        return Ok(false);
    };
    match (is_run_or_scores(&arguments.first), is_run_or_scores(second)) {
        (true, true) if arguments.id.is_some() || arguments.score.is_some() || arguments.by.is_some() => {
            bail!("--id, --score and --by name columns of tables; two runs need none of them")
        }
        (true, true) => Ok(true),
        (false, false) => Ok(false),
        (is_first, _) => {
            let (run, other) = if is_first { (&arguments.first, second) } else { (second, &arguments.first) };
            bail!("`{}` is a run and `{}` is none", run.display(), other.display())
        }
    }
}

pub(super) fn run(arguments: &CompareArguments) -> anyhow::Result<Status> {
    let lexical = LexicalJudge::new();
    let judge = match arguments.judge.as_str() {
        "lexical" => RowJudge::Lexical,
        name if *name == **lexical.name() => RowJudge::Lexical,
        name => RowJudge::Stored(name.to_owned()),
    };
    let settings = settings(arguments.seed, &lexical);
    let scored = |path| scored_run(path, &lexical, &judge, &settings).map_err(problem_error);
    let Some(second) = &arguments.second else { bail!("there is no second run") };
    let (first, second) = (scored(&arguments.first)?, scored(second)?);
    let found =
        compare_runs(&first, &second, &BootstrapParams::seeded(arguments.seed)).map_err(problem_error)?;
    match arguments.output {
        OutputFormat::Json => output::json(&found)?,
        OutputFormat::Csv => output::table(&table(&found), OutputFormat::Csv)?,
        OutputFormat::Table => {
            let table = table(&found).to_string();
            let notes = notes(&found, table.contains(output::NOTE_MARK));
            output::stdout(format!("{}\n{table}{notes}{}", head(&found), flips(&found)).as_bytes())?;
        }
    }
    unmatched(&found);
    let problems: Vec<_> = first.problems.into_iter().chain(second.problems).collect();
    output::problems(&problems);
    Ok(Status::Done)
}

/// A run under the lexical judge.
pub(crate) fn scored(path: &Path) -> anyhow::Result<ScoredRun> {
    let lexical = LexicalJudge::new();
    scored_run(path, &lexical, &RowJudge::Lexical, &settings(0, &lexical)).map_err(problem_error)
}

fn settings(seed: u64, judge: &LexicalJudge) -> Settings {
    Settings {
        humbly: env!("CARGO_PKG_VERSION").to_owned(),
        judge: judge.name().to_string(),
        judge_hash: judge.rules_hash(),
        matching: Matching::Auto,
        seed,
        resamples: 1,
        level: 0.95,
        episodes: "each".to_owned(),
        solve_over: SolveOver::Conflict,
        solve_same_turn: false,
        paper: false,
        bins: 10,
        confidence_scale: "unit".to_owned(),
        attribution_f1: "released".to_owned(),
        correctness: CorrectnessBy::Rules,
        tasks_hash: None,
    }
}

fn head(found: &RunComparison) -> String {
    let mut text = format!(
        "{} pairs by {} · judge {}\n  first   {}\n  second  {}\n",
        found.shared,
        found.paired_by.join(", "),
        found.judge,
        found.first_name,
        found.second_name
    );
    for difference in &found.differ_in {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "not recorded".to_owned());
        text.push_str(&format!(
            "  they differ in {}: {} and {}\n",
            difference.field,
            shown(&difference.first),
            shown(&difference.second)
        ));
    }
    text
}

fn table(found: &RunComparison) -> Table {
    let mut table = Table::new(&[
        "measure",
        "first",
        "second",
        "second − first",
        "test",
        "p",
        "p (Holm)",
        "no → yes",
        "yes → no",
    ]);
    for measure in &found.measures {
        let comparison = &measure.comparison;
        let (gained, lost) = match &comparison.flips {
            Some(flips) if is_outcome(measure) => (flips.gained.to_string(), flips.lost.to_string()),
            _ => (String::new(), String::new()),
        };
        let left_out: u64 = measure.left_out.values().sum();
        let name = match left_out {
            0 => format!("{}\n{}", measure.measure, measure.set),
            some => format!("{}\n{}\n{some} left out", measure.measure, measure.set),
        };
        table.row([
            name,
            measured_cell(&comparison.first),
            measured_cell(&comparison.second),
            measured_cell(&comparison.difference),
            test_name(comparison.test.test).to_owned(),
            p_cell(&comparison.test.p),
            p_cell(&measure.p_holm),
            gained,
            lost,
        ]);
    }
    table
}

fn notes(found: &RunComparison, is_marked: bool) -> String {
    let mut text = String::new();
    if found.measures.iter().any(|measure| measure.repeated_questions > 0) {
        text.push_str(
            "  questions stand in several pairs: intervals resample whole questions, tests take pairs as independent\n",
        );
    }
    if is_marked {
        text.push_str("  * has a note (degenerate interval, …): see `--output json`\n");
    }
    text
}

fn is_outcome(measure: &MeasureComparison) -> bool {
    ["correct", "identify", "escalate"].contains(&measure.measure)
}

fn test_name(test: TestKind) -> &'static str {
    match test {
        TestKind::McNemarExact => "McNemar",
        TestKind::PairedT => "paired t",
        _ => "none",
    }
}

fn p_cell(p: &humbly_types::Measured) -> String {
    match p.value() {
        Some(value) if value < 0.001 => "< 0.001".to_owned(),
        Some(value) => output::number(value),
        None => measured_cell(p),
    }
}

/// The samples that changed, named.
fn flips(found: &RunComparison) -> String {
    let mut text = String::new();
    for measure in &found.measures {
        for (arrow, ids) in [("no → yes", &measure.gained), ("yes → no", &measure.lost)] {
            if ids.is_empty() {
                continue;
            }
            text.push_str(&format!("\n{}, {}, {arrow}: {}\n", measure.measure, measure.set, ids.len()));
            for id in ids.iter().take(MOST_LISTED) {
                text.push_str(&format!("  {id}\n"));
            }
            if ids.len() > MOST_LISTED {
                text.push_str(&format!(
                    "  and {} more: `--output json` lists all\n",
                    ids.len() - MOST_LISTED
                ));
            }
        }
        if !measure.left_out.is_empty() {
            let reasons: Vec<String> =
                measure.left_out.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
            text.push_str(&format!(
                "\n{}, {}: pairs left out: {}\n",
                measure.measure,
                measure.set,
                reasons.join(", ")
            ));
        }
    }
    text
}

fn unmatched(found: &RunComparison) {
    for (name, ids) in [(&found.first_name, &found.only_first), (&found.second_name, &found.only_second)] {
        if let Some(first) = ids.first() {
            output::note(&format!(
                "{} samples of `{name}` have no match in the other run and are left out; first: `{first}`",
                ids.len()
            ));
        }
    }
}
