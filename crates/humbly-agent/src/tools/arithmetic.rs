//! Expressions of numbers, evaluated exactly by `fend-core`.
//!
//! `fend` knows far more (units, dates, currencies, variables) and forgives much: `min(1,2)` is 12 minutes to
//! it, and an open bracket is closed. A calculator that verifies must not guess, so an expression is first
//! read here: known words only, commas only between groups of three digits, brackets that match.

use std::sync::atomic::{AtomicU32, Ordering};

/// Longest expression, in characters.
const LENGTH_LIMIT: usize = 400;
/// The most brackets, functions, signs and powers: each nests the evaluation one deeper.
const DEPTH_LIMIT: usize = 64;
/// Steps of the evaluation.
const STEP_LIMIT: u32 = 20_000;
/// Longest result, in characters.
const RESULT_LIMIT: usize = 120;
/// Stack of the evaluation, in bytes: it recurses.
const STACK: usize = 32 << 20;

/// Words that may stand in an expression, as written and as `fend` knows them.
const WORDS: &[(&str, &str)] = &[
    ("sqrt", "sqrt"),
    ("cbrt", "cbrt"),
    ("abs", "abs"),
    ("floor", "floor"),
    ("ceil", "ceil"),
    ("round", "round"),
    ("ln", "ln"),
    ("log", "log10"),
    ("log10", "log10"),
    ("log2", "log2"),
    ("exp", "exp"),
    ("sin", "sin"),
    ("cos", "cos"),
    ("tan", "tan"),
    ("asin", "asin"),
    ("acos", "acos"),
    ("atan", "atan"),
    ("sinh", "sinh"),
    ("cosh", "cosh"),
    ("tanh", "tanh"),
    ("pi", "pi"),
    ("π", "pi"),
    ("e", "e"),
    ("mod", "mod"),
    ("choose", "choose"),
    ("permute", "permute"),
    ("of", "of"),
    ("percent", "%"),
    ("thousand", "* 1000"),
    ("million", "* 10^6"),
    ("billion", "* 10^9"),
    ("trillion", "* 10^12"),
];

/// The value of an expression as plain digits, with "approximately" before one that was rounded.
pub(crate) fn evaluate(expression: &str) -> Result<String, String> {
    let expression = read(expression)?;
    // A thread of its own has the stack that deep expressions need, and a panic in it is only an error.
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || compute(&expression));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err("the expression cannot be computed".into()),
        Err(_) => Err("no thread to compute it".into()),
    }
}

fn compute(expression: &str) -> Result<String, String> {
    let mut result = ask(expression)?;
    let mut asked = expression.to_owned();
    if result.contains('%') {
        asked = format!("({expression}) to 1");
        result = ask(&asked)?;
    }
    if result.starts_with("approx.") {
        result = ask(&format!("({asked}) to 15 sf"))?;
    }
    let (number, is_rounded) = match result.strip_prefix("approx. ") {
        Some(number) => (number, true),
        None => (result.as_str(), false),
    };
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    if number.is_empty() || !is_number {
        return Err("the result is not a real number".into());
    }
    let length = number.len();
    if length > RESULT_LIMIT {
        return Err(format!("the result has {length} digits, expected at most {RESULT_LIMIT}"));
    }
    Ok(if is_rounded { format!("approximately {number}") } else { number.to_owned() })
}

fn ask(expression: &str) -> Result<String, String> {
    let steps = Steps(AtomicU32::new(0));
    match fend_core::evaluate_with_interrupt(expression, &mut fend_core::Context::new(), &steps) {
        Ok(result) => Ok(result.get_main_result().to_owned()),
        Err(_) if steps.0.load(Ordering::Relaxed) > STEP_LIMIT => {
            Err("the numbers grow too large to compute".into())
        }
        Err(error) => Err(error),
    }
}

/// Counts steps, so that an end does not depend on the speed of the machine.
struct Steps(AtomicU32);

impl fend_core::Interrupt for Steps {
    fn should_interrupt(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= STEP_LIMIT
    }
}

