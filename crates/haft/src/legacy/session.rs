use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use haft_wire::{
    ClientCapabilities, ErrorObject, Implementation, LogLevel, Request, RequestId, RequestMeta, Response,
    SubscriptionFilter, VERSION, encode, method,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot};

use super::ask::Asker;
use super::handshake::{self, Hello, Welcome};
use super::{Version, cut};
use crate::members::Members;
use crate::server::{
    Cancellation, Incoming, Outbound, Principal, Server, Settled, Subscription, answer, too_many_subscriptions,
};

/// Resources that one session may watch.
const MAX_WATCHED: usize = 1_000;
/// Bytes that the URI of each may have.
const MAX_URI: usize = 2_048;
/// From which level on a client is told what is logged, unless it says so itself.
const USUAL_LEVEL: LogLevel = LogLevel::Info;

/// One client, from its `initialize` on.
pub(crate) struct Session {
    pub(super) server: Server,
    version: Version,
    client: Option<Implementation>,
    capabilities: ClientCapabilities,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nobody else can name the session"))]
    principal: Principal,
    level: Mutex<LogLevel>,
    asked: Asked,
    offers: Offers,
    /// What the client is told without asking. None where the server has no such news.
    pub(super) news: Option<Subscription>,
}

/// The server's own requests that the client hasn't answered yet.
#[derive(Default)]
struct Asked {
    last: AtomicI64,
    waiting: Mutex<Waiting>,
    /// Told of each new one.
    new: Notify,
}

#[derive(Default)]
struct Waiting {
    by_id: HashMap<RequestId, oneshot::Sender<Response>>,
    /// Nobody is there to answer.
    over: bool,
}

/// What only this revision asks for, and only of servers that declare it.
#[derive(Debug, Clone, Copy)]
struct Offers {
    logging: bool,
    watching: bool,
}

/// What lets a client's connection go before the answer is there.
pub(crate) type LetGo = Arc<dyn Fn() + Send + Sync>;

/// The way to the client while one of its requests runs.
pub(crate) struct Way {
    pub(crate) outbound: Outbound,
    /// Whether anything but the answer reaches it: where not, it can't be asked.
    pub(crate) hears: bool,
    pub(crate) let_go: Option<LetGo>,
}

impl Session {
    /// Opens a session, with the answer that says so.
    ///
    /// # Errors
    /// What the client gets instead: -32602 where it names no version.
    ///
    /// spec: 2025-11-25 `basic/lifecycle#initialization`
    pub(crate) fn open(
        server: &Server,
        request: &Request,
        principal: Principal,
        oldest: Version,
    ) -> Result<(Self, Vec<u8>), ErrorObject> {
        let hello = Hello::read(request.params.as_deref()).map_err(ErrorObject::invalid_params)?;
        let version = Version::negotiated(&hello.protocol_version);
        let version = if version < oldest { Version::negotiated("") } else { version };
        let (answer, offers) = welcome(server, &request.id, version)
            .ok_or_else(|| ErrorObject::internal("the server could not introduce itself"))?;
        let everything = SubscriptionFilter {
            tools_list_changed: Some(true),
            prompts_list_changed: Some(true),
            resources_list_changed: Some(true),
            task_ids: None,
            resource_subscriptions: None,
        };
        let session = Self {
            server: server.clone(),
            version,
            client: hello.client(),
            capabilities: hello.capabilities(version),
            principal,
            level: Mutex::new(USUAL_LEVEL),
            asked: Asked::default(),
            offers,
            news: server.subscribe(everything),
        };
        tracing::debug!(version = version.name(), client = ?session.client, "a session is open");
        Ok((session, answer))
    }

    pub(crate) fn version(&self) -> Version {
        self.version
    }

