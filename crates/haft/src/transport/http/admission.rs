//! Who is calling: a request's credentials before its body is read, and the challenge to those who need others.
//!
//! spec: `basic/authorization#error-handling`

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use haft_wire::ErrorObject;
use http::header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};

use super::{HttpBody, HttpOptions, reply};
use crate::auth::{AuthError, AuthErrorKind, Authenticator};
use crate::server::{Forbidden, Principal, Server, is_token};

/// How long an authenticator may take.
const DEADLINE: Duration = Duration::from_secs(15);

/// The longest reason that a challenge holds, in characters.
const LONGEST: usize = 200;

/// Whoever sends this request; else the answer to them.
pub(super) async fn admit(
    options: &HttpOptions,
    server: &Server,
    head: &Parts,
) -> Result<Principal, Box<Response<HttpBody>>> {
    let Some(authenticator) = &options.authenticator else { return Ok(Principal::Anonymous) };
    let error = match ask(authenticator, head).await {
        Ok(principal) => return Ok(principal),
        Err(error) => error,
    };
    let AuthError { kind, reason } = &error;
    // Credentials that nobody understood are no reason to take their sender for somebody who has none.
    let bare = *kind == AuthErrorKind::Missing && !head.headers.contains_key(AUTHORIZATION);
    if bare && options.anonymous {
        return Ok(Principal::Anonymous);
    }
    if *kind == AuthErrorKind::Unavailable {
        tracing::error!(reason, "a caller's credentials can't be checked");
        let why = "The server can't check access tokens at the moment. Try again later.";
        let mut answer = reply::error(StatusCode::SERVICE_UNAVAILABLE, None, &ErrorObject::internal(why));
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
        return Err(answer.into());
    }
    tracing::debug!(reason, "a caller is not let in");
    let (status, code) = match kind {
        AuthErrorKind::Malformed => (StatusCode::BAD_REQUEST, Some("invalid_request")),
        AuthErrorKind::Invalid => (StatusCode::UNAUTHORIZED, Some("invalid_token")),
        _ => (StatusCode::UNAUTHORIZED, None),
    };
    let scope = match &options.resource {
        Some(resource) if !resource.initial.is_empty() => {
            crate::server::joined(resource.initial.iter().map(String::as_str))
        }
        _ => server.scopes(&[]),
    };
    let description = code.map(|_| reason.as_str());
    let text = match kind {
        AuthErrorKind::Missing => reason.clone(),
        _ => format!("The request's credentials are refused: {reason}."),
    };
    let mut answer = reply::refused(status, text);
    answer.headers_mut().insert(WWW_AUTHENTICATE, challenge(options, code, &scope, description));
    Err(answer.into())
}

/// A failure of the authenticator itself lets nobody in.
async fn ask(authenticator: &Authenticator, head: &Parts) -> Result<Principal, AuthError> {
    let asked = AssertUnwindSafe(async { authenticator.authenticate(head).await }).catch_unwind();
    match tokio::time::timeout(DEADLINE, asked).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(AuthError::unavailable("the authenticator panicked")),
        Err(_) => Err(AuthError::unavailable("the authenticator took too long")),
    }
}

/// What a caller gets whose scopes are not enough, beside the error.
///
/// spec: `basic/authorization#runtime-insufficient-scope-errors`
pub(super) fn forbidden(options: &HttpOptions, forbidden: &Forbidden) -> HeaderValue {
    let code = (!forbidden.anonymous).then_some("insufficient_scope");
    challenge(options, code, &forbidden.scope, None)
}

/// RFC 6750, section 3, and RFC 9728, section 5.1.
fn challenge(options: &HttpOptions, code: Option<&str>, scope: &str, description: Option<&str>) -> HeaderValue {
    let metadata = options.resource.as_ref().and_then(|resource| resource.url());
    let description: Option<String> = description.map(|text| text.chars().map(plain).take(LONGEST).collect());
    let parameters = [
        ("error", code),
        ("scope", Some(scope).filter(|scope| scope.split(' ').all(is_token))),
        ("resource_metadata", metadata.as_deref()),
        ("error_description", description.as_deref()),
    ];
    let parameters = parameters.into_iter().filter_map(|(name, value)| Some(format!("{name}=\"{}\"", value?)));
    let text = format!("Bearer {}", parameters.collect::<Vec<_>>().join(", "));
    // No character of it is outside of what a header takes; the bare scheme is as good as any challenge.
    HeaderValue::try_from(text.trim_end()).unwrap_or(HeaderValue::from_static("Bearer"))
}

/// A character as an `error_description` may have it.
fn plain(character: char) -> char {
    match character {
        '"' | '`' => '\'',
        ' '..='~' if character != '\\' => character,
        _ => '?',
    }
}
