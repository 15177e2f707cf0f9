//! What a function must look like to be called with a model's arguments.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{FnArg, GenericParam, ReturnType, Signature, Type, TypeReference};

use crate::errors::Errors;
use crate::model::{Home, Parameter, Tool, last_name, peel};

pub(crate) fn check(tool: &Tool, errors: &Errors) {
    let home = tool.home;
    let sig = &tool.function.sig;
    qualifiers(sig, errors);
    generics(sig, errors);
    receiver(sig, home, errors);
    if home == Home::Free && mentions_self(sig) && sig.receiver().is_none() {
        errors.on(&sig.ident, "a tool in an `impl` block needs `#[toolset]` on the block");
    }
    for parameter in &tool.parameters {
        match parameter {
            Parameter::Argument(argument) => owned(&argument.ty, home, errors),
            Parameter::Context(ty) | Parameter::Extract(ty) => owned(ty, home, errors),
        }
    }
    contexts(tool, errors);
    returns(sig, errors);
}

/// Whether the function can only stand in an `impl` block, so that nothing can be generated beside it.
pub(crate) fn belongs_to_impl(sig: &Signature) -> bool {
    sig.receiver().is_some() || mentions_self(sig)
}

fn qualifiers(sig: &Signature, errors: &Errors) {
    if let Some(token) = &sig.constness {
        errors.on(token, "a tool can't be `const`: remove it, or call the `const fn` from the tool");
    }
    if let Some(token) = &sig.unsafety {
        errors.on(token, "a tool can't be `unsafe`, since models call it with whatever arguments they like: remove it, and check what must hold inside the function");
    }
    if let Some(abi) = &sig.abi {
        errors.on(abi, "a tool can't be `extern`: remove it");
    }
    if let Some(variadic) = &sig.variadic {
        errors.on(variadic, "a tool can't take a variable number of arguments: write `Vec<…>`");
    }
}

fn generics(sig: &Signature, errors: &Errors) {
    for parameter in &sig.generics.params {
        match parameter {
            GenericParam::Lifetime(lifetime) => errors.on(
                lifetime,
                format!("a tool can't have lifetime parameters, since its arguments live as long as the call needs them: remove `{}` and take owned values", lifetime.lifetime),
            ),
            GenericParam::Type(ty) => errors.on(
                ty,
                format!("a tool can't be generic, since its schema is one: remove `{}` and write the type itself", ty.ident),
            ),
            GenericParam::Const(constant) => errors.on(
                constant,
                format!("a tool can't be generic, since its schema is one: remove `{}` and write the value itself", constant.ident),
            ),
        }
    }
}

fn receiver(sig: &Signature, home: Home, errors: &Errors) {
    let Some(receiver) = sig.receiver() else { return };
    if home == Home::Free {
        errors.on(receiver, "a method is a tool only in a toolset: write `#[toolset]` above the `impl` block");
        return;
    }
    let by_shared_reference = match peel(&receiver.ty) {
        Type::Reference(TypeReference { mutability: None, elem, .. }) => {
            peel(elem).to_token_stream().to_string() == "Self"
        }
        _ => false,
    };
    if !by_shared_reference {
        let reason = if receiver.mutability.is_some() && receiver.reference.is_some() {
            "calls run at the same time, so a tool can't take `&mut self`: write `&self`, and keep what changes in a `Mutex` or an atomic"
        } else {
            "the toolset serves many calls, so a tool can't take it by value: write `&self`"
        };
        errors.on(receiver, reason);
    }
}

/// Reports the first thing in a parameter's type that isn't an owned value of a known type.
fn owned(ty: &Type, home: Home, errors: &Errors) {
    let mut borrows = Borrows { found: None, in_return: false };
    borrows.visit_type(ty);
    if let Some((tokens, message)) = borrows.found {
        errors.on(tokens, message);
        return;
    }
    // In a free function `Self` shows that it stands in an impl block, which has its own message.
    if home == Home::Toolset && mentions_self_in(ty) {
        errors.on(ty, "a tool's parameters can't use `Self`: write the type's name");
    }
}

