//! An MCP server that wants tokens, an authorization server that gives them, and a client that asks for both.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use haft::oauth::{AuthorizationRequest, OAuth, OAuthBuilder, PreparedRedirect, Redirect, Secret};
use haft::{Authorize, AuthorizeError, Authorizing, HttpTarget, Refusal};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::stand::{Asked, Reply, Stand, ask};

/// Decides about one request in the place of the rules.
pub(crate) type Hook = Box<dyn Fn(&Asked) -> Option<Reply> + Send>;

/// How both servers behave.
pub(crate) struct Rules {
    /// The `WWW-Authenticate` of a 401; `{mcp}` is the MCP server's URL.
    pub(crate) challenge: Option<String>,
    /// Where the MCP server's metadata is, and what it is.
    pub(crate) resource_at: String,
    pub(crate) resource: Value,
    /// Where the authorization server's metadata is, and what it is.
    pub(crate) server_at: String,
    pub(crate) server: Value,
    /// The `iss` of the authorization response.
    pub(crate) iss: Option<String>,
    /// What registration answers.
    pub(crate) registered: Value,
    /// Which scope a method of MCP needs.
    pub(crate) needs: fn(&str) -> Option<&'static str>,
    /// What a message of MCP is answered with, beside 200.
    pub(crate) answer: fn(&str) -> Option<Value>,
    pub(crate) expires_in: Value,
    pub(crate) gives_refresh: bool,
    /// Leaves `scope` out of token answers.
    pub(crate) hides_scope: bool,
    pub(crate) on_mcp: Option<Hook>,
    pub(crate) on_server: Option<Hook>,
    /// Tokens that are good, with their scopes.
    pub(crate) tokens: HashMap<String, String>,
    codes: HashMap<String, Asked>,
    refresh: HashMap<String, String>,
    count: usize,
}

pub(crate) struct World {
    pub(crate) mcp: Stand,
    pub(crate) server: Stand,
    pub(crate) rules: Arc<Mutex<Rules>>,
}

impl World {
    pub(crate) async fn start() -> Self {
        let (mcp, server) = (Stand::bind().await, Stand::bind().await);
        let (mcp_url, issuer) = (mcp.1.clone(), server.1.clone());
        let rules = Rules {
            challenge: Some(r#"Bearer resource_metadata="{mcp}/.well-known/oauth-protected-resource/mcp""#.to_owned()),
            resource_at: "/.well-known/oauth-protected-resource/mcp".to_owned(),
            resource: json!({"resource": format!("{mcp_url}/mcp"), "authorization_servers": [issuer]}),
            server_at: "/.well-known/oauth-authorization-server".to_owned(),
            server: metadata(&issuer, &issuer),
            iss: Some(issuer.clone()),
            registered: json!({"client_id": "registered-client", "token_endpoint_auth_method": "none"}),
            needs: |_| None,
            answer: |_| None,
            expires_in: json!(3600),
            gives_refresh: false,
            hides_scope: false,
            on_mcp: None,
            on_server: None,
            tokens: HashMap::new(),
            codes: HashMap::new(),
            refresh: HashMap::new(),
            count: 0,
        };
        let rules = Arc::new(Mutex::new(rules));
        let (for_mcp, for_server) = (Arc::clone(&rules), Arc::clone(&rules));
        let at = mcp_url.clone();
        let mcp = Stand::start(mcp, move |asked| on_mcp(&mut for_mcp.lock().unwrap(), &at, asked));
        let server = Stand::start(server, move |asked| on_server(&mut for_server.lock().unwrap(), asked));
        Self { mcp, server, rules }
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Rules)) -> Self {
        let world = Self::start().await;
        world.change(change);
        world
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Rules)) {
        change(&mut self.rules.lock().unwrap());
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.mcp.url)
    }

    /// Sends one message, and again as long as the client finds that it should. Gives the last status.
    pub(crate) async fn call(&self, oauth: &OAuth, method: &str) -> Result<u16, AuthorizeError> {
        call(&self.url(), oauth, method).await
    }

    pub(crate) fn authorizations(&self) -> Vec<Asked> {
        self.server.asked_for("/authorize")
    }

    pub(crate) fn token_requests(&self) -> Vec<Asked> {
        self.server.asked_for("/token")
    }

    /// All tokens are bad from now on.
    pub(crate) fn revoke(&self) {
        self.change(|rules| rules.tokens.clear());
    }
}

pub(crate) async fn call(url: &str, oauth: &OAuth, method: &str) -> Result<u16, AuthorizeError> {
    let target = HttpTarget::new(&Method::POST, url);
    for _ in 0..8 {
        let sent = oauth.headers(target).await?;
        let (status, headers, _) = ask("POST", url, &sent, method).await;
        let refused = matches!(status, 401 | 403);
        let refusal = Refusal::new(StatusCode::from_u16(status).unwrap(), &headers, &sent);
        if !refused || !oauth.refused(target, refusal).await? {
            return Ok(status);
        }
    }
    panic!("the client never gives up");
}

/// The metadata of an authorization server whose endpoints are at a URL.
pub(crate) fn metadata(issuer: &str, at: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{at}/authorize"),
        "token_endpoint": format!("{at}/token"),
        "registration_endpoint": format!("{at}/register"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": true,
    })
}

