//! The `ToolSpec` of a tool: all that is known of it at compile time.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::model::Tool;
use crate::parse::{Cancel, Count, Icon, LimitsAttr, Rate, Stand, TaskAttr, Theme};

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
    let (scopes, listed) = (&tool.attr.scopes.names, tool.attr.scopes.listed);
    let cancel = match tool.cancel() {
        Cancel::Drop => quote!(Drop),
        Cancel::Detach => quote!(Detach),
    };
    let logs = tool.attr.logs;
    let embeds_resources = tool.attr.embeds_resources;
    let limits = limits(&tool.attr.limits, krate);
    let handle = option(
        tool.attr.handle.as_ref().map(|ty| quote_spanned!(ty.span()=> #krate::__private::handle_sentence::<#ty>)),
    );
    let task = option(tool.attr.task.as_ref().map(|task| support(task, krate)));
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
            limits: #limits,
            handle: #handle,
            task: #task,
            place: #place,
        }
    }
}

fn limits(limits: &LimitsAttr, krate: &TokenStream) -> TokenStream {
    let LimitsAttr { rate, concurrency, timeout, max_result } = limits;
    let number = |count: &Count| {
        let value = syn::LitInt::new(&count.value.to_string(), count.literal.span());
        quote!(#value)
    };
    let rate = rate.as_ref().map(|Rate { per_second, burst }| {
        let per_second = number(per_second);
        let burst = burst.as_ref().map(number).map(|burst| quote!(.burst(#burst)));
        quote!(#krate::RateLimit::per_second(#per_second)#burst)
    });
    let timeout = timeout.as_ref().map(|time| {
        let milliseconds = time.milliseconds;
        quote!(::core::time::Duration::from_millis(#milliseconds))
    });
    let set = |key: TokenStream, value: Option<TokenStream>| {
        value.map(|value| quote!(#key: ::core::option::Option::Some(#value),))
    };
    let set = [
        set(quote!(rate), rate),
        set(quote!(concurrency), concurrency.as_ref().map(number)),
        set(quote!(timeout), timeout),
        set(quote!(max_result), max_result.as_ref().map(number)),
    ];
    let rest = set.iter().any(Option::is_none).then(|| quote!(..::core::default::Default::default()));
    quote!(#krate::__private::Limits { #(#set)* #rest })
}

fn support(task: &TaskAttr, krate: &TokenStream) -> TokenStream {
    let TaskAttr { required, later, resumable, ttl, poll } = task;
    let time = |time: &crate::parse::Time| {
        let milliseconds = time.milliseconds;
        quote!(::core::time::Duration::from_millis(#milliseconds))
    };
    let required = required.then(|| quote!(.required()));
    let later = later.as_ref().map(|_| quote!(.later()));
    let resumable = resumable.as_ref().map(|_| quote!(.resumable()));
    let ttl = ttl.as_ref().map(time).map(|ttl| quote!(.ttl(#ttl)));
    let poll = poll.as_ref().map(time).map(|poll| quote!(.poll_interval(#poll)));
    quote!(#krate::TaskSupport::new()#required #later #resumable #ttl #poll)
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
