//! Codex CLI rollouts: `~/.codex/sessions/…/rollout-*.jsonl`, which newer versions also pack as `.jsonl.zst`.
//!
//! Everything stands there twice, as `response_item` and as `event_msg`; the first layer is read.
//! 1. One API call is one turn. It ends with the results of its calls; a further call is of the same API
//!    call where neither `token_count` nor `turn_context` came between (in logs that have them). A
//!    `token_count` itself ends nothing: it is written before the items of its call.
//! 2. Reasoning and text that only events hold (the last turn of an interrupted log) are a turn.
//! 3. `compacted.replacement_history` repeats what was read and is passed over unparsed.
//! 4. In a forked rollout the copied items cannot be told from new ones; a warning names the origin.

use std::collections::HashSet;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use humbly_types::{Problem, ReasoningOrigin, StopKind, Trajectory};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::codex_record::{Payload, Record};
use super::openai_items::{ItemKind, add_call, add_reasoning, add_said, kind, output, summaries, usage};
use crate::builder::Builder;
use crate::compressed::plain_name;
use crate::content::{str_field, text_of};
use crate::detect::{Head, Shape};
use crate::input::{Input, unreadable_record};
use crate::lenient::parse_borrowed;
use crate::registry::{FormatInfo, Reader, Sink};
use crate::units::Unit;

const NAME: &str = "codex-rollout";

/// Beginnings of user messages that the harness writes.
const META_STARTS: &[&str] = &[
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<hook_prompt",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skill>",
    "<skills_instructions>",
    "<apps_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions for ",
];

/// Where the question begins in what an IDE sends.
const IDE_START: &str = "# Context from my IDE setup:";
const IDE_REQUEST: &str = "## My request for Codex:";

/// Reader of Codex rollouts.
pub(crate) struct CodexRollout;

impl Reader for CodexRollout {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Codex rollout",
            recognised_by: "JSONL records with `timestamp`, `type` and `payload` (old ones: items after a \
                            line with `id`, `timestamp` and `instructions`)",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        if head.shape != Shape::Lines {
            return false;
        }
        let is_rollout_kind = |record: &Value| {
            matches!(
                str_field(record, "type"),
                Some(
                    "session_meta"
                        | "response_item"
                        | "event_msg"
                        | "turn_context"
                        | "compacted"
                        | "world_state"
                )
            )
        };
        if head.has_keys(&["timestamp", "type", "payload"]) && head.record().is_some_and(is_rollout_kind) {
            return true;
        }
        let is_old_head = |record: &Value| {
            record.get("type").is_none()
                && record.get("id").is_some()
                && record.get("timestamp").is_some()
                && record.get("instructions").is_some()
        };
        head.records.first().is_some_and(is_old_head)
            && head.records.len() > 1
            && head.record().is_some_and(|record| {
                record.get("record_type").is_some() || kind(record) != ItemKind::Unknown
            })
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut trajectory = read_rollout(input, input.stem().to_owned(), sink)?;
        for companion in &input.companions {
            let file = Input::file(companion, Vec::new());
            match read_rollout(&file, format!("{}/{}", input.stem(), file.stem()), sink) {
                Ok(child) => trajectory.children.push(child),
                Err(problem) => sink.problem(problem),
            }
        }
        sink.trajectory(trajectory);
        Ok(())
    }
}

fn read_rollout(input: &Input, id: String, sink: &mut dyn Sink) -> Result<Trajectory, Problem> {
    let mut rollout = Rollout::new(input, id);
    let path = Arc::clone(&input.path);
    let mut store = Vec::new();
    input.lines()?.for_each_line(sink, |line, sink| {
        match parse_borrowed::<Record<'_>>(line.bytes, &mut store) {
            Ok((record, repairs)) => {
                for repair in repairs {
                    sink.problem(
                        Problem::new(&*path, repair.message()).line(line.number).hint(repair.hint()),
                    );
                }
                rollout.record(&record, line.bytes, line.number);
            }
            Err(error) => sink.problem(unreadable_record(&path, line, &error)),
        }
    })?;
    Ok(rollout.finish())
}

