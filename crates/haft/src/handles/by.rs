use super::id::digest;
use super::once::IDEMPOTENCY_KEY;
use crate::server::{Context, Principal};

/// On whose behalf a handle is used. A `&Context` says it for the caller of a tool, a `&Principal` for anybody.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    /// Nobody: the server itself.
    principal: Option<&'a Principal>,
    /// What the request says for [`Handles::create_once`](super::Handles::create_once).
    pub(super) idempotency_key: Option<&'a str>,
}

impl By<'static> {
    /// The server itself, which may use every handle: for work in the background and for messages of other services, such
    /// as a webhook. Never for an id that a caller gave: that asks in the caller's name.
    pub const SERVER: Self = Self { principal: None, idempotency_key: None };
}

impl<'a> From<&'a Principal> for By<'a> {
    fn from(principal: &'a Principal) -> Self {
        Self { principal: Some(principal), idempotency_key: None }
    }
}

impl<'a> From<&'a Context> for By<'a> {
    fn from(context: &'a Context) -> Self {
        let key = context.meta().other.get(IDEMPOTENCY_KEY).and_then(serde_json::Value::as_str);
        Self { principal: Some(context.principal()), idempotency_key: key }
    }
}

impl By<'_> {
    /// As what the store knows the owner of handles of a kind; anonymous callers are nobody in particular.
    pub(super) fn owner(&self, prefix: &str) -> Option<String> {
        let identity = match self.principal {
            None => "server".into(),
            Some(Principal::Anonymous) => return None,
            Some(principal) => principal.identity(),
        };
        Some(format!("handle:{prefix}:{}", digest(&[&identity])))
    }

    /// Whether a handle with this owner may be used.
    pub(super) fn may_use(&self, prefix: &str, owner: Option<&str>) -> bool {
        self.principal.is_none() || self.owner(prefix).as_deref() == owner
    }
}
