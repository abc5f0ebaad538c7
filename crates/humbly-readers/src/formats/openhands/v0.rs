//! V0: records of `output.jsonl`, and an event list saved as one document.

use humbly_types::{Problem, References, StopKind, Usage};
use serde_json::Value;

use super::error_kind;
use super::v0_events::{Ending, add_events};
use crate::builder::Builder;
use crate::content::str_field;
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::records::{for_each_value, references_under, text_under, trajectory_id};
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "openhands-v0";

/// Reader of the V0 event stream.
pub(crate) struct OpenHandsV0;

impl Reader for OpenHandsV0 {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "OpenHands V0 (output.jsonl, trajectory)",
            recognised_by: "records with `instance_id` and `history`, or a list of events with `source` and `action` \
                            or `observation`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        matches!(head.shape, Shape::Document | Shape::Lines)
            && head.record().is_some_and(|record| is_record(record) || is_event_list(record))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut foreign = None;
        for_each_value(input, sink, |line, value, sink| {
            if is_record(&value) {
                let mut builder = Builder::new(NAME, &input.path, trajectory_id(input, line));
                describe(&mut builder, &value);
                let ending = add_events(&mut builder, value.get("history").unwrap_or(&Value::Null), line);
                end(&mut builder, &ending, str_field(&value, "error"));
                sink.trajectory(builder.finish());
            } else if is_event_list(&value) {
                let mut builder = Builder::new(NAME, &input.path, trajectory_id(input, None));
                let ending = add_events(&mut builder, &value, None);
                end(&mut builder, &ending, None);
                sink.trajectory(builder.finish());
            } else {
                foreign = foreign.or(line);
            }
        })?;
        if let Some(line) = foreign {
            sink.problem(
                Problem::new(&*input.path, "a record without `instance_id` and `history`")
                    .line(line)
                    .hint("the other records are used"),
            );
        }
        Ok(())
    }
}

fn is_record(value: &Value) -> bool {
    value.get("instance_id").is_some() && value.get("history").is_some_and(Value::is_array)
}

fn is_event_list(value: &Value) -> bool {
    let is_event = |event: &Value| {
        str_field(event, "source").is_some()
            && (str_field(event, "action").is_some() || str_field(event, "observation").is_some())
    };
    value.as_array().is_some_and(|events| !events.is_empty() && events.iter().take(5).all(is_event))
}

fn describe(builder: &mut Builder, record: &Value) {
    let meta = builder.meta();
    meta.sample_id = text_under(record, &["instance_id"]);
    if let Some(metadata) = record.get("metadata") {
        meta.agent = text_under(metadata, &["agent_class"]);
        meta.dataset = text_under(metadata, &["dataset"]);
        meta.model = metadata.get("llm_config").and_then(|config| text_under(config, &["model"]));
    }
    if let Some(instance) = record.get("instance") {
        meta.references = References::new(references_under(
            instance,
            &["Final answer", "answer", "ground_truth", "target"],
        ));
    }
    if let Some(metrics) = record.get("metrics") {
        meta.cost_usd = metrics.get("accumulated_cost").and_then(Value::as_f64);
        if let Some(usage) = metrics.get("accumulated_token_usage") {
            let count = |key: &str| usage.get(key).and_then(Value::as_u64);
            meta.usage = Usage {
                input: count("prompt_tokens"),
                cached: count("cache_read_tokens"),
                output: count("completion_tokens"),
                reasoning: None,
            };
        }
    }
}

fn end(builder: &mut Builder, ending: &Ending, error: Option<&str>) {
    if let Some(error) = error.filter(|error| !error.is_empty()).or(ending.error.as_deref()) {
        builder.stop(error_kind(error), Some(error));
    } else if ending.is_finished {
        builder.stop(StopKind::Completed, Some("finish"));
    }
    if !ending.is_finished
        && let Some(step) = ending.last_action.and_then(|index| builder.step(index))
    {
        // The agent was to go on: what it said beside the action is no answer.
        step.flags.aborted = true;
    }
}
