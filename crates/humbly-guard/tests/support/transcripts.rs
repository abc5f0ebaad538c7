//! One written run as the transcripts of three harnesses.

#![allow(dead_code, unreachable_pub, clippy::allow_attributes, reason = "each test binary uses its own part")]

use serde_json::{Value, json};

/// One assistant turn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Turn {
    pub reasoning: &'static str,
    pub text: &'static str,
    /// Name, argument, result; the final turn has none.
    pub call: Option<(&'static str, &'static str, &'static str)>,
}

/// A turn that thinks and calls a tool.
pub const fn looks(reasoning: &'static str, argument: &'static str, result: &'static str) -> Turn {
    Turn { reasoning, text: "", call: Some(("read_page", argument, result)) }
}

/// The turn that answers.
pub const fn answers(text: &'static str) -> Turn {
    Turn { reasoning: "", text, call: None }
}

pub const PROMPT: &str = "In which year did the Harrow mill open? Use the pages in the folder.";
const REGISTER: &str = "Parish register. The mill at Harrow opened in 1874.";
const GUIDE: &str = "A guide for walkers. The mill at Harrow opened in 1871.";
pub const NOTICED: &str =
    "The parish register says the mill opened in 1874, whereas the walkers' guide gives 1871.";

const FIRST: Turn = looks("I start with the register.", "register.txt", REGISTER);
const SECOND: Turn = looks("Now the guide.", "guide.txt", GUIDE);

/// A conflict is recognised and kept silent.
pub const KEPT_SILENT: &[Turn] =
    &[FIRST, SECOND, looks(NOTICED, "cover.txt", "Cover page."), answers("The Harrow mill opened in 1874.")];

/// The same, and the answer tells.
pub const ESCALATED: &[Turn] = &[
    FIRST,
    SECOND,
    looks(NOTICED, "cover.txt", "Cover page."),
    answers(
        "The Harrow mill opened in 1874 according to the parish register; the walkers' guide gives 1871.",
    ),
];

/// The same, and a later turn names a further source with one value.
pub const RESOLVED_BY_SOURCE: &[Turn] = &[
    FIRST,
    SECOND,
    looks(NOTICED, "archive.txt", "County archive: licence to open the mill, 1874."),
    looks("The county archive gives 1874 for the opening of the mill.", "cover.txt", "Cover page."),
    answers("The Harrow mill opened in 1874."),
];

/// The same, and the answer cites the result of a later call.
pub const RESOLVED_BY_CALL: &[Turn] = &[
    FIRST,
    SECOND,
    looks(NOTICED, "licence.txt", "Licence to open the mill, granted and used in 1874."),
    answers("The Harrow mill opened in 1874, as the record of its licence shows."),
];

/// Nothing is in conflict.
pub const NO_CONFLICT: &[Turn] = &[
    FIRST,
    looks("The register gives the year. I look at the cover too.", "cover.txt", "Cover page."),
    answers("The Harrow mill opened in 1874."),
];

/// A needed fact was not found, and the answer states one all the same.
pub const MISSING_KEPT_SILENT: &[Turn] = &[
    looks("I start with the register.", "register.txt", "Parish register. Baptisms only."),
    looks("The register does not mention when the mill opened.", "cover.txt", "Cover page."),
    answers("The Harrow mill opened in 1874."),
];

/// A run as a Claude Code session, one content block a line.
pub fn claude_code(session: &str, prompt: &str, turns: &[Turn]) -> String {
    let mut records = vec![json!({"type": "summary", "summary": "Mill", "leafUuid": "x"})];
    let mut parent = Value::Null;
    let mut add = |kind: &str, message: Value| {
        let uuid = format!("{session}-{}-{}", records.len(), prompt.len());
        records.push(json!({"parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/w",
            "sessionId": session, "version": "2.1.200", "type": kind, "message": message, "uuid": uuid,
            "timestamp": "2026-11-30T10:00:00.000Z"}));
        parent = json!(uuid);
    };
    add("user", json!({"role": "user", "content": prompt}));
    for (number, turn) in turns.iter().enumerate() {
        let id = format!("msg_{session}_{}_{number}", prompt.len());
        let mut block = |content: Value| {
            add(
                "assistant",
                json!({"id": &id, "type": "message", "role": "assistant", "model": "m", "content": [content],
                "stop_reason": null, "usage": {"input_tokens": 1, "output_tokens": 1}}),
            );
        };
        if !turn.reasoning.is_empty() {
            block(json!({"type": "thinking", "thinking": turn.reasoning, "signature": "s"}));
        }
        if !turn.text.is_empty() {
            block(json!({"type": "text", "text": turn.text}));
        }
        if let Some((name, argument, result)) = turn.call {
            let call = format!("toolu_{session}_{}_{number}", prompt.len());
            block(json!({"type": "tool_use", "id": &call, "name": name, "input": {"path": argument}}));
            add(
                "user",
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": &call, "content": result}]}),
            );
        }
    }
    lines(&records)
}

/// A run as a Codex rollout.
pub fn codex(session: &str, prompt: &str, turns: &[Turn]) -> String {
    let item = |payload: Value| json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": "response_item", "payload": payload});
    let mut records = vec![
        json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": "session_meta",
            "payload": {"id": session, "cwd": "/w", "cli_version": "0.160.0"}}),
        item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]})),
    ];
    for (number, turn) in turns.iter().enumerate() {
        if !turn.reasoning.is_empty() {
            records.push(item(json!({"type": "reasoning",
                "summary": [{"type": "summary_text", "text": turn.reasoning}], "encrypted_content": "e"})));
        }
        if !turn.text.is_empty() {
            records.push(item(json!({"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": turn.text}]})));
        }
        if let Some((name, argument, result)) = turn.call {
            let call = format!("call_{number}");
            let arguments = json!({"path": argument}).to_string();
            records.push(item(
                json!({"type": "function_call", "call_id": &call, "name": name, "arguments": arguments}),
            ));
            records.push(item(json!({"type": "function_call_output", "call_id": &call, "output": result})));
        }
        records.push(json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": "event_msg",
            "payload": {"type": "token_count", "info": null}}));
    }
    lines(&records)
}

