use std::sync::Arc;

use haft_wire::ErrorObject;
use serde_json::value::RawValue;

use super::ClientError;
use super::inbound::Inbound;
use super::stream::Streams;

/// What a server answers to one request.
pub(super) type Answer = Result<Box<RawValue>, ErrorObject>;

/// One request on its way.
pub(super) struct Outgoing {
    pub(super) id: i64,
    pub(super) frame: Vec<u8>,
    /// What a transport with headers repeats.
    #[cfg_attr(not(feature = "http-client"), expect(dead_code, reason = "other transports have no headers"))]
    pub(super) mirrored: Mirrored,
}

/// What headers say of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct Mirrored {
    pub(super) method: String,
    /// The tool's or prompt's name, or the URI.
    pub(super) name: Option<String>,
    /// Of a tool's arguments.
    #[cfg(feature = "http-client")]
    pub(super) arguments: http::HeaderMap,
}

/// A way to a server.
pub(super) enum Link {
    /// All messages on one stream: a child process, this process, any pair of streams.
    Streams(Box<Streams>),
    #[cfg(feature = "http-client")]
    Http(super::http::Http),
}

impl Link {
    /// Sends a request and waits for its answer. Dropped before, the request is cancelled.
    #[cfg_attr(not(feature = "http-client"), expect(unused_variables, reason = "streams have it themselves"))]
    pub(super) async fn request(&self, outgoing: Outgoing, inbound: &Arc<Inbound>) -> Result<Answer, ClientError> {
        match self {
            Self::Streams(streams) => streams.request(outgoing).await,
            #[cfg(feature = "http-client")]
            Self::Http(http) => http.request(outgoing, inbound).await,
        }
    }

    /// Sends a notification.
    #[cfg_attr(not(feature = "http-client"), expect(unused_variables, reason = "it is in the frame"))]
    pub(super) async fn notify(&self, method: &str, frame: Vec<u8>) -> Result<(), ClientError> {
        match self {
            Self::Streams(streams) => streams.notify(frame).await,
            #[cfg(feature = "http-client")]
            Self::Http(http) => http.notify(method, frame).await,
        }
    }
}
