//! From the spans of a trace to one trajectory.
//!
//! 1. Model spans are ordered by start time. Those below a deeper agent or tool span are a sub-agent's.
//! 2. A model span's input repeats what was said; only what lies after the turns already known is new.
//! 3. A model span below another that has an output, or with a response id seen before, is the same
//!    generation recorded twice.
//! 4. Tool spans add the results and failures that no message carries.

use std::collections::{HashMap, HashSet};

use humbly_types::{ErrorOrigin, Problem, Role, StopKind, ToolResult, Trajectory, Usage, canonical_json};
use serde_json::Value;

use super::span::{Span, SpanKind, ToolRun};
use crate::builder::Builder;
use crate::formats::langchain::{add_usage, stop_of};
use crate::formats::message::{Call, Message, Part};
use crate::input::Input;
use crate::registry::Sink;

/// Farther up, no span is looked for (a cycle of parents ends here).
const HIGHEST_ANCESTOR: usize = 256;
/// Failures by which agent frameworks say that a limit of turns was reached.
const LIMIT_ERRORS: &[&str] =
    &["GraphRecursionError", "MaxTurnsExceeded", "UsageLimitExceeded", "recursion limit", "max turns"];

/// Gives the sink one trajectory for each conversation (or trace, where spans name no conversation).
pub(crate) fn emit_traces(format: &'static str, input: &Input, spans: Vec<Span>, sink: &mut dyn Sink) {
    let conversations: HashMap<String, String> =
        spans.iter().filter_map(|span| Some((span.trace.clone(), span.conversation.clone()?))).collect();
    let mut order: Vec<String> = Vec::new();
    let mut groups: HashMap<String, Vec<Span>> = HashMap::new();
    for span in spans {
        let key = conversations.get(&span.trace).unwrap_or(&span.trace).clone();
        let group = groups.entry(key.clone()).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(span);
    }
    for key in order {
        let Some(mut group) = groups.remove(&key) else { continue };
        // The end of a span is written first in some exports; equal starts keep the order of nesting.
        group.sort_by(|a, b| a.start.cmp(&b.start));
        let id = if key.is_empty() { input.stem().to_owned() } else { key };
        match trajectory(format, input, &id, &group, 0) {
            Ok(trajectory) => sink.trajectory(trajectory),
            Err(problem) => sink.problem(problem),
        }
    }
}

fn trajectory(
    format: &'static str,
    input: &Input,
    id: &str,
    spans: &[Span],
    level: usize,
) -> Result<Trajectory, Problem> {
    let tree = Tree::new(spans);
    let models: Vec<usize> = tree.model_spans();
    let own_depth = models.iter().map(|index| tree.boundaries(*index).len()).min().unwrap_or(0);
    let (own, below): (Vec<usize>, Vec<usize>) =
        models.into_iter().partition(|index| tree.boundaries(*index).len() == own_depth);
    let mut conversation = Conversation::default();
    for index in &own {
        conversation.add_model_span(&spans[*index]);
    }
    if conversation.entries.is_empty() {
        conversation.add_outermost(spans);
    }
    if !conversation.entries.iter().any(Entry::has_content) {
        return Err(without_content(input, id, own.len(), spans));
    }
    for (index, span) in spans.iter().enumerate() {
        if let Some(run) = span.tool.as_ref().filter(|_| span.kind == SpanKind::Tool)
            && tree.boundaries(index).len() <= own_depth
        {
            conversation.add_tool_run(run, span);
        }
    }
    let mut builder = Builder::new(format, &input.path, id);
    conversation.write(&mut builder);
    let meta = builder.meta();
    meta.run_id = spans.first().map(|span| span.trace.clone()).filter(|trace| !trace.is_empty());
    meta.agent = spans.iter().find_map(|span| span.agent.clone());
    meta.question = question(spans, &conversation);
    meta.children = children(format, input, id, spans, &tree, &below, own_depth, level);
    if let Some((kind, raw)) = stop(spans, &own) {
        builder.stop(kind, Some(raw));
    }
    Ok(builder.finish())
}

