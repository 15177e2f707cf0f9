//! The specification's own examples go in and come out as they were.
//!
//! They are not part of this repository. `HAFT_SPEC_DIR` names a folder with `examples-2026-07-28/<type>/<name>.json`
//! and `schema-2026-07-28.json`.

use std::fs;
use std::path::PathBuf;

use haft_wire::{
    AcknowledgedParams, CallToolOutcome, CallToolParams, CallToolResult, CancelledParams, ClientCapabilities,
    CompleteParams, CompleteResult, ContentBlock, CreateMessageResult, DiscoverResult, ElicitResult, ErrorObject,
    GetPromptParams, GetPromptResult, InputRequiredResult, Limits, ListParams, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListRootsResult, ListToolsResult, ListenParams, ListenResult,
    LogMessageParams, Message, ProgressParams, ReadResourceParams, ReadResourceResult, RequestMeta, Resource,
    ResourceContents, Root, ServerCapabilities, Tool, WithMeta, encode, parse,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

/// The folder with the specification, or `None` with a word about it.
pub(crate) fn specification(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("HAFT_SPEC_DIR").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("{test}: skipped, for HAFT_SPEC_DIR is not set");
    }
    folder
}

/// Numbers are the same if they are equal, however they are spelled.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn through<T: Serialize + DeserializeOwned>(raw: &RawValue) -> String {
    let read: T = serde_json::from_str(raw.get()).unwrap();
    haft_wire::strict::to_string(&read).unwrap()
}

fn with_meta<P: Serialize>(raw: &RawValue, read: fn(Option<&RawValue>) -> Result<P, ErrorObject>) -> String {
    let meta = RequestMeta::read(Some(raw)).unwrap();
    meta.require().unwrap();
    let params = read(Some(raw)).unwrap();
    haft_wire::strict::to_string(&WithMeta { meta: &meta, params: &params }).unwrap()
}

/// What becomes of parameters; `None` for methods that this crate has no types for.
fn params(method: &str, raw: &RawValue) -> Option<String> {
    Some(match method {
        "server/discover" => with_meta(raw, |_| Ok(())),
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
            with_meta(raw, ListParams::read)
        }
        "tools/call" => with_meta(raw, CallToolParams::read),
        "resources/read" => with_meta(raw, ReadResourceParams::read),
        "prompts/get" => with_meta(raw, GetPromptParams::read),
        "completion/complete" => with_meta(raw, CompleteParams::read),
        "subscriptions/listen" => with_meta(raw, ListenParams::read),
        "notifications/cancelled" => through::<CancelledParams>(raw),
        "notifications/progress" => through::<ProgressParams>(raw),
        "notifications/message" => through::<LogMessageParams>(raw),
        "notifications/subscriptions/acknowledged" => through::<AcknowledgedParams>(raw),
        "notifications/tools/list_changed"
        | "notifications/prompts/list_changed"
        | "notifications/resources/list_changed"
        | "notifications/resources/updated" => through::<serde_json::Map<String, Value>>(raw),
        _ => return None,
    })
}

