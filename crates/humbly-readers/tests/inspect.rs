//! Inspect AI logs: real and generated samples, and the traps of the format as small archives.

#![expect(clippy::unwrap_used, reason = "what builds the archives fails the test")]

mod support;

use std::io::{Cursor, Write};

use humbly_readers::{Input, ReadOutcome, read_input};
use humbly_types::{AnswerOrigin, Outcome, ReasoningOrigin, StopKind, Trajectory, Truncation};
use serde_json::{Value, json};
use support::{Collected, read_sample, read_text};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const DEMO: &str = "inspect-eval/generated_zstd_zip64_demo_gHwVn5w7p2J2PoBFaFcaTi.eval";
const LIMIT: &str = "inspect-eval/generated_zstd_zip64_msglimit_demo_ATT9mYwFkUagyXTRwamXDU.eval";

/// Numbers that a table of samples shows: turns, calls, results, failed results.
fn counts(trajectory: &Trajectory) -> [usize; 4] {
    [
        trajectory.turns().count(),
        trajectory.calls().count(),
        trajectory.results().count(),
        trajectory.results().filter(|result| result.is_error == Some(true)).count(),
    ]
}

fn answer(trajectory: &Trajectory) -> &str {
    &trajectory.final_answer.as_ref().unwrap().text
}

