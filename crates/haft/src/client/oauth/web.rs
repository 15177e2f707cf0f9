//! Requests to servers that nobody has vouched for: bounded in time, size, and in where they lead.

use std::net::IpAddr;
use std::time::Duration;

use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use http::{HeaderMap, StatusCode};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Url};
use serde::de::DeserializeOwned;

use super::config::OAuthConfigError;
use crate::error::causes;

/// What one request may take, with its answer.
const DEADLINE: Duration = Duration::from_secs(15);
/// The longest answer that is read, in bytes.
const LONGEST: usize = 512 << 10;
/// Redirects that are followed when a document is read, all on one origin.
const REDIRECTS: usize = 3;

/// Follows no redirect of its own accord: what is sent is for one place only.
pub(super) struct Web(Client);

/// An answer, whatever its status.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, String> {
        // An answer may hold tokens; what serde says of values would show them.
        serde_json::from_slice(&self.body).map_err(|error| {
            let what = if error.is_data() { "isn't of the form that is expected" } else { "isn't JSON" };
            format!("the answer {what} (line {}, column {})", error.line(), error.column())
        })
    }
}

impl Web {
    pub(super) fn new() -> Result<Self, OAuthConfigError> {
        let client = Client::builder().timeout(DEADLINE).connect_timeout(DEADLINE).redirect(Policy::none()).build();
        let failed =
            |error: reqwest::Error| OAuthConfigError::new(format!("there is no HTTP client: {}", causes(&error)));
        client.map(Self).map_err(failed)
    }

    /// Reads a document, which may have moved within its origin.
    pub(super) async fn get(&self, url: &Url) -> Result<Answer, String> {
        let mut at = url.clone();
        for _ in 0..=REDIRECTS {
            let answer = send(self.0.get(at.clone())).await?;
            if !answer.status.is_redirection() {
                return Ok(answer);
            }
            let to = answer.headers.get(LOCATION).and_then(|to| at.join(to.to_str().ok()?).ok());
            at = to.filter(|to| to.origin() == url.origin()).ok_or("a redirect to somewhere else")?;
        }
        Err(format!("more than {REDIRECTS} redirects"))
    }

    /// Sends a form; pairs are written as forms write them.
    pub(super) async fn post_form(
        &self,
        url: &Url,
        form: &[(&str, &str)],
        headers: Vec<(HeaderName, HeaderValue)>,
    ) -> Result<Answer, String> {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let mut request = self.0.post(url.clone()).body(body);
        request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        send(request).await
    }

    pub(super) async fn post_json(&self, url: &Url, body: &serde_json::Value) -> Result<Answer, String> {
        let request = self.0.post(url.clone()).body(body.to_string());
        send(request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"))).await
    }
}

async fn send(request: RequestBuilder) -> Result<Answer, String> {
    let failed = |error: reqwest::Error| causes(&error.without_url());
    let request = request.header(ACCEPT, HeaderValue::from_static("application/json"));
    let mut answer = request.send().await.map_err(failed)?;
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > LONGEST {
            return Err(format!("the answer is longer than {LONGEST} bytes"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status: answer.status(), headers: std::mem::take(answer.headers_mut()), body })
}

/// Where requests on behalf of one MCP server may go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// Only a server on this machine may send its clients to this machine.
    loopback: bool,
}

impl Reach {
    /// The reach of a server, and its URL.
    pub(super) fn of(server: &str) -> Result<(Self, Url), String> {
        let url = Self { loopback: true }.check(server)?;
        Ok((Self { loopback: is_local(&url) }, url))
    }

    /// Any place that is safe, this machine included: for what the user configured.
    pub(super) fn anywhere() -> Self {
        Self { loopback: true }
    }

    /// A URL that nobody between can answer for: `https`, or on this machine.
    pub(super) fn check(self, text: &str) -> Result<Url, String> {
        let url = Url::parse(text).map_err(|error| format!("{text:?} is no URL: {error}"))?;
        match (url.scheme(), is_local(&url)) {
            (_, true) if !self.loopback => {
                Err(format!("{text:?} is on this machine, where no other machine may send us"))
            }
            ("https", _) | ("http", true) => Ok(url),
            _ => Err(format!("{text:?} is not safe: tokens travel over https only, or on this machine")),
        }
    }
}

/// True for URLs on this machine.
pub(super) fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback() || address.is_unspecified())
}

/// Text of a stranger's, short and without control characters.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 200;
    let plain = |char: char| {
        !char.is_control()
            && !matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown: String = text.chars().filter(|char| plain(*char)).take(MOST).collect();
    if text.chars().count() > MOST {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_go_over_https_or_stay_on_this_machine() {
        let (here, _) = Reach::of("http://127.0.0.1:9/mcp").unwrap_or_else(|error| unreachable!("{error}"));
        let (there, _) = Reach::of("https://a.example/mcp").unwrap_or_else(|error| unreachable!("{error}"));
        for url in ["https://b.example", "https://10.0.0.1/x"] {
            assert!(here.check(url).is_ok() && there.check(url).is_ok(), "{url}");
        }
        for url in [
            "http://localhost:1/",
            "http://[::1]/",
            "https://127.0.0.1/",
            "https://[::ffff:127.0.0.1]/",
            "http://0.0.0.0/",
        ] {
            assert!(here.check(url).is_ok() && there.check(url).is_err(), "{url}");
        }
        for url in [
            "http://b.example",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "b.example",
            "http://localhost.b.example/",
        ] {
            assert!(here.check(url).is_err() && there.check(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_strangers_text_is_shown_tame() {
        assert_eq!(shown("a\u{1b}[31m\nb\u{202e}c"), "a[31mbc");
        assert_eq!(shown(&"é".repeat(300)), format!("{}…", "é".repeat(200)));
    }
}
