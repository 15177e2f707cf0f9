//! The requests of one POST on their way, whether or not anybody still reads.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use haft_wire::{ErrorObject, Request, encode};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::sleep;

use super::log::Log;
use super::store::InUse;
use crate::legacy::{LetGo, Version, Way};
use crate::server::{Outbound, Principal};

/// Notifications of one request that may wait to be written down; more are left out.
const QUEUE: usize = 64;

/// How the requests of one POST came, and how their answers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Batch {
    /// One request, one answer.
    None,
    /// A batch whose answers go out one by one.
    Each,
    /// A batch whose answers are one array.
    Whole,
}

/// The requests of one POST, on their way.
pub(super) struct Running {
    pub(super) held: InUse,
    /// As the request's own credentials have it: they may be newer than the session's.
    pub(super) principal: Principal,
    pub(super) log: Arc<Log>,
    /// Whether the client takes more than an answer.
    pub(super) hears: bool,
    pub(super) batch: Batch,
    pub(super) _slot: OwnedSemaphorePermit,
}

impl Running {
    pub(super) async fn run(self, requests: Vec<Request>, deadline: Option<Duration>) {
        let answers = requests.into_iter().map(|request| async {
            let answer = self.answer(request, deadline).await?;
            if self.batch == Batch::Each {
                self.log.push(answer);
                return None;
            }
            Some(answer)
        });
        let mut answers: Vec<_> = join_all(answers).await.into_iter().flatten().collect();
        let last = match self.batch {
            Batch::None => answers.pop(),
            Batch::Each => None,
            Batch::Whole => Some([&b"["[..], &answers.join(&b','), b"]"].concat()),
        };
        self.log.finish(last);
    }

    /// Answers one request; what it says before goes into the log.
    async fn answer(&self, request: Request, deadline: Option<Duration>) -> Option<Vec<u8>> {
        let id = request.id.clone();
        let cancellation = match self.held.in_flight.begin(&id) {
            Ok(cancellation) => cancellation,
            Err(error) => return Some(encode::error(Some(&id), &error)),
        };
        if self.held.ended.is_cancelled() {
            cancellation.cancel();
        }
        let (frames, mut said) = mpsc::channel(QUEUE);
        let way = Way { outbound: Outbound::new(frames), hears: self.hears, let_go: self.let_go() };
        let mut answering =
            Box::pin(self.held.session.answer(request, self.principal.clone(), cancellation.clone(), way));
        let mut deadline = pin!(async {
            match deadline {
                Some(deadline) => sleep(deadline).await,
                None => std::future::pending().await,
            }
        });
        let mut late = false;
        let answer = loop {
            tokio::select! {
                biased;
                Some(frame) = said.recv() => self.say(frame),
                answer = &mut answering => break answer,
                // Not dropped: a write that may not stop half-way has to take notice first.
                () = &mut deadline, if !late => {
                    late = true;
                    cancellation.cancel();
                }
            }
        };
        while let Ok(frame) = said.try_recv() {
            self.say(frame);
        }
        self.held.in_flight.end(&id);
        let failed = |why: &str| Some(encode::error(Some(&id), &ErrorObject::internal(why)));
        match answer {
            Some(answer) => Some(answer),
            None if late => failed("The request took too long and was cancelled."),
            // A stream may end without an answer. Where the answer is all there is, something has to be there.
            None if !self.hears => failed("The request was cancelled."),
            None => None,
        }
    }

    fn say(&self, frame: Vec<u8>) {
        match self.hears {
            true => self.log.push(frame),
            false => tracing::debug!("the client takes no events; a notification is left out"),
        }
    }

    /// Clients of earlier revisions would take the end of a stream for the end of it all.
    ///
    /// spec: 2025-06-18 `basic/transports#sending-messages-to-the-server`
    fn let_go(&self) -> Option<LetGo> {
        let log = Arc::clone(&self.log);
        let comes_back = self.held.session.version() >= Version::V2025_11_25;
        comes_back.then(|| -> LetGo { Arc::new(move || log.let_go()) })
    }
}

impl Drop for Running {
    /// However it ends, nobody waits for more.
    fn drop(&mut self) {
        self.log.finish(None);
        self.held.trim_logs();
    }
}
