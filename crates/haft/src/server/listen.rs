//! `subscriptions/listen`: one exchange that goes on until somebody ends it.

use std::collections::BTreeSet;
#[cfg(not(feature = "tasks"))]
use std::convert::Infallible;
use std::future::ready;

use futures_util::future::BoxFuture;
use haft_wire::{
    AcknowledgedParams, CancelledParams, ListChangedParams, ListenParams, ListenResult, Meta, RequestId,
    ResourceUpdatedParams, ResultType, SubscriptionFilter, encode, meta, method,
};
#[cfg(feature = "tasks")]
use haft_wire::{Task, TaskChangedParams};
use serde::Serialize;
use serde_json::Value;

use super::Server;
use super::cancellation::Cancellation;
use super::dispatch::{Exchange, Stop};
use super::outbound::{Gone, Outbound};
use super::subscriptions::{Subscription, Topic};
#[cfg(feature = "tasks")]
use super::tasks::{self, Watches};
use crate::error::ProtocolError;

/// Tasks that one subscription may name.
#[cfg(feature = "tasks")]
const MAX_TASKS: usize = 256;
/// Resources that one subscription may name.
const MAX_RESOURCES: usize = 1_000;

/// Tells the client what it asked to be told, until it or the server ends it.
///
/// spec: `basic/patterns/subscriptions`
pub(super) fn listen(exchange: Exchange<'_>) -> BoxFuture<'_, Result<Vec<u8>, Stop>> {
    // What is known of the client is dropped: the subscription goes on without.
    #[cfg(feature = "tasks")]
    match tasks_of(&exchange) {
        Ok(None) => {}
        Ok(Some(ids)) => return Box::pin(listen_to_tasks(exchange, ids)),
        Err(error) => return Box::pin(ready(Err(error.into()))),
    }
    let subscribed = subscribe(&exchange);
    let Exchange { server, id, params: _, meta: _, principal: _, cancellation, outbound, .. } = exchange;
    match subscribed {
        Ok((filter, subscription)) => {
            let stream = Stream { server, id, cancellation, outbound };
            Box::pin(stream.run(filter, subscription, None))
        }
        Err(error) => Box::pin(ready(Err(error.into()))),
    }
}

/// The tasks that the client asks to be told of, where there are tasks, and what else it asks for.
///
/// spec: `extensions/tasks#task-status-notifications`
#[cfg(feature = "tasks")]
fn tasks_of(exchange: &Exchange<'_>) -> Result<Option<Vec<String>>, ProtocolError> {
    if !exchange.server.inner.has_tasks() {
        return Ok(None);
    }
    let ids = ListenParams::read(exchange.params)?.notifications.task_ids;
    let Some(ids) = ids.filter(|ids| !ids.is_empty()) else { return Ok(None) };
    if !tasks::known_to(&exchange.meta) {
        return Err(tasks::unknown_to_client("A subscription to tasks"));
    }
    if ids.len() > MAX_TASKS {
        return Err(ProtocolError::invalid_params(format!(
            "Too many tasks: a subscription names at most {MAX_TASKS}. Open another one for the rest."
        )));
    }
    Ok(Some(ids))
}

/// [`listen`] with tasks among what the client is told of.
#[cfg(feature = "tasks")]
async fn listen_to_tasks(exchange: Exchange<'_>, ids: Vec<String>) -> Result<Vec<u8>, Stop> {
    let (mut filter, subscription) = subscribe(&exchange)?;
    let (agreed, watches) = tasks::Watches::open(&exchange, ids).await?;
    filter.task_ids = Some(agreed).filter(|ids| !ids.is_empty());
    let Exchange { server, id, cancellation, outbound, .. } = exchange;
    let stream = Stream { server, id, cancellation, outbound };
    stream.run(filter, subscription, Some(Box::new(watches))).await
}

/// What the client gets of what it asked for.
fn subscribe(exchange: &Exchange<'_>) -> Result<(SubscriptionFilter, Subscription), ProtocolError> {
    let hub = &exchange.server.inner.hub;
    let mut filter = hub.honour(ListenParams::read(exchange.params)?.notifications);
    if filter.resource_subscriptions.as_ref().is_some_and(|uris| uris.len() > MAX_RESOURCES) {
        return Err(ProtocolError::invalid_params(format!(
            "Too many resources: a subscription names at most {MAX_RESOURCES}. Open another one for the rest."
        )));
    }
    if let (Some(uris), Some(resources)) = (&mut filter.resource_subscriptions, &exchange.server.inner.resources) {
        uris.retain(|uri| resources.requirement(uri).is_none_or(|requirement| exchange.grants(requirement)));
    }
    let subscription = hub.subscribe(&filter).ok_or_else(too_many_subscriptions)?;
    Ok((filter, subscription))
}

/// What a client gets that wants one subscription too many.
pub(crate) fn too_many_subscriptions() -> ProtocolError {
    ProtocolError::internal(
        "This server has as many subscriptions as it takes. End one that you no longer need, or try again later.",
    )
}

fn unencodable(error: haft_wire::EncodeError) -> ProtocolError {
    tracing::error!(%error, "a message of a subscription could not be encoded");
    ProtocolError::internal("the subscription failed")
}

/// Without tasks there are none to watch.
#[cfg(not(feature = "tasks"))]
enum Watches {}

#[cfg(not(feature = "tasks"))]
impl Watches {
    async fn next_of(_: &mut Option<Box<Self>>) -> Infallible {
        std::future::pending().await
    }
}

/// The way to the client. Everything that goes out on it names the subscription.
struct Stream<'a> {
    server: &'a Server,
    id: &'a RequestId,
    cancellation: Cancellation,
    outbound: Outbound,
}

