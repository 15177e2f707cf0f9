//! `#[form(...)]` as typed.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, LitStr, Meta, Path};

use super::arg_attr::{length, range};
use super::entry::{self, Entry, Value};
use super::tool_attr::krate;
use super::{LengthAttr, RangeAttr};
use crate::errors::Errors;
use crate::suggest;

/// Everything that was typed in the `#[form(...)]` attributes of one type, field or variant.
#[derive(Default)]
pub(crate) struct FormAttr {
    /// Keys in the order typed
    pub(crate) keys: Vec<Ident>,
    pub(crate) krate: Option<Path>,
    pub(crate) rename: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) format: Option<LitStr>,
    pub(crate) range: Option<RangeAttr>,
    pub(crate) length: Option<LengthAttr>,
    pub(crate) default: Option<TokenStream>,
    pub(crate) enum_names: bool,
}

/// What the attribute stands on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormPlace {
    Type,
    Field,
    Variant,
}

impl FormPlace {
    fn keys(self) -> &'static [&'static str] {
        match self {
            FormPlace::Type => &["crate", "enum_names"],
            FormPlace::Field => &["rename", "title", "description", "format", "range", "length", "default"],
            FormPlace::Variant => &["rename", "title"],
        }
    }

    fn noun(self) -> &'static str {
        match self {
            FormPlace::Type => "a form",
            FormPlace::Field => "a field of a form",
            FormPlace::Variant => "a variant to choose",
        }
    }

    fn like(self) -> &'static str {
        match self {
            FormPlace::Type => "crate = \"::haft\"",
            FormPlace::Field | FormPlace::Variant => "title = \"…\"",
        }
    }
}

/// Words from JSON Schema, serde and other SDKs, with what haft writes instead.
fn elsewhere(key: &str) -> Option<&'static str> {
    Some(match key {
        "min" | "max" | "minimum" | "maximum" => "write `range(1..=10)`, `range(1..)` or `range(..=10)`",
        "min_length" | "max_length" | "min_items" | "max_items" | "len" => {
            "write `length(1..=64)`, `length(1..)` or `length(..=64)`"
        }
        "pattern" | "regex" => "forms have no patterns: check the answer, and ask again under another key",
        "email" | "uri" | "url" | "date" | "datetime" => {
            "write `format = \"email\"`, `\"uri\"`, `\"date\"` or `\"date-time\"`"
        }
        "secret" | "password" => {
            "forms must not ask for secrets: send the user to a page of yours with `Context::ask_url`"
        }
        "optional" | "required" => "a field may be left empty when its type is `Option<…>`",
        "skip" | "flatten" => "a form is flat, and all of its fields are asked for",
        "name" => "write `rename = \"…\"`",
        "rename_all" => "write `rename = \"…\"` on each field or variant",
        _ => return None,
    })
}

impl FormAttr {
    /// Reads all `#[form]` attributes of one place. What can't be read is reported and left out.
    pub(crate) fn parse(attributes: &[Attribute], place: FormPlace, errors: &Errors) -> FormAttr {
        let mut attr = FormAttr::default();
        let mut entries = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("form")) {
            match &attribute.meta {
                Meta::List(list) => entries.extend(entry::entries(list.tokens.clone(), place.like(), errors)),
                Meta::Path(_) | Meta::NameValue(_) => errors.on(
                    attribute,
                    format!(
                        "`#[form]` needs something between its parentheses: write `#[form({})]`, or leave it out",
                        place.like()
                    ),
                ),
            }
        }
        for entry in entry::without_repeats(entries, &[], errors) {
            attr.take(&entry, place, errors);
        }
        attr
    }

    fn take(&mut self, entry: &Entry, place: FormPlace, errors: &Errors) {
        let key = entry.key.to_string();
        if !place.keys().contains(&key.as_str()) {
            let message = elsewhere(&key).map_or_else(
                || suggest::unknown("key", &key, place.keys()),
                |instead| format!("{} has no key `{key}`: {instead}", place.noun()),
            );
            errors.on(&entry.key, message);
            return;
        }
        match key.as_str() {
            "crate" => self.krate = krate(entry, errors),
            "enum_names" => self.enum_names = entry.flag(errors),
            "rename" => self.rename = entry.string(errors),
            "title" => self.title = entry.string(errors),
            "description" => self.description = entry.string(errors),
            "format" => self.format = entry.string(errors),
            "range" => self.range = range(entry, errors),
            "length" => self.length = length(entry, errors),
            "default" if matches!(entry.value, Value::Absent) => {
                errors.on(&entry.key, "`default` needs its value: write `default = …`, for example `default = 10`");
            }
            _ => self.default = entry.assigned(errors),
        }
        self.keys.push(entry.key.clone());
    }
}
