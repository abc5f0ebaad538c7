//! From questions to a finished run file, with clients whose answers are known.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use humbly_agent::{Prompts, Protocol};
use humbly_bench::conflict::{
    self, BuildParams, ChoiceBy, ControlledParams, ElicitParams, Scenario, Suite, build_suite,
    starter_questions,
};
use humbly_bench::experiment::{Cancel, Experiment, Runner, Sitting, plan};
use humbly_bench::{Behaviour, ScriptedAgent};
use humbly_judge::{Knowledge, LexicalJudge};
use humbly_llm::{ChatClient, ChatError, ChatReply, ChatRequest, Sampling};
use humbly_store::{RunFile, SampleState, Shard};
use humbly_types::Record;
use serde_json::json;

/// Knows every right answer of the starter set.
struct Knows;

impl ChatClient for Knows {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatError>> {
        let prompt = &request.messages[0].content;
        let question =
            starter_questions().into_iter().find(|question| prompt.contains(&question.question)).unwrap();
        let answer = question.gold.answer;
        let chosen = prompt
            .lines()
            .find(|line| line.get(3..) == Some(answer.as_str()))
            .map(|line| line[..1].to_owned());
        let text = chosen.unwrap_or(answer);
        futures::future::ready(Ok(ChatReply { text, ..ChatReply::default() })).boxed()
    }
}

/// Fails on every `n`-th call, else asks the agent inside.
struct Flaky(ScriptedAgent, AtomicUsize, usize);

impl ChatClient for Flaky {
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatError>> {
        if self.1.fetch_add(1, Ordering::Relaxed) % self.2 == self.2 - 1 {
            return futures::future::ready(Err(ChatError::EmptyReply)).boxed();
        }
        self.0.chat(request)
    }
}

fn suite(enough: usize) -> Suite {
    let params = BuildParams {
        name: "conflict".into(),
        model: "scripted:knows".into(),
        elicit: ElicitParams {
            model: "m".into(),
            sampling: Sampling::default(),
            seed: 5,
            choice_by: ChoiceBy::Reply,
        },
        controlled: ControlledParams { seed: 5, scenarios: vec![Scenario::Rag] },
        concurrency: 4,
        enough: Some(enough),
    };
    let prompts = conflict::Prompts::built_in().unwrap();
    block_on(build_suite(&Knows, &starter_questions(), &prompts, &params, &mut |_| {})).unwrap()
}

fn experiment(model: &str) -> Experiment {
    Experiment {
        models: vec![model.to_owned()],
        protocols: vec![Protocol::Plain],
        tools: vec!["search".to_owned()],
        concurrency: 3,
        ..Experiment::default()
    }
}

fn sit(
    run: &RunFile,
    suite: &Suite,
    client: &Arc<dyn ChatClient>,
    cancel: &Cancel,
    stop_at: usize,
) -> Sitting {
    let experiment = experiment("scripted:x");
    run.plan(&plan(&experiment, suite)).unwrap();
    let prompts = Prompts::built_in().unwrap();
    let runner =
        Runner::new(&experiment, suite, &prompts, &mut |_| Ok((Arc::clone(client), "x".to_owned()))).unwrap();
    block_on(runner.run(run, Shard::WHOLE, true, cancel, &mut |progress| {
        if progress.ended >= stop_at {
            cancel.cancel();
        }
    }))
    .unwrap()
}

fn records(run: &RunFile) -> Vec<Record> {
    let mut records = Vec::new();
    run.for_each_sample(|sample| {
        records.extend(sample.record.map(|text| serde_json::from_str::<Record>(&text).unwrap()));
    })
    .unwrap();
    records
}

#[test]
fn what_is_known_is_believed_and_asking_ends_when_it_is_enough() {
    let suite = suite(12);
    assert_eq!(suite.levels(), [0, 0, 0, 12]);
    assert_eq!((suite.asked, suite.tasks.len(), suite.failed.len()), (12, 24, 0));
    assert_eq!(suite, self::suite(12), "the same seed builds the same suite");
}