/// Where the last record of the agent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No turn is open.
    Idle,
    /// Items of the agent are coming.
    Speaking,
    /// Results are coming.
    Answered,
}

/// Whether a mark of a new API call (token count, turn context) came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ApiCallMark {
    /// The log has none so far.
    Absent,
    /// One came since the last item of the agent.
    Fresh,
    /// None came since the last item of the agent.
    Spent,
}

struct Rollout {
    builder: Builder,
    turn: Option<usize>,
    phase: Phase,
    mark: ApiCallMark,
    has_meta: bool,
    /// Texts of the layer that is read, since the last prompt.
    texts: HashSet<u128>,
    /// Texts of the other layer; what has no item by the end of the prompt is kept.
    pending: Vec<(u64, bool, String)>,
    is_aborted: bool,
}

impl Rollout {
    fn new(input: &Input, id: String) -> Self {
        let mut builder = Builder::new(NAME, &input.path, id);
        builder.meta().agent = Some("codex".to_owned());
        Self {
            builder,
            turn: None,
            phase: Phase::Idle,
            mark: ApiCallMark::Absent,
            has_meta: false,
            texts: HashSet::new(),
            pending: Vec::new(),
            is_aborted: false,
        }
    }

    fn record(&mut self, record: &Record<'_>, bytes: &[u8], line: u64) {
        let kind_name = record.kind.as_deref().unwrap_or_default();
        if kind_name == "compacted" {
            return;
        }
        let payload = match &record.payload {
            Payload::Read(payload) => payload,
            Payload::PassedOver => return,
            // Old rollouts hold the items themselves.
            Payload::None => {
                match serde_json::from_slice::<Value>(bytes) {
                    Ok(item) if kind(&item) != ItemKind::Unknown => self.item(&item, None, line),
                    Ok(head) if head.get("record_type").is_some() => {}
                    Ok(head) if head.get("instructions").is_some() => self.session_meta(&head, line),
                    _ => self.builder.warn(format!("unknown record type `{kind_name}`"), line),
                }
                return;
            }
        };
        match kind_name {
            "response_item" => self.item(payload, record.timestamp.as_deref(), line),
            "event_msg" => self.event(payload, line),
            "session_meta" => self.session_meta(payload, line),
            "turn_context" => {
                self.mark = ApiCallMark::Fresh;
                let meta = self.builder.meta();
                meta.model = str_field(payload, "model").map(str::to_owned).or(meta.model.take());
            }
            "world_state" | "inter_agent_communication" | "session_state" => {}
            other => self.builder.warn(format!("unknown record type `{other}`"), line),
        }
    }

    fn session_meta(&mut self, payload: &Value, line: u64) {
        if self.has_meta {
            // The second head of a forked rollout is that of its origin.
            let origin = str_field(payload, "id").unwrap_or("another rollout");
            self.builder.warn(format!("forked from {origin}: its turns are counted here as well"), line);
            return;
        }
        self.has_meta = true;
        let meta = self.builder.meta();
        meta.run_id = str_field(payload, "id").map(str::to_owned);
        meta.agent_version = str_field(payload, "cli_version").map(str::to_owned);
        let instructions = payload.get("instructions").or_else(|| payload.pointer("/base_instructions/text"));
        if let Some(Value::String(text)) = instructions {
            self.builder.system(text.as_str(), line);
        }
    }

    fn item(&mut self, item: &Value, timestamp: Option<&str>, line: u64) {
        match kind(item) {
            ItemKind::Told => self.told(item, timestamp, line),
            ItemKind::Said => {
                let (text, _) = text_of(item.get("content").unwrap_or(&Value::Null), "");
                self.take(&text);
                let turn = self.begin(false, timestamp, line);
                add_said(&mut self.builder, turn, item);
            }
            ItemKind::Reasoning => {
                for text in summaries(item) {
                    self.take(text);
                }
                let turn = self.begin(false, timestamp, line);
                add_reasoning(&mut self.builder, turn, item);
            }
            ItemKind::Call | ItemKind::ServerCall => {
                let turn = self.begin(true, timestamp, line);
                add_call(&mut self.builder, turn, item, line);
            }
            ItemKind::Output => {
                self.phase = Phase::Answered;
                self.builder.result(output(item), line);
            }
            ItemKind::Passive => {}
            ItemKind::Unknown => {
                let name = str_field(item, "type").unwrap_or("none");
                self.builder.warn(format!("unknown item type `{name}`"), line);
            }
        }
    }