/// What becomes of a value of the named type; `None` for types that this crate doesn't have.
fn value(kind: &str, raw: &RawValue) -> Option<String> {
    Some(match kind {
        "CallToolRequestParams" => params("tools/call", raw)?,
        "GetPromptRequestParams" => params("prompts/get", raw)?,
        "CompleteRequestParams" => params("completion/complete", raw)?,
        "PaginatedRequestParams" => params("tools/list", raw)?,
        "CancelledNotificationParams" => params("notifications/cancelled", raw)?,
        "ProgressNotificationParams" => params("notifications/progress", raw)?,
        "LoggingMessageNotificationParams" => params("notifications/message", raw)?,
        "CallToolResult" => match CallToolOutcome::read(raw).unwrap() {
            CallToolOutcome::Complete(_) => through::<CallToolResult>(raw),
            CallToolOutcome::InputRequired(_) => through::<InputRequiredResult>(raw),
            CallToolOutcome::Other { result_type, .. } => panic!("{result_type}"),
        },
        "InputRequiredResult" => through::<InputRequiredResult>(raw),
        "DiscoverResult" => through::<DiscoverResult>(raw),
        "ListToolsResult" => {
            let ready = through::<ListToolsResult<Box<RawValue>>>(raw);
            assert!(same(&json(&ready), &json(&through::<ListToolsResult>(raw))));
            ready
        }
        "ListResourcesResult" => through::<ListResourcesResult>(raw),
        "ListResourceTemplatesResult" => through::<ListResourceTemplatesResult>(raw),
        "ListPromptsResult" => through::<ListPromptsResult>(raw),
        "GetPromptResult" => through::<GetPromptResult>(raw),
        "CompleteResult" => through::<CompleteResult>(raw),
        "ReadResourceResult" => through::<ReadResourceResult>(raw),
        "SubscriptionsListenResult" => through::<ListenResult>(raw),
        "ElicitResult" => through::<ElicitResult>(raw),
        "ListRootsResult" => through::<ListRootsResult>(raw),
        "Root" => through::<Root>(raw),
        "CreateMessageResult" => {
            // Only read, never written.
            let read: CreateMessageResult = serde_json::from_str(raw.get()).unwrap();
            assert!(!read.content.is_empty());
            raw.get().to_owned()
        }
        "ClientCapabilities" => through::<ClientCapabilities>(raw),
        "ServerCapabilities" => through::<ServerCapabilities>(raw),
        "TextContent" | "ImageContent" | "AudioContent" | "ResourceLink" | "EmbeddedResource" => {
            let block: ContentBlock = serde_json::from_str(raw.get()).unwrap();
            assert!(!matches!(block, ContentBlock::Unknown(_)), "{block:?}");
            through::<ContentBlock>(raw)
        }
        "TextResourceContents" | "BlobResourceContents" => through::<ResourceContents>(raw),
        "Resource" => through::<Resource>(raw),
        "Tool" => through::<Tool>(raw),
        "ParseError" | "InvalidParamsError" | "InternalError" | "MethodNotFoundError" => through::<ErrorObject>(raw),
        _ => return None,
    })
}

/// What becomes of a whole message, named by its type.
fn message(kind: &str, text: &str) -> Option<Vec<u8>> {
    Some(match parse(text.as_bytes(), &Limits::default()).unwrap() {
        Message::Request(request) => {
            let params: Box<RawValue> =
                serde_json::from_str(&params(&request.method, request.params.as_deref()?)?).unwrap();
            encode::request(&request.id, &request.method, Some(&params)).unwrap()
        }
        Message::Notification(notification) => {
            let params: Box<RawValue> =
                serde_json::from_str(&params(&notification.method, notification.params.as_deref()?)?).unwrap();
            encode::notification(&notification.method, Some(&params)).unwrap()
        }
        Message::Response(response) => match response.outcome {
            Ok(result) => {
                let result: Box<RawValue> =
                    serde_json::from_str(&value(kind.strip_suffix("Response")?, &result)?).unwrap();
                encode::result(response.id.as_ref().unwrap(), &result).unwrap()
            }
            Err(error) => encode::error(response.id.as_ref(), &error),
        },
    })
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_example_survives() {
    let Some(folder) = specification("every_example_survives") else { return };
    let mut survived = Vec::new();
    for kind in fs::read_dir(folder.join("examples-2026-07-28")).unwrap() {
        let kind = kind.unwrap();
        let name = kind.file_name().into_string().unwrap();
        for file in fs::read_dir(kind.path()).unwrap() {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let mut expected = json(&text);
            let written = if expected.get("jsonrpc").is_some() {
                message(&name, &text).map(|bytes| String::from_utf8(bytes).unwrap())
            } else {
                value(&name, &serde_json::from_str::<Box<RawValue>>(&text).unwrap())
            };
            let Some(written) = written else { continue };
            if path.ends_with("ReadResourceResultResponse/read-resource-result-response.json") {
                // This one leaves out members that the schema requires; it comes back with them.
                let result = expected["result"].as_object_mut().unwrap();
                result.insert("ttlMs".to_owned(), 0.into());
                result.insert("cacheScope".to_owned(), "private".into());
            }
            let shown = path.display();
            assert!(same(&json(&written), &expected), "{shown}\nis     {written}\nnot    {expected}");
            survived.push(name.clone());
        }
    }
    // Should the folder be laid out otherwise one day, this test must not pass for want of examples.
    assert!(survived.len() >= 80, "only {} examples", survived.len());
}
