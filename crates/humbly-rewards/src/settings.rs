//! Settings of a reward as text, from a command line or a training configuration.

use std::collections::BTreeMap;
use std::str::FromStr;

use humbly_text::confidence::Scale;

use crate::error::{Result, RewardError};
use crate::protocol::Protocol;
use crate::scoring::TextScoring;

/// Named settings; what a reward does not know is refused when it is built.
///
/// # Examples
/// ```
/// # use humbly_rewards::{Settings, build};
/// let settings: Settings = [("scale", "percent"), ("beta1", "1")].into_iter().collect();
/// assert_eq!(build("mscr", &settings)?.name(), "mscr");
/// let unknown: Settings = [("beta3", "1")].into_iter().collect();
/// assert!(build("mscr", &unknown).is_err());
/// # Ok::<(), humbly_rewards::RewardError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<String, String>,
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Settings {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self { values: pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }
}

impl Settings {
    /// Sets one value.
    pub fn set(&mut self, name: &str, value: &str) {
        self.values.insert(name.to_owned(), value.to_owned());
    }

    /// Name and value, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>> {
        let Some(found) = self.text(name) else { return Ok(None) };
        let number = |text: &str| text.trim().parse::<f64>().ok();
        // `1/3` has no short decimal form.
        let value = match found.split_once('/') {
            Some((over, under)) => number(over).zip(number(under)).map(|(over, under)| over / under),
            None => number(found),
        };
        value.map(Some).ok_or_else(|| RewardError::Setting {
            name: name.to_owned(),
            found: found.to_owned(),
            expected: "a number, or a fraction such as 1/3".to_owned(),
        })
    }

    pub(crate) fn parsed<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>> {
        let Some(found) = self.text(name) else { return Ok(None) };
        found.parse().map(Some).map_err(|_| RewardError::Setting {
            name: name.to_owned(),
            found: found.to_owned(),
            expected: expected.to_owned(),
        })
    }

    /// The settings on text, with the protocol that is usual with the reward.
    pub(crate) fn scoring(&self, protocol: &str) -> Result<TextScoring> {
        let scale: Scale = self.text("scale").unwrap_or("unit").parse()?;
        let mut protocol = Protocol::named(self.text("protocol").unwrap_or(protocol), scale)?;
        if let Some(prefilled) = self.text("prefilled_think") {
            protocol = protocol.with_prefilled_think(prefilled.parse()?);
        }
        if let Some(is_allowed) = self.parsed("empty_think", "true or false")? {
            protocol = protocol.with_empty_think(is_allowed);
        }
        if let Some(markers) = self.text("end_markers") {
            protocol = protocol.with_end_markers(markers.split(',').map(|marker| marker.trim().to_owned()));
        }
        let mut scoring = TextScoring::new(protocol);
        if let Some(matching) = self.text("match") {
            scoring.matching = matching.parse()?;
        }
        if let Some(longest) = self.parsed("max_answer_bytes", "a whole number")? {
            scoring.longest_answer = longest;
        }
        Ok(scoring)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}
