//! The closure that decodes one call's arguments and calls the user's function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;

use super::{located, parenthesised};
use crate::model::{Home, Parameter, Tool};

/// Decodes every argument before it refuses the call, so that all mistakes are reported; extractors run only once
/// the arguments are good.
pub(crate) fn call(tool: &Tool, krate: &TokenStream) -> TokenStream {
    let sig = &tool.function.sig;
    let ident = &sig.ident;
    let call = format_ident!("__haft_call", span = Span::mixed_site());
    let this = format_ident!("__haft_this", span = Span::mixed_site());
    let variable = |index: usize| format_ident!("__haft_argument_{}", index, span = Span::mixed_site());

    let mut decode = TokenStream::new();
    let mut decoded: Vec<Ident> = Vec::new();
    let mut rest = TokenStream::new();
    let mut passed: Vec<TokenStream> = Vec::new();
    for (index, parameter) in tool.parameters.iter().enumerate() {
        let variable = variable(index);
        match parameter {
            Parameter::Argument(argument) => {
                let ty = &argument.ty;
                let position = decoded.len();
                decode.extend(quote!(let #variable = #call.argument::<#ty>(#position);));
                decoded.push(variable.clone());
            }
            Parameter::Context(ty) => {
                let at = ty.span();
                let context = located(quote!(#krate::__private::Call::context), at);
                let arguments = parenthesised(quote!(&#call), at);
                rest.extend(quote!(let #variable: #ty = #context #arguments;));
            }
            Parameter::Extract(ty) => {
                let at = ty.span();
                let extract = located(quote!(#krate::__private::Call::extract::<), at);
                let close = located(quote!(>), at);
                let arguments = parenthesised(quote!(&#call), at);
                let wait = located(quote!(.await), at);
                rest.extend(quote! {
                    let #variable = match #extract #ty #close #arguments #wait {
                        ::core::result::Result::Ok(__haft_value) => __haft_value,
                        ::core::result::Result::Err(__haft_refused) => {
                            return ::core::result::Result::Err(__haft_refused);
                        }
                    };
                });
            }
        }
        passed.push(quote!(#variable));
    }
    let refuse = (!decoded.is_empty()).then(|| {
        quote! {
            let (#(::core::option::Option::Some(#decoded),)*) = (#(#decoded,)*) else {
                return ::core::result::Result::Err(#call.refuse());
            };
        }
    });

    let function = if tool.has_receiver() {
        passed.insert(0, quote!(&#this));
        quote!(Self::#ident)
    } else if tool.home == Home::Toolset {
        quote!(Self::#ident)
    } else {
        quote!(#ident)
    };
    let answer = if sig.asyncness.is_some() {
        quote!(::core::result::Result::Ok(#function(#(#passed),*).await))
    } else {
        quote!(#call.blocking(move || #function(#(#passed),*)).await)
    };
    let share = tool.has_receiver().then(|| quote!(let #this = ::std::sync::Arc::clone(&#this);));

    let head = quote!(move |mut #call: #krate::__private::Call|);
    let body = quote!(async move { #decode #refuse #rest #answer });
    if share.is_some() { quote!(#head { #share #body }) } else { quote!(#head #body) }
}
