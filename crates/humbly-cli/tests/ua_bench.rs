//! UA-Bench from rows to tables with a model whose every answer is known: each number was worked out by hand.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::path::Path;

use serde_json::Value;
use support::exact::{Exact, counts};
use support::{Run, collect, humbly};

struct Fixture(tempfile::TempDir);

impl Fixture {
    /// The example's files in a folder of their own.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ua-bench");
        std::fs::create_dir(folder.path().join("rows")).unwrap();
        for name in [
            "experiment.toml",
            "model.toml",
            "judge.toml",
            "rows/gaia.jsonl",
            "rows/musique.jsonl",
            "rows/selfaware.json",
            "rows/olympiadbench.jsonl",
            "rows/mip.json",
        ] {
            std::fs::copy(example.join(name), folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let mut command = humbly(arguments);
        command.current_dir(self.0.path()).env("HUMBLY_CACHE", self.0.path().join("cache"));
        collect(&mut command)
    }

    fn build(&self, more: &[&str]) -> Run {
        let sets = [
            "suite",
            "build",
            "ua-bench",
            "--to",
            "suite.json",
            "--set",
            "gaia=rows/gaia.jsonl",
            "--set",
            "musique=rows/musique.jsonl",
            "--set",
            "selfaware=rows/selfaware.json",
            "--set",
            "olympiadbench=rows/olympiadbench.jsonl",
            "--set",
            "mip-overthinking=rows/mip.json",
        ];
        self.run(&[&sets, more].concat())
    }

    fn with_run() -> Self {
        let fixture = Self::new();
        assert_eq!(fixture.build(&[]).status, 0);
        let run = fixture.run(&["run", "experiment.toml"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        fixture
    }

    fn report(&self, more: &[&str]) -> Value {
        self.report_of(200, more)
    }

    fn report_of(&self, resamples: u32, more: &[&str]) -> Value {
        let resamples = resamples.to_string();
        let arguments =
            [&["report", "run.sqlite", "--resamples", &resamples, "--output", "json"], more].concat();
        let run = self.run(&arguments);
        serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
    }
}

fn row<'a>(report: &'a Value, prompt: &str, set: &str) -> &'a Value {
    report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["prompt"] == prompt && row["set"] == set)
        .unwrap()
}

fn rounded(row: &Value, pointer: &str) -> Option<f64> {
    row.pointer(pointer).unwrap()["value"].as_f64().map(|value| (value * 1000.0).round() / 1000.0)
}

/// ACC, abstention, then DU, MU, AVG as released and balanced.
fn numbers(row: &Value) -> Vec<Option<f64>> {
    [
        "/accuracy",
        "/abstention",
        "/released/data",
        "/released/model",
        "/released/average",
        "/balanced/data",
        "/balanced/model",
        "/balanced/average",
    ]
    .map(|pointer| rounded(row, pointer))
    .to_vec()
}

