//! The tokens of an answer among the tokens of a reply.

/// Log-probability of some tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenSpan {
    /// Sum, in nats.
    pub sum: f64,
    /// How many tokens.
    pub tokens: usize,
}

/// The tokens that hold the last occurrence of `answer` in a reply, summed.
///
/// A token that lies partly inside counts whole: a model draws whole tokens. So does a token without text of its own
/// between two of them, as servers report a byte of a character that several tokens spell.
///
/// # Shapes and units
/// - `tokens`: the reply's tokens in order, each with its log-probability in nats;
/// - `answer`: the answer alone, without its tag, label or confidence.
///
/// # Undefined
/// `None` where the answer is blank, does not stand in the reply, or a log-probability in it is not finite.
///
/// # Examples
/// ```
/// use humbly_text::confidence::answer_tokens;
/// let reply = [("It", -2.0), (" is", -1.0), (" Pa", -0.5), ("ris", -0.1), (".", -0.3)];
/// let span = answer_tokens(reply, "Paris").unwrap();
/// assert_eq!(span.tokens, 2);
/// assert!((span.sum + 0.6).abs() < 1e-12);
/// ```
pub fn answer_tokens<'a>(
    tokens: impl IntoIterator<Item = (&'a str, f64)>,
    answer: &str,
) -> Option<TokenSpan> {
    let answer = answer.trim();
    let mut reply = String::new();
    let mut ends = Vec::new();
    for (text, log_probability) in tokens {
        reply.push_str(text);
        ends.push((reply.len(), log_probability));
    }
    let start = reply.rfind(answer).filter(|_| !answer.is_empty())?;
    let end = start + answer.len();
    let mut span = TokenSpan { sum: 0.0, tokens: 0 };
    let mut from = 0;
    for (to, log_probability) in ends {
        if from < end && to > start {
            span.sum += log_probability;
            span.tokens += 1;
        }
        from = to;
    }
    (span.tokens > 0 && span.sum.is_finite()).then_some(span)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_occurrence_counts_and_tokens_are_whole() {
        let reply = [("Not 4", -1.0), ("2; 42", -0.25), ("!", -3.0)];
        assert_eq!(answer_tokens(reply, "42"), Some(TokenSpan { sum: -0.25, tokens: 1 }));
        assert_eq!(answer_tokens(reply, "42!"), Some(TokenSpan { sum: -3.25, tokens: 2 }));
        assert_eq!(answer_tokens(reply, "43"), None);
        assert_eq!(answer_tokens(reply, " "), None);
        assert_eq!(answer_tokens([("42", f64::NEG_INFINITY)], "42"), None);
    }

    #[test]
    fn tokens_without_text_count_inside_and_not_at_the_edges() {
        let reply = [("", -8.0), ("é", -1.0), ("", -0.5), ("é", -2.0), ("", -8.0)];
        assert_eq!(answer_tokens(reply, "éé"), Some(TokenSpan { sum: -3.5, tokens: 3 }));
    }

    proptest! {
        #[test]
        fn any_cut_into_tokens_gives_whole_tokens(parts in prop::collection::vec("[a-cé]{0,3}", 0..12), answer in "[a-cé]{1,4}") {
            let reply: String = parts.concat();
            let span = answer_tokens(parts.iter().map(|part| (part.as_str(), -1.0)), &answer);
            prop_assert_eq!(span.is_some(), reply.contains(&answer));
            if let Some(span) = span {
                let without_text = parts.iter().filter(|part| part.is_empty()).count();
                prop_assert!(span.tokens <= answer.chars().count() + without_text && (span.sum + span.tokens as f64).abs() < 1e-12);
            }
        }
    }
}
