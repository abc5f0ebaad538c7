//! What a model is told of a protocol before it is asked. The words are ours; no source prescribes them.

use std::fmt::Write as _;

use humbly_text::confidence::Scale;

use super::rules::{Layout, Protocol, RlcrOrder};

impl Protocol {
    /// The message that asks `question` and explains the tags, for a training set.
    ///
    /// It holds the tags themselves and an example answer, as Search-R1's does: a reward must be given the
    /// response alone, or cut this message off.
    ///
    /// # Examples
    /// ```
    /// use humbly_rewards::Protocol;
    /// let asked = Protocol::car("percent".parse()?).instruction("Who wrote Emma?");
    /// assert!(asked.contains("from 0 to 100") && asked.ends_with("Question: Who wrote Emma?"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn instruction(&self, question: &str) -> String {
        let scale = scale_words(self.scale());
        let mut text = String::new();
        match self.layout {
            Layout::SearchR1 { confidence, escalate } => {
                text.push_str(
                    "Answer the question at the end. Each time you learn something, think about it first, between \
                     <think> and </think>. When a fact is missing, ask for it with <search> your query </search>; \
                     what was found comes back between <information> and </information>. You may search several \
                     times. When you know enough, think once more.",
                );
                if escalate {
                    text.push_str(
                        " If what you found disagrees, say what disagrees and between which sources, at most once, \
                         between <escalate> and </escalate>.",
                    );
                }
                if confidence {
                    // Writing to a text cannot fail.
                    let _ = write!(
                        text,
                        " Then state how likely your answer is right, as one number {scale} between <confidence> and \
                         </confidence>."
                    );
                }
                text.push_str(
                    " Last, give the answer alone between <answer> and </answer>, for example <answer> Lisbon \
                     </answer>, and write nothing after it.",
                );
            }
            Layout::Rlcr(order) => {
                text.push_str("Answer the question at the end. Think first and close that with </think>.");
                let answer = " Give the answer alone between <answer> and </answer>.";
                let analysis =
                    " Weigh what could be wrong with the answer between <analysis> and </analysis>.";
                let confidence = format!(
                    " State how likely the answer is right, as one number {scale} between <confidence> and \
                     </confidence>."
                );
                let parts: &[&str] = match order {
                    RlcrOrder::AnswerAnalysisConfidence => &[answer, analysis, &confidence],
                    RlcrOrder::AnalysisAnswerConfidence => &[analysis, answer, &confidence],
                    RlcrOrder::AnswerConfidence => &[answer, &confidence],
                    RlcrOrder::Answer => &[answer],
                };
                text.extend(parts.iter().copied());
                text.push_str(" Keep this order and write nothing else.");
            }
            Layout::Boxed { confidence } => {
                text.push_str(
                    r"Solve the problem at the end step by step. Put your final answer into \boxed{}. If the problem does not determine an answer, because something is missing or contradicts itself, write \boxed{<DATA_UNCERTAIN>} instead. If it has an answer that is beyond you, write \boxed{<MODEL_UNCERTAIN>}.",
                );
                if confidence {
                    let _ = write!(
                        text,
                        " State how likely the answer is right, as one number {scale} between <confidence> and \
                         </confidence>."
                    );
                }
            }
        }
        let noun = if self.is_boxed() { "Problem" } else { "Question" };
        let _ = write!(text, "\n\n{noun}: {}", question.trim());
        text
    }
}

fn scale_words(scale: Scale) -> String {
    match scale {
        Scale::Percent => "from 0 to 100".to_owned(),
        Scale::Range { min, max, .. } => format!("from {min} to {max}"),
        _ => "from 0 to 1".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a model writes that follows the instruction to the letter.
    const FOLLOWED: [(&str, &str); 9] = [
        (
            "search-r1",
            "<think>a</think><search>b</search><information>c</information><think>d</think><answer>e</answer>",
        ),
        ("search-r1-escalate", "<think>a</think><escalate>A says 1, B says 2</escalate><answer>e</answer>"),
        ("car", "<think>a</think><escalate>x</escalate><confidence>80</confidence><answer>e</answer>"),
        ("rlcr", "a</think><answer>b</answer><analysis>c</analysis><confidence>80</confidence>"),
        ("rlcr-tac", "a</think><answer>b</answer><confidence>80</confidence>"),
        ("rlcr-tbac", "a</think><analysis>c</analysis><answer>b</answer><confidence>80</confidence>"),
        ("rlcr-ta", "a</think><answer>b</answer>"),
        ("boxed", r"so \boxed{<DATA_UNCERTAIN>}"),
        ("boxed-confidence", r"so \boxed{7} <confidence>80</confidence>"),
    ];

    #[test]
    fn every_tag_of_a_good_response_was_explained() {
        for (name, response) in FOLLOWED {
            let protocol = Protocol::named(name, Scale::Percent).unwrap();
            let asked = protocol.instruction(" Why? ");
            assert!(protocol.read(response).is_valid(), "{name}");
            for tag in ["search", "information", "escalate", "confidence", "answer", "analysis"] {
                let opening = format!("<{tag}>");
                assert!(asked.contains(&opening) || !response.contains(&opening), "{name} {tag}");
            }
            assert_eq!(asked.contains("from 0 to 100"), protocol.asks_confidence(), "{name}");
            assert!(asked.ends_with(": Why?"), "{asked}");
        }
        assert_eq!(FOLLOWED.map(|(name, _)| name), Protocol::NAMES);
    }

    #[test]
    fn the_scale_is_said_as_it_is_read() {
        assert!(Protocol::car(Scale::Unit).instruction("q").contains("from 0 to 1 between"));
        let likert = Scale::range(1.0, 5.0).unwrap();
        assert!(Protocol::car(likert).instruction("q").contains("from 1 to 5 between"));
    }
}
