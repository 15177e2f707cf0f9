//! `subscriptions/listen`: what a subscriber is told, in which order, and how it ends.

use std::time::Duration;

use haft::HttpOptions;
use haft::prelude::*;
use serde_json::{Value, json};

use crate::dynamic::{dynamic, tool};
use crate::post::{Post, Served};
use crate::specification::Specification;
use crate::wire::{Wire, request};

const ID: &str = "io.modelcontextprotocol/subscriptionId";

fn server() -> Server {
    dynamic(&["a"]).notify_resources().notify_prompts().build().unwrap()
}

fn listen(id: impl Into<Value>, filter: Value) -> Vec<u8> {
    request(id, "subscriptions/listen", json!({"notifications": filter}))
}

fn cancel(id: impl Into<Value>) -> Vec<u8> {
    let params = json!({"requestId": id.into()});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string().into_bytes()
}

/// Opens a subscription, and what the server agreed to.
async fn open(wire: &mut Wire, id: impl Into<Value>, filter: Value) -> Value {
    let id = id.into();
    wire.send(listen(id.clone(), filter)).await;
    let acknowledged = wire.recv().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    assert_eq!(acknowledged["params"]["_meta"], json!({ID: id}));
    hold("SubscriptionsAcknowledgedNotification", &acknowledged);
    acknowledged["params"]["notifications"].clone()
}

/// The next notification: which one, and on which subscription.
async fn told(wire: &mut Wire) -> (String, Value) {
    let frame = wire.recv().await;
    let method = frame["method"].as_str().unwrap_or_else(|| panic!("no notification: {frame}"));
    hold(
        match method {
            "notifications/tools/list_changed" => "ToolListChangedNotification",
            "notifications/prompts/list_changed" => "PromptListChangedNotification",
            "notifications/resources/list_changed" => "ResourceListChangedNotification",
            "notifications/resources/updated" => "ResourceUpdatedNotification",
            "notifications/cancelled" => "CancelledNotification",
            other => panic!("{other}"),
        },
        &frame,
    );
    (method.trim_start_matches("notifications/").to_owned(), frame["params"]["_meta"][ID].clone())
}

fn hold(definition: &str, frame: &Value) {
    if let Some(specification) = Specification::load() {
        specification.hold(definition, frame);
    }
}

/// That nothing is on its way: the answer to a request comes next.
async fn silent(wire: &mut Wire) {
    let answer = wire.ask("tools/list", json!({})).await;
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}

#[tokio::test]
async fn what_was_asked_for_and_is_offered_is_acknowledged_first() {
    let everything = json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["file:///a", "file:///b"],
    });
    let resources = json!({"resourcesListChanged": true, "resourceSubscriptions": ["file:///a", "file:///b"]});
    let tools = json!({"toolsListChanged": true});
    let only_resources = Server::new("resources", "1.0.0").notify_resources().build().unwrap();
    let only_prompts = Server::new("prompts", "1.0.0").notify_prompts().build().unwrap();
    let only_tools = dynamic(&[]).build().unwrap();
    assert_eq!(open(&mut Wire::new(&only_prompts), 1, everything.clone()).await, json!({"promptsListChanged": true}));
    assert_eq!(open(&mut Wire::new(&only_resources), 1, everything.clone()).await, resources);
    assert_eq!(open(&mut Wire::new(&only_tools), "a", everything).await, tools);
    for (asked, agreed) in [
        (json!({}), json!({})),
        (json!({"toolsListChanged": false, "resourceSubscriptions": []}), json!({})),
        (json!({"toolsListChanged": null}), json!({})),
        (tools.clone(), tools),
    ] {
        assert_eq!(open(&mut Wire::new(&server()), 0, asked).await, agreed);
    }
}

#[tokio::test]
async fn several_subscriptions_share_a_connection_and_each_gets_its_own() {
    let server = server();
    let handle = server.handle();
    let mut wire = Wire::new(&server);
    open(&mut wire, 10, json!({"toolsListChanged": true})).await;
    open(&mut wire, "10", json!({"resourcesListChanged": true, "resourceSubscriptions": ["file:///a"]})).await;
    open(&mut wire, 12, json!({})).await;
    open(&mut wire, 13, json!({"promptsListChanged": true})).await;
    handle.add_tool(tool("b", "new")).unwrap();
    assert_eq!(told(&mut wire).await, ("tools/list_changed".to_owned(), json!(10)));
    handle.prompts_changed();
    assert_eq!(told(&mut wire).await, ("prompts/list_changed".to_owned(), json!(13)));
    handle.resources_changed();
    assert_eq!(told(&mut wire).await, ("resources/list_changed".to_owned(), json!("10")));
    handle.resource_updated("file:///b");
    handle.resource_updated("file:///a");
    assert_eq!(told(&mut wire).await, ("resources/updated".to_owned(), json!("10")));
    silent(&mut wire).await;
}

