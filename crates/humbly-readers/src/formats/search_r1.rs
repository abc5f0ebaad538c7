//! Tagged text of Search-R1: `<think>`, `<search>`, `<information>`, `<answer>` in one string.
//!
//! Everything up to an `<information>` block is one turn, and its last `<search>` the call that ran, since
//! generation stops there. Retrieved text is never read for tags. The prompt holds all tags as examples, so
//! reading starts after the last mark of the prompt.

use humbly_types::{
    AnswerOrigin, FinalAnswer, Problem, ReasoningOrigin, References, StopKind, ToolResult, Trajectory,
};
use serde_json::Value;

use crate::builder::{Builder, CallDraft};
use crate::content::str_field;
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, references_under, text_under, trajectory_id};
use crate::registry::{FormatInfo, Reader, Sink};
use crate::tagged::last_answer;

const NAME: &str = "search-r1";
/// Fields of a record that may hold the text, best first.
const TEXTS: &[&str] = &[
    "text",
    "sequences_str",
    "sequence",
    "response",
    "output",
    "completion",
    "generated_text",
    "solution_str",
];
const REFERENCES: &[&str] = &["golden_answers", "ground_truth", "answer", "target", "reward_model"];
/// Start of the harness's notice after a turn that neither searched nor answered, and its end.
const NOTICE: (&str, &str) = ("My previous action is invalid.", "Let me try again.");

/// Reader of Search-R1 text.
pub(crate) struct SearchR1;

impl Reader for SearchR1 {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Search-R1 tagged text",
            recognised_by: "text (or a text field of JSONL) with `<search>` and `<information>` or `<answer>`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        match head.shape {
            Shape::Text => is_tagged(&head.text()),
            Shape::Document | Shape::Lines => head
                .record()
                .is_some_and(|record| is_tagged_record(record) || head.items().iter().any(is_tagged_record)),
            Shape::Zip => false,
        }
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        if is_text(input)? {
            let bytes = input.all_bytes()?;
            read_text(input, &String::from_utf8_lossy(&bytes), sink);
            return Ok(());
        }
        for_each_value(input, sink, |line, value, sink| {
            let records = match value {
                Value::Array(items) => (1..).map(Some).zip(items).collect(),
                single => vec![(line, single)],
            };
            for (number, record) in records {
                read_record(input, number, &record, sink);
            }
        })
    }
}

fn is_text(input: &Input) -> Result<bool, Problem> {
    let start = input.first_bytes(4096)?;
    let body = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start).trim_ascii_start();
    Ok(!matches!(body.first(), Some(b'{' | b'[')))
}

fn is_tagged(text: &str) -> bool {
    text.contains("<search>") && (text.contains("<information>") || text.contains("<answer>"))
}

fn is_tagged_record(record: &Value) -> bool {
    text_of_record(record).is_some_and(is_tagged)
}

fn text_of_record(record: &Value) -> Option<&str> {
    TEXTS.iter().find_map(|key| str_field(record, key).filter(|text| text.contains('<')))
}

fn read_record(input: &Input, number: Option<u64>, record: &Value, sink: &mut dyn Sink) {
    let line = number.unwrap_or(1);
    let Some(text) = text_of_record(record) else {
        let message = "a record without tagged text, expected a field such as `text` or `response`";
        sink.problem(Problem::new(&*input.path, message).line(line));
        return;
    };
    let mut builder = Builder::new(NAME, &input.path, trajectory_id(input, number));
    let (prompt, span) = part_prompt(text);
    let prompt = prompt.or_else(|| str_field(record, "prompt"));
    let meta = builder.meta();
    meta.sample_id = text_under(record, &["id", "index", "task_id", "qid"]);
    meta.model = text_under(record, &["model"]);
    meta.dataset = text_under(record, &["data_source", "dataset"]);
    meta.references = References::new(references_under(record, REFERENCES));
    meta.question = text_under(record, &["question", "query"])
        .or_else(|| prompt.map(|prompt| question_in(prompt).to_owned()));
    if let Some(prompt) = prompt.map(str::to_owned).or_else(|| text_under(record, &["question", "query"])) {
        builder.user(prompt, line);
    }
    sink.trajectory(add_span(builder, span, &|_| line));
}

