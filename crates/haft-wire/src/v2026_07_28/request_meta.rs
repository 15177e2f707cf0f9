use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{ClientCapabilities, Implementation, LogLevel, meta};
use crate::fields::{self, kind};
use crate::{ErrorObject, ProgressToken, order};

/// The `_meta` of a request, spec: basic/index#meta.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestMeta {
    /// [`meta::PROTOCOL_VERSION`]; required by the protocol.
    pub protocol_version: Option<String>,
    /// [`meta::CLIENT_INFO`].
    pub client_info: Option<Implementation>,
    /// [`meta::CLIENT_CAPABILITIES`]; required by the protocol.
    pub client_capabilities: Option<ClientCapabilities>,
    /// [`meta::LOG_LEVEL`]. Without it the server sends no log messages.
    pub log_level: Option<LogLevel>,
    /// [`meta::PROGRESS_TOKEN`]. Without it the server sends no progress notifications.
    pub progress_token: Option<ProgressToken>,
    /// [`meta::TRACEPARENT`], in whatever form it was sent.
    pub traceparent: Option<String>,
    /// [`meta::TRACESTATE`], in whatever form it was sent.
    pub tracestate: Option<String>,
    /// [`meta::BAGGAGE`], in whatever form it was sent.
    pub baggage: Option<String>,
    /// All other keys.
    pub other: Map<String, Value>,
}

impl RequestMeta {
    /// Reads the `_meta` of a request's parameters. What isn't there, or is `null`, is `None`.
    ///
    /// # Errors
    ///
    /// -32602, naming the key, if a known key has a value of the wrong type, the log level is none of the eight, or the
    /// progress token is neither a string nor an integer.
    pub fn read(params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        #[derive(Default, Deserialize)]
        struct Members<'a> {
            #[serde(rename = "_meta", borrow, default)]
            meta: Option<&'a RawValue>,
        }
        let members: Members<'_> = fields::members(params)?;
        match members.meta {
            None => Ok(RequestMeta::default()),
            Some(raw) if raw.get() == "null" => Ok(RequestMeta::default()),
            Some(raw) => Self::of(raw),
        }
    }

    fn of(raw: &RawValue) -> Result<Self, ErrorObject> {
        let entries: Entries<'_> = serde_json::from_str(raw.get()).map_err(|_| {
            ErrorObject::invalid_params(format!("params._meta must be an object, got {}", kind(raw.get())))
        })?;
        let mut read = RequestMeta::default();
        for (key, raw) in entries.0 {
            match key.as_ref() {
                meta::PROTOCOL_VERSION => read.protocol_version = value(&key, raw, "a string")?,
                meta::CLIENT_INFO => {
                    read.client_info = value(&key, raw, "an object with the strings `name` and `version`")?;
                }
                meta::CLIENT_CAPABILITIES => {
                    read.client_capabilities = value(&key, raw, "an object that maps each capability to an object")?;
                }
                meta::LOG_LEVEL => {
                    let levels = "a string, one of \"debug\", \"info\", \"notice\", \"warning\", \"error\", \"critical\", \"alert\" and \
                         \"emergency\"";
                    read.log_level = value(&key, raw, levels)?;
                }
                meta::PROGRESS_TOKEN => read.progress_token = value(&key, raw, "a string or an integer of 64 bits")?,
                meta::TRACEPARENT => read.traceparent = value(&key, raw, "a string")?,
                meta::TRACESTATE => read.tracestate = value(&key, raw, "a string")?,
                meta::BAGGAGE => read.baggage = value(&key, raw, "a string")?,
                _ => {
                    // After `parse` any text is a value that `serde_json` can hold.
                    let value = serde_json::from_str(raw.get())
                        .map_err(|_| wrong(&key, "a JSON value of moderate depth", kind(raw.get())))?;
                    read.other.insert(key.into_owned(), value);
                }
            }
        }
        Ok(read)
    }

    /// What every request must have: its protocol version and the client's capabilities.
    ///
    /// # Errors
    ///
    /// -32602, naming each of the two that is missing.
    pub fn require(&self) -> Result<(&str, &ClientCapabilities), ErrorObject> {
        match (&self.protocol_version, &self.client_capabilities) {
            (Some(version), Some(capabilities)) => Ok((version, capabilities)),
            (version, capabilities) => {
                let missing: Vec<_> =
                    [(version.is_none(), meta::PROTOCOL_VERSION), (capabilities.is_none(), meta::CLIENT_CAPABILITIES)]
                        .into_iter()
                        .filter(|(missing, _)| *missing)
                        .map(|(_, key)| format!("\"{key}\""))
                        .collect();
                let it = if missing.len() == 1 { "it" } else { "both" };
                Err(ErrorObject::invalid_params(format!(
                    "params._meta lacks {}; send {it} with every request",
                    missing.join(" and ")
                )))
            }
        }
    }
}

/// The value of a known key; `null` reads as absent.
fn value<T: DeserializeOwned>(key: &str, raw: &RawValue, expected: &str) -> Result<Option<T>, ErrorObject> {
    let got = kind(raw.get());
    // No known key has an array, but derived structs would read themselves from one.
    let read = if got == "an array" { None } else { serde_json::from_str(raw.get()).ok() };
    read.ok_or_else(|| {
        let got = match got {
            "an object" if expected.starts_with(got) => "another object",
            "a string" if expected.starts_with(got) => "another string",
            other => other,
        };
        wrong(key, expected, got)
    })
}

fn wrong(key: &str, expected: &str, got: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!("params._meta[{}] must be {expected}, got {got}", fields::quoted(key)))
}

/// The members of an object, in their order, with their values raw.
struct Entries<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some(Key(key)) = map.next_key()? {
                    entries.push((key, map.next_value()?));
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

/// A key that is copied only if it has escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The keys of the protocol first, in the order of the fields, then the others sorted.
impl Serialize for RequestMeta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn entry<M: SerializeMap, T: Serialize>(map: &mut M, key: &str, value: &Option<T>) -> Result<(), M::Error> {
            match value {
                Some(value) => map.serialize_entry(key, value),
                None => Ok(()),
            }
        }
        let mut map = serializer.serialize_map(None)?;
        entry(&mut map, meta::PROTOCOL_VERSION, &self.protocol_version)?;
        entry(&mut map, meta::CLIENT_INFO, &self.client_info)?;
        entry(&mut map, meta::CLIENT_CAPABILITIES, &self.client_capabilities)?;
        entry(&mut map, meta::LOG_LEVEL, &self.log_level)?;
        entry(&mut map, meta::PROGRESS_TOKEN, &self.progress_token)?;
        entry(&mut map, meta::TRACEPARENT, &self.traceparent)?;
        entry(&mut map, meta::TRACESTATE, &self.tracestate)?;
        entry(&mut map, meta::BAGGAGE, &self.baggage)?;
        order::extend(&self.other, &mut map)?;
        map.end()
    }
}

/// The parameters of a request together with their `_meta`, for [`encode::request`](crate::encode::request).
///
/// `params` is a struct or a map (or `()`, for a method without parameters of its own).
#[derive(Debug, Clone, Copy, Serialize)]
pub struct WithMeta<'a, P> {
    /// Who asks, and how.
    #[serde(rename = "_meta")]
    pub meta: &'a RequestMeta,
    /// What is asked.
    #[serde(flatten)]
    pub params: &'a P,
}
