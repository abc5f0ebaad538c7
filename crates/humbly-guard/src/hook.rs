//! One call of the hook, from payload to reply.

use std::time::Duration;

use humbly_readers::final_answer_of_steps;
use humbly_types::{Role, Step, Trajectory};

use crate::audit::reasoning_of;
use crate::gap_judge::GapJudge;
use crate::harness::{Harness, Reply, recognise};
use crate::log::Entry;
use crate::payload::{self, StopEvent};
use crate::quote::{note, request};
use crate::state::{State, state_file};
use crate::transcript::{Place, Transcript, WINDOW, Window};
use crate::watch::{Flag, Outcome, Silence, Watch, is_prompt};
use crate::{Places, Result};

/// How often the transcript is looked at again for the agent's final text, and how long between.
const LOOKS: u32 = 6;
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// What the guard does where something was recognised and kept silent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Asks the agent, once an episode.
    #[default]
    Ask,
    /// Lets it stop and shows the person a note.
    Note,
    /// Lets it stop and only records.
    Log,
}

/// What a call of the hook gave.
#[derive(Debug, Clone, Default)]
pub struct Answered {
    /// What is printed.
    pub reply: Reply,
    /// What is logged, if anything; the time is the caller's to set.
    pub entry: Option<Entry>,
}

/// Answers one call of the hook; never fails: what goes wrong lets the agent stop and is logged.
pub fn run_hook(
    payload: &[u8],
    named: Option<&'static dyn Harness>,
    mode: Mode,
    places: &Places,
    judge: &dyn GapJudge,
) -> Answered {
    let fields = match payload::object(payload) {
        Ok(fields) => fields,
        Err(error) => {
            let reply = named.map(Harness::let_stop).unwrap_or_default();
            return Answered { reply, entry: Some(failed(Entry::default(), &error)) };
        }
    };
    let harness = named.unwrap_or_else(|| recognise(&fields));
    let event = harness.stop_event(&fields);
    let silent = |entry| Answered { reply: harness.let_stop(), entry };
    if event.stop_hook_active {
        return silent(None);
    }
    let mut entry = Entry {
        harness: harness.name().to_owned(),
        session: event.session.chars().take(200).collect(),
        event: event.event.chars().take(40).collect(),
        ..Entry::default()
    };
    let call = match Call::run(harness, &event, places, judge) {
        Ok(call) => call,
        Err(error) => return silent(Some(failed(entry, &error))),
    };
    entry.transcript = Some(call.transcript.path().to_owned());
    entry.prompt_line = call.state.watch.prompt_line;
    let mode = if event.can_block { mode } else { Mode::Log };
    match call.outcome {
        // Most stops: nothing was recognised, nothing is worth a line.
        Outcome::Silent(Silence::NothingRecognised | Silence::NoAnswer) => silent(None),
        Outcome::Silent(silence) => {
            "silent".clone_into(&mut entry.did);
            entry.why = Some(silence.code().to_owned());
            entry.quotes = call.state.watch.flags.iter().map(Into::into).collect();
            silent(Some(entry))
        }
        Outcome::Ask(flags) => {
            entry.quotes = flags.iter().map(Into::into).collect();
            let flags: Vec<&Flag> = flags.iter().collect();
            let (did, reply) = match mode {
                Mode::Ask => ("asked", harness.ask(&request(&flags))),
                Mode::Note => ("noted", harness.note(&note(&flags))),
                Mode::Log => ("recorded", harness.let_stop()),
            };
            did.clone_into(&mut entry.did);
            Answered { reply, entry: Some(entry) }
        }
    }
}

fn failed(mut entry: Entry, error: &dyn std::error::Error) -> Entry {
    let mut why = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        why.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    "failed".clone_into(&mut entry.did);
    entry.why = Some(why);
    entry
}

/// What one call found out.
struct Call {
    transcript: Transcript,
    state: State,
    outcome: Outcome,
}

impl Call {
    fn run(harness: &dyn Harness, event: &StopEvent, places: &Places, judge: &dyn GapJudge) -> Result<Self> {
        let transcript = harness.transcript(event, places)?;
        let cache = places.cache.as_deref();
        let file = cache.map(|cache| state_file(cache, harness.name(), &event.session, transcript.path()));
        let mut state = file.as_deref().map_or_else(State::new, State::load);
        let tail = read_to_the_end(&transcript, &mut state, event.last_message.as_deref(), judge)?;
        let mut outcome = tail.decide(&state.watch, event.last_message.as_deref(), judge)?;
        if let Outcome::Ask(flags) = &mut outcome {
            state.watch.asked = true;
            hide_copies(&transcript, flags)?;
        }
        if let Some(file) = file {
            // Unsaved, an agent could be asked twice: better not at all.
            state.save(&file)?;
        }
        Ok(Self { transcript, state, outcome })
    }
}

/// The last turn and what follows it; whether it is the final one depends on what the harness says.
#[derive(Default)]
struct Tail {
    /// Steps of the episode before the last turn, as far as they were read just now.
    earlier: Vec<Step>,
    /// The last turn and the results after it.
    last: Vec<Step>,
    base: crate::watch::Base,
    answer: Option<String>,
}

impl Tail {
    /// Whether the transcript holds the text with which the agent stops.
    fn is_complete(&self, last_message: Option<&str>) -> bool {
        match (&self.answer, last_message) {
            (Some(answer), Some(message)) => is_same_text(answer, message),
            (answer, None) => answer.is_some(),
            (None, Some(_)) => false,
        }
    }

