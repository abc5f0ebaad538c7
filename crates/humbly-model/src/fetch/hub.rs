//! Models from the hub: any GGUF file of the llama family, as `owner/repository[:file.gguf][@revision]`.
//!
//! A revision is resolved to its commit first and the file is fetched at that commit. What arrives is checked
//! against the digest that the hub lists, and its header is read, before it gets its name; beside it stands a
//! note of commit and digest.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use ureq::config::{AutoHeaderValue, RedirectAuthHeaders};
use ureq::http::{Response, header};
use ureq::{Agent, Body};

use super::{KnownModel, PIECE, Progress, digest_of, hexadecimal, keep, present};
use crate::config::Config;
use crate::error::{ModelError, Result};
use crate::gguf::Header;

const HUB: &str = "https://huggingface.co";
/// Most bytes of a listing.
const LISTING: u64 = 16 << 20;

/// A model of the hub by name.
///
/// # Examples
/// ```
/// use humbly_model::fetch::HubModel;
/// let model: HubModel = "bartowski/SmolLM2-360M-Instruct-GGUF:SmolLM2-360M-Instruct-Q4_0.gguf".parse()?;
/// assert_eq!(model.repository, "bartowski/SmolLM2-360M-Instruct-GGUF");
/// assert!("smollm2-135m".parse::<HubModel>().is_err());
/// # Ok::<(), humbly_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubModel {
    /// `owner/repository`.
    pub repository: String,
    /// The file; where it is absent the repository must hold a single GGUF.
    pub file: Option<String>,
    /// Branch, tag or commit; `main` where it is absent.
    pub revision: Option<String>,
}

impl std::str::FromStr for HubModel {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self> {
        let wrong = || ModelError::HubName { name: name.to_owned() };
        let (rest, revision) = match name.split_once('@') {
            Some((rest, revision)) => (rest, Some(revision)),
            None => (name, None),
        };
        let (repository, file) = match rest.split_once(':') {
            Some((repository, file)) => (repository, Some(file)),
            None => (rest, None),
        };
        let (owner, own) = repository.split_once('/').ok_or_else(wrong)?;
        let is_gguf = |file: &str| {
            Path::new(file).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf"))
        };
        let parts_are_plain = [owner, own].into_iter().all(is_plain)
            && file.is_none_or(|file| file.split('/').all(is_plain) && is_gguf(file))
            && revision.is_none_or(|revision| revision.split('/').all(is_plain));
        if !parts_are_plain {
            return Err(wrong());
        }
        Ok(Self {
            repository: repository.to_owned(),
            file: file.map(str::to_owned),
            revision: revision.map(str::to_owned),
        })
    }
}

impl fmt::Display for HubModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.repository)?;
        if let Some(file) = &self.file {
            write!(formatter, ":{file}")?;
        }
        if let Some(revision) = &self.revision {
            write!(formatter, "@{revision}")?;
        }
        Ok(())
    }
}

/// A part of a name that is safe in a path and in a URL.
fn is_plain(part: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    !part.is_empty() && part != "." && part != ".." && part.bytes().all(is_safe)
}

/// How the hub is reached.
#[derive(Clone)]
pub struct HubParams {
    endpoint: String,
    token: Option<String>,
    attempts: u32,
    wait: Duration,
}

impl fmt::Debug for HubParams {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HubParams").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl HubParams {
    /// With `HF_TOKEN` for gated models and, for a mirror, `HF_ENDPOINT`; three attempts, a second and two apart.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| {
            variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let endpoint = value("HF_ENDPOINT").unwrap_or_else(|| HUB.to_owned());
        Self {
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            token: value("HF_TOKEN"),
            attempts: 3,
            wait: Duration::from_secs(1),
        }
    }

    /// How often is asked where the server is busy, and the first pause, which doubles.
    #[must_use]
    pub fn attempts(mut self, attempts: u32, wait: Duration) -> Self {
        (self.attempts, self.wait) = (attempts.max(1), wait);
        self
    }
}

