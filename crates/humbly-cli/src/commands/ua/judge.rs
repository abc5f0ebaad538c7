//! `humbly judge` on UA-Bench: correctness of the answers that no rule decides, and nothing else.

use anyhow::{Context, bail};
use futures::StreamExt;
use futures::stream;
use humbly_llm::Outlook;
use humbly_model_judge::{Bill, CorrectnessRubric, ModelJudge, Prompts};
use humbly_score::attribution_study::Extraction;
use humbly_store::RunFile;
use humbly_types::{Judgement, Reason, Undefined, Verdict};

use super::super::judging::{Kept, put, settings};
use super::outputs;
use crate::args::{CorrectnessArgument, JudgeArguments};
use crate::clients::{Clients, wait};
use crate::exit::Status;
use crate::output::{self, Progress, Table};

pub(in super::super) fn judge(arguments: &JudgeArguments) -> anyhow::Result<Status> {
    if arguments.correctness == CorrectnessArgument::Eh {
        bail!("answers of UA-Bench are judged with their question, by `--correctness ua`");
    }
    let prompts = match &arguments.ask.prompts {
        Some(folder) => Prompts::load(folder),
        None => Prompts::built_in(),
    }
    .context("cannot use the judge's prompts")?;
    let mut clients = Clients::new(&arguments.ask.models)?;
    let mut table = Table::new(&["judge", "question", "yes", "no", "undefined", "decided by rules"]);
    let mut has_failed = false;
    for name in &arguments.judge {
        let name = name.trim();
        if name == "lexical" {
            output::note("lexical: the rules decide without being asked");
            continue;
        }
        let (client, model) =
            clients.client(name).with_context(|| format!("cannot use `{name}` as a judge"))?;
        let judge = ModelJudge::new(client, settings(model, &arguments.ask), prompts.clone())?;
        let [yes, no, undefined, by_rules] = ask(arguments, &judge, &mut has_failed)?;
        table.row([
            judge.name().to_string(),
            "correct (ua)".to_owned(),
            yes.to_string(),
            no.to_string(),
            undefined.to_string(),
            by_rules.to_string(),
        ]);
    }
    output::table(&table, arguments.output)?;
    output::note(&format!(
        "hint: see the tables with `humbly report {} --judge JUDGE`",
        arguments.run.display()
    ));
    Ok(if has_failed { Status::FailedSamples } else { Status::Done })
}

/// Asks about what is undecided and was not asked before; yes, no, undefined, and outputs that need no judge.
fn ask(arguments: &JudgeArguments, judge: &ModelJudge, has_failed: &mut bool) -> anyhow::Result<[u64; 4]> {
    let outputs = outputs::read(&arguments.run, Extraction::Strict, None)?;
    let run = RunFile::open(&arguments.run).context("cannot judge the run")?;
    let mut kept = outputs::verdicts_of(&run, judge.name())?;
    let all = outputs.samples.len() as u64;
    let undecided: Vec<_> =
        outputs.samples.iter().filter(|(_, sample)| sample.undecided().is_some()).collect();
    let by_rules = all - undecided.len() as u64;
    let waiting: Vec<_> = undecided
        .iter()
        .filter(|(key, _)| {
            // A call that failed is made again.
            kept.get(key).is_none_or(|said| matches!(said, Err(why) if why.reason == Reason::JudgeCallFailed))
        })
        .collect();
    let mut bar = Progress::new("judged", waiting.len());
    let mut bill = Bill::default();
    let asked = stream::iter(waiting)
        .map(|(key, sample)| async move {
            let answer = sample.undecided().unwrap_or_default();
            let question = sample.task.question.as_deref();
            let references = &sample.task.references;
            (key, judge.correctness(CorrectnessRubric::Ua, question, answer, references).await)
        })
        .buffer_unordered(arguments.ask.concurrency.max(1));
    let (mut done, mut outlook) = (0, Outlook::default());
    wait(async {
        let mut asked = std::pin::pin!(asked);
        while let Some((key, asked)) = asked.next().await {
            bill.add(&asked.bill());
            let said = match &asked.reading {
                Ok(verdict) => verdict.value.ok_or_else(|| {
                    verdict.undefined.clone().unwrap_or_else(|| Undefined::new(Reason::JudgeReplyUnusable))
                }),
                Err(why) => Err(why.clone()),
            };
            let verdict = asked.reading.unwrap_or_else(|why| Verdict {
                undefined: Some(why.clone()),
                ..Verdict::undefined(judge.name(), why.reason)
            });
            let failed = usize::from(matches!(&said, Err(why) if why.reason == Reason::JudgeCallFailed));
            *has_failed |= failed > 0;
            match asked.raw.iter().find_map(|reply| reply.failed.as_ref()) {
                Some(failure) if outlook.failed(&failure.code, &failure.detail) => break,
                Some(_) => {}
                None => outlook.replied(),
            }
            put(
                &run,
                key,
                &correctness_alone(judge.name(), verdict),
                Some(&Kept { failed, raw: asked.raw }),
            )?;
            kept.insert(key.clone(), said);
            done += 1;
            bar.set(done, judge.name());
        }
        Ok::<(), anyhow::Error>(())
    })??;
    bar.finish();
    if bill.asks > 0 {
        output::note(&format!("{}: {done} judged · {}", judge.name(), bill.line()));
    }
    if let Some(why) = outlook.given_up() {
        output::note(&format!(
            "  judging stopped: {why}; hint: what was judged is kept, the same command goes on"
        ));
        output::hints([why.code.as_str()]);
    }
    let mut counts = [0, 0, 0, by_rules];
    for (key, _) in undecided {
        let place = match kept.get(key) {
            Some(Ok(true)) => 0,
            Some(Ok(false)) => 1,
            _ => 2,
        };
        counts[place] += 1;
    }
    Ok(counts)
}

/// The judgement of a judge who was asked for correctness alone.
fn correctness_alone(judge: &std::sync::Arc<str>, correct: Verdict) -> Judgement {
    let undefined = || Verdict::undefined(judge, Reason::NotApplicable);
    Judgement {
        judge: std::sync::Arc::clone(judge),
        turns: Vec::new(),
        escalate: undefined(),
        refusal: undefined(),
        final_reasoning: undefined(),
        self_inconsistent: undefined(),
        answer_source: Err(Undefined::new(Reason::NotApplicable)),
        correct: Some(correct),
    }
}
