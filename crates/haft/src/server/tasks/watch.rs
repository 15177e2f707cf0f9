use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use haft_wire::{Task, TaskStatus};
use tokio::time::sleep;

use super::find::Seeker;
use super::keeper::Kept;
use crate::error::ProtocolError;
use crate::server::dispatch::Exchange;

/// The tasks that a subscriber is told of, each until it ends.
///
/// A subscriber is told first how each of them is, so that nothing is missed between its beginning and the subscription.
pub(in crate::server) struct Watches {
    seeker: Seeker,
    next: FuturesUnordered<BoxFuture<'static, Option<Kept>>>,
}

/// Between two tries of a store that fails.
const PAUSE: Duration = Duration::from_secs(1);

impl Watches {
    /// Watches those that are the caller's, and says which they are.
    pub(in crate::server) async fn open(
        exchange: &Exchange<'_>,
        ids: Vec<String>,
    ) -> Result<(Vec<String>, Self), ProtocolError> {
        let (server, principal, meta) = (exchange.server.clone(), exchange.principal.clone(), exchange.meta.clone());
        let seeker = Seeker { server, principal, meta };
        let (mut agreed, next) = (Vec::new(), FuturesUnordered::new());
        for id in ids {
            match seeker.find(&id).await {
                Ok(kept) if !agreed.contains(&id) => {
                    let now: BoxFuture<'static, _> = Box::pin(std::future::ready(Some(kept)));
                    next.push(now);
                    agreed.push(id);
                }
                Err(error) if error.code() == haft_wire::code::INTERNAL_ERROR => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        Ok((agreed, Self { seeker, next }))
    }

    /// The next task that has changed, if there are tasks to watch.
    pub(in crate::server) async fn next_of(watches: &mut Option<Box<Self>>) -> Box<Task> {
        match watches {
            Some(watches) => Box::new(watches.next().await),
            None => std::future::pending().await,
        }
    }

    /// The next task that has changed, as it is now. Cancel-safe; waits for ever once all have ended.
    async fn next(&mut self) -> Task {
        loop {
            match self.next.next().await {
                Some(Some(kept)) => {
                    let task = kept.task();
                    if !task.status.is_final() {
                        self.next.push(Box::pin(change(self.seeker.clone(), kept)));
                    }
                    return task;
                }
                // Its time is over: there is nothing left to tell.
                Some(None) => {}
                None => std::future::pending().await,
            }
        }
    }
}

/// The task once it has changed, as far as its owner can see.
async fn change(seeker: Seeker, mut known: Kept) -> Option<Kept> {
    let shown = visible(&known);
    loop {
        let keeper = &seeker.tasks().ok()?.keeper;
        // As long as a lease lasts, and then again: nobody tells of the death of whoever runs it.
        let seen = match keeper.watch(&known.id, known.entry.version, keeper.lease_time()).await {
            Ok(Some(kept)) => seeker.settle(kept).await,
            other => other,
        };
        match seen {
            Ok(Some(kept)) if visible(&kept) != shown => return Some(kept),
            Ok(Some(kept)) => known = kept,
            Ok(None) => return None,
            Err(error) => {
                tracing::warn!(%error, "a task can't be watched; trying again");
                sleep(PAUSE).await;
            }
        }
    }
}

/// What makes a task another one to its owner.
fn visible(kept: &Kept) -> (TaskStatus, Option<Arc<str>>, Vec<String>) {
    let record = &kept.record;
    (record.status(), record.message.as_deref().map(Into::into), record.questions.keys().cloned().collect())
}
