use super::*;
use proptest::prelude::*;

fn value(text: &str, scale: Scale) -> Option<f64> {
    parse_confidence(text, scale).probability()
}

fn fault(text: &str, scale: Scale) -> ConfidenceFault {
    parse_confidence(text, scale).undefined().unwrap().reason
}

#[test]
fn one_means_what_the_scale_says() {
    assert_eq!(value("1", Scale::Unit), Some(1.0));
    assert_eq!(value("1", Scale::Percent), Some(0.01));
    assert_eq!(value("100.", Scale::Percent), Some(1.0));
    assert_eq!(value("0.85", Scale::Percent), Some(0.0085));
    let off = parse_confidence("85", Scale::Unit);
    let off = off.undefined().unwrap();
    assert_eq!((off.reason, off.found.as_str()), (ConfidenceFault::ConfidenceOutOfRange, "85"));
    assert!(off.hint.unwrap().starts_with("stated in percent?"));
}

#[test]
fn a_fraction_and_a_percent_sign_state_their_own_scale() {
    // Case cnf-03.
    assert_eq!(value("7/10", Scale::Unit), Some(0.7));
    assert_eq!(value("7/10", Scale::range(1.0, 5.0).unwrap()), Some(0.7));
    assert_eq!(value("4.25/10", Scale::range(0.0, 5.0).unwrap()), Some(0.425));
    assert_eq!(value("7 out of 10", Scale::Percent), Some(0.7));
    assert_eq!(value("85%", Scale::Unit), Some(0.85));
    assert_eq!(value("85 percent", Scale::Unit), Some(0.85));
    assert_eq!(value(r"85\%", Scale::Unit), Some(0.85));
    assert_eq!(value("８５％", Scale::Unit), Some(0.85));
    assert_eq!(fault("11/10", Scale::Unit), ConfidenceFault::ConfidenceOutOfRange);
    assert_eq!(fault("1/0", Scale::Unit), ConfidenceFault::ConfidenceUnreadable);
    assert_eq!(fault("120%", Scale::Unit), ConfidenceFault::ConfidenceOutOfRange);
}

#[test]
fn what_follows_the_number_does_not_hide_it() {
    // Case cnf-03: `na` inside `final` is not `n/a`.
    assert_eq!(value("4.5 (final)", Scale::range(0.0, 5.0).unwrap()), Some(0.9));
    assert_eq!(value("0.8 (on a scale of 0 to 1)", Scale::Unit), Some(0.8));
    assert_eq!(value("**0.8**.", Scale::Unit), Some(0.8));
    assert_eq!(value("about 0.8", Scale::Unit), Some(0.8));
}

#[test]
fn a_range_scale_starts_at_its_minimum() {
    // Case cnf-04.
    let scale = Scale::range(1.0, 5.0).unwrap();
    assert_eq!(value("1", scale), Some(0.0));
    assert_eq!(value("5", scale), Some(1.0));
    assert_eq!(fault("6", scale), ConfidenceFault::ConfidenceOutOfRange);
    assert!(Scale::range(5.0, 1.0).is_err() && Scale::range(0.0, f64::NAN).is_err());
    assert_eq!("1..5".parse(), Ok(scale));
    assert!("0-5".parse::<Scale>().is_err());
}

#[test]
fn absent_is_not_zero() {
    for text in
        ["n/a", "N/A.", "none", "", "?", "<confidence></confidence>", "<confidence> null </confidence>"]
    {
        assert_eq!(fault(text, Scale::Unit), ConfidenceFault::NoConfidence, "{text}");
    }
    assert_eq!(fault("Paris is the capital.", Scale::Unit), ConfidenceFault::NoConfidence);
    assert_eq!(fault("In 1911 the tower stood.", Scale::Unit), ConfidenceFault::NoConfidence);
}

#[test]
fn not_finite_ambiguous_and_unreadable_stay_apart() {
    assert_eq!(fault("NaN", Scale::Unit), ConfidenceFault::ConfidenceNotFinite);
    assert_eq!(fault("<confidence>inf</confidence>", Scale::Unit), ConfidenceFault::ConfidenceNotFinite);
    assert_eq!(fault("1e999", Scale::Unit), ConfidenceFault::ConfidenceNotFinite);
    assert_eq!(fault("-0.2", Scale::Unit), ConfidenceFault::ConfidenceOutOfRange);
    assert_eq!(fault("−0.2", Scale::Unit), ConfidenceFault::ConfidenceOutOfRange);
    for text in ["60-80%", "0.6 to 0.8", "60% - 80%", "0.6–0.8", "at least 90%", "> 0.9"] {
        assert_eq!(fault(text, Scale::Unit), ConfidenceFault::ConfidenceAmbiguous, "{text}");
    }
    assert_eq!(
        fault("<confidence>as GPT-4 says</confidence>", Scale::Unit),
        ConfidenceFault::ConfidenceUnreadable
    );
    assert_eq!(fault("<confidence>high</confidence>", Scale::Unit), ConfidenceFault::ConfidenceUnreadable);
}