/// Checks an expression and writes it as `fend` reads it.
fn read(expression: &str) -> Result<String, String> {
    let letters: Vec<char> = expression.chars().collect();
    if letters.len() > LENGTH_LIMIT {
        let found = letters.len();
        return Err(format!("the expression has {found} characters, expected at most {LENGTH_LIMIT}"));
    }
    let mut out = String::with_capacity(expression.len() + 16);
    let (mut at, mut open, mut depth) = (0, 0_usize, 0_usize);
    while let Some(&letter) = letters.get(at) {
        let rest = letters.get(at..).unwrap_or_default();
        if letter.is_ascii_digit() || letter == '.' {
            let (number, taken) = number(rest)?;
            out.push_str(&number);
            at += taken;
            continue;
        }
        if letter.is_alphabetic() {
            let word: String = rest.iter().take_while(|letter| letter.is_alphanumeric()).collect();
            let known = WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(&word));
            let (_, known) = known.ok_or_else(|| format!("`{word}` is not known here"))?;
            depth += 1;
            out.push_str(&format!(" {known} "));
            at += word.chars().count();
            continue;
        }
        at += 1;
        match letter {
            '(' => {
                open += 1;
                depth += 1;
                out.push('(');
            }
            ')' => {
                open = open.checked_sub(1).ok_or("a bracket closes that was not opened")?;
                out.push(')');
            }
            '*' if letters.get(at) == Some(&'*') => {
                at += 1;
                depth += 1;
                out.push('^');
            }
            '-' | '−' | '–' => {
                depth += 1;
                out.push('-');
            }
            '^' | '!' => {
                depth += 1;
                out.push(letter);
            }
            '+' | '*' | '/' | '%' => out.push(letter),
            '×' | '·' => out.push('*'),
            '÷' => out.push('/'),
            _ if letter.is_whitespace() => out.push(' '),
            _ => return Err(format!("`{letter}` is not known here")),
        }
    }
    if open > 0 {
        return Err("a bracket is not closed".into());
    }
    if depth > DEPTH_LIMIT {
        return Err(format!(
            "the expression nests too deep, expected at most {DEPTH_LIMIT} signs and brackets"
        ));
    }
    if out.trim().is_empty() {
        return Err("the expression is empty".into());
    }
    Ok(out)
}

