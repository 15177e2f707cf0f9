use std::sync::Arc;
use std::time::Duration;

use haft_wire::{
    ClientCapabilities, DiscoverResult, Implementation, ServerCapabilities, VERSION, code, encode, meta, method,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::Inner;
use super::error::{ClientError, ErrorKind};
use super::link::{Link, Mirrored, Outgoing};
use crate::error::ProtocolError;
use crate::legacy::{INITIALIZED, Version};

/// Which revisions a client speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Era {
    /// What the server speaks: 2026-07-28 if it does, or else one with a session.
    #[default]
    Auto,
    /// 2026-07-28 only, without asking first.
    Modern,
    /// Those before it, without asking first.
    Legacy,
}

/// What a server says of itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerDescription {
    /// The revision that it is spoken to in.
    pub version: String,
    /// Its name and version. Not verified: for display and logs only.
    pub info: Option<Implementation>,
    /// What it offers.
    pub capabilities: ServerCapabilities,
    /// How to use it, for a model. Foreign text.
    pub instructions: Option<String>,
    pub(super) modern: bool,
}

impl Default for ServerDescription {
    fn default() -> Self {
        let (info, capabilities, instructions) = Default::default();
        Self { version: VERSION.to_owned(), info, capabilities, instructions, modern: true }
    }
}

/// What a client of an older revision begins with.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Initialize<'a> {
    protocol_version: &'a str,
    capabilities: &'a ClientCapabilities,
    client_info: &'a Implementation,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialized {
    protocol_version: String,
    #[serde(default)]
    capabilities: Value,
    #[serde(default)]
    server_info: Option<Value>,
    #[serde(default)]
    instructions: Option<String>,
}

/// What came of asking whether the server is modern.
enum Probed {
    Modern(Box<ServerDescription>),
    Legacy,
}

impl Inner {
    /// What was agreed on with the server; with one that was started again, anew.
    pub(super) async fn negotiated(&self) -> Result<Arc<ServerDescription>, ClientError> {
        let generation = self.generation()?;
        let mut agreed = self.agreed.lock().await;
        if let Some((with, description)) = &*agreed
            && *with == generation
        {
            return Ok(Arc::clone(description));
        }
        // An era that was found out holds for the server, however often it is started.
        let era = match (&*agreed, self.settings.era) {
            (Some((_, before)), Era::Auto) if before.modern => Era::Modern,
            (Some(_), Era::Auto) => Era::Legacy,
            (_, era) => era,
        };
        let description = Arc::new(self.negotiate(era).await?);
        tracing::debug!(version = description.version, "the server speaks this");
        // A probe may have cost a process; what was agreed on is agreed with the one that is there now.
        *agreed = Some((self.generation()?, Arc::clone(&description)));
        Ok(description)
    }

    /// Forgets what was agreed on, as the server has ended the session.
    pub(super) async fn renegotiate(&self, over: &Arc<ServerDescription>) {
        let mut agreed = self.agreed.lock().await;
        // Somebody else may have found out before.
        if let Some((generation, description)) = &mut *agreed
            && Arc::ptr_eq(description, over)
        {
            *generation = u64::MAX;
        }
    }

    fn generation(&self) -> Result<u64, ClientError> {
        match &self.link {
            Link::Streams(streams) => streams.generation(),
            #[cfg(feature = "http-client")]
            Link::Http(_) => Ok(0),
        }
    }

    async fn negotiate(&self, era: Era) -> Result<ServerDescription, ClientError> {
        match era {
            Era::Modern => self.discover_modern().await,
            Era::Legacy => self.initialize().await,
            Era::Auto => match self.probe().await? {
                Probed::Modern(description) => Ok(*description),
                Probed::Legacy => match self.initialize().await {
                    // A modern server that was slow to start: it had no answer in time, and knows no sessions.
                    Err(error) if error.code() == Some(code::UNSUPPORTED_PROTOCOL_VERSION) => {
                        self.discover_modern().await
                    }
                    initialized => initialized,
                },
            },
        }
    }

