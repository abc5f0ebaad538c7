//! A model judge on whole trajectories: verdicts, citations, re-asks, failures, settings.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::executor::block_on;
use humbly_llm::ChatError;
use humbly_model_judge::{
    CorrectnessRubric, EscalateRubric, JudgeSettings, ModelJudgeError, Rubric, RubricSettings, RunItem,
    judge_labelled_rows, judge_run,
};
use humbly_types::{AnswerSource, Reason, Reasoning, ReasoningOrigin, Task};
use support::{NO_FLAG, judge, plain, step, trajectory};

fn settings() -> JudgeSettings {
    JudgeSettings::new("judge-model")
}

fn task() -> Task {
    Task {
        id: "q".into(),
        question: Some("When did it open?".into()),
        references: vec!["1912".into()],
        parametric_answer: Some("1913".into()),
        ..Task::default()
    }
}

#[test]
fn a_trajectory_gets_the_verdicts_of_the_lexical_judges_form() {
    let (judge, requests) = judge(settings(), |rubric, request| {
        Ok(match rubric {
            Rubric::Identify if request.messages[1].content.contains("turn 3") => {
                r#"{"flag": 1, "first_recognition_turn": 3}"#.to_owned()
            }
            Rubric::Identify => r#"{"flag": 1, "first_recognition_turn": 1}"#.to_owned(),
            Rubric::SelfInconsistency => r#"{"flag": 1, "contradicting_turn": 3}"#.to_owned(),
            Rubric::Escalate => "YES".to_owned(),
            Rubric::SourceNatural => "FOLLOWS_PK".to_owned(),
            other => plain(other),
        })
    });
    let mut unreadable = step(2, "", "");
    unreadable.reasoning = vec![Reasoning { text: String::new(), origin: ReasoningOrigin::Encrypted }];
    let trajectory = trajectory(vec![
        step(0, "Searching.", ""),
        step(1, "It is 1912.", "A says 1912, B says 1913."),
        unreadable,
        step(3, "1913", "I leave the other date out."),
    ]);
    let judged = block_on(judge.judge(&trajectory, Some(&task())));
    let turns = &judged.judgement.turns;
    let values: Vec<Option<bool>> = turns.iter().map(|turn| turn.identify.value).collect();
    assert_eq!(values, [Some(false), Some(true), None]);
    let flagged = &turns[1].identify;
    assert_eq!((flagged.turn, flagged.line, flagged.file.as_deref()), (Some(1), Some(11), Some("log.jsonl")));
    let rule = flagged.rule.as_deref().unwrap();
    assert_eq!(rule, judge.prompts().prompt(Rubric::Identify).unwrap().rule());
    assert_eq!(turns[2].identify.undefined.as_ref().unwrap().reason, Reason::ReasoningNotReadable);
    let judgement = &judged.judgement;
    assert!(judgement.escalate.is_yes() && judgement.escalate.line == Some(13));
    assert_eq!(judgement.refusal.value, Some(false));
    assert!(judgement.final_reasoning.is_yes());
    assert_eq!((judgement.self_inconsistent.value, judgement.self_inconsistent.turn), (Some(true), Some(3)));
    assert_eq!(judgement.answer_source, Ok(AnswerSource::FollowsPk));
    assert_eq!(judgement.judge, *judge.name());
    assert!(judgement.correct.is_none() && judged.failures.is_empty());

    assert_eq!(judged.raw.len(), 6);
    assert_eq!((judged.bill.asks, judged.bill.unusable), (6, 0));
    assert!((judged.bill.cost_usd.unwrap() - 0.06).abs() < 1e-12);
    assert_eq!(judged.bill.usage.input, Some(600));

    let requests = requests.lock().unwrap();
    let of = |wanted| -> Vec<String> {
        requests
            .iter()
            .filter(|request| support::rubric_of(request) == wanted)
            .map(|request| request.messages[1].content.clone())
            .collect()
    };
    let identify = of(Rubric::Identify);
    assert!(identify[0].contains("<think>\nA says 1912, B says 1913.\n</think>\n\nIt is 1912."));
    assert!(!identify[0].contains("turn 3") && !identify[0].contains("leave the other date"));
    assert!(identify[1].contains("leave the other date") && !identify[1].contains("\n1913\n"));
    assert!(!of(Rubric::Escalate)[0].contains("leave the other date"));
    assert!(!of(Rubric::SelfInconsistency)[0].contains("B says 1913"));
}

