//! Tokens that end, and their successors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use haft::oauth::{FileStore, MemoryStore, OAuth, RegisteredClient, Secret, Storing, TokenStore};
use haft::{Authorize, HttpTarget};
use http::Method;
use serde_json::json;

use super::stand::Reply;
use super::world::{World, consenting};

/// A store that two clients can share, one after the other.
#[derive(Clone, Default)]
struct Shared(Arc<MemoryStore>);

impl TokenStore for Shared {
    fn load<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Secret>> {
        self.0.load(key)
    }

    fn save<'a>(&'a self, key: &'a str, value: &'a Secret) -> Storing<'a, ()> {
        self.0.save(key, value)
    }

    fn remove<'a>(&'a self, key: &'a str) -> Storing<'a, ()> {
        self.0.remove(key)
    }
}

fn kinds(world: &World) -> Vec<String> {
    world.token_requests().iter().map(|asked| asked.form("grant_type").unwrap()).collect()
}

/// A world whose first token is over at once; later ones aren't.
async fn expiring() -> (World, OAuth) {
    let world = World::with(|rules| {
        rules.gives_refresh = true;
        rules.expires_in = json!(0);
    })
    .await;
    let oauth = consenting().build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap_or(0), 200);
    world.change(|rules| rules.expires_in = json!("3600"));
    (world, oauth)
}

#[tokio::test]
async fn a_token_is_renewed_before_it_is_used_once_for_all() {
    let (world, oauth) = expiring().await;
    let before = (world.token_requests().len(), world.mcp.asked_for("/mcp").len());
    let calls = (0..20).map(|_| world.call(&oauth, "tools/list"));
    for status in futures_util::future::join_all(calls).await {
        assert_eq!(status.unwrap(), 200);
    }
    assert_eq!(world.token_requests().len(), before.0 + 1);
    // None was refused.
    assert_eq!(world.mcp.asked_for("/mcp").len(), before.1 + 20);
    let asked = world.token_requests().pop().unwrap();
    assert_eq!(asked.form("grant_type").as_deref(), Some("refresh_token"));
    assert_eq!(asked.form("resource"), Some(world.url()));
    assert_eq!(asked.form("client_id").as_deref(), Some("registered-client"));
    assert_eq!(world.authorizations().len(), 1);
}

#[tokio::test]
async fn a_token_that_is_revoked_is_renewed() {
    let world = World::with(|rules| rules.gives_refresh = true).await;
    let oauth = consenting().build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    world.revoke();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(kinds(&world), ["authorization_code", "refresh_token"]);
}

#[tokio::test]
async fn refresh_tokens_rotate() {
    let world = World::with(|rules| {
        rules.gives_refresh = true;
        rules.expires_in = json!(0);
    })
    .await;
    let oauth = consenting().build().unwrap();
    for _ in 0..4 {
        assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    }
    let sent: Vec<_> = world.token_requests().iter().filter_map(|asked| asked.form("refresh_token")).collect();
    assert!(sent.len() >= 3, "{sent:?}");
    // The server takes each once; a second use would have led to a login.
    assert_eq!(world.authorizations().len(), 1);
}

#[tokio::test]
async fn a_refresh_token_that_is_not_taken_leads_to_a_login() {
    let (world, oauth) = expiring().await;
    world.change(|rules| {
        rules.on_server = Some(Box::new(|asked| {
            let refresh = asked.form("grant_type").as_deref() == Some("refresh_token");
            refresh.then(|| Reply::json(400, &json!({"error": "invalid_grant"})))
        }));
    });
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.authorizations().len(), 2);
    assert_eq!(kinds(&world).last().unwrap(), "authorization_code");
}

#[tokio::test]
async fn a_server_that_is_down_costs_no_login() {
    let (world, oauth) = expiring().await;
    world.change(|rules| {
        rules.on_server = Some(Box::new(|asked| (asked.path() == "/token").then(|| Reply::status(503))));
    });
    let error = world.call(&oauth, "tools/list").await.unwrap_err().to_string();
    assert!(error.contains("503"), "{error}");
    world.change(|rules| rules.on_server = None);
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.authorizations().len(), 1);
}

