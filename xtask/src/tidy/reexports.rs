//! `lib.rs` is a table of contents: what it exports, it names.

use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{Offence, Source};

/// The one module whose purpose is to be imported whole.
const PRELUDE: &str = "prelude";

pub(super) fn check(source: &Source) -> Vec<Offence> {
    let mut offences = Vec::new();
    if source.is_library()
        && source.path.ends_with("/src/lib.rs")
        && let Ok(tokens) = TokenStream::from_str(&source.text)
    {
        walk(tokens, source, &mut offences);
    }
    offences
}

fn walk(tokens: TokenStream, source: &Source, offences: &mut Vec<Offence>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |index: usize, word: &str| matches!(tokens.get(index), Some(TokenTree::Ident(ident)) if ident == word);
    let mut index = 0;
    while index < tokens.len() {
        if is(index, "pub") && is(index + 1, "use") {
            let end = (index..tokens.len()).find(|at| is_punct(&tokens[*at], ';')).unwrap_or(tokens.len());
            if has_star(tokens[index..end].iter().cloned().collect()) {
                let line = tokens[index].span().start().line;
                offences.push(Offence::new(
                    &source.path,
                    line,
                    format!("a glob re-export outside `mod {PRELUDE}`; name what is exported"),
                ));
            }
            index = end;
        } else if is(index, "mod")
            && let Some(TokenTree::Group(body)) = tokens.get(index + 2)
            && body.delimiter() == Delimiter::Brace
        {
            if !is(index + 1, PRELUDE) {
                walk(body.stream(), source, offences);
            }
            index += 2;
        }
        index += 1;
    }
}

fn has_star(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_star(group.stream()),
        token => is_punct(&token, '*'),
    })
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Source { path: path.to_owned(), text: text.to_owned() }).iter().map(|offence| offence.line).collect()
    }

    #[test]
    fn globs_are_found_at_the_root_and_in_modules() {
        let text = "pub use a::*;\npub use b::{\n    c::*, d,\n};\npub mod v1 {\n    pub use super::e::*;\n}\n";
        assert_eq!(lines("crates/haft/src/lib.rs", text), [1, 2, 6]);
    }

    #[test]
    fn names_private_uses_and_the_prelude_pass() {
        let text = "//! pub use a::*;\nmod a;\npub use a::{B, C as D};\nuse b::*;\npub(crate) use c::*;\n\
                    pub mod prelude {\n    pub use crate::x::*;\n}\n";
        assert_eq!(lines("crates/haft/src/lib.rs", text), [0usize; 0]);
    }

    #[test]
    fn other_files_are_free() {
        assert_eq!(lines("crates/haft/src/server.rs", "pub use a::*;"), [0usize; 0]);
    }
}
