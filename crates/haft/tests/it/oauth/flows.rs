//! The user consents: where metadata is looked for, who the client is, what it asks for, and what it takes for an answer.

use std::sync::Arc;

use haft::oauth::{OAuth, RegisteredClient};
use haft::{Client, ErrorKind};
use serde_json::{Value, json};

use super::stand::{Asked, Reply, Stand};
use super::world::{REDIRECT_URI, World, basic, consenting, metadata};

const PATH_METADATA: &str = "/.well-known/oauth-protected-resource/mcp";
const ROOT_METADATA: &str = "/.well-known/oauth-protected-resource";

async fn calls(world: &World) -> OAuth {
    let oauth = consenting().build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.call(&oauth, "tools/call").await.unwrap(), 200);
    assert_eq!(world.authorizations().len(), 1);
    oauth
}

/// The one authorization request there was.
fn authorization(world: &World) -> Asked {
    let asked = world.authorizations();
    assert_eq!(asked.len(), 1, "{asked:?}");
    asked[0].clone()
}

/// Nobody was asked for consent or a token, and the reason is told.
async fn is_stopped(world: &World, oauth: &OAuth, because: &str) {
    let error = world.call(oauth, "tools/list").await.unwrap_err().to_string();
    assert!(error.contains(because), "{error}");
    assert!(world.token_requests().is_empty());
}

