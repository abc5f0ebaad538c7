//! Agreement with the labels of `shared/truth`, and what every positive verdict must satisfy.

use std::path::PathBuf;

use humbly_judge::{Knowledge, LabelledRow, LexicalJudge, VerdictKind, agreement_report, read_rows};

fn labels(name: &str, verdict: VerdictKind) -> Option<Vec<LabelledRow>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/truth/labels").join(name);
    let Ok(content) = std::fs::read_to_string(&path) else {
        assert_ne!(std::env::var("HUMBLY_REQUIRE").as_deref(), Ok("all"), "{} is missing", path.display());
        return None;
    };
    match read_rows(&content, verdict) {
        Ok(rows) => Some(rows),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

#[test]
fn escalate_agrees_with_the_labels() {
    let Some(rows) = labels("escalate.jsonl", VerdictKind::Escalate) else { return };
    let report = agreement_report(&LexicalJudge::new(), &rows, VerdictKind::Escalate).unwrap();
    assert_eq!((report.n, report.positives), (292, 38));
    let kappa = report.kappa.value().unwrap();
    assert!(kappa >= 0.75, "κ is {kappa}: {:#?}", report.disagreements);
}

#[test]
fn identify_agrees_with_the_labels() {
    let Some(rows) = labels("identify.jsonl", VerdictKind::Identify) else { return };
    let report = agreement_report(&LexicalJudge::new(), &rows, VerdictKind::Identify).unwrap();
    assert_eq!((report.n, report.positives), (124, 16));
    let kappa = report.kappa.value().unwrap();
    assert!(kappa >= 0.60, "κ is {kappa}: {:#?}", report.disagreements);
}

/// Our own texts on other topics: `tuning` was looked at while the rules were written, `held` was not.
fn golden(name: &str, verdict: VerdictKind) -> Vec<LabelledRow> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/judge").join(name);
    match std::fs::read_to_string(&path).map_err(|error| error.to_string()) {
        Ok(content) => read_rows(&content, verdict).unwrap_or_default(),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

fn golden_kappa(name: &str, verdict: VerdictKind) -> f64 {
    let rows = golden(name, verdict);
    let report = agreement_report(&LexicalJudge::new(), &rows, verdict);
    report.ok().and_then(|report| report.kappa.value()).unwrap_or(-1.0)
}

#[test]
fn own_texts_are_judged_as_labelled() {
    assert!(golden_kappa("escalate-tuning.jsonl", VerdictKind::Escalate) >= 0.85);
    assert!(golden_kappa("identify-tuning.jsonl", VerdictKind::Identify) >= 0.80);
    assert!(golden_kappa("escalate-voices.jsonl", VerdictKind::Escalate) >= 0.6);
    assert!(golden_kappa("identify-voices.jsonl", VerdictKind::Identify) >= 0.6);
}

#[test]
fn texts_held_back_agree_less_but_not_by_chance() {
    assert!(golden_kappa("escalate-held.jsonl", VerdictKind::Escalate) >= 0.2);
    assert!(golden_kappa("identify-held.jsonl", VerdictKind::Identify) >= 0.2);
}

/// Texts that the weights were fitted on, by writers and in voices.
fn fitted(name: &str, verdict: VerdictKind) -> Vec<LabelledRow> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name);
    let content = match std::fs::read_to_string(&path) {
        Ok(content) => content,
        Err(error) => panic!("{}: {error}", path.display()),
    };
    let labelled = content.lines().filter(|line| line.contains(&format!("\"{}\":", verdict.code())));
    match read_rows(&labelled.collect::<Vec<_>>().join("\n"), verdict) {
        Ok(rows) => rows,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

const FITTED: [(&str, VerdictKind); 8] = [
    ("answers-1.jsonl", VerdictKind::Escalate),
    ("answers-2.jsonl", VerdictKind::Escalate),
    ("answers-3.jsonl", VerdictKind::Escalate),
    ("turns-1.jsonl", VerdictKind::Identify),
    ("turns-2.jsonl", VerdictKind::Identify),
    ("turns-3.jsonl", VerdictKind::Identify),
    ("voices.jsonl", VerdictKind::Escalate),
    ("voices.jsonl", VerdictKind::Identify),
];

#[test]
fn texts_that_were_fitted_are_judged_as_labelled() {
    for (name, verdict) in FITTED {
        let report = agreement_report(&LexicalJudge::new(), &fitted(name, verdict), verdict).unwrap();
        let kappa = report.kappa.value().unwrap();
        // Most voices are pairs that differ in a few words, which a linear rule cannot all tell apart.
        let least = if name == "voices.jsonl" { 0.75 } else { 0.80 };
        assert!(kappa >= least, "{name}: κ is {kappa}");
    }
}

#[test]
fn removing_the_quote_flips_every_positive() {
    let judge = LexicalJudge::new();
    let knowledge = Knowledge::default();
    let mut positives = 0;
    for (name, verdict) in [
        ("escalate.jsonl", VerdictKind::Escalate),
        ("identify.jsonl", VerdictKind::Identify),
        ("escalate-tuning.jsonl", VerdictKind::Escalate),
        ("identify-tuning.jsonl", VerdictKind::Identify),
        ("escalate-voices.jsonl", VerdictKind::Escalate),
        ("identify-voices.jsonl", VerdictKind::Identify),
        ("escalate-held.jsonl", VerdictKind::Escalate),
        ("identify-held.jsonl", VerdictKind::Identify),
    ]
    .into_iter()
    .chain(FITTED)
    {
        let rows = if FITTED.contains(&(name, verdict)) {
            fitted(name, verdict)
        } else if name.contains('-') {
            golden(name, verdict)
        } else {
            labels(name, verdict).unwrap_or_default()
        };
        for row in rows {
            let ask = |text: &str| match verdict {
                VerdictKind::Identify => judge.identify_turn(text, &knowledge),
                _ => judge.escalate(text, &knowledge),
            };
            let said = ask(&row.text);
            let Some(quote) = said.quote.filter(|_| said.value == Some(true)) else { continue };
            positives += 1;
            let rest = row.text.replacen(&quote, "", 1);
            assert!(rest.len() < row.text.len(), "{}: the quote is not in the text", row.id);
            assert!(!ask(&rest).is_yes(), "{}: still yes without {quote:?}", row.id);
        }
    }
    assert!(positives >= 500, "only {positives} positives");
}
