use std::fmt;

use crate::client::authorize::Authorizing;

use super::secret::Secret;

/// Takes the user to an authorization server's page, and brings back where that page redirected to.
///
/// [`Loopback`](super::Loopback) is ready-made, for programs on the user's own machine. A web application implements this
/// with a route of its own.
pub trait Redirect: Send + Sync + 'static {
    /// Gets ready to be redirected to, once for each authorization.
    ///
    /// # Errors
    /// When nothing can be redirected to.
    fn prepare(&self) -> Authorizing<'_, Box<dyn PreparedRedirect>>;
}

/// One authorization, ready to begin.
pub trait PreparedRedirect: Send {
    /// The redirect URI, which the authorization server sends the user back to.
    fn uri(&self) -> &str;

    /// Shows the user the page, waits, and gives the URL that the page redirected to: the redirect URI with its query.
    ///
    /// What comes back is checked by the caller: `state`, `iss`, then `error` and `code`. The future is dropped when the
    /// user takes too long.
    ///
    /// # Errors
    /// When the page can't be shown, or nothing will come back.
    fn visit<'a>(&'a mut self, request: AuthorizationRequest) -> Authorizing<'a, Secret>;
}

/// Where the user is to be taken.
#[derive(Clone)]
#[non_exhaustive]
pub struct AuthorizationRequest {
    /// The URL of the authorization server's page, `https` or on this machine.
    pub url: String,
    /// What has to come back as `state`: anything else was not redirected by this page.
    pub state: Secret,
}

/// Without the query of its URL, which holds the state.
impl fmt::Debug for AuthorizationRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let page = self.url.split('?').next().unwrap_or_default();
        f.debug_struct("AuthorizationRequest").field("page", &page).finish_non_exhaustive()
    }
}
