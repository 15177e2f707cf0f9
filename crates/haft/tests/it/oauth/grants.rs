//! Tokens without a user's consent, and tokens that are bound to a key.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use haft::oauth::{AssertionSource, Dpop, Enterprise, OAuth, RegisteredClient, Secret, SigningKey, Workload};
use haft::{AuthorizeError, Authorizing};
use serde_json::{Value, json};

use super::stand::{Asked, Reply, Stand};
use super::world::{World, basic, consenting, part};

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

fn verify(token: &str, point: &[u8]) {
    let (message, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message.as_bytes(), &signature).unwrap();
}

/// A key, in PEM, and the point that verifies it.
fn key() -> (String, Vec<u8>) {
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref()).unwrap();
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(der));
    (pem, pair.public_key().as_ref().to_vec())
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

#[tokio::test]
async fn a_client_calls_for_itself_with_a_secret() {
    let world = World::with(|rules| {
        rules.server["token_endpoint_auth_methods_supported"] = json!(["client_secret_basic"]);
        rules.challenge = Some(r#"Bearer scope="mcp:basic""#.to_owned());
        // Machines have no use for one.
        rules.gives_refresh = true;
        rules.server["scopes_supported"] = json!(["offline_access"]);
    })
    .await;
    let client = RegisteredClient::new(&world.server.url, "robot").with_secret("s3cr3t");
    let oauth = OAuth::builder().client_credentials(client).build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    let asked = world.token_requests();
    assert_eq!(asked[0].form("grant_type").as_deref(), Some("client_credentials"));
    assert_eq!(asked[0].form("resource"), Some(world.url()));
    assert_eq!(asked[0].form("scope").as_deref(), Some("mcp:basic"));
    assert_eq!(basic(&asked[0]), ("robot".to_owned(), "s3cr3t".to_owned()));
    assert!(world.authorizations().is_empty() && world.server.asked_for("/register").is_empty());

    // A secret stays with the server that knows it.
    let elsewhere = World::start().await;
    elsewhere.call(&oauth, "tools/list").await.unwrap_err();
    assert!(elsewhere.server.asked().is_empty());
}

#[tokio::test]
async fn a_client_calls_for_itself_with_a_key() {
    let world = World::with(|rules| {
        rules.server["token_endpoint_auth_methods_supported"] = json!(["private_key_jwt"]);
    })
    .await;
    let (pem, point) = key();
    let client = RegisteredClient::new(&world.server.url, "robot");
    let client = client.with_key(SigningKey::from_pem(&pem).unwrap().with_id("key-1"));
    let oauth = OAuth::builder().client_credentials(client).build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    let asked = &world.token_requests()[0];
    assert_eq!(
        asked.form("client_assertion_type").as_deref(),
        Some("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
    );
    assert_eq!((asked.form("client_id"), asked.header("authorization")), (None, None));
    let assertion = asked.form("client_assertion").unwrap();
    verify(&assertion, &point);
    assert_eq!(part(&assertion, 0), json!({"alg": "ES256", "typ": "JWT", "kid": "key-1"}));
    let claims = part(&assertion, 1);
    assert_eq!((&claims["iss"], &claims["sub"]), (&json!("robot"), &json!("robot")));
    assert_eq!(claims["aud"], json!(world.server.url));
    let (iat, exp) = (claims["iat"].as_u64().unwrap(), claims["exp"].as_u64().unwrap());
    assert!(iat <= now() && now() < exp && exp <= now() + 300);

    // A second assertion is another one.
    world.revoke();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    let second = world.token_requests()[1].form("client_assertion").unwrap();
    assert_ne!(part(&second, 1)["jti"], claims["jti"]);
}

#[tokio::test]
async fn the_extension_is_declared() {
    let world = World::with(|rules| {
        rules.server["token_endpoint_auth_methods_supported"] = json!(["client_secret_basic"]);
        rules.answer = super::flows::answer;
    })
    .await;
    let client = RegisteredClient::new(&world.server.url, "robot").with_secret("s3cr3t");
    let robot = OAuth::builder().client_credentials(client).build().unwrap();
    for (oauth, extensions) in [
        (robot, json!({"io.modelcontextprotocol/oauth-client-credentials": {}, "io.modelcontextprotocol/tasks": {}})),
        (consenting().build().unwrap(), json!({"io.modelcontextprotocol/tasks": {}})),
    ] {
        let client = haft::Client::builder().authorize(oauth).connect(world.url()).await.unwrap();
        client.list_tools().await.unwrap();
        let message: Value = serde_json::from_str(&world.mcp.asked_for("/mcp").pop().unwrap().body).unwrap();
        let declared = &message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
        assert_eq!(declared, &extensions);
        world.change(|rules| rules.server["token_endpoint_auth_methods_supported"] = json!(["none"]));
    }
}

#[test]
fn keys_of_other_kinds() {
    let pem =
        |der: &[u8]| format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(der));
    let ed25519 = aws_lc_rs::signature::Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    assert!(format!("{:?}", SigningKey::from_pem(&pem(ed25519.as_ref())).unwrap()).contains("EdDSA"));
    for wrong in [
        "".to_owned(),
        "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----".to_owned(),
        "-----BEGIN PRIVATE KEY-----\nAAAA".to_owned(),
        "-----BEGIN PRIVATE KEY-----\n***\n-----END PRIVATE KEY-----".to_owned(),
        pem(b"no key"),
    ] {
        SigningKey::from_pem(&wrong).unwrap_err();
    }
}

#[tokio::test]
async fn an_enterprise_grants_and_no_user_is_asked() {
    let world = World::with(|rules| {
        rules.server["token_endpoint_auth_methods_supported"] = json!(["client_secret_basic"]);
        rules.challenge = Some(r#"Bearer scope="chat.read""#.to_owned());
    })
    .await;
    let provider = Stand::start(Stand::bind().await, |_| {
        Reply::json(
            200,
            &json!({
                "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag", "access_token": "the-id-jag",
                "token_type": "N_A", "expires_in": 300,
            }),
        )
    });
    let client = RegisteredClient::new(&world.server.url, "at-mcp").with_secret("s3cr3t");
    let at_provider = RegisteredClient::new(&provider.url, "at-provider");
    let endpoint = format!("{}/oauth2/token", provider.url);
    let enterprise = Enterprise::new(client, at_provider, endpoint, Secret::new("the-id-token"));
    let oauth = OAuth::builder().enterprise(enterprise).build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);

    let asked = &provider.asked()[0];
    for (name, value) in [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"),
        ("audience", &world.server.url),
        ("resource", &world.url()),
        ("scope", "chat.read"),
        ("subject_token", "the-id-token"),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ("client_id", "at-provider"),
    ] {
        assert_eq!(asked.form(name).as_deref(), Some(value), "{name}");
    }
    let asked = &world.token_requests()[0];
    assert_eq!(asked.form("grant_type").as_deref(), Some(JWT_BEARER));
    assert_eq!(asked.form("assertion").as_deref(), Some("the-id-jag"));
    assert_eq!(basic(asked), ("at-mcp".to_owned(), "s3cr3t".to_owned()));
    assert!(!asked.body.contains("the-id-token"));
    assert!(world.authorizations().is_empty());
}

#[tokio::test]
async fn an_enterprise_that_gives_something_else_gives_nothing() {
    let world = World::start().await;
    let provider = Stand::start(Stand::bind().await, |_| {
        Reply::json(200, &json!({"access_token": "an-access-token", "token_type": "Bearer"}))
    });
    let client = RegisteredClient::new(&world.server.url, "at-mcp");
    let at_provider = RegisteredClient::new(&provider.url, "at-provider");
    let endpoint = format!("{}/token", provider.url);
    let enterprise = Enterprise::new(client, at_provider, endpoint, Secret::new("the-id-token"));
    let oauth = OAuth::builder().enterprise(enterprise).build().unwrap();
    world.call(&oauth, "tools/list").await.unwrap_err();
    assert!(world.token_requests().is_empty());
}

/// A platform whose token changes.
struct Platform(std::sync::Arc<std::sync::Mutex<String>>);

impl AssertionSource for Platform {
    fn assertion<'a>(&'a self, audience: &'a str) -> Authorizing<'a, Secret> {
        Box::pin(async move {
            let token = self.0.lock().unwrap().clone();
            match token.is_empty() {
                true => Err(AuthorizeError::new(format!("no token for {audience}"))),
                false => Ok(Secret::new(token)),
            }
        })
    }
}

#[tokio::test]
async fn a_workload_is_vouched_for_and_what_was_refused_is_not_sent_again() {
    let world = World::with(|rules| {
        rules.on_server = Some(Box::new(|asked| {
            let refused = asked.form("assertion").as_deref() == Some("a-bad-token");
            refused.then(|| Reply::json(400, &json!({"error": "invalid_grant", "error_description": "a-bad-token!"})))
        }));
    })
    .await;
    let token = std::sync::Arc::new(std::sync::Mutex::new("a-bad-token".to_owned()));
    let client = RegisteredClient::new(&world.server.url, "workload");
    let workload = Workload::new(client, Platform(std::sync::Arc::clone(&token)));
    let oauth = OAuth::builder().workload(workload).build().unwrap();
    for _ in 0..3 {
        let error = world.call(&oauth, "tools/list").await.unwrap_err().to_string();
        assert!(!error.contains("a-bad-token"), "{error}");
    }
    assert_eq!(world.token_requests().len(), 1);

    "a-good-token".clone_into(&mut token.lock().unwrap());
    world.change(|rules| rules.expires_in = json!(0));
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    let asked = world.token_requests().pop().unwrap();
    assert_eq!(asked.form("grant_type").as_deref(), Some(JWT_BEARER));
    assert_eq!(asked.form("assertion").as_deref(), Some("a-good-token"));
    assert_eq!(asked.form("client_id").as_deref(), Some("workload"));
    assert_eq!(asked.form("resource"), Some(world.url()));

    // The token is over at once; the next request asks for one beforehand.
    let refused = world.mcp.asked_for("/mcp").len();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.mcp.asked_for("/mcp").len(), refused + 1);
}

