//! `#[tool]` on a free function: the function, and beside it a type of the same name that carries `tool()`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Attribute;

use crate::check::belongs_to_impl;
use crate::model::Tool;
use crate::parse::Function;

pub(crate) fn function(tool: &Tool) -> TokenStream {
    let krate = super::krate(tool.attr.krate.as_ref().map(|(_, path)| path));
    let expression = super::tool_expression(tool, &krate);
    let companion = companion(tool, &krate, &expression);
    let function = super::user_function(tool);
    quote!(#function #companion)
}

/// The function as it is and a companion that can't run: whoever calls `tool()` sees no second error.
pub(crate) fn broken_function(tool: &Tool) -> TokenStream {
    let function = super::user_function(tool);
    if belongs_to_impl(&tool.function.sig) {
        return function;
    }
    let krate = super::krate(tool.attr.krate.as_ref().map(|(_, path)| path));
    let companion = companion(tool, &krate, &quote!(::core::unreachable!()));
    quote!(#function #companion)
}

/// A braced struct lives in the type namespace only, so that the function keeps its name.
fn companion(tool: &Tool, krate: &TokenStream, expression: &TokenStream) -> TokenStream {
    let doc = format!("The definition of the tool `{}` together with its function.", tool.name);
    companion_of(&tool.function, &tool.cfgs, &doc, &quote!(tool() -> #krate::Tool), expression)
}

/// The type beside `function` with the one method `carrier`, whose body is `expression`.
pub(super) fn companion_of(
    function: &Function,
    cfgs: &[Attribute],
    method_doc: &str,
    carrier: &TokenStream,
    expression: &TokenStream,
) -> TokenStream {
    let vis = &function.vis;
    let ident = &function.sig.ident;
    let docs = function.attrs.iter().filter(|attribute| is_doc(attribute));
    // Where another type has the name, the compiler points to the function.
    let item = quote_spanned!(ident.span()=> struct #ident {});
    quote! {
        #(#cfgs)*
        #(#docs)*
        #[allow(
            dead_code,
            missing_copy_implementations,
            missing_debug_implementations,
            missing_docs,
            non_camel_case_types,
            unnameable_types,
            unreachable_pub,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
        #vis #item

        #(#cfgs)*
        #[allow(
            deprecated,
            unreachable_pub,
            unused_mut,
            unused_qualifications,
            unused_variables,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
        impl #ident {
            #[doc = #method_doc]
            #[must_use]
            #vis fn #carrier {
                #expression
            }
        }
    }
}

fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}