struct Borrows {
    found: Option<(proc_macro2::TokenStream, String)>,
    in_return: bool,
}

impl<'ast> Visit<'ast> for Borrows {
    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        let is_static = reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static");
        if self.found.is_some() || (self.in_return && is_static) {
            return;
        }
        let owned = owned_form(&reference.elem);
        let message = if self.in_return {
            format!("a tool returns owned values, since the answer outlives the call: write `{owned}`")
        } else if last_name(&reference.elem).is_some_and(|name| name == "Context") {
            "take the context by value: write `Context`".to_owned()
        } else {
            format!("a tool takes owned values, since its arguments are made from the call's JSON: write `{owned}`")
        };
        self.found = Some((reference.to_token_stream(), message));
    }

    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        if self.found.is_none() && lifetime.ident != "static" {
            let message = if self.in_return {
                "a tool returns owned values, since the answer outlives the call: write a type without a lifetime"
            } else {
                "a tool takes owned values, since its arguments are made from the call's JSON: write a type without a lifetime"
            };
            self.found = Some((lifetime.to_token_stream(), message.to_owned()));
        }
    }

    fn visit_type_impl_trait(&mut self, ty: &'ast syn::TypeImplTrait) {
        if self.found.is_none() && !self.in_return {
            let message = "a tool's parameter needs one known type, since its schema is made from it: write the type instead of `impl …`";
            self.found = Some((ty.to_token_stream(), message.to_owned()));
        } else if self.in_return {
            visit::visit_type_impl_trait(self, ty);
        }
    }

    // `fn(&str)` and `dyn Fn(&str)` borrow nothing.
    fn visit_type_bare_fn(&mut self, _: &'ast syn::TypeBareFn) {}
    fn visit_parenthesized_generic_arguments(&mut self, _: &'ast syn::ParenthesizedGenericArguments) {}
}

/// What to write instead of `&ty`.
fn owned_form(ty: &Type) -> String {
    let text = |tokens: proc_macro2::TokenStream| {
        tokens.to_string().replace(" :: ", "::").replace(" < ", "<").replace(" >", ">")
    };
    match peel(ty) {
        Type::Slice(slice) => format!("Vec<{}>", text(slice.elem.to_token_stream())),
        ty => match last_name(ty).as_deref() {
            Some("str") => "String".to_owned(),
            Some("Path") => "PathBuf".to_owned(),
            _ => text(ty.to_token_stream()),
        },
    }
}

fn contexts(tool: &Tool, errors: &Errors) {
    let contexts = tool.parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Context(ty) => Some(ty),
        _ => None,
    });
    for second in contexts.skip(1) {
        errors.on(second, "a call has one context: remove the second `Context` (it can be cloned inside the function)");
    }
}

fn returns(sig: &Signature, errors: &Errors) {
    let ReturnType::Type(_, ty) = &sig.output else { return };
    if let Type::ImplTrait(ty) = peel(ty) {
        let future = ty.bounds.iter().any(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => bound.path.segments.last().is_some_and(|last| last.ident == "Future"),
            _ => false,
        });
        if future {
            errors.on(ty, "write `async fn`: a plain function that returns a future would never be awaited");
            return;
        }
    }
    let mut borrows = Borrows { found: None, in_return: true };
    borrows.visit_type(ty);
    if let Some((tokens, message)) = borrows.found {
        errors.on(tokens, message);
    }
}

fn mentions_self(sig: &Signature) -> bool {
    let output = matches!(&sig.output, ReturnType::Type(_, ty) if mentions_self_in(ty));
    output || sig.inputs.iter().any(|input| matches!(input, FnArg::Typed(input) if mentions_self_in(&input.ty)))
}

fn mentions_self_in(ty: &Type) -> bool {
    struct Finder(bool);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_ident(&mut self, ident: &'ast syn::Ident) {
            self.0 |= ident == "Self";
        }
    }
    let mut finder = Finder(false);
    finder.visit_type(ty);
    finder.0
}