/// Reads a text file that holds one or more conversations.
fn read_text(input: &Input, text: &str, sink: &mut dyn Sink) {
    let conversations = conversations(text);
    let is_only = conversations.len() == 1;
    let mut lines = LineCounter::new(text);
    for (number, (offset, conversation)) in (1..).zip(conversations) {
        let id = trajectory_id(input, (!is_only).then_some(number));
        let mut builder = Builder::new(NAME, &input.path, id);
        let (prompt, span) = part_prompt(conversation);
        if let Some(prompt) = prompt {
            builder.meta().question = Some(question_in(prompt).to_owned());
            builder.user(prompt.trim(), lines.line_at(offset));
        }
        let start = offset + conversation.len() - span.len();
        let starts: Vec<u64> = turn_offsets(span).into_iter().map(|at| lines.line_at(start + at)).collect();
        sink.trajectory(add_span(builder, span, &|turn| starts.get(turn).copied().unwrap_or_default()));
    }
}

/// Conversations with their offsets, parted where a chat template or the prompt starts again.
fn conversations(text: &str) -> Vec<(usize, &str)> {
    const SYSTEM: &str = "<|im_start|>system";
    const USER: &str = "<|im_start|>user";
    const PROMPT: &str = "Answer the given question. You must conduct reasoning";
    let Some(mark) = [SYSTEM, USER, PROMPT].into_iter().find(|mark| text.contains(mark)) else {
        return vec![(0, text)];
    };
    let mut starts: Vec<usize> = text.match_indices(mark).map(|(at, _)| at).collect();
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| (*start, &text[*start..end])).collect()
}

/// The prompt and the agent's span after it.
fn part_prompt(text: &str) -> (Option<&str>, &str) {
    const AGENT: &str = "<|im_start|>assistant";
    if let Some(at) = text.find(AGENT) {
        let span = &text[at + AGENT.len()..];
        return (Some(&text[..at]), span);
    }
    // Without a template the prompt ends with the line of the question, after its own example tags.
    let example = text.find("</answer>").filter(|end| text[..*end].contains("For example, <answer>"));
    let from = example.unwrap_or(0);
    if let Some(at) = text[from..].find("Question:") {
        let is_prompt = example.is_some() || !text[..from + at].contains('<');
        if is_prompt {
            let end = text[from + at..].find('\n').map_or(text.len(), |end| from + at + end);
            return (Some(&text[..end]), &text[end..]);
        }
    }
    (None, text)
}

fn question_in(prompt: &str) -> &str {
    let question = prompt.rfind("Question:").map_or(prompt, |at| &prompt[at + "Question:".len()..]);
    question
        .trim_end_matches('\n')
        .trim_end_matches("<|im_end|>")
        .trim()
        .trim_end_matches("<|im_end|>")
        .trim()
}

/// A turn's text and what the environment said after it.
struct Turn<'a> {
    start: usize,
    text: &'a str,
    reply: Reply<'a>,
}

enum Reply<'a> {
    Information(&'a str),
    Notice(&'a str),
    None,
}

/// Parts a span at what the environment wrote.
fn turns(span: &str) -> Vec<Turn<'_>> {
    const OPEN: &str = "<information>";
    const CLOSE: &str = "</information>";
    let mut turns = Vec::new();
    let mut start = 0;
    let mut next = span.find(OPEN);
    loop {
        let rest = &span[start..];
        if next.is_some_and(|at| at < start) {
            next = rest.find(OPEN).map(|at| start + at);
        }
        let information = next.map(|at| at - start);
        let notice = rest[..information.unwrap_or(rest.len())].find(NOTICE.0);
        if let Some(at) = notice {
            let end = rest[at..].find(NOTICE.1).map_or(rest.len(), |end| at + end + NOTICE.1.len());
            turns.push(Turn { start, text: &rest[..at], reply: Reply::Notice(&rest[at..end]) });
            start += end;
        } else if let Some(at) = information {
            let body = &rest[at + OPEN.len()..];
            let (inner, after) = match body.find(CLOSE) {
                Some(end) => (&body[..end], end + CLOSE.len()),
                None => (body, body.len()),
            };
            turns.push(Turn { start, text: &rest[..at], reply: Reply::Information(inner.trim()) });
            start += at + OPEN.len() + after;
        } else {
            if !rest.trim().trim_end_matches("<|im_end|>").trim().is_empty() {
                turns.push(Turn { start, text: rest, reply: Reply::None });
            }
            return turns;
        }
    }
}

