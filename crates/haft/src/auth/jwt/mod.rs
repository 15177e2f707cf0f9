//! Access tokens that are JWTs (RFC 9068), checked here: [`keys`] has what they are signed with, [`remote`] gets it from
//! an authorization server and keeps it current, [`token`] checks one.

mod fetch;
mod keys;
mod remote;
mod token;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::request::Parts;

pub use keys::Algorithm;

use super::{AuthError, Authenticate, bearer_token};
use crate::server::Principal;
use fetch::{Fetcher, Source};
use keys::KeySet;
use remote::{Missing, Remote, Times};
use token::{Rules, Token};

/// Checks access tokens that are JWTs, and knows their owners by them.
///
/// A token is taken whose signature one of the issuer's keys confirms, with an algorithm that is allowed; whose issuer,
/// audience and time are right; that names a subject and has every claim that is required. One that is bound to a key of
/// its owner's (`cnf`) is refused, since that key isn't asked for. A token's scopes are those in `scope` or `scp`.
///
/// Unless given, keys come from where the issuer's metadata says. They are fetched again from time to time, and when a
/// token names a key that isn't there: once however many such tokens come, and then not again for half a minute. While
/// the issuer can't be reached the keys that are there go on being used for a bounded time; a token that needs another is
/// neither taken nor refused, but answered with 503.
///
/// ```no_run
/// use haft::prelude::*;
/// use haft::{HttpOptions, HttpServer, JwtVerifier, ProtectedResource};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let verifier = JwtVerifier::builder("https://auth.example.com").audience("https://mcp.example.com/mcp").build()?;
/// let resource = ProtectedResource::new("https://mcp.example.com/mcp").authorization_server("https://auth.example.com");
/// let options =
///     HttpOptions::new().allow_host("mcp.example.com").authenticate(verifier).protected_resource(resource);
/// let server = Server::new("orders", "1.0.0").build()?;
/// HttpServer::bind(server, "0.0.0.0:8080", options).await?.serve().await?;
/// # Ok(())
/// # }
/// ```
///
/// spec: `basic/authorization/security-considerations#access-token-privilege-restriction`
#[derive(Clone)]
pub struct JwtVerifier {
    inner: Arc<Inner>,
}

struct Inner {
    rules: Rules,
    keys: Keys,
}

enum Keys {
    Given(Arc<KeySet>),
    Remote(Remote),
}

/// Collects what a [`JwtVerifier`] is to hold tokens against.
#[derive(Clone)]
#[must_use = "a builder does nothing before `build`"]
pub struct JwtVerifierBuilder {
    issuer: String,
    audiences: Vec<String>,
    algorithms: Option<Vec<Algorithm>>,
    leeway: Duration,
    required: Vec<String>,
    keys: Option<Given>,
    times: Times,
}

#[derive(Clone)]
enum Given {
    Url(String),
    Jwks(String),
    Secret(Vec<u8>),
}

/// Why a [`JwtVerifier`] can't be made.
#[derive(Debug, Clone)]
pub struct AuthConfigError(String);

impl fmt::Display for AuthConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no token could be checked: {}", self.0)
    }
}

impl std::error::Error for AuthConfigError {}

impl JwtVerifier {
    /// Starts a verifier of the tokens of this issuer: `iss`, letter for letter.
    pub fn builder(issuer: impl Into<String>) -> JwtVerifierBuilder {
        JwtVerifierBuilder {
            issuer: issuer.into(),
            audiences: Vec::new(),
            algorithms: None,
            leeway: Duration::from_secs(30),
            required: Vec::new(),
            keys: None,
            times: Times::default(),
        }
    }

    /// Whom a token belongs to.
    ///
    /// # Errors
    /// [`AuthError::invalid`] with what is wrong with it, [`AuthError::unavailable`] when that can't be found out now.
    pub async fn verify(&self, token: &str) -> Result<Principal, AuthError> {
        let Inner { rules, keys } = &*self.inner;
        let token = Token::read(token, rules)?;
        let keys = match keys {
            Keys::Given(keys) => Arc::clone(keys),
            Keys::Remote(remote) => remote.find(token.key.as_deref(), token.algorithm).await.map_err(missing)?,
        };
        Ok(token.verify(&keys, rules, SystemTime::now())?.into())
    }
}

fn missing(missing: Missing) -> AuthError {
    match missing {
        Missing::Unknown => AuthError::invalid("the issuer has no key of the token's name and kind"),
        Missing::Unavailable => AuthError::unavailable("the keys of the authorization server can't be had"),
    }
}

