//! A server that writes what it is told, byte by byte, and remembers what it was asked.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The key that clients send.
pub(crate) const KEY: &str = "odd-looking-key-9f31";

/// What the server does with one request; the number counts requests from 0.
pub(crate) type Play = Box<dyn Fn(usize, &str) -> Answer + Send + Sync>;

pub(crate) enum Answer {
    /// Status line without the version, extra headers, body.
    Whole(&'static str, &'static [&'static str], String),
    /// A body that promises more than comes.
    Half(String),
    /// Nothing, and the connection stays open.
    Silence,
    /// An answer after this many milliseconds.
    Late(u64, String),
}

pub(crate) struct Server {
    pub(crate) base_url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) async fn start(play: impl Fn(usize, &str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (heard, play): (_, Arc<Play>) = (Arc::clone(&asked), Arc::new(Box::new(play)));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&heard), Arc::clone(&play)));
            }
        });
        Self { base_url, asked }
    }

    /// Head and body of each request.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, heard: Arc<Mutex<Vec<String>>>, play: Arc<Play>) {
    let Some(request) = read(&mut stream).await else { return };
    let number = {
        let mut heard = heard.lock().unwrap();
        heard.push(request.clone());
        heard.len() - 1
    };
    let text = match play(number, &request) {
        Answer::Whole(status, headers, body) => {
            let kind = if headers.iter().any(|header| header.starts_with("content-type")) {
                String::new()
            } else {
                "content-type: application/json\r\n".to_owned()
            };
            let headers: String = headers.iter().flat_map(|header| [header, "\r\n"]).collect();
            format!(
                "HTTP/1.1 {status}\r\n{kind}{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            )
        }
        Answer::Half(body) => {
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n{body}")
        }
        Answer::Silence => {
            tokio::time::sleep(std::time::Duration::from_secs(30)).await;
            return;
        }
        Answer::Late(milliseconds, body) => {
            tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: \
                 close\r\n\r\n{body}",
                body.len()
            )
        }
    };
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok()
        });
        if body.len() >= length.unwrap_or(0) {
            return Some(text.into_owned());
        }
    }
}

/// A reply of the chat completions.
pub(crate) fn says(text: &str) -> String {
    serde_json::json!({
        "model": "m-1",
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3},
    })
    .to_string()
}
