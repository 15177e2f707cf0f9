use std::fmt;
use std::time::Duration;

use haft_wire::{
    CallToolOutcome, CallToolParams, CallToolResult, ClientCapabilities, ProgressParams, RequestMeta, VERSION,
    WithMeta, encode, method,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Client, ClientError, ErrorKind};
use crate::error::ProtocolError;

/// How one request is made.
#[derive(Default)]
pub struct CallOptions {
    timeout: Option<Duration>,
    progress: Option<Box<dyn FnMut(ProgressParams) + Send>>,
}

impl CallOptions {
    /// How long to wait for the result, in all. The call is cancelled then.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Asks for progress, and what to do with it. The function must not block.
    #[must_use]
    pub fn on_progress(mut self, callback: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        self.progress = Some(Box::new(callback));
        self
    }
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl Client {
    /// Calls a tool.
    ///
    /// # Errors
    /// See [`ErrorKind`]. A tool that fails is not an error here: its result has `is_error`.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ClientError> {
        self.call_with(tool, arguments, CallOptions::default()).await
    }

    /// Calls a tool, with a timeout of its own or with progress.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn call_with(
        &self,
        tool: &str,
        arguments: Value,
        options: CallOptions,
    ) -> Result<CallToolResult, ClientError> {
        let arguments = serde_json::value::to_raw_value(&arguments)
            .map_err(|error| ClientError::new(ErrorKind::Encoding, format!("the arguments are not JSON: {error}")))?;
        let params = CallToolParams { arguments: Some(arguments), ..CallToolParams::new(tool) };
        let result = self.request(method::TOOLS_CALL, &params, options).await?;
        let invalid = |what| Err(ClientError::new(ErrorKind::InvalidResponse, what));
        match CallToolOutcome::read(&result) {
            Ok(CallToolOutcome::Complete(result)) => Ok(result),
            Ok(CallToolOutcome::InputRequired(_)) => Err(ClientError::new(
                ErrorKind::InputRequired,
                format!("{tool} asks for input from the user, which this client cannot give"),
            )),
            Ok(CallToolOutcome::Other { result_type, .. }) => {
                invalid(format!("the result of {tool} has the unknown resultType {result_type:?}"))
            }
            Err(error) => invalid(error.to_string()),
        }
    }

    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, ClientError> {
        let result = self.request(method, params, CallOptions::default()).await?;
        serde_json::from_str(result.get()).map_err(|error| {
            ClientError::new(ErrorKind::InvalidResponse, format!("the result of {method} breaks the protocol: {error}"))
        })
    }

    async fn request(
        &self,
        method: &str,
        params: &impl Serialize,
        options: CallOptions,
    ) -> Result<Box<RawValue>, ClientError> {
        let id = self.connection.next_id();
        let meta = RequestMeta {
            protocol_version: Some(VERSION.to_owned()),
            client_info: Some(self.info.clone()),
            client_capabilities: Some(ClientCapabilities::default()),
            progress_token: options.progress.is_some().then(|| id.into()),
            ..RequestMeta::default()
        };
        let frame = encode::request(&id.into(), method, Some(&WithMeta { meta: &meta, params }))
            .map_err(|error| ClientError::new(ErrorKind::Encoding, format!("the request is not JSON: {error}")))?;
        let timeout = options.timeout.unwrap_or(self.timeout);
        let answered = tokio::time::timeout(timeout, async {
            let mut open = self.connection.send(id, frame, options.progress).await?;
            open.answer().await
        });
        match answered.await {
            Ok(Ok(Ok(result))) => Ok(result),
            Ok(Ok(Err(error))) => Err(ProtocolError::from(error).into()),
            Ok(Err(closed)) => Err(closed),
            Err(_) => {
                let what = format!("{method} had no answer within {timeout:?} and was cancelled");
                Err(ClientError::new(ErrorKind::Timeout, what))
            }
        }
    }
}
