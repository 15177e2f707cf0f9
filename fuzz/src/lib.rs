//! What the fuzz targets do with their input, and what must hold of what comes back.
//!
//! Time stands still while anything runs and jumps ahead when all of it waits, so no input takes long, and a wait
//! without an end is a test that hangs.

pub mod http;
pub mod lines;
mod message;
mod server;

use std::future::Future;

/// Runs a future on a runtime of its own; whatever it has left running ends with it.
fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime without threads and sockets").block_on(future)
}