#[expect(clippy::too_many_arguments, reason = "one call site; a struct would only rename them")]
fn children(
    format: &'static str,
    input: &Input,
    id: &str,
    spans: &[Span],
    tree: &Tree<'_>,
    below: &[usize],
    own_depth: usize,
    level: usize,
) -> Vec<Trajectory> {
    if below.is_empty() || level > 16 {
        return Vec::new();
    }
    let mut order: Vec<usize> = Vec::new();
    let mut members: HashMap<usize, Vec<Span>> = HashMap::new();
    for (index, span) in spans.iter().enumerate() {
        if let Some(root) = tree.boundaries(index).get(own_depth) {
            members.entry(*root).or_default().push(span.clone());
        }
    }
    for index in below {
        if let Some(root) = tree.boundaries(*index).get(own_depth)
            && !order.contains(root)
        {
            order.push(*root);
        }
    }
    order
        .into_iter()
        .filter_map(|root| {
            let child = format!("{id}/{}", spans[root].id);
            trajectory(format, input, &child, members.get(&root)?, level + 1).ok()
        })
        .collect()
}

/// The prompt that the outermost span was given, where it stands in the conversation: tracers that know no
/// system role write the instructions as a user's message before it.
fn question(spans: &[Span], conversation: &Conversation<'_>) -> Option<String> {
    let outermost = spans.iter().find(|span| span.parent.is_none() && span.kind != SpanKind::Model)?;
    let prompts: Vec<&Message> =
        outermost.input.iter().filter(|message| message.role == Role::User).collect();
    // A state with several prompts is a log of several episodes.
    let [prompt] = prompts.as_slice() else { return None };
    let text = prompt.text();
    let is_said = conversation
        .entries
        .iter()
        .any(|entry| entry.message.role == Role::User && entry.message.text() == text);
    (is_said && !text.is_empty()).then_some(text)
}

fn without_content(input: &Input, id: &str, models: usize, spans: &[Span]) -> Problem {
    let message = if models == 0 {
        format!("trace `{id}` has {} spans and none is a call of a model", spans.len())
    } else {
        format!("trace `{id}` has {models} model spans and none holds messages, expected their content")
    };
    Problem::new(&*input.path, message).record(id.to_owned()).hint(
        "tracers record content only when told to: set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT \
         (or your tracer's own switch) and run again",
    )
}

fn stop<'a>(spans: &'a [Span], own: &[usize]) -> Option<(StopKind, &'a str)> {
    let limit = spans
        .iter()
        .filter_map(|span| span.error.as_deref())
        .find(|error| LIMIT_ERRORS.iter().any(|name| error.contains(name)));
    if let Some(error) = limit {
        return Some((StopKind::Limit, error));
    }
    let last = own.last().and_then(|index| spans.get(*index))?;
    match &last.error {
        Some(error) if last.output.is_empty() => Some((StopKind::Error, error)),
        _ => stop_of(last.finish.as_deref()?),
    }
}

/// Parents of spans.
struct Tree<'a> {
    spans: &'a [Span],
    above: Vec<Vec<usize>>,
    inside_model: Vec<bool>,
}

impl<'a> Tree<'a> {
    fn new(spans: &'a [Span]) -> Self {
        let by_id: HashMap<&str, usize> =
            spans.iter().enumerate().map(|(index, span)| (span.id.as_str(), index)).collect();
        let mut above = Vec::with_capacity(spans.len());
        let mut inside_model = Vec::with_capacity(spans.len());
        for span in spans {
            let mut chain = Vec::new();
            let mut is_inside = false;
            let mut parent = span.parent.as_deref();
            for _ in 0..HIGHEST_ANCESTOR {
                let Some(index) = parent.and_then(|id| by_id.get(id)) else { break };
                match spans[*index].kind {
                    SpanKind::Agent | SpanKind::Tool => chain.push(*index),
                    SpanKind::Model => is_inside |= !spans[*index].output.is_empty(),
                    SpanKind::Other => {}
                }
                parent = spans[*index].parent.as_deref();
            }
            chain.reverse();
            above.push(chain);
            inside_model.push(is_inside);
        }
        Self { spans, above, inside_model }
    }

    /// The agent and tool spans above a span, from the outermost.
    fn boundaries(&self, index: usize) -> &[usize] {
        self.above.get(index).map(Vec::as_slice).unwrap_or_default()
    }