    async fn discover_modern(&self) -> Result<ServerDescription, ClientError> {
        self.speak_modern();
        match self.discover(self.settings.timeout).await? {
            Ok(description) => Ok(description),
            Err(error) if error.code == code::UNSUPPORTED_PROTOCOL_VERSION => Err(no_common_version(&error)),
            Err(error) => {
                let what = format!(
                    "the server doesn't speak {VERSION}, the only version that this client is set to: {}",
                    error.message
                );
                Err(ClientError::new(ErrorKind::Version, what))
            }
        }
    }

    /// spec: `basic/transports/stdio#backward-compatibility`, `basic/transports/streamable-http#backward-compatibility`
    async fn probe(&self) -> Result<Probed, ClientError> {
        self.speak_modern();
        let patience = match &self.link {
            Link::Streams(_) => self.settings.probe,
            #[cfg(feature = "http-client")]
            Link::Http(_) => self.settings.timeout,
        };
        let mut discovered = self.discover(patience).await;
        if matches!(&discovered, Ok(Err(error)) if speaks_ours(error)) {
            // It refuses what it says that it speaks: some do so for the first request only.
            discovered = self.discover(patience).await;
        }
        match discovered {
            Ok(Err(error)) if speaks_ours(&error) => Ok(Probed::Modern(Box::default())),
            Ok(Ok(description)) => Ok(Probed::Modern(Box::new(description))),
            Ok(Err(error)) if error.code == code::UNSUPPORTED_PROTOCOL_VERSION => Err(no_common_version(&error)),
            Ok(Err(error))
                if matches!(error.code, code::HEADER_MISMATCH | code::MISSING_REQUIRED_CLIENT_CAPABILITY) =>
            {
                Err(ProtocolError::from(error).into())
            }
            Ok(Err(error)) => {
                tracing::debug!(code = error.code, "the server doesn't know server/discover; it is an older one");
                Ok(Probed::Legacy)
            }
            Err(error) => match error.kind() {
                // Over HTTP nobody is silent; a server in trouble says nothing of its era.
                ErrorKind::Timeout | ErrorKind::Closed if self.on_streams() => Ok(Probed::Legacy),
                ErrorKind::Http(status) if (400..500).contains(status) => Ok(Probed::Legacy),
                ErrorKind::InvalidResponse => Ok(Probed::Legacy),
                _ => Err(error),
            },
        }
    }

    fn on_streams(&self) -> bool {
        matches!(self.link, Link::Streams(_))
    }

    fn speak_modern(&self) {
        #[cfg(feature = "http-client")]
        if let Link::Http(http) = &self.link {
            http.speak_modern();
        }
    }

    /// Asks the server what it is. An error of the server's is no error of this.
    async fn discover(
        &self,
        patience: Duration,
    ) -> Result<Result<ServerDescription, haft_wire::ErrorObject>, ClientError> {
        let params = haft_wire::WithMeta { meta: &self.meta(), params: &Map::<String, Value>::new() };
        let answer = self.ask(method::DISCOVER, &params, patience).await?;
        let result = match answer {
            Ok(result) => result,
            Err(error) => return Ok(Err(error)),
        };
        let discovered: DiscoverResult = serde_json::from_str(result.get())
            .map_err(|error| ClientError::invalid(format!("the server's discovery can't be read: {error}")))?;
        if !discovered.supported_versions.iter().any(|version| version == VERSION) {
            let spoken = discovered.supported_versions.join(", ");
            let what = format!("the server speaks {spoken:?}, and this client {VERSION}");
            return Err(ClientError::new(ErrorKind::Version, what));
        }
        let info = discovered.meta.as_ref().and_then(|meta| meta.get(meta::SERVER_INFO)).cloned();
        Ok(Ok(ServerDescription {
            version: VERSION.to_owned(),
            info: info.and_then(|info| serde_json::from_value(info).ok()),
            capabilities: discovered.capabilities,
            instructions: discovered.instructions,
            modern: true,
        }))
    }

