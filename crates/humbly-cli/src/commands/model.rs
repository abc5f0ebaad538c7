//! `humbly model`: embedded models and providers.

use anyhow::Context;
use humbly_llm::providers::providers;
use humbly_model::fetch::{KNOWN_MODELS, Progress, cache_folder, known_model, pull, resolve};
use serde_json::json;

use crate::args::{ModelCommand, OutputFormat};
use crate::exit::Status;
use crate::output::{self, Table};

pub(crate) fn run(command: &ModelCommand) -> anyhow::Result<Status> {
    match command {
        ModelCommand::Pull(arguments) => {
            let path = fetch(&arguments.name)?;
            output::stdout(format!("{path}\n").as_bytes())?;
        }
        ModelCommand::List(arguments) => list(arguments.output)?,
    }
    Ok(Status::Done)
}

/// Fetches an embedded model by name where it is not there; the path of a file is left as it is.
pub(super) fn ensure(name: &str) -> anyhow::Result<()> {
    if resolve(name).is_err() && known_model(name).is_ok() {
        fetch(name)?;
    }
    Ok(())
}

fn fetch(name: &str) -> anyhow::Result<String> {
    let model = known_model(name)?;
    let mut said = false;
    let mut show = |progress: Progress| match progress {
        Progress::Downloading { command } => {
            output::note(&format!("fetching {} ({} MB) by `{command}`", model.name, model.bytes / 1_000_000));
        }
        Progress::Present => output::note(&format!("{} is there already", model.name)),
        Progress::Unpacking { .. } if !said => {
            said = true;
            output::note("unpacking and checking the digest");
        }
        _ => {}
    };
    let path = pull(model, &cache_folder()?, &mut show)
        .with_context(|| format!("cannot fetch the model `{name}`"))?;
    Ok(path.display().to_string())
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
        return output::json(&json!({"embedded": models, "providers": providers}));
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
    output::table(&table, format)?;
    let mut others = Table::new(&["provider", "e.g."]);
    for (name, example) in providers() {
        others.row([name.to_owned(), format!("{name}:{example}")]);
    }
    output::table(&others, format)
}