#[test]
fn a_humble_agent_recognises_conflicts_and_a_hasty_one_does_not() {
    let suite = suite(10);
    let judge = LexicalJudge::new();
    for behaviour in Behaviour::ALL {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFile::create(&folder.path().join("run.sqlite"), &json!({})).unwrap();
        let client: Arc<dyn ChatClient> = Arc::new(ScriptedAgent::new(&suite, behaviour));
        let sitting = sit(&run, &suite, &client, &Cancel::default(), usize::MAX);
        assert_eq!((sitting.progress.ended, sitting.progress.failed), (20, 0));
        for record in records(&run) {
            let id = record.task_id.as_deref().unwrap();
            let task = suite.tasks.iter().find(|task| task.task.id == id).map(|task| &task.task);
            let knowledge = Knowledge::from_task(task);
            let is_conflict = id.ends_with("/conflict");
            let expected = is_conflict && behaviour == Behaviour::Humble;
            let first = &record.turns[0].text;
            let last = &record.turns.last().unwrap().text;
            assert_eq!(judge.identify_turn(first, &knowledge).value, Some(expected), "{first}");
            assert_eq!(judge.escalate(last, &knowledge).value, Some(expected), "{last}");
            let calls: usize = record.turns.iter().map(|turn| turn.calls.len()).sum();
            assert_eq!(calls, usize::from(expected), "{}", record.id);
        }
    }
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    let suite = suite(10);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.sqlite");
    let client: Arc<dyn ChatClient> = Arc::new(ScriptedAgent::new(&suite, Behaviour::Humble));
    let first = {
        let run = RunFile::create(&path, &json!({})).unwrap();
        sit(&run, &suite, &client, &Cancel::default(), 5)
    };
    assert!(first.cancelled && (5..20).contains(&first.progress.ended), "{first:?}");
    let run = RunFile::open(&path).unwrap();
    let second = sit(&run, &suite, &client, &Cancel::default(), usize::MAX);
    assert_eq!(first.progress.ended + second.progress.ended, 20);
    assert_eq!(run.totals().unwrap().done, 20);
}

#[test]
fn a_failed_call_is_a_failed_sample_with_its_reason_and_can_be_run_again() {
    let suite = suite(10);
    let folder = tempfile::tempdir().unwrap();
    let run = RunFile::create(&folder.path().join("run.sqlite"), &json!({})).unwrap();
    let agent = ScriptedAgent::new(&suite, Behaviour::Hasty);
    let flaky: Arc<dyn ChatClient> = Arc::new(Flaky(agent.clone(), AtomicUsize::new(0), 7));
    let sitting = sit(&run, &suite, &flaky, &Cancel::default(), usize::MAX);
    let totals = run.totals().unwrap();
    assert!(sitting.progress.failed > 0);
    assert_eq!(totals.failed.get("empty_reply"), Some(&(sitting.progress.failed as u64)));
    run.for_each_sample(|sample| assert_ne!(sample.state, SampleState::Waiting)).unwrap();
    let steady: Arc<dyn ChatClient> = Arc::new(agent);
    sit(&run, &suite, &steady, &Cancel::default(), usize::MAX);
    assert_eq!((run.totals().unwrap().done, run.totals().unwrap().failures()), (20, 0));
}

/// Answers by what a test says; counts its calls.
struct Told(fn(usize) -> Result<ChatReply, ChatError>, AtomicUsize);

impl Told {
    fn client(answer: fn(usize) -> Result<ChatReply, ChatError>) -> Arc<Self> {
        Arc::new(Self(answer, AtomicUsize::new(0)))
    }

