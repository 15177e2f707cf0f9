use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use haft_wire::{
    CallToolParams, GetPromptParams, InputRequiredResult, ReadResourceParams, RequestMeta, ResultType, WithMeta, encode,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until};

use super::error::{ClientError, ErrorKind};
use super::inbound::SharedProgress;
use super::link::{Answer, Mirrored, Outgoing};
use super::negotiate::speaks_ours;
use super::{CallOptions, Inner, ServerDescription};
use crate::error::ProtocolError;

/// What a server may ask at once.
const MOST_QUESTIONS: usize = 32;

/// Parameters of a request whose answer may be that the server asks first.
pub(super) trait Asked: Serialize {
    fn answer(&mut self, responses: BTreeMap<String, Box<RawValue>>, state: Option<String>);
}

macro_rules! asked {
    ($($params:ty),*) => {$(
        impl Asked for $params {
            fn answer(&mut self, responses: BTreeMap<String, Box<RawValue>>, state: Option<String>) {
                self.input_responses = Some(responses).filter(|responses| !responses.is_empty());
                self.request_state = state;
            }
        }
    )*};
}

asked!(CallToolParams, ReadResourceParams, GetPromptParams);

/// What a request came to, after all its rounds.
pub(super) enum Answered {
    Complete(Box<RawValue>),
    /// A result of this other type.
    Other(String, Box<RawValue>),
}

impl Answered {
    /// The result of a method that has no others.
    pub(super) fn complete(self, method: &str) -> Result<Box<RawValue>, ClientError> {
        match self {
            Self::Complete(result) => Ok(result),
            Self::Other(other, _) => Err(ClientError::unknown_result(method, &other)),
        }
    }
}

impl Inner {
    /// A request to its end, with answers to whatever the server asks on the way.
    ///
    /// spec: `basic/patterns/mrtr#client-requirements`
    pub(super) async fn request_in_rounds<P: Asked>(
        &self,
        params: P,
        mirrored: &Mirrored,
        how: &How,
    ) -> Result<Answered, ClientError> {
        let mut params = params;
        for _ in 0..=self.settings.rounds {
            let result = self.request(&params, mirrored, how).await?;
            match result_type(&result)? {
                ResultType::Complete => return Ok(Answered::Complete(result)),
                ResultType::InputRequired => {
                    let required: InputRequiredResult = serde_json::from_str(result.get()).map_err(|error| {
                        ClientError::invalid(format!("what the server asks can't be read: {error}"))
                    })?;
                    let responses = self.respond(&mirrored.method, required.input_requests.unwrap_or_default()).await?;
                    params.answer(responses, required.request_state);
                }
                ResultType::Other(other) => return Ok(Answered::Other(other, result)),
            }
        }
        let what =
            format!("{} was not done after the server had asked {} times", mirrored.method, self.settings.rounds);
        Err(ClientError::new(ErrorKind::TooManyRounds, what))
    }

