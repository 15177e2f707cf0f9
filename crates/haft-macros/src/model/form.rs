//! What a `#[derive(Form)]` means: a struct's fields, or an enum's variants.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{Data, DeriveInput, Fields, Ident, Path, Type};

use super::Description;
use crate::errors::Errors;
use crate::parse::{FormAttr, FormPlace};

pub(crate) struct Form {
    pub(crate) ident: Ident,
    pub(crate) krate: Option<Path>,
    /// Where `enum_names` is typed: titles of variants go apart from their names
    pub(crate) enum_names: Option<Span>,
    pub(crate) shape: Shape,
}

pub(crate) enum Shape {
    Fields(Vec<Field>),
    Variants(Vec<Variant>),
}

pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// On the wire
    pub(crate) name: String,
    pub(crate) name_span: Span,
    /// From `description = …` or the doc comment
    pub(crate) description: Option<TokenStream>,
    pub(crate) attr: FormAttr,
}

pub(crate) struct Variant {
    pub(crate) ident: Ident,
    /// On the wire
    pub(crate) name: String,
    pub(crate) name_span: Span,
    /// From `title = …` or the doc comment
    pub(crate) title: Option<TokenStream>,
}

impl Form {
    /// `None` where the item is no form at all; the reason is among the errors.
    pub(crate) fn of(item: &DeriveInput, errors: &Errors) -> Option<Form> {
        let attr = FormAttr::parse(&item.attrs, FormPlace::Type, errors);
        if !item.generics.params.is_empty() {
            errors.on(&item.generics, "a form has no parameters: its fields are known when it is compiled");
            return None;
        }
        let shape = match &item.data {
            Data::Struct(data) => match &data.fields {
                Fields::Named(fields) => Shape::Fields(fields.named.iter().filter_map(|f| field(f, errors)).collect()),
                Fields::Unnamed(fields) => {
                    errors.on(
                        fields,
                        "a form's fields have names, which its answers carry: write `struct … { name: String }`",
                    );
                    return None;
                }
                Fields::Unit => {
                    errors.on(&item.ident, NOTHING);
                    return None;
                }
            },
            Data::Enum(data) => Shape::Variants(data.variants.iter().filter_map(|v| variant(v, errors)).collect()),
            Data::Union(data) => {
                errors.on(data.union_token, "a union is no form: write a struct with named fields, or an enum");
                return None;
            }
        };
        let enum_names = attr.keys.iter().find(|key| attr.enum_names && *key == "enum_names").map(Ident::span);
        Some(Form { ident: item.ident.clone(), krate: attr.krate, enum_names, shape })
    }
}

pub(crate) const NOTHING: &str =
    "a form without fields asks nothing: add a field, or ask for a `bool` if all you need is a yes";

fn field(field: &syn::Field, errors: &Errors) -> Option<Field> {
    let attr = FormAttr::parse(&field.attrs, FormPlace::Field, errors);
    let ident = field.ident.clone()?;
    let (name, name_span) = match &attr.rename {
        Some(rename) => (rename.value(), rename.span()),
        None => (ident.to_string().trim_start_matches("r#").to_owned(), ident.span()),
    };
    let description = match &attr.description {
        Some(text) => Some(text.to_token_stream()),
        None => Description::of(&field.attrs).expression(),
    };
    Some(Field { ident, ty: field.ty.clone(), name, name_span, description, attr })
}

fn variant(variant: &syn::Variant, errors: &Errors) -> Option<Variant> {
    let attr = FormAttr::parse(&variant.attrs, FormPlace::Variant, errors);
    if !matches!(variant.fields, Fields::Unit) {
        errors.on(
            &variant.fields,
            "a user chooses a variant and nothing within it: remove these, and ask for them under another key",
        );
        return None;
    }
    let (name, name_span) = match &attr.rename {
        Some(rename) => (rename.value(), rename.span()),
        None => (variant.ident.to_string().trim_start_matches("r#").to_owned(), variant.ident.span()),
    };
    let title = match &attr.title {
        Some(text) => Some(text.to_token_stream()),
        None => Description::of(&variant.attrs).expression(),
    };
    Some(Variant { ident: variant.ident.clone(), name, name_span, title })
}
