//! The whole page: hostile texts, secrets, links, limits.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../examples/synthetic/mod.rs"]
mod synthetic;

use std::collections::BTreeSet;
use std::sync::Arc;

use humbly_report::{ReportError, ReportOptions, ReportSummary, ReportWriter};
use humbly_score::ScoreReport;
use humbly_types::{
    AnswerOrigin, FinalAnswer, Location, Reasoning, ReasoningOrigin, Role, Step, ToolCall, ToolResult,
    Trajectory, TurnVerdict, Verdict,
};
use serde_json::Value;

fn page(
    report: &ScoreReport,
    trajectories: &[(Trajectory, Vec<TurnVerdict>)],
    options: &ReportOptions,
) -> (String, ReportSummary) {
    let mut page = Vec::new();
    let mut writer = ReportWriter::new(&mut page, report, options).unwrap();
    for (row, (trajectory, turns)) in report.trajectories.iter().zip(trajectories) {
        writer.trajectory(trajectory, row, turns).unwrap();
    }
    let summary = writer.finish().unwrap();
    (String::from_utf8(page).unwrap(), summary)
}

/// The demo's report cut to one group and two rows, with `text` in every string that may hold any text.
fn filled(text: &str) -> ScoreReport {
    let mut report = synthetic::demo(true).report;
    report.summary.truncate(1);
    report.trajectories.truncate(2);
    let mut value = serde_json::to_value(&report).unwrap();
    let mut places = Vec::new();
    collect(&value, &mut String::new(), &mut places);
    for place in places {
        let mut changed = value.clone();
        let leaf = changed.pointer_mut(&place).unwrap();
        if leaf.is_object() {
            let Some((key, n)) =
                leaf.as_object().unwrap().iter().next().map(|(key, n)| (key.clone(), n.clone()))
            else {
                continue;
            };
            let map = leaf.as_object_mut().unwrap();
            map.remove(&key);
            map.insert(text.to_owned(), n);
        } else {
            *leaf = Value::from(text);
        }
        if serde_json::from_value::<ScoreReport>(changed.clone()).is_ok() {
            value = changed;
        }
    }
    let mut report: ScoreReport = serde_json::from_value(value).unwrap();
    for (index, row) in report.trajectories.iter_mut().enumerate() {
        row.id = format!("{text}{index}");
        let judge: Arc<str> = text.into();
        for verdict in [&mut row.identify, &mut row.escalate, &mut row.refusal, &mut row.final_reasoning] {
            *verdict = Verdict::yes(&judge, text, format!("quote {text}")).at(Some(0), &location(text));
        }
    }
    report
}

/// Pointers to all strings and nulls, and to all objects whose keys are data.
fn collect(value: &Value, at: &mut String, places: &mut Vec<String>) {
    let length = at.len();
    match value {
        Value::String(_) | Value::Null => places.push(at.clone()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                at.push('/');
                at.push_str(&index.to_string());
                collect(item, at, places);
                at.truncate(length);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                at.push('/');
                at.push_str(key);
                collect(item, at, places);
                at.truncate(length);
            }
            if !map.is_empty() && map.values().all(Value::is_u64) {
                places.push(at.clone());
            }
        }
        _ => {}
    }
}

fn location(text: &str) -> Location {
    Location { file: text.into(), line: 1 }
}

/// A trajectory with `text` in every field that holds text.
fn trajectory(id: &str, text: &str) -> (Trajectory, Vec<TurnVerdict>) {
    let judge: Arc<str> = text.into();
    let mut trajectory = Trajectory::new("humbly", &text.into(), id);
    let optional = || Some(text.to_owned());
    trajectory.agent = optional();
    trajectory.model = optional();
    trajectory.question = optional();
    trajectory.dataset = optional();
    trajectory.has_turns = false;
    let answer = FinalAnswer {
        text: format!("say {text}"),
        origin: AnswerOrigin::Field,
        turn: None,
        at: location(text),
    };
    trajectory.final_answer = Some(answer);
    let step = Step {
        role: Role::Assistant,
        turn: Some(0),
        generation_id: optional(),
        visible: format!("visible {text} and quote {text}"),
        reasoning: vec![Reasoning { text: format!("thought {text}"), origin: ReasoningOrigin::Inline }],
        calls: vec![ToolCall {
            id: text.into(),
            id_synthetic: false,
            name: text.into(),
            arguments: text.into(),
            server_side: true,
            effective_arguments: None,
            ends_run: false,
        }],
        results: vec![ToolResult { name: optional(), text: text.into(), ..ToolResult::default() }],
        timestamp: optional(),
        model: optional(),
        at: location(text),
        ..Step::default()
    };
    trajectory.set_log(vec![step.clone()]);
    let mut child = Trajectory::new("humbly", &text.into(), text);
    child.set_log(vec![step]);
    trajectory.children = vec![child];
    let identify = Verdict::yes(&judge, text, format!("quote {text}")).at(Some(0), &location(text));
    (trajectory, vec![TurnVerdict { turn: 0, identify }])
}

