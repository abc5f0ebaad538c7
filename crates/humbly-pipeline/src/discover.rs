//! Which files to read.

use std::path::{Path, PathBuf};

use humbly_readers::plain_name;
use humbly_types::Problem;
use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;

/// Extensions that a folder is searched for; a file named by the user is read whatever its name.
const EXTENSIONS: &[&str] = &["json", "jsonl", "ndjson", "eval", "traj", "txt", "log"];

/// The same where the file is packed (`.jsonl.zst`).
const PACKED: &[&str] = &["json", "jsonl", "ndjson", "traj"];

/// What a search found.
#[derive(Debug, Default)]
pub struct Found {
    /// Files in path order.
    pub files: Vec<PathBuf>,
    /// Files that the user named; an unknown format among them is worth a message.
    pub named: Vec<PathBuf>,
    /// Paths that cannot be read.
    pub problems: Vec<Problem>,
}

/// Files below the given paths; folders are searched in depth, links are not followed.
///
/// `include` are globs as in `.gitignore` that a file below a folder must match.
pub fn discover(paths: &[PathBuf], include: &[String]) -> Found {
    let mut found = Found::default();
    for path in paths {
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => walk(path, include, &mut found),
            Ok(_) => {
                found.files.push(path.clone());
                found.named.push(path.clone());
            }
            Err(error) => found.problems.push(
                Problem::new(path.to_string_lossy(), format!("cannot be read: {error}"))
                    .hint("give the path of a log file or of a folder with logs"),
            ),
        }
    }
    found.files.sort();
    found.files.dedup();
    found
}

fn walk(folder: &Path, include: &[String], found: &mut Found) {
    let mut builder = WalkBuilder::new(folder);
    builder.standard_filters(false).follow_links(false);
    if !include.is_empty() {
        let mut overrides = OverrideBuilder::new(folder);
        for glob in include {
            if let Err(error) = overrides.add(glob) {
                let problem = Problem::new(folder.to_string_lossy(), format!("--include `{glob}`: {error}"));
                found.problems.push(problem.hint("globs are written as in .gitignore, e.g. '*.jsonl'"));
            }
        }
        if let Ok(overrides) = overrides.build() {
            builder.overrides(overrides);
        }
    }
    for entry in builder.build() {
        match entry {
            Ok(entry)
                if entry.file_type().is_some_and(|kind| kind.is_file()) && is_candidate(entry.path()) =>
            {
                found.files.push(entry.into_path());
            }
            Ok(_) => {}
            Err(error) => {
                found
                    .problems
                    .push(Problem::new(folder.to_string_lossy(), format!("cannot be searched: {error}")));
            }
        }
    }
}

fn is_candidate(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let plain = plain_name(name);
    let known = if plain == name { EXTENSIONS } else { PACKED };
    Path::new(plain)
        .extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| known.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_path_is_a_problem_and_the_rest_is_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.jsonl"), "{}").unwrap();
        std::fs::write(folder.path().join("picture.png"), "x").unwrap();
        let found = discover(&[folder.path().to_owned(), folder.path().join("none")], &[]);
        assert_eq!((found.files.len(), found.problems.len()), (1, 1));
    }

    #[test]
    fn packed_logs_are_found_and_other_archives_are_not() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["rollout-1.jsonl.zst", "b.json.gz", "c.tar.gz", "d.gz", "e.txt.gz"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let found = discover(&[folder.path().to_owned()], &[]);
        let names: Vec<_> = found.files.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!(names, ["b.json.gz", "rollout-1.jsonl.zst"]);
    }

    #[test]
    fn globs_narrow_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "b.json"] {
            std::fs::write(folder.path().join(name), "{}").unwrap();
        }
        let found = discover(&[folder.path().to_owned()], &["*.json".to_owned()]);
        assert_eq!(found.files.len(), 1);
    }
}
