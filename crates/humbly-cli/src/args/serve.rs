//! Arguments of `humbly serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::ModelArguments;

#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Serve a model by OpenAI's protocol, so that other programs can use it
    Model(ServeModelArguments),
    /// Serve keyword search over a corpus by Search-R1's protocol (POST /retrieve)
    Search(ServeSearchArguments),
}

/// Where a server listens.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ListenArguments {
    /// Address to listen at; the default one is reachable from this machine alone
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address, help_heading = "Server")]
    pub(crate) host: IpAddr,
}

/// Example: humbly serve model smollm2-135m --port 8080
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 ended by Ctrl-C, 2 could not start\nThe URL is printed on standard error; there is \
                  no key, so a server on another address than the default one answers everybody who can reach it."
)]
pub(crate) struct ServeModelArguments {
    /// Embedded model by name or by the path of a GGUF, or any model as PROVIDER:MODEL
    #[arg(value_name = "MODEL", default_value = "smollm2-135m")]
    pub(crate) model: String,
    /// Port; 0 takes a free one
    #[arg(long, default_value_t = 8080, help_heading = "Server")]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) listen: ListenArguments,
    #[command(flatten)]
    pub(crate) models: ModelArguments,
}

/// Example: humbly serve search corpus.jsonl --port 8000
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 ended by Ctrl-C, 2 could not start")]
pub(crate) struct ServeSearchArguments {
    /// Corpus, one document a line: {"id", "contents": "\"Title\"\ntext"}
    #[arg(value_name = "CORPUS.jsonl")]
    pub(crate) corpus: PathBuf,
    /// Port; 0 takes a free one
    #[arg(long, default_value_t = 8000, help_heading = "Server")]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) listen: ListenArguments,
}

fn address(text: &str) -> Result<IpAddr, String> {
    match text {
        "localhost" => Ok(IpAddr::from([127, 0, 0, 1])),
        other => other.parse().map_err(|_| "expected an IP address, e.g. 127.0.0.1 or ::1".to_owned()),
    }
}
