//! A rule made ready: patterns compiled, texts cut at their places.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use regex::Regex;
use serde_json::Value;

use super::rule::{ReplyRule, Rule, RuleError, TextMatch, When};
use super::template::{Template, Values};
use crate::{ChatMessage, ChatReply, ChatRequest, ChatRole, Finish, RequestedCall, Result};

/// What rules look at in a request, found once.
pub(super) struct Seen<'a> {
    pub(super) user: &'a str,
    request: &'a ChatRequest,
    turn: usize,
    tools_called: bool,
}

impl<'a> Seen<'a> {
    pub(super) fn of(request: &'a ChatRequest) -> Self {
        let assistants = || request.messages.iter().filter(|message| message.role == ChatRole::Assistant);
        Self {
            user: last(&request.messages, ChatRole::User).unwrap_or_default(),
            request,
            turn: assistants().count(),
            tools_called: assistants().any(|message| !message.calls.is_empty()),
        }
    }
}

fn last(messages: &[ChatMessage], role: ChatRole) -> Option<&str> {
    messages.iter().rev().find(|message| message.role == role).map(|message| message.content.as_str())
}

pub(super) struct CompiledRule {
    when: CompiledWhen,
    answer: Answer,
    delay: Option<Duration>,
    times: Option<Times>,
}

struct Times {
    most: u64,
    used: AtomicU64,
}

enum Answer {
    Error(RuleError),
    Reply(Box<CompiledReply>),
}

struct CompiledReply {
    text: Template,
    reasoning: Option<Template>,
    calls: Vec<CompiledCall>,
    needs_values: bool,
    rule: ReplyRule,
}

struct CompiledCall {
    id: Option<String>,
    name: String,
    arguments: Arguments,
}

/// A string is filled as it stands, a table in its strings, so that captured quotes stay JSON.
enum Arguments {
    Raw(Template),
    Table(Value, Vec<String>),
}

struct CompiledWhen {
    user: Option<Pattern>,
    any: Option<Pattern>,
    system: Option<Pattern>,
    tool_result: Option<Pattern>,
    model: Option<Pattern>,
    rest: When,
}

enum Pattern {
    Contains(String),
    Regex(Regex),
}

impl CompiledRule {
    pub(super) fn new(rule: Rule) -> Result<Self, String> {
        let delay = match rule.delay_seconds {
            None => None,
            Some(seconds) => Some(
                Duration::try_from_secs_f64(seconds)
                    .map_err(|error| format!("delay_seconds {seconds}: {error}"))?,
            ),
        };
        let when = CompiledWhen::new(rule.when)?;
        let answer = match (rule.reply, rule.error) {
            (Some(reply), None) => Answer::Reply(Box::new(CompiledReply::new(reply, &when.names())?)),
            (None, Some(error)) => Answer::Error(error),
            (None, None) => return Err("it has neither `reply` nor `error`".to_owned()),
            (Some(_), Some(_)) => {
                return Err("it has `reply` and `error`: expected one of them".to_owned());
            }
        };
        let times = rule.times.map(|most| Times { most, used: AtomicU64::new(0) });
        Ok(Self { when, answer, delay, times })
    }

    /// The substring without which the rule cannot match.
    pub(super) fn anchor(&self) -> Option<&str> {
        match &self.when.user {
            Some(Pattern::Contains(text)) => Some(text),
            _ => None,
        }
    }

    /// Delay and answer, `None` where the rule does not match.
    pub(super) fn answer(&self, seen: &Seen<'_>) -> Option<(Option<Duration>, Result<ChatReply>)> {
        if !self.when.holds(seen) {
            return None;
        }
        if let Some(times) = &self.times
            && times.used.fetch_add(1, Ordering::Relaxed) >= times.most
        {
            return None;
        }
        let answer = match &self.answer {
            Answer::Error(error) => Err(error.raise(&seen.request.model)),
            Answer::Reply(reply) => Ok(reply.fill(seen, &self.when)),
        };
        Some((self.delay, answer))
    }
}

impl CompiledWhen {
    fn new(mut when: When) -> Result<Self, String> {
        Ok(Self {
            user: Pattern::new(when.user.take())?,
            any: Pattern::new(when.any.take())?,
            system: Pattern::new(when.system.take())?,
            tool_result: Pattern::new(when.tool_result.take())?,
            model: Pattern::new(when.model.take())?,
            rest: when,
        })
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        [&self.user, &self.any, &self.system, &self.tool_result, &self.model].into_iter().flatten()
    }

