//! The faults that users of trainers met (`cases/training.jsonl`), each with the tests that hold us to it.
//!
//! A case of the file that stands neither here as tested nor as waiting fails, and so does a test that is gone.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and says why it skips"
)]

mod support;

use std::collections::BTreeSet;

use support::root;

/// File and test.
type Test = (&'static str, &'static str);

const REWARDS: &str = "crates/humbly-rewards/tests/cases.rs";
const CARD: Test = ("crates/humbly-cli/tests/reward.rs", "collapse_scale_and_stripped_tags_raise_alarms");
const PLUGINS: &str = "crates/humbly-py/tests/test_plugins.py";
const TRL: &str = "tests/trainers/test_trl.py";
const VERL: &str = "tests/trainers/test_verl.py";
const KEYS: Test = (VERL, "test_the_same_keys_whatever_comes");
const BRANCHES: Test = (REWARDS, "every_branch_returns_the_same_finite_numbers");
const LINEAR: Test = (REWARDS, "degenerate_responses_take_milliseconds");

const TESTED: &[(&str, &[Test])] = &[
    (
        "void-turn",
        &[
            (VERL, "test_a_turn_without_action_is_told_so_and_breaks_the_format"),
            (REWARDS, "a_response_without_action_is_scored"),
        ],
    ),
    ("trl-all-none", &[(TRL, "test_what_cannot_be_scored_has_no_advantage")]),
    ("searchr1-group-index", &[(TRL, "test_a_group_is_what_shares_a_prompt"), CARD]),
    ("rlcr-collapse", &[CARD, (REWARDS, "one_confidence_for_all_is_scored_alike")]),
    (
        "mv-swallow-fix",
        &[
            (VERL, "test_one_failure_is_counted_and_leaves_the_others_alone"),
            (REWARDS, "one_unscorable_sample_leaves_the_others_alone"),
        ],
    ),
    (
        "searchr1-two-answers",
        &[
            (REWARDS, "a_response_with_one_answer_is_scored_without_its_prompt"),
            (
                "tests/trainers/test_openrlhf.py",
                "test_its_executor_takes_the_file_and_the_response_is_scored_alone",
            ),
        ],
    ),
    ("think-prefilled", &[(REWARDS, "a_think_block_opened_by_the_template_is_no_fault")]),
    (
        "special-tokens-stripped",
        &[
            (REWARDS, "a_response_whose_tags_were_stripped_is_told_apart"),
            CARD,
            (PLUGINS, "test_stripped_tags_are_told_once"),
        ],
    ),
    ("format-hack-many-tags", &[(REWARDS, "many_blocks_earn_nothing")]),
    ("mv-hang-no-timeout", &[LINEAR]),
    ("naive-serial-hang", &[LINEAR]),
    ("components-logging-pr", &[BRANCHES, KEYS, (TRL, "test_the_whole_reward_logs_its_components")]),
    ("mixed-return-types", &[BRANCHES, KEYS]),
    ("missing-key-none", &[BRANCHES, KEYS]),
    ("ragen-mask-inverted", &[(VERL, "test_a_search_rollout_by_verls_agent_loop_worker")]),
    (
        "openrlhf-oom",
        &[(PLUGINS, "test_memory_does_not_grow_with_calls"), (REWARDS, "the_ledger_grows_by_questions_only")],
    ),
    ("pickle-closure", &[(VERL, "test_it_may_be_pickled_and_called_from_threads")]),
    ("retriever-oom", &[("crates/humbly-cli/tests/serve.rs", "a_corpus_is_served_in_search_r1s_protocol")]),
    ("retriever-blocking", &[(PLUGINS, "test_many_searches_at_once")]),
    ("tool-trunc-chars", &[(VERL, "test_results_that_verl_cuts_are_told")]),
];

const WAITING: &[(&str, &str)] = &[
    ("candle-softmax", "waits for the trainer: a gradient of ours, where nothing of ours has one"),
    ("candle-rope", "waits for the trainer: a gradient of ours, where nothing of ours has one"),
    ("zero-std-kl", "waits for the trainer: the loss and its denominator are TRL's and verl's until then"),
];

#[test]
fn every_case_is_tested_or_waits_with_a_reason() {
    let path = root().join("../shared/cases/training.jsonl");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if std::env::var_os("HUMBLY_REQUIRE").is_some() => panic!("{}: {error}", path.display()),
        Err(_) => return eprintln!("skipped: no {}", path.display()),
    };
    let mut left: BTreeSet<&str> = BTreeSet::new();
    for id in TESTED.iter().map(|(id, _)| *id).chain(WAITING.iter().map(|(id, _)| *id)) {
        assert!(left.insert(id), "case {id} stands here twice");
    }
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let (id, area) = (case["id"].as_str().unwrap(), &case["area"]);
        assert!(left.remove(id), "case {id} ({area}) is neither tested nor waits for something");
    }
    assert!(left.is_empty(), "no such case: {left:?}");
    assert!(WAITING.iter().all(|(_, reason)| reason.starts_with("waits for the trainer")));
}

#[test]
fn the_tests_that_are_named_are_there_and_name_their_case() {
    for (id, tests) in TESTED {
        assert!(!tests.is_empty(), "case {id} has no test");
        for (file, test) in *tests {
            let text = std::fs::read_to_string(root().join(file)).unwrap();
            let source = function(&text, test).unwrap_or_else(|| panic!("{file} has no test {test}"));
            assert!(source.contains(id), "{test} in {file} does not name case {id}");
        }
    }
}

/// A function with the comment above it.
fn function<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (keyword, end) = if text.contains("#[test]") { ("fn", "\n}\n") } else { ("def", "\n\n\n") };
    let at = text.find(&format!("{keyword} {name}("))?;
    let start = text.get(..at)?.rfind("\n\n").unwrap_or(0);
    let rest = text.get(start..)?;
    let body = at - start;
    let length = rest.get(body..)?.find(end).map_or(rest.len(), |length| body + length);
    rest.get(..length)
}
