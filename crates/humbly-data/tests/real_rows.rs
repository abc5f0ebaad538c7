//! The real rows, in their upstream form and in place, with counts.

#![allow(
    clippy::unwrap_used,
    clippy::too_many_lines,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and a table of cases is long"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use humbly_data::{DATA_SETS, Loaded, Question, SideName, data_set};
use humbly_types::ReferenceMode;
use sha2::{Digest, Sha256};
use support::{loaded, real};

/// Rows, questions, bad rows.
fn counts(loaded: &Loaded) -> (u64, u64, u64) {
    let report = &loaded.report;
    assert_eq!(report.questions, loaded.questions.len() as u64);
    let ids: HashSet<_> = loaded.questions.iter().map(|question| &question.id).collect();
    assert_eq!(ids.len(), loaded.questions.len());
    for question in &loaded.questions {
        assert!(!question.question.trim().is_empty(), "{}", question.id);
        assert!(question.references.iter().all(|reference| !reference.trim().is_empty()), "{}", question.id);
    }
    (report.rows, report.questions, report.bad_rows)
}

/// Loads a whole file: no row may be bad.
fn whole(set: &str, path: &str, questions: u64) -> Option<Loaded> {
    let loaded = loaded(set, &real(path)?);
    assert_eq!(counts(&loaded), (questions, questions, 0), "{:?}", loaded.report.problems.first());
    Some(loaded)
}

fn by_category(questions: &[Question]) -> BTreeMap<&str, usize> {
    questions.iter().fold(BTreeMap::new(), |mut counts, question| {
        *counts.entry(question.category.as_deref().unwrap_or_default()).or_default() += 1;
        counts
    })
}

#[test]
fn pinned_checksums_are_those_of_the_real_files() {
    for (set, index, path) in [
        ("conflictqa", 0, "conflictqa/conflictQA-strategyQA-chatgpt.json"),
        ("wikicontradict", 0, "wikicontradict/wiki_contradict_refined.jsonl"),
        ("selfaware", 0, "selfaware/SelfAware.json"),
        ("mip-overthinking", 0, "mip-overthinking/gsm8k.json"),
        ("mip-overthinking", 1, "mip-overthinking/svamp.json"),
        ("mip-overthinking", 2, "mip-overthinking/formula.json"),
        ("mip-overthinking", 3, "mip-overthinking/response/math/MiP/gpt4o/response.json"),
        ("gsm8k", 0, "gsm8k/test.jsonl"),
        ("nq-open", 0, "nq-open/NQ-open.dev.jsonl"),
        ("olympiadbench", 0, "olympiadbench/test.jsonl"),
        ("math-500", 0, "math-500/math500_test.jsonl"),
        ("aime", 0, "aime/aime24.jsonl"),
        ("aime", 1, "aime/aime25.jsonl"),
    ] {
        let Some(path) = real(path) else { return };
        let found: String = Sha256::digest(std::fs::read(&path).unwrap())
            .iter()
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        assert_eq!(data_set(set).unwrap().files[index].sha256, Some(found.as_str()), "{}", path.display());
    }
}

#[test]
fn conflictqa_keeps_its_sides_apart() {
    let Some(loaded) = whole("conflictqa", "conflictqa/conflictQA-strategyQA-chatgpt.json", 1_245) else {
        return;
    };
    let first = &loaded.questions[0];
    assert_eq!(first.references, ["True", "Yes"]);
    let memory = first.side(SideName::Memory).unwrap();
    let counter = first.side(SideName::Counter).unwrap();
    assert!(memory.answer.starts_with("More people today are related to Genghis Khan"));
    assert!(counter.answer.starts_with("More people today are not related"));
    assert_eq!((memory.is_gold, counter.is_gold), (Some(true), Some(false)));
    for question in &loaded.questions {
        assert_eq!(question.sides.len(), 2);
        for side in &question.sides {
            let sources: Vec<_> =
                side.passages.iter().map(|passage| passage.source.as_deref().unwrap()).collect();
            let name = if side.name == SideName::Memory { "parametric" } else { "counter" };
            assert_eq!(sources, [format!("{name}_memory"), format!("{name}_memory_aligned_evidence")]);
            assert!(side.passages.iter().all(|passage| passage.side == Some(side.name)));
        }
    }
    assert_eq!(first.meta["believed_by"], "chatgpt");
    assert_eq!(first.category.as_deref(), Some("strategyQA"));
    let undecided = loaded.questions.iter().filter(|question| question.sides[0].is_gold.is_none()).count();
    assert_eq!(undecided, 1);
}

