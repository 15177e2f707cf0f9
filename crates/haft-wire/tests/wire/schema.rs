//! What is written is valid by the specification's own schema.

use std::fs;

use haft_wire::{
    AcknowledgedParams, BlobResourceContents, CacheScope, CallToolParams, CallToolResult, CancelledParams,
    ClientCapabilities, CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, ContentBlock, DiscoverResult, ElicitationCapability, ErrorObject, GetPromptParams,
    GetPromptResult, Icon, IconTheme, Implementation, InputRequiredResult, JsonObject, ListChangedCapability,
    ListParams, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, ListenParams,
    ListenResult, LogLevel, LogMessageParams, Meta, ProgressParams, Prompt, PromptArgument, PromptMessage,
    ReadResourceParams, ReadResourceResult, RequestId, RequestMeta, Resource, ResourceContents, ResourceTemplate,
    ResourcesCapability, ResultType, Role, SamplingCapability, ServerCapabilities, SubscriptionFilter, Tool,
    ToolAnnotations, VERSION, WithMeta, encode, meta, method,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::examples::specification;

struct Schema {
    defs: Value,
}

impl Schema {
    fn load(test: &str) -> Option<Schema> {
        let text = fs::read_to_string(specification(test)?.join("schema-2026-07-28.json")).unwrap();
        let schema: Value = serde_json::from_str(&text).unwrap();
        Some(Schema { defs: schema["$defs"].clone() })
    }

    #[track_caller]
    fn takes(&self, kind: &str, bytes: &[u8]) {
        assert!(self.defs.get(kind).is_some(), "no definition {kind}");
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("#/$defs/{kind}"),
            "$defs": self.defs,
        });
        let validator = jsonschema::validator_for(&schema).unwrap();
        let instance: Value = serde_json::from_slice(bytes).unwrap();
        let errors: Vec<_> =
            validator.iter_errors(&instance).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{kind}: {errors:#?}\n{instance:#}");
    }
}

fn raw(text: &str) -> Box<RawValue> {
    serde_json::from_str(text).unwrap()
}

fn object(value: Value) -> Option<JsonObject> {
    value.as_object().cloned()
}

fn icon() -> Icon {
    Icon {
        mime_type: Some("image/png".into()),
        sizes: vec!["48x48".into(), "any".into()],
        theme: Some(IconTheme::Dark),
        ..Icon::new("https://example.com/i.png")
    }
}

fn implementation() -> Implementation {
    Implementation {
        title: Some("Title".into()),
        description: Some("What it is".into()),
        icons: vec![icon()],
        website_url: Some("https://example.com".into()),
        ..Implementation::new("name", "1.0.0")
    }
}

fn capabilities() -> ClientCapabilities {
    ClientCapabilities {
        elicitation: Some(ElicitationCapability { form: object(json!({})), url: object(json!({})) }),
        sampling: Some(SamplingCapability { context: object(json!({})), tools: object(json!({})) }),
        roots: object(json!({})),
        experimental: object(json!({"x": {}})),
        extensions: object(json!({"io.modelcontextprotocol/tasks": {}})),
    }
}

fn request_meta() -> RequestMeta {
    RequestMeta {
        protocol_version: Some(VERSION.into()),
        client_info: Some(implementation()),
        client_capabilities: Some(capabilities()),
        log_level: Some(LogLevel::Emergency),
        progress_token: Some(7.into()),
        traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01".into()),
        tracestate: Some("a=b".into()),
        baggage: Some("a=b".into()),
        other: object(json!({"com.example/x": [1]})).unwrap(),
    }
}

fn result_meta() -> Option<Meta> {
    let mut meta = Meta::new();
    meta.insert(meta::SERVER_INFO.into(), serde_json::to_value(implementation()).unwrap());
    Some(meta)
}

fn subscription_meta() -> Option<Meta> {
    let mut meta = result_meta().unwrap();
    meta.insert(meta::SUBSCRIPTION_ID.into(), json!("listen-1"));
    Some(meta)
}

fn blocks() -> Vec<ContentBlock> {
    [
        ContentBlock::text("t"),
        ContentBlock::image([1, 2, 3], "image/png"),
        ContentBlock::audio([1, 2, 3], "audio/wav"),
        ContentBlock::resource_link("file:///a", "a").title("A").description("d").mime_type("a/b").size(3),
        ContentBlock::resource_text("file:///a", "text/plain", "t"),
        ContentBlock::resource_blob("file:///a", "a/b", [1]),
    ]
    .into_iter()
    .flat_map(|block| {
        let full = block
            .clone()
            .audience([Role::User, Role::Assistant])
            .priority(1.0)
            .last_modified("2026-01-01T00:00:00Z")
            .meta("com.example/x", 1);
        [block, full]
    })
    .collect()
}