#[tokio::test]
async fn every_change_of_the_tools_is_told_and_what_changes_nothing_is_not() {
    let server = server();
    let handle = server.handle();
    let mut wire = Wire::new(&server);
    open(&mut wire, 10, json!({"toolsListChanged": true})).await;
    let changes: [&dyn Fn(); 4] = [
        &|| handle.add_tool(tool("b", "new")).unwrap(),
        &|| handle.add_tools([tool("c", "new"), tool("d", "new")]).unwrap(),
        &|| handle.replace_tool(tool("b", "newer")).unwrap(),
        &|| assert!(handle.remove_tool("b").unwrap()),
    ];
    for change in changes {
        change();
        assert_eq!(told(&mut wire).await, ("tools/list_changed".to_owned(), json!(10)));
    }
    assert!(!handle.remove_tool("b").unwrap());
    handle.add_tool(tool("a", "again")).unwrap_err();
    handle.add_tools([]).unwrap();
    silent(&mut wire).await;
}

#[tokio::test]
async fn for_a_slow_reader_changes_become_one_and_the_last_is_not_lost() {
    let server = server();
    let handle = server.handle();
    let mut wire = Wire::new(&server);
    open(&mut wire, 10, json!({"toolsListChanged": true, "resourceSubscriptions": ["file:///a", "file:///b"]})).await;
    for _ in 0..1000 {
        handle.replace_tool(tool("a", "new")).unwrap();
        handle.resource_updated("file:///b");
        handle.resource_updated("file:///a");
        tokio::task::yield_now().await;
    }
    // As many frames as the connection's queue takes, and no more than two rounds beyond.
    let mut frames = 0;
    while let Ok(frame) = tokio::time::timeout(Duration::from_millis(200), wire.recv()).await {
        assert_eq!(frame["params"]["_meta"][ID], 10);
        frames += 1;
    }
    assert!((3..100).contains(&frames), "{frames}");
    handle.resource_updated("file:///a");
    assert_eq!(told(&mut wire).await.0, "resources/updated");
}

#[tokio::test]
async fn a_cancelled_subscription_is_silent_and_its_id_free() {
    let server = server();
    let mut wire = Wire::new(&server);
    open(&mut wire, 10, json!({"toolsListChanged": true})).await;
    open(&mut wire, 11, json!({"toolsListChanged": true})).await;
    wire.send(listen(11, json!({}))).await;
    assert_eq!(wire.recv().await["error"]["code"], -32600, "its id is taken");
    wire.send(cancel(10)).await;
    silent(&mut wire).await;
    server.handle().add_tool(tool("b", "new")).unwrap();
    assert_eq!(told(&mut wire).await.1, 11);
    silent(&mut wire).await;
    assert_eq!(open(&mut wire, 10, json!({})).await, json!({}));
}

