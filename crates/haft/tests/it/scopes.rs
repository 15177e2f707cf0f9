//! What callers see and may do, by their scopes.

use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::time::Duration;

use haft::prelude::*;
use haft::{AuthError, Bearer, CacheScope, Caller, ChangeError, HttpOptions, ProtectedResource};
use serde_json::{Value, json};

use crate::post::{Answer, Post, Served};
use crate::wire::{Wire, text};

/// Use this to see a list of orders.
#[tool(read_only, closed_world)]
async fn list_orders() -> &'static str {
    "A-1001"
}

/// Use this to read an order.
#[tool(read_only, closed_world, scopes("orders:read"))]
async fn read_order(#[arg(header = "Region")] region: Option<String>) -> String {
    region.unwrap_or_default()
}

/// Use this to change an order.
#[tool(destructive, closed_world, scopes("orders:read", "orders:write", listed))]
async fn change_order(context: Context) -> String {
    format!("{:?}", context.principal())
}

/// Use this to pay.
#[tool(additive, closed_world, scopes("pay"))]
async fn pay(context: Context) -> Result<String, ToolError> {
    context.set_state(&7_u32)?;
    let sure: bool = context.ask("sure", "Sure?").await?;
    Ok(format!("paid {sure}"))
}

fn orders() -> haft::ServerBuilder {
    Server::new("orders", "1.0.0")
        .tool(list_orders::tool())
        .tool(read_order::tool())
        .tool(change_order::tool())
        .tool(pay::tool())
        .scope_implies("orders:admin", ["orders:write"])
        .scope_implies("orders:write", ["orders:read"])
}

/// Tokens are `subject:scope,scope`.
pub(crate) fn options() -> HttpOptions {
    let bearer = Bearer::new(|token: String| async move {
        let (subject, scopes) = token.split_once('~').ok_or_else(|| AuthError::invalid("it is unknown"))?;
        let scopes = scopes.split('+').filter(|scope| !scope.is_empty()).map(|scope| scope.replace('.', ":"));
        Ok(Caller::new("https://auth.example.com", subject).with_scopes(scopes))
    });
    HttpOptions::new().authenticate(bearer).allow_anonymous(true).protected_resource(
        ProtectedResource::new("https://mcp.example.com/mcp").authorization_server("https://auth.example.com"),
    )
}

fn served() -> Served {
    Served::new(orders().build().unwrap(), options())
}

