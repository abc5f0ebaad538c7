//! Entering the hook into a harness's settings, and taking it back.
//!
//! A change is planned, shown, and written only when the caller says so. The old file is kept beside the new
//! one; taking the hook back restores it byte for byte where nothing else was changed since.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::Harness;
use crate::settings_text::{items, member, pretty, root, with_added, without};
use crate::state::write_atomically;
use crate::{GuardError, Mode, Places, Result};

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All sessions of the user.
    User,
    /// Sessions in the working folder.
    Project,
}

/// What the entered hook is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookOptions {
    /// What it does where something is kept silent.
    pub mode: Mode,
    /// The model that judges in place of the lexical rules.
    pub judge: Option<String>,
    /// Base URL of that model's server, where it is not its provider's own.
    pub base_url: Option<String>,
    /// Its own deadline, in seconds.
    pub deadline_seconds: u64,
}

impl Default for HookOptions {
    fn default() -> Self {
        Self { mode: Mode::Ask, judge: None, base_url: None, deadline_seconds: DEADLINE_SECONDS }
    }
}

/// The deadline of a hook that asks no model, in seconds.
pub const DEADLINE_SECONDS: u64 = 2;
/// So much longer the harness waits before it ends the hook, in seconds.
const GRACE_SECONDS: u64 = 8;

/// A change of a settings file that is not written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// What is in it; `None` where there is no file.
    pub before: Option<String>,
    /// What will be in it; `None` where it will be removed.
    pub after: Option<String>,
    /// Where the old file is kept.
    pub kept: PathBuf,
    keeps: bool,
    takes_back: bool,
}

impl Change {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// The lines that go and come, with two lines around them.
    pub fn diff(&self) -> String {
        const AROUND: usize = 2;
        let lines = |text: &Option<String>| -> Vec<String> {
            text.as_deref().unwrap_or_default().lines().map(str::to_owned).collect()
        };
        let (old, new) = (lines(&self.before), lines(&self.after));
        let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let most = old.len().min(new.len()) - same;
        let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
        let mut text = String::new();
        let mut part = |mark: &str, lines: &[String]| {
            for line in lines {
                text.push_str(&format!("{mark}{line}\n"));
            }
        };
        part("  ", old.get(same.saturating_sub(AROUND)..same).unwrap_or_default());
        part("- ", old.get(same..old.len() - tail).unwrap_or_default());
        part("+ ", new.get(same..new.len() - tail).unwrap_or_default());
        let after = new.len() - tail;
        part("  ", new.get(after..(after + AROUND).min(new.len())).unwrap_or_default());
        text
    }

    /// Writes the change in one step, the old file kept.
    ///
    /// # Errors
    /// [`GuardError::SettingsChanged`] where the file is no longer as it was when the change was planned;
    /// [`GuardError::File`].
    pub fn write(&self) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        if read(&self.path)? != self.before {
            return Err(GuardError::SettingsChanged { path: self.path.clone() });
        }
        // A link to a file elsewhere stays a link.
        let target = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        if let (Some(before), true) = (&self.before, self.keeps) {
            write_atomically(&self.kept, before.as_bytes())?;
        }
        let failed = |source| GuardError::File { path: target.clone(), action: "written", source };
        match &self.after {
            Some(after) => write_atomically(&target, after.as_bytes())?,
            None => std::fs::remove_file(&target).map_err(failed)?,
        }
        if self.takes_back && read(&self.kept)? == self.after && self.kept.exists() {
            std::fs::remove_file(&self.kept).map_err(failed)?;
        }
        Ok(())
    }
}

/// Plans to enter the hook; an entry of an earlier version or mode is replaced, never doubled.
///
/// # Errors
/// [`GuardError::NoHome`], [`GuardError::File`], [`GuardError::SettingsNotJson`], [`GuardError::SettingsForm`].
pub fn plan_install(
    harness: &dyn Harness,
    scope: Scope,
    options: &HookOptions,
    program: &Path,
    places: &Places,
) -> Result<Change> {
    let path = harness.settings_path(scope, places).ok_or(GuardError::NoHome)?;
    let before = read(&path)?;
    let command = command(harness, options, program);
    let old = before.clone().unwrap_or_default();
    let has_ours = is_entered_as(&path, &old, harness, &command)?;
    let after = if has_ours {
        old
    } else {
        let cleaned = if old.trim().is_empty() { old } else { taken_back(&path, &old, harness)? };
        entered(&path, &cleaned, harness, &command)?
    };
    // What is kept is the file without us.
    let keeps = our_commands(&path, before.as_deref().unwrap_or_default(), harness)?.is_empty();
    Ok(Change { kept: kept(&path), path, before, after: Some(after), keeps, takes_back: false })
}

