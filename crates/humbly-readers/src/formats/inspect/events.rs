//! What only the events of a sample hold: results after a limit, turns before a compaction, sub-agents.

use std::collections::{HashMap, HashSet};

use humbly_types::Trajectory;
use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::attachments::Attachments;
use super::messages::{Conversation, Identity, ToolError};
use super::sample::{Output, Surroundings};
use crate::builder::Builder;
use crate::fields::{Flag, Text};

/// More messages than this are not put together from pool references (they may repeat one another).
const MOST_MESSAGES: usize = 1 << 20;
/// Spans nest a few deep; a longer chain is a cycle.
const DEEPEST_SPAN: usize = 64;

/// Whether the events must be parsed, seen without parsing them.
pub(super) struct Hints {
    /// The conversation was compacted: `messages` lacks its beginning.
    pub(super) is_compacted: bool,
    /// Agents inside agents.
    pub(super) has_sub_agents: bool,
}

impl Hints {
    pub(super) fn of(events: &str) -> Self {
        let bytes = events.as_bytes();
        let agents = [&br#""type":"agent""#[..], br#""type": "agent""#]
            .iter()
            .map(|needle| memmem::find_iter(bytes, needle).take(2).count())
            .sum::<usize>();
        let is_compacted = [&br#""event":"compaction""#[..], br#""event": "compaction""#]
            .iter()
            .any(|needle| memmem::find(bytes, needle).is_some());
        Self { is_compacted, has_sub_agents: agents >= 2 }
    }
}

#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(borrow, default, rename = "event")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    span_id: Text<'a>,
    #[serde(borrow, default)]
    parent_id: Text<'a>,
    #[serde(borrow, default, rename = "type")]
    of: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    action: Text<'a>,
    #[serde(borrow, default)]
    function: Text<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    input_refs: Option<Vec<(usize, usize)>>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(default)]
    pending: Flag,
}

struct Span<'a> {
    parent: Text<'a>,
    kind: Text<'a>,
    name: Text<'a>,
}

/// Whose generation an event records.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Owner {
    Agent,
    SubAgent(String),
    Scorer,
}

/// The parsed events of a sample.
pub(super) struct Events<'a> {
    list: Vec<Event<'a>>,
    pool: Vec<&'a RawValue>,
    spans: HashMap<String, Span<'a>>,
}