    fn told(&mut self, item: &Value, timestamp: Option<&str>, line: u64) {
        let (text, _) = text_of(item.get("content").unwrap_or(&Value::Null), "\n");
        if str_field(item, "role") != Some("user") {
            self.builder.system(text, line);
            return;
        }
        let start = text.trim_start();
        let is_meta = META_STARTS.iter().any(|meta| start.starts_with(meta));
        let prompt = match text.split_once(IDE_REQUEST) {
            Some((_, request)) if start.starts_with(IDE_START) => request.trim().to_owned(),
            _ => text,
        };
        if !is_meta {
            self.flush_pending();
            self.texts.clear();
            self.is_aborted = false;
            self.builder.stop(StopKind::Unknown, None);
        }
        self.turn = None;
        self.phase = Phase::Idle;
        let index = self.builder.user(prompt, line);
        if let Some(step) = self.builder.step(index) {
            step.flags.meta = is_meta;
            step.timestamp = timestamp.map(str::to_owned);
        }
    }

    /// The turn that an item of the agent belongs to.
    fn begin(&mut self, is_call: bool, timestamp: Option<&str>, line: u64) -> usize {
        let same_api_call = is_call && self.mark == ApiCallMark::Spent;
        let open = self.turn.filter(|_| self.phase == Phase::Speaking || same_api_call);
        self.phase = Phase::Speaking;
        if self.mark == ApiCallMark::Fresh {
            self.mark = ApiCallMark::Spent;
        }
        let turn = open.unwrap_or_else(|| {
            let turn = self.builder.assistant(None, line);
            if let Some(step) = self.builder.step(turn) {
                step.timestamp = timestamp.map(str::to_owned);
            }
            turn
        });
        self.turn = Some(turn);
        turn
    }

    /// This text has an item: the event that repeats it is none of its own.
    fn take(&mut self, text: &str) {
        self.texts.insert(xxh3_128(text.trim().as_bytes()));
    }

    fn event(&mut self, event: &Value, line: u64) {
        match str_field(event, "type").unwrap_or_default() {
            "token_count" => {
                self.mark = ApiCallMark::Fresh;
                let total = event.pointer("/info/total_token_usage").and_then(usage);
                let meta = self.builder.meta();
                meta.usage = total.unwrap_or(meta.usage);
            }
            "agent_reasoning" => self.hear(event, "text", true, line),
            "agent_message" => self.hear(event, "message", false, line),
            "turn_aborted" => {
                self.flush_pending();
                self.is_aborted = true;
                let reason = str_field(event, "reason").unwrap_or("aborted");
                self.builder.stop(StopKind::Interrupted, Some(reason));
                self.abort();
            }
            "error" | "stream_error" => {
                let is_retried = str_field(event, "type") == Some("stream_error");
                if !is_retried {
                    let message =
                        str_field(event, "message").map(|text| text.chars().take(200).collect::<String>());
                    self.builder.stop(StopKind::Error, message.as_deref());
                }
            }
            "task_complete" | "turn_complete" => {
                let is_answered = event.get("last_agent_message").is_some_and(Value::is_string);
                if is_answered && !self.is_aborted {
                    self.builder.stop(StopKind::Completed, Some("task_complete"));
                }
            }
            _ => {}
        }
    }

    fn hear(&mut self, event: &Value, key: &str, is_reasoning: bool, line: u64) {
        let Some(text) = str_field(event, key).map(str::trim) else { return };
        if !text.is_empty() && !self.texts.contains(&xxh3_128(text.as_bytes())) {
            self.pending.push((line, is_reasoning, text.to_owned()));
        }
    }

