//! One prompt or resource: a function together with what its attributes say.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::{Attribute, FnArg, Pat, PatType, Type};

use super::tool::cfg_of;
use super::{Description, last_name, option_of};
use crate::errors::Errors;
use crate::parse::{Function, Primitive, PrimitiveAttr};

/// A function that is a prompt or reads a resource.
pub(crate) struct PrimitiveFunction {
    pub(crate) kind: Primitive,
    /// The user's function without our attributes
    pub(crate) function: Function,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) attr: PrimitiveAttr,
    pub(crate) name: String,
    pub(crate) description: Description,
    pub(crate) parameters: Vec<Given>,
}

/// Where the value of one parameter comes from.
pub(crate) enum Given {
    /// The request
    Argument(Box<Named>),
    /// The call's `Context`
    Context(Type),
    /// `#[extract]`: made from the context
    Extract(Type),
}

/// An argument of a prompt, or a variable of a URI template.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The type that the text is parsed to
    pub(crate) ty: Type,
    /// Whether the parameter is an `Option` of it
    pub(crate) optional: bool,
    pub(crate) description: Description,
}

impl PrimitiveFunction {
    pub(crate) fn of(kind: Primitive, attr: PrimitiveAttr, mut function: Function, errors: &Errors) -> Self {
        let ident = &function.sig.ident;
        let name = attr.name.as_ref().map_or_else(|| ident.unraw().to_string(), syn::LitStr::value);
        let description = Description::of(&function.attrs);
        let cfgs = function.attrs.iter().filter_map(cfg_of).collect();
        let mut parameters = Vec::new();
        for input in &mut function.sig.inputs {
            if let FnArg::Typed(input) = input {
                parameters.extend(given(kind, input, errors));
                let ours =
                    |attribute: &Attribute| ["doc", "arg", "extract"].iter().any(|n| attribute.path().is_ident(n));
                input.attrs.retain(|attribute| !ours(attribute));
            }
        }
        PrimitiveFunction { kind, function, cfgs, attr, name, description, parameters }
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Named> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Given::Argument(named) => Some(&**named),
            Given::Context(_) | Given::Extract(_) => None,
        })
    }

    /// Whether the URI is a template.
    pub(crate) fn is_template(&self) -> bool {
        self.attr.uri.as_ref().is_some_and(|uri| uri.value().contains('{'))
    }

    /// The variables of the URI template, each with whether it belongs to a query, which may be left out.
    pub(crate) fn variables(&self) -> Vec<(String, bool)> {
        let uri = self.attr.uri.as_ref().map(syn::LitStr::value).unwrap_or_default();
        let mut variables = Vec::new();
        let mut rest = uri.as_str();
        while let Some((_, after)) = rest.split_once('{') {
            let Some((expression, after)) = after.split_once('}') else { break };
            let query = expression.starts_with('?');
            let names = expression.trim_start_matches(['+', '.', '/', '?']).split(',');
            variables.extend(names.map(|name| (name.trim_end_matches('*').to_owned(), query)));
            rest = after;
        }
        variables
    }
}

fn given(kind: Primitive, input: &PatType, errors: &Errors) -> Option<Given> {
    for attribute in &input.attrs {
        if attribute.path().is_ident("arg") {
            let word = kind.word();
            let message = format!("`#[arg]` is for tools, and the arguments of a {word} are texts: remove it");
            errors.on(attribute, message);
        }
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            errors.on(attribute, "`#[cfg]` on a parameter isn't supported: write one function for each configuration");
        }
    }
    let ty = (*input.ty).clone();
    if input.attrs.iter().any(|attribute| attribute.path().is_ident("extract")) {
        return Some(Given::Extract(ty));
    }
    if last_name(&ty).is_some_and(|name| name == "Context") {
        return Some(Given::Context(ty));
    }
    let ident = name_of(&input.pat, errors)?;
    let (optional, ty) = match option_of(&ty) {
        Some(inner) => (true, inner.clone()),
        None => (false, ty),
    };
    let (name, span) = (ident.unraw().to_string(), ident.span());
    Some(Given::Argument(Box::new(Named { name, span, ty, optional, description: Description::of(&input.attrs) })))
}

fn name_of(pattern: &Pat, errors: &Errors) -> Option<Ident> {
    match pattern {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        other => {
            errors.on(other, "this parameter needs a plain name, since clients give it by name: write `name: …`");
            None
        }
    }
}
