use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use haft_wire::{JsonObject, Task, TaskParams, TaskStatus, UpdateTaskParams, extension, method};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::call::{Begun, Called};
use super::error::{ClientError, ErrorKind};
use super::link::{Link, Mirrored};
use super::rounds::How;
use super::{CallOptions, Client, Inner, SubscribeTo, Subscription};
use crate::error::ProtocolError;

/// What came of a call that the server may go on with as a task: see [`Client::call_task`].
#[derive(Debug)]
pub enum Started {
    /// It is done.
    Done(Called),
    /// It goes on.
    Task(RunningTask),
}

/// A call that a server goes on with as a task. It is followed by its id alone: whoever keeps the id can follow it from
/// another client, or after a restart, by [`Client::task`].
///
/// Dropping this stops nothing.
///
/// spec: `extensions/tasks`
#[derive(Clone)]
pub struct RunningTask {
    inner: Arc<Inner>,
    tool: String,
    id: String,
}

/// How often to ask where the server doesn't say; the shortest and the longest pause that a server can ask for.
const USUAL_PAUSE: Duration = Duration::from_secs(1);
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(60));
/// How many pauses to let go by where the server tells of changes.
const PAUSES_WITH_NEWS: u32 = 10;
/// How long a task is followed that has no end.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// How often in a row a server may not be reached while a task is followed.
const MOST_FAILURES: u32 = 5;
/// How long to wait for the server to hear that a task is not wanted any more.
const GIVING_UP: Duration = Duration::from_secs(5);

impl Client {
    /// Calls a tool, and gives the task in the place of the result where the server goes on with the call as one.
    ///
    /// [`Client::call`] follows a task by itself, and cancels it when its future is dropped. This is for those who keep
    /// the id, follow several tasks, or answer what they ask in another way.
    ///
    /// ```
    /// use haft::prelude::*;
    /// use haft::{Client, Started};
    ///
    /// /// Use this to add numbers, slowly.
    /// #[tool(read_only, closed_world, task)]
    /// async fn add_slowly(a: i32, b: i32) -> String {
    ///     (a + b).to_string()
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new("sums", "1.0.0").tool(add_slowly::tool()).build()?;
    /// let client = Client::in_memory(&server);
    ///
    /// let started = client.call_task("add_slowly", serde_json::json!({"a": 1, "b": 2})).await?;
    /// let Started::Task(task) = started else { panic!("it runs as a task") };
    /// let (tool, id) = (task.tool().to_owned(), task.id().to_owned());
    /// // Later, maybe in another process:
    /// let result = client.task(tool, id).wait().await?;
    /// assert_eq!(result.text(), "3");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn call_task(&self, tool: &str, arguments: Value) -> Result<Started, ClientError> {
        let how = How::of(CallOptions::default(), self.inner.settings.timeout);
        let (begun, known) = self.inner.begin(tool, &arguments, &how).await?;
        Ok(match begun {
            Begun::Result(result) => Started::Done(self.inner.conclude(tool, &result, known).await?),
            Begun::Task(task) => Started::Task(self.task(tool, task.task_id)),
        })
    }

    /// The task of this id, which a call of this tool began. Nothing is asked of the server yet.
    pub fn task(&self, tool: impl Into<String>, id: impl Into<String>) -> RunningTask {
        RunningTask { inner: Arc::clone(&self.inner), tool: tool.into(), id: id.into() }
    }
}

impl RunningTask {
    /// Its id. Whoever has it may be able to see the task: keep it as a secret.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tool that was called.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The task as it is now.
    ///
    /// # Errors
    /// See [`ErrorKind`]. For a task that the server doesn't know, or no longer, [`ErrorKind::Protocol`] with -32602.
    ///
    /// spec: `extensions/tasks#task-polling`
    pub async fn get(&self) -> Result<Task, ClientError> {
        let params = TaskParams { task_id: self.id.clone() };
        let result = self.request(method::TASKS_GET, &params).await?;
        Task::read(&result).map_err(|error| ClientError::invalid(error.to_string()))
    }

