//! `scripted:FILE`.

use std::path::Path;
use std::sync::Arc;

use super::registry::{ConnectParams, Connected, ModelSpec, Provider};
use crate::{Endpoint, Result, ScriptedClient};

pub(super) const PROVIDER: Provider = Provider { name: "scripted", example: "rules.toml", connect };

fn connect(spec: &ModelSpec, _: &ConnectParams) -> Result<Connected> {
    let client = ScriptedClient::from_file(Path::new(&spec.model))?;
    Ok(Connected {
        endpoint: Endpoint { provider: spec.provider.clone(), base_url: client.digest().map(str::to_owned) },
        client: Arc::new(client),
        model: spec.model.clone(),
    })
}
