//! What is tried, in which order.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Probing;
use super::arguments::{Attempt, Input};
use super::connection::{self, Connection};
use super::frame::{self, Frame, Wants};
use crate::exchange::{End, Exchange, Probe, Spoken};

/// The most pages of a list that are read.
const MOST_PAGES: usize = 50;
/// The most tools that are called, and the most calls.
const MOST_TOOLS: usize = 60;
const MOST_CALLS: usize = 300;
/// The most bytes that are kept of all that came.
const MOST_BYTES: usize = 256 << 20;
/// The name of a tool that no server has.
const NO_TOOL: &str = "haft_no_such_tool";
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// A run of all probes.
pub(super) struct Script {
    connection: Connection,
    options: Probing,
    seen: Vec<Exchange>,
    id: u64,
    /// How many bytes came.
    bytes: usize,
    /// Whether the server couldn't be started again, or sent more than anybody keeps.
    lost: bool,
}

impl Script {
    pub(super) fn new(connection: Connection, options: Probing) -> Self {
        Self { connection, options, seen: Vec::new(), id: 0, bytes: 0, lost: false }
    }

    pub(super) async fn run(mut self) -> Vec<Exchange> {
        let modern = self.is_modern().await;
        if modern {
            self.all(Spoken::Modern).await;
            self.connection.renew();
            self.list(Probe::ListFirst, Spoken::Modern, None).await;
        }
        self.connection.renew();
        let id = self.next();
        let greeting = connection::initialize(id).within(self.options.patience);
        if self.send(greeting).await.is_some_and(|exchange| result(&exchange).is_some()) {
            self.send(connection::initialized()).await;
            if modern {
                self.list(Probe::List, Spoken::Legacy, None).await;
            } else {
                self.all(Spoken::Legacy).await;
            }
            self.connection.renew();
            let id = self.next();
            self.send(connection::initialize_with(Probe::InitializeUnknown, id, "1900-01-01")).await;
        }
        self.seen
    }

    /// Whether 2026-07-28 is spoken: the server is discovered, or serves a list by that revision.
    async fn is_modern(&mut self) -> bool {
        let id = self.next();
        let discover = Frame::request(Probe::Discover, Spoken::Modern, id, "server/discover", Map::new());
        let discover = self.send(discover.within(self.options.patience)).await;
        let supported = |it: &Exchange| result(it).is_some_and(|result| result.get("supportedVersions").is_some());
        if discover.as_ref().is_some_and(supported) {
            return true;
        }
        // A server that keeps silent before `initialize` would keep silent again.
        if discover.is_none_or(|exchange| exchange.end != End::Answered) {
            return false;
        }
        let list = self.list(Probe::ListFirst, Spoken::Modern, None).await;
        list.is_some_and(|exchange| result(&exchange).is_some_and(|result| result.get("resultType").is_some()))
    }

    /// Everything there is to try in one era.
    async fn all(&mut self, era: Spoken) {
        let tools = self.pages(era).await;
        self.list(Probe::ListAgain, era, None).await;
        self.list(Probe::BadCursor, era, Some("haft-no-such-cursor")).await;
        if era == Spoken::Modern {
            self.other_lists().await;
            self.incomplete().await;
            self.versions().await;
        }
        self.unknown(era).await;
        self.ids(era).await;
        self.notifications(era).await;
        if self.connection.is_http() {
            self.over_http(era).await;
        }
        self.calls(era, &tools).await;
        self.list(Probe::ListAfterCalls, era, None).await;
        self.hard_to_read(era).await;
        if let Some(closed) = self.connection.close(era).await {
            self.seen.push(closed);
        }
    }

    async fn pages(&mut self, era: Spoken) -> Vec<Value> {
        let mut tools = Vec::new();
        let mut cursors: Vec<String> = Vec::new();
        while cursors.len() < MOST_PAGES {
            let probe = if cursors.is_empty() { Probe::List } else { Probe::Page };
            let Some(page) = self.list(probe, era, cursors.last().map(String::as_str)).await else { break };
            let Some(result) = result(&page) else { break };
            tools.extend(result["tools"].as_array().cloned().unwrap_or_default());
            match result["nextCursor"].as_str() {
                Some(next) if !cursors.iter().any(|known| known == next) => cursors.push(next.to_owned()),
                _ => break,
            }
        }
        tools
    }

    async fn list(&mut self, probe: Probe, era: Spoken, cursor: Option<&str>) -> Option<Exchange> {
        let id = self.next();
        let params = cursor.map(|cursor| ("cursor".to_owned(), json!(cursor))).into_iter().collect();
        let frame = Frame::request(probe, era, id, "tools/list", params);
        let patience = self.options.patience;
        self.send(if probe == Probe::List { frame.within(patience) } else { frame }).await
    }

