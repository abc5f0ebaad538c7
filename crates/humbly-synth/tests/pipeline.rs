//! The whole pipeline on scripted models, with every count made by hand.

#![allow(
    clippy::unwrap_used,
    clippy::allow_attributes,
    clippy::many_single_char_names,
    clippy::unnecessary_wraps,
    reason = "a test fails by panicking, and names its problems A to E"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::executor::block_on;
use humbly_llm::layers::Cached;
use humbly_llm::{ChatClient, ChatError, ChatReply, ChatRequest, Endpoint, ScriptedClient};
use humbly_rewards::{ItemLabel, Sample, Settings, build};
use humbly_store::RunFile;
use humbly_synth::{
    Kind, KindsAsked, Original, Plan, Prompts, Seat, Sitting, Statistics, Synth, SynthError, rows, write_rows,
};

fn problems(count: usize) -> Vec<Original> {
    (0..count)
        .map(|number| Original {
            id: format!("p{number}"),
            dataset: "mine".to_owned(),
            problem: format!("Problem {number}: what is {number} + {number}?"),
            answer: (2 * number).to_string(),
        })
        .collect()
}

fn seat(name: &str, temperature: f64, client: Arc<dyn ChatClient>) -> Seat {
    Seat {
        client,
        name: name.to_owned(),
        model: name.to_owned(),
        temperature: Some(temperature),
        max_tokens: None,
    }
}

fn asked(request: &ChatRequest) -> &str {
    &request.messages[0].content
}

/// The number behind the last `Problem `.
fn number(text: &str) -> usize {
    let digits = text.rsplit_once("Problem ").unwrap().1;
    digits[..digits.find(':').unwrap()].parse().unwrap()
}

fn says(text: impl Into<String>) -> humbly_llm::Result<ChatReply> {
    Ok(ChatReply { text: text.into(), ..ChatReply::default() })
}

/// Writes `Problem N: KIND, draft D`, where D is the attempt from 1.
fn write(request: &ChatRequest) -> humbly_llm::Result<ChatReply> {
    let kind = if asked(request).contains("far harder") { "hard" } else { "insufficient" };
    let draft = request.sample_index + 1;
    says(format!("<problem>Problem {}: {kind}, draft {draft}</problem>", number(asked(request))))
}

fn rewriter() -> Arc<ScriptedClient> {
    Arc::new(ScriptedClient::from_fn(write))
}

