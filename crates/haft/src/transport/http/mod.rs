//! Streamable HTTP: each message is a POST of its own, each answer is JSON or a stream of events.
//!
//! [`service`] takes an HTTP request through [`gate`] (who may ask), [`cors`], [`admission`] (who it is), [`accept`] and [`body`] to a message,
//! holds its [`mirror`]ed headers against it and hands it to an [`exchange`], which answers with JSON or with
//! [`events`]. [`serve`] puts the service on a socket.
//!
//! spec: `basic/transports/streamable-http`

mod accept;
mod admission;
mod body;
mod cors;
mod events;
mod exchange;
mod gate;
mod metadata;
mod mirror;
mod options;
mod reply;
mod serve;
mod service;
mod session;

pub use events::HttpBody;
pub use metadata::MetadataService;
pub use options::HttpOptions;
pub use serve::HttpServer;
pub use service::HttpService;
