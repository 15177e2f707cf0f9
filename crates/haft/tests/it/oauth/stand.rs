//! A small HTTP server that keeps what it was asked, and a client for single requests.

use std::sync::{Arc, Mutex};

use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One request, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }

    /// A parameter of the query.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        pair(self.target.split_once('?').map_or("", |(_, query)| query), name)
    }

    /// A member of the form in the body.
    pub(crate) fn form(&self, name: &str) -> Option<String> {
        pair(&self.body, name)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

fn pair(text: &str, name: &str) -> Option<String> {
    form_urlencoded::parse(text.as_bytes()).find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

/// What a handler does about a request.
pub(crate) enum Reply {
    Answer {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// Nothing, for as long as anybody waits.
    Silence,
    /// A body without an end.
    Flood,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &serde_json::Value) -> Self {
        let headers = vec![("Content-Type", "application/json".to_owned())];
        Self::Answer { status, headers, body: body.to_string() }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::Answer { status, headers: Vec::new(), body: String::new() }
    }

    pub(crate) fn redirect(status: u16, to: impl Into<String>) -> Self {
        Self::status(status).with("Location", to)
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }
}

/// A server on a socket of its own, which ends when this is dropped.
pub(crate) struct Stand {
    /// Without a slash at the end.
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Stand {
    /// Binds the socket first, so that the handler can know the URL.
    pub(crate) async fn bind() -> (TcpListener, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
        (listener, url)
    }

    pub(crate) fn start(
        (listener, url): (TcpListener, String),
        handler: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, handler) = (Arc::clone(&asked), Arc::new(handler));
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let (kept, handler) = (Arc::clone(&kept), Arc::clone(&handler));
                connections.spawn(async move {
                    let Some(asked) = read(&mut stream).await else { return };
                    kept.lock().unwrap().push(asked.clone());
                    let reply = handler(&asked);
                    drop(write(&mut stream, reply).await);
                });
            }
        });
        Self { url, asked, task }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Requests for a path.
    pub(crate) fn asked_for(&self, path: &str) -> Vec<Asked> {
        self.asked().into_iter().filter(|asked| asked.path() == path).collect()
    }

    /// Paths in order, without those of the MCP endpoint.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.asked().iter().map(|asked| asked.path().to_owned()).filter(|path| path != "/mcp").collect()
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let (line, headers, mut body) = head(stream).await?;
    let length = headers.get("content-length").map_or(0, |length| length.to_str().unwrap().parse().unwrap());
    while body.len() < length {
        let mut bytes = [0; 4096];
        let read = stream.read(&mut bytes).await.ok().filter(|read| *read > 0)?;
        body.extend_from_slice(&bytes[..read]);
    }
    let mut words = line.split(' ');
    let target = words.nth(1)?.to_owned();
    Some(Asked { target, headers, body: String::from_utf8(body).unwrap() })
}

/// The first line, the headers, and what has come of the body.
async fn head(stream: &mut TcpStream) -> Option<(String, HeaderMap, Vec<u8>)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            break end;
        }
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    };
    let text = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = text.split("\r\n");
    let first = lines.next()?.to_owned();
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(':')?;
        headers.append(HeaderName::try_from(name).unwrap(), HeaderValue::try_from(value.trim()).unwrap());
    }
    Some((first, headers, bytes[end + 4..].to_vec()))
}

async fn write(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    let Reply::Answer { status, headers, body } = reply else {
        if matches!(reply, Reply::Silence) {
            return std::future::pending().await;
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"issuer\":\"").await?;
        loop {
            stream.write_all(&[b'x'; 4096]).await?;
        }
    };
    let mut text = format!("HTTP/1.1 {status} Any\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(&body);
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}

/// Sends one request; gives the status, the headers and the body.
pub(crate) async fn ask(
    method: &str,
    url: &str,
    headers: &[(HeaderName, HeaderValue)],
    body: &str,
) -> (u16, HeaderMap, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, target) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let target = if target.is_empty() { "/" } else { target };
    let mut stream = TcpStream::connect(host.replace("localhost", "127.0.0.1")).await.unwrap();
    let mut text = format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        text.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap()));
    }
    stream.write_all(format!("{text}\r\n{body}").as_bytes()).await.unwrap();
    let (line, headers, mut body) = head(&mut stream).await.unwrap();
    stream.read_to_end(&mut body).await.unwrap();
    (line.split(' ').nth(1).unwrap().parse().unwrap(), headers, String::from_utf8(body).unwrap())
}