    /// Names that a reply may use.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = ["user", "sample", "turn"].map(str::to_owned).into();
        for pattern in self.patterns() {
            if let Pattern::Regex(regex) = pattern {
                let groups = regex.capture_names().enumerate();
                names.extend(groups.map(|(index, name)| name.map_or(index.to_string(), str::to_owned)));
                names.extend((0..regex.captures_len()).map(|index| index.to_string()));
            }
        }
        names.sort();
        names.dedup();
        names
    }

    fn holds(&self, seen: &Seen<'_>) -> bool {
        let request = seen.request;
        let rest = &self.rest;
        rest.turn.is_none_or(|turn| turn == seen.turn)
            && rest.sample.is_none_or(|sample| sample == request.sample_index)
            && rest.tools_called.is_none_or(|called| called == seen.tools_called)
            && rest.offers.as_ref().is_none_or(|name| request.tools.iter().any(|tool| tool.name == *name))
            && self.texts(seen).all(|(pattern, text)| text.is_some_and(|text| pattern.is_match(text)))
    }

    /// Each pattern with the text in which it is looked for: the first that matches, where several stand.
    fn texts<'a>(&'a self, seen: &Seen<'a>) -> impl Iterator<Item = (&'a Pattern, Option<&'a str>)> {
        let messages = &seen.request.messages;
        let matching = move |pattern: &Pattern, accept: fn(ChatRole) -> bool| {
            messages
                .iter()
                .filter(|message| accept(message.role))
                .map(|message| message.content.as_str())
                .find(|text| pattern.is_match(text))
        };
        let user = self.user.as_ref().map(|pattern| (pattern, Some(seen.user)));
        let any =
            self.any.as_ref().map(|pattern| (pattern, matching(pattern, |role| role != ChatRole::System)));
        let system =
            self.system.as_ref().map(|pattern| (pattern, matching(pattern, |role| role == ChatRole::System)));
        let tool = self.tool_result.as_ref().map(|pattern| (pattern, last(messages, ChatRole::Tool)));
        let model = self.model.as_ref().map(|pattern| (pattern, Some(seen.request.model.as_str())));
        [user, any, system, tool, model].into_iter().flatten()
    }

    /// Numbers belong to the first regex of the rule, names to all.
    fn captures<'a>(&'a self, seen: &Seen<'a>) -> Values<'a> {
        let mut values = Values::new();
        for (pattern, text) in self.texts(seen) {
            let (Pattern::Regex(regex), Some(text)) = (pattern, text) else { continue };
            let Some(captures) = regex.captures(text) else { continue };
            for (index, name) in regex.capture_names().enumerate() {
                let Some(found) = captures.get(index) else { continue };
                values.entry(index.to_string()).or_insert(found.as_str());
                if let Some(name) = name {
                    values.entry(name.to_owned()).or_insert(found.as_str());
                }
            }
        }
        values
    }
}

impl Pattern {
    fn new(text: Option<TextMatch>) -> Result<Option<Self>, String> {
        Ok(match text {
            None => None,
            Some(TextMatch::Contains(text)) => Some(Self::Contains(text)),
            Some(TextMatch::Regex { regex }) => {
                Some(Self::Regex(Regex::new(&regex).map_err(|error| error.to_string())?))
            }
        })
    }

    fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Contains(part) => text.contains(part.as_str()),
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

impl CompiledReply {
    fn new(mut rule: ReplyRule, names: &[String]) -> Result<Self, String> {
        let text = Template::new(&rule.text, names)?;
        let reasoning =
            rule.reasoning.as_ref().map(|reasoning| Template::new(reasoning, names)).transpose()?;
        let calls = std::mem::take(&mut rule.calls)
            .into_iter()
            .map(|call| {
                let arguments = match call.arguments {
                    Value::Null => Arguments::Raw(Template::new("{}", names)?),
                    Value::String(raw) => Arguments::Raw(Template::new(&raw, names)?),
                    table => {
                        fill_strings(&table, &mut |text| Template::new(text, names).map(|_| String::new()))?;
                        Arguments::Table(table, names.to_vec())
                    }
                };
                Ok(CompiledCall { id: call.id, name: call.name, arguments })
            })
            .collect::<Result<Vec<_>, String>>()?;
        let needs_values =
            text.has_places() || reasoning.as_ref().is_some_and(Template::has_places) || !calls.is_empty();
        Ok(Self { text, reasoning, calls, needs_values, rule })
    }

    fn fill(&self, seen: &Seen<'_>, when: &CompiledWhen) -> ChatReply {
        let (sample, turn) = (seen.request.sample_index.to_string(), seen.turn.to_string());
        let mut values = Values::new();
        if self.needs_values {
            values = when.captures(seen);
            for (name, value) in [("user", seen.user), ("sample", &sample), ("turn", &turn)] {
                values.entry(name.to_owned()).or_insert(value);
            }
        }
        let calls: Vec<RequestedCall> = self
            .calls
            .iter()
            .enumerate()
            .map(|(index, call)| RequestedCall {
                id: call.id.clone().unwrap_or_else(|| format!("call_{turn}_{index}")),
                name: call.name.clone(),
                arguments: call.arguments.fill(&values),
            })
            .collect();
        let likelihood = |text: &String| self.rule.likelihoods.get(text).copied();
        let likelihoods = seen.request.continuations.iter().map(likelihood).collect::<Option<Vec<f64>>>();
        let ended = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
        ChatReply {
            text: self.text.fill(&values),
            reasoning: self.reasoning.as_ref().map(|reasoning| reasoning.fill(&values)),
            calls,
            finish: self.rule.finish.clone().unwrap_or(ended),
            usage: self.rule.usage,
            likelihoods: likelihoods.unwrap_or_default(),
            logprobs: self.rule.logprobs.clone().filter(|_| seen.request.sampling.logprobs),
            model: Some(seen.request.model.clone()),
            ..ChatReply::default()
        }
    }
}

impl Arguments {
    fn fill(&self, values: &Values<'_>) -> String {
        match self {
            Self::Raw(template) => template.fill(values),
            Self::Table(table, names) => {
                let mut fill = |text: &str| Template::new(text, names).map(|template| template.fill(values));
                fill_strings(table, &mut fill).unwrap_or_else(|_| table.clone()).to_string()
            }
        }
    }
}

/// The value with every string in it replaced.
fn fill_strings(
    value: &Value,
    fill: &mut impl FnMut(&str) -> Result<String, String>,
) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => Value::String(fill(text)?),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| fill_strings(item, fill)).collect::<Result<_, _>>()?)
        }
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, item)| Ok((key.clone(), fill_strings(item, fill)?)))
                .collect::<Result<_, String>>()?,
        ),
        other => other.clone(),
    })
}