/// People wrote the evidence of the right side, and it is the same in the file of every model; a model wrote
/// the other, and no two are alike. So a text that two files share marks the right side.
#[test]
fn the_gold_side_of_conflictqa_has_the_evidence_of_people() {
    let mut questions: BTreeMap<String, Vec<Question>> = BTreeMap::new();
    for model in ["chatgpt", "gpt4", "llama2-7b"] {
        let Some(path) = real(&format!("conflictqa/conflictQA-strategyQA-{model}.json")) else { return };
        for question in loaded("conflictqa", &path).questions {
            questions.entry(question.question.clone()).or_default().push(question);
        }
    }
    let evidence = |question: &Question| -> [String; 2] {
        [0, 1].map(|side| question.sides[side].passages.last().unwrap().text.clone())
    };
    let (mut agree, mut differ) = (0, Vec::new());
    for same in questions.values() {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for question in same {
            let texts: BTreeSet<String> = evidence(question).into_iter().collect();
            for text in texts {
                *seen.entry(text).or_default() += 1;
            }
        }
        let shared: Vec<_> = seen.into_iter().filter(|(_, files)| *files > 1).collect();
        let [(by_people, _)] = shared.as_slice() else { continue };
        for question in same {
            let Some(side) = evidence(question).iter().position(|text| text == by_people) else { continue };
            match question.sides[side].is_gold {
                Some(true) => agree += 1,
                _ => differ.push(question.question.clone()),
            }
        }
    }
    assert_eq!(agree, 261);
    // Here upstream's shared evidence stands on the other side in one file.
    assert_eq!(differ, ["Was Donald Trump the target of Islamophobia?"]);
}

#[test]
fn wikicontradict_has_two_passages_and_no_gold_side() {
    let Some(loaded) = whole("wikicontradict", "wikicontradict/wiki_contradict_refined.jsonl", 253) else {
        return;
    };
    assert_eq!(
        by_category(&loaded.questions),
        BTreeMap::from([("Explicit", 161), ("Implicit (reasoning required)", 92)])
    );
    let first = &loaded.questions[0];
    assert_eq!((&first.candidates, &first.references), (&first.references, &first.candidates));
    assert_eq!(first.candidates, ["Apomorphine", "Aporphine"]);
    assert_eq!(first.reference_mode, ReferenceMode::All);
    let side = first.side(SideName::First).unwrap();
    assert_eq!(side.passages[0].source.as_deref(), Some("context1_self_contained"));
    assert!(side.passages[0].text.contains("Nymphaea nouchali"));
    assert!(first.meta["context1"].starts_with("Apomorphine is said"));
    assert!(loaded.questions.iter().flat_map(|question| &question.sides).all(|side| side.is_gold.is_none()));
}

#[test]
fn selfaware_keeps_the_unanswerable_apart() {
    let Some(loaded) = whole("selfaware", "selfaware/SelfAware.json", 3_369) else { return };
    let unanswerable: Vec<_> =
        loaded.questions.iter().filter(|question| question.answerable == Some(false)).collect();
    assert_eq!(unanswerable.len(), 1_032);
    assert!(unanswerable.iter().all(|question| question.references.is_empty()));
    let answerable = loaded.questions.iter().filter(|question| question.answerable == Some(true));
    assert_eq!(answerable.filter(|question| !question.references.is_empty()).count(), 2_337);
    assert_eq!(by_category(&loaded.questions)["SelfAware"], 1_032);
}

