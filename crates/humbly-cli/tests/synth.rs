//! `humbly synth` with scripted models: files, counts, resuming after a kill, and what each mistake says.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::Folder;

/// Variants name the problem, their kind and the draft.
const REWRITER: &str = r#"
[[rule]]
when.user = { regex = '(?s)far harder.*Problem (\d+):' }
reply.text = "<problem>Problem ${1}: hard, draft ${sample}</problem>"
reply.usage = { input = 300, output = 20 }
[[rule]]
when.user = { regex = '(?s)Problem (\d+):' }
reply.text = "Here it is.\n<problem>Problem ${1}: vague, draft ${sample}</problem>"
reply.usage = { input = 300, output = 20 }
"#;

/// Problems that end in 0 give nothing, those that end in 5 only at the fifth attempt, all others at once.
const VALIDATOR: &str = r#"
[[rule]]
when.user = "same_domain"
reply.text = '{"same_domain": true, "similar_style": true}'
[[rule]]
when.user = { regex = 'Problem \d*0: hard' }
reply.text = '{"consistent": true, "self_contained": true, "unique_answer": false}'
[[rule]]
when.user = { regex = 'Problem \d*0: vague' }
reply.text = '{"consistent": true, "self_contained": true, "unique_answer": true}'
[[rule]]
when.user = { regex = 'Problem \d*5: hard, draft [0-3]' }
reply.text = '{"consistent": true, "self_contained": false, "unique_answer": true}'
[[rule]]
when.user = { regex = 'Problem \d*5: vague, draft [0-3]' }
reply.text = '{"consistent": false, "self_contained": true, "unique_answer": false}'
[[rule]]
when.user = { regex = 'Problem \d+: hard' }
reply.text = '{"consistent": true, "self_contained": true, "unique_answer": true}'
[[rule]]
when.user = { regex = 'Problem \d+: vague' }
reply.text = '{"consistent": true, "self_contained": true, "unique_answer": false}'
"#;