#[tokio::test]
async fn what_was_used_up_is_replaced_though_the_caller_left() {
    let (world, oauth) = expiring().await;
    let url = world.url();
    let asked = world.token_requests().len();
    tokio::select! {
        biased;
        // The server has the refresh token, and its answer is on the way: now the caller gives up.
        () = async { while world.token_requests().len() == asked { tokio::task::yield_now().await } } => {}
        _ = oauth.headers(HttpTarget::new(&Method::POST, &url)) => unreachable!("it was answered already"),
    }
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.token_requests().len(), asked + 1);
    assert_eq!(world.authorizations().len(), 1);
}

#[tokio::test]
async fn the_next_process_goes_on_with_what_was_stored() {
    let store = Shared::default();
    let world = World::with(|rules| rules.gives_refresh = true).await;
    let first = consenting().store(store.clone()).build().unwrap();
    assert_eq!(world.call(&first, "tools/list").await.unwrap(), 200);
    drop(first);

    let second = consenting().store(store.clone()).build().unwrap();
    assert_eq!(world.call(&second, "tools/list").await.unwrap(), 200);
    assert_eq!(world.token_requests().len(), 1);
    world.revoke();
    assert_eq!(world.call(&second, "tools/list").await.unwrap(), 200);
    assert_eq!(kinds(&world), ["authorization_code", "refresh_token"]);
    drop(second);

    // It knows its registration too, at this redirect URI.
    let third = consenting().store(store.clone()).build().unwrap();
    third.forget(&world.url()).await.unwrap();
    assert_eq!(world.call(&third, "tools/list").await.unwrap(), 200);
    assert_eq!(world.authorizations().len(), 2);
    assert_eq!(world.server.asked_for("/register").len(), 1);
}

#[tokio::test]
async fn a_machine_does_not_use_what_a_user_consented_to() {
    let store = Shared::default();
    let world = World::with(|rules| {
        rules.server["token_endpoint_auth_methods_supported"] = json!(["none", "client_secret_basic"]);
    })
    .await;
    let user = consenting().store(store.clone()).build().unwrap();
    assert_eq!(world.call(&user, "tools/list").await.unwrap(), 200);
    let robot = RegisteredClient::new(&world.server.url, "robot").with_secret("s3cr3t");
    let robot = OAuth::builder().client_credentials(robot).store(store).build().unwrap();
    assert_eq!(world.call(&robot, "tools/list").await.unwrap(), 200);
    assert_eq!(kinds(&world), ["authorization_code", "client_credentials"]);
}

#[tokio::test]
async fn a_bound_token_is_stored_with_its_key() {
    let folder = tempfolder();
    let world = World::with(|rules| {
        rules.challenge = Some("DPoP".to_owned());
        rules.server["dpop_signing_alg_values_supported"] = json!(["ES256"]);
    })
    .await;
    for _ in 0..2 {
        let oauth = consenting().store(FileStore::new(folder.join("tokens"))).build().unwrap();
        assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    }
    let keys: Vec<_> = world
        .mcp
        .asked_for("/mcp")
        .iter()
        .filter_map(|asked| asked.header("dpop").map(|proof| super::world::part(proof, 0)["jwk"].clone()))
        .collect();
    assert_eq!((keys.len(), &keys[0]), (2, &keys[1]));
    assert_eq!(world.token_requests().len(), 1);
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_registration_that_the_server_forgot_is_made_again() {
    let world = World::start().await;
    let store = Shared::default();
    let oauth = consenting().store(store.clone()).build().unwrap();
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    world.revoke();
    world.change(|rules| {
        rules.registered["client_id"] = json!("another-client");
        rules.on_server = Some(Box::new(|asked| {
            let old = asked.form("client_id").as_deref() == Some("registered-client");
            old.then(|| Reply::json(401, &json!({"error": "invalid_client"})))
        }));
    });
    let error = world.call(&oauth, "tools/list").await.unwrap_err().to_string();
    assert!(error.contains("invalid_client"), "{error}");
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.server.asked_for("/register").len(), 2);
}

pub(crate) fn tempfolder() -> std::path::PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("haft-oauth-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
