//! Who this client is to an authorization server, how it becomes that, and how it proves it.
//!
//! spec: `basic/authorization/client-registration`

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::{ClientProof, Config, RegisteredClient};
use super::discovery::ServerMetadata;
use super::jws::{SigningKey, random};
use super::secret::Secret;
use super::store::TokenStore;
use super::token::{Pairs, refusal};
use super::web::{Reach, Web, is_local, shown};

/// What assertions are called that clients prove themselves with.
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// How long an assertion is good for.
const ASSERTION_LIFE: Duration = Duration::from_secs(120);

/// This client, as one authorization server knows it.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) id: String,
    proof: ClientProof,
    /// The method that the server gave this client when it registered.
    method: Option<String>,
    pub(super) origin: Origin,
}

/// Where an identity comes from, which says whether it can be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Origin {
    /// The user's own settings; only the id is stored.
    Settings,
    /// The client's metadata document.
    Document,
    /// The server, by dynamic registration.
    Registration,
}

/// An identity as it is stored: whole only where the server gave it.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredIdentity {
    id: String,
    origin: Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<Secret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
}

/// A registration as it is stored, by issuer.
#[derive(Serialize, Deserialize)]
struct Registration {
    identity: StoredIdentity,
    redirect_uri: String,
    /// When the secret expires, in seconds since 1970; 0 is never.
    expires: u64,
}

/// spec: RFC 7591, section 3.2.1
#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<Secret>,
    client_secret_expires_at: Option<Value>,
    token_endpoint_auth_method: Option<String>,
}

impl Identity {
    pub(super) fn from_settings(client: &RegisteredClient) -> Self {
        Self { id: client.id.clone(), proof: client.proof.clone(), method: None, origin: Origin::Settings }
    }

    pub(super) fn public(id: &str, origin: Origin) -> Self {
        Self { id: id.to_owned(), proof: ClientProof::None, method: None, origin }
    }

    pub(super) fn to_store(&self) -> StoredIdentity {
        let secret = match (&self.proof, self.origin) {
            (ClientProof::Secret(secret), Origin::Registration) => Some(secret.clone()),
            _ => None,
        };
        StoredIdentity { id: self.id.clone(), origin: self.origin, secret, method: self.method.clone() }
    }

    /// The identity that was stored, with what the settings have for it now; None if they have nothing any more.
    pub(super) fn restore(stored: StoredIdentity, settings: Option<&RegisteredClient>) -> Option<Self> {
        match stored.origin {
            Origin::Settings => settings.filter(|client| client.id == stored.id).map(Self::from_settings),
            Origin::Document => Some(Self::public(&stored.id, Origin::Document)),
            Origin::Registration => {
                let proof = stored.secret.map_or(ClientProof::None, ClientProof::Secret);
                Some(Self { id: stored.id, proof, method: stored.method, origin: stored.origin })
            }
        }
    }

    /// Adds to a token request who is asking, and the proof.
    ///
    /// spec: RFC 6749, section 2.3; RFC 7523, section 2.2
    pub(super) fn prove(
        &self,
        server: &ServerMetadata,
        form: &mut Pairs,
        headers: &mut Vec<(HeaderName, HeaderValue)>,
    ) -> Result<(), String> {
        match &self.proof {
            ClientProof::None => form.push(("client_id", Secret::new(&*self.id))),
            ClientProof::Key(key) => {
                form.push(("client_assertion_type", Secret::new(ASSERTION_TYPE)));
                form.push(("client_assertion", self.assertion(key, &server.issuer)?));
            }
            ClientProof::Secret(secret) => match self.method(server)? {
                "client_secret_basic" => headers.push((AUTHORIZATION, basic(&self.id, secret)?)),
                "client_secret_post" => {
                    form.push(("client_id", Secret::new(&*self.id)));
                    form.push(("client_secret", secret.clone()));
                }
                _ => form.push(("client_id", Secret::new(&*self.id))),
            },
        }
        Ok(())
    }

    /// How to prove itself with a secret.
    fn method<'a>(&'a self, server: &'a ServerMetadata) -> Result<&'a str, String> {
        const KNOWN: [&str; 3] = ["client_secret_basic", "client_secret_post", "none"];
        if let Some(method) = &self.method {
            let known = KNOWN.iter().find(|known| *known == method);
            return known.copied().ok_or_else(|| {
                let method = shown(method);
                format!("the authorization server wants this client to prove itself by {method:?}, which it can't")
            });
        }
        // spec: RFC 8414, section 2, for servers that say nothing
        let Some(methods) = &server.token_endpoint_auth_methods_supported else { return Ok(KNOWN[0]) };
        let known = KNOWN.into_iter().find(|known| methods.iter().any(|method| method == known));
        known.ok_or_else(|| format!("the authorization server {:?} takes no client secret", server.issuer))
    }

    /// spec: RFC 7523, section 3
    fn assertion(&self, key: &Arc<SigningKey>, issuer: &str) -> Result<Secret, String> {
        let now = now();
        let claims = json!({
            "iss": self.id, "sub": self.id, "aud": issuer, "jti": random()?,
            "iat": now, "exp": now + ASSERTION_LIFE.as_secs(),
        });
        key.sign(&claims).map(Secret::new).ok_or_else(|| "the client's assertion can't be signed".to_owned())
    }
}

