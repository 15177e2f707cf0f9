//! The collector of compile errors: every stage adds to one, the entry point reads it once.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// All mistakes found so far, so that the user sees every one in a single build.
///
/// Dropping it without [`Errors::finish`] panics: a mistake that nobody reads would let broken code through.
pub(crate) struct Errors {
    list: RefCell<Option<Vec<syn::Error>>>,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Errors { list: RefCell::new(Some(Vec::new())) }
    }

    /// A mistake that covers all of `tokens`.
    pub(crate) fn on(&self, tokens: impl ToTokens, message: impl Display) {
        self.syn(syn::Error::new_spanned(tokens, message));
    }

    /// A mistake at one span.
    pub(crate) fn at(&self, span: Span, message: impl Display) {
        self.syn(syn::Error::new(span, message));
    }

    /// A mistake that syn's parser found.
    pub(crate) fn syn(&self, error: syn::Error) {
        if let Some(list) = self.list.borrow_mut().as_mut() {
            list.push(error);
        }
    }

    /// One `compile_error!` for each mistake, or `Ok` where there was none.
    pub(crate) fn finish(self) -> Result<(), TokenStream> {
        let list = self.list.borrow_mut().take().unwrap_or_default();
        if list.is_empty() {
            return Ok(());
        }
        Err(list.iter().map(syn::Error::to_compile_error).collect())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if !std::thread::panicking() && self.list.borrow().is_some() {
            panic!("haft-macros dropped its errors unread");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_every_mistake() {
        let errors = Errors::new();
        errors.at(Span::call_site(), "first");
        errors.at(Span::call_site(), "second");
        let tokens = errors.finish().expect_err("two mistakes").to_string();
        assert!(tokens.contains("first") && tokens.contains("second"), "{tokens}");
    }

    #[test]
    #[should_panic(expected = "unread")]
    fn panics_when_dropped_unread() {
        drop(Errors::new());
    }
}