/// A model that was fetched, as the note beside its file says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetched {
    /// `owner/repository`.
    pub repository: String,
    /// The file in the repository.
    pub file: String,
    /// Commit at which it was fetched.
    pub commit: String,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
    /// Bytes.
    pub bytes: u64,
    /// Where it lies.
    #[serde(skip)]
    pub path: PathBuf,
}

#[derive(Deserialize)]
struct Listing {
    sha: String,
    #[serde(default)]
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    #[serde(default)]
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    #[serde(alias = "oid")]
    sha256: String,
}

/// Fetches a model of the hub into a folder. A good file that is there is kept, unless a revision is named that
/// is another one.
///
/// # Errors
/// [`ModelError::Unreachable`], [`ModelError::HubRefused`], [`ModelError::Download`], [`ModelError::HubFiles`],
/// [`ModelError::Checksum`], [`ModelError::DiskFull`], [`ModelError::Io`], and [`ModelError::Load`] for a file that
/// is no model of the llama family.
pub fn pull_hub(
    model: &HubModel,
    cache: &Path,
    params: &HubParams,
    progress: &mut dyn FnMut(Progress),
) -> Result<Fetched> {
    if let Some(fetched) = at_hand(model, cache)? {
        progress(Progress::Present);
        return Ok(fetched);
    }
    let agent = agent();
    let revision = model.revision.as_deref().unwrap_or("main");
    let url = format!("{}/api/models/{}/revision/{revision}?blobs=true", params.endpoint, model.repository);
    let listing: Listing = retried(params, || {
        let mut text = String::new();
        let response = get(&agent, &url, params)?;
        let read = response.into_body().into_reader().take(LISTING).read_to_string(&mut text);
        read.map_err(|error| download(&url, error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| download(&url, format!("no listing of a model: {error}")))
    })?;
    if !is_plain(&listing.sha) {
        return Err(download(&url, "the listing names no commit".to_owned()));
    }
    let sibling = choose(model, &listing)?;
    let expected = sibling.lfs.as_ref().map(|lfs| lfs.sha256.as_str());
    let commit = &listing.sha;
    let file = &sibling.rfilename;
    let url = format!("{}/{}/resolve/{commit}/{file}", params.endpoint, model.repository);
    let folder = folder(cache, &model.repository);
    let path = folder.join(file);
    let parent = path.parent().unwrap_or(&folder);
    fs::create_dir_all(parent).map_err(|error| ModelError::io("making the model's folder", error))?;
    let (target, sha256, bytes) = retried(params, || receive(&agent, &url, parent, params, progress))?;
    if let Some(expected) = expected.filter(|expected| **expected != *sha256) {
        return Err(ModelError::Checksum { path, found: sha256, expected: expected.to_owned() });
    }
    check(target.path(), &path)?;
    let fetched = Fetched {
        repository: model.repository.clone(),
        file: file.clone(),
        commit: commit.clone(),
        sha256,
        bytes,
        path: path.clone(),
    };
    let saving = |error| ModelError::io(format!("writing `{}`", path.display()), error);
    target.persist(&path).map_err(|error| saving(error.error))?;
    let note = serde_json::to_vec_pretty(&fetched).map_err(|error| saving(error.into()))?;
    fs::write(note_of(&path), note).map_err(saving)?;
    Ok(fetched)
}

/// Fetches a known model's file from the hub: the way for machines without an installer of Python packages.
///
/// # Errors
/// [`ModelError::NotOnHub`] for a model without a place there, else as [`pull_hub`].
pub fn pull_known_from_hub(
    model: &KnownModel,
    cache: &Path,
    params: &HubParams,
    progress: &mut dyn FnMut(Progress),
) -> Result<PathBuf> {
    if let Some(path) = present(model, cache, progress)? {
        return Ok(path);
    }
    let repository = model.hub.ok_or_else(|| ModelError::NotOnHub { name: model.name.to_owned() })?;
    let url = format!("{}/{repository}/resolve/main/{}", params.endpoint, model.file);
    let agent = agent();
    let (target, ..) = retried(params, || receive(&agent, &url, cache, params, progress))?;
    let source = File::open(target.path()).map_err(|error| ModelError::io("reading the download", error))?;
    keep(model, source, cache, &mut |_| ())
}

/// The file of a model that was fetched from the hub.
///
/// # Errors
/// [`ModelError::HubName`], [`ModelError::NotPulled`].
pub(super) fn resolve_hub(name: &str, cache: &Path) -> Result<PathBuf> {
    let model: HubModel = name.parse()?;
    let path = || folder(cache, &model.repository);
    let fetched = at_hand(&model, cache)?;
    fetched.map(|it| it.path).ok_or_else(|| ModelError::NotPulled { name: name.to_owned(), path: path() })
}

/// Models of the hub that lie in the cache, by name.
///
/// # Errors
/// None: a folder that cannot be read has no models.
pub fn fetched_models(cache: &Path) -> Vec<Fetched> {
    let mut found = Vec::new();
    let mut folders = vec![cache.join("hub")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                found.extend(note(&path.with_extension("")));
            }
        }
    }
    found.sort_by(|left, right| (&left.repository, &left.file).cmp(&(&right.repository, &right.file)));
    found
}

