//! The text of a definition: written once, at `build()`, with members in an order of our own.

use haft_wire::Icon;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::tool::{Annotations, Tool};

/// One entry of `tools/list`.
///
/// spec: `server/tools#tool`
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Definition<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "<[Icon]>::is_empty")]
    icons: &'a [Icon],
    input_schema: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Hints::is_empty")]
    annotations: Hints<'a>,
    #[serde(rename = "_meta", skip_serializing_if = "Sorted::is_empty")]
    meta: Sorted<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hints<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_only_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destructive_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_world_hint: Option<bool>,
}

impl Hints<'_> {
    fn is_empty(&self) -> bool {
        let Self { title, read_only_hint, destructive_hint, idempotent_hint, open_world_hint } = self;
        title.is_none() && [read_only_hint, destructive_hint, idempotent_hint, open_world_hint].iter().all(|h| h.is_none())
    }
}

impl<'a> Definition<'a> {
    pub(crate) fn new(tool: &'a Tool, input_schema: &'a RawValue, output_schema: Option<&'a RawValue>) -> Self {
        let Annotations { read_only, destructive, idempotent, open_world } = tool.annotations;
        Self {
            name: &tool.name,
            title: tool.title.as_deref(),
            description: tool.description.as_deref(),
            icons: &tool.icons,
            input_schema,
            output_schema,
            annotations: Hints {
                title: tool.title.as_deref(),
                read_only_hint: read_only,
                destructive_hint: destructive,
                idempotent_hint: idempotent,
                open_world_hint: open_world,
            },
            meta: Sorted(&tool.meta),
        }
    }
}

/// An object whose members go out sorted by name, at every depth: `serde_json`'s own order depends on its features.
struct Sorted<'a>(&'a Map<String, Value>);

impl Sorted<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members: Vec<_> = self.0.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        let mut map = serializer.serialize_map(Some(members.len()))?;
        for (name, value) in members {
            map.serialize_entry(name, &SortedValue(value))?;
        }
        map.end()
    }
}

struct SortedValue<'a>(&'a Value);

impl Serialize for SortedValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => Sorted(map).serialize(serializer),
            Value::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(&SortedValue(item))?;
                }
                seq.end()
            }
            scalar => scalar.serialize(serializer),
        }
    }
}
