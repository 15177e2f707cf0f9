use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::keys::{Algorithm, KeySet};
use crate::auth::AuthError;
use crate::server::Caller;

/// What tokens are held against.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) issuer: String,
    pub(super) audiences: Vec<String>,
    pub(super) algorithms: Vec<Algorithm>,
    pub(super) leeway: Duration,
    pub(super) required: Vec<String>,
}

/// A token that is in the form of one, and of which nothing is verified yet.
pub(super) struct Token<'a> {
    pub(super) algorithm: Algorithm,
    pub(super) key: Option<String>,
    /// What is signed.
    message: &'a str,
    claims: &'a str,
    signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    /// Extensions that must be understood; none is.
    crit: Option<Value>,
}

/// The longest name of a key.
const LONGEST_KEY: usize = 512;

impl<'a> Token<'a> {
    pub(super) fn read(token: &'a str, rules: &Rules) -> Result<Self, AuthError> {
        let malformed = || AuthError::invalid("this is no JWT");
        let (message, signature) = token.rsplit_once('.').ok_or_else(malformed)?;
        let (header, claims) = message.split_once('.').ok_or_else(malformed)?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| malformed());
        let header: Header = serde_json::from_slice(&decode(header)?).map_err(|_| malformed())?;
        let signature = decode(signature)?;
        let algorithm = Algorithm::of_name(&header.alg).filter(|algorithm| rules.algorithms.contains(algorithm));
        let algorithm = algorithm.ok_or_else(|| AuthError::invalid("its algorithm is not one that is taken here"))?;
        if header.crit.is_some() {
            return Err(AuthError::invalid("it has extensions that are not understood here"));
        }
        if !header.typ.as_deref().is_none_or(is_access_token) {
            return Err(AuthError::invalid("it is of another type than an access token"));
        }
        if header.kid.as_ref().is_some_and(|kid| kid.len() > LONGEST_KEY) {
            return Err(malformed());
        }
        Ok(Self { algorithm, key: header.kid, message, claims, signature })
    }

    /// Whom it belongs to, if it is good at this time.
    pub(super) fn verify(&self, keys: &KeySet, rules: &Rules, now: SystemTime) -> Result<Caller, AuthError> {
        let mut candidates = keys.candidates(self.key.as_deref(), self.algorithm);
        if !candidates.any(|key| key.confirms(self.algorithm, self.message.as_bytes(), &self.signature)) {
            return Err(AuthError::invalid("its signature is not one of the issuer's"));
        }
        let claims = URL_SAFE_NO_PAD.decode(self.claims).ok();
        let claims: Option<Map<String, Value>> = claims.and_then(|claims| serde_json::from_slice(&claims).ok());
        let claims = claims.ok_or_else(|| AuthError::invalid("its claims are no JSON object"))?;
        rules.check(&claims, now).map_err(AuthError::invalid)?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let subject = text("sub").filter(|subject| !subject.is_empty());
        let subject = subject.ok_or_else(|| AuthError::invalid("it names no subject"))?;
        let mut caller = Caller::new(rules.issuer.as_str(), subject).with_scopes(scopes(&claims));
        if let Some(client) = text("client_id").or_else(|| text("azp")) {
            caller = caller.with_client_id(client);
        }
        Ok(caller.with_claims(claims))
    }
}

/// RFC 9068 has `at+jwt`; many servers say `JWT`, or nothing.
fn is_access_token(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    matches!(kind.strip_prefix("application/").unwrap_or(&kind), "jwt" | "at+jwt")
}

