//! Pulling from a server of our own.

#![cfg(feature = "network")]
#![allow(
    clippy::unwrap_used,
    clippy::too_many_lines,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and a table of cases is long"
)]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use humbly_data::{Cache, DataError, FetchParams, data_set, load_local, pull, register};
use support::{golden, real};

/// Status line, headers and body of an answer.
type Answer = (&'static str, &'static str, Vec<u8>);

/// Path and authorization of each request.
type Seen = Vec<(String, Option<String>)>;

struct Server {
    address: String,
    seen: Arc<Mutex<Seen>>,
}

/// Answers each request by its path; the last answer of a path stays.
fn serve(answers: &[(&str, Answer)]) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut left: BTreeMap<String, Vec<Answer>> = BTreeMap::new();
    for (path, answer) in answers {
        left.entry((*path).to_owned()).or_default().insert(0, answer.clone());
    }
    let noted = Arc::clone(&seen);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let Some(Ok(first)) = lines.next() else { continue };
            let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
            let headers: Vec<String> =
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let authorization = headers.iter().find_map(|header| {
                let (name, value) = header.split_once(':')?;
                name.eq_ignore_ascii_case("authorization").then(|| value.trim().to_owned())
            });
            noted.lock().unwrap().push((path.clone(), authorization));
            let answer = left
                .get_mut(&path)
                .map(|answers| if answers.len() > 1 { answers.pop().unwrap() } else { answers[0].clone() });
            let (status, headers, body) = answer.unwrap_or(("404 Not Found", "", Vec::new()));
            let length = if headers.contains("Content-Length") {
                String::new()
            } else {
                format!("Content-Length: {}\r\n", body.len())
            };
            let head = format!("HTTP/1.1 {status}\r\n{headers}{length}Connection: close\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    Server { address, seen }
}

fn params(server: &Server) -> FetchParams {
    FetchParams::new().endpoints(&server.address, &server.address).attempts(3, Duration::from_millis(1))
}

const MONACO: &str = "/datasets/allenai/MoNaCo_Benchmark/resolve/main/monaco_version_1_release.jsonl";

fn monaco() -> Vec<u8> {
    std::fs::read(golden("monaco/monaco_version_1_release.jsonl")).unwrap()
}

/// Names in the folder of a data set.
fn names(cache: &Cache, set: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(cache.folder(set))
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn a_pull_keeps_file_checksum_and_commit() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path());
    let server = serve(&[(MONACO, ("200 OK", "X-Repo-Commit: abc123\r\n", monaco()))]);
    let set = data_set("monaco").unwrap();
    let pulled = pull(&cache, set, &params(&server).token("secret")).unwrap();
    assert_eq!((pulled.report.questions, pulled.was_local), (40, false));
    let file = &pulled.receipt.files[0];
    assert_eq!((file.commit.as_deref(), file.revision.as_deref()), (Some("abc123"), Some("main")));
    assert_eq!(file.bytes, monaco().len() as u64);
    assert_eq!(names(&cache, "monaco"), [".receipt.json", "monaco_version_1_release.jsonl"]);
    assert_eq!(server.seen.lock().unwrap()[0].1.as_deref(), Some("Bearer secret"));
    let receipt = std::fs::read_to_string(cache.folder("monaco").join(".receipt.json")).unwrap();
    assert!(!receipt.contains("secret"));
    // A second pull asks nobody.
    assert!(pull(&cache, set, &params(&server)).unwrap().was_local);
    assert_eq!(server.seen.lock().unwrap().len(), 1);
    assert!(!pull(&cache, set, &params(&server).forced(true)).unwrap().was_local);
    let mut questions = 0;
    load_local(&cache, set, &mut |_| questions += 1).unwrap();
    assert_eq!(questions, 40);
}

#[test]
fn a_redirect_to_another_host_gets_no_token() {
    let folder = tempfile::tempdir().unwrap();
    let storage = serve(&[("/file", ("200 OK", "", monaco()))]);
    // `localhost` and 127.0.0.1 are two hosts to a client.
    let location = storage.address.replace("127.0.0.1", "localhost");
    let header: &'static str = Box::leak(format!("Location: {location}/file\r\n").into_boxed_str());
    let server = serve(&[(MONACO, ("302 Found", header, Vec::new()))]);
    let set = data_set("monaco").unwrap();
    pull(&Cache::at(folder.path()), set, &params(&server).token("secret")).unwrap();
    assert_eq!(*storage.seen.lock().unwrap(), [("/file".to_owned(), None)]);
}

#[test]
fn a_gate_names_its_page_and_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path());
    let path = "/datasets/gaia-benchmark/GAIA/resolve/682dd723ee1e1697e00360edccf2366dc8418dd9/2023/validation/metadata.parquet";
    let server = serve(&[(path, ("401 Unauthorized", "", b"Access to dataset is restricted".to_vec()))]);
    let set = data_set("gaia").unwrap();
    let error = pull(&cache, set, &params(&server)).unwrap_err();
    assert!(
        error.to_string().ends_with("answers 401: it needs a token and none was given in HF_TOKEN"),
        "{error}"
    );
    let hint = error.hint().unwrap();
    assert!(
        hint.contains("https://huggingface.co/datasets/gaia-benchmark/GAIA") && hint.contains("HF_TOKEN")
    );
    let error = pull(&cache, set, &params(&server).token("secret")).unwrap_err();
    assert!(error.to_string().contains("the token in HF_TOKEN may not read this data set"), "{error}");
    assert!(!format!("{error} {error:?} {:?}", error.hint()).contains("secret"));
    assert!(names(&cache, "gaia").is_empty());
}

