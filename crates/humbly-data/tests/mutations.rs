//! Files that were bitten, cut and mixed: no panic, and every row is a question, left out, or a problem.

#![allow(
    clippy::unwrap_used,
    clippy::too_many_lines,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and a table of cases is long"
)]

mod support;

use humbly_data::{DATA_SETS, data_set, load_all};
use proptest::prelude::*;
use support::golden;

const SAMPLES: &[(&str, &str)] = &[
    ("aime", "{\"prompt\": \"p\", \"answer\": 204}\n{\"id\": 60, \"problem\": \"p\", \"answer\": \"204\"}\n"),
    (
        "conflictqa",
        "{\"question\": \"Is it?\", \"ground_truth\": [\"True\"], \"memory_answer\": \"It is.\", \"counter_answer\": \"It is not.\", \"parametric_memory\": \"m\", \"counter_memory\": \"c\", \"parametric_memory_aligned_evidence\": \"e\", \"counter_memory_aligned_evidence\": \"f\"}\n",
    ),
    (
        "dapo-math",
        "{\"data_source\": \"math_dapo\", \"prompt\": [{\"role\": \"user\", \"content\": \"p\"}], \"reward_model\": {\"ground_truth\": \"34\"}, \"extra_info\": {\"index\": 3}}\n",
    ),
    ("gsm8k", "{\"question\": \"q\", \"answer\": \"a <<1+1=2>>\\n#### 2,125\"}\n"),
    (
        "hotpotqa",
        "[{\"_id\": \"a\", \"question\": \"q\", \"answer\": \"yes\", \"supporting_facts\": [[\"t\", 0]], \"context\": [[\"t\", [\"s.\", \" u.\"]]]},\n{\"id\": \"b\", \"question\": \"q\", \"answer\": \"yes\", \"supporting_facts\": {\"title\": [\"t\"]}, \"context\": {\"title\": [\"t\"], \"sentences\": [[\"s\"]]}}]",
    ),
    (
        "math-500",
        "{\"problem\": \"p\", \"answer\": \"\\\\frac{1}{2}\", \"subject\": \"s\", \"level\": 2, \"unique_id\": \"u\"}\n",
    ),
    (
        "mip-overthinking",
        "[{\"question\": \"q\", \"answer\": \"#### 5\", \"insufficient_question\": \"i\"},\n{\"insufficient_question\": \"f\", \"complexity\": 3, \"depth\": 2}]",
    ),
    (
        "musique",
        "{\"id\": \"2hop__1_2\", \"paragraphs\": [{\"idx\": 0, \"title\": \"t\", \"paragraph_text\": \"p\", \"is_supporting\": true}], \"question\": \"q\", \"answer\": \"a\", \"answer_aliases\": [\"b\"], \"answerable\": false}\n",
    ),
    ("nq-open", "{\"question\": \"q\", \"answer\": [\"a\", \"b\"]}\n"),
    (
        "olympiadbench",
        "{\"id\": 1, \"question\": \"q\", \"final_answer\": [\"$1$,$2$\"], \"is_multiple_answer\": true, \"error\": \"1e-1\"}\n",
    ),
    (
        "selfaware",
        "{\"quantity\": 2, \"example\": [{\"question_id\": 1, \"question\": \"q\", \"answer\": null, \"answerable\": false},\n{\"question_id\": 2, \"question\": \"q\", \"answer\": [\"a\"], \"answerable\": true}]}",
    ),
    ("simpleqa", "metadata,problem,answer\n\"{'topic': 'Art', 'urls': ['a', \"\"b\"\"]}\",q,\"a, b\"\n"),
    (
        "simpleqa-verified",
        "original_index,problem,answer\n5,q,\"1,000 (acceptable range: anything between 990 and 1,010)\"\n",
    ),
    (
        "wikicontradict",
        "{\"question\": \"q\", \"answer1\": \"a\", \"answer2\": \"b\", \"context1\": \"c\", \"context2\": \"d\"}\n",
    ),
];