#[test]
fn turns_behind_the_first_flag_are_not_called_no() {
    let (judge, _) = judge(settings(), |rubric, _| {
        Ok(match rubric {
            Rubric::Identify => r#"{"flag": 1, "first_recognition_turn": 0}"#.to_owned(),
            other => plain(other),
        })
    });
    let judged =
        block_on(judge.judge(&trajectory(vec![step(0, "a", ""), step(1, "b", ""), step(2, "c", "")]), None));
    let second = &judged.judgement.turns[1].identify;
    assert_eq!((second.value, second.undefined.as_ref().unwrap().reason), (None, Reason::NotApplicable));
    assert_eq!(judged.judgement.answer_source.unwrap_err().reason, Reason::NoLabels);
}

#[test]
fn a_single_turn_asks_nothing_of_identify() {
    let (judge, requests) = judge(settings(), |rubric, _| Ok(plain(rubric)));
    let judged = block_on(judge.judge(&trajectory(vec![step(0, "1912", "")]), None));
    assert!(judged.judgement.turns.is_empty());
    let asked: Vec<Rubric> = requests.lock().unwrap().iter().map(support::rubric_of).collect();
    assert_eq!(asked, [Rubric::Escalate, Rubric::Refusal]);
}

#[test]
fn without_a_final_answer_nothing_is_asked_about_it() {
    let (judge, _) = judge(settings(), |rubric, _| Ok(plain(rubric)));
    let mut cut = trajectory(vec![step(0, "a", ""), step(1, "b", "")]);
    cut.final_answer = None;
    let judgement = block_on(judge.judge(&cut, Some(&task()))).judgement;
    assert_eq!(judgement.turns.len(), 2);
    assert_eq!(judgement.escalate.undefined.unwrap().reason, Reason::NoFinalAnswer);
    assert_eq!(judgement.answer_source, Ok(AnswerSource::NoAnswer));
}

#[test]
fn an_unusable_reply_is_asked_for_twice_more_and_then_undefined() {
    let (judge, requests) = judge(settings(), |_, _| Ok("Well, it is hard to say.".to_owned()));
    let asked = block_on(judge.escalate("1912"));
    let undefined = asked.reading.clone().unwrap_err();
    assert_eq!(undefined.reason, Reason::JudgeReplyUnusable);
    assert!(undefined.detail.unwrap().contains("asked 3 times"));
    assert_eq!((asked.raw.len(), asked.bill().unusable), (3, 3));
    assert!(
        asked.raw.iter().all(|reply| reply.text == "Well, it is hard to say." && reply.unusable.is_some())
    );
    let requests = requests.lock().unwrap();
    let indices: Vec<u32> = requests.iter().map(|request| request.sample_index).collect();
    assert_eq!(indices, [0, 1, 2]);
    let lengths: Vec<usize> = requests.iter().map(|request| request.messages.len()).collect();
    assert_eq!(lengths, [2, 4, 4]);
    let reminder = &requests[1].messages[3].content;
    assert!(reminder.contains("expected one word of YES, NO"), "{reminder}");
}

#[test]
fn a_second_reply_that_can_be_read_counts() {
    let count = AtomicU32::new(0);
    let (judge, _) = judge(settings(), move |_, _| {
        Ok(if count.fetch_add(1, Ordering::Relaxed) == 0 { String::new() } else { "YES".to_owned() })
    });
    let asked = block_on(judge.escalate("Either 1912 or 1913"));
    assert_eq!(asked.reading.as_ref().unwrap().value, Some(true));
    assert_eq!((asked.bill().asks, asked.bill().unusable), (2, 1));
}

#[test]
fn fewer_asks_can_be_set_and_more_cannot() {
    let (once, requests) = judge(JudgeSettings { more_asks: 0, ..settings() }, |_, _| Ok("?".to_owned()));
    block_on(once.refusal("1912")).reading.unwrap_err();
    assert_eq!(requests.lock().unwrap().len(), 1);
    let client = std::sync::Arc::new(humbly_llm::ScriptedClient::from_fn(|_| Err(ChatError::EmptyReply)));
    let prompts = humbly_model_judge::Prompts::built_in().unwrap();
    let many = JudgeSettings { more_asks: 3, ..settings() };
    let error = humbly_model_judge::ModelJudge::new(client, many, prompts).unwrap_err();
    assert!(matches!(error, ModelJudgeError::Setting { name: "more_asks", .. }));
}

