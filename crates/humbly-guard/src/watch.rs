//! One episode, turn by turn: what was recognised, what was settled since, what the answer says of it.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use humbly_types::{Role, Step, Verdict};
use serde::{Deserialize, Serialize};

use crate::facts::{Bag, Fact, subject_of};
use crate::gap_judge::GapJudge;
use crate::quote::OWN_WORDS;
use crate::resolved::{self, Evidence};
use crate::{Result, told};

/// So many flags of an episode are kept.
const MOST_FLAGS: usize = 50;
/// Quotes are kept up to this length.
const LONGEST_KEPT: usize = 2_000;
/// Shorter quotes stand in many texts by chance.
const SHORTEST_COPY: usize = 30;

/// The running episode, as far as it was read; small enough to be kept between calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// Line of the episode's prompt.
    pub prompt_line: Option<u64>,
    /// Whether the agent was asked in this episode.
    pub asked: bool,
    /// What was recognised, settled or not.
    pub flags: Vec<Flag>,
    subject: BTreeSet<String>,
}

/// A turn that recognised a gap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// The turn, where turns were counted from the start of the transcript.
    pub turn: Option<u32>,
    /// Its line (or index).
    pub line: u64,
    /// The agent's words; `None` where they repeat a tool's result, which is not handed back.
    pub quote: Option<String>,
    /// The rule of the judge.
    pub rule: String,
    /// Whether a later turn settled it.
    pub resolved: bool,
    words: String,
    evidence: Evidence,
    #[serde(skip)]
    fact: Known,
}

impl Flag {
    fn fact(&self, subject: &BTreeSet<String>) -> Rc<Fact> {
        Rc::clone(self.fact.0.get_or_init(|| Rc::new(Fact::of(&self.words, subject))))
    }
}

/// What a flag is about, once it was asked for; it follows from the other fields.
#[derive(Debug, Clone, Default)]
struct Known(OnceCell<Rc<Fact>>);

impl PartialEq for Known {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Known {}

/// What the guard makes of an episode whose agent is about to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It may stop.
    Silent(Silence),
    /// It should say or settle these.
    Ask(Vec<Flag>),
}

/// Why the agent may stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// It is going on because of a stop hook already.
    StopHookActive,
    /// It was asked in this episode already.
    AlreadyAsked,
    /// There is no answer yet.
    NoAnswer,
    /// No intermediate turn recognised a gap.
    NothingRecognised,
    /// A later turn settled what was recognised.
    Resolved,
    /// A tool called later returned what the answer says, though nothing cites it.
    LaterEvidence,
    /// The answer passes it on.
    PassedOn,
    /// The answer is about something else.
    OffTopic,
    /// The answer is in a language that the rules do not cover.
    LanguageNotCovered,
}

impl Silence {
    /// The name in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::StopHookActive => "stop_hook_active",
            Self::AlreadyAsked => "already_asked",
            Self::NoAnswer => "no_answer",
            Self::NothingRecognised => "nothing_recognised",
            Self::Resolved => "resolved",
            Self::LaterEvidence => "later_evidence",
            Self::PassedOn => "passed_on",
            Self::OffTopic => "off_topic",
            Self::LanguageNotCovered => "language_not_covered",
        }
    }
}

/// Whether an episode begins with the step at `index`: a person's prompt, not the guard's own request.
pub(crate) fn is_prompt(steps: &[Step], index: usize) -> bool {
    steps.get(index).is_some_and(|step| step.is_prompt() && !step.visible.contains(OWN_WORDS))
}

/// Where steps stand that were not read from the start of the transcript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Base {
    /// Lines before.
    pub(crate) lines: u64,
    /// Turns before; `None` where they were not counted.
    pub(crate) turns: Option<u32>,
}

impl Watch {
    /// An episode that begins with this prompt.
    pub(crate) fn begin(prompt: &Step, base: Base) -> Self {
        Self {
            prompt_line: Some(base.lines + prompt.at.line),
            subject: subject_of(&prompt.visible),
            ..Self::default()
        }
    }

    /// Takes in steps that are over: every assistant turn among them is intermediate. `earlier` are steps of
    /// the episode before them.
    pub(crate) fn add(
        &mut self,
        steps: &[Step],
        earlier: &[Step],
        base: Base,
        judge: &dyn GapJudge,
    ) -> Result<()> {
        let is_turn =
            |step: &Step| step.role == Role::Assistant && step.turn.is_some() && !step.flags.synthetic;
        let texts: Vec<String> = steps
            .iter()
            .map(|step| if is_turn(step) { step.reasoning_and_visible() } else { String::new() })
            .collect();
        let shown: Vec<&str> =
            texts.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
        let mut verdicts = if shown.is_empty() { Vec::new() } else { judge.identify(&shown)? }.into_iter();
        for (index, (step, text)) in steps.iter().zip(&texts).enumerate() {
            if step.role == Role::Tool {
                self.results(step);
            }
            if text.trim().is_empty() {
                continue;
            }
            self.resolve(text);
            if let Some(verdict) = verdicts.next() {
                let before = earlier.iter().chain(steps.get(..index).unwrap_or_default());
                self.flag(step, text, verdict, before, base);
            }
        }
        Ok(())
    }

    fn resolve(&mut self, text: &str) {
        for flag in self.flags.iter_mut().filter(|flag| !flag.resolved) {
            let fact = flag.fact(&self.subject);
            flag.resolved =
                resolved::in_words(&fact, text) || resolved::by_evidence(&fact, &flag.evidence, text);
        }
    }

