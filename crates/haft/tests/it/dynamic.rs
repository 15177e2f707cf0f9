//! Tools that come, change and go while the server runs.

use std::num::NonZeroUsize;
use std::sync::Arc;

use haft::prelude::*;
use haft::{ChangeError, Client};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::specification::Specification;
use crate::wire::{Wire, request, text};

/// A tool that answers with `says`, and publishes it as its description.
pub(crate) fn tool(name: &str, says: &'static str) -> Tool {
    Tool::builder(name)
        .description(says)
        .input_schema(r#"{"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}}"#)
        .read_only(true)
        .handler(move |_: Arguments, _: Context| async move { says })
}

pub(crate) fn dynamic(tools: &[&str]) -> haft::ServerBuilder {
    tools.iter().fold(Server::new("dynamic", "1.0.0").dynamic_tools(), |server, name| server.tool(tool(name, "old")))
}

async fn list(server: &Server) -> Vec<Value> {
    let answer = Wire::new(server).ask("tools/list", json!({})).await;
    answer["result"]["tools"].as_array().unwrap().clone()
}

async fn names(server: &Server) -> Vec<String> {
    list(server).await.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn additions_come_last_and_a_replaced_tool_keeps_its_place() {
    let server = dynamic(&["b", "c", "a"]).build().unwrap();
    let handle = server.handle();
    handle.add_tool(tool("0", "new")).unwrap();
    handle.replace_tool(tool("c", "new")).unwrap();
    assert!(handle.remove_tool("b").unwrap());
    assert!(!handle.remove_tool("b").unwrap());
    handle.add_tools([tool("b", "new"), tool("z", "new")]).unwrap();
    assert_eq!(names(&server).await, ["c", "a", "0", "b", "z"]);
    for (name, says) in [("c", "new"), ("a", "old"), ("b", "new")] {
        assert_eq!(server.call_tool(name, json!({})).await.unwrap().text(), says);
    }
}

#[tokio::test]
async fn the_list_has_the_bytes_of_a_server_that_is_built_with_these_tools() {
    let built = dynamic(&["a", "b", "c"]).build().unwrap();
    let grown = dynamic(&["b"]).build().unwrap();
    grown.handle().remove_tool("b").unwrap();
    grown.handle().add_tools(["a", "b", "c"].map(|name| tool(name, "old"))).unwrap();
    let mut bytes = Vec::new();
    for server in [&built, &grown] {
        let mut wire = Wire::new(server);
        for method in ["server/discover", "tools/list"] {
            wire.send(request(1, method, json!({}))).await;
            bytes.push(wire.bytes().await);
        }
    }
    assert_eq!(bytes[..2], bytes[2..]);
}

#[tokio::test]
async fn a_cursor_of_the_list_as_it_was_is_refused() {
    let server = dynamic(&["a", "b", "c"]).page_size(NonZeroUsize::new(2).unwrap()).build().unwrap();
    let mut wire = Wire::new(&server);
    let old = wire.ask("tools/list", json!({})).await["result"]["nextCursor"].clone();
    server.handle().replace_tool(tool("a", "new")).unwrap();
    assert_eq!(wire.ask("tools/list", json!({"cursor": old})).await["error"]["code"], -32602);
    server.handle().add_tools([tool("d", "new"), tool("e", "new")]).unwrap();
    let mut pages = Vec::new();
    let mut cursor = json!({});
    loop {
        let page = wire.ask("tools/list", cursor).await["result"].clone();
        pages.push(page["tools"].as_array().unwrap().len());
        match page.get("nextCursor") {
            Some(next) => cursor = json!({"cursor": next}),
            None => break,
        }
    }
    assert_eq!(pages, [2, 2, 1]);
}

#[tokio::test]
async fn capabilities_say_so_from_the_start_and_never_change() {
    let server = dynamic(&[]).build().unwrap();
    let mut wire = Wire::new(&server);
    let before = wire.ask("server/discover", json!({})).await;
    assert_eq!(before["result"]["capabilities"], json!({"tools": {"listChanged": true}}));
    if let Some(specification) = Specification::load() {
        specification.hold("DiscoverResultResponse", &before);
    }
    server.handle().add_tool(tool("a", "new")).unwrap();
    assert_eq!(wire.ask("server/discover", json!({})).await, before);

    let fixed = Server::new("fixed", "1.0.0").tool(tool("a", "old")).build().unwrap();
    let handle = fixed.handle();
    let refused = [
        handle.add_tool(tool("b", "new")).unwrap_err(),
        handle.replace_tool(tool("a", "new")).unwrap_err(),
        handle.remove_tool("a").unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, ChangeError::Fixed), "{error}");
        assert!(error.to_string().contains("`dynamic_tools()`"), "{error}");
    }
    assert_eq!(names(&fixed).await, ["a"]);
    let capabilities = Wire::new(&fixed).ask("server/discover", json!({})).await["result"]["capabilities"].clone();
    assert_eq!(capabilities, json!({"tools": {}}));
}

