//! From records to a trajectory: one place where generations become turns and results find their calls.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use humbly_text::think;
use humbly_types::{
    FinalAnswer, Location, Reasoning, ReasoningOrigin, Role, Step, Stop, StopKind, ToolCall, ToolResult,
    Trajectory, Truncation, Warning,
};

use crate::final_answer;

/// Tools that only think: their argument is reasoning, and they are no call.
const THINK_TOOLS: &[&str] = &["think", "sequentialthinking", "sequential_thinking", "thinking"];
/// Argument names of those tools.
const THINK_ARGUMENTS: &[&str] = &["thought", "thinking", "thoughts", "text", "content"];

/// A tool call as a log gives it.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallDraft<'a> {
    /// Its id; made from turn and position where absent.
    pub id: Option<&'a str>,
    /// Tool name.
    pub name: &'a str,
    /// Arguments: the raw string of the log, or the JSON text of an object.
    pub arguments: &'a str,
    /// Whether the provider ran it.
    pub server_side: bool,
}

/// Builds one trajectory from the records of a log, in their order.
///
/// Steps are named by their index, which [`Builder::assistant`], [`Builder::user`] and [`Builder::system`]
/// return. Turn numbers are given at the end, so that marks set meanwhile (copied, synthetic) count.
pub struct Builder {
    trajectory: Trajectory,
    steps: Vec<Step>,
    generations: HashMap<String, usize>,
    silent_calls: HashSet<String>,
    known_calls: HashSet<(usize, String)>,
    warnings: HashMap<String, usize>,
    file: Arc<str>,
}

impl Builder {
    /// Starts a trajectory of `format` read from `path`.
    pub fn new(format: &'static str, path: &Arc<str>, id: impl Into<String>) -> Self {
        let trajectory = Trajectory::new(format, path, id);
        Self {
            trajectory,
            steps: Vec::new(),
            generations: HashMap::new(),
            silent_calls: HashSet::new(),
            known_calls: HashSet::new(),
            warnings: HashMap::new(),
            file: Arc::clone(path),
        }
    }

    /// The metadata, to be filled by the reader.
    pub fn meta(&mut self) -> &mut Trajectory {
        &mut self.trajectory
    }

    /// From now on, steps stand in this file (or archive member).
    pub fn set_file(&mut self, file: &Arc<str>) {
        self.file = Arc::clone(file);
    }

