//! The tools that the official suite calls.

use std::time::Duration;

use haft::LogLevel;
use haft::prelude::*;

/// One transparent pixel.
pub(crate) const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0d, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x64, 0xf8, 0xcf, 0x50, 0x0f, 0x00, 0x03, 0x86, 0x01, 0x80, 0x5a, 0x34, 0x7d,
    0x6b, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// A second of silence would do; a header without samples is enough.
const WAV: &[u8] = &[
    b'R', b'I', b'F', b'F', 36, 0, 0, 0, b'W', b'A', b'V', b'E', b'f', b'm', b't', b' ', 16, 0, 0, 0, 1, 0, 1, 0, 0x44,
    0xac, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0, b'd', b'a', b't', b'a', 0, 0, 0, 0,
];

/// Between two notifications.
const STEP: Duration = Duration::from_millis(50);

/// Use this to get a fixed text.
#[tool(read_only, closed_world)]
pub(crate) async fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Use this to get an image.
#[tool(read_only, closed_world)]
pub(crate) async fn test_image_content() -> Content {
    Content::image(PNG, "image/png")
}

/// Use this to get a sound.
#[tool(read_only, closed_world)]
pub(crate) async fn test_audio_content() -> Content {
    Content::audio(WAV, "audio/wav")
}

/// Use this to get an embedded resource.
#[tool(read_only, closed_world, embeds_resources)]
pub(crate) async fn test_embedded_resource() -> Content {
    Content::resource_text("test://embedded-resource", "text/plain", "This is an embedded resource content.")
}

/// Use this to get text, an image and a resource at once.
#[tool(read_only, closed_world, embeds_resources)]
pub(crate) async fn test_multiple_content_types() -> Vec<Content> {
    vec![
        Content::text("Multiple content types test:"),
        Content::image(PNG, "image/png"),
        Content::resource_text("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
    ]
}

/// Use this to see how a tool fails.
#[tool(read_only, closed_world)]
pub(crate) async fn test_error_handling() -> Result<String, ToolError> {
    Err(ToolError::new("This tool intentionally returns an error for testing"))
}

/// Use this to see progress.
#[tool(read_only, closed_world)]
pub(crate) async fn test_tool_with_progress(context: Context) -> &'static str {
    for progress in [0.0, 50.0, 100.0] {
        context.progress(progress, Some(100.0));
        tokio::time::sleep(STEP).await;
    }
    "Progress reported."
}

/// Use this to see log messages.
#[tool(read_only, closed_world, logs)]
pub(crate) async fn test_tool_with_logging(context: Context) -> &'static str {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        context.log(LogLevel::Info, message);
        tokio::time::sleep(STEP).await;
    }
    "Logged."
}

/// Use this to see that nothing is logged unasked.
#[tool(read_only, closed_world, logs)]
pub(crate) async fn test_logging_tool(context: Context) -> &'static str {
    context.log(LogLevel::Info, "working");
    "Logged if asked to."
}

/// Use this to send a value that is mirrored into a header.
#[tool(read_only, closed_world)]
pub(crate) async fn test_custom_header(
    /// The value.
    #[arg(header = "Value")]
    value: String,
) -> String {
    value
}

/// Use this with a client that can sample.
#[tool(read_only, closed_world, needs(sampling))]
pub(crate) async fn test_missing_capability() -> &'static str {
    "The client can sample."
}

/// A schema by hand, with what 2020-12 has and older drafts lack.
pub(crate) fn json_schema_2020_12_tool() -> Tool {
    let schema = serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    });
    Tool::builder("json_schema_2020_12_tool")
        .title("JSON Schema 2020-12")
        .description("Use this to see a schema come through unchanged.")
        .input_schema(schema.to_string())
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
        .handler(|_: Arguments, _: Context| async { "The schema holds." })
}