#[test]
fn mip_pairs_the_broken_question_with_the_whole_one() {
    let Some(folder) = real("mip-overthinking") else { return };
    for (file, rows, broken, whole) in
        [("gsm8k.json", 582, 582, 582), ("svamp.json", 300, 300, 0), ("formula.json", 50, 50, 0)]
    {
        let loaded = loaded("mip-overthinking", &folder.join(file));
        assert_eq!(counts(&loaded), (rows, broken + whole, 0), "{file}");
        let part = file.trim_end_matches(".json");
        assert!(loaded.questions.iter().all(|question| question.category.as_deref() == Some(part)), "{file}");
        let is = |answerable| {
            loaded.questions.iter().filter(move |question| question.answerable == Some(answerable))
        };
        assert_eq!((is(false).count() as u64, is(true).count() as u64), (broken, whole));
        assert!(is(false).all(|question| question.references.is_empty()));
        assert!(is(true).all(|question| question.references.len() == 1));
    }
    let gsm8k = loaded("mip-overthinking", &folder.join("gsm8k.json"));
    let [broken, whole] = &gsm8k.questions[..2] else { panic!("two questions of the first row") };
    assert_eq!((broken.id.as_str(), whole.id.as_str()), ("mip-gsm8k-0-mip", "mip-gsm8k-0-whole"));
    assert_eq!(broken.meta["pair"], whole.meta["pair"]);
    assert_eq!(whole.references, ["540"]);
    assert_eq!(broken.meta["original_question"], whole.question);
}

#[test]
fn the_math_part_of_mip_stands_in_the_files_of_responses() {
    let Some(folder) = real("mip-overthinking") else { return };
    let plain = loaded("mip-overthinking", &folder.join("math.json"));
    assert_eq!(counts(&plain), (100, 0, 0));
    assert_eq!(plain.report.left_out, BTreeMap::from([("no insufficient_question".to_owned(), 100)]));
    let one = loaded("mip-overthinking", &folder.join("response/math/MiP/gpt4o/response.json"));
    assert_eq!(counts(&one), (52, 104, 0));
    assert_eq!(by_category(&one.questions), BTreeMap::from([("math", 104)]));
    // Nine models ask the same 52 questions.
    let all = loaded("mip-overthinking", &folder.join("response/math"));
    assert_eq!(counts(&all), (404, 104, 0));
    assert_eq!(all.report.left_out, BTreeMap::from([("repeated question".to_owned(), 352)]));
}

#[test]
fn gsm8k_takes_what_follows_the_marks() {
    let Some(loaded) = whole("gsm8k", "gsm8k/test.jsonl", 1_319) else { return };
    assert_eq!(loaded.questions[0].references, ["18"]);
    assert_eq!(loaded.questions[0].id, "test-0");
    assert!(loaded.questions.iter().all(|question| question.references[0].parse::<i64>().is_ok()));
}

#[test]
fn nq_open_has_several_references() {
    let Some(loaded) = whole("nq-open", "nq-open/NQ-open.dev.jsonl", 3_610) else { return };
    assert_eq!(loaded.questions[0].references, ["14 December 1972 UTC", "December 1972"]);
    assert_eq!(loaded.questions[17].id, "NQ-open.dev-17");
    whole("nq-open", "nq-open/NQ-open.efficientqa.test.1.1.jsonl", 150);
}

#[test]
fn hotpotqa_is_read_in_each_shape() {
    let Some(original) = whole("hotpotqa", "hotpotqa/hotpot_original_format_30.json", 30) else { return };
    let hub = whole("hotpotqa", "hotpotqa/hotpot_hf_format_100.json", 100).unwrap();
    let lines = whole("hotpotqa", "hotpotqa/hotpot_migres_40.jsonl", 40).unwrap();
    let plain = whole("hotpotqa", "hotpotqa/hotpot_dev_v1_simplified.json", 7_405).unwrap();
    for question in original.questions.iter().chain(&hub.questions).chain(&lines.questions) {
        assert!(question.passages.iter().all(|passage| passage.title.is_some()));
        assert!(question.passages.iter().all(|passage| passage.is_supporting.is_some()));
        assert_eq!(question.level.as_deref(), Some("hard"));
    }
    let supported = |loaded: &Loaded| {
        let supports = |question: &&Question| {
            question.passages.iter().any(|passage| passage.is_supporting == Some(true))
        };
        loaded.questions.iter().filter(supports).count()
    };
    // The pages of the first file were retrieved, and most lack the right one.
    assert_eq!((supported(&original), supported(&hub), supported(&lines)), (14, 100, 40));
    assert_eq!(original.questions[0].id, "5a7574e25542996c70cfaf01");
    assert_eq!(hub.questions[0].passages.len(), 10);
    assert_eq!(hub.questions[0].passages[0].title.as_deref(), Some("Ed Wood (film)"));
    let supporting = hub.questions[0].passages.iter().filter(|passage| passage.is_supporting == Some(true));
    let titles: Vec<_> = supporting.map(|passage| passage.title.as_deref().unwrap()).collect();
    assert_eq!(titles, ["Scott Derrickson", "Ed Wood"]);
    // The same first question in the two files.
    assert_eq!(plain.questions[0].references, hub.questions[0].references);
    assert_eq!(plain.questions[0].references, ["yes"]);
    assert!(plain.questions.iter().all(|question| question.passages.is_empty()));
}