/// The number at the start: digits with commas between groups of three, a fraction, an exponent.
fn number(letters: &[char]) -> Result<(String, usize), String> {
    let is_exponent = |at: usize| {
        let sign = usize::from(matches!(letters.get(at + 1), Some('+' | '-')));
        matches!(letters.get(at), Some('e' | 'E'))
            && letters.get(at + 1 + sign).is_some_and(char::is_ascii_digit)
    };
    let mut end = 0;
    while letters.get(end).is_some_and(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ',' | '_'))
    {
        end += 1;
    }
    let written: String = letters.get(..end).unwrap_or_default().iter().collect();
    let (whole, fraction) = written.split_once('.').unwrap_or((&written, "0"));
    let groups: Vec<&str> = whole.split([',', '_']).collect();
    let fits = |(index, group): (usize, &&str)| match index {
        0 => groups.len() == 1 || (1..=3).contains(&group.len()),
        _ => group.len() == 3,
    };
    let is_plain = fraction.bytes().all(|byte| byte.is_ascii_digit())
        && groups.iter().enumerate().all(fits)
        && !(whole.is_empty() && fraction.is_empty());
    if !is_plain {
        return Err(format!("`{written}` is not a number: commas part groups of three digits only"));
    }
    let mut number = groups.concat();
    if number.is_empty() {
        number.push('0');
    }
    if written.contains('.') && !fraction.is_empty() {
        number.push('.');
        number.push_str(fraction);
    }
    if is_exponent(end) {
        let mut exponent: String = letters.get(end + 1..).unwrap_or_default().iter().take(1).collect();
        let digits = end + 1 + usize::from(!exponent.starts_with(|letter: char| letter.is_ascii_digit()));
        let rest: String =
            letters.get(digits..).unwrap_or_default().iter().take_while(|l| l.is_ascii_digit()).collect();
        end = digits + rest.len();
        if exponent.starts_with(|letter: char| letter.is_ascii_digit()) {
            exponent.clear();
        }
        if rest.len() > 3 {
            return Err(format!("the exponent {rest} is too large"));
        }
        number.push_str(&format!("e{}{rest}", exponent.trim_start_matches('+')));
    }
    Ok((number, end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn expressions_have_their_exact_value() {
        for (expression, value) in [
            ("-2^2", "-4"),
            ("2^-2", "0.25"),
            ("2^3^2", "512"),
            ("2**10", "1024"),
            ("8/4*2", "4"),
            ("10 - 3 - 2", "5"),
            ("0.1 + 0.2", "0.3"),
            ("1/3*3", "1"),
            ("9007199254740993 + 0", "9007199254740993"),
            ("1,234,567.5 * 2", "2469135"),
            ("15% of 200", "30"),
            ("200 * 15%", "30"),
            ("7 % 3", "1"),
            ("17 mod 5", "2"),
            ("10 choose 3", "120"),
            ("5!", "120"),
            ("sqrt(16) + cbrt 27", "7"),
            ("3 × 4 ÷ 2 − 1", "5"),
            ("1.5e3 + 2E-1", "1500.2"),
            ("2 million / 4", "500000"),
            ("2^2 million", "4000000"),
            ("(2)(3)", "6"),
            ("abs(-3) + floor(2.7) + ceil(2.1) + round(2.5)", "11"),
            (".5 + 1.", "1.5"),
            ("1/3", "approximately 0.333333333333333"),
            ("log(1000)", "approximately 3"),
            ("2 * π", "approximately 6.28318530717959"),
            ("1e-30/3", "approximately 0.000000000000000000000000000000333333333333333"),
        ] {
            assert_eq!(evaluate(expression).as_deref(), Ok(value), "{expression}");
        }
    }

    #[test]
    fn what_is_no_arithmetic_is_an_error_and_never_a_guess() {
        for (expression, expected) in [
            ("min(1,2)", "`min` is not known"),
            ("(1 + 2", "not closed"),
            ("1 + 2)", "not opened"),
            ("1,5 + 1", "`1,5` is not a number"),
            ("1.2.3", "`1.2.3` is not a number"),
            ("1/0", "division by zero"),
            ("5 km in miles", "`km` is not known"),
            ("x = 5", "`x` is not known"),
            ("@debug 1", "`@` is not known"),
            ("roll d6", "`roll` is not known"),
            ("today", "`today` is not known"),
            ("3 4", "unexpected"),
            ("sqrt(-1)", "not a real number"),
            ("10^10^10", "too large"),
            ("99999!", "too large"),
            ("2^5000", "digits"),
            ("1e9999", "exponent"),
            ("", "empty"),
            ("\u{0}1", "is not known"),
            ("; rm -rf /", "`;` is not known"),
        ] {
            let error = evaluate(expression).unwrap_err();
            assert!(error.contains(expected), "{expression}: {error}");
        }
        assert!(evaluate(&"1+".repeat(300)).unwrap_err().contains("characters"));
        assert!(evaluate(&format!("{}1{}", "(".repeat(100), ")".repeat(100))).unwrap_err().contains("deep"));
    }

    #[test]
    fn the_deepest_expressions_that_are_let_in_are_computed() {
        for (open, close, count) in
            [("(", ")", 60), ("-", "", 60), ("sqrt ", "", 60), ("1+", "", 190), ("1^", "", 60)]
        {
            let expression = format!("{}1{}", open.repeat(count), close.repeat(count));
            assert!(evaluate(&expression).is_ok(), "{expression}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn any_mix_of_words_and_signs_ends(
            expression in "([0-9]|[.,+*/%^!() -]|mod|sqrt|ln|exp|choose|permute|of|e|pi|million|sin|round){1,24}",
        ) {
            let _ = evaluate(&expression);
        }

        #[test]
        fn any_text_is_taken(expression in any::<String>()) {
            let _ = evaluate(&expression);
        }
    }
}
