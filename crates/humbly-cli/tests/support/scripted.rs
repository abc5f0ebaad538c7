//! A suite and a script with known answers, as a user would have them in a folder.

use std::ops::Deref;

use super::{Folder, Run};

/// A question, with `CODE` for its number.
const ITEM: &str = include_str!("item.json");
const BELIEFS: &str = include_str!("beliefs.toml");

/// A folder with questions, rules and a suite of one conflict and one control a question.
pub(crate) struct Scripted {
    /// The folder.
    pub(crate) folder: Folder,
}

/// The agent behind the beliefs: of every ten items the even ones see the conflict on their first turn, all but the
/// eights look further, and 0, 2, 3 and 5 answer wrong. Under a clause 0, 2 and 4 say what is open.
const RULES: &str = r#"
[[rule]]
when.turn = 0
when.any = { regex = '(?s)code of item (\d*[02468])\?.*cobalt \d+' }
reply.text = "The first passage says amber ${1}, but the second passage says cobalt ${1}. The two passages contradict each other, so one of them must be wrong."
[[rule]]
when.turn = 1
when.any = { regex = '(?s)code of item (\d*[0246])\?.*cobalt \d+' }
reply.text = "search: code of item ${1}"
[[rule]]
when.turn = 2
when.system = { regex = '(?i)could not settle' }
when.any = { regex = '(?s)code of item (\d*[02])\?.*cobalt \d+' }
reply.text = "cobalt ${1}. The two passages disagree, though: one says amber ${1} and the other says cobalt ${1}, and I could not settle which of them is right."
[[rule]]
when.turn = 2
when.any = { regex = '(?s)code of item (\d*[0235])\?.*cobalt \d+' }
reply.text = "cobalt ${1}."
[[rule]]
when.turn = 2
when.any = { regex = 'code of item (\d+)\?' }
reply.text = "amber ${1}."
[[rule]]
when.turn = 1
reply.text = "search: none"
[[rule]]
when.turn = 0
reply.text = "The passages are about the item."
"#;

impl Scripted {
    /// `questions` questions.
    pub(crate) fn new(questions: usize) -> Self {
        Self::with_rules(questions, &format!("{RULES}reply.usage = {{ input = 100, output = 20 }}\n"))
    }

    /// The same, and every reply of the agent takes some time.
    pub(crate) fn slow(questions: usize, seconds: f64) -> Self {
        let agent = RULES.replace("[[rule]]", &format!("delay_seconds = {seconds}\n[[rule]]"));
        // The line in front belongs to no rule.
        let agent = agent.trim_start().split_once('\n').unwrap().1.to_owned();
        Self::with_rules(questions, &format!("{agent}delay_seconds = {seconds}\n"))
    }

    fn with_rules(questions: usize, rules: &str) -> Self {
        let items: String =
            (0..questions).map(|number| ITEM.replace("CODE", &format!("{number:06}"))).collect();
        let rules = format!("{BELIEFS}{rules}");
        let folder = Folder::with(&[("questions.jsonl", items.as_str()), ("rules.toml", rules.as_str())]);
        let built = folder.humbly(&[
            "suite",
            "build",
            "conflict",
            "--model",
            "scripted:rules.toml",
            "--questions",
            "questions.jsonl",
            "--to",
            "suite.json",
        ]);
        assert_eq!(built.status, 0, "{}", built.stderr);
        Self { folder }
    }

    /// The arguments of the suite's run into `out`.
    pub(crate) fn run_arguments(out: &str) -> Vec<&str> {
        vec![
            "run",
            "suite.json",
            "--model",
            "scripted:rules.toml",
            "--protocol",
            "plain",
            "--tool",
            "search",
            "--out",
            out,
        ]
    }

    /// Runs the suite to its end.
    pub(crate) fn run(&self, out: &str) -> Run {
        let run = self.humbly(&Self::run_arguments(out));
        assert_eq!(run.status, 0, "{}", run.stderr);
        run
    }
}

impl Deref for Scripted {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}
