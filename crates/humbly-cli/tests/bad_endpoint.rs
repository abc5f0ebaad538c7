//! Endpoints that fail in the middle of the work, for every command that asks a model: one message, a way on, and what
//! was done stays.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use support::http::{Fake, answer};
use support::scripted::Scripted;
use support::{Folder, Run};

fn says(text: &str) -> Vec<u8> {
    let body = json!({
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
    });
    answer("200 OK", "application/json", &body.to_string())
}

fn refuses(status: &str, message: &str) -> Vec<u8> {
    answer(status, "application/json", &json!({"error": {"message": message}}).to_string())
}

/// The run of the suite on a server, one sample at a time, each call tried twice.
fn run_on(scripted: &Scripted, url: &str, out: &str, more: &[&str]) -> Run {
    let base = [
        "run",
        "suite.json",
        "--model",
        "openai:m",
        "--base-url",
        url,
        "--protocol",
        "plain",
        "--out",
        out,
        "--concurrency",
        "1",
        "--attempts",
        "2",
    ];
    scripted.humbly(&[&base[..], more].concat())
}

/// How often a text stands in the other.
fn times(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn a_run_stops_with_one_message_and_goes_on_where_it_stopped() {
    let scripted = Scripted::new(10);
    let half = {
        let whole = says("amber");
        whole[..whole.len() - 20].to_vec()
    };
    let half_a_stream = answer(
        "200 OK",
        "text/event-stream",
        "data: {\"choices\": [{\"delta\": {\"content\": \"am\"}}]}\n\ndata: {\"choi",
    );
    // Bytes, what is said of them, the hint, and the most requests that it takes to know.
    for (bytes, said, hint, most) in [
        (refuses("401 Unauthorized", "no"), "refused the key (status 401)", "hint: check the key", 2),
        (
            refuses("404 Not Found", "the model m does not exist"),
            "knows no model `m`",
            "hint: check the model's name",
            2,
        ),
        (
            answer("200 OK", "text/html", "<html>Sign in</html>"),
            "found a page beginning `<html>",
            "hint: check --base-url",
            10,
        ),
        (answer("200 OK", "application/json", ""), "the reply is empty", "hint: the server gave nothing", 20),
        (half, "the reply broke off after", "hint: the server is at fault", 20),
        (half_a_stream, "the reply broke off after", "hint: the server is at fault", 20),
        (refuses("429 Too Many Requests", "slow down"), "rate limit reached", "hint: try again later", 20),
        (
            refuses("503 Service Unavailable", "down"),
            "the provider failed (status 503)",
            "hint: the server is at fault",
            20,
        ),
    ] {
        let server = Fake::start(move |_, _| bytes.clone());
        let run = run_on(&scripted, &format!("{}/v1", server.url), "run.sqlite", &[]);
        assert_eq!(run.status, 3, "{said}: {}", run.stderr);
        assert_eq!(times(&run.stderr, said), 1, "{said}: {}", run.stderr);
        assert_eq!(times(&run.stderr, hint), 1, "{hint}: {}", run.stderr);
        assert!(run.stderr.contains("was given up with 40 samples to be run"), "{said}: {}", run.stderr);
        assert!(run.stderr.contains("0 of 40 samples done, 40 still to be run"), "{said}: {}", run.stderr);
        assert!(
            run.stderr.contains("hint: what was done is kept, the same command goes on"),
            "{}",
            run.stderr
        );
        assert!(
            !run.stderr.contains("--retry-failed") && !run.stderr.contains("see the tables"),
            "{}",
            run.stderr
        );
        assert!(server.requests() <= most, "{said}: {} requests", server.requests());
    }
    let server = Fake::start(|_, _| says("amber"));
    let run = run_on(&scripted, &format!("{}/v1", server.url), "run.sqlite", &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("40 of 40 samples done"), "{}", run.stderr);
}

#[test]
fn nobody_at_the_address_is_said_once() {
    let scripted = Scripted::new(10);
    let run = run_on(&scripted, "http://127.0.0.1:9/v1", "run.sqlite", &[]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert_eq!(times(&run.stderr, "no connection to"), 1, "{}", run.stderr);
    assert_eq!(times(&run.stderr, "hint: check the address"), 1, "{}", run.stderr);
}

#[test]
fn what_was_done_before_the_key_was_refused_stays() {
    let scripted = Scripted::new(10);
    let is_valid = Arc::new(AtomicBool::new(true));
    let valid = Arc::clone(&is_valid);
    // Eleven calls are answered: five samples of two calls each, and half of one more.
    let server = Fake::start(move |number, _| {
        if number < 11 || !valid.load(Ordering::SeqCst) {
            says("amber")
        } else {
            refuses("401 Unauthorized", "revoked")
        }
    });
    let url = format!("{}/v1", server.url);
    let stopped = run_on(&scripted, &url, "run.sqlite", &[]);
    assert_eq!(stopped.status, 3, "{}", stopped.stderr);
    assert!(stopped.stderr.contains("5 of 40 samples done, 35 still to be run"), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("110 + 22 tokens"), "the half sample was paid: {}", stopped.stderr);
    assert!(stopped.stderr.contains("see the tables"), "{}", stopped.stderr);
    is_valid.store(false, Ordering::SeqCst);
    let run = run_on(&scripted, &url, "run.sqlite", &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("40 of 40 samples done, 810 + 162 tokens"), "{}", run.stderr);
}

#[test]
fn a_prompt_that_is_too_long_fails_its_sample_alone() {
    let scripted = Scripted::new(10);
    let server = Fake::start(|number, _| {
        if number % 2 == 0 { refuses("400 Bad Request", "prompt is too long: 9 > 8") } else { says("amber") }
    });
    let run = run_on(&scripted, &format!("{}/v1", server.url), "run.sqlite", &[]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(run.stderr.contains("failed (context_too_long)"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: take a model with a longer context"), "{}", run.stderr);
    assert!(run.stderr.contains("--retry-failed") && !run.stderr.contains("was given up"), "{}", run.stderr);
}

#[test]
fn arguments_that_are_no_json_are_answered_and_the_run_goes_on() {
    let scripted = Scripted::new(2);
    let broken = json!({"choices": [{
        "message": {"content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{'query': who"}},
        ]},
        "finish_reason": "tool_calls",
    }]});
    let broken = answer("200 OK", "application/json", &broken.to_string());
    let server = Fake::start(move |number, _| if number % 2 == 0 { broken.clone() } else { says("amber") });
    let url = format!("{}/v1", server.url);
    let run = scripted.humbly(&[
        "run",
        "suite.json",
        "--model",
        "openai:m",
        "--base-url",
        &url,
        "--protocol",
        "native",
        "--tool",
        "search",
        "--out",
        "run.sqlite",
        "--concurrency",
        "1",
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let scored = scripted.humbly(&["score", "run.sqlite", "--output", "json", "--resamples", "10"]);
    let report: Value = serde_json::from_str(&scored.stdout).unwrap();
    for row in report["trajectories"].as_array().unwrap() {
        assert_eq!((&row["tool_calls"], &row["tool_errors"]), (&json!(1), &json!(1)), "{row}");
    }
}

#[test]
fn judges_give_up_and_go_on_in_the_same_way() {
    let scripted = Scripted::new(10);
    scripted.run("run.sqlite");
    let labels: Vec<String> = (0..12)
        .map(|row| {
            json!({"id": row.to_string(), "text": format!("Text {row}."), "escalate": true}).to_string()
        })
        .collect();
    scripted.write("labels.jsonl", labels.join("\n"));
    for (status, message, said) in [
        ("401 Unauthorized", "no", "refused the key (status 401)"),
        (
            "429 Too Many Requests",
            "slow down",
            "no reply 8 times in a row, the last time: rate limit reached",
        ),
    ] {
        let bytes = refuses(status, message);
        let server = Fake::start(move |_, _| bytes.clone());
        let url = format!("{}/v1", server.url);
        let model = ["--judge", "openai:m", "--base-url", &url, "--attempts", "1", "--concurrency", "1"];
        for command in [
            vec!["judge", "run.sqlite"],
            vec!["score", "run.sqlite"],
            vec!["validate", "--labels", "labels.jsonl", "--verdict", "escalate"],
        ] {
            // A run is scored with the verdicts that it holds; a log is judged.
            let command =
                if command[0] == "score" { vec!["score", "run.jsonl", "--resamples", "10"] } else { command };
            if command[0] == "score" {
                scripted.humbly(&["data", "export", "run.sqlite", "--format", "jsonl", "--to", "run.jsonl"]);
            }
            let run = scripted.humbly(&[&command[..], &model].concat());
            assert!([2, 3].contains(&run.status), "{command:?}: {}", run.stderr);
            assert_eq!(times(&run.stderr, said), 1, "{command:?}: {}", run.stderr);
            assert!(run.stderr.contains("hint: "), "{command:?}: {}", run.stderr);
        }
        // 8 items of several questions each at most; 40 of each would be hundreds.
        assert!(server.requests() < 150, "{} requests", server.requests());
    }
}

#[test]
fn a_suite_says_that_the_rest_was_not_asked() {
    let scripted = Scripted::new(12);
    let server =
        Fake::start(|number, _| if number < 3 { says("amber") } else { refuses("401 Unauthorized", "no") });
    let url = format!("{}/v1", server.url);
    let run = scripted.humbly(&[
        "suite",
        "build",
        "conflict",
        "--questions",
        "questions.jsonl",
        "--model",
        "openai:m",
        "--base-url",
        &url,
        "--to",
        "x.json",
        "--concurrency",
        "1",
    ]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(
        run.stderr.contains("the other questions were not asked: `openai` refused the key"),
        "{}",
        run.stderr
    );
    let suite: Value = serde_json::from_str(&scripted.text("x.json")).unwrap();
    assert_eq!(suite["asked"], 2);
    assert_eq!(suite["given_up"], "`openai` refused the key (status 401)");
}

#[test]
fn quickstart_stops_at_a_refused_key_and_says_what_is_missing_of_a_model_that_knows_nothing() {
    let folder = Folder::with(&[("knows_nothing.toml", "[[rule]]\nreply.text = \"I do not know.\"\n")]);
    let ask = |arguments: &[&str]| folder.humbly(&[&["quickstart", "--pairs", "2"], arguments].concat());
    let server = Fake::start(|_, _| refuses("401 Unauthorized", "no"));
    let refused = ask(&["--model", "openai:m", "--base-url", &format!("{}/v1", server.url)]);
    assert_eq!(refused.status, 3, "{}", refused.stderr);
    assert_eq!(times(&refused.stderr, "hint: check the key"), 1, "{}", refused.stderr);
    assert!(!refused.stdout.contains("scripted agents"), "{}", refused.stdout);

    let nothing = ask(&["--model", "scripted:knows_nothing.toml"]);
    assert_eq!(nothing.status, 1, "{}", nothing.stderr);
    assert!(nothing.stderr.contains("missing: "), "{}", nothing.stderr);
    let row =
        |name: &str| nothing.stdout.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    for name in ["without an answer (recall)", "with one (false abstention)"] {
        assert!(row(name).contains("1.000"), "{name}: {}", nothing.stdout);
    }
    assert!(nothing.stdout.contains("coverage (answered, of all): 0.000"), "{}", nothing.stdout);
}
