//! Claude Code session files: real ones, and each trap of the format as a small log.

#![expect(clippy::unwrap_used, reason = "a log that cannot be written fails the test")]

mod support;

use std::fmt::Write;
use std::path::Path;

use humbly_readers::{Episodes, group, read, split_episodes};
use humbly_types::{AnswerOrigin, ErrorOrigin, Outcome, ReasoningOrigin, StopKind, Trajectory, Truncation};
use support::{Collected, read_sample, read_text, trajectories_folder};

/// A session log from lines of `type`, uuid, and the rest of the record.
fn session(lines: &[(&str, &str, &str)]) -> String {
    lines
        .iter()
        .map(|(kind, uuid, rest)| {
            format!(
                r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":null,"isSidechain":false,"sessionId":"s","version":"2.1.0","timestamp":"2026-01-01T00:00:00Z",{rest}}}"#
            ) + "\n"
        })
        .collect()
}

fn prompt(text: &str) -> String {
    format!(r#""message":{{"role":"user","content":{}}}"#, serde_json::json!(text))
}

fn said(id: &str, text: &str) -> String {
    format!(
        r#""message":{{"id":"{id}","role":"assistant","model":"m","content":[{{"type":"text","text":{}}}],"stop_reason":null}}"#,
        serde_json::json!(text)
    )
}

fn called(id: &str, call: &str) -> String {
    format!(
        r#""message":{{"id":"{id}","role":"assistant","content":[{{"type":"tool_use","id":"{call}","name":"Read","input":{{"path": "x"}}}}]}}"#
    )
}

fn answered(call: &str, rest: &str) -> String {
    format!(
        r#""message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{call}",{rest}}}]}}"#
    )
}

fn one(text: &str) -> Trajectory {
    let (outcome, mut read) = read_text("s.jsonl", text);
    assert_eq!(outcome.format, Some("claude-code"), "{:?}", read.problems);
    assert_eq!(read.trajectories.len(), 1, "{:?}", read.problems);
    read.trajectories.remove(0)
}

/// (file, turns, calls, results, unanswered, errors)
const COUNTS: &[(&str, usize, usize, usize, usize, usize)] = &[
    ("agent-atest01.jsonl", 2, 1, 1, 0, 0),
    ("agent_session.jsonl", 2, 1, 1, 0, 0),
    ("compaction_session.jsonl", 2, 0, 0, 0, 0),
    ("edge_cases.jsonl", 4, 3, 1, 2, 1),
    ("full-session-askuserquestion.jsonl", 3, 3, 2, 1, 0),
    ("full-session.jsonl", 10, 23, 20, 3, 0),
    ("tool-result-image.jsonl", 2, 1, 1, 0, 0),
];

#[test]
fn real_sessions_have_the_expected_counts() {
    for (file, turns, calls, results, unanswered, errors) in COUNTS {
        let Some((outcome, read)) = read_sample(&format!("claude-code-session/{file}")) else { return };
        assert_eq!(outcome.format, Some("claude-code"), "{file}");
        assert_eq!(read.trajectories.len(), 1, "{file}: {:?}", read.problems);
        let trajectory = &read.trajectories[0];
        let counts = (
            trajectory.turns().count(),
            trajectory.calls().count(),
            trajectory.results().count(),
            trajectory.unanswered_calls().len(),
            trajectory.results().filter(|result| result.is_error == Some(true)).count(),
        );
        assert_eq!(counts, (*turns, *calls, *results, *unanswered, *errors), "{file}");
    }
}

#[test]
fn real_sessions_have_the_expected_answers_and_models() {
    let Some((_, read)) = read_sample("claude-code-session/full-session.jsonl") else { return };
    let full = &read.trajectories[0];
    // Ends with three calls that nothing answers: no answer, and no limit was seen.
    assert!(full.final_answer.is_none());
    assert_eq!((full.truncated, full.outcome()), (Truncation::Unknown, Outcome::Unfinished));
    assert_eq!(full.usage.output, Some(833));
    assert_eq!(full.model.as_deref(), Some("claude-sonnet-4-5-20250929"));
    let episodes = split_episodes(full.clone(), Episodes::Each);
    assert_eq!(episodes.len(), 2);
    assert_eq!(episodes[1].question.as_deref(), Some("Can you audit this codebase?"));

    let Some((_, read)) = read_sample("claude-code-session/full-session-askuserquestion.jsonl") else {
        return;
    };
    // EXPECTED counts four user texts; three of them are a caveat, `/clear` and its empty output.
    let asked = &read.trajectories[0];
    assert_eq!(asked.steps().iter().filter(|step| step.is_prompt()).count(), 1);
    assert!(asked.question.as_deref().unwrap().starts_with("Let's explore scrolling"));
    // EXPECTED's final text is that of a turn whose ExitPlanMode call has no result: not an answer.
    assert!(asked.final_answer.is_none());
    assert_eq!(asked.usage.output, Some(16));

    let Some((_, read)) = read_sample("claude-code-session/tool-result-image.jsonl") else { return };
    let image = &read.trajectories[0];
    assert_eq!(image.results().next().unwrap().images, 1);
    let answer = image.final_answer.as_ref().unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.origin),
        ("This is a 1x1 pixel red PNG image.", AnswerOrigin::LastText)
    );

    let Some((_, read)) = read_sample("claude-code-session/compaction_session.jsonl") else { return };
    let compacted = &read.trajectories[0];
    // EXPECTED counts three user texts; one is the summary.
    assert_eq!(compacted.steps().iter().filter(|step| step.is_prompt()).count(), 2);
    assert!(compacted.final_answer.as_ref().unwrap().text.starts_with("Based on the summary"));
    assert_eq!(compacted.usage.output, Some(40));

    let Some((_, read)) = read_sample("claude-code-session/edge_cases.jsonl") else { return };
    let edge = &read.trajectories[0];
    // EXPECTED counts six user texts; three are a caveat, a command and its output.
    assert_eq!(edge.steps().iter().filter(|step| step.is_prompt()).count(), 3);
    assert_eq!(edge.usage.output, Some(435));
    let odd: u64 = edge.warnings.iter().map(|warning| warning.count).sum();
    assert_eq!(odd, 6, "{:?}", edge.warnings);
}

