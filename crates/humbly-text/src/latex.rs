//! Equivalence of mathematical answers written in LaTeX or plainly.
//!
//! Equal as written after dropping what changes only the look, else equal in value; variables are
//! compared at fixed sample points. What has no value is compared as written, so that doubt is "no".

mod tokens;
mod value;

use crate::normalize::{quasi, unwrapped};
use tokens::{Token, tokens};
use value::value;

/// Longer answers are compared as written only.
const LONGEST: usize = 4_096;
/// Longer lists are compared in order.
const LONGEST_SET: usize = 64;
const DEEPEST: usize = 8;
const SAMPLES: u32 = 3;

/// Whether two mathematical answers are the same.
///
/// - Looks do not count: `$`, spacing, `\left`, `\dfrac`, `\text`, thousands separators, degrees, `%`, `\$`.
/// - Fractions, roots, powers, mixed numbers, functions: equal in value to 9 digits.
/// - A unit counts only where both sides have one. `x = 5` is `5`; of two equations both sides count.
/// - `(a, b)` and intervals are ordered and their brackets count; `{a, b}`, `a, b`, `\pm` and unions are not ordered.
/// - Matrices are compared cell by cell.
/// - A number in base 8, `52_8`, is not `52`.
///
/// # Examples
/// ```
/// # use humbly_text::latex::latex_equivalent;
/// assert!(latex_equivalent(r"\dfrac{1}{2}", "0.5"));
/// assert!(latex_equivalent(r"11\sqrt2", r"11 \sqrt{2}"));
/// assert!(latex_equivalent(r"15\mbox{ cm}^2", "15"));
/// assert!(!latex_equivalent("(1, 2)", "(2, 1)"));
/// assert!(!latex_equivalent("5 km", "5 cm"));
/// ```
pub fn latex_equivalent(left: &str, right: &str) -> bool {
    let (left, right) = (left.trim(), right.trim());
    if left.is_empty() || right.is_empty() {
        return left == right;
    }
    if left == right {
        return true;
    }
    // Letters of words are no variables: `no` is not `on`.
    if let (Some(left), Some(right)) = (wording(left), wording(right)) {
        return left == right;
    }
    if left.len() > LONGEST || right.len() > LONGEST {
        return tokens(left) == tokens(right);
    }
    are_equal(&tokens(unwrapped(left)), &tokens(unwrapped(right)), 0)
}

/// Words without any mathematics: `\text{(B)}` and `B`, `\text{east}` and `East`.
fn wording(text: &str) -> Option<String> {
    let fonts = ["\\textbf", "\\text", "\\mathrm", "\\mbox"];
    let plain = fonts.iter().fold(text.to_owned(), |text, font| text.replace(font, ""));
    let bare: String = plain.chars().filter(|c| !matches!(c, '{' | '}' | '(' | ')' | '$')).collect();
    let folded = quasi(&bare);
    (!folded.is_empty() && folded.chars().all(|c| c.is_alphabetic() || c == ' ')).then_some(folded)
}

fn are_equal(left: &[Token], right: &[Token], depth: usize) -> bool {
    if left == right {
        return true;
    }
    if depth > DEEPEST || left.is_empty() || right.is_empty() {
        return false;
    }
    let (left_side, right_side) = (without_name(left), without_name(right));
    if (left_side.len(), right_side.len()) != (left.len(), right.len()) {
        return are_equal(left_side, right_side, depth + 1);
    }
    if let (Some(left), Some(right)) = (equation(left), equation(right)) {
        return are_same_equation(left, right);
    }
    let (left_parts, right_parts) = (split(left, is_union), split(right, is_union));
    if left_parts.len() > 1 || right_parts.len() > 1 {
        return are_same_set(&left_parts, &right_parts, depth);
    }
    if let (Some(left), Some(right)) = (matrix(left), matrix(right)) {
        return left.len() == right.len()
            && left.iter().zip(&right).all(|(left, right)| {
                left.len() == right.len() && left.iter().zip(right).all(|(l, r)| are_equal(l, r, depth + 1))
            });
    }
    match (enclosed(left), enclosed(right)) {
        (Some((open, close, left)), Some((other_open, other_close, right)))
            if open != '⦃' && is_list(left) && is_list(right) =>
        {
            return (open, close) == (other_open, other_close) && are_same_tuple(left, right, depth);
        }
        (Some((open, _, inner)), _) if open == '⦃' || !is_list(inner) => {
            return are_equal(inner, without_set_braces(right), depth + 1);
        }
        (_, Some((open, _, inner))) if open == '⦃' || !is_list(inner) => {
            return are_equal(without_set_braces(left), inner, depth + 1);
        }
        (Some(_), _) | (_, Some(_)) => return false,
        _ => {}
    }
    let (left_list, right_list) = (elements(left), elements(right));
    if left_list.len() > 1 || right_list.len() > 1 {
        let left_list: Vec<&[Token]> = left_list.iter().map(Vec::as_slice).collect();
        let right_list: Vec<&[Token]> = right_list.iter().map(Vec::as_slice).collect();
        return are_same_set(&left_list, &right_list, depth);
    }
    is_same_quantity(left, right)
}

fn is_union(token: &Token) -> bool {
    matches!(token, Token::Command(name) if name == "cup")
}

fn is_comma(token: &Token) -> bool {
    *token == Token::Operator(',')
}

fn is_list(tokens: &[Token]) -> bool {
    split(tokens, is_comma).len() > 1
}

