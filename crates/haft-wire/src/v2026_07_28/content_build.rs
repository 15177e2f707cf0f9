use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{
    Annotations, AudioContent, BlobResourceContents, ContentBlock, EmbeddedResource, ImageContent, Meta,
    ResourceContents, ResourceLink, Role, TextContent, TextResourceContents,
};

/// A text block.
impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        ContentBlock::text(text)
    }
}

/// A text block.
impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        ContentBlock::text(text)
    }
}

/// Making blocks.
impl ContentBlock {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        ContentBlock::Text(TextContent { text: text.into(), annotations: None, meta: None })
    }

    /// A picture with its type, such as `image/png`.
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        ContentBlock::Image(ImageContent {
            data: STANDARD.encode(bytes),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
        })
    }

    /// A recording with its type, such as `audio/wav`.
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        ContentBlock::Audio(AudioContent {
            data: STANDARD.encode(bytes),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
        })
    }

    /// A pointer to the resource at `uri`; `name` is its name for programs.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ContentBlock::ResourceLink(ResourceLink {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            icons: Vec::new(),
            annotations: None,
            meta: None,
        })
    }

    /// A resource of text with its type, such as `text/x-rust`.
    pub fn resource_text(uri: impl Into<String>, mime_type: impl Into<String>, text: impl Into<String>) -> Self {
        embedded(ResourceContents::Text(TextResourceContents {
            uri: uri.into(),
            mime_type: Some(mime_type.into()),
            text: text.into(),
            meta: None,
        }))
    }

    /// A resource of bytes with its type, such as `application/pdf`.
    pub fn resource_blob(uri: impl Into<String>, mime_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        embedded(ResourceContents::Blob(BlobResourceContents {
            uri: uri.into(),
            mime_type: Some(mime_type.into()),
            blob: STANDARD.encode(bytes),
            meta: None,
        }))
    }
}

fn embedded(resource: ResourceContents) -> ContentBlock {
    ContentBlock::Resource(EmbeddedResource { resource, annotations: None, meta: None })
}

/// Adding to any block. A block that isn't understood stays as it is.
impl ContentBlock {
    /// Whom it is for. An empty list is the same as none: it is for everybody.
    #[must_use]
    pub fn audience(self, roles: impl IntoIterator<Item = Role>) -> Self {
        let roles: Vec<_> = roles.into_iter().collect();
        self.annotate(|annotations| annotations.audience = if roles.is_empty() { None } else { Some(roles) })
    }

    /// How much it matters, from 0 (can be left out) to 1 (needed). Other numbers are taken for the nearer end, NaN is
    /// ignored.
    #[must_use]
    pub fn priority(self, priority: f64) -> Self {
        if priority.is_nan() {
            return self;
        }
        self.annotate(|annotations| annotations.priority = Some(priority.clamp(0.0, 1.0)))
    }

    /// When what it says was last changed, in ISO 8601 (`2026-01-01T00:00:00Z`).
    #[must_use]
    pub fn last_modified(self, time: impl Into<String>) -> Self {
        let time = time.into();
        self.annotate(|annotations| annotations.last_modified = Some(time))
    }

    /// A member of its `_meta`. For the naming of keys see spec: basic/index#meta.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let meta = match &mut self {
            ContentBlock::Text(block) => &mut block.meta,
            ContentBlock::Image(block) => &mut block.meta,
            ContentBlock::Audio(block) => &mut block.meta,
            ContentBlock::ResourceLink(block) => &mut block.meta,
            ContentBlock::Resource(block) => &mut block.meta,
            ContentBlock::Unknown(_) => return self,
        };
        meta.get_or_insert_with(Meta::new).insert(key.into(), value.into());
        self
    }

    fn annotate(mut self, change: impl FnOnce(&mut Annotations)) -> Self {
        let annotations = match &mut self {
            ContentBlock::Text(block) => &mut block.annotations,
            ContentBlock::Image(block) => &mut block.annotations,
            ContentBlock::Audio(block) => &mut block.annotations,
            ContentBlock::ResourceLink(block) => &mut block.annotations,
            ContentBlock::Resource(block) => &mut block.annotations,
            ContentBlock::Unknown(_) => return self,
        };
        change(annotations.get_or_insert_default());
        if *annotations == Some(Annotations::default()) {
            *annotations = None;
        }
        self
    }
}

/// Adding to a resource link. Other blocks stay as they are, except that `mime_type` also sets the type of those that
/// have one.
impl ContentBlock {
    /// What the resource is, for a model.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        self.link(|link| link.description = Some(description.into()))
    }

    /// The type of the resource, picture or recording.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        let mime_type = mime_type.into();
        match &mut self {
            ContentBlock::ResourceLink(link) => link.mime_type = Some(mime_type),
            ContentBlock::Image(image) => image.mime_type = mime_type,
            ContentBlock::Audio(audio) => audio.mime_type = mime_type,
            ContentBlock::Resource(EmbeddedResource { resource, .. }) => match resource {
                ResourceContents::Text(contents) => contents.mime_type = Some(mime_type),
                ResourceContents::Blob(contents) => contents.mime_type = Some(mime_type),
            },
            ContentBlock::Text(_) | ContentBlock::Unknown(_) => {}
        }
        self
    }

    /// The resource's name for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.link(|link| link.title = Some(title.into()))
    }

    /// The resource's length in bytes.
    #[must_use]
    pub fn size(self, bytes: u64) -> Self {
        self.link(|link| link.size = Some(bytes))
    }

    fn link(mut self, change: impl FnOnce(&mut ResourceLink)) -> Self {
        if let ContentBlock::ResourceLink(link) = &mut self {
            change(link);
        }
        self
    }
}
