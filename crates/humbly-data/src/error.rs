//! Errors of the registry, the cache and the network.

use std::path::PathBuf;

use humbly_types::Problem;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, DataError>;

/// Why a data set cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// No data set has this name.
    #[error("no data set `{name}`, expected one of {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// It was not pulled yet.
    #[error("`{name}` is not on this machine, expected it in `{}`", folder.display())]
    NotLocal {
        /// The data set.
        name: String,
        /// Where it would be.
        folder: PathBuf,
    },
    /// A file of the cache is not what was pulled.
    #[error("`{}` has the checksum {found}, expected {expected} as it was pulled", path.display())]
    Changed {
        /// The data set.
        name: String,
        /// The file.
        path: PathBuf,
        /// SHA-256 found.
        found: String,
        /// SHA-256 recorded.
        expected: String,
    },
    /// What was fetched is not the pinned file.
    #[error("{url} gave {bytes} bytes with the checksum {found}, expected {expected}")]
    Checksum {
        /// Address.
        url: String,
        /// Bytes that came.
        bytes: u64,
        /// SHA-256 found.
        found: String,
        /// SHA-256 pinned.
        expected: String,
    },
    /// The server could not be reached, or the connection broke.
    #[error("cannot fetch {url}: {reason}")]
    Unreachable {
        /// Address.
        url: String,
        /// The data set.
        name: String,
        /// What the network says.
        reason: String,
    },
    /// The server refuses: terms are not accepted, or the token is missing or wrong.
    #[error(
        "{url} answers {status}: {}",
        if *has_token { "the token in HF_TOKEN may not read this data set" } else { "it needs a token and none was given in HF_TOKEN" }
    )]
    NotAllowed {
        /// Address.
        url: String,
        /// 401 or 403.
        status: u16,
        /// The page where the terms are accepted.
        page: String,
        /// Whether a token was sent.
        has_token: bool,
    },
    /// The server answers with another error.
    #[error("{url} answers {status}, expected the file")]
    Status {
        /// Address.
        url: String,
        /// HTTP status.
        status: u16,
        /// The data set.
        name: String,
    },
    /// A web page came instead of the file.
    #[error("{url} answers with a web page, expected the file")]
    WebPage {
        /// Address.
        url: String,
        /// The data set.
        name: String,
    },
    /// The body ended early.
    #[error("{url} ended after {received} of {expected} bytes")]
    CutShort {
        /// Address.
        url: String,
        /// Bytes that came.
        received: u64,
        /// Bytes announced.
        expected: u64,
    },
    /// A file could not be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The receipt of a pull cannot be read.
    #[error("`{}` is no receipt of a pull", path.display())]
    Receipt {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// No row of a file gave a question.
    #[error("`{path}` gives no question of `{name}`")]
    NoQuestions {
        /// The data set.
        name: String,
        /// The file.
        path: String,
        /// The first rows that could not be used.
        problems: Vec<Problem>,
    },
    /// No folder for the cache is known.
    #[error("no folder for the cache: neither HUMBLY_CACHE, XDG_CACHE_HOME nor HOME is set")]
    NoCacheFolder,
}

impl DataError {
    /// What to do, as a command where there is one.
    ///
    /// # Examples
    /// ```
    /// let error = humbly_data::data_set("gsm9k").unwrap_err();
    /// assert_eq!(error.hint().unwrap(), "list them with `humbly data list`");
    /// ```
    pub fn hint(&self) -> Option<String> {
        let by_hand = |name: &str| {
            format!(
                "fetch the file in another way and register it with `humbly data pull {name} --path FILE`"
            )
        };
        match self {
            Self::Unknown { .. } => Some("list them with `humbly data list`".to_owned()),
            Self::NotLocal { name, .. } => {
                Some(format!("`humbly data pull {name}`, or `humbly data pull {name} --path FILE`"))
            }
            Self::Changed { name, .. } => Some(format!("`humbly data pull {name} --force` fetches it again")),
            Self::Unreachable { name, .. } => Some(format!("check the network, or {}", by_hand(name))),
            Self::NotAllowed { page, has_token: false, .. } => Some(format!(
                "sign in, accept the terms on {page}, make a token with read access and set HF_TOKEN"
            )),
            Self::NotAllowed { page, .. } => Some(format!(
                "accept the terms on {page} with the account of the token, or set HF_TOKEN to another one"
            )),
            Self::Status { name, .. } | Self::WebPage { name, .. } => Some(by_hand(name)),
            Self::CutShort { .. } => Some("try again".to_owned()),
            Self::Checksum { .. } => Some(
                "the file has changed upstream or on the way; look at it, then register it with --path"
                    .to_owned(),
            ),
            Self::NoCacheFolder => Some("set HUMBLY_CACHE to a folder".to_owned()),
            Self::NoQuestions { problems, .. } => problems.first().map(|problem| {
                let line = problem.line.map(|line| format!("line {line}: ")).unwrap_or_default();
                let hint = problem.hint.as_deref().unwrap_or_default();
                format!("{line}{}; {hint}", problem.message)
            }),
            Self::Io { .. } | Self::Receipt { .. } => None,
        }
    }
}
