//! A suite and a script with known answers, as a user would have them in a folder.

use std::path::PathBuf;

use tempfile::TempDir;

use super::{Run, collect, humbly};

/// A folder with questions, rules and a suite of one conflict and one control a question.
pub(crate) struct Scripted {
    /// The folder.
    pub(crate) folder: TempDir,
}

/// Beliefs first, then an agent: of every ten items the even ones see the conflict on their first turn, all but the
/// eights look further, and 0, 2, 3 and 5 answer wrong. Under a clause 0, 2 and 4 say what is open.
const RULES: &str = r#"
[[rule]]
when.user = { regex = '(?s)code of item (\d+)\?.*\n([A-D])\. amber' }
reply.text = "${2}"
[[rule]]
when.user = { regex = '(?s)from memory.*code of item (\d+)\?' }
reply.text = "amber ${1}"
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

    /// The same, and every reply takes some time.
    pub(crate) fn slow(questions: usize, seconds: f64) -> Self {
        let slow = format!("delay_seconds = {seconds}\n[[rule]]");
        // Only the agent's rules: the beliefs stand first.
        let (beliefs, agent) = RULES.split_at(RULES.find("when.turn = 0").unwrap());
        let agent = agent.replace("[[rule]]", &slow);
        Self::with_rules(questions, &format!("{beliefs}{agent}delay_seconds = {seconds}\n"))
    }

    fn with_rules(questions: usize, rules: &str) -> Self {
        let scripted = Self { folder: tempfile::tempdir().unwrap() };
        let mut lines = String::new();
        for number in 0..questions {
            let code = format!("{number:06}");
            let question = serde_json::json!({
                "id": format!("item-{code}"),
                "question": format!("What is the code of item {code}?"),
                "answer": format!("amber {code}"),
                "false_answer": format!("cobalt {code}"),
                "passages_true": [format!("The register lists amber {code}."), format!("A note gives amber {code} as its code.")],
                "passages_false": [format!("The clerk wrote down cobalt {code}.")],
            });
            lines.push_str(&format!("{question}\n"));
        }
        std::fs::write(scripted.path("questions.jsonl"), lines).unwrap();
        std::fs::write(scripted.path("rules.toml"), rules).unwrap();
        let built = scripted.humbly(&[
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
        scripted
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the command in the folder.
    pub(crate) fn humbly(&self, arguments: &[&str]) -> Run {
        collect(humbly(arguments).current_dir(self.folder.path()))
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

    /// The table of a suite's rows, exported.
    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }
}
