//! A client of an older revision, on a raw connection. What it reads is held against that revision's schema.

use std::collections::HashMap;

use haft::Server;
use serde_json::{Value, json};

use crate::specification::Specification;
use crate::wire::Wire;

pub(crate) const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
pub(crate) const NEWEST: &str = VERSIONS[0];

pub(crate) struct Old {
    pub(crate) wire: Wire,
    /// What the server says of itself.
    pub(crate) welcome: Value,
    specification: Option<Specification>,
    version: String,
    methods: HashMap<i64, String>,
    last: i64,
}

pub(crate) fn initialize(version: &str, capabilities: Value) -> Vec<u8> {
    let client = json!({"name": "old", "version": "1.0.0"});
    let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client});
    message(Some(0), "initialize", params)
}

pub(crate) fn message(id: Option<i64>, method: &str, params: Value) -> Vec<u8> {
    let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
    if let Some(id) = id {
        message["id"] = id.into();
    }
    message.to_string().into_bytes()
}

pub(crate) fn initialized() -> Vec<u8> {
    br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec()
}

pub(crate) fn answer(question: &Value, result: Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string().into_bytes()
}

/// All that a client can be asked.
pub(crate) fn can_all() -> Value {
    json!({"sampling": {}, "elicitation": {"form": {}, "url": {}}, "roots": {"listChanged": true}})
}

impl Old {
    /// A session that has begun.
    pub(crate) async fn of(server: &Server, version: &str, capabilities: Value) -> Self {
        let mut wire = Wire::new(server);
        wire.send(initialize(version, capabilities)).await;
        let welcome = wire.recv().await;
        let specification = Specification::strictly(version);
        let (version, methods) = (version.to_owned(), HashMap::from([(0, "initialize".to_owned())]));
        let mut old = Self { wire, welcome: Value::Null, specification, version, methods, last: 0 };
        old.hold(&welcome);
        assert_eq!(welcome["result"]["protocolVersion"], old.version, "{welcome}");
        old.welcome = welcome["result"].clone();
        old.wire.send(initialized()).await;
        old
    }

    pub(crate) async fn send(&mut self, method: &str, params: Value) -> i64 {
        self.last += 1;
        self.methods.insert(self.last, method.to_owned());
        self.wire.send(message(Some(self.last), method, params)).await;
        self.last
    }

    pub(crate) async fn recv(&mut self) -> Value {
        let frame = self.wire.recv().await;
        self.hold(&frame);
        frame
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(method, params).await;
        self.recv().await
    }

    pub(crate) async fn call(&mut self, tool: &str) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": {}})).await
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) {
        self.wire.send(message(None, method, params)).await;
    }

    /// Answers a question; gives the frame that comes next.
    pub(crate) async fn answer(&mut self, question: &Value, result: Value) -> Value {
        self.wire.send(answer(question, result)).await;
        self.recv().await
    }

    /// Nothing is on its way: what comes next answers this.
    pub(crate) async fn is_quiet(&mut self) {
        let id = self.send("ping", json!({})).await;
        let pong = self.recv().await;
        assert_eq!((&pong["id"], &pong["result"]), (&json!(id), &json!({})), "{pong}");
    }

    fn hold(&self, frame: &Value) {
        let asked = frame["id"].as_i64().and_then(|id| self.methods.get(&id));
        if let Some(specification) = &self.specification {
            hold(specification, &self.version, asked.map(String::as_str), frame);
        }
    }
}

/// Holds a frame against its definition; `asked` is the method that a result answers.
pub(crate) fn hold(specification: &Specification, version: &str, asked: Option<&str>, frame: &Value) {
    let newest = version == NEWEST;
    assert_eq!(frame["jsonrpc"], "2.0");
    if let Some(result) = frame.get("result") {
        let definition = match asked.expect("what was asked") {
            "initialize" => "InitializeResult",
            "tools/list" => "ListToolsResult",
            "tools/call" => "CallToolResult",
            "resources/list" => "ListResourcesResult",
            "resources/templates/list" => "ListResourceTemplatesResult",
            "resources/read" => "ReadResourceResult",
            "prompts/list" => "ListPromptsResult",
            "prompts/get" => "GetPromptResult",
            "completion/complete" => "CompleteResult",
            _ => "EmptyResult",
        };
        return specification.hold(definition, result);
    }
    if frame.get("error").is_some() {
        return specification.hold(if newest { "JSONRPCErrorResponse" } else { "JSONRPCError" }, frame);
    }
    let definition = match frame["method"].as_str().expect("a method") {
        "elicitation/create" => "ElicitRequest",
        "sampling/createMessage" => "CreateMessageRequest",
        "roots/list" => "ListRootsRequest",
        "notifications/progress" => "ProgressNotification",
        "notifications/message" => "LoggingMessageNotification",
        "notifications/cancelled" => "CancelledNotification",
        "notifications/tools/list_changed" => "ToolListChangedNotification",
        "notifications/prompts/list_changed" => "PromptListChangedNotification",
        "notifications/resources/list_changed" => "ResourceListChangedNotification",
        "notifications/resources/updated" => "ResourceUpdatedNotification",
        other => panic!("{other}"),
    };
    let mut frame = frame.clone();
    if !newest {
        // The envelope has a definition of its own.
        frame.as_object_mut().unwrap().retain(|name, _| name == "method" || name == "params");
    }
    specification.hold(definition, &frame);
}