/// Plans to take the hook back.
///
/// # Errors
/// As [`plan_install`].
pub fn plan_uninstall(harness: &dyn Harness, scope: Scope, places: &Places) -> Result<Change> {
    let path = harness.settings_path(scope, places).ok_or(GuardError::NoHome)?;
    let before = read(&path)?;
    let kept = kept(&path);
    let after = match &before {
        None => None,
        Some(text) => {
            let plain = taken_back(&path, text, harness)?;
            if plain == *text { Some(plain) } else { original(&path, text, &kept, harness, plain)? }
        }
    };
    Ok(Change { path, before, after, kept, keeps: false, takes_back: true })
}

/// The file as it was before installing, where nothing else was changed since; `plain` otherwise.
fn original(
    path: &Path,
    text: &str,
    kept: &Path,
    harness: &dyn Harness,
    plain: String,
) -> Result<Option<String>> {
    let Some(command) = our_commands(path, text, harness)?.into_iter().next() else { return Ok(Some(plain)) };
    let is_made_of = |old: &str| entered(path, old, harness, &command).map(|made| made == text);
    match read(kept)? {
        Some(old) => Ok(Some(if is_made_of(&old)? { old } else { plain })),
        None => Ok(if is_made_of("")? { None } else { Some(plain) }),
    }
}

fn read(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(GuardError::File { path: path.to_owned(), action: "read", source }),
    }
}

/// `settings.json.before-humbly`.
fn kept(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".before-humbly");
    path.with_file_name(name)
}

/// The command line of the hook.
fn command(harness: &dyn Harness, options: &HookOptions, program: &Path) -> String {
    let mut line = format!("{} guard --harness {}", quoted(&program.to_string_lossy()), harness.name());
    line.push_str(match options.mode {
        Mode::Ask => "",
        Mode::Note => " --mode note",
        Mode::Log => " --mode log",
    });
    for (option, value) in [("judge", &options.judge), ("base-url", &options.base_url)] {
        if let Some(value) = value {
            line.push_str(&format!(" --{option} {}", quoted(value)));
        }
    }
    if options.deadline_seconds != DEADLINE_SECONDS {
        line.push_str(&format!(" --deadline {}", options.deadline_seconds));
    }
    line
}

/// The harness's time limit for a command of ours, in its unit.
fn timeout(harness: &dyn Harness, command: &str) -> u64 {
    let deadline = command.rsplit_once(" --deadline ").and_then(|(_, seconds)| seconds.parse().ok());
    let seconds: u64 = deadline.unwrap_or(DEADLINE_SECONDS);
    seconds.saturating_add(GRACE_SECONDS).saturating_mul(harness.settings().units_per_second)
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:@".contains(letter);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Whether a command is a hook of this program for this harness.
fn is_ours(command: &str, harness: &dyn Harness) -> bool {
    let Some((program, rest)) = command.split_once(" guard --harness ") else { return false };
    let program = program.trim_matches(['\'', '"']);
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    matches!(file, "humbly" | "humbly.exe") && rest.split_whitespace().next() == Some(harness.name())
}

/// Where the settings hold an event: in `hooks`, or at the top (a form of `OpenHands`), under the name that is
/// there already.
fn event_path(text: &str, event: &str, harness: &dyn Harness) -> Vec<String> {
    let top = items(text, &root(text));
    let has = |items: &[crate::settings_text::Item], key: &str| {
        items.iter().any(|item| item.key.as_deref() == Some(key))
    };
    let snake = event.to_lowercase();
    if harness.name() == "openhands" {
        if let Some(hooks) = member(text, &root(text), "hooks") {
            let inside = items(text, &hooks);
            let name = if has(&inside, &snake) { snake } else { event.to_owned() };
            return vec!["hooks".to_owned(), name];
        }
        if !top.is_empty() {
            return vec![if has(&top, event) { event.to_owned() } else { snake }];
        }
    }
    vec!["hooks".to_owned(), event.to_owned()]
}

/// The text with the hook entered; an empty text becomes a file.
fn entered(path: &Path, text: &str, harness: &dyn Harness, command: &str) -> Result<String> {
    let settings = harness.settings();
    let mut text = if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() };
    check(path, &text)?;
    for event in settings.events {
        let mut group =
            json!({"hooks": [{"type": "command", "command": command, "timeout": timeout(harness, command)}]});
        if settings.matcher {
            group["matcher"] = json!("*");
        }
        text = entered_at(path, &text, &event_path(&text, event, harness), &group)?;
    }
    Ok(text)
}

