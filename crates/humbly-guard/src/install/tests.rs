use super::*;
use crate::harness::{harness, harnesses};

struct Home {
    _folder: tempfile::TempDir,
    places: Places,
}

fn home() -> Home {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let places = Places::from_environment(|_| None, Some(home.clone()), home.join("project"));
    Home { _folder: folder, places }
}

fn program() -> &'static Path {
    Path::new("/opt/my tools/humbly")
}

fn settings(name: &str, home: &Home) -> PathBuf {
    harness(name).unwrap().settings_path(Scope::User, &home.places).unwrap()
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn install(name: &str, home: &Home, mode: Mode) -> Change {
    let options = HookOptions { mode, ..HookOptions::default() };
    let change =
        plan_install(harness(name).unwrap(), Scope::User, &options, program(), &home.places).unwrap();
    change.write().unwrap();
    change
}

fn uninstall(name: &str, home: &Home) -> Change {
    let change = plan_uninstall(harness(name).unwrap(), Scope::User, &home.places).unwrap();
    change.write().unwrap();
    change
}

const OTHERS: &str = "{\n\t\"model\": \"x\",\n\t\"hooks\": {\n\t\t\"Stop\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]} ],\n\t\t\"PreToolUse\": []\n\t},\n\t\"z\": 1.0\n}";

#[test]
fn a_file_that_was_not_there_is_made_and_removed() {
    for harness in harnesses() {
        let home = home();
        install(harness.name(), &home, Mode::Ask);
        let path = settings(harness.name(), &home);
        let written: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for event in harness.settings().events {
            let command = written["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
            assert_eq!(command, format!("'/opt/my tools/humbly' guard --harness {}", harness.name()));
        }
        uninstall(harness.name(), &home);
        assert!(!path.exists());
    }
}

#[test]
fn other_settings_keep_their_bytes() {
    for text in [
        OTHERS,
        "{}",
        "{ }\n",
        "{\"hooks\": {}}",
        "{\"hooks\":{\"Stop\":[]},\"a\":[1,\n2]}\n",
        "\n{\"a\": {}}\n\n",
    ] {
        for name in ["claude-code", "codex", "gemini-cli"] {
            let home = home();
            let path = settings(name, &home);
            write(&path, text);
            let change = install(name, &home, Mode::Ask);
            assert_eq!(std::fs::read_to_string(&change.kept).unwrap(), text);
            let installed = std::fs::read_to_string(&path).unwrap();
            assert!(serde_json::from_str::<Value>(&installed).is_ok(), "{installed}");
            uninstall(name, &home);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{name}");
            assert!(!change.kept.exists());
        }
    }
}

#[test]
fn what_was_changed_since_stays() {
    let home = home();
    let path = settings("claude-code", &home);
    write(&path, OTHERS);
    install("claude-code", &home, Mode::Ask);
    let changed = std::fs::read_to_string(&path).unwrap().replace("\"x\"", "\"y\"");
    std::fs::write(&path, changed).unwrap();
    let change = uninstall("claude-code", &home);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), OTHERS.replace("\"x\"", "\"y\""));
    assert_eq!(std::fs::read_to_string(change.kept).unwrap(), OTHERS, "the old file is kept");
}

#[test]
fn installing_twice_changes_nothing_and_another_mode_replaces() {
    let home = home();
    let path = settings("claude-code", &home);
    write(&path, OTHERS);
    install("claude-code", &home, Mode::Ask);
    let once = std::fs::read_to_string(&path).unwrap();
    assert!(install("claude-code", &home, Mode::Ask).is_empty());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), once);
    install("claude-code", &home, Mode::Note);
    let noted = std::fs::read_to_string(&path).unwrap();
    assert_eq!(noted.matches("guard --harness claude-code").count(), 2);
    assert_eq!(noted.matches("--mode note").count(), 2);
    uninstall("claude-code", &home);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), OTHERS);
}

#[test]
fn a_hook_beside_ours_in_one_group_stays() {
    let home = home();
    let path = settings("openhands", &home);
    let ours = "{\"command\": \"/bin/humbly guard --harness openhands\"}";
    write(
        &path,
        &format!("{{\"stop\": [{{\"matcher\": \"*\", \"hooks\": [{ours}, {{\"command\": \"lint\"}}]}}]}}"),
    );
    uninstall("openhands", &home);
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "{\"stop\": [{\"matcher\": \"*\", \"hooks\": [{\"command\": \"lint\"}]}]}"
    );
}

#[test]
fn openhands_is_entered_in_the_form_that_the_file_has() {
    let home = home();
    let path = settings("openhands", &home);
    write(&path, "{\"stop\": [], \"pre_tool_use\": []}");
    install("openhands", &home, Mode::Ask);
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(written["stop"][0]["matcher"], "*");
    assert!(written.get("hooks").is_none());
}

#[test]
fn settings_of_another_form_are_left_alone() {
    for (text, said) in [
        ("{\"hooks\": []}", "`hooks`"),
        ("{\"hooks\": {\"Stop\": {}}}", "`Stop`"),
        ("[1]", "the whole"),
        ("{\"a\": 1 // why\n}", "is not JSON"),
    ] {
        let home = home();
        let path = settings("claude-code", &home);
        write(&path, text);
        let harness = harness("claude-code").unwrap();
        let error =
            plan_install(harness, Scope::User, &HookOptions::default(), program(), &home.places).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_not_written() {
    let home = home();
    let path = settings("claude-code", &home);
    write(&path, "{}");
    let harness = harness("claude-code").unwrap();
    let change =
        plan_install(harness, Scope::User, &HookOptions::default(), program(), &home.places).unwrap();
    write(&path, "{\"a\": 1}");
    assert!(matches!(change.write(), Err(GuardError::SettingsChanged { .. })));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\": 1}");
}

#[test]
fn the_change_is_shown_as_lines() {
    let home = home();
    write(&settings("openhands", &home), "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n");
    let change = plan_install(
        harness("openhands").unwrap(),
        Scope::User,
        &HookOptions::default(),
        Path::new("/bin/humbly"),
        &home.places,
    )
    .unwrap();
    let diff = change.diff();
    assert!(diff.contains("-     \"Stop\": []\n"), "{diff}");
    assert!(diff.contains("+             \"command\": \"/bin/humbly guard --harness openhands\""), "{diff}");
}

#[cfg(unix)]
#[test]
fn a_linked_settings_file_stays_a_link() {
    let home = home();
    let path = settings("claude-code", &home);
    let real = home.places.cwd.join("dotfiles.json");
    write(&real, "{\"a\": 1}");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&real, &path).unwrap();
    install("claude-code", &home, Mode::Ask);
    assert!(std::fs::symlink_metadata(&path).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("guard --harness"));
    uninstall("claude-code", &home);
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "{\"a\": 1}");
}
