use std::fmt;
use std::sync::Arc;

#[cfg(feature = "http-client")]
use http::{HeaderMap, HeaderValue, Method, StatusCode};

/// What goes to a server and what comes from it, for [`ClientBuilder::on_wire`](crate::ClientBuilder::on_wire).
///
/// Messages are as they are on the wire: foreign text, whole, and with whatever is in arguments and results. Of headers that
/// hold credentials or the id of a session, only the name is there. Requests to authorization servers are not among these.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum WireEvent<'a> {
    /// A message to the server: a line on a stream, the body of a request over HTTP.
    Sent(&'a [u8]),
    /// A message of the server's, or what should have been one: a line, the body of an answer, the data of an event.
    Received(&'a [u8]),
    /// A request over HTTP; what it carries comes next, as [`Sent`](WireEvent::Sent).
    #[cfg(feature = "http-client")]
    Request {
        /// Its method.
        method: &'a Method,
        /// The URL, as it was given to the client.
        url: &'a str,
        /// Its headers, without credentials.
        headers: &'a HeaderMap,
    },
    /// The answer to a request over HTTP.
    #[cfg(feature = "http-client")]
    Response {
        /// Its status.
        status: StatusCode,
        /// Its headers, without credentials.
        headers: &'a HeaderMap,
    },
}

/// Who is told of the wire, if anybody is.
#[derive(Clone, Default)]
pub(super) struct OnWire(Option<Callback>);

type Callback = Arc<dyn Fn(WireEvent<'_>) + Send + Sync>;

impl OnWire {
    pub(super) fn new(callback: impl Fn(WireEvent<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(callback)))
    }

    pub(super) fn sent(&self, message: &[u8]) {
        if let Some(callback) = &self.0 {
            callback(WireEvent::Sent(message));
        }
    }

    pub(super) fn received(&self, message: &[u8]) {
        if let Some(callback) = &self.0 {
            callback(WireEvent::Received(message));
        }
    }

    #[cfg(feature = "http-client")]
    pub(super) fn request(&self, method: &Method, url: &str, headers: &HeaderMap) {
        if let Some(callback) = &self.0 {
            callback(WireEvent::Request { method, url, headers: &redacted(headers) });
        }
    }

    #[cfg(feature = "http-client")]
    pub(super) fn response(&self, status: StatusCode, headers: &HeaderMap) {
        if let Some(callback) = &self.0 {
            callback(WireEvent::Response { status, headers: &redacted(headers) });
        }
    }
}

impl fmt::Debug for OnWire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "OnWire(…)" } else { "OnWire(nobody)" })
    }
}

/// The headers, with nothing in those that hold what lets somebody in.
#[cfg(feature = "http-client")]
fn redacted(headers: &HeaderMap) -> HeaderMap {
    const SECRET: [&str; 4] = ["dpop", "mcp-session-id", "proxy-authorization", "authentication-info"];
    let mut redacted = headers.clone();
    for (name, value) in &mut redacted {
        let name = name.as_str();
        if value.is_sensitive() || SECRET.contains(&name) || crate::toolbox::is_secret(name) {
            *value = HeaderValue::from_static("[redacted]");
        }
    }
    redacted
}

#[cfg(all(test, feature = "http-client"))]
mod tests {
    use super::*;

    #[test]
    fn what_lets_somebody_in_is_redacted() {
        let mut headers = HeaderMap::new();
        for name in ["authorization", "cookie", "set-cookie", "x-api-key", "dpop", "mcp-session-id", "x-auth-token"] {
            headers.insert(name, HeaderValue::from_static("secret"));
        }
        let mut own = HeaderValue::from_static("secret");
        own.set_sensitive(true);
        headers.insert("x-mine", own);
        headers.insert("mcp-method", HeaderValue::from_static("tools/call"));
        let shown = redacted(&headers);
        assert_eq!(shown.len(), headers.len());
        assert_eq!(shown.values().filter(|value| *value != "[redacted]").collect::<Vec<_>>(), ["tools/call"]);
    }
}
