//! The `ToolSpec` of a tool: all that is known of it at compile time.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use crate::model::Tool;
use crate::parse::{Cancel, Icon, Stand, Theme};

pub(crate) fn spec(tool: &Tool, krate: &TokenStream) -> TokenStream {
    let name = &tool.name;
    let title = &tool.title;
    let description = tool.description.expression().unwrap_or_else(|| quote!(""));
    let stand = tool.stand();
    let read_only = stand == Some(Stand::ReadOnly);
    let destructive = stand == Some(Stand::Destructive);
    let idempotent = read_only || tool.attr.idempotent;
    let open_world = tool.open_world();
    let icons = tool.attr.icons.iter().map(|one| icon(one, krate));
    let meta = tool.attr.meta.iter().map(|(key, value)| quote!((#key, #krate::__private::json!(#value))));
    let allow = tool.attr.allow.iter().map(ToString::to_string);
    let needs = tool.attr.needs.iter().map(|need| {
        let variant = variant(&need.to_string());
        quote!(#krate::__private::Capability::#variant)
    });
    let (scopes, listed) = (&tool.attr.scopes, tool.attr.listed);
    let cancel = match tool.cancel() {
        Cancel::Drop => quote!(Drop),
        Cancel::Detach => quote!(Detach),
    };
    let logs = tool.attr.logs;
    let embeds_resources = tool.attr.embeds_resources;
    // `file!` and `line!` answer for the span that they are written with.
    let place = quote_spanned!(tool.function.sig.ident.span()=> ::core::concat!(::core::file!(), ":", ::core::line!()));
    quote! {
        #krate::__private::ToolSpec {
            name: #name,
            title: #title,
            description: #description,
            hints: #krate::__private::Hints {
                read_only: #read_only,
                destructive: #destructive,
                idempotent: #idempotent,
                open_world: #open_world,
            },
            icons: &[#(#icons),*],
            meta: ::std::vec![#(#meta),*],
            allow: &[#(#allow),*],
            needs: &[#(#needs),*],
            scopes: &[#(#scopes),*],
            listed: #listed,
            cancel: #krate::__private::Cancel::#cancel,
            logs: #logs,
            embeds_resources: #embeds_resources,
            place: #place,
        }
    }
}

/// `sampling` -> `Sampling`
fn variant(need: &str) -> syn::Ident {
    let mut chars = need.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    let text: String = first.into_iter().chain(chars).collect();
    syn::Ident::new(&text, Span::call_site())
}

fn icon(icon: &Icon, krate: &TokenStream) -> TokenStream {
    let Icon { src, mime, sizes, theme } = icon;
    let mime = option(mime.as_ref().map(ToTokens::to_token_stream));
    let theme = option(theme.map(|theme| match theme {
        Theme::Light => quote!("light"),
        Theme::Dark => quote!("dark"),
    }));
    quote!(#krate::__private::IconSpec { src: #src, mime: #mime, sizes: &[#(#sizes),*], theme: #theme })
}

fn option(tokens: Option<TokenStream>) -> TokenStream {
    match tokens {
        Some(tokens) => quote!(::core::option::Option::Some(#tokens)),
        None => quote!(::core::option::Option::None),
    }
}