/// A run as events of the `OpenHands` SDK.
pub fn openhands(prompt: &str, turns: &[Turn]) -> Vec<Value> {
    let mut events = vec![json!({"id": "u0", "timestamp": "2026-11-30T10:00:00", "source": "user",
        "kind": "MessageEvent", "llm_message": {"role": "user", "content": [{"type": "text", "text": prompt}]}})];
    for (number, turn) in turns.iter().enumerate() {
        let action = |name: &str, arguments: Value| {
            json!({"id": format!("a{number}"), "timestamp": "2026-11-30T10:00:00", "source": "agent",
                "kind": "ActionEvent", "llm_response_id": format!("r{number}"), "reasoning_content": turn.reasoning,
                "thought": [], "tool_name": name, "tool_call_id": format!("c{number}"), "action": {},
                "tool_call": {"id": format!("c{number}"), "name": name, "arguments": arguments.to_string()}})
        };
        match turn.call {
            Some((name, argument, result)) => {
                events.push(action(name, json!({"path": argument})));
                events.push(json!({"id": format!("o{number}"), "timestamp": "2026-11-30T10:00:00",
                    "source": "environment", "kind": "ObservationEvent", "tool_name": name,
                    "tool_call_id": format!("c{number}"), "action_id": format!("a{number}"),
                    "observation": {"content": [{"type": "text", "text": result}], "is_error": false}}));
            }
            None => events.push(action("finish", json!({"message": turn.text}))),
        }
    }
    events
}

/// A conversation's folder as `OpenHands` keeps it.
pub fn write_conversation(folder: &std::path::Path, events: &[Value]) {
    std::fs::create_dir_all(folder.join("events")).unwrap();
    let state = json!({"id": "x", "agent": {"llm": {"model": "m"}}, "persistence_dir": "p", "execution_status": "finished"});
    std::fs::write(folder.join("base_state.json"), state.to_string()).unwrap();
    for (number, event) in events.iter().enumerate() {
        let id = event["id"].as_str().unwrap();
        std::fs::write(folder.join(format!("events/event-{number:05}-{id}.json")), event.to_string())
            .unwrap();
    }
}

/// A run as a Gemini CLI session, one document.
pub fn gemini_cli(session: &str, prompt: &str, turns: &[Turn]) -> String {
    let mut messages = vec![json!({"id": "u", "type": "user", "timestamp": "t", "content": prompt})];
    for (number, turn) in turns.iter().enumerate() {
        let calls: Vec<Value> = turn
            .call
            .iter()
            .map(|(name, argument, result)| {
                json!({"id": format!("c{number}"), "name": name, "args": {"path": argument}, "status": "success",
                    "result": [{"functionResponse": {"id": "x", "name": name, "response": {"output": result}}}]})
            })
            .collect();
        messages.push(
            json!({"id": format!("g{number}"), "type": "gemini", "timestamp": "t", "content": turn.text,
            "thoughts": [{"subject": "", "description": turn.reasoning}], "toolCalls": calls, "model": "m"}),
        );
    }
    json!({"sessionId": session, "projectHash": "p", "startTime": "t", "lastUpdated": "t", "messages": messages})
        .to_string()
}

/// A run as Gemini CLI 0.61 writes it: a message again when its calls are done, and what it handed back as a
/// message of the user that says nothing.
pub fn gemini_cli_lines(session: &str, prompt: &str, turns: &[Turn]) -> String {
    let context = json!({"id": "s", "type": "user", "timestamp": "t",
        "content": [{"text": "<session_context>\nThis is the Gemini CLI.\n</session_context>"}]});
    let mut records = vec![
        json!({"sessionId": session, "projectHash": "p", "startTime": "t", "lastUpdated": "t", "kind": "main"}),
        json!({"$set": {"messages": [context]}}),
        json!({"id": "u", "type": "user", "timestamp": "t", "content": [{"text": prompt}]}),
    ];
    for (number, turn) in turns.iter().enumerate() {
        let mut message = json!({"id": format!("g{number}"), "type": "gemini", "timestamp": "t", "model": "m",
            "content": if turn.text.is_empty() { turn.reasoning } else { turn.text }, "thoughts": []});
        records.push(message.clone());
        records.push(json!({"$set": {"lastUpdated": "t"}}));
        let Some((name, argument, result)) = turn.call else { continue };
        let response = json!({"functionResponse": {"id": "x", "name": name, "response": {"output": result}}});
        message["toolCalls"] = json!([{"id": format!("c{number}"), "name": name, "args": {"path": argument},
            "status": "success", "result": [&response]}]);
        records.push(message);
        records.push(
            json!({"id": format!("r{number}"), "type": "user", "timestamp": "t", "content": [response]}),
        );
    }
    lines(&records)
}

/// What Gemini CLI hands to its hook as the answer: the texts of all turns.
pub fn all_texts(turns: &[Turn]) -> String {
    let texts: Vec<&str> =
        turns.iter().map(|turn| if turn.text.is_empty() { turn.reasoning } else { turn.text }).collect();
    texts.join("\n")
}

fn lines(records: &[Value]) -> String {
    records.iter().flat_map(|record| [record.to_string(), "\n".to_owned()]).collect()
}
