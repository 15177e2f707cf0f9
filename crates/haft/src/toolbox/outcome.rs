//! What came of a call.

use std::sync::Arc;

use haft_wire::{Annotations, ContentBlock, Role};
use serde_json::Value;

use crate::client::{Called, Client, ClientError};

/// What came of a call: for the model, and for the host.
#[derive(Debug)]
pub struct CallOutcome {
    pub(super) name: String,
    kind: OutcomeKind,
    pub(super) content: Vec<ContentBlock>,
    pub(super) structured: Option<Value>,
    mismatch: Option<String>,
    error: Option<ClientError>,
    pub(super) client: Option<Arc<Client>>,
}

/// The ways in which a call ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutcomeKind {
    /// The tool did what it does.
    Ok,
    /// The tool ran and failed.
    ToolError,
    /// The call was not approved.
    Denied,
    /// The call could not be made, or its result not be had.
    Failed,
}

impl CallOutcome {
    fn told(name: &str, kind: OutcomeKind, text: String) -> Self {
        let (structured, mismatch, error, client) = Default::default();
        Self {
            name: name.to_owned(),
            kind,
            content: vec![ContentBlock::text(text)],
            structured,
            mismatch,
            error,
            client,
        }
    }

    pub(super) fn denied(name: &str, text: String) -> Self {
        Self::told(name, OutcomeKind::Denied, text)
    }

    pub(super) fn failed(name: &str, text: String, error: Option<ClientError>) -> Self {
        Self { error, ..Self::told(name, OutcomeKind::Failed, text) }
    }

    pub(super) fn returned(name: &str, called: Called, client: &Arc<Client>) -> Self {
        let Called { result, mismatch } = called;
        let kind = if result.is_error == Some(true) { OutcomeKind::ToolError } else { OutcomeKind::Ok };
        let structured = result.structured_content.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let client = Some(Arc::clone(client));
        Self { name: name.to_owned(), kind, content: result.content, structured, mismatch, error: None, client }
    }

    /// How the call ended.
    pub fn kind(&self) -> OutcomeKind {
        self.kind
    }

    /// Whether it ended in any other way than well.
    pub fn is_error(&self) -> bool {
        self.kind != OutcomeKind::Ok
    }

    /// The tool's name, as the model sees it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All that the tool said, for whomever.
    pub fn content(&self) -> &[ContentBlock] {
        &self.content
    }

    /// What of it is for the user.
    ///
    /// spec: `server/resources#annotations`
    pub fn for_user(&self) -> impl Iterator<Item = &ContentBlock> {
        self.content.iter().filter(|block| is_for(block, Role::User))
    }

    /// What of it is for the model.
    ///
    /// spec: `server/resources#annotations`
    pub fn for_model(&self) -> impl Iterator<Item = &ContentBlock> {
        self.content.iter().filter(|block| is_for(block, Role::Assistant))
    }

    /// The result for programs, if there is one.
    pub fn structured(&self) -> Option<&Value> {
        self.structured.as_ref()
    }

    /// How the result breaks the tool's output schema, if it does.
    pub fn mismatch(&self) -> Option<&str> {
        self.mismatch.as_deref()
    }

    /// Why the call could not be made, where that is the client's to say.
    pub fn error(&self) -> Option<&ClientError> {
        self.error.as_ref()
    }
}

fn is_for(block: &ContentBlock, role: Role) -> bool {
    annotations(block).and_then(|annotations| annotations.audience.as_ref()).is_none_or(|roles| roles.contains(&role))
}

pub(super) fn annotations(block: &ContentBlock) -> Option<&Annotations> {
    match block {
        ContentBlock::Text(block) => block.annotations.as_ref(),
        ContentBlock::Image(block) => block.annotations.as_ref(),
        ContentBlock::Audio(block) => block.annotations.as_ref(),
        ContentBlock::ResourceLink(block) => block.annotations.as_ref(),
        ContentBlock::Resource(block) => block.annotations.as_ref(),
        ContentBlock::Unknown(_) => None,
    }
}

impl CallOutcome {
    /// The text that is for the model; the result for programs as JSON, if there is no content for the model.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .for_model()
            .filter_map(|block| match block {
                ContentBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            })
            .collect();
        match &self.structured {
            Some(structured) if self.for_model().next().is_none() => structured.to_string(),
            _ => texts.join("\n"),
        }
    }
}
