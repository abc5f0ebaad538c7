//! Models from a hub that stands on loopback: what arrives, what is kept, and what each fault says.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use humbly_model::fetch::{HubModel, HubParams, fetched_models, pull_hub, sha256_of};
use humbly_model::{Model, ModelError};
use support::TinyModel;

const COMMIT: &str = "0123abcd";

type Answer = dyn Fn(&str, usize) -> (u16, &'static str, Vec<u8>, Option<usize>) + Send + Sync;

struct Hub {
    endpoint: String,
    seen: Arc<Mutex<Vec<String>>>,
}

/// Answers each request by `answer(path, number)`: status, type, body, and a length that it claims.
fn hub(answer: Box<Answer>) -> Hub {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().unwrap().unwrap();
            let mut token = String::new();
            for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
                if line.to_ascii_lowercase().starts_with("authorization:") {
                    token.push_str(" +token");
                }
            }
            let path = first.split(' ').nth(1).unwrap().to_owned();
            let number = kept.lock().unwrap().len();
            kept.lock().unwrap().push(format!("{path}{token}"));
            let (status, kind, body, length) = answer(&path, number);
            let length = length.unwrap_or(body.len());
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
        }
    });
    Hub { endpoint, seen }
}

fn params(hub: &Hub, token: Option<&str>) -> HubParams {
    HubParams::from_variables(|name| match name {
        "HF_ENDPOINT" => Some(hub.endpoint.clone()),
        "HF_TOKEN" => token.map(str::to_owned),
        _ => None,
    })
    .attempts(2, Duration::from_millis(1))
}

fn listing(files: &[(&str, Option<&str>)]) -> Vec<u8> {
    let siblings: Vec<_> = files
        .iter()
        .map(|(name, digest)| match digest {
            Some(digest) => serde_json::json!({"rfilename": name, "lfs": {"sha256": digest, "size": 1}}),
            None => serde_json::json!({"rfilename": name}),
        })
        .collect();
    serde_json::json!({"sha": COMMIT, "siblings": siblings}).to_string().into_bytes()
}

fn digest(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, bytes).unwrap();
    sha256_of(&path).unwrap()
}

/// A hub with one file, served as `body` and listed with the digest of `listed`.
fn hub_with(body: Vec<u8>, listed: &[u8]) -> Hub {
    let digest = digest(listed);
    hub(Box::new(move |path, _| {
        if path.starts_with("/api/") {
            (200, "application/json", listing(&[("README.md", None), ("tiny.gguf", Some(&digest))]), None)
        } else {
            (200, "application/octet-stream", body.clone(), None)
        }
    }))
}

fn pull(name: &str, cache: &Path, params: &HubParams) -> Result<humbly_model::fetch::Fetched, ModelError> {
    pull_hub(&name.parse::<HubModel>().unwrap(), cache, params, &mut |_| ())
}

#[test]
fn a_model_is_fetched_at_its_commit_and_kept() {
    let bytes = TinyModel::new().write();
    let hub = hub_with(bytes.clone(), &bytes);
    let cache = tempfile::tempdir().unwrap();
    let fetched = pull("some/tiny", cache.path(), &params(&hub, Some("secret"))).unwrap();
    assert_eq!((fetched.commit.as_str(), fetched.bytes), (COMMIT, bytes.len() as u64));
    assert_eq!(fetched.sha256, digest(&bytes));
    assert!(Model::load(&fetched.path).is_ok());
    assert_eq!(fetched_models(cache.path()), std::slice::from_ref(&fetched));
    let seen = hub.seen.lock().unwrap().clone();
    assert_eq!(
        seen,
        [
            "/api/models/some/tiny/revision/main?blobs=true +token".to_owned(),
            format!("/some/tiny/resolve/{COMMIT}/tiny.gguf +token")
        ]
    );
    // It is there now: nothing is asked again, until another revision is named.
    assert_eq!(pull("some/tiny:tiny.gguf", cache.path(), &params(&hub, None)).unwrap(), fetched);
    assert_eq!(hub.seen.lock().unwrap().len(), 2);
    pull("some/tiny@v2", cache.path(), &params(&hub, None)).unwrap();
    assert_eq!(hub.seen.lock().unwrap()[2], "/api/models/some/tiny/revision/v2?blobs=true");
}

