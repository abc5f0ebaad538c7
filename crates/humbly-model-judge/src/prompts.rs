//! Prompts: one file a rubric, ours or the user's.
//!
//! A file has a section `[system]` and a section `[user]`, both minijinja templates, and may name the form of
//! the replies in a section `[reply]` before them. The judged texts come in already fenced; they are values
//! of the template and never part of its source.

use std::collections::BTreeMap;
use std::path::Path;

use humbly_prompts::{PromptFiles, digest, fill_untrimmed, variables};

use crate::fence::Fence;
use crate::reply::ReplyForm;
use crate::{ModelJudgeError, Result, Rubric};

/// Hexadecimal digits of a prompt's hash.
const HASH_DIGITS: usize = 12;

/// One prompt, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    rubric: Rubric,
    system: String,
    user: String,
    form: ReplyForm,
    hash: String,
}

impl Prompt {
    /// Reads the text of a prompt file.
    ///
    /// # Errors
    /// [`ModelJudgeError::Prompt`] where a section is missing, the template cannot be read, it names a
    /// variable that the rubric does not have, does not show one that it has, or asks for a form of reply
    /// that the rubric cannot have.
    ///
    /// # Examples
    /// ```
    /// use humbly_model_judge::{Prompt, Rubric};
    /// let text = "[reply]\nlines\n[system]\nJudge what {{ boundary }} fences.\n[user]\n{{ answer }}";
    /// assert!(Prompt::parse(Rubric::Escalate, text).is_ok());
    /// let error = Prompt::parse(Rubric::Escalate, "[system]\nJudge.\n[user]\nWell?").unwrap_err();
    /// assert!(error.to_string().contains("never shows `{{ answer }}`"));
    /// ```
    pub fn parse(rubric: Rubric, text: &str) -> Result<Self> {
        let fault = |detail: String| ModelJudgeError::Prompt { name: rubric.code(), detail };
        let mut sections: BTreeMap<&str, String> = BTreeMap::new();
        let mut current = None;
        for line in text.lines() {
            if let Some(name) =
                ["[reply]", "[system]", "[user]"].into_iter().find(|name| *name == line.trim_end())
            {
                if sections.insert(name, String::new()).is_some() {
                    return Err(fault(format!("found two sections `{name}`, expected one")));
                }
                current = Some(name);
            } else if let Some(section) = current.and_then(|name| sections.get_mut(name)) {
                section.push_str(line);
                section.push('\n');
            } else if !line.trim().is_empty() {
                return Err(fault("found text before the first section, expected `[system]`".to_owned()));
            }
        }
        let mut section = |name: &str| {
            sections.remove(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let form = match section("[reply]") {
            None => rubric.default_form(),
            Some(name) => ReplyForm::from_code(&name).ok_or_else(|| {
                fault(format!("found the reply form `{name}`, expected {}", ReplyForm::CODES))
            })?,
        };
        if rubric.labels().is_none() && form != ReplyForm::Json {
            return Err(fault(format!(
                "found the reply form `{}`, expected `json`: it has a turn",
                form.code()
            )));
        }
        let missing =
            |name: &str| fault(format!("found no section `{name}`, expected `[system]` and `[user]`"));
        let system = section("[system]").ok_or_else(|| missing("[system]"))?;
        let user = section("[user]").ok_or_else(|| missing("[user]"))?;
        let prompt = Self { rubric, system, user, form, hash: digest([text], HASH_DIGITS) };
        prompt.check()?;
        Ok(prompt)
    }

    fn check(&self) -> Result<()> {
        let fault = |detail: String| ModelJudgeError::Prompt { name: self.rubric.code(), detail };
        let mut used = Vec::new();
        for source in [&self.system, &self.user] {
            let named = variables(source)
                .map_err(|error| fault(format!("the template cannot be read: {error:#}")))?;
            used.extend(named);
        }
        used.sort_unstable();
        let known = self.rubric.variables();
        if let Some(unknown) = used.iter().find(|name| *name != "boundary" && !known.contains(&name.as_str()))
        {
            return Err(fault(format!(
                "found the variable `{unknown}`, expected boundary, {}",
                known.join(", ")
            )));
        }
        if let Some(unused) = known.iter().find(|name| !used.iter().any(|used| used == *name)) {
            return Err(fault(format!("it never shows `{{{{ {unused} }}}}`")));
        }
        // A filter that does not exist shows only when it is called.
        let values = known.iter().map(|&name| (name, String::new())).collect();
        self.render(&Fence::around::<&str>(&[]), &values).map(drop)
    }

    /// The rubric.
    pub fn rubric(&self) -> Rubric {
        self.rubric
    }

    /// The form of its replies.
    pub fn form(&self) -> ReplyForm {
        self.form
    }

    /// Hash of the prompt file.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Rubric and hash, as verdicts name it.
    pub fn rule(&self) -> String {
        format!("{}@{}", self.rubric, self.hash)
    }

    /// System and user message with fenced `values`.
    pub(crate) fn render(&self, fence: &Fence, values: &BTreeMap<&str, String>) -> Result<(String, String)> {
        let mut context = values.clone();
        context.insert("boundary", fence.boundary().to_owned());
        let render = |source: &str| {
            fill_untrimmed(source, &context).map_err(|error| ModelJudgeError::Prompt {
                name: self.rubric.code(),
                detail: format!("the template cannot be filled: {error:#}"),
            })
        };
        Ok((render(&self.system)?, render(&self.user)?))
    }
}

/// The prompts of all rubrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    all: BTreeMap<Rubric, Prompt>,
}

impl Prompts {
    /// Our own prompts.
    ///
    /// # Errors
    /// None as shipped: a test reads them all.
    pub fn built_in() -> Result<Self> {
        Self::parse(&PromptFiles::built_in(&Self::ours()))
    }

    /// The prompts of a folder (`identify.txt`, `escalate.txt`, …), ours for those that are not there.
    ///
    /// # Errors
    /// [`ModelJudgeError::PromptFile`], also for a `.txt` file that no rubric is named after, so that a slip of the pen
    /// is not passed over; [`ModelJudgeError::Prompt`].
    pub fn load(folder: &Path) -> Result<Self> {
        Self::parse(&PromptFiles::load(&Self::ours(), folder)?)
    }

    fn ours() -> Vec<(&'static str, &'static str)> {
        Rubric::ALL.iter().map(|rubric| (rubric.code(), rubric.built_in())).collect()
    }

    fn parse(files: &PromptFiles) -> Result<Self> {
        let all = Rubric::ALL
            .iter()
            .map(|&rubric| Ok((rubric, Prompt::parse(rubric, files.get(rubric.code()))?)))
            .collect::<Result<_>>()?;
        Ok(Self { all })
    }

    /// Replaces one prompt.
    #[must_use]
    pub fn with(mut self, prompt: Prompt) -> Self {
        self.all.insert(prompt.rubric, prompt);
        self
    }

    /// The prompt of a rubric.
    pub fn prompt(&self, rubric: Rubric) -> Option<&Prompt> {
        self.all.get(&rubric)
    }

    /// One hash over all prompts: what a result records.
    pub fn hash(&self) -> String {
        let mut text = String::new();
        for (rubric, prompt) in &self.all {
            text.push_str(&format!("{rubric}={}\n", prompt.hash));
        }
        digest([text], HASH_DIGITS)
    }
}

#[cfg(test)]
mod tests;
