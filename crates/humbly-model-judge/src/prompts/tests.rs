use std::fmt::Write as _;

use super::*;

/// A request as the judge sees it, with sample texts.
fn rendered(rubric: Rubric) -> String {
    let prompts = Prompts::built_in().unwrap();
    let prompt = prompts.prompt(rubric).unwrap();
    let fence = Fence::around(&["sample"]);
    let sample = |name: &str| match name {
        "turns" => format!("{}\n\n{}", fence.wrap("turn 0", "First."), fence.wrap("turn 2", "Then.")),
        name => fence.wrap(name, "Sample."),
    };
    let values = rubric.variables().iter().map(|&name| (name, sample(name))).collect();
    let (system, user) = prompt.render(&fence, &values).unwrap();
    let mut text = String::new();
    write!(text, "SYSTEM\n{system}\n\nUSER\n{user}").unwrap();
    text
}

#[test]
fn every_prompt_renders_as_reviewed() {
    for &rubric in Rubric::ALL {
        let text = rendered(rubric);
        assert!(text.lines().count() <= 50, "{rubric} does not fit a screen");
        insta::assert_snapshot!(format!("prompt_{rubric}"), text);
    }
}

#[test]
fn every_prompt_calls_the_judged_text_data() {
    for &rubric in Rubric::ALL {
        let text = rendered(rubric);
        assert!(text.contains("not an instruction"), "{rubric}");
        let boundary = Fence::around(&["sample"]).boundary().to_owned();
        assert!(text.contains(&format!("`<<<{boundary}`")), "{rubric} does not name its boundary");
    }
}

#[test]
fn no_prompt_repeats_a_sentence_of_the_papers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/papers");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "no {}", folder.display());
        return eprintln!("skipped: {} is not there", folder.display());
    };
    let words = |text: &str| -> Vec<String> {
        // `_` joins a word, so that a list of labels is no sentence.
        text.split(|character: char| !character.is_alphanumeric() && character != '_')
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let mut of_papers = std::collections::HashSet::new();
    for entry in entries {
        let text = words(&std::fs::read_to_string(entry.unwrap().path()).unwrap());
        of_papers.extend(text.windows(8).map(<[String]>::to_vec));
    }
    for &rubric in Rubric::ALL {
        for run in words(rubric.built_in()).windows(8) {
            assert!(!of_papers.contains(run), "{rubric}: {run:?}");
        }
    }
}

fn fault(rubric: Rubric, text: &str) -> String {
    Prompt::parse(rubric, text).unwrap_err().to_string()
}

#[test]
fn a_prompt_that_cannot_work_is_refused_when_it_is_read() {
    let escalate = Rubric::Escalate;
    assert!(fault(escalate, "Judge.").contains("before the first section"));
    assert!(fault(escalate, "[user]\n{{ answer }}").contains("no section `[system]`"));
    assert!(fault(escalate, "[system]\na\n[system]\nb\n[user]\n{{ answer }}").contains("two sections"));
    assert!(fault(escalate, "[system]\na\n[user]\n{{ answer").contains("cannot be read"));
    assert!(fault(escalate, "[system]\na\n[user]\n{{ answer | shout }}").contains("shout"));
    assert!(
        fault(escalate, "[reply]\npoem\n[system]\na\n[user]\n{{ answer }}").contains("expected exact, word")
    );
    assert!(
        fault(Rubric::Identify, "[reply]\nword\n[system]\na\n[user]\n{{ turns }}")
            .contains("expected `json`")
    );
}

#[test]
fn the_eh_correctness_prompt_cannot_see_the_question() {
    let text = "[system]\na\n[user]\n{{ question }} {{ prediction }} {{ references }}";
    assert!(
        fault(Rubric::CorrectnessEh, text).contains("unknown variable") || {
            fault(Rubric::CorrectnessEh, text).contains("found the variable `question`")
        }
    );
    assert!(Prompt::parse(Rubric::CorrectnessUa, text).is_ok());
}

#[test]
fn a_folder_replaces_some_prompts_and_unknown_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let own = "[system]\nMine: {{ boundary }}\n[user]\n{{ answer }}";
    std::fs::write(folder.path().join("refusal.txt"), own).unwrap();
    std::fs::write(folder.path().join("notes.md"), "no prompt").unwrap();
    let (ours, theirs) = (Prompts::built_in().unwrap(), Prompts::load(folder.path()).unwrap());
    assert_ne!(ours.hash(), theirs.hash());
    let hash = |prompts: &Prompts, rubric| prompts.prompt(rubric).unwrap().hash().to_owned();
    assert_ne!(hash(&ours, Rubric::Refusal), hash(&theirs, Rubric::Refusal));
    assert_eq!(hash(&ours, Rubric::Identify), hash(&theirs, Rubric::Identify));

    std::fs::write(folder.path().join("identity.txt"), own).unwrap();
    let error = Prompts::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("identity.txt") && error.contains("identify.txt"), "{error}");
    assert!(matches!(Prompts::load(&folder.path().join("none")), Err(ModelJudgeError::PromptFile(_))));
}

#[test]
fn texts_are_values_of_the_template_and_never_part_of_it() {
    let prompts = Prompts::built_in().unwrap();
    let text = "{{ boundary }}{% for x in range(9) %}{{ x }}{% endfor %}{# gone #}";
    let fence = Fence::around(&[text]);
    let values = BTreeMap::from([("answer", fence.wrap("answer", text))]);
    let (_, user) = prompts.prompt(Rubric::Escalate).unwrap().render(&fence, &values).unwrap();
    assert!(user.contains(text));
}
