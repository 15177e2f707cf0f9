//! What a prompt's or resource's function must look like, and what it must say.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Type, TypeReference};

use crate::errors::Errors;
use crate::model::{Description, Given, PrimitiveFunction};
use crate::parse::Primitive;

pub(crate) fn primitive(item: &PrimitiveFunction, errors: &Errors) {
    signature(item, errors);
    super::definition::scopes(&item.attr.scopes, errors);
    if matches!(item.description, Description::Missing) {
        let message = match item.kind {
            Primitive::Prompt => {
                "the prompt has no description: write a doc comment, `/// …`, that says what it is good for"
            }
            Primitive::Resource => {
                "the resource has no description: write a doc comment, `/// …`, that says what is in it"
            }
        };
        errors.on(&item.function.sig.ident, message);
    }
    if item.kind == Primitive::Resource && item.attr.uri.is_some() {
        variables(item, errors);
    }
}

/// Parameters must be variables of the template; those of its query may be absent.
fn variables(item: &PrimitiveFunction, errors: &Errors) {
    let variables = item.variables();
    let known = variables.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    for argument in item.arguments() {
        let name = &argument.name;
        match variables.iter().find(|(variable, _)| variable == name) {
            None if variables.is_empty() => errors.at(
                argument.span,
                format!("the URI has no variables: write `{{{name}}}` into it, or remove the parameter"),
            ),
            None => {
                errors.at(argument.span, format!("the URI template has no variable `{name}`; its variables: {known}"))
            }
            Some((_, true)) if !argument.optional => errors.at(
                argument.span,
                format!("`{name}` belongs to the query, which may be left out: write `{name}: Option<…>`"),
            ),
            Some(_) => {}
        }
    }
}

fn signature(item: &PrimitiveFunction, errors: &Errors) {
    let (sig, word) = (&item.function.sig, item.kind.word());
    if sig.asyncness.is_none() {
        errors.on(sig.fn_token, format!("a {word} is an `async fn`: write `async` here"));
    }
    let odd: [Option<TokenStream>; 4] = [
        sig.constness.map(ToTokens::into_token_stream),
        sig.unsafety.map(ToTokens::into_token_stream),
        sig.abi.as_ref().map(ToTokens::to_token_stream),
        sig.variadic.as_ref().map(ToTokens::to_token_stream),
    ];
    for tokens in odd.into_iter().flatten() {
        errors.on(tokens, format!("a {word} is a plain `async fn`: remove this"));
    }
    if !sig.generics.params.is_empty() {
        errors.on(&sig.generics, format!("a {word} can't be generic: write the types themselves"));
    }
    if let Some(receiver) = sig.receiver() {
        errors.on(
            receiver,
            format!("a {word} is a free function: take what it needs by `#[extract]`, or use the builder"),
        );
    }
    let mut contexts = 0;
    for parameter in &item.parameters {
        let ty = match parameter {
            Given::Argument(named) => &named.ty,
            Given::Context(ty) => {
                contexts += 1;
                if contexts > 1 {
                    errors.on(ty, "a call has one context: remove the second `Context`");
                }
                ty
            }
            Given::Extract(ty) => ty,
        };
        if let Some(borrowed) = borrowed(ty) {
            errors.on(
                borrowed,
                format!("a {word} takes owned values: write `String` in place of `&str`, and no references"),
            );
        }
    }
}

fn borrowed(ty: &Type) -> Option<TypeReference> {
    struct Finder(Option<TypeReference>);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
            self.0.get_or_insert_with(|| reference.clone());
        }
    }
    let mut finder = Finder(None);
    finder.visit_type(ty);
    finder.0
}
