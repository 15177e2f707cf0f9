//! What is asked, and whether the answer is right.

use serde_json::Value;

/// Ids all have so many digits, so that every request and every answer of a load has the same length.
pub const FIRST_ID: u64 = 1_000_000;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}"#;

/// One kind of request.
#[derive(Clone)]
pub struct Call {
    pub method: &'static str,
    pub name: Option<&'static str>,
    params: String,
    right: fn(&Value) -> bool,
}

impl Call {
    pub fn get_order() -> Self {
        Self::tool("get_order", r#"{"order_id":"A-1001"}"#, |result| {
            result["structuredContent"]["order_id"] == "A-1001" && result["structuredContent"]["status"] == "shipped"
        })
    }

    /// An argument that breaks the pattern: the model is told, or, by some SDKs, the client.
    pub fn refused() -> Self {
        Self::tool("get_order", r#"{"order_id":"1001"}"#, |result| {
            result["isError"] == true && result["structuredContent"].is_null()
        })
    }

    /// An argument of so many objects, about 250 bytes each.
    pub fn place_order(lines: usize) -> Self {
        let line = r#"{"sku":"AX-17-442-B","quantity":3,"price":19.75,"note":"Leave it with the neighbours, if nobody is at home.","ship_to":{"name":"Ada Lovelace","street":"St James's Square 12","city":"London","country":"United Kingdom"}}"#;
        let lines = vec![line; lines].join(",");
        let right = |result: &Value| {
            let placed = &result["structuredContent"];
            placed["lines"].as_u64().is_some_and(|lines| lines > 0 && placed["pieces"] == 3 * lines)
        };
        Self::tool("place_order", &format!(r#"{{"lines":[{lines}]}}"#), right)
    }

    pub fn report() -> Self {
        let right = |result: &Value| result["content"][0]["text"].as_str().is_some_and(|text| text.len() == 1 << 20);
        Self::tool("report", "{}", right)
    }

    pub fn track() -> Self {
        let mut call = Self::tool("track", "{}", |result| result["content"][0]["text"] == "arrived");
        call.params = call.params.replacen(r#""_meta":{"#, r#""_meta":{"progressToken":"p","#, 1);
        call
    }

    pub fn list() -> Self {
        let right = |result: &Value| result["tools"].as_array().is_some_and(|tools| tools.len() > 2);
        Self { method: "tools/list", name: None, params: format!("{{{META}}}}}"), right }
    }

    pub fn subscribe() -> Self {
        let params = format!(r#"{{"notifications":{{"toolsListChanged":true}},{META}}}}}"#);
        Self { method: "subscriptions/listen", name: None, params, right: |_| true }
    }

    fn tool(name: &'static str, arguments: &str, right: fn(&Value) -> bool) -> Self {
        let params = format!(r#"{{"name":"{name}","arguments":{arguments},{META}}}}}"#);
        Self { method: "tools/call", name: Some(name), params, right }
    }

    /// The request's bytes, without a line feed.
    pub fn write(&self, id: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id.to_string().as_bytes());
        out.extend_from_slice(br#","method":""#);
        out.extend_from_slice(self.method.as_bytes());
        out.extend_from_slice(br#"","params":"#);
        out.extend_from_slice(self.params.as_bytes());
        out.push(b'}');
    }
}

/// Holds every answer against what the call should get.
///
/// One is read as JSON; those that are the same but for their id are compared as bytes, so that checking costs little.
pub struct Check {
    call: Call,
    /// A server that speaks no MCP: only the length of its answers is known.
    length: Option<usize>,
    same: Option<(Vec<u8>, Vec<u8>)>,
}

impl Check {
    pub fn new(call: Call, length: Option<usize>) -> Self {
        Self { call, length, same: None }
    }

    /// The id that was answered. `None` for what is a notification.
    pub fn answer(&mut self, answer: &[u8]) -> Result<Option<u64>, String> {
        if let Some(length) = self.length {
            return if answer.len() == length { Ok(Some(0)) } else { Err(format!("{} bytes", answer.len())) };
        }
        if let Some((before, after)) = &self.same
            && let Some(rest) = answer.strip_prefix(before.as_slice())
            && let Some(id) = rest.strip_suffix(after.as_slice())
            && id.len() == 7
            && let Some(id) = std::str::from_utf8(id).ok().and_then(|id| id.parse().ok())
        {
            return Ok(Some(id));
        }
        let shown = || String::from_utf8_lossy(&answer[..answer.len().min(400)]).into_owned();
        let value: Value = serde_json::from_slice(answer).map_err(|error| format!("{error}: {}", shown()))?;
        if value.get("id").is_none() && value.get("method").is_some() {
            return Ok(None);
        }
        let id = value["id"].as_u64().ok_or_else(shown)?;
        // Some SDKs refuse arguments by a protocol error.
        let refused = self.call.params.contains(r#""1001""#) && value["error"]["code"].is_i64();
        if !refused && !(self.call.right)(&value["result"]) {
            return Err(format!("a wrong answer: {}", shown()));
        }
        let digits = format!(r#""id":{id}"#);
        if let Some(at) = answer.windows(digits.len()).position(|window| window == digits.as_bytes()) {
            let (before, after) = (at + 5, at + digits.len());
            self.same = Some((answer[..before].to_vec(), answer[after..].to_vec()));
        }
        Ok(Some(id))
    }
}