#[test]
fn the_first_line_says_what_could_be_built() {
    let fixture = Fixture::new();
    let built = fixture.build(&[]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let line = "built 14 of 3,505: gaia 3 of 165, musique 2 of 1,000 (public test split has no answers: dev used), \
        selfaware 2 of 1,032, olympiadbench-math 5 of 674 (675 published, row 1965 left out), gsm8k-mip 2 of 582, \
        math-mip 0 of 52";
    assert_eq!(built.stdout.lines().next(), Some(line));
    fixture.run(&["run", "experiment.toml"]);
    let report = fixture.run(&["report", "run.sqlite", "--resamples", "100"]);
    assert_eq!(report.stdout.lines().next(), Some(line), "{}", report.stderr);
}

#[test]
fn every_number_is_as_worked_out_by_hand() {
    let fixture = Fixture::with_run();
    let report = fixture.report(&[]);
    let of = |prompt, set| numbers(row(&report, prompt, set));
    let some = |values: [f64; 8]| values.map(Some).to_vec();
    assert_eq!(of("attribution", "all"), some([0.4, 0.643, 0.75, 0.5, 0.625, 0.72, 0.571, 0.646]));
    assert_eq!(of("attribution", "knowledge"), some([0.4, 0.714, 0.857, 0.727, 0.792, 0.857, 0.8, 0.829]));
    assert_eq!(of("attribution", "reasoning"), some([0.4, 0.571, 0.6, 0.308, 0.454, 0.545, 0.364, 0.455]));
    // The same outputs abstain; without labels nothing is blamed on the question.
    assert_eq!(of("abstention", "all"), some([0.4, 0.643, 0.0, 0.571, 0.286, 0.0, 0.588, 0.294]));

    let attribution = row(&report, "attribution", "all");
    assert_eq!(attribution["failures"][0]["count"], 1, "the train");
    assert_eq!(attribution["failures"][1]["count"], 2, "the bell tower and the digits");
    assert_eq!(attribution["labels"]["asks_user"], 5);
    assert_eq!(attribution["labels"]["asks_user_rightly"], 3);
    assert_eq!(attribution["labels"]["uses_tool"], 4);
    assert_eq!(attribution["labels"]["uses_tool_rightly"], 3);
    let answers = &attribution["confusion"][0];
    assert_eq!(
        (&answers["unanswerable"], &answers["answered_correctly"], &answers["missed"]),
        (&0.into(), &4.into(), &1.into())
    );
    assert_eq!(rounded(row(&report, "attribution", "gaia"), "/abstention"), Some(0.667));
}

/// Outputs of a prompt on a set, counted by hand.
struct Counted {
    prompt: &'static str,
    set: &'static str,
    /// Outputs on unanswerable questions: answer, DATA, MODEL.
    unanswerable: [u32; 3],
    /// Right answers to answerable ones.
    right: u32,
    /// The others: wrong answer, DATA, MODEL.
    missed: [u32; 3],
}

#[rustfmt::skip]
const COUNTED: [Counted; 9] = [
    // 1880 for 1874 and York for Ludlow; 103, 250 and 100.
    Counted { prompt: "answer only", set: "knowledge", unanswerable: [2, 0, 0], right: 3, missed: [2, 0, 0] },
    Counted { prompt: "answer only", set: "reasoning", unanswerable: [2, 0, 0], right: 2, missed: [3, 0, 0] },
    Counted { prompt: "answer only", set: "all", unanswerable: [4, 0, 0], right: 5, missed: [5, 0, 0] },
    // Harbour Nine, Lower Marsh and Elm Cross; 103, the zeros and the digits.
    Counted { prompt: "abstention", set: "knowledge", unanswerable: [0, 0, 2], right: 2, missed: [0, 0, 3] },
    Counted { prompt: "abstention", set: "reasoning", unanswerable: [0, 0, 2], right: 2, missed: [1, 0, 2] },
    Counted { prompt: "abstention", set: "all", unanswerable: [0, 0, 4], right: 4, missed: [1, 0, 5] },
    // The bell tower is taken for a faulty question, the digits too; the train is blamed on the model.
    Counted { prompt: "attribution", set: "knowledge", unanswerable: [0, 2, 0], right: 2, missed: [0, 1, 2] },
    Counted { prompt: "attribution", set: "reasoning", unanswerable: [0, 1, 1], right: 2, missed: [1, 1, 1] },
    Counted { prompt: "attribution", set: "all", unanswerable: [0, 3, 1], right: 4, missed: [1, 2, 3] },
];

/// DU-F1 and MU-F1 from outputs drawn of each kind, as the paper defines them: 2 tp / (2 tp + fp + fn) of shares, misses as
/// a share of the other set (released) or of their own.
fn f1(drawn: &[u32], is_released: bool) -> Option<[f64; 2]> {
    let [answered, d, m, _right, wrong, data, model] = drawn else { panic!("{drawn:?}") };
    let (n, missed) = (f64::from(answered + d + m), f64::from(wrong + data + model));
    if n == 0.0 || missed == 0.0 {
        return None;
    }
    let score = |hits: u32, own: f64, alarms: u32, other: f64| {
        let (tp, fp) = (f64::from(hits) / own, f64::from(alarms) / other);
        let fallen = (own - f64::from(hits)) / if is_released { other } else { own };
        2.0 * tp / (2.0 * tp + fp + fallen)
    };
    Some([score(*d, n, *data, missed), score(*model, missed, *m, n)])
}

#[test]
fn every_cell_and_every_interval_by_another_way() {
    let fixture = Fixture::with_run();
    assert_eq!(fixture.run(&["judge", "run.sqlite", "--judge", "scripted:judge.toml"]).status, 0);
    let report = fixture.report_of(4000, &["--judge", "scripted:judge.toml"]);
    for Counted { prompt, set, unanswerable, right, missed } in &COUNTED {
        let row = row(&report, prompt, set);
        let (n, wrong) = (unanswerable.iter().sum::<u32>(), missed.iter().sum::<u32>());
        let answerable = right + wrong;
        let [answered, d, m] = *unanswerable;
        let abstained = d + m + missed[1] + missed[2];
        counts(&row["accuracy"], u64::from(*right), u64::from(answerable));
        counts(&row["abstention"], u64::from(abstained), u64::from(n + answerable));
        assert_eq!(
            ["n", "answerable", "unparsable", "undecided", "left_out"]
                .map(|name| row[name].as_u64().unwrap()),
            [u64::from(n + answerable), u64::from(answerable), 0, 0, 0]
        );
        for (place, form) in ["answer", "data_uncertain", "model_uncertain", "unparsable"].iter().enumerate()
        {
            let cell = &row["confusion"][place];
            assert_eq!(cell["form"], *form);
            let of = |list: &[u32; 3]| u64::from(list.get(place).copied().unwrap_or(0));
            let right = if place == 0 { u64::from(*right) } else { 0 };
            counts(&cell["unanswerable_share"], of(unanswerable), u64::from(n));
            counts(&cell["answered_correctly_share"], right, u64::from(answerable));
            counts(&cell["missed_share"], of(missed), u64::from(answerable));
            assert_eq!(
                ["unanswerable", "answered_correctly", "missed"].map(|name| cell[name].as_u64().unwrap()),
                [of(unanswerable), right, of(missed)]
            );
        }
        let kinds = [answered, d, m, *right, missed[0], missed[1], missed[2]];
        for (rule, is_released) in [("released", true), ("balanced", false)] {
            let [data, model] = f1(&kinds, is_released).unwrap();
            let scores = &row[rule];
            for (name, value) in [("data", data), ("model", model), ("average", f64::midpoint(data, model))] {
                let found = scores[name]["value"].as_f64().unwrap();
                assert!(
                    (found - value).abs() < 1e-12,
                    "{prompt} {set} {rule} {name}: {found} is not {value}"
                );
            }
            let exact = |of: fn([f64; 2]) -> f64| Exact::of(&kinds, |drawn| f1(drawn, is_released).map(of));
            exact(|[data, _]| data).is_interval_of(&scores["data"]);
            exact(|[_, model]| model).is_interval_of(&scores["model"]);
            exact(|[data, model]| f64::midpoint(data, model)).is_interval_of(&scores["average"]);
        }
        // What an agent would do with the labels, and the two failure modes.
        let labels = ["asks_user", "asks_user_rightly", "uses_tool", "uses_tool_rightly"];
        assert_eq!(
            labels.map(|name| row["labels"][name].as_u64().unwrap()),
            [d + missed[1], d, m + missed[2], missed[2]].map(u64::from)
        );
        let failures = [0, 1].map(|mode| row["failures"][mode]["count"].as_u64().unwrap());
        assert_eq!(failures, [u64::from(m), u64::from(missed[1])]);
    }
    the_sources_are_counted(&report);
}

/// By source: right and answerable, then abstaining and all.
fn the_sources_are_counted(report: &Value) {
    for (prompt, source, right, abstains) in [
        ("answer only", "gaia", Some((2, 3)), (0, 3)),
        ("answer only", "musique", Some((1, 2)), (0, 2)),
        ("answer only", "selfaware", None, (0, 2)),
        ("answer only", "olympiadbench-math", Some((2, 5)), (0, 5)),
        ("answer only", "gsm8k-mip", None, (0, 2)),
        ("abstention", "gaia", Some((1, 3)), (2, 3)),
        ("abstention", "musique", Some((1, 2)), (1, 2)),
        ("abstention", "selfaware", None, (2, 2)),
        ("abstention", "olympiadbench-math", Some((2, 5)), (2, 5)),
        ("abstention", "gsm8k-mip", None, (2, 2)),
        ("attribution", "gaia", Some((1, 3)), (2, 3)),
        ("attribution", "musique", Some((1, 2)), (1, 2)),
        ("attribution", "selfaware", None, (2, 2)),
        ("attribution", "olympiadbench-math", Some((2, 5)), (2, 5)),
        ("attribution", "gsm8k-mip", None, (2, 2)),
    ] {
        let row = row(report, prompt, source);
        match right {
            Some((right, of)) => counts(&row["accuracy"], right, of),
            None => assert_eq!(row["accuracy"]["undefined"]["reason"], "no_samples"),
        }
        counts(&row["abstention"], abstains.0, abstains.1);
    }
}

#[test]
fn what_no_rule_decides_is_undefined_until_a_judge_decides() {
    let fixture = Fixture::with_run();
    let before = fixture.report(&[]);
    let undecided = row(&before, "answer only", "all");
    assert_eq!(undecided["undecided"], 1, "York for Ludlow");
    assert_eq!(undecided["accuracy"]["undefined"]["reason"], "needs_model_judge");
    assert!(
        undecided["accuracy"]["undefined"]["detail"].as_str().unwrap().contains("between 0.500 and 0.600")
    );

    let missing = fixture.run(&["report", "run.sqlite", "--judge", "scripted:judge.toml"]);
    assert!(missing.status == 2 && missing.stderr.contains("holds no verdicts"), "{}", missing.stderr);
    let judged = fixture.run(&["judge", "run.sqlite", "--judge", "scripted:judge.toml"]);
    assert_eq!(judged.status, 0, "{}", judged.stderr);
    let after = fixture.report(&["--judge", "scripted:judge.toml"]);
    let decided = row(&after, "answer only", "all");
    assert_eq!(decided["undecided"], 0);
    assert_eq!(numbers(decided), [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0].map(Some).to_vec());
}

#[test]
fn a_judge_that_says_neither_yes_nor_no_decides_nothing() {
    let fixture = Fixture::with_run();
    std::fs::write(fixture.0.path().join("judge.toml"), "[[rule]]\nreply.text = \"perhaps\"\n").unwrap();
    fixture.run(&["judge", "run.sqlite", "--judge", "scripted:judge.toml"]);
    let report = fixture.report(&["--judge", "scripted:judge.toml"]);
    let row = row(&report, "answer only", "all");
    assert_eq!((&row["undecided"], &row["left_out"]), (&0.into(), &1.into()));
    assert_eq!(rounded(row, "/accuracy"), Some(0.556), "5 of the 9 that are known");
}

#[test]
fn pages_sheets_and_going_on() {
    let fixture = Fixture::with_run();
    let again = fixture.run(&["run", "experiment.toml"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    let page = fixture.run(&["report", "run.sqlite", "--resamples", "100", "--report", "page.html"]);
    assert_eq!(page.status, 0, "{}", page.stderr);
    let html = std::fs::read_to_string(fixture.0.path().join("page.html")).unwrap();
    assert!(
        html.contains("built 14 of 3,505") && html.contains("Abstention, gaia") && !html.contains("http://")
    );
    let sheet = ["sheet", "outputs", "run.sqlite", "--rows", "10", "--seed", "1", "--to", "sheet.csv"];
    assert_eq!(fixture.run(&sheet).status, 0);
    let text = std::fs::read_to_string(fixture.0.path().join("sheet.csv")).unwrap();
    assert!(text.starts_with("key,question,references,output,parsed_form"), "{text}");
    assert_eq!(fixture.run(&sheet).status, 2, "a sheet is never overwritten");
    let released = fixture.report(&["--compat", "released"]);
    assert_eq!(released["settings"]["extraction"], "released");
    let csv = fixture.run(&["report", "run.sqlite", "--resamples", "50", "--output", "csv"]);
    assert!(csv.stdout.starts_with("# built 14 of 3,505: "), "{}", csv.stdout);
    let latex = fixture.run(&["report", "run.sqlite", "--resamples", "50", "--output", "latex"]);
    assert_eq!(latex.status, 0, "{}", latex.stderr);
    assert!(latex.stdout.contains("% built 14 of 3,505: ") && latex.stdout.contains("tab:humbly-ua-6"));
    let abstains = r"0.643\\{\tiny {[}0.388, 0.837]}\\{\tiny 9/14}";
    assert!(latex.stdout.contains(abstains), "{}", latex.stdout);
    assert_eq!(latex.stdout.matches("\\begin{").count(), latex.stdout.matches("\\end{").count());
    // The same outputs under a second name are counted once.
    std::fs::copy(fixture.0.path().join("run.sqlite"), fixture.0.path().join("copy.sqlite")).unwrap();
    let twice = fixture.report(&["copy.sqlite"]);
    assert_eq!(row(&twice, "attribution", "all")["n"], 14);
    assert!(twice["problems"][0]["message"].as_str().unwrap().contains("holds the outputs of"), "{twice}");
}

#[test]
fn mistakes_are_named() {
    let fixture = Fixture::new();
    let nothing = fixture.run(&["suite", "build", "ua-bench"]);
    assert_eq!(nothing.status, 2);
    assert!(
        nothing.stderr.contains("gaia 0 of 165 (not pulled: accept its terms, set HF_TOKEN)"),
        "{}",
        nothing.stderr
    );
    let wrong = fixture.run(&["suite", "build", "ua-bench", "--set", "gaia=none.jsonl"]);
    assert!(wrong.status == 2 && wrong.stderr.contains("none.jsonl"), "{}", wrong.stderr);
    let unknown = fixture.run(&["suite", "build", "ua-bench", "--set", "gia=rows/gaia.jsonl"]);
    assert!(
        unknown.stderr.contains("`gia` is no source of UA-Bench, expected gaia, musique"),
        "{}",
        unknown.stderr
    );
}

/// Thinking as a factor; another script stands in for the model that thinks.
const THINKING: &str = r#"
suite = "suite.json"
models = ["scripted:model.toml"]
protocols = ["direct"]

[[conditions]]
name = "off"
prompt = "direct_attribute"
thinking = false
sampling = { reasoning_effort = "minimal" }

[[conditions]]
name = "on"
prompt = "direct_attribute"
thinking = true
sampling = { reasoning_effort = "high" }
models = { "scripted:model.toml" = "scripted:thinks.toml" }
"#;

#[test]
fn thinking_on_and_off_are_rows_of_their_own_and_compared_by_question() {
    let fixture = Fixture::new();
    assert_eq!(fixture.build(&[]).status, 0);
    let folder = fixture.0.path();
    let rules = std::fs::read_to_string(folder.join("model.toml")).unwrap();
    // Thinking finds two answers, and the bell tower becomes the model's own lack.
    let thinks: Vec<String> = [("zeros stand", "249"), ("Lower Marsh", "<MODEL_UNCERTAIN>"), ("digits", "115")]
        .into_iter()
        .map(|(question, answer)| {
            format!(
                "[[rule]]\nwhen.user.regex = '(?s){question}.*DATA_UNCERTAIN'\nreply.reasoning = 'Is it \\boxed{{0}}?'\n\
                 reply.text = '\\boxed{{{answer}}}'\n"
            )
        })
        .collect();
    std::fs::write(folder.join("thinks.toml"), thinks.concat() + &rules).unwrap();
    std::fs::write(folder.join("experiment.toml"), THINKING).unwrap();
    let run = fixture.run(&["run", "experiment.toml"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let report = fixture.report_of(4000, &[]);
    let of = |thinking: bool| {
        let rows = report["rows"].as_array().unwrap();
        rows.iter().find(|row| row["set"] == "all" && row["thinking"] == thinking).unwrap()
    };
    // The box in the reasoning is none.
    counts(&of(false)["accuracy"], 4, 10);
    counts(&of(true)["accuracy"], 6, 10);
    counts(&of(true)["abstention"], 7, 14);
    assert_eq!(of(true)["name"], "scripted:thinks.toml · attribution · thinking");
    assert_eq!(of(false)["name"], "scripted:model.toml · attribution · no thinking");
    let rows = report["thinking"].as_array().unwrap();
    assert_eq!(
        rows.iter().map(|row| row["set"].as_str().unwrap()).collect::<Vec<_>>(),
        ["knowledge", "reasoning", "all"]
    );
    let all = &rows[2];
    let is = |pointer: &str, expected: f64| {
        let found = all.pointer(pointer).unwrap()["value"].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-12, "{pointer}: {found} is not {expected}");
    };
    is("/accuracy/without", 0.4);
    is("/accuracy/with", 0.6);
    is("/accuracy/difference", 0.2);
    // Two questions gained and none lost: 2 / 2^2.
    is("/accuracy/p", 0.5);
    is("/abstention/difference", -2.0 / 14.0);
    let gained = |drawn: &[u32]| Some(f64::from(drawn[0]) / 10.0);
    Exact::of(&[2, 8], gained).is_interval_of(&all["accuracy"]["difference"]);
    let table = fixture.run(&["report", "run.sqlite", "--resamples", "50"]);
    assert!(table.stdout.contains("Thinking: with it against without, by question"), "{}", table.stdout);
}

#[test]
fn two_conditions_with_one_prompt_keep_their_names() {
    let fixture = Fixture::new();
    assert_eq!(fixture.build(&[]).status, 0);
    let cold =
        "[[conditions]]\nname = \"cold\"\nprompt = \"direct_attribute\"\nsampling = { temperature = 0.0 }\n";
    let warm = cold.replace("cold", "warm").replace("0.0", "1.0");
    let head = "suite = \"suite.json\"\nmodels = [\"scripted:model.toml\"]\nprotocols = [\"direct\"]\n";
    std::fs::write(fixture.0.path().join("experiment.toml"), format!("{head}{cold}{warm}")).unwrap();
    assert_eq!(fixture.run(&["run", "experiment.toml"]).status, 0);
    let report = fixture.report(&[]);
    let rows = report["rows"].as_array().unwrap().iter().filter(|row| row["set"] == "all");
    let names: Vec<&str> = rows.map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["scripted:model.toml · cold", "scripted:model.toml · warm"]);
}
