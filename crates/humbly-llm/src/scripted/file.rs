//! Rules from a file.

use std::path::Path;

use serde::Deserialize;

use super::Rule;
use crate::key::{hexadecimal, sha256};
use crate::{ChatError, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlScript {
    #[serde(default)]
    rule: Vec<Rule>,
}

/// The rules, and the SHA-256 of the file.
pub(super) fn read(path: &Path) -> Result<(Vec<Rule>, String)> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| ChatError::File { path: path.to_owned(), detail: error.to_string() })?;
    let rules = if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl")) {
        parse_jsonl(&text, path)?
    } else {
        parse_toml(&text, path)?
    };
    Ok((rules, hexadecimal(&sha256(&[text.as_bytes()]))))
}

pub(super) fn parse_toml(text: &str, path: &Path) -> Result<Vec<Rule>> {
    let script: TomlScript = toml::from_str(text).map_err(|error| ChatError::File {
        path: path.to_owned(),
        detail: error.to_string().trim_end().to_owned(),
    })?;
    Ok(script.rule)
}

fn parse_jsonl(text: &str, path: &Path) -> Result<Vec<Rule>> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| ChatError::File {
                path: path.to_owned(),
                detail: format!("line {}: {error}", index + 1),
            })
        })
        .collect()
}
