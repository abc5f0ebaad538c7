use super::*;
use proptest::prelude::*;

fn parts(text: &str) -> (String, Vec<&str>, ThinkStatus) {
    let split = split(text);
    (split.visible.into_owned(), split.reasoning, split.status)
}

fn is_untouched(text: &str) -> bool {
    let split = split(text);
    matches!(split.visible, Cow::Borrowed(visible) if visible == text)
        && split.status == ThinkStatus::None
        && split.reasoning.is_empty()
}

#[test]
fn text_without_tags_is_borrowed_as_it_stands() {
    assert!(is_untouched(""));
    assert!(is_untouched(" if a < b then [x] \n"));
    assert!(is_untouched("a <thinker> or <b> and <think"));
    assert!(is_untouched("<think/> x"));
}

#[test]
fn inline_and_several_blocks_are_taken_out() {
    assert_eq!(parts("a <think>b</think> c").0, "a  c");
    let (visible, reasoning, status) = parts("<think>a</think>x<THINKING mode=\"1\">b</Thinking>y");
    assert_eq!((visible.as_str(), status), ("xy", ThinkStatus::Closed));
    assert_eq!(reasoning, ["a", "b"]);
    assert_eq!(parts("[THINK]a[/THINK]b").0, "b");
    assert_eq!(parts("<seed:think>a</seed:think>b").0, "b");
    assert_eq!(parts("<|begin_of_thought|>a<|end_of_thought|>b").0, "b");
}

#[test]
fn an_empty_block_is_no_reasoning() {
    assert_eq!(parts("<think>\n\n</think>\n\nParis"), ("Paris".to_owned(), vec![], ThinkStatus::Closed));
}

#[test]
fn nested_blocks_end_at_the_outer_tag() {
    let (visible, reasoning, _) = parts("<think>a <think>b</think> c</think> d");
    assert_eq!((visible.as_str(), reasoning), ("d", vec!["a <think>b</think> c"]));
    assert_eq!(parts("<think>a [THINK] b</think> c").0, "c");
}

#[test]
fn a_doubled_opening_tag_shares_its_closing_tag() {
    assert_eq!(
        parts("<think>\n<think>\na</think>b"),
        ("b".to_owned(), vec!["\n<think>\na"], ThinkStatus::Closed)
    );
    assert_eq!(parts("<think><think>a</think></think>b").0, "b");
}

#[test]
fn a_block_that_never_closes_is_reasoning_to_the_end() {
    // Case thk-01.
    let split = split("<think> maybe B, or perhaps C and");
    assert!(split.is_truncated_reasoning());
    assert_eq!(split.reasoning, [" maybe B, or perhaps C and"]);
    assert_eq!(parts("A. <think>b").0, "A.");
    assert_eq!(parts("<think>a</think>b<think>c").2, ThinkStatus::Unclosed);
    assert_eq!(parts("<think>a <think>b</think> c").2, ThinkStatus::Unclosed);
}

#[test]
fn an_answer_that_ends_the_text_was_given_though_the_block_is_open() {
    let (visible, reasoning, status) =
        parts("<think> C fits.\n<answer> C </answer>\n<confidence> 0.8 </confidence>");
    assert_eq!(visible, "<answer> C </answer>\n<confidence> 0.8 </confidence>");
    assert_eq!((reasoning, status), (vec![" C fits.\n"], ThinkStatus::Unclosed));
    assert!(split("<think> write <answer> B </answer> or perhaps").is_truncated_reasoning());
    assert!(split("<think> how sure? <confidence>0.8</confidence>").is_truncated_reasoning());
    assert!(split("<think> B </answer>").is_truncated_reasoning());
}

#[test]
fn a_block_opened_by_the_template_starts_the_text() {
    // Case thk-02.
    let (visible, reasoning, status) = parts("let me recall the date\n</think>\n1911");
    assert_eq!((visible.as_str(), status), ("1911", ThinkStatus::CloseOnly));
    assert_eq!(reasoning, ["let me recall the date\n"]);
    assert_eq!(
        parts("a <think>b</think> c</think> d"),
        ("d".to_owned(), vec!["a <think>b</think> c"], ThinkStatus::CloseOnly)
    );
}

#[test]
fn a_stray_closing_tag_at_the_end_does_not_swallow_the_answer() {
    assert_eq!(parts("<think>a</think>b</think>\n").0, "b");
}

#[test]
fn tags_in_code_and_quotes_are_text() {
    for text in [
        "Write `<think>` first and `</think>` last.",
        "Example:\n```\n<think>x</think>\n```\nDone.",
        "The \"<think>\" mark, then '</think>' and “<think>a</think>”.",
        "Wrap it in <think> tags.",
        "Wrap it in <think> and </think> tags.",
        "It goes between the <think> and </think> tags, as usual.",
    ] {
        assert!(is_untouched(text), "{text}");
    }
}

#[test]
fn mentions_inside_a_block_do_not_end_or_nest_it() {
    assert_eq!(parts("<think>close with `</think>` later</think>B").0, "B");
    assert_eq!(parts("<think>I must use the <think> tag. So.</think>B").0, "B");
    assert_eq!(parts("<think>```\n</think>\n```\nmore</think>B").0, "B");
}

#[test]
fn a_fence_left_open_while_reasoning_does_not_hide_the_answer() {
    assert_eq!(parts("<think>try\n```python\nx = 1\n</think>\nB").0, "B");
    assert_eq!(parts("<think>try\n```python\nx\n</think>\nUse:\n```\ny\n```\n").0, "Use:\n```\ny\n```");
}

#[test]
fn channels_other_than_final_are_reasoning() {
    let text =
        "<|channel|>analysis<|message|>B or C<|end|><|start|>assistant<|channel|>final<|message|>C<|return|>";
    assert_eq!(parts(text), ("C".to_owned(), vec!["B or C"], ThinkStatus::Closed));
    assert!(split("<|channel|>analysis<|message|>B or").is_truncated_reasoning());
}

#[test]
fn two_hundred_kilobytes_of_tags_take_milliseconds() {
    for unit in [
        "<think>",
        "</think>",
        "<think ",
        "\"<think>",
        "`<think>",
        "<|channel|>",
        "[THINK]```\n",
        "the <think> and ",
    ] {
        let text = format!("```\n{}{}\n```", unit.repeat(200_000 / unit.len()), " ".repeat(100_000));
        let started = std::time::Instant::now();
        std::hint::black_box(split(&text));
        assert!(started.elapsed().as_millis() < 2_000, "{unit}");
    }
}

proptest! {
    #[test]
    fn any_text_is_split(text in any::<String>()) {
        split(&text);
    }

    #[test]
    fn nothing_is_invented(pieces in prop::collection::vec(prop::sample::select(vec![
        "<think>", "</think>", "<thinking>", "</thinking >", "[THINK]", "[/THINK]", "```\n", "`", "\"", " tag", "é",
        "\n", "ab", "<|channel|>", "<|message|>", "<|end|>", "final", "“", "”",
    ]), 0..24)) {
        let text = pieces.concat();
        let split = split(&text);
        let spoken: usize = split.reasoning.iter().map(|block| block.len()).sum();
        prop_assert!(spoken + split.visible.len() <= text.len());
        prop_assert_eq!(split.status == ThinkStatus::None && !text.contains("<|"), split.visible == text && split.reasoning.is_empty() && split.status == ThinkStatus::None && !text.contains("<|"));
    }
}