fn archive(method: CompressionMethod, entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn log(samples: &[(&str, &Value)]) -> Vec<u8> {
    let header = header();
    let bytes: Vec<(String, Vec<u8>)> =
        samples.iter().map(|(name, sample)| ((*name).to_owned(), sample.to_string().into_bytes())).collect();
    let mut entries: Vec<(&str, &[u8])> = vec![("header.json", &header)];
    entries.extend(bytes.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
    archive(CompressionMethod::Zstd, &entries)
}

fn header() -> Vec<u8> {
    json!({"version": 2, "status": "success", "plan": {"steps": [{"solver": "react"}]},
           "eval": {"task": "team/bridges", "model": "m/one", "eval_id": "e1",
                    "packages": {"inspect_ai": "0.3.285"}}})
    .to_string()
    .into_bytes()
}

fn read(name: &str, bytes: &[u8]) -> (ReadOutcome, Collected) {
    let mut collected = Collected::default();
    let outcome = read_input(&Input::bytes(name, bytes), None, &mut collected);
    (outcome, collected)
}

fn read_one(sample: &Value) -> Trajectory {
    let (outcome, mut read) = read("run.eval", &log(&[("samples/q_epoch_1.json", sample)]));
    assert_eq!(outcome.format, Some("inspect"));
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    assert_eq!(read.trajectories.len(), 1);
    read.trajectories.remove(0)
}

/// A sample with one lookup and an answer.
fn sample(id: &str, answer: &str) -> Value {
    json!({"id": id, "epoch": 1, "input": "When did it open?", "target": ["1931", ""],
        "messages": [
            {"id": "s", "role": "system", "content": "Be brief."},
            {"id": "u", "role": "user", "source": "input", "content": "When did it open?"},
            {"id": "a1", "role": "assistant", "source": "generate",
             "content": [{"type": "reasoning", "reasoning": "I recall 1930."}, {"type": "text", "text": "Looking."}],
             "tool_calls": [{"id": "c", "function": "lookup", "arguments": {"q": "opening"}}]},
            {"id": "t1", "role": "tool", "tool_call_id": "c", "function": "lookup", "content": "1931"},
            {"id": "a2", "role": "assistant", "source": "generate", "content": answer}],
        "output": {"choices": [{"message": {"id": "a2", "role": "assistant", "content": answer}, "stop_reason": "stop"}]},
        "model_usage": {"m/one": {"input_tokens": 20, "output_tokens": 4, "input_tokens_cache_read": 5}}})
}

#[test]
fn a_zstd_zip64_log_is_read_whole() {
    let Some((outcome, read)) = read_sample(DEMO) else { return };
    assert_eq!(outcome.format, Some("inspect"));
    assert_eq!(read.problems, []);
    let [first, second] = read.trajectories.as_slice() else { panic!("{:?}", read.trajectories) };
    assert_eq!(counts(first), [2, 2, 2, 1]);
    assert_eq!(counts(second), [2, 2, 2, 1]);
    assert_eq!(first.sample_id.as_deref(), Some("q1"));
    assert_eq!(first.references.for_correctness(), ["1932"]);
    assert_eq!(first.question.as_deref(), Some("When did the bridge open?"));
    assert_eq!(first.model.as_deref(), Some("mockllm/model"));
    assert_eq!(first.dataset.as_deref(), Some("conflict_demo"));
    assert_eq!(first.usage.reasoning, Some(12));
    let turn = first.turns().next().unwrap();
    assert_eq!(turn.reasoning[0].text, "I believe 1930, but I should check.");
    assert_eq!(turn.visible, "Let me look this up in two places.");
    assert_eq!(first.results().nth(1).unwrap().text, "lookup service unavailable");
}

/// Trap 7 and 8: the submit call is in the output only, its answer also in the text; inline think blocks.
#[test]
fn a_submitted_answer_is_the_final_answer() {
    let Some((_, read)) = read_sample(DEMO) else { return };
    let first = &read.trajectories[0];
    let answer = first.final_answer.as_ref().unwrap();
    assert_eq!(answer.text, "1931 (Source A; Source B says 1932)");
    assert_eq!((answer.origin, answer.turn), (AnswerOrigin::SubmitTool, Some(1)));
    let last = first.final_step().unwrap();
    assert_eq!(last.reasoning[0].origin, ReasoningOrigin::Inline);
    assert_eq!(last.reasoning[0].text, "The two sources disagree.");
    assert!(last.visible.starts_with("The sources disagree: A says 1931"), "{}", last.visible);
}

/// Trap 6: after the limit the results stand in events only; the ids of the first turn come again.
#[test]
fn a_limit_means_truncated_and_late_results_are_found() {
    let Some((_, read)) = read_sample(LIMIT) else { return };
    let first = &read.trajectories[0];
    assert_eq!(first.truncated, Truncation::Yes);
    assert_eq!((first.stop.kind, first.stop.raw.as_deref()), (StopKind::Limit, Some("message")));
    assert_eq!(first.outcome(), Outcome::CutByLimit);
    assert_eq!(counts(first), [2, 4, 4, 2]);
    assert!(first.unanswered_calls().is_empty());
}

/// Trap 15: no header, so the journal names the run.
#[test]
fn a_crashed_run_opens_with_its_flushed_samples() {
    let Some((_, read)) = read_sample("inspect-eval/generated_crashed_no_header.eval") else { return };
    assert_eq!(read.trajectories.len(), 1);
    assert_eq!(read.trajectories[0].model.as_deref(), Some("mockllm/model"));
    assert_eq!(read.trajectories[0].dataset.as_deref(), Some("conflict_demo"));
    assert_eq!(counts(&read.trajectories[0]), [2, 2, 2, 1]);
}

/// Trap 3, the real file.
#[test]
fn a_rewritten_sample_counts_once() {
    let Some((_, read)) = read_sample("inspect-eval/generated_duplicate_member.eval") else { return };
    assert_eq!(read.trajectories.len(), 2);
}

#[test]
fn older_deflated_logs_are_read() {
    let Some((_, read)) =
        read_sample("inspect-eval/2024-11-05T13-32-37-05-00_input-task_hxs4q9azL3ySGkjJirypKZ.eval")
    else {
        return;
    };
    let [only] = read.trajectories.as_slice() else { panic!("{:?}", read.trajectories) };
    // Two user messages stand before the one answer: still one task.
    assert_eq!((counts(only), only.steps().len()), ([1, 0, 0, 0], 3));
    assert!(only.references.for_correctness().is_empty(), "an empty target is no reference");
    assert!(answer(only).starts_with("Yo, fam!"));

    let name =
        "inspect-eval/2025-11-07T10-59-47-05-00_websearch-addition-problem_LqPDntDnkk4h2fSqQ8i6CE.eval";
    let (_, read) = read_sample(name).unwrap();
    assert_eq!(read.trajectories[0].references.for_correctness(), ["2", "2.0"]);
    assert_eq!(read.trajectories[0].sample_id.as_deref(), Some("1"));

    let (_, read) = read_sample("inspect-eval/log_message_deduplication.eval").unwrap();
    assert_eq!(counts(&read.trajectories[0]), [6, 5, 5, 0]);
    assert_eq!(answer(&read.trajectories[0]), "done");
}

/// Trap 12: one trajectory for each sample and epoch.
#[test]
fn epochs_are_trajectories_of_their_own() {
    let Some((_, read)) = read_sample("inspect-eval/log_streaming.eval") else { return };
    let ids: Vec<&str> = read.trajectories.iter().map(|trajectory| trajectory.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "log_streaming/2_epoch_2",
            "log_streaming/2_epoch_1",
            "log_streaming/1_epoch_1",
            "log_streaming/1_epoch_2"
        ]
    );
    assert_eq!(read.trajectories[2].references.for_correctness(), [" Yes"]);
}

#[test]
fn json_logs_are_read() {
    let Some((outcome, read)) = read_sample("inspect-json/generated_conflict_demo.json") else { return };
    assert_eq!(outcome.format, Some("inspect-json"));
    assert_eq!(read.trajectories.len(), 2);
    assert_eq!(counts(&read.trajectories[0]), [2, 2, 2, 1]);
    assert_eq!(answer(&read.trajectories[0]), "1931 (Source A; Source B says 1932)");

    let (_, read) = read_sample("inspect-json/log_images_tc.json").unwrap();
    assert_eq!(read.trajectories[0].question.as_deref(), Some("What is this a picture of?"));
    assert_eq!(read.trajectories[0].references.for_correctness(), ["bike", "bicycle"]);
    assert_eq!(answer(&read.trajectories[0]), "[hedgehog]");

    let (_, read) = read_sample("inspect-json/2025-05-12T20-28-26-04-00_security-guide.json").unwrap();
    assert_eq!(read.problems, []);
    assert!(read.trajectories.iter().all(|trajectory| counts(trajectory) == [1, 0, 0, 0]));
}

#[test]
fn a_log_of_tool_messages_alone_is_a_problem() {
    let Some((outcome, read)) = read_sample("inspect-json/log_tool_call_error.json") else { return };
    assert_eq!(outcome.trajectories, 0);
    assert!(read.problems[0].message.contains("no assistant turn"), "{:?}", read.problems);
}

#[test]
fn a_reference_reaches_no_step() {
    let Some((_, read)) = read_sample(DEMO) else { return };
    let steps = serde_json::to_string(read.trajectories[0].steps()).unwrap();
    assert!(!steps.contains("\"target\"") && !steps.contains("\"C\""));
}

/// Trap 1: method 93, an entry of several zstd frames.
#[test]
fn an_entry_of_several_zstd_frames_is_read() {
    let text = sample("q", "1931").to_string();
    let (front, back) = text.split_at(text.len() / 2);
    let mut frames = zstd::encode_all(front.as_bytes(), 3).unwrap();
    frames.extend(zstd::encode_all(back.as_bytes(), 3).unwrap());
    // Stored first, then named method 93 in both headers, with the true size.
    let stored = archive(CompressionMethod::Stored, &[("samples/q_epoch_1.json", &frames)]);
    let bytes = as_zstd(stored, &text);
    let (_, read) = read("run.eval", &bytes);
    assert_eq!(read.problems, []);
    assert_eq!(answer(&read.trajectories[0]), "1931");
}

/// Rewrites the only (stored) entry as method 93 with the size and checksum of `text`.
fn as_zstd(mut bytes: Vec<u8>, text: &str) -> Vec<u8> {
    let plain = archive(CompressionMethod::Stored, &[("samples/q_epoch_1.json", text.as_bytes())]);
    let crc: [u8; 4] = plain[14..18].try_into().unwrap();
    let size = u32::try_from(text.len()).unwrap().to_le_bytes();
    let central = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    for (method, checksum, length) in [(8, 14, 22), (central + 10, central + 16, central + 24)] {
        bytes[method..method + 2].copy_from_slice(&93_u16.to_le_bytes());
        bytes[checksum..checksum + 4].copy_from_slice(&crc);
        bytes[length..length + 4].copy_from_slice(&size);
    }
    bytes
}

/// Trap 2: zip64 fields on a small entry.
#[test]
fn zip64_fields_on_small_entries_are_read() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("samples/q_epoch_1.json", SimpleFileOptions::default().large_file(true)).unwrap();
    writer.write_all(sample("q", "1931").to_string().as_bytes()).unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let (_, read) = read("run.eval", &bytes);
    assert_eq!(answer(&read.trajectories[0]), "1931");
    // Cut behind the entry, its size stands in the zip64 field only.
    let central = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    let (_, read) = self::read("run.eval", &bytes[..central]);
    assert_eq!(answer(&read.trajectories[0]), "1931");
}

