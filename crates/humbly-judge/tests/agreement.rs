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

#[test]
fn removing_the_quote_flips_every_positive() {
    let judge = LexicalJudge::new();
    let knowledge = Knowledge::default();
    let mut positives = 0;
    for (name, verdict) in
        [("escalate.jsonl", VerdictKind::Escalate), ("identify.jsonl", VerdictKind::Identify)]
    {
        let Some(rows) = labels(name, verdict) else { return };
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
    assert!(positives >= 40, "only {positives} positives");
}
