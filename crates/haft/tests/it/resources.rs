//! Resources and resource templates: listed, read, refused.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use haft::prelude::*;
use haft::{CacheScope, Capability, LogLevel, ResourceContents, Role};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::wire::{Wire, request};

/// The resources that the conformance suite asks for, and some that show the rest.
pub(crate) fn all() -> haft::ServerBuilder {
    Server::new("resources", "1.0.0")
        .resource(
            Resource::builder("test://static-text", "static-text")
                .title("Static text")
                .description("Always the same text.")
                .mime_type("text/plain")
                .audience([Role::User, Role::Assistant])
                .priority(0.5)
                .last_modified("2026-01-01T00:00:00Z")
                .size(48)
                .icon(haft::Icon::new("https://example.com/i.png"))
                .meta("com.example/x", 1)
                .read(|_| async { "This is the content of the static text resource." }),
        )
        .resource(
            Resource::builder("test://static-binary", "static-binary")
                .description("Always the same bytes.")
                .mime_type("image/png")
                .ttl(Duration::from_secs(60))
                .cache_scope(CacheScope::Public)
                .read(|_| async { vec![0x89_u8, b'P', b'N', b'G'] }),
        )
        .resource(Resource::builder("test://directory", "directory").description("Two files.").read(|_| async {
            vec![
                ResourceContents::text("test://directory/a", "a").mime_type("text/css"),
                ResourceContents::blob("test://directory/b", [1, 2]),
            ]
        }))
        .resource(
            Resource::builder("test://gone", "gone").read(|_| async { Err::<String, _>(RequestError::not_found()) }),
        )
        .resource_template(
            ResourceTemplate::builder("test://template/{id}/data", "data")
                .description("One item's data.")
                .mime_type("application/json")
                .complete("id", |partial, _| async move { partial.filter(["123", "124", "200"]) })
                .read(|params, _| async move {
                    let id = params.text("id");
                    json!({"data": format!("Data for ID: {id}"), "id": id, "templateTest": true}).to_string()
                }),
        )
        .resource_template(
            ResourceTemplate::builder("file:///srv/{+path}", "files")
                .read(|params, _| async move { format!("the file {}", params.text("path")) }),
        )
        .resource_template(ResourceTemplate::builder("numbers://{n}{?base}", "numbers").read(|params, _| async move {
            let n: u32 = params.parse("n")?;
            Ok::<_, RequestError>(format!("{n} in base {}", params.get("base").unwrap_or("10")))
        }))
        .resource_template(
            ResourceTemplate::builder("search://{?text}", "search")
                .any_value("text")
                .read(|params, _| async move { params.text("text").to_owned() }),
        )
}

fn server() -> Server {
    all().build().unwrap()
}

async fn read(wire: &mut Wire, uri: &str) -> Value {
    wire.ask("resources/read", json!({"uri": uri})).await
}

#[tokio::test]
async fn the_lists_have_what_was_added_in_its_order() {
    let mut wire = Wire::new(&server());
    let list = wire.ask("resources/list", json!({})).await["result"].clone();
    assert_eq!(
        list["resources"][0],
        json!({
            "uri": "test://static-text", "name": "static-text", "title": "Static text",
            "description": "Always the same text.", "mimeType": "text/plain", "size": 48,
            "icons": [{"src": "https://example.com/i.png"}],
            "annotations": {"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z"},
            "_meta": {"com.example/x": 1},
        })
    );
    let uris: Vec<_> = list["resources"].as_array().unwrap().iter().map(|resource| &resource["uri"]).collect();
    assert_eq!(uris, ["test://static-text", "test://static-binary", "test://directory", "test://gone"]);
    assert_eq!((&list["ttlMs"], &list["cacheScope"]), (&json!(300_000), &json!("public")));
    let list = wire.ask("resources/templates/list", json!({})).await["result"].clone();
    assert_eq!(
        list["resourceTemplates"][0],
        json!({
            "uriTemplate": "test://template/{id}/data", "name": "data", "description": "One item's data.",
            "mimeType": "application/json",
        })
    );
    assert_eq!(list["resourceTemplates"].as_array().unwrap().len(), 4);
    let capabilities = wire.ask("server/discover", json!({})).await["result"]["capabilities"].clone();
    assert_eq!(capabilities, json!({"resources": {}, "completions": {}}));
}

#[tokio::test]
async fn pages_of_each_list_have_cursors_of_their_own() {
    let mut wire = Wire::new(&all().page_size(NonZeroUsize::new(3).unwrap()).build().unwrap());
    let mut cursors = Vec::new();
    for (method, member) in [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")] {
        let first = wire.ask(method, json!({})).await["result"].clone();
        let cursor = first["nextCursor"].clone();
        let second = wire.ask(method, json!({"cursor": cursor})).await["result"].clone();
        assert_eq!((first[member].as_array().unwrap().len(), second[member].as_array().unwrap().len()), (3, 1));
        assert_eq!(second.get("nextCursor"), None);
        cursors.push((method, cursor));
    }
    for (method, foreign) in [(cursors[0].0, &cursors[1].1), (cursors[1].0, &cursors[0].1)] {
        let error = wire.ask(method, json!({"cursor": foreign})).await["error"].clone();
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().contains(method), "{error}");
    }
}

