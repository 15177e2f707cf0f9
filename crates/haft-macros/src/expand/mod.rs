//! Stage 4: a sound model in, tokens out. Every path is absolute and every name that could meet one of the
//! user's begins with `__haft`, so that nothing in the user's crate changes what the tokens mean.

mod call;
mod form;
mod function;
mod parameters;
mod primitive;
mod spec;
mod toolset;

pub(crate) use form::{broken_form, form};
pub(crate) use function::{broken_function, function};
pub(crate) use primitive::{broken_primitive, primitive};
pub(crate) use toolset::{broken_toolset, toolset};

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Path, ReturnType};

use crate::model::Tool;
use crate::parse::Function;

/// The path of the haft crate.
fn krate(path: Option<&Path>) -> TokenStream {
    path.map_or_else(|| quote!(::haft), |path| quote!(#path))
}

/// `haft::__private::tool(spec, params, closure)`, an expression of type `haft::Tool`.
fn tool_expression(tool: &Tool, krate: &TokenStream) -> TokenStream {
    let spec = spec::spec(tool, krate);
    let params = parameters::params(tool, krate);
    let asserts = parameters::assertions(tool, krate);
    let call = call::call(tool, krate);
    // The span of this call is where the compiler reports a return type that no tool can have.
    let at = match &tool.function.sig.output {
        ReturnType::Type(_, ty) => ty.span(),
        ReturnType::Default => tool.function.sig.ident.span(),
    };
    let make = located(quote!(#krate::__private::tool), at);
    let arguments = parenthesised(quote!(#spec, #params, #call), at);
    quote!({
        #asserts
        #make #arguments
    })
}

/// Tokens of our own for which errors point to `at`.
fn located(tokens: TokenStream, at: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut tree| {
            tree.set_span(at);
            tree
        })
        .collect()
}

/// Arguments of a call for which errors point to `at`.
fn parenthesised(arguments: TokenStream, at: Span) -> Group {
    let mut group = Group::new(Delimiter::Parenthesis, arguments);
    group.set_span(at);
    group
}

/// The user's function. What a tool's shape asks for isn't clippy's business: arguments are owned, there may be
/// many of them, and `async` decides where the tool runs.
fn user_function(tool: &Tool) -> TokenStream {
    user_function_of(&tool.function)
}

fn user_function_of(function: &Function) -> TokenStream {
    quote! {
        #[allow(
            clippy::fn_params_excessive_bools,
            clippy::needless_pass_by_value,
            clippy::too_many_arguments,
            clippy::unused_async
        )]
        #function
    }
}