/// Checks a proof; gives its claims, and the point of its key.
fn proof(asked: &Asked, method: &str, url: &str) -> (Value, Vec<u8>) {
    let proofs: Vec<_> = asked.headers.get_all("dpop").iter().collect();
    assert_eq!(proofs.len(), 1);
    let proof = proofs[0].to_str().unwrap();
    let header = part(proof, 0);
    assert_eq!((&header["typ"], &header["alg"]), (&json!("dpop+jwt"), &json!("ES256")));
    let jwk = header["jwk"].as_object().unwrap();
    assert_eq!(jwk.len(), 4, "the public half only");
    let coordinate = |name: &str| URL_SAFE_NO_PAD.decode(jwk[name].as_str().unwrap()).unwrap();
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    verify(proof, &point);
    let claims = part(proof, 1);
    assert_eq!((&claims["htm"], &claims["htu"]), (&json!(method), &json!(url)));
    assert!(claims["iat"].as_u64().unwrap().abs_diff(now()) < 5);
    (claims, point)
}

fn ath(token: &str) -> Value {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, token.as_bytes());
    json!(URL_SAFE_NO_PAD.encode(digest))
}

#[tokio::test]
async fn tokens_are_bound_where_the_server_asks_for_it() {
    let world = World::with(|rules| {
        rules.challenge =
            Some(r#"DPoP algs="ES256", resource_metadata="{mcp}/.well-known/oauth-protected-resource/mcp""#.to_owned());
        rules.server["dpop_signing_alg_values_supported"] = json!(["ES256"]);
        rules.gives_refresh = true;
    })
    .await;
    let oauth = consenting().build().unwrap();
    for _ in 0..3 {
        assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    }
    let (claims, point) = proof(&world.token_requests()[0], "POST", &format!("{}/token", world.server.url));
    assert_eq!(claims.get("ath"), None);
    let mut seen = vec![claims["jti"].clone()];
    for asked in &world.mcp.asked_for("/mcp")[1..] {
        let token = asked.header("authorization").unwrap().strip_prefix("DPoP ").unwrap();
        let (claims, same) = proof(asked, "POST", &world.url());
        assert_eq!((&claims["ath"], same), (&ath(token), point.clone()));
        assert!(!seen.contains(&claims["jti"]));
        seen.push(claims["jti"].clone());
    }
    assert_eq!(seen.len(), 4);
    // A new login has a new key; a refreshed token has the old one.
    world.revoke();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    let refresh = world.token_requests().pop().unwrap();
    assert_eq!(refresh.form("grant_type").as_deref(), Some("refresh_token"));
    assert_eq!(proof(&refresh, "POST", &format!("{}/token", world.server.url)).1, point);
}

#[tokio::test]
async fn both_servers_may_want_a_nonce() {
    let world = World::with(|rules| {
        rules.challenge = Some("DPoP".to_owned());
        rules.server["dpop_signing_alg_values_supported"] = json!(["ES256"]);
        rules.on_server = Some(Box::new(|asked| {
            let nonce = asked.header("dpop").map(|proof| part(proof, 1)["nonce"].clone())?;
            let refusal = Reply::json(400, &json!({"error": "use_dpop_nonce"})).with("DPoP-Nonce", "of-the-server");
            (nonce != json!("of-the-server")).then_some(refusal)
        }));
        rules.on_mcp = Some(Box::new(|asked| {
            let nonce = asked.header("dpop").map(|proof| part(proof, 1)["nonce"].clone())?;
            let refusal = Reply::status(401).with("WWW-Authenticate", r#"DPoP error="use_dpop_nonce""#);
            (nonce != json!("of-mcp")).then(|| refusal.with("DPoP-Nonce", "of-mcp"))
        }));
    })
    .await;
    let oauth = consenting().build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.token_requests().len(), 2);
    assert_eq!(world.authorizations().len(), 1);
    assert_eq!(world.mcp.asked_for("/mcp").len(), 3);
    // The nonce is known from now on.
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.mcp.asked_for("/mcp").len(), 4);
}

