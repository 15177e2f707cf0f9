//! In: the headers of a refusal. Out: what the server demands. Next: `discovery.rs`.

use http::HeaderMap;
use http::header::WWW_AUTHENTICATE;

use super::scope::Scopes;

/// The most that is read of all challenges together, in bytes.
const LONGEST: usize = 16 << 10;

/// One challenge of a `WWW-Authenticate` header.
///
/// spec: RFC 9110, section 11.6.1
#[derive(Debug, PartialEq, Eq)]
struct Challenge {
    scheme: String,
    parameters: Vec<(String, String)>,
}

/// What a server demands of whoever asks again.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Demand {
    pub(super) resource_metadata: Option<String>,
    pub(super) scope: Option<Scopes>,
    pub(super) error: Option<String>,
    /// It takes DPoP.
    pub(super) dpop: bool,
    /// It takes bearer tokens, or doesn't say what it takes.
    pub(super) bearer: bool,
}

impl Demand {
    /// Reads every challenge of every header: of each member, the first that says it counts.
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let mut demand = Self::default();
        let mut left = LONGEST;
        for value in headers.get_all(WWW_AUTHENTICATE) {
            // Values may hold bytes past ASCII; parameters that matter don't.
            let text = String::from_utf8_lossy(value.as_bytes());
            let Some(rest) = left.checked_sub(text.len()) else { break };
            left = rest;
            for challenge in Parser::new(&text).challenges() {
                demand.take(challenge);
            }
        }
        demand.bearer |= !demand.dpop;
        demand
    }

    fn take(&mut self, challenge: Challenge) {
        match challenge.scheme.to_ascii_lowercase().as_str() {
            "bearer" => self.bearer = true,
            "dpop" => self.dpop = true,
            _ => return,
        }
        for (name, value) in challenge.parameters {
            match name.as_str() {
                "resource_metadata" => _ = self.resource_metadata.get_or_insert(value),
                "scope" => _ = self.scope.get_or_insert_with(|| Scopes::parse(&value)),
                "error" => _ = self.error.get_or_insert(value),
                _ => {}
            }
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// All challenges up to the end, or to what is no challenge.
    fn challenges(mut self) -> Vec<Challenge> {
        let mut challenges: Vec<Challenge> = Vec::new();
        loop {
            self.skip(|byte| matches!(byte, b' ' | b'\t' | b','));
            let word = self.run(is_token);
            if word.is_empty() {
                return challenges;
            }
            let after = self.at;
            self.skip(is_blank);
            match challenges.last_mut() {
                Some(challenge) if self.take(b'=') => {
                    self.skip(is_blank);
                    let Some(value) = self.value() else { return challenges };
                    let name = word.to_ascii_lowercase();
                    if challenge.parameters.iter().all(|(known, _)| *known != name) {
                        challenge.parameters.push((name, value));
                    }
                }
                _ => {
                    self.at = after;
                    self.skip(is_blank);
                    self.token68();
                    challenges.push(Challenge { scheme: word.to_owned(), parameters: Vec::new() });
                }
            }
        }
    }

    /// Steps over credentials of the form `abc==` that fill the whole challenge.
    fn token68(&mut self) {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte));
        self.skip(|byte| byte == b'=');
        self.skip(is_blank);
        if self.peek().is_some_and(|byte| byte != b',') {
            self.at = start;
        }
    }

    fn value(&mut self) -> Option<String> {
        if !self.take(b'"') {
            return Some(self.run(is_token).to_owned());
        }
        let mut value = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((offset, char)) = chars.next() {
            match char {
                '"' => {
                    self.at += offset + 1;
                    return Some(value);
                }
                '\\' => value.push(chars.next()?.1),
                char => value.push(char),
            }
        }
        None
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        self.run(wanted);
    }

    /// What is ahead and wanted; ASCII only, so that no character is cut.
    fn run(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii() && wanted(byte)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn demand(values: &[&str]) -> Demand {
        let mut headers = HeaderMap::new();
        for value in values {
            headers
                .append(WWW_AUTHENTICATE, HeaderValue::from_bytes(value.as_bytes()).unwrap_or_else(|_| unreachable!()));
        }
        Demand::read(&headers)
    }

    #[test]
    fn a_challenge_is_read_as_it_is_quoted() {
        let found = demand(&[
            r#"Bearer error="insufficient_scope", scope="a, b \"c\"",resource_metadata = "https://x/y?a=b,c""#,
        ]);
        assert_eq!(found.error.as_deref(), Some("insufficient_scope"));
        assert_eq!(found.scope, Some(Scopes::parse("a, b \"c\"")));
        assert_eq!(found.resource_metadata.as_deref(), Some("https://x/y?a=b,c"));
        assert!(found.bearer && !found.dpop);
    }

    #[test]
    fn many_challenges_in_one_header_and_in_several() {
        let found = demand(&[
            r#"Negotiate, Basic realm="a, Bearer scope=no", bearer SCOPE=one"#,
            r#"Digest abc==, DPoP algs="ES256", error=use_dpop_nonce, Bearer scope="two""#,
        ]);
        assert_eq!(found.scope, Some(Scopes::parse("one")));
        assert_eq!(found.error.as_deref(), Some("use_dpop_nonce"));
        assert!(found.bearer && found.dpop);
    }

    #[test]
    fn parameters_of_other_schemes_are_not_ours() {
        let found = demand(&[r#"Custom scope="x", resource_metadata="https://evil.example""#]);
        assert_eq!(found, Demand { bearer: true, ..Demand::default() });
    }

    #[test]
    fn junk_ends_a_header_and_not_the_program() {
        for junk in [
            "",
            ",,,",
            "=",
            "Bearer scope=\"never closed",
            "Bearer \"x\"",
            "Bearer scope=\"a\\",
            "é Bearer",
            "Bearer =",
        ] {
            let found = demand(&[junk, "Bearer error=yes"]);
            assert_eq!(found.error.as_deref(), Some("yes"), "{junk:?}");
        }
        let long = format!("Bearer scope=\"{}\"", "x".repeat(LONGEST));
        assert_eq!(demand(&[&long]).scope, None);
    }
}
