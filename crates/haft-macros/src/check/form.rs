//! What elicitation has no room for, spec: client/elicitation#requested-schema.

use std::collections::HashSet;

use proc_macro2::Span;
use syn::{Expr, ExprLit, Lit};

use crate::errors::Errors;
use crate::model::{Field, Form, FormShape, Kind, NOTHING, kind};
use crate::parse::{LengthAttr, Number, RangeAttr, without_groups};
use crate::suggest;

/// The formats that a client knows.
const FORMATS: &[&str] = &["email", "uri", "date", "date-time"];

/// Checks one form.
pub(crate) fn form(form: &Form, errors: &Errors) {
    let mut names = HashSet::new();
    let mut name = |name: &str, span: Span| {
        if name.is_empty() {
            errors.at(span, "the name is empty: write one, or leave `rename` out");
        } else if !names.insert(name.to_owned()) {
            errors
                .at(span, format!("there is a `{name}` already: give one of them another name with `rename = \"…\"`"));
        }
    };
    match &form.shape {
        FormShape::Fields(fields) => {
            if let Some(span) = form.enum_names {
                errors.at(span, "a struct has no choices to name: write `enum_names` on the enum");
            }
            if fields.is_empty() {
                errors.on(&form.ident, NOTHING);
            }
            for field in fields {
                name(&field.name, field.name_span);
                check(field, errors);
            }
        }
        FormShape::Variants(variants) => {
            if variants.is_empty() {
                errors.on(&form.ident, "there is nothing to choose from: add variants");
            }
            for variant in variants {
                name(&variant.name, variant.name_span);
            }
        }
    }
}

fn check(field: &Field, errors: &Errors) {
    let kind = kind(&field.ty);
    if let Kind::Map = kind {
        errors.on(&field.ty, "forms are flat: ask for each value in a field of its own");
    }
    if let Some(title) = field.attr.title.as_ref().filter(|title| title.value().trim().is_empty()) {
        errors.on(title, "the title is empty: write what people read, or leave it out");
    }
    if let Some(format) = &field.attr.format {
        let typed = format.value();
        if !FORMATS.contains(&typed.as_str()) {
            errors.on(format, suggest::unknown("format", &typed, FORMATS));
        }
    }
    let default =
        field.attr.default.as_ref().and_then(|tokens| syn::parse2::<Expr>(without_groups(tokens.clone())).ok());
    if let Some(attr) = &field.attr.range {
        range(attr, kind, default.as_ref(), errors);
    }
    if let Some(attr) = &field.attr.length {
        length(attr, default.as_ref(), errors);
    }
}

fn range(attr: &RangeAttr, kind: Kind, default: Option<&Expr>, errors: &Errors) {
    if attr.exclusive && (kind == Kind::Float || matches!(attr.max, Some(Number::Float(_)))) {
        errors.on(
            &attr.tokens,
            "forms have no bound that is left out: write `..=` and the greatest number that may be entered",
        );
        return;
    }
    let (min, max) = (attr.min, attr.greatest());
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        errors.on(
            &attr.tokens,
            format!("no number is at least {} and at most {}: write the smaller bound first", min.text(), max.text()),
        );
        return;
    }
    if let Kind::Integer { min: least, max: greatest } = kind {
        for bound in [min, max].into_iter().flatten() {
            match bound {
                Number::Float(_) => errors.on(&attr.tokens, "the field is an integer: write whole numbers"),
                Number::Integer(bound) if bound < least || bound > greatest => {
                    errors
                        .on(&attr.tokens, format!("the field's type holds {least} to {greatest}: {bound} is outside"));
                }
                Number::Integer(_) => {}
            }
        }
    }
    if let Some(default) = default
        && let Ok(value) = Number::parse(default)
        && (min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max))
    {
        errors.on(default, format!("the default {} is outside its own range", value.text()));
    }
}

fn length(attr: &LengthAttr, default: Option<&Expr>, errors: &Errors) {
    if let (Some(min), Some(max)) = (attr.min, attr.max)
        && min > max
    {
        errors
            .on(&attr.tokens, format!("no length is at least {min} and at most {max}: write the smaller bound first"));
        return;
    }
    if let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = default {
        let length = text.value().chars().count() as u64;
        if attr.min.is_some_and(|min| length < min) || attr.max.is_some_and(|max| length > max) {
            errors.on(text, format!("the default has {length} characters, which its own `length` doesn't allow"));
        }
    }
}
