//! In: an authorization server, and what to ask it for. Out: a code that the user's consent gave. Next: `token.rs`.

use reqwest::Url;

use super::discovery::ServerMetadata;
use super::jws::{base64url, random, sha256};
use super::redirect::AuthorizationRequest;
use super::scope::Scopes;
use super::secret::Secret;
use super::web::{Reach, shown};

/// One authorization request, with what its answer is held against.
pub(super) struct CodeRequest {
    pub(super) request: AuthorizationRequest,
    pub(super) verifier: Secret,
    /// Recorded before the user is sent off.
    issuer: String,
    /// The answer has to name the issuer.
    names_issuer: bool,
}

/// What to ask for.
pub(super) struct Asked<'a> {
    pub(super) client_id: &'a str,
    pub(super) redirect_uri: &'a str,
    pub(super) resource: &'a str,
    pub(super) scopes: Option<&'a Scopes>,
}

impl CodeRequest {
    /// spec: `basic/authorization#authorization-flow-steps`
    pub(super) fn new(server: &ServerMetadata, reach: Reach, asked: &Asked<'_>) -> Result<Self, String> {
        let endpoint = server.authorization_endpoint.as_deref().ok_or_else(|| {
            format!("the authorization server {:?} has no page where a user could consent", server.issuer)
        })?;
        // spec: basic/authorization/security-considerations#authorization-code-protection
        let methods = server.code_challenge_methods_supported.as_deref().unwrap_or_default();
        if !methods.iter().any(|method| method == "S256") {
            let what =
                "doesn't say that it has PKCE with S256, without which a code could be stolen; no code is asked for";
            return Err(format!("the authorization server {:?} {what}", server.issuer));
        }
        let (verifier, state) = (random()?, random()?);
        let mut url: Url = reach.check(endpoint)?;
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("response_type", "code");
            query.append_pair("client_id", asked.client_id);
            query.append_pair("redirect_uri", asked.redirect_uri);
            query.append_pair("code_challenge", &base64url(sha256(verifier.as_bytes())));
            query.append_pair("code_challenge_method", "S256");
            query.append_pair("state", &state);
            query.append_pair("resource", asked.resource);
            if let Some(scopes) = asked.scopes {
                query.append_pair("scope", &scopes.to_string());
                if scopes.has("offline_access") {
                    // spec: OpenID Connect Core 1.0, section 11
                    query.append_pair("prompt", "consent");
                }
            }
        }
        Ok(Self {
            request: AuthorizationRequest { url: url.into(), state: Secret::new(state) },
            verifier: Secret::new(verifier),
            issuer: server.issuer.clone(),
            names_issuer: server.authorization_response_iss_parameter_supported == Some(true),
        })
    }

    /// The code of an answer that is this request's, from the server that was asked.
    ///
    /// spec: `basic/authorization#authorization-response-validation`
    pub(super) fn code(&self, redirected: &Secret) -> Result<Secret, String> {
        let url = redirected.expose().split('#').next().unwrap_or_default();
        let query = url.split_once('?').map_or(url, |(_, query)| query);
        let once = |wanted: &str| {
            let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == wanted);
            let value = values.next().map(|(_, value)| value.into_owned());
            match values.next() {
                Some(_) => Err(format!("the authorization server's answer has {wanted:?} twice")),
                None => Ok(value),
            }
        };
        if once("state")?.as_deref() != Some(self.request.state.expose()) {
            return Err("what came back is no answer to this login: its state is another one".to_owned());
        }
        match once("iss")? {
            Some(issuer) if issuer == self.issuer => {}
            Some(issuer) => {
                let what = "the login was answered in the name of another authorization server";
                return Err(format!("{what}: {:?} was asked, {:?} answers", self.issuer, shown(&issuer)));
            }
            None if self.names_issuer => {
                let what =
                    "the login was answered without the name of the authorization server, which it says that it gives";
                return Err(format!("{what}: {:?}", self.issuer));
            }
            None => {}
        }
        // Only now is it known whose words these are.
        if let Some(error) = once("error")? {
            let description = once("error_description")?.map(|text| format!(" ({})", shown(&text))).unwrap_or_default();
            return Err(format!("the authorization server {:?} refused: {}{description}", self.issuer, shown(&error)));
        }
        let code = once("code")?.filter(|code| !code.is_empty());
        code.map(Secret::new).ok_or_else(|| "the authorization server's answer has no code".to_owned())
    }
}