#[test]
fn a_failed_call_is_undefined_with_its_code_and_not_asked_again() {
    let (judge, requests) = judge(settings(), |rubric, _| match rubric {
        Rubric::Escalate => Err(ChatError::Server { status: 503, retry_after: None }),
        Rubric::Refusal => Err(ChatError::ContextTooLong { model: "m".into(), detail: "8192".into() }),
        other => Ok(plain(other)),
    });
    let judged = block_on(judge.judge(&trajectory(vec![step(0, "1912", "")]), None));
    assert_eq!(judged.judgement.escalate.undefined.unwrap().reason, Reason::JudgeCallFailed);
    assert_eq!(judged.judgement.refusal.undefined.unwrap().reason, Reason::ContextTooLong);
    let codes: Vec<&str> = judged.failures.iter().map(|failure| failure.code.as_str()).collect();
    assert_eq!(codes, ["server", "context_too_long"]);
    assert_eq!(judged.bill.failed, 2);
    assert_eq!(requests.lock().unwrap().len(), 2);
}

#[test]
fn temperatures_are_those_of_the_papers_unless_set() {
    let mut changed = settings();
    changed.rubrics.insert(Rubric::Refusal, RubricSettings { temperature: Some(0.5), max_tokens: Some(9) });
    let (judge, requests) = judge(changed, |rubric, _| Ok(plain(rubric)));
    block_on(async {
        judge.escalate("x").await;
        judge.correctness(CorrectnessRubric::Ua, Some("q"), "x", &["y"]).await;
        judge.refusal("x").await;
    });
    let sampling: Vec<_> = requests
        .lock()
        .unwrap()
        .iter()
        .map(|request| (request.sampling.temperature, request.sampling.max_tokens))
        .collect();
    assert_eq!(sampling, [(Some(1.0), None), (Some(0.0), None), (Some(0.5), Some(9))]);
}

#[test]
fn the_two_correctness_judges_see_what_they_may_see() {
    let (judge, requests) = judge(settings(), |rubric, _| Ok(plain(rubric)));
    let text = "<think>hidden</think>in 1912";
    let eh = block_on(judge.correctness(CorrectnessRubric::Eh, Some("When?"), text, &["1912", "1913"]));
    let ua = block_on(judge.correctness(CorrectnessRubric::Ua, Some("When?"), text, &["1912", "1913"]));
    let rules: Vec<String> = [eh, ua].into_iter().map(|asked| asked.reading.unwrap().rule.unwrap()).collect();
    assert!(rules[0].starts_with("correctness-eh@") && rules[1].starts_with("correctness-ua@"));
    let requests = requests.lock().unwrap();
    let users: Vec<&str> = requests.iter().map(|request| request.messages[1].content.as_str()).collect();
    assert!(!users[0].contains("When?") && users[1].contains("When?"));
    assert!(users.iter().all(|user| user.contains("reference answer 2") && !user.contains("hidden")));

    let none: [&str; 0] = [];
    let undefined =
        |asked: humbly_model_judge::Asked<humbly_types::Verdict>| asked.reading.unwrap_err().reason;
    assert_eq!(
        undefined(block_on(judge.correctness(CorrectnessRubric::Eh, None, "x", &none))),
        Reason::NoReference
    );
    assert_eq!(
        undefined(block_on(judge.correctness(CorrectnessRubric::Ua, None, "x", &["y"]))),
        Reason::NotRecorded
    );
}

#[test]
fn any_other_ua_reply_than_yes_or_no_is_undefined() {
    let (judge, _) = judge(settings(), |_, _| Ok("Yes.".to_owned()));
    let asked = block_on(judge.correctness(CorrectnessRubric::Ua, Some("q"), "x", &["y"]));
    assert_eq!(asked.reading.unwrap_err().reason, Reason::JudgeReplyUnusable);
}