#[tokio::test]
async fn a_server_that_ends_subscriptions_says_so_and_takes_new_ones() {
    let server = server();
    let mut wire = Wire::new(&server);
    for id in [json!(10), json!("x")] {
        open(&mut wire, id.clone(), json!({"toolsListChanged": true})).await;
        server.handle().add_tool(tool(&format!("b{}", id.to_string().len()), "new")).unwrap();
        server.handle().end_subscriptions();
        // What has happened before the end is told before the end.
        assert_eq!(told(&mut wire).await, ("tools/list_changed".to_owned(), id.clone()));
        assert_eq!(told(&mut wire).await, ("cancelled".to_owned(), id.clone()));
        let result = wire.recv().await;
        hold("SubscriptionsListenResultResponse", &result);
        assert_eq!((&result["id"], &result["result"]["_meta"][ID]), (&id, &id));
        assert_eq!(result["result"]["resultType"], "complete");
        assert_eq!(result["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "dynamic");
        silent(&mut wire).await;
    }
}

#[tokio::test]
async fn subscriptions_leave_the_slots_of_calls_alone_and_have_a_bound_of_their_own() {
    let server = dynamic(&["a"]).max_in_flight(1).max_subscriptions(3).build().unwrap();
    let mut wire = Wire::new(&server);
    for id in 10..13 {
        open(&mut wire, id, json!({"toolsListChanged": true})).await;
    }
    assert_eq!(wire.call("a", json!({})).await["result"]["content"][0]["text"], "old");
    let mut other = Wire::new(&server);
    for (id, wire) in [(13, &mut wire), (13, &mut other)] {
        wire.send(listen(id, json!({}))).await;
        let refused = wire.recv().await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32603)));
        hold("JSONRPCErrorResponse", &refused);
    }
    wire.send(cancel(10)).await;
    silent(&mut wire).await;
    open(&mut other, 13, json!({})).await;
    // The end of a connection is the end of its subscriptions.
    drop(wire);
    for id in 14..16 {
        while let Err(_) | Ok(false) = tokio::time::timeout(Duration::from_secs(5), async {
            other.send(listen(id, json!({}))).await;
            let answer = other.recv().await;
            answer["method"] == "notifications/subscriptions/acknowledged"
        })
        .await
        {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

#[tokio::test]
async fn a_filter_that_is_none_is_refused_and_nothing_is_acknowledged() {
    let mut wire = Wire::new(&server());
    let many: Vec<_> = (0..1001).map(|n| format!("file:///{n}")).collect();
    for params in [
        json!({}),
        json!({"notifications": null}),
        json!({"notifications": []}),
        json!({"notifications": {"toolsListChanged": "yes"}}),
        json!({"notifications": {"resourceSubscriptions": "file:///a"}}),
        json!({"notifications": {"resourceSubscriptions": many}}),
    ] {
        let answer = wire.ask("subscriptions/listen", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params} {answer}");
    }
    silent(&mut wire).await;
}

#[tokio::test]
async fn a_server_with_nothing_to_tell_has_no_such_method() {
    let server = Server::new("fixed", "1.0.0").tool(tool("a", "old")).build().unwrap();
    let answer = Wire::new(&server).ask("subscriptions/listen", json!({"notifications": {}})).await;
    assert_eq!(answer["error"]["code"], -32601);
}

#[tokio::test]
async fn what_clients_may_subscribe_to_is_declared_and_listed() {
    let mut wire = Wire::new(&Server::new("some", "1.0.0").notify_resources().notify_prompts().build().unwrap());
    let discovered = wire.ask("server/discover", json!({})).await;
    assert_eq!(
        discovered["result"]["capabilities"],
        json!({"resources": {"subscribe": true, "listChanged": true}, "prompts": {"listChanged": true}})
    );
    hold("DiscoverResultResponse", &discovered);
    assert_eq!(wire.ask("resources/list", json!({})).await["result"]["resources"], json!([]));
    assert_eq!(wire.ask("prompts/list", json!({})).await["result"]["prompts"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_reaches_ten_thousand_idle_subscriptions() {
    const MANY: usize = 10_000;
    let server = dynamic(&[]).build().unwrap();
    let mut wires: Vec<_> = (0..10).map(|_| Wire::new(&server)).collect();
    for wire in &mut wires {
        for id in 0..MANY / 10 {
            wire.send(listen(id, json!({"toolsListChanged": true}))).await;
            assert_eq!(wire.recv().await["params"]["_meta"][ID], id);
        }
    }
    server.handle().add_tool(tool("a", "new")).unwrap();
    for wire in &mut wires {
        let mut seen = vec![false; MANY / 10];
        for _ in 0..MANY / 10 {
            let frame = wire.recv().await;
            assert_eq!(frame["method"], "notifications/tools/list_changed");
            let id = usize::try_from(frame["params"]["_meta"][ID].as_u64().unwrap()).unwrap();
            assert!(!std::mem::replace(&mut seen[id], true), "{id} twice");
        }
    }
}

/// Reads events as they come, up to the one that `last` accepts.
fn events(stream: &mut std::net::TcpStream, last: &str) -> String {
    use std::io::Read;
    let (mut text, mut chunk) = (String::new(), [0; 1024]);
    while !text.contains(last) {
        let count = stream.read(&mut chunk).unwrap();
        assert!(count > 0, "no {last} in {text}");
        text.push_str(std::str::from_utf8(&chunk[..count]).unwrap());
    }
    text
}

#[test]
fn over_http_a_subscription_is_a_stream_that_ends_with_its_result() {
    let server = server();
    let handle = server.handle();
    let mut served = Served::new(server, HttpOptions::new());
    let filter = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": false}});
    let mut stream = served.send(&Post::new("subscriptions/listen", filter).bytes());
    let head = events(&mut stream, "\n\n\r\n");
    assert!(head.contains("notifications/subscriptions/acknowledged"), "{head}");
    handle.prompts_changed();
    handle.add_tool(tool("b", "new")).unwrap();
    let change = events(&mut stream, "list_changed");
    assert!(change.contains("notifications/tools/list_changed"), "{change}");
    let started = std::time::Instant::now();
    served.stop();
    let end = events(&mut stream, "0\r\n\r\n");
    assert!(started.elapsed() < Duration::from_secs(5), "not the grace of 10 s");
    assert!(end.contains(r#""resultType":"complete""#) && end.contains(ID), "{end}");
    assert!(!end.contains("notifications/cancelled"), "the end of the stream says it: {end}");
}

#[test]
fn a_client_that_disconnects_is_no_subscriber_any_more() {
    let server = dynamic(&["a"]).max_subscriptions(1).build().unwrap();
    let served = Served::new(server, HttpOptions::new());
    let listen = Post::new("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let mut first = served.send(&listen.bytes());
    events(&mut first, "acknowledged");
    assert!(served.ask(&listen).body.contains("-32603"));
    drop(first);
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    loop {
        let mut next = served.send(&listen.bytes());
        if events(&mut next, "subscri").contains("acknowledged") {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "the place of the first is free");
        std::thread::sleep(Duration::from_millis(10));
    }
}
