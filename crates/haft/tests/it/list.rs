//! Lists: order, pages, caching.

use std::num::NonZeroUsize;
use std::time::Duration;

use haft::prelude::*;
use haft::{CacheScope, Client};
use serde_json::{Value, json};

use crate::wire::Wire;

fn many(count: usize) -> haft::ServerBuilder {
    (0..count).fold(Server::new("many", "1.0.0"), |server, n| {
        // Not in alphabetical order: the order of registration is what counts.
        let name = format!("tool_{:04}", (n * 7919) % count);
        let tool = Tool::builder(name)
            .description("Use this for a test.")
            .input_schema(r#"{"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}}"#)
            .read_only(true)
            .handler(|_: Arguments, _: Context| async { "ok" });
        server.tool(tool)
    })
}

#[tokio::test]
async fn a_thousand_tools_come_page_by_page_in_order_and_with_equal_bytes() {
    let server = many(1000).page_size(NonZeroUsize::new(64).unwrap()).build().unwrap();
    let mut runs = Vec::new();
    for _ in 0..2 {
        let mut wire = Wire::new(&server);
        let (mut pages, mut names, mut cursor) = (Vec::new(), Vec::new(), Value::Null);
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            wire.send(crate::wire::request(1, "tools/list", params)).await;
            let bytes = wire.bytes().await;
            let page: Value = serde_json::from_slice(&bytes).unwrap();
            pages.push(bytes);
            let tools = page["result"]["tools"].as_array().unwrap();
            names.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
            match page["result"].get("nextCursor") {
                Some(next) => cursor = next.clone(),
                None => break,
            }
        }
        assert_eq!(pages.len(), 16);
        let expected: Vec<_> = (0..1000).map(|n| format!("tool_{:04}", (n * 7919) % 1000)).collect();
        assert_eq!(names, expected);
        runs.push(pages);
    }
    assert_eq!(runs[0], runs[1]);
    assert_eq!(Client::in_memory(&server).list_tools().await.unwrap().len(), 1000);
}

#[tokio::test]
async fn a_cursor_that_is_not_of_this_list_is_refused() {
    let page = NonZeroUsize::new(4).unwrap();
    let mut one = Wire::new(&many(10).page_size(page).build().unwrap());
    let mut other = Wire::new(&many(11).page_size(page).build().unwrap());
    let foreign = other.ask("tools/list", json!({})).await["result"]["nextCursor"].clone();
    for cursor in [json!(""), json!("nope"), json!(7), foreign] {
        let answer = one.ask("tools/list", json!({"cursor": cursor})).await;
        assert_eq!(answer["error"]["code"], -32602, "{cursor}");
    }
}

#[tokio::test]
async fn hints_for_caches_are_on_every_page_and_can_be_set() {
    let default = many(3).build().unwrap();
    let set = many(3)
        .page_size(NonZeroUsize::new(2).unwrap())
        .list_ttl(Duration::from_secs(5))
        .cache_scope(CacheScope::Private)
        .build()
        .unwrap();
    for (server, ttl, scope) in [(default, 300_000, "public"), (set, 5_000, "private")] {
        let mut wire = Wire::new(&server);
        let first = wire.ask("tools/list", json!({})).await;
        let mut answers = vec![wire.ask("server/discover", json!({})).await, first.clone()];
        if let Some(cursor) = first["result"].get("nextCursor") {
            answers.push(wire.ask("tools/list", json!({"cursor": cursor})).await);
        }
        for answer in answers {
            assert_eq!((&answer["result"]["ttlMs"], &answer["result"]["cacheScope"]), (&json!(ttl), &json!(scope)));
        }
    }
}

#[tokio::test]
async fn a_server_without_tools_lists_none_and_declares_none() {
    let mut wire = Wire::new(&Server::new("none", "1.0.0").build().unwrap());
    assert_eq!(wire.ask("server/discover", json!({})).await["result"]["capabilities"], json!({}));
    assert_eq!(wire.ask("tools/list", json!({})).await["result"]["tools"], json!([]));
}
