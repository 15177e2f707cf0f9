//! What hosts read of a tool: its name, title, description, icons and metadata.

use std::collections::HashSet;

use crate::errors::Errors;
use crate::model::{Description, Tool};
use crate::parse::Scopes;
use crate::rules;

pub(crate) fn check(tool: &Tool, errors: &Errors) {
    name(tool, errors);
    title(tool, errors);
    description(tool, errors);
    icons(tool, errors);
    meta(tool, errors);
    scopes(&tool.attr.scopes, errors);
}

/// Of a tool, a prompt or a resource.
pub(super) fn scopes(scopes: &Scopes, errors: &Errors) {
    let mut seen = HashSet::new();
    for scope in &scopes.names {
        let text = scope.value();
        if !rules::scope_token(&text) {
            errors.on(scope, "this is no OAuth scope: write visible ASCII characters other than `\"` and `\\`, without blanks, such as \"orders:write\"; several scopes are several strings");
        } else if !seen.insert(text) {
            errors.on(scope, "this scope is given twice; keep one of them");
        }
    }
}

fn name(tool: &Tool, errors: &Errors) {
    let name = &tool.name;
    if name.is_empty() {
        errors.at(tool.name_span, "the name is empty: write the tool's name, such as `name = \"get_order\"`");
        return;
    }
    if tool.allows("portable_name") {
        return;
    }
    let Some(reason) = rules::tool_name(name) else { return };
    let better = snake_case(name);
    let better = if rules::tool_name(&better).is_none() { better } else { "…".to_owned() };
    let remedy = if tool.attr.name.is_some() {
        format!("write `name = \"{better}\"`")
    } else {
        format!("rename the function, or write `#[tool(name = \"{better}\")]`")
    };
    errors.at(
        tool.name_span,
        format!(
            "not every host takes the tool name `{name}`: {reason}\nportable names match {} without `__`: {remedy}; `allow(portable_name)` keeps it as it is",
            rules::NAME_PATTERN
        ),
    );
}

/// `getOrder` -> `get_order`
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut previous = '_';
    for c in name.chars() {
        let starts_word = c.is_ascii_uppercase() && (previous.is_ascii_lowercase() || previous.is_ascii_digit());
        if (starts_word || !c.is_ascii_alphanumeric()) && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        if c.is_ascii_alphanumeric() {
            snake.push(c.to_ascii_lowercase());
        }
        previous = c;
    }
    snake.trim_end_matches('_').to_owned()
}

fn title(tool: &Tool, errors: &Errors) {
    if let Some(title) = tool.attr.title.as_ref().filter(|title| title.value().trim().is_empty()) {
        errors.on(title, "the title is empty: write what people read, such as `title = \"Look up an order\"`, or leave it out to derive it from the name");
    }
}

fn description(tool: &Tool, errors: &Errors) {
    match &tool.description {
        Description::Missing => errors.at(
            tool.function.sig.ident.span(),
            format!(
                "tool `{}` has no description, and a model chooses tools by their descriptions: write a doc comment above the function, such as\n/// Use this when the user asks where an order is. Returns its current status.",
                tool.name
            ),
        ),
        described => length(described, "shorten it, move details to the parameters they concern", tool, errors),
    }
}

/// Reports a description that hosts would cut; the length of one that other macros make is known at `build()` only.
pub(super) fn length(description: &Description, remedy: &str, tool: &Tool, errors: &Errors) {
    let Description::Text(text, span) = description else { return };
    let length = text.chars().count();
    if length > rules::DESCRIPTION_MAX && !tool.allows("portable_description") {
        errors.at(
            *span,
            format!(
                "the description has {length} characters, and some hosts cut it after {}: {remedy}, or write `allow(portable_description)`",
                rules::DESCRIPTION_MAX
            ),
        );
    }
}

fn icons(tool: &Tool, errors: &Errors) {
    for icon in &tool.attr.icons {
        let src = icon.src.value();
        let scheme = src.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        if !matches!(scheme.as_deref(), Some("https" | "data")) {
            errors.on(&icon.src, "hosts load icons from `https:` and `data:` addresses only: write an address that begins with `https://` or `data:image/png;base64,`");
        }
        if let Some(mime) = icon.mime.as_ref().filter(|mime| !mime.value().contains('/')) {
            errors.on(mime, "expected a media type, such as `mime = \"image/png\"`");
        }
        for size in &icon.sizes {
            let text = size.value();
            let number = |side: &str| !side.is_empty() && side.bytes().all(|b| b.is_ascii_digit());
            let sides = text.split_once('x').is_some_and(|(width, height)| number(width) && number(height));
            if !sides && text != "any" {
                errors.on(size, "expected a size, such as \"48x48\", or \"any\" for a format that scales");
            }
        }
    }
}

fn meta(tool: &Tool, errors: &Errors) {
    let mut seen = HashSet::new();
    for (key, _) in &tool.attr.meta {
        let text = key.value();
        if let Some(reason) = rules::meta_key(&text) {
            errors.on(key, format!("`_meta` can't have this key: {reason}\nwrite a prefix of your own and a name, such as \"com.example/key\""));
        } else if !seen.insert(text) {
            errors.on(key, "this `_meta` key is given twice; keep one of them");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn proposes_snake_case() {
        assert_eq!(snake_case("getOrder"), "get_order");
        assert_eq!(snake_case("get-order.v2"), "get_order_v2");
        assert_eq!(snake_case("get__order"), "get_order");
        assert_eq!(snake_case("HTTPGet"), "httpget");
    }
}
