//! In: a refusal of one MCP server. Out: a token for it. It holds the token, and is the one that renews it.

use std::sync::{Arc, PoisonError, RwLock};

use http::StatusCode;
use reqwest::Url;
use tokio::sync::Mutex;

use super::attempts::Attempts;
use super::challenge::Demand;
use super::client::{self, Identity, Origin};
use super::code::{Asked, CodeRequest};
use super::config::{Config, RegisteredClient, Way};
use super::discovery::{self, Resource, ServerMetadata};
use super::dpop::{ALGORITHM, Dpop, DpopKey, Nonces};
use super::grant::{Enterprise, Workload};
use super::held::{Held, Terms};
use super::jws::{base64url, sha256};
use super::redirect::Redirect;
use super::scope::Scopes;
use super::secret::Secret;
use super::token::{self, Pairs, TokenAnswer, TokenError};
use super::web::{Reach, Web};

const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

/// What all servers share.
pub(super) struct Shared {
    pub(super) config: Config,
    pub(super) web: Web,
    pub(super) nonces: Nonces,
}

/// The authorization for one MCP server.
pub(super) struct Protected {
    shared: Arc<Shared>,
    /// As the user wrote it.
    text: String,
    pub(super) url: Url,
    reach: Reach,
    held: RwLock<Option<Arc<Held>>>,
    /// Whoever changes the token holds it: one at a time.
    flight: Mutex<Flight>,
}

#[derive(Default)]
struct Flight {
    is_loaded: bool,
    attempts: Attempts,
    /// What the last token was asked for with, kept when the token is gone.
    asked: Option<(String, Scopes)>,
    /// The digest of an assertion that was refused.
    refused: Option<String>,
}

/// Where to get a token, and for what.
struct Found {
    resource: Resource,
    server: ServerMetadata,
    wants_dpop: bool,
}

impl Protected {
    pub(super) fn new(shared: Arc<Shared>, text: &str) -> Result<Self, String> {
        let (reach, url) = Reach::of(text)?;
        Ok(Self { shared, text: text.to_owned(), url, reach, held: RwLock::default(), flight: Mutex::default() })
    }

