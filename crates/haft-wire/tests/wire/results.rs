//! Results as a client reads them, and as a server writes them.

use haft_wire::{
    CallToolOutcome, CallToolResult, ContentBlock, InputRequiredResult, ListToolsResult, ProgressParams, ResultType,
    Tool, encode, strict,
};
use serde_json::value::RawValue;

fn raw(text: &str) -> Box<RawValue> {
    serde_json::from_str(text).unwrap()
}

fn complete(text: &str) -> CallToolResult {
    match CallToolOutcome::read(&raw(text)) {
        Ok(CallToolOutcome::Complete(result)) => result,
        other => panic!("{other:?}"),
    }
}

#[test]
fn structured_content_absent_null_and_exact() {
    let structured = |text| complete(text).structured_content.map(|raw| raw.get().to_owned());
    assert_eq!(structured(r#"{"content":[]}"#), None);
    assert_eq!(structured(r#"{"content":[],"structuredContent":null}"#).as_deref(), Some("null"));
    assert_eq!(
        structured(r#"{"content":[],"structuredContent":{"n":123456789012345678901234567890,"x":1.0}}"#).as_deref(),
        Some(r#"{"n":123456789012345678901234567890,"x":1.0}"#)
    );
    let result = CallToolResult { structured_content: Some(raw("null")), ..CallToolResult::default() };
    assert_eq!(
        encode::result(&1.into(), &result).unwrap(),
        br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[],"structuredContent":null}}"#
    );
}

#[test]
fn result_types() {
    assert_eq!(complete(r#"{"content":[]}"#).result_type, ResultType::Complete);
    let asks = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"requestState":"s"}"#;
    match CallToolOutcome::read(&raw(asks)) {
        Ok(CallToolOutcome::InputRequired(result)) => {
            assert_eq!(result.input_requests.as_ref().unwrap()["k"].get(), r#"{"method":"roots/list"}"#);
            assert_eq!(strict::to_string(&result).unwrap(), asks);
        }
        other => panic!("{other:?}"),
    }
    match CallToolOutcome::read(&raw(r#"{"resultType":"task","taskId":"t"}"#)) {
        Ok(CallToolOutcome::Other { result_type, result }) => {
            assert_eq!((result_type.as_str(), result.get()), ("task", r#"{"resultType":"task","taskId":"t"}"#));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        CallToolOutcome::read(&raw(r#"{"content":"text"}"#)).unwrap_err().to_string(),
        "the result of tools/call: invalid type: string \"text\", expected a sequence at line 1 column 17"
    );
    assert_eq!(strict::to_string(&InputRequiredResult::default()).unwrap(), r#"{"resultType":"input_required"}"#);
}

#[test]
fn failures() {
    let result = CallToolResult::error("Order A-1 was not found.");
    assert_eq!(
        strict::to_string(&result).unwrap(),
        r#"{"resultType":"complete","content":[{"type":"text","text":"Order A-1 was not found."}],"isError":true}"#
    );
    assert_eq!(complete(r#"{"content":[{"type":"text","text":"x"},{"type":"new"}]}"#).content.len(), 2);
    assert_eq!(CallToolResult::new([ContentBlock::text("a")]).is_error, None);
}

#[test]
fn one_bad_definition_leaves_the_others() {
    let text = r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":7}],"ttlMs":-5,"cacheScope":"odd"}"#;
    let page: ListToolsResult<Box<RawValue>> = serde_json::from_str(text).unwrap();
    let tools: Vec<_> =
        page.tools.iter().map(|raw| serde_json::from_str::<Tool>(raw.get()).map(|tool| tool.name).ok()).collect();
    assert_eq!(tools, [Some("a".to_owned()), None]);
    assert_eq!(page.ttl_ms, 0);
}

#[test]
fn definitions_pass_through_unchanged() {
    let definition = concat!(
        r#"{"name":"a","title":"A","inputSchema":{"type":"object","properties":{"z":{"maximum":1e3},"a":{}}},"#,
        r#""outputSchema":{"minimum":2.0},"annotations":{"readOnlyHint":true},"_meta":{"k":1}}"#
    );
    let tool: Tool = serde_json::from_str(definition).unwrap();
    assert_eq!(strict::to_string(&tool).unwrap(), definition);
    let odd = r#"{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":"yes","title":"T","openWorldHint":false},"icons":{}}"#;
    let tool: Tool = serde_json::from_str(odd).unwrap();
    assert_eq!(tool.display_name(), "T");
    let annotations = tool.annotations.unwrap();
    assert_eq!((annotations.read_only_hint, annotations.open_world_hint), (None, Some(false)));
}

#[test]
fn a_server_lists_texts_that_it_has_ready() {
    let ready = raw(r#"{"name":"a","inputSchema":{"type":"object"}}"#);
    let page = ListToolsResult {
        result_type: ResultType::Complete,
        tools: vec![&*ready],
        next_cursor: None,
        ttl_ms: 300_000,
        cache_scope: haft_wire::CacheScope::Public,
        meta: None,
    };
    assert_eq!(
        strict::to_string(&page).unwrap(),
        r#"{"resultType":"complete","tools":[{"name":"a","inputSchema":{"type":"object"}}],"ttlMs":300000,"cacheScope":"public"}"#
    );
}

#[test]
fn progress_is_a_plain_number() {
    let progress = |progress, total| {
        let params = ProgressParams { progress_token: "t".into(), progress, total, message: None, meta: None };
        encode::notification("notifications/progress", Some(&params)).map(|bytes| String::from_utf8(bytes).unwrap())
    };
    assert_eq!(
        progress(50.0, Some(0.5)).unwrap(),
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":50,"total":0.5}}"#
    );
    assert_eq!(progress(f64::NAN, None).unwrap_err().path(), "/progress");
    let read: ProgressParams = serde_json::from_str(r#"{"progressToken":7,"progress":1e1}"#).unwrap();
    assert_eq!((read.progress_token, read.progress), (7.into(), 10.0));
}
