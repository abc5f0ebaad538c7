//! Reader of `.json` logs.

use std::sync::Arc;

use humbly_types::Problem;
use serde_json::Value;

use super::eval::whole;
use super::log::{Document, Header};
use super::sample::Surroundings;
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::lenient::repair;
use crate::registry::{FormatInfo, Reader, Sink};

const NAME: &str = "inspect-json";

/// Reader of Inspect `.json` logs.
pub(crate) struct InspectJson;

impl Reader for InspectJson {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Inspect AI .json",
            recognised_by: "a JSON object with `version`, `eval` and `plan` or `status`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        if head.shape == Shape::Zip || head.shape == Shape::Text {
            return false;
        }
        head.record().is_some_and(|record| is_log(record) || is_manifest(record))
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let bytes = input.all_bytes()?;
        let mut mended = Vec::new();
        let parsed = serde_json::from_slice::<Document<'_>>(&bytes);
        let document = match parsed {
            Ok(document) => document,
            Err(error) => {
                let problem = Problem::new(&*input.path, format!("not a complete Inspect log: {error}"))
                    .line(error.line() as u64)
                    .hint("a cut file cannot be read as a whole; convert the log with `inspect log convert`");
                let Some((repaired, repairs)) = repair(&bytes) else { return Err(problem) };
                mended = repaired;
                let Ok(document) = serde_json::from_slice::<Document<'_>>(&mended) else {
                    return Err(problem);
                };
                for repair in repairs {
                    sink.problem(Problem::new(&*input.path, repair.message()));
                }
                document
            }
        };
        let Some(samples) = document.samples else {
            let is_manifest =
                serde_json::from_slice::<Value>(if mended.is_empty() { &bytes } else { &mended })
                    .is_ok_and(|value| is_manifest(&value));
            let problem = if is_manifest {
                Problem::new(&*input.path, "a manifest of Inspect logs, expected a log")
                    .hint("nothing is lost: the logs that it lists are read where they are")
            } else {
                Problem::new(&*input.path, "an Inspect log without samples")
                    .hint("it holds the header only; log with samples")
            };
            return Err(problem);
        };
        let header = Header::new(document.eval, document.plan);
        for (index, raw) in samples.iter().enumerate() {
            let around = Surroundings {
                format: NAME,
                header: &header,
                path: &input.path,
                place: Arc::clone(&input.path),
                stem: input.stem(),
            };
            if let Err(fault) = whole(raw.get().as_bytes(), &around, sink) {
                sink.problem(
                    Problem::new(&*input.path, fault)
                        .record(format!("samples[{index}]"))
                        .hint("the other samples of this log are used"),
                );
            }
        }
        Ok(())
    }
}

fn is_log(record: &Value) -> bool {
    let has = |key: &str| record.get(key).is_some();
    has("version") && record.get("eval").is_some_and(Value::is_object) && (has("plan") || has("status"))
}

/// `logs.json`: log headers by file name.
fn is_manifest(record: &Value) -> bool {
    record.as_object().is_some_and(|entries| {
        !entries.is_empty()
            && entries.iter().all(|(name, header)| {
                matches!(name.rsplit_once('.'), Some((_, "eval" | "json"))) && is_log(header)
            })
    })
}
