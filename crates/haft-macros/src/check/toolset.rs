//! What concerns an impl block as a whole.

use std::collections::HashMap;

use syn::{GenericParam, Type};

use crate::errors::Errors;
use crate::model::{Toolset, peel};

pub(crate) fn toolset(toolset: &Toolset, errors: &Errors) {
    let block = &toolset.block;
    if let Some(path) = &block.trait_ {
        errors.on(path, "`#[toolset]` goes on `impl Type { … }` and not on the impl of a trait: move the tools to a block of their own");
    }
    for parameter in &block.generics.params {
        if let GenericParam::Lifetime(lifetime) = parameter {
            errors.on(
                lifetime,
                format!("a toolset lives as long as the server, so its type can't borrow: remove `{}` and own the data, for example in an `Arc`", lifetime.lifetime),
            );
        }
    }
    for tool in toolset.tools() {
        super::tool(tool, errors);
    }
    if toolset.tools().next().is_none() {
        let name = match peel(&block.self_ty) {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        errors.on(
            &block.self_ty,
            format!(
                "the toolset `{}` has no tools: write `#[tool(…)]` above its methods, or remove `#[toolset]`",
                name.unwrap_or_default()
            ),
        );
    }
    let mut names: HashMap<&str, bool> = HashMap::new();
    for tool in toolset.tools() {
        // Two methods under opposite `#[cfg]`s may share a name; `build()` sees those that are left.
        let always = tool.cfgs.is_empty();
        match names.get(tool.name.as_str()) {
            Some(true) if always => {
                errors.at(
                    tool.name_span,
                    format!("two tools of this toolset are called `{}`: give one of them another name", tool.name),
                );
            }
            Some(_) => {}
            None => {
                names.insert(&tool.name, always);
            }
        }
    }
}