fn on_mcp(rules: &mut Rules, at: &str, asked: &Asked) -> Reply {
    if let Some(reply) = rules.on_mcp.as_ref().and_then(|hook| hook(asked)) {
        return reply;
    }
    if asked.path() == rules.resource_at {
        return Reply::json(200, &rules.resource);
    }
    if asked.path() != "/mcp" {
        return Reply::status(404);
    }
    let token = asked.header("authorization").and_then(|header| header.split_once(' ')).map(|(_, token)| token);
    let Some(scopes) = token.and_then(|token| rules.tokens.get(token)) else {
        let reply = Reply::status(401);
        return match &rules.challenge {
            Some(challenge) => reply.with("WWW-Authenticate", challenge.replace("{mcp}", at)),
            None => reply,
        };
    };
    match (rules.needs)(&asked.body) {
        Some(scope) if !scopes.split(' ').any(|known| known == scope) => {
            let metadata = format!("{at}{}", rules.resource_at);
            let challenge =
                format!(r#"Bearer error="insufficient_scope", scope="{scope}", resource_metadata="{metadata}""#);
            Reply::status(403).with("WWW-Authenticate", challenge)
        }
        _ => match (rules.answer)(&asked.body) {
            Some(answer) => Reply::json(200, &answer),
            None => Reply::status(200),
        },
    }
}

fn on_server(rules: &mut Rules, asked: &Asked) -> Reply {
    if let Some(reply) = rules.on_server.as_ref().and_then(|hook| hook(asked)) {
        return reply;
    }
    match asked.path() {
        path if path == rules.server_at => Reply::json(200, &rules.server),
        "/register" => Reply::json(201, &rules.registered),
        "/authorize" => {
            rules.count += 1;
            let code = format!("code-{}", rules.count);
            rules.codes.insert(code.clone(), asked.clone());
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("code", &code).append_pair("state", &asked.query("state").unwrap());
            if let Some(iss) = &rules.iss {
                query.append_pair("iss", iss);
            }
            Reply::redirect(302, format!("{}?{}", asked.query("redirect_uri").unwrap(), query.finish()))
        }
        "/token" => token(rules, asked),
        _ => Reply::status(404),
    }
}

fn token(rules: &mut Rules, asked: &Asked) -> Reply {
    let refuse = |error: &str| Reply::json(400, &json!({"error": error}));
    let scope = match asked.form("grant_type").unwrap().as_str() {
        "authorization_code" => {
            let Some(request) = asked.form("code").and_then(|code| rules.codes.remove(&code)) else {
                return refuse("invalid_grant");
            };
            let verifier = asked.form("code_verifier").unwrap();
            assert!((43..=128).contains(&verifier.len()));
            let challenge = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, verifier.as_bytes());
            assert_eq!(request.query("code_challenge"), Some(URL_SAFE_NO_PAD.encode(challenge)));
            assert_eq!(request.query("redirect_uri"), asked.form("redirect_uri"));
            assert_eq!(request.query("resource"), asked.form("resource"));
            request.query("scope")
        }
        "refresh_token" => match asked.form("refresh_token").and_then(|token| rules.refresh.remove(&token)) {
            Some(scope) => Some(scope),
            None => return refuse("invalid_grant"),
        },
        _ => asked.form("scope"),
    };
    rules.count += 1;
    let token = format!("token-{}", rules.count);
    let scope = scope.unwrap_or_default();
    rules.tokens.insert(token.clone(), scope.clone());
    let kind = if asked.header("dpop").is_some() { "DPoP" } else { "Bearer" };
    let mut answer = json!({"access_token": token, "token_type": kind, "expires_in": rules.expires_in});
    if !scope.is_empty() && !rules.hides_scope {
        answer["scope"] = scope.clone().into();
    }
    if rules.gives_refresh {
        let refresh = format!("refresh-{}", rules.count);
        rules.refresh.insert(refresh.clone(), scope);
        answer["refresh_token"] = refresh.into();
    }
    Reply::json(200, &answer)
}

/// The user who always consents, without a browser: asks for the page and reads where it redirects to.
#[derive(Clone, Copy)]
pub(crate) struct Consent;

pub(crate) const REDIRECT_URI: &str = "http://localhost:3000/callback";

impl Redirect for Consent {
    fn prepare(&self) -> Authorizing<'_, Box<dyn PreparedRedirect>> {
        Box::pin(async { Ok(Box::new(Self) as Box<dyn PreparedRedirect>) })
    }
}

impl PreparedRedirect for Consent {
    fn uri(&self) -> &str {
        REDIRECT_URI
    }

    fn visit<'a>(&'a mut self, request: AuthorizationRequest) -> Authorizing<'a, Secret> {
        Box::pin(async move {
            let (status, headers, _) = ask("GET", &request.url, &[], "").await;
            assert_eq!(status, 302);
            Ok(Secret::new(headers["location"].to_str().unwrap()))
        })
    }
}

/// A client whose user always consents.
pub(crate) fn consenting() -> OAuthBuilder {
    OAuth::builder().redirect(Consent)
}

/// The two halves of Basic credentials, decoded.
pub(crate) fn basic(asked: &Asked) -> (String, String) {
    let encoded = asked.header("authorization").unwrap().strip_prefix("Basic ").unwrap();
    let text = String::from_utf8(STANDARD.decode(encoded).unwrap()).unwrap();
    let (id, secret) = text.split_once(':').unwrap();
    let decoded = |text: &str| {
        let form = format!("x={text}");
        form_urlencoded::parse(form.as_bytes()).next().unwrap().1.into_owned()
    };
    (decoded(id), decoded(secret))
}

/// A part of a JWT: 0 is the header, 1 the claims.
pub(crate) fn part(token: &str, part: usize) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(part).unwrap()).unwrap()).unwrap()
}