    /// The token, whatever its age.
    pub(super) fn held(&self) -> Option<Arc<Held>> {
        self.held.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn hold(&self, held: Option<Arc<Held>>) {
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = held;
    }

    fn store_key(&self) -> String {
        format!("token {} {}", self.shared.config.way.name(), self.text)
    }

    /// Loads the token that was stored, and renews one that is about to end.
    pub(super) async fn freshen(&self) -> Result<(), String> {
        let mut flight = self.flight.lock().await;
        if !flight.is_loaded {
            let stored = self.shared.config.store.load(&self.store_key()).await.map_err(store_failed)?;
            let held = stored.and_then(|stored| Held::restore(&stored, |issuer| self.settings(issuer)));
            self.hold(held.map(Arc::new));
            flight.is_loaded = true;
        }
        let Some(held) = self.held().filter(|held| held.is_due()) else { return Ok(()) };
        match self.renew(&mut flight, &held).await {
            Ok(()) => Ok(()),
            Err(why) if held.is_over() => Err(why),
            Err(why) => {
                tracing::debug!(issuer = held.issuer, "the token isn't renewed yet: {why}");
                Ok(())
            }
        }
    }

    /// True when freshening would do something.
    pub(super) fn is_stale(&self) -> bool {
        match self.held() {
            // A login may be under way, and the token good until it is done.
            Some(held) => held.is_due() && (held.is_over() || self.flight.try_lock().is_ok()),
            None => self.flight.try_lock().is_ok_and(|flight| !flight.is_loaded),
        }
    }

    /// What the settings have for an issuer.
    fn settings(&self, issuer: &str) -> Option<RegisteredClient> {
        let config = &self.shared.config;
        config.way.client().into_iter().chain(&config.clients).find(|client| client.issuer == issuer).cloned()
    }

    /// Answers a refusal; `used` is the token that was refused. True when asking again may help.
    pub(super) async fn answer(
        &self,
        status: StatusCode,
        demand: Demand,
        used: Option<Secret>,
    ) -> Result<bool, String> {
        let mut flight = self.flight.lock().await;
        let held = self.held();
        let is_stepping_up = status == StatusCode::FORBIDDEN;
        if let Some(held) = &held
            && used.as_ref() != Some(&held.access)
            && !held.is_over()
        {
            // Somebody else was here first.
            return Ok(true);
        }
        if is_stepping_up {
            let wanted = demand.scope.clone().unwrap_or_default();
            let has_all = |held: &Arc<Held>| held.granted.as_ref().is_some_and(|granted| granted.has_all(&wanted));
            if held.as_ref().is_some_and(has_all) {
                return Err(match wanted.is_empty() {
                    true => "the server says that the token doesn't suffice, and not what would".to_owned(),
                    false => format!("the server wants the scope {:?}, which its token has", wanted.to_string()),
                });
            }
        }
        let found = self.find(&demand, held.as_deref()).await?;
        let is_user = self.shared.config.way.is_user();
        if let Some(held) = &held {
            let asked = held.asked.clone().unwrap_or_default();
            flight.asked = Some((held.issuer.clone(), asked));
            let may_refresh = !is_stepping_up && is_user && !held.is_renewed_lately() && held.refresh.is_some();
            if may_refresh && held.issuer == found.server.issuer && held.resource == found.resource.resource {
                self.renew(&mut flight, held).await?;
                if self.held().is_some() {
                    return Ok(true);
                }
            }
        }
        let scopes = self.scopes(&demand, &found, &flight);
        if held.is_some_and(|held| held.has_served()) {
            flight.attempts.forgive();
        }
        flight.attempts.allow(scopes.as_ref())?;
        let new = self.obtain(&mut flight, &found, scopes).await?;
        if !is_user {
            flight.attempts.count(new.asked.as_ref());
        }
        self.keep(new).await?;
        tracing::debug!(issuer = found.server.issuer, resource = found.resource.resource, "authorized");
        Ok(true)
    }

    async fn find(&self, demand: &Demand, held: Option<&Held>) -> Result<Found, String> {
        let Shared { config, web, .. } = &*self.shared;
        let pinned = config.issuer.as_deref();
        let own = config.way.client();
        let fallback = pinned.or_else(|| own.map(|client| client.issuer.as_str()));
        let resource = discovery::resource(web, self.reach, &self.url, &self.text, demand, fallback).await?;
        let (mut known, mut only): (Vec<&str>, bool) = match (pinned, own) {
            (Some(issuer), _) => (vec![issuer], true),
            (None, Some(client)) => (vec![&client.issuer], true),
            (None, None) => {
                (config.clients.iter().map(|client| client.issuer.as_str()).collect(), !config.clients.is_empty())
            }
        };
        if known.is_empty() {
            known.extend(held.map(|held| held.issuer.as_str()));
            only = false;
        }
        let issuer = discovery::choose(&resource, &known, only)?;
        let server = discovery::server(web, self.reach, issuer).await?;
        let wants_dpop = demand.dpop || resource.wants_dpop() || held.is_some_and(|held| held.key.is_some());
        Ok(Found { resource, server, wants_dpop })
    }

    /// Which scopes to ask for; None asks for none in particular.
    ///
    /// spec: `basic/authorization#scope-selection-strategy`
    fn scopes(&self, demand: &Demand, found: &Found, flight: &Flight) -> Option<Scopes> {
        let config = &self.shared.config;
        let mut scopes = demand.scope.clone().or_else(|| found.resource.scopes_supported.clone()).unwrap_or_default();
        if let Some((_, asked)) = flight.asked.as_ref().filter(|(issuer, _)| *issuer == found.server.issuer) {
            scopes = asked.clone().union(&scopes);
        }
        scopes = scopes.union(&config.scopes);
        let has_offline = found.server.scopes_supported.as_ref().is_some_and(|scopes| scopes.has("offline_access"));
        // Alone it would ask for less than what no scope at all asks for.
        if config.way.is_user()
            && config.offline
            && has_offline
            && found.server.may_grant("refresh_token")
            && !scopes.is_empty()
        {
            scopes.add("offline_access");
        }
        Some(scopes).filter(|scopes| !scopes.is_empty())
    }

    async fn obtain(&self, flight: &mut Flight, found: &Found, scopes: Option<Scopes>) -> Result<Held, String> {
        let key = self.key(found)?;
        match &self.shared.config.way {
            Way::User(redirect) => self.ask_user(flight, redirect.as_ref(), found, scopes, key).await,
            Way::Client(client) => {
                let form = vec![("grant_type", Secret::new("client_credentials"))];
                let client = Identity::from_settings(client);
                self.ask(found, client, form, scopes, key).await.map_err(|error| self.no_token(found, &error))
            }
            Way::Enterprise(enterprise) => self.ask_enterprise(enterprise, found, scopes, key).await,
            Way::Workload(workload) => self.ask_workload(flight, workload, found, scopes, key).await,
        }
    }

    /// The key that the token is to be bound to.
    fn key(&self, found: &Found) -> Result<Option<Arc<DpopKey>>, String> {
        let algorithms = found.server.dpop_signing_alg_values_supported.as_ref();
        let has_ours = algorithms.is_some_and(|algorithms| algorithms.iter().any(|known| known == ALGORITHM));
        let is_wanted = match self.shared.config.dpop {
            Dpop::Off => false,
            Dpop::WhenAsked => found.wants_dpop,
            Dpop::Required if !has_ours && algorithms.is_some() => {
                let what = "takes no DPoP proofs signed by ES256, and DPoP is required";
                return Err(format!("the authorization server {:?} {what}", found.server.issuer));
            }
            Dpop::Required => true,
        };
        is_wanted.then(|| DpopKey::generate().map(Arc::new)).transpose()
    }

    async fn ask_user(
        &self,
        flight: &mut Flight,
        redirect: &dyn Redirect,
        found: &Found,
        scopes: Option<Scopes>,
        key: Option<Arc<DpopKey>>,
    ) -> Result<Held, String> {
        let Shared { config, web, .. } = &*self.shared;
        let (server, resource) = (&found.server, &found.resource.resource);
        let mut prepared = redirect.prepare().await.map_err(|error| error.to_string())?;
        let uri = prepared.uri().to_owned();
        let client = client::identify(config, web, self.reach, server, &uri).await?;
        let asked = Asked { client_id: &client.id, redirect_uri: &uri, resource, scopes: scopes.as_ref() };
        let request = CodeRequest::new(server, self.reach, &asked)?;
        let is_registered = client.origin == Origin::Registration;
        // The user is bothered now, whatever comes of it.
        flight.attempts.count(scopes.as_ref());
        let redirected = match tokio::time::timeout(config.patience, prepared.visit(request.request.clone())).await {
            Ok(redirected) => redirected.map_err(|error| error.to_string())?,
            Err(_) => {
                if is_registered {
                    // The page may have said that it doesn't know this client; the next login starts afresh.
                    client::forget(&*config.store, &server.issuer).await?;
                }
                let minutes = config.patience.as_secs_f64() / 60.0;
                return Err(format!("nobody logged in within {minutes:.1} minutes; try again"));
            }
        };
        drop(prepared);
        let code = request.code(&redirected)?;
        let form = vec![
            ("grant_type", Secret::new("authorization_code")),
            ("code", code),
            ("redirect_uri", Secret::new(uri)),
            ("code_verifier", request.verifier.clone()),
        ];
        match self.request(found, &client, form, None, key.as_deref()).await {
            Ok(answer) => self.take(found, client, answer, scopes, key),
            Err(error) => {
                if is_registered && is_unknown_client(&error) {
                    client::forget(&*config.store, &server.issuer).await?;
                }
                Err(self.no_token(found, &error))
            }
        }
    }

    /// spec: extension `io.modelcontextprotocol/enterprise-managed-authorization`, sections 4 and 5
    async fn ask_enterprise(
        &self,
        enterprise: &Enterprise,
        found: &Found,
        scopes: Option<Scopes>,
        key: Option<Arc<DpopKey>>,
    ) -> Result<Held, String> {
        let identity = enterprise.identity.assertion(&enterprise.provider_client.issuer).await;
        let identity = identity.map_err(|error| format!("there is no proof of who the user is: {error}"))?;
        let mut form = vec![
            ("grant_type", Secret::new(TOKEN_EXCHANGE)),
            ("requested_token_type", Secret::new(ID_JAG)),
            ("audience", Secret::new(&*found.server.issuer)),
            ("resource", Secret::new(&*found.resource.resource)),
            ("subject_token", identity),
            ("subject_token_type", Secret::new(enterprise.identity_type)),
        ];
        if let Some(scopes) = &scopes {
            form.push(("scope", Secret::new(scopes.to_string())));
        }
        let provider = ServerMetadata::of_endpoint(&enterprise.provider_client.issuer, &enterprise.token_endpoint);
        let client = Identity::from_settings(&enterprise.provider_client);
        let Shared { web, nonces, .. } = &*self.shared;
        let answer = token::request(web, Reach::anywhere(), &provider, &client, &form, None, nonces).await;
        let answer = answer.map_err(|error| format!("the enterprise's identity provider gives no grant: {error}"))?;
        if answer.issued_token_type.as_deref() != Some(ID_JAG) {
            return Err("the enterprise's identity provider gave something else than the grant that it was asked for"
                .to_owned());
        }
        let form = vec![("grant_type", Secret::new(JWT_BEARER)), ("assertion", answer.access_token)];
        let client = Identity::from_settings(&enterprise.client);
        self.ask(found, client, form, scopes, key).await.map_err(|error| self.no_token(found, &error))
    }

    async fn ask_workload(
        &self,
        flight: &mut Flight,
        workload: &Workload,
        found: &Found,
        scopes: Option<Scopes>,
        key: Option<Arc<DpopKey>>,
    ) -> Result<Held, String> {
        let assertion = workload.token.assertion(&found.server.issuer).await;
        let assertion = assertion.map_err(|error| format!("the platform gives no token: {error}"))?;
        let digest = base64url(sha256(assertion.expose().as_bytes()));
        if flight.refused.as_ref() == Some(&digest) {
            return Err(
                "the authorization server has refused the platform's token before; it isn't sent again".to_owned()
            );
        }
        let form = vec![("grant_type", Secret::new(JWT_BEARER)), ("assertion", assertion)];
        let client = Identity::from_settings(&workload.client);
        let asked = self.ask(found, client, form, scopes, key).await;
        if let Err(TokenError::Refused(_)) = &asked {
            flight.refused = Some(digest);
        }
        asked.map_err(|error| self.no_token(found, &error))
    }

    /// Asks for a token without a user.
    async fn ask(
        &self,
        found: &Found,
        client: Identity,
        form: Pairs,
        scopes: Option<Scopes>,
        key: Option<Arc<DpopKey>>,
    ) -> Result<Held, TokenError> {
        let answer = self.request(found, &client, form, scopes.as_ref(), key.as_deref()).await?;
        self.take(found, client, answer, scopes, key).map_err(TokenError::Failed)
    }

    async fn request(
        &self,
        found: &Found,
        client: &Identity,
        mut form: Pairs,
        scopes: Option<&Scopes>,
        key: Option<&DpopKey>,
    ) -> Result<TokenAnswer, TokenError> {
        form.push(("resource", Secret::new(&*found.resource.resource)));
        if let Some(scopes) = scopes {
            form.push(("scope", Secret::new(scopes.to_string())));
        }
        let Shared { web, nonces, .. } = &*self.shared;
        token::request(web, self.reach, &found.server, client, &form, key, nonces).await
    }

    fn take(
        &self,
        found: &Found,
        client: Identity,
        answer: TokenAnswer,
        scopes: Option<Scopes>,
        key: Option<Arc<DpopKey>>,
    ) -> Result<Held, String> {
        let terms = Terms {
            issuer: found.server.issuer.clone(),
            resource: found.resource.resource.clone(),
            client,
            scopes,
            key,
            must_be_bound: self.shared.config.dpop == Dpop::Required,
        };
        Held::new(answer, terms, false)
    }

    /// Gets a new token in the place of one. Where that is refused there is none afterwards.
    async fn renew(&self, flight: &mut Flight, held: &Arc<Held>) -> Result<(), String> {
        let Shared { config, web, nonces, .. } = &*self.shared;
        if let Some(asked) = &held.asked {
            flight.asked = Some((held.issuer.clone(), asked.clone()));
        }
        if !config.way.is_user() {
            let server = discovery::server(web, self.reach, &held.issuer).await?;
            let resource = Resource::known(&held.resource, &held.issuer);
            let found = Found { resource, server, wants_dpop: held.key.is_some() };
            let new = self.obtain(flight, &found, held.asked.clone()).await?;
            return self.keep(new).await;
        }
        let Some(refresh) = held.refresh.clone() else {
            // The user consents anew when the server asks for it.
            return if held.is_over() { self.lose().await } else { Ok(()) };
        };
        let server = discovery::server(web, self.reach, &held.issuer).await?;
        let form = vec![
            ("grant_type", Secret::new("refresh_token")),
            ("refresh_token", refresh.clone()),
            ("resource", Secret::new(&*held.resource)),
        ];
        match token::request(web, self.reach, &server, &held.client, &form, held.key.as_deref(), nonces).await {
            Ok(answer) => {
                let terms = Terms {
                    issuer: held.issuer.clone(),
                    resource: held.resource.clone(),
                    client: held.client.clone(),
                    scopes: held.asked.clone(),
                    key: held.key.clone(),
                    must_be_bound: held.key.is_some(),
                };
                let mut new = Held::new(answer, terms, true)?;
                // spec: RFC 6749, section 6: a server that doesn't rotate lets the old one stand, and so do scopes
                new.refresh = new.refresh.or(Some(refresh));
                self.keep(new).await
            }
            Err(TokenError::Refused(refused)) => {
                tracing::debug!(issuer = held.issuer, "the refresh token isn't taken any more: {refused}");
                if held.client.origin == Origin::Registration && refused.code == "invalid_client" {
                    client::forget(&*config.store, &held.issuer).await?;
                }
                self.lose().await
            }
            Err(TokenError::Failed(why)) => Err(format!("the token can't be renewed: {why}")),
        }
    }

    async fn keep(&self, new: Held) -> Result<(), String> {
        let stored = new.to_store()?;
        // Held before it is stored: where the store fails, this process still has what it was given once.
        self.hold(Some(Arc::new(new)));
        self.shared.config.store.save(&self.store_key(), &stored).await.map_err(store_failed)
    }

    /// Forgets the token, here and in the store.
    pub(super) async fn forget(&self) -> Result<(), String> {
        let mut flight = self.flight.lock().await;
        flight.is_loaded = true;
        flight.asked = None;
        flight.attempts = Attempts::default();
        self.lose().await
    }

    async fn lose(&self) -> Result<(), String> {
        self.hold(None);
        self.shared.config.store.remove(&self.store_key()).await.map_err(store_failed)
    }

    fn no_token(&self, found: &Found, error: &TokenError) -> String {
        format!("the authorization server {:?} gives no token: {error}", found.server.issuer)
    }
}

fn is_unknown_client(error: &TokenError) -> bool {
    matches!(error, TokenError::Refused(refused) if refused.code == "invalid_client")
}

fn store_failed(error: std::io::Error) -> String {
    format!("the store of tokens fails: {error}")
}
