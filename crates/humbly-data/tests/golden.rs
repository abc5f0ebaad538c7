//! Rows of our own in the forms of the gated sets, and broken ones.

#![allow(
    clippy::unwrap_used,
    clippy::too_many_lines,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and a table of cases is long"
)]

mod support;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_json::reader::infer_json_schema_from_iterator;
use humbly_types::ReferenceMode;
use parquet::arrow::ArrowWriter;
use serde_json::Value;
use support::{golden, loaded, loaded_text};

fn gaia_as_parquet() -> Vec<u8> {
    let text = std::fs::read(golden("gaia/metadata.jsonl")).unwrap();
    let rows = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let rows: Vec<Value> = rows.map(|line| serde_json::from_slice(line).unwrap()).collect();
    let schema = Arc::new(infer_json_schema_from_iterator(rows.iter().map(Ok)).unwrap());
    let mut decoder = arrow_json::ReaderBuilder::new(Arc::clone(&schema)).build_decoder().unwrap();
    decoder.serialize(&rows).unwrap();
    let batch: RecordBatch = decoder.flush().unwrap().unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn gaia_is_the_same_as_lines_and_as_parquet() {
    let lines = loaded("gaia", &golden("gaia/metadata.jsonl"));
    assert_eq!((lines.report.rows, lines.report.questions, lines.report.bad_rows), (40, 40, 0));
    assert_eq!(lines.questions[0].references, ["7"]);
    assert_eq!(lines.questions[1].level.as_deref(), Some("2"));
    // A list stays one reference: the scorer takes it apart.
    assert_eq!(lines.questions[30].references, ["2, 3, 5, 7, 11"]);
    assert!(
        lines
            .questions
            .iter()
            .all(|question| !question.meta.values().any(|text| text.contains("Look it up")))
    );
    assert_eq!(loaded_text("gaia", "metadata.parquet", gaia_as_parquet()), lines);
}

#[test]
fn a_hidden_answer_of_gaia_is_no_reference() {
    let row = r#"{"task_id": "t", "Question": "What?", "Level": "1", "Final answer": "?", "file_name": ""}"#;
    let hidden = loaded_text("gaia", "test.jsonl", row);
    assert_eq!((hidden.questions[0].references.len(), hidden.questions[0].answerable), (0, None));
    assert_eq!(hidden.questions[0].meta["reference"], "withheld");
}

#[test]
fn a_cut_parquet_file_is_a_problem() {
    let mut bytes = gaia_as_parquet();
    bytes.truncate(bytes.len() / 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("metadata.parquet");
    std::fs::write(&path, bytes).unwrap();
    let problem = humbly_data::load_all(humbly_data::data_set("gaia").unwrap(), &path).unwrap_err();
    assert!(problem.message.starts_with("cannot be read as Parquet"), "{}", problem.message);
}

#[test]
fn monaco_has_lists_numbers_and_yes_or_no() {
    let loaded = loaded("monaco", &golden("monaco/monaco_version_1_release.jsonl"));
    assert_eq!((loaded.report.questions, loaded.report.bad_rows), (40, 0));
    let find = |number: usize| &loaded.questions[number - 1];
    assert_eq!(find(1).references, ["Mercury", "Venus", "Mars"]);
    assert_eq!(find(1).reference_mode, ReferenceMode::All);
    assert_eq!(
        (find(2).references.as_slice(), find(2).reference_mode),
        (&["Spain".to_owned()][..], ReferenceMode::Any)
    );
    assert_eq!(find(21).references, ["Apollo 11, Neil Armstrong", "Apollo 11, Buzz Aldrin"]);
    assert_eq!(find(24).references, ["12"]);
    assert_eq!(find(30).references, ["0.4"]);
    assert_eq!((find(35).references[0].as_str(), find(38).references[0].as_str()), ("yes", "no"));
    assert_eq!(find(35).meta["answer_kind"], "yes_no");
    assert_eq!(find(40).id, "monaco-40");
}

#[test]
fn browsecomp_is_decrypted_with_the_canary_of_its_row() {
    let loaded = loaded("browsecomp", &golden("browsecomp/browse_comp_test_set.csv"));
    assert_eq!((loaded.report.questions, loaded.report.bad_rows), (40, 0));
    assert_eq!(loaded.questions[0].references, ["Middlemarch"]);
    assert!(loaded.questions[3].question.contains("seven bridges"));
    assert_eq!(loaded.questions[36].references, ["Anne, Charlotte, Emily"]);
    let text = std::fs::read_to_string(golden("browsecomp/browse_comp_test_set.csv")).unwrap();
    assert!(!text.contains("Middlemarch"));
    let changed = loaded_text("browsecomp", "b.csv", text.replacen("humbly golden rows", "another key", 1));
    assert_eq!((changed.report.questions, changed.report.bad_rows), (39, 1));
    assert_eq!(changed.report.problems[0].line, Some(2));
    assert!(changed.report.problems[0].message.contains("expected base64 that the row's canary decrypts"));
}

#[test]
fn the_chinese_form_of_browsecomp_is_read() {
    let canary = "BrowseComp-ZH";
    let row = format!(
        "Topic,Question,Answer,canary\n音乐,{},{},{canary}\n",
        humbly_data::encrypt("哪座城市?", canary),
        humbly_data::encrypt("南京", canary)
    );
    let loaded = loaded_text("browsecomp", "zh.csv", row);
    assert_eq!(loaded.questions[0].references, ["南京"]);
    assert_eq!(loaded.questions[0].category.as_deref(), Some("音乐"));
}

#[test]
fn bad_rows_are_named_and_the_others_are_loaded() {
    for (set, name, text, line, message) in [
        (
            "gsm8k",
            "t.jsonl",
            "{\"question\": \"q\", \"answer\": \"six\"}\n",
            1,
            "`answer` is `six`, expected a number after `####`",
        ),
        (
            "nq-open",
            "t.jsonl",
            "{\"question\": \"q\", \"answer\": []}\n",
            1,
            "`answer` is empty, expected at least one text",
        ),
        (
            "nq-open",
            "t.jsonl",
            "\n{\"question\": \"q\", \"answer\": [\"a\"]\n",
            2,
            "no JSON object: EOF while parsing an object at line 1 column 33",
        ),
        (
            "aime",
            "t.jsonl",
            "{\"problem\": \"q\", \"answer\": 1000}\n",
            1,
            "`answer` is `1000`, expected a whole number from 0 to 999",
        ),
        (
            "simpleqa",
            "t.csv",
            "metadata,problem,answer\n\"{'topic': }\",q,a\n",
            2,
            "`metadata` is no Python dict: `}` at byte 10, expected a literal",
        ),
        ("simpleqa", "t.csv", "metadata,problem,answer\nq,a\n", 2, "2 fields, expected 3 as in the header"),
        (
            "simpleqa-verified",
            "t.csv",
            "original_index,problem,answer\n1,q,5 (acceptable range: a few)\n",
            2,
            "`answer` ends with `(acceptable range: a few)`, expected a range of two numbers",
        ),
        (
            "selfaware",
            "t.json",
            "{\"example\": [\n{\"question_id\": 1, \"question\": \"q\", \"answer\": [\"a\"]}]}",
            2,
            "no `answerable`, expected true or false",
        ),
        (
            "monaco",
            "t.jsonl",
            "{\"ex_num\": 1, \"question\": \"q\", \"validated_answer\": []}\n",
            1,
            "no `validated_answer`, expected a list with at least one answer",
        ),
        (
            "hotpotqa",
            "t.json",
            "[{\"question\": \"q\", \"answer\": \"a\",\n\"context\": {\"title\": [\"t\"], \"sentences\": []}}]",
            1,
            "`context` is an object, expected titles with as many lists of sentences",
        ),
        (
            "musique",
            "t.jsonl",
            "{\"id\": \"2hop__1\", \"question\": \"q\", \"answer\": \"a\", \"paragraphs\": [3]}\n",
            1,
            "`paragraphs[…]` is `3`, expected an object",
        ),
        (
            "conflictqa",
            "t.json",
            "{\"question\": \"q\", \"ground_truth\": [\"True\"], \"memory_answer\": \"m\"}\n",
            1,
            "no `counter_answer`, expected text",
        ),
        (
            "olympiadbench",
            "t.jsonl",
            "{\"id\": 1, \"question\": \"q\", \"final_answer\": [\"2\"], \"error\": \"some\"}\n",
            1,
            "`error` is `some`, expected a tolerance such as 1e-1",
        ),
        (
            "dapo-math",
            "t.jsonl",
            "{\"prompt\": []}\n",
            1,
            "no `reward_model`, expected an object with `ground_truth`",
        ),
    ] {
        let loaded = loaded_text(set, name, text);
        let [problem] = loaded.report.problems.as_slice() else { panic!("{set}: {:?}", loaded.report) };
        assert_eq!((problem.line, problem.message.as_str()), (Some(line), message), "{set}");
        assert!(problem.path.ends_with(name));
        assert!(problem.hint.as_deref().unwrap().contains("the row is left out"));
    }
}

#[test]
fn an_id_that_stands_twice_is_a_problem() {
    let row = r#"{"id": 7, "question": "q", "answer": "a"}"#;
    let loaded = loaded_text("hotpotqa", "t.jsonl", format!("{row}\n{row}\n"));
    assert_eq!((loaded.report.questions, loaded.report.bad_rows), (1, 1));
    assert_eq!(loaded.report.problems[0].message, "the id `7` stands twice, expected one row for each id");
}

#[test]
fn files_of_another_kind_are_refused() {
    for (name, bytes, message) in [
        ("t.jsonl", &b""[..], "the file is empty, expected rows"),
        ("t.jsonl", b"\x1f\x8b\x08rest", "gzip, expected JSONL, a JSON array, CSV or Parquet"),
        ("t.jsonl", b"<!DOCTYPE html>", "a web page, expected JSONL, a JSON array, CSV or Parquet"),
        (
            "t.jsonl",
            b"version https://git-lfs.github.com/spec/v1",
            "a pointer to a large file that git did not fetch, expected JSONL, a JSON array, CSV or Parquet",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let set = humbly_data::data_set("nq-open").unwrap();
        assert_eq!(humbly_data::load_all(set, &path).unwrap_err().message, message);
    }
}

#[test]
fn a_byte_order_mark_and_line_ends_of_windows_do_no_harm() {
    let text = "\u{feff}{\"question\": \"q\", \"answer\": [\"a\"]}\r\n\r\n{\"question\": \"r\", \"answer\": \"b\"}\r\n";
    let loaded = loaded_text("nq-open", "t.jsonl", text);
    assert_eq!((loaded.report.questions, loaded.report.bad_rows), (2, 0));
    let csv = "\u{feff}metadata,problem,answer\r\n\"{'topic': 'Art'}\",q,None\r\n";
    let loaded = loaded_text("simpleqa", "t.csv", csv);
    // `None` is an answer here.
    assert_eq!(loaded.questions[0].references, ["None"]);
}
