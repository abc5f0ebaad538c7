//! Prompts by name.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::digest::{digest, hexadecimal};
use crate::{PromptFileError, Result};

/// Hexadecimal digits of one prompt's hash.
const DIGITS: usize = 12;
/// What a prompt file's name ends in.
const ENDING: &str = "txt";

/// The prompts in use: name (without `.txt`) and text.
///
/// # Examples
/// ```
/// use humbly_prompts::PromptFiles;
/// let prompts = PromptFiles::built_in(&[("ask", "Well? {{ question }}"), ("thank", "Thanks.")]);
/// assert_eq!(prompts.get("thank"), "Thanks.");
/// assert_eq!(prompts.hash(64).len(), 64);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptFiles {
    sources: BTreeMap<String, String>,
}

impl PromptFiles {
    /// Prompts that come with a crate.
    pub fn built_in(prompts: &[(&str, &str)]) -> Self {
        Self {
            sources: prompts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
        }
    }

    /// The same, replaced by the files `NAME.txt` that a folder holds. Files of other kinds are passed over.
    ///
    /// # Errors
    /// [`PromptFileError`]; a `.txt` file that replaces nothing is one.
    pub fn load(prompts: &[(&str, &str)], folder: &Path) -> Result<Self> {
        let mut files = Self::built_in(prompts);
        let unreadable = |source| PromptFileError::Read { path: folder.to_owned(), source };
        let mut paths = std::fs::read_dir(folder)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>())
            .map_err(unreadable)?;
        paths.retain(|path| path.extension().is_some_and(|ending| ending == ENDING));
        // Which fault is named must not depend on the order of a folder.
        paths.sort();
        for path in paths {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let Some(source) = files.sources.get_mut(&name) else {
                let names: Vec<String> =
                    files.sources.keys().map(|name| format!("{name}.{ENDING}")).collect();
                return Err(PromptFileError::Unknown { path, expected: names.join(", ") });
            };
            *source = std::fs::read_to_string(&path)
                .map_err(|source| PromptFileError::Read { path: path.clone(), source })?;
        }
        Ok(files)
    }

    /// The text of a prompt; empty for a name that does not exist.
    pub fn get(&self, name: &str) -> &str {
        self.sources.get(name).map_or("", String::as_str)
    }

    /// Names and texts in use.
    pub fn sources(&self) -> &BTreeMap<String, String> {
        &self.sources
    }

    /// The first `digits` hexadecimal digits of one SHA-256 over names and texts.
    pub fn hash(&self, digits: usize) -> String {
        digest(self.sources.iter().flat_map(|(name, text)| [name, text]), digits)
    }

    /// The first 12 hexadecimal digits of each text's own SHA-256, as `sha256sum NAME.txt` shows them.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        let hash = |text: &String| hexadecimal(&Sha256::digest(text.as_bytes()), DIGITS);
        self.sources.iter().map(|(name, text)| (name.clone(), hash(text))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &[(&str, &str)] = &[("ask", "Well?"), ("thank", "Thanks.")];

    #[test]
    fn a_folder_replaces_prompts_and_changes_the_hash() {
        let folder = tempfile::tempdir().unwrap();
        let ours = PromptFiles::built_in(OURS);
        assert_eq!(PromptFiles::load(OURS, folder.path()).unwrap(), ours);
        std::fs::write(folder.path().join("ask.txt"), "So?").unwrap();
        std::fs::write(folder.path().join("notes.md"), "mine").unwrap();
        let theirs = PromptFiles::load(OURS, folder.path()).unwrap();
        assert_eq!((theirs.get("ask"), theirs.get("thank"), theirs.get("none")), ("So?", "Thanks.", ""));
        assert_ne!(theirs.hash(64), ours.hash(64));
        let changed = |name: &str| theirs.hashes()[name] != ours.hashes()[name];
        assert!(changed("ask") && !changed("thank"));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, bytes: &[u8]| {
            std::fs::write(folder.path().join(name), bytes).unwrap();
            PromptFiles::load(OURS, folder.path()).unwrap_err()
        };
        let unknown = of("aks.txt", b"x").to_string();
        assert!(unknown.ends_with("aks.txt` is no prompt, expected one of ask.txt, thank.txt"), "{unknown}");
        std::fs::remove_file(folder.path().join("aks.txt")).unwrap();
        assert!(matches!(of("ask.txt", &[0xff]), PromptFileError::Read { .. }));
        let missing = PromptFiles::load(OURS, &folder.path().join("none")).unwrap_err();
        assert!(matches!(missing, PromptFileError::Read { .. }), "{missing}");
    }
}