fn filled_page(text: &str, options: &ReportOptions) -> (String, ReportSummary) {
    let report = filled(text);
    let trajectories: Vec<_> = report.trajectories.iter().map(|row| trajectory(&row.id, text)).collect();
    page(&report, &trajectories, options)
}

/// Tags of a page, style and script bodies left out: name and attributes.
fn tags(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let end = rest.find('>').unwrap();
        let inside = &rest[..end];
        rest = &rest[end + 1..];
        let name = inside.split([' ', '\n']).next().unwrap().to_owned();
        let mut attributes = Vec::new();
        let mut left = inside[name.len()..].trim_start();
        while !left.is_empty() {
            let end = left.find(['=', ' ']).unwrap_or(left.len());
            let attribute = left[..end].to_owned();
            left = left[end..].trim_start_matches('=');
            let mut value = String::new();
            if let Some(quoted) = left.strip_prefix('"') {
                let end = quoted.find('"').unwrap();
                quoted[..end].clone_into(&mut value);
                left = &quoted[end + 1..];
            }
            left = left.trim_start();
            attributes.push((attribute, value));
        }
        if name == "style" || name == "script" {
            let end = rest.find(&format!("</{name}>")).unwrap();
            rest = &rest[end..];
        }
        tags.push((name, attributes));
    }
    tags
}

const HOSTILE: &str =
    r#""'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;<!-- ]]> javascript:alert(1)"#;

#[test]
fn hostile_text_in_every_field_stays_text() {
    let (page, _) = filled_page(HOSTILE, &ReportOptions { title: HOSTILE.into(), ..Default::default() });
    assert!(page.contains("&lt;script&gt;alert(1)"), "the hostile text must be on the page");
    let known: BTreeSet<&str> = "!DOCTYPE html head meta title style body a svg defs pattern rect line circle polyline text tspan desc nav div button main section header h1 h2 h3 h4 p b span dl dt dd details summary figure figcaption ul li ol table thead tbody tr th td code q mark bdi aside footer script label input select option output wbr"
        .split(' ')
        .collect();
    let mut scripts = 0;
    for (name, attributes) in tags(&page) {
        let name = name.trim_start_matches('/');
        assert!(known.contains(name), "unexpected tag <{name}>");
        scripts += usize::from(name == "script");
        for (attribute, value) in attributes {
            assert!(
                !attribute.starts_with("on") && attribute != "src" && attribute != "style",
                "{name} {attribute}"
            );
            assert!(attribute != "href" || value.starts_with('#'), "href {value}");
            assert!(
                attribute != "id" || value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
                "id {value}"
            );
        }
    }
    assert_links_resolve(&page);
    assert_eq!(scripts, 2, "one script, opened and closed");
}

#[test]
fn secrets_in_every_field_are_redacted_and_counted() {
    let secret = "mail ada@mail.example in /home/ada/x with sk-abcd1234efgh5678ijkl";
    let (page, summary) = filled_page(secret, &ReportOptions { title: secret.into(), ..Default::default() });
    for part in ["ada@", "/home/ada", "sk-abcd"] {
        if let Some(place) = page.find(part) {
            let start =
                (0..=place.saturating_sub(120)).rev().find(|&at| page.is_char_boundary(at)).unwrap_or(0);
            panic!("{part} is on the page: {}", &page[start..place + part.len()]);
        }
    }
    assert!(
        summary.redactions.keys > 20 && summary.redactions.mails > 20 && summary.redactions.home_paths > 20
    );
    assert!(page.contains("places were redacted"));
    let shown = ReportOptions { redact: false, ..Default::default() };
    let (page, summary) = filled_page(secret, &shown);
    assert!(page.contains("ada@mail.example") && page.contains("sk-abcd1234efgh5678ijkl"));
    assert_eq!(summary.redactions.total(), 0);
    assert!(page.contains("Nothing was redacted."));
}

