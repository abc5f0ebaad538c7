//! Reader of `.eval` archives.

use std::sync::Arc;

use humbly_types::Problem;
use serde_json::value::RawValue;

use super::archive::{Archive, Kind};
use super::attachments::Attachments;
use super::chunked;
use super::events::{Events, Hints};
use super::log::Header;
use super::sample::{Sample, Surroundings, trajectory};
use crate::detect::{Head, Shape};
use crate::input::Input;
use crate::lenient::repair;
use crate::registry::{FormatInfo, Reader, Sink};

pub(super) const NAME: &str = "inspect";

/// Reader of Inspect `.eval` archives.
pub(crate) struct InspectEval;

impl Reader for InspectEval {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: NAME,
            title: "Inspect AI .eval",
            recognised_by: "a zip archive with `header.json` or `_journal/start.json`",
        }
    }

    fn sniff(&self, head: &Head<'_>) -> bool {
        if head.shape != Shape::Zip {
            return false;
        }
        let marks: [&[u8]; 2] = [b"_journal/start.json", b"samples/"];
        marks.iter().any(|mark| memchr::memmem::find(head.start, mark).is_some())
            || Archive::open(head.input).is_ok_and(|archive| {
                ["header.json", "_journal/start.json"].iter().any(|name| archive.find(name).is_some())
            })
    }

    fn read(&self, input: &Input, sink: &mut dyn Sink) -> Result<(), Problem> {
        let mut archive = Archive::open(input)?;
        if archive.is_cut {
            sink.problem(
                Problem::new(&*input.path, "the archive is cut off: its directory is missing").hint(
                    "the samples that are whole are used; copy the log again, or recover it with `inspect log recover`",
                ),
            );
        }
        let mut buffer = Vec::new();
        let header = header(input, &mut archive, &mut buffer, sink);
        let mut samples = Vec::new();
        for (index, name) in archive.names() {
            match Kind::of(name) {
                Kind::Outside => sink.problem(
                    Problem::new(
                        &*input.path,
                        "an entry whose name leaves the archive, expected a plain name",
                    )
                    .record(name)
                    .hint("it was not read; Inspect writes no such entry, so do not unpack this file"),
                ),
                Kind::Sample => samples.push((index, None, name.to_owned())),
                Kind::Shell(prefix) => samples.push((index, Some(prefix.to_owned()), name.to_owned())),
                Kind::Other => {}
            }
        }
        if samples.is_empty() {
            sink.problem(
                Problem::new(&*input.path, "an Inspect log without samples")
                    .hint("the run died before its first sample, or was logged with --no-log-samples"),
            );
        }
        for (index, prefix, name) in samples {
            let around = Surroundings {
                format: NAME,
                header: &header,
                path: &input.path,
                place: Arc::from(format!("{}!{name}", input.path)),
                stem: input.stem(),
            };
            let read = archive.read(index, &mut buffer);
            let outcome = read.and_then(|()| match prefix {
                None => whole(&buffer, &around, sink),
                Some(prefix) => parts(&buffer, &prefix, &mut archive, &around, sink),
            });
            if let Err(fault) = outcome {
                sink.problem(
                    Problem::new(&*input.path, fault)
                        .record(name)
                        .hint("the other samples of this log are used"),
                );
            }
        }
        Ok(())
    }
}

/// `header.json`, else the journal's start record, else nothing known.
fn header(input: &Input, archive: &mut Archive, buffer: &mut Vec<u8>, sink: &mut dyn Sink) -> Header {
    for name in ["header.json", "_journal/start.json"] {
        let Some(index) = archive.find(name) else { continue };
        let parsed = archive.read(index, buffer).and_then(|()| {
            crate::lenient::parse_record::<Header>(buffer).map_err(|error| format!("is no JSON: {error}"))
        });
        match parsed {
            Ok((header, _)) => return header,
            Err(fault) => sink.problem(Problem::new(&*input.path, fault).record(name)),
        }
    }
    Header::default()
}

