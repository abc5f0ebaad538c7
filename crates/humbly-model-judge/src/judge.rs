//! The judge: a client, prompts, settings; one method a question.

use std::collections::BTreeMap;
use std::sync::Arc;

use humbly_llm::ChatClient;
use humbly_text::think;
use humbly_types::{Reason, Undefined, Verdict};

use crate::ask::{Question, ask};
use crate::reply::{Flagged, read_flag, read_label};
use crate::windows::{Shown, fenced, windows};
use crate::{Asked, Fence, JudgeSettings, Prompt, Prompts, RawReply, Result, Rubric, family_match};
use humbly_prompts::digest;

/// Hexadecimal digits of the hash in a judge's name.
const NAME_DIGITS: usize = 8;

/// Judges texts by asking a model.
///
/// Cheap to clone. Its name is the model with a hash of prompts and settings, so that the verdicts of two
/// ways of asking stay apart.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use humbly_llm::{ChatReply, ScriptedClient};
/// use humbly_model_judge::{JudgeSettings, ModelJudge, Prompts};
/// let client = ScriptedClient::from_fn(|_| Ok(ChatReply { text: "YES".into(), ..ChatReply::default() }));
/// let judge = ModelJudge::new(Arc::new(client), JudgeSettings::new("m"), Prompts::built_in()?)?;
/// let asked = futures::executor::block_on(judge.escalate("Either 1912 or 1913, sources differ."));
/// assert_eq!(asked.reading.unwrap().value, Some(true));
/// assert_eq!(asked.raw[0].text, "YES");
/// # Ok::<(), humbly_model_judge::ModelJudgeError>(())
/// ```
#[derive(Clone)]
pub struct ModelJudge {
    client: Arc<dyn ChatClient>,
    settings: Arc<JudgeSettings>,
    prompts: Arc<Prompts>,
    name: Arc<str>,
}

impl std::fmt::Debug for ModelJudge {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ModelJudge").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ModelJudge {
    /// Puts client, settings and prompts together.
    ///
    /// # Errors
    /// [`crate::ModelJudgeError::Setting`].
    pub fn new(client: Arc<dyn ChatClient>, settings: JudgeSettings, prompts: Prompts) -> Result<Self> {
        settings.check()?;
        let hash = digest([prompts.hash(), format!("{settings:?}")], NAME_DIGITS);
        let name = Arc::from(format!("{}@{hash}", settings.model));
        Ok(Self { client, settings: Arc::new(settings), prompts: Arc::new(prompts), name })
    }

    /// Model and hash, as in every verdict.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// How it asks.
    pub fn settings(&self) -> &JudgeSettings {
        &self.settings
    }

    /// What it asks.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// The warning where judge and the agent's model are of one family, as far as their names tell.
    pub fn family_warning(&self, backbone: &str) -> Option<String> {
        family_match(&self.settings.model, backbone).warning(&self.settings.model, backbone)
    }

    /// Identify: whether one turn (reasoning and visible text) recognises a specific gap.
    pub async fn identify_text(&self, text: &str) -> Asked<Verdict> {
        let turns = [Shown { turn: 0, text: text.to_owned() }];
        let (asked, rule) = self.flag(Rubric::Identify, &turns, None).await;
        asked.map(|flagged| self.verdict(flagged.turn.is_some(), rule))
    }

    /// Escalate: whether a final answer passes a specific uncertainty on. Think blocks are taken out.
    ///
    /// By the criteria that the settings name.
    pub async fn escalate(&self, answer: &str) -> Asked<Verdict> {
        self.yes_or_no(self.settings.escalate.rubric(), [("answer", "answer", &think::visible(answer))]).await
    }

    /// Whether an answer refuses. Think blocks are taken out.
    pub async fn refusal(&self, answer: &str) -> Asked<Verdict> {
        self.yes_or_no(Rubric::Refusal, [("answer", "answer", &think::visible(answer))]).await
    }

    /// Whether two answers to one question mean the same.
    pub async fn equivalent(&self, first: &str, second: &str) -> Asked<Verdict> {
        self.yes_or_no(
            Rubric::Equivalence,
            [("first", "first answer", first), ("second", "second answer", second)],
        )
        .await
    }

