//! How a call becomes a task on its way.

use std::sync::Arc;

use tokio::sync::watch;

use super::{Answers, Asking, Peer};
use crate::server::Context;

/// A call that may become a task.
pub(super) struct Promotion(watch::Sender<Stage>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It runs in line, and its questions are rounds.
    InLine,
    /// It asks to become a task.
    Asks,
    /// It is one.
    Task,
    /// It becomes none.
    Never,
}

impl Asking {
    /// Lets the call become a task when it asks to.
    pub(in crate::server) fn may_become_task(&self) {
        self.shared.promotion.get_or_init(|| Promotion(watch::Sender::new(Stage::InLine)));
    }

    /// Waits until the call asks to become a task.
    pub(in crate::server) async fn asks_to_become_task(&self) {
        let Some(Promotion(stage)) = self.shared.promotion.get() else { return std::future::pending().await };
        // The sender is ours: it doesn't go before.
        drop(stage.subscribe().wait_for(|stage| *stage != Stage::InLine).await);
    }

    /// The call becomes no task any more: nobody is there who would make it one.
    pub(in crate::server) fn stay_in_line(&self) {
        if let Some(Promotion(stage)) = self.shared.promotion.get() {
            stage.send_replace(Stage::Never);
        }
    }

    /// From here on the call is a task: `peer` answers its questions, and what came with the request answers none.
    pub(in crate::server) fn become_task(&self, peer: Arc<dyn Peer>) {
        // A call becomes a task once.
        drop(self.shared.peer.set(peer));
        self.lock().given.clear();
        if let Some(Promotion(stage)) = self.shared.promotion.get() {
            stage.send_replace(Stage::Task);
        }
    }

    /// The answers so far, by the author's own keys.
    pub(in crate::server) fn answers(&self) -> Answers {
        self.lock().answers.clone()
    }

    /// With answers that an earlier run was given.
    pub(in crate::server) fn seed(&self, answers: Answers) {
        self.lock().answers = answers;
    }
}

impl Context {
    /// Makes a task of this call, from here on, if the tool says `task(later)` and the client knows tasks. Says whether the
    /// call is a task now; where it is none, it goes on in line.
    ///
    /// What is asked before is asked of the caller in rounds, before there is a task; what is asked after, of whoever
    /// follows the task. A call that is a task from its beginning stays one.
    ///
    /// ```
    /// use haft::prelude::*;
    ///
    /// /// Use this to delete a file. Asks the user first.
    /// #[tool(destructive, closed_world, task(later))]
    /// async fn delete_file(context: Context, path: String) -> Result<String, ToolError> {
    ///     let sure: bool = context.ask("sure", format!("Delete {path}?")).await?;
    ///     if !sure {
    ///         return Ok("Nothing was deleted.".to_owned());
    ///     }
    ///     context.continue_as_task().await;
    ///     // What takes long.
    ///     Ok(format!("{path} is deleted."))
    /// }
    /// # assert_eq!(delete_file::tool().name(), "delete_file");
    /// ```
    ///
    /// spec: `extensions/tasks#task-creation`
    pub async fn continue_as_task(&self) -> bool {
        let Some(Promotion(stage)) = self.asking().shared.promotion.get() else {
            return self.asking().peer().is_some_and(|peer| peer.is_task());
        };
        stage.send_if_modified(|stage| {
            let first = *stage == Stage::InLine;
            if first {
                *stage = Stage::Asks;
            }
            first
        });
        let settled = |stage: &Stage| matches!(stage, Stage::Task | Stage::Never);
        stage.subscribe().wait_for(settled).await.is_ok_and(|stage| *stage == Stage::Task)
    }
}
