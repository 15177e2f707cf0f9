use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use haft_wire::{ListenParams, RequestId, SubscriptionFilter, WithMeta, encode, method};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::error::{ClientError, ErrorKind};
use super::inbound::{Change, QUEUE, Told};
use super::link::{Mirrored, Outgoing};
use super::rounds::How;
use super::{CallOptions, Client, Inner};

/// What to be told of.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct SubscribeTo {
    filter: SubscriptionFilter,
}

impl SubscribeTo {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes of the lists of tools, prompts and resources.
    pub fn lists(mut self) -> Self {
        self.filter.tools_list_changed = Some(true);
        self.filter.prompts_list_changed = Some(true);
        self.filter.resources_list_changed = Some(true);
        self
    }

    /// Changes of the list of tools.
    pub fn tools(mut self) -> Self {
        self.filter.tools_list_changed = Some(true);
        self
    }

    /// Changes of one task, by its id; first of all, how it is. Nothing comes of a task that isn't the caller's.
    ///
    /// spec: `extensions/tasks#task-status-notifications`
    pub fn task(mut self, id: impl Into<String>) -> Self {
        self.filter.task_ids.get_or_insert_default().push(id.into());
        self
    }

    /// Changes of one resource.
    pub fn resource(mut self, uri: impl Into<String>) -> Self {
        self.filter.resource_subscriptions.get_or_insert_default().push(uri.into());
        self
    }
}

/// What a subscription brings.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// Something changed.
    Changed(Change),
    /// The subscription was interrupted: what changed meanwhile is not known, so whatever is kept is old.
    Gap,
}

/// Changes of a server, for as long as this is held.
///
/// One that breaks off is opened again, which is told as [`News::Gap`].
pub struct Subscription {
    news: mpsc::Receiver<News>,
    task: JoinHandle<()>,
}

impl Subscription {
    /// What happened next. `None` once the server has ended the subscription for good, or can't be reached any more.
    /// Cancel-safe.
    pub async fn next(&mut self) -> Option<News> {
        self.news.recv().await
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}

/// How often in a row a subscription is opened again that the server doesn't acknowledge.
const MAX_TRIES: u32 = 8;
/// How long to wait before it is opened again: at first, and at most.
const PAUSE: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));

impl Client {
    /// Subscribes to changes of the server. It is in place when this returns.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind): the server has no subscriptions, or no more of them.
    pub async fn subscribe(&self, to: SubscribeTo) -> Result<Subscription, ClientError> {
        self.inner.subscribe(to).await
    }
}

impl Inner {
    pub(super) async fn subscribe(self: &Arc<Self>, to: SubscribeTo) -> Result<Subscription, ClientError> {
        let description = self.negotiated().await?;
        let (sender, news) = mpsc::channel(QUEUE);
        let inner = Arc::clone(self);
        if !description.modern {
            let told = inner.listen_legacy(&to.filter).await?;
            let task = tokio::spawn(inner.pass_on(told, to.filter, sender));
            return Ok(Subscription { news, task });
        }
        let (opened, open) = tokio::sync::oneshot::channel();
        let task = tokio::spawn(inner.keep_listening(to.filter, sender, opened));
        match open.await {
            Ok(Ok(())) => Ok(Subscription { news, task }),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ClientError::invalid("the subscription ended before it was acknowledged")),
        }
    }
}

type Opened = tokio::sync::oneshot::Sender<Result<(), ClientError>>;

impl Inner {
    /// A server with a session tells of its lists without being asked, and of resources that are named.
    ///
    /// spec: 2025-11-25 `server/resources#subscriptions`
    async fn listen_legacy(&self, filter: &SubscriptionFilter) -> Result<mpsc::Receiver<Told>, ClientError> {
        let told = self.inbound.listen(None);
        let mirrored = Mirrored { method: "resources/subscribe".to_owned(), ..Mirrored::default() };
        let how = How::of(CallOptions::default(), self.settings.timeout);
        for uri in filter.resource_subscriptions.iter().flatten() {
            self.request(&json!({ "uri": uri }), &mirrored, &how).await?;
        }
        Ok(told)
    }

    /// Passes on what was asked for, of all that a server with a session tells.
    async fn pass_on(
        self: Arc<Self>,
        mut told: mpsc::Receiver<Told>,
        filter: SubscriptionFilter,
        news: mpsc::Sender<News>,
    ) {
        loop {
            let next = match told.recv().await {
                Some(Told::Changed(change)) if wants(&filter, &change) => News::Changed(change),
                Some(_) => continue,
                None => {
                    told = self.inbound.listen(None);
                    News::Gap
                }
            };
            if news.send(next).await.is_err() {
                return;
            }
        }
    }

