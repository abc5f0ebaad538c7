//! Where the files of a data set come from.

/// A file to fetch.
#[derive(Debug, Clone, Copy)]
pub struct RemoteFile {
    /// Name in the cache.
    pub name: &'static str,
    /// Where it is.
    pub origin: Origin,
    /// SHA-256 of the pinned file, where it is known.
    pub sha256: Option<&'static str>,
}

/// Where a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// In a data-set repository of the Hugging Face hub.
    Hub {
        /// `owner/name`.
        repository: &'static str,
        /// Commit, or a branch where no commit is known; the commit that answered is recorded.
        revision: &'static str,
        /// Path in the repository.
        path: &'static str,
    },
    /// In a GitHub repository.
    GitHub {
        /// `owner/name`.
        repository: &'static str,
        /// Commit.
        commit: &'static str,
        /// Path in the repository.
        path: &'static str,
    },
    /// At a plain address.
    Web(&'static str),
}

/// Where hubs answer; another one is a mirror or a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoints {
    pub(crate) hub: String,
    pub(crate) github: String,
}

impl Default for Endpoints {
    fn default() -> Self {
        Self {
            hub: "https://huggingface.co".to_owned(),
            github: "https://raw.githubusercontent.com".to_owned(),
        }
    }
}

impl Origin {
    /// Address of the file.
    ///
    /// # Examples
    /// ```
    /// use humbly_data::Origin;
    /// let origin = Origin::Hub { repository: "a/b", revision: "main", path: "x y.csv" };
    /// assert_eq!(origin.url(), "https://huggingface.co/datasets/a/b/resolve/main/x%20y.csv");
    /// ```
    pub fn url(&self) -> String {
        self.url_at(&Endpoints::default())
    }

    pub(crate) fn url_at(&self, endpoints: &Endpoints) -> String {
        match self {
            Self::Hub { repository, revision, path } => {
                let hub = endpoints.hub.trim_end_matches('/');
                format!("{hub}/datasets/{repository}/resolve/{revision}/{}", escaped(path))
            }
            Self::GitHub { repository, commit, path } => {
                let github = endpoints.github.trim_end_matches('/');
                format!("{github}/{repository}/{commit}/{}", escaped(path))
            }
            Self::Web(url) => (*url).to_owned(),
        }
    }

    /// Commit, branch, or nothing where the address has no versions.
    pub fn revision(&self) -> Option<&'static str> {
        match self {
            Self::Hub { revision, .. } => Some(revision),
            Self::GitHub { commit, .. } => Some(commit),
            Self::Web(_) => None,
        }
    }

    /// The page for people.
    pub fn page(&self) -> String {
        match self {
            Self::Hub { repository, .. } => format!("https://huggingface.co/datasets/{repository}"),
            Self::GitHub { repository, .. } => format!("https://github.com/{repository}"),
            Self::Web(url) => (*url).to_owned(),
        }
    }
}

fn escaped(path: &str) -> String {
    path.replace('%', "%25").replace(' ', "%20").replace('#', "%23").replace('?', "%3F")
}
