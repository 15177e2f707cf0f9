use std::collections::BTreeSet;

use haft_wire::{ResourceUpdatedParams, encode, method};

use super::Session;
use crate::server::Topic;

impl Session {
    /// What the client is to be told next, as messages, and whether that is the last of it. Waits until there is
    /// something; for ever, where the server has no news. Cancel-safe: what isn't taken stays.
    pub(crate) async fn next_news(&self) -> (Vec<Vec<u8>>, bool) {
        match &self.news {
            Some(news) => told(news.changes().await),
            None => std::future::pending().await,
        }
    }
}

/// spec: 2025-11-25 `server/tools#list-changed-notification`, `server/resources#subscriptions`
fn told(changes: BTreeSet<Topic>) -> (Vec<Vec<u8>>, bool) {
    let last = changes.contains(&Topic::End);
    let frames = changes.into_iter().filter_map(|topic| {
        let plain = |method| encode::notification(method, None::<&()>);
        let frame = match topic {
            Topic::Tools => plain(method::NOTIFICATION_TOOLS_LIST_CHANGED),
            Topic::Prompts => plain(method::NOTIFICATION_PROMPTS_LIST_CHANGED),
            Topic::Resources => plain(method::NOTIFICATION_RESOURCES_LIST_CHANGED),
            Topic::Resource(uri) => {
                let params = ResourceUpdatedParams { uri: uri.to_string(), meta: None };
                encode::notification(method::NOTIFICATION_RESOURCES_UPDATED, Some(&params))
            }
            Topic::End => return None,
        };
        frame.map_err(|error| tracing::error!(%error, "a notification could not be encoded")).ok()
    });
    (frames.collect(), last)
}
