//! A raw connection: what these tests send and read are the bytes of the protocol.

use std::time::Duration;

use haft::Server;
use serde_json::{Value, json};
use tokio::sync::mpsc;

pub(crate) struct Wire {
    to_server: mpsc::Sender<Vec<u8>>,
    from_server: mpsc::Receiver<Vec<u8>>,
}

/// Long past what any answer takes; a test that meets it fails.
const PATIENCE: Duration = Duration::from_secs(20);

impl Wire {
    pub(crate) fn new(server: &Server) -> Self {
        let (to_server, from_server) = haft::__private::connect(server);
        Self { to_server, from_server }
    }

    pub(crate) async fn send(&self, frame: impl Into<Vec<u8>>) {
        self.to_server.send(frame.into()).await.expect("the server listens");
    }

    /// The next frame, as it came.
    pub(crate) async fn bytes(&mut self) -> Vec<u8> {
        let frame = tokio::time::timeout(PATIENCE, self.from_server.recv()).await;
        frame.expect("an answer in time").expect("the server is there")
    }

    pub(crate) async fn recv(&mut self) -> Value {
        serde_json::from_slice(&self.bytes().await).expect("JSON")
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(request(1, method, params)).await;
        self.recv().await
    }

    /// The bytes that answer a call of a client with these capabilities.
    pub(crate) async fn bytes_of(&mut self, tool: &str, capabilities: Value) -> String {
        let meta = json!({"io.modelcontextprotocol/clientCapabilities": capabilities});
        self.send(request(1, "tools/call", json!({"name": tool, "_meta": meta}))).await;
        String::from_utf8(self.bytes().await).unwrap()
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }
}

/// A request with the `_meta` that each must have.
pub(crate) fn request(id: impl Into<Value>, method: &str, mut params: Value) -> Vec<u8> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    for (key, value) in meta.as_object().unwrap() {
        params["_meta"].as_object_mut().map(|given| given.entry(key).or_insert(value.clone()));
        if params["_meta"].is_null() {
            params["_meta"] = meta.clone();
        }
    }
    let request = json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params});
    request.to_string().into_bytes()
}

/// The text that a model reads.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}
