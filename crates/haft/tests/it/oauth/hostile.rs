//! Servers that answer with anything but what they should.

use std::time::Duration;

use haft::oauth::{AuthorizationRequest, OAuth, PreparedRedirect, Redirect, Secret};
use haft::{Authorize, Authorizing, HttpTarget, Refusal};
use http::{HeaderMap, Method, StatusCode};
use serde_json::json;

use super::stand::{Reply, Stand};
use super::world::{REDIRECT_URI, World, consenting};

async fn fails(world: &World, because: &str) {
    let error = world.call(&consenting().build().unwrap(), "tools/list").await.unwrap_err().to_string();
    assert!(error.contains(because), "{error}");
    assert!(error.len() < 2000, "{}", error.len());
    assert!(!error.chars().any(char::is_control), "{error:?}");
}

#[tokio::test]
async fn answers_without_an_end() {
    for path in ["/.well-known/oauth-authorization-server", "/register", "/token"] {
        let world = World::with(|rules| {
            rules.on_server = Some(Box::new(move |asked| (asked.path() == path).then_some(Reply::Flood)));
        })
        .await;
        fails(&world, "longer than").await;
    }
    let world = World::with(|rules| {
        rules.on_mcp = Some(Box::new(|asked| (asked.path() != "/mcp").then_some(Reply::Flood)));
    })
    .await;
    fails(&world, "longer than").await;
}

#[tokio::test]
async fn answers_that_never_come() {
    let silent = Stand::start(Stand::bind().await, |_| Reply::Silence);
    let oauth = consenting().build().unwrap();
    let mut headers = HeaderMap::new();
    let challenge = format!(r#"Bearer resource_metadata="{}/metadata""#, silent.url);
    headers.insert(http::header::WWW_AUTHENTICATE, challenge.try_into().unwrap());
    let url = format!("{}/mcp", silent.url);
    let refusal = Refusal::new(StatusCode::UNAUTHORIZED, &headers, &[]);
    // Time passes as soon as everybody waits.
    tokio::time::pause();
    let refused = oauth.refused(HttpTarget::new(&Method::POST, &url), refusal);
    let error = tokio::time::timeout(Duration::from_secs(60), refused).await.unwrap().unwrap_err().to_string();
    assert!(error.contains("metadata can't be read"), "{error}");
}

#[tokio::test]
async fn redirects_lead_nowhere_else_and_not_for_ever() {
    let elsewhere = Stand::start(Stand::bind().await, |_| Reply::status(200));
    for to in ["/.well-known/oauth-protected-resource/mcp".to_owned(), format!("{}/metadata", elsewhere.url)] {
        let world = World::with(|rules| {
            rules.on_mcp =
                Some(Box::new(move |asked| (asked.path() != "/mcp").then(|| Reply::redirect(302, to.clone()))));
        })
        .await;
        fails(&world, "redirect").await;
        assert!(world.mcp.paths().len() <= 5);
    }
    // Within an origin a document may have moved.
    let world = World::with(|rules| {
        rules.on_mcp = Some(Box::new(|asked| {
            let first = asked.path() == "/.well-known/oauth-protected-resource/mcp";
            first.then(|| Reply::redirect(301, "/moved"))
        }));
        rules.resource_at = "/moved".to_owned();
    })
    .await;
    assert_eq!(world.call(&consenting().build().unwrap(), "tools/list").await.unwrap(), 200);

    // What is sent with a secret isn't sent on.
    for path in ["/token", "/register"] {
        for status in [302, 307, 308] {
            let to = format!("{}/stolen", elsewhere.url);
            let world = World::with(|rules| {
                rules.on_server =
                    Some(Box::new(move |asked| (asked.path() == path).then(|| Reply::redirect(status, to.clone()))));
            })
            .await;
            fails(&world, "30").await;
        }
    }
    assert!(elsewhere.asked().is_empty());
}

#[tokio::test]
async fn documents_of_other_forms() {
    for resource in [
        json!([]),
        json!("x"),
        json!({}),
        json!({"resource": 1}),
        json!({"resource": "x", "authorization_servers": "y"}),
    ] {
        let world = World::with(|rules| rules.resource = resource).await;
        fails(&world, "metadata").await;
        assert!(world.server.asked().is_empty());
    }
    let world = World::with(|rules| rules.resource["authorization_servers"] = json!([])).await;
    fails(&world, "names no authorization server").await;
    for (member, value) in [
        ("token_endpoint", json!(7)),
        ("token_endpoint", json!(null)),
        ("authorization_endpoint", json!("javascript:alert(1)")),
        ("authorization_endpoint", json!("file:///etc/passwd")),
        ("token_endpoint", json!("http://attacker.example/token")),
        ("registration_endpoint", json!("http://attacker.example/register")),
        ("code_challenge_methods_supported", json!("S256")),
    ] {
        let world = World::with(|rules| rules.server[member] = value).await;
        fails(&world, "").await;
        assert!(world.authorizations().is_empty() && world.token_requests().is_empty(), "{member}");
    }
    for issuer in ["http://attacker.example", "file:///etc", "not a URL", "https://a.example/?q", ""] {
        let world = World::with(|rules| rules.resource["authorization_servers"] = json!([issuer])).await;
        fails(&world, "").await;
    }
}

#[tokio::test]
async fn tokens_of_other_forms() {
    for answer in [
        json!({}),
        json!([]),
        json!({"access_token": "x"}),
        json!({"access_token": 1, "token_type": "Bearer"}),
        json!({"access_token": "", "token_type": "Bearer"}),
        json!({"access_token": "a\r\nb: c", "token_type": "Bearer"}),
        json!({"access_token": "a b", "token_type": "Bearer"}),
        json!({"access_token": "secret-token", "token_type": "mac"}),
        json!({"access_token": "secret-token", "token_type": "DPoP"}),
    ] {
        let world = World::with(|rules| {
            rules.on_server =
                Some(Box::new(move |asked| (asked.path() == "/token").then(|| Reply::json(200, &answer))));
        })
        .await;
        fails(&world, "").await;
        // No second code is asked for.
        assert_eq!(world.authorizations().len(), 1);
    }
}

#[tokio::test]
async fn what_a_server_says_with_its_no_is_shown_tame() {
    let world = World::with(|rules| {
        rules.on_server = Some(Box::new(|asked| {
            (asked.path() == "/token").then(|| {
                let code = asked.form("code").unwrap();
                let verifier = asked.form("code_verifier").unwrap();
                let description = format!("\u{1b}[2J{code} {verifier} \u{202e}{}", "x".repeat(5000));
                Reply::json(400, &json!({"error": "invalid_grant", "error_description": description}))
            })
        }));
    })
    .await;
    let error = world.call(&consenting().build().unwrap(), "tools/list").await.unwrap_err().to_string();
    let asked = &world.token_requests()[0];
    assert!(error.contains("invalid_grant") && error.len() < 500, "{error}");
    assert!(!error.contains(&asked.form("code").unwrap()) && !error.contains(&asked.form("code_verifier").unwrap()));
    assert!(!error.contains('\u{1b}') && !error.contains('\u{202e}'));
}

#[tokio::test]
async fn a_registration_that_is_refused_says_why() {
    let world = World::with(|rules| {
        rules.on_server = Some(Box::new(|asked| {
            let error = json!({"error": "invalid_redirect_uri", "error_description": "no loopback here"});
            (asked.path() == "/register").then(|| Reply::json(400, &error))
        }));
    })
    .await;
    let oauth = consenting().build().unwrap();
    for _ in 0..5 {
        // The reason stays the same, and nobody was bothered: it can be tried as often as one likes.
        let error = world.call(&oauth, "tools/list").await.unwrap_err().to_string();
        assert!(error.contains("invalid_redirect_uri (no loopback here)"), "{error}");
    }
    assert!(world.authorizations().is_empty());
}

/// Comes back with what it is told, in which `{state}` and `{iss}` are filled in.
struct Back(&'static str, String);

impl Redirect for Back {
    fn prepare(&self) -> Authorizing<'_, Box<dyn PreparedRedirect>> {
        Box::pin(async { Ok(Box::new(Self(self.0, self.1.clone())) as Box<dyn PreparedRedirect>) })
    }
}

impl PreparedRedirect for Back {
    fn uri(&self) -> &str {
        REDIRECT_URI
    }

    fn visit<'a>(&'a mut self, request: AuthorizationRequest) -> Authorizing<'a, Secret> {
        let back = self.0.replace("{state}", request.state.expose()).replace("{iss}", &self.1);
        Box::pin(async move { Ok(Secret::new(back)) })
    }
}