/// `tokens` cut where `at` holds outside all brackets.
fn split(tokens: &[Token], at: fn(&Token) -> bool) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 && at(token) => {
                parts.push(&tokens[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}

/// What stands behind `x =`, `f(x) =` or `x \in`.
fn without_name(tokens: &[Token]) -> &[Token] {
    let [Token::Letter(_), behind @ ..] = tokens else { return tokens };
    let behind = match behind {
        [Token::Open('('), Token::Letter(_), Token::Close(')'), behind @ ..] => behind,
        _ => behind,
    };
    match behind {
        [Token::Operator('='), rest @ ..] => rest,
        [Token::Command(name), rest @ ..] if name == "in" => rest,
        _ => tokens,
    }
}

fn equation(tokens: &[Token]) -> Option<(&[Token], &[Token])> {
    match split(tokens, |token| *token == Token::Operator('=')).as_slice() {
        &[left, right] => Some((left, right)),
        _ => None,
    }
}

/// Two equations are the same if their differences are proportional.
fn are_same_equation(left: (&[Token], &[Token]), right: (&[Token], &[Token])) -> bool {
    let difference =
        |sides: (&[Token], &[Token]), sample| Some(value(sides.0, sample)? - value(sides.1, sample)?);
    let ratio = |sample| {
        let (left, right) = (difference(left, sample)?, difference(right, sample)?);
        (left != 0.0 && right != 0.0).then(|| left / right)
    };
    let Some(first) = ratio(0) else { return false };
    (1..SAMPLES).all(|sample| ratio(sample).is_some_and(|ratio| are_close(first, ratio)))
}

/// The brackets around all of `tokens` and what they hold.
fn enclosed(tokens: &[Token]) -> Option<(char, char, &[Token])> {
    let [Token::Open(open), inner @ .., Token::Close(close)] = tokens else { return None };
    let mut depth = 1_usize;
    for token in inner {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close(_) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return None;
        }
    }
    Some((*open, *close, inner))
}

fn without_set_braces(tokens: &[Token]) -> &[Token] {
    match enclosed(tokens) {
        Some(('⦃', _, inner)) => inner,
        _ => tokens,
    }
}

fn matrix(tokens: &[Token]) -> Option<Vec<Vec<&[Token]>>> {
    let [Token::Command(begin), inner @ .., Token::Command(end)] = tokens else { return None };
    let kind = begin.strip_prefix("begin ")?;
    if !kind.ends_with("matrix") || end.strip_prefix("end ")? != kind || kind.starts_with(['v', 'V']) {
        return None;
    }
    let mut rows = split(inner, |token| *token == Token::Row);
    if rows.last().is_some_and(|row| row.is_empty()) {
        rows.pop();
    }
    Some(rows.into_iter().map(|row| split(row, |token| *token == Token::Operator('&'))).collect())
}

/// Elements of a list; `a \pm b` stands for two.
fn elements(tokens: &[Token]) -> Vec<Vec<Token>> {
    let mut elements = Vec::new();
    for part in split(tokens, is_comma).into_iter().filter(|part| !part.is_empty()) {
        if part.contains(&Token::Operator('±')) {
            for sign in ['+', '-'] {
                let with_sign = |token: &Token| match token {
                    Token::Operator('±') => Token::Operator(sign),
                    other => other.clone(),
                };
                elements.push(without_name(part).iter().map(with_sign).collect());
            }
        } else {
            elements.push(without_name(part).to_vec());
        }
    }
    elements
}

fn are_same_tuple(left: &[Token], right: &[Token], depth: usize) -> bool {
    let (left, right) = (split(left, is_comma), split(right, is_comma));
    left.len() == right.len() && left.iter().zip(&right).all(|(l, r)| are_equal(l, r, depth + 1))
}

fn are_same_set(left: &[&[Token]], right: &[&[Token]], depth: usize) -> bool {
    if left.len() != right.len() {
        return false;
    }
    if left.len() > LONGEST_SET {
        return left.iter().zip(right).all(|(l, r)| are_equal(l, r, depth + 1));
    }
    let mut unmatched: Vec<&[Token]> = right.to_vec();
    left.iter().all(|element| {
        let partner = unmatched.iter().position(|other| are_equal(element, other, depth + 1));
        partner.map(|index| unmatched.swap_remove(index)).is_some()
    })
}

fn is_same_quantity(left: &[Token], right: &[Token]) -> bool {
    let ((left, left_unit), (right, right_unit)) = (without_unit(left), without_unit(right));
    if left_unit.zip(right_unit).is_some_and(|(left, right)| !is_same_unit(left, right)) {
        return false;
    }
    if left == right {
        return true;
    }
    (0..SAMPLES).all(|sample| {
        value(left, sample).zip(value(right, sample)).is_some_and(|(left, right)| are_close(left, right))
    })
}

/// Parts a quantity from the words behind it.
fn without_unit(tokens: &[Token]) -> (&[Token], Option<&[Token]>) {
    let unit = tokens.iter().position(|token| matches!(token, Token::Word(_)));
    match unit {
        Some(at) if at > 0 => (&tokens[..at], Some(&tokens[at..])),
        _ => (tokens, None),
    }
}

fn is_same_unit(left: &[Token], right: &[Token]) -> bool {
    let singular = |token: &Token| match token {
        Token::Word(word) => Token::Word(word.trim_end_matches('s').to_owned()),
        other => other.clone(),
    };
    left.len() == right.len() && left.iter().zip(right).all(|(l, r)| singular(l) == singular(r))
}

#[expect(
    clippy::float_cmp,
    reason = "infinities are equal only to themselves, and their difference is no number"
)]
fn are_close(left: f64, right: f64) -> bool {
    let is_near = || (left - right).abs() <= (1e-9 * left.abs().max(right.abs())).max(1e-15);
    left == right || left.is_finite() && right.is_finite() && is_near()
}

#[cfg(test)]
mod tests;