    /// Answers what the task asks, or some of it: results of `elicitation/create` and the like, by the keys of
    /// [`Task::input_requests`]. What isn't asked, or not any more, the server ignores.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    ///
    /// spec: `extensions/tasks#task-update-requests`
    pub async fn update(&self, responses: JsonObject) -> Result<(), ClientError> {
        let raw = |(key, answer): (String, Value)| Ok((key, to_raw_value(&answer)?));
        let input_responses = responses.into_iter().map(raw).collect::<Result<_, serde_json::Error>>();
        let input_responses = input_responses
            .map_err(|error| ClientError::new(ErrorKind::Encoding, format!("an answer is not JSON: {error}")))?;
        let params = UpdateTaskParams { task_id: self.id.clone(), input_responses };
        self.request(method::TASKS_UPDATE, &params).await.map(drop)
    }

    /// Asks the server to stop the task. Whether it does, and when, [`RunningTask::get`] tells.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    ///
    /// spec: `extensions/tasks#task-cancellation`
    pub async fn cancel(&self) -> Result<(), ClientError> {
        let params = TaskParams { task_id: self.id.clone() };
        self.request(method::TASKS_CANCEL, &params).await.map(drop)
    }

    /// Follows the task to its end. What it asks meanwhile goes to the client's handlers, each question once.
    ///
    /// It asks as often as the server says, or when the server says that there is something new (over one stream, where
    /// that costs no connection). A few failures to reach the server are borne. It ends with the task's time to live, or
    /// after a day.
    ///
    /// # Errors
    /// The error that the call ended with; [`ErrorKind::Cancelled`] for a task that was stopped; [`ErrorKind::Timeout`];
    /// all others of [`ErrorKind`]. The task goes on: it can be followed again.
    pub async fn wait(&self) -> Result<Called, ClientError> {
        let result = self.follow().await?;
        self.inner.conclude(&self.tool, &result, None).await
    }

    /// The result of the call that the task is.
    async fn follow(&self) -> Result<Box<RawValue>, ClientError> {
        let mut news = self.news().await;
        let (mut answered, mut failures, mut end) = (BTreeSet::new(), 0, None);
        loop {
            let pause = match self.get().await {
                Ok(task) => {
                    failures = 0;
                    let longest = task.ttl_ms.map_or(LONGEST, Duration::from_millis).min(LONGEST);
                    end.get_or_insert_with(|| Instant::now() + longest);
                    let pause = task.poll_interval_ms.map_or(USUAL_PAUSE, Duration::from_millis);
                    match task.status {
                        TaskStatus::Completed => {
                            let without = || ClientError::invalid("a task is completed and has no result");
                            return task.result.ok_or_else(without);
                        }
                        TaskStatus::Failed => {
                            let without = || ClientError::invalid("a task failed and has no error");
                            return Err(ProtocolError::from(task.error.ok_or_else(without)?).into());
                        }
                        TaskStatus::Cancelled => {
                            let what = format!("the task of {} was cancelled", self.tool);
                            return Err(ClientError::new(ErrorKind::Cancelled, what));
                        }
                        TaskStatus::InputRequired if self.answer(&task, &mut answered).await? => continue,
                        TaskStatus::InputRequired | TaskStatus::Working => {}
                    }
                    pause.clamp(PAUSES.0, PAUSES.1)
                }
                Err(error) if passes(&error) && failures < MOST_FAILURES => {
                    tracing::debug!(%error, tool = self.tool, "a task can't be asked for; trying again");
                    failures += 1;
                    USUAL_PAUSE * failures
                }
                Err(error) => return Err(error),
            };
            let pause = if news.is_some() { pause * PAUSES_WITH_NEWS } else { pause };
            let again = Instant::now() + pause.min(PAUSES.1);
            if end.is_some_and(|end| end <= Instant::now()) {
                let what = format!("the task of {} was not done when its time was over", self.tool);
                return Err(ClientError::new(ErrorKind::Timeout, what));
            }
            tokio::select! {
                () = sleep_until(again) => {}
                told = next(&mut news) => {
                    if !told {
                        news = None;
                    }
                }
            }
        }
    }

