//! JSON Schemas from Rust types, portable to every AI host, compiled once, and checked with violations that a model can
//! act on.
//!
//! This crate knows JSON Schema and the rules that AI hosts have for it. It knows no protocol and runs no async code.
//!
//! | | |
//! |---|---|
//! | [`Param`], [`input`] | the parameters of a function to an [`Input`]: the *exact* schema that is checked, and the *published* one that hosts see |
//! | [`output`] | a return type to an [`Output`]: its natural schema, inlined |
//! | [`Checker`] | a schema, compiled: normalises a value, finds every [`Violation`] |
//! | [`keyword_problems`] | what is wrong with a schema's keywords in a dialect of choice |
//! | [`render`] | violations to the text that a model reads |
//! | [`portable`] | the rules of the subset that every host accepts |
//! | [`schema_text`] | a schema to text with keys in an order of its own |
//!
//! ```
//! use haft_schema::{Checker, InputOptions, Param, RenderOptions, input, render};
//!
//! let params = [Param::of::<String>("order_id").describe("Order ID, e.g. A-1001").pattern(r"^A-\d{4}$")];
//! let schema = input(&params, &InputOptions { closed: true, allow: &[] }).expect("a portable schema");
//! let checker = Checker::compile(&schema.exact).expect("a schema that compiles");
//!
//! let violations = checker.check(&serde_json::json!({"order_id": "1001"}));
//! assert_eq!(
//!     render(&violations, &RenderOptions::arguments("get_order")),
//!     "get_order was not run: 1 problem with its arguments.\n\
//!      - /order_id: must match the pattern ^A-\\d{4}$, got \"1001\" (Order ID, e.g. A-1001)\n\
//!      Correct this argument and call get_order again."
//! );
//! ```
//!
//! # What it promises
//!
//! - Exact implies published: whatever the published schema refuses, the exact one refuses. They differ only where the
//!   portable subset is too weak to say it.
//! - What the exact schema admits after [`Checker::normalise`], serde takes.
//! - References never leave the document; depth, size and the cost of patterns are bounded.
//! - Texts and schemas are the same whichever features of `serde_json` are turned on elsewhere.

mod canonical;
mod check;
mod derive;
pub mod portable;

pub use canonical::schema_text;
pub use check::{
    Checker, Excerpt, Problem, RenderOptions, Violation, ViolationKind, is_hidden, keyword_problems, nearest, render,
};
pub use derive::{Input, InputOptions, Members, Output, Param, headers, input, output, received_headers};
