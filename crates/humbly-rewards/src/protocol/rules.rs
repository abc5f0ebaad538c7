//! The rules of a protocol, by name and by part.

use std::str::FromStr;

use humbly_text::confidence::Scale;

use super::reading::Reading;
use super::tag::Tag;
use super::{boxed, scan};
use crate::error::RewardError;

/// Markers that a chat template puts behind a turn.
const END_MARKERS: [&str; 5] = ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "</s>"];

/// Whether the chat template may have written the opening `<think>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PrefilledThink {
    /// A response whose first tag is `</think>` counts as opened.
    #[default]
    Auto,
    /// Every response starts inside the block.
    Always,
    /// The response must open it.
    Never,
}

/// Order of the tags behind the reasoning in RLCR's formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RlcrOrder {
    /// Think, answer, analysis, confidence (`tabc`).
    #[default]
    AnswerAnalysisConfidence,
    /// Think, answer, confidence (`tac`).
    AnswerConfidence,
    /// Think, analysis, answer, confidence (`tbac`).
    AnalysisAnswerConfidence,
    /// Think, answer (`ta`).
    Answer,
}

impl RlcrOrder {
    pub(super) fn tags(self) -> &'static [Tag] {
        match self {
            Self::AnswerAnalysisConfidence => &[Tag::Answer, Tag::Analysis, Tag::Confidence],
            Self::AnswerConfidence => &[Tag::Answer, Tag::Confidence],
            Self::AnalysisAnswerConfidence => &[Tag::Analysis, Tag::Answer, Tag::Confidence],
            Self::Answer => &[Tag::Answer],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    SearchR1 { confidence: bool, escalate: bool },
    Rlcr(RlcrOrder),
    Boxed { confidence: bool },
}

/// The rules that a response is read by.
///
/// Tags are compared with case and hold no attributes, as in Search-R1. A tag that the protocol does
/// not know is text.
#[derive(Clone, Debug)]
pub struct Protocol {
    pub(super) layout: Layout,
    scale: Scale,
    pub(super) prefilled_think: PrefilledThink,
    pub(super) allows_empty_think: bool,
    end_markers: Vec<String>,
}

impl Protocol {
    fn new(layout: Layout, scale: Scale) -> Self {
        Self {
            layout,
            scale,
            prefilled_think: PrefilledThink::Auto,
            allows_empty_think: false,
            end_markers: END_MARKERS.map(str::to_owned).to_vec(),
        }
    }

    /// Search-R1's reference validator: rounds of `<think>`, `<search>`, `<information>`, then `<think>`,
    /// `<answer>` and nothing more. An empty think block passes and an end marker does not, as there.
    pub fn search_r1() -> Self {
        let layout = Layout::SearchR1 { confidence: false, escalate: false };
        Self { allows_empty_think: true, end_markers: Vec::new(), ..Self::new(layout, Scale::Unit) }
    }

    /// Search-R1's tags, and at most one `<escalate>` between the last `</think>` and `<answer>`.
    pub fn search_r1_escalate() -> Self {
        Self::new(Layout::SearchR1 { confidence: false, escalate: true }, Scale::Unit)
    }

    /// Search-R1's tags with exactly one `<confidence>` on `scale`, between the last `</think>` and
    /// `<answer>` or directly behind `</answer>`, and at most one `<escalate>` before `<answer>`.
    pub fn car(scale: Scale) -> Self {
        Self::new(Layout::SearchR1 { confidence: true, escalate: true }, scale)
    }

    /// RLCR's formats; `<think>` need not be opened.
    pub fn rlcr(order: RlcrOrder, scale: Scale) -> Self {
        Self::new(Layout::Rlcr(order), scale)
    }

    /// The last `\boxed{…}` with balanced braces outside think blocks.
    pub fn boxed() -> Self {
        Self::new(Layout::Boxed { confidence: false }, Scale::Unit)
    }

    /// [`boxed`](Self::boxed) with exactly one `<confidence>` outside think blocks.
    pub fn boxed_confidence(scale: Scale) -> Self {
        Self::new(Layout::Boxed { confidence: true }, scale)
    }

    /// The protocol of that name, with confidences on `scale`.
    ///
    /// # Errors
    /// [`RewardError::Setting`] with the names that are known.
    pub fn named(name: &str, scale: Scale) -> Result<Self, RewardError> {
        Ok(match name {
            "search-r1" => Self::search_r1(),
            "search-r1-escalate" => Self::search_r1_escalate(),
            "car" => Self::car(scale),
            "rlcr" => Self::rlcr(RlcrOrder::AnswerAnalysisConfidence, scale),
            "rlcr-tac" => Self::rlcr(RlcrOrder::AnswerConfidence, scale),
            "rlcr-tbac" => Self::rlcr(RlcrOrder::AnalysisAnswerConfidence, scale),
            "rlcr-ta" => Self::rlcr(RlcrOrder::Answer, scale),
            "boxed" => Self::boxed(),
            "boxed-confidence" => Self::boxed_confidence(scale),
            _ => {
                return Err(RewardError::Setting {
                    name: "protocol".to_owned(),
                    found: name.to_owned(),
                    expected: Self::NAMES.join(", "),
                });
            }
        })
    }