    /// The answers to what a server asks, one after the other: a user reads one question at a time.
    pub(super) async fn respond(
        &self,
        method: &str,
        asked: BTreeMap<String, Box<RawValue>>,
    ) -> Result<BTreeMap<String, Box<RawValue>>, ClientError> {
        #[derive(Deserialize)]
        struct InputRequest<'a> {
            method: String,
            #[serde(borrow, default)]
            params: Option<&'a RawValue>,
        }
        if asked.len() > MOST_QUESTIONS {
            let what = format!("{method} asks {} questions at once; {MOST_QUESTIONS} are the most", asked.len());
            return Err(ClientError::new(ErrorKind::TooManyRounds, what));
        }
        let mut responses = BTreeMap::new();
        for (key, request) in asked {
            let read = serde_json::from_str(request.get());
            let InputRequest { method: wanted, params } = read.map_err(|error| {
                ClientError::invalid(format!("what the server asks under {key:?} can't be read: {error}"))
            })?;
            let failed = |why: String| {
                let what = format!("{method} asks for {wanted} ({key:?}), {why}");
                ClientError::new(ErrorKind::InputRequired, what)
            };
            match self.inbound.handlers.answer(&wanted, params).await {
                Some(Ok(answer)) => drop(responses.insert(key, answer)),
                Some(Err(error)) => return Err(failed(format!("and got no answer: {}", error.message))),
                None => return Err(failed("which this client doesn't give".to_owned())),
            }
        }
        Ok(responses)
    }

    /// One request and its result.
    pub(super) async fn request(
        &self,
        params: &impl Serialize,
        mirrored: &Mirrored,
        how: &How,
    ) -> Result<Box<RawValue>, ClientError> {
        let mut again = true;
        loop {
            let description = self.negotiated().await?;
            let answer = self.once(params, mirrored, how, &description).await;
            let once_more = match &answer {
                Err(error) => matches!(error.kind(), ErrorKind::SessionOver),
                Ok(Err(error)) => speaks_ours(error),
                Ok(Ok(_)) => false,
            };
            if !(once_more && std::mem::take(&mut again)) {
                return answer?.map_err(|error| ProtocolError::from(error).into());
            }
            self.renegotiate(&description).await;
        }
    }

    async fn once(
        &self,
        params: &impl Serialize,
        mirrored: &Mirrored,
        how: &How,
        description: &Arc<ServerDescription>,
    ) -> Result<Answer, ClientError> {
        let id = self.next_id();
        let progress_token = how.wants_progress.then(|| id.into());
        let meta = if description.modern {
            RequestMeta { log_level: self.settings.log_level, progress_token, ..self.meta() }
        } else {
            RequestMeta { progress_token, ..RequestMeta::default() }
        };
        let frame = encode::request(&id.into(), &mirrored.method, Some(&WithMeta { meta: &meta, params }))
            .map_err(|error| ClientError::new(ErrorKind::Encoding, format!("the request is not JSON: {error}")))?;
        let watch = self.inbound.watch(id, how.progress.clone());
        let outgoing = Outgoing { id, frame, mirrored: mirrored.clone() };
        let mut asking = std::pin::pin!(self.link.request(outgoing, &self.inbound));
        let begun = Instant::now();
        let (mut total, mut heard) = (begun + how.timeout, begun);
        loop {
            let idle = how.idle.map(|idle| heard + idle);
            let until = idle.map_or(total, |idle| idle.min(total));
            tokio::select! {
                biased;
                answer = &mut asking => return answer,
                () = watch.alive() => heard = Instant::now(),
                () = sleep_until(until) => {
                    if self.inbound.handlers.are_asking() {
                        // The time that a user takes is not the server's.
                        self.inbound.handlers.answered().await;
                        heard = Instant::now();
                        total = total.max(heard + how.timeout);
                        continue;
                    }
                    let waited = if until == total { how.timeout } else { how.idle.unwrap_or(how.timeout) };
                    let what = format!("{} had no answer within {waited:?} and was cancelled", mirrored.method);
                    return Err(ClientError::new(ErrorKind::Timeout, what));
                }
            }
        }
    }
}

/// How one request is made, however often it is sent.
pub(super) struct How {
    timeout: Duration,
    idle: Option<Duration>,
    wants_progress: bool,
    progress: Option<SharedProgress>,
}

impl How {
    pub(super) fn of(options: CallOptions, timeout: Duration) -> Self {
        let wants_progress = options.wants_progress();
        let progress = options.progress.map(SharedProgress::new);
        Self { timeout: options.timeout.unwrap_or(timeout), idle: options.idle, wants_progress, progress }
    }
}

/// spec: `basic/index#resulttype`
fn result_type(result: &RawValue) -> Result<ResultType, ClientError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Type {
        #[serde(default)]
        result_type: ResultType,
    }
    let Type { result_type } = serde_json::from_str(result.get())
        .map_err(|error| ClientError::invalid(format!("a result can't be read: {error}")))?;
    Ok(result_type)
}
