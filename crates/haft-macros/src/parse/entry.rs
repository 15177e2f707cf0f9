//! What stands between the parentheses of an attribute: `flag, key = value, key(list)`.

use std::collections::HashSet;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, LitStr, Token};

use crate::errors::Errors;

/// One entry of an attribute's list.
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

/// What follows the key.
pub(crate) enum Value {
    /// `key`
    Absent,
    /// `key = tokens`: a Rust expression or a JSON literal as `serde_json::json!` takes it
    Assigned(TokenStream),
    /// `key(tokens)`
    Listed(Group),
}

/// Reads all entries; a malformed one is reported and skipped up to the next comma. `like` shows one good entry.
pub(crate) fn entries(tokens: TokenStream, like: &str, errors: &Errors) -> Vec<Entry> {
    separated(tokens, errors, |input| {
        if !input.peek(syn::Ident::peek_any) {
            return Err(input.error(format!("expected a key here, like `{like}`")));
        }
        let key = input.call(Ident::parse_any)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Value::Assigned(assigned(input, &key.to_string())?)
        } else if input.peek(syn::token::Paren) {
            Value::Listed(input.parse()?)
        } else {
            Value::Absent
        };
        Ok(Entry { key, value })
    })
}

/// Reads `"key" = value, …`.
pub(crate) fn pairs(tokens: TokenStream, like: &str, errors: &Errors) -> Vec<(LitStr, TokenStream)> {
    separated(tokens, errors, |input| {
        let key: LitStr = input.parse().map_err(|e| syn::Error::new(e.span(), format!("expected `{like}` here")))?;
        input.parse::<Token![=]>().map_err(|e| syn::Error::new(e.span(), format!("expected `{like}` here")))?;
        let value = assigned(input, &format!("{:?}", key.value()))?;
        Ok((key, value))
    })
}

/// Reports every entry whose key was there before, unless it may be repeated, and drops it.
pub(crate) fn without_repeats(entries: Vec<Entry>, repeatable: &[&str], errors: &Errors) -> Vec<Entry> {
    let mut seen = HashSet::new();
    let first = |entry: &Entry| {
        let key = entry.key.to_string();
        let fresh = repeatable.contains(&key.as_str()) || seen.insert(key.clone());
        if !fresh {
            errors.on(&entry.key, format!("`{key}` is given twice; keep one of them"));
        }
        fresh
    };
    entries.into_iter().filter(first).collect()
}

fn separated<T>(tokens: TokenStream, errors: &Errors, one: impl Fn(ParseStream<'_>) -> syn::Result<T>) -> Vec<T> {
    let mut list = Vec::new();
    let parsed = (|input: ParseStream<'_>| {
        while !input.is_empty() {
            match one(input) {
                Ok(item) => list.push(item),
                Err(error) => {
                    errors.syn(error);
                    skip_to_comma(input)?;
                }
            }
            if input.is_empty() {
                break;
            }
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            } else {
                errors.syn(input.error("expected a comma before this"));
                // What looks like the next entry is read as one, so that it isn't missed further on.
                if !input.peek(syn::Ident::peek_any) {
                    skip_to_comma(input)?;
                    input.parse::<Option<Token![,]>>()?;
                }
            }
        }
        Ok(())
    })
    .parse2(tokens);
    if let Err(error) = parsed {
        errors.syn(error);
    }
    list
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

fn assigned(input: ParseStream<'_>, key: &str) -> syn::Result<TokenStream> {
    if input.is_empty() || input.peek(Token![,]) {
        return Err(input.error(format!("the value is missing: write `{key} = …`")));
    }
    // `{"a": 1}` and `[null]` are JSON, which is no Rust expression.
    if input.peek(syn::token::Brace) || input.peek(syn::token::Bracket) {
        let ahead = input.fork();
        ahead.parse::<TokenTree>()?;
        if ahead.is_empty() || ahead.peek(Token![,]) {
            return Ok(input.parse::<TokenTree>()?.into());
        }
    }
    Ok(input.parse::<Expr>()?.into_token_stream())
}

