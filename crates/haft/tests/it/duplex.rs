//! `serve_io`: the lines of stdio on streams of the caller's.

use std::io;
use std::pin::Pin;
use std::task::{Context as Cx, Poll};
use std::time::Duration;

use haft::ServeError;
use haft::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, ReadBuf};

use crate::wire::request;

/// Use this to get a text back.
#[tool(read_only, closed_world)]
async fn echo(text: String) -> String {
    text
}

/// Use this to wait for ever.
#[tool(read_only, closed_world)]
async fn wait() -> String {
    std::future::pending().await
}

fn server() -> Server {
    let server = Server::new("duplex", "1.0.0").tool(echo::tool()).tool(wait::tool()).dynamic_tools();
    server.max_line(4 << 10).shutdown_grace(Duration::from_millis(50)).build().unwrap()
}

fn line(id: i64, method: &str, params: Value) -> Vec<u8> {
    [&request(id, method, params)[..], b"\n"].concat()
}

fn call(id: i64, text: &str) -> Vec<u8> {
    line(id, "tools/call", json!({"name": "echo", "arguments": {"text": text}}))
}

fn answers(output: &[u8]) -> Vec<Value> {
    output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(json_of).collect()
}

fn json_of(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap()
}

#[tokio::test]
async fn a_client_on_a_socket_is_served_until_it_closes_its_end() {
    let (near, far) = tokio::io::duplex(100);
    let (input, output) = tokio::io::split(far);
    let served = tokio::spawn(server().serve_io(input, output));
    let (read, mut write) = tokio::io::split(near);
    let mut read = BufReader::new(read);
    for id in 1..=3 {
        // Longer than what the pipe holds, either way.
        let text = "x".repeat(1000);
        write.write_all(&call(id, &text)).await.unwrap();
        let mut answer = Vec::new();
        read.read_until(b'\n', &mut answer).await.unwrap();
        let answer = json_of(&answer);
        assert_eq!((answer["id"].as_i64(), crate::wire::text(&answer)), (Some(id), text.as_str()));
    }
    write.shutdown().await.unwrap();
    let mut rest = Vec::new();
    read.read_to_end(&mut rest).await.unwrap();
    assert!(rest.is_empty());
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_was_sent_before_the_end_is_answered_and_a_last_line_without_a_line_feed_counts() {
    let mut input = [&b"not json\n\n"[..], &vec![b'x'; 5000], b"\n", &call(1, "one"), &call(2, "two")].concat();
    input.pop();
    let mut output = Vec::new();
    server().serve_io(&input[..], &mut output).await.unwrap();
    let answers = answers(&output);
    assert_eq!(answers.len(), 4, "{answers:?}");
    assert_eq!((&answers[0]["error"]["code"], &answers[1]["error"]["code"]), (&json!(-32700), &json!(-32600)));
    let mut texts: Vec<&str> = answers[2..].iter().map(crate::wire::text).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["one", "two"]);
}

#[tokio::test]
async fn the_end_of_input_ends_subscriptions_and_cancels_what_takes_too_long() {
    let listen = line(1, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let input = [listen, line(2, "tools/call", json!({"name": "wait"}))].concat();
    let mut output = Vec::new();
    server().serve_io(&input[..], &mut output).await.unwrap();
    let answers = answers(&output);
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert_eq!(answers[0]["method"], "notifications/subscriptions/acknowledged");
    assert_eq!((&answers[1]["method"], &answers[2]["id"]), (&json!("notifications/cancelled"), &json!(1)));
}

#[tokio::test]
async fn a_client_that_goes_away_without_a_word_is_no_failure() {
    let (near, far) = tokio::io::duplex(1 << 10);
    let (input, output) = tokio::io::split(far);
    let served = tokio::spawn(server().serve_io(input, output));
    let (_read, mut write) = tokio::io::split(near);
    write.write_all(&line(1, "tools/call", json!({"name": "wait"}))).await.unwrap();
    write.write_all(&call(2, "hi")).await.unwrap();
    drop((_read, write));
    tokio::time::timeout(Duration::from_secs(20), served).await.expect("an end").unwrap().unwrap();
}

struct Broken;

impl AsyncRead for Broken {
    fn poll_read(self: Pin<&mut Self>, _: &mut Cx<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::Error::other("unplugged")))
    }
}

#[tokio::test]
async fn an_input_that_fails_is_a_failure() {
    let mut output = Vec::new();
    let failed = server().serve_io(Broken, &mut output).await;
    assert!(matches!(failed, Err(ServeError::Io(error)) if error.to_string() == "unplugged"));
}
