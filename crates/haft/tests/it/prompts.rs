//! Prompts: listed, filled in, refused.

use std::num::NonZeroUsize;

use haft::PromptMessage;
use haft::prelude::*;
use serde_json::{Value, json};

use crate::wire::Wire;

/// The prompts that the conformance suite asks for, and some that show the rest.
pub(crate) fn all() -> haft::ServerBuilder {
    Server::new("prompts", "1.0.0")
        .prompt(
            Prompt::builder("test_simple_prompt")
                .title("Simple")
                .description("A prompt without arguments.")
                .icon(haft::Icon::new("https://example.com/i.png"))
                .meta("com.example/x", 1)
                .handler(|_, _| async { "This is a simple prompt for testing." }),
        )
        .prompt(
            Prompt::builder("test_prompt_with_arguments")
                .description("A prompt with arguments.")
                .required("arg1", "First test argument")
                .required("arg2", "Second test argument")
                .optional("tone", "")
                .complete("arg1", |partial, _| async move { partial.filter(["test one", "a test", "other"]) })
                .handler(|params, _| async move {
                    let (one, two) = (params.text("arg1"), params.text("arg2"));
                    format!("Prompt with arguments: arg1='{one}', arg2='{two}'{}", params.text("tone"))
                }),
        )
        .prompt(
            Prompt::builder("test_prompt_with_embedded_resource")
                .description("A prompt with a resource.")
                .required("resourceUri", "URI of the resource to embed")
                .handler(|params, _| async move {
                    let text = "Embedded resource content for testing.";
                    vec![
                        PromptMessage::user(Content::resource_text(params.text("resourceUri"), "text/plain", text)),
                        PromptMessage::user("Please process the embedded resource above."),
                        PromptMessage::assistant("I will."),
                    ]
                }),
        )
        .prompt(
            Prompt::builder("test_prompt_with_image")
                .description("A prompt with a picture.")
                .handler(|_, _| async { Content::image([1, 2, 3], "image/png") }),
        )
        .prompt(Prompt::builder("counts").required("n", "How many").handler(|params, context| async move {
            let n: usize = params.parse("n")?;
            Ok::<_, RequestError>(format!("{} {} {}", context.method(), context.name(), "x".repeat(n)))
        }))
}

async fn get(wire: &mut Wire, name: &str, arguments: Value) -> Value {
    wire.ask("prompts/get", json!({"name": name, "arguments": arguments})).await
}

#[tokio::test]
async fn the_list_has_what_was_added_in_its_order_page_by_page() {
    let mut wire = Wire::new(&all().page_size(NonZeroUsize::new(2).unwrap()).build().unwrap());
    let first = wire.ask("prompts/list", json!({})).await["result"].clone();
    assert_eq!(
        first["prompts"],
        json!([
            {
                "name": "test_simple_prompt", "title": "Simple", "description": "A prompt without arguments.",
                "icons": [{"src": "https://example.com/i.png"}], "_meta": {"com.example/x": 1},
            },
            {
                "name": "test_prompt_with_arguments", "description": "A prompt with arguments.",
                "arguments": [
                    {"name": "arg1", "description": "First test argument", "required": true},
                    {"name": "arg2", "description": "Second test argument", "required": true},
                    {"name": "tone", "required": false},
                ],
            },
        ])
    );
    let second = wire.ask("prompts/list", json!({"cursor": first["nextCursor"]})).await["result"].clone();
    assert_eq!(second["prompts"].as_array().unwrap().len(), 2);
    let error = wire.ask("prompts/list", json!({"cursor": "nope"})).await["error"].clone();
    assert_eq!(error["code"], -32602);
    let capabilities = wire.ask("server/discover", json!({})).await["result"]["capabilities"].clone();
    assert_eq!(capabilities, json!({"prompts": {}, "completions": {}}));
}

#[tokio::test]
async fn each_kind_of_return_value_gives_its_messages() {
    let mut wire = Wire::new(&all().build().unwrap());
    let text = |text: &str| json!({"role": "user", "content": {"type": "text", "text": text}});
    for (name, arguments, messages) in [
        ("test_simple_prompt", json!({}), json!([text("This is a simple prompt for testing.")])),
        (
            "test_prompt_with_arguments",
            json!({"arg1": "hello", "arg2": "world", "tone": null}),
            json!([text("Prompt with arguments: arg1='hello', arg2='world'")]),
        ),
        (
            "test_prompt_with_embedded_resource",
            json!({"resourceUri": "test://x"}),
            json!([
                {"role": "user", "content": {"type": "resource", "resource": {
                    "uri": "test://x", "mimeType": "text/plain", "text": "Embedded resource content for testing."}}},
                text("Please process the embedded resource above."),
                {"role": "assistant", "content": {"type": "text", "text": "I will."}},
            ]),
        ),
        (
            "test_prompt_with_image",
            json!(null),
            json!([{"role": "user", "content": {"type": "image", "data": "AQID", "mimeType": "image/png"}}]),
        ),
        ("counts", json!({"n": "3"}), json!([text("prompts/get counts xxx")])),
    ] {
        let result = get(&mut wire, name, arguments).await["result"].clone();
        assert_eq!(result["messages"], messages, "{name}");
        assert_eq!(result["resultType"], "complete");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "prompts");
    }
    let result = wire.ask("prompts/get", json!({"name": "test_simple_prompt"})).await["result"].clone();
    assert_eq!(result["description"], "A prompt without arguments.");
}

