//! Stops 1 and 9 in memory. in: frames from a client in this process; out: frames to it; next: `haft-wire/message`.

use std::time::Duration;

use tokio::sync::mpsc;

use super::connection::Connection;
use crate::server::Server;

/// Frames that may wait on either side before the other one waits.
const QUEUE: usize = 64;

/// Both ends of a connection to `server`, which lasts as long as the sender lives. Needs a running tokio runtime.
pub fn connect(server: &Server) -> (mpsc::Sender<Vec<u8>>, mpsc::Receiver<Vec<u8>>) {
    let (to_server, mut incoming) = mpsc::channel::<Vec<u8>>(QUEUE);
    let (frames, from_server) = mpsc::channel(QUEUE);
    let mut connection = Connection::new(server.clone(), frames);
    // Owned by the connection: it ends when the client drops its sender.
    tokio::spawn(async move {
        while let Some(frame) = incoming.recv().await {
            connection.receive(&frame).await;
        }
        connection.finish(Duration::ZERO).await;
    });
    (to_server, from_server)
}