    fn flag<'a>(
        &mut self,
        step: &Step,
        text: &str,
        verdict: Verdict,
        before: impl Iterator<Item = &'a Step>,
        base: Base,
    ) {
        if self.flags.len() >= MOST_FLAGS || verdict.value != Some(true) {
            return;
        }
        // A judge that names the turn alone means all of it.
        let quote = verdict.quote.unwrap_or_else(|| text.trim().to_owned());
        let words: String = quote.chars().take(LONGEST_KEPT).collect();
        let is_copy = words.len() >= SHORTEST_COPY && repeats(&words, before);
        let turn = base.turns.zip(step.turn).map(|(before, turn)| before.saturating_add(turn));
        self.flags.push(Flag {
            turn,
            line: base.lines + step.at.line,
            quote: (!is_copy).then(|| words.clone()),
            rule: verdict.rule.unwrap_or_default(),
            resolved: false,
            words,
            evidence: Evidence::default(),
            fact: Known::default(),
        });
    }

    /// Takes away the quotes that stand in one of these results: text of tools is not handed back.
    pub(crate) fn hide_copies(flags: &mut [Flag], steps: &[Step]) {
        for flag in flags.iter_mut().filter(|flag| flag.words.len() >= SHORTEST_COPY) {
            if repeats(&flag.words, steps.iter()) {
                flag.quote = None;
            }
        }
    }

    fn results(&mut self, step: &Step) {
        for flag in self.flags.iter_mut().filter(|flag| !flag.resolved) {
            let fact = flag.fact(&self.subject);
            for result in step.results.iter().filter(|result| result.is_error != Some(true)) {
                flag.evidence.add(&fact, &flag.words, &result.text);
            }
        }
    }

    /// What to do now that the agent would stop with `answer`, after `reasoning` of the same turn.
    pub(crate) fn decide(&self, answer: &str, reasoning: &str, judge: &dyn GapJudge) -> Result<Outcome> {
        if self.asked {
            return Ok(Outcome::Silent(Silence::AlreadyAsked));
        }
        self.judge_answer(answer, reasoning, judge)
    }

    /// [`Watch::decide`] without regard to an earlier request.
    pub(crate) fn judge_answer(
        &self,
        answer: &str,
        reasoning: &str,
        judge: &dyn GapJudge,
    ) -> Result<Outcome> {
        if self.flags.is_empty() {
            return Ok(Outcome::Silent(Silence::NothingRecognised));
        }
        if answer.trim().is_empty() {
            return Ok(Outcome::Silent(Silence::NoAnswer));
        }
        match judge.escalate(answer)?.value {
            Some(true) => return Ok(Outcome::Silent(Silence::PassedOn)),
            Some(false) => {}
            None => return Ok(Outcome::Silent(Silence::LanguageNotCovered)),
        }
        let is_refusal = judge.refuses(answer);
        let reading = Reading { answer, reasoning, is_refusal, is_generous: !judge.is_final() };
        let mut silence = None;
        let mut open = Vec::new();
        for flag in &self.flags {
            match self.silence_of(flag, &reading) {
                Some(reason) => silence = silence.or(Some(reason)),
                None => open.push(flag.clone()),
            }
        }
        Ok(match silence {
            Some(silence) if open.is_empty() => Outcome::Silent(silence),
            _ => Outcome::Ask(open),
        })
    }

    /// Why this flag needs no word; `None` where it does.
    fn silence_of(&self, flag: &Flag, reading: &Reading<'_>) -> Option<Silence> {
        let &Reading { answer, reasoning, is_refusal, is_generous } = reading;
        let fact = flag.fact(&self.subject);
        let settled = flag.resolved
            || resolved::in_words(&fact, reasoning)
            || resolved::by_evidence(&fact, &flag.evidence, reasoning)
            || resolved::by_evidence(&fact, &flag.evidence, answer);
        if settled {
            return Some(Silence::Resolved);
        }
        if is_refusal || is_generous && told::is_told(&fact, answer) {
            return Some(Silence::PassedOn);
        }
        if !told::is_about(&fact, answer) {
            return Some(Silence::OffTopic);
        }
        if resolved::agrees(&fact, &flag.evidence, answer) {
            return Some(Silence::LaterEvidence);
        }
        if flag.rule == "own-belief-revised" && !keeps_old_belief(&fact, answer) {
            return Some(Silence::Resolved);
        }
        None
    }
}

/// Whether a tool's result holds these words.
fn repeats<'a>(words: &str, steps: impl Iterator<Item = &'a Step>) -> bool {
    let finder = memchr::memmem::Finder::new(words.trim());
    steps.flat_map(|step| &step.results).any(|result| finder.find(result.text.as_bytes()).is_some())
}

/// An answer, and how it is read.
struct Reading<'a> {
    answer: &'a str,
    /// Reasoning of the same turn.
    reasoning: &'a str,
    is_refusal: bool,
    is_generous: bool,
}

/// A belief that the agent itself gave up is settled, unless the answer states it all the same.
fn keeps_old_belief(fact: &Fact, answer: &str) -> bool {
    let stated = Bag::of(answer);
    let (Some(first), Some(last)) = (fact.values.first(), fact.values.last()) else { return false };
    fact.has_competitors() && stated.values.contains(first) && !stated.values.contains(last)
}
