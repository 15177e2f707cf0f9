//! The scenarios of authorization: a server that wants tokens, and authorization servers of every kind.

use std::time::Duration;

use haft::oauth::{
    AuthorizationRequest, Enterprise, OAuth, OAuthBuilder, PreparedRedirect, Redirect, RegisteredClient, Secret,
    SigningKey, Workload,
};
use haft::{AuthorizeError, Authorizing};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::{Failure, Run, scenarios};

/// Where this client's metadata is said to be; the suite wants to see this very URL.
const METADATA: &str = "https://conformance-test.local/client-metadata.json";
/// Nothing listens there: the suite's pages redirect at once, and are read instead of followed.
const REDIRECT_URI: &str = "http://localhost:3000/callback";
/// How long a page may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Plays one scenario to its end.
pub(crate) async fn play(run: &Run) -> Result<(), Failure> {
    let oauth = authorization(run).await?.build()?;
    let client = scenarios::client().authorize(oauth).connect(run.url.as_str()).await?;
    client.list_tools().await?;
    client.call("test-tool", json!({})).await?;
    client.close(Duration::from_secs(2)).await?;
    Ok(())
}

async fn authorization(run: &Run) -> Result<OAuthBuilder, Failure> {
    let said = |name: &str| {
        let value = run.context[name].as_str().map(str::to_owned);
        value.ok_or_else(|| Failure::from(format!("the context has no {name}")))
    };
    let oauth =
        OAuth::builder().client_name("haft-conformance-client").redirect(Straight).client_metadata_url(METADATA);
    Ok(match run.scenario.as_str() {
        "auth/pre-registration" => {
            let client = RegisteredClient::new(said("issuer")?, said("client_id")?);
            oauth.client(client.with_secret(said("client_secret")?))
        }
        "auth/client-credentials-basic" => {
            let client = RegisteredClient::new(issuer(run).await?, said("client_id")?);
            oauth.client_credentials(client.with_secret(said("client_secret")?))
        }
        "auth/client-credentials-jwt" => {
            let client = RegisteredClient::new(issuer(run).await?, said("client_id")?);
            oauth.client_credentials(client.with_key(SigningKey::from_pem(&said("private_key_pem")?)?))
        }
        "auth/enterprise-managed-authorization" => {
            let client = RegisteredClient::new(issuer(run).await?, said("client_id")?);
            let client = client.with_secret(said("client_secret")?);
            let provider = RegisteredClient::new(said("idp_issuer")?, said("idp_client_id")?);
            let identity = Secret::new(said("idp_id_token")?);
            oauth.enterprise(Enterprise::new(client, provider, said("idp_token_endpoint")?, identity))
        }
        "auth/wif-jwt-bearer" => {
            let client = RegisteredClient::new(issuer(run).await?, said("client_id")?);
            oauth.workload(Workload::new(client, Secret::new(said("valid_jwt")?)))
        }
        _ => oauth,
    })
}

/// The authorization server that the suite's server names.
///
/// A client that is registered knows who registered it; the suite leaves that out of most contexts.
async fn issuer(run: &Run) -> Result<String, Failure> {
    let at = run.url.strip_suffix("/mcp").ok_or("the URL is none of /mcp")?;
    let (_, body) = get(&format!("{at}/.well-known/oauth-protected-resource/mcp")).await?;
    let metadata: Value = serde_json::from_str(&body)?;
    let issuer = metadata["authorization_servers"][0].as_str().ok_or("the server names no authorization server")?;
    Ok(issuer.to_owned())
}

/// The user who consents at once, without a browser: asks for the page and reads where it redirects to.
struct Straight;

impl Redirect for Straight {
    fn prepare(&self) -> Authorizing<'_, Box<dyn PreparedRedirect>> {
        Box::pin(async { Ok(Box::new(Self) as Box<dyn PreparedRedirect>) })
    }
}

impl PreparedRedirect for Straight {
    fn uri(&self) -> &str {
        REDIRECT_URI
    }

    fn visit<'a>(&'a mut self, request: AuthorizationRequest) -> Authorizing<'a, Secret> {
        Box::pin(async move {
            let page = get(&request.url).await.map_err(|error| AuthorizeError::new(format!("no page: {error}")))?;
            let location = page.0.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("location").then(|| value.trim().to_owned())
            });
            location.map(Secret::new).ok_or_else(|| AuthorizeError::new("the page redirects nowhere"))
        })
    }
}

/// Gets what is at a URL of this machine, and follows nothing: the head and the body.
async fn get(url: &str) -> Result<(String, String), Failure> {
    let rest = url.strip_prefix("http://").ok_or("no http: URL")?;
    let (host, target) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let asked = async {
        let mut stream = TcpStream::connect(host).await?;
        stream.write_all(format!("GET {target} HTTP/1.0\r\nHost: {host}\r\n\r\n").as_bytes()).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        Ok::<_, std::io::Error>(text)
    };
    let text = tokio::time::timeout(PATIENCE, asked).await??;
    let (head, body) = text.split_once("\r\n\r\n").ok_or("no HTTP")?;
    Ok((head.to_owned(), body.to_owned()))
}