#[test]
fn what_is_no_model_of_ours_is_told_and_not_kept() {
    let whole = TinyModel::new().write();
    let mut foreign = TinyModel::new();
    foreign.text("general.architecture", "qwen2");
    let foreign = foreign.write();
    let cut = whole[..whole.len() / 2].to_vec();
    for (body, listed, text) in [
        (cut.clone(), cut, "cut short"),
        (foreign.clone(), foreign, "architecture `qwen2`"),
        (b"<html>".to_vec(), b"<html>".to_vec(), "expected `GGUF`"),
    ] {
        let hub = hub_with(body, &listed);
        let cache = tempfile::tempdir().unwrap();
        let error = pull("some/tiny", cache.path(), &params(&hub, None)).unwrap_err();
        let ModelError::Load { source, .. } = &error else { panic!("{error}") };
        assert!(source.to_string().contains(text), "{source}");
        assert!(error.hint().is_some());
        assert!(fetched_models(cache.path()).is_empty());
        assert_eq!(std::fs::read_dir(cache.path().join("hub/some/tiny")).unwrap().count(), 0);
    }
    let hub = hub_with(whole, b"another");
    let cache = tempfile::tempdir().unwrap();
    let error = pull("some/tiny", cache.path(), &params(&hub, None)).unwrap_err();
    assert!(matches!(error, ModelError::Checksum { .. }), "{error}");
}

#[test]
fn faults_of_the_hub_say_what_to_do() {
    type Fault = (u16, &'static str, &'static str, &'static str, &'static str);
    let faults: [Fault; 5] = [
        (401, "application/json", "{}", "(status 401, without a token)", "HF_TOKEN"),
        (404, "application/json", "{}", "(status 404", "check owner, repository"),
        (200, "text/html; charset=utf-8", "<html>", "a web page", "try again"),
        (200, "application/json", "{\"error\": 1}", "no listing of a model", "try again"),
        (503, "text/plain", "", "status 503", "try again"),
    ];
    for (status, kind, body, text, hint) in faults {
        let hub = hub(Box::new(move |_, _| (status, kind, body.as_bytes().to_vec(), None)));
        let cache = tempfile::tempdir().unwrap();
        let error = pull("some/tiny", cache.path(), &params(&hub, None)).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        assert!(error.hint().unwrap().contains(hint), "{error}");
        // A busy server is asked again.
        assert_eq!(hub.seen.lock().unwrap().len(), if status == 503 { 2 } else { 1 });
    }
    let nobody =
        HubParams::from_variables(|name| (name == "HF_ENDPOINT").then(|| "http://127.0.0.1:9".to_owned()));
    let error = pull("some/tiny", tempfile::tempdir().unwrap().path(), &nobody).unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
    assert!(error.hint().unwrap().contains("HF_ENDPOINT"));
}

#[test]
fn several_files_are_listed_and_one_is_named() {
    let bytes = TinyModel::new().write();
    let served = bytes.clone();
    let hub = hub(Box::new(move |path, _| {
        if path.starts_with("/api/") {
            (200, "application/json", listing(&[("a.gguf", None), ("b.gguf", None)]), None)
        } else {
            (200, "application/octet-stream", served.clone(), None)
        }
    }));
    let cache = tempfile::tempdir().unwrap();
    let error = pull("some/tiny", cache.path(), &params(&hub, None)).unwrap_err();
    assert!(error.to_string().contains("a.gguf, b.gguf"), "{error}");
    let error = pull("some/tiny:c.gguf", cache.path(), &params(&hub, None)).unwrap_err();
    assert!(error.to_string().contains("some/tiny:FILE"), "{error}");
    assert_eq!(pull("some/tiny:b.gguf", cache.path(), &params(&hub, None)).unwrap().file, "b.gguf");
}

#[test]
fn a_download_that_breaks_off_is_tried_again() {
    let bytes = TinyModel::new().write();
    let (served, listed) = (bytes.clone(), digest(&bytes));
    let broken = hub(Box::new(move |path, number| {
        if path.starts_with("/api/") {
            (200, "application/json", listing(&[("tiny.gguf", Some(&listed))]), None)
        } else if number < 2 {
            (200, "application/octet-stream", served[..100].to_vec(), Some(served.len()))
        } else {
            (200, "application/octet-stream", served.clone(), None)
        }
    }));
    let cache = tempfile::tempdir().unwrap();
    assert_eq!(pull("some/tiny", cache.path(), &params(&broken, None)).unwrap().bytes, bytes.len() as u64);
    let listed = digest(&bytes);
    let always = hub(Box::new(move |path, _| {
        if path.starts_with("/api/") {
            (200, "application/json", listing(&[("tiny.gguf", Some(&listed))]), None)
        } else {
            (200, "application/octet-stream", bytes[..100].to_vec(), Some(bytes.len()))
        }
    }));
    let cache = tempfile::tempdir().unwrap();
    let error = pull("some/tiny", cache.path(), &params(&always, None)).unwrap_err();
    assert!(error.to_string().contains("it broke off after"), "{error}");
    assert!(fetched_models(cache.path()).is_empty());
}