fn sample(set: &str) -> Vec<u8> {
    if let Some((_, text)) = SAMPLES.iter().find(|(name, _)| *name == set) {
        return text.as_bytes().to_vec();
    }
    let file = match set {
        "gaia" => "gaia/metadata.jsonl",
        "monaco" => "monaco/monaco_version_1_release.jsonl",
        _ => "browsecomp/browse_comp_test_set.csv",
    };
    let bytes = std::fs::read(golden(file)).unwrap();
    bytes[..bytes.len().min(2_000)].to_vec()
}

/// Loads bytes and checks that every row is accounted for.
fn account(set: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    std::fs::write(&path, bytes).unwrap();
    let Ok(loaded) = load_all(data_set(set).unwrap(), &path) else { return };
    let report = loaded.report;
    let left_out: u64 = report.left_out.values().sum();
    // A row of MiP-Overthinking may give two questions.
    let most = if set == "mip-overthinking" { 2 * report.rows } else { report.rows };
    assert!(report.questions <= most);
    assert!(report.questions + left_out + report.bad_rows >= report.rows, "{set}: {report:?}");
}

#[test]
fn every_set_has_a_sample_that_loads_whole() {
    for set in DATA_SETS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let mut bytes = sample(set.name);
        if !SAMPLES.iter().any(|(name, _)| *name == set.name) {
            bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').unwrap());
        }
        std::fs::write(&path, bytes).unwrap();
        let loaded = load_all(set, &path).unwrap();
        assert!(loaded.report.questions > 0, "{}", set.name);
        assert_eq!(loaded.report.problems, [], "{}", set.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn bitten_files_never_panic(
        index in 0..DATA_SETS.len(),
        bites in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let set = DATA_SETS[index].name;
        let mut bytes = sample(set);
        for (place, byte) in bites {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        account(set, &bytes);
    }

    #[test]
    fn pieces_of_json_never_panic(
        index in 0..DATA_SETS.len(),
        pieces in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "\"question\"", "\"answer\"", "\"example\"", ":", ",", "\n", "null", "1e999", "\"a\"", "\\", "é",
        ]), 0..40),
    ) {
        account(DATA_SETS[index].name, pieces.concat().as_bytes());
    }

    #[test]
    fn values_of_every_kind_never_panic(
        index in 0..DATA_SETS.len(),
        values in prop::collection::vec(prop::sample::select(vec![
            "null", "true", "3", "-1.5", "\"\"", "\"x\"", "[]", "[null]", "[[]]", "{}", "[{}]", "[\"a\", 2]", "{\"title\": [1]}",
        ]), 12),
    ) {
        let set = DATA_SETS[index].name;
        let text = String::from_utf8(sample(set)).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default().trim_start_matches('[').trim_end_matches(',');
        let Ok(serde_json::Value::Object(mut fields)) = serde_json::from_str(line) else { return Ok(()) };
        for (field, value) in fields.values_mut().zip(&values) {
            *field = serde_json::from_str(value).unwrap();
        }
        account(set, serde_json::Value::Object(fields).to_string().as_bytes());
    }
}

/// Twice the bytes take about twice the time: hostile forms of nesting and quoting stay cheap.
#[test]
fn hostile_files_take_a_moment() {
    for unit in ["[", "{", "{\"a\":", "\"", "[[],", "{\"example\":[", ",", "'"] {
        for lead in ["", "[", "{\"example\": [", "metadata,problem,answer\n\""] {
            let bytes = format!("{lead}{}", unit.repeat(400_000 / unit.len()));
            for set in ["selfaware", "simpleqa", "hotpotqa"] {
                let started = std::time::Instant::now();
                account(set, bytes.as_bytes());
                assert!(started.elapsed().as_secs() < 5, "{set}: {lead}{unit}…");
            }
        }
    }
}
