use std::ops::Deref;
use std::sync::Arc;

use haft_schema::{RenderOptions, render};
use haft_wire::{CallToolParams, CallToolResult, ResultType, Task, code, method};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;

use super::error::{ClientError, ErrorKind};
use super::link::Mirrored;
use super::rounds::{Answered, How};
use super::tools::{CheckArguments, Freshness, KnownTools};
use super::{CallOptions, Client, Inner};

/// What came of a call: the tool's result, and whether it is what the tool promises.
///
/// It can be used as the result that it has.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Called {
    /// The result as the server sent it. `is_error` says whether the tool failed.
    pub result: CallToolResult,
    /// How it breaks the tool's output schema, if it does.
    pub mismatch: Option<String>,
}

impl Deref for Called {
    type Target = CallToolResult;

    fn deref(&self) -> &CallToolResult {
        &self.result
    }
}

impl Client {
    /// Calls a tool. Where the server goes on with the call as a task, this follows the task to its end
    /// ([`Client::call_task`] doesn't), and cancels it when it is dropped before. (Dropped while the answer that names the
    /// task is on its way, the task goes on until its time is over.) A timeout of the client's own is for each request of
    /// such a call, one of [`CallOptions::timeout`] for all of it.
    ///
    /// # Errors
    /// See [`ErrorKind`]. A tool that fails is not an error here: its result has `is_error`.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Called, ClientError> {
        self.call_with(tool, arguments, CallOptions::default()).await
    }

    /// Calls a tool, with timeouts of its own or with progress.
    ///
    /// What the tool's input schema says of the arguments is logged, or enforced
    /// ([`ClientBuilder::check_arguments`](crate::ClientBuilder::check_arguments)). For this the server's tools are listed
    /// once, unless they are known already.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn call_with(&self, tool: &str, arguments: Value, options: CallOptions) -> Result<Called, ClientError> {
        self.inner.call(tool, arguments, options).await
    }
}

/// The tools of the server, where they are known.
type Known = Option<Arc<KnownTools>>;

/// How the server went about a call.
pub(super) enum Begun {
    /// It is done.
    Result(Box<RawValue>),
    /// It goes on.
    Task(Box<Task>),
}

impl Inner {
    async fn call(self: &Arc<Self>, name: &str, arguments: Value, options: CallOptions) -> Result<Called, ClientError> {
        let at_most = options.timeout;
        let how = How::of(options, self.settings.timeout);
        let begun = Instant::now();
        let (answer, known) = self.begin(name, &arguments, &how).await?;
        let result = match answer {
            Begun::Result(result) => result,
            Begun::Task(task) => {
                let left = at_most.map(|at_most| at_most.saturating_sub(begun.elapsed()));
                self.see_through(name, *task, left).await?
            }
        };
        self.conclude(name, &result, known).await
    }

    /// Sends a call, and gives what it came to with what was known of the tool.
    pub(super) async fn begin(&self, name: &str, arguments: &Value, how: &How) -> Result<(Begun, Known), ClientError> {
        // Without a list there is nothing to check by; the server says what is wrong.
        let known = self.known_tools(Freshness::Known).await;
        let mut known = known.inspect_err(|error| tracing::debug!(%error, "the server's tools can't be listed")).ok();
        self.check_arguments(name, arguments, known.as_deref())?;
        let raw = to_raw_value(arguments)
            .map_err(|error| ClientError::new(ErrorKind::Encoding, format!("the arguments are not JSON: {error}")))?;
        let params = CallToolParams { arguments: Some(raw), ..CallToolParams::new(name) };
        let mirrored = mirrored(name, arguments, known.as_deref());
        let mut answered = self.request_in_rounds(params.clone(), &mirrored, how).await;
        if let Err(error) = &answered
            && error.code() == Some(code::HEADER_MISMATCH)
        {
            // The tool may want other arguments in headers than it did.
            tracing::debug!(tool = name, "the server misses headers; its tools are listed anew");
            known = Some(self.known_tools(Freshness::New).await?);
            let mirrored = self::mirrored(name, arguments, known.as_deref());
            answered = self.request_in_rounds(params, &mirrored, how).await;
        }
        match answered {
            Ok(Answered::Complete(result)) => Ok((Begun::Result(result), known)),
            Ok(Answered::Other(kind, result)) if kind == ResultType::TASK && self.settings.tasks => {
                let task = Task::read(&result).map_err(|error| ClientError::invalid(error.to_string()))?;
                Ok((Begun::Task(Box::new(task)), known))
            }
            Ok(Answered::Other(kind, _)) => Err(ClientError::unknown_result(method::TOOLS_CALL, &kind)),
            Err(error) if error.code() == Some(code::INVALID_PARAMS) => {
                Err(if self.is_unknown(name, known).await { unknown(name, &error.to_string()) } else { error })
            }
            Err(error) => Err(error),
        }
    }

