//! From Rust types to two JSON Schemas: the *exact* one that is checked and the *published* one that hosts see.
//!
//! A schema passes through the files of this folder in this order: `params` (what schemars says of a type), `inline`
//! (no `$ref` left), `said` (what the author said of it), `exact` with `merge`, `variants` and `formats` (one normal form,
//! closed, bounded), `buffered` (what serde couldn't read), `values` (defaults and examples that are true), `publish` (the portable subset), `marks` (headers and
//! secrets). `input` and `output` are the two ways through.

mod buffered;
mod exact;
mod formats;
mod inline;
mod input;
mod marks;
mod merge;
mod number;
mod object;
mod output;
mod params;
mod place;
mod publish;
mod said;
mod values;
mod variants;
mod words;

pub use input::{Input, InputOptions, Members, input};
pub use marks::{headers, received_headers};
pub use output::{Output, output};
pub use params::Param;

pub(crate) use number::{SAFE, spell, whole};
pub(crate) use object::property_names;
pub(crate) use place::escape;
