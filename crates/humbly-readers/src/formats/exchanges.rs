//! Recorded exchanges with a model API: responses, requests with responses, or bare lists of messages.
//!
//! Recorders wrap the same two things in many ways; here they become one list of records, each with what
//! went in and what came out.

use humbly_types::Problem;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::content::str_field;
use crate::input::Input;
use crate::lenient::parse_record;
use crate::registry::Sink;

/// One exchange: what was sent and what came back.
#[derive(Debug, Default, Clone)]
pub(crate) struct Exchange {
    /// Messages or items that were sent.
    pub(crate) sent: Vec<Value>,
    /// Instructions that were sent beside them.
    pub(crate) system: Value,
    /// What came back.
    pub(crate) response: Option<Value>,
    /// Id that a batch gives the exchange.
    pub(crate) id: Option<String>,
    /// Line, or index in a list.
    pub(crate) line: u64,
}

/// Takes wrappers off a record: HTTP recordings with a `body`, batches with a `result`.
fn unwrapped(record: Value) -> (Value, Option<String>) {
    let id = str_field(&record, "custom_id").map(str::to_owned);
    let mut record = record;
    for _ in 0..4 {
        let inner = ["body", "result", "message"].iter().find_map(|key| {
            let is_wrapper = match *key {
                "body" => {
                    record.get("status").is_some() || record.get("status_code").is_some() || id.is_some()
                }
                "result" => id.is_some(),
                _ => id.is_some() && record.get("role").is_none(),
            };
            let value = if is_wrapper { record.get(*key) } else { None };
            match value {
                Some(Value::String(text)) => serde_json::from_str(text).ok(),
                Some(value @ Value::Object(_)) => Some(value.clone()),
                _ => None,
            }
        });
        let inner = inner.or_else(|| record.get("response").filter(|_| id.is_some()).cloned());
        match inner {
            Some(inner) => record = inner,
            None => break,
        }
    }
    (record, id)
}

/// The part of a record that shows its format: the record itself without wrappers.
pub(crate) fn unwrapped_ref(record: &Value) -> std::borrow::Cow<'_, Value> {
    if record.get("body").is_some() || record.get("custom_id").is_some() {
        std::borrow::Cow::Owned(unwrapped(record.clone()).0)
    } else {
        std::borrow::Cow::Borrowed(record)
    }
}

/// How a format tells its parts.
pub(crate) struct Grammar {
    /// Field of a request that holds the messages or items.
    pub(crate) sent: &'static str,
    /// Field of a request that holds the instructions.
    pub(crate) system: &'static str,
    /// Whether a value is a response of the API.
    pub(crate) is_response: fn(&Value) -> bool,
    /// Whether a value is one message or item.
    pub(crate) is_item: fn(&Value) -> bool,
}

/// All exchanges of an input: a document (object or array) or JSONL.
///
/// # Errors
/// A [`Problem`] where the input is neither JSON nor JSONL.
pub(crate) fn exchanges(
    input: &Input,
    grammar: &Grammar,
    sink: &mut dyn Sink,
) -> Result<Vec<Exchange>, Problem> {
    let start = input.first_bytes(64 << 10)?;
    let body = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start).trim_ascii();
    let is_lines = body.starts_with(b"{")
        && input
            .lines()?
            .next_line()
            .is_ok_and(|line| line.is_some_and(|line| parse_record::<IgnoredAny>(line.bytes).is_ok()));
    let mut records = Vec::new();
    if is_lines {
        input.lines()?.for_each_record(sink, |line, record: Value, _| records.push((line, record)))?;
        if records.iter().all(|(_, record)| (grammar.is_item)(record) && !(grammar.is_response)(record)) {
            let sent = records.into_iter().map(|(_, record)| record).collect();
            return Ok(vec![Exchange { sent, line: 1, ..Exchange::default() }]);
        }
    } else {
        match input.document(sink)? {
            Value::Array(items) => {
                if items.iter().all(|item| (grammar.is_item)(item)) {
                    return Ok(vec![Exchange { sent: items, line: 1, ..Exchange::default() }]);
                }
                records.extend((1..).zip(items));
            }
            document => records.push((1, document)),
        }
    }
    let mut exchanges: Vec<Exchange> = Vec::new();
    for (line, record) in records {
        if let Some(exchange) = exchange(record, line, grammar) {
            // A request that repeats all of the one before goes on with the same run.
            let goes_on = exchanges.last().is_some_and(|last| {
                last.id.is_none()
                    && !last.sent.is_empty()
                    && exchange.sent.len() > last.sent.len()
                    && exchange.sent.starts_with(&last.sent)
            });
            if goes_on {
                exchanges.pop();
            }
            exchanges.push(exchange);
        } else {
            sink.problem(
                Problem::new(&*input.path, "a record that is neither a request nor a response").line(line),
            );
        }
    }
    Ok(exchanges)
}

fn exchange(record: Value, line: u64, grammar: &Grammar) -> Option<Exchange> {
    let (record, id) = unwrapped(record);
    let request = record.get("request").map(unwrapped_ref);
    let request = request.as_deref().unwrap_or(&record);
    let sent = match request.get(grammar.sent) {
        Some(Value::Array(items)) => items.clone(),
        Some(Value::String(text)) => vec![serde_json::json!({"role": "user", "content": text})],
        _ => Vec::new(),
    };
    let system = request.get(grammar.system).cloned().unwrap_or_default();
    let response = if (grammar.is_response)(&record) {
        Some(record.clone())
    } else {
        ["response", "output", "completion", "message"].iter().find_map(|key| {
            let value = unwrapped_ref(record.get(*key)?).into_owned();
            (grammar.is_response)(&value).then_some(value)
        })
    };
    (response.is_some() || !sent.is_empty()).then_some(Exchange { sent, system, response, id, line })
}
