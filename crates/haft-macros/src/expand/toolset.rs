//! `#[toolset]`: the block with its methods as they were, and beside it the impl of `Toolset`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::WherePredicate;

use crate::model::{Item, Tool, Toolset};

pub(crate) fn toolset(toolset: &Toolset) -> TokenStream {
    let krate = super::krate(toolset.krate.as_ref());
    let list = format_ident!("__haft_tools", span = Span::mixed_site());
    let this = format_ident!("__haft_this", span = Span::mixed_site());
    let pushes = toolset.tools().map(|tool| {
        let Tool { cfgs, .. } = tool;
        let expression = super::tool_expression(tool, &krate);
        let share = tool.has_receiver().then(|| quote!(let #this = ::std::sync::Arc::clone(&self);));
        quote! {
            #(#cfgs)*
            {
                #share
                #list.push(#expression);
            }
        }
    });
    let body = quote! {
        let mut #list = ::std::vec::Vec::new();
        #(#pushes)*
        #list
    };
    let block = block(toolset);
    let implementation = implementation(toolset, &krate, &body);
    quote!(#block #implementation)
}

/// The block as it is and an empty toolset: whoever registers it sees no second error.
pub(crate) fn broken_toolset(toolset: &Toolset) -> TokenStream {
    let block = block(toolset);
    if toolset.block.trait_.is_some() {
        return block;
    }
    let krate = super::krate(toolset.krate.as_ref());
    let implementation = implementation(toolset, &krate, &quote!(::std::vec::Vec::new()));
    quote!(#block #implementation)
}

fn block(toolset: &Toolset) -> TokenStream {
    let block = &toolset.block;
    let (attrs, unsafety, inner_attrs, self_ty) = (&block.attrs, &block.unsafety, &block.inner_attrs, &block.self_ty);
    let (generics, where_clause) = (&block.generics, &block.generics.where_clause);
    let trait_ = block.trait_.as_ref().map(|path| quote!(#path for));
    let items = toolset.items.iter().map(|item| match item {
        Item::Tool(tool) => super::user_function(tool),
        Item::Other(tokens) => tokens.clone(),
    });
    quote! {
        #(#attrs)*
        #unsafety impl #generics #trait_ #self_ty #where_clause {
            #(#inner_attrs)*
            #(#items)*
        }
    }
}

fn implementation(toolset: &Toolset, krate: &TokenStream, body: &TokenStream) -> TokenStream {
    let self_ty = &toolset.block.self_ty;
    let cfgs = &toolset.cfgs;
    let mut generics = toolset.block.generics.clone();
    // Without parameters the bound would be trivial, which rustc warns of.
    if !generics.params.is_empty() {
        let bound: WherePredicate = syn::parse_quote!(#self_ty: ::core::marker::Send + ::core::marker::Sync + 'static);
        generics.make_where_clause().predicates.push(bound);
    }
    let (parameters, _, where_clause) = generics.split_for_impl();
    let parameters = parameters.to_token_stream();
    quote! {
        #(#cfgs)*
        #[allow(
            deprecated,
            unused_mut,
            unused_qualifications,
            unused_variables,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
        impl #parameters #krate::Toolset for #self_ty #where_clause {
            fn tools(self: ::std::sync::Arc<Self>) -> ::std::vec::Vec<#krate::Tool> {
                #body
            }
        }
    }
}