#[tokio::test]
async fn each_kind_of_return_value_gives_its_contents() {
    let mut wire = Wire::new(&server());
    for (uri, contents, ttl, scope) in [
        (
            "test://static-text",
            json!([{"uri": "test://static-text", "mimeType": "text/plain",
                "text": "This is the content of the static text resource."}]),
            0,
            "private",
        ),
        (
            "test://static-binary",
            json!([{"uri": "test://static-binary", "mimeType": "image/png", "blob": "iVBORw=="}]),
            60_000,
            "public",
        ),
        (
            "test://directory",
            json!([
                {"uri": "test://directory/a", "mimeType": "text/css", "text": "a"},
                {"uri": "test://directory/b", "blob": "AQI="},
            ]),
            0,
            "private",
        ),
        (
            "test://template/123/data",
            json!([{"uri": "test://template/123/data", "mimeType": "application/json",
                "text": r#"{"data":"Data for ID: 123","id":"123","templateTest":true}"#}]),
            0,
            "private",
        ),
        ("numbers://7?base=2", json!([{"uri": "numbers://7?base=2", "text": "7 in base 2"}]), 0, "private"),
        ("numbers://7", json!([{"uri": "numbers://7", "text": "7 in base 10"}]), 0, "private"),
        ("file:///srv/a/b%20c", json!([{"uri": "file:///srv/a/b%20c", "text": "the file a/b c"}]), 0, "private"),
        ("search://?text=../x", json!([{"uri": "search://?text=../x", "text": "../x"}]), 0, "private"),
    ] {
        let result = read(&mut wire, uri).await["result"].clone();
        assert_eq!(result["contents"], contents, "{uri}");
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(ttl), &json!(scope)), "{uri}");
        assert_eq!(result["resultType"], "complete");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "resources");
    }
}

#[tokio::test]
async fn what_is_not_there_is_refused_with_its_uri() {
    let mut wire = Wire::new(&server());
    for (uri, hint) in [
        ("test://nonexistent-resource-for-conformance-testing", "not found"),
        ("test://static-tex", "not found"),
        ("test://template//data", "not found"),
        ("test://gone", "not found"),
        ("numbers://seven", "`n` can't be read"),
        ("test://template/ü/data", "percent-encoded"),
        ("test://template/%zz/data", "hexadecimal"),
        ("", "not found"),
    ] {
        let error = read(&mut wire, uri).await["error"].clone();
        assert_eq!((&error["code"], &error["data"]), (&json!(-32602), &json!({"uri": uri})), "{uri}");
        assert!(error["message"].as_str().unwrap().contains(hint), "{error}");
    }
    let long = format!("test://template/{}/data", "a".repeat(10_000));
    let error = read(&mut wire, &long).await["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("too long"), "{}", error["message"]);
    for params in [json!({}), json!({"uri": 7}), json!({"uri": "test://static-text", "requestState": "forged"})] {
        assert_eq!(wire.ask("resources/read", params.clone()).await["error"]["code"], -32602, "{params}");
    }
}

#[tokio::test]
async fn no_value_of_a_variable_leads_out_of_its_directory() {
    let mut wire = Wire::new(&server());
    for uri in [
        "file:///srv/..",
        "file:///srv/../etc/passwd",
        "file:///srv/a/../../etc/passwd",
        "file:///srv/%2e%2e/etc/passwd",
        "file:///srv/%2E%2E%2Fetc%2Fpasswd",
        "file:///srv/.%2e/etc",
        "file:///srv/%252e%252e%252fetc%252fpasswd",
        "file:///srv//etc/passwd",
        "file:///srv/%2fetc%2fpasswd",
        "file:///srv/..%5c..%5cwindows",
        "file:///srv/%5c%5chost%5cshare",
        "file:///srv/C:/windows",
        "file:///srv/C%3A%5Cwindows",
        "file:///srv/a%00.txt",
        "file:///srv/a%0a",
        "file:///srv/%ff%fe",
        "file:///srv/.",
        "test://template/../data",
        "test://template/%2e%2e%2f%2e%2e/data",
        "numbers://1?base=../x",
    ] {
        let error = read(&mut wire, uri).await["error"].clone();
        assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32602), &json!(uri)), "{uri}");
    }
    for uri in ["file:///srv/a..b", "file:///srv/.hidden", "file:///srv/..a/b..", "file:///srv/100%25"] {
        assert!(read(&mut wire, uri).await["result"].is_object(), "{uri}");
    }
}

