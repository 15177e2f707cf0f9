use ::redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::{StoreError, StoreErrorKind};

/// What went wrong with a command.
pub(super) fn failed(error: RedisError) -> StoreError {
    let (kind, message) = match error.kind() {
        _ if error.is_io_error() || error.is_timeout() || error.is_connection_dropped() => {
            (StoreErrorKind::Unavailable, "Redis can't be reached; the connection is tried again by itself")
        }
        ErrorKind::Server(ServerErrorKind::BusyLoading | ServerErrorKind::TryAgain | ServerErrorKind::MasterDown) => {
            (StoreErrorKind::Unavailable, "Redis is not ready yet")
        }
        _ => {
            (StoreErrorKind::Failed, "Redis refuses a command; haft needs Redis 7 with scripts, writable and not full")
        }
    };
    StoreError::new(kind, message).with_source(error)
}

/// What went wrong before there was a connection.
pub(super) fn unreachable_at(what: &str, error: RedisError) -> StoreError {
    let kind =
        if error.is_io_error() || error.is_timeout() { StoreErrorKind::Unavailable } else { StoreErrorKind::Failed };
    StoreError::new(kind, what).with_source(error)
}

/// What is in the keys was written by something else.
pub(super) fn corrupt(what: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, format!("what Redis has under a key of the store is no entry: {what}"))
}