#[test]
fn a_sub_agent_file_is_a_child() {
    let Some(folder) = trajectories_folder() else { return };
    let folder = folder.join("claude-code-session");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let units = group(files.collect());
    let parent = units.iter().find(|unit| unit.main.ends_with("agent_session.jsonl")).unwrap();
    assert_eq!(parent.companions.len(), 1);
    let mut read_unit = Collected::default();
    read(parent, None, &mut read_unit);
    let trajectory = &read_unit.trajectories[0];
    assert_eq!(trajectory.children.len(), 1);
    assert_eq!(trajectory.children[0].turns().count(), 2);
    assert_eq!(trajectory.children[0].usage.output, Some(60));
    assert_eq!(trajectory.calls().count(), 1);
    assert!(units.iter().all(|unit| !unit.main.ends_with("agent-atest01.jsonl")));
}

#[test]
fn lines_of_one_message_are_one_turn_and_the_last_usage_counts() {
    let usage =
        |tokens: u32| format!(r#"{{"input_tokens":3,"cache_read_input_tokens":7,"output_tokens":{tokens}}}"#);
    let line = |text: &str, tokens| {
        said("m1", text).replace(r#""stop_reason":null"#, &format!(r#""usage":{}"#, usage(tokens)))
    };
    let log = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "u2", &line("one", 25)),
        ("assistant", "u3", &line("two", 25)),
        ("assistant", "u4", &line("three", 210)),
    ]);
    let trajectory = one(&log);
    assert_eq!(trajectory.turns().count(), 1);
    assert_eq!(trajectory.usage.output, Some(210));
    assert_eq!((trajectory.usage.input, trajectory.usage.cached), (Some(10), Some(7)));
    assert_eq!(trajectory.final_answer.unwrap().text, "one\ntwo\nthree");
}

