//! `humbly judge`: a run judged again, with the verdicts beside those that are there.

use anyhow::{Context, bail};
use humbly_pipeline::{Request, StoredJudgements, is_run_file, tasks_of_runs, visit_logs};
use humbly_store::RunFile;
use serde_json::json;

use super::judging::{Judging, Seat, Tally, all_succeeded, connect, panel, report_seats, tally};
use crate::args::{JudgeArguments, OutputFormat};
use crate::exit::Status;
use crate::output::{self, Table};

pub(crate) fn run(arguments: &JudgeArguments) -> anyhow::Result<Status> {
    let path = &arguments.run;
    if path.exists() && !is_run_file(path) {
        bail!(
            "`{}` is no run file; hint: logs are judged by `humbly score LOGS --judge MODEL --out RUN.sqlite`",
            path.display()
        );
    }
    if super::ua::is_of_ua(path) {
        return super::ua::judge(arguments);
    }
    let file = RunFile::open(path).context("cannot judge the run")?;
    let names: Vec<&str> = arguments.judge.iter().map(|name| name.trim()).collect();
    let judges = connect(&names, &arguments.ask, arguments.correctness)?;
    let tasks = tasks_of_runs(std::slice::from_ref(path)).map_err(output::problem_error)?;
    let request = Request { paths: vec![path.clone()], ..Request::default() };
    let mut judging = Judging::new(&file, &judges, tasks.as_ref(), arguments.ask.concurrency)?;
    // Rows are wanted for their ids and tasks alone.
    let settings = super::sheet::settings_of("none", String::new(), 0, tasks.as_ref());
    visit_logs(&request, tasks.as_ref(), &StoredJudgements::new("none"), &settings, &mut judging);
    let seats = judging.finish()?.seats;
    report_seats(&seats);
    let mut shown: Vec<(String, Vec<(&str, Tally)>)> = Vec::new();
    for judge in &judges {
        shown.push((judge.name().to_owned(), tally(&file, judge.name())?));
    }
    if judges.len() > 1 {
        let name = panel(&file, &judges)?;
        let tallies = tally(&file, &name)?;
        shown.push((name, tallies));
    }
    print(arguments, &seats, &shown)?;
    output::note(&format!(
        "hint: see the tables with `humbly score {} --judge {}`",
        path.display(),
        if judges.len() > 1 { "panel" } else { shown.first().map_or("lexical", |(name, _)| name.as_str()) }
    ));
    Ok(if all_succeeded(&seats) { Status::Done } else { Status::FailedSamples })
}

fn print(
    arguments: &JudgeArguments,
    seats: &[Seat],
    shown: &[(String, Vec<(&str, Tally)>)],
) -> anyhow::Result<()> {
    if arguments.output == OutputFormat::Json {
        let judges: Vec<_> = shown
            .iter()
            .map(|(name, tallies)| {
                let seat = seats.iter().find(|seat| seat.judge == *name);
                let verdicts: serde_json::Map<String, serde_json::Value> =
                    tallies.iter().map(|(question, tally)| ((*question).to_owned(), json!(tally))).collect();
                json!({
                    "judge": name,
                    "judged": seat.map(|seat| seat.judged), "kept": seat.map(|seat| seat.kept),
                    "with_failed_calls": seat.map(|seat| seat.incomplete),
                    "stopped": seat.and_then(|seat| seat.stopped.clone()),
                    "bill": seat.map(|seat| &seat.bill), "verdicts": verdicts,
                })
            })
            .collect();
        return output::json(&json!({"schema": "humbly.judge/1", "run": arguments.run, "judges": judges}));
    }
    let mut table = Table::new(&["judge", "question", "yes", "no", "undefined", "why"]);
    for (name, tallies) in shown {
        for (question, tally) in tallies {
            let why: Vec<String> =
                tally.undefined.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            // An answer's source is a word, not a yes or no.
            let no = if *question == "answer_source" { "-".to_owned() } else { tally.no.to_string() };
            table.row([
                name.clone(),
                (*question).to_owned(),
                tally.yes.to_string(),
                no,
                tally.undefined.values().sum::<u64>().to_string(),
                why.join(", "),
            ]);
        }
    }
    output::table(&table, arguments.output)
}
