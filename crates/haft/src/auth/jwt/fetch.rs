use std::net::IpAddr;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde::Deserialize;

use super::keys::KeySet;
use crate::error::causes;

/// What one request to an authorization server may take.
const DEADLINE: Duration = Duration::from_secs(5);
/// The longest document that is read, in bytes.
const LONGEST: usize = 512 << 10;
/// Redirects that are followed, on the same origin.
const REDIRECTS: usize = 3;

/// Gets an issuer's keys.
pub(super) struct Fetcher {
    client: Client,
    source: Source,
}

/// Where the keys are.
#[derive(Debug)]
pub(super) enum Source {
    Url(Url),
    /// Where the issuer's metadata says, which is at one of these URLs.
    Issuer {
        issuer: String,
        metadata: Vec<Url>,
    },
}

/// spec: RFC 8414, section 2
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

impl Source {
    pub(super) fn url(url: &str) -> Result<Self, String> {
        safe(url).map(Self::Url)
    }

    /// spec: `basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery`
    pub(super) fn issuer(issuer: &str) -> Result<Self, String> {
        let url = safe(issuer)?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!("the issuer {issuer:?} has a query or a fragment"));
        }
        let path = url.path().trim_end_matches('/').to_owned();
        let mut paths = vec![
            format!("/.well-known/oauth-authorization-server{path}"),
            format!("/.well-known/openid-configuration{path}"),
        ];
        if !path.is_empty() {
            paths.push(format!("{path}/.well-known/openid-configuration"));
        }
        let at = |path: String| {
            let mut url = url.clone();
            url.set_path(&path);
            url
        };
        Ok(Self::Issuer { issuer: issuer.to_owned(), metadata: paths.into_iter().map(at).collect() })
    }
}

/// A URL that nobody between can answer for: `https`, or on this machine.
fn safe(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{text:?} is no URL: {error}"))?;
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_local = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_local => Ok(url),
        _ => Err(format!("{text:?} is not safe: keys have to come over https")),
    }
}

impl Fetcher {
    pub(super) fn new(source: Source) -> Result<Self, String> {
        let policy = Policy::custom(|attempt| {
            let first = attempt.previous().first().map(Url::origin);
            if attempt.previous().len() > REDIRECTS || first != Some(attempt.url().origin()) {
                attempt.error("a redirect to somewhere else")
            } else {
                attempt.follow()
            }
        });
        let client = Client::builder().timeout(DEADLINE).connect_timeout(DEADLINE).redirect(policy).build();
        let client = client.map_err(|error| format!("there is no HTTP client: {}", causes(&error)))?;
        Ok(Self { client, source })
    }

    pub(super) async fn fetch(&self) -> Result<KeySet, String> {
        let url = match &self.source {
            Source::Url(url) => url.clone(),
            Source::Issuer { issuer, metadata } => self.discover(issuer, metadata).await?,
        };
        let json = self.get(&url).await?;
        KeySet::parse(&json).map_err(|error| format!("{url}: {error}"))
    }

    /// Where the first metadata that is the issuer's own says that its keys are.
    async fn discover(&self, issuer: &str, urls: &[Url]) -> Result<Url, String> {
        let mut failed = Vec::new();
        for url in urls {
            let read = |json: Vec<u8>| {
                let metadata: Metadata = serde_json::from_slice(&json).map_err(|error| format!("{url}: {error}"))?;
                // Whoever has this issuer's metadata under another name could say anything.
                if metadata.issuer != issuer {
                    return Err(format!("{url} is the metadata of another issuer, {:?}", metadata.issuer));
                }
                safe(&metadata.jwks_uri)
            };
            match self.get(url).await.and_then(read) {
                Ok(url) => return Ok(url),
                Err(error) => failed.push(error),
            }
        }
        Err(failed.join("; "))
    }

    async fn get(&self, url: &Url) -> Result<Vec<u8>, String> {
        let failed = |error: reqwest::Error| format!("{url}: {}", causes(&error.without_url()));
        let request = self.client.get(url.clone()).header("accept", "application/json");
        let mut answer = request.send().await.map_err(failed)?;
        if answer.status() != 200 {
            return Err(format!("{url}: {}", answer.status()));
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > LONGEST {
                return Err(format!("{url}: the document is longer than {LONGEST} bytes"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_over_https_or_from_this_machine() {
        for good in ["https://a.example/jwks", "http://127.0.0.1:9/", "http://[::1]/", "http://localhost:1/x"] {
            assert!(safe(good).is_ok(), "{good}");
        }
        for bad in [
            "http://a.example/",
            "ftp://localhost/",
            "file:///etc/passwd",
            "a.example",
            "http://localhost.evil.example/",
        ] {
            assert!(safe(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn metadata_is_looked_for_where_the_specification_says() {
        let urls = |issuer: &str| match Source::issuer(issuer) {
            Ok(Source::Issuer { metadata, .. }) => metadata.iter().map(Url::to_string).collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        assert_eq!(
            urls("https://auth.example.com/tenant1"),
            [
                "https://auth.example.com/.well-known/oauth-authorization-server/tenant1",
                "https://auth.example.com/.well-known/openid-configuration/tenant1",
                "https://auth.example.com/tenant1/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            urls("https://auth.example.com"),
            [
                "https://auth.example.com/.well-known/oauth-authorization-server",
                "https://auth.example.com/.well-known/openid-configuration",
            ]
        );
        assert!(urls("https://auth.example.com/?a=b").is_empty());
    }
}
