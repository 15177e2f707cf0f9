//! A server that does everything right, except for one thing.

use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;

use haft_schema::Checker;
use serde_json::{Map, Value, json};

/// Its tools. Nobody may call the second.
pub(crate) const TOOLS: &str = r#"[{"name":"get_order","description":"Look up an order","inputSchema":{"type":"object","properties":{"order_id":{"type":"string","pattern":"^A-[0-9]+$","examples":["A-1001"]},"limit":{"type":"integer","minimum":1,"maximum":5}},"required":["order_id"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"status":{"type":"string"}},"required":["status"]},"annotations":{"readOnlyHint":true}},{"name":"cancel_order","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]"#;

/// What is known of the other side.
#[derive(Default)]
pub(crate) struct State {
    greeted: bool,
    discovered: bool,
    called: bool,
    lists: usize,
}

/// What comes of a message.
#[derive(Default)]
pub(crate) struct Reply {
    pub(crate) lines: Vec<String>,
    ends: bool,
}

impl From<Vec<String>> for Reply {
    fn from(lines: Vec<String>) -> Self {
        Self { lines, ends: false }
    }
}

pub(crate) fn over_stdio(fault: &str) -> ExitCode {
    let (mut state, mut out) = (State::default(), std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let reply = answer(&line, fault, &mut state);
        for line in &reply.lines {
            if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                return ExitCode::FAILURE;
            }
        }
        if reply.ends {
            return ExitCode::FAILURE;
        }
    }
    if fault == "stays" {
        loop {
            std::thread::park();
        }
    }
    ExitCode::SUCCESS
}