/// spec: RFC 6749, section 2.3.1: both are encoded as in a form before they are joined
fn basic(id: &str, secret: &Secret) -> Result<HeaderValue, String> {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret.expose())));
    let mut value = HeaderValue::try_from(format!("Basic {pair}")).map_err(|error| error.to_string())?;
    value.set_sensitive(true);
    Ok(value)
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Under which key an issuer's registration is stored.
fn store_key(issuer: &str) -> String {
    format!("client {issuer}")
}

/// Becomes a client of an authorization server, in the order of the specification.
pub(super) async fn identify(
    config: &Config,
    web: &Web,
    reach: Reach,
    server: &ServerMetadata,
    redirect_uri: &str,
) -> Result<Identity, String> {
    if let Some(client) = config.clients.iter().find(|client| client.issuer == server.issuer) {
        return Ok(Identity::from_settings(client));
    }
    if let (Some(url), Some(true)) = (&config.metadata_url, server.client_id_metadata_document_supported) {
        return Ok(Identity::public(url, Origin::Document));
    }
    let endpoint = server.registration_endpoint.as_deref().filter(|_| config.dynamic).ok_or_else(|| {
        format!(
            "this client isn't known to the authorization server {:?}, and can't make itself known; register it there and \
             set its client id",
            server.issuer
        )
    })?;
    if let Some(known) = registered(&*config.store, &server.issuer, redirect_uri).await? {
        return Ok(known);
    }
    let endpoint = reach.check(endpoint)?;
    register(config, web, server, &endpoint, redirect_uri).await
}

/// The registration that is stored, if it still holds.
async fn registered(store: &dyn TokenStore, issuer: &str, redirect_uri: &str) -> Result<Option<Identity>, String> {
    let stored = store.load(&store_key(issuer)).await.map_err(|error| format!("the store of tokens fails: {error}"))?;
    let stored = stored.and_then(|stored| serde_json::from_str::<Registration>(stored.expose()).ok());
    let holds =
        |stored: &Registration| stored.redirect_uri == redirect_uri && (stored.expires == 0 || stored.expires > now());
    Ok(stored.filter(holds).and_then(|stored| Identity::restore(stored.identity, None)))
}

/// Forgets a registration that the server doesn't know any more.
pub(super) async fn forget(store: &dyn TokenStore, issuer: &str) -> Result<(), String> {
    store.remove(&store_key(issuer)).await.map_err(|error| format!("the store of tokens fails: {error}"))
}

/// spec: `basic/authorization/client-registration#dynamic-client-registration`
async fn register(
    config: &Config,
    web: &Web,
    server: &ServerMetadata,
    endpoint: &Url,
    redirect_uri: &str,
) -> Result<Identity, String> {
    let mut grants = vec!["authorization_code"];
    if server.may_grant("refresh_token") {
        grants.push("refresh_token");
    }
    let is_native = Url::parse(redirect_uri).is_ok_and(|url| url.scheme() != "https" || is_local(&url));
    let metadata = json!({
        "client_name": config.name,
        "redirect_uris": [redirect_uri],
        "grant_types": grants,
        "response_types": ["code"],
        "token_endpoint_auth_method": wanted_method(server)?,
        "application_type": if is_native { "native" } else { "web" },
    });
    let failed =
        |why: String| format!("this client can't register with the authorization server {:?}: {why}", server.issuer);
    let answer = web.post_json(endpoint, &metadata).await.map_err(failed)?;
    if !answer.status.is_success() {
        return Err(failed(refusal(&answer, &[]).to_string()));
    }
    let registered: Registered = answer.json().map_err(failed)?;
    let identity = Identity {
        id: registered.client_id,
        proof: registered.client_secret.map_or(ClientProof::None, ClientProof::Secret),
        method: registered.token_endpoint_auth_method,
        origin: Origin::Registration,
    };
    let stored = Registration {
        identity: identity.to_store(),
        redirect_uri: redirect_uri.to_owned(),
        expires: registered.client_secret_expires_at.and_then(|at| at.as_u64()).unwrap_or(0),
    };
    let json = serde_json::to_string(&stored).map(Secret::new).map_err(|error| error.to_string())?;
    let saved = config.store.save(&store_key(&server.issuer), &json).await;
    saved.map_err(|error| format!("the store of tokens fails: {error}"))?;
    Ok(identity)
}

/// The method to register with: none, where a program that can keep no secret may do without.
fn wanted_method(server: &ServerMetadata) -> Result<&str, String> {
    const WANTED: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];
    let Some(methods) = &server.token_endpoint_auth_methods_supported else { return Ok(WANTED[1]) };
    let wanted = WANTED.into_iter().find(|wanted| methods.iter().any(|method| method == wanted));
    wanted.ok_or_else(|| {
        let what = "registers only clients that prove themselves in ways that a newly registered one can't";
        format!("the authorization server {:?} {what}", server.issuer)
    })
}
