//! A request's span and measurement as OpenTelemetry's conventions for MCP have them.
//!
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/>

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::Duration;

use haft_wire::{RequestId, RequestMeta, method};
use opentelemetry::metrics::Histogram;
use opentelemetry::propagation::Extractor;
use opentelemetry::trace::{Status, TraceContextExt};
use opentelemetry::{Context, KeyValue, Value, global};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::{Outcome, Target};
use crate::server::Principal;
use crate::server::dispatch::Checked;

const METHOD: &str = "mcp.method.name";
const PROTOCOL_VERSION: &str = "mcp.protocol.version";
const RESOURCE_URI: &str = "mcp.resource.uri";
const REQUEST_ID: &str = "jsonrpc.request.id";
const OPERATION: &str = "gen_ai.operation.name";
const TOOL: &str = "gen_ai.tool.name";
const PROMPT: &str = "gen_ai.prompt.name";
const ERROR_TYPE: &str = "error.type";
const STATUS_CODE: &str = "rpc.response.status_code";
const TRANSPORT: &str = "network.transport";
const PROTOCOL: &str = "network.protocol.name";

/// What a server measures.
#[derive(Default)]
pub(in crate::server) struct Measured {
    /// Made at the first request: whoever exports has been set up by then.
    duration: OnceLock<Histogram<f64>>,
}

impl Measured {
    fn duration(&self) -> &Histogram<f64> {
        self.duration.get_or_init(|| {
            global::meter("haft")
                .f64_histogram("mcp.server.operation.duration")
                .with_unit("s")
                .with_description("How long a request took, from where it was read to its result")
                .with_boundaries(vec![0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0])
                .build()
        })
    }
}

/// What is said both of a request's span and of its measurement: nothing of a client's choosing, of which there could be
/// any number.
pub(super) struct Facts {
    attributes: Vec<KeyValue>,
}

impl Facts {
    pub(super) fn begin(
        span: &Span,
        method: &'static str,
        id: &RequestId,
        checked: Option<&Checked>,
        principal: &Principal,
    ) -> Self {
        let mut attributes = Vec::with_capacity(8);
        attributes.push(KeyValue::new(METHOD, method));
        if let Some(checked) = checked {
            attributes.push(KeyValue::new(PROTOCOL_VERSION, checked.revision));
        }
        let local = *principal == Principal::Local;
        attributes.push(KeyValue::new(TRANSPORT, if local { "pipe" } else { "tcp" }));
        if !local {
            attributes.push(KeyValue::new(PROTOCOL, "http"));
        }
        if method == method::TOOLS_CALL {
            attributes.push(KeyValue::new(OPERATION, "execute_tool"));
        }
        if !span.is_disabled() {
            if let Some(checked) = checked {
                continue_trace(span, &checked.meta);
            }
            for KeyValue { key, value, .. } in &attributes {
                span.set_attribute(key.clone(), value.clone());
            }
            span.set_attribute(REQUEST_ID, id.to_string());
        }
        Self { attributes }
    }

    pub(super) fn end(
        mut self,
        span: &Span,
        outcome: Outcome<'_>,
        target: Option<&Target>,
        elapsed: Duration,
        measured: &Measured,
    ) {
        match target {
            Some(Target::Tool(name)) => self.attributes.push(KeyValue::new(TOOL, name.to_string())),
            Some(Target::Prompt(name)) => self.attributes.push(KeyValue::new(PROMPT, name.to_string())),
            Some(Target::Resource(_)) | None => {}
        }
        match outcome {
            Outcome::ToolError => self.failed(span, "tool_error".into(), "".into()),
            Outcome::Error(error) => {
                let code = error.code.to_string();
                self.say(span, STATUS_CODE, code.clone().into());
                self.failed(span, code.into(), error.message.clone().into());
            }
            Outcome::Ok | Outcome::InputRequired | Outcome::Cancelled => {}
        }
        measured.duration().record(elapsed.as_secs_f64(), &self.attributes);
    }

    fn failed(&mut self, span: &Span, kind: Value, message: Cow<'static, str>) {
        self.say(span, ERROR_TYPE, kind);
        span.set_status(Status::error(message));
    }

    fn say(&mut self, span: &Span, key: &'static str, value: Value) {
        span.set_attribute(key, value.clone());
        self.attributes.push(KeyValue::new(key, value));
    }
}

/// What the request is about, once that is known: in the span's name, too, unless there can be any number of it.
pub(super) fn target(span: &Span, target: &Target) {
    if span.is_disabled() {
        return;
    }
    let (key, name) = match target {
        Target::Tool(name) => (TOOL, &**name),
        Target::Prompt(name) => (PROMPT, &**name),
        Target::Resource(uri) => return span.set_attribute(RESOURCE_URI, uri.to_string()),
    };
    span.set_attribute(key, name.to_owned());
    let method = if key == TOOL { method::TOOLS_CALL } else { method::PROMPTS_GET };
    // The span runs: what made it can't be changed any more, only the span itself.
    span.context().span().update_name(format!("{method} {name}"));
}

/// The caller's span becomes the parent; one around this request, such as that of an HTTP server, is linked.
///
/// spec: `basic/index#_meta`
fn continue_trace(span: &Span, meta: &RequestMeta) {
    if meta.traceparent.is_none() && meta.baggage.is_none() {
        return;
    }
    let around = Span::current().context();
    let parent =
        global::get_text_map_propagator(|propagator| propagator.extract_with_context(&Context::new(), &Carrier(meta)));
    if !parent.span().span_context().is_valid() {
        // Baggage alone comes with whatever is around.
        let _ = span.set_parent(global::get_text_map_propagator(|propagator| {
            propagator.extract_with_context(&around, &Carrier(meta))
        }));
        return;
    }
    // Fails where nobody exports.
    if span.set_parent(parent).is_ok() {
        span.add_link(around.span().span_context().clone());
    }
}

/// A request's `_meta`, as propagators read it.
struct Carrier<'a>(&'a RequestMeta);

impl Extractor for Carrier<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        match key {
            "traceparent" => self.0.traceparent.as_deref(),
            "tracestate" => self.0.tracestate.as_deref(),
            "baggage" => self.0.baggage.as_deref(),
            _ => None,
        }
    }

    fn keys(&self) -> Vec<&str> {
        ["traceparent", "tracestate", "baggage"].into_iter().filter(|key| self.get(key).is_some()).collect()
    }
}
