//! What the operator reads, beside what the model reads.

use std::io;
use std::sync::{Arc, Mutex};

use haft::prelude::*;
use serde_json::json;

use crate::wire::{Wire, text};

/// Where a subscriber of this thread writes.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Logs of this thread, on which the whole test runs, until the guard is dropped.
fn logged() -> (Log, tracing::subscriber::DefaultGuard) {
    logged_from(tracing::Level::INFO)
}

pub(crate) fn logged_from(level: tracing::Level) -> (Log, tracing::subscriber::DefaultGuard) {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_ansi(false).with_max_level(level).with_writer(move || writer.clone());
    let subscriber = subscriber.finish();
    (log, tracing::subscriber::set_default(subscriber))
}

#[derive(Debug)]
struct Outer(io::Error);

impl std::fmt::Display for Outer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the order could not be read")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn broken(#[arg(secret)] password: String) -> Result<String, ToolError> {
    tracing::info!(length = password.len(), "about to fail");
    Err(Outer(io::Error::other("disk on fire")))?
}

/// Use this for a test.
#[tool(read_only, closed_world)]
fn withheld() -> Result<String, ToolError> {
    tracing::info!("from a thread of its own");
    panic!("no such luck")
}

fn incident(text: &str) -> &str {
    text.split_once("(incident ").and_then(|(_, rest)| rest.split_once(')')).expect("an incident").0
}

#[tokio::test]
async fn an_incident_stands_in_the_log_with_its_causes_and_its_request() {
    let (log, _guard) = logged();
    let server = Server::new("logs", "1.0.0").tool(broken::tool()).tool(withheld::tool()).build().unwrap();
    let mut wire = Wire::new(&server);
    let meta = json!({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"});
    let params = json!({"name": "broken", "arguments": {"password": "hunter2"}, "_meta": meta});
    let answer = wire.ask("tools/call", params).await;
    let read = log.text();
    let failed = read.lines().find(|line| line.contains("tool failed")).unwrap_or_else(|| panic!("not in {read}"));
    assert!(failed.contains("ERROR") && failed.contains(incident(text(&answer))), "{failed}");
    assert!(failed.contains("the order could not be read: disk on fire"), "{failed}");
    for part in [r#"method="tools/call""#, r#"name="broken""#, "0af7651916cd43dd8448eb211c80319c"] {
        assert!(failed.contains(part), "{part} in {failed}");
    }
    assert!(read.lines().any(|line| line.contains("about to fail") && line.contains(r#"name="broken""#)), "{read}");
    assert!(!read.contains("hunter2"), "{read}");
}

#[tokio::test]
async fn a_panic_stands_in_the_log_under_the_incident_that_the_model_was_told() {
    let (log, _guard) = logged();
    let server = Server::new("logs", "1.0.0").tool(withheld::tool()).build().unwrap();
    let answer = Wire::new(&server).call("withheld", json!({})).await;
    let read = log.text();
    let failed = read.lines().find(|line| line.contains("tool failed")).unwrap_or_else(|| panic!("not in {read}"));
    assert!(failed.contains(incident(text(&answer))) && failed.contains("panicked: no such luck"), "{failed}");
}

#[tokio::test]
async fn the_hint_that_hosts_cut_a_text_comes_past_a_length_of_the_authors_choice() {
    let (log, _guard) = logged();
    let echo = || Tool::builder("echo").handler(|_: Arguments, _: Context| async { "ééé" });
    let server = Server::new("logs", "1.0.0").tool(echo()).hint_past(3).build().unwrap();
    Wire::new(&server).call("echo", json!({})).await;
    assert!(!log.text().contains("some hosts cut"), "{}", log.text());
    let server = Server::new("logs", "1.0.0").tool(echo()).hint_past(2).build().unwrap();
    Wire::new(&server).call("echo", json!({})).await;
    assert!(log.text().contains("some hosts cut a text block past 2 characters"), "{}", log.text());
}

#[tokio::test]
async fn what_is_taken_out_of_a_text_is_counted_and_never_shown() {
    let (log, _guard) = logged();
    let said = "\u{1b}[1mAKIAIOSFODNN7EXAMPLE\u{200b}\u{200b}";
    let echo = Tool::builder("echo").handler(move |_: Arguments, _: Context| async move { said });
    let server = Server::new("logs", "1.0.0").tool(echo).sanitize(haft::Sanitize::new().all()).build().unwrap();
    Wire::new(&server).call("echo", json!({})).await;
    let read = log.text();
    let line = read.lines().find(|line| line.contains("taken out")).unwrap_or_else(|| panic!("not in {read}"));
    for part in ["controls=0", "escapes=1", "invisible=2", r#"secrets={"AWS key id": 1}"#] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(!read.contains("AKIA"), "{read}");
}

#[tokio::test]
async fn each_request_says_what_it_asked_for_how_it_ended_and_how_long_it_took() {
    let (log, _guard) = logged_from(tracing::Level::DEBUG);
    let server = Server::new("logs", "1.0.0")
        .tool(Tool::builder("echo").handler(|_: Arguments, _: Context| async { "echo" }))
        .tool(broken::tool())
        .resource(Resource::builder("notes://one", "one").read(|_| async { Ok::<_, RequestError>("one") }))
        .prompt(Prompt::builder("tell").handler(|_, _| async { "tell me" }))
        .build()
        .unwrap();
    let mut wire = Wire::new(&server);
    for (method, params, expected) in [
        ("tools/list", json!({}), [r#"method="tools/list""#, r#"outcome="ok""#]),
        ("tools/call", json!({"name": "echo"}), [r#"name="echo""#, r#"outcome="ok""#]),
        ("tools/call", json!({"name": "broken"}), [r#"name="broken""#, r#"outcome="tool_error""#]),
        ("tools/call", json!({"name": "ech\no"}), [r#"name="ech\no""#, r#"outcome="error""#]),
        ("resources/read", json!({"uri": "notes://one"}), [r#"name="notes://one""#, r#"outcome="ok""#]),
        ("prompts/get", json!({"name": "tell"}), [r#"name="tell""#, r#"outcome="ok""#]),
        ("of/clients/choosing", json!({}), [r#"method="_OTHER""#, r#"outcome="error""#]),
    ] {
        let before = log.text().len();
        wire.ask(method, params).await;
        let read = log.text().split_off(before);
        let line = read.lines().find(|line| line.ends_with("answered")).unwrap_or_else(|| panic!("not in {read}"));
        for part in expected.into_iter().chain(["duration_ms="]) {
            assert!(line.contains(part), "{part} in {line}");
        }
    }
}
