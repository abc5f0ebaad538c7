//! Tables of every format.

#![expect(clippy::unwrap_used, reason = "the helpers of tests fail as tests do")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, RecordBatch, StringArray, UInt64Array,
};
use humbly_table::{Cell, Table, column_names, read, read_bytes};

fn data_folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "{} is missing", folder.display());
    None
}

fn table(text: &str, columns: &[&str]) -> Table {
    read_bytes("t", text.as_bytes().to_vec(), columns).unwrap()
}

fn batch() -> RecordBatch {
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("confidence", Arc::new(Float64Array::from(vec![Some(0.9), None, Some(f64::NAN)])), true),
        ("half", Arc::new(Float32Array::from(vec![0.9, 0.5, 0.1])), true),
        ("correct", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])), true),
        ("id", Arc::new(StringArray::from(vec!["a", "b", "c"])), true),
        ("big", Arc::new(UInt64Array::from(vec![1, 2, u64::MAX])), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn arrow_stream() -> Vec<u8> {
    let batch = batch();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow_file() -> Vec<u8> {
    let batch = batch();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn parquet() -> Vec<u8> {
    let batch = batch();
    let mut bytes = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn columnar_formats_hold_the_same_columns() {
    for (name, bytes) in [("stream", arrow_stream()), ("file", arrow_file()), ("parquet", parquet())] {
        // Not in the order of the file.
        let table = read_bytes(name, bytes, &["correct", "confidence", "half", "id", "big"]).unwrap();
        assert_eq!(table.len(), 3, "{name}");
        assert_eq!(table.column_bool("correct").unwrap().values, [Some(true), Some(false), None], "{name}");
        let confidence = table.column_f64("confidence").unwrap();
        assert_eq!(confidence.values, [Some(0.9), None, None], "{name}");
        // NaN is a problem with its row, a missing cell is none.
        assert_eq!(confidence.problems.len(), 1, "{name}");
        assert_eq!(confidence.problems[0].record.as_deref(), Some("row 3"), "{name}");
        assert_eq!(table.column_f64("half").unwrap().values[0], Some(0.9), "{name}");
        assert_eq!(table.column_text("id").unwrap()[2].as_deref(), Some("c"), "{name}");
        assert!(table.column_f64("big").unwrap().values[2].unwrap() > 1e19, "{name}");
    }
}

#[test]
fn a_parquet_file_on_disk_is_read_by_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    std::fs::write(&path, parquet()).unwrap();
    assert_eq!(column_names(&path).unwrap().len(), 5);
    assert_eq!(read(&path, &["id"]).unwrap().len(), 3);
}

#[test]
fn the_released_arrow_stream_matches_its_published_numbers() {
    let Some(folder) = data_folder() else { return };
    let path = folder.join("rlcr-outputs/Hotpot-models/math-500/data-00000-of-00001.arrow");
    let derived = folder.join("rlcr-outputs/derived/math-500.confidence_correct.csv");
    let arrow = read(&path, &["RLCR-confidence_levels", "RLCR-evals"]).unwrap();
    let csv = read(&derived, &["method", "confidence", "correct"]).unwrap();
    let methods = csv.column_text("method").unwrap();
    let keep = |values: Vec<Option<f64>>| -> Vec<Option<f64>> {
        let rows = methods.iter().zip(values);
        rows.filter(|(method, _)| method.as_deref() == Some("RLCR")).map(|(_, value)| value).collect()
    };
    assert_eq!(
        arrow.column_f64("RLCR-confidence_levels").unwrap().values,
        keep(csv.column_f64("confidence").unwrap().values)
    );
    assert_eq!(
        arrow.column_f64("RLCR-evals").unwrap().values,
        keep(csv.column_f64("correct").unwrap().values)
    );
    assert_eq!(arrow.len(), 500);
}

#[test]
fn rows_know_their_lines() {
    let csv = table("q,text,ok\n0.5,\"two\nlines\",1\n0.25,x,0\n", &["q", "ok"]);
    assert_eq!((csv.line(0), csv.line(1)), (2, 4));
    let jsonl = table("{\"q\":1}\n\n{\"q\":2}", &["q"]);
    assert_eq!((jsonl.line(0), jsonl.line(1)), (1, 3));
}

#[test]
fn separators_and_byte_order_marks_are_seen() {
    let tabs = table("\u{feff}q\tok\n0,5\t1\n", &["q", "ok"]);
    assert_eq!(tabs.column_text("q").unwrap()[0].as_deref(), Some("0,5"));
    assert_eq!(table("q;ok\n0.5;1\n", &["q"]).column_f64("q").unwrap().values, [Some(0.5)]);
}

#[test]
fn not_a_number_is_undefined_with_its_line() {
    let csv = "q,ok\n0.5,1\nnan,0\n,1\n";
    let jsonl = "{\"q\":0.5}\n{\"q\":NaN}\n{\"q\":null}\n";
    for text in [csv, jsonl, "[{\"q\":0.5},{\"q\":NaN},{}]"] {
        let column = table(text, &["q"]).column_f64("q").unwrap();
        assert_eq!(column.values, [Some(0.5), None, None], "{text}");
        assert_eq!(column.problems.len(), 1, "{text}");
        assert!(column.problems[0].message.contains("NaN in row 2"), "{:?}", column.problems);
    }
}

#[test]
fn a_word_is_undefined_and_a_column_of_words_is_an_error() {
    let mixed = table("q\n0.5\nhigh\n", &["q"]).column_f64("q").unwrap();
    assert_eq!(mixed.values, [Some(0.5), None]);
    assert!(mixed.problems[0].message.contains("`high`"));
    let words = table("q\nlow\nhigh\n", &["q"]).column_f64("q").unwrap_err();
    assert_eq!(words.line, Some(2));
    assert!(words.message.contains("no number at all"), "{words:?}");
}

#[test]
fn many_bad_cells_are_counted() {
    let text = "q\n1\n".to_owned() + &"x\n".repeat(100);
    let problems = table(&text, &["q"]).column_f64("q").unwrap().problems;
    assert_eq!(problems.len(), 21);
    assert!(problems[20].message.starts_with("80 more"), "{:?}", problems[20]);
}

#[test]
fn swapped_columns_are_told() {
    let table = table("confidence,correct\n1,0.95\n0,0.4\n", &["confidence", "correct"]);
    let problem = table.column_bool("correct").unwrap_err();
    assert_eq!(problem.line, Some(2));
    assert!(problem.message.contains("0.95` in row 1, expected 0 or 1"), "{}", problem.message);
    assert!(problem.hint.unwrap().contains("swapped"));
}

#[test]
fn an_unknown_column_lists_those_that_exist() {
    let csv = "confidence,correct\n1,0\n";
    let jsonl = "{\"confidence\":1,\"correct\":0}\n";
    for text in [csv, jsonl, "[{\"confidence\":1,\"correct\":0}]"] {
        let problem = read_bytes("t", text.as_bytes().to_vec(), &["confidance"]).unwrap_err();
        assert!(problem.message.contains("`correct`"), "{problem:?}");
        assert_eq!(problem.hint.as_deref(), Some("did you mean `confidence`?"));
    }
}

#[test]
fn a_column_that_only_some_records_have_exists() {
    let column = table("{\"a\":1}\n{\"a\":2,\"q\":0.5}\n", &["q"]).column_f64("q").unwrap();
    assert_eq!(column.values, [None, Some(0.5)]);
}

#[test]
fn bad_rows_are_listed_and_the_rest_is_read() {
    let csv = table("q,ok\n0.5,1\n0.5\n0.7,0\n", &["q"]);
    assert_eq!((csv.len(), csv.problems()[0].line), (2, Some(3)));
    let jsonl = table("{\"q\":1}\nnonsense\n[1]\n{\"q\":", &["q"]);
    assert_eq!(jsonl.len(), 1);
    let lines: Vec<_> = jsonl.problems().iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [Some(2), Some(3), Some(4)]);
    assert!(jsonl.problems()[2].message.contains("cut off"));
}

#[test]
fn what_is_no_table_is_named() {
    for (bytes, word) in [
        (&b""[..], "empty"),
        (b"\x1f\x8b\x08", "compressed"),
        (b"a\0b\n", "binary"),
        (b"PAR1 and nothing more", "cannot be read as a table"),
        (b"ARROW1\0\0", "cannot be read as a table"),
        (b"\xff\xff\xff\xff\x10\0\0\0", "cannot be read as a table"),
    ] {
        let problem = read_bytes("t", bytes.to_vec(), &["q"]).unwrap_err();
        assert!(problem.message.contains(word), "{problem:?}");
    }
}

#[test]
fn lists_of_one_value_are_that_value() {
    let table = table("{\"q\":[0.9],\"r\":[1,2]}\n", &["q", "r"]);
    assert_eq!(table.column_f64("q").unwrap().values, [Some(0.9)]);
    assert_eq!(table.cells("r").unwrap()[0], Cell::Text("[1,2]".into()));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,80}|[\\[\\]{}\",:0-9aq\n]{0,60}") {
        let _ = read_bytes("t", text.into_bytes(), &["q"]).map(|table| table.column_f64("q"));
    }

    #[test]
    fn damaged_columnar_files_are_problems(which in 0..3_usize, at in 0.0_f64..1.0, byte: u8, is_cut: bool) {
        let mut bytes = match which { 0 => arrow_stream(), 1 => arrow_file(), _ => parquet() };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let index = (bytes.len() as f64 * at) as usize;
        if is_cut { bytes.truncate(index); } else { bytes[index] = byte; }
        let _ = read_bytes("t", bytes, &["confidence", "id"]).map(|table| table.column_f64("confidence"));
    }
}
