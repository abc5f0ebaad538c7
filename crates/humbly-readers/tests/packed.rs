//! Logs that are compressed as a whole.

mod support;

use std::io::Write;

use humbly_readers::{Input, Unit, group, read, read_input};
use support::Collected;

fn message(role: &str, kind: &str, text: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]}}}}"#
    )
}

fn rollout(id: &str, parent: Option<&str>, answer: &str) -> String {
    let source = parent.map_or_else(
        || r#""cli""#.to_owned(),
        |parent| format!(r#"{{"subagent":{{"thread_spawn":{{"parent_thread_id":"{parent}"}}}}}}"#),
    );
    let meta = format!(
        r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{{"id":"{id}","source":{source}}}}}"#
    );
    let said = message("assistant", "output_text", answer);
    format!("{meta}\n{}\n{said}\n", message("user", "input_text", "q"))
}

fn of(unit: &Unit) -> Collected {
    let mut collected = Collected::default();
    assert_eq!(read(unit, None, &mut collected).format, Some("codex-rollout"));
    collected
}

#[test]
fn a_packed_rollout_is_read_with_its_packed_sub_agent() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("rollout-a.jsonl.zst");
    let child = folder.path().join("rollout-b.jsonl.zst");
    std::fs::write(&main, zstd::encode_all(rollout("a", None, "main").as_bytes(), 3).unwrap()).unwrap();
    std::fs::write(&child, zstd::encode_all(rollout("b", Some("a"), "child").as_bytes(), 3).unwrap())
        .unwrap();
    let units = group(vec![child, main]);
    assert_eq!(units.len(), 1);
    let read = of(&units[0]);
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    let trajectory = &read.trajectories[0];
    assert_eq!((trajectory.id.as_str(), trajectory.children.len()), ("rollout-a", 1));
    assert_eq!(trajectory.final_answer.as_ref().unwrap().text, "main");
    // A citation is a line of what is packed.
    assert_eq!(trajectory.turns().next().unwrap().at.line, 3);
}

#[test]
fn of_a_cut_packed_log_the_lines_before_are_used() {
    // Two frames: the second is cut.
    let text = rollout("a", None, "kept");
    let mut bytes = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let more = zstd::encode_all(message("assistant", "output_text", "lost").as_bytes(), 3).unwrap();
    bytes.extend(&more[..more.len() / 2]);
    let mut read = Collected::default();
    read_input(&Input::bytes("rollout-a.jsonl.zst", bytes), None, &mut read);
    assert_eq!(read.trajectories[0].final_answer.as_ref().unwrap().text, "kept");
    assert_eq!(read.problems.len(), 1, "{:?}", read.problems);
    assert!(read.problems[0].message.contains("cannot be read on"), "{:?}", read.problems);
}

#[test]
fn a_packed_document_is_read_in_whole() {
    let document = r#"[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]"#;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(document.as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    let mut read = Collected::default();
    let outcome = read_input(&Input::bytes("a.json.gz", bytes), None, &mut read);
    assert_eq!((outcome.format, read.trajectories[0].id.as_str()), (Some("openai-chat"), "a"));
}

#[test]
fn packed_bytes_that_are_no_log_are_refused() {
    for start in [&[0x28, 0xB5, 0x2F, 0xFD][..], &[0x1F, 0x8B][..], &[0x1F, 0x8B, 8, 0, 0][..]] {
        let mut read = Collected::default();
        let bytes = [start, b"not a frame"].concat();
        read_input(&Input::bytes("a.jsonl.zst", bytes), None, &mut read);
        assert_eq!((read.trajectories.len(), read.problems.len()), (0, 1), "{:?}", read.problems);
    }
}