fn entered_at(path: &Path, text: &str, keys: &[String], group: &Value) -> Result<String> {
    let mut at = root(text);
    for (depth, key) in keys.iter().enumerate() {
        let is_list = depth + 1 == keys.len();
        let Some(value) = member(text, &at, key) else {
            let nested =
                keys.iter().skip(depth + 1).rev().fold(json!([group]), |inner, key| json!({ key: inner }));
            return Ok(with_added(text, &at, Some(key), &nested));
        };
        let opening = if is_list { "[" } else { "{" };
        if !text.get(value.clone()).unwrap_or_default().starts_with(opening) {
            let expected = if is_list { "list" } else { "object" };
            return Err(GuardError::SettingsForm { path: path.to_owned(), key: key.clone(), expected });
        }
        at = value;
    }
    Ok(with_added(text, &at, None, group))
}

/// The text without any entry of ours; what held only them goes too.
fn taken_back(path: &Path, text: &str, harness: &dyn Harness) -> Result<String> {
    check(path, text)?;
    let mut text = text.to_owned();
    for event in harness.settings().events {
        let keys = event_path(&text, event, harness);
        while let Some(shorter) = without_one(&text, &keys, harness) {
            text = shorter;
        }
    }
    Ok(text)
}

/// The text without the first entry of ours at `keys`; `None` where there is none.
fn without_one(text: &str, keys: &[String], harness: &dyn Harness) -> Option<String> {
    let mut containers = vec![root(text)];
    for key in keys {
        containers.push(member(text, containers.last()?, key)?);
    }
    let groups = items(text, containers.last()?);
    let (group_index, group, handlers, handler_index) =
        groups.iter().enumerate().find_map(|(group_index, group)| {
            let handlers = member(text, &group.value, "hooks")?;
            let index = items(text, &handlers).iter().position(|handler| {
                command_of(text, &handler.value).is_some_and(|command| is_ours(&command, harness))
            })?;
            Some((group_index, group.value.clone(), handlers, index))
        })?;
    if items(text, &handlers).len() > 1 {
        return Some(without(text, &handlers, handler_index));
    }
    debug_assert!(group.start < group.end);
    let mut index = group_index;
    let mut emptied = groups.len() == 1;
    // Upwards while the container holds nothing else.
    while emptied && containers.len() > 1 {
        containers.pop();
        let parent = containers.last()?;
        let key = keys.get(containers.len() - 1)?;
        let members = items(text, parent);
        index = members.iter().position(|member| member.key.as_deref() == Some(key.as_str()))?;
        emptied = members.len() == 1;
    }
    Some(without(text, containers.last()?, index))
}

fn command_of(text: &str, handler: &std::ops::Range<usize>) -> Option<String> {
    serde_json::from_str(text.get(member(text, handler, "command")?)?).ok()
}

/// The commands of ours, in the order of the events.
fn our_commands(path: &Path, text: &str, harness: &dyn Harness) -> Result<Vec<String>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    check(path, text)?;
    let mut commands = Vec::new();
    for event in harness.settings().events {
        let groups = event_path(text, event, harness)
            .iter()
            .try_fold(root(text), |at, key| member(text, &at, key))
            .map_or_else(Vec::new, |list| items(text, &list));
        for group in groups {
            let Some(handlers) = member(text, &group.value, "hooks") else { continue };
            let found = items(text, &handlers);
            let ours = found.iter().filter_map(|handler| command_of(text, &handler.value));
            commands.extend(ours.filter(|command| is_ours(command, harness)));
        }
    }
    Ok(commands)
}

/// Whether each event has exactly this command.
fn is_entered_as(path: &Path, text: &str, harness: &dyn Harness, command: &str) -> Result<bool> {
    let commands = our_commands(path, text, harness)?;
    Ok(commands.len() == harness.settings().events.len() && commands.iter().all(|entered| entered == command))
}

/// The settings are one JSON object.
fn check(path: &Path, text: &str) -> Result<()> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => Ok(()),
        Ok(_) => {
            let key = "the whole".to_owned();
            Err(GuardError::SettingsForm { path: path.to_owned(), key, expected: "object" })
        }
        Err(source) => Err(GuardError::SettingsNotJson { path: path.to_owned(), source }),
    }
}

/// What a person enters by hand where the file cannot be edited.
pub fn by_hand(harness: &dyn Harness, options: &HookOptions, program: &Path) -> String {
    let command = command(harness, options, program);
    entered(Path::new(""), "", harness, &command).unwrap_or_else(|_| pretty(&json!({}), "  ", ""))
}

#[cfg(test)]
mod tests;