fn fixture(problems: usize) -> Folder {
    let mut rows = String::new();
    for n in 0..problems {
        let problem = format!("Problem {n}: {n} + {n}?");
        let row = json!({"id": format!("p{n}"), "problem": problem, "answer": 2 * n});
        rows.push_str(&format!("{row}\n"));
    }
    Folder::with(&[("problems.jsonl", rows.as_str()), ("w.toml", REWRITER), ("v.toml", VALIDATOR)])
}

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let common =
        ["synth", "problems.jsonl", "--rewriter", "scripted:w.toml", "--validator", "scripted:v.toml"];
    [&common, more].concat()
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Also: what it writes is read by `humbly reward`, and each right answer or label earns 1.
#[test]
fn a_set_is_made_counted_and_read_by_the_reward() {
    let folder = fixture(60);
    let set = arguments(&["--train", "36", "--validation", "4", "--to", "set", "--output", "json"]);
    let made = folder.humbly(&set);
    assert_eq!(made.status, 0, "{}", made.stderr);
    let statistics: Value = serde_json::from_str(&made.stdout).unwrap();
    support::schema::assert_fits("humbly.synth.1", &statistics);
    assert_eq!(statistics["is_complete"], true);
    let rows = |split: usize| statistics["splits"][split]["rows"].as_u64().unwrap();
    assert_eq!([0, 1, 2, 3, 4, 5].map(rows), [25, 5, 6, 3, 1, 0]);
    for kind in statistics["kinds"].as_array().unwrap() {
        let count = |name: &str| kind[name].as_u64().unwrap();
        assert_eq!((count("used"), count("missing")), (6, 0));
        assert_eq!(count("asked"), 6 + count("discarded"));
        // What failed at first failed four or five times.
        let at: Vec<u64> =
            kind["verified_at"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        assert_eq!(at[1..4], [0, 0, 0]);
        assert_eq!(count("retried"), at[4] + count("discarded"));
    }
    assert!(
        made.stderr.contains("estimate: scripted:w.toml: 12 samples, about 12 to 60 calls"),
        "{}",
        made.stderr
    );

    let to = folder.path("set");
    let mut rollouts = String::new();
    for name in ["train.jsonl", "validation.jsonl"] {
        for mut row in lines(&to.join(name)) {
            let right = match row["extra_info"]["label"].as_str().unwrap() {
                "answerable" => row["reward_model"]["ground_truth"]["target"][0].as_str().unwrap().to_owned(),
                "data" => "<DATA_UNCERTAIN>".to_owned(),
                _ => "<MODEL_UNCERTAIN>".to_owned(),
            };
            row["response"] = json!(format!(r"\boxed{{{right}}}"));
            rollouts.push_str(&format!("{row}\n"));
        }
    }
    folder.write("rollouts.jsonl", rollouts);
    let reward =
        ["reward", "rollouts.jsonl", "--reward", "rl-ua", "--label", "extra_info.label", "--output", "json"];
    let card = folder.humbly(&reward);
    let card: Value =
        serde_json::from_str(&card.stdout).unwrap_or_else(|error| panic!("{error}: {}", card.stderr));
    assert_eq!(
        (&card["rows"], &card["scored"], &card["score"]["mean"]["value"]),
        (&json!(40), &json!(40), &json!(1.0))
    );
}

/// Killed in the middle by its id, the same command goes on: no call that was answered is made again.
#[test]
fn a_kill_loses_at_most_the_calls_in_flight() {
    let folder = fixture(60);
    let slow = VALIDATOR.replace("reply.text", "delay_seconds = 0.05\nreply.text");
    folder.write("v.toml", slow);
    let set = |to: &'static str| {
        arguments(&["--train", "20", "--validation", "4", "--to", to, "--concurrency", "2"])
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_humbly"))
        .args(set("cut"))
        .current_dir(folder.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Until some variants are done, and others are not.
    let wal = folder.path("cut/synth.sqlite-wal");
    let started = Instant::now();
    while std::fs::metadata(&wal).map_or(0, |file| file.len()) < 40_000 {
        assert!(started.elapsed() < Duration::from_mins(1), "nothing was done");
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.path("cut/train.jsonl").exists());

    let resumed = folder.humbly(&set("cut"));
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    let whole = folder.humbly(&set("whole"));
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    for name in ["train.jsonl", "validation.jsonl"] {
        let read = |to: &str| std::fs::read(folder.path(to).join(name)).unwrap();
        assert_eq!(read("cut"), read("whole"), "{name}");
    }
    let count = |to: &str, name: &str| {
        let text = std::fs::read_to_string(folder.path(to).join("statistics.json")).unwrap();
        let statistics: Value = serde_json::from_str(&text).unwrap();
        ["rewriter", "validator"].map(|model| statistics[model][name].as_u64().unwrap()).iter().sum::<u64>()
    };
    assert_eq!(count("cut", "live") + count("cut", "cached"), count("whole", "live"));

    // A third time everything is there.
    let again = folder.humbly(&set("cut"));
    assert_eq!((again.status, again.stdout), (0, resumed.stdout));
    let other = folder.humbly(&[set("cut"), vec!["--seed", "9"]].concat());
    assert_eq!(other.status, 2);
    assert!(
        other.stderr.contains("another `plan`") && other.stderr.contains("another folder"),
        "{}",
        other.stderr
    );
}

#[test]
fn the_limit_on_cost_is_kept_and_the_rest_goes_on_later() {
    let folder = fixture(60);
    let prices = "[scripted]\n\"*\" = { input = 1000, output = 1000 }\n";
    folder.write("prices.toml", prices);
    let reply = "reply.usage = { input = 200, output = 10 }\nreply.text";
    folder.write("v.toml", VALIDATOR.replace("reply.text", reply));
    let set = |more: &[&'static str]| {
        let common = [
            "--train",
            "20",
            "--validation",
            "0",
            "--to",
            "set",
            "--prices",
            "prices.toml",
            "--max-tokens",
            "20",
        ];
        arguments(&[&common, more].concat())
    };
    let dry = folder.humbly(&set(&["--dry-run"]));
    assert_eq!((dry.status, dry.stdout.as_str()), (0, ""));
    assert!(dry.stderr.contains('$') && dry.stderr.contains("check them"), "{}", dry.stderr);
    assert!(!folder.path("set/synth.sqlite").exists());
    let stopped = folder.humbly(&set(&["--max-cost", "3"]));
    assert_eq!(stopped.status, 3, "{}", stopped.stderr);
    assert!(stopped.stderr.contains("cost limit of 3 USD reached"), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("raise --max-cost"), "{}", stopped.stderr);
    let whole = folder.humbly(&set(&[]));
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    assert_eq!(lines(&folder.path("set/train.jsonl")).len(), 20);
}

#[test]
fn each_mistake_says_what_it_is() {
    let folder = fixture(12);
    let write = |name: &str, text: &str| folder.write(name, text);
    write("unanswered.jsonl", "{\"problem\": \"1+1?\"}\n{\"problem\": \"2+2?\"}\n");
    write(
        "bad.jsonl",
        concat!(
            r#"{"id": "a", "problem": "1+1?", "answer": 2}"#,
            "\n",
            r#"{"id": "a", "problem": "2+2?", "answer": 4}"#,
            "\n",
            r#"{"id": "b", "problem": "", "answer": 4}"#,
            "\n",
            r#"{"id": "c", "problem": "3+3?", "answer": NaN}"#,
            "\n",
            r#"{"id": "d", "problem": "4+4?", "answer": ["8", "eight"]}"#,
            "\n",
        ),
    );
    write("prose.toml", "[[rule]]\nreply.text = \"Yes, it has a unique answer.\"\n");
    write(
        "same.toml",
        "[[rule]]\nwhen.user = { regex = '(?s)(Problem \\d+: \\d+ \\+ \\d+\\?)' }\nreply.text = \"<problem>${1}</problem>\"\n",
    );
    let common = ["--validator", "scripted:v.toml", "--train", "2", "--validation", "0"];
    let synth = |source: &'static str, more: &[&'static str]| {
        let arguments = [&["synth", source, "--rewriter", "scripted:w.toml"], &common[..], more].concat();
        folder.humbly(&arguments)
    };
    for (source, more, expected) in [
        ("unanswered.jsonl", &[][..], "no `answer` or `final_answer`"),
        ("unanswered.jsonl", &[], "holds no problem with an answer"),
        ("bad.jsonl", &[], "the id `a` stands twice"),
        ("bad.jsonl", &[], "`problem` is empty, expected text"),
        ("bad.jsonl", &[], "NaN stands in the row"),
        ("bad.jsonl", &[], "`answer` is a list of 2 answers, expected one answer"),
        ("bad.jsonl", &[], "1 problems can be used, expected at least 2"),
        ("nowhere.jsonl", &[], "`nowhere.jsonl` is no file, no folder and no data set"),
        ("problems.jsonl", &["--composition", "70/30"], "expected kept/insufficient/hard"),
        ("problems.jsonl", &["--tries", "0"], "setting `tries` is 0, expected 1 to 100"),
        ("problems.jsonl", &["--rewriter-temperature", "NaN"], "--rewriter-temperature is NaN, expected"),
        ("problems.jsonl", &["--prompts", "nowhere"], "cannot read `nowhere`"),
    ] {
        let run = synth(source, more);
        assert_eq!(run.status, 2, "{source} {more:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{source} {more:?}: {}", run.stderr);
    }
    // Replies that cannot be used are counted by name; rows are missing, and that is no success.
    let with = |rewriter: &'static str, validator: &'static str, to: &'static str| {
        let shares = ["--train", "4", "--validation", "0", "--composition", "0/1/1", "--to", to];
        let models = ["synth", "problems.jsonl", "--rewriter", rewriter, "--validator", validator];
        folder.humbly(&[&models[..], &shares].concat())
    };
    let prose = with("scripted:w.toml", "scripted:prose.toml", "a");
    assert_eq!(prose.status, 3, "{}", prose.stderr);
    let expected = "30 of 30 attempts: the validator's reply is not the JSON object asked for";
    assert!(prose.stderr.contains(expected), "{}", prose.stderr);
    assert!(
        prose.stderr.contains("missing: 2 hard rows of 2: the problems have run out"),
        "{}",
        prose.stderr
    );
    let same = with("scripted:same.toml", "scripted:v.toml", "b");
    assert!(same.stderr.contains("the rewriter gave the original back"), "{}", same.stderr);
    let judge = with("scripted:w.toml", "scripted:w.toml", "c");
    assert!(judge.stderr.contains("one model: it judges its own work"), "{}", judge.stderr);
}
