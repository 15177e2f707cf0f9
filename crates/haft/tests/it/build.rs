//! What keeps a server from being built.

use haft::prelude::*;
use haft::{BuildError, Icon};

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn fine() -> String {
    String::new()
}

fn by_hand(name: &str, input: &str) -> Tool {
    Tool::builder(name).input_schema(input).handler(|_: Arguments, _: Context| async { "" })
}

fn problems(builder: haft::ServerBuilder) -> BuildError {
    builder.build().expect_err("it must not build")
}

#[test]
fn all_problems_are_reported_at_once_with_tool_and_place() {
    let error = problems(
        Server::new("bad", "1.0.0")
            .tool(fine::tool())
            .tool(fine::tool())
            .tool(by_hand("not_json", "{"))
            .tool(by_hand("array", "[]"))
            .tool(by_hand("rootless", r#"{"type": "string"}"#))
            .tool(by_hand("pattern", r#"{"type": "object", "properties": {"a": {"pattern": "("}}}"#))
            .tool(by_hand("remote", r#"{"type": "object", "$ref": "https://example.com/schema.json"}"#))
            .tool(by_hand("dialect", r#"{"type": "object", "$schema": "https://example.com/mine"}"#))
            .tool(by_hand("has space", r#"{"type": "object"}"#))
            .icon(Icon::new("http://example.com/icon.png"))
            .icon(Icon::new("javascript:alert(1)")),
    );
    let tools: Vec<_> = error.problems().iter().map(|problem| problem.subject.as_str()).collect();
    for tool in ["fine", "not_json", "array", "rootless", "pattern", "remote", "dialect", "has space"] {
        assert!(tools.contains(&tool), "{tool} in {error}");
    }
    assert_eq!(tools.iter().filter(|tool| tool.is_empty()).count(), 2, "{error}");
    let duplicate = error.problems().iter().find(|problem| problem.subject == "fine").unwrap();
    assert_eq!(duplicate.rule, "duplicate_name");
    assert!(duplicate.source.contains("build.rs:"), "{duplicate:?}");
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("the server cannot be built: {} problems\n- ", error.problems().len())),
        "{text}"
    );
}

#[test]
fn a_schema_by_hand_is_published_byte_for_byte_and_enforced() {
    let schema = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema",  "type":"object","$defs":{"id":{"$anchor":"id","type":"string","pattern":"^A"}},"properties":{"id":{"$ref":"#id"}},"oneOf":[{"required":["id"]}]}"##;
    let server = Server::new("hand", "1.0.0").tool(by_hand("hand", schema)).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let tools = haft::Client::in_memory(&server).list_tools().await.unwrap();
        assert_eq!(tools[0].input_schema.get(), schema);
        let refused = server.call_tool("hand", serde_json::json!({"id": "B"})).await.unwrap();
        assert!(refused.text().contains("/id") && refused.text().contains("^A"), "{}", refused.text());
        assert_eq!(server.call_tool("hand", serde_json::json!({"id": "A"})).await.unwrap().is_error, Some(false));
    });
}

#[test]
fn types_that_cannot_be_portable_say_what_to_write_instead() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Tree {
        children: Vec<Tree>,
    }
    /// Use this for a test.
    #[tool(read_only, closed_world)]
    async fn pair(pair: (i32, String), wide: u128, holes: Vec<Option<i32>>, tree: Tree) -> Vec<i32> {
        drop((pair, wide, holes, tree));
        Vec::new()
    }
    let error = problems(Server::new("bad", "1.0.0").tool(pair::tool()));
    let text = error.to_string();
    for parameter in ["`pair`", "`wide`", "holes", "`Tree`"] {
        assert!(error.problems().iter().any(|problem| problem.message.contains(parameter)), "{parameter} in {text}");
    }
    assert!(error.problems().iter().any(|problem| problem.rule == "portable_output"), "{text}");
}

#[test]
fn headers_are_held_to_their_rules() {
    // Under other names, so that the macro can't know them.
    type Region = f64;
    type Shard = i64;
    /// Use this for a test.
    #[tool(read_only, closed_world)]
    async fn route(#[arg(header = "Region")] region: Region, #[arg(header = "Shard")] shard: Shard) -> String {
        format!("{region} {shard}")
    }
    let error = problems(Server::new("bad", "1.0.0").tool(route::tool()));
    assert!(error.to_string().contains("Region") || error.to_string().contains("region"), "{error}");
    assert!(error.to_string().contains("shard") || error.to_string().contains("Shard"), "{error}");
}