    /// Asks for a flag with a turn, in windows where the turns do not fit one request.
    ///
    /// The first flagged window decides. A turn that fits no window, and a window that cannot be read, leave
    /// the whole undefined unless an earlier one was flagged. The rule names the number of windows where
    /// there are several.
    pub(crate) async fn flag(
        &self,
        rubric: Rubric,
        turns: &[Shown],
        about: Option<&str>,
    ) -> (Asked<Flagged>, String) {
        let (prompt, field) = match (self.prompt(rubric), rubric.turn_field()) {
            (Ok(prompt), Some(field)) => (prompt, field),
            (Err(undefined), _) => return (Asked::settled(Err(undefined)), rubric.code().to_owned()),
            (Ok(_), None) => return (Asked::settled(Err(no_prompt(rubric))), rubric.code().to_owned()),
        };
        let windows = windows(turns, self.settings.longest_text);
        let count = windows.len();
        let rule = if count > 1 { format!("{} ({count} windows)", prompt.rule()) } else { prompt.rule() };
        let mut raw: Vec<RawReply> = Vec::new();
        if rubric == Rubric::SelfInconsistency && count > 1 {
            let length: usize = turns.iter().map(|turn| turn.text.chars().count()).sum();
            return (Asked::settled(Err(self.too_long(rubric, length))), rule);
        }
        for (index, window) in windows.into_iter().enumerate() {
            let shown = match window {
                Ok(shown) => shown,
                Err(turn) => {
                    let undefined = self.too_long(rubric, turn.text.chars().count());
                    return (Asked { reading: Err(undefined), raw }, rule);
                }
            };
            let texts: Vec<&str> = shown.iter().map(|turn| turn.text.as_str()).collect();
            let fence = Fence::around(&texts);
            let numbers: Vec<u32> = shown.iter().map(|turn| turn.turn).collect();
            let question = Question {
                prompt,
                values: BTreeMap::from([("turns", fenced(shown, &fence))]),
                fence,
                about: about
                    .map(str::to_owned)
                    .or_else(|| (count > 1).then(|| format!("window {} of {count}", index + 1))),
                shown_turns: numbers.clone(),
            };
            let read = |text: &str| read_flag(text, field, &numbers).map(|flagged| (flagged, None));
            let asked = ask(&*self.client, &self.settings, &question, read).await;
            raw.extend(asked.raw);
            match asked.reading {
                Ok(Flagged { turn: None }) => {}
                // A window that could not be read may hold an earlier flag: no later one settles the turn.
                decided => return (Asked { reading: decided, raw }, rule),
            }
        }
        (Asked { reading: Ok(Flagged { turn: None }), raw }, rule)
    }

    /// Asks for yes or no about texts, each with its variable and the name in its fence.
    pub(crate) async fn yes_or_no<const N: usize>(
        &self,
        rubric: Rubric,
        texts: [(&'static str, &str, &str); N],
    ) -> Asked<Verdict> {
        let texts: Vec<_> =
            texts.into_iter().map(|(name, label, text)| (name, vec![(label.to_owned(), text)])).collect();
        let (asked, rule) = self.label(rubric, &texts).await;
        asked.map(|label| self.verdict(label == 0, rule))
    }

    /// Asks for a label about texts; one variable may show several fenced texts.
    pub(crate) async fn label(
        &self,
        rubric: Rubric,
        texts: &[(&'static str, Vec<(String, &str)>)],
    ) -> (Asked<usize>, String) {
        let (prompt, labels) = match (self.prompt(rubric), rubric.labels()) {
            (Ok(prompt), Some(labels)) => (prompt, labels),
            (Err(undefined), _) => return (Asked::settled(Err(undefined)), rubric.code().to_owned()),
            (Ok(_), None) => return (Asked::settled(Err(no_prompt(rubric))), rubric.code().to_owned()),
        };
        let all: Vec<&str> =
            texts.iter().flat_map(|(_, texts)| texts.iter().map(|(_, text)| *text)).collect();
        let length: usize = all.iter().map(|text| text.chars().count()).sum();
        if length > self.settings.longest_text {
            return (Asked::settled(Err(self.too_long(rubric, length))), prompt.rule());
        }
        let fence = Fence::around(&all);
        let shown = |texts: &Vec<(String, &str)>| {
            texts.iter().map(|(label, text)| fence.wrap(label, text)).collect::<Vec<_>>().join("\n\n")
        };
        let values = texts.iter().map(|(name, texts)| (*name, shown(texts))).collect();
        let question =
            Question { prompt, values, fence: fence.clone(), about: None, shown_turns: Vec::new() };
        let read =
            |text: &str| read_label(text, prompt.form(), labels).map(|read| (read.label, read.confidence));
        (ask(&*self.client, &self.settings, &question, read).await, prompt.rule())
    }

    pub(crate) fn prompt(&self, rubric: Rubric) -> std::result::Result<&Prompt, Undefined> {
        self.prompts.prompt(rubric).ok_or_else(|| no_prompt(rubric))
    }

    pub(crate) fn verdict(&self, value: bool, rule: String) -> Verdict {
        Verdict { value: Some(value), rule: Some(rule), ..Verdict::no(&self.name) }
    }

    /// The verdict that a question without a reading has.
    pub(crate) fn unknown(&self, undefined: Undefined, rule: Option<String>) -> Verdict {
        Verdict { value: None, rule, undefined: Some(undefined), ..Verdict::no(&self.name) }
    }

    fn too_long(&self, rubric: Rubric, length: usize) -> Undefined {
        let detail =
            format!("{rubric}: {length} characters, at most {} are shown", self.settings.longest_text);
        Undefined::with_detail(Reason::ContextTooLong, detail)
    }
}

fn no_prompt(rubric: Rubric) -> Undefined {
    Undefined::with_detail(Reason::NotApplicable, format!("{rubric}: there is no prompt"))
}
