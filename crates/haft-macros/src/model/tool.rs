//! One tool: a function together with what its attributes say.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Attribute, FnArg};

use super::parameter::is_ours;
use super::{Description, Parameter};
use crate::errors::Errors;
use crate::parse::{Cancel, Function, Stand, ToolAttr, World};

/// Where a tool's function stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    /// On its own
    Free,
    /// In a toolset
    Toolset,
}

/// A function that is a tool.
pub(crate) struct Tool {
    /// The user's function without our attributes
    pub(crate) function: Function,
    /// `#[cfg]`s of the function, for what is generated beside it
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) attr: ToolAttr,
    /// Where `#[tool]` stands
    pub(crate) attr_span: Span,
    pub(crate) home: Home,
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) title: String,
    pub(crate) description: Description,
    pub(crate) parameters: Vec<Parameter>,
}

impl Tool {
    pub(crate) fn of(attr: ToolAttr, attr_span: Span, mut function: Function, home: Home, errors: &Errors) -> Tool {
        let ident = &function.sig.ident;
        let (name, name_span) = match &attr.name {
            Some(name) => (name.value(), name.span()),
            None => (ident.unraw().to_string(), ident.span()),
        };
        let title = attr.title.as_ref().map_or_else(|| title_of(&name), syn::LitStr::value);
        let description = Description::of(&function.attrs);
        let cfgs = function.attrs.iter().filter_map(cfg_of).collect();
        let parameters = function
            .sig
            .inputs
            .iter()
            .filter_map(|input| match input {
                FnArg::Typed(input) => Parameter::of(input, errors),
                FnArg::Receiver(_) => None,
            })
            .collect();
        strip(&mut function);
        Tool { function, cfgs, attr, attr_span, home, name, name_span, title, description, parameters }
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &super::Argument> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(&**argument),
            _ => None,
        })
    }

    pub(crate) fn has_receiver(&self) -> bool {
        self.function.sig.receiver().is_some()
    }

    pub(crate) fn allows(&self, rule: &str) -> bool {
        self.attr.allow.iter().any(|allowed| allowed == rule)
    }

    pub(crate) fn stand(&self) -> Option<Stand> {
        self.attr.stands.first().map(|(stand, _)| *stand)
    }

    pub(crate) fn open_world(&self) -> bool {
        matches!(self.attr.worlds.first(), Some((World::Open, _)))
    }

    /// A read-only tool can be stopped anywhere; one that changes things runs to its end unless its author says otherwise.
    pub(crate) fn cancel(&self) -> Cancel {
        self.attr.cancel.unwrap_or(match self.stand() {
            Some(Stand::ReadOnly) => Cancel::Drop,
            _ => Cancel::Detach,
        })
    }
}

/// Takes our attributes off the parameters.
pub(crate) fn strip(function: &mut Function) {
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(input) = input {
            input.attrs.retain(|attribute| !is_ours(attribute));
        }
    }
}

/// `get_order` -> `Get order`
fn title_of(name: &str) -> String {
    let words = name.split(['_', '-', '.']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// An attribute's part that decides whether the item is there at all.
pub(crate) fn cfg_of(attribute: &Attribute) -> Option<Attribute> {
    if attribute.path().is_ident("cfg") {
        return Some(attribute.clone());
    }
    if !attribute.path().is_ident("cfg_attr") {
        return None;
    }
    let list = attribute.meta.require_list().ok()?;
    let parts =
        list.parse_args_with(syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated).ok()?;
    let mut parts = parts.into_iter();
    let predicate = parts.next()?;
    let cfgs: Vec<_> = parts.filter(|part| part.path().is_ident("cfg")).collect();
    (!cfgs.is_empty()).then(|| syn::parse_quote!(#[cfg_attr(#predicate, #(#cfgs),*)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    #[test]
    fn derives_titles() {
        assert_eq!(title_of("get_order"), "Get order");
        assert_eq!(title_of("admin.tools-list"), "Admin tools list");
        assert_eq!(title_of("über_all"), "Über all");
        assert_eq!(title_of(""), "");
    }

    #[test]
    fn keeps_only_cfgs() {
        let attribute: Attribute = syn::parse_quote!(#[cfg_attr(test, inline, cfg(unix))]);
        let text = cfg_of(&attribute).expect("a cfg").to_token_stream().to_string();
        assert_eq!(text.replace(' ', ""), "#[cfg_attr(test,cfg(unix))]");
        assert!(cfg_of(&syn::parse_quote!(#[cfg_attr(test, inline)])).is_none());
        assert!(cfg_of(&syn::parse_quote!(#[inline])).is_none());
    }
}
