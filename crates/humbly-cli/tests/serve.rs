//! `humbly serve` as a user sees it: started, asked over a socket, ended by a signal.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use support::http::send;
use support::{file, root, run};

const RULES: &str = r#"
[[rule]]
when.user = "long"
error = { kind = "context_too_long" }
[[rule]]
reply.text = "Lima."
"#;

/// A started server, which is ended with the test.
struct Server {
    child: Child,
    url: String,
    /// What it said before it listened.
    before: String,
    said: BufReader<std::process::ChildStderr>,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_humbly"))
            .current_dir(root())
            .args([&["serve"], arguments, &["--port", "0"]].concat())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        let mut server = Self { child, url: String::new(), before: String::new(), said };
        while server.url.is_empty() {
            let mut line = String::new();
            assert!(server.said.read_line(&mut line).unwrap() > 0, "the server ended");
            if let Some((_, rest)) = line.split_once(" at http://") {
                server.url = format!("http://{}", rest.split(' ').next().unwrap());
            } else {
                server.before += &line;
            }
        }
        server
    }

    /// Sends a signal and returns the exit status with what was said after the start.
    fn end(&mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let status = self.child.wait().unwrap().code();
        let mut rest = String::new();
        while self.said.read_line(&mut rest).unwrap() > 0 {}
        (status, rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn chat(url: &str, text: &str) -> (u16, Value) {
    let body = json!({"model": "rules", "messages": [{"role": "user", "content": text}]}).to_string();
    let models: Value = serde_json::from_str(&send(&format!("{url}/models"), "GET", "").1).unwrap();
    let body = body.replace("\"rules\"", &models["data"][0]["id"].to_string());
    let (status, body) = send(&format!("{url}/chat/completions"), "POST", &body);
    (status, serde_json::from_str(&body).unwrap())
}

#[test]
fn a_model_is_served_until_it_is_interrupted() {
    let (_folder, rules) = file("rules.toml", RULES);
    for signal in ["-INT", "-TERM"] {
        let mut server = Server::start(&["model", &format!("scripted:{rules}")]);
        assert!(server.url.starts_with("http://127.0.0.1:") && server.url.ends_with("/v1"), "{}", server.url);
        let (status, reply) = chat(&server.url, "Name a city.");
        assert_eq!((status, &reply["choices"][0]["message"]["content"]), (200, &json!("Lima.")));
        assert!(reply["created"].as_u64().unwrap() > 1_700_000_000, "{reply}");
        let (status, error) = chat(&server.url, "long");
        assert_eq!((status, &error["error"]["code"]), (400, &json!("context_length_exceeded")));
        assert_eq!(server.end(signal), (Some(0), String::new()));
    }
}

/// Case retriever-oom: the memory that it needs is told before it is taken.
#[test]
fn a_corpus_is_served_in_search_r1s_protocol() {
    let corpus = "{\"id\": \"0\", \"contents\": \"\\\"Ada\\\"\\nAda wrote programs.\"}\nno row\n\
                  {\"id\": \"1\", \"contents\": \"\\\"Grace\\\"\\nGrace wrote a compiler.\"}\n";
    let (_folder, path) = file("corpus.jsonl", corpus);
    let mut server = Server::start(&["search", &path]);
    let told = "reading a corpus of 0.0 MB; the index takes about as much memory\n";
    assert!(server.before.starts_with(told), "{}", server.before);
    let query = json!({"queries": ["compilers", "nothing like it"], "topk": null, "return_scores": true});
    let (status, body) = send(&server.url, "POST", &query.to_string());
    let reply: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &reply["result"][0][0]["document"]["id"]), (200, &json!("1")), "{body}");
    assert!(reply["result"][0][0]["score"].as_f64().unwrap() > 0.0);
    assert_eq!(server.end("-INT").0, Some(0));
}

#[test]
fn what_cannot_be_served_says_why() {
    let (_folder, rules) = file("rules.toml", RULES);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let spec = format!("scripted:{rules}");
    for (arguments, said) in [
        (vec!["serve", "model", &spec, "--port", &port], "hint: another port by --port, 0 takes a free one"),
        (vec!["serve", "model", "no-such-model"], "`no-such-model` is neither a file nor a known model"),
        (vec!["serve", "model", &rules], "the file begins with bytes"),
        (vec!["serve", "model", &spec, "--host", "example"], "expected an IP address"),
        (vec!["serve", "search", "none.jsonl"], "cannot serve `none.jsonl`"),
        (vec!["serve", "search", &rules], "the corpus has no usable row"),
    ] {
        let run = run(&arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
}
