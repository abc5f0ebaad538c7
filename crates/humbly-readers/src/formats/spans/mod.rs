//! Traces: spans of any tracer become one conversation.
//!
//! A model span repeats the whole conversation in its input; only what is new in it is taken, and its output
//! is the turn. Spans of tools supply the results and failures that no later model span repeats.

mod conversation;
mod langfuse;
mod otlp;
mod span;
mod truncated_json;

pub(crate) use conversation::emit_traces;
pub(crate) use langfuse::{is_langfuse, langfuse_spans, metadata_mentions, tool_output};
pub(crate) use otlp::{base_span, is_span, span_values};
pub(crate) use span::{Attributes, Span, SpanKind, ToolRun};
pub(crate) use truncated_json::{Parsed, parse_attribute};
