use std::sync::{Arc, Mutex, PoisonError};

use haft_wire::{LogLevel, LogMessageParams, ProgressParams, ProgressToken, encode, method};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// The way from a running call to its client, for what is sent before the result.
///
/// Closed when the result is sent or the call cancelled: from then on nothing goes out for it.
///
/// spec: `basic/patterns/progress#behavior-requirements`, `basic/patterns/cancellation#behavior-requirements`
#[derive(Clone)]
pub(crate) struct Outbound {
    state: Arc<Mutex<State>>,
    shared: bool,
    /// Whether progress may come with a sentence.
    words: bool,
}

/// Nobody reads any more.
#[derive(Debug)]
pub(crate) struct Gone;

struct State {
    frames: Option<mpsc::Sender<Vec<u8>>>,
    progress: Option<f64>,
}

impl Outbound {
    pub(crate) fn new(frames: mpsc::Sender<Vec<u8>>) -> Self {
        Self { state: Arc::new(Mutex::new(State { frames: Some(frames), progress: None })), shared: false, words: true }
    }

    /// The same way, for a client whose revision has no words for progress.
    pub(crate) fn wordless(self) -> Self {
        Self { words: false, ..self }
    }

    /// One that shares its channel with other requests, as on stdio: the end of one is nothing that the client sees.
    pub(crate) fn multiplexed(frames: mpsc::Sender<Vec<u8>>) -> Self {
        Self { shared: true, ..Self::new(frames) }
    }

    /// For calls that nobody listens to while they run.
    pub(crate) fn closed() -> Self {
        Self { state: Arc::new(Mutex::new(State { frames: None, progress: None })), shared: false, words: true }
    }

    pub(crate) fn close(&self) {
        self.lock().frames = None;
    }

    /// Whether other requests use the same channel.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared
    }

    /// Sends a frame that must not be lost, once there is room for it.
    ///
    /// For the exchange itself, which closes this only when it is done: a frame on its way is not held back by `close`.
    pub(crate) async fn send(&self, frame: Vec<u8>) -> Result<(), Gone> {
        let frames = self.lock().frames.clone().ok_or(Gone)?;
        frames.send(frame).await.map_err(|_| Gone)
    }

    pub(crate) fn progress(
        &self,
        token: Option<&ProgressToken>,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) {
        let Some(token) = token else { return };
        let mut state = self.lock();
        if !progress.is_finite() || state.progress.is_some_and(|last| progress <= last) {
            tracing::debug!(progress, "progress must rise; this value is left out");
            return;
        }
        let params = ProgressParams {
            progress_token: token.clone(),
            progress,
            total: total.filter(|total| total.is_finite()),
            message: message.filter(|_| self.words).map(str::to_owned),
            meta: None,
        };
        if state.send(method::NOTIFICATION_PROGRESS, &params) {
            state.progress = Some(progress);
        }
    }

    /// Sends a notification if there is room for it.
    pub(crate) fn notify(&self, method: &str, params: &impl Serialize) {
        self.lock().send(method, params);
    }

    pub(crate) fn log(&self, level: LogLevel, logger: &str, data: Box<RawValue>) {
        let params = LogMessageParams { level, logger: Some(logger.to_owned()), data, meta: None };
        self.notify(method::NOTIFICATION_MESSAGE, &params);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether it went out. Held under the lock, so that nothing can follow a `close`.
    fn send(&self, method: &str, params: &impl Serialize) -> bool {
        let Some(frames) = &self.frames else { return false };
        match encode::notification(method, Some(params)) {
            Ok(frame) => match frames.try_send(frame) {
                Ok(()) => true,
                Err(_) => {
                    tracing::debug!(method, "the client reads too slowly or is gone; a notification is left out");
                    false
                }
            },
            Err(error) => {
                tracing::error!(method, %error, "a notification could not be encoded");
                false
            }
        }
    }
}
