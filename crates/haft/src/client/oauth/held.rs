//! A token that this client holds, with all that it takes to use and renew it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::client::{Identity, StoredIdentity, now};
use super::config::RegisteredClient;
use super::dpop::DpopKey;
use super::scope::Scopes;
use super::secret::Secret;
use super::token::TokenAnswer;

/// How long before its end a token counts as over, in seconds: clocks differ, and requests take time.
const SKEW: u64 = 30;
/// How long after it was renewed a token that is refused isn't renewed again, in seconds.
const LATELY: u64 = 10;
/// After what time a token that is refused isn't one that never was any good, in seconds.
const SERVED: u64 = 60;

pub(super) struct Held {
    pub(super) issuer: String,
    pub(super) resource: String,
    pub(super) client: Identity,
    pub(super) access: Secret,
    pub(super) refresh: Option<Secret>,
    pub(super) key: Option<Arc<DpopKey>>,
    /// What it was asked for with.
    pub(super) asked: Option<Scopes>,
    /// What it is good for, as far as that is known.
    pub(super) granted: Option<Scopes>,
    /// When it was got, and when it ends, in seconds since 1970.
    got: u64,
    ends: Option<u64>,
    /// It came from a refresh token.
    is_renewed: bool,
}

/// As it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    issuer: String,
    resource: String,
    client: StoredIdentity,
    access: Secret,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh: Option<Secret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<Secret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<Scopes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    granted: Option<Scopes>,
    got: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<u64>,
}

/// What a token was asked for with.
pub(super) struct Terms {
    pub(super) issuer: String,
    pub(super) resource: String,
    pub(super) client: Identity,
    pub(super) scopes: Option<Scopes>,
    pub(super) key: Option<Arc<DpopKey>>,
    pub(super) must_be_bound: bool,
}

impl Held {
    /// Takes an answer, if it is what was asked for.
    pub(super) fn new(answer: TokenAnswer, terms: Terms, is_renewed: bool) -> Result<Self, String> {
        let Terms { issuer, resource, client, scopes, key, must_be_bound } = terms;
        let key = match key {
            Some(key) if answer.is_bound() => Some(key),
            // spec: RFC 9449, section 5: such a token may be used where policy lets it be
            _ if answer.is_bearer() && !must_be_bound => None,
            _ => {
                let kind = answer.kind();
                return Err(format!(
                    "the authorization server {issuer:?} gave a token of the type {kind:?}, which wasn't asked for"
                ));
            }
        };
        let text = answer.access_token.expose();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("the authorization server {issuer:?} gave a token that no header can carry"));
        }
        let got = now();
        Ok(Self {
            ends: answer.life().map(|life| got.saturating_add(life)),
            // spec: RFC 6749, section 5.1: what isn't said is what was asked for
            granted: answer.scopes().or_else(|| scopes.clone()),
            asked: scopes,
            access: answer.access_token,
            refresh: answer.refresh_token,
            issuer,
            resource,
            client,
            key,
            got,
            is_renewed,
        })
    }

    /// True when it should be renewed before it is used.
    pub(super) fn is_due(&self) -> bool {
        let skew = |ends: u64| SKEW.min(ends.saturating_sub(self.got) / 10);
        self.ends.is_some_and(|ends| now() >= ends.saturating_sub(skew(ends)))
    }

    /// True when it is so old that it was good for something.
    pub(super) fn has_served(&self) -> bool {
        now() >= self.got.saturating_add(SERVED)
    }

    /// True when renewing it once more would be no use.
    pub(super) fn is_renewed_lately(&self) -> bool {
        self.is_renewed && now() < self.got.saturating_add(LATELY)
    }

    pub(super) fn is_over(&self) -> bool {
        self.ends.is_some_and(|ends| now() >= ends)
    }

    pub(super) fn to_store(&self) -> Result<Secret, String> {
        let stored = Stored {
            issuer: self.issuer.clone(),
            resource: self.resource.clone(),
            client: self.client.to_store(),
            access: self.access.clone(),
            refresh: self.refresh.clone(),
            key: self.key.as_ref().map(|key| key.to_store()).transpose()?,
            asked: self.asked.clone(),
            granted: self.granted.clone(),
            got: self.got,
            ends: self.ends,
        };
        serde_json::to_string(&stored).map(Secret::new).map_err(|error| error.to_string())
    }

    /// The token that was stored; None where it is none, or the settings don't have its client any more.
    pub(super) fn restore(stored: &Secret, settings: impl Fn(&str) -> Option<RegisteredClient>) -> Option<Self> {
        let stored: Stored = serde_json::from_str(stored.expose()).ok()?;
        let key = match &stored.key {
            Some(key) => Some(Arc::new(DpopKey::restore(key)?)),
            None => None,
        };
        let client = Identity::restore(stored.client, settings(&stored.issuer).as_ref())?;
        Some(Self {
            issuer: stored.issuer,
            resource: stored.resource,
            client,
            access: stored.access,
            refresh: stored.refresh,
            key,
            asked: stored.asked,
            granted: stored.granted,
            got: stored.got,
            ends: stored.ends,
            is_renewed: false,
        })
    }
}