    /// spec: 2025-11-25 `basic/lifecycle#initialization`
    async fn initialize(&self) -> Result<ServerDescription, ClientError> {
        // The probe may have cost the process its life: an older server may not stand what comes before `initialize`.
        self.generation()?;
        #[cfg(feature = "http-client")]
        if let Link::Http(http) = &self.link {
            http.speak_legacy(None);
        }
        let newest = Version::V2025_11_25;
        let capabilities = self.inbound.handlers.capabilities();
        let params = Initialize {
            protocol_version: newest.name(),
            capabilities: &capabilities,
            client_info: &self.settings.info,
        };
        let answer = self.ask("initialize", &params, self.settings.timeout).await.map_err(|error| match error.kind() {
            ErrorKind::Http(404 | 405) => {
                let what = "the server takes no message at this URL. It may have the HTTP+SSE transport of 2024-11-05, \
                            which this client doesn't speak: ask for its Streamable HTTP endpoint";
                ClientError::new(ErrorKind::Version, what)
            }
            _ => error,
        })?;
        let result: Box<RawValue> = answer.map_err(|error| ClientError::from(ProtocolError::from(error)))?;
        let initialized: Initialized = serde_json::from_str(result.get())
            .map_err(|error| ClientError::invalid(format!("the answer to initialize can't be read: {error}")))?;
        let agreed = Version::named(&initialized.protocol_version).ok_or_else(|| {
            let what = format!(
                "the server wants to speak {:?}, and this client speaks {VERSION} and {} to {}",
                initialized.protocol_version,
                newest.name(),
                Version::V2024_11_05.name()
            );
            ClientError::new(ErrorKind::Version, what)
        })?;
        #[cfg(feature = "http-client")]
        if let Link::Http(http) = &self.link {
            http.speak_legacy(Some(agreed.name()));
        }
        let frame = encode::notification(INITIALIZED, None::<&()>)
            .map_err(|error| ClientError::new(ErrorKind::Encoding, error.to_string()))?;
        let patience = self.settings.timeout;
        tokio::time::timeout(patience, self.link.notify(INITIALIZED, frame)).await.unwrap_or_else(|_| {
            Err(ClientError::new(ErrorKind::Timeout, format!("{INITIALIZED} was not taken within {patience:?}")))
        })?;
        #[cfg(feature = "http-client")]
        if let Link::Http(http) = &self.link {
            http.listen(&self.inbound);
        }
        Ok(ServerDescription {
            version: agreed.name().to_owned(),
            info: initialized.server_info.and_then(|info| serde_json::from_value(info).ok()),
            capabilities: serde_json::from_value(initialized.capabilities).unwrap_or_default(),
            instructions: initialized.instructions,
            modern: false,
        })
    }

    /// One request outside of all that is agreed on.
    async fn ask(
        &self,
        method: &str,
        params: &impl Serialize,
        patience: Duration,
    ) -> Result<super::link::Answer, ClientError> {
        let id = self.next_id();
        let frame = encode::request(&id.into(), method, Some(params))
            .map_err(|error| ClientError::new(ErrorKind::Encoding, error.to_string()))?;
        let mirrored = Mirrored { method: method.to_owned(), ..Mirrored::default() };
        let asking = self.link.request(Outgoing { id, frame, mirrored }, &self.inbound);
        tokio::time::timeout(patience, asking).await.unwrap_or_else(|_| {
            Err(ClientError::new(ErrorKind::Timeout, format!("{method} had no answer within {patience:?}")))
        })
    }
}

fn supported(error: &haft_wire::ErrorObject) -> Vec<&str> {
    let supported = error.data.as_ref().and_then(|data| data.get("supported")).and_then(Value::as_array);
    supported.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether a server refuses the revision of a request, and names just this one.
pub(super) fn speaks_ours(error: &haft_wire::ErrorObject) -> bool {
    error.code == code::UNSUPPORTED_PROTOCOL_VERSION && supported(error).contains(&VERSION)
}

fn no_common_version(error: &haft_wire::ErrorObject) -> ClientError {
    let what = format!("the server speaks {:?}, and this client {VERSION}", supported(error).join(", "));
    ClientError::new(ErrorKind::Version, what)
}
