//! A request over HTTP: the answer is one that the protocol knows, whatever was asked.
//!
//! The input is text: a line with method and path, a line for each header, an empty line, and the body. All of the
//! head may be left out. Headers that every request needs are filled in from the body, so that a fuzzer need not learn
//! to keep the two alike; `-Name` leaves one of them out. A `Mcp-Session-Id` that is the date of a revision stands for
//! a session of that revision.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use haft::{HttpBody, HttpOptions, HttpService};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri, header};
use http_body::Body;
use http_body_util::Full;
use serde_json::Value;
use tower_service::Service;

use crate::message::{Answer, read};
use crate::server::{MAX_MESSAGE, SERVER};

/// More pieces than any answer has that comes to an end.
const PIECES: usize = 1_000;

const SESSION: &str = "mcp-session-id";
/// Revisions with sessions.
const VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// Sends the request that `input` describes and judges the answer.
pub fn run(input: &[u8]) {
    let Some(request) = parse(input) else { return };
    let options = HttpOptions::new()
        .allow_host("localhost")
        .allow_host("mcp.example.com")
        .allow_origin("https://app.example.com")
        .cors(true)
        .max_body(MAX_MESSAGE)
        .deadline(Duration::from_secs(60));
    let asked = Asked::of(&request);
    let (answer, body) = crate::block_on(async {
        let mut service = SERVER.clone().into_http_service(options);
        let mut request = request.map(Full::new);
        if let Some(session) = request.headers_mut().get_mut(SESSION) {
            open_session(&mut service, session).await;
        }
        let Ok(answer) = service.call(request).await;
        let (head, body) = answer.into_parts();
        (Response::from_parts(head, ()), collect(body).await)
    });
    asked.judge(&answer, &body);
}