#[tokio::test]
async fn an_addition_is_checked_as_build_would_and_all_or_nothing() {
    let server = dynamic(&["a"]).build().unwrap();
    let broken = Tool::builder("broken").input_schema(r#"{"type": "object", "$ref": "https://example.com/s"}"#);
    let error = server
        .handle()
        .add_tools([
            tool("b", "new"),
            tool("a", "again"),
            tool("c", "new"),
            tool("c", "again"),
            tool("has space", "new"),
            broken.handler(|_: Arguments, _: Context| async { "" }),
        ])
        .unwrap_err();
    let ChangeError::Refused(problems) = &error else { panic!("{error}") };
    let found: Vec<_> =
        problems.problems().iter().map(|problem| (problem.subject.as_str(), problem.rule.as_str())).collect();
    for expected in [("a", "duplicate_name"), ("c", "duplicate_name"), ("has space", "name")] {
        assert!(found.contains(&expected), "{expected:?} in {error}");
    }
    assert!(found.iter().any(|(tool, _)| *tool == "broken"), "{error}");
    assert!(error.to_string().starts_with("the tools cannot be changed: 4 problems\n- "), "{error}");
    assert_eq!(names(&server).await, ["a"]);

    let unknown = server.handle().replace_tool(tool("b", "new")).unwrap_err();
    assert!(matches!(&unknown, ChangeError::Unknown(name) if name == "b"), "{unknown}");
}

#[tokio::test]
async fn a_tool_cannot_bring_a_capability_that_was_not_declared() {
    /// Use this for a test.
    #[tool(read_only, closed_world, logs, embeds_resources)]
    async fn chatty() -> String {
        String::new()
    }
    let error = dynamic(&[]).build().unwrap().handle().add_tool(chatty::tool()).unwrap_err();
    assert!(error.to_string().contains("`logging`") && error.to_string().contains("`resources`"), "{error}");
    let declared = dynamic(&[]).tool(chatty::tool()).build().unwrap();
    declared.handle().remove_tool("chatty").unwrap();
    declared.handle().add_tool(chatty::tool()).unwrap();
}

#[tokio::test]
async fn settings_and_layers_of_the_builder_hold_for_additions() {
    /// Use this for a test.
    #[tool(read_only, closed_world)]
    async fn greet(name: String) -> String {
        format!("Hello, {name}!")
    }
    let calls = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let seen = Arc::clone(&calls);
    let server = dynamic(&[])
        .unknown_arguments(UnknownArguments::Ignore)
        .layer(tower_layer::layer_fn(move |service: haft::ToolService| {
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            service
        }))
        .build()
        .unwrap();
    server.handle().add_tool(greet::tool()).unwrap();
    assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 1);
    let result = server.call_tool("greet", json!({"name": "Ada", "toolCallId": "7"})).await.unwrap();
    assert_eq!(result.text(), "Hello, Ada!");
}

