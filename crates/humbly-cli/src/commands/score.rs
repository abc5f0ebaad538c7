//! `humbly score`: logs in, Identify, Solve, Escalate out.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail};
use humbly_pipeline::{
    Observer, Request, Scored, Tasks, confidence_scale_of_runs, failed_samples, score_logs, tasks_of_runs,
};
use humbly_readers::Episodes;
use humbly_score::{
    Digests, Gate, GateOutcome, Matching, SCHEMA, ScoreReport, Settings, SolveOver, SummaryRow, TrajectoryRow,
};
use humbly_stats::intervals::BootstrapParams;
use humbly_store::RunFile;
use humbly_types::{Judgement, Problem, Trajectory};

use super::judging;
use super::verdict_source::VerdictSource;
use crate::args::{
    EpisodesArgument, F1Argument, MatchingArgument, OutputFormat, ScaleArgument, ScoreArguments,
    SolveOverArgument,
};
use crate::exit::Status;
use crate::output::{self, Moments};
use crate::verdicts;

pub(crate) fn run(arguments: &ScoreArguments) -> anyhow::Result<Status> {
    score(arguments).map(|(status, _)| status)
}

/// Scores and prints; the summary comes back for commands that look at it.
pub(super) fn score(arguments: &ScoreArguments) -> anyhow::Result<(Status, Vec<SummaryRow>)> {
    let gates = parse_gates(arguments)?;
    let tasks = match &arguments.tasks {
        Some(path) => Some(Tasks::read(path).map_err(output::problem_error)?),
        None => tasks_of_runs(&arguments.paths).map_err(output::problem_error)?,
    };
    let baseline = arguments.baseline.as_deref().map(read_baseline).transpose()?;
    let spooled = spool_stdin(arguments)?;
    let request = request(arguments, spooled.as_ref().map(tempfile::NamedTempFile::path))?;
    let mut source = VerdictSource::of(arguments, &request, tasks.as_ref())?;
    let settings = settings(arguments, &source, tasks.as_ref(), scale(arguments)?);
    let mut printer = Printer::new(arguments, source.recorder.take())?;
    let scored = score_logs(&request, tasks.as_ref(), source.judge(), &settings, &mut printer);
    let problems = printer.finish()?;
    source.report_missing();
    report_failed_samples(&request, &scored)?;
    print(arguments, &settings, &scored, &problems, &mut printer)?;
    if arguments.report.is_some() {
        let report = ScoreReport {
            schema: SCHEMA.to_owned(),
            settings: settings.clone(),
            summary: scored.summary.clone(),
            trajectories: std::mem::take(&mut printer.rows),
            problems: problems.clone(),
        };
        super::report::write(arguments, &report, &request, tasks.as_ref(), source.judge())?;
    }
    output::problems(&problems);
    if scored.counts.recognised == 0 {
        bail!(
            "nothing readable among {} files; hint: list the formats with `humbly formats`",
            scored.counts.files
        );
    }
    let outcomes = check_gates(&gates, &scored, baseline.as_ref(), arguments, &settings)?;
    write_ci_files(arguments, &scored, &outcomes)?;
    let is_missed = outcomes.iter().any(|outcome| !outcome.is_met);
    let is_strict_missed = arguments.strict && !problems.is_empty();
    let status = if is_missed || is_strict_missed {
        Status::Missed
    } else if source.has_failed_calls {
        Status::FailedSamples
    } else {
        Status::Done
    };
    Ok((status, scored.summary))
}

fn parse_gates(arguments: &ScoreArguments) -> anyhow::Result<Vec<Gate>> {
    let gates = arguments.gate.iter().map(|text| Gate::parse(text)).collect::<Result<Vec<_>, _>>()?;
    if arguments.baseline.is_none()
        && let Some(gate) = gates.iter().find(|gate| gate.needs_baseline())
    {
        bail!(
            "gate `{}` compares with a baseline; hint: give an earlier `--output json` by --baseline",
            gate.text
        );
    }
    Ok(gates)
}

