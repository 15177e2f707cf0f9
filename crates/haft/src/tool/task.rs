use std::time::Duration;

/// How calls of a tool go on as tasks: what `#[tool(task)]` says, and [`Tool::task`](crate::Tool::task).
///
/// A client that declares the extension `io.modelcontextprotocol/tasks` gets a task at once in the place of a result, and
/// asks for the result later; the function runs on meanwhile, and [`Context::ask`](crate::Context::ask) waits there for
/// its answer. For all other clients the tool runs in line, as if it said nothing of tasks.
///
/// ```
/// use std::time::Duration;
///
/// use haft::TaskSupport;
/// use haft::prelude::*;
///
/// /// Use this to render a film. Takes minutes.
/// #[tool(additive, closed_world, task(ttl = "2h", poll = "5s"))]
/// async fn render_film(title: String) -> String {
///     format!("{title} is rendered.")
/// }
///
/// // The same for a tool made from data:
/// let support = TaskSupport::new().ttl(Duration::from_secs(7200)).poll_interval(Duration::from_secs(5));
/// let tool = Tool::builder("render").handler(|_: Arguments, _: Context| async { "rendered" }).task(support);
/// # assert_eq!((tool.name(), render_film::tool().name()), ("render", "render_film"));
/// ```
///
/// spec: `extensions/tasks`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskSupport {
    pub(crate) required: bool,
    pub(crate) later: bool,
    pub(crate) resumable: bool,
    pub(crate) ttl: Option<Duration>,
    pub(crate) poll_interval: Option<Duration>,
}

impl TaskSupport {
    /// A task for clients that know tasks, in line for others.
    pub const fn new() -> Self {
        Self { required: false, later: false, resumable: false, ttl: None, poll_interval: None }
    }

    /// The tool doesn't run in line: clients that don't know tasks get -32021.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The call begins in line and becomes a task when the function says so, by `Context::continue_as_task`: for what is
    /// to be asked, or refused, before there is a task.
    #[must_use]
    pub const fn later(mut self) -> Self {
        self.later = true;
        self
    }

    /// If the process that runs the task dies, the function is run again, from the top: **at least once**, so what it does
    /// must bear being done twice. No two processes run it at once. Its arguments, and what its questions were answered,
    /// are kept in the store for this. Without, such a task fails.
    #[must_use]
    pub const fn resumable(mut self) -> Self {
        self.resumable = true;
        self
    }

    /// For how long a task is kept, from its beginning on; the server's own time unless set. One that runs longer is
    /// stopped, so leave time to fetch the result.
    #[must_use]
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// How often clients are to ask; the server's own interval unless set.
    #[must_use]
    pub const fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = Some(interval);
        self
    }
}
