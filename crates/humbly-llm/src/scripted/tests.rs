use std::time::Duration;

use super::anchors::Anchors;
use super::*;
use crate::{ChatMessage, Finish, RequestedCall, ToolSpec};

fn script(text: &str) -> ScriptedClient {
    ScriptedClient::from_toml(text, "script.toml").unwrap()
}

fn problem(text: &str) -> String {
    match ScriptedClient::from_toml(text, "script.toml") {
        Ok(_) => panic!("expected an error"),
        Err(error) => error.to_string(),
    }
}

fn asks(user: &str) -> ChatRequest {
    ChatRequest {
        model: "m".to_owned(),
        messages: vec![ChatMessage::system("Be brief."), ChatMessage::user(user)],
        ..ChatRequest::default()
    }
}

fn answer(client: &ScriptedClient, request: &ChatRequest) -> Result<ChatReply> {
    futures::executor::block_on(client.chat(request))
}

#[test]
fn the_first_matching_rule_wins() {
    let client = script(
        r#"
        [[rule]]
        when.user = "Peru"
        when.sample = 1
        reply.text = "second draw"
        [[rule]]
        when.user = "Peru"
        reply.text = "first"
        [[rule]]
        when.user = "Peru"
        reply.text = "never"
        [[rule]]
        when.system.regex = "^Be (?<manner>\\w+)"
        reply.text = "${manner} ${sample} ${turn} ${user}"
        "#,
    );
    let mut request = asks("Capital of Peru?");
    assert_eq!(answer(&client, &request).unwrap().text, "first");
    request.sample_index = 1;
    assert_eq!(answer(&client, &request).unwrap().text, "second draw");
    assert_eq!(answer(&client, &asks("Chile?")).unwrap().text, "brief 0 0 Chile?");
    assert_eq!(client.requests(), 3);
}

#[test]
fn no_rule_is_an_error_with_the_script() {
    let client = script("[[rule]]\nwhen.user = \"Peru\"\nreply.text = \"Lima\"");
    let error = answer(&client, &asks("Chile")).unwrap_err();
    assert_eq!(error.code(), "no_rule");
    assert!(error.to_string().contains("script.toml"));
}

#[test]
fn turns_tools_and_results_are_told_apart() {
    let client = script(
        r#"
        [[rule]]
        when.offers = "search"
        when.tools_called = false
        when.user.regex = "capital of (\\w+)"
        reply.calls = [{ name = "search", arguments = { query = "capital \"${1}\"" } }]
        [[rule]]
        when.tool_result = "Lima"
        when.turn = 1
        reply.text = "Lima"
        reply.usage = { input = 10, output = 2 }
        [[rule]]
        when.any = "Lima"
        reply.text = "as said"
        "#,
    );
    let mut request = asks("The capital of Peru?");
    request.tools = vec![ToolSpec {
        name: "search".to_owned(),
        description: String::new(),
        parameters: serde_json::json!({}),
    }];
    let first = answer(&client, &request).unwrap();
    let call = RequestedCall {
        id: "call_0_0".to_owned(),
        name: "search".to_owned(),
        arguments: r#"{"query":"capital \"Peru\""}"#.to_owned(),
    };
    assert_eq!((first.finish, first.calls), (Finish::Calls, vec![call.clone()]));

    request.messages.push(ChatMessage { calls: vec![call], ..ChatMessage::assistant("") });
    request.messages.push(ChatMessage::tool("call_0_0", "Lima is the capital."));
    let second = answer(&client, &request).unwrap();
    assert_eq!((second.text.as_str(), second.usage.input), ("Lima", Some(10)));

    request.messages.push(ChatMessage::assistant("Lima"));
    request.messages.push(ChatMessage::user("Sure?"));
    assert_eq!(answer(&client, &request).unwrap().text, "as said");
}

#[test]
fn arguments_that_are_not_json_can_be_scripted() {
    let client =
        script("[[rule]]\nreply.calls = [{ name = \"f\", arguments = \"{'q': \" }, { name = \"g\" }]");
    let calls = answer(&client, &asks("x")).unwrap().calls;
    assert_eq!(calls[0].arguments, "{'q': ");
    assert_eq!(calls[1].arguments, "{}");
}