    fn decide(&self, watch: &Watch, last_message: Option<&str>, judge: &dyn GapJudge) -> Result<Outcome> {
        if self.is_complete(last_message) {
            let reasoning = self.last.first().map(reasoning_of).unwrap_or_default();
            let answer = self.answer.as_deref().unwrap_or_default();
            return watch.decide(&humbly_text::think::visible(answer), &reasoning, judge);
        }
        let Some(message) = last_message else { return Ok(Outcome::Silent(Silence::NoAnswer)) };
        // The last turn that is written is not the one that stops.
        let mut watch = watch.clone();
        watch.add(&self.last, &self.earlier, self.base, judge)?;
        watch.decide(&humbly_text::think::visible(message), "", judge)
    }
}

/// Reads on until the final text is there, or for a short while.
fn read_to_the_end(
    transcript: &Transcript,
    state: &mut State,
    last_message: Option<&str>,
    judge: &dyn GapJudge,
) -> Result<Tail> {
    let mut size = transcript.size();
    let mut tail = read_on(transcript, state, judge)?;
    for _ in 0..LOOKS {
        if tail.is_complete(last_message) {
            break;
        }
        std::thread::sleep(BETWEEN_LOOKS);
        let now = transcript.size();
        if now != size {
            size = now;
            tail = read_on(transcript, state, judge)?;
        }
    }
    Ok(tail)
}

/// Reads what is there, window by window.
fn read_on(transcript: &Transcript, state: &mut State, judge: &dyn GapJudge) -> Result<Tail> {
    // A judge that is slow is asked about all turns at once, and about the last episode only.
    let mut longest = if judge.is_final() { u64::MAX } else { WINDOW };
    let mut buffer = Vec::new();
    loop {
        let before = state.place.offset;
        let window = transcript.read_from(&state.place, longest, buffer)?;
        let tail = advance(state, &window, judge)?;
        if window.reaches_end {
            return Ok(tail);
        }
        if state.place.offset == before {
            // One turn with its results is longer than the window.
            longest = longest.saturating_mul(2);
        }
        buffer = window.into_buffer();
    }
}

/// Looks through the whole transcript for results that the quotes repeat: what was read before this call, or in
/// another window, was not at hand when they were taken.
fn hide_copies(transcript: &Transcript, flags: &mut [Flag]) -> Result<()> {
    let mut is_suspect = false;
    for quote in flags.iter().filter_map(|flag| flag.quote.as_deref()) {
        is_suspect = is_suspect || transcript.may_repeat(quote)?;
    }
    if !is_suspect {
        return Ok(());
    }
    let (mut place, mut longest, mut buffer) = (Place::start(), WINDOW, Vec::new());
    loop {
        let window = transcript.read_from(&place, longest, buffer)?;
        let steps = window.trajectory.as_ref().map(Trajectory::steps).unwrap_or_default();
        Watch::hide_copies(flags, steps);
        if window.reaches_end {
            return Ok(());
        }
        let last = steps.iter().rev().find(|step| step.role == Role::Assistant).or(steps.last());
        match last.map(|step| window.place_before(step.at.line, 0)) {
            Some(next) if next.offset > place.offset => place = next,
            _ => longest = longest.saturating_mul(2),
        }
        buffer = window.into_buffer();
    }
}

/// Takes a window in, up to its last turn.
fn advance(state: &mut State, window: &Window, judge: &dyn GapJudge) -> Result<Tail> {
    let base = window.base();
    let was_asked = state.watch.asked.then_some(state.watch.prompt_line);
    if window.begins_anew {
        state.watch = Watch::default();
    }
    let Some(trajectory) = &window.trajectory else { return Ok(Tail::default()) };
    let steps = trajectory.steps();
    let prompt = (0..steps.len()).rev().find(|index| is_prompt(steps, *index));
    if let Some(step) = prompt.and_then(|prompt| steps.get(prompt)) {
        state.watch = Watch::begin(step, base);
    }
    // A transcript that was read anew does not make an agent be asked anew.
    state.watch.asked |= was_asked == Some(state.watch.prompt_line);
    let rest = steps.get(prompt.map_or(0, |prompt| prompt + 1)..).unwrap_or_default();
    let is_turn = |step: &Step| step.role == Role::Assistant && step.turn.is_some();
    let Some(last) = rest.iter().rposition(is_turn) else {
        if let Some(step) = prompt.and_then(|prompt| steps.get(prompt)) {
            let turns = steps.iter().filter(|step| is_turn(step)).count();
            state.place = window.place_before(step.at.line, u32::try_from(turns).unwrap_or(u32::MAX));
        }
        return Ok(Tail { base, ..Tail::default() });
    };
    let (earlier, last) = rest.split_at(last);
    state.watch.add(earlier, &[], base, judge)?;
    if let Some(step) = last.first() {
        state.place = window.place_before(step.at.line, step.turn.unwrap_or_default());
    }
    let answer = final_answer_of_steps(rest).map(|answer| answer.text);
    Ok(Tail { earlier: earlier.to_vec(), last: last.to_vec(), base, answer })
}

/// Whether two texts are the same but for white space, or one is the end of the other.
fn is_same_text(a: &str, b: &str) -> bool {
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (a, b) = (fold(a), fold(b));
    a == b || (!a.is_empty() && b.ends_with(&a)) || (!b.is_empty() && a.ends_with(&b))
}