#[test]
fn without_message_ids_each_uuid_is_a_turn() {
    let bare = |text: &str| said("", text).replace(r#""id":"","#, "");
    let log = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "u2", &bare("a")),
        ("assistant", "u3", &bare("b")),
        ("assistant", "u3", &bare("b")),
    ]);
    assert_eq!(one(&log).turns().count(), 2);
}

#[test]
fn lines_without_uuids_are_not_taken_for_copies() {
    let log = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "x", &said("m1", "a")),
        ("assistant", "x", &said("m2", "b")),
    ])
    .replace(r#""uuid":"x","#, "");
    assert_eq!(one(&log).turns().count(), 2);
}

#[test]
fn a_line_that_stands_twice_counts_once() {
    let log = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "u2", &called("m1", "c")),
        ("user", "u3", &answered("c", r#""content":"r""#)),
        ("assistant", "u2", &called("m1", "c")),
        ("user", "u3", &answered("c", r#""content":"r""#)),
        ("assistant", "u4", &said("m2", "done")),
    ]);
    let trajectory = one(&log);
    assert_eq!(
        (trajectory.turns().count(), trajectory.calls().count(), trajectory.results().count()),
        (2, 1, 1)
    );
}

#[test]
fn a_null_stop_reason_says_nothing_and_text_is_the_answer() {
    let trajectory = one(&session(&[("user", "u1", &prompt("q")), ("assistant", "u2", &said("m1", "four"))]));
    assert_eq!(trajectory.stop.kind, StopKind::Completed);
    // It answered, so no limit stopped it before it did.
    assert_eq!(trajectory.truncated, Truncation::No);
    assert_eq!(trajectory.final_answer.unwrap().text, "four");
}

#[test]
fn a_log_that_ends_mid_call_is_unfinished() {
    let trajectory = one(&session(&[("user", "u1", &prompt("q")), ("assistant", "u2", &called("m1", "c"))]));
    assert!(trajectory.final_answer.is_none());
    assert_eq!(trajectory.outcome(), Outcome::Unfinished);
}

#[test]
fn a_turn_limit_is_seen() {
    let log = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "u2", &called("m1", "c")),
        ("attachment", "u3", r#""attachment":{"type":"max_turns_reached","maxTurns":3}"#),
    ]);
    assert_eq!(one(&log).outcome(), Outcome::CutByLimit);
}

