//! Fetching files over HTTPS.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::config::{AutoHeaderValue, RedirectAuthHeaders};
use ureq::http::{Response, header};
use ureq::{Agent, Body};

use crate::cache::{Cache, Receipt, ReceiptFile, Staging};
use crate::error::{DataError, Result};
use crate::pull::{Pulled, checked};
use crate::registry::DataSet;
use crate::source::{Endpoints, Origin, RemoteFile};

/// How files are fetched.
#[derive(Debug, Clone)]
pub struct FetchParams {
    token: Option<String>,
    endpoints: Endpoints,
    attempts: u32,
    wait: Duration,
    is_forced: bool,
}

impl FetchParams {
    /// Without a token, from the public hub; three attempts, a second and two apart.
    pub fn new() -> Self {
        Self {
            token: None,
            endpoints: Endpoints::default(),
            attempts: 3,
            wait: Duration::from_secs(1),
            is_forced: false,
        }
    }

    /// With `HF_TOKEN` and, for a mirror, `HF_ENDPOINT`.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| {
            variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let mut params = Self::new();
        params.token = value("HF_TOKEN");
        if let Some(hub) = value("HF_ENDPOINT") {
            params.endpoints.hub = hub;
        }
        params
    }

    /// The token of the hub; it is sent to the hub alone.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Other servers in the place of the hub and of GitHub.
    #[must_use]
    pub fn endpoints(mut self, hub: impl Into<String>, github: impl Into<String>) -> Self {
        self.endpoints = Endpoints { hub: hub.into(), github: github.into() };
        self
    }

    /// How often a file is asked for where the server is busy, and the first pause, which doubles.
    #[must_use]
    pub fn attempts(mut self, attempts: u32, wait: Duration) -> Self {
        (self.attempts, self.wait) = (attempts.max(1), wait);
        self
    }

    /// Fetches also what is there already.
    #[must_use]
    pub fn forced(mut self, is_forced: bool) -> Self {
        self.is_forced = is_forced;
        self
    }
}

impl Default for FetchParams {
    fn default() -> Self {
        Self::new()
    }
}

/// Fetches the files of a data set into the cache; what is there and unchanged is not fetched again.
///
/// A file takes its name when it is whole and its checksum is right; the receipt is written last. Where a pull
/// fails, an earlier one stays usable.
///
/// # Errors
/// [`DataError::Unreachable`], [`DataError::NotAllowed`], [`DataError::Status`], [`DataError::WebPage`],
/// [`DataError::CutShort`], [`DataError::Checksum`], [`DataError::Io`], [`DataError::NoQuestions`].
pub fn pull(cache: &Cache, set: &DataSet, params: &FetchParams) -> Result<Pulled> {
    if !params.is_forced
        && let Some(receipt) = cache.receipt(set.name)?
        && let Ok(paths) = cache.files(set.name)
    {
        return Ok(Pulled { receipt, report: checked(set, &paths)?, was_local: true });
    }
    let agent = agent();
    let staging = cache.stage(set.name)?;
    let mut kept = Vec::new();
    for remote in set.files {
        kept.push(fetch(&staging, set, remote, params, &agent)?);
    }
    let paths: Vec<PathBuf> = kept.iter().map(|file| staging.path(&file.file)).collect();
    let mut report = checked(set, &paths)?;
    for problem in &mut report.problems {
        if let Some(name) = Path::new(&problem.path).file_name() {
            problem.path = cache.folder(set.name).join(name).to_string_lossy().into_owned();
        }
    }
    let receipt = Receipt { name: set.name.to_owned(), files: kept };
    staging.commit(&receipt)?;
    Ok(Pulled { receipt, report, was_local: false })
}

fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .redirect_auth_headers(RedirectAuthHeaders::SameHost)
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_recv_response(Some(Duration::from_mins(1)))
        .timeout_recv_body(Some(Duration::from_hours(1)))
        .user_agent(AutoHeaderValue::from(concat!("humbly/", env!("CARGO_PKG_VERSION"))))
        .build()
        .new_agent()
}

fn fetch(
    staging: &Staging,
    set: &DataSet,
    remote: &RemoteFile,
    params: &FetchParams,
    agent: &Agent,
) -> Result<ReceiptFile> {
    let mut wait = params.wait;
    let mut attempt = 1;
    loop {
        match fetch_once(staging, set, remote, params, agent) {
            Err(error) if attempt < params.attempts && is_passing(&error) => {
                std::thread::sleep(wait);
                wait *= 2;
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

/// Whether the same request may succeed a moment later.
fn is_passing(error: &DataError) -> bool {
    match error {
        DataError::CutShort { .. } => true,
        DataError::Status { status, .. } => matches!(status, 408 | 429 | 500..=599),
        _ => false,
    }
}

fn fetch_once(
    staging: &Staging,
    set: &DataSet,
    remote: &RemoteFile,
    params: &FetchParams,
    agent: &Agent,
) -> Result<ReceiptFile> {
    let url = remote.origin.url_at(&params.endpoints);
    let name = || set.name.to_owned();
    let unreachable = |reason: String| DataError::Unreachable { url: url.clone(), name: name(), reason };
    let mut request = agent.get(&url);
    let is_hub = matches!(remote.origin, Origin::Hub { .. });
    if let Some(token) = params.token.as_ref().filter(|_| is_hub) {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let response = request.call().map_err(|error| unreachable(error.to_string()))?;
    match response.status().as_u16() {
        200 => {}
        // Elsewhere there are no terms to accept and the token means nothing.
        status @ (401 | 403) if is_hub => {
            let has_token = params.token.is_some();
            return Err(DataError::NotAllowed { url, status, page: remote.origin.page(), has_token });
        }
        status => return Err(DataError::Status { url, status, name: name() }),
    }
    if text_header(&response, "content-type").is_some_and(|kind| kind.starts_with("text/html")) {
        return Err(DataError::WebPage { url, name: name() });
    }
    let commit = text_header(&response, "x-repo-commit");
    let announced = text_header(&response, "content-length").and_then(|length| length.parse().ok());
    let mut file = staging.file(remote.name)?;
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; 256 << 10];
    loop {
        let count = match body.read(&mut buffer) {
            Ok(count) => count,
            Err(error) => match announced {
                Some(expected) if file.bytes() < expected => {
                    return Err(DataError::CutShort { url, received: file.bytes(), expected });
                }
                _ => return Err(unreachable(error.to_string())),
            },
        };
        if count == 0 {
            break;
        }
        file.write(buffer.get(..count).unwrap_or_default())?;
    }
    match announced {
        Some(expected) if file.bytes() != expected => {
            return Err(DataError::CutShort { url, received: file.bytes(), expected });
        }
        _ => {}
    }
    let bytes = file.bytes();
    let found = file.finish()?;
    match remote.sha256 {
        Some(expected) if found != expected => {
            Err(DataError::Checksum { url, bytes, found, expected: expected.to_owned() })
        }
        _ => Ok(ReceiptFile {
            file: remote.name.to_owned(),
            source: url,
            revision: remote.origin.revision().map(str::to_owned),
            commit,
            sha256: found,
            bytes,
        }),
    }
}

fn text_header(response: &Response<Body>, name: &str) -> Option<String> {
    response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}