fn folder(cache: &Path, repository: &str) -> PathBuf {
    cache.join("hub").join(repository)
}

fn note_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}

fn note(path: &Path) -> Option<Fetched> {
    let note = fs::read(note_of(path)).ok()?;
    let fetched: Fetched = serde_json::from_slice(&note).ok()?;
    (fs::metadata(path).ok()?.len() == fetched.bytes).then(|| Fetched { path: path.to_owned(), ..fetched })
}

/// The model in the cache, where it is there, whole, and of the revision that is asked for.
fn at_hand(model: &HubModel, cache: &Path) -> Result<Option<Fetched>> {
    let fits = |fetched: &Fetched| {
        fetched.repository == model.repository
            && model.file.as_ref().is_none_or(|file| *file == fetched.file)
            && model.revision.as_ref().is_none_or(|revision| fetched.commit.starts_with(revision.as_str()))
    };
    let mut found: Vec<Fetched> = fetched_models(cache).into_iter().filter(fits).collect();
    match found.len() {
        0 => Ok(None),
        1 => Ok(found.pop()),
        _ => Err(ModelError::HubFiles {
            repository: model.repository.clone(),
            found: found.iter().map(|fetched| fetched.file.as_str()).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// The one GGUF that is meant.
fn choose<'a>(model: &HubModel, listing: &'a Listing) -> Result<&'a Sibling> {
    let is_gguf = |sibling: &&Sibling| {
        sibling.rfilename.to_ascii_lowercase().ends_with(".gguf")
            && sibling.rfilename.split('/').all(is_plain)
    };
    let all: Vec<&Sibling> = listing.siblings.iter().filter(is_gguf).collect();
    let meant: Vec<&Sibling> = match &model.file {
        Some(file) => all.iter().filter(|sibling| sibling.rfilename == *file).copied().collect(),
        None => all.clone(),
    };
    match meant.as_slice() {
        [one] => Ok(one),
        _ => Err(ModelError::HubFiles {
            repository: model.repository.clone(),
            found: if all.is_empty() {
                "none".to_owned()
            } else {
                all.iter().map(|sibling| sibling.rfilename.as_str()).collect::<Vec<_>>().join(", ")
            },
        }),
    }
}

/// Reads the header: what cannot be used is told before it takes its name.
fn check(file: &Path, name: &Path) -> Result<()> {
    let read = || {
        let file = File::open(file).map_err(|error| ModelError::io("opening the file", error))?;
        Config::from_header(&Header::read(&mut BufReader::new(file))?)
    };
    let load = |error| ModelError::Load { path: name.to_owned(), source: Box::new(error) };
    read().map(drop).map_err(load)
}

fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .redirect_auth_headers(RedirectAuthHeaders::SameHost)
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_recv_response(Some(Duration::from_mins(1)))
        .timeout_recv_body(Some(Duration::from_hours(6)))
        .user_agent(AutoHeaderValue::from(concat!("humbly/", env!("CARGO_PKG_VERSION"))))
        .build()
        .new_agent()
}

fn download(url: &str, what: String) -> ModelError {
    ModelError::Download { url: url.to_owned(), what, is_passing: false }
}

/// Asks again where the same request may succeed a moment later.
fn retried<T>(params: &HubParams, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let mut wait = params.wait;
    let mut left = params.attempts;
    loop {
        left = left.saturating_sub(1);
        match attempt() {
            Err(ModelError::Download { is_passing: true, .. }) if left > 0 => {
                std::thread::sleep(wait);
                wait *= 2;
            }
            outcome => return outcome,
        }
    }
}

fn get(agent: &Agent, url: &str, params: &HubParams) -> Result<Response<Body>> {
    let mut request = agent.get(url);
    if let Some(token) = &params.token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let response = request
        .call()
        .map_err(|error| ModelError::Unreachable { url: url.to_owned(), said: error.to_string() })?;
    let status = response.status().as_u16();
    match status {
        200 => {}
        401 | 403 | 404 => {
            let has_token = params.token.is_some();
            return Err(ModelError::HubRefused { url: url.to_owned(), status, has_token });
        }
        _ => {
            let is_passing = matches!(status, 408 | 429 | 500..=599);
            let what = format!("status {status}");
            return Err(ModelError::Download { url: url.to_owned(), what, is_passing });
        }
    }
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| kind.starts_with("text/html")) {
        return Err(download(url, "a web page, which a proxy or a log-in may have put there".to_owned()));
    }
    Ok(response)
}

