//! Changes by other processes: one channel, on which each change sends the key.

use std::sync::Arc;

use ::redis::Client;
use ::redis::aio::PubSub;
use futures_util::StreamExt;
use tokio::task::JoinHandle;

use super::error::unreachable_at;
use super::{CONNECTING, PAUSES};
use crate::StoreError;
use crate::waiters::Waiters;

/// A task that wakes those who wait here for what changes there. It ends when this is dropped.
pub(super) struct Notices(JoinHandle<()>);

impl Notices {
    /// Listens from now on; whatever changes after this returned wakes those who wait for it.
    pub(super) async fn listen(client: Client, channel: String, waiters: Arc<Waiters>) -> Result<Self, StoreError> {
        let first = subscribed(&client, &channel).await?;
        Ok(Self(tokio::spawn(async move {
            let mut connection = Some(first);
            let mut pause = PAUSES.0;
            loop {
                if let Some(connection) = connection.take() {
                    pause = PAUSES.0;
                    let mut messages = connection.into_on_message();
                    while let Some(message) = messages.next().await {
                        if let Ok(key) = std::str::from_utf8(message.get_payload_bytes()) {
                            waiters.wake(key);
                        }
                    }
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSES.1);
                if let Ok(again) = subscribed(&client, &channel).await {
                    // What changed meanwhile was told to nobody here.
                    waiters.wake_all();
                    connection = Some(again);
                }
            }
        })))
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn subscribed(client: &Client, channel: &str) -> Result<PubSub, StoreError> {
    let failed = |error| unreachable_at("Redis can't be reached for notices of changes", error);
    let connecting = async {
        let mut connection = client.get_async_pubsub().await?;
        connection.subscribe(channel).await?;
        Ok(connection)
    };
    match tokio::time::timeout(CONNECTING, connecting).await {
        Ok(connection) => connection.map_err(failed),
        Err(_) => {
            Err(StoreError::new(crate::StoreErrorKind::Unavailable, "Redis takes too long to accept a subscription"))
        }
    }
}