#[test]
fn a_busy_server_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(&[
        (MONACO, ("503 Service Unavailable", "", Vec::new())),
        (MONACO, ("200 OK", "Content-Length: 999999\r\n", b"{\"ex_num\"".to_vec())),
        (MONACO, ("200 OK", "", monaco())),
    ]);
    let set = data_set("monaco").unwrap();
    assert_eq!(pull(&Cache::at(folder.path()), set, &params(&server)).unwrap().report.questions, 40);
    assert_eq!(server.seen.lock().unwrap().len(), 3);
}

#[test]
fn what_is_no_file_is_refused_and_an_earlier_pull_stays() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path());
    let set = data_set("monaco").unwrap();
    let good = golden("monaco/monaco_version_1_release.jsonl");
    register(&cache, set, &[good]).unwrap();
    for (answer, message) in [
        (
            ("200 OK", "Content-Type: text/html; charset=utf-8\r\n", b"<html>".to_vec()),
            "answers with a web page",
        ),
        (("404 Not Found", "", Vec::new()), "answers 404, expected the file"),
        (("200 OK", "Content-Length: 999999\r\n", monaco()), "bytes"),
        (("200 OK", "", b"{\"something\": \"else\"}\n".to_vec()), "gives no question of `monaco`"),
        (("200 OK", "", Vec::new()), "gives no question of `monaco`"),
    ] {
        let server = serve(&[(MONACO, answer)]);
        let error = pull(&cache, set, &params(&server).forced(true)).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.hint().is_some(), "{error}");
        assert_eq!(names(&cache, "monaco"), [".receipt.json", "monaco_version_1_release.jsonl"]);
        assert_eq!(cache.files("monaco").unwrap().len(), 1);
    }
}

#[test]
fn another_file_than_the_pinned_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path());
    let path = "/openai/grade-school-math/3101c7d5072418e28b9008a6636bde82a006892c/grade_school_math/data/test.jsonl";
    let row = b"{\"question\": \"q\", \"answer\": \"#### 5\"}\n".to_vec();
    let server = serve(&[(path, ("200 OK", "", row))]);
    let set = data_set("gsm8k").unwrap();
    let error = pull(&cache, set, &params(&server).token("secret")).unwrap_err();
    assert!(matches!(error, DataError::Checksum { .. }), "{error}");
    assert!(names(&cache, "gsm8k").is_empty());
    let refusing = serve(&[(path, ("403 Forbidden", "", Vec::new()))]);
    let error = pull(&cache, set, &params(&refusing)).unwrap_err();
    assert!(matches!(error, DataError::Status { status: 403, .. }), "{error}");
    // The token is the hub's and goes nowhere else.
    assert_eq!(server.seen.lock().unwrap()[0].1, None);
    let Some(file) = real("gsm8k/test.jsonl") else { return };
    let server = serve(&[(path, ("200 OK", "", std::fs::read(file).unwrap()))]);
    assert_eq!(pull(&cache, set, &params(&server)).unwrap().report.questions, 1_319);
}

#[test]
fn without_a_network_the_other_way_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = format!("http://{unused}");
    let params = FetchParams::new().endpoints(&address, &address).attempts(1, Duration::ZERO);
    let error = pull(&Cache::at(folder.path()), data_set("monaco").unwrap(), &params).unwrap_err();
    assert!(matches!(error, DataError::Unreachable { .. }), "{error}");
    assert!(error.hint().unwrap().contains("humbly data pull monaco --path FILE"));
}

#[test]
fn registered_files_replace_each_other_and_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path().join("cache"));
    let set = data_set("nq-open").unwrap();
    assert!(matches!(load_local(&cache, set, &mut drop), Err(DataError::NotLocal { .. })));
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    let one = write("a/rows.jsonl", "{\"question\": \"one\", \"answer\": [\"1\"]}\n");
    let two = write("b/rows.jsonl", "{\"question\": \"two\", \"answer\": [\"2\"]}\n");
    let pulled = register(&cache, set, &[one.clone(), two]).unwrap();
    assert_eq!((pulled.report.questions, pulled.report.bad_rows), (2, 0));
    assert_eq!(names(&cache, "nq-open"), [".receipt.json", "2-rows.jsonl", "rows.jsonl"]);
    register(&cache, set, &[one]).unwrap();
    let three = write("three.jsonl", "{\"question\": \"three\", \"answer\": [\"3\"]}\n");
    register(&cache, set, &[three]).unwrap();
    assert_eq!(names(&cache, "nq-open"), [".receipt.json", "three.jsonl"]);
    let mut asked = Vec::new();
    load_local(&cache, set, &mut |question| asked.push(question.question)).unwrap();
    assert_eq!(asked, ["three"]);
    let bad = write("bad.jsonl", "{\"question\": 3}\n");
    let error = register(&cache, set, &[bad]).unwrap_err();
    assert!(error.hint().unwrap().contains("`question` is `3`, expected text"), "{:?}", error.hint());
    assert_eq!(names(&cache, "nq-open"), [".receipt.json", "three.jsonl"]);
    std::fs::write(cache.folder("nq-open").join("three.jsonl"), "{}").unwrap();
    assert!(matches!(load_local(&cache, set, &mut drop), Err(DataError::Changed { .. })));
}

#[test]
fn the_cache_folder_comes_from_the_environment() {
    let of = |known: &[(&str, &str)]| {
        Cache::from_variables(|name| {
            known.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into())
        })
        .map(|cache| cache.folder("x"))
    };
    assert_eq!(of(&[("HUMBLY_CACHE", "/c"), ("HOME", "/h")]).unwrap(), Path::new("/c/datasets/x"));
    assert_eq!(of(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]).unwrap(), Path::new("/x/humbly/datasets/x"));
    assert!(matches!(of(&[("HUMBLY_CACHE", "")]), Err(DataError::NoCacheFolder)));
}
