//! Completion of arguments and variables.

use haft::Completions;
use haft::prelude::*;
use serde_json::{Value, json};

use crate::wire::Wire;

pub(crate) fn all() -> haft::ServerBuilder {
    let numbers = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
    let many = Prompt::builder("many")
        .optional("hundred", "")
        .optional("more", "")
        .optional("said", "")
        .optional("fails", "")
        .optional("depends", "")
        .optional("nothing", "")
        .complete("hundred", move |_, _| async move { numbers(100) })
        .complete("more", move |_, _| async move { numbers(250) })
        .complete("said", |_, _| async { Completions::new(["a"]).total(7) })
        .complete("fails", |_, _| async { Err::<Vec<String>, _>(RequestError::internal("secret")) })
        .complete("depends", |partial, _| async move {
            partial.filter(match partial.resolved().text("hundred") {
                "python" => ["flask", "django"],
                _ => ["axum", "actix"],
            })
        })
        .handler(|_, _| async { "" });
    crate::prompts::all().merge(crate::resources::all()).prompt(many)
}

async fn complete(wire: &mut Wire, reference: Value, name: &str, value: &str) -> Value {
    wire.ask("completion/complete", json!({"ref": reference, "argument": {"name": name, "value": value}})).await
}

fn prompt(name: &str) -> Value {
    json!({"type": "ref/prompt", "name": name})
}

#[tokio::test]
async fn values_are_ranked_counted_and_cut_at_a_hundred() {
    let mut wire = Wire::new(&all().build().unwrap());
    let template = json!({"type": "ref/resource", "uri": "test://template/{id}/data"});
    for (reference, name, value, expected) in [
        (
            prompt("test_prompt_with_arguments"),
            "arg1",
            "test",
            json!({"values": ["test one", "a test"], "total": 2, "hasMore": false}),
        ),
        (
            prompt("test_prompt_with_arguments"),
            "arg1",
            "TEST O",
            json!({"values": ["test one"], "total": 1, "hasMore": false}),
        ),
        (prompt("test_prompt_with_arguments"), "arg2", "x", json!({"values": [], "total": 0, "hasMore": false})),
        (template, "id", "12", json!({"values": ["123", "124"], "total": 2, "hasMore": false})),
        (prompt("many"), "said", "", json!({"values": ["a"], "total": 7, "hasMore": true})),
        (prompt("many"), "depends", "a", json!({"values": ["axum", "actix"], "total": 2, "hasMore": false})),
    ] {
        let result = complete(&mut wire, reference, name, value).await["result"].clone();
        assert_eq!(result["completion"], expected, "{name} {value}");
        assert_eq!(result["resultType"], "complete");
        assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
    }
    for (name, total, more) in [("hundred", 100, false), ("more", 250, true)] {
        let completion = complete(&mut wire, prompt("many"), name, "").await["result"]["completion"].clone();
        assert_eq!(completion["values"].as_array().unwrap().len(), 100);
        assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(total), &json!(more)));
    }
}

#[tokio::test]
async fn what_is_resolved_already_reaches_the_function() {
    let mut wire = Wire::new(&all().build().unwrap());
    let params = json!({
        "ref": prompt("many"),
        "argument": {"name": "depends", "value": "fla"},
        "context": {"arguments": {"hundred": "python", "unknown": "x"}},
    });
    let answer = wire.ask("completion/complete", params).await;
    assert_eq!(answer["result"]["completion"], json!({"values": ["flask"], "total": 1, "hasMore": false}));
}

#[tokio::test]
async fn unknown_references_and_arguments_are_refused() {
    let mut wire = Wire::new(&all().build().unwrap());
    for (reference, name, hint) in [
        (prompt("mani"), "said", "did you mean many?"),
        (prompt("many"), "sayd", "did you mean `said`?"),
        (json!({"type": "ref/resource", "uri": "test://template/{x}/data"}), "x", "resources/templates/list"),
        (json!({"type": "ref/resource", "uri": "test://template/{id}/data"}), "ident", "known arguments: id"),
        (json!({"type": "ref/resource", "uri": "test://static-text"}), "id", "known arguments: none"),
        (json!({"type": "ref/tool", "name": "x"}), "id", "params.ref must be"),
        (json!("many"), "id", "params.ref must be"),
    ] {
        let error = complete(&mut wire, reference.clone(), name, "").await["error"].clone();
        assert_eq!(error["code"], -32602, "{reference}");
        assert!(error["message"].as_str().unwrap().contains(hint), "{error}");
    }
    for params in [
        json!({}),
        json!({"ref": prompt("many")}),
        json!({"ref": prompt("many"), "argument": {"name": "said"}}),
        json!({"ref": prompt("many"), "argument": {"name": "said", "value": 7}}),
        json!({"ref": prompt("many"), "argument": {"name": "said", "value": ""}, "context": {"arguments": {"a": 1}}}),
    ] {
        assert_eq!(wire.ask("completion/complete", params.clone()).await["error"]["code"], -32602, "{params}");
    }
    let error = complete(&mut wire, prompt("many"), "fails", "").await["error"].clone();
    assert_eq!(error["code"], -32603);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("incident") && !message.contains("secret"), "{message}");
}

#[tokio::test]
async fn a_server_that_completes_nothing_does_not_know_the_method() {
    let server = Server::new("plain", "1.0.0")
        .prompt(Prompt::builder("a").optional("x", "").handler(|_, _| async { "" }))
        .build()
        .unwrap();
    let mut wire = Wire::new(&server);
    assert_eq!(complete(&mut wire, prompt("a"), "x", "").await["error"]["code"], -32601);
    assert_eq!(wire.ask("resources/list", json!({})).await["error"]["code"], -32601);
    let capabilities = wire.ask("server/discover", json!({})).await["result"]["capabilities"].clone();
    assert_eq!(capabilities, json!({"prompts": {}}));
}