    fn abort(&mut self) {
        let last = self.builder.steps().iter().rposition(|step| step.role == humbly_types::Role::Assistant);
        if let Some(step) = last.and_then(|index| self.builder.step(index)) {
            step.flags.aborted = true;
        }
    }

    /// What only events hold becomes a turn.
    fn flush_pending(&mut self) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.retain(|(_, _, text)| !self.texts.contains(&xxh3_128(text.as_bytes())));
        let Some((first, ..)) = pending.first() else { return };
        let turn = self.builder.assistant(None, *first);
        for (_, is_reasoning, text) in &pending {
            if *is_reasoning {
                self.builder.reasoning(turn, text, ReasoningOrigin::Summary);
            } else {
                self.builder.text(turn, text, "\n");
            }
        }
        self.turn = None;
        self.phase = Phase::Idle;
    }

    fn finish(mut self) -> Trajectory {
        let was_aborted = self.is_aborted;
        self.flush_pending();
        if was_aborted {
            self.abort();
        }
        self.builder.finish()
    }
}

/// Sub-agent rollouts belong to the rollout that started them, which their first line names.
///
/// Reads the first line of every `rollout-*.jsonl`, packed or not: linear in the number of files.
pub(crate) fn group_rollouts(files: &mut Vec<PathBuf>) -> Vec<Unit> {
    let heads: Vec<(PathBuf, SessionIds)> = files
        .iter()
        .filter(|path| {
            path.file_name().is_some_and(|name| {
                let name = name.to_string_lossy();
                name.starts_with("rollout-")
                    && Path::new(plain_name(&name)).extension().is_some_and(|kind| kind == "jsonl")
            })
        })
        .filter_map(|path| session_ids(path).map(|ids| (path.clone(), ids)))
        .collect();
    let by_id: std::collections::HashMap<&str, usize> =
        heads.iter().enumerate().map(|(index, (_, ids))| (ids.own.as_str(), index)).collect();
    let mut companions: std::collections::BTreeMap<usize, Vec<PathBuf>> = std::collections::BTreeMap::new();
    for (index, (path, ids)) in heads.iter().enumerate() {
        // A sub-agent's sub-agent belongs to the root; a ring of parents has none.
        let mut root = ids.parent.as_deref().and_then(|parent| by_id.get(parent).copied());
        for _ in 0..32 {
            let next = root.and_then(|at| heads[at].1.parent.as_deref()).and_then(|parent| by_id.get(parent));
            match next {
                Some(next) => root = Some(*next),
                None => break,
            }
        }
        let root = root.filter(|root| {
            *root != index
                && heads[*root].1.parent.as_deref().is_none_or(|parent| !by_id.contains_key(parent))
        });
        if let Some(root) = root {
            companions.entry(root).or_default().push(path.clone());
        }
    }
    let units: Vec<Unit> = companions
        .into_iter()
        .map(|(root, companions)| Unit { main: heads[root].0.clone(), companions })
        .collect();
    let taken: HashSet<&PathBuf> =
        units.iter().flat_map(|unit| std::iter::once(&unit.main).chain(&unit.companions)).collect();
    files.retain(|path| !taken.contains(path));
    units
}

struct SessionIds {
    own: String,
    parent: Option<String>,
}

fn session_ids(path: &Path) -> Option<SessionIds> {
    let mut line = Vec::new();
    Input::file(path, Vec::new()).open().ok()?.take(1 << 20).read_until(b'\n', &mut line).ok()?;
    let record: Record<'_> = serde_json::from_slice(&line).ok()?;
    let Payload::Read(payload) = record.payload else { return None };
    let parent = payload
        .pointer("/source/subagent/thread_spawn/parent_thread_id")
        .or_else(|| payload.pointer("/source/subagent/parent_thread_id"))
        .and_then(Value::as_str);
    Some(SessionIds { own: str_field(&payload, "id")?.to_owned(), parent: parent.map(str::to_owned) })
}
