//! Runs cases distilled from public bug reports against a real server process.
//!
//! A case file has one JSON object a line: an id, a kind, an input, what is expected in words, and (for most) the
//! part of it that a program can check. [`Case`] reads it, [`Session`] plays its steps to a child process and keeps
//! every byte that comes back, [`Expectation`] judges what came. The runner itself is the test target `cases`.
//!
//! Whatever the runner doesn't know (a key, a step, a kind of check) is a failure: a case never passes unread.

mod case;
mod expectation;
pub mod host_rules;
mod http;
mod message;
mod process;
pub mod rendered;
mod session;
mod spec;

pub use case::{Case, Kind, Script, Step, read_cases};
pub use expectation::{Expectation, ReplyRule};
pub use http::{HttpExpectation, HttpProcess, HttpReply, HttpRequest, HttpScript, SecondRun};
pub use message::{Id, Message, shape};
pub use process::{Exit, Process, Sent};
pub use session::{Run, Session, play};
pub use spec::Spec;