    /// The lists of what the server says that it has.
    async fn other_lists(&mut self) {
        let discovered = self.seen.iter().find(|exchange| exchange.probe == Probe::Discover).and_then(result);
        let capabilities = discovered.map(|result| result["capabilities"].clone()).unwrap_or_default();
        for (capability, method) in
            [("prompts", "prompts/list"), ("resources", "resources/list"), ("resources", "resources/templates/list")]
        {
            if capabilities.get(capability).is_some() {
                let id = self.next();
                let frame = Frame::request(Probe::OtherList, Spoken::Modern, id, method, Map::new());
                self.send(frame.detail(method)).await;
            }
        }
    }

    async fn incomplete(&mut self) {
        for (detail, params) in [
            ("no params", Value::Null),
            ("no _meta", json!({})),
            ("no version", json!({"_meta": {CAPABILITIES: {}}})),
            ("no capabilities", json!({"_meta": {VERSION: frame::MODERN}})),
        ] {
            let id = self.next();
            let body = frame::message(Some(json!(id)), "tools/list", params);
            let frame = Frame::raw(Probe::IncompleteMeta, Spoken::Modern, body, Wants::Answer(id.to_string()));
            self.send(frame.detail(detail)).await;
        }
    }

    async fn versions(&mut self) {
        let id = self.next();
        let params = json!({"_meta": {VERSION: "1900-01-01", CAPABILITIES: {}}});
        let body = frame::message(Some(json!(id)), "tools/list", params);
        let frame = Frame::raw(Probe::UnsupportedVersion, Spoken::Modern, body, Wants::Answer(id.to_string()));
        self.send(frame).await;
    }

    /// Methods, tools and calls that aren't there. Nothing can run: the tool doesn't exist.
    async fn unknown(&mut self, era: Spoken) {
        let frame = self.call(Probe::UnknownTool, era, NO_TOOL, json!({}));
        self.send(frame).await;
        let id = self.next();
        self.send(Frame::request(Probe::UnknownMethod, era, id, "haft/no_such_method", Map::new())).await;
        for (detail, params) in [
            ("arguments are an array", json!({"name": NO_TOOL, "arguments": ["haft"]})),
            ("arguments are a string", json!({"name": NO_TOOL, "arguments": "haft"})),
            ("no name", json!({"arguments": {}})),
            ("name is a number", json!({"name": 1, "arguments": {}})),
        ] {
            let id = self.next();
            let params = params.as_object().cloned().unwrap_or_default();
            let mut frame = Frame::request(Probe::MalformedCall, era, id, "tools/call", params).detail(detail);
            if !detail.starts_with("arguments") {
                frame = frame.header("Mcp-Name", Some(NO_TOOL));
            }
            self.send(frame).await;
        }
    }

    async fn ids(&mut self, era: Spoken) {
        let method = if era == Spoken::Modern { "server/discover" } else { "ping" };
        for id in [json!(0), json!(-7), json!(9_007_199_254_740_991_u64), json!("7"), json!("h\u{e4}ft \"id\"")] {
            let body = frame::message(Some(id.clone()), method, frame::with_meta(era, Map::new()));
            let frame = Frame::raw(Probe::Id, era, body, Wants::Answer(frame::loose(&id)));
            self.send(frame.detail(id.to_string())).await;
        }
    }

    async fn notifications(&mut self, era: Spoken) {
        for (method, params) in [
            ("notifications/haft_no_such_thing", Map::new()),
            ("notifications/cancelled", Map::from_iter([("requestId".to_owned(), json!("haft-never-sent"))])),
        ] {
            let body = frame::message(None, method, frame::with_meta(era, params));
            self.send(Frame::raw(Probe::Notification, era, body, Wants::Nothing).detail(method)).await;
        }
    }

    async fn over_http(&mut self, era: Spoken) {
        let list = |script: &mut Self, probe: Probe| {
            let id = script.next();
            Frame::request(probe, era, id, "tools/list", Map::new())
        };
        let foreign = list(self, Probe::Origin).header("Origin", Some("https://haft-probe.invalid"));
        self.send(foreign).await;
        if era == Spoken::Legacy {
            return;
        }
        for (detail, name, value) in [
            ("no Mcp-Method", "Mcp-Method", None),
            ("another Mcp-Method", "Mcp-Method", Some("tools/call")),
            ("no MCP-Protocol-Version", "MCP-Protocol-Version", None),
            ("another MCP-Protocol-Version", "MCP-Protocol-Version", Some(frame::LEGACY)),
        ] {
            let frame = list(self, Probe::Headers).detail(detail).header(name, value);
            self.send(frame).await;
        }
        for (detail, value) in [("no Mcp-Name", None), ("another Mcp-Name", Some("haft_another_tool"))] {
            let frame = self.call(Probe::Headers, era, NO_TOOL, json!({}));
            self.send(frame.detail(detail).header("Mcp-Name", value)).await;
        }
        let encoded = self.call(Probe::EncodedName, era, NO_TOOL, json!({}));
        // `haft_no_such_tool`
        self.send(encoded.header("Mcp-Name", Some("=?base64?aGFmdF9ub19zdWNoX3Rvb2w=?="))).await;
        for method in ["GET", "DELETE"] {
            let mut frame = list(self, Probe::Method).detail(method);
            frame.method = method;
            frame.body.clear();
            frame.wants = Wants::Nothing;
            self.send(frame.within(Duration::from_secs(2))).await;
        }
    }