impl<'a> Events<'a> {
    /// Parses raw events; those of an unknown form are left out.
    pub(super) fn new(raw: &[&'a RawValue], pool: Vec<&'a RawValue>) -> Self {
        let list: Vec<Event<'a>> =
            raw.iter().filter_map(|event| serde_json::from_str(event.get()).ok()).collect();
        let mut spans = HashMap::new();
        for event in &list {
            if event.kind.get() == Some("span_begin")
                && let Some(id) = event.id.get()
            {
                let span = Span {
                    parent: event.parent_id.clone(),
                    kind: event.of.clone(),
                    name: event.name.clone(),
                };
                spans.insert(id.to_owned(), span);
            }
        }
        Self { list, pool, spans }
    }

    /// The whole conversation of the agent: what its generations saw and said, then what is left of
    /// `messages`. Of two copies the final one stands, but for results, which a compaction may have cut.
    pub(super) fn conversation(&self, messages: &[&'a RawValue]) -> Vec<&'a RawValue> {
        let finals: HashMap<String, &'a RawValue> =
            messages.iter().filter_map(|raw| Some((identity(raw)?.id.owned()?, *raw))).collect();
        let generations = self.generations().filter(|(owner, _)| *owner == Owner::Agent);
        let from_events = self.messages_of(generations.map(|(_, event)| event));
        let mut all = Vec::new();
        let mut seen = HashSet::new();
        for raw in from_events.into_iter().chain(messages.iter().copied()) {
            let Some(message) = identity(raw) else { continue };
            let key = message.id.get().unwrap_or(raw.get());
            if seen.insert(key.to_owned()) {
                let is_tool = message.role.get() == Some("tool");
                all.push(finals.get(key).filter(|_| !is_tool).copied().unwrap_or(raw));
            }
        }
        all
    }

    /// Results of `open` calls that only events hold, as after a limit.
    pub(super) fn add_late_results(
        &self,
        conversation: &mut Conversation<'_, '_>,
        open: &[String],
        line: u64,
    ) {
        let mut open: HashSet<&str> = open.iter().map(String::as_str).collect();
        let last_generation =
            self.list.iter().rposition(|event| event.kind.get() == Some("model") && !self.is_scorer(event));
        let late = last_generation.and_then(|index| self.list.get(index..)).unwrap_or(&self.list);
        for event in late {
            let Some(id) = event.id.get() else { continue };
            let is_tool = event.kind.get() == Some("tool");
            let is_done = !event.pending.is_set() && (event.result.is_some() || event.error.is_some());
            if is_tool && is_done && open.remove(id) {
                let error: Option<ToolError<'_>> =
                    event.error.and_then(|raw| serde_json::from_str(raw.get()).ok().flatten());
                conversation.event_result(id, event.function.get(), event.result, error.as_ref(), line);
            }
        }
    }

    /// Agents inside the agent whose turns are no part of `messages`.
    pub(super) fn sub_agents(
        &self,
        messages: &[&'a RawValue],
        parent: &str,
        attachments: &Attachments<'a>,
        around: &Surroundings<'_>,
    ) -> Vec<Trajectory> {
        let main: HashSet<String> = messages.iter().filter_map(|raw| identity(raw)?.id.owned()).collect();
        let mut order: Vec<String> = Vec::new();
        let mut by_span: HashMap<String, Vec<&Event<'a>>> = HashMap::new();
        for (owner, event) in self.generations() {
            if let Owner::SubAgent(span) = owner {
                let list = by_span.entry(span.clone()).or_default();
                if list.is_empty() {
                    order.push(span);
                }
                list.push(event);
            }
        }
        let mut children = Vec::new();
        for span in order {
            let events = by_span.remove(&span).unwrap_or_default();
            let is_handed_off = events.iter().all(|event| {
                let said = output_message(event).and_then(|raw| identity(raw)?.id.0);
                said.is_some_and(|id| main.contains(&*id))
            });
            if is_handed_off {
                continue;
            }
            let name = self.spans.get(&span).and_then(|span| span.name.get()).unwrap_or("agent");
            let id = format!("{parent}/{name}-{}", children.len() + 1);
            let mut builder = Builder::new(around.format, around.path, id);
            builder.set_file(&around.place);
            builder.meta().agent = Some(name.to_owned());
            let mut conversation = Conversation::new(&mut builder, attachments);
            let mut line = 0;
            for raw in self.messages_of(events.iter().copied()) {
                line += 1;
                conversation.add(raw, line);
            }
            let open = conversation.unanswered();
            self.add_late_results(&mut conversation, &open, line + 1);
            children.push(builder.finish());
        }
        children
    }

    /// Generations with their owner, in order.
    fn generations(&self) -> impl Iterator<Item = (Owner, &Event<'a>)> {
        // Logs of 2024 have `step` events in the place of spans.
        let mut scorer_steps = 0_usize;
        self.list.iter().filter_map(move |event| {
            match (event.kind.get(), event.of.get()) {
                (Some("step"), Some("scorer")) => match event.action.get() {
                    Some("begin") => scorer_steps += 1,
                    _ => scorer_steps = scorer_steps.saturating_sub(1),
                },
                (Some("model"), _) => {
                    let owner = if scorer_steps > 0 { Owner::Scorer } else { self.owner(event) };
                    return Some((owner, event));
                }
                _ => {}
            }
            None
        })
    }

    fn owner(&self, event: &Event<'a>) -> Owner {
        let mut nearest: Option<&str> = None;
        let mut is_nested = false;
        let mut next = event.span_id.get();
        for _ in 0..DEEPEST_SPAN {
            let Some((id, span)) = next.and_then(|id| Some((id, self.spans.get(id)?))) else { break };
            match span.kind.get() {
                Some("scorer" | "scorers") => return Owner::Scorer,
                Some("agent") if nearest.is_none() => nearest = Some(id),
                Some("agent" | "tool") if nearest.is_some() => is_nested = true,
                _ => {}
            }
            next = span.parent.get();
        }
        match nearest {
            Some(span) if is_nested => Owner::SubAgent(span.to_owned()),
            _ => Owner::Agent,
        }
    }

    fn is_scorer(&self, event: &Event<'a>) -> bool {
        self.owner(event) == Owner::Scorer
    }

    /// What generations saw (pool references resolved, each once) and said, each message once.
    fn messages_of<'e>(&self, generations: impl Iterator<Item = &'e Event<'a>>) -> Vec<&'a RawValue>
    where
        'a: 'e,
    {
        let mut unseen = Unseen::default();
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        let mut add = |raw: &'a RawValue| {
            let id = identity(raw).and_then(|message| message.id.0);
            if seen.insert(id.as_deref().unwrap_or(raw.get()).to_owned()) {
                all.push(raw);
            }
        };
        for event in generations {
            let inline: Vec<&'a RawValue> =
                event.input.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
            inline.into_iter().for_each(&mut add);
            for (start, end) in event.input_refs.iter().flatten() {
                unseen.take(*start, (*end).min(self.pool.len()), |index| {
                    if let Some(raw) = self.pool.get(index) {
                        add(raw);
                    }
                });
            }
            output_message(event).into_iter().for_each(&mut add);
        }
        all
    }
}

/// Indexes not yet taken, so that references that grow turn by turn cost their new part only.
#[derive(Default)]
struct Unseen {
    next: HashMap<usize, usize>,
}

impl Unseen {
    fn take(&mut self, start: usize, end: usize, mut each: impl FnMut(usize)) {
        let mut index = self.skip(start);
        while index < end {
            each(index);
            self.next.insert(index, index + 1);
            index = self.skip(index + 1);
        }
    }

    /// The first index from `index` on that was not taken; the way there is shortened.
    fn skip(&mut self, index: usize) -> usize {
        let mut end = index;
        while let Some(next) = self.next.get(&end) {
            end = *next;
        }
        let mut at = index;
        while let Some(next) = self.next.get_mut(&at).filter(|next| **next != end) {
            at = std::mem::replace(next, end);
        }
        end
    }
}

/// The part of a pool that a reference names, clamped to it.
pub(super) fn ranges<'p, 'a>(pool: &'p [&'a RawValue], start: usize, end: usize) -> &'p [&'a RawValue] {
    let end = end.min(pool.len()).min(start.saturating_add(MOST_MESSAGES));
    pool.get(start.min(end)..end).unwrap_or_default()
}

fn output_message<'a>(event: &Event<'a>) -> Option<&'a RawValue> {
    let output: Output<'a> = serde_json::from_str(event.output?.get()).ok()?;
    output.choices.first().map(|choice| choice.message)
}

fn identity(raw: &RawValue) -> Option<Identity<'_>> {
    serde_json::from_str(raw.get()).ok()
}
