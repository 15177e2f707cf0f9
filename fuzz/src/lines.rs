//! Lines of stdio: each request among them gets exactly one answer, and nothing else is answered.

use std::collections::BTreeMap;

use haft_wire::{CancelledParams, Limits, Message};
use serde_json::value::RawValue;

use crate::message::{Answer, json, plain_request, read};
use crate::server::{MAX_MESSAGE, SERVER};

/// Feeds `input` to a server as its whole standard input and judges its whole standard output.
pub fn run(input: &[u8]) {
    let mut output = Vec::new();
    let served = crate::block_on(SERVER.clone().serve_io(input, &mut output));
    served.expect("memory is always there to read and write");

    let Wanted { mut answers, open_ended, session } = Wanted::of(input);
    for line in output.split_inclusive(|byte| *byte == b'\n') {
        let text = || String::from_utf8_lossy(line);
        assert!(line.ends_with(b"\n"), "the last line is cut off: {}", text());
        match read(line) {
            Answer::Response(id) => {
                let left = answers.get_mut(&id).unwrap_or_else(|| panic!("nobody asked: {}", text()));
                *left = left.checked_sub(1).unwrap_or_else(|| panic!("answered twice: {}", text()));
            }
            Answer::Request => assert!(session, "a question to a client without a session: {}", text()),
            Answer::Notification => {}
        }
    }
    answers.retain(|id, left| *left > 0 && !open_ended.contains(id));
    assert!(answers.is_empty(), "not answered: {answers:?}");
}

/// What must come back.
#[derive(Default)]
struct Wanted {
    /// How many answers there are for an id.
    answers: BTreeMap<Option<String>, usize>,
    /// Ids whose requests were cancelled, or may run for ever: then there may be no answer.
    open_ended: Vec<Option<String>>,
    /// Whether the client opens a session, as those of older revisions do.
    session: bool,
}

impl Wanted {
    fn of(input: &[u8]) -> Self {
        let mut wanted = Self::default();
        for line in input.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            wanted.add(line);
            if wanted.session {
                wanted.add_batch(line);
            }
        }
        wanted
    }

    fn add(&mut self, line: &[u8]) {
        let parsed = haft_wire::parse(line, &Limits { max_bytes: MAX_MESSAGE, ..Limits::default() });
        let id = match parsed {
            // A line that is too long is not read, so nobody knows its id.
            _ if line.len() > MAX_MESSAGE => None,
            Ok(Message::Request(request)) => {
                let id = Some(json(&request.id));
                let params = request.params.as_ref().map_or("", |params| params.get());
                // An escape may hide a name.
                if ["wait", "register", "\\"].into_iter().any(|name| params.contains(name)) {
                    self.open_ended.push(id.clone());
                }
                self.session |= request.method == "initialize";
                id
            }
            Ok(Message::Notification(notification)) => {
                let params = notification.params.as_deref();
                let cancelled = params.and_then(|params| serde_json::from_str::<CancelledParams>(params.get()).ok());
                self.open_ended.extend(cancelled.map(|cancelled| Some(json(&cancelled.request_id))));
                return assert_eq!(plain_request(line), None, "a request is left aside");
            }
            Ok(Message::Response(_)) => return assert_eq!(plain_request(line), None, "a request is left aside"),
            Err(malformed) => malformed.id.as_ref().map(json),
        };
        *self.answers.entry(id).or_default() += 1;
    }

    /// One revision with sessions has batches; whether this session is of that one is not known here.
    fn add_batch(&mut self, line: &[u8]) {
        let Ok(batch) = serde_json::from_slice::<Vec<&RawValue>>(line) else { return };
        self.open_ended.push(None);
        for message in batch {
            let message = message.get().as_bytes();
            self.add(message);
            match haft_wire::parse(message, &Limits::default()) {
                Ok(Message::Request(request)) => self.open_ended.push(Some(json(&request.id))),
                Err(malformed) => self.open_ended.push(malformed.id.as_ref().map(json)),
                Ok(Message::Notification(_) | Message::Response(_)) => {}
            }
        }
    }
}
