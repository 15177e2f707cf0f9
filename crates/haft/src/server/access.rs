//! Requests that their senders may not make, found before they are answered.

use std::borrow::Cow;

use haft_wire::{Request, encode, method};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::dispatch::{Answer, Status};
use super::scopes::{Forbidden, Requirement};
use super::{Principal, Server, outcome};

/// What a request is about.
#[derive(Deserialize, Default)]
struct Named<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "ref")]
    reference: Option<Reference<'a>>,
}

#[derive(Deserialize, Default)]
struct Reference<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
}

impl Server {
    /// The refusal of a request whose sender lacks the scopes for it, if so: for who has to know before it is dispatched,
    /// which finds out for itself.
    pub(crate) fn forbids(&self, request: &Request, principal: &Principal) -> Option<Answer> {
        let params = request.params.as_deref().map_or("{}", RawValue::get);
        // What can't be read is refused as that by its method.
        let named: Named<'_> = serde_json::from_str(params).ok()?;
        let (kind, name, requirement) = self.requirement(&request.method, &named)?;
        if self.inner.implications.grants(principal, &requirement) {
            return None;
        }
        let forbidden = Forbidden::new(principal, &requirement);
        let error = forbidden.error(kind, &outcome::shown(name), &requirement);
        let frame = encode::error(Some(&request.id), error.object());
        Some(Answer { frame, status: Status::Forbidden(Box::new(forbidden)) })
    }

    /// What a request is about, and what that takes.
    fn requirement<'a>(&self, method: &str, named: &'a Named<'_>) -> Option<(&'static str, &'a str, Requirement)> {
        let inner = &self.inner;
        let prompt = |name: &str| Some(inner.prompts.as_ref()?.prompt(name, |_| false).ok()?.requires.clone());
        let resources = inner.resources.as_ref();
        match method {
            method::TOOLS_CALL => {
                let name = named.name.as_deref()?;
                let tool = inner.registry.now().tool(name, |_| false).ok()?;
                Some(("tool", name, tool.requires.clone()))
            }
            method::PROMPTS_GET => {
                let name = named.name.as_deref()?;
                Some(("prompt", name, prompt(name)?))
            }
            method::RESOURCES_READ | "resources/subscribe" => {
                let uri = named.uri.as_deref()?;
                Some(("resource", uri, resources?.requirement(uri)?.clone()))
            }
            method::COMPLETION_COMPLETE => {
                let reference = named.reference.as_ref()?;
                if let Some(name) = reference.name.as_deref() {
                    return Some(("prompt", name, prompt(name)?));
                }
                let uri = reference.uri.as_deref()?;
                Some(("resource template", uri, resources?.completable(uri).ok()?.requires.clone()))
            }
            _ => None,
        }
    }
}
