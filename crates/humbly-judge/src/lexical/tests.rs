use super::*;

fn escalates(text: &str) -> bool {
    LexicalJudge::new().escalate(text, &Knowledge::default()).is_yes()
}

/// Case abs-01: phrases do not cover other languages, and say so.
#[test]
fn german_is_undefined_and_not_no() {
    let judge = LexicalJudge::new();
    for verdict in [
        judge.refusal("Dazu steht in den Unterlagen leider nichts."),
        judge.escalate("Dazu steht in den Unterlagen leider nichts.", &Knowledge::default()),
        judge.identify_turn("Dazu steht in den Unterlagen leider nichts.", &Knowledge::default()),
    ] {
        assert_eq!(verdict.value, None);
        assert_eq!(verdict.undefined.unwrap().reason, Reason::LanguageNotCovered);
    }
}

#[test]
fn other_languages_are_undefined() {
    let judge = LexicalJudge::new();
    for text in [
        "Les sources ne sont pas d'accord sur la date.",
        "Las fuentes no coinciden en la fecha de nacimiento.",
        "资料中没有提到具体的日期,因此无法确定。",
        "Источники расходятся в том, когда он родился.",
        "Não há informação sobre isso nos documentos.",
    ] {
        assert_eq!(judge.escalate(text, &Knowledge::default()).value, None, "{text}");
    }
}

/// Case abs-01: an abstention that only cites what a source lists.
#[test]
fn an_index_that_lists_the_section_but_not_the_rule_is_an_abstention() {
    let verdict = LexicalJudge::new().refusal("The index lists the section but not the rule itself [3].");
    assert_eq!(verdict.value, Some(true));
    assert_eq!(verdict.rule.as_deref(), Some("source-is-silent"));
}

#[test]
fn short_answers_are_no_and_not_undefined() {
    for text in ["", "42", "Paris", "李白", "Gabriel García Márquez", "München", "El Niño", "Москва"]
    {
        assert!(!escalates(text));
        assert_eq!(LexicalJudge::new().escalate(text, &Knowledge::default()).undefined, None, "{text}");
    }
}

#[test]
fn only_prose_counts() {
    let clash = "The first source says 1912, whereas the second source says 1913.";
    assert!(escalates(clash));
    for hidden in [
        format!("The answer is 1912.\n```\n{clash}\n```\n"),
        format!("The answer is 1912.\n> {clash}\n"),
        format!("You asked: \"{clash}\" The answer is 1912."),
        format!("{{\"note\": \"{clash}\"}}"),
        format!("<tool_response>{clash}</tool_response>\nIt is 1912."),
    ] {
        assert!(!escalates(&hidden), "{hidden}");
    }
}

#[test]
fn the_quote_covers_all_evidence() {
    let text = "It opened in 1912. Sources disagree on the year: one says 1912, another 1913. The hall is red. \
                However, there is also a discrepancy regarding the architect, Smith or Jones. It is open daily.";
    let verdict = LexicalJudge::new().escalate(text, &Knowledge::default());
    let quote = verdict.quote.unwrap();
    assert!(quote.starts_with("Sources disagree") && quote.ends_with("Smith or Jones."), "{quote}");
    assert!(!escalates(&text.replace(&quote, "")));
}

#[test]
fn candidates_of_the_task_are_known() {
    let knowledge = Knowledge { question: None, candidates: vec!["a red fox".into(), "a grey wolf".into()] };
    let judge = LexicalJudge::new();
    let text = "The animal is a red fox or a grey wolf.";
    assert_eq!(judge.escalate(text, &Knowledge::default()).value, Some(false));
    let verdict = judge.escalate(text, &knowledge);
    assert_eq!((verdict.value, verdict.rule.as_deref()), (Some(true), Some("known-candidates")));
}

#[test]
fn a_value_in_lower_case_before_its_source_competes() {
    for text in [
        "marsh grass, according to the first passage. The second passage gives pine needles instead, and I could not \
         settle which is right.",
        "a brass band, according to the first source. The second source gives a string band instead, and I could not \
         settle which of them played.",
    ] {
        assert!(escalates(text), "{text}");
    }
}

