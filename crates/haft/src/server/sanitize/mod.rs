//! Takes out of a result's texts what its author doesn't want a model to read.

mod characters;
mod escapes;
mod invisible;
mod json;
mod secrets;

use std::borrow::Cow;
use std::collections::BTreeMap;

use haft_wire::{CallToolResult, ContentBlock, PromptMessage, ResourceContents};
use serde_json::value::RawValue;

use crate::error::{Kind, ToolError};
use characters::Characters;
use secrets::Secrets;

/// Rules for text that goes to models: what is taken out of it. For servers that pass on what others wrote.
///
/// None holds unless said. Without any, which is the default, text goes out character for character.
///
/// ```
/// use haft::prelude::*;
/// use haft::Sanitize;
///
/// /// Use this to read the page that somebody wrote.
/// #[tool(read_only, open_world)]
/// async fn read_page() -> &'static str {
///     "\u{1b}[31mHello\u{1b}[0m, my key is AKIAIOSFODNN7EXAMPLE"
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::new("pages", "1.0.0").tool(read_page::tool()).sanitize(Sanitize::new().all()).build()?;
/// let result = server.call_tool("read_page", serde_json::json!({})).await?;
/// assert_eq!(result.text(), "Hello, my key is [secret removed]");
/// # Ok(())
/// # }
/// ```
///
/// They hold for the text blocks of tool results, embedded resources, names, titles and descriptions of resource links,
/// every string of structured content (member names too), tool errors, the text of resources and the messages of
/// prompts. Images, audio, binary resources, URIs and `_meta` stay as they are. Structured content is cleaned before it is
/// checked against its output schema: what no longer fits is withheld.
///
/// What was taken out is logged: how often and of what kind, never the text itself.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Sanitize {
    characters: Characters,
    secrets: bool,
    patterns: Vec<String>,
}

impl Sanitize {
    /// No rule.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every rule that there is: control characters, terminal escapes, invisible characters and secrets.
    pub fn all(self) -> Self {
        self.control_characters().terminal_escapes().invisible_characters().secrets()
    }

    /// Control characters go, except tabs, line feeds and the carriage returns before them.
    pub fn control_characters(mut self) -> Self {
        self.characters.controls = true;
        self
    }

    /// Sequences that move a terminal's cursor, colour its text, set its title or worse: they go whole.
    pub fn terminal_escapes(mut self) -> Self {
        self.characters.escapes = true;
        self
    }

    /// Characters that nobody sees go: those of no width, tags, variation selectors, and those that turn the direction of
    /// text. By them text can say to a model what it doesn't show to people.
    ///
    /// Where they belong they stay: in emoji, between letters of scripts that join (Arabic, Persian, the scripts of India),
    /// as marks in text that has letters from right to left, after the ideographs that they vary.
    pub fn invisible_characters(mut self) -> Self {
        self.characters.invisible = true;
        self
    }

    /// Secrets by their shape become `[secret removed]`: private keys in PEM, JSON web tokens, and the keys and tokens of
    /// AWS, GitHub, GitLab, Google, npm, OpenAI, Anthropic, Slack and Stripe.
    ///
    /// A net under the tightrope: passwords have no shape.
    pub fn secrets(mut self) -> Self {
        self.secrets = true;
        self
    }

    /// What matches this regular expression becomes `[secret removed]`, too. May be repeated.
    ///
    /// The syntax is that of the crate [`regex`](https://docs.rs/regex/latest/regex/#syntax), whose time is linear in the
    /// text. One that isn't an expression, or that matches an empty text, is a problem that
    /// [`build`](crate::ServerBuilder::build) reports.
    pub fn pattern(mut self, expression: impl Into<String>) -> Self {
        self.patterns.push(expression.into());
        self
    }

    /// Ready to run; `None` where no rule holds.
    pub(super) fn compile(&self) -> Result<Option<Sanitizer>, Vec<String>> {
        let secrets = Secrets::compile(self.secrets, &self.patterns)?;
        let characters = self.characters;
        Ok((characters.any() || secrets.any()).then_some(Sanitizer { characters, secrets }))
    }
}

