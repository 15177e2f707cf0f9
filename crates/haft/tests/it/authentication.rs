//! Who is let in over HTTP, and what those are told who aren't.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use haft::prelude::*;
use haft::{
    AuthError, Authenticate, Bearer, Caller, HttpOptions, HttpServer, Principal, ProtectedResource, ServeError,
};
use http::request::Parts;
use http_body::Body;
use serde_json::{Value, json};
use tower_service::Service;

use crate::logs::logged_from;
use crate::post::{Answer, Post, Served};
use crate::wire::text;

const TOKEN: &str = "s3cr3t-t0k3n";
const METADATA: &str = r#"resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp""#;

/// Use this to learn who you are.
#[tool(read_only, closed_world)]
async fn whoami(context: Context) -> String {
    match context.principal() {
        Principal::Authenticated(caller) => {
            format!("{} of {} by {:?}", caller.subject(), caller.issuer(), caller.client_id())
        }
        other => format!("{other:?}"),
    }
}

/// Use this to do what few may.
#[tool(destructive, closed_world, scopes("admin"))]
async fn administer() -> &'static str {
    "done"
}

fn server() -> Server {
    Server::new("who", "1.0.0").tool(whoami::tool()).tool(administer::tool()).build().unwrap()
}

async fn check(token: String) -> Result<Caller, AuthError> {
    match token.as_str() {
        TOKEN => Ok(Caller::new("https://auth.example.com", "ada").with_client_id("app")),
        "down" => Err(AuthError::unavailable("the database is away")),
        "panic" => panic!("no such luck"),
        _ => Err(AuthError::invalid("it is \"unknown\" – here")),
    }
}

fn resource() -> ProtectedResource {
    ProtectedResource::new("https://mcp.example.com/mcp").authorization_server("https://auth.example.com")
}

fn options() -> HttpOptions {
    HttpOptions::new().authenticate(Bearer::new(check)).protected_resource(resource())
}

fn call() -> Post {
    Post::call("whoami", json!({}))
}

