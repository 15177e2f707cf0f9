use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

/// Authorizes the requests of a client to one server over HTTP.
///
/// A token that is already there:
///
/// ```
/// use haft::{Authorize, AuthorizeError, Authorizing, HttpTarget, Refusal};
/// use http::{HeaderName, HeaderValue, header::AUTHORIZATION};
///
/// struct Token(HeaderValue);
///
/// impl Authorize for Token {
///     fn headers<'a>(&'a self, _: HttpTarget<'a>) -> Authorizing<'a, Vec<(HeaderName, HeaderValue)>> {
///         Box::pin(async { Ok(vec![(AUTHORIZATION, self.0.clone())]) })
///     }
///
///     fn refused<'a>(&'a self, _: HttpTarget<'a>, refusal: Refusal<'a>) -> Authorizing<'a, bool> {
///         Box::pin(async move { Err(AuthorizeError::new(format!("the token is not taken ({})", refusal.status))) })
///     }
/// }
/// ```
pub trait Authorize: Send + Sync + 'static {
    /// The headers that authorize a request, as far as there is anything to authorize it with. Asked before every
    /// request, and before a private list of tools that is kept is used: what was for one authorization is not for another.
    ///
    /// # Errors
    /// Where the request can't be authorized; it isn't sent.
    fn headers<'a>(&'a self, request: HttpTarget<'a>) -> Authorizing<'a, Vec<(HeaderName, HeaderValue)>>;

    /// What to do about an answer with 401 or 403: true to send the request again. Asked a few times per request at most.
    ///
    /// # Errors
    /// Where there is no authorization to be had.
    fn refused<'a>(&'a self, request: HttpTarget<'a>, refusal: Refusal<'a>) -> Authorizing<'a, bool>;

    /// The extensions of the protocol that this is an implementation of; the client declares them.
    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }
}

/// So that whoever authorizes can be kept beside the client, or shared by several.
impl<A: Authorize + ?Sized> Authorize for Arc<A> {
    fn headers<'a>(&'a self, request: HttpTarget<'a>) -> Authorizing<'a, Vec<(HeaderName, HeaderValue)>> {
        (**self).headers(request)
    }

    fn refused<'a>(&'a self, request: HttpTarget<'a>, refusal: Refusal<'a>) -> Authorizing<'a, bool> {
        (**self).refused(request, refusal)
    }

    fn extensions(&self) -> &'static [&'static str] {
        (**self).extensions()
    }
}

/// What an [`Authorize`] gives back.
pub type Authorizing<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthorizeError>> + Send + 'a>>;

/// The request that is to be authorized.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct HttpTarget<'a> {
    /// Its method.
    pub method: &'a Method,
    /// The endpoint's URL, as it was given to the client.
    pub url: &'a str,
}

impl<'a> HttpTarget<'a> {
    /// A request to the endpoint at a URL.
    pub fn new(method: &'a Method, url: &'a str) -> Self {
        Self { method, url }
    }
}

/// How a server refused a request.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Refusal<'a> {
    /// 401 or 403.
    pub status: StatusCode,
    /// The answer's headers, `WWW-Authenticate` among them.
    pub headers: &'a HeaderMap,
    /// What [`Authorize::headers`] gave for the request that was refused.
    pub sent: &'a [(HeaderName, HeaderValue)],
}

impl<'a> Refusal<'a> {
    /// The refusal of a request that was sent with these headers.
    pub fn new(status: StatusCode, headers: &'a HeaderMap, sent: &'a [(HeaderName, HeaderValue)]) -> Self {
        Self { status, headers, sent }
    }
}

/// Without what was sent.
impl fmt::Debug for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusal").field("status", &self.status).field("headers", &self.headers).finish_non_exhaustive()
    }
}

/// Why there is no authorization. Never holds a token, a code or a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizeError {
    message: String,
}

impl AuthorizeError {
    /// An error in these words, which the user will see: say what to do.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for AuthorizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for AuthorizeError {}