fn assert_links_resolve(page: &str) {
    let mut ids = BTreeSet::new();
    let mut links = BTreeSet::new();
    for (_, attributes) in tags(page) {
        for (attribute, value) in attributes {
            if attribute == "id" {
                assert!(ids.insert(value.clone()), "id {value} stands twice");
            } else if attribute == "href" {
                links.insert(value);
            }
        }
    }
    for link in links {
        assert!(ids.contains(link.trim_start_matches('#')), "{link} leads nowhere");
    }
}

#[test]
fn every_link_leads_to_one_place() {
    for is_labelled in [true, false] {
        let demo = synthetic::demo(is_labelled);
        let (page, summary) = page(&demo.report, &demo.trajectories, &ReportOptions::default());
        assert_links_resolve(&page);
        assert_eq!((summary.with_steps, summary.without_steps), (demo.trajectories.len(), 0));
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let write = || {
        let demo = synthetic::demo(true);
        page(&demo.report, &demo.trajectories, &ReportOptions { max_trajectories: 50, ..Default::default() })
            .0
    };
    assert_eq!(write(), write());
}

#[test]
fn without_labels_rates_stand_first_and_the_rest_is_undefined() {
    let demo = synthetic::demo(false);
    let (page, _) = page(&demo.report, &demo.trajectories, &ReportOptions::default());
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(place("id=\"unlabelled\"") < place("id=\"ise\""));
    assert!(place("no labels: give --tasks") > 0);
    let start = place("id=\"ise\"");
    let plots = &page[start..place("id=\"accuracy\"")];
    assert!(!plots.contains("class=\"dot\""), "no dot may stand for an undefined rate");
    assert_eq!(plots.matches("class=\"nowhere\"").count(), 3);
}

#[test]
fn what_is_left_out_is_said() {
    let demo = synthetic::demo(true);
    let options = ReportOptions { max_trajectories: 3, max_rows: 2, max_text: 40, ..Default::default() };
    let (page, summary) = page(&demo.report, &demo.trajectories, &options);
    assert_eq!((summary.with_steps, summary.without_steps), (3, demo.trajectories.len() - 3));
    assert!(page.contains("3 of 182 with their steps") && page.contains("179 are only listed"));
    assert!(page.contains("180 more trajectories are in the machine output"));
    assert!(page.contains("1 more problem is in the machine output"));
    assert!(page.contains("characters cut</span>"));
    assert_links_resolve(&page);
}

#[test]
fn a_trajectory_that_never_came_is_said() {
    let demo = synthetic::demo(true);
    let mut page = Vec::new();
    let mut writer = ReportWriter::new(&mut page, &demo.report, &ReportOptions::default()).unwrap();
    let mut unknown = demo.report.trajectories[0].clone();
    unknown.id = "elsewhere".into();
    let error = writer.trajectory(&demo.trajectories[0].0, &unknown, &[]).unwrap_err();
    assert!(matches!(error, ReportError::UnknownTrajectory { ref id } if id == "elsewhere"));
    assert!(writer.wants(&demo.report.trajectories[0].id) && !writer.wants("elsewhere"));
    assert_eq!(writer.finish().unwrap().with_steps, 0);
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("Its log could not be read again"));
    assert_links_resolve(&page);
}

#[test]
fn a_repeated_id_has_one_section() {
    let mut demo = synthetic::demo(true);
    demo.report.trajectories[1].id = demo.report.trajectories[0].id.clone();
    let (page, summary) = page(&demo.report, &demo.trajectories, &ReportOptions::default());
    assert_links_resolve(&page);
    assert_eq!(summary.without_steps, 1);
}

#[test]
fn what_escalated_outside_the_funnel_is_said() {
    let demo = synthetic::demo(true);
    let (page, _) = page(&demo.report, &demo.trajectories, &ReportOptions::default());
    let rows =
        || demo.report.trajectories.iter().filter(|row| row.excluded.is_none() && row.escalate.is_yes());
    let beside = rows().filter(|row| !row.identify.is_yes() || !row.solve.is_yes()).count();
    assert!(
        beside > 1 && page.contains(&format!("{beside} more answers escalated without the stages before"))
    );
}

#[test]
fn an_empty_report_is_a_page() {
    let mut report = synthetic::demo(true).report;
    report.summary.clear();
    report.trajectories.clear();
    report.problems.clear();
    let (page, _) = page(&report, &[], &ReportOptions::default());
    assert!(page.contains("No trajectory was read.") && page.contains("Everything could be read."));
    assert_links_resolve(&page);
}