#[tokio::test(start_paused = true)]
async fn an_error_comes_after_its_delay_and_only_so_often() {
    let client = script(
        r#"
        [[rule]]
        times = 2
        delay_seconds = 5
        error = { kind = "rate_limited", retry_after_seconds = 1.5 }
        [[rule]]
        reply.text = "done"
        "#,
    );
    let start = tokio::time::Instant::now();
    for _ in 0..2 {
        let error = client.chat(&asks("x")).await.unwrap_err();
        let ChatError::RateLimited { retry_after } = error else { panic!("{error}") };
        assert_eq!(retry_after, Some(Duration::from_millis(1500)));
    }
    assert_eq!(start.elapsed(), Duration::from_secs(10));
    assert_eq!(client.chat(&asks("x")).await.unwrap().text, "done");
}

#[test]
fn every_kind_of_error_can_be_raised() {
    for kind in [
        "rate_limited",
        "timed_out",
        "connection",
        "empty_reply",
        "broken_off",
        "not_a_reply",
        "server",
        "authentication",
        "unknown_model",
        "context_too_long",
        "refused",
    ] {
        let client = script(&format!("[[rule]]\nerror = {{ kind = \"{kind}\" }}"));
        assert_eq!(answer(&client, &asks("x")).unwrap_err().code(), kind);
    }
}

#[test]
fn a_wrong_script_names_its_rule() {
    assert!(problem("").contains("no rules"));
    assert!(problem("[[rule]]").contains("rule 1: it has neither `reply` nor `error`"));
    assert!(
        problem("[[rule]]\nreply.text = \"x\"\n[[rule]]\nwhen.user.regex = \"(\"\nreply.text = \"\"")
            .contains("rule 2")
    );
    assert!(problem("[[rule]]\nreply.text = \"${1}\"").contains("uses `${1}`"));
    assert!(problem("[[rule]]\nreply.txt = \"x\"").contains("txt"));
    assert!(problem("[[rule]]\ndelay_seconds = -1\nreply.text = \"x\"").contains("delay_seconds"));
}

#[test]
fn a_jsonl_script_is_read_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.jsonl");
    let line = r#"{"when": {"user": {"regex": "(\\d+)"}}, "reply": {"text": "<${1}>"}}"#;
    std::fs::write(&path, format!("{line}\n\n")).unwrap();
    let client = ScriptedClient::from_file(&path).unwrap();
    assert_eq!(answer(&client, &asks("a 12 b")).unwrap().text, "<12>");

    std::fs::write(&path, format!("{line}\n{{")).unwrap();
    let Err(error) = ScriptedClient::from_file(&path) else { panic!("expected an error") };
    assert!(error.to_string().contains("line 2"), "{error}");
}

#[test]
fn a_function_answers_too() {
    let client = ScriptedClient::from_fn(|request| {
        Ok(ChatReply { text: request.model.to_uppercase(), ..ChatReply::default() })
    });
    assert_eq!(answer(&client, &asks("x")).unwrap().text, "M");
}

#[test]
fn of_five_thousand_rules_only_those_that_can_match_are_tried() {
    let texts: Vec<String> = (0..5_000).map(|index| format!("question {index:04}?")).collect();
    let anchors = Anchors::new(texts.iter().map(|text| Some(text.as_str())).chain([None])).unwrap();
    for (index, text) in texts.iter().enumerate() {
        let tried: Vec<usize> = anchors.candidates(&format!("This is {text} Think.")).collect();
        assert_eq!(tried, [index, 5_000], "its own rule, and the one that asks for no text");
    }
    let rules = (0..5_000)
        .map(|index| Rule {
            when: When {
                user: Some(TextMatch::Contains(format!("question {index:04}?"))),
                ..When::default()
            },
            reply: Some(ReplyRule { text: format!("answer {index}"), ..ReplyRule::default() }),
            ..Rule::default()
        })
        .collect();
    let client = ScriptedClient::from_rules(rules, "rules").unwrap();
    for index in 0..5_000 {
        let reply = answer(&client, &asks(&format!("This is question {index:04}? Think."))).unwrap();
        assert_eq!(reply.text, format!("answer {index}"));
    }
}
