//! Stage 1: tokens in, raw attributes and items out. Knows the syntax, and nothing of what goes together.

mod arg_attr;
mod entry;
mod form_attr;
mod item;
mod limit_attr;
mod number;
mod primitive_attr;
mod scopes;
mod task_attr;
mod tool_attr;

pub(crate) use arg_attr::{ArgAttr, LengthAttr, RangeAttr};
pub(crate) use entry::without_groups;
pub(crate) use form_attr::{FormAttr, FormPlace};
pub(crate) use item::{Function, ImplBlock, Member, function, impl_block};
pub(crate) use limit_attr::{Count, LimitsAttr, Rate, Time};
pub(crate) use number::Number;
pub(crate) use primitive_attr::{Primitive, PrimitiveAttr, variant};
pub(crate) use scopes::Scopes;
pub(crate) use task_attr::TaskAttr;
pub(crate) use tool_attr::{Cancel, Icon, Stand, Theme, ToolAttr, World, toolset_crate};
