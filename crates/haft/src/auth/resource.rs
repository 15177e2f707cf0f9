use http::Uri;
use serde::Serialize;

/// The path under which clients look for a protected resource's metadata; the resource's own path follows.
pub(crate) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What a server says of itself to clients that have no token for it yet: RFC 9728.
///
/// ```
/// use haft::{HttpOptions, ProtectedResource};
///
/// let resource = ProtectedResource::new("https://mcp.example.com/mcp")
///     .authorization_server("https://auth.example.com")
///     .initial_scopes(["orders:read"]);
/// let options = HttpOptions::new().allow_host("mcp.example.com").protected_resource(resource);
/// # let _ = options;
/// ```
///
/// [`HttpServer`](crate::HttpServer) serves it where clients look for it, and every 401 and 403 says where that is. An
/// application with a router of its own mounts
/// [`HttpService::metadata_service`](crate::HttpService::metadata_service).
///
/// spec: `basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements`
#[derive(Debug, Clone)]
#[must_use]
pub struct ProtectedResource {
    resource: String,
    servers: Vec<String>,
    pub(crate) initial: Vec<String>,
    name: Option<String>,
    documentation: Option<String>,
}

/// spec: RFC 9728, section 2
#[derive(Serialize)]
struct Document<'a> {
    resource: &'a str,
    authorization_servers: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes_supported: Vec<&'a str>,
    bearer_methods_supported: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_documentation: Option<&'a str>,
}

impl ProtectedResource {
    /// The server's own URL, as its clients write it: the audience of its tokens. Without a slash at the end, unless its
    /// endpoint has one.
    ///
    /// spec: `basic/authorization#canonical-server-uri`
    pub fn new(resource: impl Into<String>) -> Self {
        let (servers, initial) = (Vec::new(), Vec::new());
        Self { resource: resource.into(), servers, initial, name: None, documentation: None }
    }

    /// Adds an authorization server: its issuer. There has to be at least one.
    pub fn authorization_server(mut self, issuer: impl Into<String>) -> Self {
        self.servers.push(issuer.into());
        self
    }

    /// What a client asks for at first: the scopes in the challenge to somebody without a token. Unless set, these are all
    /// that the server's tools, resources and prompts ask for. More are asked for when a call needs them.
    ///
    /// spec: `basic/authorization#scope-selection-strategy`
    pub fn initial_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.initial = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The resource's name for people.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// A page for developers.
    pub fn documentation(mut self, url: impl Into<String>) -> Self {
        self.documentation = Some(url.into());
        self
    }

    /// What is wrong with it, if anything.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.parts().is_none() {
            let resource = &self.resource;
            return Some(format!("{resource:?} is no resource: write an https URL without a fragment"));
        }
        if self.servers.is_empty() {
            return Some(
                "there is no authorization server: add one with ProtectedResource::authorization_server".into(),
            );
        }
        self.servers
            .iter()
            .find(|server| parts(server).is_none())
            .map(|server| format!("{server:?} is no authorization server: write its issuer, which is an https URL"))
    }

    fn parts(&self) -> Option<(String, String)> {
        parts(&self.resource)
    }

    /// The path of the document: the resource's own, behind the well-known one.
    pub(crate) fn path(&self) -> String {
        let path = self.parts().map(|(_, path)| path).unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default();
        format!("{WELL_KNOWN}{path}")
    }

    /// Where the document is, as clients are told. `None` where the resource is no URL.
    ///
    /// spec: RFC 9728, section 3
    pub(crate) fn url(&self) -> Option<String> {
        self.parts().map(|(origin, path)| format!("{origin}{WELL_KNOWN}{path}"))
    }

    /// The document. `scopes` are separated by blanks.
    pub(crate) fn document(&self, scopes: &str) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&Document {
            resource: &self.resource,
            authorization_servers: &self.servers,
            scopes_supported: scopes.split_ascii_whitespace().collect(),
            bearer_methods_supported: ["header"],
            resource_name: self.name.as_deref(),
            resource_documentation: self.documentation.as_deref(),
        })
    }
}

/// The origin and the rest of a URL; the rest is empty where it is but a slash. Quotes and blanks are in neither.
fn parts(url: &str) -> Option<(String, String)> {
    let uri: Uri = url.parse().ok().filter(|_| !url.contains('#'))?;
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?.as_str());
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\@".contains(&byte));
    let rest = uri.path_and_query().map_or("", |rest| rest.as_str());
    let rest = if rest == "/" { "" } else { rest };
    (matches!(scheme, "https" | "http") && plain(authority) && plain(&rest.replace('@', "")))
        .then(|| (format!("{scheme}://{authority}"), rest.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_stands_where_rfc_9728_says() {
        for (resource, path, url) in [
            ("https://a.example", "", "https://a.example/.well-known/oauth-protected-resource"),
            ("https://a.example/", "", "https://a.example/.well-known/oauth-protected-resource"),
            ("https://a.example/mcp", "/mcp", "https://a.example/.well-known/oauth-protected-resource/mcp"),
            (
                "https://a.example:8443/x/mcp",
                "/x/mcp",
                "https://a.example:8443/.well-known/oauth-protected-resource/x/mcp",
            ),
            ("https://a.example/mcp?t=1", "/mcp", "https://a.example/.well-known/oauth-protected-resource/mcp?t=1"),
        ] {
            let resource = ProtectedResource::new(resource).authorization_server("https://auth.example");
            assert_eq!(resource.problem(), None);
            assert_eq!((resource.path(), resource.url()), (format!("{WELL_KNOWN}{path}"), Some(url.to_owned())));
        }
    }

    #[test]
    fn what_is_no_resource_is_told() {
        for bad in ["", "mcp.example.com", "https://a.example#x", "ftp://a.example", "https://a\"b.example", "/mcp"] {
            assert!(ProtectedResource::new(bad).authorization_server("https://a.example").problem().is_some(), "{bad}");
        }
        assert!(ProtectedResource::new("https://a.example").problem().is_some());
        assert!(ProtectedResource::new("https://a.example").authorization_server("x").problem().is_some());
    }
}
