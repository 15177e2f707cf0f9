//! In: what a server demands. Out: which authorization server to ask, and what it can do. Next: `flow.rs`.

use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::challenge::Demand;
use super::scope::Scopes;
use super::web::{Reach, Web, shown};

/// Authorization servers of one resource that are looked at.
const SERVERS: usize = 16;

/// What an MCP server says of itself.
///
/// spec: RFC 9728, section 2
#[derive(Debug, Deserialize)]
pub(super) struct Resource {
    /// Byte for byte as it was published: this is what tokens are asked for.
    pub(super) resource: String,
    #[serde(default)]
    pub(super) authorization_servers: Vec<String>,
    pub(super) scopes_supported: Option<Scopes>,
    dpop_bound_access_tokens_required: Option<bool>,
}

impl Resource {
    /// What there is to say of a server without metadata.
    fn unpublished(text: &str, issuer: &str) -> Self {
        Self::known(text.split('#').next().unwrap_or(text), issuer)
    }

    /// A resource that a token was got for before.
    pub(super) fn known(resource: &str, issuer: &str) -> Self {
        Self {
            resource: resource.to_owned(),
            authorization_servers: vec![issuer.to_owned()],
            scopes_supported: None,
            dpop_bound_access_tokens_required: None,
        }
    }

    pub(super) fn wants_dpop(&self) -> bool {
        self.dpop_bound_access_tokens_required == Some(true)
    }
}

/// What an authorization server says of itself.
///
/// spec: RFC 8414, section 2
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ServerMetadata {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: Option<String>,
    pub(super) token_endpoint: String,
    pub(super) registration_endpoint: Option<String>,
    pub(super) scopes_supported: Option<Scopes>,
    pub(super) grant_types_supported: Option<Vec<String>>,
    pub(super) code_challenge_methods_supported: Option<Vec<String>>,
    pub(super) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    pub(super) client_id_metadata_document_supported: Option<bool>,
    pub(super) authorization_response_iss_parameter_supported: Option<bool>,
    pub(super) dpop_signing_alg_values_supported: Option<Vec<String>>,
}

impl ServerMetadata {
    /// What there is to know of a server whose token endpoint the user named.
    pub(super) fn of_endpoint(issuer: &str, token_endpoint: &str) -> Self {
        Self {
            issuer: issuer.to_owned(),
            authorization_endpoint: None,
            token_endpoint: token_endpoint.to_owned(),
            registration_endpoint: None,
            scopes_supported: None,
            grant_types_supported: None,
            code_challenge_methods_supported: None,
            token_endpoint_auth_methods_supported: None,
            client_id_metadata_document_supported: None,
            authorization_response_iss_parameter_supported: None,
            dpop_signing_alg_values_supported: None,
        }
    }

    /// True where it says so, or says nothing.
    pub(super) fn may_grant(&self, kind: &str) -> bool {
        self.grant_types_supported.as_ref().is_none_or(|kinds| kinds.iter().any(|known| known == kind))
    }
}

/// Finds an MCP server's metadata.
///
/// spec: `basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements`
pub(super) async fn resource(
    web: &Web,
    reach: Reach,
    server: &Url,
    text: &str,
    demand: &Demand,
    issuer: Option<&str>,
) -> Result<Resource, String> {
    if let Some(named) = &demand.resource_metadata {
        let url = reach.check(named).map_err(|why| format!("the server's metadata can't be read: {why}"))?;
        let resource: Resource =
            get(web, &url).await.map_err(|why| format!("the server's metadata can't be read: {why}"))?;
        return matching(resource, text);
    }
    let mut failed = Vec::new();
    for url in places_of_resource(server) {
        match get(web, &url).await {
            Ok(resource) => return matching(resource, text),
            Err(why) => failed.push(why),
        }
    }
    match issuer {
        Some(issuer) => Ok(Resource::unpublished(text, issuer)),
        None => Err(format!(
            "the server asks for authorization and doesn't say where to get it ({}); if you know its authorization server, \
             set its issuer",
            failed.join("; ")
        )),
    }
}

fn places_of_resource(server: &Url) -> Vec<Url> {
    const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
    let at = |path: &str, query: Option<&str>| {
        let mut url = server.clone();
        url.set_path(path);
        url.set_query(query);
        url.set_fragment(None);
        url
    };
    let root = at(WELL_KNOWN, None);
    match (server.path(), server.query()) {
        ("/", None) => vec![root],
        ("/", query) => vec![at(WELL_KNOWN, query), root],
        (path, query) => vec![at(&format!("{WELL_KNOWN}{path}"), query), root],
    }
}

fn matching(resource: Resource, server: &str) -> Result<Resource, String> {
    if !covers(&resource.resource, server) {
        return Err(format!(
            "the server's metadata is that of another resource, {:?}: a token for it has no place here, so none is asked for",
            shown(&resource.resource)
        ));
    }
    Ok(resource)
}

