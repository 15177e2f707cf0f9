use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use haft_wire::{
    ErrorObject, LogMessageParams, Notification, ProgressParams, Request, RequestId, ResourceUpdatedParams, Task, code,
    encode, meta, method,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc};

use super::handlers::Handlers;
use super::wire::OnWire;

pub(super) type OnProgress = Box<dyn FnMut(ProgressParams) + Send>;

/// What is done with progress, for all rounds of one call.
#[derive(Clone)]
pub(super) struct SharedProgress(Arc<Mutex<OnProgress>>);

impl SharedProgress {
    pub(super) fn new(callback: OnProgress) -> Self {
        Self(Arc::new(Mutex::new(callback)))
    }

    fn call(&self, progress: ProgressParams) {
        let mut callback = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (*callback)(progress);
    }
}

pub(super) type OnLog = Arc<dyn Fn(LogMessageParams) + Send + Sync>;

/// What a server changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The resource with this URI.
    Resource(String),
    /// The task with this id.
    Task(String),
}

/// Where all goes that a server sends beside its answers, on whichever stream it comes.
pub(super) struct Inbound {
    pub(super) handlers: Handlers,
    on_log: Option<OnLog>,
    pub(super) on_wire: OnWire,
    watched: Mutex<HashMap<i64, Watched>>,
    /// Those who want to be told of changes; with an id, of those of this subscription.
    listeners: Mutex<Vec<Listener>>,
    /// Rises when the list of tools changes.
    tools: AtomicU64,
    /// What a server with a session has asked since this client last began a request.
    asked: AtomicUsize,
}

struct Watched {
    progress: Option<SharedProgress>,
    alive: Arc<Notify>,
}

struct Listener {
    subscription: Option<RequestId>,
    changes: mpsc::Sender<Told>,
}

/// What a listener is told.
#[derive(Debug)]
pub(super) enum Told {
    Acknowledged,
    Changed(Change),
}

/// Questions of a server with a session that are answered until this client sends its next request.
const MOST_ASKED: usize = 64;

/// News that may wait for a listener; it is told of a gap if there are more.
pub(super) const QUEUE: usize = 256;

impl Inbound {
    pub(super) fn new(handlers: Handlers, on_log: Option<OnLog>, on_wire: OnWire) -> Self {
        let (watched, listeners, tools, asked) = Default::default();
        Self { handlers, on_log, on_wire, watched, listeners, tools, asked }
    }

    /// Which list of tools it is that the server has now.
    pub(super) fn tools_generation(&self) -> u64 {
        self.tools.load(Ordering::Acquire)
    }

    /// Sees to a request while it runs; what comes with its token goes to `progress`.
    pub(super) fn watch(self: &Arc<Self>, id: i64, progress: Option<SharedProgress>) -> Watch {
        let alive = Arc::new(Notify::new());
        self.asked.store(0, Ordering::Release);
        self.watched().insert(id, Watched { progress, alive: Arc::clone(&alive) });
        Watch { inbound: Arc::clone(self), id, alive }
    }

    pub(super) fn listen(&self, subscription: Option<RequestId>) -> mpsc::Receiver<Told> {
        let (changes, receiver) = mpsc::channel(QUEUE);
        let mut listeners = self.listeners();
        listeners.retain(|listener| !listener.changes.is_closed());
        listeners.push(Listener { subscription, changes });
        receiver
    }

