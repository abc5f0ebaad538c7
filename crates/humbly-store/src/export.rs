//! A run as other tools read it: Humbly's own JSONL and Inspect's log JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use humbly_types::{CallRecord, Record, TurnRecord, Usage};
use serde_json::{Value, json};

use crate::{Result, RunFile, SampleState, StoreError, StoredSample};

/// Writes the trajectory of every finished sample, one a line; failed ones with what they got to.
///
/// # Errors
/// What the disk says.
pub fn write_jsonl(run: &RunFile, out: &mut dyn Write) -> Result<u64> {
    let mut written = 0;
    let mut failed: Option<io::Error> = None;
    run.for_each_sample(|sample| {
        let Some(record) = sample.record.filter(|_| failed.is_none()) else { return };
        match writeln!(out, "{record}") {
            Ok(()) => written += 1,
            Err(error) => failed = Some(error),
        }
    })?;
    match failed {
        Some(source) => Err(StoreError::Io { path: run.path().to_owned(), source }),
        None => Ok(written),
    }
}

/// The run as one log of Inspect (version 2 of its JSON form); `created` is a time in ISO 8601.
///
/// Samples that have not run are left out; a failed sample carries its error and no output.
///
/// # Errors
/// [`StoreError::Content`] where a stored trajectory cannot be read.
pub fn inspect_log(run: &RunFile, created: &str) -> Result<Value> {
    let settings = run.settings()?;
    let mut stored = Vec::new();
    run.for_each_sample(|sample| stored.push(sample))?;
    let mut samples = Vec::new();
    let references = references_of(&settings);
    let mut epochs: BTreeMap<String, u32> = BTreeMap::new();
    for sample in stored.iter().filter(|sample| sample.state != SampleState::Waiting) {
        samples.push(inspect_sample(sample, &references, &mut epochs)?);
    }
    let text = |name: &str| settings.get(name).and_then(Value::as_str).unwrap_or("unknown").to_owned();
    let failed = stored.iter().filter(|sample| sample.state == SampleState::Failed).count();
    let waiting = stored.iter().any(|sample| sample.state == SampleState::Waiting);
    let status = if waiting {
        "cancelled"
    } else if failed > 0 {
        "error"
    } else {
        "success"
    };
    Ok(json!({
        "version": 2,
        "status": status,
        "eval": {
            "created": created,
            "task": text("name"),
            "task_version": 0,
            "dataset": {"name": text("name"), "samples": samples.len()},
            "model": text("model"),
            "config": {"epochs": epochs.values().copied().max().unwrap_or(1)},
            "metadata": {"experiment": settings.get("experiment"), "humbly": settings.get("humbly")},
        },
        "plan": {"name": "plan", "steps": []},
        "stats": {"started_at": created, "completed_at": created, "model_usage": {}},
        "samples": samples,
    }))
}

/// References of the suite's tasks: the agent's records do not hold them.
fn references_of(settings: &Value) -> BTreeMap<&str, &Value> {
    let tasks = settings.pointer("/suite/tasks").and_then(Value::as_array);
    let tasks = tasks.into_iter().flatten().filter_map(|task| task.get("task"));
    tasks.filter_map(|task| Some((task.get("id")?.as_str()?, task.get("references")?))).collect()
}

/// Inspect wants (id, epoch) to be unique: draws, conditions and models of one task are its epochs.
fn inspect_sample(
    sample: &StoredSample,
    references: &BTreeMap<&str, &Value>,
    epochs: &mut BTreeMap<String, u32>,
) -> Result<Value> {
    let record: Option<Record> = sample
        .record
        .as_deref()
        .map(serde_json::from_str)
        .transpose()
        .map_err(|source| StoreError::Content { what: "record", key: sample.key.clone(), source })?;
    let record = record.unwrap_or_else(|| Record::new(&sample.key));
    let mut messages = Vec::new();
    if let Some(question) = &record.question {
        messages.push(json!({"role": "user", "content": question, "source": "input"}));
    }
    for (index, turn) in record.turns.iter().enumerate() {
        push_turn(turn, index, record.model.as_deref(), &mut messages);
    }
    let answer = record
        .final_answer
        .clone()
        .or_else(|| record.turns.last().map(|turn| turn.text.clone()))
        .filter(|_| sample.state == SampleState::Done);
    let model = record.model.clone().unwrap_or_default();
    let output = answer.map_or_else(
        || json!({"model": model, "choices": []}),
        |text| {
            json!({"model": model, "choices": [{
                "message": {"role": "assistant", "content": text, "source": "generate"},
                "stop_reason": if record.stop.as_deref() == Some("limit") { "max_tokens" } else { "stop" },
            }], "usage": usage(&sample.usage)})
        },
    );
    let id = record.task_id.clone().unwrap_or_else(|| sample.key.clone());
    let epoch = epochs.entry(id.clone()).or_default();
    *epoch += 1;
    let target = match references.get(id.as_str()) {
        Some(of_suite) if record.references.is_empty() => (*of_suite).clone(),
        _ => json!(record.references),
    };
    let mut object = json!({
        "id": id,
        "epoch": *epoch,
        "input": record.question.clone().unwrap_or_default(),
        "target": target,
        "messages": messages,
        "output": output,
        "metadata": {
            "key": sample.key, "agent": record.agent, "model": record.model, "condition": record.condition,
            "dataset": record.dataset, "attempts": sample.attempts,
        },
    });
    if let (Some((code, text)), Some(fields)) = (&sample.error, object.as_object_mut()) {
        let message = format!("{code}: {text}");
        fields.insert("error".to_owned(), json!({"message": message, "traceback": "", "traceback_ansi": ""}));
    }
    Ok(object)
}

fn push_turn(turn: &TurnRecord, index: usize, model: Option<&str>, messages: &mut Vec<Value>) {
    if let Some(user) = &turn.user {
        messages.push(json!({"role": "user", "content": user}));
    }
    let content = match &turn.reasoning {
        Some(reasoning) => json!([
            {"type": "reasoning", "reasoning": reasoning},
            {"type": "text", "text": turn.text},
        ]),
        None => json!(turn.text),
    };
    let id =
        |position: usize, call: &CallRecord| call.id.clone().unwrap_or_else(|| format!("{index}-{position}"));
    let calls: Vec<_> = turn
        .calls
        .iter()
        .enumerate()
        .map(|(position, call)| {
            let arguments = match &call.arguments {
                Value::Object(_) => call.arguments.clone(),
                other => json!({"raw": other}),
            };
            json!({"id": id(position, call), "function": call.name, "arguments": arguments, "type": "function"})
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": content, "source": "generate", "model": model});
    if let (false, Some(fields)) = (calls.is_empty(), message.as_object_mut()) {
        fields.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    messages.push(message);
    for (position, call) in turn.calls.iter().enumerate() {
        let Some(result) = &call.result else { continue };
        let mut message = json!({
            "role": "tool", "content": result, "tool_call_id": id(position, call), "function": call.name,
        });
        if let (Some(true), Some(fields)) = (call.is_error, message.as_object_mut()) {
            fields.insert("error".to_owned(), json!({"type": "unknown", "message": result}));
        }
        messages.push(message);
    }
}

/// Inspect has no word for an unknown count: where input or output is unknown there is no usage.
fn usage(usage: &Usage) -> Value {
    match (usage.input, usage.output) {
        (Some(input), Some(output)) => json!({
            "input_tokens": input, "output_tokens": output, "total_tokens": input + output,
            "input_tokens_cache_read": usage.cached, "reasoning_tokens": usage.reasoning,
        }),
        _ => Value::Null,
    }
}