    /// The names of all protocols.
    pub const NAMES: [&'static str; 9] = [
        "search-r1",
        "search-r1-escalate",
        "car",
        "rlcr",
        "rlcr-tac",
        "rlcr-tbac",
        "rlcr-ta",
        "boxed",
        "boxed-confidence",
    ];

    /// Name in settings and reports.
    pub fn name(&self) -> &'static str {
        match self.layout {
            Layout::SearchR1 { confidence: true, .. } => "car",
            Layout::SearchR1 { escalate: true, .. } => "search-r1-escalate",
            Layout::SearchR1 { .. } => "search-r1",
            Layout::Rlcr(RlcrOrder::AnswerAnalysisConfidence) => "rlcr",
            Layout::Rlcr(RlcrOrder::AnswerConfidence) => "rlcr-tac",
            Layout::Rlcr(RlcrOrder::AnalysisAnswerConfidence) => "rlcr-tbac",
            Layout::Rlcr(RlcrOrder::Answer) => "rlcr-ta",
            Layout::Boxed { confidence: true } => "boxed-confidence",
            Layout::Boxed { confidence: false } => "boxed",
        }
    }

    /// The scale of confidences.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Whether a confidence is due.
    pub fn asks_confidence(&self) -> bool {
        match self.layout {
            Layout::SearchR1 { confidence, .. } | Layout::Boxed { confidence } => confidence,
            Layout::Rlcr(order) => order.tags().contains(&Tag::Confidence),
        }
    }

    pub(crate) fn is_boxed(&self) -> bool {
        matches!(self.layout, Layout::Boxed { .. })
    }

    /// Sets whether the chat template may have opened the reasoning.
    #[must_use]
    pub fn with_prefilled_think(mut self, prefilled_think: PrefilledThink) -> Self {
        self.prefilled_think = prefilled_think;
        self
    }

    /// Sets whether an empty think block passes.
    #[must_use]
    pub fn with_empty_think(mut self, is_allowed: bool) -> Self {
        self.allows_empty_think = is_allowed;
        self
    }

    /// Sets the markers that may stand at the end of a response.
    #[must_use]
    pub fn with_end_markers<I: IntoIterator<Item = String>>(mut self, markers: I) -> Self {
        self.end_markers = markers.into_iter().filter(|marker| !marker.is_empty()).collect();
        self
    }

    /// Reads a response: its answer, its confidence, and the first rule that it breaks.
    ///
    /// Time is linear. What stands in `<information>` is retrieved text, and what stands in a closed
    /// think block was never said: answers and confidences there do not count.
    ///
    /// # Examples
    /// ```
    /// # use humbly_rewards::{Protocol, Rule};
    /// let text = "<think>a</think> so <answer>Paris</answer>";
    /// let reading = Protocol::search_r1().read(text);
    /// assert_eq!(reading.answer.as_deref(), Some("Paris"));
    /// let fault = reading.fault.unwrap();
    /// assert_eq!((fault.rule, fault.offset), (Rule::UnexpectedText, 17));
    /// assert!(fault.excerpt(text).after.starts_with("so <answer>"));
    /// ```
    pub fn read<'a>(&self, response: &'a str) -> Reading<'a> {
        let text = self.without_end_marker(response);
        if let Layout::Boxed { .. } = self.layout { boxed::read(self, text) } else { scan::read(self, text) }
    }

    pub(super) fn knows(&self, tag: Tag) -> bool {
        match self.layout {
            Layout::SearchR1 { confidence, escalate } => match tag {
                Tag::Think | Tag::Search | Tag::Information | Tag::Answer => true,
                Tag::Confidence => confidence,
                Tag::Escalate => escalate,
                Tag::Analysis => false,
            },
            Layout::Rlcr(order) => tag == Tag::Think || order.tags().contains(&tag),
            Layout::Boxed { confidence } => {
                tag == Tag::Think || tag == Tag::Escalate || tag == Tag::Confidence && confidence
            }
        }
    }

    fn without_end_marker<'a>(&self, response: &'a str) -> &'a str {
        if self.end_markers.is_empty() {
            return response;
        }
        let text = response.trim_end();
        self.end_markers.iter().find_map(|marker| text.strip_suffix(marker.as_str())).unwrap_or(response)
    }
}

impl FromStr for PrefilledThink {
    type Err = RewardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "never" => Ok(Self::Never),
            _ => Err(RewardError::Setting {
                name: "prefilled_think".to_owned(),
                found: text.to_owned(),
                expected: "auto, always or never".to_owned(),
            }),
        }
    }
}
