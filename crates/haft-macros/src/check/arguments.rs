//! What `#[arg(...)]` can say of which parameter.

use std::collections::HashSet;

use proc_macro2::Ident;

use super::definition::length as length_of_text;
use crate::errors::Errors;
use crate::model::{Argument, Kind, Tool, kind, option_of};
use crate::parse::{LengthAttr, Number, RangeAttr};
use crate::rules;

pub(crate) fn check(tool: &Tool, errors: &Errors) {
    let mut names = HashSet::new();
    let mut headers = HashSet::new();
    for argument in tool.arguments() {
        if argument.attr.flatten {
            flatten(argument, errors);
            continue;
        }
        name(tool, argument, &mut names, errors);
        length_of_text(&argument.description, "shorten it", tool, errors);
        let kind = kind(&argument.ty);
        pattern(argument, kind, errors);
        if let Some(attr) = &argument.attr.range {
            range(attr, argument, kind, errors);
        }
        if let Some(attr) = &argument.attr.length {
            length(attr, argument, kind, errors);
        }
        header(argument, kind, &mut headers, errors);
        default(argument, errors);
    }
}

/// The key as typed, to point at.
fn key<'a>(argument: &'a Argument, name: &str) -> Option<&'a Ident> {
    argument.attr.keys.iter().find(|key| *key == name)
}

fn flatten(argument: &Argument, errors: &Errors) {
    for other in argument.attr.keys.iter().filter(|key| *key != "flatten") {
        errors.on(other, format!("`flatten` puts the fields of the type in this parameter's place, so `{other}` has nothing to apply to: write it on a field of the type, or remove it"));
    }
    if argument.attr.description.is_none()
        && let Some(span) = argument.description.span()
    {
        errors.at(span, "`flatten` puts the fields of the type in this parameter's place, so nobody would read this: describe the type's fields, or write a plain comment (`// …`)");
    }
    if option_of(&argument.ty).is_some() {
        errors.on(&argument.ty, "an `Option` can't be flattened: make the fields of the type optional instead");
    } else if kind(&argument.ty) != Kind::Unknown {
        errors.on(&argument.ty, "only a struct (or a tagged enum) can be flattened: remove `flatten`");
    }
}

fn name(tool: &Tool, argument: &Argument, names: &mut HashSet<String>, errors: &Errors) {
    let name = &argument.name;
    if !names.insert(name.clone()) {
        errors.at(argument.name_span, format!("two arguments are called `{name}`: rename one of them"));
    } else if name.is_empty() {
        errors.at(argument.name_span, "the name is empty: write the argument's name, or leave `rename` out");
    } else if !rules::argument_name(name) && !tool.allows("portable_input") {
        errors.at(
            argument.name_span,
            format!(
                "not every host takes the argument name `{name}`: portable names match {}; write `#[arg(rename = \"…\")]` with such a name, or `allow(portable_input)` to keep it",
                rules::ARGUMENT_PATTERN
            ),
        );
    }
}

fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer { .. } => "an integer",
        Kind::Float => "a number",
        Kind::Boolean => "a boolean",
        Kind::Text => "a string",
        Kind::List => "a list",
        Kind::Map => "a map",
        Kind::Unknown => "a value of this type",
    }
}

fn pattern(argument: &Argument, kind: Kind, errors: &Errors) {
    let Some(pattern) = &argument.attr.pattern else { return };
    if !matches!(kind, Kind::Text | Kind::Unknown) {
        errors.on(
            key(argument, "pattern"),
            format!("`pattern` is for strings, and `{}` is {}{}", argument.name, noun(kind), instead(kind)),
        );
    } else if pattern.value().is_empty() {
        errors.on(pattern, "the pattern is empty and matches everything: write a regular expression such as `pattern = r\"^A-\\d{4}$\"`, or leave it out");
    }
}

/// The limit that fits a kind.
fn instead(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer { .. } | Kind::Float => ": write `range(…)`",
        Kind::Text | Kind::List | Kind::Map => ": write `length(…)`",
        Kind::Boolean | Kind::Unknown => ": remove it",
    }
}

