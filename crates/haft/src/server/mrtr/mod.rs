//! Multi round-trip requests: a call asks, ends with `input_required`, and runs again with the answers.
//!
//! An [`Ask`] that has no answer registers its question with the call's [`Asking`] and stays pending. [`drive()`] wraps
//! the call's future: when a poll comes back pending and questions are registered, it drops the future and the call ends
//! with them. So a question is never an error value that a function could swallow, and questions that are joined travel
//! together. `Asking::open` on the way in and [`drive()`] around the future are all that a method needs.
//!
//! Where somebody answers while the call waits (a [`Peer`]), [`drive()`] keeps the future and lets it go on with each answer.
//! A call that becomes a task gets one on its way.
//!
//! spec: `basic/patterns/mrtr`

mod all;
mod answering;
mod ask;
mod context;
mod drive;
mod peer;
#[cfg(feature = "tasks")]
mod promotion;
mod question;
mod seal;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;

use haft_wire::{ClientCapabilities, InputRequiredResult, meta, strict};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub use all::Questions;
pub use ask::{Ask, AskError, AskErrorKind};
pub(super) use drive::drive;
pub(crate) use peer::{Given, Peer};
#[cfg(feature = "tasks")]
use promotion::Promotion;
pub use question::CreateMessage;
pub(super) use seal::{Clock, Sealer};
pub use seal::{InvalidStateKey, StateKey};

use super::dispatch::Exchange;
use super::limits::{Allowance, Pause};
use super::{Principal, Server};
use crate::error::ProtocolError;
pub(crate) use question::Question;
use question::{Read, Reading};

/// Answers by the keys of their questions.
pub(super) type Answers = BTreeMap<String, Box<RawValue>>;

/// The request that a state belongs to: all of this is bound into its seal.
struct Origin {
    principal: Principal,
    method: &'static str,
    /// The tool's or prompt's name, or the resource's URI.
    name: String,
    arguments: Option<Box<RawValue>>,
}

/// What came back from the client with a retry.
#[derive(Default)]
pub(super) struct Inputs {
    pub(super) responses: Option<Answers>,
    pub(super) state: Option<String>,
}

/// One call's questions and answers.
#[derive(Clone)]
pub(super) struct Asking {
    shared: Arc<Shared>,
}

struct Shared {
    server: Server,
    origin: Origin,
    client: ClientCapabilities,
    /// Whether a state came with this request.
    resumed: bool,
    /// Answers while the call waits; without, each round of questions is the end of a request. A task gets one when it
    /// begins.
    peer: OnceLock<Arc<dyn Peer>>,
    /// Where the call may become a task when it asks to.
    #[cfg(feature = "tasks")]
    promotion: OnceLock<Promotion>,
    /// The time that the call may take.
    allowance: OnceLock<Allowance>,
    round: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The answers that came with this request, or since it runs.
    given: BTreeMap<String, Given>,
    /// Answers of earlier rounds, and those that this run has taken.
    answers: Answers,
    /// The author's own.
    state: Option<Box<RawValue>>,
    /// Whether this run has set it.
    state_set: bool,
    questions: BTreeMap<String, Question>,
    /// Those of the questions that are with the peer.
    asked: BTreeSet<String>,
    refusal: Option<ProtocolError>,
}

/// What is sealed.
#[derive(Serialize, Deserialize)]
struct Carried {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    answers: Answers,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<Box<RawValue>>,
}

impl Shared {
    fn new(server: Server, origin: Origin, client: ClientCapabilities, round: Mutex<State>) -> Self {
        Self {
            server,
            origin,
            client,
            resumed: false,
            peer: OnceLock::new(),
            #[cfg(feature = "tasks")]
            promotion: OnceLock::new(),
            allowance: OnceLock::new(),
            round,
        }
    }
}

