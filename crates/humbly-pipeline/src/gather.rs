//! Rows that several processes scored, log by log, as one report: what one process would have said of all logs.

use std::collections::{HashMap, HashSet};

use humbly_score::{Digest, Digests, SCHEMA, ScoreReport, Settings, TrajectoryRow, summarise};
use humbly_types::Problem;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tasks::Tasks;

/// What one log gave.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// Hash of the log's bytes.
    pub hash: String,
    /// Its rows, each as JSON text as the report has it.
    pub rows: Vec<String>,
    /// What could not be used of it.
    pub problems: Vec<Problem>,
}

/// Joins the parts, in the order of their paths, into one report: a copy of an earlier log is left out, of
/// several trajectories with one id the later ones are numbered.
///
/// # Errors
/// Where a row is no row of a report.
pub fn gather(
    parts: impl IntoIterator<Item = Part>,
    tasks: Option<&Tasks>,
    settings: Settings,
) -> Result<ScoreReport, serde_json::Error> {
    let mut digests = Digests::default();
    let mut trajectories = Vec::new();
    let mut problems = tasks.map(|tasks| tasks.problems.clone()).unwrap_or_default();
    let mut logs = HashSet::new();
    let mut ids: HashMap<u64, u32> = HashMap::new();
    for part in parts {
        if !logs.insert(part.hash) {
            continue;
        }
        problems.extend(part.problems);
        for text in part.rows {
            let mut row = read(&text)?;
            let count = ids.entry(Digest::id_hash(&row.id)).or_insert(0);
            *count += 1;
            if *count > 1 {
                row.id = format!("{}~{count}", row.id);
            }
            let task = row.task.as_deref().and_then(|id| tasks?.of(&row.path).by_id(id));
            digests.add(&row, task.and_then(|task| task.answerable));
            trajectories.push(row);
        }
    }
    let summary = summarise(&digests, &settings);
    Ok(ScoreReport { schema: SCHEMA.to_owned(), settings, summary, trajectories, problems })
}

/// The numbers of a row that need not be whole, as they are written.
#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    confidence: WrittenValue<'a>,
    #[serde(borrow, default)]
    confidence_path: Option<WrittenPath<'a>>,
    #[serde(borrow, default)]
    similarity: Option<WrittenValue<'a>>,
}

#[derive(Deserialize)]
struct WrittenValue<'a> {
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct WrittenPath<'a> {
    #[serde(borrow)]
    stated: Vec<WrittenValue<'a>>,
    #[serde(borrow, default)]
    answer_probability: Option<&'a RawValue>,
}

/// A row with its numbers to the last bit, which the parser of JSON does not promise.
fn read(text: &str) -> Result<TrajectoryRow, serde_json::Error> {
    let mut row: TrajectoryRow = serde_json::from_str(text)?;
    let written: Written<'_> = serde_json::from_str(text)?;
    let exact = |value: Option<&RawValue>| value?.get().parse::<f64>().ok();
    row.confidence.value = exact(written.confidence.value).or(row.confidence.value);
    if let (Some(similarity), Some(written)) = (&mut row.similarity, written.similarity) {
        similarity.value = exact(written.value).or(similarity.value);
    }
    if let (Some(path), Some(written)) = (&mut row.confidence_path, written.confidence_path) {
        path.answer_probability = exact(written.answer_probability).or(path.answer_probability);
        for (stated, written) in path.stated.iter_mut().zip(written.stated) {
            stated.value = exact(written.value).unwrap_or(stated.value);
        }
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use humbly_judge::LexicalJudge;
    use humbly_score::Matching;
    use humbly_types::Judgement;

    use super::*;
    use crate::{Observer, Request, score_logs};

    #[derive(Default)]
    struct Rows(Vec<TrajectoryRow>, Vec<Problem>);

    impl Observer for Rows {
        fn scored(&mut self, _: Option<&humbly_types::Trajectory>, row: &TrajectoryRow, _: &Judgement) {
            self.0.push(row.clone());
        }

        fn problem(&mut self, problem: &Problem) {
            self.1.push(problem.clone());
        }
    }

    fn settings(judge: &LexicalJudge) -> Settings {
        Settings {
            humbly: String::new(),
            judge: judge.name().to_string(),
            judge_hash: judge.rules_hash(),
            matching: Matching::Auto,
            correctness: humbly_score::CorrectnessBy::Rules,
            seed: 0,
            resamples: 50,
            level: 0.95,
            episodes: "each".to_owned(),
            solve_over: humbly_score::SolveOver::Conflict,
            solve_same_turn: false,
            paper: false,
            bins: 10,
            confidence_scale: "unit".to_owned(),
            attribution_f1: "released".to_owned(),
            tasks_hash: None,
        }
    }

    fn scored(paths: Vec<PathBuf>) -> (Rows, ScoreReport) {
        let judge = LexicalJudge::new();
        let settings = settings(&judge);
        let mut rows = Rows::default();
        let request = Request { paths, ..Request::default() };
        let scored = score_logs(&request, None, &judge, &settings, &mut rows);
        let report = ScoreReport {
            schema: SCHEMA.to_owned(),
            settings,
            summary: scored.summary,
            trajectories: rows.0.clone(),
            problems: rows.1.clone(),
        };
        (rows, report)
    }

    fn chat(confidence: &str) -> String {
        let answer = format!("<answer>1912</answer><confidence>{confidence}</confidence>");
        serde_json::json!({"id": "same", "messages": [
            {"role": "user", "content": "When?"}, {"role": "assistant", "content": answer},
        ]})
        .to_string()
    }

    #[test]
    fn logs_scored_one_by_one_are_the_report_of_all() {
        let folder = tempfile::tempdir().unwrap();
        // Long fractions, one id twice, a copy, and a file that is no log.
        let texts = [chat("0.3000000000000000444"), chat("0.12345678901234567"), chat("0.12345678901234567")];
        let mut paths = Vec::new();
        for (index, text) in texts.iter().map(String::as_str).chain(["no log"]).enumerate() {
            let path = folder.path().join(index.to_string()).join("same.jsonl");
            std::fs::create_dir(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            paths.push(path);
        }
        let part = |path: &Path| {
            let (rows, _) = scored(vec![path.to_owned()]);
            Part {
                hash: crate::content_hash(&std::fs::read(path).unwrap()),
                rows: rows.0.iter().map(|row| serde_json::to_string(row).unwrap()).collect(),
                problems: rows.1,
            }
        };
        let gathered =
            gather(paths.iter().map(|path| part(path)), None, settings(&LexicalJudge::new())).unwrap();
        let (_, whole) = scored(paths);
        assert_eq!(whole.trajectories.len(), 2);
        assert_eq!(whole.trajectories[1].id, "same~2");
        assert_eq!(serde_json::to_string(&gathered).unwrap(), serde_json::to_string(&whole).unwrap());
    }

    #[test]
    fn a_row_is_read_to_the_last_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, chat("0.5")).unwrap();
        let mut row = scored(vec![path]).0.0.remove(0);
        let mut value = 0.1_f64;
        for _ in 0..2_000 {
            value = (value * 3.999 * (1.0 - value)).abs();
            row.confidence.value = Some(value);
            let text = serde_json::to_string(&row).unwrap();
            assert_eq!(
                read(&text).unwrap().confidence.value.map(f64::to_bits),
                Some(value.to_bits()),
                "{text}"
            );
        }
    }
}