fn names(answer: &Answer) -> Vec<String> {
    let tools = answer.json()["result"]["tools"].clone();
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn list() -> Post {
    Post::new("tools/list", json!({}))
}

fn with(post: Post, token: Option<&str>) -> Post {
    token.into_iter().fold(post, Post::token)
}

#[test]
fn a_list_has_what_its_reader_may_use_and_what_is_listed() {
    let served = served();
    for (token, expected) in [
        (None, vec!["list_orders", "change_order"]),
        (Some("ada~"), vec!["list_orders", "change_order"]),
        (Some("ada~orders.read"), vec!["list_orders", "read_order", "change_order"]),
        (Some("ada~orders.admin"), vec!["list_orders", "read_order", "change_order"]),
        (Some("ada~pay"), vec!["list_orders", "change_order", "pay"]),
        (Some("ada~pay+orders.write"), vec!["list_orders", "read_order", "change_order", "pay"]),
    ] {
        // Twice: the second time it is not written anew.
        let answers = [0, 1].map(|_| served.ask(&with(list(), token)));
        assert_eq!(names(&answers[0]), expected, "{token:?}");
        assert_eq!(answers[0].body, answers[1].body);
    }
}

#[tokio::test]
async fn whoever_started_the_server_may_do_everything() {
    let server = orders().build().unwrap();
    let mut wire = Wire::new(&server);
    let tools = wire.ask("tools/list", json!({})).await["result"]["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 4);
    assert_eq!(text(&wire.call("change_order", json!({})).await), "Local");
    assert_eq!(server.call_tool("read_order", json!({"region": "eu"})).await.unwrap().text(), "eu");
}

#[test]
fn a_call_without_its_scopes_says_which_it_needs() {
    let served = served();
    let metadata = "resource_metadata=\"https://mcp.example.com/.well-known/oauth-protected-resource/mcp\"";
    let call = |tool: &str| Post::call(tool, json!({}));
    for (post, status, challenge) in [
        (call("read_order"), 401, r#"Bearer scope="orders:read""#),
        (call("change_order"), 401, r#"Bearer scope="orders:read orders:write""#),
        (call("read_order").token("ada~"), 403, r#"Bearer error="insufficient_scope", scope="orders:read""#),
        (
            call("change_order").token("ada~orders.read+pay+offline_access"),
            403,
            r#"Bearer error="insufficient_scope", scope="orders:read orders:write pay""#,
        ),
        (
            call("read_order").token("ada~orders.rea"),
            403,
            r#"Bearer error="insufficient_scope", scope="orders:read orders:rea""#,
        ),
    ] {
        let answer = served.ask(&post);
        assert_eq!(answer.error(), (status, -32600, true), "{answer:?}");
        assert_eq!(answer.header("www-authenticate"), Some(&*format!("{challenge}, {metadata}")));
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("orders:read"), "{message}");
        // A client that takes events alone is told in the same way.
        let answer = served.ask(&post.with("Accept", "text/event-stream"));
        assert_eq!((answer.status, answer.header("www-authenticate").is_some()), (status, true));
        assert_eq!(answer.events()[0]["id"], 1);
    }
    for token in ["ada~orders.read+orders.write", "ada~orders.write", "ada~orders.admin"] {
        let answer = served.ask(&call("change_order").token(token));
        assert_eq!((answer.status, answer.header("www-authenticate")), (200, None));
        let said = text(&answer.json()).to_owned();
        assert!(said.contains("subject: \"ada\""), "{said}");
    }
}

#[test]
fn a_cursor_is_good_for_those_who_see_the_same_list() {
    let server = orders().page_size(NonZeroUsize::new(1).unwrap()).build().unwrap();
    let served = Served::new(server, options());
    let page = |token: &str, cursor: Option<&Value>| {
        let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
        served.ask(&Post::new("tools/list", params).token(token))
    };
    let all = |token: &str| {
        let (mut found, mut cursor) = (Vec::new(), None);
        loop {
            let answer = page(token, cursor.as_ref());
            let result = &answer.json()["result"];
            assert_eq!(result["cacheScope"], "private");
            found.extend(names(&answer));
            match result.get("nextCursor") {
                Some(next) => cursor = Some(next.clone()),
                None => return found,
            }
        }
    };
    assert_eq!(all("ada~orders.read"), ["list_orders", "read_order", "change_order"]);
    assert_eq!(all("ada~pay"), ["list_orders", "change_order", "pay"]);
    assert_eq!(all("ada~"), ["list_orders", "change_order"]);
    let cursor = page("ada~orders.read", None).json()["result"]["nextCursor"].clone();
    assert_eq!(page("eve~orders.admin", Some(&cursor)).status, 200);
    for other in ["ada~", "ada~pay", "ada~pay+orders.read"] {
        assert_eq!(page(other, Some(&cursor)).error(), (200, -32602, true), "{other}");
    }
}

#[tokio::test]
async fn what_differs_between_callers_is_not_to_be_shared() {
    let scoped_prompt = Prompt::builder("secret").handler(|_, _| async { "" }).scopes(["x"]);
    let scoped_resource = Resource::builder("a://b", "b").read(|_| async { "" }).scopes(["x"]);
    let scoped_template = ResourceTemplate::builder("a://{b}", "b").read(|_, _| async { "" }).scopes(["x"]);
    for (server, expected) in [
        (Server::new("s", "1").tool(list_orders::tool()), "public"),
        (Server::new("s", "1").tool(list_orders::tool()).tool(change_order::tool()), "private"),
        (Server::new("s", "1").tool(change_order::tool()).cache_scope(CacheScope::Public), "private"),
        (Server::new("s", "1").tool(list_orders::tool()).prompt(scoped_prompt), "private"),
        (Server::new("s", "1").tool(list_orders::tool()).resource(scoped_resource), "private"),
        (Server::new("s", "1").tool(list_orders::tool()).resource_template(scoped_template), "private"),
    ] {
        let prompt = Prompt::builder("open").handler(|_, _| async { "" });
        let resource = Resource::builder("o://o", "o").read(|_| async { "" });
        let mut wire = Wire::new(&server.prompt(prompt).resource(resource).build().unwrap());
        for method in ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
            assert_eq!(wire.ask(method, json!({})).await["result"]["cacheScope"], expected, "{method}");
        }
    }
}

#[tokio::test]
async fn a_list_that_clients_share_takes_no_tool_with_scopes() {
    let server = Server::new("s", "1").dynamic_tools().tool(list_orders::tool()).build().unwrap();
    let Err(ChangeError::Refused(error)) = server.handle().add_tool(read_order::tool()) else { panic!() };
    assert_eq!(error.problems()[0].rule, "cache_scope");
    for server in [
        Server::new("s", "1").dynamic_tools().tool(list_orders::tool()).cache_scope(CacheScope::Private),
        Server::new("s", "1").dynamic_tools().tool(change_order::tool()),
    ] {
        let server = server.build().unwrap();
        let handle = server.handle();
        let served = Served::new(server, options());
        handle.add_tool(read_order::tool()).unwrap();
        assert!(!names(&served.ask(&list())).contains(&"read_order".to_owned()));
        assert!(names(&served.ask(&list().token("ada~orders.read"))).contains(&"read_order".to_owned()));
    }
}

#[test]
fn nothing_tells_of_a_tool_that_is_hidden() {
    let served = served();
    let message = |post: Post| served.ask(&post).json()["error"]["message"].as_str().unwrap().to_owned();
    let misspelt = || Post::call("read_orders", json!({}));
    assert!(!message(misspelt()).contains("read_order?"), "{}", message(misspelt()));
    assert!(message(misspelt().token("ada~orders.read")).contains("did you mean read_order?"));
    // Headers are held against arguments once the caller may call.
    let call = || Post::call("read_order", json!({"region": "eu"}));
    assert_eq!(served.ask(&call()).status, 401);
    assert_eq!(served.ask(&call().token("ada~")).status, 403);
    assert_eq!(served.ask(&call().token("ada~orders.read")).error(), (400, -32020, true));
}

#[test]
fn a_state_opens_for_the_caller_it_was_sealed_for_whatever_their_scopes() {
    let served = served();
    let call = |more: Value| {
        let mut params = json!({
            "name": "pay",
            "_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}},
        });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Post::new("tools/call", params)
    };
    let asked = served.ask(&call(json!({})).token("ada~pay")).json();
    let state = &asked["result"]["requestState"];
    assert!(state.is_string(), "{asked}");
    let answer = json!({"action": "accept", "content": {"sure": true}});
    let retry = || call(json!({"requestState": state, "inputResponses": {"sure": answer}}));
    assert_eq!(text(&served.ask(&retry().token("ada~pay+orders.read")).json()), "paid true");
    assert_eq!(served.ask(&retry().token("eve~pay")).error(), (200, -32602, true));
    assert_eq!(served.ask(&retry().token("ada~")).error(), (403, -32600, true));
    assert_eq!(served.ask(&retry()).error(), (401, -32600, true));
}

/// A message of a revision with sessions.
fn within(session: &str, message: Value) -> Post {
    let post = Post::raw(message.to_string()).with("MCP-Protocol-Version", "2025-11-25");
    if session.is_empty() { post } else { post.and("Mcp-Session-Id", session) }
}

#[test]
fn a_session_is_its_callers_and_each_request_has_the_scopes_of_its_own_token() {
    let note = Resource::builder("note://1", "note").read(|_| async { "a note" }).scopes(["notes:read"]);
    let server = orders().resource(note).notify_resources().build().unwrap();
    let served = Served::new(server, options());
    let hello = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}},
    });
    let opened = served.ask(&within("", hello).token("ada~orders.read"));
    let session = opened.header("mcp-session-id").unwrap().to_owned();
    let request = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let call = |tool: &str| within(&session, request("tools/call", json!({"name": tool, "arguments": {}})));

    assert_eq!(names(&served.ask(&within(&session, request("tools/list", json!({}))).token("ada~pay"))).len(), 3);
    let refused = served.ask(&call("change_order").token("ada~orders.read"));
    assert_eq!(refused.error(), (403, -32600, true));
    assert!(refused.header("www-authenticate").unwrap().contains(r#"scope="orders:read orders:write""#), "{refused:?}");
    let done = served.ask(&call("change_order").with("Accept", "application/json").token("ada~orders.write"));
    assert!(text(&done.json()).contains("orders:write"), "{done:?}");
    assert_eq!(served.ask(&call("list_orders").token("eve~orders.write")).status, 404);
    assert_eq!(served.ask(&call("list_orders")).status, 404);
    for method in ["resources/read", "resources/subscribe"] {
        let post = || within(&session, request(method, json!({"uri": "note://1"}))).with("Accept", "application/json");
        assert_eq!(served.ask(&post().token("ada~")).status, 403, "{method}");
        let allowed = served.ask(&post().token("ada~notes.read"));
        assert!(allowed.json()["result"].is_object(), "{method} {allowed:?}");
    }
}

/// A note.
#[resource("note://{id}", scopes("notes:read", listed))]
async fn note(id: String) -> String {
    id
}

/// Asks for a plan.
#[prompt(scopes("plan"))]
async fn plan(what: String) -> String {
    what
}

#[test]
fn resources_and_prompts_have_scopes_too() {
    let secret =
        Resource::builder("notes://secret", "secret").ttl(Duration::from_secs(60)).cache_scope(CacheScope::Public);
    let server = Server::new("notes", "1.0.0")
        .notify_resources()
        .resource(secret.read(|_| async { "a secret" }).scopes(["notes:read"]))
        .resource_template(note::resource_template().complete("id", |_, _| async { vec!["1"] }))
        .prompt(plan::prompt());
    let served = Served::new(server.build().unwrap(), options());
    let ask = |method: &str, params: Value, token: Option<&str>| served.ask(&with(Post::new(method, params), token));
    let count = |method: &str, list: &str, token| {
        ask(method, json!({}), token).json()["result"][list].as_array().unwrap().len()
    };
    for (token, expected) in [(None, [0, 1, 0]), (Some("ada~notes.read"), [1, 1, 0]), (Some("ada~plan"), [0, 1, 1])] {
        let counts = [
            count("resources/list", "resources", token),
            count("resources/templates/list", "resourceTemplates", token),
            count("prompts/list", "prompts", token),
        ];
        assert_eq!(counts, expected, "{token:?}");
    }
    let completion = |reference: Value, name: &str| json!({"ref": reference, "argument": {"name": name, "value": ""}});
    for (method, params, scope) in [
        ("resources/read", json!({"uri": "notes://secret"}), "notes:read"),
        ("resources/read", json!({"uri": "note://1"}), "notes:read"),
        ("prompts/get", json!({"name": "plan", "arguments": {"what": "x"}}), "plan"),
        ("completion/complete", completion(json!({"type": "ref/prompt", "name": "plan"}), "what"), "plan"),
        ("completion/complete", completion(json!({"type": "ref/resource", "uri": "note://{id}"}), "id"), "notes:read"),
    ] {
        let refused = ask(method, params.clone(), Some("ada~"));
        assert_eq!(refused.error(), (403, -32600, true), "{method} {refused:?}");
        assert!(refused.header("www-authenticate").unwrap().contains(&format!("scope=\"{scope}\"")));
        assert_eq!(ask(method, params.clone(), None).status, 401);
        let allowed = ask(method, params, Some(&format!("ada~{}", scope.replace(':', "."))));
        assert!(allowed.json()["result"].is_object(), "{method} {allowed:?}");
    }
    // Of what one may not read, one isn't told that it changed.
    for (token, told) in [("ada~", false), ("ada~notes.read", true)] {
        let uris = json!(["notes://secret", "notes://unknown"]);
        let listen = Post::new("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": uris}}));
        let mut stream = BufReader::new(served.send(&listen.token(token).bytes()));
        let mut line = String::new();
        while !line.starts_with("data: ") {
            line.clear();
            assert_ne!(stream.read_line(&mut line).unwrap(), 0, "an acknowledgement");
        }
        assert_eq!((line.contains("notes://secret"), line.contains("notes://unknown")), (told, true), "{line}");
    }
    let read = ask("resources/read", json!({"uri": "notes://secret"}), Some("ada~notes.read"));
    assert_eq!(read.json()["result"]["cacheScope"], "private");
}

