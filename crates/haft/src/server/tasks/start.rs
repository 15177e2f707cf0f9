use std::sync::Arc;

use haft_wire::{CallToolResult, RequestId, Task, method, strict};
use serde_json::Map;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tracing::Instrument;

use super::Tasks;
use super::ask::Follower;
use super::find::{Seeker, unreachable};
use super::keeper::{Keeper, Kept, Lease};
use super::record::{Again, Record};
use super::worker::{Running, Worker};
use crate::error::{ProtocolError, ToolError};
use crate::server::call::{self, Admitted};
use crate::server::dispatch::{Exchange, Stop};
use crate::server::mrtr::{Asking, Inputs};
use crate::server::registry::Entry;
use crate::server::{Cancellation, Outbound, Server, outcome};
use crate::tool::TaskSupport;

/// What a call came to, as far as its answer goes.
pub(in crate::server) enum Started {
    /// It goes on.
    Task(Box<Task>),
    /// It is done, or was never begun.
    Done(CallToolResult),
}

/// Begins a call that becomes a task: at once, or when it asks to.
///
/// spec: `extensions/tasks#task-creation`
pub(in crate::server) async fn start(
    server: &Server,
    tasks: &Tasks,
    (entry, support): (Arc<Entry>, TaskSupport),
    request: call::Request,
) -> Result<Started, Stop> {
    let owner = request.principal.identity().into_owned();
    let (asking, cancellation) = (request.asking.clone(), request.cancellation.clone());
    let arguments = support.resumable.then(|| raw(&request.arguments)).transpose()?;
    if support.later {
        asking.may_become_task();
    }
    let ready = match call::admit(server, &entry, request).await? {
        Admitted::Ready(ready) => *ready,
        Admitted::Refused(result) => return Ok(Started::Done(result)),
    };
    let mut running: Running = {
        let (server, entry) = (server.clone(), Arc::clone(&entry));
        Box::pin(async move { call::run_tool(&server, &entry, ready).await })
    };
    if support.later {
        tokio::select! {
            biased;
            done = &mut running => {
                // What runs on without its request is no task any more.
                asking.stay_in_line();
                return done.map(Started::Done);
            }
            () = asking.asks_to_become_task() => {}
        }
    }
    if let Some(refusal) = full(tasks, &owner).await? {
        return Ok(Started::Done(outcome::check_out(server, &entry, Err(refusal))?));
    }
    let (ttl, poll) = (tasks.options.ttl_of(&support), tasks.options.poll_interval_of(&support));
    let mut record = Record::new(owner, entry.name.to_string(), ttl, poll);
    record.again = arguments.map(|arguments| Again { arguments, answers: asking.answers(), runs: 0 });
    let id = Keeper::new_id().ok_or_else(|| ProtocolError::internal("there is no randomness for a task's id"))?;
    let (kept, lease) = tasks.keeper.create(&id, record, ttl).await.map_err(unreachable)?;
    spawn(tasks, &entry, (&kept, lease), (asking, cancellation, running));
    Ok(Started::Task(Box::new(kept.task())))
}

/// What the model reads where there are as many tasks as may be.
async fn full(tasks: &Tasks, owner: &str) -> Result<Option<ToolError>, ProtocolError> {
    if tasks.running().len() >= tasks.options.max_running {
        let text = "It was not run: this server runs as many tasks as it takes. Try again in a minute.";
        return Ok(Some(ToolError::new(text).code("busy")));
    }
    let most = tasks.options.max_per_caller;
    if tasks.keeper.count(owner, most).await.map_err(unreachable)? < most {
        return Ok(None);
    }
    let text = format!(
        "It was not run: there are {most} tasks already, as many as one caller may have, those included that are done. \
         Try again when some of them are over."
    );
    Ok(Some(ToolError::new(text).code("too_many_tasks")))
}

/// Runs a task again whose process is gone. Where it can't be begun, its lease goes back, for another try.
pub(super) async fn run_again(seeker: &Seeker, entry: Arc<Entry>, kept: &Kept, lease: Lease) {
    let Ok(tasks) = seeker.tasks() else { return };
    let begun = begin_again(seeker, &entry, kept).await;
    match begun {
        Ok(begun) => spawn(tasks, &entry, (kept, lease), begun),
        Err(why) => {
            tracing::error!(tool = %entry.name, why, "a task can't be run again");
            tasks.keeper.release(lease).await;
        }
    }
}

type Begun = (Asking, Cancellation, Running);

async fn begin_again(seeker: &Seeker, entry: &Arc<Entry>, kept: &Kept) -> Result<Begun, String> {
    let Seeker { server, principal, meta } = seeker;
    let again = kept.record.again.as_ref().ok_or("its arguments are not kept")?;
    let arguments: Map<_, _> = serde_json::from_str(again.arguments.get()).map_err(|error| error.to_string())?;
    let exchange = Exchange { principal: principal.clone(), meta: meta.clone(), ..server.exchange() };
    let asking = Asking::open(&exchange, method::TOOLS_CALL, entry.name.to_string(), None, Inputs::default())
        .map_err(|error| error.to_string())?;
    let later = kept.record.answers.values().map(|answered| (answered.key.clone(), answered.answer.clone()));
    asking.seed(again.answers.clone().into_iter().chain(later).collect());
    let cancellation = Cancellation::default();
    let request = call::Request {
        arguments,
        id: RequestId::Int(0),
        meta: meta.clone(),
        principal: principal.clone(),
        cancellation: cancellation.clone(),
        outbound: Outbound::closed(),
        asking: asking.clone(),
    };
    match call::admit(server, entry, request).await {
        Ok(Admitted::Ready(ready)) => {
            let (server, entry) = (server.clone(), Arc::clone(entry));
            let running: Running = Box::pin(async move { call::run_tool(&server, &entry, *ready).await });
            Ok((asking, cancellation, running))
        }
        Ok(Admitted::Refused(result)) => Err(result.text()),
        Err(_) => Err("its call is refused".to_owned()),
    }
}

/// Gives a task that is kept to a worker. From here on its call asks whoever follows the task.
fn spawn(tasks: &Tasks, entry: &Entry, (kept, lease): (&Kept, Lease), (asking, cancellation, running): Begun) {
    let keeper = tasks.keeper.clone();
    let (said, says) = watch::channel(None);
    asking.become_task(Arc::new(Follower { keeper: keeper.clone(), id: Arc::clone(&kept.id), said }));
    let support = entry.task.unwrap_or_default();
    let worker = Worker {
        keeper,
        id: Arc::clone(&kept.id),
        lease,
        version: kept.entry.version,
        said: says,
        pace: tasks.options.poll_interval_of(&support),
        cancellation,
        cancel: entry.cancel,
        resumable: support.resumable,
    };
    // Who knows an id can ask for the task: the log has the beginning alone.
    let shown: String = kept.id.chars().take(12).collect();
    let span = tracing::info_span!("task", task = shown, tool = %entry.name);
    tasks.running().spawn(worker.work(running).instrument(span));
}

fn raw(arguments: &Map<String, serde_json::Value>) -> Result<Box<RawValue>, ProtocolError> {
    let text = strict::to_string(arguments).map_err(|error| ProtocolError::internal(error.to_string()))?;
    RawValue::from_string(text).map_err(|error| ProtocolError::internal(error.to_string()))
}
