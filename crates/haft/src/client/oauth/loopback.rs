//! A web server for one request: the redirect of a browser on this machine.
//!
//! spec: RFC 8252, section 7.3

use std::io;
use std::net::Ipv4Addr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::client::authorize::{AuthorizeError, Authorizing};

use super::config::OAuthConfigError;
use super::redirect::{AuthorizationRequest, PreparedRedirect, Redirect};
use super::secret::Secret;

/// Opens URLs where the user sees them.
///
/// Any `Fn(&str) -> io::Result<()>` is one.
pub trait Browser: Send + Sync + 'static {
    /// Opens a URL, and doesn't wait until the user is done with it.
    ///
    /// # Errors
    /// When it isn't opened.
    fn open(&self, url: &str) -> io::Result<()>;
}

impl<F: Fn(&str) -> io::Result<()> + Send + Sync + 'static> Browser for F {
    fn open(&self, url: &str) -> io::Result<()> {
        self(url)
    }
}

/// The browser that the user's system opens URLs with: by `xdg-open`, `open`, or the shell of Windows.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemBrowser;

impl Browser for SystemBrowser {
    fn open(&self, url: &str) -> io::Result<()> {
        let (program, before): (_, &[&str]) = if cfg!(target_os = "macos") {
            ("open", &[])
        } else if cfg!(windows) {
            ("rundll32", &["url.dll,FileProtocolHandler"])
        } else {
            ("xdg-open", &[])
        };
        let mut command = tokio::process::Command::new(program);
        command.args(before).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // tokio reaps it when it ends.
        command.spawn().map(drop)
    }
}

/// A [`Redirect`] to a port of this machine, for programs with a browser beside them.
///
/// It listens on 127.0.0.1 from when the user is sent off until the answer is there, and shows the user a short page.
/// Requests that don't carry the right `state` are turned away.
///
/// ```
/// # use haft::oauth::{Loopback, OAuth};
/// // Where there is no browser to open, the user can be told the URL.
/// let redirect = Loopback::new(|url: &str| {
///     eprintln!("Open this page to log in: {url}");
///     Ok(())
/// });
/// let oauth = OAuth::builder().redirect(redirect).build()?;
/// # Ok::<(), haft::oauth::OAuthConfigError>(())
/// ```
#[derive(Clone)]
pub struct Loopback {
    browser: Arc<dyn Browser>,
    host: String,
    port: u16,
    path: String,
}

impl std::fmt::Debug for Loopback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = format!("http://{}:{}{}", self.host, self.port, self.path);
        f.debug_struct("Loopback").field("at", &at).finish_non_exhaustive()
    }
}

impl Default for Loopback {
    fn default() -> Self {
        Self::new(SystemBrowser)
    }
}

/// Connections that are read at once: browsers open some that they never use.
const CONNECTIONS: usize = 16;
/// The longest head of a request, in bytes.
const LONGEST: usize = 16 << 10;
/// How long a connection may take to ask, and to take its answer.
const DEADLINE: Duration = Duration::from_secs(10);

impl Loopback {
    /// A redirect to `http://127.0.0.1:<a free port>/callback`.
    pub fn new(browser: impl Browser) -> Self {
        Self { browser: Arc::new(browser), host: "127.0.0.1".to_owned(), port: 0, path: "/callback".to_owned() }
    }

    /// A redirect to this very URI, as it was registered: `http`, the host `127.0.0.1` or `localhost`, a port, a path.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn with_uri(mut self, uri: &str) -> Result<Self, OAuthConfigError> {
        let wrong = || {
            let what = format!("{uri:?} is no redirect URI to this machine, such as http://127.0.0.1:3000/callback");
            OAuthConfigError::new(what)
        };
        let url = Url::parse(uri).map_err(|_| wrong())?;
        let host = url.host_str().filter(|host| ["127.0.0.1", "localhost"].contains(host)).ok_or_else(wrong)?;
        self.port = url.port_or_known_default().ok_or_else(wrong)?;
        self.host = host.to_owned();
        self.path = url.path().to_owned();
        // It has to be the same text again when it is sent: what it says and nothing else.
        if url.scheme() != "http" || uri != self.uri(self.port) {
            return Err(wrong());
        }
        Ok(self)
    }

    fn uri(&self, port: u16) -> String {
        format!("http://{}:{port}{}", self.host, self.path)
    }
}

impl Redirect for Loopback {
    fn prepare(&self) -> Authorizing<'_, Box<dyn PreparedRedirect>> {
        Box::pin(async move {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).await;
            let bound = listener.and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
            let (port, listener) = bound.map_err(|error| {
                let what = format!("no port of this machine can be listened on for the redirect: {error}");
                AuthorizeError::new(what)
            })?;
            let listening = Listening {
                uri: self.uri(port),
                path: self.path.clone(),
                listener,
                browser: Arc::clone(&self.browser),
            };
            Ok(Box::new(listening) as Box<dyn PreparedRedirect>)
        })
    }
}

struct Listening {
    uri: String,
    path: String,
    listener: TcpListener,
    browser: Arc<dyn Browser>,
}

impl PreparedRedirect for Listening {
    fn uri(&self) -> &str {
        &self.uri
    }

    fn visit<'a>(&'a mut self, request: AuthorizationRequest) -> Authorizing<'a, Secret> {
        Box::pin(async move {
            self.browser
                .open(&request.url)
                .map_err(|error| AuthorizeError::new(format!("the browser can't be opened for the login: {error}")))?;
            let mut connections = FuturesUnordered::new();
            loop {
                tokio::select! {
                    accepted = self.listener.accept(), if connections.len() < CONNECTIONS => {
                        // A connection that failed already concerns nobody.
                        if let Ok((stream, _)) = accepted {
                            connections.push(answer(stream, &self.path, &request.state));
                        }
                    }
                    Some(redirected) = connections.next() => {
                        if let Some(query) = redirected {
                            return Ok(Secret::new(format!("{}?{}", self.uri, query.expose())));
                        }
                    }
                }
            }
        })
    }
}

/// Reads one request and answers it. Gives the query, if it is the redirect.
async fn answer(mut stream: TcpStream, path: &str, state: &Secret) -> Option<Secret> {
    let head = tokio::time::timeout(DEADLINE, head(&mut stream)).await.ok()??;
    let query = redirect(&head, path, state);
    let (status, text) = match &query {
        Some(_) => ("200 OK", "The answer has arrived. You can close this window and go back to where you came from."),
        None => ("404 Not Found", "There is nothing here."),
    };
    let page = format!("<!doctype html><meta charset=utf-8><title>{status}</title><p>{text}\n");
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n\r\n{page}",
        page.len()
    );
    // A browser that doesn't wait for the page has still been here.
    let sent = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    };
    drop(tokio::time::timeout(DEADLINE, sent).await);
    query
}

/// The head of a request, up to the empty line.
async fn head(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut bytes = [0; 2048];
        let read = stream.read(&mut bytes).await.ok()?;
        if read == 0 || head.len() + read > LONGEST {
            return None;
        }
        head.extend_from_slice(&bytes[..read]);
    }
    Some(head)
}

/// The query of a request that was redirected by the page that the user was sent to.
fn redirect(head: &[u8], path: &str, state: &Secret) -> Option<Secret> {
    let line = head.split(|byte| *byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let (asked, query) = target.split_once('?')?;
    let mut states = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "state");
    let right = states.next().is_some_and(|(_, value)| value == state.expose());
    (method == "GET" && asked == path && right).then(|| Secret::new(query))
}
