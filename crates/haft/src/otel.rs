//! Export of traces and metrics by OpenTelemetry.
//!
//! With the feature `otel` every request has a span and a measurement as the
//! [conventions for MCP](https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/) have them: a span of kind `SERVER` by
//! the name `tools/call get_order`, with the method, the tool, prompt or resource, the request's id, the protocol's
//! version, the transport and what went wrong; and the histogram `mcp.server.operation.duration`. A trace that the client
//! has begun (`traceparent`, `tracestate` and `baggage` in `_meta`) goes on; what a tool does stands under its request.
//!
//! [`init`] sets everything up for a program that has nothing of the kind:
//!
//! ```no_run
//! use haft::prelude::*;
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // Held to the end: dropping it sends what is left.
//!     let _telemetry = haft::otel::init("orders")?;
//!     Server::new("orders", "1.0.0").build()?.serve_stdio().await?;
//!     Ok(())
//! }
//! ```
//!
//! A program that sets up `tracing` itself leaves it out and needs three things before the first request, of the
//! versions that haft is built with (`opentelemetry` 0.33, `tracing-opentelemetry` 0.34): a
//! [layer](tracing_opentelemetry::layer) with its tracer in its subscriber,
//! [`opentelemetry::global::set_text_map_propagator`] with a `TraceContextPropagator` for traces that clients have begun,
//! and [`opentelemetry::global::set_meter_provider`] for metrics. haft uses what it finds there.

use std::env;
use std::fmt;
use std::io;

use opentelemetry::propagation::TextMapCompositePropagator;
use opentelemetry::trace::TracerProvider;
use opentelemetry::{KeyValue, global};
use opentelemetry_otlp::{MetricExporter, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::propagation::{BaggagePropagator, TraceContextPropagator};
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// The export that [`init`] began. Dropping it sends what is left and ends it.
#[derive(Debug)]
#[must_use = "dropping it ends the export"]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
    metrics: Option<SdkMeterProvider>,
}

/// Why there is no export.
#[derive(Debug)]
pub struct InitError {
    what: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl InitError {
    fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), source: None }
    }

    fn because(what: &str, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { what: what.to_owned(), source: Some(Box::new(source)) }
    }
}

impl fmt::Display for InitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for InitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Exports traces and metrics by OTLP over HTTP, and writes logs to stderr. Once in a program, before it serves.
///
/// Where to and how, the environment says by OpenTelemetry's own variables: `OTEL_EXPORTER_OTLP_ENDPOINT` (a collector on
/// this machine, port 4318, unless set), `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` (`service` unless set),
/// `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_EXPORTER` and `OTEL_METRICS_EXPORTER` (`otlp` or
/// `none`), `OTEL_METRIC_EXPORT_INTERVAL`, `OTEL_SDK_DISABLED` and their kin. `RUST_LOG` says what is logged and traced,
/// as `info` or `warn,my_crate=debug`; `info` unless set.
///
/// Threads of its own do the sending. Where nobody listens, that is logged, and nothing waits for it.
///
/// # Errors
/// A program that already has a `tracing` subscriber; a variable that says something else than it may.
pub fn init(service: impl Into<String>) -> Result<Telemetry, InitError> {
    let levels = levels()?;
    let enabled = !env::var("OTEL_SDK_DISABLED").is_ok_and(|disabled| disabled.eq_ignore_ascii_case("true"));
    let resource = resource(service.into());
    let mut telemetry = Telemetry { traces: None, metrics: None };
    if enabled && exports("OTEL_TRACES_EXPORTER")? {
        let exporter = SpanExporter::builder().with_http().build();
        let exporter = exporter.map_err(|error| InitError::because("traces cannot be exported", error))?;
        let traces = SdkTracerProvider::builder().with_resource(resource.clone()).with_batch_exporter(exporter).build();
        telemetry.traces = Some(traces);
    }
    if enabled && exports("OTEL_METRICS_EXPORTER")? {
        let exporter = MetricExporter::builder().with_http().build();
        let exporter = exporter.map_err(|error| InitError::because("metrics cannot be exported", error))?;
        let metrics = SdkMeterProvider::builder().with_resource(resource).with_periodic_exporter(exporter).build();
        telemetry.metrics = Some(metrics);
    }
    let traced = telemetry.traces.as_ref().map(|traces| {
        let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer("haft"));
        layer.with_threads(false).with_tracked_inactivity(false).with_filter(without_the_exporter(levels.clone()))
    });
    let logged = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_filter(levels);
    let subscriber = tracing_subscriber::registry().with(traced).with(logged);
    subscriber.try_init().map_err(|error| InitError::because("this program has a subscriber of `tracing`", error))?;
    global::set_text_map_propagator(TextMapCompositePropagator::new(vec![
        Box::new(TraceContextPropagator::new()),
        Box::new(BaggagePropagator::new()),
    ]));
    if let Some(traces) = &telemetry.traces {
        global::set_tracer_provider(traces.clone());
    }
    if let Some(metrics) = &telemetry.metrics {
        global::set_meter_provider(metrics.clone());
    }
    Ok(telemetry)
}

/// What is logged and traced.
fn levels() -> Result<Targets, InitError> {
    match env::var("RUST_LOG").as_deref() {
        Err(_) | Ok("") => Ok(Targets::new().with_default(LevelFilter::INFO)),
        Ok(levels) => levels.parse().map_err(|error| InitError::because("`RUST_LOG` cannot be read", error)),
    }
}

/// Sending traces must not make new ones.
fn without_the_exporter(levels: Targets) -> Targets {
    let exporter =
        ["opentelemetry", "opentelemetry_sdk", "opentelemetry_otlp", "reqwest", "hyper", "hyper_util", "rustls"];
    levels.with_targets(exporter.map(|target| (target, LevelFilter::OFF)))
}

fn exports(variable: &str) -> Result<bool, InitError> {
    match env::var(variable).as_deref() {
        Err(_) | Ok("" | "otlp") => Ok(true),
        Ok("none") => Ok(false),
        Ok(other) => Err(InitError::new(format!("{variable} is {other:?}, and can be `otlp` or `none` here"))),
    }
}

/// Who exports. The environment goes first.
fn resource(service: String) -> Resource {
    let environment = Resource::builder().build();
    let named =
        environment.get(&"service.name".into()).is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let own = (!named).then(|| KeyValue::new("service.name", service));
    Resource::builder().with_attributes(own).build()
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.traces.take().map(|traces| traces.shutdown()) {
            tracing::warn!(%error, "the last traces were not exported");
        }
        if let Some(Err(error)) = self.metrics.take().map(|metrics| metrics.shutdown()) {
            tracing::warn!(%error, "the last metrics were not exported");
        }
    }
}
