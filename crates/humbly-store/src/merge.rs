//! Joining the shards of one run.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Finished, PlannedSample, Result, RunFile, SampleState, StoreError, StoredSample};

/// What a merge did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// Samples in the joined run.
    pub samples: u64,
    /// Samples that were done in more than one shard; the first counts.
    pub repeated: Vec<String>,
    /// Samples that no shard has run.
    pub waiting: u64,
}

/// Joins runs with equal settings and plans into a new file.
///
/// # Errors
/// [`StoreError::SettingsDiffer`] where two were started differently, else as [`RunFile::create`].
pub fn merge(into: &Path, from: &[PathBuf]) -> Result<Merged> {
    let runs: Vec<RunFile> = from.iter().map(|path| RunFile::read(path)).collect::<Result<_>>()?;
    let settings = match runs.first() {
        Some(first) => first.settings()?,
        None => Value::Object(serde_json::Map::new()),
    };
    for run in &runs {
        same_settings(run, &settings)?;
    }
    let joined = RunFile::create(into, &settings)?;
    let mut merged = Merged::default();
    for run in &runs {
        let mut samples = Vec::new();
        run.for_each_sample(|sample| samples.push(sample))?;
        let plan: Vec<_> = samples
            .iter()
            .map(|sample| PlannedSample { key: sample.key.clone(), plan: sample.plan.clone() })
            .collect();
        joined.plan(&plan)?;
        for sample in samples.into_iter().filter(|sample| sample.state != SampleState::Waiting) {
            take(&joined, sample, &mut merged)?;
        }
        for judge in run.judges()? {
            for verdict in run.verdicts(&judge)?.values() {
                joined.put_verdict(verdict)?;
            }
        }
    }
    let totals = joined.totals()?;
    merged.samples = totals.planned;
    merged.waiting = totals.waiting();
    Ok(merged)
}

fn take(joined: &RunFile, sample: StoredSample, merged: &mut Merged) -> Result<()> {
    match joined.sample_by_key(&sample.key)?.state {
        SampleState::Done => {
            if sample.state == SampleState::Done {
                merged.repeated.push(sample.key);
            }
            return Ok(());
        }
        SampleState::Failed if sample.state == SampleState::Failed => return Ok(()),
        SampleState::Failed | SampleState::Waiting => {}
    }
    joined.finish(
        &sample.key,
        &Finished {
            record: sample.record,
            error: sample.error,
            usage: sample.usage,
            cost_usd: sample.cost_usd,
            seconds: sample.seconds,
        },
    )
}

fn same_settings(run: &RunFile, expected: &Value) -> Result<()> {
    let found = run.settings()?;
    let names = [&found, expected].into_iter().filter_map(Value::as_object).flat_map(serde_json::Map::keys);
    for name in names {
        if found.get(name) != expected.get(name) {
            let text = |value: &Value| value.get(name).map_or_else(|| "nothing".to_owned(), Value::to_string);
            return Err(StoreError::SettingsDiffer {
                path: run.path().to_owned(),
                setting: name.clone(),
                found: text(&found),
                expected: text(expected),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Shard;

    #[test]
    fn shards_become_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let plan: Vec<_> =
            (0..5).map(|index| PlannedSample { key: format!("s{index}"), plan: json!(index) }).collect();
        let mut paths = Vec::new();
        for shard in ["1/2", "2/2"] {
            let path = folder.path().join(format!("{}.sqlite", shard.replace('/', "-")));
            let run = RunFile::create(&path, &json!({"seed": 3})).unwrap();
            run.plan(&plan).unwrap();
            let shard: Shard = shard.parse().unwrap();
            for sample in run.waiting(shard, false).unwrap() {
                let record = Some(format!("{{\"id\":\"{}\"}}", sample.key));
                run.finish(&sample.key, &Finished { record, ..Finished::default() }).unwrap();
            }
            paths.push(path);
        }
        let into = folder.path().join("joined.sqlite");
        let merged = merge(&into, &paths).unwrap();
        assert_eq!(merged, Merged { samples: 5, repeated: vec![], waiting: 0 });
        assert!(matches!(merge(&into, &paths), Err(StoreError::Exists { .. })));
    }

    #[test]
    fn runs_of_other_settings_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = [1, 2]
            .into_iter()
            .map(|seed| {
                let path = folder.path().join(format!("{seed}.sqlite"));
                RunFile::create(&path, &json!({"seed": seed})).unwrap();
                path
            })
            .collect();
        let error = merge(&folder.path().join("joined.sqlite"), &paths).unwrap_err();
        assert!(matches!(error, StoreError::SettingsDiffer { .. }));
    }
}
