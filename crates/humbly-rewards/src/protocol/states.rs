//! The order of tags as a state machine.

use super::rules::{Layout, Protocol, RlcrOrder};
use super::tag::Tag;

/// Where in its order a response is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing yet; `is_prefilled` where the template opened the reasoning.
    Start { is_prefilled: bool },
    /// Behind `</think>`.
    Reasoned,
    /// Behind `</search>`.
    Searched,
    /// Behind `</information>`.
    Informed,
    /// Behind a confidence or an escalation that leads to the answer.
    Decided,
    /// Behind the answer.
    Answered,
    /// Behind the k-th tag of an RLCR order.
    Ordered(usize),
    /// Inside a tag; the state behind it is known when it closes.
    Inside(Tag, Before),
}

/// Where an inner tag was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Answer,
    AfterAnswer,
    Order(usize),
}

/// Tags that may stand once only.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) confidence: bool,
    pub(super) escalate: bool,
}

impl State {
    pub(super) fn start(protocol: &Protocol) -> Self {
        let is_prefilled = protocol.prefilled_think == super::PrefilledThink::Always;
        Self::Start { is_prefilled }
    }

    /// Whether any text may stand here.
    pub(super) fn is_free(self) -> bool {
        matches!(self, Self::Inside(..) | Self::Start { is_prefilled: true })
    }

    /// The state behind a tag; `None` where it may not stand.
    pub(super) fn next(self, protocol: &Protocol, tag: Tag, is_close: bool, seen: Seen) -> Option<Self> {
        if let Self::Inside(inside, before) = self {
            return (is_close && tag == inside).then(|| Self::behind(inside, before, protocol));
        }
        if is_close {
            // Only the reasoning may have been opened outside the response.
            let may_close = matches!(self, Self::Start { .. })
                && tag == Tag::Think
                && protocol.prefilled_think != super::PrefilledThink::Never;
            return may_close.then(|| Self::behind(Tag::Think, Before::Answer, protocol));
        }
        let inside = |before| Some(Self::Inside(tag, before));
        match (self, tag) {
            (Self::Ordered(k), _) => {
                let Layout::Rlcr(order) = protocol.layout else { return None };
                (order.tags().get(k) == Some(&tag)).then_some(Self::Inside(tag, Before::Order(k)))
            }
            (Self::Start { is_prefilled: false } | Self::Informed, Tag::Think)
            | (Self::Searched, Tag::Information)
            | (Self::Reasoned, Tag::Search)
            | (Self::Reasoned | Self::Decided, Tag::Answer) => inside(Before::Answer),
            (Self::Reasoned | Self::Decided, Tag::Confidence) if !seen.confidence => inside(Before::Answer),
            (Self::Reasoned | Self::Decided, Tag::Escalate) if !seen.escalate => inside(Before::Answer),
            (Self::Answered, Tag::Confidence) if !seen.confidence => inside(Before::AfterAnswer),
            _ => None,
        }
    }

    fn behind(tag: Tag, before: Before, protocol: &Protocol) -> Self {
        if let Before::Order(k) = before {
            return Self::Ordered(k + 1);
        }
        match tag {
            Tag::Think if matches!(protocol.layout, Layout::Rlcr(_)) => Self::Ordered(0),
            Tag::Think => Self::Reasoned,
            Tag::Search => Self::Searched,
            Tag::Information => Self::Informed,
            Tag::Answer => Self::Answered,
            Tag::Confidence if before == Before::AfterAnswer => Self::Answered,
            Tag::Confidence | Tag::Escalate | Tag::Analysis => Self::Decided,
        }
    }

    /// Whether a response may end here.
    pub(super) fn is_end(self, protocol: &Protocol) -> bool {
        match (self, protocol.layout) {
            (Self::Answered, _) => true,
            (Self::Ordered(k), Layout::Rlcr(order)) => k == order.tags().len(),
            _ => false,
        }
    }

    /// What may stand here.
    pub(super) fn expected(self, protocol: &Protocol, seen: Seen) -> &'static str {
        match self {
            Self::Start { is_prefilled: false } | Self::Informed => "<think>",
            Self::Start { is_prefilled: true } => "</think>",
            Self::Reasoned => match (protocol.knows(Tag::Confidence), protocol.knows(Tag::Escalate)) {
                (false, false) => "<search> or <answer>",
                (false, true) => "<search>, <escalate> or <answer>",
                (true, _) => "<search>, <confidence>, <escalate> or <answer>",
            },
            Self::Searched => "<information>",
            Self::Decided => "<answer>",
            Self::Answered if protocol.asks_confidence() && !seen.confidence => "<confidence>",
            Self::Answered => "the end",
            Self::Ordered(k) => match protocol.layout {
                Layout::Rlcr(order) => ordered(order, k),
                _ => "the end",
            },
            Self::Inside(tag, _) => closing(tag),
        }
    }
}

fn ordered(order: RlcrOrder, k: usize) -> &'static str {
    match order.tags().get(k) {
        Some(Tag::Answer) => "<answer>",
        Some(Tag::Analysis) => "<analysis>",
        Some(Tag::Confidence) => "<confidence>",
        _ => "the end",
    }
}

fn closing(tag: Tag) -> &'static str {
    match tag {
        Tag::Think => "</think>",
        Tag::Search => "</search>",
        Tag::Information => "</information>",
        Tag::Answer => "</answer>",
        Tag::Analysis => "</analysis>",
        Tag::Confidence => "</confidence>",
        Tag::Escalate => "</escalate>",
    }
}