#[tokio::test]
async fn a_call_keeps_the_tool_that_it_began_with() {
    let (started, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = {
        let (started, go) = (Arc::clone(&started), Arc::clone(&go));
        Tool::builder("slow").input_schema(r#"{"type": "object"}"#).read_only(true).handler(
            move |_: Arguments, _: Context| {
                let (started, go) = (Arc::clone(&started), Arc::clone(&go));
                async move {
                    started.notify_one();
                    go.notified().await;
                    "old"
                }
            },
        )
    };
    let server = dynamic(&[]).tool(slow).build().unwrap();
    let mut wire = Wire::new(&server);
    wire.send(request(7, "tools/call", json!({"name": "slow"}))).await;
    started.notified().await;
    server.handle().replace_tool(tool("slow", "new")).unwrap();
    assert_eq!(text(&wire.call("slow", json!({})).await), "new");
    server.handle().remove_tool("slow").unwrap();
    assert_eq!(wire.call("slow", json!({})).await["error"]["code"], -32602);
    go.notify_one();
    let answer = wire.recv().await;
    assert_eq!((&answer["id"], text(&answer)), (&json!(7), "old"));
    // The last that held it was the call.
    assert_eq!(Arc::strong_count(&go), 1);
}

#[tokio::test]
async fn a_running_tool_can_change_the_tools_of_its_server() {
    /// Use this for a test.
    #[tool(destructive, closed_world)]
    async fn renew(ctx: Context) -> Result<String, ToolError> {
        ctx.server().remove_tool("renew")?;
        ctx.server().add_tool(tool("fresh", "new"))?;
        Ok("Renewed.".to_owned())
    }
    let server = dynamic(&[]).tool(renew::tool()).build().unwrap();
    let client = Client::in_memory(&server);
    assert_eq!(client.call("renew", json!({})).await.unwrap().text(), "Renewed.");
    assert_eq!(client.refresh_tools().await.unwrap().tools[0].name, "fresh");
}

#[tokio::test]
async fn a_handle_keeps_nothing_alive() {
    let held = Arc::new(());
    let server = dynamic(&[]).build().unwrap();
    let handle = server.handle();
    let holder = Tool::builder("holder").input_schema(r#"{"type": "object"}"#).handler({
        let (held, handle) = (Arc::clone(&held), handle.clone());
        move |_: Arguments, _: Context| {
            let _ = (&held, &handle);
            async { "" }
        }
    });
    handle.add_tool(holder).unwrap();
    assert_eq!(Arc::strong_count(&held), 2);
    drop(server);
    assert_eq!(Arc::strong_count(&held), 1);
    assert!(matches!(handle.add_tool(tool("a", "new")), Err(ChangeError::Gone)));
    handle.resources_changed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_from_many_threads_are_all_there_and_every_list_is_whole() {
    let server = dynamic(&["first"]).build().unwrap();
    let writers = (0..4).map(|writer| {
        let handle = server.handle();
        std::thread::spawn(move || {
            for n in 0..25 {
                handle.add_tool(tool(&format!("w{writer}_{n}"), "new")).unwrap();
                if n % 5 == 4 {
                    assert!(handle.remove_tool(&format!("w{writer}_{n}")).unwrap());
                }
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let mut last = 0;
    while writers.iter().any(|writer| !writer.is_finished()) {
        let names = names(&server).await;
        assert_eq!(names[0], "first");
        for writer in 0..4 {
            let own: Vec<_> = names.iter().filter_map(|name| name.strip_prefix(&format!("w{writer}_"))).collect();
            assert!(own.is_sorted_by_key(|n| n.parse::<u32>().unwrap()), "{own:?}");
        }
        last = last.max(names.len());
    }
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    assert_eq!(names(&server).await.len(), 1 + 4 * 20);
}
