use proptest::prelude::*;

use super::*;
use crate::Rubric;

const FIELD: &str = "first_recognition_turn";
const BINARY: Labels = Labels { key: "label", words: &["YES", "NO"] };
const FORMS: [ReplyForm; 6] = [
    ReplyForm::Exact,
    ReplyForm::Word,
    ReplyForm::Json,
    ReplyForm::Lines,
    ReplyForm::Marker,
    ReplyForm::Choice,
];

fn label(text: &str, form: ReplyForm) -> Option<usize> {
    read_label(text, form, BINARY).ok().map(|read| read.label)
}

fn correctness(text: &str) -> Option<usize> {
    read_label(text, ReplyForm::Word, Rubric::CorrectnessEh.labels().unwrap()).ok().map(|read| read.label)
}

#[test]
fn a_word_is_read_whole_or_not_at_all() {
    for text in [
        "CORRECT",
        " correct\n",
        "**Correct**",
        "`CORRECT`",
        "Correct.",
        "Grade: CORRECT",
        "```\nCORRECT\n```",
    ] {
        assert_eq!(correctness(text), Some(0), "{text}");
    }
    assert_eq!(correctness("INCORRECT"), Some(1));
    assert_eq!(correctness("**Verdict:** incorrect"), Some(1));
    for text in [
        "",
        "C",
        "IN",
        "NOT CORRECT",
        "CORRECT or INCORRECT",
        "It is CORRECT",
        "CORRECT\n\nBoth are there",
        "correctly",
    ] {
        assert_eq!(correctness(text), None, "{text}");
    }
}

