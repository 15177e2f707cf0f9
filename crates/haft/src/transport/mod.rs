//! Transports: where bytes come from and go to.

#[cfg_attr(
    not(any(feature = "stdio", feature = "client")),
    expect(dead_code, reason = "over HTTP each request is an exchange of its own")
)]
mod connection;
#[cfg(feature = "stdio")]
mod converse;
#[cfg(feature = "stdio")]
mod duplex;
#[cfg(feature = "http")]
pub(crate) mod http;
mod in_flight;
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
    /// Other machines can reach this address, and nobody said by which names they may.
    #[cfg(feature = "http")]
    PublicBind(std::net::SocketAddr),
    /// What clients are to be told of the server as a protected resource is wrong, as this says.
    #[cfg(feature = "http")]
    ProtectedResource(String),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Build(error) => error.fmt(f),
            Self::Io(error) => write!(f, "the transport failed: {error}"),
            #[cfg(feature = "http")]
            Self::PublicBind(address) => write!(
                f,
                "{address} can be reached from other machines, so the names that this server is called by have to be \
                 said: add each with HttpOptions::allow_host(\"mcp.example.com\"), or bind to 127.0.0.1"
            ),
            #[cfg(feature = "http")]
            Self::ProtectedResource(problem) => write!(f, "the protected resource can't be announced: {problem}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Build(error) => Some(error),
            Self::Io(error) => Some(error),
            #[cfg(feature = "http")]
            Self::PublicBind(_) | Self::ProtectedResource(_) => None,
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
