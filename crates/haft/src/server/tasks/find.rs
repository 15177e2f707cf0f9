use std::sync::Arc;

use haft_store::StoreError;
use haft_wire::{ErrorObject, RequestMeta};

use super::Tasks;
use super::keeper::{Keeper, Kept};
use super::record::End;
use super::start::run_again;
use crate::error::ProtocolError;
use crate::server::{Principal, Server};

/// As often as this a task is begun anew, and no more: it may be what kills its processes.
const MOST_RUNS: u32 = 5;

/// Who asks for tasks.
#[derive(Clone)]
pub(super) struct Seeker {
    pub(super) server: Server,
    pub(super) principal: Principal,
    pub(super) meta: RequestMeta,
}

impl Seeker {
    pub(super) fn tasks(&self) -> Result<&Tasks, ProtocolError> {
        self.server.inner.tasks.as_ref().ok_or_else(|| ProtocolError::method_not_found("This server has no tasks."))
    }

    /// The task, if it is the caller's; as it is once it is known that it runs.
    ///
    /// # Errors
    /// The same for one that never was, is over, or is somebody else's.
    ///
    /// spec: `extensions/tasks#protocol-errors`, `extensions/tasks#security-considerations`
    pub(super) async fn find(&self, id: &str) -> Result<Kept, ProtocolError> {
        let found = if Keeper::is_id(id) { self.look_up(&id.into()).await.map_err(unreachable)? } else { None };
        found.ok_or_else(unknown)
    }

    async fn look_up(&self, id: &Arc<str>) -> Result<Option<Kept>, StoreError> {
        let Ok(tasks) = self.tasks() else { return Ok(None) };
        let Some(kept) = tasks.keeper.get(id).await? else { return Ok(None) };
        if kept.record.owner != *self.principal.identity() {
            return Ok(None);
        }
        self.settle(kept).await
    }

    /// Finds out whether a task that should be running is, and sees to it if it isn't.
    pub(super) async fn settle(&self, kept: Kept) -> Result<Option<Kept>, StoreError> {
        let Ok(Tasks { keeper, .. }) = self.tasks() else { return Ok(None) };
        if kept.record.end.is_some() || keeper.is_leased(&kept.id).await? {
            return Ok(Some(kept));
        }
        if let Some(again) = &kept.record.again
            && !kept.record.cancel
            && again.runs < MOST_RUNS
            && let Some(entry) = self.tool_to_run_again(&kept.record.tool)
        {
            let Some(lease) = keeper.take_lease(&kept.id).await? else { return Ok(Some(kept)) };
            let begun = keeper.change(&kept.id, |record| {
                let (None, Some(again)) = (&record.end, &mut record.again) else { return false };
                again.runs += 1;
                // Whoever asked them is gone.
                record.questions.clear();
                true
            });
            return match begun.await? {
                Some(kept) if kept.record.end.is_none() => {
                    tracing::warn!(tool = kept.record.tool, "the process that ran a task is gone; it is run again");
                    run_again(self, entry, &kept, lease).await;
                    Ok(Some(kept))
                }
                other => {
                    keeper.release(lease).await;
                    Ok(other)
                }
            };
        }
        // Its record may say by now how it ended: then that stays.
        let settled = keeper.change(&kept.id, |record| {
            let end = if record.cancel { End::Cancelled } else { End::Failed(lost()) };
            record.finish(end)
        });
        settled.await
    }

    /// The tool, if it is one whose tasks may be run again, and this caller may call it.
    fn tool_to_run_again(&self, name: &str) -> Option<Arc<crate::server::registry::Entry>> {
        let entry = self.server.inner.registry.now().tool(name, |_| false).ok()?;
        let may_call = self.server.inner.implications.grants(&self.principal, &entry.requires);
        (may_call && entry.task.is_some_and(|task| task.resumable)).then_some(entry)
    }
}

fn lost() -> ErrorObject {
    ErrorObject::internal(
        "The server process that ran this task stopped before the task was done. What it was to do may be done, half-done \
         or not done.",
    )
}

fn unknown() -> ProtocolError {
    ProtocolError::invalid_params("Unknown task: no task of yours has this id, or its time is over.")
}

pub(super) fn unreachable(error: StoreError) -> ProtocolError {
    tracing::error!(%error, "the store of tasks fails");
    ProtocolError::internal("Tasks can't be reached just now. Try again later.")
}
