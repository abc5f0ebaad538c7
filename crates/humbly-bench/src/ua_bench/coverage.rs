//! How much of the benchmark stands in a suite: the first line of every result.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What was built of what the paper has.
///
/// # Examples
/// ```
/// use humbly_bench::ua_bench::{Coverage, SourceCount};
/// let source = SourceCount { name: "gaia".into(), expected: 165, built: 0, note: Some("token needed".into()) };
/// let coverage = Coverage { sources: vec![source] };
/// assert_eq!(coverage.to_string(), "built 0 of 165: gaia 0 of 165 (token needed)");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// One entry a source.
    pub sources: Vec<SourceCount>,
}

/// One source of a benchmark.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCount {
    /// Name.
    pub name: String,
    /// Questions in the benchmark.
    pub expected: u64,
    /// Questions in the suite.
    pub built: u64,
    /// Why they differ, or in what the questions are others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Coverage {
    /// Questions of the benchmark.
    pub fn expected(&self) -> u64 {
        self.sources.iter().map(|source| source.expected).sum()
    }

    /// Questions in the suite.
    pub fn built(&self) -> u64 {
        self.sources.iter().map(|source| source.built).sum()
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "built {} of {}", grouped(self.built()), grouped(self.expected()))?;
        let mut lead = ": ";
        for source in &self.sources {
            let is_whole = source.built == source.expected;
            if is_whole && source.note.is_none() {
                continue;
            }
            write!(formatter, "{lead}{}", source.name)?;
            lead = ", ";
            if !is_whole {
                write!(formatter, " {} of {}", grouped(source.built), grouped(source.expected))?;
            }
            if let Some(note) = &source.note {
                write!(formatter, " ({note})")?;
            }
        }
        Ok(())
    }
}

/// A count with commas between groups of three digits.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_named_and_whole_sources_are_not() {
        let source = |name: &str, expected, built, note: Option<&str>| SourceCount {
            name: name.into(),
            expected,
            built,
            note: note.map(str::to_owned),
        };
        let coverage = Coverage {
            sources: vec![
                source("gaia", 165, 0, Some("token needed")),
                source("musique", 1_000, 1_000, Some("dev used")),
                source("selfaware", 1_032, 1_032, None),
                source("math-mip", 52, 50, None),
            ],
        };
        assert_eq!(
            coverage.to_string(),
            "built 2,082 of 2,249: gaia 0 of 165 (token needed), musique (dev used), math-mip 50 of 52"
        );
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
