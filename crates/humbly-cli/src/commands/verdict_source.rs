//! Which verdicts `humbly score` counts: the rules', a model's that is asked now, or those that a run holds.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use humbly_judge::LexicalJudge;
use humbly_pipeline::{
    LOG_TASKS, Request, StoredJudgements, Tasks, TrajectoryJudge, content_hash, is_run_file, visit_logs,
};
use humbly_store::{RunFile, StoreError};
use serde_json::json;

use super::judging::{Judged, Judging, all_succeeded, connect, judgements, panel, report_seats};
use super::sheet::settings_of;
use crate::args::{CorrectnessArgument, ScoreArguments};
use crate::output;

/// The verdicts, with what settings say of their judge.
pub(super) struct VerdictSource {
    verdicts: Verdicts,
    pub(super) name: String,
    pub(super) hash: String,
    pub(super) has_failed_calls: bool,
    /// Where trajectories and verdicts are to be kept, where that is not done yet.
    pub(super) recorder: Option<RunFile>,
}

enum Verdicts {
    Lexical(LexicalJudge),
    Stored(StoredJudgements),
}

impl VerdictSource {
    /// Finds the verdicts; a model is asked here.
    pub(super) fn of(
        arguments: &ScoreArguments,
        request: &Request,
        tasks: Option<&Tasks>,
    ) -> anyhow::Result<Self> {
        let asked = arguments.judge.trim();
        if asked == "lexical" {
            if arguments.correctness != CorrectnessArgument::Rules {
                bail!(
                    "--correctness {0} asks a model, and the judge is lexical; hint: --correctness {0} --judge PROVIDER:MODEL",
                    arguments.correctness.code()
                );
            }
            let judge = LexicalJudge::new();
            let recorder = arguments.out.as_ref().map(|out| open(out, arguments, tasks)).transpose()?;
            return Ok(Self {
                name: judge.name().to_string(),
                hash: judge.rules_hash(),
                verdicts: Verdicts::Lexical(judge),
                has_failed_calls: false,
                recorder,
            });
        }
        if !request.paths.is_empty() && request.paths.iter().all(|path| is_run_file(path)) {
            return Self::of_runs(asked, arguments, request, tasks);
        }
        Self::of_models(asked, arguments, request, tasks)
    }

    pub(super) fn judge(&self) -> &dyn TrajectoryJudge {
        match &self.verdicts {
            Verdicts::Lexical(judge) => judge,
            Verdicts::Stored(stored) => stored,
        }
    }

    /// Says how many trajectories have no verdicts.
    pub(super) fn report_missing(&self) {
        let Verdicts::Stored(stored) = &self.verdicts else { return };
        if stored.missing() > 0 {
            output::note(&format!(
                "{} trajectories have no verdicts of `{}`, which are undefined; hint: the command that judged them goes on",
                stored.missing(),
                self.name
            ));
        }
    }

    fn stored(stored: StoredJudgements) -> Self {
        let name = stored.judge().to_string();
        let hash = match name.rsplit_once('@') {
            Some((_, hash)) if !name.starts_with(PANEL) => hash.to_owned(),
            _ => content_hash(name.as_bytes()),
        };
        Self { verdicts: Verdicts::Stored(stored), name, hash, has_failed_calls: false, recorder: None }
    }