/// Failed samples of a run are in no rate; both readings of the accuracy are told.
fn report_failed_samples(request: &Request, scored: &Scored) -> anyhow::Result<()> {
    let failed = failed_samples(&request.paths).map_err(output::problem_error)?;
    let count: u64 = failed.values().sum();
    if count == 0 {
        return Ok(());
    }
    let by_code: Vec<String> = failed.iter().map(|(code, count)| format!("{count} {code}")).collect();
    let accuracies = scored.summary.iter().flat_map(|row| [&row.accuracy.conflict, &row.accuracy.control]);
    let (right, answered) = accuracies.fold((0, 0), |(right, answered), accuracy| {
        (right + accuracy.numerator.unwrap_or_default(), answered + accuracy.n)
    });
    output::note(&format!(
        "{count} samples failed ({}) and are in no rate; right: {right} of {answered} that ran, {right} of {} with \
         the failed ones",
        by_code.join(", "),
        answered + count
    ));
    Ok(())
}

/// Standard input as a file: it may be larger than the memory, and the report reads it twice.
fn spool_stdin(arguments: &ScoreArguments) -> anyhow::Result<Option<tempfile::NamedTempFile>> {
    if !arguments.paths.iter().any(|path| path.as_os_str() == "-") {
        return Ok(None);
    }
    let mut file = tempfile::NamedTempFile::new().context("cannot create a temporary file")?;
    std::io::copy(&mut std::io::stdin().lock(), &mut file).context("cannot read standard input")?;
    file.flush()?;
    Ok(Some(file))
}

fn request(arguments: &ScoreArguments, stdin: Option<&Path>) -> anyhow::Result<Request> {
    let format = match arguments.format.as_str() {
        "auto" => None,
        name if humbly_readers::formats().iter().any(|reader| reader.info().name == name) => {
            Some(name.to_owned())
        }
        other => bail!("format `{other}` is unknown; hint: list the formats with `humbly formats`"),
    };
    let task_pattern = arguments
        .task_id
        .as_deref()
        .map(|pattern| regex::Regex::new(pattern).with_context(|| format!("--task-id `{pattern}`")))
        .transpose()?;
    Ok(Request {
        paths: arguments
            .paths
            .iter()
            .map(|path| match stdin {
                Some(spooled) if path.as_os_str() == "-" => spooled.to_owned(),
                _ => path.clone(),
            })
            .collect(),
        shown_as: stdin.map(|spooled| (spooled.to_owned(), "standard input".to_owned())),
        include: arguments.include.clone(),
        format,
        episodes: match arguments.episodes {
            EpisodesArgument::Each => Episodes::Each,
            EpisodesArgument::Whole => Episodes::Whole,
        },
        task_pattern,
        since: arguments.since.clone(),
    })
}

/// The scale on which the runs asked for confidences, else the one that was given.
fn scale(arguments: &ScoreArguments) -> anyhow::Result<String> {
    let of_runs = confidence_scale_of_runs(&arguments.paths).map_err(output::problem_error)?;
    let given = arguments.scale.map(|scale| match scale {
        ScaleArgument::Unit => "unit",
        ScaleArgument::Percent => "percent",
    });
    match (of_runs, given) {
        (Some(run), Some(given)) if run != given => bail!(
            "--scale is {given}, but the run asked for confidences on the {run} scale; hint: leave --scale away"
        ),
        (Some(scale), _) => Ok(scale),
        (None, given) => Ok(given.unwrap_or("unit").to_owned()),
    }
}