/// Parses a sample, repairing its JSON where that helps, and hands it on.
pub(super) fn with_sample<'s, T>(
    bytes: &'s [u8],
    repaired: &'s mut Vec<u8>,
    around: &Surroundings<'_>,
    sink: &mut dyn Sink,
    then: impl FnOnce(Sample<'s>, &mut dyn Sink) -> T,
) -> Result<T, String> {
    let error = match serde_json::from_slice::<Sample<'s>>(bytes) {
        Ok(sample) => return Ok(then(sample, sink)),
        Err(error) => error,
    };
    let fault = |error: serde_json::Error| format!("expected a sample: {error}");
    let Some((mended, repairs)) = repair(bytes) else { return Err(fault(error)) };
    *repaired = mended;
    let sample = serde_json::from_slice::<Sample<'s>>(repaired).map_err(|_| fault(error))?;
    for repair in repairs {
        sink.problem(
            Problem::new(&**around.path, repair.message()).record(&*around.place).hint(repair.hint()),
        );
    }
    Ok(then(sample, sink))
}

/// A sample in one entry (or in a `.json` log).
pub(super) fn whole(bytes: &[u8], around: &Surroundings<'_>, sink: &mut dyn Sink) -> Result<(), String> {
    with_sample(bytes, &mut Vec::new(), around, sink, |sample, sink| {
        let attachments = Attachments::by_hash(sample.attachments);
        let messages = sample.messages.clone().unwrap_or_default();
        let hints = Hints::of(sample.events.map(RawValue::get).unwrap_or_default());
        let events =
            (hints.is_compacted || hints.has_sub_agents || sample.may_have_late_results()).then(|| {
                let pools: Option<Pools<'_>> =
                    sample.events_data.and_then(|raw| serde_json::from_str(raw.get()).ok());
                let messages = pools.map_or_else(|| list(sample.message_pool), |pools| pools.messages);
                Events::new(&list(sample.events), messages)
            });
        sink.trajectory(assemble(&sample, messages, events.as_ref(), &hints, &attachments, around));
    })
}

/// A sample whose sequences stand in entries of their own.
fn parts(
    shell: &[u8],
    prefix: &str,
    archive: &mut Archive,
    around: &Surroundings<'_>,
    sink: &mut dyn Sink,
) -> Result<(), String> {
    let mut sequences: [Vec<Vec<u8>>; 3] = Default::default();
    for (chunks, name) in sequences.iter_mut().zip(["messages", "events", "attachments"]) {
        for index in chunked::sequence(archive.names(), prefix, name) {
            let mut chunk = Vec::new();
            archive.read(index, &mut chunk)?;
            if let Some((mended, _)) =
                serde_json::from_slice::<&RawValue>(&chunk).err().and_then(|_| repair(&chunk))
            {
                chunk = mended;
            }
            chunks.push(chunk);
        }
    }
    let [messages, events, attachments] = &sequences;
    let (pool, lost_messages) = chunked::items(messages);
    let (events, lost_events) = chunked::items(events);
    let (attachments, lost_attachments) = chunked::items(attachments);
    if lost_messages + lost_events + lost_attachments > 0 {
        return Err("a part of a chunked sample is no JSON list".into());
    }
    let texts = attachments.iter().map(|raw| serde_json::from_str(raw.get()).unwrap_or_default()).collect();
    with_sample(shell, &mut Vec::new(), around, sink, |sample, sink| {
        let attachments = Attachments::by_index(texts);
        let messages = match (&sample.message_refs, &sample.messages) {
            (Some(refs), _) => chunked::expand(refs, &pool),
            (None, Some(messages)) => messages.clone(),
            (None, None) => pool.clone(),
        };
        let mut hints = Hints { is_compacted: false, has_sub_agents: false };
        for chunk in &sequences[1] {
            let part = Hints::of(&String::from_utf8_lossy(chunk));
            hints.is_compacted |= part.is_compacted;
            hints.has_sub_agents |= part.has_sub_agents;
        }
        let events = (hints.is_compacted || hints.has_sub_agents || sample.may_have_late_results())
            .then(|| Events::new(&events, pool.clone()));
        sink.trajectory(assemble(&sample, messages, events.as_ref(), &hints, &attachments, around));
    })
}

#[derive(serde::Deserialize)]
struct Pools<'a> {
    #[serde(borrow, default)]
    messages: Vec<&'a RawValue>,
}

fn list(raw: Option<&RawValue>) -> Vec<&RawValue> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

fn assemble<'a>(
    sample: &Sample<'a>,
    messages: Vec<&'a RawValue>,
    events: Option<&Events<'a>>,
    hints: &Hints,
    attachments: &Attachments<'a>,
    around: &Surroundings<'_>,
) -> humbly_types::Trajectory {
    let messages = match events {
        Some(events) if hints.is_compacted => events.conversation(&messages),
        _ => messages,
    };
    trajectory(sample, &messages, events, attachments, around)
}
