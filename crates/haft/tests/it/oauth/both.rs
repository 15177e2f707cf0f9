//! haft's client and haft's server, with an authorization server between them.

use std::net::TcpListener;
use std::sync::Arc;

use haft::prelude::*;
use haft::{AuthError, Bearer, Caller, Client, HttpOptions, HttpServer, ProtectedResource};
use serde_json::json;
use tokio::sync::oneshot;

use super::world::{World, consenting};

/// Use this to read an order.
#[tool(read_only, closed_world, scopes("orders:read"))]
async fn read_order(context: Context) -> String {
    match context.principal() {
        haft::Principal::Authenticated(caller) => format!("read by {}", caller.subject()),
        other => format!("{other:?}"),
    }
}

/// Use this to cancel an order.
#[tool(destructive, closed_world, scopes("orders:read", "orders:write", listed))]
async fn cancel_order() -> &'static str {
    "cancelled"
}

/// A server at a URL that it knows, which takes the tokens of a world's authorization server.
async fn serve(world: &World) -> (String, oneshot::Sender<()>) {
    let server = Server::new("orders", "1.0.0").tool(read_order::tool()).tool(cancel_order::tool()).build().unwrap();
    loop {
        // Its metadata has its URL, so the port has to be known before.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}/mcp");
        let (rules, issuer) = (Arc::clone(&world.rules), world.server.url.clone());
        let check = move |token: String| {
            let scopes = rules.lock().unwrap().tokens.get(&token).cloned();
            let caller = scopes.map(|scopes| Caller::new(issuer.clone(), "ada").with_scopes(scopes.split(' ')));
            async move { caller.ok_or_else(|| AuthError::invalid("the token is unknown")) }
        };
        let resource = ProtectedResource::new(&*url).authorization_server(&*world.server.url);
        let resource = resource.initial_scopes(["orders:read"]);
        let options = HttpOptions::new().authenticate(Bearer::new(check)).protected_resource(resource);
        if let Ok(http) = HttpServer::bind(server.clone(), ("127.0.0.1", port), options).await {
            let (stop, stopped) = oneshot::channel();
            tokio::spawn(http.serve_until(async { drop(stopped.await) }));
            return (url, stop);
        }
    }
}

#[tokio::test]
async fn a_token_for_what_is_needed_and_more_when_more_is() {
    let world = World::start().await;
    let (url, stop) = serve(&world).await;
    let client = Client::builder().authorize(consenting().build().unwrap()).connect(&*url).await.unwrap();
    assert_eq!(client.list_tools().await.unwrap().len(), 2);
    assert_eq!(client.call("read_order", json!({})).await.unwrap().text(), "read by ada");
    assert_eq!(client.call("cancel_order", json!({})).await.unwrap().text(), "cancelled");
    // A token that is revoked is replaced.
    world.revoke();
    assert_eq!(client.call("read_order", json!({})).await.unwrap().text(), "read by ada");

    let asked: Vec<_> = world.authorizations().iter().map(|asked| asked.query("scope").unwrap()).collect();
    assert_eq!(asked, ["orders:read", "orders:read orders:write", "orders:read orders:write"]);
    assert!(world.authorizations().iter().all(|asked| asked.query("resource").as_deref() == Some(&*url)));
    drop(stop);
}