    pub(super) fn notification(&self, notification: &Notification) {
        let params = notification.params.as_deref();
        match notification.method.as_str() {
            method::NOTIFICATION_PROGRESS => match read::<ProgressParams>(params) {
                Ok(progress) => self.progress(progress),
                Err(error) => tracing::warn!(error, "the server sent progress that can't be read"),
            },
            method::NOTIFICATION_MESSAGE => match (read::<LogMessageParams>(params), &self.on_log) {
                (Ok(message), Some(on_log)) => on_log(message),
                (Ok(message), None) => {
                    tracing::debug!(level = %message.level, data = message.data.get(), "the server logs")
                }
                (Err(error), _) => tracing::warn!(error, "the server sent a log message that can't be read"),
            },
            method::NOTIFICATION_SUBSCRIPTIONS_ACKNOWLEDGED => self.tell(params, || Told::Acknowledged),
            method::NOTIFICATION_TOOLS_LIST_CHANGED => {
                self.tools.fetch_add(1, Ordering::AcqRel);
                self.tell(params, || Told::Changed(Change::Tools));
            }
            method::NOTIFICATION_PROMPTS_LIST_CHANGED => self.tell(params, || Told::Changed(Change::Prompts)),
            method::NOTIFICATION_RESOURCES_LIST_CHANGED => self.tell(params, || Told::Changed(Change::Resources)),
            method::NOTIFICATION_RESOURCES_UPDATED => match read::<ResourceUpdatedParams>(params) {
                Ok(updated) => self.tell(params, || Told::Changed(Change::Resource(updated.uri.clone()))),
                Err(error) => tracing::warn!(error, "the server sent an update that can't be read"),
            },
            method::NOTIFICATION_TASKS => match read::<Task>(params) {
                Ok(task) => self.tell(params, || Told::Changed(Change::Task(task.task_id.clone()))),
                Err(error) => tracing::warn!(error, "the server sent a task that can't be read"),
            },
            method => tracing::debug!(method, "a notification that nobody listens to"),
        }
    }

    /// The answer to a request of the server's own, which only older revisions have.
    pub(super) async fn request(&self, request: &Request) -> Vec<u8> {
        let params = request.params.as_deref();
        let answer = match request.method.as_str() {
            "ping" => return encode::result(&request.id, &serde_json::Map::new()).unwrap_or_default(),
            _ if self.asked.fetch_add(1, Ordering::AcqRel) >= MOST_ASKED => {
                let what = format!("No more than {MOST_ASKED} questions are answered in the course of one request.");
                Some(Err(ErrorObject::invalid_request(what)))
            }
            method => self.handlers.answer(method, params).await,
        };
        let error = match answer {
            Some(Ok(answer)) => match encode::result(&request.id, &answer) {
                Ok(frame) => return frame,
                Err(error) => ErrorObject::internal(error.to_string()),
            },
            Some(Err(error)) => error,
            None => ErrorObject::new(code::METHOD_NOT_FOUND, format!("This client has no {}.", request.method)),
        };
        encode::error(Some(&request.id), &error)
    }

    fn progress(&self, progress: ProgressParams) {
        let RequestId::Int(id) = progress.progress_token else { return };
        // Called without the lock: a callback may start another call.
        let callback = self.watched().get(&id).and_then(|watched| {
            watched.alive.notify_one();
            watched.progress.clone()
        });
        if let Some(callback) = callback {
            callback.call(progress);
        }
    }

    fn tell(&self, params: Option<&RawValue>, what: impl Fn() -> Told) {
        let subscription = subscription_of(params);
        // One that is too far behind is let go: the end of its queue tells it that it missed something.
        self.listeners()
            .retain(|listener| listener.subscription != subscription || listener.changes.try_send(what()).is_ok());
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<i64, Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request's watch, for as long as it is held.
pub(super) struct Watch {
    inbound: Arc<Inbound>,
    id: i64,
    alive: Arc<Notify>,
}

impl Watch {
    /// Waits for a sign of life of the request.
    pub(super) async fn alive(&self) {
        self.alive.notified().await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let watched = self.inbound.watched().remove(&self.id);
        // A callback may hold anything, even a client: it goes after the lock.
        drop(watched);
    }
}

fn read<T: for<'de> Deserialize<'de>>(params: Option<&RawValue>) -> Result<T, String> {
    serde_json::from_str(params.map_or("{}", RawValue::get)).map_err(|error| error.to_string())
}

fn subscription_of(params: Option<&RawValue>) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "_meta", default)]
        meta: serde_json::Map<String, Value>,
    }
    let params: Params = read(params).ok()?;
    serde_json::from_value(params.meta.get(meta::SUBSCRIPTION_ID)?.clone()).ok()
}
