//! Library code neither prints (standard output is the stdio transport) nor leaves work undone.

use std::str::FromStr;

use proc_macro2::{TokenStream, TokenTree};

use super::{Offence, Source};

/// Macros that library code must not call, and what to do instead.
const REFUSED: &[(&str, &str)] = &[
    ("print", "standard output carries the protocol; use `tracing`"),
    ("println", "standard output carries the protocol; use `tracing`"),
    ("dbg", "remove it, or use `tracing`"),
    ("todo", "finish it or leave it out"),
    ("unimplemented", "finish it or leave it out"),
];

pub(super) fn check(source: &Source) -> Vec<Offence> {
    let mut offences = check_notes(source);
    if source.is_library() {
        match TokenStream::from_str(&source.text) {
            Ok(tokens) => walk(tokens, source, &mut offences),
            Err(error) => {
                let line = error.span().start().line;
                offences.push(Offence::new(&source.path, line, format!("not Rust tokens ({error}); fix the file")));
            }
        }
    }
    offences
}

/// Comments and strings are single tokens or none, so nothing in them is taken for a call.
fn walk(tokens: TokenStream, source: &Source, offences: &mut Vec<Offence>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => walk(group.stream(), source, offences),
            TokenTree::Ident(ident) if is_call(&tokens[index + 1..]) => {
                if let Some((name, instead)) = REFUSED.iter().find(|(name, _)| ident == name) {
                    let line = ident.span().start().line;
                    offences.push(Offence::new(&source.path, line, format!("`{name}!` in library code; {instead}")));
                }
            }
            _ => {}
        }
    }
}

/// Whether what follows a name makes it a macro call, and not the left side of `!=`.
fn is_call(rest: &[TokenTree]) -> bool {
    matches!(rest, [TokenTree::Punct(punct), TokenTree::Group(_), ..] if punct.as_char() == '!')
}

/// Notes of work to come belong in issues: none in the crates, in comments and documentation included.
fn check_notes(source: &Source) -> Vec<Offence> {
    if !source.path.starts_with("crates/") {
        return Vec::new();
    }
    let is_note = |line: &str| {
        line.split_once("//").is_some_and(|(_, comment)| {
            comment.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "TODO" | "FIXME" | "XXX"))
        })
    };
    let noted = source.text.lines().enumerate().filter(|(_, line)| is_note(line));
    noted
        .map(|(index, _)| Offence::new(&source.path, index + 1, "a note of work undone; do it or file an issue"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_at(path: &str, text: &str) -> Vec<String> {
        check(&Source { path: path.to_owned(), text: text.to_owned() }).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_refused_macro_is_found_at_its_line() {
        let text = "fn f() {\n    println!(\"x\");\n    let _ = [dbg!(1)];\n    std::print!(\"\");\n}\n\
                    fn g() { todo!() }\nfn h() { quote! { unimplemented!() } }\n";
        let lines = check_at("crates/haft-macros/src/expand.rs", text);
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert!(lines[0].starts_with("crates/haft-macros/src/expand.rs:2: `println!` in library code"), "{lines:?}");
        for (line, at) in lines.iter().zip([":2: ", ":3: ", ":4: ", ":6: ", ":7: "]) {
            assert!(line.contains(at), "{line} is not at {at}");
        }
    }

    #[test]
    fn comments_strings_and_other_names_pass() {
        let text = "//! println!(\"in docs\");\n/* dbg!(1) */\n/// todo!()\nfn print() {\n    eprintln!(\"println!()\");\n    \
                    let println = r#\"dbg!()\"#; if println != \"\" {}\n}\n";
        assert_eq!(check_at("crates/haft/src/server.rs", text), Vec::<String>::new());
    }

    #[test]
    fn the_command_line_and_tests_may_print() {
        for path in ["crates/haft-cli/src/main.rs", "crates/haft/tests/all.rs", "examples/weather.rs"] {
            assert_eq!(check_at(path, "fn f() { println!() }"), Vec::<String>::new());
        }
    }

    #[test]
    fn notes_of_work_undone_are_refused_in_the_crates() {
        let note = format!("let x = 1; // {}: later\n", "TO".to_owned() + "DO");
        assert_eq!(check_at("crates/haft/tests/all.rs", &note).len(), 1);
        assert_eq!(check_at("xtask/src/main.rs", &note).len(), 0);
        assert_eq!(check_at("crates/haft/src/lib.rs", "// a list of todos\n").len(), 0);
    }

    #[test]
    fn a_file_that_is_not_rust_is_reported() {
        assert!(check_at("crates/haft/src/lib.rs", "fn f( {")[0].contains("not Rust tokens"));
    }
}
