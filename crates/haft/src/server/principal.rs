use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::context::{Context, FromContext};
use crate::error::ToolError;

/// Who is behind a request, as far as its transport knows. Cloning is cheap.
///
/// What a client says of itself (`clientInfo`) is something else: nobody has verified that.
///
/// ```
/// use haft::prelude::*;
/// use haft::Principal;
///
/// /// Use this to learn whose orders these are.
/// #[tool(read_only, closed_world)]
/// async fn whoami(ctx: Context) -> String {
///     match ctx.principal() {
///         Principal::Authenticated(caller) => format!("You are {}.", caller.subject()),
///         Principal::Local => "You started this server.".to_owned(),
///         _ => "Nobody knows who you are.".to_owned(),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::new("who", "1.0.0").tool(whoami::tool()).build()?;
/// assert_eq!(server.call_tool("whoami", serde_json::json!({})).await?.text(), "You started this server.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Principal {
    /// Whoever started this process, or runs in it: stdio and in-memory connections. May do everything.
    Local,
    /// Somebody on the network who hasn't said who they are. All of them share this value, and no identity.
    Anonymous,
    /// Somebody whose credentials were checked.
    Authenticated(Caller),
}

/// Somebody whose credentials were checked: what an authorization server says of them.
///
/// Two of them are equal where issuer and subject are: whoever comes with a new token, or one with other scopes, is still
/// the same caller. `Debug` shows no claims.
///
/// ```
/// use haft::Caller;
///
/// let caller = Caller::new("https://auth.example.com", "user-7").with_scopes(["orders:read"]);
/// assert!(caller.scopes().any(|scope| scope == "orders:read"));
/// assert_eq!(caller, Caller::new("https://auth.example.com", "user-7"));
/// ```
///
/// A tool that is of no use to anybody else takes it as a parameter; others get an error that says so:
///
/// ```
/// use haft::Caller;
/// use haft::prelude::*;
///
/// /// Use this to see the user's own orders.
/// #[tool(read_only, closed_world, scopes("orders:read"))]
/// async fn my_orders(#[extract] caller: Caller) -> String {
///     format!("Orders of {}: none.", caller.subject())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::new("orders", "1.0.0").tool(my_orders::tool()).build()?;
/// let refused = server.call_tool("my_orders", serde_json::json!({})).await?;
/// assert!(refused.text().contains("signed in"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Caller {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    issuer: String,
    subject: String,
    /// Issuer and subject as one text.
    identity: String,
    client_id: Option<String>,
    scopes: Vec<String>,
    claims: Map<String, Value>,
}

impl Principal {
    /// What request state and sessions are bound to: another text for every other principal. Anonymous callers are one
    /// and the same, since nothing tells them apart.
    pub(crate) fn identity(&self) -> Cow<'_, str> {
        match self {
            Self::Local => "local".into(),
            Self::Anonymous => "anonymous".into(),
            Self::Authenticated(caller) => caller.inner.identity.as_str().into(),
        }
    }
}

impl From<Caller> for Principal {
    fn from(caller: Caller) -> Self {
        Self::Authenticated(caller)
    }
}

impl Caller {
    /// The one whom this issuer knows by this name (`iss` and `sub` of a token).
    pub fn new(issuer: impl Into<String>, subject: impl Into<String>) -> Self {
        let (issuer, subject) = (issuer.into(), subject.into());
        // A JSON list: no other issuer and subject are written the same, and no other kind of principal is.
        let identity = Value::from(vec![issuer.as_str(), subject.as_str()]).to_string();
        let inner = Inner { issuer, subject, identity, client_id: None, scopes: Vec::new(), claims: Map::new() };
        Self { inner: Arc::new(inner) }
    }

    /// With the client that the token was given to.
    #[must_use]
    pub fn with_client_id(mut self, id: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.inner).client_id = Some(id.into());
        self
    }

    /// With these scopes, in the place of any that are there.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        Arc::make_mut(&mut self.inner).scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// With everything else that is known, such as the claims of a token.
    #[must_use]
    pub fn with_claims(mut self, claims: Map<String, Value>) -> Self {
        Arc::make_mut(&mut self.inner).claims = claims;
        self
    }

    /// Who says so: the authorization server.
    pub fn issuer(&self) -> &str {
        &self.inner.issuer
    }

    /// The caller's name, unique at its issuer.
    pub fn subject(&self) -> &str {
        &self.inner.subject
    }

    /// The client that the token was given to, where that is known.
    pub fn client_id(&self) -> Option<&str> {
        self.inner.client_id.as_deref()
    }

    /// What the caller may do, as the token has it: without what its scopes imply.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.inner.scopes.iter().map(String::as_str)
    }

    /// The claims of the token, or what else the authenticator knows.
    pub fn claims(&self) -> &Map<String, Value> {
        &self.inner.claims
    }
}

impl FromContext for Caller {
    type Rejection = ToolError;

    async fn from_context(context: &Context) -> Result<Self, ToolError> {
        match context.principal() {
            Principal::Authenticated(caller) => Ok(caller.clone()),
            _ => Err(ToolError::new("This is only for callers who have signed in.")),
        }
    }
}

impl PartialEq for Caller {
    fn eq(&self, other: &Self) -> bool {
        self.inner.identity == other.inner.identity
    }
}

impl Eq for Caller {}

impl Hash for Caller {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.identity.hash(state);
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { issuer, subject, client_id, scopes, .. } = &*self.inner;
        f.debug_struct("Caller")
            .field("issuer", issuer)
            .field("subject", subject)
            .field("client_id", client_id)
            .field("scopes", scopes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(issuer: &str, subject: &str) -> String {
        Principal::from(Caller::new(issuer, subject)).identity().into_owned()
    }

    #[test]
    fn no_two_callers_share_an_identity() {
        let pairs = [("a", "b"), ("a\",\"b", ""), ("", "a\",\"b"), ("ab", ""), ("", "ab"), ("local", ""), ("", "")];
        let mut identities: Vec<_> = pairs.iter().map(|(issuer, subject)| identity(issuer, subject)).collect();
        identities.extend([Principal::Local.identity().into_owned(), Principal::Anonymous.identity().into_owned()]);
        let distinct: std::collections::HashSet<_> = identities.iter().collect();
        assert_eq!(distinct.len(), identities.len(), "{identities:?}");
    }

    #[test]
    fn a_caller_stays_the_same_with_other_scopes_and_shows_no_claims() {
        let claims = Map::from_iter([("email".to_owned(), Value::from("ada@example.com"))]);
        let one = Caller::new("https://a.example", "7").with_scopes(["x"]).with_claims(claims).with_client_id("c");
        let other = Caller::new("https://a.example", "7");
        assert_eq!(one, other);
        assert_eq!(Principal::from(one.clone()).identity(), Principal::from(other).identity());
        let shown = format!("{one:?}");
        assert!(shown.contains("https://a.example") && !shown.contains("ada@"), "{shown}");
    }
}
