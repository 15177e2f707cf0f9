use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::OAuth;
use super::dpop::Dpop;
use super::grant::{Enterprise, Workload};
use super::jws::SigningKey;
use super::loopback::Loopback;
use super::redirect::Redirect;
use super::scope::Scopes;
use super::secret::Secret;
use super::store::{MemoryStore, TokenStore};
use super::web::Reach;

/// A client that an authorization server knows already, and the server that knows it.
///
/// What it proves itself with never goes to any other authorization server, whatever an MCP server says.
///
/// spec: `basic/authorization/client-registration#authorization-server-binding`
#[derive(Debug, Clone)]
pub struct RegisteredClient {
    pub(super) issuer: String,
    pub(super) id: String,
    pub(super) proof: ClientProof,
}

/// What a client proves itself with.
#[derive(Debug, Clone)]
pub(super) enum ClientProof {
    None,
    Secret(Secret),
    Key(Arc<SigningKey>),
}

impl RegisteredClient {
    /// A public client, which has nothing to prove itself with.
    ///
    /// The issuer is the authorization server's identifier, character for character as its metadata has it.
    pub fn new(issuer: impl Into<String>, id: impl Into<String>) -> Self {
        Self { issuer: issuer.into(), id: id.into(), proof: ClientProof::None }
    }

    /// Proves itself with a secret: by `client_secret_basic`, or `client_secret_post` where the server takes only that.
    #[must_use]
    pub fn with_secret(mut self, secret: impl Into<Secret>) -> Self {
        self.proof = ClientProof::Secret(secret.into());
        self
    }

    /// Proves itself by what it signs (`private_key_jwt`).
    #[must_use]
    pub fn with_key(mut self, key: SigningKey) -> Self {
        self.proof = ClientProof::Key(Arc::new(key));
        self
    }
}

/// What is wrong with how authorization was set up.
#[derive(Debug)]
pub struct OAuthConfigError {
    message: String,
}

impl OAuthConfigError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for OAuthConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OAuthConfigError {}

/// Everything that was set, for all servers.
pub(super) struct Config {
    pub(super) way: Way,
    pub(super) clients: Vec<RegisteredClient>,
    pub(super) metadata_url: Option<String>,
    pub(super) dynamic: bool,
    pub(super) name: String,
    pub(super) scopes: Scopes,
    pub(super) offline: bool,
    pub(super) dpop: Dpop,
    pub(super) issuer: Option<String>,
    pub(super) patience: Duration,
    pub(super) store: Arc<dyn TokenStore>,
}

/// How a token is come by.
pub(super) enum Way {
    /// The user consents: the authorization code grant.
    User(Arc<dyn Redirect>),
    /// The client itself is who calls.
    Client(RegisteredClient),
    Enterprise(Enterprise),
    Workload(Workload),
}

impl Way {
    /// The client that gets the tokens, where it is registered in any case.
    pub(super) fn client(&self) -> Option<&RegisteredClient> {
        match self {
            Self::User(_) => None,
            Self::Client(client) => Some(client),
            Self::Enterprise(enterprise) => Some(&enterprise.client),
            Self::Workload(workload) => Some(&workload.client),
        }
    }

    pub(super) fn is_user(&self) -> bool {
        matches!(self, Self::User(_))
    }

    /// Tokens that were come by in one way are no use to another.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::User(_) => "user",
            Self::Client(_) => "client",
            Self::Enterprise(_) => "enterprise",
            Self::Workload(_) => "workload",
        }
    }
}

/// Sets up an [`OAuth`].
///
/// Unless one of [`client_credentials`](Self::client_credentials), [`enterprise`](Self::enterprise) and
/// [`workload`](Self::workload) is set, the user consents in a browser.
pub struct OAuthBuilder {
    config: Config,
}

impl fmt::Debug for OAuthBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthBuilder").finish_non_exhaustive()
    }
}

impl OAuthBuilder {
    pub(super) fn new() -> Self {
        let config = Config {
            way: Way::User(Arc::new(Loopback::default())),
            clients: Vec::new(),
            metadata_url: None,
            dynamic: true,
            name: "haft".to_owned(),
            scopes: Scopes::default(),
            offline: true,
            dpop: Dpop::default(),
            issuer: None,
            patience: Duration::from_secs(300),
            store: Arc::new(MemoryStore::default()),
        };
        Self { config }
    }

    /// How the user gets to the authorization server's page, and the answer back; a [`Loopback`] with the system's
    /// browser unless set.
    #[must_use]
    pub fn redirect(mut self, redirect: impl Redirect) -> Self {
        self.config.way = Way::User(Arc::new(redirect));
        self
    }

