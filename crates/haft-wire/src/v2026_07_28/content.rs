use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::{Icon, Meta, ResourceContents};
use crate::{fields, order};

/// One piece of what a tool says, spec: server/tools#tool-result.
///
/// There are constructors ([`text`](Self::text), [`image`](Self::image), ...) and methods that add to a block
/// ([`audience`](Self::audience), [`priority`](Self::priority), ...).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// A recording.
    Audio(AudioContent),
    /// A pointer to a resource.
    ResourceLink(ResourceLink),
    /// A resource itself.
    Resource(EmbeddedResource),
    /// A block that this revision doesn't know, or one that lacks what its type needs. Only read, never made.
    #[serde(untagged)]
    Unknown(UnknownBlock),
}

/// Text, spec: server/tools#text-content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// Whom it is for, and how much it matters.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// A picture, spec: server/tools#image-content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageContent {
    /// Its bytes, in base64.
    pub data: String,
    /// Its type.
    pub mime_type: String,
    /// Whom it is for, and how much it matters.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// A recording, spec: server/tools#audio-content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AudioContent {
    /// Its bytes, in base64.
    pub data: String,
    /// Its type.
    pub mime_type: String,
    /// Whom it is for, and how much it matters.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// A pointer to a resource, spec: server/tools#resource-links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLink {
    /// Where it is.
    pub uri: String,
    /// Name for programs.
    pub name: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is, for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its type, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its length in bytes, if known.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Pictures of it.
    #[serde(default, deserialize_with = "fields::lenient_list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Whom it is for, and how much it matters.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// A resource itself, spec: server/tools#embedded-resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedResource {
    /// What is in it.
    pub resource: ResourceContents,
    /// Whom it is for, and how much it matters.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else. (What is in the resource has a `_meta` of its own.)
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// A content block that can't be understood, as it was sent.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct UnknownBlock {
    raw: Box<RawValue>,
}

impl UnknownBlock {
    /// The block.
    pub fn raw(&self) -> &RawValue {
        &self.raw
    }

    /// Its type, if it has one.
    pub fn kind(&self) -> Option<String> {
        kind(&self.raw)
    }
}

/// Two blocks are equal if they were sent as the same text.
impl PartialEq for UnknownBlock {
    fn eq(&self, other: &Self) -> bool {
        self.raw.get() == other.raw.get()
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    /// Works with the deserializers of `serde_json` only, which can keep a value raw.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fn read<T: for<'a> Deserialize<'a>>(raw: &RawValue) -> Option<T> {
            serde_json::from_str(raw.get()).ok()
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let known = match kind(&raw).as_deref() {
            Some("text") => read(&raw).map(ContentBlock::Text),
            Some("image") => read(&raw).map(ContentBlock::Image),
            Some("audio") => read(&raw).map(ContentBlock::Audio),
            Some("resource_link") => read(&raw).map(ContentBlock::ResourceLink),
            Some("resource") => read(&raw).map(ContentBlock::Resource),
            _ => None,
        };
        Ok(known.unwrap_or(ContentBlock::Unknown(UnknownBlock { raw })))
    }
}

fn kind(raw: &RawValue) -> Option<String> {
    if !raw.get().starts_with('{') {
        return None; // derived structs read themselves from arrays too
    }
    #[derive(Deserialize)]
    struct Tag {
        #[serde(rename = "type")]
        kind: String,
    }
    serde_json::from_str(raw.get()).ok().map(|tag: Tag| tag.kind)
}

/// Whom something is for, and how much it matters, spec: server/resources#annotations.
///
/// Members of the wrong shape read as absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Everybody if absent.
    #[serde(default, deserialize_with = "audience", skip_serializing_if = "Option::is_none")]
    pub audience: Option<Vec<Role>>,
    /// From 0 (can be left out) to 1 (needed).
    #[serde(
        default,
        deserialize_with = "fields::lenient",
        serialize_with = "fields::optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub priority: Option<f64>,
    /// When it was last changed, in ISO 8601.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// One side of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// Unknown roles are left out; without a known one the audience reads as absent, and so as everybody.
fn audience<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Role>>, D::Error> {
    let roles: Vec<Role> = fields::lenient_list(deserializer)?;
    Ok(if roles.is_empty() { None } else { Some(roles) })
}