impl Stream<'_> {
    async fn run(
        self,
        filter: SubscriptionFilter,
        subscription: Subscription,
        mut tasks: Option<Box<Watches>>,
    ) -> Result<Vec<u8>, Stop> {
        self.acknowledge(filter).await?;
        loop {
            let changes = tokio::select! {
                biased;
                () = self.cancellation.stopped() => match self.cancellation.is_cancelled() {
                    true => return Err(Stop::Cancelled),
                    false => break,
                },
                changes = subscription.changes() => changes,
                task = Watches::next_of(&mut tasks) => {
                    self.tell_task(task).await?;
                    continue;
                }
            };
            let last = changes.contains(&Topic::End);
            self.tell(changes).await?;
            if last {
                break;
            }
        }
        drop(subscription);
        self.end().await?;
        let mut meta = self.meta();
        meta.get_or_insert_default().insert(meta::SERVER_INFO.to_owned(), self.server.inner.info.clone());
        let result = ListenResult { result_type: ResultType::Complete, meta };
        Ok(encode::result(self.id, &result).map_err(unencodable)?)
    }

    fn acknowledge(&self, notifications: SubscriptionFilter) -> BoxFuture<'_, Result<(), Stop>> {
        let params = AcknowledgedParams { notifications, meta: self.meta() };
        self.send(method::NOTIFICATION_SUBSCRIPTIONS_ACKNOWLEDGED, &params)
    }

    fn meta(&self) -> Option<Meta> {
        let id = match self.id {
            RequestId::Int(id) => Value::from(*id),
            RequestId::Str(id) => Value::from(id.as_str()),
        };
        Some(Meta::from_iter([(meta::SUBSCRIPTION_ID.to_owned(), id)]))
    }

    async fn tell(&self, changes: BTreeSet<Topic>) -> Result<(), Stop> {
        for topic in changes {
            let list_changed = ListChangedParams { meta: self.meta() };
            let sending = match topic {
                Topic::Tools => self.send(method::NOTIFICATION_TOOLS_LIST_CHANGED, &list_changed),
                Topic::Prompts => self.send(method::NOTIFICATION_PROMPTS_LIST_CHANGED, &list_changed),
                Topic::Resources => self.send(method::NOTIFICATION_RESOURCES_LIST_CHANGED, &list_changed),
                Topic::Resource(uri) => {
                    let params = ResourceUpdatedParams { uri: uri.to_string(), meta: self.meta() };
                    self.send(method::NOTIFICATION_RESOURCES_UPDATED, &params)
                }
                Topic::End => continue,
            };
            sending.await?;
        }
        Ok(())
    }

    #[cfg(feature = "tasks")]
    fn tell_task(&self, task: Box<Task>) -> BoxFuture<'_, Result<(), Stop>> {
        self.send(method::NOTIFICATION_TASKS, &TaskChangedParams { task: *task, meta: self.meta() })
    }

    #[cfg(not(feature = "tasks"))]
    fn tell_task(&self, task: Infallible) -> BoxFuture<'_, Result<(), Stop>> {
        match task {}
    }

    /// Says that nothing more comes, where the client can't see it from the end of the stream.
    ///
    /// Before the result, which ends the request: from then on there is nothing left to cancel.
    ///
    /// spec: `basic/patterns/cancellation#behavior-requirements`
    fn end(&self) -> BoxFuture<'_, Result<(), Stop>> {
        if !self.outbound.is_shared() {
            return Box::pin(ready(Ok(())));
        }
        let reason = Some("the server ended the subscription".to_owned());
        let params = CancelledParams { request_id: self.id.clone(), reason, meta: self.meta() };
        self.send(method::NOTIFICATION_CANCELLED, &params)
    }

    /// Waits for a client that reads slowly, but not for one that gave up.
    ///
    /// Boxed, as what waits here is rarely there and would make every idle subscription larger.
    fn send(&self, method: &str, params: &impl Serialize) -> BoxFuture<'_, Result<(), Stop>> {
        let frame = encode::notification(method, Some(params));
        Box::pin(async move {
            let frame = frame.map_err(unencodable)?;
            tokio::select! {
                biased;
                () = self.cancellation.cancelled() => Err(Stop::Cancelled),
                sent = self.outbound.send(frame) => sent.map_err(|Gone| Stop::Cancelled),
            }
        })
    }
}