impl Authenticate for JwtVerifier {
    async fn authenticate(&self, head: &Parts) -> Result<Principal, AuthError> {
        self.verify(bearer_token(&head.headers)?).await
    }
}

impl JwtVerifierBuilder {
    /// Adds an audience: the server's own URL, as clients and tokens (`aud`) write it, letter for letter. There has to be
    /// one; several where tokens are made for several spellings, such as with and without a slash at the end.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// Gets keys from this URL, instead of from where the issuer's metadata says. It has to be `https`, or on this
    /// machine.
    pub fn jwks_url(mut self, url: impl Into<String>) -> Self {
        self.keys = Some(Given::Url(url.into()));
        self
    }

    /// Takes keys from this JSON Web Key Set (RFC 7517), and never fetches any.
    pub fn jwks(mut self, json: impl Into<String>) -> Self {
        self.keys = Some(Given::Jwks(json.into()));
        self
    }

    /// Tokens are signed with this secret, of at least 32 bytes, by HMAC; then no others are taken. Whoever can check
    /// such a token can make one: prefer keys.
    pub fn secret(mut self, secret: impl Into<Vec<u8>>) -> Self {
        self.keys = Some(Given::Secret(secret.into()));
        self
    }

    /// The algorithms that are taken. Unless set, all that fit the keys: those with a public key, or HMAC with a
    /// [`secret`](Self::secret). A key is only ever used with an algorithm of its own kind, and no signature is never one.
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.algorithms = Some(algorithms.into_iter().collect());
        self
    }

    /// How far clocks may be apart. 30 s unless set, and at most 5 minutes.
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway.min(Duration::from_secs(300));
        self
    }

    /// Refuses tokens without this claim.
    pub fn require_claim(mut self, name: impl Into<String>) -> Self {
        self.required.push(name.into());
        self
    }

    /// For how long keys are used before they are fetched again. 10 minutes unless set.
    pub fn refresh_after(mut self, age: Duration) -> Self {
        self.times.refresh = age;
        self
    }

    /// How soon after keys were fetched an unknown one leads to another fetch. 30 s unless set. After a fetch that failed
    /// the next follows after a second, and then after twice the time before, up to this.
    pub fn refetch_after(mut self, pause: Duration) -> Self {
        self.times.pause = pause;
        self
    }

    /// For how long keys are used when no newer ones can be had. 6 hours unless set.
    pub fn keep_keys(mut self, age: Duration) -> Self {
        self.times.keep = age;
        self
    }

    /// Checks what was said.
    ///
    /// # Errors
    /// When there is no audience, an algorithm that no key fits, a secret that is too short, a key set that has no key
    /// that could be used, or a URL that isn't safe.
    pub fn build(self) -> Result<JwtVerifier, AuthConfigError> {
        let Self { issuer, audiences, algorithms, leeway, required, keys, times } = self;
        if audiences.is_empty() {
            return Err(AuthConfigError("add the audience that tokens are made for: the server's own URL".into()));
        }
        let symmetric = matches!(keys, Some(Given::Secret(_)));
        let algorithms = algorithms.unwrap_or_else(|| Algorithm::all_that(symmetric));
        if algorithms.is_empty() {
            return Err(AuthConfigError("no algorithm is allowed".into()));
        }
        if let Some(unfit) = algorithms.iter().find(|algorithm| algorithm.is_symmetric() != symmetric) {
            let what = if symmetric { "a secret" } else { "public keys" };
            return Err(AuthConfigError(format!("{unfit:?} is not an algorithm for {what}")));
        }
        let remote = |source| Ok(Keys::Remote(Remote::new(Fetcher::new(source)?, times)));
        let keys = match keys {
            Some(Given::Secret(secret)) => KeySet::secret(&secret).map(|keys| Keys::Given(Arc::new(keys))),
            Some(Given::Jwks(json)) => KeySet::parse(json.as_bytes()).map(|keys| Keys::Given(Arc::new(keys))),
            Some(Given::Url(url)) => Source::url(&url).and_then(remote),
            None => Source::issuer(&issuer).and_then(remote),
        };
        let keys = keys.map_err(AuthConfigError)?;
        let rules = Rules { issuer, audiences, algorithms, leeway, required };
        Ok(JwtVerifier { inner: Arc::new(Inner { rules, keys }) })
    }
}

impl fmt::Debug for JwtVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JwtVerifier").field("rules", &self.inner.rules).finish_non_exhaustive()
    }
}

impl fmt::Debug for JwtVerifierBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JwtVerifierBuilder")
            .field("issuer", &self.issuer)
            .field("audiences", &self.audiences)
            .finish_non_exhaustive()
    }
}