fn tool() -> Tool {
    Tool {
        name: "a".into(),
        title: Some("A".into()),
        description: Some("Does it.".into()),
        input_schema: raw(r#"{"type":"object","properties":{"x":{"type":"integer"}}}"#),
        output_schema: Some(raw(r#"{"type":"array"}"#)),
        annotations: Some(ToolAnnotations {
            title: Some("A".into()),
            read_only_hint: Some(true),
            destructive_hint: Some(false),
            idempotent_hint: Some(true),
            open_world_hint: Some(false),
        }),
        icons: vec![icon()],
        meta: object(json!({"k": 1})),
    }
}

#[test]
fn requests_and_notifications() {
    let Some(schema) = Schema::load("requests_and_notifications") else { return };
    fn request<P: Serialize>(schema: &Schema, kind: &str, method: &str, params: &P) {
        let least = RequestMeta {
            protocol_version: Some(VERSION.into()),
            client_capabilities: Some(ClientCapabilities::default()),
            ..RequestMeta::default()
        };
        for meta in [least, request_meta()] {
            for id in [RequestId::from(0), RequestId::from("")] {
                let bytes = encode::request(&id, method, Some(&WithMeta { meta: &meta, params })).unwrap();
                schema.takes(kind, &bytes);
                schema.takes("ClientRequest", &bytes);
                schema.takes("JSONRPCRequest", &bytes);
            }
        }
    }
    let filter = || SubscriptionFilter {
        tools_list_changed: Some(true),
        prompts_list_changed: Some(false),
        resources_list_changed: Some(true),
        resource_subscriptions: Some(vec!["file:///a".into()]),
        task_ids: None,
    };
    request(&schema, "DiscoverRequest", method::DISCOVER, &());
    request(&schema, "ListToolsRequest", method::TOOLS_LIST, &ListParams::default());
    request(&schema, "ListToolsRequest", method::TOOLS_LIST, &ListParams { cursor: Some(String::new()) });
    request(&schema, "ListResourcesRequest", method::RESOURCES_LIST, &ListParams::default());
    request(&schema, "ListResourceTemplatesRequest", method::RESOURCES_TEMPLATES_LIST, &ListParams::default());
    request(&schema, "ReadResourceRequest", method::RESOURCES_READ, &ReadResourceParams::new("file:///a"));
    request(
        &schema,
        "SubscriptionsListenRequest",
        method::SUBSCRIPTIONS_LISTEN,
        &ListenParams { notifications: filter() },
    );
    request(&schema, "ListPromptsRequest", method::PROMPTS_LIST, &ListParams::default());
    request(&schema, "GetPromptRequest", method::PROMPTS_GET, &GetPromptParams::new("a"));
    let filled = GetPromptParams {
        arguments: Some([("k".to_owned(), raw(r#""v""#))].into()),
        request_state: Some("s".into()),
        ..GetPromptParams::new("a")
    };
    request(&schema, "GetPromptRequest", method::PROMPTS_GET, &filled);
    for reference in [
        CompletionReference::Prompt { name: "a".into(), title: None },
        CompletionReference::Resource { uri: "file:///{path}".into() },
    ] {
        let complete = CompleteParams {
            reference,
            argument: CompletionArgument { name: "k".into(), value: String::new() },
            context: Some(CompletionContext { arguments: Some([("l".to_owned(), "v".to_owned())].into()) }),
        };
        request(&schema, "CompleteRequest", method::COMPLETION_COMPLETE, &complete);
    }
    request(&schema, "CallToolRequest", method::TOOLS_CALL, &CallToolParams::new("a"));
    let retry = CallToolParams {
        name: "a".into(),
        arguments: Some(raw(r#"{"x":1}"#)),
        input_responses: Some([("k".to_owned(), raw(r#"{"action":"accept","content":{"name":"x"}}"#))].into()),
        request_state: Some("s".into()),
    };
    request(&schema, "CallToolRequest", method::TOOLS_CALL, &retry);

    fn notification<P: Serialize>(schema: &Schema, kind: &str, method: &str, params: Option<&P>) {
        let bytes = encode::notification(method, params).unwrap();
        schema.takes(kind, &bytes);
        schema.takes("ServerNotification", &bytes);
        schema.takes("JSONRPCNotification", &bytes);
    }
    let cancelled = CancelledParams { request_id: 7.into(), reason: Some("why".into()), meta: subscription_meta() };
    notification(&schema, "CancelledNotification", method::NOTIFICATION_CANCELLED, Some(&cancelled));
    for (progress, total) in [(50.0, Some(100.0)), (0.25, None)] {
        let progress =
            ProgressParams { progress_token: "t".into(), progress, total, message: Some("m".into()), meta: None };
        notification(&schema, "ProgressNotification", method::NOTIFICATION_PROGRESS, Some(&progress));
    }
    for level in LogLevel::ALL {
        let message = LogMessageParams { level, logger: Some("l".into()), data: raw("null"), meta: None };
        notification(&schema, "LoggingMessageNotification", method::NOTIFICATION_MESSAGE, Some(&message));
    }
    let acknowledged = AcknowledgedParams { notifications: filter(), meta: subscription_meta() };
    notification(
        &schema,
        "SubscriptionsAcknowledgedNotification",
        method::NOTIFICATION_SUBSCRIPTIONS_ACKNOWLEDGED,
        Some(&acknowledged),
    );
    for (kind, method) in [
        ("ToolListChangedNotification", method::NOTIFICATION_TOOLS_LIST_CHANGED),
        ("ResourceListChangedNotification", method::NOTIFICATION_RESOURCES_LIST_CHANGED),
        ("PromptListChangedNotification", method::NOTIFICATION_PROMPTS_LIST_CHANGED),
    ] {
        notification(&schema, kind, method, None::<&()>);
    }
}

#[test]
fn results() {
    let Some(schema) = Schema::load("results") else { return };
    fn result<R: Serialize>(schema: &Schema, kind: &str, result: &R) {
        let bytes = encode::result(&1.into(), result).unwrap();
        schema.takes(&format!("{kind}Response"), &bytes);
        schema.takes("JSONRPCResultResponse", &bytes);
        let alone = haft_wire::strict::to_string(result).unwrap();
        schema.takes(kind, alone.as_bytes());
        schema.takes("ServerResult", alone.as_bytes());
    }
    let list_changed = Some(ListChangedCapability { list_changed: Some(true) });
    let capabilities = ServerCapabilities {
        tools: list_changed,
        resources: Some(ResourcesCapability { subscribe: Some(true), list_changed: Some(false) }),
        prompts: list_changed,
        completions: object(json!({})),
        logging: object(json!({})),
        experimental: object(json!({"x": {}})),
        extensions: object(json!({"x": {}})),
    };
    for capabilities in [ServerCapabilities::default(), capabilities] {
        let discovered = DiscoverResult {
            result_type: ResultType::Complete,
            supported_versions: vec![VERSION.into()],
            capabilities,
            instructions: Some("Use it.".into()),
            ttl_ms: 300_000,
            cache_scope: CacheScope::Public,
            meta: result_meta(),
        };
        result(&schema, "DiscoverResult", &discovered);
    }
    let tools = ListToolsResult {
        result_type: ResultType::Complete,
        tools: vec![tool()],
        next_cursor: Some(String::new()),
        ttl_ms: 0,
        cache_scope: CacheScope::Private,
        meta: result_meta(),
    };
    result(&schema, "ListToolsResult", &tools);

    result(&schema, "CallToolResult", &CallToolResult::default());
    result(&schema, "CallToolResult", &CallToolResult::error("no"));
    let full = CallToolResult {
        content: blocks(),
        structured_content: Some(raw("[null]")),
        is_error: Some(false),
        meta: result_meta(),
        ..CallToolResult::default()
    };
    result(&schema, "CallToolResult", &full);

    let asks = InputRequiredResult {
        input_requests: Some(
            [(
                "k".to_owned(),
                raw(r#"{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}"#),
            )]
            .into(),
        ),
        request_state: Some("s".into()),
        meta: result_meta(),
        ..InputRequiredResult::default()
    };
    let alone = haft_wire::strict::to_string(&asks).unwrap();
    schema.takes("InputRequiredResult", alone.as_bytes());
    schema.takes("CallToolResultResponse", &encode::result(&1.into(), &asks).unwrap());

    let resource = Resource {
        uri: "file:///a".into(),
        name: "a".into(),
        title: Some("A".into()),
        description: Some("d".into()),
        mime_type: Some("a/b".into()),
        size: Some(3),
        icons: vec![icon()],
        annotations: None,
        meta: object(json!({})),
    };
    let resources = ListResourcesResult {
        result_type: ResultType::Complete,
        resources: vec![resource],
        next_cursor: None,
        ttl_ms: 0,
        cache_scope: CacheScope::Private,
        meta: result_meta(),
    };
    result(&schema, "ListResourcesResult", &resources);
    let template = ResourceTemplate {
        uri_template: "file:///{path}".into(),
        name: "a".into(),
        title: None,
        description: None,
        mime_type: None,
        icons: vec![],
        annotations: None,
        meta: None,
    };
    let templates = ListResourceTemplatesResult {
        result_type: ResultType::Complete,
        resource_templates: vec![template],
        next_cursor: None,
        ttl_ms: 0,
        cache_scope: CacheScope::Private,
        meta: None,
    };
    result(&schema, "ListResourceTemplatesResult", &templates);
    let contents = ReadResourceResult {
        result_type: ResultType::Complete,
        contents: vec![ResourceContents::Blob(BlobResourceContents {
            uri: "file:///a".into(),
            mime_type: None,
            blob: "AA==".into(),
            meta: None,
        })],
        ttl_ms: 0,
        cache_scope: CacheScope::Private,
        meta: None,
    };
    result(&schema, "ReadResourceResult", &contents);
    let argument = PromptArgument {
        name: "k".into(),
        title: Some("K".into()),
        description: Some("d".into()),
        required: Some(true),
    };
    let prompt = Prompt {
        name: "a".into(),
        title: Some("A".into()),
        description: Some("d".into()),
        arguments: vec![argument],
        icons: vec![icon()],
        meta: object(json!({})),
    };
    let prompts = ListPromptsResult {
        result_type: ResultType::Complete,
        prompts: vec![prompt],
        next_cursor: Some("c".into()),
        ttl_ms: 0,
        cache_scope: CacheScope::Public,
        meta: result_meta(),
    };
    result(&schema, "ListPromptsResult", &prompts);
    let mut messages: Vec<_> = blocks().into_iter().map(PromptMessage::user).collect();
    messages.push(PromptMessage::assistant("t"));
    let filled =
        GetPromptResult { description: Some("d".into()), meta: result_meta(), ..GetPromptResult::new(messages) };
    result(&schema, "GetPromptResult", &filled);
    let completion = Completion { values: vec!["v".into()], total: Some(7), has_more: Some(true) };
    for completion in [completion, Completion::default()] {
        result(&schema, "CompleteResult", &CompleteResult { completion, ..CompleteResult::default() });
    }
    result(
        &schema,
        "SubscriptionsListenResult",
        &ListenResult { meta: subscription_meta(), ..ListenResult::default() },
    );
}

#[test]
fn errors() {
    let Some(schema) = Schema::load("errors") else { return };
    let missing = ClientCapabilities { sampling: None, ..capabilities() };
    for (kind, error) in [
        ("HeaderMismatchError", ErrorObject::header_mismatch("m")),
        ("MissingRequiredClientCapabilityError", ErrorObject::missing_capability("m", &missing)),
        ("UnsupportedProtocolVersionError", ErrorObject::unsupported_version("1900-01-01", &[VERSION])),
    ] {
        for id in [None, Some(RequestId::from("x"))] {
            let bytes = encode::error(id.as_ref(), &error);
            schema.takes(kind, &bytes);
            schema.takes("JSONRPCErrorResponse", &bytes);
        }
    }
    for (kind, error) in [
        ("ParseError", ErrorObject::parse_error("m")),
        ("InvalidRequestError", ErrorObject::invalid_request("m")),
        ("MethodNotFoundError", ErrorObject::method_not_found("m")),
        ("InvalidParamsError", ErrorObject::invalid_params("m")),
        ("InternalError", ErrorObject::internal("m").with_data(json!({"a": 1}))),
    ] {
        schema.takes(kind, haft_wire::strict::to_string(&error).unwrap().as_bytes());
    }
}

#[test]
fn content_blocks() {
    let Some(schema) = Schema::load("content_blocks") else { return };
    for block in blocks() {
        schema.takes("ContentBlock", haft_wire::strict::to_string(&block).unwrap().as_bytes());
    }
}
