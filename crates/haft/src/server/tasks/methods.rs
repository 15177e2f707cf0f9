use haft_store::StoreErrorKind;
use haft_wire::{ResultType, TaskAck, TaskParams, TaskResult, UpdateTaskParams, method};

use super::find::{Seeker, unreachable};
use super::{known_to, unknown_to_client};
use crate::error::ProtocolError;
use crate::server::dispatch::{Exchange, Stop, unknown_method};
use crate::server::outcome;

/// `tasks/get`, `tasks/update` and `tasks/cancel`.
///
/// spec: `extensions/tasks#task-polling`, `extensions/tasks#task-update-requests`, `extensions/tasks#task-cancellation`
pub(in crate::server) async fn answer(method: &str, exchange: Exchange<'_>) -> Result<Vec<u8>, Stop> {
    if exchange.peer.is_some() {
        // A client of an older revision, which has other tasks.
        return Err(unknown_method(method));
    }
    if !known_to(&exchange.meta) {
        return Err(unknown_to_client(method).into());
    }
    let Exchange { server, id, params, meta, principal, .. } = exchange;
    let seeker = Seeker { server: server.clone(), principal, meta };
    let identity = outcome::identity(&server.inner);
    match method {
        method::TASKS_GET => {
            let task = seeker.find(&TaskParams::read(params)?.task_id).await?.task();
            return Ok(outcome::encode(id, &TaskResult::now(task, Some(identity)))?);
        }
        method::TASKS_UPDATE => update(&seeker, UpdateTaskParams::read(params)?).await?,
        _ => cancel(&seeker, &TaskParams::read(params)?.task_id).await?,
    }
    Ok(outcome::encode(id, &TaskAck { result_type: ResultType::Complete, meta: Some(identity) })?)
}

/// Answers to what isn't asked, or not any more, are ignored.
async fn update(seeker: &Seeker, params: UpdateTaskParams) -> Result<(), ProtocolError> {
    let UpdateTaskParams { task_id, input_responses } = params;
    let kept = seeker.find(&task_id).await?;
    let changed = seeker.tasks()?.keeper.change(&kept.id, |record| {
        let mut new = false;
        for (key, answer) in &input_responses {
            new |= record.end.is_none() && record.answer(key, answer);
        }
        new
    });
    match changed.await {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == StoreErrorKind::Invalid => {
            Err(ProtocolError::invalid_params("The answers are larger than this server keeps."))
        }
        Err(error) => Err(unreachable(error)),
    }
}

/// Whether it stops, and when, is for whoever runs it.
async fn cancel(seeker: &Seeker, task_id: &str) -> Result<(), ProtocolError> {
    let kept = seeker.find(task_id).await?;
    let changed = seeker.tasks()?.keeper.change(&kept.id, |record| {
        let new = record.end.is_none() && !record.cancel;
        record.cancel = true;
        // Nobody needs to answer any more.
        record.questions.clear();
        new
    });
    changed.await.map_err(unreachable)?;
    Ok(())
}