    /// A client that was registered beforehand. May be set for several authorization servers; once one is set, an MCP
    /// server that names none of them is an error.
    ///
    /// spec: `basic/authorization/client-registration#pre-registration`
    #[must_use]
    pub fn client(mut self, client: RegisteredClient) -> Self {
        self.config.clients.push(client);
        self
    }

    /// The URL of this client's metadata document, which is its id wherever such documents are taken. The document has
    /// to list the redirect URI of [`redirect`](Self::redirect).
    ///
    /// spec: `basic/authorization/client-registration#client-id-metadata-documents`
    #[must_use]
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.config.metadata_url = Some(url.into());
        self
    }

    /// Whether this client may register itself where it is neither known nor has a metadata document; it may unless set.
    ///
    /// spec: `basic/authorization/client-registration#dynamic-client-registration`
    #[must_use]
    pub fn dynamic_registration(mut self, may: bool) -> Self {
        self.config.dynamic = may;
        self
    }

    /// The name that users see when this client registers itself; `haft` unless set.
    #[must_use]
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.config.name = name.into();
        self
    }

    /// Scopes to ask for in any case, besides those that the server asks for.
    #[must_use]
    pub fn scopes<S: AsRef<str>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.config.scopes = scopes.into_iter().collect();
        self
    }

    /// Whether to ask for `offline_access`, where an authorization server has it, so that it gives a refresh token; asked
    /// unless set.
    ///
    /// spec: `basic/authorization#refresh-tokens`
    #[must_use]
    pub fn offline_access(mut self, ask: bool) -> Self {
        self.config.offline = ask;
        self
    }

    /// When tokens are bound to a key of this client's; where a server asks for it unless set.
    #[must_use]
    pub fn dpop(mut self, dpop: Dpop) -> Self {
        self.config.dpop = dpop;
        self
    }

    /// The one authorization server that may give tokens. It is also asked for MCP servers without metadata, which else
    /// can't be authorized for.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.config.issuer = Some(issuer.into());
        self
    }

    /// How long the user may take to consent; 5 minutes unless set.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.config.patience = patience;
        self
    }

    /// Where tokens and registrations are kept; in memory unless set.
    #[must_use]
    pub fn store(mut self, store: impl TokenStore) -> Self {
        self.config.store = Arc::new(store);
        self
    }

    /// The client itself is who calls; no user consents (the client credentials grant).
    ///
    /// spec: extension `io.modelcontextprotocol/oauth-client-credentials`
    #[must_use]
    pub fn client_credentials(mut self, client: RegisteredClient) -> Self {
        self.config.way = Way::Client(client);
        self
    }

    /// The user's enterprise decides; no user consents.
    ///
    /// spec: extension `io.modelcontextprotocol/enterprise-managed-authorization`
    #[must_use]
    pub fn enterprise(mut self, enterprise: Enterprise) -> Self {
        self.config.way = Way::Enterprise(enterprise);
        self
    }

    /// The platform that this program runs on vouches for it (workload identity federation).
    #[must_use]
    pub fn workload(mut self, workload: Workload) -> Self {
        self.config.way = Way::Workload(workload);
        self
    }

    /// Checks what was set.
    ///
    /// # Errors
    /// When a URL isn't safe, a client is set twice for one authorization server, or TLS can't be had.
    pub fn build(self) -> Result<OAuth, OAuthConfigError> {
        let config = self.config;
        if let Some(url) = &config.metadata_url {
            let parsed = Reach::anywhere().check(url).map_err(OAuthConfigError::new)?;
            if parsed.scheme() != "https" || parsed.path() == "/" || parsed.fragment().is_some() {
                let what = format!("client_metadata_url {url:?} has to be an https URL with a path and no fragment");
                return Err(OAuthConfigError::new(what));
            }
        }
        for (at, client) in config.clients.iter().enumerate() {
            if config.clients[..at].iter().any(|other| other.issuer == client.issuer) {
                return Err(OAuthConfigError::new(format!("two clients are set for the issuer {:?}", client.issuer)));
            }
        }
        match &config.way {
            Way::Client(RegisteredClient { proof: ClientProof::None, .. }) => {
                let what = "client_credentials needs a client with a secret or a key: see RegisteredClient";
                return Err(OAuthConfigError::new(what));
            }
            Way::Enterprise(enterprise) => {
                Reach::anywhere().check(&enterprise.token_endpoint).map_err(OAuthConfigError::new)?;
            }
            _ => {}
        }
        let way = config.way.client().map(|client| &client.issuer);
        for issuer in config.clients.iter().map(|client| &client.issuer).chain(&config.issuer).chain(way) {
            Reach::anywhere().check(issuer).map_err(OAuthConfigError::new)?;
        }
        OAuth::new(config)
    }
}