fn settings(
    arguments: &ScoreArguments,
    source: &VerdictSource,
    tasks: Option<&Tasks>,
    confidence_scale: String,
) -> Settings {
    Settings {
        humbly: env!("CARGO_PKG_VERSION").to_owned(),
        judge: source.name.clone(),
        judge_hash: source.hash.clone(),
        matching: match arguments.matching {
            MatchingArgument::Auto => Matching::Auto,
            MatchingArgument::Exact => Matching::Exact,
            MatchingArgument::Contains => Matching::Contains,
            MatchingArgument::Gaia => Matching::Gaia,
            MatchingArgument::Monaco => Matching::Monaco,
            MatchingArgument::Latex => Matching::Latex,
        },
        seed: arguments.seed,
        resamples: arguments.resamples,
        level: 0.95,
        episodes: match arguments.episodes {
            EpisodesArgument::Each => "each".to_owned(),
            EpisodesArgument::Whole => "whole".to_owned(),
        },
        solve_over: match arguments.solve_over {
            SolveOverArgument::Conflict => SolveOver::Conflict,
            SolveOverArgument::All => SolveOver::All,
        },
        solve_same_turn: arguments.solve_same_turn,
        paper: arguments.paper,
        bins: 10,
        confidence_scale,
        correctness: arguments.correctness.by(),
        attribution_f1: match arguments.f1 {
            F1Argument::Released => "released".to_owned(),
            F1Argument::Balanced => "balanced".to_owned(),
        },
        tasks_hash: tasks.and_then(|tasks| tasks.hash.clone()),
    }
}

/// Takes what is scored as it comes: rows go to a spool on disk, so that memory stays flat.
struct Printer {
    spool: Option<BufWriter<File>>,
    spooled: usize,
    verdicts: Option<BufWriter<File>>,
    moments: Moments,
    /// Rows for the report; empty where none is asked for.
    rows: Vec<TrajectoryRow>,
    keeps_rows: bool,
    problems: Vec<Problem>,
    /// Run file that trajectories and verdicts go into.
    recorder: Option<RunFile>,
    fault: Option<anyhow::Error>,
}

impl Printer {
    fn new(arguments: &ScoreArguments, recorder: Option<RunFile>) -> anyhow::Result<Self> {
        let spool = match arguments.output {
            OutputFormat::Json => {
                Some(BufWriter::new(tempfile::tempfile().context("cannot create a temporary file")?))
            }
            OutputFormat::Table | OutputFormat::Csv => None,
        };
        let verdicts = arguments.verdicts.as_deref().map(create).transpose()?.map(BufWriter::new);
        Ok(Self {
            spool,
            spooled: 0,
            verdicts,
            moments: Moments::new(arguments.show),
            rows: Vec::new(),
            keeps_rows: arguments.report.is_some(),
            problems: Vec::new(),
            recorder,
            fault: None,
        })
    }