/// Trap 3: of two entries of one name the last one stands.
#[test]
fn the_last_of_two_entries_of_one_name_wins() {
    let bytes = log(&[
        ("samples/q_epoch_1.json", &sample("q", "first")),
        ("samples/q_epoch_X.json", &sample("q", "last")),
        ("samples/r_epoch_1.json", &sample("r", "other")),
    ]);
    let bytes = rename(&bytes, b"q_epoch_X", b"q_epoch_1");
    let (_, read) = read("run.eval", &bytes);
    let answers: Vec<&str> = read.trajectories.iter().map(answer).collect();
    assert_eq!(answers, ["last", "other"]);
}

fn rename(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    while let Some(at) = bytes.windows(from.len()).position(|window| window == from) {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// Trap 4: references to attachments, also inside arguments and event results.
#[test]
fn attachments_are_put_in_place() {
    let mut sample = sample("q", "attachment://aa");
    sample["attachments"] = json!({"aa": "It opened in 1931.", "bb": "long query"});
    sample["messages"][2]["tool_calls"][0]["arguments"]["q"] = json!("attachment://bb");
    sample["messages"][3]["content"] = json!([{"type": "text", "text": "attachment://aa"}]);
    sample["messages"][0]["content"] = json!("attachment://missing");
    let trajectory = read_one(&sample);
    assert_eq!(answer(&trajectory), "It opened in 1931.");
    assert_eq!(trajectory.calls().next().unwrap().1.arguments, r#"{"q":"long query"}"#);
    assert_eq!(trajectory.results().next().unwrap().text, "It opened in 1931.");
    assert_eq!(trajectory.steps()[0].visible, "attachment://missing");
}

/// Traps 5 and 6: a compacted conversation is put together from pooled inputs.
#[test]
fn turns_before_a_compaction_come_from_pooled_events() {
    let mut sample = sample("q", "1931");
    let early = json!([
        {"id": "u", "role": "user", "source": "input", "content": "When did it open?"},
        {"id": "a0", "role": "assistant", "content": "First I list the bridges.",
         "tool_calls": [{"id": "c0", "function": "list", "arguments": {}}]},
        {"id": "t0", "role": "tool", "tool_call_id": "c0", "function": "list", "content": "three bridges"},
        {"id": "sum", "role": "user", "content": "Summary of what was done."},
        {"id": "a1", "role": "assistant", "content": "Looking."}]);
    sample["events_data"] = json!({"messages": early, "calls": []});
    let say = |message: &Value| json!({"choices": [{"message": message, "stop_reason": "stop"}]});
    sample["events"] = json!([
        {"event": "model", "input": [], "input_refs": [[0, 1]], "output": say(&early[1])},
        {"event": "compaction", "type": "summary"},
        {"event": "model", "input": [], "input_refs": [[0, 1], [3, 4]], "output": say(&sample["messages"][2])},
        {"event": "model", "input": [], "input_refs": [[0, 3]], "output": say(&sample["messages"][4])}]);
    sample["messages"].as_array_mut().unwrap().insert(2, early[3].clone());
    let trajectory = read_one(&sample);
    assert_eq!(counts(&trajectory), [3, 2, 2, 0]);
    assert_eq!(trajectory.turns().next().unwrap().visible, "First I list the bridges.");
    assert_eq!(answer(&trajectory), "1931");
    assert_eq!(
        trajectory.steps().iter().filter(|step| step.is_prompt()).count(),
        1,
        "a summary is no prompt"
    );
}

/// Trap 9: ids are numbers or strings, also with slashes.
#[test]
fn ids_may_be_numbers_or_hold_slashes() {
    let mut number = sample("", "1931");
    number["id"] = json!(7);
    let slashed = sample("set/a/7", "1931");
    let bytes = log(&[("samples/7_epoch_1.json", &number), ("samples/set/a/7_epoch_1.json", &slashed)]);
    let (_, read) = read("run.eval", &bytes);
    let ids: Vec<&str> = read.trajectories.iter().map(|one| one.sample_id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["7", "set/a/7"]);
}

/// Trap 10: an archive without its end gives the samples that are whole, and one that holds none an error.
#[test]
fn a_cut_archive_gives_its_whole_samples() {
    let bytes = log(&[
        ("samples/q_epoch_1.json", &sample("q", "1931")),
        ("samples/r_epoch_1.json", &sample("r", "1932")),
    ]);
    let second = bytes.windows(9).position(|window| window == b"r_epoch_1").unwrap();
    let (_, read) = read("run.eval", &bytes[..second + 60]);
    assert_eq!(read.trajectories.len(), 1);
    assert_eq!(read.trajectories[0].model.as_deref(), Some("m/one"));
    assert!(read.problems[0].message.contains("cut off"), "{:?}", read.problems);

    let (outcome, read) = self::read("run.eval", &bytes[..40]);
    assert_eq!(outcome.trajectories, 0);
    assert_eq!(read.problems.len(), 1);
}

#[test]
fn a_corrupt_entry_leaves_the_others() {
    let mut bytes = log(&[
        ("samples/q_epoch_1.json", &sample("q", "1931")),
        ("samples/r_epoch_1.json", &sample("r", "1932")),
    ]);
    let first = bytes.windows(9).position(|window| window == b"q_epoch_1").unwrap();
    for byte in &mut bytes[first + 60..first + 90] {
        *byte ^= 0x5a;
    }
    let (_, read) = read("run.eval", &bytes);
    assert_eq!(read.trajectories.len(), 1);
    assert_eq!(read.problems[0].record.as_deref(), Some("samples/q_epoch_1.json"));
}

/// Trap 11: `NaN`, which Python writes into scores.
#[test]
fn nan_in_scores_is_repaired_and_named() {
    let mut sample = sample("q", "1931");
    sample["scores"] = json!({"match": {"value": "NUMBER"}});
    let text = sample.to_string().replace("\"NUMBER\"", "NaN");
    let bytes = archive(CompressionMethod::Deflated, &[("samples/q_epoch_1.json", text.as_bytes())]);
    let (_, read) = read("run.eval", &bytes);
    assert_eq!(answer(&read.trajectories[0]), "1931");
    assert!(read.problems[0].message.contains("NaN"), "{:?}", read.problems);
}

/// Trap 13: parts of chunked samples are no samples; references go by index.
#[test]
fn a_chunked_sample_is_put_together() {
    let mut shell = sample("q", "1931");
    let messages = shell.as_object_mut().unwrap().remove("messages").unwrap();
    let messages = messages.as_array().unwrap();
    shell["message_refs"] = json!([[0, 2], [3, 6]]);
    let mut first = messages[..2].to_vec();
    first[0]["content"] = json!("attachment://1");
    first.push(json!({"id": "old", "role": "user", "content": "left out"}));
    let prefix = "samples/q_epoch_1";
    let bytes = log(&[
        (&format!("{prefix}/sample.json"), &shell),
        (&format!("{prefix}/metadata.json"), &json!({"split": "conflict"})),
        (&format!("{prefix}/skeleton.json"), &json!([])),
        (&format!("{prefix}/messages/10.json"), &json!([messages[4]])),
        (&format!("{prefix}/messages/0.json"), &json!(first)),
        (&format!("{prefix}/messages/3.json"), &json!(messages[2..4])),
        (&format!("{prefix}/events/stats.json"), &json!({})),
        (&format!("{prefix}/attachments/0.json"), &json!(["zero", "Be brief."])),
    ]);
    let (_, read) = read("run.eval", &bytes);
    assert_eq!(read.problems, []);
    let [only] = read.trajectories.as_slice() else { panic!("{:?}", read.trajectories) };
    assert_eq!(counts(only), [2, 1, 1, 0]);
    assert_eq!(only.steps()[0].visible, "Be brief.");
    assert_eq!(answer(only), "1931");
}

/// Trap 14.
#[test]
fn a_manifest_is_no_log() {
    let manifest = json!({"a.eval": {"version": 2, "status": "success", "eval": {"task": "t"}, "plan": {}}});
    let (outcome, read) = read_text("logs.json", &manifest.to_string());
    assert_eq!(outcome.trajectories, 0);
    assert!(read.problems[0].message.contains("manifest"), "{:?}", read.problems);
}

#[test]
fn an_entry_that_leaves_the_archive_is_refused() {
    let bytes = log(&[("samples/q_epoch_1.json", &sample("q", "1931")), ("aa/x", &json!({}))]);
    let (_, read) = read("run.eval", &rename(&bytes, b"aa/x", b"../x"));
    assert_eq!(read.trajectories.len(), 1);
    assert_eq!(read.problems[0].record.as_deref(), Some("../x"));
}

#[test]
fn a_zip_bomb_is_refused_and_the_rest_read() {
    let bomb = vec![b' '; 80 << 20];
    let good = sample("q", "1931").to_string();
    let bytes = archive(
        CompressionMethod::Zstd,
        &[("samples/b_epoch_1.json", &bomb), ("samples/q_epoch_1.json", good.as_bytes())],
    );
    assert!(bytes.len() < 100_000);
    let (_, read) = read("run.eval", &bytes);
    assert_eq!(answer(&read.trajectories[0]), "1931");
    assert_eq!(read.problems.len(), 1);
    assert!(read.problems[0].message.contains("grows from"), "{:?}", read.problems);
}

#[test]
fn another_zip_is_not_an_inspect_log() {
    let bytes = archive(CompressionMethod::Deflated, &[("word/document.xml", b"<x/>")]);
    assert_eq!(read("letter.docx", &bytes).0.format, None);
}

#[test]
fn reasoning_that_cannot_be_read_is_marked() {
    let mut sample = sample("q", "1931");
    sample["messages"][2]["content"] = json!([
        {"type": "reasoning", "reasoning": "gAAAA", "redacted": true, "summary": "Weighing two years."},
        {"type": "reasoning", "reasoning": "", "signature": "sig"}]);
    let trajectory = read_one(&sample);
    let origins: Vec<_> =
        trajectory.turns().next().unwrap().reasoning.iter().map(|part| part.origin).collect();
    assert_eq!(origins, [ReasoningOrigin::Summary, ReasoningOrigin::Redacted, ReasoningOrigin::Encrypted]);
    assert!(!serde_json::to_string(trajectory.steps()).unwrap().contains("gAAAA"));
}

#[test]
fn server_side_calls_carry_their_results() {
    let mut sample = sample("q", "1931");
    sample["messages"][4]["content"] = json!([
        {"type": "tool_use", "tool_type": "web_search", "id": "w", "name": "web_search",
         "arguments": "{\"query\": \"bridge\"}", "result": "[1] 1931", "error": null},
        {"type": "text", "text": "1931"}]);
    let trajectory = read_one(&sample);
    assert_eq!(counts(&trajectory), [2, 2, 2, 0]);
    let call = trajectory.calls().nth(1).unwrap().1;
    assert!(call.server_side);
    assert_eq!(call.arguments, r#"{"query": "bridge"}"#);
    assert_eq!(answer(&trajectory), "1931");
}

#[test]
fn solver_prompts_and_few_shot_turns_make_no_episodes() {
    let mut sample = sample("q", "1931");
    let messages = sample["messages"].as_array_mut().unwrap();
    messages.insert(4, json!({"id": "go", "role": "user", "content": "Please proceed."}));
    messages.insert(1, json!({"id": "few", "role": "assistant", "source": "input", "content": "Example."}));
    let trajectory = read_one(&sample);
    assert_eq!(trajectory.turns().count(), 2);
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
}

#[test]
fn an_error_or_a_token_limit_leaves_no_final_answer() {
    let mut failed = sample("q", "1931");
    failed["messages"].as_array_mut().unwrap().truncate(4);
    failed["error"] = json!({"message": "RateLimitError()", "traceback": "..."});
    let trajectory = read_one(&failed);
    assert_eq!((trajectory.stop.kind, trajectory.outcome()), (StopKind::Error, Outcome::NoFinalAnswer));

    let mut cut = sample("q", "It opened in");
    cut["output"]["choices"][0]["stop_reason"] = json!("max_tokens");
    assert_eq!(read_one(&cut).outcome(), Outcome::CutByLimit);
}

#[test]
fn agents_inside_the_agent_are_children() {
    let mut sample = sample("q", "1931");
    let say = |message: &Value| json!({"choices": [{"message": message, "stop_reason": "stop"}]});
    let inner = json!({"id": "i1", "role": "assistant", "content": "Archive says 1931."});
    sample["events"] = json!([
        {"event": "span_begin", "id": "m", "type": "agent", "name": "react", "parent_id": null},
        {"event": "model", "span_id": "m", "input": [sample["messages"][1]], "output": say(&sample["messages"][2])},
        {"event": "span_begin", "id": "t", "type": "tool", "name": "lookup", "parent_id": "m"},
        {"event": "span_begin", "id": "s", "type": "agent", "name": "librarian", "parent_id": "t"},
        {"event": "model", "span_id": "s", "input": [{"id": "iu", "role": "user", "content": "look"}], "output": say(&inner)},
        {"event": "model", "span_id": "m", "input": [], "output": say(&sample["messages"][4])}]);
    let trajectory = read_one(&sample);
    assert_eq!(counts(&trajectory), [2, 1, 1, 0]);
    assert_eq!(trajectory.children.len(), 1);
    assert_eq!(trajectory.children[0].agent.as_deref(), Some("librarian"));
    assert_eq!(answer(&trajectory.children[0]), "Archive says 1931.");
}

#[test]
fn no_bytes_make_it_panic() {
    let good = log(&[("samples/q_epoch_1.json", &sample("q", "1931"))]);
    proptest::proptest!(|(cut in 0..good.len(), at in 0..good.len(), byte: u8)| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        read("run.eval", &bytes);
        read("run.eval", &bytes[..cut]);
    });
}

#[test]
fn no_change_of_a_field_makes_it_panic() {
    let whole = sample("q", "1931");
    let paths = paths(&whole, String::new());
    for path in &paths {
        for other in [json!(null), json!(3), json!("x"), json!([]), json!({}), json!([1, "a", {"b": []}])] {
            let mut changed = whole.clone();
            *changed.pointer_mut(path).unwrap() = other;
            let bytes = changed.to_string();
            let archive = archive(CompressionMethod::Stored, &[("samples/q_epoch_1.json", bytes.as_bytes())]);
            let (_, read) = read("run.eval", &archive);
            assert!(read.trajectories.len() + read.problems.len() > 0, "{path}");
        }
    }
}

fn paths(value: &Value, prefix: String) -> Vec<String> {
    let mut all = Vec::new();
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                all.extend(paths(field, format!("{prefix}/{}", key.replace('/', "~1"))));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                all.extend(paths(item, format!("{prefix}/{index}")));
            }
        }
        _ => {}
    }
    all.push(prefix);
    all
}
