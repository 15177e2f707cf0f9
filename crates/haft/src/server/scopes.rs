//! Which scopes a tool asks for, and whether a caller has them.
//!
//! spec: `basic/authorization#scope-challenge-handling`

use std::collections::{BTreeMap, BTreeSet};

use super::problems::{BuildProblem, Sink};
use super::{Caller, Principal};
use crate::error::ProtocolError;
use haft_wire::ErrorObject;

/// The longest list of scopes that a challenge holds, in bytes: it has to fit into a header.
const LONGEST: usize = 4096;

/// What a caller needs to use something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Requirement {
    /// All of them; none where everybody may.
    pub(crate) scopes: Vec<String>,
    /// Whether those see it who may not use it.
    pub(crate) listed: bool,
}

impl Requirement {
    pub(crate) fn is_none(&self) -> bool {
        self.scopes.is_empty()
    }

    pub(super) fn check(&self, sink: &mut Sink<'_>) {
        check_tokens(&self.scopes, sink);
        for (index, scope) in self.scopes.iter().enumerate() {
            if self.scopes.iter().take(index).any(|other| other == scope) {
                sink.push("scopes", format!("the scope {scope:?} is named twice; keep one of them"));
            }
        }
    }
}

fn check_tokens<'a>(scopes: impl IntoIterator<Item = &'a String>, sink: &mut Sink<'_>) {
    for scope in scopes.into_iter().filter(|scope| !is_token(scope)) {
        let message = format!(
            "{scope:?} is no scope: write one or more visible ASCII characters other than `\"` and `\\`, and no blanks, \
             such as \"orders:write\""
        );
        sink.push("scopes", message);
    }
}

/// RFC 6749, section 3.3: `scope-token`.
pub(crate) fn is_token(scope: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    !scope.is_empty() && scope.bytes().all(allowed)
}

/// Which scopes come with a broader one, as its author said and over any number of steps.
#[derive(Debug, Default)]
pub(crate) struct Implications(BTreeMap<String, BTreeSet<String>>);

impl Implications {
    /// Checks what was said and works out what follows from it.
    pub(super) fn new(said: &[(String, Vec<String>)], problems: &mut Vec<BuildProblem>) -> Self {
        let mut direct: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (broad, narrow) in said {
            check_tokens([broad].into_iter().chain(narrow), &mut Sink { subject: "", place: "", problems });
            direct.entry(broad.clone()).or_default().extend(narrow.iter().cloned());
        }
        let follow = |broad: &String| {
            let (mut all, mut next) = (BTreeSet::new(), vec![broad]);
            while let Some(scope) = next.pop() {
                for narrow in direct.get(scope).into_iter().flatten() {
                    if all.insert(narrow.clone()) {
                        next.push(narrow);
                    }
                }
            }
            all
        };
        Self(direct.keys().map(|broad| (broad.clone(), follow(broad))).collect())
    }

    fn has(&self, caller: &Caller, scope: &str) -> bool {
        caller.scopes().any(|own| own == scope || self.0.get(own).is_some_and(|implied| implied.contains(scope)))
    }

    /// Whether somebody may use what asks for this.
    pub(crate) fn grants(&self, principal: &Principal, requirement: &Requirement) -> bool {
        match principal {
            _ if requirement.is_none() => true,
            Principal::Local => true,
            Principal::Anonymous => false,
            Principal::Authenticated(caller) => requirement.scopes.iter().all(|scope| self.has(caller, scope)),
        }
    }

    /// Whether lists show it to them.
    pub(crate) fn shows(&self, principal: &Principal, requirement: &Requirement) -> bool {
        requirement.listed || self.grants(principal, requirement)
    }
}

/// What somebody is told who may not use something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Forbidden {
    /// The scopes to ask an authorization server for, as one text.
    pub(crate) scope: String,
    /// Whether nobody knows who they are.
    pub(crate) anonymous: bool,
}

impl Forbidden {
    /// What is needed comes first, and what the caller has follows, so that a client which asks for exactly this loses
    /// nothing.
    pub(super) fn new(principal: &Principal, requirement: &Requirement) -> Self {
        let needed = requirement.scopes.iter().map(String::as_str);
        let held: Vec<&str> = match principal {
            // `offline_access` is for an authorization server, and no resource's to ask for.
            Principal::Authenticated(caller) => caller.scopes().filter(|scope| *scope != "offline_access").collect(),
            _ => Vec::new(),
        };
        let scope = joined(needed.chain(held));
        Self { scope, anonymous: !matches!(principal, Principal::Authenticated(_)) }
    }

    pub(super) fn error(&self, kind: &str, name: &str, requirement: &Requirement) -> ProtocolError {
        let scopes = requirement.scopes.join(" and ");
        let advice = if self.anonymous {
            "Send an access token that has it."
        } else {
            "The access token that came with this request doesn't have it: ask the user to grant it."
        };
        ErrorObject::invalid_request(format!("The {kind} {name} needs the scope {scopes}. {advice}")).into()
    }
}

/// Scopes as one text, each once, as many as fit into a header.
pub(crate) fn joined<'a>(scopes: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut seen = BTreeSet::new();
    for scope in scopes.into_iter().filter(|scope| is_token(scope)) {
        if text.len() + scope.len() < LONGEST && seen.insert(scope) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(scope);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirement(scopes: &[&str]) -> Requirement {
        Requirement { scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(), listed: false }
    }

    fn caller(scopes: &[&str]) -> Principal {
        Caller::new("https://auth.example", "7").with_scopes(scopes.iter().copied()).into()
    }

    #[test]
    fn scopes_imply_others_over_any_number_of_steps_and_in_circles() {
        let said = [("root", "admin"), ("admin", "write"), ("write", "read"), ("a", "b"), ("b", "a")];
        let said: Vec<_> = said.iter().map(|(broad, narrow)| ((*broad).into(), vec![(*narrow).into()])).collect();
        let implied = Implications::new(&said, &mut Vec::new());
        let grants = |held: &[&str], needed: &[&str]| implied.grants(&caller(held), &requirement(needed));
        assert!(grants(&["root"], &["read", "write"]) && grants(&["b"], &["a", "b"]) && grants(&["read", "a"], &["b"]));
        assert!(!grants(&["read"], &["write"]) && !grants(&[], &["read"]) && !grants(&["rea"], &["read"]));
        assert!(grants(&[], &[]) && implied.grants(&Principal::Anonymous, &requirement(&[])));
        assert!(!implied.grants(&Principal::Anonymous, &requirement(&["read"])));
        assert!(implied.grants(&Principal::Local, &requirement(&["read"])));
    }

    #[test]
    fn a_challenge_has_what_is_needed_and_what_is_held_once_each() {
        let held = caller(&["b", "c d", "\"", "offline_access", "e"]);
        assert_eq!(Forbidden::new(&held, &requirement(&["a", "b"])).scope, "a b e");
        assert_eq!(Forbidden::new(&Principal::Anonymous, &requirement(&["a"])).scope, "a");
        let many: Vec<String> = (0..10_000).map(|n| format!("scope{n}")).collect();
        assert!(joined(many.iter().map(String::as_str)).len() <= LONGEST);
    }

    #[test]
    fn scopes_are_tokens() {
        for good in ["orders:write", "!", "https://a.example/x?y=z", "~", "a'b"] {
            assert!(is_token(good), "{good}");
        }
        for bad in ["", " ", "a b", "a\"b", "a\\b", "ä", "a\n", "\u{7f}"] {
            assert!(!is_token(bad), "{bad:?}");
        }
    }
}