    #[cfg(feature = "http")]
    pub(crate) fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Answers one request of the session's principal, whose scopes may be others than they were. `None` when it was
    /// cancelled.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        request: Request,
        principal: Principal,
        cancellation: Cancellation,
        way: Way,
    ) -> Option<Vec<u8>> {
        let id = request.id.clone();
        let params = request.params.as_deref();
        let own = match request.method.as_str() {
            _ if handshake::is_repeated(&request) => {
                Some(Err(ErrorObject::invalid_request("This session is initialized already. Send other requests.")))
            }
            handshake::PING => Some(Ok(())),
            "logging/setLevel" if self.offers.logging => Some(self.set_level(params)),
            "resources/subscribe" if self.offers.watching => match self.server.forbids(&request, &principal) {
                Some(refusal) => return Some(refusal.frame),
                None => Some(self.watch(params)),
            },
            "resources/unsubscribe" if self.offers.watching => Some(self.unwatch(params)),
            // Of the revision that needs no session.
            method::DISCOVER | method::SUBSCRIPTIONS_LISTEN => {
                Some(Err(ErrorObject::method_not_found(&request.method)))
            }
            _ => None,
        };
        let settled = match own {
            Some(Ok(())) => return encode::result(&id, &serde_json::Map::new()).ok(),
            Some(Err(error)) => return Some(encode::error(Some(&id), &error)),
            None => match self.settle(params, &way) {
                Ok(settled) => Some(settled),
                Err(error) => return Some(encode::error(Some(&id), &error)),
            },
        };
        let outbound = if self.version < Version::V2025_03_26 { way.outbound.wordless() } else { way.outbound };
        let method = request.method.clone();
        let incoming = Incoming { request, principal, cancellation, outbound, settled };
        let answer = answer(&self.server, incoming).await?;
        Some(cut::answer(answer.frame, &method, self.version))
    }

    /// Takes the client's answer to a request of the server's own.
    pub(crate) fn responded(&self, response: Response) {
        let waiting = response.id.as_ref().and_then(|id| self.asked.lock().by_id.remove(id));
        match waiting {
            Some(waiting) => drop(waiting.send(response)),
            None => tracing::debug!(id = ?response.id, "a response to nothing that was asked, or too late"),
        }
    }

    /// An id for a request of the server's own, and where its answer will be. None where nobody answers any more.
    pub(super) fn expect_answer(&self) -> Option<(RequestId, oneshot::Receiver<Response>)> {
        let id = RequestId::Int(self.asked.last.fetch_add(1, Ordering::Relaxed) + 1);
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.asked.lock();
        if waiting.over {
            return None;
        }
        waiting.by_id.insert(id.clone(), sender);
        drop(waiting);
        self.asked.new.notify_waiters();
        Some((id, receiver))
    }

    /// Takes a question back; whether it was still without an answer.
    pub(super) fn forget(&self, id: &RequestId) -> bool {
        self.asked.lock().by_id.remove(id).is_some()
    }

    /// Waits until a question is with the client.
    pub(crate) async fn asks(&self) {
        loop {
            let mut new = std::pin::pin!(self.asked.new.notified());
            // Registered before the map is read: one that comes between the two is not missed.
            new.as_mut().enable();
            if !self.asked.lock().by_id.is_empty() {
                return;
            }
            new.await;
        }
    }

    /// The client is gone, or can't be heard any more: no question has an answer from here on.
    pub(crate) fn hang_up(&self) {
        let mut waiting = self.asked.lock();
        waiting.over = true;
        waiting.by_id.clear();
    }

    /// What the client said when it opened the session, for one request.
    fn settle(self: &Arc<Self>, params: Option<&RawValue>, way: &Way) -> Result<Settled, ErrorObject> {
        let capabilities = if way.hears { self.capabilities.clone() } else { ClientCapabilities::default() };
        let meta = RequestMeta {
            protocol_version: Some(VERSION.to_owned()),
            client_info: self.client.clone(),
            client_capabilities: Some(capabilities),
            log_level: Some(*self.level.lock().unwrap_or_else(PoisonError::into_inner)),
            ..RequestMeta::read(params)?
        };
        let peer = Arc::new(Asker::new(Arc::clone(self), way));
        Ok(Settled { meta, revision: self.version.name(), peer })
    }

    /// spec: 2025-11-25 `server/utilities/logging#setting-log-level`
    fn set_level(&self, params: Option<&RawValue>) -> Result<(), ErrorObject> {
        #[derive(Deserialize)]
        struct Params {
            level: LogLevel,
        }
        let Params { level } = read(params, "logging/setLevel")?;
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = level;
        Ok(())
    }

    /// spec: 2025-11-25 `server/resources#subscriptions`
    fn watch(&self, params: Option<&RawValue>) -> Result<(), ErrorObject> {
        let Watched { uri } = read(params, "resources/subscribe")?;
        if uri.len() > MAX_URI {
            let why = format!("The URI of a resource to watch may have {MAX_URI} bytes, got {}.", uri.len());
            return Err(ErrorObject::invalid_params(why));
        }
        let news = self.news.as_ref().ok_or_else(|| too_many_subscriptions().object().clone())?;
        let room = news.watch(&uri, MAX_WATCHED);
        let full = || {
            ErrorObject::invalid_params(format!(
                "Too many resources: a session watches at most {MAX_WATCHED}. Unsubscribe from one of them first."
            ))
        };
        room.then_some(()).ok_or_else(full)
    }

    fn unwatch(&self, params: Option<&RawValue>) -> Result<(), ErrorObject> {
        let Watched { uri } = read(params, "resources/unsubscribe")?;
        if let Some(news) = &self.news {
            news.unwatch(&uri);
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Watched {
    uri: String,
}

fn read<'a, T: Deserialize<'a>>(params: Option<&'a RawValue>, method: &str) -> Result<T, ErrorObject> {
    serde_json::from_str(params.map_or("{}", RawValue::get))
        .map_err(|error| ErrorObject::invalid_params(format!("Malformed {method}: {error}")))
}

impl Asked {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server as `version` would have it introduced, from what it says of itself in this one.
fn welcome(server: &Server, id: &RequestId, version: Version) -> Option<(Vec<u8>, Offers)> {
    let discovery = Members::read(server.discovery())?;
    let mut capabilities = Members::read(discovery.get("capabilities")?)?;
    let watching = capabilities
        .get("resources")
        .and_then(Members::read)
        .is_some_and(|resources| resources.get("subscribe").is_some_and(|on| on.get() == "true"));
    let offers = Offers { logging: capabilities.get("logging").is_some(), watching };
    capabilities.remove(&["extensions"]);
    if version < Version::V2025_03_26 {
        capabilities.remove(&["completions"]);
    }
    let meta = Members::read(discovery.get("_meta")?)?;
    let mut info = Members::read(meta.get(haft_wire::meta::SERVER_INFO)?)?;
    cut::common(&mut info, version);
    if version < Version::V2025_11_25 {
        info.remove(&["websiteUrl", "description"]);
    }
    let welcome = Welcome {
        protocol_version: version.name(),
        capabilities: capabilities.written()?,
        server_info: info.written()?,
        instructions: discovery.get("instructions"),
    };
    Some((encode::result(id, &welcome).ok()?, offers))
}