/// Accepts the draft that `first_good` names for problem and kind, and later ones.
fn examine(request: &ChatRequest, first_good: impl Fn(usize, &str) -> u32) -> humbly_llm::Result<ChatReply> {
    let text = asked(request);
    if text.contains("same_domain") {
        return says(r#"{"same_domain": true, "similar_style": true}"#);
    }
    let kind = if text.contains(": hard, draft") { "hard" } else { "insufficient" };
    let draft: u32 = text.split_once("draft ").unwrap().1[..1].parse().unwrap();
    let is_good = draft >= first_good(number(text), kind);
    let unique = (kind == "hard") == is_good;
    says(format!(r#"{{"consistent": true, "self_contained": true, "unique_answer": {unique}}}"#))
}

fn validator(first_good: impl Fn(usize, &str) -> u32 + Send + Sync + 'static) -> Arc<ScriptedClient> {
    Arc::new(ScriptedClient::from_fn(move |request| examine(request, &first_good)))
}

fn plan(train: usize, composition: &str) -> Plan {
    Plan { train, validation: 0, composition: composition.parse().unwrap(), seed: 7, ..Plan::default() }
}

struct Made {
    sitting: Sitting,
    statistics: Statistics,
    rows: Vec<humbly_synth::SynthRow>,
}

fn make(
    path: &std::path::Path,
    plan: &Plan,
    originals: &[Original],
    rewriter: Arc<dyn ChatClient>,
    validator: Arc<dyn ChatClient>,
) -> Result<Made, SynthError> {
    let prompts = Prompts::built_in()?;
    let (rewriter, validator) = (seat("w", 1.0, rewriter), seat("v", 0.0, validator));
    let synth = Synth {
        plan,
        originals,
        prompts: &prompts,
        rewriter: &rewriter,
        validator: &validator,
        concurrency: 3,
    };
    let settings = synth.settings();
    let run = RunFile::open_or_create(path, &serde_json::to_value(&settings).unwrap())?;
    let sitting = block_on(synth.sit(&run, &mut |_| {}))?;
    let rows = rows(plan, originals, &sitting.selection);
    let statistics = Statistics::new(plan, originals, settings, &sitting, &rows);
    Ok(Made { sitting, statistics, rows })
}

fn file() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("synth.sqlite");
    (folder, path)
}

/// Ten problems, both kinds asked for: six rows, two of each kind.
///
/// Which problems stay is drawn; the four wanted variants ask for four others in the first wave (A B C D in their
/// order). By hand:
/// - A: insufficient at once, hard at once. Equally many are missing (2 and 2), so the insufficient one is taken and the
///   hard one is spare.
/// - B: insufficient at draft 5 (four rejected), hard never: discarded after five. Taken: insufficient.
/// - C: insufficient never, hard at draft 5. Taken: hard.
/// - D: neither: two items discarded.
///
/// One hard row is missing: the second wave asks E for both; its hard one comes at draft 2 and is taken, its
/// insufficient one at draft 1: none is missing, and the original has given a row: spare.
#[test]
fn retries_discards_and_one_variant_an_original_are_as_counted_by_hand() {
    let originals = problems(10);
    let plan = Plan { kinds: KindsAsked::Both, ..plan(6, "1/1/1") };
    // The order in which problems are drawn is found with validators that accept everything.
    let (_folder, path) = file();
    let order = drawn(&path, &plan, &originals);
    let [a, b, c, d, e] = order[..5] else { panic!("{order:?}") };
    let never = 9;
    let first_good = move |problem: usize, kind: &str| {
        let (insufficient, hard) = match problem {
            n if n == a => (1, 1),
            n if n == b => (5, never),
            n if n == c => (never, 5),
            n if n == d => (never, never),
            n if n == e => (1, 2),
            other => panic!("problem {other} was not to be drawn"),
        };
        if kind == "hard" { hard } else { insufficient }
    };
    let (_folder, path) = file();
    let made = make(&path, &plan, &originals, rewriter(), validator(first_good)).unwrap();
    let taken: Vec<(usize, Kind)> =
        made.sitting.selection.variants.iter().map(|choice| (choice.original, choice.kind)).collect();
    assert_eq!(taken, [(a, Kind::Insufficient), (b, Kind::Insufficient), (c, Kind::Hard), (e, Kind::Hard)]);
    assert_eq!(made.sitting.selection.spare, [(a, Kind::Hard), (e, Kind::Insufficient)]);
    let statistics = &made.statistics;
    assert!(statistics.is_complete);
    assert_eq!((statistics.kept, statistics.rewritten, statistics.unused), (2, 5, 3));
    let [insufficient, hard] = &statistics.kinds[..] else { panic!() };
    assert_eq!((insufficient.asked, insufficient.discarded, insufficient.retried), (5, 2, 3));
    assert_eq!(insufficient.verified_at, [2, 0, 0, 0, 1]);
    assert_eq!((insufficient.used, insufficient.spare, insufficient.missing), (2, 1, 0));
    // Rejected drafts: B 4, C 5, D 5.
    assert_eq!(insufficient.outcomes, BTreeMap::from([("still_determined", 14), ("verified", 3)]));
    assert_eq!((hard.asked, hard.discarded, hard.retried), (5, 2, 4));
    assert_eq!(hard.verified_at, [1, 1, 0, 0, 1]);
    assert_eq!((hard.used, hard.spare, hard.missing), (2, 1, 0));
    // B 5, C 4, D 5, E 1.
    assert_eq!(hard.outcomes, BTreeMap::from([("not_determined", 15), ("verified", 3)]));
    // 35 drafts; each examined once, and each of the 6 verified ones compared.
    assert_eq!((statistics.rewriter.live, statistics.validator.live), (35, 41));
    // At most one row an original.
    let mut ids: Vec<&str> =
        made.rows.iter().map(|row| row.row.extra_info.question_id.split('#').next().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), made.rows.len()), (6, 6));
    assert!(
        made.rows
            .iter()
            .any(|row| row.row.extra_info.question == format!("Problem {b}: insufficient, draft 5"))
    );
}

