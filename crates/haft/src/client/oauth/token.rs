//! In: a token request. Out: a token, or why there is none. It is the one place that talks to token endpoints.

use std::fmt;

use http::Method;
use serde::Deserialize;
use serde_json::Value;

use super::client::Identity;
use super::discovery::ServerMetadata;
use super::dpop::{DPOP, DpopKey, Nonces};
use super::scope::Scopes;
use super::secret::Secret;
use super::web::{Answer, Reach, Web, shown};

/// The members of a token request; every value counts as a secret.
pub(super) type Pairs = Vec<(&'static str, Secret)>;

/// spec: RFC 6749, section 5.1
#[derive(Deserialize)]
pub(super) struct TokenAnswer {
    pub(super) access_token: Secret,
    token_type: String,
    expires_in: Option<Value>,
    pub(super) refresh_token: Option<Secret>,
    scope: Option<String>,
    pub(super) issued_token_type: Option<String>,
}

impl TokenAnswer {
    /// The seconds for which the token is good, if that is said; some servers say it in a string.
    pub(super) fn life(&self) -> Option<u64> {
        match self.expires_in.as_ref()? {
            Value::Number(number) => number.as_u64().or_else(|| number.as_f64().map(|seconds| seconds.max(0.0) as u64)),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub(super) fn scopes(&self) -> Option<Scopes> {
        self.scope.as_deref().map(Scopes::parse)
    }

    pub(super) fn is_bound(&self) -> bool {
        self.token_type.eq_ignore_ascii_case("dpop")
    }

    pub(super) fn is_bearer(&self) -> bool {
        self.token_type.eq_ignore_ascii_case("bearer")
    }

    /// The type, to be shown.
    pub(super) fn kind(&self) -> String {
        shown(&self.token_type)
    }
}

/// Why there is no token.
#[derive(Debug)]
pub(super) enum TokenError {
    /// The server said no: asking again would be no use.
    Refused(Refused),
    /// It wasn't understood, or not reached.
    Failed(String),
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => write!(f, "{refused}"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

/// What a server said with its no.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) code: String,
    description: Option<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code)?;
        match &self.description {
            Some(description) => write!(f, " ({description})"),
            None => Ok(()),
        }
    }
}

/// spec: RFC 6749, section 5.2
#[derive(Deserialize)]
struct ErrorAnswer {
    error: String,
    error_description: Option<String>,
}

/// What a refusal says, tame, and without what was sent.
pub(super) fn refusal(answer: &Answer, sent: &[(&str, Secret)]) -> Refused {
    match answer.json::<ErrorAnswer>() {
        Ok(said) => {
            let tame = |text: &str| shown(&without(text, sent));
            Refused { code: tame(&said.error), description: said.error_description.as_deref().map(tame) }
        }
        Err(_) => Refused { code: answer.status.to_string(), description: None },
    }
}

/// A text without the secrets that it may repeat.
fn without(text: &str, sent: &[(&str, Secret)]) -> String {
    const SECRET: [&str; 9] = [
        "code",
        "code_verifier",
        "client_secret",
        "client_assertion",
        "assertion",
        "refresh_token",
        "subject_token",
        "access_token",
        "state",
    ];
    let secrets = sent.iter().filter(|(name, value)| SECRET.contains(name) && !value.expose().is_empty());
    secrets.fold(text.to_owned(), |text, (_, secret)| text.replace(secret.expose(), "…"))
}

/// Asks for a token, once; a second time only to give a nonce that the server wants.
pub(super) async fn request(
    web: &Web,
    reach: Reach,
    server: &ServerMetadata,
    client: &Identity,
    form: &Pairs,
    key: Option<&DpopKey>,
    nonces: &Nonces,
) -> Result<TokenAnswer, TokenError> {
    let endpoint = reach.check(&server.token_endpoint).map_err(TokenError::Failed)?;
    let mut last = None;
    for _ in 0..2 {
        let (mut form, mut headers) = (form.clone(), Vec::new());
        client.prove(server, &mut form, &mut headers).map_err(TokenError::Failed)?;
        if let Some(key) = key {
            let proof = key.proof(&Method::POST, &endpoint, None, nonces.get(&endpoint).as_deref());
            headers.push((DPOP, proof.map_err(TokenError::Failed)?));
        }
        let pairs: Vec<_> = form.iter().map(|(name, value)| (*name, value.expose())).collect();
        let failed = |why| TokenError::Failed(format!("{endpoint}: {why}"));
        let answer = web.post_form(&endpoint, &pairs, headers).await.map_err(failed)?;
        let is_new_nonce = key.is_some() && nonces.keep(&endpoint, &answer.headers);
        if answer.status.is_success() {
            return answer.json().map_err(failed);
        }
        let refused = refusal(&answer, &form);
        if answer.status.is_server_error() || answer.status.is_redirection() {
            return Err(failed(refused.to_string()));
        }
        let again = is_new_nonce && refused.code == "use_dpop_nonce";
        last = Some(TokenError::Refused(refused));
        if !again {
            break;
        }
    }
    Err(last.unwrap_or_else(|| TokenError::Failed("no token was asked for".to_owned())))
}