    /// Verdicts that the runs hold.
    fn of_runs(
        asked: &str,
        arguments: &ScoreArguments,
        request: &Request,
        tasks: Option<&Tasks>,
    ) -> anyhow::Result<Self> {
        let runs: Vec<RunFile> = request
            .paths
            .iter()
            .map(|path| RunFile::read(path))
            .collect::<Result<_, _>>()
            .context("cannot read the verdicts")?;
        let mut known = BTreeSet::new();
        for run in &runs {
            known.extend(run.judges()?);
        }
        let mut found: Vec<&String> = known.iter().filter(|name| is_meant(name, asked)).collect();
        // Asked for correctness or not is two judges of one name.
        if found.len() > 1 || arguments.correctness != CorrectnessArgument::Rules {
            let mut fitting = Vec::new();
            for name in &found {
                if said_so(&runs, name, arguments.correctness)? {
                    fitting.push(*name);
                }
            }
            if fitting.is_empty() && !found.is_empty() && arguments.correctness != CorrectnessArgument::Rules
            {
                let code = arguments.correctness.code();
                bail!(
                    "`{asked}` was not asked for correctness `{code}` in this run; hint: humbly judge {} --judge {asked} \
                     --correctness {code}",
                    request.paths.first().map(|path| path.display().to_string()).unwrap_or_default()
                );
            }
            if !fitting.is_empty() {
                found = fitting;
            }
        }
        let name = match found.as_slice() {
            [name] => (*name).clone(),
            [] => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                bail!(
                    "`{asked}` has not judged this run (judges there: {}); hint: humbly judge {} --judge {asked}",
                    if known.is_empty() { "none".to_owned() } else { known.join(", ") },
                    request.paths.first().map(|path| path.display().to_string()).unwrap_or_default()
                );
            }
            several => {
                let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
                bail!("`{asked}` fits several judges of this run, expected one of {}", names.join(", "));
            }
        };
        let mut stored = StoredJudgements::new(name.as_str());
        for run in &runs {
            let path = run.path().to_string_lossy().into_owned();
            for (key, judgement) in judgements(run, &name)? {
                stored.insert(&path, &key, None, judgement);
            }
        }
        let mut source = Self::stored(stored);
        source.recorder = arguments.out.as_ref().map(|out| open(out, arguments, tasks)).transpose()?;
        Ok(source)
    }

    /// Asks models about the logs; with `--out` every verdict is kept as it is given.
    fn of_models(
        asked: &str,
        arguments: &ScoreArguments,
        request: &Request,
        tasks: Option<&Tasks>,
    ) -> anyhow::Result<Self> {
        let names: Vec<&str> = asked.split(',').map(str::trim).collect();
        let judges = connect(&names, &arguments.ask, arguments.correctness)?;
        let folder;
        let path = if let Some(out) = &arguments.out {
            out.as_path()
        } else {
            folder = tempfile::tempdir().context("cannot make a temporary folder")?;
            &folder.path().join("verdicts.sqlite")
        };
        let run = open(path, arguments, tasks)?;
        let mut judging = Judging::new(&run, &judges, tasks, arguments.ask.concurrency)?.keeping_samples();
        let settings = settings_of("none", String::new(), 0, tasks);
        visit_logs(request, tasks, &StoredJudgements::new("none"), &settings, &mut judging);
        let Judged { seats, places } = judging.finish()?;
        report_seats(&seats);
        let name = match judges.as_slice() {
            [judge] => judge.name().to_owned(),
            several => panel(&run, several)?,
        };
        let mut given = judgements(&run, &name)?;
        let mut stored = StoredJudgements::new(name.as_str());
        for ((path, id, line), key) in places {
            if let Some(judgement) = given.remove(&key) {
                stored.insert(&path, &id, line, judgement);
            }
        }
        Ok(Self { has_failed_calls: !all_succeeded(&seats), ..Self::stored(stored) })
    }
}

/// Whether the judge of this name said of correctness what is wanted: by that judge of it, or nothing.
fn said_so(runs: &[RunFile], name: &str, wanted: CorrectnessArgument) -> anyhow::Result<bool> {
    for run in runs {
        let judgements = judgements(run, name)?;
        let mut rules =
            judgements.values().filter_map(|judgement| judgement.correct.as_ref()?.rule.as_deref());
        match wanted.by().code() {
            Some(code) if rules.any(|rule| rule.starts_with(code)) => return Ok(true),
            None if !judgements.is_empty() => return Ok(rules.next().is_none()),
            _ => {}
        }
    }
    Ok(false)
}

const PANEL: &str = "panel[";

/// Whether a judge's name in a run is what somebody calls `asked`: whole, the model's name with or without
/// provider, or the panel.
fn is_meant(name: &str, asked: &str) -> bool {
    if name.starts_with(PANEL) {
        return name == asked || asked == "panel";
    }
    let model = name.rsplit_once('@').map_or(name, |(model, _)| model);
    let bare = asked.split_once(':').map_or(asked, |(_, model)| model);
    name == asked || model == asked || model == bare
}

/// A run file for logs: what was read of which paths, with the tasks.
fn open(path: &Path, arguments: &ScoreArguments, tasks: Option<&Tasks>) -> anyhow::Result<RunFile> {
    if tasks.is_some_and(Tasks::differ_by_input) {
        bail!(
            "these runs have different tasks under one id, which one run file cannot hold; hint: keep each by a \
             command of its own"
        );
    }
    let settings = json!({
        "name": "logs",
        "humbly": env!("CARGO_PKG_VERSION"),
        "source": {
            "paths": arguments.paths, "format": arguments.format, "include": arguments.include,
            "since": arguments.since, "episodes": format!("{:?}", arguments.episodes).to_lowercase(),
        },
        LOG_TASKS: tasks.map(Tasks::all).unwrap_or_default(),
    });
    RunFile::open_or_create(path, &settings).map_err(|error| {
        let is_other = matches!(error, StoreError::SettingsDiffer { .. });
        let error = anyhow::Error::from(error);
        if is_other { error.context("cannot keep the logs in this file") } else { error }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_is_found_by_the_name_that_people_use() {
        for (name, asked, expected) in [
            ("gpt-5@1a2b", "openai:gpt-5", true),
            ("gpt-5@1a2b", "gpt-5", true),
            ("gpt-5@1a2b", "gpt-5@1a2b", true),
            ("llama3:8b@1a2b", "ollama:llama3:8b", true),
            ("gpt-5@1a2b", "gpt-5.2", false),
            ("panel[a@1,b@2]", "panel", true),
            ("panel[a@1,b@2]", "a", false),
        ] {
            assert_eq!(is_meant(name, asked), expected, "{name} {asked}");
        }
    }
}