#[tokio::test]
async fn a_nonce_that_is_wanted_for_ever_is_given_once() {
    let world = World::with(|rules| {
        rules.challenge = Some("DPoP".to_owned());
        rules.server["dpop_signing_alg_values_supported"] = json!(["ES256"]);
        rules.on_mcp = Some(Box::new(|asked| {
            asked.header("dpop")?;
            let challenge = r#"DPoP error="use_dpop_nonce""#;
            Some(Reply::status(401).with("WWW-Authenticate", challenge).with("DPoP-Nonce", "same"))
        }));
    })
    .await;
    assert_eq!(world.call(&consenting().build().unwrap(), "tools/list").await.unwrap(), 401);
    assert_eq!(world.mcp.asked_for("/mcp").len(), 3);
}

#[tokio::test]
async fn dpop_as_the_user_has_it() {
    // The server takes bearer tokens; this authorization server gives nothing else.
    let world = World::with(|rules| {
        rules.on_server = Some(Box::new(|asked| {
            let answer = json!({"access_token": "unbound", "token_type": "Bearer"});
            (asked.path() == "/token").then(|| Reply::json(200, &answer))
        }));
        rules.tokens.insert("unbound".to_owned(), String::new());
    })
    .await;
    let required = consenting().dpop(Dpop::Required).build().unwrap();
    let error = world.call(&required, "tools/list").await.unwrap_err().to_string();
    assert!(error.contains("Bearer"), "{error}");
    assert!(world.token_requests()[0].header("dpop").is_some());

    world.change(|rules| rules.challenge = Some("DPoP".to_owned()));
    for dpop in [Dpop::Off, Dpop::WhenAsked] {
        assert_eq!(world.call(&consenting().dpop(dpop).build().unwrap(), "tools/list").await.unwrap(), 200);
        assert_eq!(world.token_requests().pop().unwrap().header("dpop").is_some(), dpop == Dpop::WhenAsked);
    }
    world.change(|rules| rules.server["dpop_signing_alg_values_supported"] = json!(["EdDSA"]));
    let before = world.token_requests().len();
    world.call(&consenting().dpop(Dpop::Required).build().unwrap(), "tools/list").await.unwrap_err();
    assert_eq!(world.token_requests().len(), before);
}