/// What the server has to say to a message.
pub(crate) fn answer(line: &str, fault: &str, state: &mut State) -> Reply {
    let unreadable = |code: i64, id: Option<&str>| {
        let id = id.map(|id| format!(r#","id":{id}"#)).unwrap_or_default();
        vec![format!(r#"{{"jsonrpc":"2.0"{id},"error":{{"code":{code},"message":"no"}}}}"#)].into()
    };
    let message: Value = match serde_json::from_str(line) {
        Ok(message) => message,
        // The whole message is there: something in it is hard to read, but its id isn't.
        Err(_) if line.starts_with('{') && line.ends_with('}') => {
            let id = line.split_once("\"id\":").and_then(|(_, rest)| rest.split(',').next());
            return if fault == "silent on odd values" { Reply::default() } else { unreadable(-32600, id) };
        }
        Err(_) => return no_message(fault).unwrap_or_else(|| unreadable(-32700, None)),
    };
    let id = message.get("id").cloned();
    match &id {
        None if message.is_object() && message.get("method").is_some() => {
            let answered = fault == "answers notifications";
            return if answered { vec![error(&json!(null), -32601)].into() } else { Reply::default() };
        }
        Some(Value::String(_)) => {}
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => {}
        _ => return no_message(fault).unwrap_or_else(|| unreadable(-32600, None)),
    }
    let id = id.unwrap_or_default();
    let method = message["method"].as_str().unwrap_or_default();
    let params = message["params"].as_object().cloned().unwrap_or_default();
    if method == "server/discover" {
        state.discovered = true;
    }
    let mut lines = match serve(method, &params, fault, state) {
        Ok(result) => vec![json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()],
        Err(0) => Vec::new(),
        Err(code) => vec![error(&id, code)],
    };
    let name = params.get("name").and_then(Value::as_str);
    match fault {
        "ids become strings" if id.is_number() => {
            lines =
                lines.iter().map(|line| line.replace(&format!("\"id\":{id}"), &format!("\"id\":\"{id}\""))).collect();
        }
        "codes are strings" => lines = lines.iter().map(|line| line.replace("-32602", "\"bad\"")).collect(),
        "logs to stdout" if method == "tools/list" => lines.insert(0, "listing the tools".to_owned()),
        "sends requests" if name == Some("get_order") => {
            lines.insert(0, r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}"#.to_owned());
        }
        "logs unasked" if name == Some("get_order") => {
            lines.insert(0, r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#.to_owned());
        }
        "progress stands still" if name == Some("get_order") => {
            let token = &params["_meta"]["progressToken"];
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": 1}});
            let sent = [progress.to_string(), progress.to_string()];
            if !token.is_null() {
                lines.splice(0..0, sent);
            }
        }
        "floods" if meta_has(&params, "progressToken") => {
            lines =
                vec![
                    format!(r#"{{"jsonrpc":"2.0","method":"haft/x","params":{{"x":"{}"}}}}"#, "x".repeat(100 << 10));
                    40
                ];
        }
        _ => {}
    }
    lines.into()
}

fn meta_has(params: &Map<String, Value>, name: &str) -> bool {
    params.get("_meta").is_some_and(|meta| meta.get(name).is_some())
}

fn no_message(fault: &str) -> Option<Reply> {
    match fault {
        "silent on what is no message" => Some(Reply::default()),
        "ends at what is no message" => Some(Reply { lines: Vec::new(), ends: true }),
        _ => None,
    }
}

fn error(id: &Value, code: i64) -> String {
    let data = json!({"supported": ["2026-07-28"], "requested": "1900-01-01"});
    let error = json!({"code": code, "message": "this server speaks 2026-07-28", "data": data});
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}

/// The result, or the code of the error; 0 for silence.
fn serve(method: &str, params: &Map<String, Value>, fault: &str, state: &mut State) -> Result<Value, i64> {
    if method == "initialize" {
        if fault == "modern alone" {
            return Err(-32601);
        }
        if fault == "takes no unknown version" && params["protocolVersion"] == "1900-01-01" {
            return Err(-32602);
        }
        state.greeted = true;
        let info = json!({"name": "orders", "version": "1"});
        return Ok(json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}));
    }
    let meta = params.get("_meta");
    let field = |name: &str| meta.and_then(|meta| meta.get(format!("io.modelcontextprotocol/{name}")));
    let modern = match field("protocolVersion").and_then(Value::as_str) {
        Some(_) if fault == "legacy alone" => return Err(-32601),
        Some("2026-07-28") => true,
        Some(_) if fault == "takes every version" => true,
        Some(_) => return Err(-32022),
        None if state.greeted => false,
        None => return Err(-32602),
    };
    if modern && field("clientCapabilities").is_none() && fault != "capabilities may be missing" {
        return Err(-32602);
    }
    if fault == "needs discover first" && modern && !state.discovered {
        return Err(-32600);
    }
    let mut result = match method {
        "server/discover" if fault == "no discover" => return Err(-32601),
        "server/discover" => discovered(fault),
        "ping" if !modern => json!({}),
        "tools/list" => list(params, fault, state)?,
        "tools/call" => call(params, fault, state)?,
        _ if fault == "unknown methods are invalid" => return Err(-32602),
        _ => return Err(-32601),
    };
    let members = result.as_object_mut().ok_or(-32603)?;
    if modern {
        let kind = if fault == "an unknown result type" { "done" } else { "complete" };
        if fault != "no result type" {
            members.entry("resultType").or_insert_with(|| json!(kind));
        }
        if fault != "no server info" {
            members.insert(
                "_meta".to_owned(),
                json!({"io.modelcontextprotocol/serverInfo": {"name": "orders", "version": "1"}}),
            );
        }
    }
    Ok(result)
}

fn discovered(fault: &str) -> Value {
    let capabilities = match fault {
        "tools are not declared" => json!({}),
        "prompts are not served" => json!({"tools": {}, "prompts": {}}),
        _ => json!({"tools": {}}),
    };
    json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities, "ttlMs": 0, "cacheScope": "public"})
}

fn list(params: &Map<String, Value>, fault: &str, state: &mut State) -> Result<Value, i64> {
    let cursor = params.contains_key("cursor");
    if cursor && fault != "any cursor" && fault != "pages without end" {
        return Err(-32602);
    }
    let mut tools: Vec<Value> = serde_json::from_str(TOOLS).map_err(|_| -32603)?;
    state.lists += 1;
    if fault == "another order each time" && state.lists.is_multiple_of(2) {
        tools.reverse();
    }
    if fault == "a tool comes with a call" && state.called {
        tools.push(json!({"name": "one_more", "inputSchema": {"type": "object"}}));
    }
    let mut result = json!({"tools": tools, "ttlMs": 0, "cacheScope": "public"});
    if fault == "pages without end" && (!cursor || params["cursor"] == "again") {
        result["nextCursor"] = json!("again");
    } else if fault == "pages without end" {
        return Err(-32602);
    }
    Ok(result)
}

fn call(params: &Map<String, Value>, fault: &str, state: &mut State) -> Result<Value, i64> {
    let malformed = if fault == "malformed calls are unknown methods" { -32601 } else { -32602 };
    let name = params.get("name").and_then(Value::as_str).ok_or(malformed)?;
    let arguments = params.get("arguments").filter(|arguments| arguments.is_object()).ok_or(malformed)?;
    let said = |text: &str, failed: bool| json!({"content": [{"type": "text", "text": text}], "isError": failed});
    match (name, fault) {
        ("get_order", _) => {}
        ("cancel_order", _) => panic!("a tool that writes was called"),
        (_, "unknown tools are results") => return Ok(said("there is no such tool", true)),
        // Whether a number too large is a message depends on the features of serde_json: that is another fault.
        (_, "silent on unknown tools") if arguments.as_object().is_some_and(Map::is_empty) => return Err(0),
        (_, "an old code") => return Err(-32000),
        _ => return Err(-32602),
    }
    state.called = true;
    let tools: Value = serde_json::from_str(TOOLS).map_err(|_| -32603)?;
    let checker = Checker::compile(&tools[0]["inputSchema"]).map_err(|_| -32603)?;
    let violations = checker.check(arguments);
    if let (Some(violation), false) = (violations.first(), fault == "takes all arguments") {
        return match fault {
            "arguments are errors of the protocol" => Err(-32602),
            "errors name nothing" => Ok(said("no", true)),
            _ => Ok(said(&violation.to_string(), true)),
        };
    }
    let text = r#"{"status":"shipped"}"#;
    let structured = json!({"status": "shipped"});
    let mut result = said(text, false);
    result["structuredContent"] = structured;
    match fault {
        "asks back" => result = json!({"resultType": "input_required", "inputRequests": {}}),
        "nothing structured" => result = said(text, false),
        "another structure" => {
            result["structuredContent"] = json!({"status": 7});
            result["content"][0]["text"] = json!(r#"{"status":7}"#);
        }
        "no content" => result = json!({"structuredContent": {"status": "shipped"}}),
        "calls fail" => result = said("it is closed today", true),
        "calls fail by the protocol" => return Err(-32603),
        "a long text" => result["content"][0]["text"] = json!(format!("shipped {}", "x".repeat(160_000))),
        _ => {}
    }
    Ok(result)
}