/// Of `scope`, a text, or `scp`, a list; some servers write the one as the other.
fn scopes(claims: &Map<String, Value>) -> Vec<String> {
    let claim = claims.get("scope").or_else(|| claims.get("scp"));
    match claim {
        Some(Value::String(scopes)) => scopes.split_ascii_whitespace().map(str::to_owned).collect(),
        Some(Value::Array(scopes)) => scopes.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

impl Rules {
    /// What is wrong with the claims of a token whose signature is good.
    ///
    /// spec: RFC 7519, section 4.1; RFC 9068, section 4
    fn check(&self, claims: &Map<String, Value>, now: SystemTime) -> Result<(), &'static str> {
        let is = |value: &Value, texts: &[String]| value.as_str().is_some_and(|value| texts.iter().any(|t| t == value));
        if claims.get("iss").and_then(Value::as_str) != Some(&self.issuer) {
            return Err("it is of another issuer");
        }
        let meant_for_us = match claims.get("aud") {
            Some(Value::Array(audiences)) => audiences.iter().any(|audience| is(audience, &self.audiences)),
            Some(audience) => is(audience, &self.audiences),
            None => false,
        };
        if !meant_for_us {
            return Err("it is meant for another audience");
        }
        let now = now.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        let leeway = self.leeway.as_secs_f64();
        match claims.get("exp").and_then(Value::as_f64) {
            Some(expiry) if now < expiry + leeway => {}
            Some(_) => return Err("it has expired"),
            None => return Err("it never expires"),
        }
        match claims.get("nbf").map(Value::as_f64) {
            None => {}
            Some(Some(begin)) if begin <= now + leeway => {}
            Some(_) => return Err("it is not valid yet"),
        }
        // Whoever shows a token that is bound to a key (RFC 8705, RFC 9449) has to show the key as well.
        if claims.contains_key("cnf") {
            return Err("it is bound to a key, and no bearer token");
        }
        if self.required.iter().any(|name| claims.get(name).is_none_or(Value::is_null)) {
            return Err("it lacks a claim that is required here");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules() -> Rules {
        Rules {
            issuer: "https://a.example".to_owned(),
            audiences: vec!["https://m.example/mcp".to_owned(), "other".to_owned()],
            algorithms: Algorithm::all_that(false),
            leeway: Duration::from_secs(30),
            required: vec!["tenant".to_owned()],
        }
    }

    #[test]
    fn claims_are_held_against_every_rule() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let good = json!({"iss": "https://a.example", "aud": "other", "exp": 1_000_100, "tenant": 1});
        let check = |change: Value| {
            let mut claims = good.as_object().expect("an object").clone();
            claims.extend(change.as_object().expect("an object").clone());
            claims.retain(|_, value| *value != json!("absent"));
            rules().check(&claims, now)
        };
        for good in [
            json!({}),
            json!({"aud": ["x", "https://m.example/mcp"]}),
            json!({"exp": 999_971}),
            json!({"exp": 1_000_000.5, "nbf": 1_000_030}),
        ] {
            assert_eq!(check(good.clone()), Ok(()), "{good}");
        }
        for bad in [
            json!({"iss": "https://a.example/"}),
            json!({"iss": "absent"}),
            json!({"iss": ["https://a.example"]}),
            json!({"aud": "https://m.example/mcp/"}),
            json!({"aud": "absent"}),
            json!({"aud": []}),
            json!({"aud": [["other"]]}),
            json!({"aud": null}),
            json!({"exp": 999_970}),
            json!({"exp": "absent"}),
            json!({"exp": "1000100"}),
            json!({"exp": null}),
            json!({"nbf": 1_000_031}),
            json!({"nbf": "1"}),
            json!({"cnf": {"jkt": "x"}}),
            json!({"tenant": "absent"}),
            json!({"tenant": null}),
        ] {
            assert!(check(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn scopes_are_a_text_or_a_list() {
        let read = |claims: Value| scopes(claims.as_object().expect("an object")).join(",");
        assert_eq!(read(json!({"scope": "a  b"})), "a,b");
        assert_eq!(read(json!({"scp": ["a", "b", 5]})), "a,b");
        assert_eq!(read(json!({"scp": "a b"})), "a,b");
        assert_eq!(read(json!({"scope": 5})), "");
        assert_eq!(read(json!({})), "");
    }

    #[test]
    fn a_header_must_be_one_of_an_access_token() {
        let read = |header: Value, rest: &str| {
            let token = format!("{}.{rest}", URL_SAFE_NO_PAD.encode(header.to_string()));
            Token::read(&token, &rules()).map(|token| token.algorithm).ok()
        };
        for good in [json!({"alg": "ES256"}), json!({"alg": "ES256", "typ": "application/AT+JWT", "kid": "a"})] {
            assert_eq!(read(good, "e30.AAAA"), Some(Algorithm::Es256));
        }
        for bad in [
            json!({"alg": "none"}),
            json!({"alg": "NONE"}),
            json!({"alg": "HS256"}),
            json!({"alg": "es256"}),
            json!({}),
            json!({"alg": "ES256", "crit": ["exp"]}),
            json!({"alg": "ES256", "typ": "dpop+jwt"}),
            json!({"alg": "ES256", "kid": 5}),
            json!({"alg": "ES256", "kid": "x".repeat(513)}),
        ] {
            assert_eq!(read(bad.clone(), "e30.AAAA"), None, "{bad}");
        }
        for rest in ["", "e30", "e30.A*", "e30.AAAA=", "a.b.e30.!"] {
            assert_eq!(read(json!({"alg": "ES256"}), rest), None, "{rest}");
        }
    }
}