#[test]
fn correctness_stands_beside_the_judgement_where_it_is_wanted() {
    let wanted = JudgeSettings { correctness: Some(CorrectnessRubric::Eh), ..settings() };
    let (judge, _) = judge(wanted, |rubric, _| {
        Ok(if rubric == Rubric::CorrectnessEh { "CORRECT".to_owned() } else { plain(rubric) })
    });
    let judged = block_on(judge.judge(&trajectory(vec![step(0, "1912", "")]), Some(&task())));
    assert!(judged.judgement.correct.unwrap().is_yes());
}

#[test]
fn rubrics_can_be_left_out_and_escalate_can_be_lax() {
    let chosen = JudgeSettings {
        left_out: BTreeSet::from([Rubric::Refusal, Rubric::SelfInconsistency, Rubric::SourceNatural]),
        escalate: EscalateRubric::Lax,
        ..settings()
    };
    let (judge, requests) = judge(chosen, |rubric, _| Ok(plain(rubric)));
    let judged = block_on(judge.judge(&trajectory(vec![step(0, "a", ""), step(1, "1912", "")]), None));
    assert_eq!(judged.judgement.refusal.undefined.unwrap().reason, Reason::NotApplicable);
    assert!(judged.judgement.escalate.rule.unwrap().starts_with("escalate-lax@"));
    let asked: Vec<Rubric> = requests.lock().unwrap().iter().map(support::rubric_of).collect();
    assert_eq!(asked, [Rubric::Identify, Rubric::EscalateLax]);
}

#[test]
fn a_long_trajectory_is_shown_in_windows_that_the_rule_names() {
    let (judge, requests) = judge(JudgeSettings { longest_text: 25, ..settings() }, |rubric, request| {
        Ok(match rubric {
            Rubric::Identify if request.messages[1].content.contains("turn 2") => {
                r#"{"flag": 1, "first_recognition_turn": 2}"#.to_owned()
            }
            Rubric::Identify => NO_FLAG.to_owned(),
            other => plain(other),
        })
    });
    let steps = (0..5).map(|turn| step(turn, "ten letters", "")).collect();
    let judged = block_on(judge.judge(&trajectory(steps), None));
    let values: Vec<Option<bool>> = judged.judgement.turns.iter().map(|turn| turn.identify.value).collect();
    assert_eq!(values, [Some(false), Some(false), Some(true), None]);
    assert!(judged.judgement.turns[0].identify.rule.as_deref().unwrap().ends_with("(2 windows)"));
    assert_eq!(judged.raw[1].about.as_deref(), Some("window 2 of 2"));
    assert_eq!(judged.raw[1].shown_turns, [2, 3]);
    assert_eq!(judged.judgement.self_inconsistent.undefined.unwrap().reason, Reason::ContextTooLong);
    let identify =
        requests.lock().unwrap().iter().filter(|it| support::rubric_of(it) == Rubric::Identify).count();
    assert_eq!(identify, 2);
}

#[test]
fn a_text_that_does_not_fit_is_undefined_and_not_cut() {
    let (judge, requests) =
        judge(JudgeSettings { longest_text: 5, ..settings() }, |rubric, _| Ok(plain(rubric)));
    let judged =
        block_on(judge.judge(&trajectory(vec![step(0, "too long", ""), step(1, "too long", "")]), None));
    assert_eq!(judged.judgement.turns[0].identify.undefined.as_ref().unwrap().reason, Reason::ContextTooLong);
    let escalate = judged.judgement.escalate.undefined.unwrap();
    assert_eq!(escalate.detail.unwrap(), "escalate: 8 characters, at most 5 are shown");
    assert!(requests.lock().unwrap().is_empty());
}

#[test]
fn controlled_sources_show_belief_and_passages_apart() {
    let (judge, requests) = judge(settings(), |_, _| Ok("Context".to_owned()));
    let task = Task {
        candidates: vec!["Paris".into(), "Lyon".into()],
        parametric_answer: Some("Paris".into()),
        ..Task::default()
    };
    assert_eq!(block_on(judge.answer_source(Some("Lyon"), Some(&task))).reading, Ok(AnswerSource::Context));
    let shown = requests.lock().unwrap()[0].messages[1].content.clone();
    assert_eq!(shown.matches("\nParis\n").count(), 1, "{shown}");
    assert!(shown.contains("answer of the passages 1\nLyon"));
    let nothing = block_on(judge.answer_source(Some("x"), Some(&Task::default())));
    assert_eq!(nothing.reading, Ok(AnswerSource::NoCandidates));
}