/// Where the text of each turn starts, white space left out.
fn turn_offsets(span: &str) -> Vec<usize> {
    turns(span).iter().map(|turn| turn.start + turn.text.len() - turn.text.trim_start().len()).collect()
}

fn add_span(mut builder: Builder, span: &str, line_of: &dyn Fn(usize) -> u64) -> Trajectory {
    let turns = turns(span);
    let last = turns.len().saturating_sub(1);
    let mut is_answered = false;
    for (position, turn) in turns.iter().enumerate() {
        let line = line_of(position);
        let index = builder.assistant(None, line);
        let text = turn.text.trim().trim_end_matches("<|im_end|>").trim_end();
        if position == last
            && matches!(turn.reply, Reply::None)
            && let Some(answer) = last_answer(text)
        {
            add_answer(&mut builder, index, text, answer, line);
            is_answered = true;
            continue;
        }
        let query = last_search(text);
        let said = query.as_ref().map_or(text, |(before, _)| before);
        builder.text(index, said, "\n");
        let id = query.map(|(_, query)| {
            let arguments = serde_json::json!({ "query": query }).to_string();
            let draft = CallDraft { name: "search", arguments: &arguments, ..CallDraft::default() };
            builder.call_with_id(index, draft)
        });
        match turn.reply {
            Reply::Information(found) if id.is_some() => {
                let result = ToolResult { call_id: id, text: found.to_owned(), ..ToolResult::default() };
                builder.result(result, line);
            }
            Reply::Information(text) | Reply::Notice(text) => {
                let notice = builder.user(text, line);
                if let Some(step) = builder.step(notice) {
                    step.flags.meta = true;
                }
            }
            Reply::None => {}
        }
    }
    if !is_answered {
        builder.stop(StopKind::Limit, Some("no <answer>"));
    }
    builder.finish()
}

/// The text before the last `<search>` and the query in it.
fn last_search(text: &str) -> Option<(&str, &str)> {
    let at = text.rfind("<search>")?;
    let body = &text[at + "<search>".len()..];
    let query = body.find("</search>").map_or(body, |end| &body[..end]);
    Some((&text[..at], query.trim()))
}

/// The final turn: what stands outside of `<answer>` is thought, since only the answer is delivered.
fn add_answer(builder: &mut Builder, index: usize, text: &str, answer: &str, line: u64) {
    let before = text.rfind("<answer>").map_or(text, |at| &text[..at]);
    builder.text(index, before, "\n");
    let at = builder.at(line);
    if let Some(step) = builder.step(index) {
        let said = std::mem::replace(&mut step.visible, answer.to_owned());
        builder.reasoning(index, &said, ReasoningOrigin::Inline);
    }
    builder.final_answer(FinalAnswer {
        text: answer.to_owned(),
        origin: AnswerOrigin::LastText,
        turn: None,
        at,
    });
    builder.stop(StopKind::Completed, None);
}

/// Line numbers of growing offsets.
struct LineCounter<'a> {
    text: &'a [u8],
    offset: usize,
    line: u64,
}

impl<'a> LineCounter<'a> {
    fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), offset: 0, line: 1 }
    }

    fn line_at(&mut self, offset: usize) -> u64 {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.offset = self.offset.max(offset);
        self.line
    }
}