    fn calls(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

impl ChatClient for Told {
    fn chat<'a>(&'a self, _request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatError>> {
        futures::future::ready((self.0)(self.1.fetch_add(1, Ordering::Relaxed))).boxed()
    }
}

fn refused() -> Result<ChatReply, ChatError> {
    Err(ChatError::Authentication { provider: "p".into(), status: 401 })
}

fn new_run() -> (tempfile::TempDir, RunFile) {
    let folder = tempfile::tempdir().unwrap();
    let run = RunFile::create(&folder.path().join("run.sqlite"), &json!({})).unwrap();
    (folder, run)
}

#[test]
fn a_refused_key_stops_at_once_and_the_same_run_goes_on() {
    let suite = suite(10);
    let (_folder, run) = new_run();
    let told = Told::client(|_| refused());
    let client: Arc<dyn ChatClient> = told.clone();
    let sitting = sit(&run, &suite, &client, &Cancel::default(), usize::MAX);
    let stopped = &sitting.stopped[0];
    assert_eq!((stopped.why.code.as_str(), stopped.why.in_a_row, stopped.left), ("authentication", None, 20));
    assert!(told.calls() <= 3, "{} calls, three are in flight", told.calls());
    let totals = run.totals().unwrap();
    assert_eq!((totals.done, totals.failures(), totals.waiting()), (0, 0, 20));
    let steady: Arc<dyn ChatClient> = Arc::new(ScriptedAgent::new(&suite, Behaviour::Humble));
    let second = sit(&run, &suite, &steady, &Cancel::default(), usize::MAX);
    assert_eq!((second.stopped, run.totals().unwrap().done), (vec![], 20));
}

#[test]
fn a_429_for_ever_is_given_up_and_its_samples_stay_waiting() {
    let suite = suite(10);
    let (_folder, run) = new_run();
    let told = Told::client(|_| Err(ChatError::RateLimited { retry_after: None }));
    let client: Arc<dyn ChatClient> = told.clone();
    let sitting = sit(&run, &suite, &client, &Cancel::default(), usize::MAX);
    let stopped = &sitting.stopped[0];
    assert_eq!(
        (stopped.why.code.as_str(), stopped.why.in_a_row, stopped.left),
        ("rate_limited", Some(8), 20)
    );
    assert_eq!((sitting.progress.ended, sitting.progress.failed), (0, 0));
    assert!(told.calls() <= 10, "{} calls", told.calls());
    assert_eq!(run.totals().unwrap().waiting(), 20);
}

#[test]
fn what_a_stopped_sample_was_paid_for_stays_in_the_totals() {
    let suite = suite(10);
    let (_folder, run) = new_run();
    let told = Told::client(|call| match call {
        0 => Ok(ChatReply {
            text: "The passages are read.".into(),
            cost_usd: Some(0.5),
            ..ChatReply::default()
        }),
        _ => Err(ChatError::CostLimit { limit_usd: 0.6, spent_usd: 0.5 }),
    });
    let client: Arc<dyn ChatClient> = told;
    let sitting = sit(&run, &suite, &client, &Cancel::default(), usize::MAX);
    assert_eq!((sitting.stopped[0].why.code.as_str(), sitting.stopped[0].left), ("cost_limit", 20));
    let totals = run.totals().unwrap();
    assert_eq!((totals.cost_usd, totals.waiting()), (Some(0.5), 20));
}

#[test]
fn a_model_that_is_given_up_leaves_the_others_alone() {
    let suite = suite(10);
    let (_folder, run) = new_run();
    let mut experiment = experiment("good");
    experiment.models.push("gone".to_owned());
    run.plan(&plan(&experiment, &suite)).unwrap();
    let good: Arc<dyn ChatClient> = Arc::new(ScriptedAgent::new(&suite, Behaviour::Humble));
    let gone: Arc<dyn ChatClient> = Told::client(|_| refused());
    let mut client_of = |model: &str| {
        let client = if model == "good" { &good } else { &gone };
        Ok((Arc::clone(client), model.to_owned()))
    };
    let runner = Runner::new(&experiment, &suite, &Prompts::built_in().unwrap(), &mut client_of).unwrap();
    let sitting = block_on(runner.run(&run, Shard::WHOLE, false, &Cancel::default(), &mut |_| {})).unwrap();
    let stopped: Vec<(&str, usize)> =
        sitting.stopped.iter().map(|stopped| (stopped.model.as_str(), stopped.left)).collect();
    assert_eq!(stopped, [("gone", 20)]);
    assert_eq!((run.totals().unwrap().done, run.totals().unwrap().waiting()), (20, 20));
}
