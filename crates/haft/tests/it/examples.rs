//! The examples of this repository: what they publish, and what a client gets from them.

use haft::Client;
use haft_schema::portable;
use serde_json::{Value, json};

#[path = "../../../../examples/fixture.rs"]
#[expect(dead_code, reason = "their `main` is for `cargo run`")]
mod fixture;
#[path = "../../../../examples/notes.rs"]
#[expect(dead_code, reason = "their `main` is for `cargo run`")]
mod notes;
#[path = "../../../../examples/orders.rs"]
#[expect(dead_code, reason = "their `main` is for `cargo run`")]
mod orders;
#[path = "../../../../examples/weather.rs"]
#[expect(dead_code, reason = "their `main` is for `cargo run`")]
mod weather;

/// The profile that all hosts take, rule by rule.
#[tokio::test]
async fn every_definition_keeps_to_the_portable_profile() {
    let servers = [fixture::server(), orders::server(), weather::server()];
    let mut seen = 0;
    for server in servers.map(Result::unwrap) {
        let tools = Client::in_memory(&server).list_tools().await.unwrap();
        assert!(tools.len() <= 20, "no more than 20 tools");
        for tool in tools {
            let name = &tool.name;
            assert_eq!(portable::tool_name(name), Ok(()), "{name}");
            assert_eq!(portable::description(tool.description.as_deref().unwrap_or_default()), Ok(()), "{name}");
            let hints = tool.annotations.as_ref().expect("annotations");
            assert_eq!(hints.title, tool.title, "{name}: both titles are equal");
            assert!(tool.title.is_some(), "{name}: a title");
            for hint in [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint] {
                assert!(hint.is_some(), "{name}: all four hints");
            }
            assert_eq!(portable::input_size(tool.input_schema.get()), Ok(()), "{name}");
            let input: Value = serde_json::from_str(tool.input_schema.get()).unwrap();
            assert_eq!(portable::input_schema(&input), [], "{name}");
            for (argument, schema) in input["properties"].as_object().unwrap() {
                assert_eq!(portable::argument_name(argument), Ok(()), "{name}");
                assert!(schema["description"].is_string(), "{name}: {argument} is described");
            }
            if let Some(output) = &tool.output_schema {
                let output: Value = serde_json::from_str(output.get()).unwrap();
                assert_eq!(portable::output_schema(&output), [], "{name}");
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 7);
}

#[tokio::test]
async fn weather_answers_with_a_sentence_and_data() {
    let client = Client::in_memory(&weather::server().unwrap());
    let result = client.call("get_weather_data", json!({"location": "Toronto"})).await.unwrap().result;
    assert_eq!(result.text(), "Toronto: 18.5 °C, partly cloudy, humidity 62%");
    let structured = result.structured_content.unwrap();
    assert_eq!(structured.get(), r#"{"temperature":18.5,"conditions":"partly cloudy","humidity":62.0}"#);
}

#[tokio::test]
async fn orders_are_found_cancelled_and_refused() {
    let client = Client::in_memory(&orders::server().unwrap());
    let call = async |tool: &str, id: &str| client.call(tool, json!({"order_id": id})).await.unwrap().result;
    let found = call("get_order", "A-1001").await;
    assert_eq!(found.structured_content.unwrap().get(), r#"{"order_id":"A-1001","status":"shipped"}"#);
    for _ in 0..2 {
        let cancelled = call("cancel_order", "A-1002").await;
        assert_eq!(cancelled.structured_content.unwrap().get(), r#"{"order_id":"A-1002","status":"canceled"}"#);
    }
    let no_order = "No order A-4242. Ask the user to check the ID on their receipt.";
    let shipped = "A-1001 has already shipped and can't be canceled. Offer a return instead.";
    for (tool, id, text) in
        [("get_order", "A-4242", no_order), ("cancel_order", "A-4242", no_order), ("cancel_order", "A-1001", shipped)]
    {
        let refused = call(tool, id).await;
        assert_eq!((refused.text().as_str(), refused.is_error), (text, Some(true)));
    }
    // Refusing did not create it.
    assert_eq!(call("get_order", "A-4242").await.is_error, Some(true));
}

#[tokio::test]
async fn notes_are_read_filled_in_and_completed() {
    let server = notes::server().unwrap();
    let index = server.read_resource("notes://index").await.unwrap();
    assert_eq!(serde_json::to_value(&index.contents).unwrap()[0]["text"], "- notes://holiday\n- notes://shopping\n");
    let note = server.read_resource("notes://shopping").await.unwrap();
    assert_eq!(serde_json::to_value(&note.contents).unwrap()[0]["mimeType"], "text/plain");
    assert_eq!(server.read_resource("notes://nothing").await.unwrap_err().code(), -32602);
    assert_eq!(server.complete_prompt("summarize", "note", "s").await.unwrap().values, ["shopping"]);
    assert_eq!(server.complete_resource("notes://{name}", "name", "LI").await.unwrap().values, ["holiday"]);
    let prompt = server.get_prompt("summarize", [("note", "holiday"), ("words", "9")]).await.unwrap();
    let messages = serde_json::to_value(&prompt.messages).unwrap();
    assert_eq!(messages[0]["content"]["resource"]["uri"], "notes://holiday");
    assert_eq!(messages[1]["content"]["text"], "Summarize this note in at most 9 words.");
    assert!(server.get_prompt("summarize", [("note", "nothing")]).await.unwrap_err().message().contains("`note`"));
}
