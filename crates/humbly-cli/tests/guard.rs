//! Each harness's side of the protocol, played through the command.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;
#[path = "../../humbly-guard/tests/support/transcripts.rs"]
mod transcripts;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::{Value, json};
use support::Run;
use support::http::{Fake, answer};
use transcripts::*;

struct Home {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(path.join("project")).unwrap();
        Self { _folder: folder, path }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = support::humbly(&[&["guard"], arguments].concat());
        command.env_clear().env("HOME", &self.path).current_dir(self.path.join("project"));
        command
    }

    fn run(&self, arguments: &[&str], input: &[u8]) -> Run {
        support::collect(self.command(arguments).write_stdin(input))
    }

    /// A call of the hook: always status 0.
    fn hook(&self, arguments: &[&str], payload: &Value) -> Run {
        let run = self.run(arguments, payload.to_string().as_bytes());
        assert_eq!(run.status, 0, "{}", run.stderr);
        run
    }

    fn write(&self, relative: &str, text: &str) -> PathBuf {
        let path = self.path.join(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn log(&self) -> Value {
        serde_json::from_str(&self.run(&["log", "--output", "json"], b"").stdout).unwrap()
    }
}

fn stop(path: &Path, last: &str) -> Value {
    json!({"session_id": "s1", "transcript_path": path, "cwd": "/w", "permission_mode": "default",
        "hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": last})
}

/// The command line that a harness would run, as its settings hold it.
fn installed(settings: &Path, event: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(&std::fs::read_to_string(settings).unwrap()).unwrap();
    // OpenHands also knows a form without `hooks` around it, in small letters.
    let events = [&settings["hooks"][event], &settings[event.to_lowercase()]];
    let command = events.iter().find_map(|event| event[0]["hooks"][0]["command"].as_str()).unwrap();
    let (_, arguments) = command.split_once(" guard ").unwrap();
    arguments.split(' ').map(str::to_owned).collect()
}

/// Install, block, go on, be silent, uninstall; the payload and where its transcript lies are the harness's.
fn plays(
    harness: &str,
    settings: &str,
    (event, decision): (&str, &str),
    write: impl Fn(&Home, &[Turn]),
    payload: impl Fn(&Home, &str) -> Value,
) {
    let home = Home::new();
    let path = home.write(settings, "{\n  \"theme\": \"dark\"\n}\n");
    let refused = home.run(&["install", harness], b"y\n");
    assert_eq!((refused.status, std::fs::read_to_string(&path).unwrap().contains("humbly")), (2, false));
    assert!(refused.stderr.contains("--yes"), "{}", refused.stderr);
    let shown = home.run(&["install", harness, "--yes"], b"");
    assert_eq!(shown.status, 0, "{}", shown.stderr);
    assert!(shown.stdout.contains(&format!("guard --harness {harness}")), "{}", shown.stdout);
    let arguments = installed(&path, event);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let last = |turns: &[Turn]| turns.last().unwrap().text;

    write(&home, KEPT_SILENT);
    let blocked = home.hook(&arguments, &payload(&home, last(KEPT_SILENT)));
    let reply: Value = serde_json::from_str(&blocked.stdout).unwrap();
    assert_eq!(reply["decision"], decision);
    assert!(reply["reason"].as_str().unwrap().contains(NOTICED));

    // It goes on, and answers again: the harness says so, or the episode was asked about.
    let mut going_on = payload(&home, last(KEPT_SILENT));
    going_on["stop_hook_active"] = json!(true);
    for payload in [going_on, payload(&home, last(KEPT_SILENT))] {
        let silent = home.hook(&arguments, &payload);
        assert!(matches!(silent.stdout.trim(), "" | "{}"), "{}", silent.stdout);
    }

    assert_eq!(home.run(&["uninstall", harness, "--yes"], b"").status, 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\n  \"theme\": \"dark\"\n}\n");

    for turns in [ESCALATED, RESOLVED_BY_SOURCE, RESOLVED_BY_CALL, NO_CONFLICT] {
        let home = Home::new();
        write(&home, turns);
        let silent = home.hook(&arguments, &payload(&home, last(turns)));
        assert!(matches!(silent.stdout.trim(), "" | "{}"), "{}", silent.stdout);
    }
}

#[test]
fn claude_code_plays() {
    let session = ".claude/projects/p/s1.jsonl";
    plays(
        "claude-code",
        ".claude/settings.json",
        ("Stop", "block"),
        |home, turns| drop(home.write(session, &claude_code("s1", PROMPT, turns))),
        |home, last| stop(&home.path.join(session), last),
    );
}

#[test]
fn codex_plays() {
    let rollout = ".codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-0199-aa.jsonl";
    plays(
        "codex",
        ".codex/hooks.json",
        ("Stop", "block"),
        |home, turns| drop(home.write(rollout, &codex("0199-aa", PROMPT, turns))),
        |_, last| {
            json!({"session_id": "0199-aa", "turn_id": "t", "transcript_path": null, "cwd": "/w", "model": "m",
                "permission_mode": "default", "hook_event_name": "Stop", "stop_hook_active": false,
                "last_assistant_message": last})
        },
    );
}

#[test]
fn openhands_plays() {
    plays(
        "openhands",
        ".openhands/hooks.json",
        ("Stop", "deny"),
        |home, turns| {
            write_conversation(&home.path.join(".openhands/conversations/ab12"), &openhands(PROMPT, turns));
        },
        |home, _| {
            json!({"event_type": "Stop", "tool_name": null, "tool_input": null, "tool_response": null, "message": null,
                "session_id": "ab-12", "working_dir": home.path.join("project"), "metadata": {"reason": "finished"}})
        },
    );
}

#[test]
fn gemini_cli_plays() {
    let session = ".gemini/tmp/h/chats/session-1.jsonl";
    plays(
        "gemini-cli",
        ".gemini/settings.json",
        ("AfterAgent", "deny"),
        |home, turns| drop(home.write(session, &gemini_cli_lines("g1", PROMPT, turns))),
        |home, last| {
            json!({"session_id": "g1", "transcript_path": home.path.join(session), "cwd": "/w", "timestamp": "t",
                "hook_event_name": "AfterAgent", "prompt": PROMPT, "prompt_response": last, "stop_hook_active": false})
        },
    );
}

#[test]
fn faults_let_the_agent_stop_and_are_logged() {
    let home = Home::new();
    let outside = home.write("elsewhere/s1.jsonl", &claude_code("s1", PROMPT, KEPT_SILENT));
    let empty = home.write(".claude/projects/p/empty.jsonl", "");
    let broken =
        home.write(".claude/projects/p/broken.jsonl", "{\"type\": \"assistant\", \"mess\n\u{0}\u{1}\n");
    for path in [&outside, &empty, &broken, &home.path.join(".claude/none.jsonl"), Path::new("/etc/passwd")] {
        assert_eq!(home.hook(&[], &stop(path, "It opened in 1874.")).stdout, "", "{}", path.display());
    }
    for payload in ["", "{", "[]", "7", "{\"hook_event_name\": \"Stop\"}"] {
        let run = home.run(&["--harness", "claude-code"], payload.as_bytes());
        assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{payload}");
    }
    for arguments in
        [&["--harness", "nobody"][..], &["--mode", "loud"], &["--nonsense"], &["--mode", "log", "a", "b"]]
    {
        let run = home.run(arguments, b"{}");
        assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{arguments:?}");
    }
    let whys: Vec<String> = home.log()["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            assert_eq!(entry["entry"]["did"], "failed");
            assert!(entry["entry"]["time"].as_u64().unwrap() > 1_700_000_000);
            entry["entry"]["why"].as_str().unwrap().to_owned()
        })
        .collect();
    for said in ["outside", "does not exist", "not JSON", "no JSON object", "no transcript", "`nobody`"] {
        assert!(whys.iter().any(|why| why.contains(said)), "{said}: {whys:?}");
    }
}

