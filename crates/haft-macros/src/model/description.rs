//! Doc comments as text for a model.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// What a doc comment says.
pub(crate) enum Description {
    /// No doc comment, or an empty one
    Missing,
    /// Text known now
    Text(String, Span),
    /// A constant `&'static str` known only after other macros have run, such as `include_str!("order.md")`
    Constant(TokenStream),
}

impl Description {
    /// Joins all `#[doc = ...]` of an item.
    pub(crate) fn of(attributes: &[Attribute]) -> Description {
        let mut parts = Vec::new();
        let mut lines: Vec<String> = Vec::new();
        let mut span = None;
        for attribute in attributes {
            let Meta::NameValue(meta) = &attribute.meta else { continue };
            if !meta.path.is_ident("doc") {
                continue;
            }
            match without_groups(&meta.value) {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                    span.get_or_insert(text.span());
                    lines.extend(text.value().split('\n').map(str::to_owned));
                }
                other => {
                    parts.extend(text(&mut lines));
                    parts.push(other.to_token_stream());
                }
            }
        }
        let span = span.unwrap_or_else(Span::call_site);
        if parts.is_empty() {
            let text = clean(&lines);
            return if text.is_empty() { Description::Missing } else { Description::Text(text, span) };
        }
        parts.extend(text(&mut lines));
        if let [only] = parts.as_slice() {
            return Description::Constant(only.clone());
        }
        let separator = std::iter::repeat_n("\n\n", parts.len());
        let mut joined = TokenStream::new();
        for (index, (part, separator)) in parts.iter().zip(separator).enumerate() {
            if index > 0 {
                joined.extend(quote!(#separator,));
            }
            joined.extend(quote!(#part,));
        }
        Description::Constant(quote!(::core::concat!(#joined)))
    }

    /// The description as an expression of type `&'static str`.
    pub(crate) fn expression(&self) -> Option<TokenStream> {
        match self {
            Description::Missing => None,
            Description::Text(text, _) => Some(text.to_token_stream()),
            Description::Constant(tokens) => Some(tokens.clone()),
        }
    }

    /// Where it stands in the source.
    pub(crate) fn span(&self) -> Option<Span> {
        match self {
            Description::Missing => None,
            Description::Text(_, span) => Some(*span),
            Description::Constant(tokens) => Some(tokens.span()),
        }
    }
}

fn text(lines: &mut Vec<String>) -> Option<TokenStream> {
    let text = clean(&std::mem::take(lines));
    (!text.is_empty()).then(|| text.to_token_stream())
}

fn without_groups(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => without_groups(&group.expr),
        other => other,
    }
}

/// Takes off the common indentation, joins the lines of a paragraph, and keeps paragraphs, lists, tables and code.
pub(crate) fn clean(lines: &[String]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let indentation = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let mut text = String::new();
    let mut in_code = false;
    let mut previous = Line::Blank;
    for line in lines {
        let line = line.get(indentation..).unwrap_or("");
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        let indented_code = line.starts_with("    ") && !matches!(previous, Line::Prose);
        let block = line.starts_with(['#', '|', '>']);
        let current = if fence || in_code || indented_code || block {
            Line::Alone
        } else if line.is_empty() {
            Line::Blank
        } else if starts_list_item(line) {
            Line::Item
        } else {
            Line::Prose
        };
        in_code ^= fence;
        match (&previous, &current) {
            (_, Line::Prose) if matches!(previous, Line::Prose | Line::Item) => {
                text.push(' ');
                text.push_str(line.trim_start());
                continue;
            }
            _ => text.push('\n'),
        }
        text.push_str(line);
        previous = current;
    }
    let mut result = text.trim().to_owned();
    while result.contains("\n\n\n") {
        result = result.replace("\n\n\n", "\n\n");
    }
    result
}

enum Line {
    Blank,
    /// Joins the lines before and after it
    Prose,
    /// Starts on a line of its own; prose after it joins it
    Item,
    /// Joins nothing
    Alone,
}

fn starts_list_item(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("+ ")
        || (numbered.len() < line.len() && (numbered.starts_with(". ") || numbered.starts_with(") ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        clean(&text.split('\n').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn joins_lines_and_keeps_paragraphs() {
        assert_eq!(
            cleaned(" One line,\n and its rest.  \n\n Another\n paragraph."),
            "One line, and its rest.\n\nAnother paragraph."
        );
    }

    #[test]
    fn takes_off_common_indentation_only() {
        assert_eq!(cleaned("   a\n\n       code\n   b"), "a\n\n    code\nb");
    }

    #[test]
    fn keeps_lists() {
        assert_eq!(cleaned(" Kinds:\n - one,\n   long\n - two\n 1. three"), "Kinds:\n- one, long\n- two\n1. three");
    }

    #[test]
    fn keeps_code_as_it_is() {
        assert_eq!(cleaned("See\n```\na\nb\n```\nthen\nmore"), "See\n```\na\nb\n```\nthen more");
    }

    #[test]
    fn blank_is_missing() {
        let attributes: Vec<Attribute> = vec![syn::parse_quote!(#[doc = "  "]), syn::parse_quote!(#[doc(hidden)])];
        assert!(matches!(Description::of(&attributes), Description::Missing));
    }

    #[test]
    fn keeps_macros() {
        let attributes: Vec<Attribute> = vec![syn::parse_quote!(#[doc = include_str!("x.md")])];
        let Description::Constant(tokens) = Description::of(&attributes) else { panic!("a constant") };
        assert_eq!(tokens.to_string(), "include_str ! (\"x.md\")");
        let attributes: Vec<Attribute> = vec![
            syn::parse_quote!(#[doc = " a"]),
            syn::parse_quote!(#[doc = " b"]),
            syn::parse_quote!(#[doc = stringify!(c)]),
        ];
        let Description::Constant(tokens) = Description::of(&attributes) else { panic!("a constant") };
        assert_eq!(tokens.to_string(), r#":: core :: concat ! ("a b" , "\n\n" , stringify ! (c) ,)"#);
    }
}
