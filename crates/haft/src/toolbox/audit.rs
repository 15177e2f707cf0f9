//! One line for each call that was asked for: who decided, and what came of it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::policy::DecidedBy;

/// What is written of one call. As JSON it is one line.
///
/// Foreign text in it has controls and invisible characters escaped.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuditEntry {
    /// When the call was asked for, in RFC 3339, UTC.
    pub at: String,
    /// Which call it is, as in [`ToolboxEvent`](crate::ToolboxEvent).
    pub call: u64,
    /// The key of the server.
    pub server: String,
    /// The server's name of the tool.
    pub tool: String,
    /// Who approved or denied it; `null` if it was given up before anybody did.
    pub decided_by: Option<DecidedBy>,
    /// What came of it.
    pub outcome: AuditOutcome,
    /// How long it ran, in milliseconds; of a call that wasn't made, how long it took to decide.
    pub duration_ms: u64,
    /// The arguments, without secrets; only if they are asked for
    /// ([`ToolboxBuilder::audit_arguments`](crate::ToolboxBuilder::audit_arguments)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
}

/// What came of a call, in the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditOutcome {
    /// The tool did what it does.
    Ok,
    /// The tool ran and failed.
    ToolError,
    /// The call was not approved.
    Denied,
    /// The call could not be made, or its result not be had.
    Failed,
    /// Whoever waited for it gave it up.
    Cancelled,
}

pub(super) type OnAudit = Arc<dyn Fn(&AuditEntry) + Send + Sync>;

/// Where entries go.
#[derive(Default)]
pub(super) struct Audit {
    pub(super) callback: Option<OnAudit>,
    file: Option<Mutex<File>>,
    pub(super) arguments: bool,
}

impl Audit {
    /// A file that is created for its owner alone, and appended to.
    pub(super) fn open(&mut self, path: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        self.file = Some(Mutex::new(options.open(path)?));
        Ok(())
    }

    pub(super) fn write(&self, entry: &AuditEntry) {
        if let Some(callback) = &self.callback {
            callback(entry);
        }
        let Some(file) = &self.file else { return };
        let written = serde_json::to_vec(entry).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            // In one write, so that lines of other processes don't come between.
            file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)
        });
        if let Err(error) = written {
            tracing::error!(%error, call = entry.call, "a call can't be written to the audit log");
        }
    }
}

pub(super) fn milliseconds(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}