#[test]
fn a_huge_payload_is_refused() {
    let home = Home::new();
    let run = home.run(&[], &vec![b' '; 17 << 20]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""));
    assert!(home.log()["entries"][0]["entry"]["why"].as_str().unwrap().contains("more than"));
}

#[test]
fn a_harness_that_never_sends_its_payload_is_let_go_at_the_deadline() {
    let home = Home::new();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_humbly"))
        .args(["guard"])
        .env("HOME", &home.path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let _held = child.stdin.take().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(10));
    let mut printed = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut printed).unwrap();
    assert_eq!(printed, "");
    assert!(home.log()["entries"][0]["entry"]["why"].as_str().unwrap().contains("within 2 s"));
}

#[test]
fn the_log_says_what_the_agent_did_then() {
    let home = Home::new();
    let first = claude_code("s1", PROMPT, KEPT_SILENT);
    let path = home.write(".claude/projects/p/s1.jsonl", &first);
    let asked = home.hook(&[], &stop(&path, KEPT_SILENT[3].text));
    assert!(asked.stdout.contains("block"));
    assert_eq!(home.log()["entries"][0]["after"], "silent");

    let reply: Value = serde_json::from_str(&asked.stdout).unwrap();
    let feedback = json!({"parentUuid": null, "isSidechain": false, "isMeta": true, "sessionId": "s1", "type": "user",
        "version": "2.1.200", "uuid": "f", "timestamp": "2026-11-30T10:01:00.000Z",
        "message": {"role": "user", "content": format!("Stop hook feedback:\n{}", reply["reason"].as_str().unwrap())}});
    let again = json!({"parentUuid": "f", "isSidechain": false, "sessionId": "s1", "type": "assistant", "uuid": "g",
        "version": "2.1.200", "timestamp": "2026-11-30T10:01:05.000Z",
        "message": {"id": "msg_again", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "It opened in 1874 by the register; the walkers' guide gives 1871."}]}});
    std::fs::write(&path, format!("{first}{feedback}\n{again}\n")).unwrap();
    let log = home.log();
    assert_eq!(log["entries"][0]["after"], "told");
    assert_eq!((&log["asked"]["n"], &log["asked"]["told"]), (&json!(1), &json!(1)));
    let table = home.run(&["log"], b"");
    assert!(table.stderr.contains("asked 1 times: told then 1"), "{}", table.stderr);
}

