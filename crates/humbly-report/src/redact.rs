//! Replaces keys, mail addresses and home paths before a text reaches the page.
//!
//! Spans are found on the whole text before anything is cut or marked, so that no half of a secret is left
//! at an edge. Each pattern ends where it matches (nothing looks ahead without bound): time is linear.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// How many places of a page were redacted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Redactions {
    /// Keys, tokens and passwords.
    pub keys: u64,
    /// Mail addresses.
    pub mails: u64,
    /// Names in home paths.
    pub home_paths: u64,
}

impl Redactions {
    /// All of them.
    pub fn total(self) -> u64 {
        self.keys + self.mails + self.home_paths
    }
}

/// Redacts texts and counts what it replaced.
///
/// # Examples
/// ```
/// let redactor = humbly_report::Redactor::new(true);
/// assert_eq!(redactor.text("see /home/ada/notes"), "see /home/[name]/notes");
/// assert_eq!(redactor.counts().home_paths, 1);
/// ```
#[derive(Debug)]
pub struct Redactor {
    enabled: bool,
    counts: Cell<Redactions>,
}

/// What kind of secret a span holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secret {
    Key,
    Mail,
    HomePath,
}

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub range: Range<usize>,
    pub secret: Secret,
}

impl Secret {
    pub(crate) fn replacement(self) -> &'static str {
        match self {
            Self::Key => "[key]",
            Self::Mail => "[mail]",
            Self::HomePath => "[name]",
        }
    }
}

impl Redactor {
    /// A redactor; one that is not enabled leaves every text as it is.
    pub fn new(enabled: bool) -> Self {
        Self { enabled, counts: Cell::default() }
    }

    /// The text with secrets replaced, and counted.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for span in &spans {
            out.push_str(text.get(from..span.range.start).unwrap_or_default());
            out.push_str(span.secret.replacement());
            self.count(span.secret);
            from = span.range.end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// How many places were replaced so far.
    pub fn counts(&self) -> Redactions {
        self.counts.get()
    }

    /// Whether it replaces anything at all.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// The secrets of a text, in order and apart. Nothing is counted.
    pub(crate) fn spans(&self, text: &str) -> Vec<Span> {
        if !self.enabled || text.len() < 6 {
            return Vec::new();
        }
        let mut found = Vec::new();
        for pattern in PATTERNS.iter() {
            pattern.find(text, &mut found);
        }
        found.sort_by_key(|span| (span.range.start, std::cmp::Reverse(span.range.end)));
        let mut apart: Vec<Span> = Vec::with_capacity(found.len());
        for span in found {
            match apart.last_mut() {
                Some(last) if span.range.start < last.range.end => {
                    last.range.end = last.range.end.max(span.range.end);
                }
                _ => apart.push(span),
            }
        }
        apart
    }

    pub(crate) fn count(&self, secret: Secret) {
        let mut counts = self.counts.get();
        match secret {
            Secret::Key => counts.keys += 1,
            Secret::Mail => counts.mails += 1,
            Secret::HomePath => counts.home_paths += 1,
        }
        self.counts.set(counts);
    }
}

/// How a match becomes a span.
enum Part {
    /// All of it.
    Whole,
    /// The group `secret`, where the check accepts the match.
    Group(fn(&Captures<'_>) -> bool),
}

struct Pattern {
    secret: Secret,
    regex: Regex,
    part: Part,
}

impl Pattern {
    fn find(&self, text: &str, found: &mut Vec<Span>) {
        match self.part {
            Part::Whole => found.extend(
                self.regex.find_iter(text).map(|hit| Span { range: hit.range(), secret: self.secret }),
            ),
            Part::Group(accepts) => {
                for hit in self.regex.captures_iter(text) {
                    if let Some(group) = hit.name("secret")
                        && accepts(&hit)
                    {
                        found.push(Span { range: group.range(), secret: self.secret });
                    }
                }
            }
        }
    }
}

/// Keys with a prefix that names their issuer.
const ISSUED_KEY: &str = concat!(
    r"(?-u:\b)(?:",
    r"sk-[A-Za-z0-9_-]{16,}",
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}",
    r"|(?:AKIA|ASIA)[0-9A-Z]{12,}|AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_-]{16,}",
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}",
    r"|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}",
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}",
    r")",
);
const PRIVATE_KEY: &str = r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s\\-]{0,200}){0,40}";
const AUTHORIZATION: &str =
    r"(?i)(?-u:\b)(?:bearer|basic)(?:\s|%20|\+){1,4}(?P<secret>[A-Za-z0-9._~+/=-]{8,})";
const ASSIGNMENT: &str = concat!(
    r"(?i)(?P<name>api[_-]?key|secret|token|passw(?:or)?d|passphrase|access[_-]?key|private[_-]?key|credentials?)",
    r#"[a-z0-9_-]{0,24}\\{0,3}["']?[ \t]{0,4}(?:=>|[:=])(?P<gap>[ \t]{0,4})(?P<quote>\\{0,3}["']?)"#,
    r#"(?P<secret>[^\s"'&,;<>(){}\[\]\\]{6,})"#,
);
const URL_PASSWORD: &str = r"://[^\s/:@]{1,100}:(?P<secret>[^\s/@]{1,200})@";
const MAIL: &str = r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,24}";
const HOME: &str =
    r#"(?:/home/|/Users/|(?:[A-Za-z]:|\\)[\\/]{1,4}Users[\\/]{1,4})(?P<secret>[^\s/\\"'`<>:;,()\[\]{}|]+)"#;
/// Folders that hold one project each and spell its path with dashes.
const DASHED_HOME: &str = r"projects/-(?:home|Users)-(?P<secret>[A-Za-z0-9_.]+)";

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    vec![
        pattern(Secret::Key, ISSUED_KEY, Part::Whole),
        pattern(Secret::Key, PRIVATE_KEY, Part::Whole),
        pattern(Secret::Key, AUTHORIZATION, Part::Group(|hit| has_digit(group(hit, "secret")))),
        pattern(Secret::Key, ASSIGNMENT, Part::Group(assigns_a_secret)),
        pattern(Secret::Key, URL_PASSWORD, Part::Group(|_| true)),
        pattern(Secret::Mail, MAIL, Part::Whole),
        pattern(Secret::HomePath, HOME, Part::Group(|hit| group(hit, "secret") != "Shared")),
        pattern(Secret::HomePath, DASHED_HOME, Part::Group(|_| true)),
    ]
});

#[expect(clippy::expect_used, reason = "the patterns are constants and a test builds them all")]
fn pattern(secret: Secret, regex: &str, part: Part) -> Pattern {
    Pattern { secret, regex: Regex::new(regex).expect("invariant: constant pattern"), part }
}

fn group<'a>(hit: &'a Captures<'_>, name: &str) -> &'a str {
    hit.name(name).map_or("", |group| group.as_str())
}

fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether `name = value` assigns a secret and is not prose, code or a count of tokens.
fn assigns_a_secret(hit: &Captures<'_>) -> bool {
    let value = group(hit, "secret");
    if value.starts_with('$') || value.starts_with('*') {
        return false;
    }
    let name = group(hit, "name").to_ascii_lowercase();
    let is_password = name.starts_with("pass");
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number {
        return is_password;
    }
    let is_quoted = !group(hit, "quote").is_empty();
    let is_tight = group(hit, "gap").is_empty();
    let is_mixed = has_digit(value) && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    if is_password {
        return is_quoted || is_tight || is_mixed;
    }
    (is_mixed && value.len() >= 8) || (value.len() >= 20 && !value.contains(['.', '/']))
}

#[cfg(test)]
mod tests;
