//! `#[prompt]` and `#[resource]`: the function, and beside it a type of the same name that carries what clients see.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::ReturnType;
use syn::spanned::Spanned;

use super::{located, parenthesised};
use crate::model::{Given, PrimitiveFunction};
use crate::parse::{Primitive, variant};

pub(crate) fn primitive(item: &PrimitiveFunction) -> TokenStream {
    let krate = super::krate(item.attr.krate.as_ref());
    let expression = expression(item, &krate);
    with_companion(item, &krate, &expression)
}

/// The function as it is and a companion that can't run: whoever uses the companion sees no second error.
pub(crate) fn broken_primitive(item: &PrimitiveFunction) -> TokenStream {
    if item.function.sig.receiver().is_some() {
        let function = &item.function;
        return quote!(#function);
    }
    let krate = super::krate(item.attr.krate.as_ref());
    with_companion(item, &krate, &quote!(::core::unreachable!()))
}

fn with_companion(item: &PrimitiveFunction, krate: &TokenStream, expression: &TokenStream) -> TokenStream {
    let (carrier, ty) = match item.kind {
        Primitive::Prompt => (quote!(prompt), quote!(#krate::Prompt)),
        Primitive::Resource if item.is_template() => (quote!(resource_template), quote!(#krate::ResourceTemplate)),
        Primitive::Resource => (quote!(resource), quote!(#krate::Resource)),
    };
    let doc = format!("The definition of the {} `{}` together with its function.", item.kind.word(), item.name);
    let function = super::user_function_of(&item.function);
    let companion =
        super::function::companion_of(&item.function, &item.cfgs, &doc, &quote!(#carrier() -> #ty), expression);
    quote!(#function #companion)
}

fn expression(item: &PrimitiveFunction, krate: &TokenStream) -> TokenStream {
    let name = &item.name;
    let mut builder = match item.kind {
        Primitive::Prompt => quote!(#krate::Prompt::builder(#name)),
        Primitive::Resource => {
            let uri = &item.attr.uri;
            let ty = if item.is_template() { quote!(ResourceTemplate) } else { quote!(Resource) };
            quote!(#krate::#ty::builder(#uri, #name))
        }
    };
    let mut then = |call: TokenStream| builder.extend(call);
    if let Some(title) = &item.attr.title {
        then(quote!(.title(#title)));
    }
    if let Some(description) = item.description.expression() {
        then(quote!(.description(#description)));
    }
    if let Some(mime_type) = &item.attr.mime_type {
        then(quote!(.mime_type(#mime_type)));
    }
    for need in item.attr.needs.iter().map(variant) {
        then(quote!(.needs(#krate::__private::Capability::#need)));
    }
    if item.attr.logs {
        then(quote!(.logs()));
    }
    if item.kind == Primitive::Prompt {
        for argument in item.arguments() {
            let name = &argument.name;
            let description = argument.description.expression().unwrap_or_else(|| quote!(""));
            then(match argument.optional {
                true => quote!(.optional(#name, #description)),
                false => quote!(.required(#name, #description)),
            });
        }
    }
    let closure = closure(item, krate);
    then(match item.kind {
        Primitive::Prompt => quote!(.handler(#closure)),
        Primitive::Resource => quote!(.read(#closure)),
    });
    let scopes = &item.attr.scopes.names;
    if !scopes.is_empty() {
        then(quote!(.scopes([#(#scopes),*])));
    }
    if item.attr.scopes.listed {
        then(quote!(.listed()));
    }
    builder
}

/// Parses the arguments, then calls the user's function.
fn closure(item: &PrimitiveFunction, krate: &TokenStream) -> TokenStream {
    let ident = &item.function.sig.ident;
    let params = format_ident!("__haft_params", span = Span::mixed_site());
    let context = format_ident!("__haft_context", span = Span::mixed_site());
    let mut statements = TokenStream::new();
    let mut passed = Vec::new();
    for (index, parameter) in item.parameters.iter().enumerate() {
        let variable = format_ident!("__haft_argument_{}", index, span = Span::mixed_site());
        let value = match parameter {
            Given::Argument(named) => {
                let (name, ty) = (&named.name, &named.ty);
                let at = ty.span();
                let parse = match named.optional {
                    true => quote!(#krate::__private::optional_param),
                    false => quote!(#krate::__private::param),
                };
                let parse = located(quote!(#parse::), at);
                let arguments = parenthesised(quote!(&#params, #name), at);
                let (open, close) = (located(quote!(<), at), located(quote!(>), at));
                quote!(#parse #open #ty #close #arguments?)
            }
            Given::Context(_) => quote!(::core::clone::Clone::clone(&#context)),
            Given::Extract(ty) => {
                let at = ty.span();
                let extract = located(quote!(#krate::__private::extract::<), at);
                let close = located(quote!(>), at);
                let arguments = parenthesised(quote!(&#context), at);
                quote!(#extract #ty #close #arguments.await?)
            }
        };
        statements.extend(quote!(let #variable = #value;));
        passed.push(variable);
    }
    // The span of this call is where the compiler reports a return type that won't do.
    let at = match &item.function.sig.output {
        ReturnType::Type(_, ty) => ty.span(),
        ReturnType::Default => ident.span(),
    };
    // An identifier of mixed hygiene would be reported at the attribute instead.
    let returned = format_ident!("__haft_returned", span = at);
    statements.extend(quote!(let #returned = #ident(#(#passed),*).await;));
    let answer = match item.kind {
        Primitive::Prompt => {
            let into = located(quote!(#krate::IntoMessages::into_messages), at);
            let arguments = parenthesised(quote!(#returned), at);
            quote!(#into #arguments)
        }
        Primitive::Resource => {
            let into = located(quote!(#krate::IntoContents::into_contents), at);
            let arguments = parenthesised(quote!(#returned, #krate::Context::name(&#context)), at);
            quote!(#into #arguments)
        }
    };
    let inputs = match item.kind == Primitive::Resource && !item.is_template() {
        true => quote!(#context: #krate::Context),
        false => quote!(#params: #krate::Params, #context: #krate::Context),
    };
    quote!(move |#inputs| async move { #statements #answer })
}