/// Problems in the order in which they are drawn for rewriting.
fn drawn(path: &std::path::Path, plan: &Plan, originals: &[Original]) -> Vec<usize> {
    let all = Plan { train: originals.len(), composition: "2/8/0".parse().unwrap(), ..plan.clone() };
    let all = Plan { kinds: KindsAsked::One, ..all };
    let made = make(path, &all, originals, rewriter(), validator(|_, _| 1)).unwrap();
    made.sitting.selection.variants.iter().map(|choice| choice.original).collect()
}

#[test]
fn one_kind_an_original_is_asked_for_and_what_fails_is_made_up_for() {
    let originals = problems(40);
    let plan = plan(20, "10/5/5");
    let (_folder, path) = file();
    // Every third problem never gives a variant.
    let made =
        make(&path, &plan, &originals, rewriter(), validator(|n, _| if n % 3 == 0 { 9 } else { 1 })).unwrap();
    let statistics = &made.statistics;
    assert!(statistics.is_complete);
    let labels = |wanted: ItemLabel| made.rows.iter().filter(|row| row.label == wanted).count();
    assert_eq!([ItemLabel::Answerable, ItemLabel::Data, ItemLabel::Model].map(labels), [10, 5, 5]);
    let discarded: usize = statistics.kinds.iter().map(|kind| kind.discarded).sum();
    assert_eq!(statistics.rewritten, 10 + discarded);
    assert!(discarded > 0);
    for kind in &statistics.kinds {
        assert_eq!(kind.asked, kind.used + kind.discarded);
        assert_eq!(kind.spare + kind.surplus + kind.repeated, 0);
        assert_eq!(kind.retried, kind.discarded);
    }
}

#[test]
fn originals_that_run_out_leave_rows_missing_and_say_so() {
    let originals = problems(10);
    let (_folder, path) = file();
    let made = make(&path, &plan(10, "4/3/3"), &originals, rewriter(), validator(|_, _| 9)).unwrap();
    assert!(!made.statistics.is_complete);
    assert_eq!(made.sitting.stopped, None);
    assert_eq!(made.sitting.selection.missing, BTreeMap::from([(Kind::Insufficient, 3), (Kind::Hard, 3)]));
    assert_eq!(made.rows.len(), 4);
    let error = make(&path, &plan(11, "4/3/3"), &originals, rewriter(), validator(|_, _| 9)).err().unwrap();
    assert!(matches!(error, SynthError::Store(_)), "another plan is another run: {error}");
}

/// What the validator is sent for a text is the same, whatever the text was meant to be.
#[test]
fn the_validator_never_learns_what_a_variant_should_be() {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&requests);
    let validator = Arc::new(ScriptedClient::from_fn(move |request| {
        kept.lock().unwrap().push(request.clone());
        says(
            r#"{"consistent": true, "self_contained": true, "unique_answer": true, "same_domain": true, "similar_style": true}"#,
        )
    }));
    // The rewriter writes one text for every kind.
    let rewriter = Arc::new(ScriptedClient::from_fn(|request| {
        says(format!("<problem>Problem {}: another</problem>", number(asked(request))))
    }));
    let originals = problems(2);
    let plan = Plan { kinds: KindsAsked::Both, tries: 1, ..plan(2, "0/1/1") };
    let (_folder, path) = file();
    make(&path, &plan, &originals, rewriter, validator).unwrap();
    let requests = requests.lock().unwrap();
    for problem in 0..2 {
        let of: Vec<&ChatRequest> = requests
            .iter()
            .filter(|request| asked(request).contains(&format!("Problem {problem}: another")))
            .filter(|request| !asked(request).contains("same_domain"))
            .collect();
        assert_eq!(of.len(), 2, "one for each kind");
        assert_eq!(of[0], of[1]);
        assert_eq!(of[0].sampling.temperature, Some(0.0));
    }
    let words = ["DATA_UNCERTAIN", "MODEL_UNCERTAIN", "insufficient", "hard"];
    assert!(requests.iter().all(|request| words.iter().all(|word| !asked(request).contains(word))));
}

