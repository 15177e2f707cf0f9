//! Frames that are odd or wrong, and what every request has to carry.

use haft::prelude::*;
use serde_json::{Value, json};

use crate::wire::{Wire, request};

/// Use this to get a text back.
#[tool(read_only, closed_world)]
async fn echo(text: String) -> String {
    text
}

fn server() -> Server {
    Server::new("test", "1.0.0").tool(echo::tool()).build().unwrap()
}

async fn answer(frame: &str) -> Value {
    let mut wire = Wire::new(&server());
    wire.send(frame).await;
    wire.recv().await
}

#[tokio::test]
async fn a_frame_that_is_no_message_is_answered_and_the_connection_lives_on() {
    let mut wire = Wire::new(&server());
    for (frame, code) in
        [("not json", -32700), ("[]", -32600), ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}", -32600)]
    {
        wire.send(frame).await;
        let answer = wire.recv().await;
        assert_eq!(answer["error"]["code"], code, "{frame}");
        assert!(answer.get("id").is_none(), "{answer}");
    }
    assert_eq!(wire.call("echo", json!({"text": "hi"})).await["result"]["content"][0]["text"], "hi");
}

#[tokio::test]
async fn a_request_without_the_required_meta_is_told_what_is_missing() {
    let answer = answer(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    for key in ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"] {
        assert!(message.contains(key), "{message}");
    }
}

#[tokio::test]
async fn another_protocol_version_is_refused_with_those_that_are_spoken() {
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let error = &answer(frame).await["error"];
    assert_eq!(error["code"], -32022);
    assert_eq!(error["data"], json!({"supported": ["2026-07-28"], "requested": "1900-01-01"}));
}

#[tokio::test]
async fn an_old_client_of_a_server_without_sessions_is_told_the_versions() {
    let mut wire = Wire::new(&Server::new("test", "1.0.0").tool(echo::tool()).legacy(false).build().unwrap());
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    wire.send(frame).await;
    let error = &wire.recv().await["error"];
    assert_eq!(error["code"], -32022);
    assert!(error["message"].as_str().unwrap().contains("2026-07-28"));
    assert_eq!(error["data"]["requested"], "2025-11-25");
}

#[tokio::test]
async fn unknown_methods_and_methods_of_undeclared_capabilities_are_not_found() {
    let mut wire = Wire::new(&server());
    for method in ["nope", "resources/list", "prompts/list", "logging/setLevel", "ping"] {
        let answer = wire.ask(method, json!({})).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(method));
    }
}

#[tokio::test]
async fn a_malformed_call_is_a_protocol_error_that_says_what_to_send() {
    let mut wire = Wire::new(&server());
    for (params, hint) in [
        (json!({}), "name"),
        (json!({"name": 5}), "name"),
        (json!({"name": "echo", "arguments": ["hi"]}), "object"),
        (json!({"name": "echo", "arguments": "hi"}), "object"),
        (json!({"name": "echo", "arguments": {"text": "hi"}, "requestState": "forged"}), "requestState"),
    ] {
        let answer = wire.ask("tools/call", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(hint), "{answer}");
    }
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_that_names_it_and_the_nearest_one() {
    let mut wire = Wire::new(&server());
    for name in ["Echo", "ecko"] {
        let answer = wire.call(name, json!({"text": "hi"})).await;
        assert_eq!(answer["error"]["code"], -32602);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(name) && message.contains("did you mean echo?"), "{message}");
    }
}

#[tokio::test]
async fn null_and_absent_arguments_are_none() {
    let mut wire = Wire::new(&server());
    let absent = wire.ask("tools/call", json!({"name": "echo"})).await;
    assert_eq!(absent, wire.call("echo", json!(null)).await);
    assert_eq!(absent, wire.call("echo", json!({})).await);
    assert_eq!(absent["result"]["isError"], true);
}

#[tokio::test]
async fn ids_come_back_as_they_were() {
    let mut wire = Wire::new(&server());
    for id in [json!(0), json!(-7), json!(""), json!("1"), json!(1), json!(9_007_199_254_740_993_i64), json!(i64::MIN)]
    {
        wire.send(request(id.clone(), "tools/list", json!({}))).await;
        assert_eq!(wire.recv().await["id"], id);
    }
}

#[tokio::test]
async fn every_result_says_who_answered() {
    let mut wire = Wire::new(&server());
    for answer in [
        wire.ask("server/discover", json!({})).await,
        wire.ask("tools/list", json!({})).await,
        wire.call("echo", json!({"text": "hi"})).await,
        wire.call("echo", json!({})).await,
    ] {
        let info = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(info, &json!({"name": "test", "version": "1.0.0"}), "{answer}");
        assert_eq!(answer["result"]["resultType"], "complete");
    }
}
