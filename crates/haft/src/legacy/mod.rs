//! The revisions before 2026-07-28, in which a client says once who it is and holds a session from then on.
//!
//! An adapter around [`dispatch`](crate::server::answer), between the transports and it: nothing behind it knows of
//! sessions. [`handshake`] opens a [`Session`]; for each request the session puts in what the request itself doesn't say,
//! and [`cut`] takes out of the answer what the revision has no place for. A question in mid-call goes out as a request
//! of the server's own ([`ask`]); what a modern client would subscribe to is [`news`].
//!
//! spec: `basic/versioning#backward-compatibility-with-initialization-based-versions`

mod ask;
mod batch;
mod cut;
mod handshake;
mod news;
mod session;
mod version;

pub(crate) use handshake::{INITIALIZED, is_modern, is_ping, opens};
#[cfg(feature = "http")]
pub(crate) use session::LetGo;
pub(crate) use session::{Session, Way};
pub(crate) use version::Version;
