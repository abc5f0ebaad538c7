//! The search server, asked over HTTP by a real client.

#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use humbly_agent::index::{Document, SearchIndex};
use humbly_agent::serve::{DEFAULT_ADDRESS, SearchServer};
use serde_json::{Value, json};

async fn start() -> (String, tokio::sync::oneshot::Sender<()>) {
    let row =
        |id: usize| Document { id: id.to_string(), contents: format!("\"T{id}\"\ntower number {id} é") };
    let index = Arc::new(SearchIndex::in_memory((0..5).map(row)).unwrap());
    let server = SearchServer::bind(index, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap();
    let url = format!("http://{}/retrieve", server.address().unwrap());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    (url, stop)
}

async fn post(url: &str, body: impl Into<reqwest::Body>) -> (u16, Value) {
    humbly_llm::providers::prepare_tls();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let reply = client.post(url).header("content-type", "application/json").body(body).send().await.unwrap();
    let status = reply.status().as_u16();
    let bytes = reply.bytes().await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

#[tokio::test]
async fn the_reply_has_search_r1s_shape() {
    let (url, _stop) = start().await;
    let (status, reply) =
        post(&url, json!({"queries": ["tower 3", "zebra"], "topk": 2, "return_scores": true}).to_string())
            .await;
    assert_eq!(status, 200);
    let result = reply["result"].as_array().unwrap();
    assert_eq!(
        (result.len(), result[0].as_array().unwrap().len(), result[1].as_array().unwrap().len()),
        (2, 2, 0)
    );
    let hit = result[0][0].as_object().unwrap();
    assert_eq!(hit.keys().collect::<Vec<_>>(), ["document", "score"]);
    assert_eq!(hit["document"], json!({"id": "3", "contents": "\"T3\"\ntower number 3 é"}));
    assert!(hit["score"].as_f64().unwrap() > result[0][1]["score"].as_f64().unwrap());

    let (_, bare) = post(&url, json!({"queries": ["tower 3"], "topk": 1}).to_string()).await;
    assert_eq!(bare, json!({"result": [[{"id": "3", "contents": "\"T3\"\ntower number 3 é"}]]}));
}

#[tokio::test]
async fn topk_of_null_zero_or_none_is_three_and_no_queries_are_no_lists() {
    let (url, _stop) = start().await;
    for topk in [json!({"topk": null}), json!({"topk": 0}), json!({})] {
        let mut body = json!({"queries": ["tower"]});
        body.as_object_mut().unwrap().extend(topk.as_object().unwrap().clone());
        let (_, reply) = post(&url, body.to_string()).await;
        let ids: Vec<&str> =
            reply["result"][0].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["0", "1", "2"]);
    }
    let (status, reply) =
        post(&url, json!({"queries": [], "topk": 3, "return_scores": true}).to_string()).await;
    assert_eq!((status, reply), (200, json!({"result": []})));
}

#[tokio::test]
async fn what_is_no_request_is_refused_with_a_reason() {
    let (url, _stop) = start().await;
    for (body, expected) in [
        ("{", 400),
        ("", 400),
        ("{\"topk\": 3}", 422),
        ("{\"queries\": \"tower\"}", 422),
        ("{\"queries\": [], \"topk\": -1}", 422),
        ("{\"queries\": [\"a\"], \"topk\": 100000}", 422),
    ] {
        let (status, reply) = post(&url, body).await;
        assert_eq!(status, expected, "{body}");
        assert!(reply["detail"].as_str().unwrap().contains("expected"), "{reply}");
    }
    assert_eq!(post(&url, vec![b' '; 17 << 20]).await.0, 413);
    let (status, reply) = post(&url.replace("/retrieve", "/other"), "{}").await;
    assert_eq!((status, &reply["detail"]), (404, &json!("nothing is here: expected POST /retrieve")));
}

#[test]
fn only_this_machine_is_served_by_default() {
    assert!(DEFAULT_ADDRESS.ip().is_loopback());
}