#[test]
fn a_transcript_is_checked_by_hand() {
    let home = Home::new();
    let path = home.write("s1.jsonl", &claude_code("s1", PROMPT, KEPT_SILENT));
    let shown = path.to_str().unwrap();
    let checked = home.run(&["check", shown, "--output", "json"], b"");
    let checked: Value = serde_json::from_str(&checked.stdout).unwrap();
    assert_eq!(checked["episodes"][0]["guard"], "asks");
    assert_eq!(checked["episodes"][0]["quotes"][0]["turn"], 2);
    assert!(home.run(&["check", shown], b"").stdout.contains("asks"));
    assert_eq!(home.run(&["check", "none.jsonl"], b"").status, 2);
}

#[test]
fn a_project_is_installed_into_its_own_folder() {
    let home = Home::new();
    assert_eq!(home.run(&["install", "claude-code", "--project", "--yes", "--mode", "note"], b"").status, 0);
    let path = home.path.join("project/.claude/settings.json");
    assert_eq!(installed(&path, "SubagentStop"), ["--harness", "claude-code", "--mode", "note"]);
    let twice = home.run(&["install", "claude-code", "--project", "--yes", "--mode", "note"], b"");
    assert!(twice.stderr.contains("already"), "{}", twice.stderr);
    assert_eq!(home.run(&["uninstall", "claude-code", "--project", "--yes"], b"").status, 0);
    assert!(!path.exists());
    assert_eq!(home.run(&["install", "nobody", "--yes"], b"").status, 2);
}

/// Rules for the two questions: the turns are shown for the first, the answer alone for the second.
fn script(home: &Home, identify: &str, escalate: &str) -> String {
    let rules = format!(
        "[[rule]]\nwhen.user = \"I start with the register.\"\n{identify}\n[[rule]]\nwhen.user = \"1874\"\n{escalate}\n"
    );
    format!("scripted:{}", home.write("script.toml", &rules).display())
}

const FLAGS_TURN_2: &str = "reply.text = '{\"flag\": 1, \"first_recognition_turn\": 2}'";
const FLAGS_NOTHING: &str = "reply.text = '{\"flag\": 0, \"first_recognition_turn\": -1}'";

/// A conflict in words that the rules do not know.
const UNFAMILIAR: &[Turn] = &[
    looks("I start with the register.", "register.txt", "Opened in 1874."),
    looks("Now the guide.", "guide.txt", "Opened in 1871."),
    looks("Odd, 1874 on the one page and 1871 on the other for the mill.", "cover.txt", "Cover page."),
    answers("The Harrow mill opened in 1874."),
];

#[test]
fn a_model_judges_in_place_of_the_rules() {
    for (turns, identify, escalate, is_asked) in [
        (UNFAMILIAR, FLAGS_TURN_2, "reply.text = 'NO'", true),
        (UNFAMILIAR, FLAGS_TURN_2, "reply.text = 'YES'", false),
        (KEPT_SILENT, FLAGS_NOTHING, "reply.text = 'NO'", false),
    ] {
        let home = Home::new();
        let path = home.write(".claude/projects/p/s1.jsonl", &claude_code("s1", PROMPT, turns));
        let model = script(&home, identify, escalate);
        let run = home.hook(&["--judge", &model, "--deadline", "60"], &stop(&path, turns[3].text));
        assert_eq!(run.stdout.contains("block"), is_asked, "{identify} {escalate}: {}", run.stdout);
        assert_eq!(run.stdout.contains("[turn 2, line "), is_asked);
        let checked =
            home.run(&["check", path.to_str().unwrap(), "--judge", &model, "--output", "json"], b"");
        let checked: Value = serde_json::from_str(&checked.stdout).unwrap();
        assert_eq!(checked["episodes"][0]["guard"] == "asks", is_asked, "{checked}");
    }
}

