use serde::{Deserialize, Serialize};

use crate::fields;

/// Who speaks: a client or a server. Self-reported, for display and logs only, spec: basic/index#meta.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Implementation {
    /// Name for programs.
    pub name: String,
    /// Version, of any form.
    pub version: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Pictures of it.
    #[serde(default, deserialize_with = "fields::lenient_list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Where there is more about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
}

impl Implementation {
    /// A name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Implementation {
            name: name.into(),
            version: version.into(),
            title: None,
            description: None,
            icons: Vec::new(),
            website_url: None,
        }
    }
}

/// A picture of a tool, a resource or a program, spec: basic/index#icons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Icon {
    /// An `https:` or `data:` URI. Not checked here: whoever shows it must refuse other schemes.
    pub src: String,
    /// Where the server of the picture doesn't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// `"48x48"`, or `"any"` for one that scales.
    #[serde(default, deserialize_with = "fields::lenient_list", skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// The background it is meant for; either if absent.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
}

impl Icon {
    /// An icon of which only the place is known.
    pub fn new(src: impl Into<String>) -> Self {
        Icon { src: src.into(), mime_type: None, sizes: Vec::new(), theme: None }
    }
}

/// The background that an icon is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IconTheme {
    /// A light one.
    Light,
    /// A dark one.
    Dark,
}
