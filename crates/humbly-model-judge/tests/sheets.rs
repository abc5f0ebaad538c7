//! Annotation sheets: what is drawn, what is hidden, what comes back, and the numbers by hand.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use approx::assert_abs_diff_eq;
use humbly_judge::VerdictKind;
use humbly_model_judge::{
    Annotations, FilledRow, KeyRow, Kind, ModelJudgeError, SheetItem, SheetParams, draw_sheet, read_filled,
    read_key, sheet_report, write_csv, write_jsonl, write_key,
};
use humbly_stats::Reason;
use humbly_stats::intervals::BootstrapParams;
use humbly_types::Split;
use proptest::prelude::*;

fn item(trajectory: usize, turn: u32, model: Option<bool>, lexical: bool, text: &str) -> SheetItem {
    SheetItem {
        trajectory: format!("t{trajectory}"),
        turn: Some(turn),
        text: text.to_owned(),
        verdicts: BTreeMap::from([("model".to_owned(), model), ("lexical/1".to_owned(), Some(lexical))]),
        agent: Some("SecretAgent".to_owned()),
        model: Some("SecretModel".to_owned()),
        dataset: Some("set".to_owned()),
        condition: None,
        split: Some(if trajectory.is_multiple_of(2) { Split::Conflict } else { Split::Control }),
    }
}

/// 40 trajectories of three turns: a positive in the first ten, a contested negative, a plain one.
fn items() -> Vec<SheetItem> {
    (0..40)
        .flat_map(|trajectory| {
            [
                item(trajectory, 0, Some(trajectory < 10), false, "It opened in 1912."),
                item(trajectory, 1, Some(false), trajectory < 25, "It opened in 1913."),
                item(trajectory, 2, None, false, "?"),
            ]
        })
        .collect()
}

fn params(rows: usize) -> SheetParams {
    SheetParams { rows, ..SheetParams::new(VerdictKind::Identify, "model", 7) }
}

fn count(key: &[KeyRow], kind: Kind) -> usize {
    key.iter().filter(|row| row.kind == kind).count()
}

#[test]
fn positives_are_oversampled_negatives_are_hard_and_trajectories_stand_once() {
    let drawn = draw_sheet(&items(), &params(20)).unwrap();
    assert_eq!((drawn.sheet.len(), drawn.without_verdict), (20, 40));
    assert_eq!((count(&drawn.key, Kind::Positive), count(&drawn.key, Kind::HardNegative)), (10, 10));
    assert!(drawn.shortfalls.is_empty());
    let trajectories: BTreeSet<&str> = drawn.key.iter().map(|row| row.item.trajectory.as_str()).collect();
    assert_eq!(trajectories.len(), 20);
    // Shuffled: the positives do not stand together.
    let kinds: Vec<bool> = drawn.key.iter().map(|row| row.kind == Kind::Positive).collect();
    assert!(kinds.windows(2).filter(|pair| pair[0] != pair[1]).count() > 3, "{kinds:?}");
}

#[test]
fn what_cannot_be_had_is_said_and_the_sheet_is_filled() {
    let drawn = draw_sheet(&items(), &params(30)).unwrap();
    assert_eq!(drawn.shortfalls, ["10 of 15 positives"]);
    assert_eq!(drawn.sheet.len(), 30);
    let all = draw_sheet(&items(), &params(90)).unwrap();
    assert_eq!(all.sheet.len(), 40);
    assert!(all.shortfalls.contains(&"40 of 90 rows".to_owned()), "{:?}", all.shortfalls);
}

#[test]
fn the_same_seed_gives_the_same_sheet() {
    let draw = |seed| draw_sheet(&items(), &SheetParams { seed, ..params(20) }).unwrap();
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1).key, draw(2).key);
}