    /// Calls of tools that only read, unless the user wants all of them called.
    async fn calls(&mut self, era: Spoken, tools: &[Value]) {
        let reads = |tool: &Value| tool["annotations"]["readOnlyHint"] == true;
        let called = tools.iter().filter(|tool| self.options.call_writes || reads(tool)).take(MOST_TOOLS);
        let mut frames = Vec::new();
        for tool in called.cloned().collect::<Vec<_>>() {
            let (Some(name), Some(input)) = (tool["name"].as_str(), Input::new(&tool["inputSchema"])) else { continue };
            let given = self.options.arguments.get(name);
            let good: Vec<Attempt> = match given {
                Some(given) => given.iter().map(|it| ("given".to_owned(), it.clone())).collect(),
                None => input.good(),
            };
            let bad = input.bad(good.first().map(|(_, arguments)| arguments));
            for (probe, attempts) in [(Probe::GoodCall, good), (Probe::BadCall, bad)] {
                for (detail, arguments) in attempts {
                    let headers = mirrored(&tool["inputSchema"], &arguments);
                    let mut frame = self.call(probe, era, name, arguments).detail(detail).tool(name);
                    frame.headers.extend(headers);
                    frames.push(frame.within(self.options.patience));
                }
            }
        }
        for frame in frames.into_iter().take(MOST_CALLS) {
            self.send(frame).await;
        }
    }

    /// What can't be read, or hardly: last, since servers have ended over it.
    async fn hard_to_read(&mut self, era: Spoken) {
        let ping = |id: &str| {
            let method = if era == Spoken::Modern { "server/discover" } else { "ping" };
            let params = frame::with_meta(era, Map::new());
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
        };
        for id in ["null", "1.5", "{}"] {
            self.send(Frame::raw(Probe::BadId, era, ping(id), Wants::Any).detail(id)).await;
        }
        let batch = format!("[{}]", ping("\"haft-batch\""));
        for (detail, body) in [
            ("not JSON", "haft: this is not JSON"),
            ("cut off", r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","#),
            ("a string", r#""tools/list""#),
            ("a batch", batch.as_str()),
        ] {
            self.send(Frame::raw(Probe::NotAMessage, era, body, Wants::Any).detail(detail)).await;
        }
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        let digits = "9".repeat(5_000);
        for (detail, value) in
            [("half a character", r#""\ud800""#), ("5,000 levels", deep.as_str()), ("5,000 digits", digits.as_str())]
        {
            let frame = self.call(Probe::OddValue, era, NO_TOOL, json!({"haft": "VALUE"}));
            let body = frame.body.replace("\"VALUE\"", value);
            self.send(Frame { body, wants: Wants::Any, ..frame }.detail(detail)).await;
        }
    }

    fn call(&mut self, probe: Probe, era: Spoken, name: &str, arguments: Value) -> Frame {
        let id = self.next();
        let mut params = Map::from_iter([("name".to_owned(), json!(name)), ("arguments".to_owned(), arguments)]);
        if probe == Probe::GoodCall {
            params.insert("_meta".to_owned(), json!({"progressToken": format!("haft-progress-{id}")}));
        }
        let frame = Frame::request(probe, era, id, "tools/call", params);
        // Over HTTP the headers are made from the body; where that can't be read they are these.
        if era == Spoken::Modern {
            let named =
                frame.header("Mcp-Method", Some("tools/call")).header("MCP-Protocol-Version", Some(frame::MODERN));
            return named.header("Mcp-Name", Some(name));
        }
        frame
    }

    fn next(&mut self) -> u64 {
        self.id += 1;
        self.id
    }

    async fn send(&mut self, frame: Frame) -> Option<Exchange> {
        if self.lost {
            return None;
        }
        let deadline = frame.deadline.min(self.options.patience);
        let exchange = self.connection.exchange(&frame.within(deadline)).await;
        match &exchange {
            Some(exchange) => {
                self.bytes += exchange.received.iter().map(String::len).sum::<usize>();
                self.lost = self.bytes > MOST_BYTES;
                self.seen.push(exchange.clone());
            }
            None => self.lost = true,
        }
        exchange
    }
}

/// The result of an exchange, if that is what came.
fn result(exchange: &Exchange) -> Option<Value> {
    let answers = exchange.received.iter().rev().filter_map(|text| serde_json::from_str::<Value>(text).ok());
    answers.filter_map(|answer| answer.get("result").filter(|it| it.is_object()).cloned()).next()
}

/// The headers that go with the arguments of a call.
fn mirrored(schema: &Value, arguments: &Value) -> Vec<(String, Option<String>)> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let header = |(name, schema): (&String, &Value)| {
        let header = schema["x-mcp-header"].as_str()?;
        let value = arguments.get(name)?;
        let written = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some((format!("Mcp-Param-{header}"), Some(written)))
    };
    properties.filter_map(header).collect()
}