/// The rules of a server, compiled.
pub(super) struct Sanitizer {
    characters: Characters,
    secrets: Secrets,
}

/// What was taken out, for the log.
#[derive(Debug, Default, PartialEq, Eq)]
struct Removed {
    controls: usize,
    escapes: usize,
    invisible: usize,
    secrets: BTreeMap<&'static str, usize>,
}

impl Removed {
    fn log(&self, name: &str) {
        if *self != Self::default() {
            let Self { controls, escapes, invisible, secrets } = self;
            tracing::warn!(name, controls, escapes, invisible, ?secrets, "text was taken out of a result");
        }
    }
}

impl Sanitizer {
    /// What a tool returned.
    pub(super) fn returned(
        &self,
        tool: &str,
        mut returned: Result<CallToolResult, ToolError>,
    ) -> Result<CallToolResult, ToolError> {
        let mut removed = Removed::default();
        match &mut returned {
            Ok(result) => self.result(result, &mut removed),
            Err(ToolError { kind: Kind::Model { text, .. } }) => self.string(text, &mut removed),
            Err(_) => {}
        }
        removed.log(tool);
        returned
    }

    /// What a resource's function returned.
    pub(super) fn contents(&self, uri: &str, contents: &mut [ResourceContents]) {
        let mut removed = Removed::default();
        for contents in contents {
            self.resource(contents, &mut removed);
        }
        removed.log(uri);
    }

    /// What a prompt's function returned.
    pub(super) fn messages(&self, prompt: &str, messages: &mut [PromptMessage]) {
        let mut removed = Removed::default();
        for message in messages {
            self.block(&mut message.content, &mut removed);
        }
        removed.log(prompt);
    }

    fn result(&self, result: &mut CallToolResult, removed: &mut Removed) {
        let before = result.structured_content.take();
        let after = before.as_deref().and_then(|json| self.json(json, removed));
        for block in &mut result.content {
            match (block, &before) {
                // The value once more, as text: it stays the same as the value.
                (ContentBlock::Text(text), Some(json)) if text.text == json.get() => {
                    if let Some(after) = &after {
                        text.text = after.get().to_owned();
                    }
                }
                (block, _) => self.block(block, removed),
            }
        }
        result.structured_content = after.or(before);
    }

    fn block(&self, block: &mut ContentBlock, removed: &mut Removed) {
        match block {
            ContentBlock::Text(text) => self.string(&mut text.text, removed),
            ContentBlock::Resource(embedded) => self.resource(&mut embedded.resource, removed),
            ContentBlock::ResourceLink(link) => {
                self.string(&mut link.name, removed);
                for text in [&mut link.title, &mut link.description].into_iter().flatten() {
                    self.string(text, removed);
                }
            }
            _ => {}
        }
    }

    fn resource(&self, contents: &mut ResourceContents, removed: &mut Removed) {
        if let ResourceContents::Text(contents) = contents {
            self.string(&mut contents.text, removed);
        }
    }

    fn string(&self, text: &mut String, removed: &mut Removed) {
        if let Cow::Owned(clean) = self.text(text, removed) {
            *text = clean;
        }
    }

    /// Characters first: one that nobody sees must not hide a secret.
    fn text<'t>(&self, text: &'t str, removed: &mut Removed) -> Cow<'t, str> {
        let clean = self.characters.clean(text, removed);
        match self.secrets.clean(&clean, removed) {
            Cow::Owned(cleaner) => Cow::Owned(cleaner),
            Cow::Borrowed(_) => clean,
        }
    }

    /// A value without what its strings must not have; `None` where nothing changes.
    fn json(&self, json: &RawValue, removed: &mut Removed) -> Option<Box<RawValue>> {
        if self.secrets.sees_through_json() && json::is_plain(json.get()) && !self.secrets.may_be_in(json.get()) {
            return None;
        }
        let clean = json::map_strings(json.get(), |text| self.text(text, removed))?;
        RawValue::from_string(clean).ok()
    }
}
