//! What an OpenTelemetry collector receives of a server.
//!
//! A program exports once, so the server is a process of its own: this binary, started again with the collector's
//! address in its environment.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::mpsc;
use std::time::Duration;

use haft::prelude::*;
use opentelemetry::baggage::BaggageExt;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::{Span, span::SpanKind, status::StatusCode};
use prost::Message;
use serde_json::{Value, json};
use tracing_opentelemetry::OpenTelemetrySpanExt;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "00f067aa0ba902b7";

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn get_order(order_id: String) -> Result<String, ToolError> {
    let baggage = baggage_of_now();
    tracing::info_span!("look_up", baggage).in_scope(|| tracing::info!("found"));
    if order_id == "none" { Err(ToolError::new("No such order.")) } else { Ok(order_id) }
}

/// What came with the request for whoever traces.
fn baggage_of_now() -> String {
    let context = tracing::Span::current().context();
    context.baggage().get("user").map(ToString::to_string).unwrap_or_default()
}

/// The server's side. Ignored: the test below runs it.
#[test]
#[ignore = "another test runs it, with a collector to send to"]
fn served() {
    let telemetry = haft::otel::init("orders").unwrap();
    assert!(haft::otel::init("again").unwrap_err().to_string().contains("has a subscriber"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let server = Server::new("orders", "1.0.0")
            .tool(get_order::tool())
            .resource(Resource::builder("notes://one", "one").read(|_| async { Ok::<_, RequestError>("one") }))
            .prompt(Prompt::builder("tell").handler(|_, _| async { "tell me" }))
            .build()
            .unwrap();
        let (to_server, mut from_server) = haft::__private::connect(&server);
        let traced = json!({
            "traceparent": format!("00-{TRACE}-{PARENT}-01"), "tracestate": "vendor=x", "baggage": "user=ada",
        });
        for (id, method, params) in [
            (1, "tools/call", json!({"name": "get_order", "arguments": {"order_id": "A-1"}, "_meta": traced})),
            (2, "tools/call", json!({"name": "get_order", "arguments": {"order_id": "none"}})),
            (3, "tools/call", json!({"name": "no_such_tool"})),
            (4, "resources/read", json!({"uri": "notes://one"})),
            (5, "prompts/get", json!({"name": "tell"})),
            (6, "of/clients/choosing", json!({})),
        ] {
            to_server.send(request(id, method, params)).await.unwrap();
            from_server.recv().await.unwrap();
        }
        let (to_server, mut from_server) = haft::__private::connect(&server);
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "", "version": ""}});
        for (id, method, params) in [
            (10, "initialize", hello),
            (11, "tools/call", json!({"name": "get_order", "arguments": {"order_id": "A-1"}, "_meta": traced})),
        ] {
            let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            to_server.send(request.to_string().into_bytes()).await.unwrap();
            from_server.recv().await.unwrap();
        }
        // Within the runtime, as in an asynchronous `main`.
        drop(telemetry);
    });
}

fn request(id: i64, method: &str, mut params: Value) -> Vec<u8> {
    let meta = params.as_object_mut().unwrap().entry("_meta").or_insert(json!({}));
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().into_bytes()
}

/// Runs the server with this environment to its end.
fn run(variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "served", "--include-ignored", "--nocapture"]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("OTEL_") || name == "RUST_LOG") {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// A collector: the paths and bodies that it was sent. Each is there before whoever sent it has its answer.
fn collector() -> (String, mpsc::Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, received) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, sender) = (stream.unwrap(), sender.clone());
            std::thread::spawn(move || while receive(&stream, &sender).is_some() {});
        }
    });
    (url, received)
}

/// One request of HTTP/1.1, answered.
fn receive(mut stream: &TcpStream, sender: &mpsc::Sender<(String, Vec<u8>)>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let (name, value) = line.trim_end().split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
        if name.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    sender.send((path, body)).ok()?;
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n").ok()
}

type Attributes = BTreeMap<String, String>;

