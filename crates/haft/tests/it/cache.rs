//! Lists that a client keeps, and for whom.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use haft::{Authorize, Authorizing, Client, HttpTarget, Refusal};
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use serde_json::json;

use super::hostile::{json_answer, posted};

/// A token that changes hands.
#[derive(Clone)]
struct Token(Arc<Mutex<&'static str>>);

impl Authorize for Token {
    fn headers<'a>(&'a self, _: HttpTarget<'a>) -> Authorizing<'a, Vec<(HeaderName, HeaderValue)>> {
        let token = *self.0.lock().unwrap();
        Box::pin(async move { Ok(vec![(AUTHORIZATION, HeaderValue::from_static(token))]) })
    }

    fn refused<'a>(&'a self, _: HttpTarget<'a>, _: Refusal<'a>) -> Authorizing<'a, bool> {
        Box::pin(async { Ok(false) })
    }
}

/// How often a server is asked for its tools, whose list is fresh for a day: for one user twice, then twice for another.
async fn asked_for(scope: &'static str) -> usize {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let lists = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&lists);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let Some(message) = posted(&stream) else { continue };
            let result = if message["method"] == "tools/list" {
                counted.fetch_add(1, Ordering::SeqCst);
                json!({"resultType": "complete", "tools": [], "ttlMs": 86_400_000, "cacheScope": scope})
            } else {
                json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
            };
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            json_answer(&mut stream, &answer.to_string()).unwrap();
        }
    });
    let token = Token(Arc::new(Mutex::new("Bearer one")));
    let client = Client::builder().authorize(token.clone()).open(url).unwrap();
    client.list_tools().await.unwrap();
    client.list_tools().await.unwrap();
    *token.0.lock().unwrap() = "Bearer another";
    client.list_tools().await.unwrap();
    client.list_tools().await.unwrap();
    lists.load(Ordering::SeqCst)
}

#[tokio::test]
async fn a_private_list_is_for_one_authorization_and_a_public_one_for_all() {
    assert_eq!(asked_for("private").await, 2);
    assert_eq!(asked_for("public").await, 1);
}
