use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;

use super::{Asking, Given, Peer, Polling};
use crate::server::dispatch::Stop;
use crate::server::limits::Pause;

/// How often one question is put before its answers are given up.
const MOST: u32 = 8;

/// Runs a call's future up to its end, or until it can't go on without the client.
///
/// # Errors
/// What the client gets instead: [`Stop::InputRequired`] with the questions; -32602 where an answer is malformed, -32603
/// where the function asks two questions under one key.
pub(in crate::server) async fn drive<F: Future>(asking: Asking, running: F) -> Result<F::Output, Stop> {
    let mut running = pin!(running);
    let mut conversation = None;
    poll_fn(|cx| {
        loop {
            let polled = {
                let _polling = Polling::enter(&asking);
                running.as_mut().poll(cx)
            };
            if let Poll::Ready(output) = polled {
                return Poll::Ready(Ok(output));
            }
            // Looked for each time: a call that has become a task goes on here.
            if conversation.is_none() {
                conversation = asking.peer().map(Conversation::new);
            }
            let Some(conversation) = &mut conversation else {
                return match asking.suspended() {
                    Some(Ok(required)) => Poll::Ready(Err(Stop::InputRequired(Box::new(required)))),
                    Some(Err(refusal)) => Poll::Ready(Err(refusal.into())),
                    None => Poll::Pending,
                };
            };
            if let Some(refusal) = asking.lock().refusal.take() {
                return Poll::Ready(Err(refusal.into()));
            }
            conversation.put_new(&asking);
            match conversation.waiting.poll_next_unpin(cx) {
                // The function may have waited for just this.
                Poll::Ready(Some((key, given))) => {
                    asking.answered(key, given);
                    conversation.let_time_run();
                }
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
    })
    .await
}

/// The questions that are with the peer.
struct Conversation {
    peer: Arc<dyn Peer>,
    waiting: FuturesUnordered<BoxFuture<'static, (String, Given)>>,
    put: BTreeMap<String, u32>,
    /// Stops the call's clock while a question is with the peer.
    pause: Option<Pause>,
}

impl Conversation {
    fn new(peer: &Arc<dyn Peer>) -> Self {
        Self { peer: Arc::clone(peer), waiting: FuturesUnordered::new(), put: BTreeMap::new(), pause: None }
    }

    fn put_new(&mut self, asking: &Asking) {
        let mut round = asking.lock();
        let new: Vec<_> =
            round.questions.values().filter(|question| !round.asked.contains(&question.key)).cloned().collect();
        for question in new {
            let key = question.key.clone();
            round.asked.insert(key.clone());
            let times = self.put.entry(key.clone()).or_default();
            *times += 1;
            let given: BoxFuture<'static, Given> = if *times > MOST {
                Box::pin(std::future::ready(Given::Failed("none of its answers fits it".to_owned())))
            } else {
                self.peer.ask(question)
            };
            self.waiting.push(Box::pin(async move { (key, given.await) }));
        }
        drop(round);
        if !self.waiting.is_empty() && self.pause.is_none() {
            self.pause = asking.pause();
        }
    }

    /// Once there are all answers.
    fn let_time_run(&mut self) {
        if self.waiting.is_empty() {
            self.pause = None;
        }
    }
}

impl Asking {
    fn answered(&self, key: String, given: Given) {
        let mut round = self.lock();
        round.questions.remove(&key);
        round.asked.remove(&key);
        round.given.insert(key, given);
    }
}