#[tokio::test]
async fn wrong_arguments_are_all_named() {
    let mut wire = Wire::new(&all().build().unwrap());
    for (name, arguments, hints) in [
        ("test_prompt_with_arguments", json!({}), vec!["`arg1` is missing (First test argument)", "`arg2` is missing"]),
        ("test_prompt_with_arguments", json!({"arg1": null, "arg2": "x"}), vec!["`arg1` is missing"]),
        ("test_prompt_with_arguments", json!({"arg1": 7, "arg2": "x"}), vec!["`arg1` must be a string"]),
        (
            "test_prompt_with_arguments",
            json!({"arg1": "x", "arg2": "y", "tune": "z"}),
            vec!["`tune` is unknown; did you mean `tone`?", "arg1, arg2, tone"],
        ),
        ("test_simple_prompt", json!({"x": "y"}), vec!["`x` is unknown (known arguments: none)"]),
        ("test_simple_prompt", json!([1]), vec!["params.arguments must be an object"]),
        ("counts", json!({"n": "many"}), vec!["counts", "`n` can't be read"]),
        ("test_simple_promt", json!({}), vec!["Unknown prompt: test_simple_promt; did you mean test_simple_prompt?"]),
        ("zzz", json!({}), vec!["Unknown prompt: zzz; prompts/list"]),
    ] {
        let error = get(&mut wire, name, arguments.clone()).await["error"].clone();
        assert_eq!(error["code"], -32602, "{name} {arguments}");
        let message = error["message"].as_str().unwrap();
        assert!(hints.iter().all(|hint| message.contains(hint)), "{message}");
        assert_eq!(message.matches("arg1` ").count(), usize::from(hints[0].contains("arg1")), "{message}");
    }
    for params in [json!({}), json!({"name": 7}), json!({"name": "test_simple_prompt", "requestState": "forged"})] {
        assert_eq!(wire.ask("prompts/get", params.clone()).await["error"]["code"], -32602, "{params}");
    }
    let lenient = all().unknown_arguments(UnknownArguments::Ignore).build().unwrap();
    assert!(get(&mut Wire::new(&lenient), "test_simple_prompt", json!({"x": 1})).await["result"].is_object());
}

#[tokio::test]
async fn failures_and_panics_reach_the_client_as_incidents_only() {
    let server = Server::new("bad", "1.0.0")
        .prompt(Prompt::builder("internal").handler(|_, _| async {
            let text = std::fs::read_to_string("/nonexistent/secret")?;
            Ok::<_, RequestError>(text)
        }))
        .prompt(Prompt::builder("panics").handler(|_, _| async {
            assert!(std::env::args().count() == 0, "secret");
            ""
        }))
        .prompt(Prompt::builder("says").handler(|_, _| async { Err::<String, _>(ToolError::new("Ask for less.")) }))
        .build()
        .unwrap();
    let mut wire = Wire::new(&server);
    for name in ["internal", "panics"] {
        let error = get(&mut wire, name, json!({})).await["error"].clone();
        assert_eq!(error["code"], -32603);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("incident") && !message.contains("secret"), "{message}");
    }
    let error = get(&mut wire, "says", json!({})).await["error"].clone();
    assert_eq!(error, json!({"code": -32602, "message": "Ask for less."}));
}

#[test]
fn what_is_wrong_with_prompts_is_told_at_once() {
    let error = Server::new("bad", "1.0.0")
        .prompt(Prompt::builder("a").handler(|_, _| async { "" }))
        .prompt(Prompt::builder("a").handler(|_, _| async { "" }))
        .prompt(Prompt::builder("has space").handler(|_, _| async { "" }))
        .prompt(
            Prompt::builder("b")
                .required("x", "")
                .optional("x", "")
                .required("a b", "")
                .complete("y", |_, _| async { Vec::<String>::new() })
                .icon(haft::Icon::new("http://example.com"))
                .meta("no key", 1)
                .handler(|_, _| async { "" }),
        )
        .build()
        .expect_err("it must not build");
    let found: Vec<_> = error.problems().iter().map(|p| (p.subject.as_str(), p.rule.as_str())).collect();
    assert_eq!(
        found,
        [
            ("a", "duplicate_name"),
            ("has space", "name"),
            ("b", "icon"),
            ("b", "meta"),
            ("b", "argument"),
            ("b", "argument"),
            ("b", "argument"),
        ],
        "{error}"
    );
}
