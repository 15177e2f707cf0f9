//! A server over HTTP: one request for each message.

use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, Url};
use serde_json::Value;

use super::ProbeError;
use super::frame::{self, Frame, Wants};
use super::sse::Events;
use crate::exchange::{End, Exchange, HttpRequest, HttpResponse, Spoken};

/// What is shown in place of a header's value that the user gave.
const HIDDEN: &str = "(hidden)";

/// An endpoint.
#[derive(Debug)]
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    own: Vec<(String, String)>,
    /// The most bytes of one answer that are read.
    most: usize,
    /// What `initialize` opened: the id and the version.
    session: Option<(Option<String>, String)>,
}

impl Endpoint {
    pub(super) fn new(url: &str, own: Vec<(String, String)>, most: usize) -> Result<Self, ProbeError> {
        let parsed = Url::parse(url).map_err(|error| ProbeError(format!("{url}: {error}")))?;
        let client = Client::builder().redirect(Policy::none()).connect_timeout(Duration::from_secs(10)).build();
        let client = client.map_err(|error| ProbeError(format!("there is no HTTP client: {error}")))?;
        Ok(Self { client, url: parsed, own, most, session: None })
    }

    pub(super) fn forget_session(&mut self) {
        self.session = None;
    }

    /// Takes up the session that an `initialize` opened.
    pub(super) fn open_session(&mut self, exchange: &Exchange) {
        let headers = exchange.response.iter().flat_map(|response| &response.headers);
        let mut ids = headers.filter(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"));
        let id = ids.next().map(|(_, value)| value.clone());
        let answer = exchange.received.iter().find_map(|text| serde_json::from_str::<Value>(text).ok());
        let version = answer.and_then(|answer| answer["result"]["protocolVersion"].as_str().map(str::to_owned));
        self.session = Some((id, version.unwrap_or_else(|| frame::LEGACY.to_owned())));
    }

    pub(super) async fn exchange(&mut self, frame: &Frame) -> Exchange {
        let headers = self.headers(frame);
        let mut exchange = Exchange::new(frame.probe, frame.body.as_str());
        exchange.request = Some(HttpRequest {
            method: frame.method.to_owned(),
            url: self.shown_url(),
            headers: headers.iter().map(|(name, value)| (name.clone(), self.shown(name, value))).collect(),
        });
        let begun = Instant::now();
        let answer = tokio::time::timeout(frame.deadline, self.send(frame, &headers, &mut exchange)).await;
        exchange.end = answer.unwrap_or(End::Silent);
        exchange.ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        exchange
    }

    async fn send(&self, frame: &Frame, headers: &[(String, String)], exchange: &mut Exchange) -> End {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()))
            else {
                continue;
            };
            map.append(name, value);
        }
        let method = Method::from_bytes(frame.method.as_bytes()).unwrap_or(Method::POST);
        let mut request = self.client.request(method, self.url.clone()).headers(map);
        if frame.method == "POST" {
            request = request.body(frame.body.clone());
        }
        let Ok(response) = request.send().await else { return End::Died };
        let mut headers = Vec::new();
        for (name, value) in response.headers() {
            headers.push((name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        }
        exchange.response = Some(HttpResponse { status: response.status().as_u16(), headers });
        receive(response, &frame.wants, self.most, exchange).await
    }

    /// The headers that a message has to have, changed as the frame says.
    fn headers(&self, frame: &Frame) -> Vec<(String, String)> {
        let mut headers = vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("Accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ];
        let body: Value = serde_json::from_str(&frame.body).unwrap_or_default();
        let mut put = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                headers.push((name.to_owned(), value.to_owned()));
            }
        };
        match (frame.era, &self.session) {
            (Spoken::Modern, _) => {
                let version = body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
                put("MCP-Protocol-Version", Some(version.unwrap_or(frame::MODERN)));
                put("Mcp-Method", body["method"].as_str());
                put("Mcp-Name", body["params"]["name"].as_str().or(body["params"]["uri"].as_str()));
            }
            (Spoken::Legacy, Some((id, version))) => {
                put("MCP-Protocol-Version", Some(version));
                put("Mcp-Session-Id", id.as_deref());
            }
            (Spoken::Legacy, None) => {}
        }
        for (name, value) in &self.own {
            put(name, Some(value));
        }
        for (name, value) in &frame.headers {
            headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            headers.extend(value.as_ref().map(|value| (name.clone(), value.clone())));
        }
        headers
    }

    /// The value of a header as exchanges show it: what the user gave may be a secret.
    fn shown(&self, name: &str, value: &str) -> String {
        let own = self.own.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if own { HIDDEN.to_owned() } else { value.to_owned() }
    }

    /// The URL without what may be a secret.
    fn shown_url(&self) -> String {
        let mut url = self.url.clone();
        let names: Vec<String> = url.query_pairs().map(|(name, _)| format!("{name}={HIDDEN}")).collect();
        url.set_query((!names.is_empty()).then(|| names.join("&")).as_deref());
        // Neither fails for a URL that was already asked.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.to_string()
    }
}

async fn receive(mut response: Response, wants: &Wants, most: usize, exchange: &mut Exchange) -> End {
    let kind = response.headers().get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let streamed = kind.to_ascii_lowercase().starts_with("text/event-stream");
    let (mut events, mut body, mut bytes) = (Events::default(), Vec::new(), 0);
    loop {
        let chunk = match response.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(_) => return End::Died,
        };
        bytes += chunk.len();
        if bytes > most {
            exchange.received.clear();
            return End::Flooded;
        }
        if streamed {
            for event in events.feed(&chunk) {
                let last = frame::answered(&event).is_some();
                exchange.received.push(event);
                if last {
                    return End::Answered;
                }
            }
        } else {
            body.extend_from_slice(&chunk);
        }
    }
    if !body.is_empty() {
        exchange.received.push(String::from_utf8_lossy(&body).into_owned());
    }
    let wanted = *wants != Wants::Nothing && exchange.response.as_ref().is_some_and(|it| it.status < 300);
    let none = !exchange.received.iter().any(|text| frame::answered(text).is_some());
    if wanted && none { End::Silent } else { End::Answered }
}
