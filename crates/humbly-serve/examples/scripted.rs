//! Serves a script on loopback: `cargo run -p humbly-serve --example scripted -- RULES.toml 8080`.

#![allow(clippy::print_stderr, clippy::allow_attributes, reason = "an example talks")]

use std::error::Error;
use std::sync::Arc;

use humbly_llm::ScriptedClient;
use humbly_serve::{Served, serve};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rules = arguments.next().ok_or("expected a file of rules")?;
    let port: u16 = arguments.next().ok_or("expected a port")?.parse()?;
    let client = Arc::new(ScriptedClient::from_file(rules.as_ref())?);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    eprintln!("http://{}/v1", listener.local_addr()?);
    serve(listener, Served::new(client, "scripted"), std::future::pending()).await?;
    Ok(())
}
