//! Stage 3: what goes together and what doesn't. Reads the model, adds to the errors, changes nothing.

mod arguments;
mod definition;
mod form;
mod limits;
mod primitive;
mod signature;
mod stand;
mod task;
mod toolset;

use crate::errors::Errors;
use crate::model::Tool;

pub(crate) use form::form;
pub(crate) use primitive::primitive;
pub(crate) use signature::belongs_to_impl;
pub(crate) use toolset::toolset;

/// Checks one tool.
pub(crate) fn tool(tool: &Tool, errors: &Errors) {
    stand::check(tool, errors);
    definition::check(tool, errors);
    limits::check(tool, errors);
    task::check(tool, errors);
    signature::check(tool, errors);
    arguments::check(tool, errors);
}