/// True where a resource is the server that was asked, or what it is a part of.
///
/// Texts are compared, not what they might mean; only the case of scheme and host doesn't count, nor does one slash at the
/// end of the resource.
fn covers(resource: &str, server: &str) -> bool {
    let (resource_at, resource_path) = parts(resource);
    let (server_at, server_path) = parts(server);
    let path = resource_path.strip_suffix('/').unwrap_or(resource_path);
    let rest = server_path.strip_prefix(path);
    resource_at.eq_ignore_ascii_case(server_at)
        && !resource_path.contains('#')
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

/// Scheme and host, and what comes after them.
fn parts(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    url.split_at(end)
}

/// Finds an authorization server's metadata: the first document that is that server's own.
///
/// spec: `basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery`
pub(super) async fn server(web: &Web, reach: Reach, issuer: &str) -> Result<ServerMetadata, String> {
    let url = reach.check(issuer).map_err(|why| format!("the authorization server can't be asked: {why}"))?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("the authorization server {issuer:?} has a query or a fragment, which no issuer has"));
    }
    let mut failed = Vec::new();
    for url in places_of_server(&url) {
        match get::<ServerMetadata>(web, &url).await {
            Ok(metadata) if metadata.issuer == issuer => {
                let endpoints = [Some(&metadata.token_endpoint), metadata.authorization_endpoint.as_ref()];
                for endpoint in endpoints.into_iter().chain([metadata.registration_endpoint.as_ref()]).flatten() {
                    reach
                        .check(endpoint)
                        .map_err(|why| format!("the authorization server {issuer:?} can't be used: {why}"))?;
                }
                return Ok(metadata);
            }
            // Whoever has this issuer's metadata under another name could say anything.
            Ok(metadata) => {
                failed.push(format!("{url} is the metadata of another issuer, {:?}", shown(&metadata.issuer)))
            }
            Err(why) => failed.push(why),
        }
    }
    Err(format!("the authorization server {issuer:?} has no metadata of its own: {}", failed.join("; ")))
}

fn places_of_server(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut paths = vec![
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        paths.push(format!("{path}/.well-known/openid-configuration"));
    }
    let at = |path: String| {
        let mut url = issuer.clone();
        url.set_path(&path);
        url
    };
    paths.into_iter().map(at).collect()
}

async fn get<T: DeserializeOwned>(web: &Web, url: &Url) -> Result<T, String> {
    let answer = web.get(url).await.map_err(|why| format!("{url}: {why}"))?;
    if answer.status != 200 {
        return Err(format!("{url}: {}", answer.status));
    }
    answer.json().map_err(|why| format!("{url}: {why}"))
}

/// Which of a resource's authorization servers to ask.
///
/// `known` are issuers that this client has something for, the preferred ones first; with `only`, no other one will do.
pub(super) fn choose<'a>(resource: &'a Resource, known: &[&str], only: bool) -> Result<&'a str, String> {
    let listed = &resource.authorization_servers[..resource.authorization_servers.len().min(SERVERS)];
    let found = known.iter().find_map(|issuer| listed.iter().find(|listed| listed == issuer));
    match (found, listed.first()) {
        (Some(issuer), _) => Ok(issuer),
        (None, Some(first)) if !only => Ok(first),
        (None, None) => Err("the server's metadata names no authorization server".to_owned()),
        (None, Some(_)) => Err(format!(
            "the server takes tokens of {} only, and this client is set up for {}; check the issuer, or register with the new one",
            listed.iter().map(|issuer| format!("{:?}", shown(issuer))).collect::<Vec<_>>().join(", "),
            known.iter().map(|issuer| format!("{issuer:?}")).collect::<Vec<_>>().join(", "),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap_or_else(|error| unreachable!("{text}: {error}"))
    }

    #[test]
    fn metadata_is_looked_for_where_the_specification_says() {
        let texts = |urls: Vec<Url>| urls.iter().map(Url::to_string).collect::<Vec<_>>();
        assert_eq!(
            texts(places_of_resource(&url("https://a.example/public/mcp#x"))),
            [
                "https://a.example/.well-known/oauth-protected-resource/public/mcp",
                "https://a.example/.well-known/oauth-protected-resource",
            ]
        );
        assert_eq!(
            texts(places_of_resource(&url("https://a.example"))),
            ["https://a.example/.well-known/oauth-protected-resource"]
        );
        assert_eq!(
            texts(places_of_server(&url("https://auth.example/tenant1/"))),
            [
                "https://auth.example/.well-known/oauth-authorization-server/tenant1",
                "https://auth.example/.well-known/openid-configuration/tenant1",
                "https://auth.example/tenant1/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            texts(places_of_server(&url("https://auth.example"))),
            [
                "https://auth.example/.well-known/oauth-authorization-server",
                "https://auth.example/.well-known/openid-configuration",
            ]
        );
    }

    #[test]
    fn a_resource_covers_what_is_part_of_it() {
        for (resource, server) in [
            ("https://a.example/mcp", "https://a.example/mcp"),
            ("https://a.example", "https://a.example/mcp"),
            ("https://a.example/", "https://a.example/mcp"),
            ("https://a.example/", "https://a.example"),
            ("https://a.example/mcp/", "https://a.example/mcp"),
            ("https://a.example/mcp", "https://a.example/mcp?tenant=1"),
            ("https://a.example/v1", "https://a.example/v1/mcp"),
            ("HTTPS://A.example/mcp", "https://a.EXAMPLE/mcp"),
        ] {
            assert!(covers(resource, server), "{resource} {server}");
        }
        for (resource, server) in [
            ("https://evil.example/mcp", "https://a.example/mcp"),
            ("https://a.example/mcp", "https://a.example/mcp2"),
            ("https://a.example/MCP", "https://a.example/mcp"),
            ("https://a.example/mcp/x", "https://a.example/mcp"),
            ("http://a.example/mcp", "https://a.example/mcp"),
            ("https://a.example:8443/mcp", "https://a.example/mcp"),
            ("https://a.example", "https://a.example.evil.example/mcp"),
            ("https://a.example", "https://a.example@evil.example/mcp"),
            ("https://a.example/mcp#x", "https://a.example/mcp#x"),
            ("", "https://a.example/mcp"),
        ] {
            assert!(!covers(resource, server), "{resource} {server}");
        }
    }
}