#[test]
fn equivalence_sees_both_answers() {
    let (judge, _) = judge(settings(), |_, request| {
        let user = &request.messages[1].content;
        Ok(if user.contains("USA") && user.contains("United States") { "SAME" } else { "DIFFERENT" }
            .to_owned())
    });
    assert!(block_on(judge.equivalent("USA", "United States")).reading.unwrap().is_yes());
    assert_eq!(block_on(judge.equivalent("USA", "Peru")).reading.unwrap().value, Some(false));
}

fn items(count: usize) -> Vec<RunItem> {
    (0..count)
        .map(|index| RunItem {
            key: format!("s{index}"),
            trajectory: trajectory(vec![step(0, &format!("answer {index}"), "")]),
            task: None,
        })
        .collect()
}

#[test]
fn a_run_hands_on_each_item_and_sums_the_bill() {
    let (judge, _) = judge(settings(), |rubric, _| Ok(plain(rubric)));
    let mut keys = BTreeSet::new();
    let bill = block_on(judge_run(&judge, items(20), 4, |key, judged| {
        assert!(judged.failures.is_empty());
        keys.insert(key);
        Ok::<(), ModelJudgeError>(())
    }))
    .unwrap();
    assert_eq!((keys.len(), bill.asks), (20, 40));
}

#[test]
fn a_refused_key_stops_the_run_and_keeps_what_was_judged() {
    let (judge, requests) = judge(settings(), |rubric, request| {
        if request.messages[1].content.contains("answer 3") {
            return Err(ChatError::Authentication { provider: "p".into(), status: 401 });
        }
        Ok(plain(rubric))
    });
    let mut kept = 0;
    let error = block_on(judge_run(&judge, items(1_000), 1, |_, _| {
        kept += 1;
        Ok::<(), ModelJudgeError>(())
    }))
    .unwrap_err();
    assert!(
        matches!(&error, ModelJudgeError::Stopped { code, judged: 3, .. } if code == "authentication"),
        "{error}"
    );
    assert_eq!(kept, 3);
    assert!(requests.lock().unwrap().len() < 20, "no new trajectory is started");
}

#[test]
fn labelled_rows_are_judged_and_compared() {
    let rows = humbly_judge::read_rows(
        "{\"id\":\"a\",\"text\":\"yes it does\",\"escalate\":1}\n{\"id\":\"b\",\"text\":\"plain\",\"escalate\":0}\n\
         {\"id\":\"c\",\"text\":\"odd\",\"escalate\":1}\n{\"id\":\"d\",\"text\":\"yes too\",\"escalate\":0}\n",
        humbly_judge::VerdictKind::Escalate,
    )
    .unwrap();
    let (judge, _) = judge(settings(), |_, request| {
        let user = &request.messages[1].content;
        Ok(if user.contains("odd") {
            "hm"
        } else if user.contains("yes") {
            "YES"
        } else {
            "NO"
        }
        .to_owned())
    });
    let params = humbly_stats::intervals::BootstrapParams::new(100, 0.95, 1).unwrap();
    let kind = humbly_judge::VerdictKind::Escalate;
    let (report, raw) = block_on(judge_labelled_rows(&judge, &rows, kind, 3, &params)).unwrap();
    assert_eq!((report.n, report.raw.numerator), (3, Some(2)));
    assert_eq!(report.undefined, [(Reason::JudgeReplyUnusable, 1)]);
    assert_eq!(report.disagreements[0].id, "d");
    assert_eq!(raw.len(), 6, "one reply was asked for three times");
}

#[test]
fn a_judge_of_the_agents_family_is_warned_of() {
    let (judge, _) = judge(JudgeSettings::new("openai:gpt-5"), |rubric, _| Ok(plain(rubric)));
    assert!(judge.family_warning("gpt-5.2").unwrap().contains("one family"));
    assert_eq!(judge.family_warning("Qwen3.5-9B"), None);
}

#[test]
fn the_name_tells_two_ways_of_asking_apart() {
    let name = |settings| judge(settings, |rubric, _| Ok(plain(rubric))).0.name().to_string();
    assert_eq!(name(settings()), name(settings()));
    assert_ne!(name(settings()), name(JudgeSettings { draw: 1, ..settings() }));
    assert!(name(settings()).starts_with("judge-model@"));
}
