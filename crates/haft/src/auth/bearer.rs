use std::future::Future;

use http::request::Parts;

use super::{AuthError, Authenticate, bearer_token};
use crate::server::Principal;

/// Lets a function of yours check access tokens, such as by asking an authorization server (RFC 7662) or a database.
///
/// ```
/// use haft::{AuthError, Bearer, Caller, HttpOptions};
///
/// let bearer = Bearer::new(|token: String| async move {
///     match token.as_str() {
///         "the-only-token" => Ok(Caller::new("https://auth.example.com", "ada").with_scopes(["orders:read"])),
///         _ => Err(AuthError::invalid("the token is unknown")),
///     }
/// });
/// let options = HttpOptions::new().authenticate(bearer);
/// # let _ = options;
/// ```
///
/// The function has to see to it that the token was made for this server, and not for another: a server that takes tokens
/// meant for others can be used against their owners.
///
/// spec: `basic/authorization#token-handling`
#[derive(Debug, Clone)]
pub struct Bearer<F> {
    check: F,
}

impl<F, Fut, P> Bearer<F>
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<P, AuthError>> + Send + 'static,
    P: Into<Principal>,
{
    /// Asks `check` who a token belongs to.
    pub fn new(check: F) -> Self {
        Self { check }
    }
}

impl<F, Fut, P> Authenticate for Bearer<F>
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<P, AuthError>> + Send + 'static,
    P: Into<Principal>,
{
    async fn authenticate(&self, head: &Parts) -> Result<Principal, AuthError> {
        let token = bearer_token(&head.headers)?.to_owned();
        (self.check)(token).await.map(Into::into)
    }
}
