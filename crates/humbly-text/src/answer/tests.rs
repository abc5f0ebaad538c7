use super::*;
use proptest::prelude::*;

const OPTIONS: [char; 5] = ['A', 'B', 'C', 'D', 'E'];

fn answer(text: &str) -> Option<String> {
    extract_answer(text).answer().cloned()
}

fn letter(text: &str) -> Option<char> {
    choice_letter(text, &OPTIONS).answer().copied()
}

#[test]
fn boxes_are_read_whole() {
    // Cases ext-01, ext-03, ext-04.
    assert_eq!(answer(r"so \boxed{\sqrt{\frac{3}{7}}}").as_deref(), Some(r"\sqrt{\frac{3}{7}}"));
    assert_eq!(answer(r"put it in \boxed 5 $ form; answer \boxed{9}").as_deref(), Some("9"));
    assert_eq!(answer(r"result \fbox{7}").as_deref(), Some("7"));
}

#[test]
fn wrappers_around_the_letter_do_not_hide_it() {
    // Case ext-06.
    for text in [
        "ANSWER: **B**",
        "ANSWER: $B$",
        "**Answer**: *B*",
        "**Answer:** (B)",
        "### Answer: B",
        "Answer: B) a bank",
    ] {
        assert_eq!(letter(text), Some('B'), "{text}");
    }
    for text in [
        r"\boxed{\text{B}}",
        r"\boxed{\text{(B)}}",
        "<answer> B) bank </answer>",
        "The answer is (B).",
        "(b)",
        "B",
        "B.",
        "Answer: option B",
        "Answer:\n\nB",
    ] {
        assert_eq!(letter(text), Some('B'), "{text}");
    }
}

#[test]
fn an_answer_line_beats_boxed_mathematics() {
    // Case ext-08.
    assert_eq!(letter("\\boxed{E \\gg kT}\n**Answer: B**"), Some('B'));
    assert_eq!(letter("**Answer: B**\n\\boxed{E \\gg kT}"), Some('B'));
    assert_eq!(letter(r"\boxed{E \gg kT}"), None);
    assert_eq!(letter(r"\boxed{E = mc^2}"), None);
}

#[test]
fn prose_is_no_letter_and_several_are_said_so() {
    for text in ["A bank is likely.", "Because", "I think so", "Beans", "It may be B here", ""] {
        assert_eq!(letter(text), None, "{text}");
    }
    for text in [
        "Answer: B or C",
        "The answer is A and C.",
        "<answer>A, D</answer>",
        "<answer>A) California and D) Florida</answer>",
    ] {
        assert_eq!(choice_letter(text, &OPTIONS).missing(), Some(MissingAnswer::SeveralAnswers), "{text}");
    }
}

#[test]
fn nothing_is_taken_from_open_reasoning() {
    // Cases thk-01 and thk-02.
    let cut = "<think> maybe B, or perhaps C and";
    assert_eq!(extract_answer(cut).missing(), Some(MissingAnswer::TruncatedReasoning));
    assert_eq!(choice_letter(cut, &OPTIONS).missing(), Some(MissingAnswer::TruncatedReasoning));
    assert_eq!(answer("Answer: 5</think>\nAnswer: 7").as_deref(), Some("7"));
    assert_eq!(extract_answer("1911").missing(), Some(MissingAnswer::NoAnswer));
}

#[test]
fn lines_tags_and_sentences_are_found() {
    for (text, expected, source) in [
        ("x\n#### 18", "18", AnswerSource::Line),
        ("FINAL ANSWER: 3.5.", "3.5", AnswerSource::Line),
        ("Explanation: …\nExact Answer: Plato\nConfidence: 85%", "Plato", AnswerSource::Line),
        ("**Final Answer:**\n$\\boxed{12}$", "12", AnswerSource::Line),
        ("Therefore, the final answer is: **$42$**.", "42", AnswerSource::Line),
        ("Answer: 5\nNo: \\boxed{6}", "6", AnswerSource::Boxed),
        ("<answer>\n Paris \n</answer> Answer: Rome", "Paris", AnswerSource::Tag),
        ("<answer>Paris", "Paris", AnswerSource::Tag),
        ("I am sure the answer is Plato. He wrote it.", "Plato", AnswerSource::Sentence),
        ("Answer: $5 and $6", "$5 and $6", AnswerSource::Line),
        ("Answer: wait…\nAnswer: U.S.A.", "U.S.A", AnswerSource::Line),
    ] {
        assert_eq!(extract_answer(text), Extraction::Found { answer: expected.to_owned(), source }, "{text}");
    }
}

#[test]
fn long_text_takes_milliseconds() {
    for unit in ["answer: ", "answer:\n", "> ", "####", "<answer>", "\\boxed{", "the answer is "] {
        let text = unit.repeat(200_000 / unit.len());
        let started = std::time::Instant::now();
        extract_answer(&text);
        choice_letter(&text, &OPTIONS);
        assert!(started.elapsed().as_millis() < 3_000, "{unit}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        extract_answer(&text);
        choice_letter(&text, &OPTIONS);
        choice_letter(&format!("Answer: {text}"), &OPTIONS);
    }

    #[test]
    fn pieces_are_read(pieces in prop::collection::vec(prop::sample::select(vec![
        "answer", "Answer:", " ", "\n", "B", "é", "**", "$", "\\boxed{", "}", "####", ".", "is", "<answer>", "(", ")", "’",
    ]), 0..16)) {
        let text = pieces.concat();
        extract_answer(&text);
        choice_letter(&text, &OPTIONS);
    }
}
