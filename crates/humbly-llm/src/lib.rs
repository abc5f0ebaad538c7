//! Chat clients and the layers around them.
//!
//! [`ChatClient`] is the one door to a model: providers implement it, and so does every layer that stands
//! around a provider, so that each can be tested alone and stacked in any order. A call that fails is an
//! error with its reason; it never becomes an answer.

mod chat;
mod client;
mod error;
mod key;
pub mod layers;
mod outlook;
mod prices;
pub mod providers;
mod scripted;
mod secret;
mod tool_text;

pub use chat::{
    ChatMessage, ChatReply, ChatRequest, ChatRole, Finish, ReasoningEffort, ReplySource, RequestedCall,
    Sampling, TokenLogprob, ToolSpec,
};
pub use client::ChatClient;
pub use error::{ChatError, Result, hint_for};
pub use key::{Endpoint, RequestKey};
pub use outlook::{GivenUp, Outlook};
pub use prices::{Price, Prices, estimated_tokens};
pub use scripted::{ReplyCall, ReplyRule, Rule, RuleError, ScriptedClient, TextMatch, When};
pub use secret::Secret;
pub use tool_text::{read_tool_text, with_tools_as_text};
