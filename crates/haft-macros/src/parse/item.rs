//! The items that the attributes stand on. Bodies stay tokens: the macros needn't read them, and syntax that
//! syn doesn't know yet can't get in the way.

use proc_macro2::{Group, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Generics, ImplItem, Item, Signature, Token, Type, Visibility};

/// A function with its body unread.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) defaultness: Option<Token![default]>,
    pub(crate) sig: Signature,
    pub(crate) body: Group,
}

/// `impl Type { ... }` with its methods' bodies unread.
pub(crate) struct ImplBlock {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) unsafety: Option<Token![unsafe]>,
    pub(crate) generics: Generics,
    /// The path of `impl Path for Type`
    pub(crate) trait_: Option<TokenStream>,
    pub(crate) self_ty: Type,
    pub(crate) inner_attrs: Vec<Attribute>,
    pub(crate) members: Vec<Member>,
}

/// One item of an impl block.
pub(crate) enum Member {
    Function(Box<Function>),
    Other(TokenStream),
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Function {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            defaultness: if input.peek(Token![default]) { Some(input.parse()?) } else { None },
            sig: input.parse()?,
            body: {
                if !input.peek(syn::token::Brace) {
                    return Err(input.error("a tool is a function with a body: write `{ … }` here"));
                }
                input.parse()?
            },
        })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Function { attrs, vis, defaultness, sig, body } = self;
        quote!(#(#attrs)* #vis #defaultness #sig #body).to_tokens(tokens);
    }
}

impl Parse for ImplBlock {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let unsafety = input.parse()?;
        input.parse::<Token![impl]>()?;
        let has_generics = input.peek(Token![<]);
        let mut generics: Generics = if has_generics { input.parse()? } else { Generics::default() };
        let negative: Option<Token![!]> = input.parse()?;
        let mut self_ty: Type = input.parse()?;
        let mut trait_ = None;
        if input.peek(Token![for]) {
            input.parse::<Token![for]>()?;
            trait_ = Some(quote!(#negative #self_ty));
            self_ty = input.parse()?;
        }
        generics.where_clause = input.parse()?;
        let content;
        syn::braced!(content in input);
        let inner_attrs = content.call(Attribute::parse_inner)?;
        let mut members = Vec::new();
        while !content.is_empty() {
            members.push(content.parse()?);
        }
        Ok(ImplBlock { attrs, unsafety, generics, trait_, self_ty, inner_attrs, members })
    }
}

impl Parse for Member {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        if ahead.parse::<Function>().is_ok() {
            return input.parse().map(|function| Member::Function(Box::new(function)));
        }
        input.parse::<ImplItem>().map(|item| Member::Other(item.into_token_stream()))
    }
}

/// Reads the item under `#[tool]` or another `attribute` for functions.
pub(crate) fn function(tokens: TokenStream, attribute: &str) -> syn::Result<Function> {
    syn::parse2::<Function>(tokens.clone()).map_err(|error| match syn::parse2::<Item>(tokens) {
        Ok(Item::Fn(_) | Item::Verbatim(_)) | Err(_) => error,
        Ok(other) => {
            let (what, at) = describe(&other);
            let message = match other {
                Item::Impl(_) if attribute == "tool" => format!("`#[tool]` goes on a function, and this is {what}: write `#[toolset]` here and `#[tool]` on each method"),
                _ => format!("`#[{attribute}]` goes on a function, and this is {what}"),
            };
            syn::Error::new_spanned(at, message)
        }
    })
}

/// Reads the item under `#[toolset]`.
pub(crate) fn impl_block(tokens: TokenStream) -> syn::Result<ImplBlock> {
    syn::parse2::<ImplBlock>(tokens.clone()).map_err(|error| match syn::parse2::<Item>(tokens) {
        Ok(Item::Impl(_)) | Err(_) => error,
        Ok(other) => {
            let (what, at) = describe(&other);
            let message = match other {
                Item::Fn(_) => format!("`#[toolset]` goes on an `impl` block, and this is {what}: write `#[tool]`"),
                _ => format!("`#[toolset]` goes on an `impl` block with `#[tool]` methods, and this is {what}"),
            };
            syn::Error::new_spanned(at, message)
        }
    })
}

/// What an item is called, and the tokens that name it.
fn describe(item: &Item) -> (&'static str, TokenStream) {
    match item {
        Item::Fn(item) => ("a function", item.sig.ident.to_token_stream()),
        Item::Struct(item) => ("a struct", item.ident.to_token_stream()),
        Item::Enum(item) => ("an enum", item.ident.to_token_stream()),
        Item::Trait(item) => ("a trait", item.ident.to_token_stream()),
        Item::Impl(item) => ("an `impl` block", item.self_ty.to_token_stream()),
        Item::Mod(item) => ("a module", item.ident.to_token_stream()),
        Item::Const(item) => ("a constant", item.ident.to_token_stream()),
        Item::Static(item) => ("a static", item.ident.to_token_stream()),
        Item::Type(item) => ("a type alias", item.ident.to_token_stream()),
        other => ("another kind of item", other.to_token_stream()),
    }
}