#[test]
fn musique_without_its_paragraphs_has_no_reference() {
    let Some(lines) = whole("musique", "musique/musique_ans_original_format_200.jsonl", 200) else { return };
    assert!(lines.questions.iter().all(|question| question.passages.len() == 20));
    assert!(lines.questions.iter().all(|question| question.answerable == Some(true)));
    assert_eq!(lines.questions.iter().filter(|question| question.references.len() > 1).count(), 61);
    assert_eq!(lines.questions[0].level.as_deref(), Some("2hop"));
    let array = whole("musique", "musique/musique_ans_20.json", 20).unwrap();
    let unanswerable: Vec<_> =
        array.questions.iter().filter(|question| question.answerable == Some(false)).collect();
    assert_eq!(unanswerable.len(), 9);
    assert!(unanswerable.iter().all(|question| {
        question.references.is_empty()
            && question.meta.contains_key("original_answer")
            && question.id.ends_with("-unanswerable")
    }));
}

#[test]
fn simpleqa_reads_the_python_dict() {
    let Some(loaded) = whole("simpleqa", "simpleqa/simple_qa_test_set.csv", 4_326) else { return };
    let first = &loaded.questions[0];
    assert_eq!(first.references, ["Michio Sugeno"]);
    assert_eq!(first.category.as_deref(), Some("Science and technology"));
    assert_eq!(first.meta["answer_type"], "Person");
    assert_eq!(first.meta["urls"].lines().count(), 4);
    assert!(loaded.questions.iter().all(|question| question.category.is_some()));
}

#[test]
fn simpleqa_verified_has_typed_ranges() {
    let path = "simpleqa-verified/simpleqa_verified.first14.csv";
    let Some(loaded) = whole("simpleqa-verified", path, 14) else { return };
    let ranged: Vec<_> = loaded.questions.iter().filter(|question| question.acceptable.is_some()).collect();
    assert_eq!(ranged.len(), 2);
    assert_eq!((ranged[0].id.as_str(), ranged[0].references[0].as_str()), ("simpleqa-31", "150"));
    let range = ranged[1].acceptable.unwrap();
    assert_eq!(ranged[1].references, ["10,990,502"]);
    assert!(range.contains(10_440_976.0) && range.contains(11_540_028.0) && !range.contains(11_540_029.0));
    assert_eq!(ranged[1].meta["requires_reasoning"], "true");
    let collier = loaded.questions.iter().find(|question| question.id == "simpleqa-29").unwrap();
    assert_eq!(collier.references, ["tramp steamer (or collier)"]);
}

#[test]
fn olympiadbench_takes_several_answers_apart() {
    let Some(loaded) = whole("olympiadbench", "olympiadbench/test.jsonl", 675) else { return };
    let several: Vec<_> =
        loaded.questions.iter().filter(|question| question.meta.contains_key("is_multiple_answer")).collect();
    assert_eq!(several.len(), 94);
    let one: Vec<_> = several.iter().filter(|question| question.references.len() == 1).collect();
    let ids: Vec<_> = one.iter().map(|question| question.id.as_str()).collect();
    assert_eq!(ids, ["olympiadbench-1965", "olympiadbench-2469", "olympiadbench-2639"]);
    assert_eq!(loaded.questions.iter().filter(|q| q.reference_mode == ReferenceMode::All).count(), 91);
    let find = |id: &str| loaded.questions.iter().find(|question| question.id == id).unwrap();
    assert_eq!(find("olympiadbench-1664").references, ["69", "84"]);
    assert_eq!(find("olympiadbench-2349").references, ["221", "8"]);
    assert_eq!(find("olympiadbench-1962").references.len(), 16);
    assert_eq!(find("olympiadbench-2203").references.len(), 8);
    assert_eq!(find("olympiadbench-2592").tolerance, Some(0.1));
    assert_eq!(find("olympiadbench-2592").meta["unit"], "%");
    let mut kinds = BTreeMap::new();
    for question in &loaded.questions {
        *kinds.entry(question.meta["answer_type"].as_str()).or_insert(0) += 1;
    }
    assert_eq!(
        kinds,
        BTreeMap::from([("Expression", 64), ("Interval", 6), ("Numerical", 572), ("Tuple", 33)])
    );
    whole("olympiadbench", "olympiadbench/limo_olympiadbench_test.jsonl", 675);
}

