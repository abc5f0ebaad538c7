//! Reader of ATIF documents.

use std::path::Path;

use humbly_types::{Problem, StopKind, Trajectory, Usage};
use serde_json::Value;

use super::files::continuation;
use super::steps::Steps;
use crate::builder::Builder;
use crate::content::str_field;
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, text_under, trajectory_id};
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "harbor-atif";
/// Sub-agents of sub-agents deeper than this are not followed.
const DEEPEST: usize = 8;

/// Reader of Harbor ATIF.
pub(crate) struct HarborAtif;

impl Reader for HarborAtif {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Harbor ATIF",
            recognised_by: "`schema_version` that starts with `ATIF-`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines) && head.record().is_some_and(is_atif)
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let (mut continuations, mut children) = (Vec::new(), Vec::new());
        for path in &input.companions {
            let file = Input::file(path, Vec::new());
            match file.document(sink) {
                Ok(document) if is_atif(&document) => {
                    let is_continuation = continuation(Path::new(&*file.path)).is_some();
                    if is_continuation { &mut continuations } else { &mut children }.push((file, document));
                }
                Ok(_) => sink.problem(Problem::new(&*file.path, "beside a trajectory, but no ATIF document")),
                Err(problem) => sink.problem(problem),
            }
        }
        for_each_value(input, sink, |line, document, sink| {
            if !is_atif(&document) {
                let problem = Problem::new(&*input.path, "a record that is no ATIF document");
                sink.problem(line.into_iter().fold(problem, Problem::line));
                return;
            }
            let mut builder = start(input, trajectory_id(input, line), &document);
            let mut steps = Steps::default();
            steps.add_all(&mut builder, &document);
            let mut last = &document;
            for (file, document) in &continuations {
                builder.set_file(&file.path);
                steps.add_all(&mut builder, document);
                set_totals(&mut builder, document);
                last = document;
            }
            let inner = std::iter::once(&document).chain(continuations.iter().map(|(_, document)| document));
            let mut sub_agents: Vec<Trajectory> =
                inner.flat_map(|document| sub_agents(input, document, DEEPEST)).collect();
            sub_agents.extend(
                children
                    .iter()
                    .map(|(file, document)| child(file, file.stem().to_owned(), document, DEEPEST)),
            );
            builder.meta().children = sub_agents;
            if let Some(next) = str_field(last, "continued_trajectory_ref") {
                // Its answer stands in a file that is not here.
                steps.leave_open(&mut builder);
                builder.stop(StopKind::Interrupted, Some(&format!("continued in {next}")));
            }
            sink.trajectory(builder.finish());
        })
    }
}

fn is_atif(document: &Value) -> bool {
    str_field(document, "schema_version").is_some_and(|version| version.starts_with("ATIF-"))
}

fn start(input: &Input, id: String, document: &Value) -> Builder {
    let mut builder = Builder::new(NAME, &input.path, id);
    let meta = builder.meta();
    meta.format_version = text_under(document, &["schema_version"]);
    meta.run_id = text_under(document, &["session_id", "trajectory_id"]);
    if let Some(agent) = document.get("agent") {
        meta.agent = text_under(agent, &["name"]);
        meta.agent_version = text_under(agent, &["version"]);
        meta.model = text_under(agent, &["model_name"]);
    }
    set_totals(&mut builder, document);
    builder
}

fn set_totals(builder: &mut Builder, document: &Value) {
    let Some(totals) = document.get("final_metrics").filter(|totals| totals.is_object()) else { return };
    let count = |key: &str| totals.get(key).and_then(Value::as_u64);
    builder.meta().usage = Usage {
        input: count("total_prompt_tokens"),
        cached: count("total_cached_tokens"),
        output: count("total_completion_tokens"),
        reasoning: None,
    };
    builder.meta().cost_usd = totals.get("total_cost_usd").and_then(Value::as_f64);
}

fn child(input: &Input, id: String, document: &Value, depth: usize) -> Trajectory {
    let mut builder = start(input, id, document);
    Steps::default().add_all(&mut builder, document);
    builder.meta().children = sub_agents(input, document, depth.saturating_sub(1));
    builder.finish()
}

fn sub_agents(input: &Input, document: &Value, depth: usize) -> Vec<Trajectory> {
    if depth == 0 {
        return Vec::new();
    }
    let documents = document.get("subagent_trajectories").and_then(Value::as_array);
    (1..)
        .zip(documents.into_iter().flatten())
        .map(|(number, document)| {
            let name = text_under(document, &["trajectory_id", "session_id"]);
            let id = format!("{}/{}", input.stem(), name.unwrap_or_else(|| number.to_string()));
            child(input, id, document, depth)
        })
        .collect()
}
