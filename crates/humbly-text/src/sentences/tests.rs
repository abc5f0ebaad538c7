use super::*;
use proptest::prelude::*;

fn sentences(text: &str) -> Vec<&str> {
    split(text).map(|(_, sentence)| sentence).collect()
}

#[test]
fn stops_end_sentences() {
    assert_eq!(sentences("One. Two! Three? Four"), ["One.", "Two!", "Three?", "Four"]);
    assert_eq!(
        sentences("He said \"no.\" Then he left (alone). End..."),
        ["He said \"no.\"", "Then he left (alone).", "End..."]
    );
    assert_eq!(sentences("**Bold.** Next."), ["**Bold.**", "Next."]);
    assert_eq!(sentences("第一句。第二句！"), ["第一句。", "第二句！"]);
    assert_eq!(sentences("Stop.\r\nGo."), ["Stop.", "Go."]);
}

#[test]
fn abbreviations_numbers_and_names_do_not_cut() {
    for text in [
        "It cost 3.5 million in v1.2.3 of foo.rs today.",
        "Prof. A. B. Smith met Mr. Jones, e.g. in May.",
        "John F. Kennedy vs. Nixon.",
        "The U.S. Senate met at 5 p.m. Eastern time.",
        "See example.com/a.b for approx. 5 of them.",
        "Born c. 1911 in St. Louis.",
        "Apple Inc. Chief Tim Cook spoke.",
    ] {
        assert_eq!(sentences(text), [text]);
    }
}

#[test]
fn sentences_end_behind_letters_numbers_and_abbreviations() {
    assert_eq!(sentences("The answer is B. The rest is wrong."), ["The answer is B.", "The rest is wrong."]);
    assert_eq!(
        sentences("It opened in 1911. Another says 1914."),
        ["It opened in 1911.", "Another says 1914."]
    );
    assert_eq!(
        sentences("He lived in the U.S. However, he left."),
        ["He lived in the U.S.", "However, he left."]
    );
    assert_eq!(sentences("It has 12. The other 13."), ["It has 12.", "The other 13."]);
    assert_eq!(sentences("Say no. Then go."), ["Say no.", "Then go."]);
}

#[test]
fn lines_and_list_items_are_sentences() {
    let text = "# Title\n\n- one\n* two\n1. three. Four\n  2) five\n> six\n\n-5 degrees\n*seven*";
    assert_eq!(
        sentences(text),
        ["Title", "one", "two", "three.", "Four", "five", "six", "-5 degrees", "*seven*"]
    );
    assert_eq!(sentences("\n - \n\n"), Vec::<&str>::new());
}

#[test]
fn long_text_takes_milliseconds() {
    for unit in [".", ". ", "A. ", "1. ", "\n", "....\" ", "a.b ", "e.g. ", "# ", " ", "( . "] {
        let text = unit.repeat(200_000 / unit.len());
        let started = std::time::Instant::now();
        split(&text).for_each(drop);
        assert!(started.elapsed().as_millis() < 2_000, "{unit}");
    }
}

proptest! {
    #[test]
    fn ranges_are_ordered_and_hold_all_letters(text in "[A-Za-c0-9 .!?\n\"*é。#>-]{0,60}") {
        let mut end = 0;
        let mut letters = 0;
        for (range, sentence) in split(&text) {
            prop_assert!(range.start >= end);
            prop_assert_eq!(text.get(range.clone()), Some(sentence));
            prop_assert_eq!(sentence.trim(), sentence);
            letters += sentence.chars().filter(|c| c.is_alphabetic()).count();
            end = range.end;
        }
        prop_assert_eq!(letters, text.chars().filter(|c| c.is_alphabetic()).count());
    }

    #[test]
    fn any_text_is_split(text in any::<String>()) {
        split(&text).for_each(drop);
    }
}
