//! The `_meta` of requests, and the parameters beside it.

use haft_wire::{
    CallToolParams, ClientCapabilities, Implementation, ListParams, ListenParams, LogLevel, ReadResourceParams,
    RequestId, RequestMeta, WithMeta, encode, meta, method,
};
use serde_json::json;
use serde_json::value::RawValue;

fn raw(text: &str) -> Box<RawValue> {
    serde_json::from_str(text).unwrap()
}

fn read(meta: &str) -> Result<RequestMeta, String> {
    RequestMeta::read(Some(&raw(&format!(r#"{{"_meta":{meta},"name":"x"}}"#)))).map_err(|error| {
        assert_eq!(error.code, -32602);
        error.message
    })
}

#[test]
fn reads_every_key() {
    let read = read(
        r#"{
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1", "surprise": 1, "icons": [1, {"src": "https://e.com/i.png"}]},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}, "telepathy": 7, "extensions": {"e": {"n": 1.5}}},
            "io.modelcontextprotocol/logLevel": "warning",
            "progressToken": 7,
            "tracepare\u006et": "00-a-b-01",
            "tracestate": "v=1",
            "baggage": "k=v",
            "com.example/own": [1, {"a": null}],
            "io.modelcontextprotocol/later": null
        }"#,
    )
    .unwrap();
    assert_eq!(read.protocol_version.as_deref(), Some("2026-07-28"));
    let client = read.client_info.as_ref().unwrap();
    assert_eq!((client.name.as_str(), client.icons.len()), ("c", 1));
    let capabilities = read.client_capabilities.as_ref().unwrap();
    assert!(capabilities.elicits_urls() && !capabilities.elicits_forms());
    assert_eq!(capabilities.extensions.as_ref().unwrap()["e"]["n"].as_f64(), Some(1.5));
    assert_eq!(read.log_level, Some(LogLevel::Warning));
    assert_eq!(read.progress_token, Some(RequestId::from(7)));
    assert_eq!(read.traceparent.as_deref(), Some("00-a-b-01"));
    assert_eq!(read.tracestate.as_deref(), Some("v=1"));
    assert_eq!(read.baggage.as_deref(), Some("k=v"));
    assert_eq!(read.other.len(), 2);
    assert_eq!(read.other["com.example/own"], json!([1, {"a": null}]));
    assert_eq!(read.require().unwrap().0, "2026-07-28");
}

#[test]
fn nothing_there_is_nothing_read() {
    for params in [None, Some("{}"), Some(r#"{"_meta":null}"#), Some(r#"{"_meta":{}}"#)] {
        let params = params.map(raw);
        assert_eq!(RequestMeta::read(params.as_deref()), Ok(RequestMeta::default()));
    }
    assert_eq!(read(r#"{"progressToken":null,"io.modelcontextprotocol/clientInfo":null}"#), Ok(RequestMeta::default()));
}

#[test]
fn wrong_types_are_named() {
    for (meta, message) in [
        ("[1]", "params._meta must be an object, got an array"),
        ("\"x\"", "params._meta must be an object, got a string"),
        (
            r#"{"io.modelcontextprotocol/protocolVersion":20260728}"#,
            r#"params._meta["io.modelcontextprotocol/protocolVersion"] must be a string, got a number"#,
        ),
        (
            r#"{"io.modelcontextprotocol/clientInfo":"me"}"#,
            r#"params._meta["io.modelcontextprotocol/clientInfo"] must be an object with the strings `name` and `version`, got a string"#,
        ),
        (
            r#"{"io.modelcontextprotocol/clientInfo":{"name":"me"}}"#,
            r#"params._meta["io.modelcontextprotocol/clientInfo"] must be an object with the strings `name` and `version`, got another object"#,
        ),
        (
            r#"{"io.modelcontextprotocol/clientCapabilities":[]}"#,
            r#"params._meta["io.modelcontextprotocol/clientCapabilities"] must be an object that maps each capability to an object, got an array"#,
        ),
        (
            r#"{"io.modelcontextprotocol/clientCapabilities":{"elicitation":true}}"#,
            r#"params._meta["io.modelcontextprotocol/clientCapabilities"] must be an object that maps each capability to an object, got another object"#,
        ),
        (
            r#"{"io.modelcontextprotocol/clientCapabilities":{"sampling":[]}}"#,
            r#"params._meta["io.modelcontextprotocol/clientCapabilities"] must be an object that maps each capability to an object, got another object"#,
        ),
        (
            r#"{"io.modelcontextprotocol/clientInfo":["me","1"]}"#,
            r#"params._meta["io.modelcontextprotocol/clientInfo"] must be an object with the strings `name` and `version`, got an array"#,
        ),
        (
            r#"{"io.modelcontextprotocol/logLevel":"loud"}"#,
            r#"params._meta["io.modelcontextprotocol/logLevel"] must be a string, one of "debug", "info", "notice", "warning", "error", "critical", "alert" and "emergency", got another string"#,
        ),
        (
            r#"{"progressToken":1.5}"#,
            r#"params._meta["progressToken"] must be a string or an integer of 64 bits, got a number"#,
        ),
        (
            r#"{"progressToken":{}}"#,
            r#"params._meta["progressToken"] must be a string or an integer of 64 bits, got an object"#,
        ),
        (
            r#"{"progressToken":true}"#,
            r#"params._meta["progressToken"] must be a string or an integer of 64 bits, got a boolean"#,
        ),
        (r#"{"traceparent":1}"#, r#"params._meta["traceparent"] must be a string, got a number"#),
        (r#"{"baggage":{}}"#, r#"params._meta["baggage"] must be a string, got an object"#),
    ] {
        assert_eq!(read(meta), Err(message.to_owned()));
    }
}

#[test]
fn every_missing_key_is_named() {
    let error = RequestMeta::default().require().unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (
            -32602,
            "params._meta lacks \"io.modelcontextprotocol/protocolVersion\" and \
             \"io.modelcontextprotocol/clientCapabilities\"; send both with every request"
        )
    );
    let some = RequestMeta { protocol_version: Some("1".into()), ..RequestMeta::default() };
    assert_eq!(
        some.require().unwrap_err().message,
        "params._meta lacks \"io.modelcontextprotocol/clientCapabilities\"; send it with every request"
    );
}

#[test]
fn capabilities_without_a_mode_mean_forms() {
    for (text, forms, urls) in [
        ("{}", false, false),
        (r#"{"elicitation":{}}"#, true, false),
        (r#"{"elicitation":{"form":{}}}"#, true, false),
        (r#"{"elicitation":{"url":{}}}"#, false, true),
        (r#"{"elicitation":{"url":{},"form":{}}}"#, true, true),
        (r#"{"elicitation":null}"#, false, false),
    ] {
        let capabilities: ClientCapabilities = serde_json::from_str(text).unwrap();
        assert_eq!((capabilities.elicits_forms(), capabilities.elicits_urls()), (forms, urls), "{text}");
    }
}

#[test]
fn bytes_of_a_request_with_its_meta() {
    let meta = RequestMeta {
        protocol_version: Some("2026-07-28".into()),
        client_info: Some(Implementation::new("c", "1")),
        client_capabilities: Some(ClientCapabilities::default()),
        log_level: Some(LogLevel::Info),
        progress_token: Some("p".into()),
        other: [("z".to_owned(), json!({"b": 1, "a": 2})), ("m".to_owned(), json!(1))].into_iter().collect(),
        ..RequestMeta::default()
    };
    let mut params = CallToolParams::new("add");
    params.arguments = Some(raw(r#"{"a":123456789012345678901}"#));
    let bytes =
        encode::request(&1.into(), method::TOOLS_CALL, Some(&WithMeta { meta: &meta, params: &params })).unwrap();
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"#,
            r#""io.modelcontextprotocol/clientCapabilities":{},"#,
            r#""io.modelcontextprotocol/logLevel":"info","progressToken":"p","m":1,"z":{"a":2,"b":1}},"#,
            r#""name":"add","arguments":{"a":123456789012345678901}}}"#
        )
    );
    let bytes =
        encode::request(&1.into(), method::DISCOVER, Some(&WithMeta { meta: &RequestMeta::default(), params: &() }));
    assert_eq!(bytes.unwrap(), br#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{}}}"#);
}

#[test]
fn meta_keys_are_the_specification_s() {
    assert_eq!(meta::SERVER_INFO, "io.modelcontextprotocol/serverInfo");
    assert_eq!(meta::SUBSCRIPTION_ID, "io.modelcontextprotocol/subscriptionId");
}

#[test]
fn parameters_are_read_one_by_one() {
    let call = |text: &str| CallToolParams::read(Some(&raw(text))).map_err(|error| (error.code, error.message));
    let params = call(
        r#"{"name":"a","arguments":{ "n": 1.0 },"inputResponses":{"k":{"action":"accept"}},"requestState":"s","x":1}"#,
    );
    let params = params.unwrap();
    assert_eq!(params.name, "a");
    assert_eq!(params.arguments.unwrap().get(), r#"{ "n": 1.0 }"#);
    assert_eq!(params.input_responses.unwrap()["k"].get(), r#"{"action":"accept"}"#);
    assert_eq!(params.request_state.as_deref(), Some("s"));
    assert!(call(r#"{"name":"a","arguments":null}"#).unwrap().arguments.is_none());
    for (text, message) in [
        ("{}", "params.name is missing: send a string, the name of a tool"),
        (r#"{"name":null}"#, "params.name is missing: send a string, the name of a tool"),
        (r#"{"name":1}"#, "params.name must be a string, the name of a tool, got a number"),
        (r#"{"name":"a","arguments":[]}"#, "params.arguments must be an object, got an array"),
        (r#"{"name":"a","arguments":"{}"}"#, "params.arguments must be an object, got a string"),
        (r#"{"name":"a","inputResponses":[1]}"#, "params.inputResponses must be an object, got an array"),
        (r#"{"name":"a","requestState":{}}"#, "params.requestState must be a string, got an object"),
    ] {
        assert_eq!(call(text).unwrap_err(), (-32602, message.to_owned()));
    }
    assert_eq!(CallToolParams::read(None).unwrap_err().code, -32602);

    assert_eq!(ListParams::read(None).unwrap().cursor, None);
    assert_eq!(ListParams::read(Some(&raw(r#"{"cursor":""}"#))).unwrap().cursor.as_deref(), Some(""));
    assert_eq!(
        ListParams::read(Some(&raw(r#"{"cursor":1}"#))).unwrap_err().message,
        "params.cursor must be a string, got a number"
    );
    assert_eq!(ReadResourceParams::read(Some(&raw(r#"{"uri":"x:y"}"#))).unwrap().uri, "x:y");
    assert!(ReadResourceParams::read(None).is_err());
    let filter = ListenParams::read(Some(&raw(r#"{"notifications":{"toolsListChanged":true}}"#))).unwrap();
    assert_eq!(filter.notifications.tools_list_changed, Some(true));
    assert!(ListenParams::read(Some(&raw("{}"))).is_err());
}
