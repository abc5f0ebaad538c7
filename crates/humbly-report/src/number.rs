//! Numbers as text: fixed digits, a real minus sign, grouped counts.

use humbly_types::Measured;

/// Two decimals, for rates.
pub(crate) fn rate(value: f64) -> String {
    fixed(value, 2)
}

/// Three decimals, for scores that are compared in the third.
pub(crate) fn fine(value: f64) -> String {
    fixed(value, 3)
}

/// A p value: `< 0.001` below that, three decimals above.
pub(crate) fn p_value(value: f64) -> String {
    if value < 0.001 { "< 0.001".to_owned() } else { fine(value) }
}

fn fixed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| byte == b'0' || byte == b'.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// A count with commas: `12,345`.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 turn`, `2 turns`.
pub(crate) fn counted(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// What a measured number rests on: `25/40` for a proportion, `n 40` else.
pub(crate) fn basis(measured: &Measured) -> String {
    match measured.numerator {
        Some(numerator) => format!("{}/{}", count(numerator), count(measured.n)),
        None => format!("n {}", count(measured.n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_zero_has_no_sign() {
        assert_eq!(rate(-0.001), "0.00");
        assert_eq!(rate(-0.51), "−0.51");
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(7), "7");
        assert_eq!(count(1_234_567), "1,234,567");
    }

    #[test]
    fn a_tiny_p_is_a_bound() {
        assert_eq!(p_value(0.000_4), "< 0.001");
        assert_eq!(p_value(0.031), "0.031");
    }
}