fn completion(text: &str) -> Vec<u8> {
    let message = json!({"role": "assistant", "content": text});
    let body = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}});
    answer("200 OK", "application/json", &body.to_string())
}

#[test]
fn a_served_model_is_asked_once_a_question() {
    let home = Home::new();
    let path = home.write(".claude/projects/p/s1.jsonl", &claude_code("s1", PROMPT, UNFAMILIAR));
    let ask = |server: &Fake| {
        let url = format!("{}/v1", server.url);
        let arguments = ["--judge", "m", "--base-url", &url, "--deadline", "60"];
        home.hook(&arguments, &stop(&path, UNFAMILIAR[3].text)).stdout
    };
    // Somebody waits: what is out of order now is not tried again.
    let down = Fake::start(|_, _| answer("503 Service Unavailable", "text/plain", "down"));
    assert_eq!((ask(&down).as_str(), down.requests()), ("", 1));
    let why = home.log()["entries"][0]["entry"]["why"].as_str().unwrap().to_owned();
    assert!(why.contains("judge could not answer") && why.contains("503"), "{why}");
    let server = Fake::start(|number, _| {
        completion(if number == 0 { r#"{"flag": 1, "first_recognition_turn": 2}"# } else { "NO" })
    });
    let asked = ask(&server);
    assert!(asked.contains("block") && asked.contains("[turn 2, line "), "{asked}");
    assert_eq!(server.requests(), 2);
}

#[test]
fn a_model_that_fails_or_is_slow_lets_the_agent_stop() {
    let refuses = "error = { kind = \"unknown_model\" }";
    for (identify, deadline, said) in [
        ("reply.text = 'perhaps'", "60", "judge could not answer"),
        (refuses, "60", "judge could not answer"),
        ("reply.text = 'x'\ndelay_seconds = 30.0", "1", "within 1 s"),
    ] {
        let home = Home::new();
        let path = home.write(".claude/projects/p/s1.jsonl", &claude_code("s1", PROMPT, KEPT_SILENT));
        let model = script(&home, identify, "reply.text = 'NO'");
        let run = home.hook(&["--judge", &model, "--deadline", deadline], &stop(&path, KEPT_SILENT[3].text));
        assert_eq!(run.stdout, "", "{identify}");
        let why = home.log()["entries"][0]["entry"]["why"].as_str().unwrap().to_owned();
        assert!(why.contains(said), "{identify}: {why}");
    }
    let home = Home::new();
    let path = home.write(".claude/projects/p/s1.jsonl", &claude_code("s1", PROMPT, KEPT_SILENT));
    let run = home.hook(&["--judge", "scripted:/none.toml"], &stop(&path, KEPT_SILENT[3].text));
    assert_eq!(run.stdout, "");
    assert!(home.log()["entries"][0]["entry"]["why"].as_str().unwrap().contains("/none.toml"));
    let checked = home.run(&["check", path.to_str().unwrap(), "--judge", "scripted:/none.toml"], b"");
    assert_eq!(checked.status, 2, "{}", checked.stderr);
}

#[test]
fn a_judge_is_installed_with_its_deadline() {
    let home = Home::new();
    let judge = ["--judge", "scripted:/my script.toml", "--deadline", "30"];
    for (harness, settings, timeout) in
        [("claude-code", ".claude/settings.json", 38), ("gemini-cli", ".gemini/settings.json", 38_000)]
    {
        let run = home.run(&[&["install", harness, "--yes"], &judge[..]].concat(), b"");
        assert_eq!(run.status, 0, "{}", run.stderr);
        let path = home.path.join(settings);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("--judge 'scripted:/my script.toml' --deadline 30\""), "{text}");
        assert!(text.contains(&format!("\"timeout\": {timeout}")), "{text}");
        assert_eq!(home.run(&["uninstall", harness, "--yes"], b"").status, 0);
        assert!(!path.exists());
    }
    let unknown = home.run(&["install", "claude-code", "--yes", "--judge", "gpt-5"], b"");
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("gpt-5"), "{}", unknown.stderr);
}
