//! Which answers, confidences and escalations were said: not those in retrieved text or in reasoning.
//!
//! Kept apart from the validator, because a broken format must not hide a right answer.

use super::tag::{Mark, Tag};

/// The end of Search-R1's sentence on an invalid action names the tags: its `<answer> and </answer>` is
/// the environment's, not an answer.
const NAMED_TAGS: (&str, &str) = ("between ", " and ");

/// Closed spans of one tag.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spans {
    pub(super) count: u32,
    pub(super) last: (usize, usize),
    open: Option<usize>,
}

impl Spans {
    fn see(&mut self, text: &str, mark: Mark) {
        if !mark.is_close {
            self.open = Some(mark.end);
            return;
        }
        let Some(open) = self.open.take() else { return };
        let content = text.get(open..mark.start).unwrap_or_default();
        let before = text.get(..open).unwrap_or_default();
        let names_tags = content == NAMED_TAGS.1
            && before
                .rfind('<')
                .is_some_and(|at| before.get(..at).is_some_and(|before| before.ends_with(NAMED_TAGS.0)));
        if !names_tags {
            self.count += 1;
            self.last = (open, mark.start);
        }
    }

    fn add(&mut self, later: Self) {
        if later.count > 0 {
            self.count += later.count;
            self.last = later.last;
        }
    }

    /// The content, where there is exactly one.
    pub(super) fn only<'a>(&self, text: &'a str) -> Option<&'a str> {
        (self.count == 1).then(|| text.get(self.last.0..self.last.1)).flatten()
    }
}

/// What was said in one place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said {
    pub(super) answers: Spans,
    pub(super) confidences: Spans,
    pub(super) escalations: Spans,
    pub(super) searches: Spans,
}

impl Said {
    fn see(&mut self, text: &str, mark: Mark) {
        match mark.tag {
            Tag::Answer => self.answers.see(text, mark),
            Tag::Confidence => self.confidences.see(text, mark),
            Tag::Escalate => self.escalations.see(text, mark),
            Tag::Search => self.searches.see(text, mark),
            Tag::Think | Tag::Information | Tag::Analysis => {}
        }
    }

    fn add(&mut self, later: Self) {
        self.answers.add(later.answers);
        self.confidences.add(later.confidences);
        self.escalations.add(later.escalations);
        self.searches.add(later.searches);
    }
}

/// Follows where in a response each tag stands.
#[derive(Debug, Default)]
pub(super) struct Places {
    outside: Said,
    reasoning: Option<Said>,
    retrieved: Option<Retrieved>,
    saw_think: bool,
}

#[derive(Debug, Default)]
struct Retrieved {
    said: Said,
    /// The block was cut and the model went on: what follows is its own if the block never closes.
    went_on: bool,
}

impl Places {
    pub(super) fn see(&mut self, text: &str, mark: Mark) {
        match (mark.tag, mark.is_close) {
            (Tag::Information, false) => {
                self.retrieved.get_or_insert_default();
            }
            (Tag::Information, true) => self.retrieved = None,
            (Tag::Think, is_close) => self.see_think(is_close),
            _ => self.here().see(text, mark),
        }
    }

    fn see_think(&mut self, is_close: bool) {
        if let Some(retrieved) = &mut self.retrieved {
            retrieved.said = Said::default();
            retrieved.went_on = true;
        } else if !is_close {
            self.reasoning.get_or_insert_default();
        } else if self.reasoning.take().is_none() && !self.saw_think {
            // The template opened the block: everything so far was reasoning.
            self.outside = Said::default();
        }
        self.saw_think = true;
    }

    fn here(&mut self) -> &mut Said {
        match (&mut self.retrieved, &mut self.reasoning) {
            (Some(retrieved), _) => &mut retrieved.said,
            (None, Some(reasoning)) => reasoning,
            (None, None) => &mut self.outside,
        }
    }

    /// What was said. A think block that never closes ends before its answer if nothing follows that;
    /// a retrieved text that was cut ends where the model thinks again.
    pub(super) fn said(self, ends_with_tag: bool) -> Said {
        let mut said = self.outside;
        if let Some(reasoning) = self.reasoning.filter(|_| ends_with_tag) {
            said.add(reasoning);
        }
        if let Some(retrieved) = self.retrieved.filter(|retrieved| retrieved.went_on) {
            said.add(retrieved.said);
        }
        said
    }
}
