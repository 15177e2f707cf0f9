//! Stage 2: raw attributes and items in, what they mean out: one [`Tool`] with its name, description and
//! parameters, and the user's function without the attributes that only haft knows.

mod description;
mod form;
mod parameter;
mod primitive;
mod tool;
mod toolset;
mod types;

pub(crate) use description::Description;
pub(crate) use form::{Field, Form, NOTHING, Shape as FormShape, Variant};
pub(crate) use parameter::{Argument, Parameter};
pub(crate) use primitive::{Given, PrimitiveFunction};
pub(crate) use tool::{Home, Tool};
pub(crate) use toolset::{Item, Toolset, take_tool_attributes};
pub(crate) use types::{Kind, kind, last_name, option_of, peel};