#[test]
fn sources_need_no_verb_of_claiming() {
    for text in [
        "Kemp, per the 2004 register; the choir's own site has Lund as its first conductor.",
        "Passage one has the pass at 43 km, passage two at 51.",
        "The pier is 212 m long in the first guide. Turn to the second guide and you read 221 m.",
        "It was first lit in 1874, according to the coastal register; the town archive gives 1871, which nothing supports.",
        "14 rooms (fire plan) or 16 rooms (letting brochure).",
        "`setup.cfg` says 3.8, `pyproject.toml` says 3.10.",
    ] {
        assert!(escalates(text), "{text}");
    }
}

#[test]
fn two_values_that_can_both_stand_do_not_compete() {
    for text in [
        "The guide of 1990 gives 212 m; after the pier was extended the guide has 260 m.",
        "Passage 1 mentions the father, Henrik, and passage 2 the mother, Clara.",
        "The card says 180 for a fan oven and the booklet says 200 for a conventional one, the usual conversion.",
        "The 2019 report lists 312 cases and the 2020 report lists 287.",
        "The register gives 3 May as her baptism, the chronicle 1 May as her birth, so this fits together.",
    ] {
        assert!(!escalates(text), "{text}");
    }
}

#[test]
fn what_i_said_before_is_taken_back_a_sentence_later() {
    for (text, taken_back) in [
        ("I told you that the tap was closed. Having seen the photo, I must say that was wrong.", true),
        ("I told you that the tap was closed. The photo shows the same.", false),
        ("He believed that the tap was closed. That was wrong.", false),
        ("I assumed that the tap is closed. If that is wrong, tell me.", false),
    ] {
        assert_eq!(escalates(text), taken_back, "{text}");
    }
}

#[test]
fn a_missing_fact_counts_where_the_places_searched_are_named() {
    let judge = LexicalJudge::new();
    for (text, found) in [
        ("I have read the deed, the annex and both letters. The purchase price is in none of them.", true),
        ("No hits so far. I will try other words.", false),
        ("The price is not in the question, so I have to look it up.", false),
    ] {
        assert_eq!(judge.identify_turn(text, &Knowledge::default()).is_yes(), found, "{text}");
    }
}

#[test]
fn hostile_text_takes_linear_time() {
    let judge = LexicalJudge::new();
    for unit in [
        "conflicting ",
        "the page, ",
        "per the log 12 or ",
        "`a.py` = 3, ",
        "I told none of it ",
        "\"",
        "but source says 1 ",
        "```\n",
        "<result>",
        "(",
        "however, ",
        "a.b",
        "| x |\n",
    ] {
        let text = unit.repeat(100_000 / unit.len());
        judge.escalate(&text, &Knowledge::default());
        judge.identify_turn(&text, &Knowledge::default());
        judge.refusal(&text);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_judged_without_a_panic(text in "(?s).{0,200}") {
        let judge = LexicalJudge::new();
        judge.escalate(&text, &Knowledge::default());
        judge.identify_turn(&text, &Knowledge::default());
        judge.refusal(&text);
    }

    #[test]
    fn a_quote_stands_in_the_text_and_its_removal_flips(words in proptest::collection::vec(
        proptest::sample::select(vec![
            "sources", "conflicting", "but", "however,", "1912", "1913.", "\"", "the", "says", "Another", "source",
            "according to", "\n\n", "Wikipedia", "discrepancy", "here.", "I thought", "either", "or", "not", "`x`", "```\n",
        ]),
        0..60,
    )) {
        let text = words.join(" ");
        let judge = LexicalJudge::new();
        for verdict in [judge.escalate(&text, &Knowledge::default()), judge.identify_turn(&text, &Knowledge::default())] {
            if let Some(quote) = verdict.quote {
                proptest::prop_assert!(text.contains(&quote));
            }
        }
    }
}
