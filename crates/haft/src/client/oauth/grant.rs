use std::fmt;
use std::sync::Arc;

use crate::client::authorize::Authorizing;

use super::config::RegisteredClient;
use super::secret::Secret;

/// Gives what vouches for a user or a workload: an ID token, or a platform's token. Asked each time that one is needed.
///
/// A [`Secret`] is a source that always gives itself.
pub trait AssertionSource: Send + Sync + 'static {
    /// An assertion for an audience, which is the issuer of the authorization server that will get it.
    ///
    /// # Errors
    /// When there is none.
    fn assertion<'a>(&'a self, audience: &'a str) -> Authorizing<'a, Secret>;
}

impl AssertionSource for Secret {
    fn assertion<'a>(&'a self, _: &'a str) -> Authorizing<'a, Secret> {
        Box::pin(async { Ok(self.clone()) })
    }
}

/// Authorization that the user's enterprise manages: its identity provider turns the user's identity into a grant for one
/// MCP server, and that server's authorization server turns the grant into a token.
///
/// spec: extension `io.modelcontextprotocol/enterprise-managed-authorization`
#[derive(Clone)]
pub struct Enterprise {
    pub(super) client: RegisteredClient,
    pub(super) token_endpoint: String,
    pub(super) provider_client: RegisteredClient,
    pub(super) identity: Arc<dyn AssertionSource>,
    pub(super) identity_type: &'static str,
}

impl Enterprise {
    /// `client` is this client at the MCP server's authorization server, `at_provider` at the enterprise's identity
    /// provider, whose token endpoint is `token_endpoint`. `identity` gives the user's ID token.
    pub fn new(
        client: RegisteredClient,
        at_provider: RegisteredClient,
        token_endpoint: impl Into<String>,
        identity: impl AssertionSource,
    ) -> Self {
        Self {
            client,
            token_endpoint: token_endpoint.into(),
            provider_client: at_provider,
            identity: Arc::new(identity),
            identity_type: "urn:ietf:params:oauth:token-type:id_token",
        }
    }

    /// The identity is an assertion of SAML 2.0 rather than an ID token of OpenID Connect.
    #[must_use]
    pub fn with_saml(mut self) -> Self {
        self.identity_type = "urn:ietf:params:oauth:token-type:saml2";
        self
    }
}

impl fmt::Debug for Enterprise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Enterprise");
        fields.field("client", &self.client).field("token_endpoint", &self.token_endpoint).finish_non_exhaustive()
    }
}

/// A program that the platform it runs on vouches for: the platform's token is exchanged for one of the authorization
/// server's (the grant of RFC 7523). A token that was refused once isn't sent again.
#[derive(Clone)]
pub struct Workload {
    pub(super) client: RegisteredClient,
    pub(super) token: Arc<dyn AssertionSource>,
}

impl Workload {
    /// `token` gives the platform's token for the issuer of `client`.
    pub fn new(client: RegisteredClient, token: impl AssertionSource) -> Self {
        Self { client, token: Arc::new(token) }
    }
}

impl fmt::Debug for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workload").field("client", &self.client).finish_non_exhaustive()
    }
}
