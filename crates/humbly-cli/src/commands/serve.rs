//! `humbly serve`: a model or a search index behind HTTP, until Ctrl-C.

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use humbly_agent::index::SearchIndex;
use humbly_agent::serve::SearchServer;
use humbly_llm::providers::ModelSpec;
use humbly_serve::{Served, serve};
use humbly_types::Problem;
use tokio::net::TcpListener;

use super::model;
use crate::args::{ListenArguments, ServeCommand, ServeModelArguments, ServeSearchArguments};
use crate::clients::{Clients, wait};
use crate::exit::Status;
use crate::output;

pub(crate) fn run(command: &ServeCommand) -> anyhow::Result<Status> {
    match command {
        ServeCommand::Model(arguments) => serve_model(arguments)?,
        ServeCommand::Search(arguments) => serve_search(arguments)?,
    }
    Ok(Status::Done)
}

fn serve_model(arguments: &ServeModelArguments) -> anyhow::Result<()> {
    let name = spec_of(&arguments.model, arguments.models.base_url.as_deref());
    if let Some(embedded) = name.strip_prefix("embedded:") {
        model::ensure(embedded)?;
    }
    let (client, model) = Clients::new(&arguments.models)?
        .client(&name)
        .with_context(|| format!("cannot serve `{}`", arguments.model))?;
    let mut served = Served::new(client, model);
    served.clock = now;
    let path = Path::new(&served.model);
    if let Some(file) = path.file_name().filter(|_| path.is_file()) {
        // A path of this machine is nobody else's business.
        served.shown = file.to_string_lossy().into_owned();
    }
    wait(async move {
        let address = SocketAddr::new(arguments.listen.host, arguments.port);
        let listener = TcpListener::bind(address).await.with_context(|| taken(address))?;
        started(&format!("model `{}`", served.shown), &listener.local_addr()?, "/v1", arguments.listen);
        until_second_interrupt(serve(listener, served, interrupted())).await
    })?
}

/// Without a known provider and without a base URL it is an embedded model.
fn spec_of(name: &str, base_url: Option<&str>) -> String {
    match ModelSpec::parse(name, base_url) {
        Ok(spec) => spec.to_string(),
        Err(_) => format!("embedded:{name}"),
    }
}

fn serve_search(arguments: &ServeSearchArguments) -> anyhow::Result<()> {
    if let Ok(corpus) = std::fs::metadata(&arguments.corpus) {
        let size = megabytes(corpus.len());
        output::note(&format!("reading a corpus of {size}; the index takes about as much memory"));
    }
    let (index, report) = SearchIndex::from_corpus(&arguments.corpus)
        .with_context(|| format!("cannot serve `{}`", arguments.corpus.display()))?;
    let problems: Vec<Problem> = report
        .problems
        .iter()
        .map(|problem| {
            Problem::new(arguments.corpus.to_string_lossy(), problem.message.clone()).line(problem.line)
        })
        .collect();
    output::problems(&problems);
    if report.unusable > problems.len() as u64 {
        output::note(&format!("{} rows were left out", report.unusable));
    }
    wait(async move {
        let address = SocketAddr::new(arguments.listen.host, arguments.port);
        let server = SearchServer::bind(Arc::new(index), address).await.with_context(|| taken(address))?;
        let what = format!("search over {} documents", report.documents);
        started(&what, &server.address()?, "/retrieve", arguments.listen);
        until_second_interrupt(server.run(interrupted())).await
    })?
}

#[expect(clippy::cast_precision_loss, reason = "one digit is shown")]
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn taken(address: SocketAddr) -> String {
    format!("cannot listen at {address}; hint: another port by --port, 0 takes a free one")
}

fn started(what: &str, address: &SocketAddr, path: &str, listen: ListenArguments) {
    output::note(&format!("serving {what} at http://{address}{path} (Ctrl-C ends)"));
    if !listen.host.is_loopback() {
        output::note("warning: other machines can reach this address, and no key is asked for");
    }
}

/// What is in flight at the first interrupt is finished; a second one ends at once.
async fn until_second_interrupt<E: std::error::Error + Send + Sync + 'static>(
    server: impl Future<Output = Result<(), E>>,
) -> anyhow::Result<()> {
    let twice = async {
        interrupted().await;
        interrupted().await;
    };
    tokio::select! {
        ended = server => ended.context("the server ended"),
        () = twice => Ok(()),
    }
}

/// Ctrl-C, or the signal by which supervisors end a program.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    if let Err(error) = tokio::signal::ctrl_c().await {
        note_failure(&error);
        std::future::pending::<()>().await;
    }
}

fn note_failure(error: &dyn Display) {
    output::note(&format!("warning: signals cannot be received: {error}"));
}

/// Seconds since 1970, as the protocol has them in `created`.
#[expect(clippy::disallowed_methods, reason = "the clock comes in at the command line")]
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_is_an_embedded_model() {
        for (name, base_url, expected) in [
            ("smollm2-135m", None, "embedded:smollm2-135m"),
            ("./models/a.gguf", None, "embedded:./models/a.gguf"),
            ("scripted:rules.toml", None, "scripted:rules.toml"),
            ("embedded:x.gguf", None, "embedded:x.gguf"),
            ("Qwen/Qwen3-8B", Some("http://127.0.0.1:1"), "openai-compatible:Qwen/Qwen3-8B"),
        ] {
            assert_eq!(spec_of(name, base_url), expected);
        }
    }
}