    /// spec: `basic/patterns/subscriptions`
    async fn keep_listening(self: Arc<Self>, filter: SubscriptionFilter, news: mpsc::Sender<News>, opened: Opened) {
        let mut opened = Some(opened);
        let (mut tries, mut pause) = (0, PAUSE.0);
        loop {
            let mut acknowledged = false;
            let ended = self.listen_once(&filter, &news, || {
                acknowledged = true;
                if let Some(opened) = opened.take() {
                    drop(opened.send(Ok(())));
                }
            });
            let ended = ended.await;
            if acknowledged {
                (tries, pause) = (0, PAUSE.0);
            }
            match ended {
                // The server is done with it: in an orderly way, or because it refuses.
                Ended::ByServer => return,
                Ended::Refused(error) => {
                    match opened.take() {
                        Some(opened) => drop(opened.send(Err(error))),
                        None => tracing::warn!(%error, "the subscription is refused and not opened again"),
                    }
                    return;
                }
                Ended::Gone => return,
                Ended::Broken(error) if opened.is_some() || tries >= MAX_TRIES => {
                    match opened.take() {
                        Some(opened) => drop(opened.send(Err(error))),
                        None => tracing::warn!(%error, "the subscription broke off and can't be opened again"),
                    }
                    return;
                }
                Ended::Broken(error) => {
                    tracing::debug!(%error, "a subscription broke off; it is opened again");
                    if acknowledged && news.send(News::Gap).await.is_err() {
                        return;
                    }
                }
            }
            tries += 1;
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
            // A server that was started again is spoken to anew.
            if let Err(error) = self.negotiated().await {
                tracing::debug!(%error, "the server can't be reached");
            }
        }
    }

    async fn listen_once(
        &self,
        filter: &SubscriptionFilter,
        news: &mpsc::Sender<News>,
        mut acknowledged: impl FnMut(),
    ) -> Ended {
        let id = self.next_id();
        let (meta, params) = (self.meta(), ListenParams { notifications: filter.clone() });
        let frame =
            encode::request(&id.into(), method::SUBSCRIPTIONS_LISTEN, Some(&WithMeta { meta: &meta, params: &params }));
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) => return Ended::Refused(ClientError::invalid(error.to_string())),
        };
        let mut told = self.inbound.listen(Some(RequestId::Int(id)));
        let mirrored = Mirrored { method: method::SUBSCRIPTIONS_LISTEN.to_owned(), ..Mirrored::default() };
        let mut listening = std::pin::pin!(self.link.request(Outgoing { id, frame, mirrored }, &self.inbound));
        loop {
            tokio::select! {
                biased;
                next = told.recv() => match next {
                    Some(Told::Acknowledged) => acknowledged(),
                    Some(Told::Changed(change)) => {
                        if news.send(News::Changed(change)).await.is_err() {
                            return Ended::Gone;
                        }
                    }
                    None => return Ended::Broken(behind()),
                },
                answer = &mut listening => {
                    // What came before the end, in one piece with it.
                    while let Ok(next) = told.try_recv() {
                        match next {
                            Told::Acknowledged => acknowledged(),
                            Told::Changed(change) => {
                                if news.send(News::Changed(change)).await.is_err() {
                                    return Ended::Gone;
                                }
                            }
                        }
                    }
                    return match answer {
                        Ok(Ok(_)) => Ended::ByServer,
                        Ok(Err(error)) => Ended::Refused(crate::error::ProtocolError::from(error).into()),
                        Err(error) => Ended::Broken(error),
                    };
                }
                () = news.closed() => return Ended::Gone,
            }
        }
    }
}

fn wants(filter: &SubscriptionFilter, change: &Change) -> bool {
    match change {
        Change::Tools => filter.tools_list_changed == Some(true),
        Change::Prompts => filter.prompts_list_changed == Some(true),
        Change::Resources => filter.resources_list_changed == Some(true),
        Change::Task(id) => filter.task_ids.iter().flatten().any(|wanted| wanted == id),
        // An update may be of a part of what was named.
        Change::Resource(uri) => filter.resource_subscriptions.iter().flatten().any(|wanted| uri.starts_with(wanted)),
    }
}

/// What ends a subscription whose news nobody took in time.
fn behind() -> ClientError {
    ClientError::new(ErrorKind::Closed, "more changed than was listened to")
}

/// How a subscription came to its end.
enum Ended {
    ByServer,
    Refused(ClientError),
    Broken(ClientError),
    /// Nobody listens any more.
    Gone,
}