#[test]
fn prose_an_unchanged_text_and_the_like_are_counted_by_name() {
    let originals = problems(12);
    let rewriter = Arc::new(ScriptedClient::from_fn(|request| {
        let own = number(asked(request));
        says(match own % 6 {
            0 => "I would make it harder by adding a condition.".to_owned(),
            1 => format!("<problem>  Problem {own}:  what is {own} + {own}? </problem>"),
            2 => "<problem>Problem 3: what is 3 + 3?</problem>".to_owned(),
            3 => format!("<problem>Problem {own}: <DATA_UNCERTAIN></problem>"),
            4 => return Err(ChatError::Refused { status: 400, detail: "policy".to_owned() }),
            _ => format!("<problem>Problem {own}: new</problem>"),
        })
    }));
    let validator = Arc::new(ScriptedClient::from_fn(|_| says("Yes, this problem has exactly one answer.")));
    let (_folder, path) = file();
    let plan = Plan { tries: 1, ..plan(12, "0/12/0") };
    let made = make(&path, &plan, &originals, rewriter, validator).unwrap();
    let expected = [
        ("names_label", 2),
        ("no_reply", 2),
        ("other_original", 2),
        ("rewriter_unreadable", 2),
        ("unchanged", 2),
        ("validator_unreadable", 2),
    ];
    assert_eq!(made.statistics.kinds[0].outcomes, BTreeMap::from(expected));
    assert_eq!(made.statistics.rewriter.failed, 2);
    assert!(made.rows.is_empty());
}