    /// What a result is to who called: read, and held against what the tool promises.
    pub(super) async fn conclude(&self, name: &str, result: &RawValue, known: Known) -> Result<Called, ClientError> {
        let known = match known {
            Some(known) => Some(known),
            None => self.known_tools(Freshness::Known).await.ok(),
        };
        let result: CallToolResult = serde_json::from_str(result.get())
            .map_err(|error| ClientError::invalid(format!("the result of {name} can't be read: {error}")))?;
        // Some servers say so in a result.
        if result.is_error == Some(true) && self.is_unknown(name, known.clone()).await {
            return Err(unknown(name, &result.text()));
        }
        let mismatch = mismatch(name, &result, known.as_deref());
        if let Some(mismatch) = &mismatch {
            tracing::warn!(tool = name, mismatch, "a result breaks its tool's output schema");
        }
        Ok(Called { result, mismatch })
    }

    fn check_arguments(&self, name: &str, arguments: &Value, known: Option<&KnownTools>) -> Result<(), ClientError> {
        if !arguments.is_object() {
            let what = format!("the arguments of {name} must be an object, with each argument by its name");
            return Err(ClientError::new(ErrorKind::InvalidArguments, what));
        }
        let Some((tool, how)) = known.and_then(|known| known.get(name)) else { return Ok(()) };
        if self.settings.check == CheckArguments::Off {
            return Ok(());
        }
        let Some(checker) = how.input(tool) else { return Ok(()) };
        let violations = checker.check(arguments);
        if violations.is_empty() {
            return Ok(());
        }
        let problems = render(&violations, &RenderOptions::arguments(name));
        if self.settings.check == CheckArguments::Enforce {
            return Err(ClientError::new(ErrorKind::InvalidArguments, problems));
        }
        tracing::warn!(tool = name, problems, "arguments break the tool's input schema; they are sent all the same");
        Ok(())
    }

    /// Whether the server has no such tool, by its own list as it is now.
    async fn is_unknown(&self, name: &str, known: Option<Arc<KnownTools>>) -> bool {
        if known.is_some_and(|known| known.get(name).is_some()) {
            return false;
        }
        // A list that can't be had says nothing.
        self.known_tools(Freshness::New).await.is_ok_and(|known| known.get(name).is_none())
    }
}

fn unknown(name: &str, said: &str) -> ClientError {
    let said: String = said.chars().take(500).collect();
    ClientError::new(ErrorKind::UnknownTool, format!("the server has no tool {name:?}: {said}"))
}

/// What headers repeat of a call.
fn mirrored(name: &str, arguments: &Value, known: Option<&KnownTools>) -> Mirrored {
    #[cfg(not(feature = "http-client"))]
    let _ = (arguments, known);
    Mirrored {
        method: method::TOOLS_CALL.to_owned(),
        name: Some(name.to_owned()),
        #[cfg(feature = "http-client")]
        arguments: known
            .and_then(|known| known.get(name))
            .map(|(_, how)| super::http::headers::of_arguments(&how.headers, arguments))
            .unwrap_or_default(),
    }
}

/// How a result breaks its tool's output schema. One that says that the tool failed may have any form.
///
/// spec: `server/tools#output-schema`
fn mismatch(name: &str, result: &CallToolResult, known: Option<&KnownTools>) -> Option<String> {
    let (tool, how) = known.and_then(|known| known.get(name))?;
    if result.is_error == Some(true) {
        return None;
    }
    let checker = how.output(tool)?;
    let Some(structured) = &result.structured_content else {
        return Some(format!("{name} promises structured content and gave none"));
    };
    match serde_json::from_str::<Value>(structured.get()) {
        Ok(value) => {
            let violations = checker.check(&value);
            (!violations.is_empty()).then(|| render(&violations, &RenderOptions::output(name)))
        }
        Err(error) => Some(format!("its structured content can't be read: {error}")),
    }
}