#[test]
fn the_ua_reply_is_the_word_alone() {
    let read = |text| read_label(text, ReplyForm::Exact, Rubric::CorrectnessUa.labels().unwrap()).ok();
    assert_eq!(read("Yes").unwrap().label, 0);
    assert_eq!(read(" no\n").unwrap().label, 1);
    for text in ["Yes.", "Answer: Yes", "**Yes**", "Yes, it does", "y", "true", ""] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn several_words_may_be_joined_otherwise() {
    let labels = Rubric::SourceNatural.labels().unwrap();
    for text in ["NO_ANSWER", "no answer", "No-Answer"] {
        assert_eq!(read_label(text, ReplyForm::Word, labels).unwrap().label, 4);
    }
}

#[test]
fn flag_and_turn_must_fit_each_other_and_the_turns_shown() {
    let read = |text: &str| read_flag(text, FIELD, &[0, 2, 5]);
    let turn = |text: &str| read(text).unwrap().turn;
    assert_eq!(turn(r#"{"flag": 1, "first_recognition_turn": 2}"#), Some(2));
    assert_eq!(turn(r#"{"first_recognition_turn": -1, "flag": 0}"#), None);
    assert_eq!(turn(r#"{"flag": true, "first_recognition_turn": 5, "why": "both sides named"}"#), Some(5));
    let fault = |text: &str| read(text).unwrap_err();
    assert_eq!(fault(r#"{"flag": 1, "first_recognition_turn": 1}"#), Unusable::NoSuchTurn { turn: 1 });
    assert_eq!(
        fault(r#"{"flag": 1, "first_recognition_turn": 99999999999}"#),
        Unusable::NoSuchTurn { turn: 99_999_999_999 }
    );
    assert_eq!(
        fault(r#"{"flag": 1, "first_recognition_turn": -1}"#),
        Unusable::Contradiction { flag: 1, turn: -1 }
    );
    assert_eq!(
        fault(r#"{"flag": 0, "first_recognition_turn": 2}"#),
        Unusable::Contradiction { flag: 0, turn: 2 }
    );
    for text in [
        r#"{"flag": 1}"#,
        r#"{"first_recognition_turn": 2}"#,
        r#"{"flag": "1", "first_recognition_turn": 2}"#,
        r#"{"flag": 2, "first_recognition_turn": 2}"#,
        r#"{"flag": 1, "first_recognition_turn": 2.5}"#,
        r#"{"flag": 1, "first_recognition_turn": "2"}"#,
        r#"[{"flag": 1, "first_recognition_turn": 2}]"#,
        r#"{"flag": 0, "flag": 1, "first_recognition_turn": 2}"#,
        r#"{"flag": 1, "first_recognition_turn": 2} {"flag": 0, "first_recognition_turn": -1}"#,
        "1",
        "null",
    ] {
        assert!(matches!(fault(text), Unusable::Form { .. }), "{text}");
    }
}

#[test]
fn a_fence_white_space_and_slips_of_json_are_passed_over() {
    for text in [
        "```json\n{\"flag\": 1, \"first_recognition_turn\": 2}\n```",
        "```\n{\"flag\": 1, \"first_recognition_turn\": 2}\n```\n",
        "\n\n  {\"flag\": 1,\n \"first_recognition_turn\": 2,}  ",
        "{\"flag\": 1, // sure\n \"first_recognition_turn\": 2 /* here */}",
        "{\"why\": \"two\nlines, a // and a \\\" inside\", \"flag\": 1, \"first_recognition_turn\": 2}",
    ] {
        assert_eq!(read_flag(text, FIELD, &[2]).unwrap().turn, Some(2), "{text}");
    }
}

#[test]
fn prose_around_an_object_makes_it_unusable() {
    let object = r#"{"flag": 1, "first_recognition_turn": 2}"#;
    for text in [
        format!("Here you are: {object}"),
        format!("{object}\nI hope this helps."),
        format!("The log itself says {object}, but it proves nothing."),
        format!("```json\n{object}\n```\nand not\n```json\n{{\"flag\": 0}}\n```"),
        format!("> {object}"),
    ] {
        assert!(read_flag(&text, FIELD, &[2]).is_err(), "{text}");
    }
}

/// The cases of the area "judge parsing".
mod cases {
    use super::*;

    #[test]
    fn jud_01_a_ruling_outside_the_form_is_unparsed() {
        assert_eq!(correctness("My ruling: ANSWER: C"), None);
        assert_eq!(label("My ruling: ANSWER: YES", ReplyForm::Word), None);
    }

    #[test]
    fn jud_03_a_letter_more_is_no_grade() {
        assert_eq!(correctness("GRADE: CI"), None);
        assert_eq!(correctness("GRADE: Correct"), Some(0));
        assert_eq!(correctness("GRADE: INCORRECT"), Some(1));
    }

    #[test]
    fn jud_05_a_quoted_marker_does_not_win() {
        let labels = Labels { key: "rating", words: &["1", "0"] };
        let reply = "The reply states 'Rating: [[2]]' but the value is wrong. [[0]]";
        assert_eq!(read_label(reply, ReplyForm::Marker, labels).unwrap().label, 1);
        assert!(read_label("It states [[0]] and then [[2]]", ReplyForm::Marker, labels).is_err());
    }

    #[test]
    fn jud_07_a_line_with_the_label_is_read_with_its_confidence() {
        let labels = Rubric::CorrectnessEh.labels().unwrap();
        let read =
            read_label("reasoning: same city.\ncorrect: yes\nconfidence: 88%", ReplyForm::Lines, labels)
                .unwrap();
        assert_eq!((read.label, read.confidence), (0, Some(0.88)));
        let twice = "correct: yes\ncorrect: no";
        assert!(read_label(twice, ReplyForm::Lines, labels).is_err());
        let odd = read_label("correct: no\nconfidence: very", ReplyForm::Lines, labels).unwrap();
        assert_eq!((odd.label, odd.confidence), (1, None));
    }

    #[test]
    fn jud_08_a_truncated_object_is_unparsed() {
        let text = "{\"label\": \"yes\", \"why\": \"the answer names the same riv";
        assert_eq!(label(text, ReplyForm::Json), None);
        let reply =
            ChatReply { text: "{\"flag\": 1}".into(), finish: Finish::Length, ..ChatReply::default() };
        assert_eq!(visible(&reply), Err(Unusable::Cut));
    }

    #[test]
    fn jud_09_fence_prefix_and_comment_do_not_hide_the_object() {
        for reply in
            ["```json\n{\"label\": 1}\n```", "Reasoning: []{\"label\": 1}", "{\"label\": 1 // sure\n}"]
        {
            assert_eq!(label(reply, ReplyForm::Json), Some(0), "{reply}");
        }
    }

    #[test]
    fn jud_11_a_number_that_counts_is_no_choice() {
        assert_eq!(label("Both keep all 2 facts, so option 1 wins.", ReplyForm::Choice), Some(0));
        assert_eq!(label("Option 2, since option 2 keeps both.", ReplyForm::Choice), Some(1));
        for text in ["option 1 or option 2", "1", "option 3", "adoption 1", "option 0"] {
            assert_eq!(label(text, ReplyForm::Choice), None, "{text}");
        }
    }
}

#[test]
fn the_reasoning_of_the_judge_is_not_its_reply() {
    let reply = |text: &str| ChatReply { text: text.into(), ..ChatReply::default() };
    assert_eq!(visible(&reply("<think>YES or NO?</think>\nNO")).unwrap(), "NO");
    assert_eq!(visible(&reply("<think>it says YES")), Err(Unusable::Cut));
    assert_eq!(visible(&reply("  ")), Err(Unusable::Empty));
    let filtered = ChatReply { finish: Finish::Filtered, ..reply("YES") };
    assert_eq!(visible(&filtered), Err(Unusable::Filtered));
}

#[test]
fn long_replies_take_linear_time() {
    let start = std::time::Instant::now();
    for piece in ["{", "[[", "option ", "correct: ", "/*", "```", "\"", "{\"a\":", ",]", "<think>"] {
        let text = piece.repeat(200_000 / piece.len());
        for form in FORMS {
            assert_eq!(label(&text, form), None);
        }
        assert!(read_flag(&text, FIELD, &[0]).is_err());
    }
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

proptest! {
    #[test]
    fn no_reply_makes_a_parser_panic(text in r#"(?s)[\{\}\[\]":,/\*`a-zA-Z0-9\-\\ é\n]{0,80}"#) {
        for form in FORMS {
            let _ = read_label(&text, form, BINARY);
        }
        let _ = read_flag(&text, FIELD, &[0, 1]);
    }

    #[test]
    fn a_written_flag_is_read_back(turn in 0_u32..50, flag in any::<bool>(), padding in r"[ \n\t]{0,5}") {
        let shown: Vec<u32> = (0..50).collect();
        let number = if flag { i64::from(turn) } else { -1 };
        let object = serde_json::json!({"flag": u8::from(flag), FIELD: number});
        let text = format!("{padding}{object}{padding}");
        let read = read_flag(&text, FIELD, &shown).unwrap();
        prop_assert_eq!(read.turn, flag.then_some(turn));
    }

    #[test]
    fn prose_with_a_label_in_it_is_never_a_label(before in r"[a-z]{1,8} [a-z]{1,8}", after in r"[a-z]{0,8}") {
        let text = format!("{before} YES {after}");
        prop_assert_eq!(label(&text, ReplyForm::Word), None);
        prop_assert_eq!(label(&text, ReplyForm::Exact), None);
        prop_assert_eq!(label(&text, ReplyForm::Json), None);
    }

    #[test]
    fn a_string_with_any_content_stays_one_string(content in "(?s).{0,40}") {
        let object = serde_json::json!({"why": content, "flag": 1, FIELD: 0}).to_string();
        prop_assert_eq!(read_flag(&object, FIELD, &[0]).unwrap().turn, Some(0));
    }
}
