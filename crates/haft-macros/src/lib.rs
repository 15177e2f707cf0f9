//! The attributes [`macro@tool`], [`macro@toolset`], [`macro@prompt`] and [`macro@resource`] and the derive
//! [`macro@Form`] of haft.
//!
//! Use them through the `haft` crate, which re-exports them. The stages are files: `parse` reads what was typed,
//! `model` says what it means, `check` says what doesn't go together, `expand` writes the code. All mistakes of an
//! item are reported at once, each where it was typed, and the item itself is kept, so that one mistake never
//! shows up as another one elsewhere.

mod attribute;
mod check;
mod errors;
mod expand;
mod model;
mod parse;
mod rules;
mod suggest;

use proc_macro::TokenStream;

#[doc = include_str!("../docs/tool.md")]
#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    attribute::tool(attr.into(), item.into()).into()
}

#[doc = include_str!("../docs/toolset.md")]
#[proc_macro_attribute]
pub fn toolset(attr: TokenStream, item: TokenStream) -> TokenStream {
    attribute::toolset(attr.into(), item.into()).into()
}

#[doc = include_str!("../docs/prompt.md")]
#[proc_macro_attribute]
pub fn prompt(attr: TokenStream, item: TokenStream) -> TokenStream {
    attribute::primitive(parse::Primitive::Prompt, attr.into(), item.into()).into()
}

#[doc = include_str!("../docs/resource.md")]
#[proc_macro_attribute]
pub fn resource(attr: TokenStream, item: TokenStream) -> TokenStream {
    attribute::primitive(parse::Primitive::Resource, attr.into(), item.into()).into()
}

#[doc = include_str!("../docs/form.md")]
#[proc_macro_derive(Form, attributes(form))]
pub fn form(item: TokenStream) -> TokenStream {
    attribute::form(item.into()).into()
}
