//! Authorization of a client: from a server's refusal to a token for it.
//!
//! [`OAuth`] is an [`Authorize`](crate::Authorize) for [`ClientBuilder::authorize`](crate::ClientBuilder::authorize):
//!
//! ```no_run
//! use haft::Client;
//! use haft::oauth::{FileStore, OAuth};
//!
//! # async fn list() -> Result<(), Box<dyn std::error::Error>> {
//! // The user's browser opens when the server asks for authorization; the next start finds the token in the file.
//! let oauth = OAuth::builder().client_name("Ledger").store(FileStore::new("/home/ann/.config/ledger/tokens")).build()?;
//! let client = Client::builder().authorize(oauth).connect("https://mcp.example.com/mcp").await?;
//! # drop(client);
//! # Ok(())
//! # }
//! ```
//!
//! spec: `basic/authorization`

// A request goes out with the token that there is (`held.rs`). Where the server refuses it, `challenge.rs` reads what it
// demands, `discovery.rs` finds out whom to ask, `client.rs` becomes a client there, `code.rs` takes the user's consent,
// `token.rs` gets the token, and `flow.rs` leads them through.
mod attempts;
mod challenge;
mod client;
mod code;
mod config;
mod discovery;
mod dpop;
mod flow;
mod grant;
mod held;
mod jws;
mod loopback;
mod redirect;
mod scope;
mod secret;
mod store;
mod token;
mod web;

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue, StatusCode};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::authorize::{Authorize, AuthorizeError, Authorizing, HttpTarget, Refusal};
use challenge::Demand;
use flow::{Protected, Shared};

pub use config::{OAuthBuilder, OAuthConfigError, RegisteredClient};
pub use dpop::Dpop;
pub use grant::{AssertionSource, Enterprise, Workload};
pub use jws::SigningKey;
pub use loopback::{Browser, Loopback, SystemBrowser};
pub use redirect::{AuthorizationRequest, PreparedRedirect, Redirect};
pub use secret::Secret;
pub use store::{FileStore, MemoryStore, Storing, TokenStore};

use config::{Config, Way};
use dpop::DPOP;
use web::Web;

/// Gets tokens for MCP servers, and goes on getting them: the specification's rules for clients, whole.
///
/// A program that calls for itself:
///
/// ```
/// use haft::oauth::{OAuth, RegisteredClient};
///
/// # let secret = "s3cr3t".to_owned();
/// let robot = RegisteredClient::new("https://auth.example.com", "robot").with_secret(secret);
/// let oauth = OAuth::builder().client_credentials(robot).build()?;
/// # Ok::<(), haft::oauth::OAuthConfigError>(())
/// ```
///
/// A token is asked for when a server refuses a request, and never before. Of requests that are refused side by side, one
/// asks and the others wait for it. A login that has begun goes on when the request behind it is given up, and ends with
/// this value. One value may serve several servers: tokens are kept by the server's URL, registrations by issuer.
///
/// No token, code, verifier or secret is logged, part of an error, or shown by `Debug`.
pub struct OAuth {
    shared: Arc<Shared>,
    servers: Mutex<HashMap<String, Arc<Protected>>>,
    /// What must run to its end though nobody waits for it any more.
    tasks: Mutex<JoinSet<()>>,
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("OAuth").field("servers", &servers.keys().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

impl OAuth {
    /// Sets one up.
    pub fn builder() -> OAuthBuilder {
        OAuthBuilder::new()
    }

    fn new(config: Config) -> Result<Self, OAuthConfigError> {
        let shared = Arc::new(Shared { config, web: Web::new()?, nonces: dpop::Nonces::default() });
        Ok(Self { shared, servers: Mutex::default(), tasks: Mutex::default() })
    }

    /// Forgets the token for a server, here and in the store: the next refusal begins a new login.
    ///
    /// # Errors
    /// When it is still stored.
    pub async fn forget(&self, url: &str) -> Result<(), AuthorizeError> {
        let server = self.server(url)?;
        self.finish(async move { server.forget().await }).await
    }

    fn server(&self, url: &str) -> Result<Arc<Protected>, AuthorizeError> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = servers.get(url) {
            return Ok(Arc::clone(server));
        }
        let server = Protected::new(Arc::clone(&self.shared), url).map_err(AuthorizeError::new)?;
        let server = Arc::new(server);
        servers.insert(url.to_owned(), Arc::clone(&server));
        Ok(server)
    }

    /// Runs work to its end, though the caller may go: half a login, or a refresh token that was used up and whose
    /// successor nobody took, would be lost.
    async fn finish<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, String>> + Send + 'static,
    ) -> Result<T, AuthorizeError> {
        let (done, waiting) = oneshot::channel();
        {
            let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            while tasks.try_join_next().is_some() {}
            tasks.spawn(async move { drop(done.send(work.await)) });
        }
        let ended = waiting.await.map_err(|_| AuthorizeError::new("authorization ended before it was done"))?;
        ended.map_err(AuthorizeError::new)
    }
}

impl Authorize for OAuth {
    fn headers<'a>(&'a self, request: HttpTarget<'a>) -> Authorizing<'a, Vec<(HeaderName, HeaderValue)>> {
        Box::pin(async move {
            // A server that no token may go to may want none.
            let Ok(server) = self.server(request.url) else { return Ok(Vec::new()) };
            if server.is_stale() {
                let server = Arc::clone(&server);
                self.finish(async move { server.freshen().await }).await?;
            }
            let Some(held) = server.held() else { return Ok(Vec::new()) };
            let scheme = if held.key.is_some() { "DPoP" } else { "Bearer" };
            let token = HeaderValue::try_from(format!("{scheme} {}", held.access.expose()));
            let mut token = token.map_err(|_| AuthorizeError::new("the token fits into no header"))?;
            token.set_sensitive(true);
            let mut headers = vec![(AUTHORIZATION, token)];
            if let Some(key) = &held.key {
                let nonce = self.shared.nonces.get(&server.url);
                let proof = key.proof(request.method, &server.url, Some(&held.access), nonce.as_deref());
                headers.push((DPOP, proof.map_err(AuthorizeError::new)?));
            }
            Ok(headers)
        })
    }

    fn refused<'a>(&'a self, request: HttpTarget<'a>, refusal: Refusal<'a>) -> Authorizing<'a, bool> {
        Box::pin(async move {
            let server = self.server(request.url)?;
            let demand = Demand::read(refusal.headers);
            let is_bound = server.held().is_some_and(|held| held.key.is_some());
            let is_new_nonce = is_bound && self.shared.nonces.keep(&server.url, refusal.headers);
            match (refusal.status, demand.error.as_deref()) {
                (StatusCode::UNAUTHORIZED, Some("use_dpop_nonce")) if is_bound => return Ok(is_new_nonce),
                (StatusCode::UNAUTHORIZED, _) | (StatusCode::FORBIDDEN, Some("insufficient_scope")) => {}
                _ => return Ok(false),
            }
            let used = refusal.sent.iter().find(|(name, _)| name == AUTHORIZATION);
            let used = used.and_then(|(_, value)| value.to_str().ok()?.split_once(' '));
            let used = used.map(|(_, token)| Secret::new(token));
            self.finish(async move { server.answer(refusal.status, demand, used).await }).await
        })
    }
    fn extensions(&self) -> &'static [&'static str] {
        match self.shared.config.way {
            Way::Client(_) => &["io.modelcontextprotocol/oauth-client-credentials"],
            Way::Enterprise(_) => &["io.modelcontextprotocol/enterprise-managed-authorization"],
            Way::User(_) | Way::Workload(_) => &[],
        }
    }
}
