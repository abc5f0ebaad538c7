//! Whether asking on makes sense.

use crate::ChatError;

/// So many items in a row without a reply: nobody is there.
const HOPELESS: u32 = 8;

/// Failures that lie with the endpoint and not with what was asked.
const OF_THE_ENDPOINT: &[&str] =
    &["rate_limited", "timed_out", "connection", "not_a_reply", "empty_reply", "broken_off", "server"];

/// Follows items that are asked of one model and says when the next ones would fail too.
///
/// Asking is pointless after a failure that meets every call ([`ChatError::meets_every_call`]), and after eight items
/// in a row without a reply whose failure lies with the endpoint (each of them was retried by then). What depends on
/// the request, such as a prompt that is too long, neither counts nor breaks the row.
///
/// # Examples
/// ```
/// use humbly_llm::Outlook;
/// let mut outlook = Outlook::default();
/// for _ in 0..7 {
///     assert!(!outlook.failed("server", "the provider failed (status 500)"));
/// }
/// outlook.replied();
/// assert!(!outlook.failed("server", "the provider failed (status 500)"));
/// assert!(outlook.failed("authentication", "`openai` refused the key (status 401)"));
/// assert_eq!(outlook.given_up().unwrap().to_string(), "`openai` refused the key (status 401)");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Outlook {
    in_a_row: u32,
    given_up: Option<GivenUp>,
}

/// Why nothing more is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// Code of the failure ([`ChatError::code`]), the last one of a row.
    pub code: String,
    /// Its text.
    pub message: String,
    /// Items in a row without a reply; `None` where one failure is enough.
    pub in_a_row: Option<u32>,
}

impl std::fmt::Display for GivenUp {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.in_a_row {
            None => formatter.write_str(&self.message),
            Some(count) => {
                write!(formatter, "no reply {count} times in a row, the last time: {}", self.message)
            }
        }
    }
}

impl Outlook {
    /// An item had a reply.
    pub fn replied(&mut self) {
        self.in_a_row = 0;
    }

    /// An item failed without any reply; whether to give up, now or since earlier.
    pub fn failed(&mut self, code: &str, message: &str) -> bool {
        if self.given_up.is_some() {
            return true;
        }
        let is_final = ChatError::code_meets_every_call(code);
        self.in_a_row += u32::from(Self::counts(code));
        if is_final || self.in_a_row >= HOPELESS {
            self.given_up = Some(GivenUp {
                code: code.to_owned(),
                message: message.to_owned(),
                in_a_row: (!is_final).then_some(self.in_a_row),
            });
        }
        self.given_up.is_some()
    }

    /// Whether the last items had no reply.
    pub fn is_silent(&self) -> bool {
        self.in_a_row > 0
    }

    /// Whether failures of this code count towards a row: they lie with the endpoint and not with what was asked.
    pub fn counts(code: &str) -> bool {
        OF_THE_ENDPOINT.contains(&code)
    }

    /// Why asking was given up; `None` while it makes sense.
    pub fn given_up(&self) -> Option<&GivenUp> {
        self.given_up.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn eight_without_a_reply_are_enough_and_a_reply_begins_anew() {
        let mut outlook = Outlook::default();
        let fail = |outlook: &mut Outlook| outlook.failed("rate_limited", "rate limit reached");
        for _ in 0..7 {
            assert!(!fail(&mut outlook));
        }
        outlook.replied();
        for _ in 0..7 {
            assert!(!fail(&mut outlook));
        }
        assert!(fail(&mut outlook));
        assert_eq!(
            outlook.given_up().unwrap().to_string(),
            "no reply 8 times in a row, the last time: rate limit reached"
        );
        outlook.replied();
        assert!(fail(&mut outlook), "what was given up stays given up");
    }

    #[test]
    fn what_depends_on_the_request_says_nothing_of_the_next_one() {
        let mut outlook = Outlook::default();
        for code in ["context_too_long", "refused", "no_rule", "not_recorded"] {
            for _ in 0..50 {
                assert!(!outlook.failed(code, "x"), "{code}");
            }
        }
    }

    #[test]
    fn every_failure_that_may_pass_lies_with_the_endpoint() {
        let of = || "p".to_owned();
        for error in [
            ChatError::RateLimited { retry_after: None },
            ChatError::TimedOut { after: Duration::ZERO },
            ChatError::Connection { endpoint: of(), detail: of() },
            ChatError::EmptyReply,
            ChatError::BrokenOff { received: 0 },
            ChatError::Server { status: 500, retry_after: None },
        ] {
            assert!(error.is_transient() && Outlook::counts(error.code()), "{error}");
        }
    }
}
