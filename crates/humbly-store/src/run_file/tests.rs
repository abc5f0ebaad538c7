use serde_json::json;
use tempfile::TempDir;

use super::*;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.sqlite");
    (folder, path)
}

fn samples(count: usize) -> Vec<PlannedSample> {
    (0..count).map(|index| PlannedSample { key: format!("s{index}"), plan: json!({"n": index}) }).collect()
}

fn done() -> Finished {
    Finished {
        record: Some(r#"{"humbly":1,"id":"x","turns":[]}"#.to_owned()),
        usage: Usage { input: Some(10), cached: None, output: Some(2), reasoning: None },
        cost_usd: Some(0.5),
        ..Finished::default()
    }
}

#[test]
fn finished_samples_survive_and_the_rest_is_waiting() {
    let (_folder, path) = folder();
    {
        let run = RunFile::create(&path, &json!({"seed": 1})).unwrap();
        assert_eq!(run.plan(&samples(3)).unwrap(), 3);
        run.finish("s1", &done()).unwrap();
        let failed = Finished { error: Some(("timed_out".into(), "no reply".into())), ..Finished::default() };
        run.finish("s2", &failed).unwrap();
    }
    let run = RunFile::open(&path).unwrap();
    let keys = |failed| -> Vec<String> {
        run.waiting(Shard::WHOLE, failed).unwrap().into_iter().map(|sample| sample.key).collect()
    };
    assert_eq!(keys(false), ["s0"]);
    assert_eq!(keys(true), ["s0", "s2"]);
    let totals = run.totals().unwrap();
    assert_eq!((totals.planned, totals.done, totals.failures(), totals.waiting()), (3, 1, 1, 1));
    assert_eq!(totals.usage.input, Some(10));
    assert_eq!(totals.usage.cached, None, "an unknown count is no zero");
    assert_eq!((totals.cost_usd, totals.without_cost), (Some(0.5), 1));
}

#[test]
fn what_earlier_attempts_cost_stays_in_the_totals() {
    let (_folder, path) = folder();
    let run = RunFile::create(&path, &json!({})).unwrap();
    run.plan(&samples(2)).unwrap();
    let error = || Some(("server".to_owned(), "it failed".to_owned()));
    let cost = || run.totals().map(|totals| (totals.usage.input, totals.cost_usd)).unwrap();
    run.put_back("s0", done().usage, Some(0.5)).unwrap();
    assert_eq!(run.waiting(Shard::WHOLE, false).unwrap().len(), 2);
    assert_eq!(cost(), (Some(10), Some(0.5)));
    run.finish("s0", &Finished { error: error(), ..Finished::default() }).unwrap();
    assert_eq!(cost(), (Some(10), Some(0.5)), "a failure without a reply cost nothing");
    run.finish("s0", &done()).unwrap();
    assert_eq!(cost(), (Some(20), Some(1.0)));
    run.finish("s0", &done()).unwrap();
    assert_eq!(cost(), (Some(10), Some(0.5)), "what was done is written anew");
    // An attempt that is done at an unknown cost leaves the sum unknown.
    run.finish("s1", &Finished { error: error(), ..done() }).unwrap();
    run.finish("s1", &Finished { cost_usd: None, ..done() }).unwrap();
    assert_eq!((run.sample_by_key("s1").unwrap().cost_usd, cost().0), (None, Some(30)));
}

#[test]
fn a_run_that_was_killed_before_it_began_is_begun() {
    let (folder, path) = folder();
    // Nothing written yet, and the header alone.
    let header = folder.path().join("header.sqlite");
    std::fs::write(&path, b"").unwrap();
    Connection::open(&header).unwrap().pragma_update(None, "journal_mode", "WAL").unwrap();
    for path in [&path, &header] {
        assert!(matches!(RunFile::open(path), Err(StoreError::NotARun { .. })));
        let run = RunFile::open_or_create(path, &json!({"seed": 1})).unwrap();
        assert_eq!(run.settings().unwrap(), json!({"seed": 1}));
        drop(run);
        assert!(matches!(RunFile::create(path, &json!({})), Err(StoreError::Exists { .. })));
    }
    let other = folder.path().join("notes.txt");
    std::fs::write(&other, b"these are somebody's notes, not ours to write into").unwrap();
    assert!(matches!(RunFile::open_or_create(&other, &json!({})), Err(StoreError::NotARun { .. })));
    assert!(std::fs::read(&other).unwrap().starts_with(b"these"));
}

#[test]
fn a_full_disk_is_named_and_what_was_done_stays() {
    let (_folder, path) = folder();
    let run = RunFile::create(&path, &json!({})).unwrap();
    run.plan(&samples(400)).unwrap();
    // So many pages are the whole disk.
    run.connection().pragma_update(None, "max_page_count", 60).unwrap();
    let large = Finished { record: Some("x".repeat(4000)), ..done() };
    let mut count = 0;
    let error = loop {
        match run.finish(&format!("s{count}"), &large) {
            Ok(()) => count += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}");
    assert!(error.hint().unwrap().contains("make room"), "{error}");
    drop(run);
    let run = RunFile::open(&path).unwrap();
    assert!(count > 5);
    assert_eq!(run.totals().unwrap().done, count);
    run.finish("s399", &large).unwrap();
}

#[test]
fn a_disk_that_refuses_to_write_is_no_puzzle() {
    let (_folder, path) = folder();
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_WRITE);
    let error = StoreError::sqlite(&path, rusqlite::Error::SqliteFailure(code, None));
    assert!(error.to_string().contains("refuses to read or write"), "{error}");
    assert!(error.hint().unwrap().contains("quota"));
}

#[test]
fn planning_again_adds_only_what_is_new() {
    let (_folder, path) = folder();
    let run = RunFile::create(&path, &json!({})).unwrap();
    run.plan(&samples(2)).unwrap();
    run.finish("s0", &done()).unwrap();
    assert_eq!(run.plan(&samples(4)).unwrap(), 2);
    assert_eq!(run.totals().unwrap().done, 1);
    assert_eq!(run.sample_by_key("s3").unwrap().position, 3);
}

#[test]
fn a_second_writer_is_refused_and_a_reader_is_not() {
    let (_folder, path) = folder();
    let run = RunFile::create(&path, &json!({})).unwrap();
    run.plan(&samples(1)).unwrap();
    assert!(matches!(RunFile::open(&path), Err(StoreError::InUse { .. })));
    assert_eq!(RunFile::read(&path).unwrap().totals().unwrap().planned, 1);
}

#[test]
fn other_settings_are_named() {
    let (_folder, path) = folder();
    drop(RunFile::create(&path, &json!({"seed": 1})).unwrap());
    let error = RunFile::open_or_create(&path, &json!({"seed": 2})).unwrap_err().to_string();
    assert!(error.contains("another `seed`: 1 there, 2 now"), "{error}");
}

#[test]
fn what_is_no_run_file_is_refused() {
    let (folder, path) = folder();
    assert!(matches!(RunFile::open(&path), Err(StoreError::Missing { .. })));
    std::fs::write(&path, b"not a database, certainly not one of ours").unwrap();
    assert!(matches!(RunFile::open(&path), Err(StoreError::NotARun { .. })));
    let other = folder.path().join("other.sqlite");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(RunFile::read(&other), Err(StoreError::NotARun { .. })));
}