#[test]
fn whoever_has_no_good_token_is_told_where_to_get_one() {
    let served = Served::new(server(), options());
    let scope = r#"scope="admin""#;
    let invalid =
        format!(r#"Bearer error="invalid_token", {scope}, {METADATA}, error_description="it is 'unknown' ? here""#);
    let bare = format!("Bearer {scope}, {METADATA}");
    for (post, status, challenge) in [
        (call(), 401, &*bare),
        (call().line(&format!("POST /mcp?access_token={TOKEN}")), 401, &*bare),
        (call().and("Authorization", "Basic dTpw"), 401, &*bare),
        (call().and("Authorization", TOKEN), 401, &*bare),
        (call().token("wrong"), 401, &*invalid),
        (call().line("GET /mcp"), 401, &*bare),
        (Post::raw("not json"), 401, &*bare),
    ] {
        let answer = served.ask(&post);
        assert_eq!((answer.status, answer.header("www-authenticate")), (status, Some(challenge)), "{answer:?}");
        assert_eq!(answer.json()["error"]["code"], -32600);
        assert!(!answer.body.contains("who\""), "{answer:?}");
    }
    for (post, status, error) in [
        (call().token(TOKEN).token(TOKEN), 400, "invalid_request"),
        (call().token(TOKEN).token("wrong"), 400, "invalid_request"),
        (call().and("Authorization", "Bearer é"), 400, "invalid_request"),
        (call().token(&format!("{TOKEN} x")), 401, "invalid_token"),
        (call().token(""), 401, "invalid_token"),
    ] {
        let answer = served.ask(&post);
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.header("www-authenticate").unwrap().contains(&format!("error=\"{error}\"")), "{answer:?}");
    }
    let answer = served.ask(&call().token(TOKEN));
    assert_eq!(text(&answer.json()), r#"ada of https://auth.example.com by Some("app")"#);
    assert_eq!(served.ask(&call().and("authorization", &format!("bearer  {TOKEN}"))).status, 200);
}

#[test]
fn a_failure_to_check_lets_nobody_in() {
    let served = Served::new(server(), options().allow_anonymous(true));
    for token in ["down", "panic"] {
        let answer = served.ask(&call().token(token));
        assert_eq!((answer.status, answer.header("www-authenticate")), (503, None), "{answer:?}");
        assert!(answer.header("retry-after").is_some() && !answer.body.contains("database"), "{answer:?}");
    }
    assert_eq!(served.ask(&call().token(TOKEN)).status, 200);
}

#[test]
fn anonymous_callers_are_let_in_where_that_is_said() {
    let served = Served::new(server(), options().allow_anonymous(true));
    assert_eq!(text(&served.ask(&call()).json()), "Anonymous");
    for bad in [call().token("wrong"), call().and("Authorization", "Basic dTpw"), call().and("Authorization", "")] {
        assert_eq!(served.ask(&bad).status, 401);
    }
    // Without an authenticator there is nobody else.
    let served = Served::new(server(), HttpOptions::new());
    assert_eq!(text(&served.ask(&call().token(TOKEN)).json()), "Anonymous");
    let refused = served.ask(&Post::call("administer", json!({})).token(TOKEN));
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some(r#"Bearer scope="admin""#)));
}

/// Counts how often it is asked.
struct Counting(Arc<AtomicUsize>);

impl Authenticate for Counting {
    async fn authenticate(&self, head: &Parts) -> Result<Principal, AuthError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let name = head.headers.get("x-client-name").ok_or_else(AuthError::missing)?;
        Ok(Caller::new("proxy", name.to_str().unwrap()).into())
    }
}

#[test]
fn callers_are_known_once_and_before_their_bodies() {
    let count = Arc::new(AtomicUsize::new(0));
    let served = Served::new(server(), HttpOptions::new().authenticate(Counting(Arc::clone(&count))));
    let answer = served.ask(&call().and("X-Client-Name", "door"));
    assert_eq!(text(&answer.json()), "door of proxy by None");
    assert_eq!(count.load(Ordering::SeqCst), 1);
    // A body that never comes keeps nobody from being refused.
    let head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nConnection: close\r\n\r\n";
    let mut stream = served.send(head);
    stream.flush().unwrap();
    let answer = Answer::read(stream);
    assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some(r#"Bearer scope="admin""#)));
}

#[test]
fn clients_find_out_where_to_get_a_token() {
    let scopes = ["profile"];
    let resource = resource().initial_scopes(scopes).name("Who").documentation("https://mcp.example.com/docs");
    let options = options().protected_resource(resource).allow_host("mcp.example.com");
    let served = Served::new(server(), options);
    let get = |path: &str| Post::raw("").line(&format!("GET {path}")).with("Host", "mcp.example.com");
    for path in ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"] {
        // From a page of whatever origin, and without credentials.
        let answer = served.ask(&get(path).and("Origin", "https://inspector.example"));
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some("*")), "{answer:?}");
        let expected = json!({
            "resource": "https://mcp.example.com/mcp",
            "authorization_servers": ["https://auth.example.com"],
            "scopes_supported": ["profile", "admin"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Who",
            "resource_documentation": "https://mcp.example.com/docs",
        });
        assert_eq!(answer.json(), expected);
        assert_eq!(served.ask(&get(path).with("Host", "evil.example")).status, 403);
        let preflight = get(path).line(&format!("OPTIONS {path}")).and("Access-Control-Request-Method", "GET");
        let answer = served.ask(&preflight.and("Access-Control-Request-Headers", "mcp-protocol-version"));
        assert_eq!((answer.status, answer.header("access-control-allow-headers")), (204, Some("*")));
        assert_eq!(served.ask(&get(path).line(&format!("POST {path}"))).status, 405);
    }
    for path in ["/.well-known/oauth-protected-resource/other", "/.well-known/oauth-protected-resourcex"] {
        assert_eq!(served.ask(&get(path)).status, 404);
    }
    let challenge = served.ask(&call().with("Host", "mcp.example.com"));
    assert_eq!(challenge.header("www-authenticate"), Some(&*format!(r#"Bearer scope="profile", {METADATA}"#)));

    let served = Served::new(server(), HttpOptions::new());
    let get = get("/.well-known/oauth-protected-resource/mcp").with("Host", "localhost");
    assert_eq!(served.ask(&get).status, 404);
}

#[tokio::test]
async fn a_resource_that_no_client_could_use_is_refused_at_start() {
    for resource in [
        ProtectedResource::new("mcp.example.com").authorization_server("https://auth.example.com"),
        ProtectedResource::new("https://mcp.example.com/mcp"),
    ] {
        let options = HttpOptions::new().protected_resource(resource);
        let refused = HttpServer::bind(server(), "127.0.0.1:0", options).await.unwrap_err();
        assert!(matches!(refused, ServeError::ProtectedResource(_)), "{refused}");
    }
}

/// The whole answer as text: status, headers, body.
async fn whole<B>(answer: http::Response<B>) -> String
where
    B: Body<Data: AsRef<[u8]>, Error: std::fmt::Debug>,
{
    let mut text = format!("{} {:?}\n", answer.status(), answer.headers());
    let mut body = std::pin::pin!(answer.into_body());
    while let Some(frame) = std::future::poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        text.push_str(&String::from_utf8_lossy(frame.unwrap().into_data().ok().unwrap().as_ref()));
    }
    text
}

#[tokio::test]
async fn tokens_are_neither_logged_nor_repeated() {
    let (log, _guard) = logged_from(tracing::Level::TRACE);
    let mut service = server().into_http_service(options().allow_anonymous(true));
    let mut seen = String::new();
    let body = |params: Value| String::from_utf8(crate::wire::request(1, "tools/call", params)).unwrap();
    let calls =
        [(TOKEN, "whoami"), (TOKEN, "administer"), (TOKEN, "nope"), ("wr0ng-t0k3n", "whoami"), ("t0k3n\"", "whoami")];
    // Twice: what was first logged while another test began to listen may have been taken for what nobody hears.
    for (token, tool) in [calls, calls].concat() {
        tracing::callsite::rebuild_interest_cache();
        for headers in
            [vec![format!("Bearer {token}")], vec![format!("Bearer {token}"); 2], vec![format!("Basic {token}")]]
        {
            for uri in ["http://localhost/mcp", "http://localhost/mcp?access_token=t0k3n"] {
                let mut request = http::Request::post(uri)
                    .header("content-type", "application/json")
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", "tools/call")
                    .header("mcp-name", tool);
                for value in &headers {
                    request = request.header("authorization", value);
                }
                let answer = service.call(request.body(body(json!({"name": tool}))).unwrap()).await.unwrap();
                seen.push_str(&whole(answer).await);
            }
        }
    }
    for status in ["200", "400", "401", "403"] {
        assert!(seen.contains(&format!("{status} ")), "{status} in {seen}");
    }
    assert!(log.text().contains("a caller is not let in"), "{}", log.text());
    assert!(!seen.contains("t0k3n"), "{seen}");
    assert!(!log.text().contains("t0k3n"), "{}", log.text());
}
