//! A number that a reward is set by: its name, default and range stand once, where the reward is.

use crate::error::{Result, RewardError};
use crate::settings::Settings;

/// A setting and its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingEntry {
    /// Name.
    pub name: &'static str,
    /// Default, as it would be written.
    pub default: &'static str,
    /// What it is.
    pub summary: &'static str,
}

/// A setting that is a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    entry: SettingEntry,
    /// The default; `entry` holds it as it would be written.
    pub(crate) default: f64,
    range: Range,
}

#[derive(Clone, Copy, Debug)]
enum Range {
    NotNegative,
    Share,
    Base,
    OneOf([f64; 2]),
}

impl Parameter {
    /// A finite number, at least 0.
    pub(crate) const fn not_negative(entry: SettingEntry, default: f64) -> Self {
        Self { entry, default, range: Range::NotNegative }
    }

    /// A number in `[0, 1]`.
    pub(crate) const fn share(entry: SettingEntry, default: f64) -> Self {
        Self { entry, default, range: Range::Share }
    }

    /// A number in `(0, 1]`.
    pub(crate) const fn base(entry: SettingEntry, default: f64) -> Self {
        Self { entry, default, range: Range::Base }
    }

    /// One of two numbers.
    pub(crate) const fn one_of(entry: SettingEntry, default: f64, choices: [f64; 2]) -> Self {
        Self { entry, default, range: Range::OneOf(choices) }
    }

    /// Name, default and summary.
    pub(crate) const fn entry(&self) -> SettingEntry {
        self.entry
    }

    /// `value`, where it is in the range.
    pub(crate) fn checked(&self, value: f64) -> Result<f64> {
        let is_in_range = match self.range {
            Range::NotNegative => value.is_finite() && value >= 0.0,
            Range::Share => (0.0..=1.0).contains(&value),
            Range::Base => value > 0.0 && value <= 1.0,
            Range::OneOf(choices) => choices.contains(&value),
        };
        if is_in_range {
            return Ok(value);
        }
        let expected = match self.range {
            Range::NotNegative => "a finite number, at least 0".to_owned(),
            Range::Share => "a number from 0 to 1".to_owned(),
            Range::Base => "a number above 0, at most 1".to_owned(),
            Range::OneOf([first, second]) => format!("{first} or {second}"),
        };
        Err(RewardError::Parameter { name: self.entry.name, value, expected })
    }

    /// What the settings say, else the default; its range is checked by whoever takes it.
    pub(crate) fn read(&self, settings: &Settings) -> Result<f64> {
        Ok(settings.number(self.entry.name)?.unwrap_or(self.default))
    }
}

pub(crate) const fn setting(
    name: &'static str,
    default: &'static str,
    summary: &'static str,
) -> SettingEntry {
    SettingEntry { name, default, summary }
}
