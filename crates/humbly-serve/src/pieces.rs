//! A whole reply as the events of a stream.

use humbly_llm::ChatReply;
use serde_json::{Value, json};

use crate::answer::{Envelope, calls, finish, logprobs, usage};

/// Longest piece in characters, where the text has no spaces.
const LONGEST: usize = 64;

impl Envelope {
    /// The data of each event, without the closing `[DONE]`.
    pub(crate) fn pieces(&self, replies: &[ChatReply], with_usage: bool) -> Vec<Value> {
        let mut events = Vec::new();
        for (index, reply) in replies.iter().enumerate() {
            let mut push = |delta: Value, logprobs: Value, finish: Option<&str>| {
                let choice =
                    json!({"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": finish});
                events.push(self.event(&json!([choice]), with_usage.then_some(Value::Null)));
            };
            push(json!({"role": "assistant", "content": ""}), Value::Null, None);
            if let Some(reasoning) = &reply.reasoning {
                push(json!({"reasoning_content": reasoning}), Value::Null, None);
            }
            for (number, piece) in cut(&reply.text).into_iter().enumerate() {
                let logprobs = if number == 0 { logprobs(reply) } else { Value::Null };
                push(json!({"content": piece}), logprobs, None);
            }
            for (number, mut call) in calls(reply).enumerate() {
                call["index"] = json!(number);
                push(json!({"tool_calls": [call]}), Value::Null, None);
            }
            push(json!({}), Value::Null, Some(finish(reply)));
        }
        if with_usage {
            events.push(self.event(&json!([]), Some(usage(replies))));
        }
        events
    }

    fn event(&self, choices: &Value, usage: Option<Value>) -> Value {
        let mut event = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "choices": choices,
        });
        if let Some(usage) = usage {
            event["usage"] = usage;
        }
        event
    }
}

/// Pieces that together are the text.
fn cut(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    for word in text.split_inclusive(char::is_whitespace) {
        let mut letters = word.chars().peekable();
        while letters.peek().is_some() {
            pieces.push(letters.by_ref().take(LONGEST).collect());
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_are_the_text(text in ".{0,300}") {
            prop_assert_eq!(cut(&text).concat(), text);
        }
    }
}
