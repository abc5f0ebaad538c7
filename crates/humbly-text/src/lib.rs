//! Answers, confidences, boxed and tagged spans, think blocks and answer matching in text.