fn attributes(list: &[KeyValue]) -> Attributes {
    let value = |value: &Option<AnyValue>| match value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(any_value::Value::StringValue(text)) => text.clone(),
        other => format!("{other:?}"),
    };
    list.iter().map(|pair| (pair.key.clone(), value(&pair.value))).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a server sent: who it says it is, its spans, and its measurements.
struct Sent {
    service: Vec<Attributes>,
    spans: Vec<Span>,
    durations: Vec<(Attributes, u64, f64)>,
}

fn sent(received: &mpsc::Receiver<(String, Vec<u8>)>) -> Sent {
    let mut sent = Sent { service: Vec::new(), spans: Vec::new(), durations: Vec::new() };
    // The server has ended: all that it sent is here.
    while let Ok((path, body)) = received.try_recv() {
        match path.as_str() {
            "/v1/traces" => {
                for of_resource in ExportTraceServiceRequest::decode(&*body).unwrap().resource_spans {
                    sent.service.push(attributes(&of_resource.resource.unwrap_or_default().attributes));
                    sent.spans.extend(of_resource.scope_spans.into_iter().flat_map(|of_scope| of_scope.spans));
                }
            }
            "/v1/metrics" => {
                for of_resource in ExportMetricsServiceRequest::decode(&*body).unwrap().resource_metrics {
                    sent.service.push(attributes(&of_resource.resource.unwrap_or_default().attributes));
                    for metric in of_resource.scope_metrics.into_iter().flat_map(|of_scope| of_scope.metrics) {
                        assert_eq!(
                            (metric.name.as_str(), metric.unit.as_str()),
                            ("mcp.server.operation.duration", "s")
                        );
                        let Some(Data::Histogram(histogram)) = metric.data else { panic!("no histogram") };
                        for point in histogram.data_points {
                            sent.durations.push((attributes(&point.attributes), point.count, point.sum.unwrap()));
                        }
                    }
                }
            }
            other => panic!("nobody listens at {other}"),
        }
    }
    sent
}

impl Sent {
    fn span(&self, id: &str) -> (&Span, Attributes) {
        let of = |span: &&Span| attributes(&span.attributes).get("jsonrpc.request.id").is_some_and(|found| found == id);
        let span = self.spans.iter().find(of).unwrap_or_else(|| panic!("no span of {id}"));
        (span, attributes(&span.attributes))
    }

    fn measured(&self, of: &[(&str, &str)]) -> u64 {
        let expected: Attributes = of.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let found = self.durations.iter().find(|(attributes, ..)| *attributes == expected);
        found.unwrap_or_else(|| panic!("no {expected:?} in {:?}", self.durations)).1
    }
}

#[track_caller]
fn assert_has(attributes: &Attributes, expected: &[(&str, &str)]) {
    for (key, value) in expected {
        assert_eq!(attributes.get(*key).map(String::as_str), Some(*value), "{key} in {attributes:?}");
    }
}

