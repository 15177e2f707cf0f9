use haft_wire::{ClientCapabilities, Implementation, Request};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Version;

/// The request that opens a session.
const INITIALIZE: &str = "initialize";
/// What asks for a sign of life.
pub(super) const PING: &str = "ping";
/// What a client sends once it has the answer.
pub(crate) const INITIALIZED: &str = "notifications/initialized";

/// Whether a request carries its version, as those of 2026-07-28 and later do: these need no session.
///
/// One whose `_meta` can't be read is refused by whoever reads it next.
pub(crate) fn is_modern(request: &Request) -> bool {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "_meta")]
        meta: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
        version: Option<&'a RawValue>,
    }
    let meta = request.params.as_deref().and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok()?.meta);
    meta.and_then(|meta| serde_json::from_str::<Meta<'_>>(meta.get()).ok()?.version).is_some()
}

/// Whether a request opens a session.
pub(crate) fn opens(request: &Request) -> bool {
    request.method == INITIALIZE && !is_modern(request)
}

/// Whether it asks for a sign of life, which a client may do before it opens a session.
///
/// spec: 2025-11-25 `basic/lifecycle#initialization`
pub(crate) fn is_ping(request: &Request) -> bool {
    request.method == PING && !is_modern(request)
}

/// Whether it is another attempt to open the session that it is part of.
pub(super) fn is_repeated(request: &Request) -> bool {
    request.method == INITIALIZE
}

/// What a client says of itself when it opens a session. Only the version is needed.
///
/// spec: 2025-11-25 `basic/lifecycle#initialization`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hello {
    pub(super) protocol_version: String,
    #[serde(default)]
    capabilities: Option<Box<RawValue>>,
    #[serde(default)]
    client_info: Option<Box<RawValue>>,
}

/// Bytes of each of these that are kept for a session: there may be very many, and anybody may open one.
const MOST: usize = 64 << 10;

impl Hello {
    pub(super) fn read(params: Option<&RawValue>) -> Result<Self, String> {
        let hello: Self = serde_json::from_str(params.map_or("{}", RawValue::get))
            .map_err(|error| format!("Malformed initialize: {error}"))?;
        match &hello.capabilities {
            Some(capabilities) if capabilities.get().len() > MOST => {
                Err(format!("Malformed initialize: the capabilities are longer than {MOST} bytes"))
            }
            _ => Ok(hello),
        }
    }

    pub(super) fn client(&self) -> Option<Implementation> {
        read(self.client_info.as_deref().filter(|client| client.get().len() <= MOST))
    }

    /// What the client can do, as far as its revision knows of it.
    pub(super) fn capabilities(&self, version: Version) -> ClientCapabilities {
        let mut capabilities: ClientCapabilities = read(self.capabilities.as_deref()).unwrap_or_default();
        if version < Version::V2025_06_18 {
            capabilities.elicitation = None;
        } else if version < Version::V2025_11_25 {
            // Forms were all there was; whatever it says in there is something else.
            capabilities.elicitation = capabilities.elicitation.map(|_| Default::default());
        }
        capabilities.extensions = None;
        capabilities
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Option<&RawValue>) -> Option<T> {
    // serde would take a struct from an array, too.
    let text = value?.get();
    text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}

/// spec: 2025-11-25 `basic/lifecycle#initialization`
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Welcome<'a> {
    pub(super) protocol_version: &'static str,
    pub(super) capabilities: Box<RawValue>,
    pub(super) server_info: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instructions: Option<&'a RawValue>,
}
