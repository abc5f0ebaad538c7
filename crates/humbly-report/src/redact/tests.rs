use std::time::Instant;

use proptest::prelude::*;

use super::*;

fn redacted(text: &str) -> String {
    Redactor::new(true).text(text).into_owned()
}

#[test]
fn keys_are_removed() {
    for key in [
        "sk-proj-AbCd1234EfGh5678IjKl",
        "ghp_0123456789abcdefABCDEF0123456789abcd",
        "github_pat_11ABCDEFG0123456789_abcdef",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "xoxb-123456789012-abcdefGHIJ",
        "hf_abcdefghijklmnopQRSTUV",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123456",
    ] {
        assert_eq!(redacted(&format!("use {key}, please")), "use [key], please");
    }
}

#[test]
fn the_value_goes_and_the_name_stays() {
    assert_eq!(redacted("Authorization: Bearer abc123def456"), "Authorization: Bearer [key]");
    assert_eq!(redacted("API_KEY=abcd1234efgh"), "API_KEY=[key]");
    assert_eq!(redacted(r#"{"api_key": "abcd1234efgh", "x": 1}"#), r#"{"api_key": "[key]", "x": 1}"#);
    assert_eq!(redacted(r#"{\"client_secret\":\"abcd1234efgh\"}"#), r#"{\"client_secret\":\"[key]\"}"#);
    assert_eq!(redacted("password=hunter"), "password=[key]");
    assert_eq!(redacted("postgres://admin:pa55@db/x"), "postgres://admin:[key]@db/x");
    assert_eq!(redacted("?token=a1b2c3d4e5&page=2"), "?token=[key]&page=2");
}

#[test]
fn a_private_key_goes_as_a_whole() {
    let text = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\n-----END RSA PRIVATE KEY-----\n";
    assert!(!redacted(text).contains("MIIE"));
}

#[test]
fn prose_and_counts_stay() {
    for text in [
        "max_tokens: 4096",
        "the secret: nobody agrees",
        "token = tokenizer.encode",
        "a task-0123456789abcdefgh of the suite",
        "bearer of news",
        "password: $PASSWORD",
        "two sources @ 5 pm",
    ] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn mails_and_home_paths_are_removed_and_counted() {
    let redactor = Redactor::new(true);
    assert_eq!(redactor.text("ada.l+x@mail.example.org wrote"), "[mail] wrote");
    assert_eq!(redactor.text("/home/ada/x and /Users/bob"), "/home/[name]/x and /Users/[name]");
    assert_eq!(redactor.text(r"C:\Users\Ada\x"), r"C:\Users\[name]\x");
    assert_eq!(redactor.text(r#""C:\\Users\\Ada\\x""#), r#""C:\\Users\\[name]\\x""#);
    assert_eq!(redactor.text("projects/-home-ada-repo/s.jsonl"), "projects/-home-[name]-repo/s.jsonl");
    assert_eq!(redactor.counts(), Redactions { keys: 0, mails: 1, home_paths: 5 });
}

#[test]
fn overlapping_secrets_become_one() {
    let redactor = Redactor::new(true);
    assert_eq!(redactor.text("api_key=sk-abcd1234efgh5678ijkl"), "api_key=[key]");
    assert_eq!(redactor.counts().total(), 1);
}

#[test]
fn switched_off_it_changes_nothing() {
    let redactor = Redactor::new(false);
    assert_eq!(redactor.text("/home/ada a@b.example"), "/home/ada a@b.example");
    assert_eq!(redactor.counts().total(), 0);
}

#[test]
fn hostile_texts_take_linear_time() {
    let texts: [&dyn Fn(usize) -> String; 6] = [
        &|n| "a".repeat(n),
        &|n| "-----BEGIN PRIVATE KEY-----".repeat(n / 27),
        &|n| "eyJaaaaaaaaa.".repeat(n / 13),
        &|n| "token=".repeat(n / 6),
        &|n| "a@a.".repeat(n / 4),
        &|n| "://a:".repeat(n / 5),
    ];
    for text in texts {
        let time = |n: usize| {
            let text = text(n);
            let start = Instant::now();
            let _ = redacted(&text);
            start.elapsed().as_secs_f64()
        };
        let _ = time(1_000);
        let (small, large) = (time(60_000), time(960_000));
        assert!(large < 64.0 * small.max(0.002), "16 times the text took {small} s, then {large} s");
    }
}

proptest! {
    #[test]
    fn spans_lie_on_character_boundaries_and_apart(text in "\\PC{0,200}") {
        let mut from = 0;
        for span in Redactor::new(true).spans(&text) {
            prop_assert!(span.range.start >= from && text.get(span.range.clone()).is_some());
            from = span.range.end;
        }
    }

    #[test]
    fn a_key_is_found_in_any_surrounding(before in "[^A-Za-z0-9_-]{0,20}", after in "[^A-Za-z0-9_-]{0,20}") {
        let text = format!("{before}sk-abcd1234efgh5678ijkl{after}");
        prop_assert!(!redacted(&text).contains("sk-abcd"));
    }

    #[test]
    fn redacting_again_changes_nothing(text in "(/home/[a-z]{1,5}|[a-z]{1,4}@[a-z]{1,4}\\.org|token=[a-z0-9]{8,12}| ){0,9}") {
        let once = redacted(&text);
        prop_assert_eq!(redacted(&once).replace("[name]", "N"), once.replace("[name]", "N"));
    }
}