impl Entry {
    /// The whole entry, for an error that concerns all of it.
    pub(crate) fn tokens(&self) -> TokenStream {
        let key = &self.key;
        match &self.value {
            Value::Absent => key.to_token_stream(),
            Value::Assigned(value) => quote::quote!(#key = #value),
            Value::Listed(group) => quote::quote!(#key #group),
        }
    }

    /// An entry without a value.
    pub(crate) fn flag(&self, errors: &Errors) -> bool {
        let Value::Absent = self.value else {
            let key = &self.key;
            errors.on(
                self.tokens(),
                format!("`{key}` takes no value: write `{key}` where it holds, or leave it out where it doesn't"),
            );
            return false;
        };
        true
    }

    /// `key = "text"`
    pub(crate) fn string(&self, errors: &Errors) -> Option<LitStr> {
        if let Value::Assigned(value) = &self.value
            && let Ok(text) = syn::parse2::<LitStr>(without_groups(value.clone()))
        {
            return Some(text);
        }
        errors.on(self.tokens(), format!("`{0}` takes a string literal: write `{0} = \"…\"`", self.key));
        None
    }

    /// `key = value`
    pub(crate) fn assigned(&self, errors: &Errors) -> Option<TokenStream> {
        if let Value::Assigned(value) = &self.value {
            return Some(value.clone());
        }
        errors.on(self.tokens(), format!("`{0}` takes a value: write `{0} = …`", self.key));
        None
    }

    /// `key(...)`; `like` shows a good one.
    pub(crate) fn list(&self, like: &str, errors: &Errors) -> Option<TokenStream> {
        if let Value::Listed(group) = &self.value {
            if group.stream().is_empty() {
                errors.on(
                    self.tokens(),
                    format!("`{}` needs something between its parentheses: write `{like}`", self.key),
                );
                return None;
            }
            return Some(group.stream());
        }
        errors.on(self.tokens(), format!("`{}` takes a list: write `{like}`", self.key));
        None
    }

    /// `key(word, word)`; reports repeated words.
    pub(crate) fn words(&self, like: &str, errors: &Errors) -> Vec<Ident> {
        let Some(tokens) = self.list(like, errors) else { return Vec::new() };
        let words = separated(tokens, errors, |input| {
            input
                .call(Ident::parse_any)
                .map_err(|e| syn::Error::new(e.span(), format!("expected a name, as in `{like}`")))
        });
        let mut seen = HashSet::new();
        words
            .into_iter()
            .filter(|word| {
                let fresh = seen.insert(word.to_string());
                if !fresh {
                    errors.on(word, format!("`{word}` is listed twice; keep one of them"));
                }
                fresh
            })
            .collect()
    }

    /// `key("text", word)`
    pub(crate) fn texts_and_words(&self, like: &str, errors: &Errors) -> Vec<(Option<LitStr>, Option<Ident>)> {
        let Some(tokens) = self.list(like, errors) else { return Vec::new() };
        separated(tokens, errors, |input| {
            let expected =
                |error: syn::Error| syn::Error::new(error.span(), format!("expected a string, as in `{like}`"));
            match input.parse() {
                Ok(text) => Ok((Some(text), None)),
                Err(error) => Ok((None, Some(input.call(Ident::parse_any).map_err(|_| expected(error))?))),
            }
        })
    }

    /// `key("text", "text")`
    pub(crate) fn strings(&self, like: &str, errors: &Errors) -> Vec<LitStr> {
        let Some(tokens) = self.list(like, errors) else { return Vec::new() };
        separated(tokens, errors, |input| {
            input
                .parse()
                .map_err(|e: syn::Error| syn::Error::new(e.span(), format!("expected a string, as in `{like}`")))
        })
    }
}

/// Tokens without the invisible groups that macro fragments (`$x:expr`) are wrapped in.
pub(crate) fn without_groups(tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => without_groups(group.stream()),
        _ => tokens,
    }
}