#[test]
fn numbers_are_read_in_all_their_forms() {
    assert_eq!(value(".5", Scale::Unit), Some(0.5));
    assert_eq!(value("+0.5", Scale::Unit), Some(0.5));
    assert_eq!(value("5e-1", Scale::Unit), Some(0.5));
    assert_eq!(value("0,85", Scale::Unit), Some(0.85));
    assert_eq!(value("0,125", Scale::Unit), Some(0.125));
    assert_eq!(value("1,000", Scale::range(0.0, 1000.0).unwrap()), Some(1.0));
}

#[test]
fn the_last_tag_outside_think_blocks_counts() {
    let text = "<think><confidence>0.1</confidence></think><confidence>0.2</confidence> <confidence>0.3</confidence>";
    assert_eq!(value(text, Scale::Unit), Some(0.3));
    assert_eq!(parse_confidence(text, Scale::Unit).source(), Some(ConfidenceSource::Tag));
    assert_eq!(
        fault("<think><confidence>0.1</confidence>", Scale::Unit),
        ConfidenceFault::TruncatedReasoning
    );
    assert_eq!(
        fault("<confidence>x</confidence> Confidence: 0.4", Scale::Unit),
        ConfidenceFault::ConfidenceUnreadable
    );
}

#[test]
fn labels_are_found_in_prose_and_json() {
    for text in [
        "Exact Answer: 1911\nConfidence: 85%",
        "**Confidence:** 85%",
        "Confidence score (0-100): 85%.",
        r#"{"answer": "1911", "confidence": 0.85, "n": 3}"#,
        "My confidence is 0.85. That is high.",
        "In short, I am 85% confident.",
    ] {
        let stated = parse_confidence(text, Scale::Unit);
        assert_eq!(
            (stated.probability(), stated.source()),
            (Some(0.85), Some(ConfidenceSource::Number)),
            "{text}"
        );
    }
}

#[test]
fn words_have_the_median_of_their_readers() {
    for (text, median) in [
        ("<confidence>Highly likely</confidence>", 0.9),
        ("Almost certainly.", 0.95),
        ("Confidence: probably not", 0.265),
        ("It is unlikely that he stayed.", 0.2),
        ("<confidence>almost no chance</confidence>", 0.02),
    ] {
        let stated = parse_confidence(text, Scale::Percent);
        assert_eq!(
            (stated.probability(), stated.source()),
            (Some(median), Some(ConfidenceSource::Words)),
            "{text}"
        );
    }
    assert_eq!(
        fault("<confidence>not likely</confidence>", Scale::Unit),
        ConfidenceFault::ConfidenceUnreadable
    );
    assert_eq!(fault("Likely, or highly unlikely.", Scale::Unit), ConfidenceFault::ConfidenceAmbiguous);
}

#[test]
fn the_words_file_holds_the_medians_of_the_readings() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/linguistic-confidence/probly.csv");
    let Ok(table) = std::fs::read_to_string(&path) else {
        assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "missing {}", path.display());
        eprintln!("skipped: {} is missing", path.display());
        return;
    };
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|cell| cell.trim().parse().unwrap()).collect()).collect();
    assert_eq!(header.len(), probability_words().len());
    for (column, name) in header.iter().enumerate() {
        let mut readings: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        readings.sort_by(f64::total_cmp);
        let middle = readings.len() / 2;
        let median = f64::midpoint(readings[middle - 1], readings[middle]);
        let word =
            probability_words().iter().find(|word| name.trim().eq_ignore_ascii_case(word.phrase)).unwrap();
        assert_eq!((rows.len() % 2, word.median), (0, median / 100.0), "{name}");
    }
}

#[test]
fn long_text_takes_milliseconds() {
    for unit in ["<confidence>", "confidence: ", "likely ", "0.5 ", "9", "85% ", "confidence ("] {
        let text = unit.repeat(200_000 / unit.len());
        let started = std::time::Instant::now();
        parse_confidence(&text, Scale::Unit);
        assert!(started.elapsed().as_millis() < 3_000, "{unit}");
    }
}

proptest! {
    #[test]
    fn any_text_gives_a_probability_or_a_reason(text in any::<String>()) {
        let outcome = parse_confidence(&text, Scale::Unit);
        prop_assert!(outcome.probability().is_none_or(|p| (0.0..=1.0).contains(&p)));
        parse_confidence(&format!("<confidence>{text}"), Scale::Percent);
    }

    #[test]
    fn fields_of_digits_and_marks_are_read(text in "[-0-9.,/%é ~≥(to)]{0,16}") {
        let outcome = parse_confidence(&text, Scale::Percent);
        prop_assert!(outcome.probability().is_none_or(|p| (0.0..=1.0).contains(&p)));
    }

    #[test]
    fn a_stated_number_comes_back(percent in 0u32..=100) {
        let text = format!("<confidence>{percent}</confidence>");
        prop_assert_eq!(value(&text, Scale::Percent), Some(f64::from(percent) / 100.0));
    }
}