#[test]
fn merged_servers_keep_what_their_scopes_imply() {
    let merged = Server::new("all", "1.0.0").merge(orders()).build().unwrap();
    let served = Served::new(merged, options());
    assert_eq!(names(&served.ask(&list().token("ada~orders.admin"))), ["list_orders", "read_order", "change_order"]);
}

#[test]
fn scopes_that_are_none_are_told_at_build() {
    let tool = |scopes: &[&str]| {
        Tool::builder("t").scopes(scopes.iter().copied()).handler(|_: Arguments, _: Context| async { "" })
    };
    let prompt = Prompt::builder("p").handler(|_, _| async { "" }).scopes(["a b"]);
    let resource = Resource::builder("a://b", "b").read(|_| async { "" }).scopes([""]);
    for server in [
        Server::new("s", "1").tool(tool(&[""])),
        Server::new("s", "1").tool(tool(&["a b"])),
        Server::new("s", "1").tool(tool(&["a\""])),
        Server::new("s", "1").tool(tool(&["a", "a"])),
        Server::new("s", "1").prompt(prompt),
        Server::new("s", "1").resource(resource),
        Server::new("s", "1").scope_implies("", ["a"]),
        Server::new("s", "1").scope_implies("a", ["b", "c d"]),
    ] {
        let error = server.build().unwrap_err();
        assert_eq!((error.problems().len(), &*error.problems()[0].rule), (1, "scopes"), "{error}");
    }
}
