//! Stop 5, check in. in: a value; out: the value normalised, or every violation; next: `haft/src/server/call.rs`.
//!
//! `compile` turns the document into a [`Checker`]: bounds, dialect and references first, then the validator that gives the
//! verdict, and a graph of the schema's places. `normalise` walks the graph to prepare a value, `explain` to say what is
//! wrong with one that the validator refused, `render` puts that into words.

#[cfg(test)]
mod agreement;
mod bounds;
mod checker;
mod compile;
mod cost;
mod dialect;
mod excerpt;
mod explain;
mod graph;
mod kinds;
mod lower;
mod normalise;
mod number;
mod phrase;
mod problem;
mod references;
mod render;
mod suggest;
mod types;
mod unions;
mod violation;
mod walk;

pub use checker::Checker;
pub use compile::keyword_problems;
pub use excerpt::{Excerpt, is_hidden};
pub use problem::Problem;
pub use render::{RenderOptions, render};
pub use suggest::nearest;
pub use violation::{Violation, ViolationKind};