#[test]
fn math_500_is_read_as_lines_and_as_parquet() {
    let Some(loaded) = whole("math-500", "math-500/math500_test.jsonl", 500) else { return };
    assert_eq!(loaded.questions[0].id, "test/precalculus/807.json");
    assert_eq!(loaded.questions[0].references, [r"\left( 3, \frac{\pi}{2} \right)"]);
    assert_eq!(loaded.questions[0].level.as_deref(), Some("2"));
    let path = real("math-500/simplelr_math_35_test.parquet").unwrap();
    let parquet = support::loaded("math-500", &path);
    assert_eq!(parquet.report.bad_rows, 0, "{:?}", parquet.report.problems.first());
    assert!(parquet.report.questions > 0);
}

#[test]
fn aime_is_the_same_in_three_shapes() {
    let Some(boxed) = whole("aime", "aime/aime24.jsonl", 30) else { return };
    let hub = whole("aime", "aime/aime24_h4_format.jsonl", 30).unwrap();
    let verl = whole("aime", "aime/aime24_simpletir.parquet", 30).unwrap();
    let later = whole("aime", "aime/aime25.jsonl", 30).unwrap();
    let later_verl = whole("aime", "aime/aime25.parquet", 30).unwrap();
    let answers = |loaded: &Loaded| -> Vec<u32> {
        let mut answers: Vec<u32> =
            loaded.questions.iter().map(|question| question.references[0].parse().unwrap()).collect();
        answers.sort_unstable();
        answers
    };
    assert_eq!(answers(&boxed), answers(&hub));
    assert_eq!(answers(&boxed), answers(&verl));
    assert_eq!(answers(&later), answers(&later_verl));
    for question in
        [&boxed, &hub, &verl, &later, &later_verl].into_iter().flat_map(|loaded| &loaded.questions)
    {
        assert!(!question.question.contains("\\boxed{}"), "{}", question.question);
    }
}

#[test]
fn a_folder_of_copies_asks_each_problem_once() {
    let Some(path) = real("aime") else { return };
    let loaded = loaded("aime", &path);
    assert_eq!(counts(&loaded), (150, 60, 0), "{:?}", loaded.report.problems.first());
    assert_eq!(
        loaded.report.left_out,
        BTreeMap::from([("question that an earlier file asks".to_owned(), 90)])
    );
}

#[test]
fn dapo_math_keeps_one_of_each() {
    let Some(path) = real("dapo-math/aime-2024.parquet") else { return };
    let loaded = loaded("dapo-math", &path);
    assert_eq!(counts(&loaded), (960, 30, 0));
    assert_eq!(loaded.report.left_out, BTreeMap::from([("copy of an earlier row".to_owned(), 930)]));
    assert!(loaded.questions.iter().all(|question| !question.question.contains("step by step")));
}

#[test]
fn registered_rows_are_the_rows_of_the_files() {
    for (set, files) in [
        ("conflictqa", &["conflictqa/conflictQA-strategyQA-chatgpt.json"][..]),
        ("wikicontradict", &["wikicontradict/wiki_contradict_refined.jsonl"]),
        ("aime", &["aime/aime24.jsonl", "aime/aime25.jsonl"]),
        (
            "mip-overthinking",
            &[
                "mip-overthinking/gsm8k.json",
                "mip-overthinking/svamp.json",
                "mip-overthinking/formula.json",
                "mip-overthinking/response/math/MiP/gpt4o/response.json",
            ],
        ),
    ] {
        let mut rows = 0;
        for file in files {
            let Some(path) = real(file) else { return };
            rows += loaded(set, &path).report.rows;
        }
        assert_eq!(data_set(set).unwrap().rows, Some(rows), "{set}");
    }
    assert_eq!(DATA_SETS.len(), 17);
    assert!(DATA_SETS.is_sorted_by_key(|set| set.name));
}
