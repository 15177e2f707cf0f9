//! The portable profile: the rules that every AI host with documented rules accepts, as functions.
//!
//! They hold whoever wrote the definition; [`input`](crate::input) and [`output`](crate::output) make schemas that keep
//! them, and a checker of foreign servers asks them directly.

mod name;
mod schema;
mod text;

pub use name::{argument_name, is_token, tool_name};
pub use schema::{input_schema, output_schema};
pub use text::{MAX_DESCRIPTION, MAX_INPUT_BYTES, description, input_size};

/// A tool's name: [`tool_name`].
pub const NAME: &str = "portable_name";
/// A description of a tool or of an argument: [`description`].
pub const DESCRIPTION: &str = "portable_description";
/// The input schema keeps to the subset that every host takes: [`input_schema`].
pub const INPUT: &str = "portable_input";
/// The output schema's root is an object: [`output_schema`].
pub const OUTPUT: &str = "portable_output";
/// No type contains itself.
pub const RECURSION: &str = "recursion";
/// The rules that a tool can opt out of by name.
pub const RULES: [&str; 5] = [NAME, DESCRIPTION, INPUT, OUTPUT, RECURSION];
