//! An impl block with tools among its methods.

use proc_macro2::TokenStream;
use syn::{Attribute, FnArg, Meta, Path};

use super::Tool;
use super::tool::{Home, cfg_of, strip};
use crate::errors::Errors;
use crate::parse::{Function, ImplBlock, Member, ToolAttr};

/// `#[toolset] impl Type { ... }`
pub(crate) struct Toolset {
    pub(crate) block: ImplBlock,
    /// `#[cfg]`s of the block, for the impl of `Toolset`
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) krate: Option<Path>,
    /// The block's members in order; `block.members` is empty
    pub(crate) items: Vec<Item>,
}

/// One member of the block.
pub(crate) enum Item {
    Tool(Box<Tool>),
    Other(TokenStream),
}

impl Toolset {
    pub(crate) fn of(krate: Option<Path>, mut block: ImplBlock, errors: &Errors) -> Toolset {
        let cfgs = block.attrs.iter().filter_map(cfg_of).collect();
        let items = std::mem::take(&mut block.members)
            .into_iter()
            .map(|member| match member {
                Member::Function(function) => item(*function, errors),
                Member::Other(tokens) => Item::Other(tokens),
            })
            .collect();
        Toolset { block, cfgs, krate, items }
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.items.iter().filter_map(|item| match item {
            Item::Tool(tool) => Some(&**tool),
            Item::Other(_) => None,
        })
    }
}

fn item(mut function: Function, errors: &Errors) -> Item {
    let attributes = take_tool_attributes(&mut function);
    let Some((attribute, repeats)) = attributes.split_first() else {
        refuse_stray(&function, errors);
        strip_stray(&mut function);
        return Item::Other(quote::ToTokens::into_token_stream(function));
    };
    for repeat in repeats {
        errors.on(repeat, "`#[tool]` is given twice; keep one of them");
    }
    let tokens = match &attribute.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(_) => {
            errors.on(attribute, "`#[tool]` takes a list: write `#[tool(read_only, closed_world)]`");
            TokenStream::new()
        }
    };
    let attr = ToolAttr::parse(tokens, errors);
    if let Some((key, _)) = &attr.krate {
        errors.on(key, "in a toolset the path of the crate is given once: write `#[toolset(crate = \"…\")]`");
    }
    Item::Tool(Box::new(Tool::of(attr, attribute.bracket_token.span.join(), function, Home::Toolset, errors)))
}

/// Takes `#[tool]`, under whatever path, off the function.
pub(crate) fn take_tool_attributes(function: &mut Function) -> Vec<Attribute> {
    let is_tool = |attribute: &Attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "tool");
    let (ours, rest) = std::mem::take(&mut function.attrs).into_iter().partition(is_tool);
    function.attrs = rest;
    ours
}

fn is_stray(attribute: &Attribute) -> bool {
    attribute.path().is_ident("arg") || attribute.path().is_ident("extract")
}

fn refuse_stray(function: &Function, errors: &Errors) {
    for input in &function.sig.inputs {
        let FnArg::Typed(input) = input else { continue };
        for attribute in input.attrs.iter().filter(|attribute| is_stray(attribute)) {
            errors.on(
                attribute,
                format!("`{}` isn't a tool: write `#[tool(…)]` above it, or remove this", function.sig.ident),
            );
        }
    }
}

fn strip_stray(function: &mut Function) {
    let stray = function
        .sig
        .inputs
        .iter()
        .any(|input| matches!(input, FnArg::Typed(input) if input.attrs.iter().any(is_stray)));
    if stray {
        strip(function);
    }
}
