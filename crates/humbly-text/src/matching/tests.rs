use super::*;
use proptest::prelude::*;

#[test]
fn a_trailing_full_stop_does_not_make_an_option_wrong() {
    // Case nrm-05.
    assert!(exact_match("maybe.", "maybe", Normalizer::Quasi));
    assert!(exact_match("maybe.", "maybe", Normalizer::Squad));
    assert!(!exact_match("-5", "5", Normalizer::Quasi));
}

#[test]
fn what_vanishes_in_the_normal_form_is_compared_without_it() {
    assert!(exact_match("A", "a", Normalizer::Squad));
    assert!(!exact_match("the", "A", Normalizer::Squad));
    assert_eq!(squad_f1("A", &["A"]), Some(1.0));
    assert_eq!(squad_f1("the", &["A"]), Some(0.0));
    assert!(!exact_match("", "x", Normalizer::Squad));
}

#[test]
fn unicode_forms_match_under_their_normalizer() {
    // Case nrm-04.
    assert!(exact_match("café 1911-1914", "cafe\u{301} 1911–1914", Normalizer::NfkcDash));
    assert_eq!(Normalizer::NfkcDash.name(), "nfkc+dash");
    assert!(gaia_quasi_exact("−５", "-5").is_match);
}

#[test]
fn a_number_is_not_cut_out_of_a_longer_one() {
    for (text, number) in
        [("15", "5"), ("3.5", "5"), ("5,000", "5"), ("-5", "5"), ("5.5", "5"), ("x5", "5"), ("is -5", "5")]
    {
        assert!(!word_bounded_contains(text, number), "{number} in {text}");
    }
    for (text, number) in
        [("5.", "5"), ("a, 5, b", "5"), ("(5)", "5"), ("5-year", "5"), ("1911-1914", "1914"), ("$5", "5")]
    {
        assert!(word_bounded_contains(text, number), "{number} in {text}");
    }
    assert!(!word_bounded_contains("x", "") && !any_substring("x", &["", " "]));
}

#[test]
fn an_unreadable_number_is_wrong_and_never_infinity() {
    // Case nrm-01.
    assert!(!gaia_quasi_exact("no idea", "inf").is_match);
    assert!(gaia_quasi_exact("inf", "inf").is_match);
    assert!(gaia_upstream("no idea", "inf"));
    let row = gaia_quasi_exact("about five", "5");
    assert_eq!((row.is_match, row.rule, row.is_unreadable_number), (false, GaiaRule::Number, true));
    assert!(!gaia_quasi_exact("", "0").is_match);
}

#[test]
fn gaia_numbers_lists_and_strings_are_told_apart() {
    for (prediction, reference, rule) in [
        ("1,500", "1500", GaiaRule::Number),
        ("$ 17.0", "17", GaiaRule::Number),
        ("17.", "17", GaiaRule::Number),
        ("89.7%", "89.7", GaiaRule::Number),
        ("1234", "1,234", GaiaRule::Number),
        ("132, 133, 134", "132, 133, 134", GaiaRule::List),
        ("egg;milk", "Egg, milk", GaiaRule::List),
        ("St. Petersburg", "St Petersburg", GaiaRule::String),
        ("sea gull", "Seagull", GaiaRule::String),
    ] {
        let outcome = gaia_quasi_exact(prediction, reference);
        assert_eq!((outcome.is_match, outcome.rule), (true, rule), "{prediction} | {reference}");
    }
    for (prediction, reference) in [
        ("1 2", "12"),
        ("milk, egg", "egg, milk"),
        ("egg", "egg, milk"),
        ("1.5", "15"),
        ("-", "+"),
        ("1e400", "5"),
        ("nan", "5"),
    ] {
        assert!(!gaia_quasi_exact(prediction, reference).is_match, "{prediction} | {reference}");
    }
}

#[test]
fn similarity_of_numbers_follows_the_formula() {
    assert_eq!(monaco_similarity(10.0, 10.0), Some(1.0));
    assert_eq!(monaco_similarity(-10.0, 10.0), Some(-1.0));
    assert_eq!(monaco_similarity(0.0, 3.0), Some(0.0));
    assert_eq!(monaco_similarity(f64::INFINITY, 3.0), None);
    assert_eq!(monaco_similarity(f64::MAX, -f64::MAX), Some(-1.0));
}

#[test]
fn token_f1_counts_repetitions() {
    let f1 = squad_f1("york york", &["new york", "york"]).unwrap();
    assert!((f1 - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(squad_f1("x", &["y"]), Some(0.0));
    assert_eq!(squad_f1::<&str>("x", &[]), None);
}

proptest! {
    #[test]
    fn any_texts_are_matched(left in any::<String>(), right in any::<String>()) {
        for normalizer in [Normalizer::None, Normalizer::NfkcDash, Normalizer::Quasi, Normalizer::Squad, Normalizer::Gaia] {
            prop_assert_eq!(exact_match(&left, &right, normalizer), exact_match(&right, &left, normalizer));
            prop_assert!(exact_match(&left, &left, normalizer));
        }
        gaia_quasi_exact(&left, &right);
        gaia_upstream(&left, &right);
        any_substring(&left, &[&right]);
        prop_assert!(squad_f1(&left, &[&right]).is_some_and(|f1| (0.0..=1.0).contains(&f1)));
    }

    #[test]
    fn a_number_equals_itself_in_every_spelling(value in 0u32..10_000_000, cents in 0u32..100) {
        let digits = value.to_string();
        let mut grouped = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index) % 3 == 0 {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        let reference = format!("{value}.{cents:02}");
        let prediction = format!("${grouped}.{cents:02}");
        prop_assert!(gaia_quasi_exact(&prediction, &reference).is_match);
    }

    #[test]
    fn similarity_is_symmetric_and_at_most_one(left in -1e9..1e9_f64, right in -1e9..1e9_f64) {
        let similarity = monaco_similarity(left, right).unwrap();
        prop_assert!((-1.0..=1.0).contains(&similarity));
        prop_assert_eq!(monaco_similarity(right, left), Some(similarity));
    }
}