/// Puts the id of a new session in the place of the revision that it is of.
async fn open_session(service: &mut HttpService, session: &mut HeaderValue) {
    let Some(version) = session.to_str().ok().filter(|version| VERSIONS.contains(version)) else { return };
    let client =
        r#""capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"f","version":"1"}"#;
    let params = format!(r#"{{"protocolVersion":"{version}",{client}}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#);
    let mut initialize = Request::new(Full::new(Bytes::from(body)));
    *initialize.method_mut() = Method::POST;
    *initialize.headers_mut() = needed(b"");
    let Ok(answer) = service.call(initialize).await;
    session.clone_from(&answer.headers()[SESSION]);
}

/// The whole body. Subscriptions end once they have begun.
async fn collect(body: HttpBody) -> Vec<u8> {
    let (mut body, mut whole) = (pin!(body), Vec::new());
    for _ in 0..PIECES {
        let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await else { return whole };
        let Ok(frame) = frame;
        whole.extend_from_slice(&frame.into_data().unwrap_or_default());
        SERVER.handle().end_subscriptions();
    }
    panic!("an answer without an end");
}

fn parse(input: &[u8]) -> Option<Request<Bytes>> {
    let end = input.windows(2).position(|pair| pair == b"\n\n");
    let (head, body) = match end {
        Some(end) => (&input[..end], &input[end + 2..]),
        None => (&input[..0], input),
    };
    let mut lines = head.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut request = Request::new(Bytes::copy_from_slice(body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = Uri::from_static("/mcp");
    let mut headers = needed(body);
    if let Some(first) = lines.next() {
        let mut words = first.splitn(2, |byte| *byte == b' ');
        *request.method_mut() = Method::from_bytes(words.next()?).ok()?;
        *request.uri_mut() = Uri::try_from(words.next()?).ok()?;
    }
    let mut given = HeaderMap::new();
    for line in lines {
        match line.strip_prefix(b"-") {
            Some(name) => drop(headers.remove(HeaderName::from_bytes(name).ok()?)),
            None => {
                let colon = line.iter().position(|byte| *byte == b':')?;
                let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
                given.append(HeaderName::from_bytes(&line[..colon]).ok()?, value);
            }
        }
    }
    headers.extend(given);
    *request.headers_mut() = headers;
    Some(request)
}

/// The headers that go with a body.
fn needed(body: &[u8]) -> HeaderMap {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let params = &message["params"];
    let mirrored = [
        ("mcp-protocol-version", &params["_meta"]["io.modelcontextprotocol/protocolVersion"]),
        ("mcp-method", &message["method"]),
        ("mcp-name", if message["method"] == "resources/read" { &params["uri"] } else { &params["name"] }),
        ("mcp-param-region", &params["arguments"]["region"]),
    ];
    let mirrored = mirrored.into_iter().filter_map(|(name, value)| {
        Some((HeaderName::from_static(name), HeaderValue::from_str(value.as_str()?).ok()?))
    });
    let fixed = [
        (header::HOST, "localhost"),
        (header::CONTENT_TYPE, "application/json"),
        (header::ACCEPT, "application/json, text/event-stream"),
    ];
    fixed.map(|(name, value)| (name, HeaderValue::from_static(value))).into_iter().chain(mirrored).collect()
}

/// What the answer is held against.
struct Asked {
    method: Method,
    /// Whether a header names somebody that this server doesn't know.
    foreign: bool,
    /// Whether the client has a session.
    session: bool,
    id: Option<String>,
}

impl Asked {
    fn of(request: &Request<Bytes>) -> Self {
        let names = |name: HeaderName, known: &[&str]| {
            let mut values = request.headers().get_all(name).iter();
            values.all(|value| {
                let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
                known.iter().any(|known| value.contains(known))
            })
        };
        let known = ["localhost", "mcp.example.com"];
        let origins = [&known[..], &["https://app.example.com"]].concat();
        let id = match haft_wire::parse(request.body(), &haft_wire::Limits::default()) {
            Ok(haft_wire::Message::Request(request)) => Some(crate::message::json(&request.id)),
            _ => None,
        };
        let foreign = !names(header::HOST, &known) || !names(header::ORIGIN, &origins);
        let session = request.headers().contains_key(SESSION);
        Self { method: request.method().clone(), foreign, session, id }
    }

    fn judge(&self, answer: &Response<()>, body: &[u8]) {
        let status = answer.status().as_u16();
        let what = || format!("{answer:?} {}", String::from_utf8_lossy(body));
        if self.foreign {
            assert_eq!(status, 403, "{}", what());
        } else if self.method != Method::POST && !self.session {
            assert!(matches!(status, 403 | 405) || self.method == Method::OPTIONS && status == 204, "{}", what());
        }
        let messages = match answer.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes) {
            None => {
                assert!(body.is_empty() && matches!(status, 202 | 204), "{}", what());
                return;
            }
            Some(b"application/json") => vec![body],
            Some(b"text/event-stream") => events(body),
            Some(_) => panic!("neither JSON nor events: {}", what()),
        };
        let read: Vec<Answer> = messages.into_iter().map(read).collect();
        if self.session {
            return;
        }
        let (last, before) = read.split_last().unwrap_or_else(|| panic!("an empty answer: {}", what()));
        assert!(before.iter().all(|message| *message == Answer::Notification), "{}", what());
        let Answer::Response(id) = last else { panic!("no answer at the end: {}", what()) };
        assert!(id.is_none() || *id == self.id || self.id.is_none(), "another's answer: {}", what());
        if status == 200 {
            assert!(id.is_some() && *id == self.id, "an answer to nobody: {}", what());
        }
    }
}

/// The data of each event.
fn events(body: &[u8]) -> Vec<&[u8]> {
    let text = std::str::from_utf8(body).expect("events are UTF-8");
    let mut pieces: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(pieces.pop(), Some(""), "the last event is cut off");
    pieces.into_iter().filter_map(message).collect()
}

/// The message of an event. Comments have none; nor has the first event of a session's stream, which has an id only.
fn message(event: &str) -> Option<&[u8]> {
    let event = if event.starts_with("id: ") { event.split_once('\n')?.1 } else { event };
    if event == ":" || event.starts_with("retry: ") {
        return None;
    }
    let data = event.strip_prefix("event: message\ndata: ");
    Some(data.unwrap_or_else(|| panic!("not an event: {event:?}")).as_bytes())
}
