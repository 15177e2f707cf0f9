//! `#[prompt(...)]` and `#[resource("uri", ...)]` as typed.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{LitStr, Path};

use super::entry::{self, Entry, without_groups};
use super::scopes::Scopes;
use super::tool_attr::{Need, known, krate};
use crate::errors::Errors;
use crate::suggest;

/// Which of the two attributes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primitive {
    Prompt,
    Resource,
}

impl Primitive {
    /// As the attribute is spelled.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Primitive::Prompt => "prompt",
            Primitive::Resource => "resource",
        }
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Primitive::Prompt => &["name", "title", "needs", "scopes", "logs", "crate"],
            Primitive::Resource => &["name", "title", "mime_type", "needs", "scopes", "logs", "crate"],
        }
    }
}

/// Everything that was typed between the parentheses.
#[derive(Default)]
pub(crate) struct PrimitiveAttr {
    /// Of a resource: its URI or URI template
    pub(crate) uri: Option<LitStr>,
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) mime_type: Option<LitStr>,
    pub(crate) needs: Vec<Need>,
    pub(crate) scopes: Scopes,
    pub(crate) logs: bool,
    pub(crate) krate: Option<Path>,
}

impl PrimitiveAttr {
    /// Reads the attribute's tokens. What can't be read is reported and left out.
    pub(crate) fn parse(kind: Primitive, tokens: TokenStream, errors: &Errors) -> PrimitiveAttr {
        let mut attr = PrimitiveAttr::default();
        let rest = match kind {
            Primitive::Prompt => tokens,
            Primitive::Resource => attr.take_uri(tokens, errors),
        };
        let entries = entry::entries(rest, r#"name = "…""#, errors);
        for entry in entry::without_repeats(entries, &[], errors) {
            attr.take(kind, &entry, errors);
        }
        attr
    }

    /// The string that a resource's attribute begins with; gives back what follows it.
    fn take_uri(&mut self, tokens: TokenStream, errors: &Errors) -> TokenStream {
        let mut rest = tokens.clone().into_iter();
        let first = rest.next().map(|tree| without_groups(tree.into()));
        match first.as_ref().map(|first| syn::parse2::<LitStr>(first.clone())) {
            Some(Ok(uri)) => self.uri = Some(uri),
            _ => {
                let message = "a resource begins with its URI: write `#[resource(\"notes://readme\")]`, or a template such as `#[resource(\"notes://{id}\")]`";
                errors.on(first.unwrap_or_default(), message);
                return tokens;
            }
        }
        match rest.next() {
            Some(TokenTree::Punct(comma)) if comma.as_char() == ',' => {}
            Some(other) => errors.on(other, "expected a comma before this"),
            None => {}
        }
        rest.collect()
    }

    fn take(&mut self, kind: Primitive, entry: &Entry, errors: &Errors) {
        let key = entry.key.to_string();
        match key.as_str() {
            "name" => self.name = entry.string(errors),
            "title" => self.title = entry.string(errors),
            "mime_type" if kind == Primitive::Resource => self.mime_type = entry.string(errors),
            "needs" => self.needs = known(entry, "needs(sampling)", "client capability", NEEDS, errors),
            "scopes" => self.scopes = Scopes::parse(entry, kind.word(), errors),
            "logs" => self.logs = entry.flag(errors),
            "crate" => self.krate = krate(entry, errors),
            "description" => errors.on(
                &entry.key,
                format!("the description is the function's doc comment: write `/// …` above the {}", kind.word()),
            ),
            _ => errors.on(&entry.key, suggest::unknown("key", &key, kind.keys())),
        }
    }
}

const NEEDS: &[&str] = &["sampling", "elicitation", "roots"];

/// `sampling` -> `Sampling`
pub(crate) fn variant(need: &Need) -> Ident {
    let text = need.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    Ident::new(&first.into_iter().chain(chars).collect::<String>(), need.span())
}
