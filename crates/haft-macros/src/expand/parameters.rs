//! The `Param`s of a tool, in the order of its arguments, and the assertions that name missing derives.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Expr, ExprLit, Lit, Type};

use crate::model::{Argument, Kind, Tool, kind};
use crate::parse::without_groups;

pub(crate) fn params(tool: &Tool, krate: &TokenStream) -> TokenStream {
    let params = tool.arguments().map(|argument| param(argument, krate));
    quote!(::std::vec![#(#params),*])
}

/// One statement for each argument, so that a type without its derives is named where it is written.
pub(crate) fn assertions(tool: &Tool, krate: &TokenStream) -> TokenStream {
    tool.arguments()
        .map(|argument| {
            let ty = &argument.ty;
            quote_spanned!(argument.type_span()=> #krate::__private::assert_argument::<#ty>();)
        })
        .collect()
}

fn param(argument: &Argument, krate: &TokenStream) -> TokenStream {
    let Argument { name, ty, attr, .. } = argument;
    if attr.flatten {
        return quote!(#krate::__private::Param::flatten::<#ty>());
    }
    let mut tokens = quote!(#krate::__private::Param::of::<#ty>(#name));
    let mut then = |call: TokenStream| tokens.extend(call);
    if let Some(description) = argument.description.expression() {
        then(quote!(.describe(#description)));
    }
    if let Some(pattern) = &attr.pattern {
        then(quote!(.pattern(#pattern)));
    }
    if let Some(range) = &attr.range {
        if let Some(min) = range.min {
            then(quote!(.minimum(#min)));
        }
        match range.max {
            Some(max) if range.exclusive => then(quote!(.exclusive_maximum(#max))),
            Some(max) => then(quote!(.maximum(#max))),
            None => {}
        }
    }
    if let Some(length) = &attr.length {
        if let Some(min) = length.min {
            then(quote!(.min_length(#min)));
        }
        if let Some(max) = length.max {
            then(quote!(.max_length(#max)));
        }
    }
    for example in &attr.examples {
        then(quote!(.example(#krate::__private::json!(#example))));
    }
    if let Some(default) = &attr.default {
        let value = default_of(default, ty);
        then(quote!(.default_value(#krate::__private::default_value::<#ty>(#value))));
    }
    if let Some(header) = &attr.header {
        then(quote!(.header(#header)));
    }
    if attr.secret {
        then(quote!(.secret()));
    }
    tokens
}

/// A string literal becomes whatever string type the parameter has.
fn default_of(default: &TokenStream, ty: &Type) -> TokenStream {
    if !matches!(kind(ty), Kind::Text | Kind::Unknown) {
        return default.clone();
    }
    match syn::parse2::<Expr>(without_groups(default.clone())) {
        Ok(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => {
            quote_spanned!(text.span()=> ::core::convert::From::from(#text))
        }
        _ => default.clone(),
    }
}
