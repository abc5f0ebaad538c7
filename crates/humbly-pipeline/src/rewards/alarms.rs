//! Signs that a policy has collapsed, or that a reward does not do its work.

use schemars::JsonSchema;
use serde::Serialize;

use super::card::RewardCard;
use super::groups::Groups;

/// Below this many rows nothing is called a collapse (ours).
const LEAST: u64 = 20;
/// A value this frequent is a collapse (ours).
const COLLAPSED: f64 = 0.9;

/// A kind of alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AlarmKind {
    /// Nearly all confidences are one value.
    OneConfidence,
    /// Nearly all confidences are 0 or 1.
    ExtremeConfidences,
    /// Nearly all answers are one answer.
    OneAnswer,
    /// Every row earns the same.
    ConstantReward,
    /// Right answers do not earn more than wrong ones.
    NoGap,
    /// No response holds a tag of the protocol.
    NoKnownTags,
    /// Every row has a question id of its own although prompts repeat: no group has two members.
    GroupsOfOne,
    /// Most confidences are off the declared scale.
    WrongScale,
    /// Rows could not be scored.
    Unscorable,
    /// Answers were too long to be compared.
    TooLong,
}

/// Something that somebody should look at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Alarm {
    /// What kind.
    pub alarm: AlarmKind,
    /// In words, with the numbers, and what to do where that is known.
    pub message: String,
}

pub(super) fn raised(card: &RewardCard, without_tags: u64, groups: &Groups) -> Vec<Alarm> {
    let mut alarms = Vec::new();
    let mut raise = |alarm, message: String| alarms.push(Alarm { alarm, message });
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let collapse = &card.confidence;
    if let (Some(share), Some(commonest)) = (collapse.share.value(), collapse.commonest)
        && collapse.share.n >= LEAST
        && share >= COLLAPSED
    {
        raise(AlarmKind::OneConfidence, format!("{} of confidences are {commonest}", percent(share)));
    }
    if let Some(confidence) = card.component("confidence")
        && collapse.distinct > 1
        && collapse.share.n >= LEAST
    {
        let total: u64 = confidence.histogram.iter().map(|bin| bin.n).sum();
        let ends: u64 = confidence
            .histogram
            .iter()
            .filter(|bin| bin.low <= 0.0 || bin.high >= 1.0)
            .map(|bin| bin.n)
            .sum();
        let share = ends as f64 / total.max(1) as f64;
        if confidence.low.value() == Some(0.0) && confidence.high.value() == Some(1.0) && share >= COLLAPSED {
            let message = format!("{} of confidences are within 0.05 of 0 or 1", percent(share));
            raise(AlarmKind::ExtremeConfidences, message);
        }
    }
    if let (Some(share), Some(commonest)) = (card.answers.share.value(), &card.answers.commonest)
        && card.answers.share.n >= LEAST
        && share >= COLLAPSED
    {
        raise(AlarmKind::OneAnswer, format!("{} of answers are `{commonest}`", percent(share)));
    }
    if card.scored >= LEAST
        && let (Some(low), Some(high)) = (card.score.low.value(), card.score.high.value())
        && low >= high
    {
        let message = format!("every row earns {low}: no group has an advantage to learn from");
        raise(AlarmKind::ConstantReward, message);
    }
    if let Some(interval) = &card.gap.interval
        && interval.high <= 0.0
    {
        let message = "right answers do not earn more than wrong ones".to_owned();
        raise(AlarmKind::NoGap, message);
    }
    if without_tags > 0 && without_tags == card.rows {
        let message = "no response holds a tag of the protocol: tags that are special tokens are dropped before a \
                       reward sees them; is it another protocol?";
        raise(AlarmKind::NoKnownTags, message.to_owned());
    }
    if let Some(repeated) = groups.of_one() {
        let message = format!(
            "each of {} rows has a question id of its own although {repeated} repeat the prompt of another: groups of \
             one have no advantage to learn from; is the id that of the row? --question prompt",
            card.rows
        );
        raise(AlarmKind::GroupsOfOne, message);
    }
    let off = card.confidence_faults.get("confidence_out_of_range").copied().unwrap_or(0);
    if off * 2 > card.rows {
        let message =
            format!("{off} of {} confidences are off the scale; in percent? --scale percent", card.rows);
        raise(AlarmKind::WrongScale, message);
    }
    let unscorable: u64 = card.unscorable.values().sum();
    if unscorable > 0 {
        let reasons: Vec<String> =
            card.unscorable.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let message = format!("{unscorable} of {} rows have no reward: {}", card.rows, reasons.join(", "));
        raise(AlarmKind::Unscorable, message);
    }
    if let Some(share) = card.component("too_long").and_then(|long| long.mean.value())
        && share > 0.0
    {
        let message = format!("{} of answers are too long to be compared and count as wrong", percent(share));
        raise(AlarmKind::TooLong, message);
    }
    alarms
}