#[test]
fn a_collector_receives_the_spans_and_the_metric_of_the_conventions() {
    let (url, received) = collector();
    run(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &url), ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")]);
    let sent = sent(&received);
    for service in &sent.service {
        assert_has(service, &[("service.name", "orders"), ("deployment.environment.name", "test")]);
    }
    assert!(sent.service.len() >= 2);

    let (span, attributes) = sent.span("1");
    assert_eq!((span.name.as_str(), span.kind()), ("tools/call get_order", SpanKind::Server));
    assert_eq!((hex(&span.trace_id).as_str(), hex(&span.parent_span_id).as_str()), (TRACE, PARENT));
    assert_eq!(span.trace_state, "vendor=x");
    assert_has(
        &attributes,
        &[
            ("mcp.method.name", "tools/call"),
            ("mcp.protocol.version", "2026-07-28"),
            ("gen_ai.tool.name", "get_order"),
            ("gen_ai.operation.name", "execute_tool"),
            ("network.transport", "pipe"),
            ("outcome", "ok"),
        ],
    );
    assert!(!attributes.contains_key("error.type") && attributes.contains_key("duration_ms"), "{attributes:?}");
    assert!(span.status.as_ref().is_none_or(|status| status.code() == StatusCode::Unset));

    let inner = sent.spans.iter().find(|span| span.name == "look_up" && hex(&span.trace_id) == TRACE).unwrap();
    assert_eq!(inner.parent_span_id, span.span_id);
    assert_eq!(self::attributes(&inner.attributes)["baggage"], "ada");

    let (span, attributes) = sent.span("2");
    assert!(span.parent_span_id.is_empty() && hex(&span.trace_id) != TRACE);
    assert_has(&attributes, &[("error.type", "tool_error"), ("outcome", "tool_error")]);
    assert!(!attributes.contains_key("rpc.response.status_code"));
    assert_eq!(span.status.as_ref().unwrap().code(), StatusCode::Error);

    let (span, attributes) = sent.span("3");
    assert_eq!(span.name, "tools/call");
    assert_has(&attributes, &[("error.type", "-32602"), ("rpc.response.status_code", "-32602"), ("outcome", "error")]);
    assert!(!attributes.contains_key("gen_ai.tool.name"));
    assert!(span.status.as_ref().unwrap().message.contains("no_such_tool"));

    let (span, attributes) = sent.span("4");
    assert_eq!(span.name, "resources/read");
    assert_has(&attributes, &[("mcp.resource.uri", "notes://one")]);
    assert!(!attributes.contains_key("gen_ai.operation.name"));

    let (span, attributes) = sent.span("5");
    assert_eq!(span.name, "prompts/get tell");
    assert_has(&attributes, &[("gen_ai.prompt.name", "tell")]);

    let (span, attributes) = sent.span("6");
    assert_eq!(span.name, "_OTHER");
    assert_has(&attributes, &[("mcp.method.name", "_OTHER"), ("error.type", "-32601")]);

    let (span, attributes) = sent.span("11");
    assert_eq!(hex(&span.trace_id), TRACE);
    assert_has(&attributes, &[("mcp.protocol.version", "2025-11-25"), ("gen_ai.tool.name", "get_order")]);

    let version = ("mcp.protocol.version", "2026-07-28");
    let call =
        [("mcp.method.name", "tools/call"), ("gen_ai.operation.name", "execute_tool"), ("network.transport", "pipe")];
    let called = |more: &[(&'static str, &'static str)]| sent.measured(&[&call, more].concat());
    assert_eq!(called(&[version, ("gen_ai.tool.name", "get_order")]), 1);
    assert_eq!(called(&[version, ("gen_ai.tool.name", "get_order"), ("error.type", "tool_error")]), 1);
    assert_eq!(called(&[version, ("error.type", "-32602"), ("rpc.response.status_code", "-32602")]), 1);
    assert_eq!(sent.measured(&[("mcp.method.name", "resources/read"), version, ("network.transport", "pipe")]), 1);
    assert!(sent.durations.iter().all(|(_, _, seconds)| *seconds > 0.0 && *seconds < 20.0), "{:?}", sent.durations);
}

#[test]
fn the_environment_says_what_is_exported_and_under_which_name() {
    let (url, received) = collector();
    let variables =
        [("OTEL_EXPORTER_OTLP_ENDPOINT", &*url), ("OTEL_METRICS_EXPORTER", "none"), ("OTEL_SERVICE_NAME", "shop")];
    run(&variables);
    let some = sent(&received);
    assert!(some.durations.is_empty() && !some.spans.is_empty());
    assert!(some.service.iter().all(|service| service["service.name"] == "shop"), "{:?}", some.service);

    let (url, received) = collector();
    let output = run(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &url), ("OTEL_SDK_DISABLED", "true"), ("RUST_LOG", "debug")]);
    let none = sent(&received);
    assert!(none.spans.is_empty() && none.durations.is_empty());
    let logs = String::from_utf8(output.stderr).unwrap();
    assert!(logs.lines().any(|line| line.contains("answered") && line.contains(r#"name="get_order""#)), "{logs}");
}

#[test]
fn nobody_waits_for_a_collector_that_is_not_there() {
    let started = std::time::Instant::now();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    run(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{closed}"))]);
    assert!(started.elapsed() < Duration::from_secs(15));
}