#[tokio::test]
async fn metadata_that_the_challenge_names() {
    let world = World::start().await;
    calls(&world).await;

    assert_eq!(world.mcp.paths(), [PATH_METADATA]);
    assert_eq!(world.server.paths(), ["/.well-known/oauth-authorization-server", "/register", "/authorize", "/token"]);
    let asked = authorization(&world);
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "registered-client"),
        ("redirect_uri", REDIRECT_URI),
        ("code_challenge_method", "S256"),
        ("resource", &world.url()),
    ] {
        assert_eq!(asked.query(name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(asked.query("scope"), None);
    assert_eq!(asked.query("code_challenge").unwrap().len(), 43);
    assert_eq!(asked.query("state").unwrap().len(), 43);
    let token = &world.token_requests()[0];
    assert_eq!(token.form("client_id").as_deref(), Some("registered-client"));
    assert_eq!(token.form("resource"), Some(world.url()));
    assert_eq!(token.header("content-type"), Some("application/x-www-form-urlencoded"));
    let registration: Value = serde_json::from_str(&world.server.asked_for("/register")[0].body).unwrap();
    assert_eq!(
        registration,
        json!({
            "client_name": "haft",
            "redirect_uris": [REDIRECT_URI],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "application_type": "native",
        })
    );
    // Each request has the token in its header, and nothing has it in a URL.
    let sent = world.mcp.asked_for("/mcp");
    assert_eq!(
        sent.iter().map(|asked| asked.header("authorization").is_some()).collect::<Vec<_>>(),
        [false, true, true]
    );
    assert!(world.mcp.asked().iter().all(|asked| !asked.target.contains("token-")));
}

#[tokio::test]
async fn metadata_at_the_path_and_that_of_openid() {
    let world = World::with(|rules| {
        rules.challenge = None;
        rules.server_at = "/.well-known/openid-configuration".to_owned();
    })
    .await;
    calls(&world).await;
    assert_eq!(world.mcp.paths(), [PATH_METADATA]);
    let asked = world.server.paths();
    assert_eq!(asked[..2], ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]);
}

#[tokio::test]
async fn metadata_at_the_root_and_an_issuer_with_a_path() {
    let world = World::start().await;
    let (mcp, server) = (world.mcp.url.clone(), world.server.url.clone());
    world.change(|rules| {
        rules.challenge = Some("Bearer".to_owned());
        rules.resource_at = ROOT_METADATA.to_owned();
        // No slash at the end, which a parsed URL would have.
        rules.resource = json!({"resource": mcp, "authorization_servers": [format!("{server}/tenant1")]});
        rules.server_at = "/.well-known/oauth-authorization-server/tenant1".to_owned();
        rules.server = metadata(&format!("{server}/tenant1"), &server);
        rules.iss = Some(format!("{server}/tenant1"));
    });
    calls(&world).await;
    assert_eq!(world.mcp.paths(), [PATH_METADATA, ROOT_METADATA]);
    assert_eq!(world.server.paths()[0], "/.well-known/oauth-authorization-server/tenant1");
    assert!(!world.server.paths().contains(&"/.well-known/oauth-authorization-server".to_owned()));
    assert_eq!(authorization(&world).query("resource"), Some(world.mcp.url.clone()));
    assert_eq!(world.token_requests()[0].form("resource"), Some(world.mcp.url.clone()));
}

#[tokio::test]
async fn metadata_at_a_place_of_its_own_and_openid_appended() {
    let world = World::start().await;
    let server = world.server.url.clone();
    world.change(|rules| {
        rules.challenge =
            Some(r#"Bearer realm="x", resource_metadata="{mcp}/custom/metadata/location.json""#.to_owned());
        rules.resource_at = "/custom/metadata/location.json".to_owned();
        rules.resource["authorization_servers"] = json!([format!("{server}/tenant1")]);
        rules.server_at = "/tenant1/.well-known/openid-configuration".to_owned();
        rules.server = metadata(&format!("{server}/tenant1"), &server);
        rules.iss = Some(format!("{server}/tenant1"));
    });
    calls(&world).await;
    assert_eq!(world.mcp.paths(), ["/custom/metadata/location.json"]);
    assert_eq!(
        world.server.paths()[..3],
        [
            "/.well-known/oauth-authorization-server/tenant1",
            "/.well-known/openid-configuration/tenant1",
            "/tenant1/.well-known/openid-configuration",
        ]
    );
}

#[tokio::test]
async fn the_url_of_a_metadata_document_is_the_id_where_it_is_taken() {
    const DOCUMENT: &str = "https://client.example/metadata.json";
    let world = World::with(|rules| rules.server["client_id_metadata_document_supported"] = json!(true)).await;
    let oauth = consenting().client_metadata_url(DOCUMENT).build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(authorization(&world).query("client_id").as_deref(), Some(DOCUMENT));
    assert_eq!(world.token_requests()[0].form("client_id").as_deref(), Some(DOCUMENT));
    assert!(world.server.asked_for("/register").is_empty());

    let elsewhere = World::start().await;
    assert_eq!(elsewhere.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(authorization(&elsewhere).query("client_id").as_deref(), Some("registered-client"));
}

#[tokio::test]
async fn scopes_of_the_challenge_come_before_those_of_the_metadata() {
    for (challenge, supported, asked) in [
        (r#"Bearer scope="mcp:basic""#, json!(["mcp:other"]), Some("mcp:basic")),
        ("Bearer", json!(["mcp:basic", "mcp:read", "mcp:write"]), Some("mcp:basic mcp:read mcp:write")),
        ("Bearer", Value::Null, None),
    ] {
        let world = World::with(|rules| {
            rules.challenge = Some(challenge.to_owned());
            rules.resource["scopes_supported"] = supported;
        })
        .await;
        calls(&world).await;
        assert_eq!(authorization(&world).query("scope").as_deref(), asked);
    }
}

#[tokio::test]
async fn a_step_up_keeps_the_scopes_that_there_were() {
    let world = World::with(|rules| {
        rules.challenge = Some(r#"Bearer scope="mcp:basic""#.to_owned());
        // What the server has is not what the operation needs.
        rules.resource["scopes_supported"] = json!(["mcp:profile"]);
        rules.needs = |method| Some(if method == "tools/call" { "mcp:write" } else { "mcp:basic" });
    })
    .await;
    let oauth = consenting().build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.call(&oauth, "tools/call").await.unwrap(), 200);
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    let scopes: Vec<_> = world.authorizations().iter().map(|asked| asked.query("scope").unwrap()).collect();
    assert_eq!(scopes, ["mcp:basic", "mcp:basic mcp:write"]);
}

#[tokio::test]
async fn a_scope_that_the_token_has_is_not_asked_for_again() {
    let world = World::with(|rules| rules.challenge = Some(r#"Bearer scope="mcp:admin""#.to_owned())).await;
    world.change(|rules| {
        rules.on_mcp = Some(Box::new(|asked| {
            let challenge = r#"Bearer error="insufficient_scope", scope="mcp:admin""#;
            asked.header("authorization").map(|_| Reply::status(403).with("WWW-Authenticate", challenge))
        }));
    });
    let oauth = consenting().build().unwrap();
    let error = world.call(&oauth, "tools/list").await.unwrap_err().to_string();
    assert!(error.contains("mcp:admin"), "{error}");
    assert_eq!(world.authorizations().len(), 1);
}

#[tokio::test]
async fn nobody_consents_for_ever() {
    // A token that is never taken, and one that never suffices.
    for status in [401, 403] {
        let world = World::with(|rules| rules.hides_scope = true).await;
        world.change(|rules| {
            rules.on_mcp = Some(Box::new(move |asked| {
                let challenge = r#"Bearer error="insufficient_scope", scope="never""#;
                let token = asked.header("authorization")?;
                (!token.is_empty()).then(|| Reply::status(status).with("WWW-Authenticate", challenge))
            }));
        });
        let oauth = consenting().build().unwrap();
        for _ in 0..3 {
            world.call(&oauth, "tools/list").await.unwrap_err();
        }
        // Once as the first challenge had it, then three times with the same scopes.
        assert!((1..=4).contains(&world.authorizations().len()), "{status}: {}", world.authorizations().len());
    }
}

#[tokio::test]
async fn a_403_that_is_not_about_scopes_is_nothing_to_do_with_us() {
    let world = World::with(|rules| rules.on_mcp = Some(Box::new(|_| Some(Reply::status(403))))).await;
    let oauth = consenting().build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 403);
    assert!(world.server.asked().is_empty());
}

#[tokio::test]
async fn the_client_proves_itself_as_it_was_registered() {
    const ID: &str = "an id+1:2";
    const SECRET: &str = "a b%c:d&é";
    for method in ["client_secret_basic", "client_secret_post", "none"] {
        // What registration says, and what the metadata says when registration doesn't.
        for says in [true, false] {
            let world = World::with(|rules| {
                rules.server["token_endpoint_auth_methods_supported"] = json!([method]);
                rules.registered = json!({"client_id": ID});
                if says {
                    rules.registered["token_endpoint_auth_method"] = json!(method);
                }
                if method != "none" {
                    rules.registered["client_secret"] = json!(SECRET);
                }
            })
            .await;
            calls(&world).await;
            let registration: Value = serde_json::from_str(&world.server.asked_for("/register")[0].body).unwrap();
            assert_eq!(registration["token_endpoint_auth_method"], method);
            let token = &world.token_requests()[0];
            match method {
                "client_secret_basic" => {
                    assert_eq!(basic(token), (ID.to_owned(), SECRET.to_owned()));
                    assert_eq!((token.form("client_id"), token.form("client_secret")), (None, None));
                }
                "client_secret_post" => {
                    assert_eq!(token.header("authorization"), None);
                    assert_eq!(token.form("client_id").as_deref(), Some(ID));
                    assert_eq!(token.form("client_secret").as_deref(), Some(SECRET));
                }
                _ => {
                    assert_eq!(token.header("authorization"), None);
                    assert_eq!(token.form("client_id").as_deref(), Some(ID));
                    assert_eq!(token.form("client_secret"), None);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_client_that_is_known_registers_nowhere() {
    let world = World::with(|rules| {
        rules.server["token_endpoint_auth_methods_supported"] = json!(["client_secret_basic"]);
    })
    .await;
    let client = RegisteredClient::new(&world.server.url, "known").with_secret("s3cr3t");
    let oauth = consenting().client(client).build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert!(world.server.asked_for("/register").is_empty());
    assert_eq!(basic(&world.token_requests()[0]), ("known".to_owned(), "s3cr3t".to_owned()));
}

#[tokio::test]
async fn a_client_that_is_known_elsewhere_is_not_used_here() {
    let world = World::start().await;
    let client = RegisteredClient::new("https://auth.example", "known").with_secret("s3cr3t");
    let oauth = consenting().client(client).build().unwrap();
    is_stopped(&world, &oauth, "https://auth.example").await;
    assert!(world.server.asked().is_empty());
}

#[tokio::test]
async fn a_client_that_can_become_known_in_no_way_is_told() {
    let world = World::start().await;
    let oauth = consenting().dynamic_registration(false).build().unwrap();
    is_stopped(&world, &oauth, "register it there").await;
    assert!(world.authorizations().is_empty());
}

#[tokio::test]
async fn metadata_of_another_resource_ends_it() {
    let world = World::with(|rules| rules.resource["resource"] = json!("https://evil.example.com/mcp")).await;
    let oauth = consenting().build().unwrap();
    is_stopped(&world, &oauth, "https://evil.example.com/mcp").await;
    assert_eq!(world.mcp.paths(), [PATH_METADATA]);
    assert!(world.server.asked().is_empty());
}

#[tokio::test]
async fn offline_access_is_asked_for_where_it_is_to_be_had() {
    for (scopes, grants, asked) in [
        (json!(["mcp:basic", "offline_access"]), json!(["authorization_code", "refresh_token"]), true),
        (json!(["mcp:basic", "offline_access"]), json!(["authorization_code"]), false),
        (json!(["mcp:basic"]), json!(["authorization_code", "refresh_token"]), false),
        (Value::Null, Value::Null, false),
    ] {
        let world = World::with(|rules| {
            rules.challenge = Some(r#"Bearer scope="mcp:basic""#.to_owned());
            rules.server["scopes_supported"] = scopes.clone();
            rules.server["grant_types_supported"] = grants.clone();
        })
        .await;
        calls(&world).await;
        let scope = authorization(&world).query("scope").unwrap();
        assert_eq!(scope, if asked { "mcp:basic offline_access" } else { "mcp:basic" }, "{scopes} {grants}");
        let registration: Value = serde_json::from_str(&world.server.asked_for("/register")[0].body).unwrap();
        let may_refresh = registration["grant_types"].as_array().unwrap().contains(&json!("refresh_token"));
        assert_eq!(may_refresh, grants != json!(["authorization_code"]), "{grants}");
    }
}

#[tokio::test]
async fn another_authorization_server_sees_nothing_of_the_first_one() {
    let world = World::with(|rules| {
        rules.registered = json!({"client_id": "of-the-first", "client_secret": "secret-of-the-first"});
        rules.server["token_endpoint_auth_methods_supported"] = json!(["client_secret_post"]);
        rules.gives_refresh = true;
    })
    .await;
    let oauth = calls(&world).await;
    let first = world.mcp.asked_for("/mcp")[1].header("authorization").unwrap().to_owned();

    let other = World::with(|rules| rules.registered = json!({"client_id": "of-the-second"})).await;
    let second = other.server.url.clone();
    world.revoke();
    world.change(|rules| rules.resource["authorization_servers"] = json!([second]));
    let tokens = Arc::clone(&other.rules);
    world.change(|rules| {
        rules.on_mcp = Some(Box::new(move |asked| {
            let token = asked.header("authorization")?.strip_prefix("Bearer ")?;
            tokens.lock().unwrap().tokens.contains_key(token).then(|| Reply::status(200))
        }));
    });
    let before = world.server.asked().len();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(other.server.asked_for("/register").len(), 1);
    assert_eq!(other.authorizations()[0].query("client_id").as_deref(), Some("of-the-second"));
    let seen = format!("{:?}", other.server.asked());
    assert!(!seen.contains("of-the-first") && !seen.contains("refresh-") && !seen.contains(&first));
    assert_eq!(world.server.asked().len(), before, "the first one is asked nothing more");
}

#[tokio::test]
async fn an_issuer_that_is_pinned_is_the_only_one() {
    let world = World::start().await;
    let oauth = consenting().issuer("https://auth.example").build().unwrap();
    is_stopped(&world, &oauth, "https://auth.example").await;

    // And it serves where a server publishes nothing.
    world.change(|rules| rules.resource_at = "/nowhere".to_owned());
    world.change(|rules| rules.challenge = None);
    is_stopped(&world, &consenting().build().unwrap(), "set its issuer").await;
    let oauth = consenting().issuer(&world.server.url).build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(authorization(&world).query("resource"), Some(world.url()));
}

#[tokio::test]
async fn the_answer_has_to_be_the_asked_servers() {
    let world = World::start().await;
    let issuer = world.server.url.clone();
    let evil = "https://evil.example.com".to_owned();
    for (advertised, iss, proceeds) in [
        (json!(true), Some(issuer.clone()), true),
        (Value::Null, None, true),
        (json!(false), None, true),
        (Value::Null, Some(issuer.clone()), true),
        (json!(true), None, false),
        (json!(true), Some(evil.clone()), false),
        (Value::Null, Some(evil), false),
        (json!(true), Some(format!("{issuer}/")), false),
        (json!(true), Some(issuer.replace("http://", "HTTP://")), false),
        (json!(true), Some(String::new()), false),
    ] {
        let before = (world.authorizations().len(), world.token_requests().len());
        world.revoke();
        world.change(|rules| {
            rules.server["authorization_response_iss_parameter_supported"] = advertised.clone();
            rules.iss = iss.clone();
        });
        let oauth = consenting().build().unwrap();
        let called = world.call(&oauth, "tools/list").await;
        assert_eq!(called.is_ok(), proceeds, "{advertised} {iss:?}: {called:?}");
        assert_eq!(world.authorizations().len(), before.0 + 1);
        assert_eq!(world.token_requests().len(), before.1 + usize::from(proceeds), "{advertised} {iss:?}");
    }
}

#[tokio::test]
async fn metadata_of_another_issuer_is_of_no_use() {
    let world = World::with(|rules| rules.server["issuer"] = json!("https://attacker.example.com")).await;
    is_stopped(&world, &consenting().build().unwrap(), "https://attacker.example.com").await;
    assert!(world.server.paths().contains(&"/.well-known/oauth-authorization-server".to_owned()));
    assert!(world.server.asked_for("/register").is_empty() && world.authorizations().is_empty());
}

#[tokio::test]
async fn without_pkce_nothing_is_asked_for() {
    for methods in [Value::Null, json!([]), json!(["plain"])] {
        let world = World::with(|rules| rules.server["code_challenge_methods_supported"] = methods).await;
        is_stopped(&world, &consenting().build().unwrap(), "PKCE").await;
        assert!(world.authorizations().is_empty());
    }
}

#[tokio::test]
async fn requests_that_are_refused_together_share_one_login() {
    let world = World::start().await;
    let oauth = consenting().build().unwrap();
    let calls = (0..10).map(|_| world.call(&oauth, "tools/list"));
    for status in futures_util::future::join_all(calls).await {
        assert_eq!(status.unwrap(), 200);
    }
    assert_eq!(world.authorizations().len(), 1);
}

#[tokio::test]
async fn one_value_serves_several_servers_and_mixes_nothing_up() {
    let (one, two) = (World::start().await, World::start().await);
    let oauth = consenting().build().unwrap();
    assert_eq!(one.call(&oauth, "tools/list").await.unwrap(), 200);
    // Nothing of the first goes to the second, not even to try.
    let (status, asked) = (two.call(&oauth, "tools/list").await.unwrap(), two.mcp.asked_for("/mcp"));
    assert_eq!((status, asked[0].header("authorization")), (200, None));
}

#[tokio::test]
async fn a_server_on_another_machine_cannot_send_us_to_this_one() {
    let local = Stand::start(Stand::bind().await, |_| Reply::status(200));
    let url = "https://mcp.example/mcp";
    let oauth = consenting().build().unwrap();
    let target = haft::HttpTarget::new(&http::Method::POST, url);
    let mut headers = http::HeaderMap::new();
    let challenge = format!(r#"Bearer resource_metadata="{}/x""#, local.url);
    headers.insert(http::header::WWW_AUTHENTICATE, challenge.try_into().unwrap());
    let refusal = haft::Refusal::new(http::StatusCode::UNAUTHORIZED, &headers, &[]);
    let error = haft::Authorize::refused(&oauth, target, refusal).await.unwrap_err().to_string();
    assert!(error.contains("on this machine"), "{error}");
    assert!(local.asked().is_empty());
}

#[tokio::test]
async fn tokens_are_for_safe_urls_only() {
    let oauth = consenting().build().unwrap();
    for url in ["http://mcp.example/mcp", "ftp://mcp.example/", "mcp.example"] {
        let target = haft::HttpTarget::new(&http::Method::POST, url);
        // It may be a server that wants no token.
        assert_eq!(haft::Authorize::headers(&oauth, target).await.unwrap(), []);
        let headers = http::HeaderMap::new();
        let refusal = haft::Refusal::new(http::StatusCode::UNAUTHORIZED, &headers, &[]);
        assert!(haft::Authorize::refused(&oauth, target, refusal).await.is_err(), "{url}");
    }
}

/// What a server with one tool says to a client.
pub(crate) fn answer(message: &str) -> Option<Value> {
    let message: Value = serde_json::from_str(message).ok()?;
    let result = match message["method"].as_str()? {
        "server/discover" => json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
        "tools/list" => json!({"tools": [{"name": "write", "inputSchema": {"type": "object"}}]}),
        _ => json!({"content": [{"type": "text", "text": "written"}]}),
    };
    let mut result = result;
    result["resultType"] = json!("complete");
    Some(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

#[tokio::test]
async fn a_client_is_authorized_as_it_goes() {
    let world = World::with(|rules| {
        rules.challenge = Some(r#"Bearer scope="mcp:basic""#.to_owned());
        rules.needs = |message| Some(if message.contains("tools/call") { "mcp:write" } else { "mcp:basic" });
        rules.answer = answer;
    })
    .await;
    let oauth = Arc::new(consenting().build().unwrap());
    let client = Client::builder().authorize(Arc::clone(&oauth)).connect(world.url()).await.unwrap();
    assert_eq!(client.list_tools().await.unwrap()[0].name, "write");
    let calls = (0..10).map(|_| client.call("write", json!({})));
    for called in futures_util::future::join_all(calls).await {
        assert_eq!(called.unwrap().text(), "written");
    }
    assert_eq!(world.authorizations().len(), 2);

    oauth.forget(&world.url()).await.unwrap();
    assert_eq!(client.call("write", json!({})).await.unwrap().text(), "written");
    assert!(world.authorizations().len() > 2);

    world.change(|rules| rules.resource["resource"] = json!("https://evil.example.com/mcp"));
    world.revoke();
    let error = client.call("write", json!({})).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unauthorized), "{error}");
    assert!(error.to_string().contains("https://evil.example.com/mcp"), "{error}");
}