fn range(attr: &RangeAttr, argument: &Argument, kind: Kind, errors: &Errors) {
    if let Kind::Text | Kind::List | Kind::Map | Kind::Boolean = kind {
        errors.on(
            key(argument, "range"),
            format!("`range` is for numbers, and `{}` is {}{}", argument.name, noun(kind), instead(kind)),
        );
        return;
    }
    if let (Some(min), Some(max)) = (attr.min, attr.max) {
        let (below, above) = (min.text(), max.text());
        if min > max {
            errors.on(
                &attr.tokens,
                format!("no number is at least {below} and at most {above}: write the smaller bound first"),
            );
            return;
        }
        if min == max && attr.exclusive {
            errors.on(
                &attr.tokens,
                format!("no number is at least {below} and below {above}: write `{below}..={above}` to admit {below}"),
            );
            return;
        }
    }
    if let Kind::Integer { min, max } = kind {
        let bounds = [(attr.min, false), (attr.max, attr.exclusive)];
        for (bound, exclusive) in bounds {
            match bound {
                Some(Number::Float(value)) => {
                    errors.on(
                        &attr.tokens,
                        format!(
                            "`{}` is an integer, so its bounds are whole numbers, and {value} is not",
                            argument.name
                        ),
                    );
                }
                Some(Number::Integer(value)) if value < min || value > max + i128::from(exclusive) => {
                    errors.on(
                        &attr.tokens,
                        format!("the bound {value} lies outside of the parameter's type, which holds {min} to {max}"),
                    );
                }
                _ => {}
            }
        }
    }
}

fn length(attr: &LengthAttr, argument: &Argument, kind: Kind, errors: &Errors) {
    if let Kind::Integer { .. } | Kind::Float | Kind::Boolean = kind {
        errors.on(
            key(argument, "length"),
            format!(
                "`length` is for strings, lists and maps, and `{}` is {}{}",
                argument.name,
                noun(kind),
                instead(kind)
            ),
        );
        return;
    }
    if let (Some(min), Some(max)) = (attr.min, attr.max)
        && min > max
    {
        errors
            .on(&attr.tokens, format!("no length is at least {min} and at most {max}: write the smaller bound first"));
    }
}

fn header(argument: &Argument, kind: Kind, headers: &mut HashSet<String>, errors: &Errors) {
    let Some(header) = &argument.attr.header else { return };
    let name = header.value();
    if !rules::header_name(&name) {
        errors.on(header, "this can't be part of an HTTP header's name: write letters, digits and `-` only, such as `header = \"Region\"` for `Mcp-Param-Region`");
    } else if !headers.insert(name.to_ascii_lowercase()) {
        errors.on(header, format!("two arguments go into the header `Mcp-Param-{name}` (case doesn't count): give one of them another name"));
    }
    if argument.attr.secret {
        errors.on(
            key(argument, "header"),
            "a secret can't go into a header, which every proxy on the way can read: remove `header` or `secret`",
        );
    }
    match kind {
        Kind::Float | Kind::List | Kind::Map => {
            errors.on(
                key(argument, "header"),
                format!(
                    "only strings, integers and booleans can go into a header, and `{}` is {}: remove `header`",
                    argument.name,
                    noun(kind)
                ),
            );
        }
        Kind::Integer { min, max } => {
            let bound = |bound: Option<Number>, otherwise: i128| match bound {
                Some(Number::Integer(value)) => value,
                _ => otherwise,
            };
            let range = argument.attr.range.as_ref();
            let min = bound(range.and_then(|range| range.min), min);
            let max = bound(range.and_then(|range| range.max), max)
                - i128::from(range.is_some_and(|range| range.exclusive && range.max.is_some()));
            if min < -rules::SAFE_INTEGER || max > rules::SAFE_INTEGER {
                errors.on(
                    key(argument, "header"),
                    format!(
                        "an integer in a header must stay within ±{}, beyond which some readers round it: write `range(…)` with bounds that do, or take a narrower type such as `u32`",
                        rules::SAFE_INTEGER
                    ),
                );
            }
        }
        Kind::Boolean | Kind::Text | Kind::Unknown => {}
    }
}

fn default(argument: &Argument, errors: &Errors) {
    if argument.attr.default.is_none() {
        return;
    }
    if option_of(&argument.ty).is_some() {
        errors.on(
            key(argument, "default"),
            "with a default the value is always there: write the type without `Option`, or remove `default`",
        );
    }
    if argument.attr.secret {
        errors.on(key(argument, "default"), "the default of a secret would be published in the schema: remove `default` and read it inside the function");
    }
}
