//! haft-schema

mod canonical;
mod check;
mod derive;
pub mod portable;

pub use canonical::schema_text;
pub use check::{Checker, Excerpt, Problem, RenderOptions, Violation, ViolationKind, nearest, render};
pub use derive::{Input, InputOptions, Members, Output, Param, input, output};
