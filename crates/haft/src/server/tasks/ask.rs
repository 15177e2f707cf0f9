use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::keeper::Keeper;
use crate::server::mrtr::{Given, Peer, Question};

/// Whoever follows a task: asked by way of its record, by whichever process the answer comes.
pub(super) struct Follower {
    pub(super) keeper: Keeper,
    pub(super) id: Arc<str>,
    /// The last that was said of how far the task is.
    pub(super) said: watch::Sender<Option<String>>,
}

impl Peer for Follower {
    /// spec: `extensions/tasks#task-update-requests`
    fn ask(&self, question: Question) -> BoxFuture<'static, Given> {
        let (keeper, id) = (self.keeper.clone(), Arc::clone(&self.id));
        Box::pin(async move { ask(&keeper, &id, &question).await.map_or_else(Given::Failed, Given::Answer) })
    }

    fn is_task(&self) -> bool {
        true
    }

    fn say(&self, message: &str) {
        self.said.send_replace(Some(message.to_owned()));
    }
}

async fn ask(keeper: &Keeper, id: &Arc<str>, question: &Question) -> Result<Box<serde_json::value::RawValue>, String> {
    let mut fresh = String::new();
    let put = keeper.change_surely(id, |record| {
        let open = record.end.is_none() && !record.cancel;
        if open {
            fresh = record.ask(&question.key, question.request.clone());
        }
        open
    });
    let put = put.await.map_err(|error| {
        tracing::error!(%error, key = question.key, "a question of a task can't be kept");
        "it can't be kept".to_owned()
    })?;
    let mut seen = put;
    loop {
        let kept = seen.ok_or("the task's time is over")?;
        if let Some(answered) = kept.record.answers.get(&fresh) {
            return Ok(answered.answer.clone());
        }
        if kept.record.cancel || kept.record.end.is_some() {
            return Err("the task is being stopped".to_owned());
        }
        seen = keeper.watch_on(id, kept.entry.version).await;
    }
}
