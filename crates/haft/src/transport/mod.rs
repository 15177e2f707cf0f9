//! Transports: where bytes come from and go to.

mod connection;
#[cfg(any(feature = "stdio", feature = "client"))]
mod lines;
#[cfg(feature = "client")]
pub(crate) mod memory;
#[cfg(feature = "stdio")]
mod stdio;
#[cfg(feature = "stdio")]
mod streams;

#[cfg(feature = "client")]
pub(crate) use lines::{Line, Lines};

use std::{fmt, io};

use crate::server::BuildError;

/// Why a server stopped, or never started.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// It could not be built.
    Build(BuildError),
    /// Its transport failed.
    Io(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Build(error) => error.fmt(f),
            Self::Io(error) => write!(f, "the transport failed: {error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Build(error) => Some(error),
            Self::Io(error) => Some(error),
        }
    }
}

impl From<BuildError> for ServeError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