#[test]
fn errors_have_three_values() {
    let log = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "u2", &called("m1", "a")),
        ("user", "u3", &answered("a", r#""content":"x","is_error":true"#)),
        ("assistant", "u4", &called("m2", "b")),
        ("user", "u5", &answered("b", r#""content":"x","is_error":false"#)),
        ("assistant", "u6", &called("m3", "c")),
        (
            "user",
            "u7",
            &answered("c", r#""content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]"#),
        ),
        ("assistant", "u8", &called("m4", "d")),
        ("user", "u9", &answered("d", r#""content":"<tool_use_error>no file</tool_use_error>""#)),
    ]);
    let trajectory = one(&log);
    let results: Vec<_> = trajectory.results().collect();
    assert_eq!(
        results.iter().map(|result| result.is_error).collect::<Vec<_>>(),
        [Some(true), Some(false), None, Some(true)]
    );
    assert_eq!(results[2].text, "x\ny");
    assert_eq!((results[3].text.as_str(), results[3].error_origin), ("no file", ErrorOrigin::TextHeuristic));
}

#[test]
fn reminders_are_stripped_from_results_and_prompts() {
    let log = session(&[
        ("user", "u1", &prompt("why?\n<system-reminder>be good</system-reminder>")),
        ("assistant", "u2", &called("m1", "a")),
        (
            "user",
            "u3",
            &answered("a", r#""content":"data\n<system-reminder>no malware</system-reminder>\n""#),
        ),
        ("user", "u4", &prompt("<system-reminder>todo list is empty</system-reminder>")),
    ]);
    let trajectory = one(&log);
    assert_eq!(trajectory.question.as_deref(), Some("why?"));
    assert_eq!(trajectory.results().next().unwrap().text, "data");
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
}

#[test]
fn housekeeping_under_role_user_is_no_prompt() {
    let summary = r#""isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"what went before"}"#;
    let log = session(&[
        ("user", "u0", &(r#""isMeta":true,"#.to_owned() + &prompt("be aware"))),
        (
            "user",
            "u1",
            &prompt(
                "Caveat: The messages below were generated by the user while running local commands. Do not",
            ),
        ),
        ("user", "u2", &prompt("<command-name>/model</command-name><command-args>opus</command-args>")),
        ("user", "u3", &prompt("<local-command-stdout>ok</local-command-stdout>")),
        ("user", "u4", &prompt("real question")),
        ("assistant", "u5", &said("m1", "a")),
        ("system", "u6", r#""subtype":"compact_boundary","content":"Conversation compacted""#),
        ("user", "u7", summary),
        (
            "user",
            "u8",
            &prompt(
                "This session is being continued from a previous conversation that ran out of context. Then",
            ),
        ),
        (
            "assistant",
            "u9",
            &(r#""isCompactSummary":true,"#.to_owned() + &said("m2", "summary by the model")),
        ),
        ("assistant", "u10", &said("m3", "b")),
    ]);
    let trajectory = one(&log);
    assert_eq!(trajectory.question.as_deref(), Some("real question"));
    assert_eq!(trajectory.turns().count(), 2);
    assert_eq!(split_episodes(trajectory, Episodes::Each).len(), 1);
}

#[test]
fn a_run_started_by_a_slash_command_asks_its_arguments() {
    let log = session(&[
        (
            "user",
            "u1",
            &prompt(
                "<command-message>ask</command-message><command-name>/ask</command-name><command-args>How old?</command-args>",
            ),
        ),
        ("assistant", "u2", &said("m1", "ten")),
    ]);
    assert_eq!(one(&log).question.as_deref(), Some("How old?"));
}

#[test]
fn an_interruption_is_no_prompt_and_leaves_no_answer() {
    let log = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "u2", &said("m1", "I will")),
        ("user", "u3", &prompt("[Request interrupted by user]")),
    ]);
    let trajectory = one(&log);
    assert_eq!(trajectory.stop.kind, StopKind::Interrupted);
    assert!(trajectory.final_answer.is_none());
    assert_eq!(trajectory.steps().iter().filter(|step| step.is_prompt()).count(), 1);
}

#[test]
fn an_api_error_is_no_turn() {
    let error = r#""isApiErrorMessage":true,"message":{"id":"e","model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"API Error: 529"}]}"#;
    let log = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "u2", &called("m1", "a")),
        ("user", "u3", &answered("a", r#""content":"x""#)),
        ("assistant", "u4", error),
    ]);
    let trajectory = one(&log);
    assert_eq!(trajectory.turns().count(), 1);
    assert_eq!((trajectory.stop.kind, trajectory.outcome()), (StopKind::Error, Outcome::NoFinalAnswer));
}

#[test]
fn a_superseded_message_is_no_turn_and_an_aborted_one_no_answer() {
    let log = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "u2", &said("m1", "wrong start")),
        ("assistant", "u3", &(r#""supersedes":["u2"],"#.to_owned() + &said("m2", "right"))),
        ("assistant", "u4", &(r#""aborted":true,"#.to_owned() + &said("m3", "and then"))),
    ]);
    let trajectory = one(&log);
    assert_eq!(trajectory.turns().count(), 2);
    assert!(trajectory.final_answer.is_none());
}

#[test]
fn odd_and_cut_lines_are_named_and_the_rest_is_used() {
    let log = session(&[
        ("user", "u1", r#""message":"just text""#),
        ("user", "u2", r#""other":1"#),
        ("user", "u3", &prompt("q")),
        ("assistant", "u4", &said("m1", "a")),
        ("wibble", "u5", r#""x":1"#),
    ]) + "{\"type\":\"assistant\",\"uu";
    let (_, read) = read_text("s.jsonl", &log);
    assert_eq!(read.trajectories[0].turns().count(), 1);
    assert_eq!(read.problems[0].line, Some(6));
    let names: Vec<&str> =
        read.trajectories[0].warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(names, ["a record without message", "unknown record type `wibble`"]);
}

#[test]
fn keys_that_stand_twice_and_fields_of_other_types_are_read() {
    let log = session(&[
        ("user", "u1", &prompt("q")),
        (
            "assistant",
            "u2",
            &(r#""isSidechain":false,"timestamp":7,"agentId":{"a":1},"#.to_owned() + &said("m1", "a")),
        ),
    ]);
    assert_eq!(one(&log).turns().count(), 1);
}

#[test]
fn leading_housekeeping_does_not_hide_a_session() {
    let mut log = String::new();
    for kind in ["queue-operation", "mode", "ai-title", "file-history-snapshot", "summary"] {
        let _ = writeln!(log, r#"{{"type":"{kind}","content":"x"}}"#);
    }
    log += &session(&[("user", "u1", &prompt("q")), ("assistant", "u2", &said("m1", "a"))]);
    assert!(one(&log).warnings.is_empty());
}

#[test]
fn sidechains_are_children_and_do_not_count() {
    let mut log = session(&[("user", "u1", &prompt("q")), ("assistant", "u2", &called("m1", "task"))]);
    let side =
        session(&[("user", "a1", &prompt("look into it")), ("assistant", "a2", &said("sm1", "found"))])
            .replace(r#""isSidechain":false"#, r#""isSidechain":true"#);
    let other = session(&[("user", "b1", &prompt("another")), ("assistant", "b2", &said("sm2", "none"))])
        .replace(r#""isSidechain":false"#, r#""isSidechain":true"#)
        .replace(r#""uuid":"b2","parentUuid":null"#, r#""uuid":"b2","parentUuid":"b1""#);
    log += &side;
    log += &other;
    log += &session(&[
        ("user", "u3", &answered("task", r#""content":"found""#)),
        ("assistant", "u4", &said("m2", "done")),
    ]);
    let trajectory = one(&log);
    assert_eq!(trajectory.turns().count(), 2);
    assert_eq!(trajectory.children.len(), 2);
    assert_eq!(trajectory.children[1].question.as_deref(), Some("another"));
    assert_eq!(trajectory.children[1].turns().count(), 1);
}

#[test]
fn clear_splits_a_session_in_two() {
    let log = session(&[
        ("user", "u1", &prompt("first")),
        ("assistant", "u2", &said("m1", "a")),
        ("user", "u3", &prompt("<command-name>/clear</command-name>")),
        ("user", "u4", &prompt("second")),
        ("assistant", "u5", &said("m2", "b")),
    ]);
    let (_, read) = read_text("s.jsonl", &log);
    let found: Vec<_> = read
        .trajectories
        .iter()
        .map(|trajectory| {
            (trajectory.id.as_str(), trajectory.question.as_deref(), trajectory.turns().count())
        })
        .collect();
    assert_eq!(found, [("s", Some("first"), 1), ("s~2", Some("second"), 1)]);
}

#[test]
fn thinking_without_text_cannot_be_read() {
    let thought = r#""message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"","signature":"x"},{"type":"redacted_thinking","data":"y"},{"type":"text","text":"a"}]}"#;
    let trajectory = one(&session(&[("user", "u1", &prompt("q")), ("assistant", "u2", thought)]));
    let turn = trajectory.turns().next().unwrap();
    assert!(turn.reasoning_is_unreadable());
    assert_eq!(turn.reasoning[1].origin, ReasoningOrigin::Redacted);
}

fn read_files(files: &[(&str, &str)]) -> Vec<Trajectory> {
    let folder = tempfile::tempdir().unwrap();
    let paths = files.iter().map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    });
    let units = group(paths.collect());
    let mut collected = Collected::default();
    for unit in &units {
        read(unit, None, &mut collected);
    }
    assert!(collected.problems.is_empty(), "{:?}", collected.problems);
    collected.trajectories
}

#[test]
fn a_resumed_copy_in_another_file_counts_once() {
    let first = session(&[("user", "u1", &prompt("q")), ("assistant", "u2", &said("m1", "a"))]);
    let resumed =
        first.clone() + &session(&[("user", "u3", &prompt("and?")), ("assistant", "u4", &said("m2", "b"))]);
    let mere_copy = first.clone();
    let read = read_files(&[("1.jsonl", &first), ("2.jsonl", &resumed), ("3.jsonl", &mere_copy)]);
    assert_eq!(read.iter().map(|trajectory| trajectory.turns().count()).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(read[1].question.as_deref(), Some("and?"));
    assert_eq!(read[1].turns().next().unwrap().turn, Some(0));
}

#[test]
fn a_resumed_copy_with_new_uuids_is_known_by_its_messages() {
    let first = session(&[("user", "u1", &prompt("q")), ("assistant", "u2", &said("m1", "a"))]);
    let resumed = session(&[
        ("user", "u1", &prompt("q")),
        ("assistant", "x2", &said("m1", "a")),
        ("assistant", "x3", &said("m2", "b")),
    ]);
    let read = read_files(&[("1.jsonl", &first), ("2.jsonl", &resumed)]);
    assert_eq!(read.len(), 2);
    assert_eq!(read[1].turns().count(), 1);
    assert_eq!(read[1].question.as_deref(), Some("q"));
}

#[test]
fn a_plan_and_what_carries_it_out_are_one_trajectory() {
    let slug = |text: String, time: &str| {
        text.replace(r#""version""#, r#""slug":"calm-fox","version""#).replace("2026-01-01", time)
    };
    let plan = slug(
        session(&[("user", "u1", &prompt("build it")), ("assistant", "u2", &said("m1", "plan"))]),
        "2026-01-02",
    );
    let execute = slug(
        session(&[
            ("user", "v1", &prompt("Implement the following plan:\n\nplan")),
            ("assistant", "v2", &said("m2", "built")),
        ]),
        "2026-01-03",
    );
    let stranger =
        slug(session(&[("user", "w1", &prompt("hi")), ("assistant", "w2", &said("m3", "ho"))]), "2026-01-04");
    let read = read_files(&[("z.jsonl", &plan), ("a.jsonl", &execute), ("b.jsonl", &stranger)]);
    assert_eq!(read.len(), 2);
    let joined = read.iter().find(|trajectory| trajectory.question.as_deref() == Some("build it")).unwrap();
    assert_eq!(joined.turns().count(), 2);
    assert_eq!(joined.final_answer.as_ref().unwrap().text, "built");
    assert!(joined.turns().last().unwrap().at.file.ends_with("a.jsonl"));
    assert_eq!(split_episodes(joined.clone(), Episodes::Each).len(), 1);
}

#[test]
fn sub_agent_files_in_the_session_folder_are_children() {
    let main = session(&[("user", "u1", &prompt("q")), ("assistant", "u2", &said("m1", "a"))]);
    let agent = session(&[("user", "a1", &prompt("sub")), ("assistant", "a2", &said("m2", "b"))])
        .replace(r#""isSidechain":false"#, r#""isSidechain":true"#);
    let read = read_files(&[
        ("S.jsonl", &main),
        ("S/subagents/agent-1.jsonl", &agent),
        ("T/subagents/agent-2.jsonl", &agent),
    ]);
    assert_eq!(read.len(), 2);
    let parent = read.iter().find(|trajectory| trajectory.id == "S").unwrap();
    assert_eq!(parent.children.len(), 1);
    assert_eq!(parent.children[0].id, "S/agent-1");
}

proptest::proptest! {
    #[test]
    fn no_line_makes_it_panic(line in "\\PC*") {
        let log = session(&[("user", "u1", &prompt("q")), ("assistant", "u2", &said("m1", "a"))]) + &line;
        read_text("s.jsonl", &log);
    }
}