#[test]
fn the_sheet_hides_what_the_key_knows() {
    let drawn = draw_sheet(&items(), &params(20)).unwrap();
    let (mut csv, mut jsonl, mut key) = (Vec::new(), Vec::new(), Vec::new());
    write_csv(&mut csv, &drawn.sheet).unwrap();
    write_jsonl(&mut jsonl, &drawn.sheet).unwrap();
    write_key(&mut key, &drawn.key).unwrap();
    for sheet in [&csv, &jsonl] {
        let text = String::from_utf8(sheet.clone()).unwrap();
        for secret in ["Secret", "conflict", "control", "model", "positive", "\"t1", "lexical"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
    let text = String::from_utf8(key).unwrap();
    assert!(text.contains("SecretAgent") && !text.contains("It opened"));
    assert_eq!(read_key(&text).unwrap(), drawn.key);
}

#[test]
fn a_spreadsheet_runs_no_formula_of_a_model() {
    for text in ["=HYPERLINK(\"http://x\")", "+1", "-2", "@SUM(A1)", "\t=1", "  =1"] {
        let drawn = draw_sheet(&[item(1, 0, Some(true), false, text)], &params(1)).unwrap();
        let mut csv = Vec::new();
        write_csv(&mut csv, &drawn.sheet).unwrap();
        let mut reader = csv::Reader::from_reader(&csv[..]);
        let cell = reader.records().next().unwrap().unwrap()[2].to_owned();
        assert_eq!(cell, format!("'{text}"));
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    for wrong in [SheetParams { positives: 1.5, ..params(5) }, params(0)] {
        assert!(matches!(draw_sheet(&items(), &wrong), Err(ModelJudgeError::Setting { .. })));
    }
}

#[test]
fn filled_sheets_of_any_spreadsheet_are_read() {
    let expected = [(2, "1", Some(true)), (3, "2", Some(false)), (4, "3", None)];
    let rows = |content: &str| read_filled(content, "ann").unwrap().rows;
    let read = |content: &str| -> Vec<(String, Option<bool>)> {
        rows(content).into_iter().map(|row| (row.id, row.label)).collect()
    };
    let wanted: Vec<(String, Option<bool>)> =
        expected.iter().map(|(_, id, label)| ((*id).to_owned(), *label)).collect();
    for content in [
        "id,question,text,label,comment\n1,identify,\"a, \"\"b\"\"\nc\",YES,\n2,identify,d,n,\n3,identify,e,,hm\n",
        "\u{feff}id;text;label\r\n1;a;1\r\n2;b;0\r\n3;c;\r\n;;\r\n",
        "Label\tID\nTrue\t1\nno\t2\n\t3\n",
        "{\"id\":\"1\",\"label\":\"yes\"}\n{\"id\":2,\"label\":false}\n\n{\"id\":\"3\",\"label\":\"\"}\n",
    ] {
        assert_eq!(read(content), wanted, "{content}");
    }
    assert_eq!(rows("id,label\n1,yes\n2,no\n3,\n").iter().map(|row| row.row).collect::<Vec<_>>(), [2, 3, 4]);
}

#[test]
fn a_faulty_sheet_names_row_and_column() {
    let fault = |content: &str| read_filled(content, "ann").unwrap_err().to_string();
    assert_eq!(
        fault("id,label\n1,yes\n2,perhaps\n"),
        "row 3, column `label`: found `perhaps`, expected yes, no or an empty cell"
    );
    assert_eq!(
        fault("id,label\n1,yes\n1,no\n"),
        "row 3, column `id`: found `1` a second time, expected each number once"
    );
    assert!(fault("id,text\n1,yes\n").contains("row 1, column `label`: found no such column"));
    assert!(fault("id,text,label\n1,yes\n").contains("row 2, column `label`: found a row of 2 cells"));
    assert!(fault("id,label\n,yes\n").contains("column `id`: found nothing"));
    assert!(fault("{\"id\":\"1\",\"label\":[]}").contains("row 1, column `label`"));
    assert!(fault("{\"id\":").contains("row 1 cannot be read"));
    assert!(read_key("{}").unwrap_err().to_string().contains("row 1 cannot be read"));
}

/// A key of four rows with one judge's verdicts, and three people.
fn by_hand() -> (Vec<KeyRow>, Vec<Annotations>) {
    let verdicts = [true, false, false, false];
    let items: Vec<SheetItem> =
        (0..4).map(|index| item(index, 0, Some(verdicts[index]), false, "x")).collect();
    let mut drawn = draw_sheet(&items, &params(4)).unwrap();
    drawn.key.sort_by(|one, two| one.item.trajectory.cmp(&two.item.trajectory));
    let people = [
        ("ann", [true, true, false, false]),
        ("ben", [true, true, false, false]),
        ("cleo", [true, false, false, true]),
    ];
    let sheets = people
        .iter()
        .map(|(name, labels)| Annotations {
            annotator: (*name).to_owned(),
            rows: drawn
                .key
                .iter()
                .zip(labels)
                .enumerate()
                .map(|(row, (key, label))| FilledRow {
                    row: row + 2,
                    id: key.id.clone(),
                    label: Some(*label),
                })
                .collect(),
        })
        .collect();
    (drawn.key, sheets)
}

fn resampling() -> BootstrapParams {
    BootstrapParams::new(200, 0.95, 1).unwrap()
}

#[test]
fn the_report_has_the_numbers_worked_out_by_hand() {
    let (key, sheets) = by_hand();
    let report = sheet_report(&key, &sheets, &resampling()).unwrap();
    assert_eq!((report.items, report.complete, report.ties), (4, 4, 0));
    // Pairs agree on 1, 1/3, 1, 1/3 of the rows; half of the labels are yes, so chance is 1/2.
    let people = &report.people;
    assert_abs_diff_eq!(people.raw.value().unwrap(), 2.0 / 3.0, epsilon = 1e-12);
    assert_abs_diff_eq!(people.fleiss_kappa.value().unwrap(), 1.0 / 3.0, epsilon = 1e-12);
    assert_abs_diff_eq!(people.ac1.value().unwrap(), 1.0 / 3.0, epsilon = 1e-12);
    assert_eq!(people.prevalence.value(), Some(0.5));
    assert_eq!(people.pairs.len(), 3);
    assert!(people.fleiss_kappa.interval.is_some());
    // The judge says yes, no, no, no; the majority yes, yes, no, no.
    let judge = report.judges.iter().find(|judge| judge.judge == "model").unwrap();
    assert_eq!(judge.majority.raw.value(), Some(0.75));
    assert_abs_diff_eq!(judge.majority.kappa.value().unwrap(), 0.5, epsilon = 1e-12);
    assert_abs_diff_eq!(judge.majority.ac1.value().unwrap(), 0.281_25 / 0.531_25, epsilon = 1e-12);
    assert_eq!(judge.each["cleo"].raw.value(), Some(0.75));
    assert_eq!(judge.mean_raw.value(), Some(0.75));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["people"]["fleiss_kappa"]["n"], 4);
    assert_eq!(json["judges"][1]["majority"]["raw"]["numerator"], 3);
}

#[test]
fn missing_labels_and_ties_stay_out_and_are_counted() {
    let (key, mut sheets) = by_hand();
    sheets.pop();
    sheets[1].rows[0].label = None;
    sheets[1].rows[1].label = Some(false);
    let report = sheet_report(&key, &sheets, &resampling()).unwrap();
    assert_eq!((report.complete, report.ties, report.unlabelled), (3, 1, 0));
    assert_eq!(report.people.fleiss_kappa.n, 3);
    let judge = report.judges.iter().find(|judge| judge.judge == "model").unwrap();
    assert_eq!(judge.majority.n, 3);

    let nobody = sheet_report(&key, &[], &resampling()).unwrap();
    assert_eq!(nobody.unlabelled, 4);
    assert_eq!(nobody.people.raw.undefined_reason(), Some(Reason::NoSamples));
    assert_eq!(nobody.judges[0].majority.kappa.undefined_reason(), Some(Reason::NoSamples));
    assert!(sheet_report(&[], &[], &resampling()).unwrap().question.is_none());
}

#[test]
fn sheets_that_do_not_belong_to_the_key_are_refused() {
    let (key, mut sheets) = by_hand();
    sheets[0].rows[2].id = "99".to_owned();
    let error = sheet_report(&key, &sheets, &resampling()).unwrap_err().to_string();
    assert!(error.contains("row 4, column `id`: found `99` in the sheet of `ann`"), "{error}");
    let (key, mut sheets) = by_hand();
    sheets[1].annotator = "ann".to_owned();
    assert!(matches!(
        sheet_report(&key, &sheets, &resampling()),
        Err(ModelJudgeError::RepeatedAnnotator { .. })
    ));
}

proptest! {
    #[test]
    fn no_file_makes_the_reader_panic(content in "(?s)[a-z0-9,;\"\\n\\t{}:\\[\\] ]{0,80}") {
        let _ = read_filled(&content, "x");
        let _ = read_filled(&format!("id,label\n{content}"), "x");
        let _ = read_key(&content);
    }

    #[test]
    fn a_written_sheet_is_read_back_unlabelled(texts in proptest::collection::vec("(?s).{0,30}", 1..6)) {
        let items: Vec<SheetItem> =
            texts.iter().enumerate().map(|(index, text)| item(index, 0, Some(true), false, text)).collect();
        let drawn = draw_sheet(&items, &SheetParams { positives: 1.0, ..params(items.len()) }).unwrap();
        let (mut csv, mut jsonl) = (Vec::new(), Vec::new());
        write_csv(&mut csv, &drawn.sheet).unwrap();
        write_jsonl(&mut jsonl, &drawn.sheet).unwrap();
        for bytes in [csv, jsonl] {
            let read = read_filled(&String::from_utf8(bytes).unwrap(), "x").unwrap();
            let ids: Vec<String> = read.rows.iter().map(|row| row.id.clone()).collect();
            prop_assert_eq!(ids, drawn.key.iter().map(|row| row.id.clone()).collect::<Vec<_>>());
            prop_assert!(read.rows.iter().all(|row| row.label.is_none()));
        }
    }
}