#[tokio::test]
async fn failures_and_panics_reach_the_client_as_incidents_only() {
    let server = Server::new("bad", "1.0.0")
        .resource(Resource::builder("bad://io", "io").read(|_| async {
            let text = std::fs::read_to_string("/nonexistent/secret")?;
            Ok::<_, RequestError>(text)
        }))
        .resource(Resource::builder("bad://panic", "panic").read(|_| async {
            assert!(std::env::args().count() == 0, "secret");
            ""
        }))
        .resource(Resource::builder("bad://early", "early").read(|_| {
            assert!(std::env::args().count() == 0, "secret");
            async { "" }
        }))
        .resource(
            Resource::builder("bad://own", "own")
                .read(|_| async { Err::<String, _>(ProtocolError::new(-1, "Mine.").data(json!({"a": 1}))) }),
        )
        .build()
        .unwrap();
    let mut wire = Wire::new(&server);
    for uri in ["bad://io", "bad://panic", "bad://early"] {
        let error = read(&mut wire, uri).await["error"].clone();
        assert_eq!(error["code"], -32603, "{uri}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("incident") && message.contains(uri), "{message}");
        assert!(!message.contains("secret") && !message.contains("No such file"), "{message}");
    }
    let error = read(&mut wire, "bad://own").await["error"].clone();
    assert_eq!(error, json!({"code": -1, "message": "Mine.", "data": {"a": 1}}));
}

#[tokio::test]
async fn a_reader_reports_progress_logs_and_ends_with_its_client() {
    struct OnDrop(Arc<Notify>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let (started, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let watch = (Arc::clone(&started), Arc::clone(&dropped));
    let server = Server::new("slow", "1.0.0")
        .resource(Resource::builder("slow://steps", "steps").logs().read(|context| async move {
            context.progress(1.0, Some(2.0));
            context.log(LogLevel::Info, "half");
            format!("{} {}", context.method(), context.name())
        }))
        .resource(Resource::builder("slow://ever", "ever").read(move |_| {
            let (started, dropped) = watch.clone();
            async move {
                let _guard = OnDrop(dropped);
                started.notify_one();
                std::future::pending::<()>().await;
                ""
            }
        }))
        .build()
        .unwrap();
    let mut wire = Wire::new(&server);
    assert!(wire.ask("server/discover", json!({})).await["result"]["capabilities"]["logging"].is_object());
    let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "debug"});
    let progress = wire.ask("resources/read", json!({"uri": "slow://steps", "_meta": meta})).await;
    assert_eq!(progress["params"], json!({"progressToken": "p", "progress": 1, "total": 2}));
    assert_eq!(wire.recv().await["params"], json!({"level": "info", "logger": "slow://steps", "data": "half"}));
    assert_eq!(wire.recv().await["result"]["contents"][0]["text"], "resources/read slow://steps");

    wire.send(request(7, "resources/read", json!({"uri": "slow://ever"}))).await;
    started.notified().await;
    wire.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#).await;
    tokio::time::timeout(Duration::from_secs(10), dropped.notified()).await.expect("the reader is dropped");
    assert_eq!(read(&mut wire, "slow://steps").await["id"], 1, "nothing was sent for the cancelled one");
}

#[tokio::test]
async fn a_needed_capability_is_checked_before_the_read() {
    let server = Server::new("needy", "1.0.0")
        .resource(Resource::builder("needy://a", "a").needs(Capability::Sampling).read(|_| async { "" }))
        .build()
        .unwrap();
    let mut wire = Wire::new(&server);
    let error = read(&mut wire, "needy://a").await["error"].clone();
    assert_eq!((&error["code"], &error["data"]), (&json!(-32021), &json!({"requiredCapabilities": {"sampling": {}}})));
}

#[test]
fn what_is_wrong_with_resources_is_told_with_all_the_rest() {
    let resource = |uri: &str| Resource::builder(uri, "a").read(|_| async { "" });
    let template = |uri: &str| ResourceTemplate::builder(uri, "a").read(|_, _| async { "" });
    let error = Server::new("bad", "1.0.0")
        .tool(Tool::builder("has space").handler(|_: Arguments, _: Context| async { "" }))
        .resource(resource("test://a"))
        .resource(resource("test://a"))
        .resource(resource("no-scheme"))
        .resource(resource("test://a b"))
        .resource(Resource::builder("test://nameless", "").priority(2.0).read(|_| async { "" }))
        .resource_template(template("test://{a}"))
        .resource_template(template("test://{a}"))
        .resource_template(template("test://{a}{b}"))
        .resource_template(template("test://fixed"))
        .resource_template(
            ResourceTemplate::builder("test://x/{a}", "x")
                .any_value("b")
                .complete("c", |_, _| async { Vec::<String>::new() })
                .read(|_, _| async { "" }),
        )
        .build()
        .expect_err("it must not build");
    let found: Vec<_> = error.problems().iter().map(|p| (p.subject.as_str(), p.rule.as_str())).collect();
    assert_eq!(
        found,
        [
            ("has space", "name"),
            ("test://a", "duplicate_uri"),
            ("no-scheme", "uri"),
            ("test://a b", "uri"),
            ("test://nameless", "name"),
            ("test://nameless", "annotations"),
            ("test://{a}", "duplicate_uri"),
            ("test://{a}{b}", "uri_template"),
            ("test://fixed", "uri_template"),
            ("test://x/{a}", "variable"),
            ("test://x/{a}", "variable"),
        ],
        "{error}"
    );
    assert!(error.problems()[1].source.contains("resources.rs:"), "{error}");
}
