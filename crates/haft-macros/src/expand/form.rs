//! `impl Form` for structs, `impl FormField` and `impl Choice` for enums.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Ident, Lit};

use super::{krate, located, parenthesised};
use crate::model::{Field, Form, FormShape, Variant};
use crate::parse::without_groups;

pub(crate) fn form(form: &Form) -> TokenStream {
    let krate = krate(form.krate.as_ref());
    match &form.shape {
        FormShape::Fields(fields) => of_struct(&form.ident, fields, &krate),
        FormShape::Variants(variants) => of_enum(form, variants, None, &krate),
    }
}

/// So that one mistake in a form isn't followed by others wherever it is asked for. Never runs: the build has failed.
pub(crate) fn broken_form(form: &Form) -> TokenStream {
    let (ident, krate) = (&form.ident, krate(form.krate.as_ref()));
    match &form.shape {
        FormShape::Fields(_) => quote! {
            #[automatically_derived]
            impl #krate::Form for #ident {
                fn form(_: &str) -> #krate::__private::FormSpec {
                    #krate::__private::FormSpec::new()
                }

                fn read(_: &str, _: &#krate::__private::FormAnswers) -> ::core::option::Option<Self> {
                    ::core::option::Option::None
                }
            }
        },
        FormShape::Variants(_) => of_enum(form, &[], Some(quote!(_ => "")), &krate),
    }
}

fn of_struct(ident: &Ident, fields: &[Field], krate: &TokenStream) -> TokenStream {
    let specs = fields.iter().map(|field| {
        let (name, spec) = (&field.name, spec(field, krate));
        quote!(.field(#name, #spec))
    });
    let values = fields.iter().map(|field| {
        let (ident, name, new) = (&field.ident, &field.name, new(field, krate));
        quote!(#ident: #new.read(#name, __haft_answers)?)
    });
    quote! {
        #[automatically_derived]
        impl #krate::Form for #ident {
            fn form(_: &str) -> #krate::__private::FormSpec {
                #krate::__private::FormSpec::new()#(#specs)*
            }

            fn read(_: &str, __haft_answers: &#krate::__private::FormAnswers) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(Self { #(#values),* })
            }
        }
    }
}

/// The same tokens wherever a field's type is used, so that one that no field can have is reported once, where it stands.
fn new(field: &Field, krate: &TokenStream) -> TokenStream {
    let ty = &field.ty;
    located(quote!(#krate::__private::FieldSpec::<#ty>::new()), ty.span())
}

fn spec(field: &Field, krate: &TokenStream) -> TokenStream {
    let Field { ty, attr, .. } = field;
    let mut tokens = new(field, krate);
    let key = |name: &str| attr.keys.iter().find(|key| *key == name).map_or_else(|| ty.span(), Ident::span);
    let mut then = |method: &str, arguments: TokenStream| {
        let at = key(method);
        let (method, arguments) = (Ident::new(method, at), parenthesised(arguments, at));
        tokens.extend(quote!(.#method #arguments));
    };
    if let Some(title) = &attr.title {
        then("title", title.to_token_stream());
    }
    if let Some(description) = &field.description {
        then("describe", description.clone());
    }
    if let Some(format) = &attr.format {
        then("format", format.to_token_stream());
    }
    if let Some(range) = &attr.range {
        let (min, max) = (option(number(range.min, krate)), option(number(range.greatest(), krate)));
        then("range", quote!(#min, #max));
    }
    if let Some(length) = &attr.length {
        let (min, max) = (option(length.min), option(length.max));
        then("length", quote!(#min, #max));
    }
    if let Some(default) = &attr.default {
        then("default", default_of(default));
    }
    tokens
}

fn number(number: Option<impl ToTokens>, krate: &TokenStream) -> Option<TokenStream> {
    number.map(|number| quote!(#krate::__private::Value::from(#number)))
}

fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// A string literal becomes a `String`, the one type of text that a form has.
fn default_of(default: &TokenStream) -> TokenStream {
    match syn::parse2::<Expr>(without_groups(default.clone())) {
        Ok(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => {
            let at = text.span();
            let (from, text) = (located(quote!(::std::string::String::from), at), parenthesised(quote!(#text), at));
            quote!(#from #text)
        }
        _ => default.clone(),
    }
}

fn of_enum(form: &Form, variants: &[Variant], otherwise: Option<TokenStream>, krate: &TokenStream) -> TokenStream {
    let ident = &form.ident;
    let schema = Ident::new(if form.enum_names.is_some() { "one_of_names" } else { "one_of" }, Span::call_site());
    let options = variants.iter().map(|variant| {
        let (name, title) = (&variant.name, option(variant.title.as_ref()));
        quote!((#name, #title))
    });
    let (names, idents): (Vec<_>, Vec<_>) = variants.iter().map(|variant| (&variant.name, &variant.ident)).unzip();
    quote! {
        #[automatically_derived]
        impl #krate::Choice for #ident {
            const OPTIONS: &'static [(&'static str, ::core::option::Option<&'static str>)] = &[#(#options),*];

            fn named(__haft_name: &str) -> ::core::option::Option<Self> {
                match __haft_name {
                    #(#names => ::core::option::Option::Some(Self::#idents),)*
                    _ => ::core::option::Option::None,
                }
            }

            fn name(&self) -> &'static str {
                match self {
                    #(Self::#idents => #names,)*
                    #otherwise
                }
            }
        }

        #[automatically_derived]
        impl #krate::FormField for #ident {
            type Plain = Self;

            fn schema() -> #krate::__private::Map<::std::string::String, #krate::__private::Value> {
                #krate::__private::#schema(<Self as #krate::Choice>::OPTIONS)
            }

            fn read(
                __haft_value: ::core::option::Option<&#krate::__private::Value>,
            ) -> ::core::option::Option<Self> {
                <Self as #krate::Choice>::named(__haft_value?.as_str()?)
            }

            fn write(__haft_plain: Self) -> #krate::__private::Value {
                #krate::__private::Value::from(<Self as #krate::Choice>::name(&__haft_plain))
            }
        }
    }
}
