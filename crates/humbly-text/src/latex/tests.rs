use super::*;
use proptest::prelude::*;

#[test]
fn looks_do_not_count() {
    for (left, right) in [
        (r"\frac 34", r"\frac{3}{4}"),
        (r"\frac14", "1/4"),
        (r"\frac9{19}", r"\dfrac{9}{19}"),
        (r"\frac{270}7\text{ degrees}", r"\frac{270}{7}^\circ"),
        (r"\left( 3, \frac{\pi}{2} \right)", r"(3, \pi/2)"),
        (r"11,\! 111,\! 111,\! 100", "11,111,111,100"),
        (r"\$32,\!348", "32348"),
        ("58,500", "58500"),
        (r"50\%", "50"),
        (".35625", "0.35625"),
        (r"30^\circ", "30"),
        (r"30^{\circ}", "30 degrees"),
        (r"\text{(B)}", "B"),
        (r"\text{east}", "East."),
        (r"4210_{5}", "4210_5"),
        ("5.", "5"),
        ("$5$", r"\(5\)"),
        (r"864 \mbox{ inches}^2", "864"),
        (r"5.4 \text{ cents}", "5.4 cents"),
        ("−5", "-5"),
        (r"x \in [-2,7]", "[-2,7]"),
    ] {
        assert!(latex_equivalent(left, right), "{left} | {right}");
        assert!(latex_equivalent(right, left), "{right} | {left}");
    }
}

#[test]
fn equal_values_are_equal() {
    for (left, right) in [
        (r"137 \frac{1}{2}", "137.5"),
        (r"1\frac{4}{5}", "9/5"),
        ("1 4/5", "1.8"),
        (r"\frac{\sqrt{3}}{3}", r"\frac{1}{\sqrt{3}}"),
        (r"11 \sqrt{5} + 11", r"11(1+\sqrt5)"),
        (r"\frac{20000}{\pi}", "20000/pi"),
        ("(a+5)(b+2)", "(b+2)(a+5)"),
        ("p - q", "-q + p"),
        (r"\frac{11+9a}{20}", "(9a+11)/20"),
        (r"1 \pm \sqrt{19}", r"1-\sqrt{19}, 1+\sqrt{19}"),
        (r"\{1\pm\sqrt{5},-2\}", r"-2, 1+\sqrt{5}, 1-\sqrt{5}"),
        ("1,-2", "-2, 1"),
        ("x=5", "5"),
        ("y = 2x + 3", "3+2x"),
        ("5x - 7y + 11z + 4 = 0", "-5x+7y-11z=4"),
        (r"(-\infty, 2) \cup (3, \infty)", r"(3,\infty)\cup(-\infty,2)"),
        (r"\begin{pmatrix} 1/5 \\ -18/5 \end{pmatrix}", r"\begin{bmatrix} 0.2 \\ -3.6 \end{bmatrix}"),
        (r"\cot x", r"\frac{\cos x}{\sin x}"),
        (r"\sqrt[3]{8}", "2"),
        ("x^{10}", "x^10"),
        ("(5)", "5"),
    ] {
        assert!(latex_equivalent(left, right), "{left} | {right}");
        assert!(latex_equivalent(right, left), "{right} | {left}");
    }
}

#[test]
fn different_answers_stay_different() {
    for (left, right) in [
        ("5", "-5"),
        ("0.333", r"\frac13"),
        ("(1,2)", "(2,1)"),
        ("(1,2)", "[1,2]"),
        ("(1,2)", "(1,2]"),
        ("1,2", "(1,2)"),
        ("52_8", "52"),
        ("52_8", "52_9"),
        ("2k", "2k+2"),
        ("5 km", "5 cm"),
        ("y = 2x", "y = -2x"),
        (r"\text{east}", r"\text{seat}"),
        ("no", "on"),
        ("B", "D"),
        ("", "5"),
        ("nan", "nano"),
        (r"\infty", r"-\infty"),
        ("1,2,3", "1,2"),
        ("10^2", "102"),
        (r"\frac{1}{0}", r"\frac{2}{0}"),
    ] {
        assert!(!latex_equivalent(left, right), "{left} | {right}");
        assert!(!latex_equivalent(right, left), "{right} | {left}");
    }
}

#[test]
fn hostile_answers_take_milliseconds() {
    for unit in ["{", "(", "1,", r"\frac", r"\sqrt{", r"\text{", "-", "x", "1,000", r"\cup ", "{{", "^{"] {
        for length in [4_000, 200_000] {
            let text = unit.repeat(length / unit.len());
            let other = format!("{text} 1");
            let started = std::time::Instant::now();
            latex_equivalent(&text, &other);
            assert!(started.elapsed().as_millis() < 2_000, "{unit}");
        }
    }
}

proptest! {
    #[test]
    fn any_two_texts_are_compared(left in any::<String>(), right in any::<String>()) {
        prop_assert_eq!(latex_equivalent(&left, &right), latex_equivalent(&right, &left));
        prop_assert!(latex_equivalent(&left, &left));
    }

    #[test]
    fn mathematical_pieces_are_compared(
        left in prop::collection::vec(prop::sample::select(vec![
            r"\frac", "{", "}", "1", "12", ",", r"\sqrt", "(", ")", "[", "]", "x", "-", "^", "_", r"\pm", "=", r"\{", r"\}",
            r"\text{", "é", "|", r"\begin{pmatrix}", r"\end{pmatrix}", r"\\", "&", r"\cup", " ", "^\\circ", ".", r"\",
        ]), 0..14),
        right in prop::collection::vec(prop::sample::select(vec!["1", "12", "x", "(", ")", ",", r"\frac12", r"\pm"]), 0..8),
    ) {
        let (left, right) = (left.concat(), right.concat());
        prop_assert_eq!(latex_equivalent(&left, &right), latex_equivalent(&right, &left));
    }
}