#[tokio::test]
async fn answers_of_the_page_that_are_none() {
    let world = World::start().await;
    for (back, because) in [
        ("", "state"),
        ("http://localhost:3000/callback", "state"),
        ("http://localhost:3000/callback?code=x&iss={iss}", "state"),
        ("http://localhost:3000/callback?code=x&iss={iss}&state=forged", "state"),
        ("http://localhost:3000/callback?code=x&iss={iss}&state={state}&state={state}", "\"state\" twice"),
        ("http://localhost:3000/callback?code=x&code=y&iss={iss}&state={state}", "\"code\" twice"),
        ("http://localhost:3000/callback?code=x&iss={iss}&iss=y&state={state}", "\"iss\" twice"),
        ("http://localhost:3000/callback?iss={iss}&state={state}", "no code"),
        ("http://localhost:3000/callback?code=&iss={iss}&state={state}", "no code"),
        ("http://localhost:3000/callback#code=x&iss={iss}&state={state}", "state"),
        ("?error=access_denied&error_description=not+today&iss={iss}&state={state}", "access_denied (not today)"),
    ] {
        let oauth = OAuth::builder().redirect(Back(back, world.server.url.clone())).build().unwrap();
        let error = world.call(&oauth, "tools/list").await.unwrap_err().to_string();
        assert!(error.contains(because), "{back}: {error}");
    }
    // Somebody else's error is not shown either.
    let back = "?error=call_0900_EVIL&error_description=pay+here&iss=https://evil.example&state={state}";
    let oauth = OAuth::builder().redirect(Back(back, String::new())).build().unwrap();
    let error = world.call(&oauth, "tools/list").await.unwrap_err().to_string();
    assert!(!error.contains("EVIL") && !error.contains("pay"), "{error}");
    assert!(world.token_requests().is_empty());
}