#[test]
fn a_newer_version_is_refused() {
    let (_folder, path) = folder();
    let run = RunFile::create(&path, &json!({})).unwrap();
    run.connection().pragma_update(None, "user_version", 99).unwrap();
    drop(run);
    assert!(matches!(RunFile::open(&path), Err(StoreError::Newer { found: 99, known: 1, .. })));
}

#[test]
fn a_verdict_of_the_same_judge_replaces_the_first() {
    let (_folder, path) = folder();
    let run = RunFile::create(&path, &json!({})).unwrap();
    let verdict = |judgement: &str| StoredVerdict {
        key: "s0".into(),
        judge: "lexical".into(),
        judgement: judgement.into(),
        raw: None,
    };
    run.put_verdict(&verdict("1")).unwrap();
    run.put_verdict(&verdict("2")).unwrap();
    assert_eq!(run.verdicts("lexical").unwrap()["s0"].judgement, "2");
    assert_eq!(run.judges().unwrap(), ["lexical"]);
    assert!(run.verdicts("other").unwrap().is_empty());
}

#[test]
fn an_unknown_sample_is_an_error() {
    let (_folder, path) = folder();
    let run = RunFile::create(&path, &json!({})).unwrap();
    assert!(matches!(run.finish("nobody", &done()), Err(StoreError::UnknownSample { .. })));
}
