use super::*;

const CLASH: &str = "Sources disagree on the year: 1912 or 1913.";
const PLAIN: &str = "It opened in 1912.";

fn row(id: usize, text: &str, label: bool, fold: Option<&str>) -> LabelledRow {
    LabelledRow { id: id.to_string(), text: text.to_owned(), label, fold: fold.map(str::to_owned) }
}

#[test]
fn the_table_gives_the_coefficients_of_the_textbook() {
    // 20 both, 5 only the verdict, 10 only the label, 15 neither: po 0.7, pe 0.5.
    let cells = [(true, true, 20), (true, false, 5), (false, true, 10), (false, false, 15)];
    let table =
        Table::of(cells.iter().flat_map(|&(verdict, label, n)| std::iter::repeat_n((verdict, label), n)));
    assert!((table.kappa().unwrap() - 0.4).abs() < 1e-12);
    // Prevalence (25 + 30) / 100: chance 2 × 0.55 × 0.45.
    assert!((table.ac1().unwrap() - (0.7 - 0.495) / 0.505).abs() < 1e-12);
}

#[test]
fn undefined_verdicts_are_counted_apart() {
    let rows = [
        row(0, CLASH, true, None),
        row(1, PLAIN, false, None),
        row(2, "Dazu steht in den Unterlagen leider nichts.", true, None),
    ];
    let report = agreement_report(&LexicalJudge::new(), &rows, VerdictKind::Escalate).unwrap();
    assert_eq!((report.n, report.positives), (2, 1));
    assert_eq!(report.undefined, [(Reason::LanguageNotCovered, 1)]);
    assert_eq!(report.raw.value(), Some(1.0));
    assert_eq!(serde_json::to_value(&report).unwrap()["verdict"], "escalate");
}

#[test]
fn folds_are_resampled_together() {
    let rows: Vec<LabelledRow> = (0..40)
        .map(|id| {
            row(id, if id % 4 == 0 { CLASH } else { PLAIN }, id % 5 == 0, Some(["a", "b", "c", "d"][id % 4]))
        })
        .collect();
    let report = agreement_report(&LexicalJudge::new(), &rows, VerdictKind::Escalate).unwrap();
    let interval = report.kappa.interval.unwrap();
    assert_eq!((interval.clusters, interval.seed), (Some(4), Some(SEED)));
}

#[test]
fn no_rows_and_one_class_are_undefined() {
    let judge = LexicalJudge::new();
    let empty = agreement_report(&judge, &[], VerdictKind::Identify).unwrap();
    assert_eq!(empty.kappa.undefined_reason(), Some(Reason::NoSamples));
    assert_eq!(empty.ac1.undefined_reason(), Some(Reason::NoSamples));
    let rows = [row(0, PLAIN, false, None), row(1, PLAIN, false, None)];
    let report = agreement_report(&judge, &rows, VerdictKind::Escalate).unwrap();
    assert_eq!(report.kappa.undefined_reason(), Some(Reason::ChanceAgreementIsOne));
    assert_eq!(report.recall.undefined_reason(), Some(Reason::NoPositives));
}
