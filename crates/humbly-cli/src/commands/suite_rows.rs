//! Rows of data sets for `humbly suite build --dataset`.

use std::path::Path;

use anyhow::{Context, bail};
use futures::FutureExt;
use futures::future::BoxFuture;
use humbly_bench::conflict::{
    ConflictQuestion, Equivalence, FromRows, NaturalParams, Prompts, Suite, build_natural_suite,
    conflict_questions, natural_tasks,
};
use humbly_data::{Cache, DataSet, Question, data_set, load, load_local};
use humbly_llm::{ChatError, Sampling};
use humbly_model_judge::{JudgeSettings, ModelJudge};
use humbly_score::Matching;

use super::data::{data_error, pull::report};
use crate::args::SuiteBuildArguments;
use crate::clients::{Clients, wait};
use crate::output::{self, problem_error};

/// Questions of a controlled conflict.
pub(super) fn of_conflict(
    name: &str,
    arguments: &SuiteBuildArguments,
) -> anyhow::Result<FromRows<ConflictQuestion>> {
    if !["conflictqa", "wikicontradict"].contains(&name) {
        bail!(
            "`{name}` has no two sides to a question, expected `conflictqa` or `wikicontradict`; hint: your own \
             questions go by --questions, and natural conflict by `humbly suite build natural`"
        );
    }
    let (_, questions) = rows(name, arguments)?;
    let rows = conflict_questions(&questions);
    report_dropped(&rows, questions.len());
    if rows.usable.is_empty() {
        bail!("no row of `{name}` can be used");
    }
    Ok(rows)
}

/// Asks for the beliefs on natural questions and sorts them.
pub(super) fn natural(
    clients: &mut Clients,
    prompts: &Prompts,
    arguments: &SuiteBuildArguments,
) -> anyhow::Result<Suite> {
    let Some(name) = arguments.dataset.as_deref() else {
        bail!("a natural suite needs --dataset, e.g. --dataset gaia, monaco or browsecomp")
    };
    let (set, questions) = rows(name, arguments)?;
    let mut rows = natural_tasks(&questions);
    report_dropped(&rows, questions.len());
    if rows.usable.is_empty() {
        bail!("no row of `{name}` can be used");
    }
    if let Some(limit) = arguments.limit {
        rows.usable.truncate(limit);
    }
    let model = super::suite::model(arguments)?;
    let (client, provider_model) =
        clients.client(model).with_context(|| format!("cannot reach `{model}`"))?;
    let params = NaturalParams {
        name: format!("natural/{name}"),
        model: model.to_owned(),
        provider_model,
        sampling: Sampling {
            temperature: Some(0.0),
            max_tokens: Some(256),
            seed: Some(arguments.seed),
            ..Sampling::default()
        },
        seed: arguments.seed,
        matching: match set.name {
            "gaia" => Matching::Gaia,
            "monaco" => Matching::Monaco,
            _ => Matching::Auto,
        },
        concurrency: arguments.concurrency,
    };
    let meaning = arguments.judge.as_deref().map(|judge| meaning(clients, judge)).transpose()?;
    let equivalence = meaning.as_ref().map(|meaning| meaning as &dyn Equivalence);
    let mut suite = wait(build_natural_suite(client.as_ref(), &rows.usable, prompts, &params, equivalence))?
        .context("cannot use the prompts")?;
    suite.dropped = rows.dropped;
    Ok(suite)
}

fn rows(name: &str, arguments: &SuiteBuildArguments) -> anyhow::Result<(&'static DataSet, Vec<Question>)> {
    rows_at(name, arguments.path.as_deref())
}

/// The rows of a data set: of this file or folder, else of the cache.
pub(super) fn rows_at(name: &str, path: Option<&Path>) -> anyhow::Result<(&'static DataSet, Vec<Question>)> {
    let set = data_set(name).map_err(data_error)?;
    if let Some(warning) = set.warning {
        output::note(&format!("note: {warning}"));
    }
    let mut questions = Vec::new();
    let mut each = |question| questions.push(question);
    let found = if let Some(path) = path {
        load(set, path, &mut each).map_err(problem_error)?
    } else {
        let cache = Cache::from_variables(|name| std::env::var_os(name)).map_err(data_error)?;
        load_local(&cache, set, &mut each).map_err(data_error)?
    };
    report(&found);
    if questions.is_empty() {
        bail!("no row is one of `{name}`, expected {}", set.expects);
    }
    Ok((set, questions))
}

fn report_dropped<T>(rows: &FromRows<T>, count: usize) {
    if !rows.dropped.is_empty() {
        let reasons: Vec<String> =
            rows.dropped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        output::note(&format!(
            "{} usable of {count} rows; left out: {}",
            rows.usable.len(),
            reasons.join(", ")
        ));
    }
}

/// A model decides whether two answers mean the same, where the rule says that they differ.
struct Meaning(ModelJudge);

fn meaning(clients: &mut Clients, name: &str) -> anyhow::Result<Meaning> {
    let (client, model) = clients.client(name).with_context(|| format!("cannot use `{name}` as a judge"))?;
    let prompts = humbly_model_judge::Prompts::built_in()?;
    Ok(Meaning(ModelJudge::new(client, JudgeSettings::new(model), prompts)?))
}

impl Equivalence for Meaning {
    fn is_same<'a>(
        &'a self,
        answer: &'a str,
        gold: &'a str,
    ) -> BoxFuture<'a, Result<Option<bool>, ChatError>> {
        async move { Ok(self.0.equivalent(answer, gold).await.reading.ok().and_then(|verdict| verdict.value)) }
            .boxed()
    }
}