/// Receives a file under a temporary name; with its digest and length.
fn receive(
    agent: &Agent,
    url: &str,
    folder: &Path,
    params: &HubParams,
    progress: &mut dyn FnMut(Progress),
) -> Result<(NamedTempFile, String, u64)> {
    let response = get(agent, url, params)?;
    let total: Option<u64> = response
        .headers()
        .get("content-length")
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse().ok());
    let mut body = response.into_body().into_reader();
    let writing = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            ModelError::DiskFull { path: folder.to_owned(), needed: total.unwrap_or_default() }
        }
        _ => ModelError::io(format!("writing into `{}`", folder.display()), error),
    };
    let cut = |received: u64, said: &str| ModelError::Download {
        url: url.to_owned(),
        what: match total {
            Some(total) => format!("it broke off after {received} of {total} bytes{said}"),
            None => format!("it broke off after {received} bytes{said}"),
        },
        is_passing: true,
    };
    let mut target = NamedTempFile::new_in(folder).map_err(writing)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; PIECE];
    let mut done = 0;
    loop {
        let count = body.read(&mut buffer).map_err(|error| cut(done, &format!(": {error}")))?;
        if count == 0 {
            break;
        }
        let piece = buffer.get(..count).unwrap_or_default();
        digest.update(piece);
        target.write_all(piece).map_err(writing)?;
        done += count as u64;
        progress(Progress::Receiving { done, total });
    }
    if total.is_some_and(|total| total != done) {
        return Err(cut(done, ""));
    }
    target.as_file().sync_all().map_err(writing)?;
    Ok((target, hexadecimal(&digest.finalize()), done))
}

/// SHA-256 of a file, hexadecimal.
///
/// # Errors
/// [`ModelError::Io`].
pub fn sha256_of(path: &Path) -> Result<String> {
    let mut file =
        File::open(path).map_err(|error| ModelError::io(format!("opening `{}`", path.display()), error))?;
    digest_of(&mut file, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_leave_the_cache_are_refused() {
        for name in [
            "a",
            "a/b/c",
            "../b",
            "a/..",
            "a/b:../c.gguf",
            "a/b:c",
            "a/b:c.gguf@",
            "a/b@x y",
            "/b",
            "a/",
            "a/b:",
            "a/b:/c.gguf",
        ] {
            assert!(matches!(name.parse::<HubModel>(), Err(ModelError::HubName { .. })), "{name}");
        }
        for name in ["a/b", "a/b:c.gguf", "a/b:q4/c.GGUF@main", "a/b@refs/pr/1"] {
            assert_eq!(name.parse::<HubModel>().unwrap().to_string(), name);
        }
    }
}
