//! What operators learn of a request: its span, how it ended, and how long it took.

#[cfg(feature = "otel")]
mod telemetry;

use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "otel")]
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use haft_wire::{CallToolResult, ErrorObject, RequestId, method};
use tracing::Span;
use tracing::field::Empty;

#[cfg(feature = "otel")]
pub(super) use telemetry::Measured;

use super::dispatch::{Checked, Stop};
use super::{Inner, Principal};

/// What a request turns out to be about.
#[cfg(feature = "otel")]
pub(super) enum Target {
    Tool(Arc<str>),
    Prompt(Box<str>),
    Resource(Box<str>),
}

/// How a request ended.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "otel"), expect(dead_code, reason = "the span has its name alone"))]
enum Outcome<'a> {
    Ok,
    /// With a result that says that its tool failed.
    ToolError,
    /// With questions to the user.
    InputRequired,
    Cancelled,
    Error(&'a ErrorObject),
}

impl Outcome<'_> {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::InputRequired => "input_required",
            Self::Cancelled => "cancelled",
            Self::Error(_) => "error",
        }
    }
}

/// One request, from where it is read to where its answer is there, and what becomes known of it meanwhile.
pub(super) struct Observed {
    started: Instant,
    span: Span,
    #[cfg(feature = "otel")]
    target: OnceLock<Target>,
    tool_failed: AtomicBool,
    #[cfg(feature = "otel")]
    facts: telemetry::Facts,
}

impl Observed {
    /// Without `checked`, the request is not in order.
    #[cfg_attr(not(feature = "otel"), expect(unused_variables, reason = "a plain span doesn't say who asks"))]
    pub(super) fn begin(method: &str, id: &RequestId, checked: Option<&Checked>, principal: &Principal) -> Self {
        let started = Instant::now();
        let method = known(method);
        let traceparent = checked.and_then(|checked| checked.meta.traceparent.as_deref());
        #[cfg(not(feature = "otel"))]
        let span = tracing::info_span!(
            "request",
            method,
            %id,
            traceparent,
            name = Empty,
            outcome = Empty,
            duration_ms = Empty
        );
        #[cfg(feature = "otel")]
        let span = tracing::info_span!(
            "request",
            otel.name = method,
            otel.kind = "server",
            method,
            %id,
            traceparent,
            name = Empty,
            outcome = Empty,
            duration_ms = Empty
        );
        Self {
            started,
            #[cfg(feature = "otel")]
            facts: telemetry::Facts::begin(&span, method, id, checked, principal),
            span,
            #[cfg(feature = "otel")]
            target: OnceLock::new(),
            tool_failed: AtomicBool::new(false),
        }
    }

    /// What the application logs while it answers stands under it.
    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// The name, or the URI, that the client asks for.
    pub(super) fn asked_for(&self, name: &str) {
        self.span.record("name", name);
    }

    /// The request is about this; a tool or a prompt is there.
    #[cfg(feature = "otel")]
    pub(super) fn is_about(&self, target: Target) {
        telemetry::target(&self.span, &target);
        let _ = self.target.set(target);
    }

    /// A tool returned this.
    pub(super) fn returned(&self, result: &CallToolResult) {
        self.tool_failed.store(result.is_error == Some(true), Ordering::Relaxed);
    }

    /// `cancelled`, when nobody gets what was answered.
    #[cfg_attr(not(feature = "otel"), expect(unused_variables, reason = "a plain span measures nothing"))]
    pub(super) fn end(self, server: &Inner, answered: &Result<Vec<u8>, Stop>, cancelled: bool) {
        let outcome = match answered {
            _ if cancelled => Outcome::Cancelled,
            Ok(_) if self.tool_failed.load(Ordering::Relaxed) => Outcome::ToolError,
            Ok(_) => Outcome::Ok,
            Err(Stop::Cancelled) => Outcome::Cancelled,
            Err(Stop::InputRequired(_)) => Outcome::InputRequired,
            Err(Stop::Failed(error, _)) => Outcome::Error(error.object()),
        };
        let elapsed = self.started.elapsed();
        self.span.record("outcome", outcome.name());
        self.span.record("duration_ms", elapsed.as_secs_f64() * 1_000.0);
        self.span.in_scope(|| tracing::debug!("answered"));
        #[cfg(feature = "otel")]
        self.facts.end(&self.span, outcome, self.target.get(), elapsed, &server.measured);
    }
}

/// The method's name where it is one of the protocol's: names of a client's choosing are too many to count by.
fn known(name: &str) -> &'static str {
    const METHODS: [&str; 19] = [
        method::DISCOVER,
        method::TOOLS_LIST,
        method::TOOLS_CALL,
        method::RESOURCES_LIST,
        method::RESOURCES_TEMPLATES_LIST,
        method::RESOURCES_READ,
        method::PROMPTS_LIST,
        method::PROMPTS_GET,
        method::COMPLETION_COMPLETE,
        method::SUBSCRIPTIONS_LISTEN,
        method::TASKS_GET,
        method::TASKS_UPDATE,
        method::TASKS_CANCEL,
        // Of older revisions.
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "roots/list",
    ];
    METHODS.into_iter().find(|known| *known == name).unwrap_or("_OTHER")
}