impl Asking {
    /// Opens the state that came with a request.
    ///
    /// # Errors
    /// -32602 for a state that this server didn't give for this very request, or whose time is over; the client isn't
    /// told which.
    ///
    /// spec: `basic/patterns/mrtr#server-requirements-basic-workflow`
    pub(super) fn open(
        exchange: &Exchange<'_>,
        method: &'static str,
        name: String,
        arguments: Option<Box<RawValue>>,
        inputs: Inputs,
    ) -> Result<Self, ProtocolError> {
        let server = exchange.server;
        let origin = Origin { principal: exchange.principal.clone(), method, name, arguments };
        let resumed = inputs.state.is_some();
        let carried = match inputs.state {
            None => Carried { answers: Answers::new(), state: None },
            Some(state) => unseal(server, &origin, &state)?,
        };
        let given = inputs.responses.unwrap_or_default();
        let given = given.into_iter().map(|(key, answer)| (key, Given::Answer(answer))).collect();
        let round = Mutex::new(State { given, answers: carried.answers, state: carried.state, ..State::default() });
        let client = exchange.meta.client_capabilities.clone().unwrap_or_default();
        let peer = exchange.peer.clone().map(OnceLock::from).unwrap_or_default();
        Ok(Self::new(Shared { resumed, peer, ..Shared::new(server.clone(), origin, client, round) }))
    }

    /// For methods whose result can't ask: no question finds a client that can be asked.
    ///
    /// spec: `basic/patterns/mrtr#supported-requests`
    pub(super) fn mute(exchange: &Exchange<'_>) -> Self {
        let (server, principal) = (exchange.server.clone(), exchange.principal.clone());
        let origin = Origin { principal, method: "", name: String::new(), arguments: None };
        Self::new(Shared::new(server, origin, ClientCapabilities::default(), Mutex::default()))
    }

    fn new(shared: Shared) -> Self {
        Self { shared: Arc::new(shared) }
    }

    /// One question's answer, or pending until the next round.
    ///
    /// Answers of earlier rounds stand: a client that sends others later doesn't change them. One that doesn't fit (the
    /// function asks something else now) gives way.
    fn put<T>(&self, question: &Question, read: Read<T>) -> Poll<Result<T, AskError>> {
        let Question { key, needs, .. } = question;
        let settled = |reading| match reading {
            Reading::Answered(value) => Ok(Ok(value)),
            Reading::Declined => Ok(Err(AskError::new(key, AskErrorKind::Declined, ""))),
            Reading::Cancelled => Ok(Err(AskError::new(key, AskErrorKind::Cancelled, ""))),
            Reading::Unfit(reason) => Err(Some(reason)),
            Reading::Malformed => Err(None),
        };
        let (earlier, given) = {
            let round = self.lock();
            // Once the function has set a state, its questions went out with one: an answer that comes without it is
            // not an answer to them.
            let may_take = self.shared.resumed || self.peer().is_some() || !round.state_set;
            (round.answers.get(key).cloned(), round.given.get(key).filter(|_| may_take).cloned())
        };
        if let Some(answer) = earlier
            && let Ok(answer) = settled(read(key, &answer))
        {
            return Poll::Ready(answer);
        }
        if let Some(Given::Failed(reason)) = given {
            return Poll::Ready(Err(AskError::new(key, AskErrorKind::Failed, reason)));
        }
        if let Some(Given::Answer(answer)) = given {
            match settled(read(key, &answer)) {
                Ok(settled) => {
                    self.lock().answers.insert(key.clone(), answer);
                    return Poll::Ready(settled);
                }
                Err(Some(reason)) => tracing::debug!(key, reason, "an answer does not fit; the question is put again"),
                Err(None) if self.peer().is_some() => {
                    let what = "what the client sent is no answer to it";
                    return Poll::Ready(Err(AskError::new(key, AskErrorKind::Failed, what)));
                }
                Err(None) => {
                    let message =
                        format!("Malformed `inputResponses`: what it has for {key:?} is no answer to that request.");
                    self.lock().refusal.get_or_insert_with(|| ProtocolError::invalid_params(message));
                    return Poll::Pending;
                }
            }
        }
        if !needs.met_by(&self.shared.client) {
            return Poll::Ready(Err(AskError::unsupported(key, *needs)));
        }
        let mut round = self.lock();
        match round.questions.get(key) {
            Some(other) if other.request.get() != question.request.get() => {
                // The other question may be what keeps the call pending, so that no error of this one would be read.
                tracing::error!(name = self.shared.origin.name, key, "two questions of one round have the same key");
                let what = "two questions of this call have the same key";
                round.refusal.get_or_insert_with(|| ProtocolError::internal(what));
                return Poll::Pending;
            }
            Some(_) => {}
            None => drop(round.questions.insert(key.clone(), question.clone())),
        }
        Poll::Pending
    }

