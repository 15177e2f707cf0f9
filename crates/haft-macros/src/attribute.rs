//! The attributes and the derive from end to end, on proc-macro2 tokens so that tests can run them.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::DeriveInput;

use crate::errors::Errors;
use crate::model::{Form, Home, PrimitiveFunction, Tool, Toolset, take_tool_attributes};
use crate::parse::{self, Primitive, PrimitiveAttr, ToolAttr};
use crate::{check, expand};

/// `#[tool(attr)] item`
pub(crate) fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = match parse::function(item.clone(), "tool") {
        Ok(function) => function,
        Err(error) => return with_error(&item, &error),
    };
    let errors = Errors::new();
    for again in take_tool_attributes(&mut function) {
        errors.on(again, "`#[tool]` is given twice; keep one of them");
    }
    let attr = ToolAttr::parse(attr, &errors);
    let tool = Tool::of(attr, Span::call_site(), function, Home::Free, &errors);
    check::tool(&tool, &errors);
    match errors.finish() {
        Ok(()) => expand::function(&tool),
        Err(errors) => {
            let function = expand::broken_function(&tool);
            quote!(#errors #function)
        }
    }
}

/// `#[toolset(attr)] item`
pub(crate) fn toolset(attr: TokenStream, item: TokenStream) -> TokenStream {
    let block = match parse::impl_block(item.clone()) {
        Ok(block) => block,
        Err(error) => return with_error(&item, &error),
    };
    let errors = Errors::new();
    let krate = parse::toolset_crate(attr, &errors);
    let toolset = Toolset::of(krate, block, &errors);
    check::toolset(&toolset, &errors);
    match errors.finish() {
        Ok(()) => expand::toolset(&toolset),
        Err(errors) => {
            let block = expand::broken_toolset(&toolset);
            quote!(#errors #block)
        }
    }
}

/// `#[prompt(attr)] item` and `#[resource(attr)] item`
pub(crate) fn primitive(kind: Primitive, attr: TokenStream, item: TokenStream) -> TokenStream {
    let function = match parse::function(item.clone(), kind.word()) {
        Ok(function) => function,
        Err(error) => return with_error(&item, &error),
    };
    let errors = Errors::new();
    let attr = PrimitiveAttr::parse(kind, attr, &errors);
    let item = PrimitiveFunction::of(kind, attr, function, &errors);
    check::primitive(&item, &errors);
    match errors.finish() {
        Ok(()) => expand::primitive(&item),
        Err(errors) => {
            let function = expand::broken_primitive(&item);
            quote!(#errors #function)
        }
    }
}

/// `#[derive(Form)] item`
pub(crate) fn form(item: TokenStream) -> TokenStream {
    let item: DeriveInput = match syn::parse2(item) {
        Ok(item) => item,
        Err(error) => return error.to_compile_error(),
    };
    let errors = Errors::new();
    let form = Form::of(&item, &errors);
    if let Some(form) = &form {
        check::form(form, &errors);
    }
    match (errors.finish(), form) {
        (Ok(()), Some(form)) => expand::form(&form),
        (Ok(()), None) => TokenStream::new(),
        (Err(errors), form) => {
            let form = form.map(|form| expand::broken_form(&form));
            quote!(#errors #form)
        }
    }
}

fn with_error(item: &TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#error #item)
}

#[cfg(test)]
mod tests;
