//! The boxed protocol: the last balanced box that the reader sees.

use std::borrow::Cow;

use humbly_text::boxed::last_braced_box;
use humbly_text::confidence::{ConfidenceFault, Scale};
use humbly_text::tags::{TagSpan, all_tags};
use humbly_text::think::{self, ThinkStatus};

use super::fault::{Fault, Rule};
use super::reading::Reading;
use super::rules::{PrefilledThink, Protocol};
use super::tag::Tag;
use crate::confidence::StatedConfidence;

pub(super) fn read<'a>(protocol: &Protocol, text: &'a str) -> Reading<'a> {
    let opened;
    let parts = if protocol.prefilled_think == PrefilledThink::Always && !text.contains("<think>") {
        opened = format!("<think>{text}");
        think::split(&opened)
    } else {
        think::split(text)
    };
    let visible = parts.visible.as_ref();
    let answer = last_braced_box(visible).map(str::to_owned);
    let escalations: Vec<TagSpan<'_>> = closed(visible, Tag::Escalate);
    let escalations = escalations.iter().filter(|span| !span.content.is_empty()).count();
    let confidences: Vec<TagSpan<'_>> = closed(visible, Tag::Confidence);
    let stated = if protocol.asks_confidence() {
        let only = confidences.first().filter(|_| confidences.len() == 1).map(|span| span.content);
        confidence(only, u32::try_from(confidences.len()).unwrap_or(u32::MAX), protocol.scale())
    } else {
        StatedConfidence::NotAsked
    };
    let at = |what: &str| text.rfind(what).unwrap_or(text.len());
    let fault = if parts.status == ThinkStatus::Unclosed {
        Some((Rule::Unclosed, at("<think"), Some((Tag::Think, false)), "</think>"))
    } else if answer.is_none() {
        Some((Rule::NoBox, text.len(), None, r"\boxed{…} with balanced braces"))
    } else if protocol.asks_confidence() && confidences.is_empty() {
        let tag = Some((Tag::Confidence, false));
        Some((Rule::MissingConfidence, text.len(), tag, "<confidence>"))
    } else if protocol.asks_confidence() && confidences.len() > 1 {
        Some((Rule::Repeated, at("<confidence>"), Some((Tag::Confidence, false)), "one <confidence>"))
    } else if protocol.asks_confidence() && stated.probability().is_none() {
        let expected = "one number on the declared scale";
        Some((Rule::UnusableConfidence, at("<confidence>"), Some((Tag::Confidence, false)), expected))
    } else if escalations > 1 {
        Some((Rule::Repeated, at("<escalate>"), Some((Tag::Escalate, false)), "at most one <escalate>"))
    } else {
        None
    };
    Reading {
        answers: u32::from(answer.is_some()),
        has_known_tag: answer.is_some() || parts.status != ThinkStatus::None,
        answer: answer.map(Cow::Owned),
        confidence: stated,
        // The visible text may be a copy; the response holds the same bytes.
        escalation: (escalations == 1).then(|| said_in(text)).flatten(),
        escalations: u32::try_from(escalations).unwrap_or(u32::MAX),
        searches: 0,
        fault: fault.map(|(rule, offset, tag, expected)| Fault { rule, offset, tag, expected }),
    }
}

fn closed(text: &str, tag: Tag) -> Vec<TagSpan<'_>> {
    all_tags(text, tag.name()).into_iter().filter(|span| span.is_closed).collect()
}

fn said_in(text: &str) -> Option<&str> {
    closed(text, Tag::Escalate).last().map(|span| span.content)
}

/// What `count` confidences say of which `only` is the only one.
pub(super) fn confidence(only: Option<&str>, count: u32, scale: Scale) -> StatedConfidence {
    match only {
        Some(content) => StatedConfidence::read(content, scale),
        None if count > 1 => StatedConfidence::Unusable(ConfidenceFault::ConfidenceAmbiguous),
        None => StatedConfidence::Unusable(ConfidenceFault::NoConfidence),
    }
}
