//! Nothing that is secret is logged, shown or told.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use haft::oauth::{MemoryStore, OAuth, RegisteredClient, Secret, TokenStore};
use haft::{Authorize, HttpTarget};
use http::Method;
use serde_json::json;

use super::world::{World, consenting};

/// Everything that is logged on this thread, by whomever.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_secret_is_logged_shown_or_told() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let mut shown = String::new();

    // A whole life: registration with a secret, a login, bound tokens, a refresh, a refresh that is refused.
    let world = World::with(|rules| {
        rules.challenge = Some(r#"DPoP scope="mcp:basic""#.to_owned());
        rules.server["dpop_signing_alg_values_supported"] = json!(["ES256"]);
        rules.server["token_endpoint_auth_methods_supported"] = json!(["client_secret_basic"]);
        rules.registered = json!({"client_id": "id", "client_secret": "the-registered-secret"});
        rules.gives_refresh = true;
        rules.expires_in = json!(0);
    })
    .await;
    let mut oauth = consenting().build().unwrap();
    // Twice: what was first logged while another test began to listen may have been taken for what nobody hears.
    for _ in 0..2 {
        tracing::callsite::rebuild_interest_cache();
        oauth = consenting().build().unwrap();
        for _ in 0..3 {
            assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
        }
    }
    let url = world.url();
    let headers = oauth.headers(HttpTarget::new(&Method::POST, &url)).await.unwrap();
    write!(shown, "{headers:?} {oauth:?} {:?}", OAuth::builder()).unwrap();
    world.change(|rules| rules.registered = json!(7));
    world.change(|rules| rules.expires_in = json!({"access_token": "x"}));
    oauth.forget(&url).await.unwrap();
    world.revoke();
    write!(shown, "{:?}", world.call(&oauth, "tools/list").await).unwrap();

    // And one that is refused, with every kind of secret in the settings.
    let client = RegisteredClient::new(&world.server.url, "id").with_secret("the-configured-secret");
    write!(shown, "{client:?} {:?}", Secret::new("the-configured-secret")).unwrap();
    world.change(|rules| {
        rules.on_server = Some(Box::new(|asked| {
            (asked.path() == "/token")
                .then(|| super::stand::Reply::json(400, &json!({"error": asked.form("code").unwrap_or_default()})))
        }));
    });
    world.revoke();
    write!(shown, "{:?}", world.call(&consenting().client(client).build().unwrap(), "tools/list").await).unwrap();
    let store = MemoryStore::new();
    store.save("key", &Secret::new("the-stored-secret")).await.unwrap();
    write!(shown, "{store:?}").unwrap();
    drop(guard);

    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(log.contains("authorized"), "the log is on: {log}");
    let mut secrets: Vec<String> =
        ["the-registered-secret", "the-configured-secret", "the-stored-secret"].map(str::to_owned).into();
    for asked in world.server.asked() {
        secrets.extend(["code", "code_verifier", "refresh_token"].iter().filter_map(|name| asked.form(name)));
        secrets.extend(asked.query("state"));
        secrets.extend(asked.header("authorization").map(str::to_owned));
    }
    for asked in world.mcp.asked() {
        let token = asked.header("authorization").and_then(|header| header.split_once(' '));
        secrets.extend(token.map(|(_, token)| token.to_owned()));
    }
    secrets.sort();
    secrets.dedup();
    assert!(secrets.len() > 10, "{secrets:?}");
    for secret in secrets {
        assert!(!log.contains(&secret), "{secret} is logged:\n{log}");
        assert!(!shown.contains(&secret), "{secret} is shown:\n{shown}");
    }
}
