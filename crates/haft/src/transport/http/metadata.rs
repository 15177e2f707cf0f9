//! The metadata of a protected resource, for clients that have no token yet: open to everybody who calls the server by
//! one of its names.

use std::convert::Infallible;
use std::fmt;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, CACHE_CONTROL,
};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};
use tower_service::Service;

use super::service::Inner;
use super::{HttpBody, HttpService, gate, reply};
use crate::auth::WELL_KNOWN;

/// Answers with the metadata of an [`HttpService`]'s [`ProtectedResource`](crate::ProtectedResource), whatever the path;
/// with 404 where the service has none.
///
/// [`HttpServer`](crate::HttpServer) has it by itself. An application mounts it where clients look for it: for the
/// resource `https://mcp.example.com/mcp` that is `/.well-known/oauth-protected-resource/mcp`.
///
/// ```
/// use haft::prelude::*;
/// use haft::{HttpOptions, ProtectedResource};
/// use tower_service::Service;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let resource = ProtectedResource::new("https://mcp.example.com/mcp").authorization_server("https://auth.example.com");
/// let options = HttpOptions::new().allow_host("mcp.example.com").protected_resource(resource);
/// let service = Server::new("empty", "1.0.0").build()?.into_http_service(options);
///
/// // In axum: `.route_service(&path, service.metadata_service())` for each of the paths.
/// assert!(service.metadata_paths().contains(&"/.well-known/oauth-protected-resource/mcp".to_owned()));
/// let request = http::Request::get("https://mcp.example.com/.well-known/oauth-protected-resource/mcp").body(())?;
/// assert_eq!(service.metadata_service().call(request).await?.status(), 200);
/// # Ok(())
/// # }
/// ```
///
/// spec: `basic/authorization/authorization-server-discovery#authorization-server-location`
#[derive(Clone)]
pub struct MetadataService {
    inner: Arc<Inner>,
}

impl HttpService {
    /// A service that answers with the metadata of the [protected resource](crate::HttpOptions::protected_resource).
    pub fn metadata_service(&self) -> MetadataService {
        MetadataService { inner: Arc::clone(&self.inner) }
    }

    /// The paths at which clients look for that metadata: the resource's own path behind the well-known one, and the
    /// well-known one alone. None where there is no protected resource.
    pub fn metadata_paths(&self) -> Vec<String> {
        let Some(resource) = &self.inner.options.resource else { return Vec::new() };
        let mut paths = vec![resource.path(), WELL_KNOWN.to_owned()];
        paths.dedup();
        paths
    }

    /// The same for a server of its own, whose endpoint may have another path than the resource that clients see.
    pub(super) fn has_metadata_at(&self, path: &str) -> bool {
        let rest = path.strip_prefix(WELL_KNOWN);
        let Some((rest, resource)) = rest.zip(self.inner.options.resource.as_ref()) else { return false };
        rest.is_empty() || rest == "/mcp" || resource.path() == path
    }
}

impl<B> Service<http::Request<B>> for MetadataService {
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = Ready<Result<Response<HttpBody>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let (head, _) = request.into_parts();
        ready(Ok(self.inner.metadata(&head)))
    }
}

impl Inner {
    fn metadata(&self, head: &Parts) -> Response<HttpBody> {
        if let Err(why) = gate::check_host(&self.options, &head.uri, &head.headers) {
            tracing::warn!(why, "request refused");
            return reply::refused(StatusCode::FORBIDDEN, why);
        }
        let Some(resource) = &self.options.resource else {
            return reply::text(StatusCode::NOT_FOUND, "Not found. This server is no protected resource.\n");
        };
        let mut answer = match head.method {
            Method::GET | Method::HEAD => match resource.document(&self.server.scopes(&resource.initial)) {
                Ok(document) => reply::json(StatusCode::OK, document),
                Err(error) => {
                    tracing::error!(%error, "the metadata could not be written");
                    reply::empty(StatusCode::INTERNAL_SERVER_ERROR)
                }
            },
            Method::OPTIONS => reply::empty(StatusCode::NO_CONTENT),
            _ => reply::empty(StatusCode::METHOD_NOT_ALLOWED),
        };
        let headers = answer.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=300"));
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS"));
        // Public, and without credentials: pages of any origin may read it.
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET"));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
        answer
    }
}

impl fmt::Debug for MetadataService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MetadataService").field("resource", &self.inner.options.resource).finish_non_exhaustive()
    }
}
