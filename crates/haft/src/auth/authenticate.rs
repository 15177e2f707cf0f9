use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;

use crate::server::Principal;

/// The longest token that is looked at, in bytes.
const LONGEST: usize = 16 << 10;

/// Finds out who sends an HTTP request.
///
/// It is asked once for each request, before its body is read, and sees the method, the URI, the headers, and the
/// extensions that an application's own middleware has put there. [`Bearer`](crate::Bearer) and `JwtVerifier` are
/// ready-made; this one trusts a proxy that has checked a client certificate:
///
/// ```
/// use haft::{AuthError, Authenticate, Caller, HttpOptions, Principal};
/// use http::request::Parts;
///
/// struct ClientCertificate;
///
/// impl Authenticate for ClientCertificate {
///     async fn authenticate(&self, head: &Parts) -> Result<Principal, AuthError> {
///         let name = head.headers.get("x-client-name").ok_or_else(AuthError::missing)?;
///         let name = name.to_str().map_err(|_| AuthError::invalid("the name is not text"))?;
///         Ok(Caller::new("proxy", name).with_scopes(["orders:read"]).into())
///     }
/// }
///
/// let options = HttpOptions::new().authenticate(ClientCertificate);
/// # let _ = options;
/// ```
///
/// A panic, and an answer that takes longer than 15 s, is answered with 503: nobody is let in by a failure. Whoever is
/// taken for [`Principal::Local`] has all scopes.
///
/// spec: `basic/authorization#access-token-usage`
pub trait Authenticate: Send + Sync + 'static {
    /// The principal behind a request.
    ///
    /// # Errors
    /// Why nobody is let in: see [`AuthError`].
    fn authenticate(&self, head: &Parts) -> impl Future<Output = Result<Principal, AuthError>> + Send;
}

/// Why a request isn't let in. Nothing in it may repeat the credentials: the reason is logged, and except for
/// [`unavailable`](Self::unavailable) the client reads it.
#[derive(Debug, Clone)]
pub struct AuthError {
    pub(crate) kind: AuthErrorKind,
    pub(crate) reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthErrorKind {
    Missing,
    Invalid,
    Malformed,
    Unavailable,
}

impl AuthError {
    fn new(kind: AuthErrorKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into() }
    }

    /// The request has no credentials: 401, unless [anonymous callers](crate::HttpOptions::allow_anonymous) are allowed.
    pub fn missing() -> Self {
        Self::new(AuthErrorKind::Missing, "Send an access token: `Authorization: Bearer …`.")
    }

    /// The credentials are wrong, have expired, or are meant for somebody else: 401, with this reason.
    pub fn invalid(reason: impl Into<String>) -> Self {
        Self::new(AuthErrorKind::Invalid, reason)
    }

    /// The request gives its credentials in a way that can't be read: 400, with this reason.
    pub fn malformed(reason: impl Into<String>) -> Self {
        Self::new(AuthErrorKind::Malformed, reason)
    }

    /// It can't be found out now whether the credentials are good, such as when an authorization server can't be
    /// reached: 503. The reason is for the log alone.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::new(AuthErrorKind::Unavailable, reason)
    }
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for AuthError {}

/// The token of `Authorization: Bearer …`, for authenticators of your own. Tokens in the query of the URI don't count.
///
/// # Errors
/// [`AuthError::missing`] where there is none; other errors where the header is there twice, or holds no token.
///
/// spec: `basic/authorization#token-requirements`
pub fn bearer_token(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or_else(AuthError::missing)?;
    if values.next().is_some() {
        return Err(AuthError::malformed("the header Authorization is there more than once"));
    }
    let text = value.to_str().map_err(|_| AuthError::malformed("the header Authorization is not ASCII"))?;
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(AuthError::missing());
    }
    let token = token.trim_matches(' ');
    let well_formed = |token: &str| {
        let body = token.trim_end_matches('=');
        !body.is_empty() && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte))
    };
    if token.len() > LONGEST || !well_formed(token) {
        return Err(AuthError::invalid("this is no access token"));
    }
    Ok(token)
}

/// An [`Authenticate`] of whatever type.
#[derive(Clone)]
pub(crate) struct Authenticator(Arc<dyn Erased>);

trait Erased: Send + Sync {
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthError>>;
}

impl<A: Authenticate> Erased for A {
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthError>> {
        Box::pin(Authenticate::authenticate(self, head))
    }
}

impl Authenticator {
    pub(crate) fn new(authenticate: impl Authenticate) -> Self {
        Self(Arc::new(authenticate))
    }

    pub(crate) fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthError>> {
        self.0.authenticate(head)
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authenticator")
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read(values: &[&'static str]) -> Result<String, AuthErrorKind> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        bearer_token(&headers).map(str::to_owned).map_err(|error| error.kind)
    }

    #[test]
    fn one_well_formed_token_is_read() {
        assert_eq!(read(&["Bearer abc"]), Ok("abc".to_owned()));
        assert_eq!(read(&["bEARER   a.b-c_d~e+f/9=="]), Ok("a.b-c_d~e+f/9==".to_owned()));
        assert_eq!(read(&[]), Err(AuthErrorKind::Missing));
        assert_eq!(read(&["Basic dTpw"]), Err(AuthErrorKind::Missing));
        assert_eq!(read(&["Bearer a", "Bearer a"]), Err(AuthErrorKind::Malformed));
        for bad in ["Bearer", "Bearer ", "Bearer =", "Bearer a b", "Bearer a,b", "Bearer a=b", "Bearer \"a\""] {
            assert_eq!(read(&[bad]), Err(AuthErrorKind::Invalid), "{bad}");
        }
    }
}