    /// The model spans, each generation once.
    fn model_spans(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        (0..self.spans.len())
            .filter(|index| {
                let span = &self.spans[*index];
                span.kind == SpanKind::Model
                    && !self.inside_model[*index]
                    && span.response_id.as_deref().is_none_or(|id| seen.insert(id.to_owned()))
            })
            .collect()
    }
}

/// The messages so far, in order.
#[derive(Default)]
struct Conversation<'a> {
    entries: Vec<Entry<'a>>,
    warnings: Vec<(String, u64)>,
    /// Assistant turns among them.
    turns: usize,
}

struct Entry<'a> {
    message: Message,
    line: u64,
    /// The span that made it, on turns that a span made.
    span: Option<&'a Span>,
}

impl Entry<'_> {
    fn has_content(&self) -> bool {
        self.message.role == Role::Assistant && !self.message.parts.is_empty()
    }
}

impl<'a> Conversation<'a> {
    fn add_model_span(&mut self, span: &'a Span) {
        self.add_input(span);
        if span.output.is_empty() && span.error.is_some() {
            self.warnings.push(("a model call that failed".to_owned(), span.line));
            return;
        }
        if span.output.is_empty() {
            self.warnings.push(("a model span without content".to_owned(), span.line));
        }
        let are_choices = span.output.len() > 1
            && span.output.iter().all(|message| !message.is_item && message.role == Role::Assistant);
        if are_choices {
            self.warnings.push(("several choices, the first is read".to_owned(), span.line));
        }
        let taken = if are_choices { 1 } else { span.output.len() };
        for message in span.output.iter().take(taken) {
            self.push_output(message.clone(), span);
        }
        if span.output.is_empty() {
            self.push_output(Message::new(Role::Assistant), span);
        }
    }

    fn push_output(&mut self, mut message: Message, span: &'a Span) {
        if message.role == Role::Assistant {
            message.id = None;
            self.turns += 1;
        }
        self.entries.push(Entry { message, line: span.line, span: Some(span) });
    }

    /// Takes from a span's input what is new.
    fn add_input(&mut self, span: &Span) {
        let given = span.input.iter().filter(|message| message.role == Role::Assistant).count();
        let known = self.turns;
        if known > 0 && given >= known {
            let mut seen = 0;
            for message in &span.input {
                if seen == known {
                    self.push_input(message, span.line);
                } else if message.role == Role::Assistant {
                    seen += 1;
                }
            }
            return;
        }
        let is_first = self.entries.is_empty();
        for message in &span.input {
            if is_first || message.role != Role::Assistant && !self.holds(message) {
                self.push_input(message, span.line);
            }
        }
    }

    fn push_input(&mut self, message: &Message, line: u64) {
        if message.role == Role::Assistant {
            self.turns += 1;
        }
        let mut message = message.clone();
        message.id = None;
        self.entries.push(Entry { message, line, span: None });
    }

    fn holds(&self, message: &Message) -> bool {
        self.entries.iter().any(|entry| {
            entry.message.role == message.role
                && (entry.message.parts == message.parts
                    || message.results().next().is_some()
                        && message.results().all(|result| {
                            result.call_id.is_some()
                                && entry.message.results().any(|known| known.call_id == result.call_id)
                        }))
        })
    }

    /// Where no model span is recorded: the outermost span whose messages hold a turn.
    fn add_outermost(&mut self, spans: &'a [Span]) {
        let has_turn = |messages: &[Message]| messages.iter().any(|message| message.role == Role::Assistant);
        let Some(span) = spans.iter().find(|span| has_turn(&span.output) || has_turn(&span.input)) else {
            return;
        };
        // `LangGraph` returns the whole state; other chains return the answer alone.
        let repeats = span.output.len() > span.input.len()
            && span.input.iter().zip(&span.output).all(|(a, b)| a.role == b.role && a.parts == b.parts);
        if !repeats {
            for message in &span.input {
                self.push_input(message, span.line);
            }
        }
        for message in &span.output {
            self.push_input(message, span.line);
        }
    }