    /// How the round ends, if there is a question without an answer.
    fn suspended(&self) -> Option<Result<InputRequiredResult, ProtocolError>> {
        let mut round = self.lock();
        if let Some(refusal) = round.refusal.take() {
            return Some(Err(refusal));
        }
        if round.questions.is_empty() {
            return None;
        }
        let State { answers, state, questions, .. } = std::mem::take(&mut *round);
        drop(round);
        let server = &self.shared.server;
        let carried = Carried { answers, state };
        let request_state = if carried.answers.is_empty() && carried.state.is_none() {
            None
        } else {
            match seal(server, &self.shared.origin, &carried) {
                Some(state) => Some(state),
                None => {
                    tracing::error!("request state cannot be sealed: the operating system has no randomness");
                    return Some(Err(ProtocolError::internal("the request's state could not be sealed")));
                }
            }
        };
        Some(Ok(InputRequiredResult {
            input_requests: Some(questions.into_iter().map(|(key, question)| (key, question.request)).collect()),
            request_state,
            meta: Some(Map::from_iter([(meta::SERVER_INFO.to_owned(), server.inner.info.clone())])),
            ..InputRequiredResult::default()
        }))
    }

    /// Who answers while the call waits, if anybody does.
    pub(super) fn peer(&self) -> Option<&Arc<dyn Peer>> {
        self.shared.peer.get()
    }

    /// Says that the call's time is limited.
    pub(super) fn limit(&self, allowance: Option<&Allowance>) {
        if let Some(allowance) = allowance {
            self.shared.allowance.get_or_init(|| allowance.clone());
        }
    }

    /// Stops the call's clock, if it has one: for whoever waits for an answer while the call goes on.
    fn pause(&self) -> Option<Pause> {
        self.shared.allowance.get().map(Allowance::pause)
    }

    pub(super) fn server(&self) -> &Server {
        &self.shared.server
    }

    /// Whether the thread is inside a poll of this call's future.
    fn is_polled(&self) -> bool {
        POLLED.get() == self.address()
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.shared) as usize
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.round.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

thread_local! {
    /// Which call's future this thread is polling; zero for none.
    static POLLED: Cell<usize> = const { Cell::new(0) };
}

/// Marks the thread while a call's future is polled. Calls may nest: a tool may call a server in its own process.
struct Polling(usize);

impl Polling {
    fn enter(asking: &Asking) -> Self {
        Self(POLLED.replace(asking.address()))
    }
}

impl Drop for Polling {
    fn drop(&mut self) {
        POLLED.set(self.0);
    }
}

fn seal(server: &Server, origin: &Origin, carried: &Carried) -> Option<String> {
    let payload = strict::to_string(carried).ok()?;
    server.inner.sealer.seal(payload.as_bytes(), &origin.bound(server)?)
}

fn unseal(server: &Server, origin: &Origin, state: &str) -> Result<Carried, ProtocolError> {
    let opened = match origin.bound(server) {
        Some(bound) => server.inner.sealer.open(state, &bound),
        None => Err(seal::Unopened::Malformed),
    };
    let reason = match opened.map(|payload| serde_json::from_slice(&payload)) {
        Ok(Ok(carried)) => return Ok(carried),
        Ok(Err(error)) => error.to_string(),
        Err(unopened) => unopened.to_string(),
    };
    tracing::warn!(name = origin.name, principal = ?origin.principal, reason, "a request state is refused");
    Err(ProtocolError::invalid_params(
        "Invalid `requestState`: it is not the one that this server gave for this request, or it has expired. \
         Send the request again without it.",
    ))
}

impl Origin {
    /// What a seal is bound to: server, principal, method, name and arguments, each with its length before it, so that no
    /// two requests give the same bytes.
    fn bound(&self, server: &Server) -> Option<Vec<u8>> {
        let arguments = match &self.arguments {
            None => Value::Object(Map::new()),
            Some(arguments) => serde_json::from_str(arguments.get()).ok()?,
        };
        let arguments = strict::canonical(&arguments).ok()?;
        let server = server.inner.info.get("name").and_then(Value::as_str).unwrap_or_default();
        let principal = self.principal.identity();
        let parts = ["haft request state", server, &principal, self.method, &self.name, &arguments];
        let mut bound = Vec::with_capacity(arguments.len() + 256);
        for part in parts {
            bound.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bound.extend_from_slice(part.as_bytes());
        }
        Some(bound)
    }
}
