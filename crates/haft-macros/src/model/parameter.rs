//! What a function's parameters mean.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Meta, Pat, PatType, Type};

use super::{Description, last_name};
use crate::errors::Errors;
use crate::parse::ArgAttr;

/// One parameter other than `self`.
pub(crate) enum Parameter {
    /// Sent by the model
    Argument(Box<Argument>),
    /// The call's `Context`
    Context(Type),
    /// `#[extract]`: made from the context
    Extract(Type),
}

/// An argument that the model sends.
pub(crate) struct Argument {
    /// Its name in the schema
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) ty: Type,
    pub(crate) description: Description,
    pub(crate) attr: ArgAttr,
}

impl Parameter {
    /// Reads one parameter; `None` where it has no name (reported).
    pub(crate) fn of(input: &PatType, errors: &Errors) -> Option<Parameter> {
        refuse_foreign(&input.attrs, errors);
        let attr = ArgAttr::parse(input.attrs.iter().filter(|attribute| attribute.path().is_ident("arg")), errors);
        let ty = (*input.ty).clone();

        let mut extracts = input.attrs.iter().filter(|attribute| attribute.path().is_ident("extract"));
        if let Some(extract) = extracts.next() {
            if !matches!(extract.meta, Meta::Path(_)) {
                errors.on(extract, "`#[extract]` takes nothing: write `#[extract]`");
            }
            if let Some(again) = extracts.next() {
                errors.on(again, "`#[extract]` is given twice; keep one of them");
            }
            if let Some(typed) = &attr.typed {
                errors.on(typed, "a parameter comes from the model (`#[arg]`) or from the call (`#[extract]`), not from both: remove one of them");
            }
            return Some(Parameter::Extract(ty));
        }
        if last_name(&ty).is_some_and(|name| name == "Context") {
            if let Some(typed) = &attr.typed {
                errors.on(
                    typed,
                    "`Context` comes from the call and not from the model, so `#[arg]` has no meaning here: remove it",
                );
            }
            return Some(Parameter::Context(ty));
        }

        let ident = name_of(&input.pat, errors)?;
        let (name, name_span) = match &attr.rename {
            Some(rename) => (rename.value(), rename.span()),
            None => (ident.unraw().to_string(), ident.span()),
        };
        let mut description = Description::of(&input.attrs);
        if let Some(text) = &attr.description {
            if let Some(span) = description.span() {
                errors.at(span, "the argument has a doc comment and `description = …`; keep one of them");
            }
            description = match text.value().trim() {
                "" => Description::Missing,
                trimmed => Description::Text(trimmed.to_owned(), text.span()),
            };
        }
        Some(Parameter::Argument(Box::new(Argument { name, name_span, ty, description, attr })))
    }
}

/// The name that a pattern binds, where it is nothing but a name.
fn name_of(pattern: &Pat, errors: &Errors) -> Option<Ident> {
    match pattern {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        Pat::Paren(pat) => name_of(&pat.pat, errors),
        Pat::Wild(_) => {
            errors.on(
                pattern,
                "the argument needs a name, since the model sends it by name: write `name: …`, or remove it",
            );
            None
        }
        other => {
            errors.on(
                other,
                "a tool's parameter is a plain name, since the model sends it by name: write `name: …` and take it apart inside the function",
            );
            None
        }
    }
}

/// Attributes that would be lost or would break the expansion.
fn refuse_foreign(attributes: &[Attribute], errors: &Errors) {
    for attribute in attributes {
        let name = attribute.path().to_token_stream().to_string();
        let message = match name.as_str() {
            "cfg" | "cfg_attr" => format!(
                "`#[{name}]` on a tool's parameter isn't supported: put `#[cfg]` on the whole function and write one function for each configuration"
            ),
            "serde" | "schemars" | "validate" | "garde" => format!(
                "`#[{name}]` has no effect on a parameter: write `#[arg(…)]`, or group arguments in a struct that derives `Deserialize` and `JsonSchema` and take it with `#[arg(flatten)]`"
            ),
            "doc" if matches!(attribute.meta, Meta::List(_)) => "only doc comments can stand on a parameter".to_owned(),
            _ => continue,
        };
        errors.on(attribute, message);
    }
}

/// Whether an attribute on a parameter is ours to take off.
pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    ["arg", "extract", "doc", "cfg_attr", "serde", "schemars", "validate", "garde"]
        .iter()
        .any(|name| attribute.path().is_ident(name))
}

impl Argument {
    /// The span to blame for what the type can't do.
    pub(crate) fn type_span(&self) -> Span {
        self.ty.span()
    }
}