    /// The step at an index, to set time, usage, model or flags. Out of range: the last step is not touched.
    pub fn step(&mut self, index: usize) -> Option<&mut Step> {
        self.steps.get_mut(index)
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The step of this generation: the one that exists, else a new one. `None` is always a new turn.
    pub fn assistant(&mut self, generation: Option<&str>, line: u64) -> usize {
        if let Some(index) = generation.and_then(|id| self.generations.get(id)) {
            return *index;
        }
        let index = self.push(Role::Assistant, line);
        if let Some(id) = generation {
            self.generations.insert(id.to_owned(), index);
            self.steps[index].generation_id = Some(id.to_owned());
        }
        index
    }

    /// The step of a generation that was added before.
    pub fn generation(&self, id: &str) -> Option<usize> {
        self.generations.get(id).copied()
    }

    /// A message of role user: a prompt, unless the reader marks it.
    pub fn user(&mut self, text: impl Into<String>, line: u64) -> usize {
        let index = self.push(Role::User, line);
        self.steps[index].visible = text.into();
        index
    }

    /// A system message.
    pub fn system(&mut self, text: impl Into<String>, line: u64) -> usize {
        let index = self.push(Role::System, line);
        self.steps[index].visible = text.into();
        index
    }

    /// Adds text of the agent; think blocks inside become reasoning. Pieces are joined by `separator`.
    pub fn text(&mut self, index: usize, text: &str, separator: &str) {
        let split = think::split(text);
        for reasoning in &split.reasoning {
            self.reasoning(index, reasoning, ReasoningOrigin::Inline);
        }
        let visible = split.visible.trim_matches('\n');
        if visible.trim().is_empty() {
            return;
        }
        if let Some(step) = self.steps.get_mut(index) {
            if !step.visible.is_empty() {
                step.visible.push_str(separator);
            }
            step.visible.push_str(visible);
        }
    }

    /// Adds reasoning; a text that the step holds already (a copy in another field) is added once.
    pub fn reasoning(&mut self, index: usize, text: &str, origin: ReasoningOrigin) {
        let text = text.trim();
        if text.is_empty() && origin.is_readable() {
            return;
        }
        if let Some(step) = self.steps.get_mut(index) {
            let is_known = step.reasoning.iter().any(|known| known.text == text && !text.is_empty());
            if !is_known {
                step.reasoning.push(Reasoning { text: text.to_owned(), origin });
            }
        }
    }

    /// Adds a call. A tool that only thinks becomes reasoning; its result is dropped. A call whose id the
    /// step holds already (a repeated line) is added once.
    pub fn call(&mut self, index: usize, draft: CallDraft<'_>) {
        self.call_with_id(index, draft);
    }

    /// [`Builder::call`] that returns the id by which a result names the call.
    pub fn call_with_id(&mut self, index: usize, draft: CallDraft<'_>) -> String {
        let Some(step) = self.steps.get(index) else { return String::new() };
        let position = step.calls.len();
        let id = draft.id.map_or_else(|| format!("call-{index}-{position}"), str::to_owned);
        if !self.known_calls.insert((index, id.clone())) && draft.id.is_some() {
            return id;
        }
        if let Some(thought) = thought_of(draft.name, draft.arguments) {
            self.silent_calls.insert(id.clone());
            self.reasoning(index, &thought, ReasoningOrigin::ThinkTool);
            return id;
        }
        self.steps[index].calls.push(ToolCall {
            id: id.clone(),
            id_synthetic: draft.id.is_none(),
            name: draft.name.to_owned(),
            arguments: draft.arguments.to_owned(),
            effective_arguments: None,
            server_side: draft.server_side,
            ends_run: final_answer::finish_origin(draft.name).is_some(),
        });
        id
    }

    /// Adds a result. Without a call id it answers the oldest unanswered call of the last assistant step
    /// (of the same name, where the result names one). Results in a row share one step.
    pub fn result(&mut self, mut result: ToolResult, line: u64) {
        if result.call_id.is_none() {
            result.call_id = self.oldest_unanswered(result.name.as_deref());
        }
        if result.call_id.as_deref().is_some_and(|id| self.silent_calls.contains(id)) {
            return;
        }
        let index = match self.steps.last() {
            Some(step) if step.role == Role::Tool => self.steps.len() - 1,
            _ => self.push(Role::Tool, line),
        };
        self.steps[index].results.push(result);
    }

    /// Id of the oldest call of the last assistant step that has no result yet.
    pub fn oldest_unanswered(&self, name: Option<&str>) -> Option<String> {
        let last = self.steps.iter().rposition(|step| step.role == Role::Assistant)?;
        let answered: HashSet<&str> = self.steps[last..]
            .iter()
            .flat_map(|step| &step.results)
            .filter_map(|result| result.call_id.as_deref())
            .collect();
        let open = || self.steps[last].calls.iter().filter(|call| !answered.contains(call.id.as_str()));
        open()
            .find(|call| name.is_none_or(|name| call.name == name))
            .or_else(|| open().next())
            .map(|call| call.id.clone())
    }

    /// Counts a record that was passed over.
    pub fn warn(&mut self, message: impl Into<String>, line: u64) {
        let message = message.into();
        if let Some(warning) =
            self.warnings.get(&message).and_then(|index| self.trajectory.warnings.get_mut(*index))
        {
            warning.count += 1;
            return;
        }
        self.warnings.insert(message.clone(), self.trajectory.warnings.len());
        self.trajectory.warnings.push(Warning { message, line, count: 1 });
    }

    /// Marks the whole as ended by `kind`; a limit also means truncated.
    pub fn stop(&mut self, kind: StopKind, raw: Option<&str>) {
        self.trajectory.stop = Stop { kind, raw: raw.map(str::to_owned) };
        self.trajectory.truncated = match kind {
            StopKind::Limit => Truncation::Yes,
            StopKind::Completed | StopKind::Refused => Truncation::No,
            StopKind::Error | StopKind::Interrupted | StopKind::Unknown => Truncation::Unknown,
        };
    }

    /// Sets the final answer where the format says it outright; the turn stays as given.
    pub fn final_answer(&mut self, answer: FinalAnswer) {
        self.trajectory.final_answer = Some(answer);
    }

    /// Where `line` of the current file stands.
    pub fn at(&self, line: u64) -> Location {
        Location { file: Arc::clone(&self.file), line }
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Numbers the turns and finds question and final answer where the reader set none.
    ///
    /// A final answer set without a turn is given the last turn. A trajectory that a limit cut has none.
    pub fn finish(mut self) -> Trajectory {
        let mut next = 0;
        for step in &mut self.steps {
            let counts = step.role == Role::Assistant && !step.flags.copied && !step.flags.synthetic;
            step.turn = counts.then(|| {
                next += 1;
                next - 1
            });
        }
        let mut trajectory = self.trajectory;
        if trajectory.question.is_none() {
            trajectory.question =
                self.steps.iter().find(|step| step.is_prompt()).map(|step| step.visible.clone());
        }
        if trajectory.truncated == Truncation::Yes {
            trajectory.final_answer = None;
        } else if let Some(answer) = &mut trajectory.final_answer {
            answer.turn = answer.turn.or(next.checked_sub(1));
        } else {
            trajectory.final_answer = final_answer::of_steps(&self.steps);
        }
        if trajectory.final_answer.is_some() {
            if trajectory.stop.kind == StopKind::Unknown {
                trajectory.stop.kind = StopKind::Completed;
            }
            // A cut trajectory is one that a limit stopped before it answered (EH Eq. 2).
            if trajectory.truncated == Truncation::Unknown {
                trajectory.truncated = Truncation::No;
            }
        }
        if trajectory.model.is_none() {
            trajectory.model = self.steps.iter().find_map(|step| step.model.clone());
        }
        trajectory.set_log(self.steps);
        trajectory
    }

    fn push(&mut self, role: Role, line: u64) -> usize {
        let at = Location { file: Arc::clone(&self.file), line };
        self.steps.push(Step { role, at, ..Step::default() });
        self.steps.len() - 1
    }
}

fn thought_of(name: &str, arguments: &str) -> Option<String> {
    let bare = name.rsplit("__").next().unwrap_or(name);
    if !THINK_TOOLS.iter().any(|tool| bare.eq_ignore_ascii_case(tool)) {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(arguments).ok()?;
    THINK_ARGUMENTS.iter().find_map(|key| value.get(*key)?.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder() -> Builder {
        Builder::new("test", &Arc::from("a.jsonl"), "a")
    }

    #[test]
    fn lines_of_one_generation_are_one_turn() {
        let mut builder = builder();
        builder.user("q", 1);
        let first = builder.assistant(Some("m1"), 2);
        builder.text(first, "one", "\n");
        let again = builder.assistant(Some("m1"), 3);
        builder.text(again, "two", "\n");
        let trajectory = builder.finish();
        assert_eq!(trajectory.turns().count(), 1);
        assert_eq!(trajectory.final_answer.unwrap().text, "one\ntwo");
    }

    #[test]
    fn an_unanswered_call_leaves_no_final_answer() {
        let mut builder = builder();
        let turn = builder.assistant(None, 1);
        builder.text(turn, "I will look", "\n");
        builder
            .call(turn, CallDraft { id: Some("c"), name: "search", arguments: "{}", ..CallDraft::default() });
        let trajectory = builder.finish();
        assert!(trajectory.final_answer.is_none());
        assert_eq!(trajectory.outcome(), humbly_types::Outcome::Unfinished);
    }

    #[test]
    fn a_think_tool_is_reasoning_and_no_call() {
        let mut builder = builder();
        let turn = builder.assistant(None, 1);
        let draft =
            CallDraft { id: Some("c"), name: "think", arguments: r#"{"thought":"hm"}"#, server_side: false };
        builder.call(turn, draft);
        builder.result(ToolResult { call_id: Some("c".into()), ..ToolResult::default() }, 2);
        let trajectory = builder.finish();
        assert_eq!(trajectory.calls().count() + trajectory.results().count(), 0);
        assert_eq!(trajectory.turns().next().unwrap().reasoning[0].origin, ReasoningOrigin::ThinkTool);
    }

    #[test]
    fn results_without_ids_answer_the_oldest_open_call() {
        let mut builder = builder();
        let turn = builder.assistant(None, 1);
        for name in ["a", "b"] {
            builder.call(turn, CallDraft { name, arguments: "{}", ..CallDraft::default() });
        }
        builder.result(ToolResult { name: Some("b".into()), ..ToolResult::default() }, 2);
        builder.result(ToolResult::default(), 3);
        assert!(builder.finish().unanswered_calls().is_empty());
    }
}