    /// Answers what is asked and wasn't before. Says whether there was anything.
    async fn answer(&self, task: &Task, answered: &mut BTreeSet<String>) -> Result<bool, ClientError> {
        let asked = task.input_requests.clone().unwrap_or_default();
        let new: std::collections::BTreeMap<_, _> =
            asked.into_iter().filter(|(key, _)| !answered.contains(key)).collect();
        if new.is_empty() {
            return Ok(false);
        }
        answered.extend(new.keys().cloned());
        let input_responses = self.inner.respond(method::TOOLS_CALL, new).await?;
        let params = UpdateTaskParams { task_id: self.id.clone(), input_responses };
        self.request(method::TASKS_UPDATE, &params).await?;
        Ok(true)
    }

    /// News of the task, where they cost no connection.
    async fn news(&self) -> Option<Subscription> {
        let cheap = matches!(self.inner.link, Link::Streams(_));
        if !cheap || !self.inner.negotiated().await.is_ok_and(|server| server.has_tasks()) {
            return None;
        }
        let subscribed = self.inner.subscribe(SubscribeTo::new().task(&self.id)).await;
        subscribed.inspect_err(|error| tracing::debug!(%error, "the server tells nothing of its tasks; asking")).ok()
    }

    /// spec: `extensions/tasks#streamable-http-routing-headers`
    async fn request(&self, method: &str, params: &impl serde::Serialize) -> Result<Box<RawValue>, ClientError> {
        let mirrored = Mirrored { method: method.to_owned(), name: Some(self.id.clone()), ..Mirrored::default() };
        let how = How::of(CallOptions::default(), self.inner.settings.timeout);
        self.inner.request(params, &mirrored, &how).await
    }
}

/// Whether there were news; not, once none will come any more.
async fn next(news: &mut Option<Subscription>) -> bool {
    match news {
        Some(news) => news.next().await.is_some(),
        None => std::future::pending().await,
    }
}

/// Whether it may be better the next time.
fn passes(error: &ClientError) -> bool {
    match error.kind() {
        ErrorKind::Timeout | ErrorKind::Closed | ErrorKind::Connect => true,
        ErrorKind::Http(status) => *status >= 500,
        _ => false,
    }
}

impl Inner {
    /// The result of a call that the server goes on with as a task. If this is given up, so is the task.
    pub(super) async fn see_through(
        self: &Arc<Self>,
        tool: &str,
        task: Task,
        at_most: Option<Duration>,
    ) -> Result<Box<RawValue>, ClientError> {
        let task = RunningTask { inner: Arc::clone(self), tool: tool.to_owned(), id: task.task_id };
        let mut unwanted = GivenUp { task: Some(task.clone()) };
        let Some(at_most) = at_most else {
            let result = task.follow().await;
            unwanted.settle(&result);
            return result;
        };
        match timeout_at(Instant::now() + at_most, task.follow()).await {
            Ok(result) => {
                unwanted.settle(&result);
                result
            }
            Err(_) => {
                let what = format!("{tool} had no result within {at_most:?}, and its task was cancelled");
                Err(ClientError::new(ErrorKind::Timeout, what))
            }
        }
    }
}

/// Cancels a task that nobody waits for any more.
struct GivenUp {
    task: Option<RunningTask>,
}

impl GivenUp {
    /// A task that has ended, or isn't there, needs no cancellation.
    fn settle(&mut self, result: &Result<Box<RawValue>, ClientError>) {
        let over = match result {
            Ok(_) => true,
            Err(error) => matches!(error.kind(), ErrorKind::Protocol(_) | ErrorKind::Cancelled),
        };
        if over {
            self.task = None;
        }
    }
}

impl Drop for GivenUp {
    fn drop(&mut self) {
        let Some(task) = self.task.take() else { return };
        // Ends by itself, soon: nobody waits for it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { drop(timeout(GIVING_UP, task.cancel()).await) });
        }
    }
}

impl super::ServerDescription {
    /// Whether the server declares tasks.
    fn has_tasks(&self) -> bool {
        self.modern
            && self.capabilities.extensions.as_ref().is_some_and(|extensions| extensions.contains_key(extension::TASKS))
    }
}

impl fmt::Debug for RunningTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningTask").field("tool", &self.tool).finish_non_exhaustive()
    }
}