    /// Adds what a tool span returned, unless a message carries it.
    fn add_tool_run(&mut self, run: &ToolRun, span: &Span) {
        let Some((position, call_id)) = self.call_of(run) else {
            self.warnings.push(("a tool span that answers no call".to_owned(), span.line));
            return;
        };
        let failed = span.error.is_some().then_some((Some(true), ErrorOrigin::Status));
        if let Some(result) = self.result_mut(&call_id) {
            if let Some((flag, origin)) = failed.filter(|_| result.is_error.is_none()) {
                (result.is_error, result.error_origin) = (flag, origin);
            } else if let Some(known) = run.result.as_ref().filter(|_| result.is_error.is_none()) {
                (result.is_error, result.error_origin) = (known.is_error, known.error_origin);
            }
            return;
        }
        let mut result = match (&run.result, &span.error) {
            (Some(result), _) => result.clone(),
            (None, Some(error)) => ToolResult { text: error.clone(), ..ToolResult::default() },
            (None, None) => return,
        };
        result.call_id = Some(call_id);
        result.name = Some(run.name.clone());
        if let Some((flag, origin)) = failed {
            (result.is_error, result.error_origin) = (flag, origin);
        }
        let mut at = position + 1;
        while self.entries.get(at).is_some_and(|entry| entry.message.role == Role::Tool) {
            at += 1;
        }
        let mut message = Message::new(Role::Tool);
        message.parts.push(Part::Result(result));
        self.entries.insert(at, Entry { message, line: span.line, span: None });
    }

    /// The call that a tool run answers, and the position of its turn.
    fn call_of(&mut self, run: &ToolRun) -> Option<(usize, String)> {
        if let Some(id) = &run.call_id {
            let position = self
                .entries
                .iter()
                .position(|entry| entry.message.calls().any(|call| call.id.as_ref() == Some(id)));
            if let Some(position) = position {
                return Some((position, id.clone()));
            }
        }
        let wanted = run.arguments.as_deref().map(canonical);
        let answered: HashSet<String> = self
            .entries
            .iter()
            .flat_map(|entry| entry.message.results())
            .filter_map(|result| result.call_id.clone())
            .collect();
        let is_open = |call: &Call| call.id.as_ref().is_none_or(|id| !answered.contains(id));
        let same = |call: &Call| Some(canonical(&call.arguments)) == wanted;
        let find = |test: &dyn Fn(&Call) -> bool| {
            self.entries.iter().enumerate().find_map(|(position, entry)| {
                let call = entry.message.calls().position(|call| call.name == run.name && test(call))?;
                Some((position, call))
            })
        };
        let (position, number) = find(&|call| is_open(call) && same(call))
            .or_else(|| find(&|call| same(call)))
            .or_else(|| find(&is_open))?;
        let mut numbered = 0;
        for part in &mut self.entries.get_mut(position)?.message.parts {
            if let Part::Call(call) = part {
                if numbered == number {
                    let id = call.id.get_or_insert_with(|| format!("call-{position}-{number}"));
                    return Some((position, id.clone()));
                }
                numbered += 1;
            }
        }
        None
    }

    fn result_mut(&mut self, call_id: &str) -> Option<&mut ToolResult> {
        self.entries.iter_mut().flat_map(|entry| &mut entry.message.parts).find_map(|part| match part {
            Part::Result(result) if result.call_id.as_deref() == Some(call_id) => Some(result),
            _ => None,
        })
    }

    fn write(&self, builder: &mut Builder) {
        let mut usage = Usage::default();
        for entry in &self.entries {
            let Some(index) = entry.message.add_to(builder, entry.line) else { continue };
            let (Some(span), Role::Assistant) = (entry.span, entry.message.role) else { continue };
            let counts = span.usage.or(entry.message.usage);
            add_usage(&mut usage, counts);
            if let Some(step) = builder.step(index) {
                step.usage = counts;
                step.generation_id = span.response_id.clone().or_else(|| Some(span.id.clone()));
                step.timestamp.clone_from(&span.timestamp);
                step.model = span.model.clone().or_else(|| entry.message.model.clone());
                step.flags.aborted = span.is_output_cut;
            }
        }
        for (warning, line) in &self.warnings {
            builder.warn(warning.as_str(), *line);
        }
        builder.meta().usage = usage;
    }
}

fn canonical(arguments: &str) -> String {
    serde_json::from_str::<Value>(arguments)
        .map_or_else(|_| arguments.to_owned(), |value| canonical_json(&value))
}
