//! One call: from the name and arguments that a model gave, past the person who may say no, to what the model reads.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::audit::{AuditEntry, AuditOutcome, milliseconds};
use super::catalog::Exposed;
use super::events::ToolboxEvent;
use super::outcome::{CallOutcome, OutcomeKind};
use super::policy::{Approval, ApprovalRequest, DecidedBy};
use super::{Toolbox, arguments, shown};
use crate::client::{CallOptions, ErrorKind};
use crate::time::rfc3339;

impl Toolbox {
    /// Calls a tool by the name that the model sees.
    ///
    /// `arguments` is an object, `null` for none, or a string with JSON in it, as OpenAI's APIs give it. A `null` for an
    /// argument that isn't required and takes none is left out.
    ///
    /// There is always something for the model to read: that the call was denied, that there is no such tool, or why it
    /// failed. [`CallOutcome::kind`] says which it is.
    pub async fn call(&self, name: &str, arguments: Value) -> CallOutcome {
        self.call_with(name, arguments, CallOptions::default()).await
    }

    /// Calls a tool, with timeouts of its own or with progress.
    pub async fn call_with(&self, name: &str, arguments: Value, options: CallOptions) -> CallOutcome {
        let catalog = self.catalog();
        let Some(tool) = catalog.get(name) else {
            let known = haft_schema::nearest(name, catalog.names());
            let meant = known.map(|known| format!(" Did you mean {known}?")).unwrap_or_default();
            let name = shown::line(name, 200);
            return CallOutcome::failed(&name, format!("There is no tool {name}.{meant}"), None);
        };
        let name = tool.public.name.as_str();
        let schema = tool.schema();
        let arguments = match read(arguments) {
            Ok(arguments) => arguments::without_nulls(Value::Object(arguments), &schema),
            Err(problem) => return CallOutcome::failed(name, format!("{name} was not called: {problem}"), None),
        };
        let mut running = Running::new(self, tool, &arguments, &schema);
        if let Err(denied) = self.approved(&mut running, &arguments, &schema).await {
            running.outcome = Some(OutcomeKind::Denied);
            return CallOutcome::denied(name, denied);
        }
        running.start();
        let called = tool.client.call_with(&tool.public.definition.name, arguments, options).await;
        let outcome = match called {
            Ok(called) => CallOutcome::returned(name, called, &tool.client),
            Err(error) => {
                let why = match error.kind() {
                    ErrorKind::Timeout => "it did not answer in time. It may still have taken effect.".to_owned(),
                    ErrorKind::InvalidArguments => shown::lines(&error.to_string(), 4_000),
                    _ => shown::lines(&error.to_string(), 1_000),
                };
                CallOutcome::failed(name, format!("The call of {name} failed: {why}"), Some(error))
            }
        };
        running.outcome = Some(outcome.kind());
        outcome
    }

    /// Whether the call may be made; else what the model is told.
    async fn approved(&self, running: &mut Running<'_>, arguments: &Value, schema: &Value) -> Result<(), String> {
        let tool = running.tool;
        let name = &tool.public.name;
        if self.settings.preapproved.contains(name) {
            running.decided_by = Some(DecidedBy::PreApproved);
            return Ok(());
        }
        let Some(reason) = tool.policy.asks(tool.public.definition.annotations.as_ref()) else {
            running.decided_by = Some(DecidedBy::Policy);
            return Ok(());
        };
        let Some(approve) = &self.settings.approve else {
            running.decided_by = Some(DecidedBy::Policy);
            return Err(format!(
                "{name} was not called: it needs the user's approval, and there is nobody to ask here."
            ));
        };
        let shown = arguments::shown(arguments, schema);
        let asked = approve(ApprovalRequest::new(running.call, tool, shown, reason));
        let decision = match self.settings.approval_patience {
            None => asked.await,
            Some(patience) => match tokio::time::timeout(patience, asked).await {
                Ok(decision) => decision,
                Err(_) => {
                    running.decided_by = Some(DecidedBy::Policy);
                    return Err(format!(
                        "{name} was not called: it needs the user's approval, and the user did not answer in time."
                    ));
                }
            },
        };
        running.decided_by = Some(DecidedBy::User);
        match decision {
            Approval::Approve => Ok(()),
            Approval::Deny => Err(format!(
                "{name} was not called: the user said no. Don't call it again with the same arguments unless they ask for it."
            )),
            Approval::DenyBecause(why) => Err(format!("{name} was not called: the user said no. {why}")),
        }
    }
}

fn read(arguments: Value) -> Result<Map<String, Value>, String> {
    let arguments = match arguments {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => {
            serde_json::from_str(&text).map_err(|error| format!("its arguments are not JSON: {error}"))?
        }
        other => other,
    };
    match arguments {
        Value::Object(arguments) => Ok(arguments),
        Value::Null => Ok(Map::new()),
        _ => Err("its arguments must be an object, with each argument by its name".to_owned()),
    }
}

/// A call, from the moment that it is asked for. Its end is told and written down, however it ends.
struct Running<'a> {
    toolbox: &'a Toolbox,
    tool: &'a Arc<Exposed>,
    call: u64,
    at: SystemTime,
    since: Instant,
    started: bool,
    decided_by: Option<DecidedBy>,
    outcome: Option<OutcomeKind>,
    arguments: Option<Value>,
}

impl<'a> Running<'a> {
    fn new(toolbox: &'a Toolbox, tool: &'a Arc<Exposed>, arguments: &Value, schema: &Value) -> Self {
        let call = toolbox.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let arguments = toolbox.settings.audit.arguments.then(|| arguments::shown(arguments, schema));
        let (at, since) = (SystemTime::now(), Instant::now());
        Self { toolbox, tool, call, at, since, started: false, decided_by: None, outcome: None, arguments }
    }

    fn start(&mut self) {
        self.started = true;
        self.since = Instant::now();
        self.toolbox.tell(&ToolboxEvent::Started { call: self.call, name: self.tool.public.name.clone() });
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let duration: Duration = self.since.elapsed();
        if self.started {
            let name = self.tool.public.name.clone();
            self.toolbox.tell(&ToolboxEvent::Ended { call: self.call, name, outcome: self.outcome, duration });
        }
        self.toolbox.settings.audit.write(&AuditEntry {
            at: rfc3339(self.at),
            call: self.call,
            server: self.tool.server_shown(),
            tool: self.tool.tool_shown(),
            decided_by: self.decided_by,
            outcome: match self.outcome {
                Some(OutcomeKind::Ok) => AuditOutcome::Ok,
                Some(OutcomeKind::ToolError) => AuditOutcome::ToolError,
                Some(OutcomeKind::Denied) => AuditOutcome::Denied,
                Some(OutcomeKind::Failed) => AuditOutcome::Failed,
                None => AuditOutcome::Cancelled,
            },
            duration_ms: milliseconds(duration),
            arguments: self.arguments.take(),
        });
    }
}
