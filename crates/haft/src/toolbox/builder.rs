use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::audit::{Audit, AuditEntry};
use super::events::ToolboxEvent;
use super::policy::{Approval, ApprovalRequest, ServerPolicy};
use super::{Joined, Settings, Toolbox, shown};
use crate::client::Client;

pub(super) type Approve = Arc<dyn Fn(ApprovalRequest) -> BoxFuture<'static, Approval> + Send + Sync>;
pub(super) type OnEvent = Arc<dyn Fn(&ToolboxEvent) + Send + Sync>;

/// How a [`Toolbox`] is set up.
#[must_use = "a builder does nothing before it builds"]
pub struct ToolboxBuilder {
    servers: Vec<Joined>,
    settings: Settings,
    audit_file: Option<PathBuf>,
}

impl Default for ToolboxBuilder {
    fn default() -> Self {
        let settings = Settings {
            preapproved: BTreeSet::new(),
            approve: None,
            on_event: None,
            audit: Audit::default(),
            patience: Duration::from_secs(30),
            approval_patience: None,
        };
        Self { servers: Vec::new(), settings, audit_file: None }
    }
}

impl ToolboxBuilder {
    /// A server that isn't trusted, with all its tools. `key` is the name that the *user* gave it: what a server says of
    /// itself is in no name.
    pub fn server(self, key: impl Into<String>, client: impl Into<Arc<Client>>) -> Self {
        self.server_with(key, client, ServerPolicy::new())
    }

    /// A server with a policy of its own.
    pub fn server_with(mut self, key: impl Into<String>, client: impl Into<Arc<Client>>, policy: ServerPolicy) -> Self {
        self.servers.push(Joined { key: key.into(), client: client.into(), policy });
        self
    }

    /// Tools that the user has approved for good, by the names that the model sees (`orders__cancel_order`). Nobody is
    /// asked before they run, destructive or not.
    pub fn preapprove<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.settings.preapproved.extend(names.into_iter().map(Into::into));
        self
    }

    /// Who is asked before calls. Without, what needs a question is denied.
    ///
    /// There is no deadline on the answer unless [`approval_timeout`](ToolboxBuilder::approval_timeout) sets one; a call
    /// that is dropped meanwhile isn't made.
    pub fn on_approval<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(ApprovalRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Approval> + Send + 'static,
    {
        self.settings.approve = Some(Arc::new(move |asked| handler(asked).boxed()));
        self
    }

    /// How long a person may take to decide about a call; then it is denied, and the model is told that nobody answered.
    /// The handler's future is dropped.
    pub fn approval_timeout(mut self, patience: Duration) -> Self {
        self.settings.approval_patience = Some(patience);
        self
    }

    /// Who is told of what is exposed and what runs. The function must not block.
    pub fn on_event(mut self, callback: impl Fn(&ToolboxEvent) + Send + Sync + 'static) -> Self {
        self.settings.on_event = Some(Arc::new(callback));
        self
    }

    /// Who is told of each call once it is over, or denied. The function must not block.
    pub fn audit(mut self, callback: impl Fn(&AuditEntry) + Send + Sync + 'static) -> Self {
        self.settings.audit.callback = Some(Arc::new(callback));
        self
    }

    /// A file to which each [`AuditEntry`] is appended as a line of JSON, in one write. It is created with mode 0600; one
    /// that is there already keeps its mode.
    pub fn audit_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.audit_file = Some(path.into());
        self
    }

    /// Puts arguments into the audit log, too, without secrets. Off unless set.
    pub fn audit_arguments(mut self, on: bool) -> Self {
        self.settings.audit.arguments = on;
        self
    }

    /// How long a server may take to list its tools, in all. 30 s unless set.
    pub fn list_timeout(mut self, patience: Duration) -> Self {
        self.settings.patience = patience;
        self
    }

    /// Asks all servers for their tools, side by side. One that fails costs its own tools only, and is in
    /// [`Toolbox::problems`].
    ///
    /// # Errors
    /// When a key is empty or given twice, or the file of the audit log can't be opened.
    pub async fn build(mut self) -> Result<Toolbox, ToolboxError> {
        let mut keys = BTreeSet::new();
        for Joined { key, .. } in &self.servers {
            let key_shown = shown::line(key, 200);
            if key.is_empty() {
                return Err(ToolboxError("a server has an empty key".to_owned()));
            }
            if !keys.insert(key.as_str()) {
                return Err(ToolboxError(format!("two servers have the key {key_shown}")));
            }
        }
        if let Some(path) = &self.audit_file {
            self.settings
                .audit
                .open(path)
                .map_err(|error| ToolboxError(format!("the audit log {} can't be opened: {error}", path.display())))?;
        }
        let toolbox = Toolbox::new(self.servers, self.settings);
        toolbox.refresh().await;
        Ok(toolbox)
    }
}

impl fmt::Debug for ToolboxBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolboxBuilder").field("servers", &self.servers).finish_non_exhaustive()
    }
}

/// Why a [`Toolbox`] could not be built.
#[derive(Debug)]
pub struct ToolboxError(String);

impl fmt::Display for ToolboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ToolboxError {}
