use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use haft_store::{StoreErrorKind, Version};
use haft_wire::{CallToolResult, ErrorObject, strict};
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::keeper::{Keeper, Lease};
use super::record::End;
use crate::server::Cancellation;
use crate::server::dispatch::Stop;
use crate::tool::Cancel;

/// A call that is running as a task.
pub(super) type Running = BoxFuture<'static, Result<CallToolResult, Stop>>;

/// Runs one task to its end: whatever becomes of it, its record says so, or somebody else's does.
pub(super) struct Worker {
    pub(super) keeper: Keeper,
    pub(super) id: Arc<str>,
    pub(super) lease: Lease,
    /// The version of the record that it knows.
    pub(super) version: Version,
    pub(super) said: watch::Receiver<Option<String>>,
    /// How often what is said is written down, at most.
    pub(super) pace: Duration,
    pub(super) cancellation: Cancellation,
    pub(super) cancel: Cancel,
    pub(super) resumable: bool,
}

/// Why a task is not this process's any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// Its time is over.
    Expired,
    /// Others may run it, or have ended it.
    Lost,
}

impl Worker {
    pub(super) async fn work(mut self, mut running: Running) {
        let ended = tokio::select! {
            biased;
            ended = &mut running => Ok(ended),
            over = self.keep() => Err(over),
        };
        match ended {
            Ok(ended) => self.finish(ended).await,
            Err(over) => {
                tracing::warn!(?over, "a task is no longer this process's; what it comes to is not kept");
                // Of one that may be run again, two must never run.
                let may_run_on = self.cancel == Cancel::Detach && !(self.resumable && over == Over::Lost);
                if may_run_on {
                    self.cancellation.expire();
                    drop(running.await);
                }
            }
        }
        self.keeper.release(self.lease).await;
    }

    /// Holds the lease, hears of cancellation and writes down what is said, until the task is not this process's any more.
    async fn keep(&mut self) -> Over {
        let each = self.keeper.lease_time() / 3;
        let mut renew_at = self.lease.since + each;
        let mut write_at = Instant::now();
        let (keeper, id) = (self.keeper.clone(), Arc::clone(&self.id));
        loop {
            let said = async {
                sleep_until(write_at).await;
                // Last, so that nothing that was seen is lost. Without a sender there is nobody who could say anything.
                if self.said.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                biased;
                () = sleep_until(self.lease.until) => return Over::Lost,
                () = sleep_until(renew_at) => {
                    match timeout_at(self.lease.until, keeper.renew(&mut self.lease)).await {
                        Ok(Ok(true)) => renew_at = self.lease.since + each,
                        Ok(Ok(false)) | Err(_) => return Over::Lost,
                        Ok(Err(error)) => {
                            tracing::warn!(%error, "the lease of a task can't be renewed; trying again");
                            renew_at = Instant::now() + each / 8;
                        }
                    }
                }
                () = said => {
                    write_at = Instant::now() + self.pace;
                    self.write_said().await;
                }
                seen = keeper.watch_on(&id, self.version) => {
                    let Some(kept) = seen else { return Over::Expired };
                    if kept.record.end.is_some() {
                        return Over::Lost;
                    }
                    self.version = kept.entry.version;
                    if kept.record.cancel {
                        self.stop();
                    }
                }
            }
        }
    }

    /// What has been said last, where the store can take it just now: the next that is said makes up for it.
    async fn write_said(&mut self) {
        let said = self.said.borrow_and_update().clone();
        let written = self.keeper.change(&self.id, |record| {
            let new = record.end.is_none() && record.message != said;
            record.message.clone_from(&said);
            new
        });
        if let Ok(Err(error)) = timeout_at(self.lease.until, written).await {
            tracing::debug!(%error, "what a task says can't be kept");
        }
    }

    /// Stops what may be stopped anywhere; tells it to all others.
    ///
    /// spec: `extensions/tasks#task-cancellation`
    fn stop(&self) {
        match self.cancel {
            Cancel::Drop => self.cancellation.cancel(),
            Cancel::Detach => self.cancellation.expire(),
        }
    }

    /// Keeps how it ended, before anybody is told.
    async fn finish(&self, ended: Result<CallToolResult, Stop>) {
        let failed = matches!(&ended, Ok(result) if result.is_error == Some(true));
        let mut end = end_of(ended);
        loop {
            let finished = self.keeper.change_surely(&self.id, |record| {
                // One that says so after it was told to stop has stopped.
                record.finish(if record.cancel && failed { End::Cancelled } else { end.clone() })
            });
            match finished.await {
                Ok(Some(kept)) => return tracing::debug!(status = kept.record.status().as_str(), "a task ended"),
                Ok(None) => return tracing::debug!("a task ended when its time was over"),
                Err(error) if error.kind() == StoreErrorKind::Invalid && !matches!(end, End::Failed(_)) => {
                    tracing::error!(%error, "the result of a task is larger than its store takes, and is withheld");
                    end = End::Failed(ErrorObject::internal("The task ran, but its result is too large to be kept."));
                }
                Err(error) => {
                    tracing::error!(%error, "the end of a task can't be kept; trying again");
                    sleep(Duration::from_secs(5)).await;
                }
            }
        }
    }
}

fn end_of(ended: Result<CallToolResult, Stop>) -> End {
    let unwritable = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, "the result of a task can't be written");
        End::Failed(ErrorObject::internal("the result could not be encoded"))
    };
    match ended {
        Ok(result) => match strict::to_string(&result) {
            Ok(text) => RawValue::from_string(text).map_or_else(|error| unwritable(&error), End::Completed),
            Err(error) => unwritable(&error),
        },
        Err(Stop::Failed(error, _)) => End::Failed(error.object().clone()),
        Err(Stop::Cancelled) => End::Cancelled,
        // A task has somebody to answer: its questions end nothing.
        Err(Stop::InputRequired(_)) => End::Failed(ErrorObject::internal("the task asked without anybody to answer")),
    }
}