    fn write(
        &mut self,
        trajectory: Option<&Trajectory>,
        row: &TrajectoryRow,
        judgement: &Judgement,
    ) -> anyhow::Result<()> {
        if let Some(spool) = &mut self.spool {
            if self.spooled > 0 {
                spool.write_all(b",\n")?;
            }
            serde_json::to_writer(&mut *spool, row)?;
            self.spooled += 1;
        }
        if let Some(out) = &mut self.verdicts {
            verdicts::write(out, &row.id, trajectory, judgement)?;
        }
        if let (Some(run), Some(trajectory)) = (&self.recorder, trajectory) {
            judging::keep_sample(run, trajectory, row)?;
            judging::put(run, &row.id, judgement, None)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> anyhow::Result<Vec<Problem>> {
        if let Some(fault) = self.fault.take() {
            return Err(fault.context("cannot write results"));
        }
        if let Some(out) = &mut self.verdicts {
            out.flush().context("cannot write verdicts")?;
        }
        Ok(std::mem::take(&mut self.problems))
    }
}

impl Observer for Printer {
    fn wants_steps(&self) -> bool {
        self.recorder.is_some() || self.verdicts.is_some()
    }

    fn scored(&mut self, trajectory: Option<&Trajectory>, row: &TrajectoryRow, judgement: &Judgement) {
        self.moments.add(row);
        if self.keeps_rows {
            self.rows.push(row.clone());
        }
        if self.fault.is_none()
            && let Err(error) = self.write(trajectory, row, judgement)
        {
            self.fault = Some(error);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.problems.push(problem.clone());
    }
}

fn print(
    arguments: &ScoreArguments,
    settings: &Settings,
    scored: &Scored,
    problems: &[Problem],
    printer: &mut Printer,
) -> anyhow::Result<()> {
    match arguments.output {
        OutputFormat::Table => {
            if scored.counts.trajectories > 0 {
                output::print_summary(&scored.summary, settings, scored.counts)?;
            }
            output::stdout(printer.moments.text().as_bytes())
        }
        OutputFormat::Csv => output::table(&output::long_rows(&scored.summary), OutputFormat::Csv),
        OutputFormat::Json => print_json(settings, scored, problems, printer),
    }
}

/// The contract's document, with the rows copied from the spool.
fn print_json(
    settings: &Settings,
    scored: &Scored,
    problems: &[Problem],
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    write!(out, "{{\"schema\":\"{SCHEMA}\",\n\"settings\":")?;
    serde_json::to_writer(&mut out, settings)?;
    out.write_all(b",\n\"summary\":")?;
    serde_json::to_writer(&mut out, &scored.summary)?;
    out.write_all(b",\n\"trajectories\":[\n")?;
    if let Some(spool) = printer.spool.take() {
        let mut file = spool.into_inner().context("cannot write the temporary file")?;
        file.seek(SeekFrom::Start(0))?;
        std::io::copy(&mut file, &mut out)?;
    }
    out.write_all(b"],\n\"problems\":")?;
    serde_json::to_writer(&mut out, problems)?;
    out.write_all(b"}\n")?;
    out.flush()?;
    Ok(())
}

fn check_gates(
    gates: &[Gate],
    scored: &Scored,
    baseline: Option<&Digests>,
    arguments: &ScoreArguments,
    settings: &Settings,
) -> anyhow::Result<Vec<GateOutcome>> {
    let bootstrap = BootstrapParams::new(settings.resamples, settings.level, settings.seed)?;
    let mut outcomes = Vec::new();
    for gate in gates {
        match baseline {
            Some(baseline) if gate.needs_baseline() => {
                outcomes.push(gate.check_delta(&scored.digests, baseline, arguments.min_n, &bootstrap));
            }
            _ => outcomes.extend(gate.check(&scored.summary, arguments.min_n)),
        }
    }
    for outcome in &outcomes {
        let result = if outcome.is_met { "met" } else { "missed" };
        output::note(&format!("gate {result}: {} ({}): {}", outcome.gate, outcome.row, outcome.message));
    }
    Ok(outcomes)
}

fn read_baseline(path: &Path) -> anyhow::Result<Digests> {
    let file = File::open(path).with_context(|| format!("cannot read the baseline `{}`", path.display()))?;
    let mut text = String::new();
    BufReader::new(file).read_to_string(&mut text)?;
    let report: ScoreReport = serde_json::from_str(&text).with_context(|| {
        format!("`{}` is not the output of `humbly score --output json` ({SCHEMA})", path.display())
    })?;
    let mut digests = Digests::default();
    for row in &report.trajectories {
        digests.add(row, None);
    }
    Ok(digests)
}

fn write_ci_files(
    arguments: &ScoreArguments,
    scored: &Scored,
    outcomes: &[GateOutcome],
) -> anyhow::Result<()> {
    if let Some(path) = &arguments.junit {
        create(path)?.write_all(output::junit(outcomes)?.as_bytes())?;
    }
    if let Some(path) = &arguments.markdown {
        let text =
            format!("{}{}", output::summary_markdown(&scored.summary), output::gates_markdown(outcomes));
        create(path)?.write_all(text.as_bytes())?;
    }
    Ok(())
}

pub(crate) fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("cannot write `{}`", path.display()))
}