#[test]
fn field_and_style_are_compared_and_two_equal_variants_are_one() {
    let originals = problems(6);
    let rewriter = Arc::new(ScriptedClient::from_fn(|request| {
        says(match number(asked(request)) {
            0 | 1 => "<problem>Problem 99: the same</problem>".to_owned(),
            own => format!("<problem>Problem {own}: new</problem>"),
        })
    }));
    let validator = Arc::new(ScriptedClient::from_fn(|request| {
        let text = asked(request);
        if !text.contains("same_domain") {
            return says(r#"{"consistent": true, "self_contained": false, "unique_answer": false}"#);
        }
        let (domain, style) = match number(text) {
            2 => (false, true),
            3 => (true, false),
            4 => return says("Both are about sums."),
            _ => (true, true),
        };
        says(format!(r#"{{"same_domain": {domain}, "similar_style": {style}}}"#))
    }));
    let (_folder, path) = file();
    let plan = Plan { tries: 1, ..plan(6, "0/6/0") };
    let made = make(&path, &plan, &originals, rewriter, validator).unwrap();
    let kind = &made.statistics.kinds[0];
    let expected = [("comparison_unreadable", 1), ("other_domain", 1), ("other_style", 1), ("verified", 3)];
    assert_eq!(kind.outcomes, BTreeMap::from(expected));
    assert_eq!((kind.used, kind.repeated), (2, 1));
}

/// A provider that breaks in the middle, with the reply cache in front: what succeeded is kept, no call is made twice
/// and the set is the same.
#[test]
fn a_sitting_that_broke_off_goes_on_to_the_same_set() {
    let originals = problems(30);
    let plan = plan(12, "4/4/4");
    let good = |n: usize, _: &str| if n.is_multiple_of(4) { 3 } else { 1 };
    let (_whole_folder, path) = file();
    let whole = make(&path, &plan, &originals, rewriter(), validator(good)).unwrap();

    let (folder, path) = file();
    let answered = Arc::new(AtomicUsize::new(0));
    let is_broken = Arc::new(AtomicBool::new(true));
    let clients = || -> [Arc<dyn ChatClient>; 2] {
        let (counted, broken) = (Arc::clone(&answered), Arc::clone(&is_broken));
        let flaky = ScriptedClient::from_fn(move |request| {
            if broken.load(Ordering::SeqCst) && counted.load(Ordering::SeqCst) >= 9 {
                return Err(ChatError::CostLimit { limit_usd: 1.0, spent_usd: 1.0 });
            }
            counted.fetch_add(1, Ordering::SeqCst);
            examine(request, good)
        });
        let cached = |client: ScriptedClient, name: &str| -> Arc<dyn ChatClient> {
            let endpoint = Endpoint { provider: name.to_owned(), base_url: None };
            Arc::new(Cached::open(client, endpoint, &folder.path().join("replies.sqlite")).unwrap())
        };
        let rewriter = ScriptedClient::from_fn(write);
        [cached(rewriter, "w"), cached(flaky, "v")]
    };
    let [rewriter, validator] = clients();
    let broken_off = make(&path, &plan, &originals, rewriter, validator).unwrap();
    let stopped = broken_off.sitting.stopped.as_ref().unwrap();
    assert_eq!(stopped.code, "cost_limit");
    assert!(!broken_off.statistics.is_complete);
    assert!(!broken_off.sitting.items.is_empty() && broken_off.rows.len() < whole.rows.len());
    assert_eq!(answered.load(Ordering::SeqCst), 9);

    is_broken.store(false, Ordering::SeqCst);
    let [rewriter, validator] = clients();
    let resumed = make(&path, &plan, &originals, rewriter, validator).unwrap();
    assert_eq!(resumed.rows, whole.rows);
    let outcomes =
        |made: &Made| made.statistics.kinds.iter().map(|kind| kind.outcomes.clone()).collect::<Vec<_>>();
    assert_eq!(outcomes(&resumed), outcomes(&whole));
    assert_eq!(answered.load(Ordering::SeqCst) as u64, whole.statistics.validator.live);
}

/// The rows are what the RL-UA reward reads: the right answer or label of each row earns 1.
#[test]
fn the_reward_reads_the_rows() {
    let originals = problems(20);
    let plan = Plan { validation: 4, ..plan(16, "10/5/5") };
    let (folder, path) = file();
    let made = make(&path, &plan, &originals, rewriter(), validator(|_, _| 1)).unwrap();
    let reward = build("rl-ua", &Settings::default()).unwrap();
    let files = write_rows(folder.path(), &made.rows).unwrap();
    let counts: Vec<usize> = files.iter().map(|(_, rows)| *rows).collect();
    assert_eq!(counts, [16, 16, 4, 4]);
    let mut seen = BTreeMap::new();
    for (path, _) in files.iter().filter(|(path, _)| path.extension().unwrap() == "jsonl") {
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let label: ItemLabel = row["extra_info"]["label"].as_str().unwrap().parse().unwrap();
            let target = &row["reward_model"]["ground_truth"]["target"];
            let references: Vec<&str> =
                target.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
            let right = match label {
                ItemLabel::Answerable => references[0],
                ItemLabel::Data => "<DATA_UNCERTAIN>",
                ItemLabel::Model => "<MODEL_UNCERTAIN>",
            };
            let response = format!(r"So \boxed{{{right}}}");
            let prompt = row["prompt"][0]["content"].as_str().unwrap();
            let sample = Sample { label: Some(label), ..Sample::new(&response, &references) };
            assert_eq!(reward.score(&sample).score(), Some(1.0), "{row}");
            let wrong = Sample { response: r"\boxed{-1}", ..sample };
            assert_eq!(reward.score(&wrong).score(), Some(-1.0));
            assert!(
                prompt.contains("<DATA_UNCERTAIN>")
                    && prompt.contains(row["extra_info"]["question"].as_str().unwrap())
            );
            *seen
                .entry((row["extra_info"]["split"].as_str().unwrap().to_owned(), label.name()))
                .or_insert(0) += 1;
        }
    }
    let expected: BTreeMap<(String, &str), i32> = [
        (("train".to_owned(), "answerable"), 8),
        (("train".to_owned(), "data"), 4),
        (("train".to_owned(), "model"), 4),
        (("validation".to_owned(), "answerable"), 2),
        (("validation".to_owned(), "data"), 1),
        (("validation".to_owned(), "model"), 1),
    ]
    .into();
    assert_eq!(seen, expected);
    // What was written is read again as problems, those with an answer.
    let parquet = folder.path().join("train.parquet");
    let read = humbly_data::load_all(&humbly_data::MATHS, &parquet).unwrap();
    assert_eq!((read.report.rows, read.questions.len()), (16, 8), "{:?}", read.report);
    let problem = &read.questions[0];
    assert!(
        originals.iter().any(|original| original.problem == problem.question && original.id == problem.id)
    );
}
